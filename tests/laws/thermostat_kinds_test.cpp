/// Thermostats other than Maxwell-Boltzmann scaling, which thermostat_test.cpp has.

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "tests/laws/law_cases.hpp"
#include "tests/physics/statistics.hpp"

namespace mpcflow::test {
namespace {

using heavy::mass;
using heavy::temperature;
using heavy::thermal_speed;

System system_with(ThermostatKind kind, double strength = 0.2) {
    System system = heavy_system();
    system.thermostat = {kind, strength};
    return system;
}

/// Over kT.
template <class Law>
double energy_of(const Cell<typename Law::Real>& cell) {
    return scaled_energy<Law>(cell) / temperature;
}

template <class Law>
class KindsOf : public testing::Test {};
template <class Law>
using HasScaling = std::bool_constant<has_scaling<Law>>;
TYPED_TEST_SUITE(KindsOf, LawsWith<HasScaling>::Types);

// Whether a solver draws for a cell beforehand, as on a CPU, or leaves it to the law, as on a device: the
// same bits.
TYPED_TEST(KindsOf, do_not_mind_when_they_are_drawn_for) {
    if constexpr (DrawsToResolve<TypeParam>) {
        for (const ThermostatKind kind :
             {ThermostatKind::maxwell_boltzmann, ThermostatKind::monte_carlo, ThermostatKind::simple}) {
            const TypeParam law(system_with(kind));
            CellMaker maker(3);
            for (const int count : {0, 1, 2, 3, 10}) {
                for (std::uint64_t step = 0; step < 500; ++step) {
                    const CellKey key{1, step, 5};
                    const auto sums =
                        sum_of(law, maker.make<typename TypeParam::Real>(count, thermal_speed), key);
                    const auto axis = law.draw(key);
                    const auto late = law.resolve(sums, axis, key, {});
                    const auto drawn = law.parameters().draws_energy()
                                           ? law.template draw_to_resolve<true>(key)
                                           : law.template draw_to_resolve<false>(key);
                    const auto before = law.resolve(sums, axis, drawn, key, {});
                    EXPECT_EQ(std::memcmp(&late, &before, sizeof late), 0) << count << " particles";
                }
            }
        }
    }
}

TYPED_TEST(KindsOf, simple_scaling_sets_the_mean_energy) {
    using Real = typename TypeParam::Real;
    const TypeParam law(system_with(ThermostatKind::simple));
    CellMaker maker(1);
    for (const int count : {2, 3, 5, 10}) {
        for (std::uint64_t step = 0; step < 100; ++step) {
            const auto cell = maker.make<Real>(count, 3.0 * thermal_speed);
            const double mean = 0.5 * scaled_freedoms<TypeParam>(count);
            const CellKey key{1, step, 5};
            const auto after = collide_cell(law, cell, key);
            const double scale = scale_of(resolve_cell(law, cell, key));
            // What little energy there is may be rounding, as that of a pair with its one freedom.
            if (energy_of<TypeParam>(after) < 0.1 * mean * scale * scale) continue;
            // Of each velocity some 16 roundings, which count twice in the energy, the rotation's times its
            // condition; those of the sums; and that of the scale, which of SRD+a is a float.
            const CellTotals before(cell);
            const double all = 0.5 * mass * static_cast<double>(before.squares) / temperature;
            const double known = 32.0 * static_cast<double>(std::numeric_limits<Real>::epsilon()) *
                                     (all / mean) * (is_angular<TypeParam> ? before.condition : 1.0) +
                                 (is_angular<TypeParam> ? 0x1p-23 : 1e-9);
            if (known < 0.02) EXPECT_NEAR(energy_of<TypeParam>(after) / mean, 1.0, known) << count;
        }
    }
}

/// How often Monte Carlo's thermostat takes a factor S or 1 / S, S > 1, in the canonical ensemble, where the
/// energy E over kT of f freedoms follows Gamma(f / 2).
///
/// S^f exp(-(S^2 - 1) E) is 1 at E = e = f ln S / (S^2 - 1). Below, S is always taken, P(f / 2, e) of all
/// times; above it in a share of S^f times the integral from e of x^(f / 2 - 1) exp(-S^2 x), which is 1 -
/// P(f / 2, S^2 e). 1 / S is taken always above S^2 e, and below it in a share of P(f / 2, e): as often,
/// which is the detailed balance.
double share_taken(double S, int freedoms) {
    const double e = freedoms * std::log(S) / (S * S - 1.0);
    return gamma_p(0.5 * freedoms, e) + 1.0 - gamma_p(0.5 * freedoms, S * S * e);
}

// A factor S = 1 + x or 1 / (1 + x), x uniform in (0, c), is taken with the probability min(1, S^f exp(-(S^2
// - 1) E / kT)). Of Maxwellian velocities the energies are those of the canonical ensemble, of SRD+a after
// the rotation, too; and so they stay.
TYPED_TEST(KindsOf, monte_carlo_takes_factors_as_often_as_the_canonical_ensemble_asks_for) {
    using Real = typename TypeParam::Real;
    constexpr int draws = 20000;
    constexpr int bins = 8;         // of x
    constexpr int midpoints = 100;  // of a bin, over which a share changes by some tenths
    for (const int count : {3, 8}) {
        for (const double strength : {0.1, 1.0}) {
            CellMaker maker(2);
            const TypeParam law(system_with(ThermostatKind::monte_carlo, strength));
            const int freedoms = scaled_freedoms<TypeParam>(count);
            // S in bins of x, 1 / S in bins of x, and what is left alone.
            std::vector<double> taken(2 * bins + 1), expected(2 * bins + 1);
            std::vector<double> energies;
            for (std::uint64_t step = 0; step < draws; ++step) {
                const auto cell = maker.make<Real>(count, thermal_speed);
                const CellKey key{2, step, 5};
                const double scale = scale_of(resolve_cell(law, cell, key));
                energies.push_back(energy_of<TypeParam>(collide_cell(law, cell, key)));
                const double x = std::max(scale, 1.0 / scale) - 1.0;
                ASSERT_LE(x, strength * (1.0 + 1e-5));
                const int bin = std::min(static_cast<int>(x / strength * bins), bins - 1);
                ++taken[scale == 1.0 ? 2 * bins : (scale > 1.0 ? bin : bins + bin)];
            }
            expected[2 * bins] = draws;
            for (int bin = 0; bin < bins; ++bin) {
                double share = 0.0;
                for (int i = 0; i < midpoints; ++i)
                    share += share_taken(1.0 + strength * (bin + (i + 0.5) / midpoints) / bins, freedoms);
                expected[bin] = expected[bins + bin] = 0.5 * draws * share / (bins * midpoints);
                expected[2 * bins] -= 2.0 * expected[bin];
            }
            EXPECT_GE(chi_square_p_value(taken, expected), least_p_value) << count << " " << strength;
            EXPECT_TRUE(is_gamma(energies, 0.5 * freedoms, 1.0)) << count << " " << strength;
        }
    }
}

// From a cell that is four times too hot the energies become those of the canonical ensemble.
TYPED_TEST(KindsOf, monte_carlo_comes_to_energies_of_the_gamma_distribution) {
    using Real = typename TypeParam::Real;
    const TypeParam law(system_with(ThermostatKind::monte_carlo, 0.5));
    CellMaker maker(3);
    for (const int count : {2, 6}) {
        const auto hot = maker.make<Real>(count, 2.0 * thermal_speed);
        std::vector<double> samples;
        for (std::int64_t chain = 0; chain < 3000; ++chain) {
            auto cell = hot;
            for (std::uint64_t step = 0; step < 60; ++step) cell = collide_cell(law, cell, {3, step, chain});
            samples.push_back(energy_of<TypeParam>(cell));
        }
        EXPECT_TRUE(is_gamma(samples, 0.5 * scaled_freedoms<TypeParam>(count), 1.0)) << count;
    }
}

}  // namespace
}  // namespace mpcflow::test

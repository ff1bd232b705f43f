/// Thermostats other than Maxwell-Boltzmann scaling, which thermostat_test.cpp has.

#include <algorithm>
#include <cmath>
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
            // condition; and those of the sums.
            const CellTotals before(cell);
            const double all = 0.5 * mass * static_cast<double>(before.squares) / temperature;
            const double known = 32.0 * static_cast<double>(std::numeric_limits<Real>::epsilon()) *
                                     (all / mean) * (is_angular<TypeParam> ? before.condition : 1.0) +
                                 1e-9;
            if (known < 0.02) EXPECT_NEAR(energy_of<TypeParam>(after) / mean, 1.0, known) << count;
        }
    }
}

// A factor S = 1 + x or 1 / (1 + x), x uniform in (0, c), is taken with the probability
// min(1, S^f exp(-(S^2 - 1) E / kT)).
TYPED_TEST(KindsOf, monte_carlo_takes_factors_as_often_as_it_is_to) {
    using Real = typename TypeParam::Real;
    constexpr int draws = 20000;
    constexpr int intervals = 4000;
    CellMaker maker(2);
    for (const int count : {3, 8}) {
        for (const double strength : {0.1, 1.0}) {
            const TypeParam law(system_with(ThermostatKind::monte_carlo, strength));
            const auto cell = maker.make<Real>(count, 1.2 * thermal_speed);
            const int freedoms = scaled_freedoms<TypeParam>(count);
            int larger = 0, smaller = 0;
            double energy = 0.0, expected_larger = 0.0, expected_smaller = 0.0;
            for (std::uint64_t step = 0; step < draws; ++step) {
                const CellKey key{2, step, 5};
                const double scale = scale_of(resolve_cell(law, cell, key));
                const double ratio = scale * scale;
                // Of SRD+a it depends on the rotations, hence on the step.
                energy = energy_of<TypeParam>(collide_cell(law, cell, key)) / ratio;
                // In float a pair of energies differs by its rounding.
                larger += ratio > 1.0 + 1e-4 ? 1 : 0;
                smaller += ratio < 1.0 - 1e-4 ? 1 : 0;
                ASSERT_LE(ratio, (1.0 + strength) * (1.0 + strength) * 1.0001);
                ASSERT_GE(ratio, 0.9999 / ((1.0 + strength) * (1.0 + strength)));
                if (is_angular<TypeParam> && step % 16 != 0) continue;
                if (!is_angular<TypeParam> && step > 0) continue;
                const double weight = is_angular<TypeParam> ? 16.0 : draws;
                for (int i = 0; i < intervals; ++i) {
                    const double up = 1.0 + strength * (i + 0.5) / intervals;
                    for (const double s : {up, 1.0 / up}) {
                        const double probability =
                            std::min(1.0, std::pow(s, freedoms) * std::exp(-(s * s - 1.0) * energy));
                        (s > 1.0 ? expected_larger : expected_smaller) +=
                            0.5 * weight * probability / intervals;
                    }
                }
            }
            // 4.5 standard errors of counts, and for SRD+a of the mean over every 16th step; and the tries of
            // factors that are within 1e-4 of 1.
            const double error =
                4.5 * std::sqrt(draws * 0.25) * (is_angular<TypeParam> ? 1.5 : 1.0) + draws * 1e-4 / strength;
            EXPECT_NEAR(larger, expected_larger, error) << count << " " << strength;
            EXPECT_NEAR(smaller, expected_smaller, error) << count << " " << strength;
            EXPECT_LT(larger + smaller, draws);
        }
    }
}

template <class Real>
class MonteCarloSrd : public testing::Test {};
using Reals = testing::Types<double, float>;
TYPED_TEST_SUITE(MonteCarloSrd, Reals);

// From a cell that is four times too hot the energies become those of the canonical ensemble.
TYPED_TEST(MonteCarloSrd, comes_to_energies_of_the_gamma_distribution) {
    using Law = Srd<TypeParam, scaling>;
    const Law law(system_with(ThermostatKind::monte_carlo, 0.5));
    CellMaker maker(3);
    for (const int count : {2, 6}) {
        const auto hot = maker.make<TypeParam>(count, 2.0 * thermal_speed);
        std::vector<double> samples;
        for (std::int64_t chain = 0; chain < 3000; ++chain) {
            auto cell = hot;
            for (std::uint64_t step = 0; step < 60; ++step) cell = collide_cell(law, cell, {3, step, chain});
            samples.push_back(energy_of<Law>(cell));
        }
        EXPECT_TRUE(is_gamma(samples, 0.5 * scaled_freedoms<Law>(count), 1.0)) << count;
    }
}

}  // namespace
}  // namespace mpcflow::test

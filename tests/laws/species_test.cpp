/// Laws in a fluid of particles of several masses.

#include <array>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "physics/names.hpp"
#include "physics/theory.hpp"
#include "tests/laws/law_cases.hpp"
#include "tests/physics/statistics.hpp"

namespace mpcflow::test {
namespace {

constexpr double kT = 2.5;

constexpr double lightest = 2.0;  // of the masses 2 and 8, which are 1 and 4 of it
constexpr std::array relative_mass{1.0, 4.0};

System mixture() {
    System system;
    system.fluid.temperature = kT;
    system.set_species({{"heavy", relative_mass[1] * lightest, 4.0}, {"light", lightest, 6.0}});
    return system;
}

template <class Law>
class SpeciesLaw : public testing::Test {
protected:
    using Real = typename Law::Real;
    const System system = mixture();
    const Law law{system};
    CellMaker maker{1};

    /// Of particles of both masses in turns, each with velocities of its temperature.
    Cell<Real> make_cell(int count, const CellFill& part = {}, double heat = 1.0) {
        Cell<Real> cell = maker.make<Real>(count, std::sqrt(heat * kT / lightest), part);
        for (int i = 0; i < count; ++i) {
            cell[i].mass = relative_mass[i % 2];
            cell[i].velocity = static_cast<Real>(1.0 / std::sqrt(cell[i].mass)) * cell[i].velocity;
        }
        return cell;
    }
};
using LawsOfSpecies = LawsWith<Always, Masses::by_species>::Types;
TYPED_TEST_SUITE(SpeciesLaw, LawsOfSpecies);

/// Momentum, angular momentum about the centre of the cell, and twice the energy, in long double.
template <class Real>
struct MassTotals {
    Point momentum, angular_momentum;
    long double energy_2 = 0.0L, scale = 0.0L;

    explicit MassTotals(const Cell<Real>& cell) {
        for (const auto& p : cell) {
            const Point v = vector_cast<long double>(p.velocity);
            const auto mass = static_cast<long double>(p.mass);
            momentum += mass * v;
            angular_momentum += mass * cross(vector_cast<long double>(p.offset), v);
            energy_2 += mass * dot(v, v);
            scale += mass * std::sqrt(dot(v, v));
        }
    }
};

// In double to 1e-12 where a cell does not turn fast for being nearly collinear, but for the grids of the
// sums, which are coarser the larger the limit of speed is against the velocities; in float to its roundings.
TYPED_TEST(SpeciesLaw, keeps_momentum_and_what_else_it_promises) {
    using Number = typename TypeParam::Real;
    const CellRounding& grid = this->law.parameters().rounding;
    for (const int count : {2, 3, 10, 100}) {
        int tried = 0;
        for (std::uint64_t step = 0; step < 100; ++step) {
            const auto cell = this->make_cell(count, {}, 100.0);  // near the limit of speed
            if (CellTotals(cell).condition > 100.0) continue;
            ++tried;
            const CellKey key{1, step, count};
            const MassTotals<Number> before(cell), after(collide_cell(this->law, cell, key));
            const double scale = 1.0 + scale_of(resolve_cell(this->law, cell, key));
            const double relative = std::is_same_v<Number, double> ? 1e-12 : 1e-5;
            const double speeds = relative * scale * static_cast<double>(before.scale + after.scale);
            EXPECT_LE(length(after.momentum - before.momentum), speeds + count * grid.velocity.spacing());
            if (is_angular<TypeParam>) {
                EXPECT_LE(length(after.angular_momentum - before.angular_momentum),
                          10.0 * speeds + count * grid.offset_velocity.spacing());
            }
            if (TypeParam::energy == Energy::conserved && !has_scaling<TypeParam>)
                EXPECT_NEAR(static_cast<double>(after.energy_2 / before.energy_2), 1.0, 10.0 * relative);
        }
        EXPECT_GT(tried, 70);
    }
}

template <class Law>
struct OfOneSpecies;
template <template <class, Scaling, Masses> class LawOf, class Real, Scaling kind>
struct OfOneSpecies<LawOf<Real, kind, Masses::by_species>> {
    using Law = LawOf<Real, kind, Masses::equal>;
};

// Species that differ in nothing are one: to the bit.
TYPED_TEST(SpeciesLaw, of_equal_masses_is_the_law_of_one_species) {
    System twins = heavy_system();
    twins.set_species({{"a", 4.0, 7.0}, {"b", 4.0, 3.0}});
    const TypeParam two(twins);
    const typename OfOneSpecies<TypeParam>::Law one(heavy_system());
    const WallStates walls(heavy_system());
    CellFill half_cell{{-0.1, -0.5, -0.5}, {0.5, 0.5, 0.5}, true, {}, &walls};
    half_cell.face = {0, no_surface, no_surface};
    for (std::uint64_t step = 0; step < 200; ++step) {
        const auto cell =
            this->maker.template make<typename TypeParam::Real>(static_cast<int>(step % 12), 1.0, half_cell);
        for (const CellFill& fill : {CellFill{}, half_cell}) {
            const auto expected = collide_cell(one, cell, {2, step, 3}, fill);
            const auto found = collide_cell(two, cell, {2, step, 3}, fill);
            for (std::size_t i = 0; i < cell.size(); ++i)
                for (int a = 0; a < 3; ++a) EXPECT_EQ(found[i].velocity[a], expected[i].velocity[a]);
        }
    }
}

TYPED_TEST(SpeciesLaw, leaves_a_lone_particle_alone) {
    for (std::uint64_t step = 0; step < 50; ++step) {
        auto cell = this->make_cell(1);
        cell[0].mass = relative_mass[step % 2];
        const auto after = collide_cell(this->law, cell, {3, step, 0});
        const double rounding = rounding_alone(this->law, 7.0);
        for (int a = 0; a < 3; ++a) EXPECT_NEAR(after[0].velocity[a], cell[0].velocity[a], rounding);
    }
}

template <class Law>
class SpeciesAtATemperature : public SpeciesLaw<Law> {};
template <class Law>
using StaysThermal = std::bool_constant<has_temperature<Law> || Law::energy == Energy::conserved>;
using ThermalLawsOfSpecies = LawsWith<StaysThermal, Masses::by_species>::Types;
TYPED_TEST_SUITE(SpeciesAtATemperature, ThermalLawsOfSpecies);

// Each species has the velocities of its own mass before and after, in whole cells and next to walls, and
// particles stay independent of each other.
TYPED_TEST(SpeciesAtATemperature, keeps_the_velocities_of_each_species_maxwellian) {
    const WallStates walls(this->system);
    CellFill half_cell{{-0.1, -0.5, -0.5}, {0.5, 0.5, 0.5}, true, {}, &walls};
    half_cell.face = {0, no_surface, no_surface};
    for (const CellFill& fill : {CellFill{}, half_cell}) {
        std::array<std::vector<double>, 2> samples;
        Correlation particles;
        for (std::uint64_t step = 0; step < 20000; ++step) {
            const auto cell = this->make_cell(2 + this->maker.poisson(6.0), fill);
            const auto after = collide_cell(this->law, cell, {4, step, fill.is_cut ? 1 : 2}, fill);
            for (int i = 0; i < 2; ++i) samples[i].push_back(static_cast<double>(after[i].velocity.y));
            particles.add(static_cast<double>(after[0].velocity.x), static_cast<double>(after[1].velocity.x));
        }
        for (int i = 0; i < 2; ++i)
            EXPECT_TRUE(is_gaussian(samples[i], kT / (relative_mass[i] * lightest))) << i << fill.is_cut;
        EXPECT_TRUE(particles.is_zero()) << fill.is_cut;
    }
}

/// What sum over species of x, (1 - G) x = n, and -n/2 are of cells that collide by a law, of which the
/// momentum flux T_s of each species becomes sum_t G_st T_t (physics/theory_of_mixtures.hpp): G_st = <T'_s
/// T_t> / <T_t^2>.
template <class Law>
double carried_flux(const Law& law, const System& system, CellMaker& maker, std::uint64_t block) {
    constexpr int cells = 4000;
    const double of_lightest = kT / lightest;
    std::array<std::array<double, 2>, 2> rest{{{1.0, 0.0}, {0.0, 1.0}}};  // 1 - G
    const auto flux_of = [](const Cell<double>& cell, double mass, int a, int b) {
        double sum = 0.0;
        for (const auto& p : cell)
            if (p.mass == mass) sum += mass * p.velocity[a] * p.velocity[b];
        return sum;
    };
    const std::array<double, 2> masses{system.relative_mass(0), system.relative_mass(1)};
    const std::array<double, 2> n{system.species[0].density, system.species[1].density};
    for (int c = 0; c < cells; ++c) {
        Cell<double> cell;
        for (std::size_t s = 0; s < 2; ++s) {
            for (InCell<double> p :
                 maker.make<double>(maker.poisson(n[s]), std::sqrt(of_lightest / masses[s]))) {
                p.mass = masses[s];
                cell.push_back(p);
            }
        }
        const Cell<double> after = collide_cell(law, cell, {7, block, c});
        for (const auto& [a, b] : {std::pair{0, 1}, std::pair{0, 2}, std::pair{1, 2}})
            for (std::size_t s = 0; s < 2; ++s)
                for (std::size_t t = 0; t < 2; ++t)
                    rest[s][t] -= flux_of(after, masses[s], a, b) * flux_of(cell, masses[t], a, b) /
                                  (3.0 * cells * n[t] * of_lightest * of_lightest);
    }
    const double determinant = rest[0][0] * rest[1][1] - rest[0][1] * rest[1][0];
    return ((rest[1][1] - rest[1][0]) * n[0] + (rest[0][0] - rest[0][1]) * n[1]) / determinant -
           0.5 * (n[0] + n[1]);
}

TEST(TheoryOfMixtures, is_what_collisions_do_to_the_momentum_flux) {
    for (const CollisionRule rule : {CollisionRule::srd, CollisionRule::at}) {
        System system = mixture();
        system.collision.rule = rule;
        CellMaker maker(23);
        Moments found;
        for (std::uint64_t block = 0; block < 30; ++block) {
            found.add(rule == CollisionRule::srd
                          ? carried_flux(Srd<double, Scaling::none, Masses::by_species>(system), system,
                                         maker, block)
                          : carried_flux(Andersen<double, Scaling::none, Masses::by_species>(system), system,
                                         maker, block));
        }
        const double mass_density = system.fluid.density * system.mean_mass();
        const double expected =
            theory::transport(system).kinetic_viscosity * mass_density / (kT * system.collision.time_step);
        EXPECT_TRUE(has_mean(found, expected)) << name_of(rule);
        EXPECT_LT(found.standard_error(), 0.01 * (expected + 5.0));
    }
}

}  // namespace
}  // namespace mpcflow::test

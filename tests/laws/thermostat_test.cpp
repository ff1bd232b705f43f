/// The Maxwell-Boltzmann thermostat, and laws that hold the temperature themselves: kinetic energies as
/// distributions, and what must not be touched.

#include <cmath>
#include <vector>

#include "tests/laws/law_cases.hpp"
#include "tests/physics/statistics.hpp"

namespace mpcflow::test {
namespace {

using heavy::mass;
using heavy::temperature;
using heavy::thermal_speed;

/// Energies that were set in `draws` collisions of the same cell, each with another key: relative to
/// the centre of mass, and with angular momentum beyond the rigid rotation.
template <class Law>
std::vector<double> energies(const Cell<typename Law::Real>& cell, int draws) {
    const Law law(heavy_system());
    std::vector<double> samples;
    for (int i = 0; i < draws; ++i)
        samples.push_back(scaled_energy<Law>(collide_cell(law, cell, {1, static_cast<std::uint64_t>(i), 5})));
    return samples;
}

/// Cells that are anything but Maxwellian: too hot, flowing fast, and with two speeds only.
template <class Real>
Cell<Real> odd_cell(int count) {
    CellMaker maker(static_cast<std::uint64_t>(count));
    Cell<Real> cell = maker.make<Real>(count, 3.0);
    for (int i = 0; i < count; ++i) {
        const double speed = length(vector_cast<long double>(cell[i].velocity));
        cell[i].velocity = static_cast<Real>((i % 2 == 0 ? 0.3 : 2.0) / speed) * cell[i].velocity;
        cell[i].velocity += Vec3<Real>{static_cast<Real>(8), 0, static_cast<Real>(-3)};
    }
    return cell;
}

template <class Law>
class ThermostatOf : public testing::Test {};
template <class Law>
using HasTemperature = std::bool_constant<has_temperature<Law>>;
TYPED_TEST_SUITE(ThermostatOf, LawsWith<HasTemperature>::Types);

// f = 3 (N - 1); with angular momentum 3 N - 6, and 1 for two particles.
TYPED_TEST(ThermostatOf, sets_energies_of_the_gamma_distribution) {
    for (const int count : {2, 3, 5, 10}) {
        const int freedoms = scaled_freedoms<TypeParam>(count);
        const auto samples = energies<TypeParam>(odd_cell<typename TypeParam::Real>(count), 20000);
        EXPECT_TRUE(is_gamma(samples, 0.5 * freedoms, temperature)) << count;
    }
}

// Collinear particles turn about two axes only: f = 3 N - 5 with angular momentum.
TYPED_TEST(ThermostatOf, counts_the_freedoms_of_collinear_particles) {
    using Real = typename TypeParam::Real;
    for (const int count : {3, 5}) {
        auto cell = odd_cell<Real>(count);
        // Multiples of a power of two: exactly collinear also in float.
        for (int i = 0; i < count; ++i) {
            const auto t = static_cast<Real>(0.0625 * (i * i - 4));
            cell[i].offset = {t, t / 2, -t / 4};
        }
        const int freedoms = is_angular<TypeParam> ? 3 * count - 5 : 3 * (count - 1);
        EXPECT_TRUE(is_gamma(energies<TypeParam>(cell, 20000), 0.5 * freedoms, temperature)) << count;
    }
}

// Particles in one place do not turn: f = 3 (N - 1), whatever rounding makes of their second moments.
TYPED_TEST(ThermostatOf, counts_the_freedoms_of_particles_in_one_place) {
    using Real = typename TypeParam::Real;
    for (const int count : {2, 3, 20}) {
        auto cell = odd_cell<Real>(count);
        for (auto& p : cell)
            p.offset = {static_cast<Real>(0.1), static_cast<Real>(0.2), static_cast<Real>(-0.3)};
        EXPECT_TRUE(is_gamma(energies<TypeParam>(cell, 20000), 1.5 * (count - 1), temperature)) << count;
    }
}

// However close two particles are: the pair's one freedom (three without angular momentum) is thermal.
TYPED_TEST(ThermostatOf, does_not_miss_close_pairs) {
    using Real = typename TypeParam::Real;
    for (const double distance : {0.1, 1e-2, 1e-3}) {
        auto cell = odd_cell<Real>(2);
        cell[0].offset = {static_cast<Real>(0.1), static_cast<Real>(0.2), static_cast<Real>(-0.3)};
        cell[1].offset = cell[0].offset +
                         Vec3<Real>{static_cast<Real>(0.8 * distance), static_cast<Real>(-0.6 * distance), 0};
        EXPECT_TRUE(is_gamma(energies<TypeParam>(cell, 5000), is_angular<TypeParam> ? 0.5 : 1.5, temperature))
            << distance;
    }
}

// Maxwellian velocities of nine times the temperature: one collision, and every relative velocity is Gaussian
// of variance (kT/m)(1 - 1/N) a component. Only SRD, where the directions are then independent of the energy.
TEST(SrdThermostat, makes_relative_velocities_gaussian) {
    const Srd<double, scaling> law(heavy_system());
    CellMaker maker(2);
    for (const int count : {2, 5, 10}) {
        std::vector<double> samples;
        for (std::uint64_t step = 0; step < 20000; ++step) {
            const auto after =
                collide_cell(law, maker.make<double>(count, 3.0 * thermal_speed), {2, step, count});
            const Point mean = (1.0L / count) * CellTotals(after).velocity;
            // Two of the components of one particle: those of others are correlated with it.
            samples.push_back(after[0].velocity.x - static_cast<double>(mean.x));
            samples.push_back(after[0].velocity.z - static_cast<double>(mean.z));
        }
        // The components of one cell share its energy but are independent: a chi of 3 (N - 1) freedoms.
        EXPECT_TRUE(is_gaussian(samples, temperature / mass * (1.0 - 1.0 / count))) << count;
    }
}

// Maxwellian velocities stay so, in cells of any occupancy as they come.
TYPED_TEST(ThermostatOf, keeps_maxwellian_velocities_maxwellian) {
    using Real = typename TypeParam::Real;
    const TypeParam law(heavy_system());
    CellMaker maker(3);
    std::vector<double> samples;
    Correlation components, particles;
    for (std::uint64_t step = 0; step < 30000; ++step) {
        const auto cell = maker.make<Real>(2 + maker.poisson(4.0), thermal_speed);
        const auto after = collide_cell(law, cell, {3, step, 1});
        const Vec3<double> v = vector_cast<double>(after[0].velocity);
        const Vec3<double> w = vector_cast<double>(after[1].velocity);
        samples.push_back(v.y);
        components.add(v.x, v.y);
        particles.add(v.x, w.x);
    }
    EXPECT_TRUE(is_gaussian(samples, temperature / mass));
    EXPECT_TRUE(components.is_zero());
    EXPECT_TRUE(particles.is_zero());
}

// The mean motion is no heat: a cell that flows at ten and turns at several thermal speeds keeps all of that,
// while the rest takes the temperature. (Without angular momentum only the mean velocity is kept.)
TYPED_TEST(ThermostatOf, does_not_cool_the_mean_motion) {
    using Real = typename TypeParam::Real;
    const TypeParam law(heavy_system());
    CellMaker maker(4);
    const Vec3<Real> turn{static_cast<Real>(6), static_cast<Real>(-8), static_cast<Real>(4)};
    const Vec3<Real> flow{static_cast<Real>(8), static_cast<Real>(1), 0};
    Moments energy_ratio;
    for (std::uint64_t step = 0; step < 5000; ++step) {
        auto cell = maker.make<Real>(6, thermal_speed);
        if (is_angular<TypeParam>)
            for (auto& p : cell) p.velocity += cross(turn, p.offset);
        for (auto& p : cell) p.velocity += flow;
        const CellTotals before(cell);
        const CellTotals after(collide_cell(law, cell, {4, step, 1}));
        const double epsilon = static_cast<double>(std::numeric_limits<Real>::epsilon());
        // 6 particles at up to 20, some 16 roundings each, in momentum and times 2 x 20 in the energy.
        ASSERT_LT(length(after.velocity - before.velocity), 6 * 20 * 16 * epsilon + 1e-10);
        if (is_angular<TypeParam>) {
            const double off = 6 * 20 * 16 * epsilon * before.condition + 1e-9;
            ASSERT_NEAR(static_cast<double>(after.rotation), static_cast<double>(before.rotation), 40 * off);
        }
        const long double thermal = is_angular<TypeParam> ? after.relative - after.rotation : after.relative;
        energy_ratio.add(0.5 * mass * static_cast<double>(thermal) / temperature);
    }
    EXPECT_TRUE(has_mean(energy_ratio, is_angular<TypeParam> ? 6.0 : 7.5));
}

template <class Law>
class ScalingOf : public testing::Test {};
template <class Law>
using HasScaling = std::bool_constant<has_scaling<Law>>;
TYPED_TEST_SUITE(ScalingOf, LawsWith<HasScaling>::Types);

// Every cell and step draws its own energy, and not with the numbers of the axis.
TYPED_TEST(ScalingOf, draws_are_independent_of_cell_step_and_axis) {
    using Real = typename TypeParam::Real;
    const TypeParam law(heavy_system());
    const auto cell = odd_cell<Real>(4);
    const auto energy = [&](std::uint64_t step, std::int64_t index) {
        return scaled_energy<TypeParam>(collide_cell(law, cell, {6, step, index})) / temperature -
               (is_angular<TypeParam> ? 3.0 : 4.5);
    };
    Correlation cells, steps, axes;
    for (std::uint64_t step = 0; step < 5000; ++step) {
        const double e = energy(step, 7);
        cells.add(e, energy(step, 8));
        steps.add(e, energy(step + 1, 7));
        axes.add(e, static_cast<double>(law.draw(CellKey{6, step, 7}).unit().z));
    }
    EXPECT_TRUE(cells.is_zero());
    EXPECT_TRUE(steps.is_zero());
    EXPECT_TRUE(axes.is_zero());
}

}  // namespace
}  // namespace mpcflow::test

/// What every law keeps: momentum, and as the law has it energy or angular momentum; the lone particle;
/// the order of adding does not matter; the frame of reference does not either.

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>
#include <string>

#include "tests/laws/law_cases.hpp"
#include "tests/physics/statistics.hpp"

namespace mpcflow::test {
namespace {

template <class Law>
class EveryLaw : public testing::Test {
protected:
    using Particles = Cell<typename Law::Real>;
    const System system = heavy_system();
    const Law law{system};
    const double thermal_speed = std::sqrt(system.fluid.temperature / system.fluid.mass);

    /// Collides cells of many shapes; momentum always stays, energy and angular momentum as the law promises.
    void expect_conservation(const Particles& cell, const CellKey& key, const std::string& what) {
        const CellTotals before(cell);
        const CellTotals after(collide_cell(law, cell, key));
        const double scale = scale_of(resolve_cell(law, cell, key));
        const Tolerance<Law> tolerance(law, before, cell.size(), scale);
        EXPECT_LE(length(after.velocity - before.velocity), tolerance.momentum()) << what;
        if constexpr (is_angular<Law>) {
            EXPECT_LE(length(after.angular_momentum - before.angular_momentum), tolerance.angular_momentum())
                << what;
        } else if constexpr (Law::energy == Energy::conserved && !has_scaling<Law>) {
            EXPECT_NEAR(static_cast<double>(after.squares), static_cast<double>(before.squares),
                        tolerance.squares())
                << what;
        }
    }
};
TYPED_TEST_SUITE(EveryLaw, AllLaws);

/// Collinear, planar and coincident sets, beside random ones.
template <class Real>
Cell<Real> shaped(Cell<Real> cell, const std::string& shape) {
    for (auto& p : cell) {
        const Real t = p.offset.x;
        if (shape == "collinear") p.offset = {t, t / 2, -t / 4};
        if (shape == "along an axis") p.offset = {t, 0, 0};
        if (shape == "planar") p.offset.z = static_cast<Real>(0.125);
        if (shape == "coincident") p.offset = {static_cast<Real>(0.25), static_cast<Real>(-0.125), 0};
    }
    return cell;
}

TYPED_TEST(EveryLaw, keeps_what_it_promises_in_cells_of_any_shape) {
    CellMaker maker(1);
    for (const int count : {1, 2, 3, 4, 10, 100}) {
        for (const char* shape : {"random", "collinear", "along an axis", "planar", "coincident"}) {
            for (std::uint64_t step = 0; step < 40; ++step) {
                const auto cell =
                    shaped(maker.make<typename TypeParam::Real>(count, this->thermal_speed), shape);
                this->expect_conservation(cell, {1, step, count}, std::to_string(count) + " " + shape);
            }
        }
    }
}

// Rounding may leave less than nothing of their second moments.
TYPED_TEST(EveryLaw, keeps_what_it_promises_of_particles_at_any_one_place) {
    CellMaker maker(3);
    for (const int count : {2, 3, 4, 10, 100, 190}) {
        for (std::uint64_t step = 0; step < 100; ++step) {
            auto cell = maker.make<typename TypeParam::Real>(count, this->thermal_speed);
            for (auto& p : cell) p.offset = cell.front().offset;
            this->expect_conservation(cell, {1, step, count}, std::to_string(count));
        }
    }
}

// The closer particles are, the faster is the rotation that angular momentum asks for, of ever the same
// energy; where second moments are no more than their rounding there is to be none. In spacings s of the grid
// of offsets, N particles have eigenvalues of the inertia tensor that are off by 5 N, and those that are
// taken for nothing are below 3 x 16 N (CellMoments, InverseInertia; three as the estimate of the least one
// may be a third of it where all are alike). So eigenvalues are off by a third where they count.
TYPED_TEST(EveryLaw, makes_no_energy_of_particles_that_are_ever_closer) {
    using Real = typename TypeParam::Real;
    CellMaker maker(8);
    const double spacing = this->law.parameters().rounding.offset.spacing();
    for (const int count : {3, 10, 100, 190}) {
        for (int closeness = 2; closeness < 40; ++closeness) {
            for (int step = 0; step < 40; ++step) {
                auto cell = maker.make<Real>(count, this->thermal_speed);
                const Vec3<double> place = vector_cast<double>(cell.front().offset);
                const Vec3<double> line = vector_cast<double>(cell.back().offset);
                for (auto& p : cell) {
                    const Vec3<double> away = vector_cast<double>(p.offset);
                    p.offset = vector_cast<Real>(place + std::ldexp(1.0, -closeness) *
                                                             (step % 2 == 0 ? away : away.x * line));
                }
                const CellKey key{8, static_cast<std::uint64_t>(step), count};
                CellTotals before(cell);
                const CellTotals after(collide_cell(this->law, cell, key));
                // Of the changed velocities, at most as much is rigid rotation as before and 1/3 more, the
                // rest turned or drawn: (1/3 + 4/3)^2 + 1 < 4 times the larger energy. Draws are those of 3 N
                // freedoms, which are 10 standard deviations above their mean never.
                const double drawn = has_temperature<TypeParam>
                                         ? (3.0 * count + 10.0 * std::sqrt(6.0 * count)) *
                                               this->law.parameters().thermal_variance
                                         : 0.0;
                EXPECT_LE(static_cast<double>(after.relative),
                          4.0 * std::max(static_cast<double>(before.relative), drawn))
                    << count << " at 2^-" << closeness;
                const double resolved = 11.0 * count * spacing;
                if (before.least_eigenvalue > 0.0)
                    before.least_eigenvalue = std::max(before.least_eigenvalue, resolved);
                const Tolerance<TypeParam> tolerance(this->law, before, cell.size(),
                                                     scale_of(resolve_cell(this->law, cell, key)));
                EXPECT_LE(length(after.velocity - before.velocity), tolerance.momentum())
                    << count << " at 2^-" << closeness;
            }
        }
    }
}

// Cells that move and turn as a whole, far faster than their temperature.
TYPED_TEST(EveryLaw, keeps_what_it_promises_in_fast_and_turning_cells) {
    using Real = typename TypeParam::Real;
    CellMaker maker(2);
    for (const int count : {2, 3, 10}) {
        for (std::uint64_t step = 0; step < 40; ++step) {
            auto cell = maker.make<Real>(count, this->thermal_speed);
            for (auto& p : cell) {
                p.velocity += Vec3<Real>{static_cast<Real>(15), static_cast<Real>(-5), static_cast<Real>(2)};
                p.velocity += cross(
                    Vec3<Real>{static_cast<Real>(3), static_cast<Real>(-4), static_cast<Real>(5)}, p.offset);
            }
            this->expect_conservation(cell, {2, step, count}, std::to_string(count) + " fast and turning");
        }
    }
}

template <class Law>
using IsPrecise = std::bool_constant<std::is_same_v<typename Law::Real, double> && !has_scaling<Law>>;
template <class Law>
class DoublePrecision : public testing::Test {};
TYPED_TEST_SUITE(DoublePrecision, LawsWith<IsPrecise>::Types);

// Near the limit of speed the grid is fine against the velocities: nothing but double's own roundings are
// left.
TYPED_TEST(DoublePrecision, keeps_momentum_energy_and_angular_momentum_to_1e_12) {
    const TypeParam law{System{}};
    CellMaker maker(3);
    for (const int count : {2, 3, 10, 100}) {
        int tried = 0;
        for (std::uint64_t step = 0; step < 200; ++step) {
            const auto cell = maker.make<double>(count, 10.0);
            const CellKey key{3, step, count};
            const CellTotals before(cell);
            // Nearly collinear triples turn fast and lose digits by that; the tests above have it in their
            // tolerances.
            if (is_angular<TypeParam> && before.condition > 100.0) continue;
            ++tried;
            const CellTotals after(collide_cell(law, cell, key));
            const double speeds = count * before.greatest_speed;
            EXPECT_LE(length(after.velocity - before.velocity), 1e-12 * speeds);
            if (TypeParam::energy == Energy::conserved)
                EXPECT_LE(std::abs(static_cast<double>(after.squares / before.squares - 1.0L)), 1e-12);
            if (is_angular<TypeParam>)
                EXPECT_LE(length(after.angular_momentum - before.angular_momentum), 1e-12 * speeds);
        }
        EXPECT_GT(tried, 150);
    }
}

// To the bit, but of laws whose particles take on a velocity: to rounding.
TYPED_TEST(EveryLaw, leaves_a_lone_particle_alone) {
    CellMaker maker(4);
    for (std::uint64_t step = 0; step < 200; ++step) {
        const auto cell = maker.make<typename TypeParam::Real>(1, this->thermal_speed);
        const auto after = collide_cell(this->law, cell, {4, step, 0});
        if (!TakesVelocities<TypeParam>) EXPECT_EQ(std::memcmp(&after[0], &cell[0], sizeof(cell[0])), 0);
        for (int a = 0; a < 3; ++a)
            EXPECT_NEAR(after[0].velocity[a], cell[0].velocity[a],
                        rounding_alone(this->law, 7.0 * this->thermal_speed));
    }
}

template <class Law>
class TakingLaw : public EveryLaw<Law> {};
template <class Law>
using Takes = std::bool_constant<TakesVelocities<Law>>;
TYPED_TEST_SUITE(TakingLaw, LawsWith<Takes>::Types);

// A solver may leave w in the place of v: the law finds it there. At a temperature that changes w is of the
// collision that it is taken on in.
TYPED_TEST(TakingLaw, takes_what_was_left_to_take) {
    CellMaker maker(7);
    TypeParam before = this->law;
    before.set_thermal_variances(0.3, 0.7);
    TypeParam now = this->law;
    now.set_thermal_variances(0.7, 2.0);
    for (const int count : {1, 2, 10}) {
        const auto cell = maker.make<typename TypeParam::Real>(count, this->thermal_speed);
        const CellKey key{7, static_cast<std::uint64_t>(count), 3};
        const StepKey step = step_of(key);
        const auto transform = now.resolve(sum_of(before, cell, key), {}, key, {});
        for (const auto& particle : cell) {
            auto left = particle;
            left.velocity = before.take(particle, step);
            left.has_taken = true;
            const auto sums = before.contribute(particle, {}, step);
            const auto same = before.contribute_taking(particle, {}, left.velocity);
            EXPECT_EQ(std::memcmp(&sums, &same, sizeof sums), 0);
            const auto drawn = now.apply(transform, {}, particle, step);
            const auto taken = now.apply(transform, {}, left, step);
            for (int a = 0; a < 3; ++a) EXPECT_EQ(taken[a], drawn[a]);
        }
    }
}

TYPED_TEST(EveryLaw, acts_on_two_particles) {
    CellMaker maker(5);
    int changed = 0;
    for (std::uint64_t step = 0; step < 200; ++step) {
        const auto cell = maker.make<typename TypeParam::Real>(2, this->thermal_speed);
        const auto after = collide_cell(this->law, cell, {5, step, 0});
        const double change = length(vector_cast<long double>(after[0].velocity - cell[0].velocity));
        changed += change > 0.01 * this->thermal_speed ? 1 : 0;
    }
    EXPECT_GT(changed, 180);
}

TYPED_TEST(EveryLaw, collides_an_empty_cell_into_nothing) {
    EXPECT_TRUE(collide_cell(this->law, {}, {6, 0, 0}).empty());
}

// As many particles as the rules allow, as fast as they allow, in any order: the same bits.
TYPED_TEST(EveryLaw, sums_do_not_depend_on_the_order) {
    using Real = typename TypeParam::Real;
    const CellRounding& rounding = this->law.parameters().rounding;
    CellMaker maker(6);
    for (const bool one_sided : {true, false}) {
        auto cell = maker.make<Real>(static_cast<int>(rounding.occupancy_limit), this->thermal_speed);
        for (auto& p : cell) {
            const double speed = length(vector_cast<long double>(p.velocity));
            const double top = 0.9999 * rounding.speed_limit;
            if (one_sided)
                p = {{0, static_cast<Real>(top), 0},
                     {static_cast<Real>(0.499), static_cast<Real>(-0.499), p.offset.z}};
            else p.velocity = static_cast<Real>(top / speed) * p.velocity;
        }
        const CellKey key{6, 1, 1};
        const auto first = sum_of(this->law, cell, key);
        for (int order = 0; order < 20; ++order) {
            std::shuffle(cell.begin(), cell.end(), maker.engine());
            const auto other = sum_of(this->law, cell, key);
            for (int i = 0; i < TypeParam::sum_count; ++i)
                ASSERT_EQ(other.value[i], first.value[i]) << "sum " << i;
        }
        EXPECT_EQ(first.value[0], static_cast<double>(cell.size()));
    }
}

// v + U collides into v' + U: a law that were not Galilean invariant would shift or heat a flowing fluid.
TYPED_TEST(EveryLaw, is_the_same_in_every_frame) {
    using Real = typename TypeParam::Real;
    const Vec3<Real> frame{static_cast<Real>(4), static_cast<Real>(-8), static_cast<Real>(2)};
    CellMaker maker(7);
    for (const int count : {2, 3, 10}) {
        for (std::uint64_t step = 0; step < 40; ++step) {
            const auto cell = maker.make<Real>(count, this->thermal_speed);
            const CellKey key{7, step, count};
            auto moving = cell;
            for (auto& p : moving) p.velocity += frame;
            const auto after = collide_cell(this->law, cell, key);
            const auto moving_after = collide_cell(this->law, moving, key);
            const double scale = scale_of(resolve_cell(this->law, cell, key));
            const CellTotals totals(moving);
            const Tolerance<TypeParam> tolerance(this->law, totals, cell.size(), scale);
            // The thermostat's energy is a difference of sums of squares, so its scale is off by the
            // roundings of v^2 over what is left: the relative energy, or that beyond the rotation.
            double scale_error = 0.0;
            if constexpr (has_scaling<TypeParam>) {
                const double grid = std::ldexp(1.0, -this->law.parameters().rounding.velocity_squared.bits());
                const double roundings =
                    count * (grid + 16.0 * totals.greatest_speed * tolerance.momentum() / count);
                // s^2 x energy is the target, of a few dozen kT/m at most: so 1 / energy < s^2 / (1e-3 kT/m).
                scale_error = scale * scale * scale * roundings / (1e-3 * 0.625);
            }
            // An angular velocity off by the error of L over the least eigenvalue.
            const double spin =
                is_angular<TypeParam> ? tolerance.angular_momentum() / totals.least_eigenvalue : 0.0;
            const double allowed =
                2.0 * (tolerance.momentum() / count + spin + scale_error * totals.greatest_speed);
            for (std::size_t i = 0; i < cell.size(); ++i) {
                const Vec3<Real> difference = moving_after[i].velocity - (after[i].velocity + frame);
                ASSERT_LE(length(vector_cast<long double>(difference)), allowed) << count << " step " << step;
            }
        }
    }
}

}  // namespace
}  // namespace mpcflow::test

/// SRD with angular momentum: the textbook's formula, and the cells in which its inertia tensor is singular.

#include <cmath>

#include "tests/laws/law_cases.hpp"
#include "tests/physics/statistics.hpp"

namespace mpcflow::test {
namespace {

template <class Law>
class AngularSrd : public testing::Test {
protected:
    const System system = heavy_system();
    const Law law{system};
    const double thermal_speed = std::sqrt(0.625);
};
TYPED_TEST_SUITE(AngularSrd, SrdAngularLaws);

/// v' = V + W x r + s [R (v - V) - W_R x r], W = I^-1 L, W_R = I^-1 L_R, in two passes and from the
/// definitions; with s = 1 it is v' = V + R (v - V) + O x r, O = I^-1 sum r x [(v - V) - R (v - V)].
template <class Law>
std::vector<Point> textbook(const Cell<typename Law::Real>& cell, const CellKey& key, double angle,
                            long double scale) {
    const auto constants = rotation_constants<typename Law::Real>(angle);  // tested in rotation_test.cpp
    const Point n = vector_cast<long double>(Law::draw(key).axis);
    std::vector<Point> places, velocities, rotated;
    Point mean;
    for (const auto& p : cell) {
        places.push_back(vector_cast<long double>(p.offset));
        velocities.push_back(vector_cast<long double>(p.velocity));
        mean += (1.0L / static_cast<long double>(cell.size())) * velocities.back();
    }
    for (const Point& v : velocities) {
        const Point relative = v - mean;
        rotated.push_back(relative + static_cast<long double>(constants.sine) * cross(n, relative) +
                          static_cast<long double>(constants.versine) * cross(n, cross(n, relative)));
    }
    const RigidBody body(places);
    const Point spin = body.angular_velocity(angular_momentum(places, velocities));
    const Point rotated_spin = body.angular_velocity(angular_momentum(places, rotated));
    std::vector<Point> result;
    for (std::size_t i = 0; i < cell.size(); ++i) {
        const Point r = places[i] - centre_of(places);
        result.push_back(mean + cross(spin, r) + scale * (rotated[i] - cross(rotated_spin, r)));
    }
    return result;
}

TYPED_TEST(AngularSrd, is_the_formula_of_the_textbook) {
    CellMaker maker(1);
    for (const int count : {2, 3, 4, 10, 100}) {
        for (std::uint64_t step = 0; step < 50; ++step) {
            const auto cell = maker.make<typename TypeParam::Real>(count, this->thermal_speed);
            const CellKey key{1, step, count};
            const double scale = scale_of(resolve_cell(this->law, cell, key));
            EXPECT_TRUE(TypeParam::is_thermostatted || scale == 1.0);
            const auto after = collide_cell(this->law, cell, key);
            const auto expected = textbook<TypeParam>(cell, key, this->system.collision.angle, scale);
            const CellTotals totals(cell);
            const Tolerance<TypeParam> tolerance(this->law, totals, cell.size(), scale);
            const double spin_error = tolerance.angular_momentum() / totals.least_eigenvalue;
            for (std::size_t i = 0; i < cell.size(); ++i) {
                const Point difference = vector_cast<long double>(after[i].velocity) - expected[i];
                ASSERT_LE(length(difference), tolerance.momentum() / count + spin_error) << count;
            }
        }
    }
}

// Neither L = 0 afterwards nor L of the rotated velocities: the L from before, and it is not small.
TYPED_TEST(AngularSrd, keeps_an_angular_momentum_that_is_not_zero) {
    using Real = typename TypeParam::Real;
    CellMaker maker(2);
    for (const int count : {2, 3, 10}) {
        auto cell = maker.make<Real>(count, this->thermal_speed);
        const Vec3<Real> turn{static_cast<Real>(2), static_cast<Real>(3), static_cast<Real>(-4)};
        for (auto& p : cell) p.velocity += cross(turn, p.offset);
        const CellTotals before(cell);
        EXPECT_GT(length(before.angular_momentum), 0.1);
        for (std::uint64_t step = 0; step < 20; ++step) {
            const CellTotals after(collide_cell(this->law, cell, {2, step, 0}));
            EXPECT_LT(length(after.angular_momentum - before.angular_momentum),
                      1e-4 * length(before.angular_momentum));
        }
    }
}

// In a pair only the relative velocity along its line is free: the rotation changes it, all else is kept.
TYPED_TEST(AngularSrd, acts_on_pairs_along_their_line_at_any_distance) {
    using Real = typename TypeParam::Real;
    CellMaker maker(3);
    // A pair's own angular velocity grows as 1 / distance, its velocity is bounded: so is the error.
    for (const double distance : {0.5, 0.1, 1e-2, 1e-3, 1e-4}) {
        int changed = 0;
        for (std::uint64_t step = 0; step < 300; ++step) {
            auto cell = maker.make<Real>(2, this->thermal_speed);
            const Point along = vector_cast<long double>(cell[1].velocity);  // as good a direction as any
            cell[0].offset = {static_cast<Real>(0.1), static_cast<Real>(-0.2), static_cast<Real>(0.05)};
            cell[1] = maker.make<Real>(1, this->thermal_speed)[0];
            cell[1].offset =
                cell[0].offset + vector_cast<Real>((distance / std::sqrt(dot(along, along))) * along);
            const Point line = vector_cast<long double>(cell[1].offset - cell[0].offset);
            const auto after = collide_cell(this->law, cell, {3, step, 0});
            const Point before_relative = vector_cast<long double>(cell[1].velocity - cell[0].velocity);
            const Point after_relative = vector_cast<long double>(after[1].velocity - after[0].velocity);
            const double change =
                static_cast<double>(dot(after_relative - before_relative, line)) / length(line);
            changed += std::abs(change) > 1e-3 * this->thermal_speed ? 1 : 0;
        }
        // The change is below a thousandth in under one case of a hundred.
        EXPECT_GT(changed, 290) << "distance " << distance;
    }
}

/// A pair with a thermostat, of whose relative velocity the rotation leaves only `speed` along its line.
template <class Real>
class PairNearRest {
public:
    PairNearRest(std::uint64_t step, double speed) : key_{7, step, 0} {
        CellMaker maker(step);
        cell_ = maker.make<Real>(2, 1.0);
        const auto constants = rotation_constants<Real>(130.0);
        const Point axis = vector_cast<long double>(SrdAngular<Real, scaling>::draw(key_).axis);
        line_ = vector_cast<long double>(cell_[1].offset - cell_[0].offset);
        line_ = (1.0L / length(line_)) * line_;
        // The relative velocity that is turned into one across the line but for `speed`: turned back.
        Point turned = cross(line_, vector_cast<long double>(cell_[1].velocity - cell_[0].velocity));
        turned += static_cast<long double>(speed) * line_;
        const Point relative = turned - static_cast<long double>(constants.sine) * cross(axis, turned) +
                               static_cast<long double>(constants.versine) * cross(axis, cross(axis, turned));
        const Point mean = 0.5L * vector_cast<long double>(cell_[0].velocity + cell_[1].velocity);
        cell_[0].velocity = vector_cast<Real>(mean - 0.5L * relative);
        cell_[1].velocity = vector_cast<Real>(mean + 0.5L * relative);
    }
    /// Along the line.
    double speed_after() const {
        const auto after = collide_cell(SrdAngular<Real, scaling>{System{}}, cell_, key_);
        return std::abs(
            static_cast<double>(dot(vector_cast<long double>(after[1].velocity - after[0].velocity), line_)));
    }

private:
    CellKey key_;
    Cell<Real> cell_;
    Point line_;
};

// What is left along a pair's line may be no more than rounding, of velocities in float that is: in double
// the energy is known well enough. Scaled from an energy that came out too small the pair would fly apart.
using BothPrecisions = testing::Types<double, float>;
template <class Real>
class AngularPairs : public testing::Test {};
TYPED_TEST_SUITE(AngularPairs, BothPrecisions);
TYPED_TEST(AngularPairs, near_rest_do_not_fly_apart) {
    for (double speed = 1e-2; speed > 1e-6; speed *= 0.5) {
        for (std::uint64_t step = 0; step < 2000; ++step) {
            // 2 kT of one freedom: beyond 6 thermal speeds, of the relative velocity's width sqrt(2), once in
            // 10^9.
            EXPECT_LT(PairNearRest<TypeParam>(step, speed).speed_after(), 6.0 * std::sqrt(2.0))
                << speed << ", " << step;
        }
    }
}

// Stated once more where it is simplest: two particles on the x axis, velocities along y and z. L has no
// component along x, and what turns into the x axis is the only change.
TEST(AngularPair, on_the_x_axis) {
    const SrdAngular<double, no_thermostat> law{System{}};
    const Cell<double> cell{{{0, 1, 0.5}, {-0.25, 0, 0}}, {{0, -1, -0.5}, {0.25, 0, 0}}};
    for (std::uint64_t step = 0; step < 100; ++step) {
        const auto after = collide_cell(law, cell, {5, step, 0});
        const Point rotated = textbook<decltype(law)>(cell, {5, step, 0}, 130.0, 1.0L)[1];
        EXPECT_NEAR(after[1].velocity.y, -1.0, 1e-10);
        EXPECT_NEAR(after[1].velocity.z, -0.5, 1e-10);
        EXPECT_NEAR(after[1].velocity.x, static_cast<double>(rotated.x), 1e-10);
        EXPECT_NEAR(after[0].velocity.x, -after[1].velocity.x, 1e-11);
    }
}

}  // namespace
}  // namespace mpcflow::test

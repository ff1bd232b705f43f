/// SRD: relative velocities turn by the angle about the drawn axis, the mean velocity stays.

#include <cmath>

#include "physics/collision/laws.hpp"
#include "tests/laws/law_cases.hpp"
#include "tests/physics/statistics.hpp"

namespace mpcflow::test {
namespace {

template <class Law>
class SrdLaw : public testing::Test {};
TYPED_TEST_SUITE(SrdLaw, SrdLaws);

TYPED_TEST(SrdLaw, turns_relative_velocities_about_the_drawn_axis) {
    using Real = typename TypeParam::Real;
    const double epsilon = static_cast<double>(std::numeric_limits<Real>::epsilon());
    // The constants belong to a neighbour of the angle (rotation_test.cpp).
    const double units = std::is_same_v<Real, float> ? 250.0 : 4000.0;
    CellMaker maker(1);
    for (const double angle : {1.0, 60.0, 130.0, 179.0, 180.0}) {
        System system = heavy_system();
        system.collision.angle = angle;
        const TypeParam law(system);
        for (std::uint64_t step = 0; step < 50; ++step) {
            const auto cell = maker.make<Real>(5, 1.0);
            const CellKey key{1, step, 3};
            const auto after = collide_cell(law, cell, key);
            const long double scale = static_cast<long double>(resolve_cell(law, cell, key).scale);
            EXPECT_TRUE(TypeParam::is_thermostatted || scale == 1.0L);
            const Point axis = vector_cast<long double>(law.draw(key).unit());
            const CellTotals totals(cell);
            const Point mean = 0.2L * totals.velocity;
            const Tolerance<TypeParam> rounding(law, totals, cell.size(), static_cast<double>(scale));
            const double tolerance = rounding.momentum() / 5.0 / static_cast<double>(scale);
            for (std::size_t i = 0; i < cell.size(); ++i) {
                const Point before = vector_cast<long double>(cell[i].velocity) - mean;
                const Point turned = (1.0L / scale) * (vector_cast<long double>(after[i].velocity) - mean);
                EXPECT_NEAR(length(turned), length(before), tolerance);
                EXPECT_NEAR(static_cast<double>(dot(turned, axis)), static_cast<double>(dot(before, axis)),
                            tolerance);
                // The angle between the parts normal to the axis, counted right-handed about it.
                const Point a = before - dot(before, axis) * axis;
                const Point b = turned - dot(turned, axis) * axis;
                const double found =
                    static_cast<double>(std::atan2(dot(axis, cross(a, b)), dot(a, b))) * 180.0 / M_PI;
                const double sine = std::max(std::sin(angle * M_PI / 180.0), 0.01);
                const double off =
                    (tolerance / length(a) + (angle == 180.0 ? 0.0 : units / sine * epsilon)) * 180.0 / M_PI;
                EXPECT_NEAR(std::abs(found) > 179.99 ? std::abs(found) : found, angle, off);
            }
        }
    }
}

TYPED_TEST(SrdLaw, is_chosen_by_the_system) {
    System system = heavy_system();
    if (!TypeParam::is_thermostatted) system.thermostat = {};
    visit_law<typename TypeParam::Real>(system, [](const auto& law) {
        EXPECT_TRUE((std::is_same_v<std::decay_t<decltype(law)>, TypeParam>));
        EXPECT_EQ(law.parameters().thermal_variance, 0.625);
        EXPECT_EQ(law.parameters().density, 10.0);
    });
    system.collision.conserve_angular_momentum = true;
    using Angular =
        SrdAngular<typename TypeParam::Real, TypeParam::is_thermostatted ? scaling : no_thermostat>;
    visit_law<typename TypeParam::Real>(
        system, []<class Law>(const Law&) { EXPECT_TRUE((std::is_same_v<Law, Angular>)); });
}

// A pair at rest to each other has nothing to rotate and nothing to scale: no division by zero.
TYPED_TEST(SrdLaw, leaves_particles_that_move_together_together) {
    using Real = typename TypeParam::Real;
    const Vec3<Real> v{static_cast<Real>(0.3), static_cast<Real>(-1.7), static_cast<Real>(0.9)};
    const Cell<Real> cell{
        {v, {0, 0, 0}}, {v, {static_cast<Real>(0.2), 0, 0}}, {v, {0, static_cast<Real>(0.2), 0}}};
    const TypeParam law(heavy_system());
    for (std::uint64_t step = 0; step < 100; ++step) {
        for (const auto& p : collide_cell(law, cell, {2, step, 0})) {
            const double change = length(vector_cast<long double>(p.velocity - v));
            EXPECT_LE(change, 8.0 * static_cast<double>(std::numeric_limits<Real>::epsilon()) + 1e-11);
        }
    }
}

}  // namespace
}  // namespace mpcflow::test

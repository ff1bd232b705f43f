/// The temperature in the course of a run: what it is in a step, and what a plan of a step is told of it.

#include <stdexcept>

#include <gtest/gtest.h>

#include "physics/collision/laws.hpp"
#include "physics/grid_rounding.hpp"
#include "physics/initial_state.hpp"
#include "physics/particle.hpp"
#include "physics/step.hpp"
#include "physics/system.hpp"
#include "tests/physics/surface_cases.hpp"

namespace mpcflow::test {
namespace {

TemperatureSchedule up_and_down() {
    TemperatureSchedule schedule;
    schedule.add({10, 1.0});
    schedule.add({14, 3.0});
    schedule.add({30, 0.5});
    return schedule;
}

TEST(TemperatureSchedule, is_linear_between_its_points_and_constant_beyond) {
    const TemperatureSchedule schedule = up_and_down();
    // Halves and sixteenths are exact.
    EXPECT_EQ(schedule.at(0), 1.0);
    EXPECT_EQ(schedule.at(10), 1.0);
    EXPECT_EQ(schedule.at(11), 1.5);
    EXPECT_EQ(schedule.at(13), 2.5);
    EXPECT_EQ(schedule.at(14), 3.0);
    EXPECT_EQ(schedule.at(22), 1.75);
    EXPECT_EQ(schedule.at(29), 0.65625);
    EXPECT_EQ(schedule.at(30), 0.5);
    EXPECT_EQ(schedule.at(1'000'000'000'000'001), 0.5);
    EXPECT_EQ(schedule.highest(), 3.0);
    EXPECT_EQ(schedule.lowest(), 0.5);
}

TEST(TemperatureSchedule, of_one_point_is_always_the_same) {
    TemperatureSchedule schedule;
    schedule.add({7, 2.0});
    for (const std::uint64_t step : {0U, 6U, 7U, 8U, 1000000U}) EXPECT_EQ(schedule.at(step), 2.0);
}

TEST(TemperatureSchedule, refuses_what_there_cannot_be) {
    TemperatureSchedule schedule = up_and_down();
    EXPECT_THROW(schedule.add({30, 1.0}), std::invalid_argument);
    EXPECT_THROW(schedule.add({29, 1.0}), std::invalid_argument);
    EXPECT_THROW(schedule.add({31, 0.0}), std::invalid_argument);
    EXPECT_EQ(schedule, up_and_down());
    for (std::int64_t step = 31; schedule.size() < TemperatureSchedule::most; ++step)
        schedule.add({step, 1.0});
    EXPECT_THROW(schedule.add({100, 1.0}), std::length_error);
    EXPECT_THROW(Fluid().follow({}), std::invalid_argument);
}

// Sums stay exact at all temperatures, so grids are those of the highest; theory is at the last.
TEST(TemperatureSchedule, gives_a_fluid_the_grids_of_the_highest_and_the_first_velocities_of_the_first) {
    System system;
    system.box.size = {8, 8, 8};
    system.fluid.follow(up_and_down());
    EXPECT_EQ(system.fluid.temperature, 0.5);
    System hot = system;
    hot.fluid.schedule = {};
    hot.fluid.temperature = 3.0;
    EXPECT_EQ(speed_limit(system.fluid), speed_limit(hot.fluid));
    EXPECT_EQ(CellRounding(system.fluid).velocity_squared.bits(),
              CellRounding(hot.fluid).velocity_squared.bits());
    System at_first = hot;
    at_first.fluid.temperature = 1.0;
    const auto first_velocity = [](const System& s) {
        return InitialState(s).particle<ParticleOf<double, Masses::equal>>(5).velocity.x;
    };
    EXPECT_EQ(first_velocity(system), first_velocity(at_first));
    EXPECT_NE(first_velocity(system), first_velocity(hot));
}

/// Of the plan of a step: walls and surfaces with a temperature of their own keep it.
template <class Law>
void expect_that_a_plan_follows(const System& system) {
    StepPlan<Law> plan(Law(system), system);
    // As runs go on, and after a restart.
    for (const std::uint64_t step : {0U, 1U, 11U, 12U, 22U, 40U}) {
        plan.go_to(system, step);
        plan.begin_step(system, step);
        const double now = system.fluid.schedule.at(step) / 2.0;
        EXPECT_EQ(plan.law.parameters().thermal_variance, now) << step;
        EXPECT_EQ(plan.walls.face[4].thermal_variance, now) << step;
        EXPECT_EQ(plan.walls.face[5].thermal_variance, 0.6) << step;
        const SurfaceView& surfaces = plan.streaming.surfaces();
        EXPECT_EQ(surfaces.variance_of_face(4), now) << step;
        EXPECT_EQ(surfaces.variance_of_face(5), 0.6) << step;
        EXPECT_EQ(surfaces.variance_of(surfaces.surfaces[0]), now) << step;
        EXPECT_EQ(surfaces.variance_of(system.surfaces.map->surfaces().back()), 0.7) << step;
    }
}

TEST(TemperatureSchedule, is_followed_by_the_plans_of_all_laws) {
    System system;
    system.box.size = {12, 12, 12};
    system.fluid.mass = 2.0;
    system.fluid.follow(up_and_down());
    system.boundaries.faces[2] = {FaceKind::thermal, Face{FaceKind::no_slip, {}, 1.2}};
    Surface own = sphere({8, 8, 4}, 1.5, FluidSide::outside, FaceKind::no_slip);
    own.temperature = 1.4;
    system = with_surfaces(system, {sphere({3, 3, 6}, 2.0, FluidSide::outside, FaceKind::thermal), own});
    std::apply(
        [&]<class... Line>(const Line&...) {
            (expect_that_a_plan_follows<typename Line::template Law<double, Scaling::none>>(system), ...);
        },
        law_table);
}

// A particle contributes to the next collision what it will take on there.
TEST(TemperatureSchedule, is_that_of_the_next_collision_in_what_particles_contribute_to_it) {
    System system;
    system.fluid.follow(up_and_down());
    system.collision.rule = CollisionRule::at;
    using Law = Andersen<double, Scaling::none>;
    StepPlan<Law> plan(Law(system), system);
    plan.go_to(system, 12);
    InCell<double> in_cell;
    in_cell.id = 77;
    const auto drawn = [&](double variance) {
        return andersen_velocity<double>(std::sqrt(variance), StepKey{system.seed, 12}, in_cell).x;
    };
    // w of step 12, at 2.0: of a particle at rest - w is contributed, before the step and after a restart.
    EXPECT_EQ(plan.law.contribute(in_cell, {}, {system.seed, 12}).value[1], -drawn(2.0));
    plan.go_to(system, 11);
    plan.begin_step(system, 11);
    EXPECT_EQ(plan.law.contribute(in_cell, {}, {system.seed, 12}).value[1], -drawn(2.0));
    plan.begin_step(system, 12);
    EXPECT_EQ(plan.law.apply({}, {}, in_cell, {system.seed, 12}).x, drawn(2.0));
}

}  // namespace
}  // namespace mpcflow::test

/// Mistakes found in other codes of this kind, or once in this one, each with a test. Those that are about a
/// law alone are tested with it: a Gaussian scaled by 1/m, angular momentum set to zero, pairs left out, a
/// thermostat that cools the mean motion (thermostat_test.cpp, srd_angular_test.cpp); a wall that is not hit
/// at its very place (tests/physics/streaming_walls_test.cpp).

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <random>
#include <vector>

#include "physics/collision/laws.hpp"
#include "physics/initial_state.hpp"
#include "physics/particle.hpp"
#include "physics/solver.hpp"
#include "physics/step.hpp"
#include "tests/laws/law_cases.hpp"
#include "tests/physics/statistics.hpp"
#include "tests/physics/surface_cases.hpp"

namespace mpcflow::test {
namespace {

template <class Law>
class Traps : public testing::Test {};
TYPED_TEST_SUITE(Traps, AllLaws);

template <class Law>
using ParticleOf =
    std::conditional_t<std::is_same_v<typename Law::Real, double>, ParticleDouble, ParticleMixed>;

/// A system whose law is `Law`.
template <class Law>
System system_for() {
    System system = heavy_system();
    system.box.size = {6, 5, 4};
    for (const LawInfo& info : all_laws) {
        info.choose(system.collision);
        bool is_this = false;
        for (const ThermostatKind kind : {ThermostatKind::none, ThermostatKind::maxwell_boltzmann}) {
            if (kind != ThermostatKind::none && info.energy == Energy::thermal) continue;
            system.thermostat.kind = kind;
            visit_law<typename Law::Real>(
                system, [&]<class Chosen>(const Chosen&) { is_this = std::is_same_v<Chosen, Law>; });
            if (is_this) return system;
        }
    }
    throw std::logic_error("no system has this law");
}

std::unique_ptr<Solver> solver_for(const System& system, bool is_float, std::array<int, 3> bins = {}) {
    SolverOptions options;
    options.threads = 1;
    options.bins = bins;
    if (is_float) options.precision = Precision::mixed;
    return make_host_solver(system, options);
}

/// What the cell of a lone particle at `place` does in the collision that the plan is at.
template <class Law, class Particle>
CellAction<Law> action_on_lone(const StepPlan<Law>& plan, const Particle& p,
                               const CellPlace<typename Law::Real>& place, std::uint32_t& faults) {
    const auto draw = plan.law.draw(plan.key(place.cell));
    // Its contribution was made for this collision.
    const InCell<typename Law::Real> in_cell{p.velocity, place.offset, 1.0, p.id()};
    const auto sums = rounded(plan.law, plan.law.contribute(in_cell, draw, {plan.seed, plan.step}));
    CellAction<Law> action{};
    action.transform = plan.resolve(place.cell, sums, draw, faults);
    action.set_draw(draw);
    return action;
}

// A lone particle skips the collision, but neither the force nor the flight, and is where it was before the
// grid was shifted.
TYPED_TEST(Traps, a_lone_particle_streams_under_the_force_in_the_unshifted_frame) {
    using Real = typename TypeParam::Real;
    System system = system_for<TypeParam>();
    system.force = {0.4, 0, -0.8};  // g = 0.1, -0.2
    const TypeParam law(system);
    StepPlan<TypeParam> plan(law, system);
    auto p = ParticleOf<TypeParam>::make(0, {3, 2, 2}, {1, 0, static_cast<Real>(0.5)});
    std::uint32_t faults = no_fault;
    for (std::uint64_t step = 0; step < 10; ++step) {
        plan.begin_step(system, step);
        const auto place = plan.grid.locate(p.position);
        plan.collide_and_stream(p, place, action_on_lone(plan, p, place, faults), faults);
    }
    EXPECT_EQ(faults, std::uint32_t{no_fault});
    // Of 10 steps, whose collisions give rounding_alone(), which flights of 0.1 add up.
    const double collisions = 10.0 * rounding_alone(law, 4.0);
    const double tolerance =
        60.0 * static_cast<double>(std::numeric_limits<Real>::epsilon()) * 4.0 + collisions;
    EXPECT_NEAR(static_cast<double>(p.position.x), 3.0 + 1.0 + 0.05, tolerance);
    EXPECT_NEAR(static_cast<double>(p.position.z), 2.0 + 0.5 - 0.1, tolerance);
    EXPECT_NEAR(static_cast<double>(p.velocity.x), 1.1, tolerance);
    EXPECT_NEAR(static_cast<double>(p.velocity.z), 0.3, tolerance);
    EXPECT_NEAR(static_cast<double>(p.velocity.y), 0.0, collisions);
}

// All particles of a dilute gas, most of them alone: the momentum grows by exactly N F t.
TYPED_TEST(Traps, a_dilute_gas_gains_all_of_the_momentum_of_the_force) {
    System system = system_for<TypeParam>();
    system.fluid.density = 0.5;
    system.force = {0.05, -0.02, 0};
    const bool is_float = std::is_same_v<typename TypeParam::Real, float>;
    const std::unique_ptr<Solver> solver = solver_for(system, is_float);
    const Totals before = solver->measure<TotalsRule>();
    solver->run(100);
    const Totals after = solver->measure<TotalsRule>();
    const double impulse = static_cast<double>(before.particles) * 100 * system.collision.time_step;
    // 60 particles of m v about 3, some 20 roundings a step.
    const double tolerance = 60 * 3.0 * 100 * 20 * (is_float ? 0x1p-24 : 1e-12);
    EXPECT_NEAR(after.momentum[0] - before.momentum[0], 0.05 * impulse, tolerance);
    EXPECT_NEAR(after.momentum[1] - before.momentum[1], -0.02 * impulse, tolerance);
    EXPECT_NEAR(after.momentum[2] - before.momentum[2], 0.0, tolerance);
}

// Fields, totals and snapshots are of the step that the solver says it is at.
TYPED_TEST(Traps, fields_and_snapshots_are_of_the_present_step) {
    const System system = system_for<TypeParam>();
    const std::unique_ptr<Solver> solver =
        solver_for(system, std::is_same_v<typename TypeParam::Real, float>, {3, 1, 2});
    for (const int steps : {0, 1, 7}) {
        solver->run(steps);
        solver->measure<FieldsRule>().sample();
        const FieldBlock block = solver->measure<FieldsRule>().take();
        ParticleSnapshot snapshot;
        solver->copy_particles(snapshot);
        EXPECT_EQ(snapshot.step, solver->current_step());
        std::vector<double> counts(6), momenta(6);
        double energy = 0.0;
        for (std::int64_t i = 0; i < system.particle_count(); ++i) {
            const int bin = static_cast<int>(snapshot.position[3 * i]) / 2 +
                            3 * (static_cast<int>(snapshot.position[3 * i + 2]) / 2);
            counts[bin] += 1.0;
            momenta[bin] += 4.0 * snapshot.velocity[3 * i];
            for (int a = 0; a < 3; ++a)
                energy += 2.0 * snapshot.velocity[3 * i + a] * snapshot.velocity[3 * i + a];
        }
        EXPECT_EQ(block.samples, 1);
        for (int bin = 0; bin < 6; ++bin) {
            EXPECT_EQ(block.bins[bin].particles, counts[bin]);
            EXPECT_NEAR(block.bins[bin].momentum[0], momenta[bin], 1e-8);
        }
        EXPECT_NEAR(solver->measure<TotalsRule>().kinetic_energy, energy, 1e-10 * energy);
    }
    EXPECT_EQ(solver->current_step(), 8);
}

// A state that is no number is found at once, wherever the particle is, and left safe to bin.
TYPED_TEST(Traps, a_velocity_that_is_no_number_or_too_fast_is_a_fault) {
    using Real = typename TypeParam::Real;
    for (const bool has_walls : {false, true}) {
        System system = system_for<TypeParam>();
        if (has_walls) system.boundaries.faces[2] = {FaceKind::no_slip, FaceKind::no_slip};
        const TypeParam law(system);
        StepPlan<TypeParam> plan(law, system);
        plan.begin_step(system, 0);
        // Flown with what it has, by every law.
        plan.are_taken = true;
        const Real limit = static_cast<Real>(speed_limit(system.fluid));
        for (const Real v : {std::numeric_limits<Real>::quiet_NaN(), std::numeric_limits<Real>::infinity(),
                             static_cast<Real>(1.01) * limit, -static_cast<Real>(1.01) * limit}) {
            for (int axis = 0; axis < 3; ++axis) {
                auto p = ParticleOf<TypeParam>::make(0, {3, 2, 2}, {});
                p.velocity[axis] = v;
                std::uint32_t faults = no_fault;
                plan.collide_and_stream(p, plan.grid.locate(p.position), {}, faults);
                EXPECT_NE(faults & fault_speed, 0u);
                for (int a = 0; a < 3; ++a)
                    EXPECT_TRUE(p.position[a] >= 0 && p.position[a] < static_cast<Real>(system.box.size[a]));
                EXPECT_EQ(dot(p.velocity, p.velocity), 0);
            }
        }
        auto p = ParticleOf<TypeParam>::make(0, {3, 2, 2}, {static_cast<Real>(0.99) * limit, 0, 0});
        std::uint32_t faults = no_fault;
        plan.collide_and_stream(p, plan.grid.locate(p.position), {}, faults);
        EXPECT_EQ(faults & ~notice_fast, std::uint32_t{no_fault});
    }
}

// Behind a surface of slip is nothing, though a floor goes on there: a lone particle above it meets no solid.
TYPED_TEST(Traps, a_floor_behind_a_surface_of_slip_has_no_part_in_the_collision) {
    using Real = typename TypeParam::Real;
    for (const FaceKind kind : {FaceKind::slip, FaceKind::no_slip}) {
        System system = system_for<TypeParam>();
        system.boundaries.faces[2] = {Face{FaceKind::no_slip, {20.0, 0, 0}}, FaceKind::no_slip};
        // 0.5 high; all that a cell has of the floor, where its centre is within half an edge of (3, 2), is
        // within 1.5 of that, as the sphere is.
        system = with_surfaces(system, {sphere({3, 2, -2}, 2.51, FluidSide::outside, kind)});
        const TypeParam law(system);
        StepPlan<TypeParam> plan(law, system);
        int cut = 0;
        double greatest_change = 0.0;
        for (std::uint64_t step = 0; step < 40; ++step) {
            plan.begin_step(system, step);
            auto p = ParticleOf<TypeParam>::make(0, {3, 2, static_cast<Real>(0.52)}, {1, 0, 0.5F});
            const auto place = plan.grid.locate(p.position);
            if (!plan.grid.fill(place.cell).is_cut) continue;
            ++cut;
            std::uint32_t faults = no_fault;
            const Vec3<Real> after = plan.collide(p, place, action_on_lone(plan, p, place, faults));
            EXPECT_EQ(faults, std::uint32_t{no_fault});
            greatest_change =
                std::max(greatest_change, static_cast<double>(std::abs(after.x - p.velocity.x)));
        }
        EXPECT_GT(cut, 5);
        // V + R (v - V) of velocities of 1 takes some roundings; the floor's is 20.
        const double rounding = 8.0 * static_cast<double>(std::numeric_limits<Real>::epsilon());
        if (kind == FaceKind::slip) EXPECT_LE(greatest_change, rounding + rounding_alone(law, 4.0));
        else EXPECT_GT(greatest_change, 1.0) << "the sphere is solid";
        EXPECT_LT(greatest_change, 10.0) << "and at rest, in the place of the floor";
    }
}

// To the last bit of the double square, though most particles are let pass by a square in Real.
TYPED_TEST(Traps, a_flight_of_more_than_a_cell_is_told_from_one_of_less) {
    using Real = typename TypeParam::Real;
    const System system = system_for<TypeParam>();
    const TypeParam law(system);
    StepPlan<TypeParam> plan(law, system);
    plan.begin_step(system, 0);
    plan.are_taken = true;
    const double fast = 1.0 / system.collision.time_step;
    ASSERT_LT(fast, speed_limit(system.fluid));
    std::mt19937 random(5);
    std::array<int, 2> told{};
    for (int i = 0; i < 6000; ++i) {
        std::normal_distribution<double> gaussian;
        const Vec3<double> along{gaussian(random), gaussian(random), gaussian(random)};
        // Within some roundings of it, and some margins.
        const double width = std::array{2e-7, 2e-6, 0.1}[i % 3];
        const double speed = fast * (1.0 + std::uniform_real_distribution<double>(-width, width)(random));
        const Vec3<double> v = (speed / std::sqrt(dot(along, along))) * along;
        auto p = ParticleOf<TypeParam>::make(0, {3, 2, 2}, vector_cast<Real>(v));
        std::uint32_t faults = no_fault;
        plan.collide_and_stream(p, plan.grid.locate(p.position), {}, faults);
        const Vec3<double> after = vector_cast<double>(p.velocity);
        const bool is_fast = dot(after, after) > plan.fast_speed_squared;
        ASSERT_EQ(faults, is_fast ? notice_fast : std::uint32_t{no_fault}) << "speed " << speed;
        ++told[is_fast ? 1 : 0];
    }
    EXPECT_GT(told[0], 2000);
    EXPECT_GT(told[1], 2000);
}

TYPED_TEST(Traps, a_cell_beyond_the_limit_is_a_fault) {
    const System system = system_for<TypeParam>();
    const TypeParam law(system);
    StepPlan<TypeParam> plan(law, system);
    plan.begin_step(system, 0);
    typename TypeParam::Sums sums;
    std::uint32_t faults = no_fault;
    sums.value[0] = 8.0 * 10.0 + 120.0;
    plan.resolve(0, sums, law.draw(plan.key(0)), faults);
    EXPECT_EQ(faults, std::uint32_t{no_fault});
    sums.value[0] += 1.0;
    plan.resolve(0, sums, law.draw(plan.key(0)), faults);
    EXPECT_EQ(faults, std::uint32_t{fault_occupancy});
}

}  // namespace
}  // namespace mpcflow::test

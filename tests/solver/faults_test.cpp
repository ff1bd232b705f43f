/// What must not happen is reported, and by name: a wrong state never goes on in silence.

#include <cmath>
#include <cstddef>
#include <functional>
#include <stdexcept>
#include <string>

#include <gtest/gtest.h>

#include "gpu/device_solver.hpp"
#include "physics/errors.hpp"
#include "tests/support/solvers.hpp"

namespace mpcflow::test {
namespace {

#ifdef MPCFLOW_SANITIZED
constexpr bool sanitizers_refuse_huge_allocations = true;
#else
constexpr bool sanitizers_refuse_huge_allocations = false;
#endif

/// The message of the SimulationFault that `action` throws; a failure where it throws none.
std::string fault_of(const std::function<void()>& action) {
    try {
        action();
    } catch (const SimulationFault& fault) {
        return fault.what();
    }
    ADD_FAILURE() << "no SimulationFault";
    return {};
}

bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

class Faults : public SolverTest {
protected:
    Faults() { system_.box.size = {6, 6, 6}; }
    System system_;
};

TEST_P(Faults, a_particle_too_fast_names_the_force_as_a_likely_cause) {
    for (const Precision precision : {Precision::double_precision, Precision::mixed}) {
        for (const bool angular : {false, true}) {
            system_.collision.conserve_angular_momentum = angular;
            system_.force = {0.0, 400.0, 0.0};  // 40 thermal speeds a step
            for (const Summation way : {Summation::automatic, Summation::tile}) {
                const auto solver = make(system_, {precision, way});
                const std::string text = fault_of([&] { solver->run(1); });
                EXPECT_TRUE(contains(text, "faster than 32")) << text;
                EXPECT_TRUE(contains(text, "force")) << text;
                EXPECT_TRUE(contains(text, "step 1")) << text;
                EXPECT_FALSE(contains(text, "cell")) << text;
            }
        }
    }
}

TEST_P(Faults, a_speed_that_is_not_finite_is_a_fault) {
    system_.force = {0.0, 0.0, 1e308};
    system_.collision.time_step = 1e10;
    for (const Precision precision : {Precision::double_precision, Precision::mixed}) {
        const auto solver = make(system_, {precision});
        EXPECT_TRUE(contains(fault_of([&] { solver->run(1); }), "faster than 32"));
    }
}

TEST_P(Faults, the_speed_limit_follows_temperature_and_mass) {
    system_.fluid.temperature = 4.0;
    system_.fluid.mass = 0.25;
    system_.force = {0.0, 400.0, 0.0};
    const auto solver = make(system_);
    EXPECT_TRUE(contains(fault_of([&] { solver->run(1); }), "faster than 128"));
}

TEST_P(Faults, a_fault_is_found_within_a_long_run_and_does_not_pass) {
    system_.force = {8.0, 0.0, 0.0};  // the limit comes after about 40 steps
    const auto solver = make(system_);
    EXPECT_TRUE(contains(fault_of([&] { solver->run(60); }), "faster than"));
    EXPECT_TRUE(contains(fault_of([&] { solver->run(1); }), "faster than"));
}

TEST_P(Faults, a_compressed_fluid_is_told_from_a_fast_one) {
    // An isothermal atmosphere of scale height kT/F = 0.2: 240 particles on a square, almost all of them in
    // the lowest cell, where 200 are allowed.
    system_.box.size = {4, 4, 24};
    system_.boundaries.faces[2] = {FaceKind::no_slip, FaceKind::no_slip};
    system_.thermostat.kind = ThermostatKind::maxwell_boltzmann;
    system_.force = {0.0, 0.0, -5.0};
    for (const Summation way : {Summation::automatic, Summation::tile}) {
        const auto solver = make(system_, {Precision::double_precision, way});
        const std::string text = fault_of([&] { solver->run(500); });
        EXPECT_TRUE(contains(text, "more than 200 particles")) << text;
        EXPECT_TRUE(contains(text, "compressed")) << text;
        EXPECT_FALSE(contains(text, "faster")) << text;
    }
}

// Where no walls are, a CPU resolves most cells many at once, of SRD with a thermostat; not this one.
TEST_P(Faults, so_is_a_crowded_cell_far_from_all_walls) {
    constexpr std::size_t crowd = 300;  // where 200 are allowed
    constexpr double centre = 2.5;
    system_.collision.random_shift = false;
    ParticleSnapshot snapshot;
    make(system_)->copy_particles(snapshot);
    for (std::size_t i = 0; i < 3 * crowd; ++i)
        snapshot.position[i] = centre + std::ldexp(snapshot.position[i] - centre, -8);
    for (const CollisionRule rule : {CollisionRule::srd, CollisionRule::at}) {
        system_.collision.rule = rule;
        system_.thermostat.kind =
            rule == CollisionRule::srd ? ThermostatKind::maxwell_boltzmann : ThermostatKind::none;
        for (const bool angular : {false, true}) {
            system_.collision.conserve_angular_momentum = angular;
            const auto solver = make(system_);
            const std::string text = fault_of([&] {
                solver->restore(snapshot, 0);
                solver->run(1);
            });
            EXPECT_TRUE(contains(text, "more than 200 particles")) << text;
        }
    }
}

TEST_P(Faults, image_counts_overflow_in_mixed_precision_only) {
    // The fluid falls: after t it has gone 0.15 t^2 boxes, at t = 90 more than 1023 and at 27 thermal speeds.
    system_.box.size = {1, 6, 6};
    system_.collision.time_step = 1.0;
    system_.thermostat.kind = ThermostatKind::maxwell_boltzmann;
    system_.force = {0.3, 0.0, 0.0};
    const auto in_double = make(system_);
    EXPECT_NO_THROW(in_double->run(90));
    const auto mixed = make(system_, {Precision::mixed});
    EXPECT_NO_THROW(mixed->run(60));
    const std::string text = fault_of([&] { mixed->run(30); });
    EXPECT_TRUE(contains(text, "image count")) << text;
    EXPECT_TRUE(contains(text, "precision: double")) << text;
    EXPECT_FALSE(contains(text, "faster")) << text;
}

TEST_P(Faults, fields_need_bins) {
    const auto solver = make(system_);
    EXPECT_THROW(solver->measure<FieldsRule>().sample(), std::logic_error);
    EXPECT_TRUE(solver->measure<FieldsRule>().take().bins.empty());
}

TEST_P(Faults, too_little_memory_is_a_fault_of_the_environment) {
    if (sanitizers_refuse_huge_allocations) GTEST_SKIP() << "sanitizers end the program";
    system_.box.size = {1000, 1000, 1000};
    system_.fluid.density = 1e6;  // 64 PB, more than an address space
    EXPECT_THROW(static_cast<void>(make(system_)), EnvironmentError);
}

MPCFLOW_ON_EVERY_SOLVER(Faults);

TEST(DeviceIndex, that_does_not_exist_is_a_fault_of_the_environment) {
    System system;
    system.box.size = {4, 4, 4};
    for (const int device : {-1, 1000}) {
        try {
            static_cast<void>(make_device_solver(system, {}, device));
            ADD_FAILURE() << "device " << device << " exists";
        } catch (const EnvironmentError& error) {
            // Without a device the message says why there is none instead.
            if (why_not(SolverKind::device).empty())
                EXPECT_TRUE(contains(error.what(), std::to_string(device))) << error.what();
            else EXPECT_TRUE(contains(error.what(), "CUDA")) << error.what();
        }
    }
}

TEST(DeviceList, says_why_it_is_empty) {
    const DeviceList list = list_devices();
    EXPECT_EQ(list.devices.empty(), !list.reason.empty());
}

}  // namespace
}  // namespace mpcflow::test

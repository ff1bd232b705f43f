/// What is computed for reports: JSON, estimates, warnings.

#include <cmath>

#include <gtest/gtest.h>

#include "app/output/estimates.hpp"
#include "app/run/theory_numbers.hpp"
#include "app/text/json_writer.hpp"
#include "physics/solver.hpp"

namespace mpcflow {
namespace {

TEST(JsonWriter, NestsEscapesAndHasNoInfinities) {
    JsonWriter json;
    json.begin_object().member("text", "a \"b\"\n\\\x01").member("number", 0.1).member("nan", std::nan(""));
    json.key("list").begin_array().value(1).value(true).begin_object().end_object().end_array();
    json.member("big", std::uint64_t{0xffffffffffffffffU}).end_object();
    EXPECT_EQ(json.text(),
              "{\n  \"text\": \"a \\\"b\\\"\\n\\\\\\u0001\",\n  \"number\": 0.1,\n  \"nan\": null,\n"
              "  \"list\": [\n    1,\n    true,\n    {}\n  ],\n  \"big\": 18446744073709551615\n}");
}

TEST(JsonWriter, HasNoTextThatATerminalObeysAndIsUtf8) {
    JsonWriter json;
    json.value("\x7F \xC2\x9B \xE2\x80\xAE \xFF \xC3\xA9");
    EXPECT_EQ(json.text(), "\"\\u007f \\u009b \\u202e \\ufffd \xC3\xA9\"");
}

TEST(Estimates, OfTheSolverOnTheCpuIsWhatItTakes) {
    for (const Precision precision : {Precision::double_precision, Precision::mixed}) {
        for (const bool has_walls : {false, true}) {
            System system;
            if (has_walls) system.boundaries.faces[2] = {FaceKind::no_slip, FaceKind::no_slip};
            SolverOptions options;
            options.precision = precision;
            options.threads = 1;
            const HostNeeds alone = host_solver_needs(system, options);
            EXPECT_EQ(alone.bytes, make_host_solver(system, options)->memory_bytes());
            EXPECT_EQ(alone.threads, 1);
            options.threads = 4;
            EXPECT_EQ(host_solver_needs(system, options).threads, 4);
            // With sums for each other's cells, and a list of a quarter of each thread's particles for each
            // of the three others: some bytes more than the sums that they hold.
            const std::int64_t taken = make_host_solver(system, options)->memory_bytes();
            EXPECT_GT(taken, alone.bytes);
            const auto lists = static_cast<double>(host_solver_needs(system, options).bytes - taken);
            const double listed = 0.75 * static_cast<double>(system.particle_count());
            EXPECT_GT(lists, listed * 4 * sizeof(double));
            EXPECT_LT(lists, listed * 6 * sizeof(double));
        }
    }
}

TEST(Estimates, MemoryIsNearWhatTheSolverTakes) {
    for (const bool angular : {false, true}) {
        for (const Precision precision : {Precision::double_precision, Precision::mixed}) {
            System system;
            system.collision.conserve_angular_momentum = angular;
            system.thermostat.kind = ThermostatKind::maxwell_boltzmann;
            SolverOptions options;
            options.precision = precision;
            options.threads = 1;
            const auto taken = static_cast<double>(make_host_solver(system, options)->memory_bytes());
            EXPECT_NEAR(static_cast<double>(estimate_memory(system, precision)), taken, taken / 3.0)
                << "angular " << angular << ", " << precision_name(precision);
        }
    }
}

TEST(Estimates, HaveRoomOnADeviceToNoteWhoIsLeftOver) {
    Scenario scenario;
    const auto beyond_the_state = [&] {
        return estimate_solver_memory(scenario, DeviceKind::cuda) -
               estimate_memory(scenario.system, scenario.execution.precision);
    };
    EXPECT_EQ(beyond_the_state(), 0);
    scenario.system.boundaries.faces[1] = {FaceKind::slip, FaceKind::no_slip};
    EXPECT_EQ(beyond_the_state(), 4 * scenario.system.particle_count());
    scenario.system.boundaries.faces[1] = {};
    EXPECT_EQ(beyond_the_state(), 0);
    scenario.system.collision.time_step = 1.0;
    EXPECT_EQ(beyond_the_state(), 4 * scenario.system.particle_count());
    scenario.execution.summation = Summation::match;
    EXPECT_EQ(beyond_the_state(), 0) << "only tiles leave over who is outside of their boxes";
    scenario.system.collision.time_step = 0.1;
    EXPECT_EQ(beyond_the_state(), 0);
    const std::int64_t of_domain = estimate_domain_memory(scenario, 1000, 100);
    scenario.system.surfaces.list.emplace_back().centre = {5.0, 5.0, 5.0};
    scenario.system.map_surfaces();
    EXPECT_EQ(beyond_the_state(), 4 * scenario.system.particle_count());
    // With room for a quarter more.
    EXPECT_GE(estimate_domain_memory(scenario, 1000, 100), of_domain + 4 * 1250);
}

Scenario driven_flow() {
    Scenario scenario;
    scenario.system.thermostat.kind = ThermostatKind::maxwell_boltzmann;
    scenario.system.boundaries.faces[2] = {FaceKind::no_slip, FaceKind::no_slip};
    scenario.system.force = {0.0005, 0.0, 0.0};
    scenario.run = {5000, 5000};
    scenario.output.fields = FieldsOutput{};
    scenario.output.fields->every = 10;
    return scenario;
}

bool warns_of(const Scenario& scenario, const std::string& key) {
    for (const std::string& warning : find_warnings(scenario))
        if (warning.starts_with(key + ":")) return true;
    return false;
}

TEST(Warnings, AGoodFlowHasNone) { EXPECT_TRUE(find_warnings(driven_flow()).empty()); }

TEST(Warnings, FastFlow) {
    Scenario scenario = driven_flow();
    scenario.system.force[0] = 0.1;
    EXPECT_TRUE(warns_of(scenario, "forces"));
    scenario.system.force[0] = -0.1;
    EXPECT_TRUE(warns_of(scenario, "forces"));
}

TEST(Warnings, EquilibrationTooShort) {
    Scenario scenario = driven_flow();
    scenario.run.equilibration = 500;
    EXPECT_TRUE(warns_of(scenario, "run.equilibration"));
    scenario.output.fields.reset();
    EXPECT_FALSE(warns_of(scenario, "run.equilibration")) << "nothing is averaged";
}

TEST(Warnings, OfTheReaderAndOfTooFewSamples) {
    Scenario scenario = driven_flow();
    scenario.output.fields->every = 4000;
    EXPECT_TRUE(warns_of(scenario, "output.fields.every"));
    EXPECT_FALSE(warns_of(scenario, "flow.yaml:3:1: forces"));
    scenario.warnings = {"flow.yaml:3:1: forces: the force heats the fluid, and there is no thermostat"};
    EXPECT_TRUE(warns_of(scenario, "flow.yaml:3:1: forces"));
}

TEST(TheoryNumbers, PlusAHasBothViscosities) {
    System system;
    const auto names = [&] {
        std::string text;
        for (const NamedNumber& number : theory_numbers(system)) text += number.name + " ";
        return text;
    };
    EXPECT_EQ(names().find("expansion"), std::string::npos);
    system.collision.conserve_angular_momentum = true;
    EXPECT_NE(names().find("collisional_viscosity_expansion"), std::string::npos);
    EXPECT_EQ(names().find("poiseuille"), std::string::npos);
}

}  // namespace
}  // namespace mpcflow

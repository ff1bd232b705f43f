/// A temperature that follows a schedule: what is read of it, its errors, and what is warned of.

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "input/writer.hpp"
#include "tests/input/input_cases.hpp"

namespace mpcflow::tests {
namespace {

using Messages = std::vector<std::string>;

const std::string held = least + "thermostat: {kind: maxwell_boltzmann}\n";

std::string scheduled(const std::string& points) {
    return held + "fluid: {temperature_schedule: [" + points + "]}";
}

TEST(TemperatureSchedule, is_read_and_written) {
    const Scenario s = parse_scenario(
        scheduled(
            "{step: 0, temperature: 1.0}, {temperature: 0.25, step: 1e4}, {step: 20000, temperature: 2}"),
        "f.yaml");
    const Fluid& fluid = s.system.fluid;
    ASSERT_EQ(fluid.schedule.size(), 3);
    EXPECT_EQ(fluid.schedule[1], (TemperaturePoint{10000, 0.25}));
    EXPECT_EQ(fluid.temperature_at(5000), 0.625);
    EXPECT_EQ(fluid.temperature, 2.0) << "theory is of the last";
    EXPECT_TRUE(s.warnings.empty());
    EXPECT_EQ(to_yaml(parse_scenario(to_yaml(s), "f.yaml")), to_yaml(s));
}

TEST(TemperatureSchedule, of_no_points_is_none) {
    const Scenario s = parse_scenario(least + "fluid: {temperature: 3, temperature_schedule: []}", "f.yaml");
    EXPECT_TRUE(s.system.fluid.schedule.is_empty());
    EXPECT_EQ(s.system.fluid.temperature, 3.0);
}

TEST(TemperatureScheduleErrors, steps_that_do_not_ascend) {
    const Messages expected{
        "f.yaml:4:73: fluid.temperature_schedule.1.step: step 5 is not after step 5 of the point before; "
        "steps "
        "ascend",
        "f.yaml:4:127: fluid.temperature_schedule.3.step: step 6 is not after step 9 of the point before; "
        "steps "
        "ascend"};
    EXPECT_EQ(errors_of(scheduled("{step: 5, temperature: 1.000000}, {step: 5, temperature: 1}, {step: 9, "
                                  "temperature: 1}, {step: 6, temperature: 1}")),
              expected);
}

TEST(TemperatureScheduleErrors, values_that_there_cannot_be) {
    const Messages expected{
        "f.yaml:4:39: fluid.temperature_schedule.0.step: -1 is out of range [0, 1000000000000000]",
        "f.yaml:4:56: fluid.temperature_schedule.0.temperature: 0 is out of range [1e-6, 1e6]",
        "f.yaml:4:60: fluid.temperature_schedule.1.step: is missing; a whole number in [0, 1000000000000000] "
        "is needed",
        "f.yaml:4:78: fluid.temperature_schedule.2: 7 is given; a map of keys is needed"};
    EXPECT_EQ(errors_of(scheduled("{step: -1, temperature: 0}, {temperature: 1}, 7")), expected);
    EXPECT_EQ(errors_of(held + "fluid: {temperature_schedule: 2}"),
              Messages{"f.yaml:4:31: fluid.temperature_schedule: 2 is given; a list of maps is needed"});
}

TEST(TemperatureScheduleErrors, temperatures_that_are_too_far_apart) {
    EXPECT_EQ(errors_of(scheduled("{step: 1, temperature: 1}, {step: 2, temperature: 100}")), Messages{});
    EXPECT_EQ(
        errors_of(scheduled("{step: 1, temperature: 1}, {step: 2, temperature: 101}")),
        Messages{"f.yaml:4:82: fluid.temperature_schedule.1.temperature: 101 is 101 times the lowest "
                 "temperature of the schedule, 1; at most 100 times are possible, so that sums keep the "
                 "digits of both"});
}

TEST(TemperatureScheduleErrors, more_points_than_there_can_be) {
    std::string points;
    for (int step = 0; step < 16; ++step) points += "{step: " + std::to_string(step) + ", temperature: 1}, ";
    EXPECT_EQ(errors_of(scheduled(points)), Messages{});
    const Messages errors = errors_of(scheduled(points + "\n    {step: 99, temperature: 1}"));
    EXPECT_EQ(
        errors,
        Messages{"f.yaml:5:5: fluid.temperature_schedule: 17 points are given; at most 16 are possible"});
}

TEST(TemperatureScheduleErrors, beside_a_temperature_or_without_what_holds_it) {
    const std::string fluid = "fluid: {temperature: 1, temperature_schedule: [{step: 1, temperature: 1}]}";
    EXPECT_EQ(errors_of(held + fluid),
              Messages{"f.yaml:4:9: fluid.temperature: temperature_schedule has it; leave it out"});
    const std::string alone = "fluid: {temperature_schedule: [{step: 1, temperature: 1}]}";
    EXPECT_EQ(errors_of(least + "collision: {rule: at}\n" + alone), Messages{});
    EXPECT_EQ(errors_of(least + alone),
              Messages{"f.yaml:3:31: fluid.temperature_schedule: srd holds no temperature by itself; set "
                       "thermostat.kind to maxwell_boltzmann, or collision.rule to at"});
}

// Walls, faces and flights are held against the highest temperature, for which sums have room.
TEST(TemperatureScheduleErrors, of_walls_and_flights_go_by_the_highest) {
    const std::string hot = "{step: 1, temperature: 1}, {step: 2, temperature: 16}";
    const std::string wall = "\nboundaries: {z: {lower: {kind: no_slip, temperature: 100}, upper: no_slip}}";
    EXPECT_EQ(errors_of(scheduled(hot) + wall), Messages{});
    EXPECT_EQ(
        errors_of(scheduled(hot) + "\ncollision: {time_step: 2.1}"),
        Messages{"f.yaml:5:24: collision.time_step: the mean free path time_step sqrt(temperature / mass) "
                 "is 8.4 cells, more than the shortest edge of the box (8); make the time step smaller"});
}

TEST(TemperatureScheduleWarnings, of_averages_over_temperatures) {
    const std::string points = "{step: 0, temperature: 1}, {step: 60, temperature: 2}";
    const std::string fields = "\noutput: {fields: {every: 5, bins: [1, 1, 1]}}";
    const auto warnings = [](const std::string& text, const Messages& overrides = {}) {
        return parse_scenario(text, "f.yaml", overrides).warnings;
    };
    EXPECT_EQ(warnings(scheduled(points)), Messages{});
    EXPECT_EQ(warnings(scheduled(points) + fields, {"run.equilibration=60"}), Messages{});
    EXPECT_EQ(warnings(scheduled(points) + fields),
              Messages{"f.yaml:4:31: fluid.temperature_schedule: the temperature changes until step 60, and "
                       "averages are taken from step 0 on: they are of all temperatures since, and theory is "
                       "that of the last one, 2; set run.equilibration to 60 to measure at that alone"});
}

}  // namespace
}  // namespace mpcflow::tests

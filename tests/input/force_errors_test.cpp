/// The errors of forces: what an item lacks, what does not fit, and forces as they are read.

#include <array>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "input/writer.hpp"
#include "tests/input/input_cases.hpp"
#include "tests/input/same_settings.hpp"

namespace mpcflow::tests {
namespace {

using Messages = std::vector<std::string>;

Messages errors_of_forces(const std::string& forces) { return errors_of(least + "forces: " + forces); }

TEST(ForceErrors, an_item_has_one_force) {
    const std::string needed =
        " of uniform, gravity, sine and opposed_blocks; one is needed, and an item for each force";
    EXPECT_EQ(errors_of_forces("[{from: 3}]"), Messages{"f.yaml:3:10: forces.0: has none" + needed});
    EXPECT_EQ(errors_of_forces("[{uniform: [1, 0, 0], gravity: [0, 0, 1]}]"),
              Messages{"f.yaml:3:10: forces.0: has several" + needed});
    EXPECT_EQ(
        errors_of_forces("[{sine: {along: w}}]"),
        (Messages{
            "f.yaml:3:11: forces.0.sine.amplitude: is missing; a list of 3 numbers in [-1e6, 1e6] is needed",
            "f.yaml:3:25: forces.0.sine.along: w is not known; x, y or z is needed"}));
}

TEST(ForceErrors, what_cannot_be) {
    EXPECT_EQ(errors_of_forces("[{uniform: [1, 0, 0], from: 9, until: 9}]"),
              Messages{"f.yaml:3:9: forces: a force would act from step 9 until 9, which is never; until is "
                       "above from, or 0"});
    EXPECT_EQ(errors_of_forces("[{uniform: [1, 0, 0], period: 1}]"),
              Messages{"f.yaml:3:9: forces: a force cannot swing to and fro in a period of 1 step; at least "
                       "2 are needed, or 0"});
    EXPECT_EQ(
        errors_of_forces("[{sine: {amplitude: [1, 0, 0], along: z, waves: 5}}]"),
        Messages{
            "f.yaml:3:9: forces: 5 waves do not fit in the 8 cells along z; a wave has two cells at least"});
    EXPECT_EQ(
        errors_of_forces("[{opposed_blocks: {amplitude: [0, 0, 1], along: x}}]\n"
                         "boundaries: {y: {kind: lees_edwards, shear_rate: 0.1, along: x}}"),
        Messages{
            "f.yaml:3:9: forces: a force that changes along x would break off at the sheared faces, whose "
            "images move along it; take another axis"});
    std::string many = "[{gravity: [0, 0, 1]}";
    for (int i = 0; i < 8; ++i) many += ", {gravity: [0, 0, 1]}";
    EXPECT_EQ(
        errors_of_forces(many + "]"),
        Messages{"f.yaml:3:9: forces: 9 forces that are not uniform and steady; at most 8 are possible"});
}

TEST(Forces, are_read_and_written) {
    const Scenario s = parse_scenario(least +
                                          "forces: [{uniform: [1, 0, 0]}, {sine: {amplitude: [0.5, 0, 0], "
                                          "along: y, waves: 2}}, {uniform: [0, 2, 0]}, "
                                          "{gravity: [0, 0, 3], from: 5, until: 50, period: 10}, "
                                          "{opposed_blocks: {amplitude: [0, 0, 4], along: x}}]",
                                      "f.yaml");
    EXPECT_EQ(s.system.force, (std::array{1.0, 2.0, 0.0}));
    ASSERT_EQ(s.system.forces.size(), 3);
    EXPECT_EQ(s.system.forces[0],
              (Force{.shape = ForceShape::sine, .amplitude = {0.5, 0.0, 0.0}, .along = 1, .waves = 2}));
    EXPECT_EQ(s.system.forces[1], (Force{.shape = ForceShape::gravity,
                                         .amplitude = {0.0, 0.0, 3.0},
                                         .from = 5,
                                         .until = 50,
                                         .period = 10}));
    EXPECT_EQ(s.system.forces[2],
              (Force{.shape = ForceShape::opposed_blocks, .amplitude = {0.0, 0.0, 4.0}, .along = 0}));
    const Scenario again = parse_scenario(to_yaml(s), "again.yaml");
    EXPECT_TRUE(same_settings(s, again)) << to_yaml(s);
}

}  // namespace
}  // namespace mpcflow::tests

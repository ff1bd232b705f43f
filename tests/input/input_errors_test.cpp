// Files that cannot be read, many errors at once, warnings.

#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "input/reader.hpp"
#include "tests/input/error_cases.hpp"
#include "tests/input/input_cases.hpp"

namespace mpcflow::tests {
namespace {

TEST(InputFiles, ThatCannotBeRead) {
    const auto message = [](const std::filesystem::path& path) {
        try {
            (void)read_scenario(path);
        } catch (const InputError& error) {
            return std::string(error.what());
        }
        return std::string();
    };
    EXPECT_EQ(message("no/such.yaml"), "no/such.yaml: cannot be read: No such file or directory");
    EXPECT_EQ(message("."), ".: is a directory; the input is a YAML file");
    EXPECT_EQ(message("/dev/null"), "/dev/null: is not a regular file");
    EXPECT_EQ(message(""), ": cannot be read: No such file or directory");
}

TEST(InputErrors, AreAllInWhat) {
    const InputError error({"one", "two"});
    EXPECT_STREQ(error.what(), "one\ntwo");
}

TEST(InputErrors, AreShownUpToAHundred) {
    std::string text = least + "fluid:\n";
    for (int i = 0; i < 150; ++i) text += "  k" + std::to_string(i) + ": 1\n";
    const Messages messages = errors_of(text);
    ASSERT_EQ(messages.size(), 101U);
    EXPECT_EQ(messages.back(), "f.yaml: and 50 more errors");
}

TEST(InputErrors, ThatAreNotKeptStillCount) {
    // Found by fuzzing: the error about the missing bins is not kept, and bins of 0 divided the box.
    std::string text = "collision: {";
    for (int i = 0; i < 100; ++i) text += "k" + std::to_string(i) + ": 1, ";
    EXPECT_EQ(errors_of(least + text + "}\noutput: {fields: {every: 1}}").size(), 101U);
}

TEST(Warnings, HavePlaces) {
    const auto warnings = [](const std::string& text) {
        return parse_scenario(least + text, "f.yaml").warnings;
    };
    EXPECT_EQ(warnings(""), Messages{});
    EXPECT_EQ(
        warnings("collision: {conserve_angular_momentum: true}"),
        Messages{
            "f.yaml:3:40: collision.conserve_angular_momentum: srd with angular momentum does not keep the "
            "energy; the temperature will drift without a thermostat"});
    EXPECT_EQ(
        warnings("collision: {random_shift: false}"),
        Messages{
            "f.yaml:3:27: collision.random_shift: the mean free path is 0.1 cells, and without the shift of "
            "the grid a fluid needs more than 0.5 to be Galilean invariant"});
    EXPECT_EQ(warnings("forces: [{uniform: [1, 0, 0]}]"),
              Messages{"f.yaml:3:9: forces: there is no wall to hold the fluid; it accelerates for ever"});
    EXPECT_EQ(
        warnings("boundaries: {x: no_slip}\nforces: [{uniform: [1, 0, 0]}]"),
        (Messages{"f.yaml:4:9: forces: the force heats the fluid, and there is no thermostat",
                  "f.yaml:4:9: forces: the force has a part along x, where walls hold the fluid; its density "
                  "will grow towards one of them"}));
    EXPECT_EQ(warnings("collision: {rule: at, conserve_angular_momentum: true}"), Messages{});
    EXPECT_EQ(warnings("collision: {rule: at}\nboundaries: {x: no_slip}\nforces: [{uniform: [0, 1, 0]}]"),
              Messages{});
    EXPECT_EQ(warnings("boundaries: {x: no_slip}\noutput: {stress: {every: 10}}"),
              Messages{"f.yaml:4:10: output.stress: its viscosity is that of a fluid at rest without walls; "
                       "here only the pressure tensors have a meaning"});
    EXPECT_EQ(
        warnings(
            "boundaries: {y: {kind: lees_edwards, shear_rate: 0.1, along: x}, z: slip}\nthermostat: {kind: "
            "maxwell_boltzmann}\noutput: {stress: {every: 10}}"),
        Messages{"f.yaml:5:10: output.stress: its viscosity is that of a fluid at rest without walls; here "
                 "only the pressure tensors and shear_viscosity have a meaning"});
    EXPECT_EQ(
        warnings("output: {trajectory: {every: 101}, series: {every: 101}}"),
        (Messages{
            "f.yaml:3:30: output.trajectory.every: 101 is more than the 100 steps of the run; only the "
            "frame of step 0 is written",
            "f.yaml:3:52: output.series.every: 101 is more than the 100 steps of the run; only the entry "
            "of step 0 is written"}));
}

}  // namespace
}  // namespace mpcflow::tests

/// The section `start`: its words and keys, what they become, and their errors.

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "input/writer.hpp"
#include "tests/input/input_cases.hpp"

namespace mpcflow::tests {
namespace {

using Messages = std::vector<std::string>;

Scenario with_start(const std::string& start) { return parse_scenario(least + start, "f.yaml"); }

TEST(Start, is_random_unless_it_is_given) {
    for (const std::string text : {"", "start: random"}) {
        const Scenario scenario = with_start(text);
        EXPECT_EQ(scenario.system.first_places, FirstPlaces::random);
        EXPECT_FALSE(scenario.start.has_file());
        // As before there was the key, so that runs of that time go on.
        EXPECT_EQ(to_yaml(scenario).find("start"), std::string::npos);
    }
}

TEST(Start, is_on_a_lattice_in_three_spellings) {
    for (const std::string text : {"start: lattice", "start: {lattice: {}}", "start:\n  lattice: {}"}) {
        const Scenario scenario = with_start(text);
        EXPECT_EQ(scenario.system.first_places, FirstPlaces::lattice) << text;
        EXPECT_NE(to_yaml(scenario).find("start: lattice\n"), std::string::npos);
    }
}

TEST(Start, names_a_file_and_knows_where) {
    Scenario scenario = with_start("start: {from: old.h5}");
    EXPECT_EQ(scenario.start.file(), "old.h5");
    EXPECT_EQ(scenario.start.frame, -1);
    EXPECT_EQ(scenario.start.place, "f.yaml:3:15: start.from");
    scenario = with_start("start:\n  frame: 5\n  from: a/b.h5");
    EXPECT_EQ(scenario.start.frame, 5);
    EXPECT_EQ(scenario.start.place, "f.yaml:5:9: start.from");
    scenario = with_start("start: {arrays: mine.h5}");
    EXPECT_EQ(scenario.start.file(), "mine.h5");
    EXPECT_EQ(scenario.start.place, "f.yaml:3:17: start.arrays");
    scenario = parse_scenario(least, "f.yaml", {"start.arrays=mine.h5"});
    EXPECT_EQ(scenario.start.place, "--set start.arrays=mine.h5: start.arrays");
}

TEST(Start, errors_are_exact) {
    const std::string allowed = "random, lattice or a map of keys is needed";
    const auto errors = [](const std::string& start) { return errors_of(least + start); };
    EXPECT_EQ(errors("start: dense"), Messages{"f.yaml:3:8: start: dense is not known; " + allowed});
    EXPECT_EQ(errors("start: [lattice]"), Messages{"f.yaml:3:8: start: a list is given; " + allowed});
    EXPECT_EQ(errors("start:"), Messages{"f.yaml:3:1: start: nothing is given; " + allowed});
    EXPECT_EQ(errors("start: {}"),
              Messages{"f.yaml:3:1: start: says nothing; one of lattice, from and arrays is needed"});
    EXPECT_EQ(errors("start: {lattice: {}, from: a, arrays: b}"),
              Messages{"f.yaml:3:1: start: has lattice and from and arrays; one of them is needed"});
    EXPECT_EQ(errors("start: {arrays: b, frame: 2}"),
              Messages{"f.yaml:3:27: start.frame: is that of a trajectory, which start.from names; leave it "
                       "out"});
    EXPECT_EQ(errors("start: {from: a, frame: last}"),
              Messages{"f.yaml:3:25: start.frame: last is not a number; a whole number in "
                       "[-1000000000000000, 1000000000000000] is needed"});
    EXPECT_EQ(
        errors("start: {lattice: {spacing: 1}}"),
        Messages{"f.yaml:3:19: start.lattice.spacing: is not a key; allowed in start.lattice are none"});
    EXPECT_EQ(errors("start: {form: a}"),
              Messages{"f.yaml:3:9: start.form: is not a key; did you mean start.from? Allowed in start are "
                       "lattice, from, frame, arrays"});
    EXPECT_EQ(errors("start: {from: ''}"),
              Messages{"f.yaml:3:15: start.from: \"\" is empty; one line of text of at most 1000 characters "
                       "is needed"});
    EXPECT_EQ(errors("start: lattice\nsurfaces: [{sphere: {centre: [4, 4, 4], radius: 2}, fluid: outside}]"),
              Messages{"f.yaml:3:8: start: a lattice knows of no surfaces, and would put particles into the "
                       "solid; start at random, or leave the surfaces out"});
}

}  // namespace
}  // namespace mpcflow::tests

/// The errors of the species of a mixture, and what is read of a right one.

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "input/writer.hpp"
#include "tests/input/input_cases.hpp"

namespace mpcflow::tests {
namespace {

using Messages = std::vector<std::string>;

std::string with_fluid(const std::string& fluid) { return least + "fluid: {" + fluid + "}"; }

const std::string water = "{name: water, mass: 2, density: 6}";

TEST(Species, are_read_in_their_order) {
    const Scenario s = parse_scenario(
        with_fluid("temperature: 3, species: [{name: heavy-1, mass: 8, density: 2.5}, " + water + "]"),
        "f.yaml");
    ASSERT_EQ(s.system.species.size(), 2);
    EXPECT_EQ(s.system.species[0].name, "heavy-1");
    EXPECT_EQ(s.system.species[0].mass, 8.0);
    EXPECT_EQ(s.system.species[0].density, 2.5);
    EXPECT_EQ(s.system.species[1].name, "water");
    EXPECT_EQ(s.system.fluid.density, 8.5);
    EXPECT_EQ(s.system.fluid.mass, 2.0);
    EXPECT_EQ(s.system.fluid.temperature, 3.0);
    EXPECT_TRUE(s.warnings.empty());
    EXPECT_EQ(to_yaml(parse_scenario(to_yaml(s), "f.yaml")), to_yaml(s));
}

// A fluid of one species may be written either way.
TEST(Species, that_are_one_are_a_fluid_of_one) {
    const System one = parse_scenario(with_fluid("species: [" + water + "]"), "f.yaml").system;
    EXPECT_EQ(one.masses(), Masses::equal);
    EXPECT_EQ(one.fluid.density, 6.0);
    EXPECT_EQ(one.fluid.mass, 2.0);
    EXPECT_EQ(one.species_count(), 1);
    EXPECT_EQ(parse_scenario(with_fluid("density: 6, species: []"), "f.yaml").system.fluid.density, 6.0);
}

TEST(SpeciesErrors, names_that_are_none_or_double) {
    const Messages expected{
        "f.yaml:3:62: fluid.species.1.name: \"water\" is the name of species 0, too; names must differ",
        "f.yaml:3:98: fluid.species.2.name: \"2nd\" is not a name of letters, digits, _ and - that begins "
        "with "
        "a letter",
        "f.yaml:3:132: fluid.species.3.name: \"a b\" is not a name of letters, digits, _ and - that begins "
        "with "
        "a letter",
        "f.yaml:3:159: fluid.species.4.name: is missing; one line of text of at most 32 characters is "
        "needed"};
    EXPECT_EQ(errors_of(with_fluid("species: [" + water +
                                   ", {name: water, mass: 1, density: 1}, {name: 2nd, mass: 1, density: 1}, "
                                   "{name: a b, mass: 1, density: 1}, {mass: 1, density: 1}]")),
              expected);
}

// Among wrong surfaces nobody knows how many particles there are.
TEST(SpeciesErrors, among_surfaces) {
    const std::string mixture =
        with_fluid("temperature: 1, species: [" + water + ", {name: b, mass: 1, density: 0.001}]") +
        "\nsurfaces: [{sphere: {centre: [4, 4, 4], radius: ";
    EXPECT_EQ(errors_of(mixture + "-1}, fluid: inside}]"),
              Messages{"f.yaml:4:49: surfaces.0.sphere.radius: -1 is out of range (0, 65536]"});
    EXPECT_EQ(
        errors_of(mixture + "2}, fluid: inside}]"),
        Messages{"f.yaml:3:99: fluid.species.1.density: the fluid of 33.5115 cells would hold no particle of "
                 "this species"});
}

TEST(SpeciesErrors, masses_and_densities_that_there_cannot_be) {
    const Messages expected{
        "f.yaml:3:35: fluid.species.0.mass: 0 is out of range [1e-6, 1e6]",
        "f.yaml:3:47: fluid.species.0.density: -1 is out of range (0, 10000]",
        "f.yaml:3:52: fluid.species.1.density: is missing; a number in (0, 10000] is needed"};
    EXPECT_EQ(errors_of(with_fluid("species: [{name: a, mass: 0, density: -1}, {name: b, mass: 1}]")),
              expected);
}

TEST(SpeciesErrors, masses_too_far_apart_and_too_few_particles) {
    const Messages expected{
        "f.yaml:3:71: fluid.species.1.mass: 21000 is 1.05e+04 times the mass of the lightest species; at "
        "most 10000 "
        "times are possible, so that sums keep the digits of both",
        "f.yaml:3:87: fluid.species.1.density: the box of 512 cells would hold no particle of this species"};
    EXPECT_EQ(errors_of(with_fluid("species: [" + water + ", {name: b, mass: 21000, density: 1e-5}]")),
              expected);
}

TEST(SpeciesErrors, a_density_or_mass_beside_them) {
    const Messages expected{"f.yaml:3:56: fluid.density: the species have theirs; leave it out",
                            "f.yaml:3:68: fluid.mass: the species have theirs; leave it out"};
    EXPECT_EQ(errors_of(with_fluid("species: [" + water + "], density: 5, mass: 1")), expected);
}

TEST(SpeciesErrors, more_than_there_can_be) {
    std::string list;
    for (const char name : std::string("abcdefghi")) {
        list += list.empty() ? "" : ", ";
        list += std::string("{name: ") + name + ", mass: 1, density: 1}";
    }
    const Messages expected{"f.yaml:3:275: fluid.species: 9 species are given; at most 8 are possible"};
    EXPECT_EQ(errors_of(with_fluid("species: [" + list + "]")), expected);
}

TEST(SpeciesErrors, more_particles_than_can_be_counted) {
    const Messages messages =
        errors_of("box: {size: [1000, 1000, 1000]}\nrun: {steps: 1}\nfluid: {species: [" + water +
                  ", {name: b, mass: 1, density: 1}]}");
    ASSERT_EQ(messages.size(), 1U);
    EXPECT_EQ(
        messages[0],
        "f.yaml:3:18: fluid.species: the box would hold 7e+09 particles; at most 2147483647 are possible");
}

}  // namespace
}  // namespace mpcflow::tests

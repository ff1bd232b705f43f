/// The errors of a stream, and streams as they are read.

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "input/writer.hpp"
#include "tests/input/input_cases.hpp"
#include "tests/input/same_settings.hpp"

namespace mpcflow::tests {
namespace {

using Messages = std::vector<std::string>;

/// Of a box of 8^3 cells; `stream` stands in line 3.
Messages errors_of_stream(const std::string& stream, const std::string& more = "") {
    return errors_of(least + "stream: " + stream + "\n" + more);
}

TEST(StreamErrors, what_is_missing_or_out_of_range) {
    EXPECT_EQ(errors_of_stream("{axis: w, from: -1, velocity: [1, 0], profile: plug, strength: 0}"),
              (Messages{"f.yaml:3:1: stream.to: is missing; a number in [0, 65536] is needed",
                        "f.yaml:3:16: stream.axis: w is not known; x, y or z is needed",
                        "f.yaml:3:25: stream.from: -1 is out of range [0, 65536]",
                        "f.yaml:3:39: stream.velocity: a list of 2 is given; a list of 3 numbers in "
                        "[-1e6, 1e6] is needed",
                        "f.yaml:3:56: stream.profile: plug is not known; uniform or parabolic is needed",
                        "f.yaml:3:72: stream.strength: 0 is out of range [0.01, 10]"}));
}

TEST(StreamErrors, a_slab_is_in_the_box_and_a_cell_thick) {
    EXPECT_EQ(errors_of_stream("{axis: x, from: 3, to: 9, velocity: [0.1, 0, 0]}"),
              Messages{"f.yaml:3:32: stream.to: 9 is beyond the 8 cells of the box along x"});
    EXPECT_EQ(
        errors_of_stream("{axis: x, from: 3, to: 3.5, velocity: [0.1, 0, 0]}"),
        Messages{"f.yaml:3:32: stream.to: the slab from 3 to 3.5 is thinner than a cell; to is at least "
                 "from + 1"});
    EXPECT_EQ(errors_of_stream("{axis: x, from: 5, to: 3, velocity: [0.1, 0, 0]}"),
              Messages{"f.yaml:3:32: stream.to: the slab from 5 to 3 is thinner than a cell; to is at least "
                       "from + 1"});
}

TEST(StreamErrors, walls_do_not_stop_it) {
    EXPECT_EQ(errors_of_stream("{axis: z, to: 3, velocity: [0.1, 0, 0.2]}", "boundaries: {z: no_slip}"),
              (Messages{"f.yaml:3:16: stream.axis: walls at the faces of z would stop the stream; "
                        "boundaries.z: periodic is needed, or another axis",
                        "f.yaml:3:45: stream.velocity.2: 0.2 along z would press the fluid against the walls "
                        "there; 0 is needed"}));
    EXPECT_EQ(errors_of_stream("{axis: x, to: 3, velocity: [0.1, 0, 0]}",
                               "boundaries: {z: {kind: lees_edwards, shear_rate: 0.1, along: x}}"),
              Messages{"f.yaml:3:1: stream: the faces of z are sheared, and their flow is another one; leave "
                       "the stream out, or set boundaries.z to periodic"});
}

TEST(StreamErrors, a_parabola_is_between_walls_that_hold_the_fluid) {
    const std::string parabola = "{axis: x, to: 3, velocity: [0.1, 0, 0], profile: parabolic}";
    const std::string none =
        "f.yaml:3:58: stream.profile: parabolic is the profile between the walls of one axis, and there is "
        "none, or several; take uniform, or give one axis walls";
    EXPECT_EQ(errors_of_stream(parabola), Messages{none});
    EXPECT_EQ(errors_of_stream(parabola, "boundaries: {y: no_slip, z: no_slip}"), Messages{none});
    EXPECT_EQ(errors_of_stream(parabola, "boundaries: {z: {lower: no_slip, upper: slip}}"),
              Messages{"f.yaml:3:58: stream.profile: parabolic is 0 at the walls, and the one at "
                       "boundaries.z.upper is of slip; take uniform"});
    EXPECT_EQ(
        errors_of_stream(parabola,
                         "boundaries: {z: {lower: {kind: no_slip, velocity: [0.1, 0, 0]}, upper: no_slip}}"),
        Messages{"f.yaml:3:58: stream.profile: parabolic is 0 at the walls, and the one at "
                 "boundaries.z.lower moves; take uniform"});
    EXPECT_EQ(errors_of_stream(parabola, "boundaries: {z: no_slip}"), Messages{});
}

TEST(StreamErrors, it_is_not_faster_than_the_sums_allow) {
    const std::string end =
        " thermal speeds sqrt(temperature / mass) of the fluid; at most 8 are possible, and over about 0.3 "
        "it is compressed";
    EXPECT_EQ(errors_of_stream("{axis: x, to: 3, velocity: [9, 0, 0]}"),
              Messages{"f.yaml:3:36: stream.velocity: a speed of 9 is 9" + end});
    EXPECT_EQ(errors_of_stream("{axis: x, to: 3, velocity: [6, 0, 0], profile: parabolic}",
                               "boundaries: {y: no_slip}"),
              Messages{"f.yaml:3:36: stream.velocity: a speed of 9 is 9" + end});
}

TEST(StreamErrors, it_flows) {
    EXPECT_EQ(errors_of_stream("{axis: x, to: 3, velocity: [0, 0, 0]}"),
              Messages{"f.yaml:3:36: stream.velocity: is 0 along each axis; a stream needs a velocity"});
}

TEST(StreamWarnings, tell_of_a_slab_that_is_too_thin_and_of_surfaces_in_it) {
    const auto warnings = [](const std::string& more) {
        return parse_scenario(least + more, "f.yaml").warnings.size();
    };
    EXPECT_EQ(warnings("stream: {axis: x, to: 3, velocity: [0.1, 0, 0]}"), 0U);
    EXPECT_EQ(warnings("stream: {axis: x, to: 2, velocity: [3, 0, 0]}"), 1U);
    const auto beside_sphere = [&](const std::string& to, const std::string& sphere) {
        return warnings("stream: {axis: x, to: " + to + ", velocity: [0.1, 0, 0]}\n" +
                        "output: {walls: {every: 5}}\nsurfaces: [{fluid: outside, sphere: " + sphere + "}]");
    };
    EXPECT_EQ(beside_sphere("3.6", "{centre: [5, 4, 4], radius: 1}"), 1U);
    EXPECT_EQ(beside_sphere("3.5", "{centre: [5, 4, 4], radius: 1}"), 0U) << "no cell has a part of both";
    EXPECT_EQ(beside_sphere("2", "{centre: [7.5, 4, 4], radius: 1}"), 1U) << "an image";
    EXPECT_EQ(beside_sphere("3.6", "{centre: [5, 4, 4], radius: 1}, kind: slip"), 0U) << "it takes nothing";
}

TEST(StreamWarnings, tell_what_the_slab_disturbs) {
    const auto warnings = [](const std::string& output) {
        return parse_scenario(
                   least + "stream: {axis: x, to: 3, velocity: [0.1, 0, 0]}\noutput: {" + output + "}\n",
                   "f.yaml")
            .warnings;
    };
    EXPECT_EQ(warnings("modes: {every: 2}"),
              Messages{"f.yaml:4:10: output.modes: waves are damped in the slab of the stream, too, not by "
                       "viscosity alone"});
    EXPECT_EQ(warnings("diffusion: {every: 2}"),
              Messages{"f.yaml:4:10: output.diffusion: particles take on new velocities in the slab of the "
                       "stream, which is no diffusion"});
    EXPECT_EQ(warnings("series: {every: 2}"), Messages{});
}

TEST(Streams, are_read_and_written) {
    const Scenario scenario = parse_scenario(
        least + "stream: {axis: y, from: 1.5, to: 7, velocity: [0, -0.2, 0.1], strength: 0.25}", "f.yaml");
    ASSERT_TRUE(scenario.system.stream.has_value());
    EXPECT_EQ(*scenario.system.stream, (Stream{1, 1.5, 7.0, {0.0, -0.2, 0.1}, StreamProfile::uniform, 0.25}));
    EXPECT_TRUE(same(parse_scenario(to_yaml(scenario), "g.yaml").system, scenario.system));
    EXPECT_FALSE(parse_scenario(least, "f.yaml").system.stream.has_value());
}

}  // namespace
}  // namespace mpcflow::tests

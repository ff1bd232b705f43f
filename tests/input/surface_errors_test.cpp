/// The errors of surfaces in the box: what contradicts itself there is told where it is.

#include <numbers>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/input/input_cases.hpp"

namespace mpcflow::tests {
namespace {

using Messages = std::vector<std::string>;

Messages errors_with(const std::string& surfaces, const std::string& more = "") {
    return errors_of("box: {size: [8, 8, 8]}\nrun: {steps: 100}\nsurfaces:\n" + surfaces + more);
}

TEST(SurfaceErrors, of_shapes) {
    EXPECT_EQ(
        errors_with("  - {fluid: outside}\n"
                    "  - {cylinder: {axis: z, centre: [4, 4], radius: 2}, sphere: {centre: [4, 4, 4], "
                    "radius: 1}, fluid: outside}\n"
                    "  - {sphere: {centre: [4, 4], radius: 0}, fluid: around}\n"
                    "  - {cylinder: {axis: w, centre: [4, 4, 4]}, kind: periodic, fluid: inside}\n"),
        (Messages{"f.yaml:4:5: surfaces.0: has no shape; cylinder or sphere is needed",
                  "f.yaml:5:5: surfaces.1: is a cylinder and a sphere; one of them is needed",
                  "f.yaml:6:23: surfaces.2.sphere.centre: a list of 2 is given; a list of 3 numbers in "
                  "[-65536, 131072] is needed",
                  "f.yaml:6:39: surfaces.2.sphere.radius: 0 is out of range (0, 65536]",
                  "f.yaml:6:50: surfaces.2.fluid: around is not known; inside or outside is needed",
                  "f.yaml:7:6: surfaces.3.cylinder.radius: is missing; a number in (0, 65536] is needed",
                  "f.yaml:7:23: surfaces.3.cylinder.axis: w is not known; x, y or z is needed",
                  "f.yaml:7:34: surfaces.3.cylinder.centre: a list of 3 is given; a list of 2 numbers in "
                  "[-65536, 131072] is needed",
                  "f.yaml:7:52: surfaces.3.kind: periodic is not known; no_slip, slip or thermal is "
                  "needed"}));
}

TEST(SurfaceErrors, of_places) {
    EXPECT_EQ(
        errors_with("  - {sphere: {centre: [4, 9, 4], radius: 2}, fluid: outside}\n"
                    "  - {cylinder: {axis: z, centre: [4, 4], radius: 4}, fluid: inside}\n"
                    "  - {sphere: {centre: [4, 4, 11], radius: 3}, fluid: outside}\n"
                    "  - {sphere: {centre: [4, 4, 4], radius: 1}, fluid: outside}\n"
                    "  - {sphere: {centre: [4, 4, 4], radius: 1}, fluid: outside, kind: slip}\n"
                    "boundaries: {z: no_slip}\n"),
        (Messages{
            "f.yaml:4:27: surfaces.0.sphere.centre.1: 9 is outside of the box, which has 8 cells along y; "
            "a number in [0, 8] is needed, as images are where the box repeats",
            "f.yaml:5:50: surfaces.1.cylinder.radius: 4 with the fluid inside reaches to its periodic image "
            "along x, where the box has 8 cells; less than half of that is needed, or walls",
            "f.yaml:6:30: surfaces.2.sphere.centre.2: 11 is so far outside of the box, which has 8 cells "
            "along z, that the surface does not reach into it",
            "f.yaml:8:5: surfaces.4: is where surfaces.3 is; leave one of them out"}));
    EXPECT_EQ(errors_with("  - {sphere: {centre: [4, 4, 4], radius: 7}, fluid: inside}\n"
                          "boundaries: {x: slip, y: slip, z: no_slip}\n"),
              (Messages{"f.yaml:4:42: surfaces.0.sphere.radius: 7 is so large that all of the box is inside; "
                        "leave the surface out, or make it smaller"}));
}

TEST(SurfaceErrors, of_what_is_left) {
    EXPECT_EQ(
        errors_with("  - {sphere: {centre: [4, 4, 4], radius: 6.9}, fluid: outside}\n"),
        (Messages{"f.yaml:4:3: surfaces: the surfaces leave 0.000000 cells of fluid in a box of 512; at "
                  "least 0.001 of the box must be fluid"}));
    EXPECT_EQ(
        errors_with("  - {sphere: {centre: [4, 4, 4], radius: 2}, fluid: inside}\n",
                    "fluid: {density: 0.001}\n"),
        (Messages{"f.yaml:5:18: fluid.density: the fluid of 33.5115 cells would hold no particle at all"}));
}

// A bed of spheres: thousands are read, checked and mapped.
TEST(SurfaceErrors, none_of_thousands_of_surfaces) {
    std::string bed;
    constexpr int edge = 17;
    for (int z = 0; z < edge; ++z)
        for (int y = 0; y < edge; ++y)
            for (int x = 0; x < edge; ++x)
                bed += "  - {sphere: {centre: [" + std::to_string(4 * x + 2) + ", " +
                       std::to_string(4 * y + 2) + ", " + std::to_string(4 * z + 2) +
                       "], radius: 1.5}, fluid: outside}\n";
    const std::string input =
        "box: {size: [68, 68, 68]}\ncollision: {rule: srd}\nrun: {steps: 1}\nsurfaces:\n" + bed;
    const Scenario scenario = parse_scenario(input, "f.yaml");
    ASSERT_EQ(scenario.system.surfaces.list.size(), 4913U);
    const double sphere = 4.0 / 3.0 * std::numbers::pi * 1.5 * 1.5 * 1.5;
    EXPECT_NEAR(scenario.system.fluid_volume(), 4913 * (64.0 - sphere), 4913 * 0.003 * sphere);
    EXPECT_EQ(errors_of(input + "  - {sphere: {centre: [6, 2, 2], radius: 1.5}, fluid: outside}\n"),
              Messages{"f.yaml:4918:5: surfaces.4913: is where surfaces.1 is; leave one of them out"});
}

// A fuzzer found that a map of these took minutes: thousands of images were tried in every cell.
TEST(SurfaceErrors, of_surfaces_that_are_longer_than_the_box) {
    for (const char* radius : {"8", "65536"}) {
        const std::string given(radius);
        const Messages found =
            errors_with("  - {sphere: {centre: [4, 4, 4], radius: " + given + "}, fluid: outside}\n");
        ASSERT_FALSE(found.empty());
        EXPECT_EQ(found.back(), "f.yaml:4:42: surfaces.0.sphere.radius: " + given +
                                    " is so large that it fills the box; make it smaller");
    }
    const auto errors_in_sheet = [](const std::string& surface, const std::string& more = "") {
        return errors_of("box: {size: [200, 200, 2]}\nrun: {steps: 100}\nsurfaces:\n  - {" + surface +
                         ", fluid: outside}\n" + more);
    };
    EXPECT_EQ(errors_in_sheet("sphere: {centre: [4, 4, 1], radius: 16.5}"),
              (Messages{"f.yaml:4:42: surfaces.0.sphere.radius: 16.5 reaches over more than 8 of the "
                        "surface's images along z, where the box has 2 cells; at most 16 is possible"}));
    for (const char* surface :
         {"sphere: {centre: [4, 4, 1], radius: 16}", "cylinder: {axis: z, centre: [4, 4], radius: 90}"})
        EXPECT_EQ(errors_in_sheet(surface), Messages{}) << surface;
    EXPECT_EQ(errors_in_sheet("sphere: {centre: [4, 4, 1], radius: 20}", "boundaries: {z: slip}\n"),
              Messages{});
}

TEST(SurfaceErrors, in_a_sheared_box) {
    const auto errors_in_shear = [](const std::string& surface, const std::string& more = "",
                                    const std::string& faces =
                                        "y: {kind: lees_edwards, shear_rate: 0.1, along: x}") {
        return errors_of("box: {size: [12, 12, 12]}\nrun: {steps: 100}\nsurfaces:\n  - {" + surface +
                         "}\nboundaries: {" + faces + "}\n" + more);
    };
    const std::string flies = "is needed in between, over which nobody flies in a step: ";
    const std::string middle = "cylinder: {axis: z, centre: [6, 6], radius: 2}, fluid: outside";
    EXPECT_EQ(errors_in_shear("sphere: {centre: [0, 6, 0], radius: 2.4}, fluid: outside"), Messages{});
    EXPECT_EQ(errors_in_shear("cylinder: {axis: x, centre: [6, 0], radius: 2.4}, fluid: outside"),
              Messages{});
    EXPECT_EQ(
        errors_in_shear("sphere: {centre: [6, 5.5, 6], radius: 2}, fluid: outside"),
        Messages{"f.yaml:4:6: surfaces.0.sphere: is but 3.5 off the sheared faces of y, and a gap of 3.6 " +
                 flies + "move it to the middle between the faces"});
    EXPECT_EQ(
        errors_in_shear("sphere: {centre: [2, 6, 6], radius: 4}, fluid: outside", "",
                        "x: {kind: lees_edwards, shear_rate: -0.1, along: z}"),
        Messages{"f.yaml:4:6: surfaces.0.sphere: reaches across the sheared faces of x, and a gap of 3.6 " +
                 flies + "make it smaller, 2.4 at most, or the box longer, or the time step shorter"});
    // The gap is that of flights, by the lightest species at the highest temperature,
    const std::string no_room =
        "f.yaml:4:6: surfaces.0.cylinder: is but 4 off the sheared faces of y, and a gap of 7.2 " + flies +
        "make the box longer, or the time step shorter";
    EXPECT_EQ(errors_in_shear("cylinder: {axis: z, centre: [6, 6], radius: 3.48}, fluid: outside",
                              "collision: {time_step: 0.07}\n"),
              Messages{});
    EXPECT_EQ(errors_in_shear(middle,
                              "fluid: {species: [{name: a, mass: 4, density: 5}, {name: b, mass: 0.25, "
                              "density: 5}]}\n"),
              Messages{no_room});
    EXPECT_EQ(errors_in_shear(middle,
                              "thermostat: {kind: maxwell_boltzmann}\n"
                              "fluid: {temperature_schedule: [{step: 0, temperature: 1}, {step: 9, "
                              "temperature: 4}, {step: 20, temperature: 0.5}]}\n"),
              Messages{no_room});
    // and at least that of cells.
    EXPECT_EQ(errors_in_shear("cylinder: {axis: z, centre: [6, 6], radius: 5}, fluid: outside",
                              "collision: {time_step: 0.01}\n"),
              Messages{});
    EXPECT_EQ(
        errors_in_shear("cylinder: {axis: z, centre: [6, 6], radius: 5.1}, fluid: outside",
                        "collision: {time_step: 0.01}\n"),
        Messages{"f.yaml:4:6: surfaces.0.cylinder: is but 0.9 off the sheared faces of y, and a gap of 1 is "
                 "needed in between, so that no cell has a part of both: make it smaller, 5 at most, or "
                 "the box longer"});
    const std::string axis =
        "f.yaml:4:23: surfaces.0.cylinder.axis: the faces of y are sheared, and would tear a "
        "cylinder along y; another axis is needed, or boundaries.y: periodic";
    EXPECT_EQ(errors_in_shear("cylinder: {axis: y, centre: [6, 6], radius: 2}, fluid: outside"),
              Messages{axis});
    EXPECT_EQ(errors_in_shear("cylinder: {axis: y, centre: [6, 6], radius: 2}, fluid: inside"),
              (Messages{axis,
                        "f.yaml:4:61: surfaces.0.fluid: the faces of y are sheared, and would not shear what "
                        "is inside of a surface; set it to outside, or boundaries.y to periodic"}));
}

TEST(SurfaceErrors, of_motion_and_temperature) {
    EXPECT_EQ(
        errors_with(
            "  - {sphere: {centre: [4, 4, 4], radius: 2}, fluid: outside, velocity: [0, 0, 0.1]}\n"
            "  - {sphere: {centre: [4, 4, 1], radius: 1}, fluid: outside, angular_velocity: 0.5}\n"
            "  - {cylinder: {axis: x, centre: [1, 1], radius: 1}, fluid: outside, velocity: [0.1, 0.2, 0], "
            "angular_velocity: [1, 0, 2]}\n"
            "  - {cylinder: {axis: x, centre: [6, 6], radius: 1}, fluid: outside, kind: slip, temperature: "
            "1}\n"
            "  - {cylinder: {axis: x, centre: [6, 1], radius: 1}, fluid: outside, temperature: 9, "
            "angular_velocity: 10}\n"),
        (Messages{
            "f.yaml:4:79: surfaces.0.velocity.2: 0.1 along z would move the surface out of its place; 0 is "
            "needed",
            "f.yaml:5:80: surfaces.1.angular_velocity: 0.5 is given; of a sphere a list of 3 numbers is "
            "needed",
            "f.yaml:6:86: surfaces.2.velocity.1: 0.2 along y would move the surface out of its place; 0 is "
            "needed",
            "f.yaml:6:120: surfaces.2.angular_velocity.2: 2 about z would tilt the cylinder; a number is "
            "needed, about its axis",
            "f.yaml:7:82: surfaces.3.temperature: a slip surface has no temperature: no fluid sticks to it; "
            "leave it out, or make the surface no_slip or thermal",
            "f.yaml:8:83: surfaces.4.temperature: 9 is 9 times the fluid's temperature; at most 8 times are "
            "possible: give the fluid one in between",
            "f.yaml:8:104: surfaces.4.angular_velocity: a speed of 10 is 10 thermal speeds "
            "sqrt(temperature / mass) of the fluid; at most 8 are possible, and over about 0.3 it is "
            "compressed"}));
}

}  // namespace
}  // namespace mpcflow::tests

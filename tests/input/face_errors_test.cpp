/// The errors of faces of the box: what contradicts itself there is told where it is.

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/input/input_cases.hpp"

namespace mpcflow::tests {
namespace {

using Messages = std::vector<std::string>;

TEST(FaceErrors, a_face_of_slip_and_one_that_is_no_wall_have_no_velocity_and_temperature) {
    const Messages expected{
        "f.yaml:4:27: boundaries.x.lower.velocity: a slip face has no velocity: no fluid sticks to it; leave "
        "it out, or make "
        "the face no_slip or thermal",
        "f.yaml:5:31: boundaries.y.lower.temperature: a periodic face has no temperature: no fluid sticks to "
        "it; leave it "
        "out, or make the face no_slip or thermal"};
    EXPECT_EQ(errors_of(least + "boundaries:\n  x: {lower: {kind: slip, velocity: [0, 0, 0]}, upper: slip}\n"
                                "  y: {lower: {kind: periodic, temperature: 1}, upper: periodic}"),
              expected);
}

TEST(FaceErrors, walls_that_leave_their_plane_are_too_fast_too_warm_or_nameless) {
    const Messages expected{
        "f.yaml:4:41: boundaries.x.lower.velocity.0: 0.1 along x would move the face out of its plane and "
        "change the size "
        "of the box; 0 is needed",
        "f.yaml:5:40: boundaries.y.lower.velocity: a speed of 9 is 9 thermal speeds sqrt(temperature / mass) "
        "of the fluid; "
        "at most 8 are possible, and over about 0.3 it is compressed",
        "f.yaml:5:88: boundaries.y.upper.temperature: 9 is 9 times the fluid's temperature; at most 8 times "
        "are possible: "
        "give the fluid one in between",
        "f.yaml:6:7: boundaries.z.lower.kind: is missing; periodic, no_slip, slip or thermal is needed"};
    EXPECT_EQ(
        errors_of(
            least +
            "boundaries:\n  x: {lower: {kind: no_slip, velocity: [0.1, 0, 0]}, upper: no_slip}\n"
            "  y: {lower: {kind: no_slip, velocity: [9, 0, 0]}, upper: {kind: no_slip, temperature: 9}}\n"
            "  z: {lower: {velocity: [0, 0, 0]}, upper: no_slip}"),
        expected);
}

TEST(FaceErrors, a_temperature_that_nothing_passes_on) {
    const Messages expected{
        "f.yaml:3:54: boundaries.z.lower.temperature: a no_slip wall exchanges no heat where "
        "boundaries.virtual_particles is false; leave the temperature out, or set that to true"};
    EXPECT_EQ(errors_of(least + "boundaries: {z: {lower: {kind: no_slip, temperature: 2}, upper: no_slip}, "
                                "virtual_particles: false}"),
              expected);
}

std::vector<std::string> errors_of_faces(const std::string& faces) {
    return errors_of(least + "boundaries: {" + faces + "}");
}

TEST(FaceErrors, a_shear_that_says_too_little_or_what_no_shear_has) {
    EXPECT_EQ(
        errors_of_faces("y: lees_edwards"),
        Messages{"f.yaml:3:17: boundaries.y: lees_edwards needs a rate and the axis of the flow: {kind: "
                 "lees_edwards, shear_rate: a number, along: x, y or z}"});
    const Messages missing{
        "f.yaml:3:14: boundaries.y.shear_rate: is missing; a number in [-1e6, 1e6] is needed",
        "f.yaml:3:14: boundaries.y.along: is missing; x, y or z is needed"};
    EXPECT_EQ(errors_of_faces("y: {kind: lees_edwards}"), missing);
    const Messages wrong{
        "f.yaml:3:24: boundaries.y.kind: slip is not known; lees_edwards is needed",
        "f.yaml:3:42: boundaries.y.shear_rate: .inf is not finite; a number in [-1e6, 1e6] is needed",
        "f.yaml:3:55: boundaries.y.along: w is not known; x, y or z is needed",
        "f.yaml:3:58: boundaries.y.velocity: is not a key; did you mean boundaries.x.lower.velocity? Allowed "
        "in "
        "boundaries.y are kind, shear_rate, along"};
    EXPECT_EQ(errors_of_faces("y: {kind: slip, shear_rate: .inf, along: w, velocity: [0, 0, 0]}"), wrong);
}

TEST(FaceErrors, a_shear_that_cannot_be) {
    const std::string y = "y: {kind: lees_edwards, shear_rate: 0.1, along: ";
    EXPECT_EQ(
        errors_of_faces(y + "y}"),
        Messages{"f.yaml:3:62: boundaries.y.along: y is normal to the faces, and the flow is along them; "
                 "another axis is needed"});
    EXPECT_EQ(errors_of_faces(y + "x}, x: slip"),
              Messages{"f.yaml:3:62: boundaries.y.along: the flow along x would meet the walls there; "
                       "boundaries.x: periodic is needed, or another axis"});
    EXPECT_EQ(
        errors_of_faces(y + "x}, z: {lower: slip, upper: no_slip}"),
        Messages{"f.yaml:3:14: boundaries.y: the wall at boundaries.z.upper would hold the fluid, of which "
                 "each layer flows at another velocity; faces of slip or periodic ones are possible "
                 "there"});
    EXPECT_EQ(
        errors_of_faces(y + "x}, z: {lower: thermal, upper: slip}"),
        Messages{"f.yaml:3:14: boundaries.y: the wall at boundaries.z.lower would hold the fluid, of which "
                 "each layer flows at another velocity; faces of slip or periodic ones are possible "
                 "there"});
    EXPECT_EQ(errors_of_faces(y + "x}, z: slip"), Messages{});
    EXPECT_EQ(
        errors_of_faces(y + "x}, z: {kind: lees_edwards, shear_rate: 1, along: x}"),
        Messages{"f.yaml:3:66: boundaries.z: the faces of y are sheared, too; one pair of faces may be"});
    EXPECT_EQ(
        errors_of_faces("y: {kind: lees_edwards, shear_rate: -1.6, along: z}"),
        Messages{
            "f.yaml:3:50: boundaries.y.shear_rate: over the 8 cells along y the velocity would change by "
            "12.8, which is 12.8 thermal speeds sqrt(temperature / mass); at most 12 are possible: "
            "take a smaller rate, or fewer cells"});
}

TEST(FaceErrors, outputs_that_a_sheared_box_has_not) {
    const std::string sheared = "boundaries: {y: {kind: lees_edwards, shear_rate: 0.1, along: x}}\n";
    EXPECT_EQ(errors_of(least + sheared + "output: {radial_distribution: {every: 10}}"), Messages{});
    EXPECT_EQ(errors_of(least + sheared + "output: {radial_distribution: {every: 10, range: 4.5}}").size(),
              3U);
    EXPECT_EQ(
        errors_of("box: {size: [8, 8, 1]}\nrun: {steps: 100}\n" + sheared + "output: {modes: {every: 10}}"),
        Messages{
            "f.yaml:4:10: output.modes: there is no wave to follow: it needs an axis without walls, other "
            "than those of the shear, that is at least two cells long"});
}

}  // namespace
}  // namespace mpcflow::tests

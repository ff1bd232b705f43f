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
        "f.yaml:3:54: boundaries.z.lower.temperature: a wall without virtual particles exchanges no heat; "
        "leave the "
        "temperature out, or set boundaries.virtual_particles to true"};
    EXPECT_EQ(errors_of(least + "boundaries: {z: {lower: {kind: no_slip, temperature: 2}, upper: no_slip}, "
                                "virtual_particles: false}"),
              expected);
}

}  // namespace
}  // namespace mpcflow::tests

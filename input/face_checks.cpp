#include "input/face_checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <string_view>

#include "input/names.hpp"
#include "input/numbers.hpp"

namespace mpcflow::input {
namespace {

// The sums of the cells have room for particles of 32 thermal speeds.
constexpr double most_speed = 8.0;
constexpr double most_temperature = 8.0;

class FaceChecker {
public:
    FaceChecker(const System& system, const Node& root, Diagnostics& diagnostics)
        : system_(system), root_(root), diagnostics_(diagnostics) {}

    void check_kinds(std::size_t axis) {
        const AxisFaces& faces = system_.boundaries.faces[axis];
        const std::string path = fmt::format("boundaries.{}", axis_names[axis]);
        const bool mixed =
            (faces.lower.kind == FaceKind::periodic) != (faces.upper.kind == FaceKind::periodic);
        if (mixed && diagnostics_.is_sound(path)) {
            // Placed at the face that was given last, which is the one that a --set has changed.
            const Place place = std::max(locate(root_, path + ".lower"), locate(root_, path + ".upper"));
            diagnostics_.error(
                place, path,
                fmt::format("lower is {} and upper is {}; both faces of an axis are periodic, or neither",
                            name_of(faces.lower.kind), name_of(faces.upper.kind)));
        }
    }

    void check_velocity(std::size_t axis, const Face& face, const std::string& path) {
        if (!diagnostics_.is_sound(path)) return;
        const double speed = std::hypot(face.velocity[0], face.velocity[1], face.velocity[2]);
        const double thermal_speed = std::sqrt(system_.fluid.temperature / system_.fluid.mass);
        if (face.velocity[axis] != 0.0) {
            error(fmt::format("{}.{}", path, axis),
                  fmt::format("{} along {} would move the face out of its plane and change the size of the "
                              "box; 0 is needed",
                              shortest(face.velocity[axis]), axis_names[axis]));
        } else if (is_fluid_sound() && speed > most_speed * thermal_speed) {
            error(path,
                  fmt::format(
                      "a speed of {:.3g} is {:.3g} thermal speeds sqrt(temperature / mass) of the fluid; at "
                      "most {:g} are possible, and over about 0.3 it is compressed",
                      speed, speed / thermal_speed, most_speed));
        }
    }

    void check_temperature(const Face& face, const std::string& path) {
        if (face.temperature == 0.0 || !diagnostics_.is_sound(path) || !is_fluid_sound()) return;
        const double ratio = face.temperature / system_.fluid.temperature;
        if (ratio > most_temperature) {
            error(path,
                  fmt::format(
                      "{} is {:.3g} times the fluid's temperature; at most {:g} times are possible: give the "
                      "fluid one in between",
                      shortest(face.temperature), ratio, most_temperature));
        } else if (!system_.boundaries.virtual_particles) {
            error(path,
                  "a wall without virtual particles exchanges no heat; leave the temperature out, or set "
                  "boundaries.virtual_particles to true");
        } else if (system_.thermostat.kind != ThermostatKind::none && ratio != 1.0) {
            diagnostics_.warning(
                locate(root_, path), path,
                "the thermostat holds the fluid at its own temperature cell by cell; the wall's shows next "
                "to it alone");
        }
    }

private:
    void error(std::string_view path, std::string message) {
        diagnostics_.error(locate(root_, path), path, std::move(message));
    }
    [[nodiscard]] bool is_fluid_sound() const {
        return diagnostics_.is_sound("fluid.temperature") && diagnostics_.is_sound("fluid.mass") &&
               diagnostics_.is_sound("fluid.species");
    }

    const System& system_;
    const Node& root_;
    Diagnostics& diagnostics_;
};

}  // namespace

void check_faces(const System& system, const Node& root, Diagnostics& diagnostics) {
    FaceChecker checker(system, root, diagnostics);
    for (std::size_t axis = 0; axis < 3; ++axis) {
        checker.check_kinds(axis);
        for (const int side : {0, 1}) {
            const Face& face = system.boundaries.faces[axis][side];
            const std::string path =
                fmt::format("boundaries.{}.{}", axis_names[axis], side == 0 ? "lower" : "upper");
            checker.check_velocity(axis, face, path + ".velocity");
            checker.check_temperature(face, path + ".temperature");
        }
    }
}

}  // namespace mpcflow::input

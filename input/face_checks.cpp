#include "input/face_checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <string_view>

#include "input/check_base.hpp"
#include "input/names.hpp"
#include "input/numbers.hpp"

namespace mpcflow::input {
namespace {

// Half of it at the faces, and in a cell that straddles one the whole beside the particles' own: the sums of
// squares are exact up to 13.
constexpr double most_jump = 12.0;

class FaceChecker : private CheckBase {
public:
    FaceChecker(const System& system, const Node& root, Diagnostics& diagnostics)
        : CheckBase(system, root, diagnostics) {}

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

    void check_shear(std::size_t axis) {
        const Shear& shear = system_.boundaries.faces[axis].shear;
        const std::string path = fmt::format("boundaries.{}", axis_names[axis]);
        if (!system_.boundaries.faces[axis].is_sheared() || !diagnostics_.is_sound("boundaries")) return;
        const auto along = static_cast<std::size_t>(shear.along);
        const std::size_t other = 3 - axis - along;
        if (along == axis) {
            error(path + ".along",
                  fmt::format("{} is normal to the faces, and the flow is along them; another "
                              "axis is needed",
                              axis_names[axis]));
            return;
        }
        if (static_cast<std::size_t>(system_.sheared_axis()) != axis) {
            error(path, fmt::format("the faces of {} are sheared, too; one pair of faces may be",
                                    axis_names[static_cast<std::size_t>(system_.sheared_axis())]));
        }
        if (!system_.boundaries.faces[along].is_periodic()) {
            error(path + ".along",
                  fmt::format(
                      "the flow along {0} would meet the walls there; boundaries.{0}: periodic is needed, or "
                      "another axis",
                      axis_names[along]));
        }
        for (const int side : {0, 1}) {
            const FaceKind kind = system_.boundaries.faces[other][side].kind;
            if (kind != FaceKind::no_slip && kind != FaceKind::thermal) continue;
            error(path, fmt::format(
                            "the wall at boundaries.{}.{} would hold the fluid, of which each layer flows at "
                            "another velocity; faces of slip or periodic ones are possible there",
                            axis_names[other], side == 0 ? "lower" : "upper"));
        }
        const double jump = std::abs(shear.rate * system_.box.size[axis]);
        if (is_fluid_sound() && diagnostics_.is_sound("box") && jump > most_jump * thermal_speed()) {
            error(
                path + ".shear_rate",
                fmt::format(
                    "over the {} cells along {} the velocity would change by {:.3g}, which is {:.3g} thermal "
                    "speeds sqrt(temperature / mass); at most {:g} are possible: take a smaller rate, or "
                    "fewer cells",
                    system_.box.size[axis], axis_names[axis], jump, jump / thermal_speed(), most_jump));
        }
    }

    void check_velocity(std::size_t axis, const Face& face, const std::string& path) {
        if (!diagnostics_.is_sound(path)) return;
        const double speed = std::hypot(face.velocity[0], face.velocity[1], face.velocity[2]);
        if (face.velocity[axis] != 0.0) {
            error(fmt::format("{}.{}", path, axis),
                  fmt::format("{} along {} would move the face out of its plane and change the size of the "
                              "box; 0 is needed",
                              shortest(face.velocity[axis]), axis_names[axis]));
        } else if (is_fluid_sound() && speed > most_wall_speed * thermal_speed()) {
            error(path,
                  fmt::format(
                      "a speed of {:.3g} is {:.3g} thermal speeds sqrt(temperature / mass) of the fluid; at "
                      "most {:g} are possible, and over about 0.3 it is compressed",
                      speed, speed / thermal_speed(), most_wall_speed));
        }
    }

    void check_temperature(const Face& face, const std::string& path) {
        if (face.temperature == 0.0 || !diagnostics_.is_sound(path) || !is_fluid_sound()) return;
        const double ratio = face.temperature / system_.fluid.highest_temperature();
        if (ratio > most_wall_temperature) {
            error(path,
                  fmt::format(
                      "{} is {:.3g} times the fluid's temperature; at most {:g} times are possible: give the "
                      "fluid one in between",
                      shortest(face.temperature), ratio, most_wall_temperature));
        } else if (!system_.boundaries.virtual_particles && face.kind == FaceKind::no_slip) {
            error(path,
                  "a no_slip wall exchanges no heat where boundaries.virtual_particles is false; leave the "
                  "temperature out, or set that to true");
        } else if (system_.thermostat.kind != ThermostatKind::none && ratio != 1.0) {
            diagnostics_.warning(
                locate(root_, path), path,
                "the thermostat holds the fluid at its own temperature cell by cell; the wall's shows next "
                "to it alone");
        }
    }

private:
};

}  // namespace

void check_faces(const System& system, const Node& root, Diagnostics& diagnostics) {
    FaceChecker checker(system, root, diagnostics);
    for (std::size_t axis = 0; axis < 3; ++axis) {
        checker.check_kinds(axis);
        checker.check_shear(axis);
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

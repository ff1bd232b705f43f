#include "input/surface_checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <map>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>

#include "input/check_base.hpp"
#include "input/face_checks.hpp"
#include "input/names.hpp"
#include "input/numbers.hpp"
#include "physics/boundary/surface_map.hpp"

namespace mpcflow::input {
namespace {

/// Of a box of more no solver is made.
constexpr double most_cells = std::numeric_limits<std::int32_t>::max();
/// Along a periodic axis a surface reaches over so many of its images at most. Each is tried in the cells
/// near it, and of a surface that is much longer than the box there would be thousands in every cell.
constexpr double most_images = 8.0;

class SurfaceChecker : private CheckBase {
public:
    SurfaceChecker(const System& system, const Node& root, Diagnostics& diagnostics)
        : CheckBase(system, root, diagnostics) {}

    void check(std::size_t number) {
        const Surface& surface = system_.surfaces.list[number];
        number_ = number;
        path_ = fmt::format("surfaces.{}", number);
        if (!has_one_shape()) return;
        shape_ = path_ + (surface.shape == SurfaceShape::cylinder ? ".cylinder" : ".sphere");
        check_motion(surface);
        check_temperature(surface);
        if (!are_sound({"box", "boundaries", shape_})) return;
        check_place(surface);
        check_shear(surface);
        const auto [first, is_new] = first_at_.try_emplace(where(surface), number);
        if (!is_new)
            error(path_, fmt::format("is where surfaces.{} is; leave one of them out", first->second));
    }

private:
    [[nodiscard]] bool is_periodic(std::size_t axis) const {
        return system_.boundaries.faces[axis].is_periodic();
    }

    [[nodiscard]] bool has_one_shape() {
        const Node* const list = root_.find("surfaces");
        if (list == nullptr || number_ >= list->children.size()) return false;
        const Node& item = list->children[number_];
        if (item.kind != NodeKind::map) return false;
        const bool is_cylinder = item.find("cylinder") != nullptr;
        const bool is_sphere = item.find("sphere") != nullptr;
        if (is_cylinder == is_sphere) {
            error(path_, is_cylinder ? "is a cylinder and a sphere; one of them is needed"
                                     : "has no shape; cylinder or sphere is needed");
        }
        return is_cylinder != is_sphere;
    }

    /// A surface stays where it is: it slides and turns in itself.
    void check_motion(const Surface& surface) {
        const std::string velocity = path_ + ".velocity";
        const std::string turning = path_ + ".angular_velocity";
        if (!are_sound({velocity, turning})) return;
        double sliding = 0.0;
        double turns = 0.0;
        for (std::size_t axis = 0; axis < 3; ++axis) {
            const bool is_along =
                surface.shape == SurfaceShape::cylinder && axis == static_cast<std::size_t>(surface.axis);
            sliding += surface.velocity[axis] * surface.velocity[axis];
            turns += surface.angular_velocity[axis] * surface.angular_velocity[axis];
            if (surface.velocity[axis] != 0.0 && !is_along)
                error(fmt::format("{}.{}", velocity, axis),
                      fmt::format("{} along {} would move the surface out of its place; 0 is needed",
                                  shortest(surface.velocity[axis]), axis_names[axis]));
            if (surface.angular_velocity[axis] != 0.0 && !is_along && surface.shape == SurfaceShape::cylinder)
                error(fmt::format("{}.{}", turning, axis),
                      fmt::format("{} about {} would tilt the cylinder; a number is needed, about its axis",
                                  shortest(surface.angular_velocity[axis]), axis_names[axis]));
        }
        const Node* const given = root_.find("surfaces")->children[number_].find("angular_velocity");
        if (given != nullptr && given->kind == NodeKind::scalar && surface.shape == SurfaceShape::sphere)
            error(turning,
                  fmt::format("{} is given; of a sphere a list of 3 numbers is needed", shown(*given)));
        const double speed = std::sqrt(sliding) + surface.radius * std::sqrt(turns);
        if (are_sound({velocity, turning, shape_}) && is_fluid_sound() &&
            speed > most_wall_speed * thermal_speed()) {
            error(turns > 0.0 ? turning : velocity,
                  fmt::format("a speed of {:.3g} is {:.3g} thermal speeds sqrt(temperature / mass) of the "
                              "fluid; at most {:g} are possible, and over about 0.3 it is compressed",
                              speed, speed / thermal_speed(), most_wall_speed));
        }
    }

    void check_temperature(const Surface& surface) {
        const std::string path = path_ + ".temperature";
        if (surface.temperature == 0.0 ||
            !are_sound({path, path_ + ".kind", "fluid.temperature", "fluid.temperature_schedule"}))
            return;
        const double ratio = surface.temperature / system_.fluid.highest_temperature();
        if (ratio > most_wall_temperature)
            error(path,
                  fmt::format("{} is {:.3g} times the fluid's temperature; at most {:g} times are possible: "
                              "give the fluid one in between",
                              shortest(surface.temperature), ratio, most_wall_temperature));
        else if (!system_.boundaries.virtual_particles && surface.kind != FaceKind::thermal)
            error(
                path,
                "a no_slip surface exchanges no heat where boundaries.virtual_particles is false; leave the "
                "temperature out, make the surface thermal, or set that to true");
    }

    void check_place(const Surface& surface) {
        const bool is_cylinder = surface.shape == SurfaceShape::cylinder;
        std::size_t place = 0;  // in the list that the centre is given by
        double farthest = 0.0;  // place of the box from the centre, squared,
        double deepest = 0.0;   // and from the nearest of its images
        std::optional<std::size_t> shortest_periodic;
        for (std::size_t axis = 0; axis < 3; ++axis) {
            if (is_cylinder && axis == static_cast<std::size_t>(surface.axis)) continue;
            const double length = system_.box.size[axis];
            const double centre = surface.centre[axis];
            const double outside = std::max({0.0, -centre, centre - length});
            const std::string path = fmt::format("{}.centre.{}", shape_, place++);
            if (outside > 0.0 && is_periodic(axis)) {
                error(path, fmt::format(
                                "{} is outside of the box, which has {} cells along {}; a number in [0, {}] "
                                "is needed, as images are where the box repeats",
                                shortest(centre), system_.box.size[axis], axis_names[axis],
                                system_.box.size[axis]));
            } else if (outside >= surface.radius) {
                error(path, fmt::format("{} is so far outside of the box, which has {} cells along {}, that "
                                        "the surface does not reach into it",
                                        shortest(centre), system_.box.size[axis], axis_names[axis]));
            }
            if (surface.fluid == FluidSide::inside && is_periodic(axis) && 2.0 * surface.radius >= length) {
                error(
                    shape_ + ".radius",
                    fmt::format("{} with the fluid inside reaches to its periodic image along {}, where the "
                                "box has {} cells; less than half of that is needed, or walls",
                                shortest(surface.radius), axis_names[axis], system_.box.size[axis]));
                return;
            }
            if (is_periodic(axis) && (!shortest_periodic || length < system_.box.size[*shortest_periodic]))
                shortest_periodic = axis;
            const double way = std::max(centre, length - centre);
            farthest += way * way;
            const double way_to_image = is_periodic(axis) ? 0.5 * length : way;
            deepest += way_to_image * way_to_image;
        }
        if (surface.fluid == FluidSide::outside) {
            check_images(surface, deepest, shortest_periodic);
            return;
        }
        if (are_sound({shape_}) && farthest <= surface.radius * surface.radius)
            error(shape_ + ".radius", fmt::format("{} is so large that all of the box is inside; leave the "
                                                  "surface out, or make it smaller",
                                                  shortest(surface.radius)));
    }

    /// Of an obstacle: no place of the box is further from the nearest image than the root of `deepest`.
    void check_images(const Surface& surface, double deepest, std::optional<std::size_t> shortest_periodic) {
        if (!are_sound({shape_})) return;
        if (deepest <= surface.radius * surface.radius) {
            error(shape_ + ".radius", fmt::format("{} is so large that it fills the box; make it smaller",
                                                  shortest(surface.radius)));
        } else if (shortest_periodic) {
            const int cells = system_.box.size[*shortest_periodic];
            if (surface.radius > most_images * cells)
                error(
                    shape_ + ".radius",
                    fmt::format("{} reaches over more than {:g} of the surface's images along {}, where the "
                                "box has {} cells; at most {:g} is possible",
                                shortest(surface.radius), most_images, axis_names[*shortest_periodic], cells,
                                most_images * cells));
        }
    }

    /// Images beyond sheared faces slide, and those of the map of surfaces do not.
    void check_shear(const Surface& surface) {
        const int sheared = system_.sheared_axis();
        if (sheared < 0 || !are_sound({shape_, "collision.time_step"}) || !is_fluid_sound()) return;
        const char name = axis_names[static_cast<std::size_t>(sheared)];
        const bool is_from_face_to_face = surface.shape == SurfaceShape::cylinder && surface.axis == sheared;
        if (is_from_face_to_face)
            error(
                shape_ + ".axis",
                fmt::format("the faces of {0} are sheared, and would tear a cylinder along {0}; another axis "
                            "is needed, or boundaries.{0}: periodic",
                            name));
        if (surface.fluid == FluidSide::inside)
            error(
                path_ + ".fluid",
                fmt::format("the faces of {0} are sheared, and would not shear what is inside of a surface; "
                            "set it to outside, or boundaries.{0} to periodic",
                            name));
        else if (!is_from_face_to_face) check_gap(surface, sheared);
    }
    void check_gap(const Surface& surface, int sheared) {
        const GapAtShearedFaces gap(system_);
        const double found = distance_from_sheared_faces(system_, surface);
        if (found >= gap.least()) return;
        const double most = 0.5 * system_.box.size[static_cast<std::size_t>(sheared)] - gap.least();
        const bool is_of_flights = gap.of_flights > gap.of_cells;
        std::string advice = "move it to the middle between the faces";
        if (surface.radius > most) {
            advice = most > 0.0 ? fmt::format("make it smaller, {:.4g} at most, or the box longer", most)
                                : std::string("make the box longer");
            if (is_of_flights) advice += ", or the time step shorter";
        }
        error(shape_,
              fmt::format(
                  "{} the sheared faces of {}, and a gap of {:.4g} is needed in between, {}: {}",
                  found < 0.0 ? "reaches across" : fmt::format("is but {:.4g} off", found),
                  axis_names[static_cast<std::size_t>(sheared)], gap.least(),
                  is_of_flights ? "over which nobody flies in a step" : "so that no cell has a part of both",
                  advice));
    }

    /// Two surfaces of the same are one.
    using Where = std::tuple<SurfaceShape, int, std::array<double, 3>, double, FluidSide>;
    [[nodiscard]] static Where where(const Surface& surface) {
        const int axis = surface.shape == SurfaceShape::sphere ? 0 : surface.axis;
        return {surface.shape, axis, surface.centre, surface.radius, surface.fluid};
    }

    std::map<Where, std::size_t> first_at_;  ///< the numbers of those so far
    std::size_t number_ = 0;
    std::string path_;   ///< of the surface
    std::string shape_;  ///< of its shape
};

}  // namespace

void check_surfaces(System& system, const Node& root, Diagnostics& diagnostics) {
    SurfaceChecker checker(system, root, diagnostics);
    for (std::size_t number = 0; number < system.surfaces.list.size(); ++number) checker.check(number);
    const std::initializer_list<std::string_view> needed{"box", "boundaries", "fluid", "collision",
                                                         "surfaces"};
    if (!std::all_of(needed.begin(), needed.end(), [&](auto path) { return diagnostics.is_sound(path); }))
        return;
    double cells = 1.0;
    for (const int size : system.box.size) cells *= size;
    if (cells > most_cells) return;  // check_scenario() says so
    try {
        system.map_surfaces();
    } catch (const std::bad_alloc&) {
        diagnostics.error(
            locate(root, "surfaces"), "surfaces",
            fmt::format("there is not enough memory for the map of the surfaces in a box of {:g} "
                        "cells, which takes about 8 bytes a cell",
                        cells));
    } catch (const std::invalid_argument& problem) {
        diagnostics.error(
            locate(root, "surfaces"), "surfaces",
            fmt::format("{}; at least {:g} of the box must be fluid", problem.what(), System::least_fluid));
    }
}

}  // namespace mpcflow::input

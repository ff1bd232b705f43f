#pragma once
/// What the checks of the parts of an input share.

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

#include "input/diagnostics.hpp"
#include "input/yaml_tree.hpp"
#include "physics/system.hpp"

namespace mpcflow::input {

/// The system that was read, and messages at the places in the input that they are about.
class CheckBase {
protected:
    CheckBase(const System& system, const Node& root, Diagnostics& diagnostics)
        : system_(system), root_(root), diagnostics_(diagnostics) {}

    void error(std::string_view path, std::string message) {
        diagnostics_.error(locate(root_, path), path, std::move(message));
    }
    void warn(std::string_view path, std::string message) {
        diagnostics_.warning(locate(root_, path), path, std::move(message));
    }
    /// Whether there is no error about any of these keys so far.
    [[nodiscard]] bool are_sound(std::initializer_list<std::string_view> paths) const {
        return std::all_of(
            paths.begin(), paths.end(), [&](auto path) { return diagnostics_.is_sound(path); });
    }
    /// Whether thermal speeds are known.
    [[nodiscard]] bool is_fluid_sound() const {
        return are_sound({"fluid.temperature", "fluid.temperature_schedule", "fluid.mass", "fluid.species"});
    }

    /// The highest of the run: sums have room for so many of these.
    [[nodiscard]] double thermal_speed() const {
        return std::sqrt(system_.fluid.highest_temperature() / system_.fluid.mass);
    }

    [[nodiscard]] bool has_wall(std::size_t axis) const {
        return !system_.boundaries.faces[axis].is_periodic();
    }
    [[nodiscard]] bool has_surfaces() const { return !system_.surfaces.list.empty(); }
    [[nodiscard]] bool is_sheared() const { return system_.sheared_axis() >= 0; }
    [[nodiscard]] bool has_force() const {
        return system_.has_force_along(0) || system_.has_force_along(1) || system_.has_force_along(2);
    }

    const System& system_;
    const Node& root_;
    Diagnostics& diagnostics_;
};

}  // namespace mpcflow::input

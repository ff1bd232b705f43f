#include "input/checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <string>
#include <string_view>

#include "input/check_base.hpp"
#include "input/face_checks.hpp"
#include "input/force_checks.hpp"
#include "input/names.hpp"
#include "input/numbers.hpp"
#include "input/output_checks.hpp"
#include "input/schedule_checks.hpp"
#include "input/species_checks.hpp"
#include "input/stream_checks.hpp"
#include "physics/collision/laws.hpp"

namespace mpcflow::input {
namespace {

/// Cells and particles are counted in 32 bits where memory and speed want it.
constexpr double most_counted = std::numeric_limits<std::int32_t>::max();

std::string text(double value) { return fmt::format("{:.3g}", value); }

class Checker : private CheckBase {
public:
    Checker(const Scenario& scenario, const Node& root, Diagnostics& diagnostics)
        : CheckBase(scenario.system, root, diagnostics), scenario_(scenario) {}

    void check_all() {
        check_species(system_, root_, diagnostics_);
        check_faces(system_, root_, diagnostics_);
        check_sizes();
        check_flight();
        check_run();
        check_checkpoint();
        check_output(scenario_, root_, diagnostics_);
        check_forces(system_, root_, diagnostics_);
        check_stream(system_, root_, diagnostics_);
        check_thermostat();
        check_schedule(scenario_, root_, diagnostics_);
        warn_of_collision();
        warn_of_forces();
    }

private:
    /// Whether some wall or surface is sticky.
    [[nodiscard]] bool holds_fluid() const {
        const auto is_sticky = [](const auto& wall) {
            return wall.kind == FaceKind::no_slip || wall.kind == FaceKind::thermal;
        };
        bool is = std::ranges::any_of(system_.surfaces.list, is_sticky);
        for (const AxisFaces& axis : system_.boundaries.faces)
            is = is || is_sticky(axis.lower) || is_sticky(axis.upper);
        return is;
    }
    [[nodiscard]] const LawInfo& law() const { return law_of(system_.collision); }
    [[nodiscard]] bool has_thermostat() const { return system_.thermostat.kind != ThermostatKind::none; }
    [[nodiscard]] bool holds_temperature() const {
        return has_thermostat() || law().energy == Energy::thermal;
    }
    [[nodiscard]] double shortest_edge() const {
        return *std::min_element(system_.box.size.begin(), system_.box.size.end());
    }

    /// Where the input says how dense the fluid is.
    [[nodiscard]] std::string_view density_path() const {
        return system_.species.size() > 0 ? "fluid.species" : "fluid.density";
    }

    void check_sizes() {
        if (!are_sound({"box"})) return;
        double cells = 1.0;  // the shifted grid has one layer more between walls
        for (std::size_t axis = 0; axis < 3; ++axis)
            cells *= system_.box.size[axis] + (has_wall(axis) ? 1.0 : 0.0);
        if (cells > most_counted) {
            error("box.size",
                  fmt::format("the box has {} cells (one layer more between walls); at most {} are possible",
                              text(cells), static_cast<std::int64_t>(most_counted)));
        } else if (are_sound({density_path()})) {
            // Fluid is nowhere but in the box, and where surfaces are wrong nobody knows how much of it.
            const double cells_of_fluid = system_.surfaces.map != nullptr
                                              ? system_.fluid_volume()
                                              : static_cast<double>(system_.box.volume());
            const double particles = system_.fluid.density * cells_of_fluid;
            if (particles > most_counted) {
                error(density_path(), fmt::format("the box would hold {} particles; at most {} are possible",
                                                  text(particles), static_cast<std::int64_t>(most_counted)));
            } else if (particles < 0.5) {
                error(density_path(), fmt::format("the {} of {:g} cells would hold no particle at all",
                                                  has_surfaces() ? "fluid" : "box", cells_of_fluid));
            }
        }
    }

    /// No particle flies further than the box between two collisions: what comes after would be no
    /// fluid, and positions would lose their digits.
    void check_flight() {
        if (!is_fluid_sound() || !are_sound({"box", "collision.time_step"})) return;
        const double free_path = system_.collision.time_step * thermal_speed();
        if (free_path > shortest_edge()) {
            error("collision.time_step",
                  fmt::format(
                      "the mean free path time_step sqrt(temperature / mass) is {} cells, more than the "
                      "shortest edge of the box ({}); make the time step smaller",
                      text(free_path), text(shortest_edge())));
        }
    }

    void check_run() {
        if (are_sound({"run"}) && scenario_.run.equilibration + scenario_.run.steps == 0)
            error("run.steps", "equilibration and steps are both 0; there is nothing to run");
    }

    void check_checkpoint() {
        const auto& checkpoint = scenario_.checkpoint;
        if (checkpoint && are_sound({"checkpoint"}) && checkpoint->every == 0 && checkpoint->minutes == 0.0)
            error("checkpoint", "every and minutes are both 0; give one of them, or leave the section out");
    }

    void check_thermostat() {
        if (law().energy == Energy::thermal && has_thermostat()) {
            error("thermostat.kind",
                  fmt::format("{} holds the temperature itself and takes no thermostat; leave it out",
                              law().name));
        }
    }

    void warn_of_collision() {
        const Collision& collision = system_.collision;
        if (law().energy == Energy::drifts && !has_thermostat()) {
            warn("collision.conserve_angular_momentum",
                 "srd with angular momentum does not keep the energy; the temperature will drift without a "
                 "thermostat");
        }
        if (system_.thermostat.kind == ThermostatKind::simple) {
            warn("thermostat.kind",
                 "simple gives the cells no fluctuations of energy, so that velocities are not Maxwellian; "
                 "maxwell_boltzmann gives the canonical ensemble");
        }
        const double free_path =
            collision.time_step * std::sqrt(system_.fluid.lowest_temperature() / system_.fluid.mass);
        if (!collision.random_shift && free_path < 0.5) {
            warn(
                "collision.random_shift",
                fmt::format("the mean free path is {} cells, and without the shift of the grid a fluid needs "
                            "more than 0.5 to be Galilean invariant",
                            text(free_path)));
        }
    }

    void warn_of_forces() {
        if (is_sheared() && !holds_temperature())
            warn("thermostat.kind", "the shear heats the fluid, and there is no thermostat");
        if (!has_force()) return;
        const auto steady = system_.steady_force();
        if (!holds_fluid() && steady != std::array<double, 3>{})
            warn("forces", "there is no wall to hold the fluid; it accelerates for ever");
        else if (!holds_temperature())
            warn("forces", "the force heats the fluid, and there is no thermostat");
        for (std::size_t axis = 0; axis < 3; ++axis) {
            if (steady[axis] != 0.0 && has_wall(axis)) {
                warn(
                    "forces",
                    fmt::format("the force has a part along {}, where walls hold the fluid; its density will "
                                "grow towards one of them",
                                axis_names[axis]));
            }
        }
    }

    const Scenario& scenario_;
};

}  // namespace

void check_scenario(const Scenario& scenario, const Node& root, Diagnostics& diagnostics) {
    Checker(scenario, root, diagnostics).check_all();
}

}  // namespace mpcflow::input

#include "input/fluid_keys.hpp"

#include <cstddef>
#include <string>
#include <vector>

#include "input/keys.hpp"

namespace mpcflow::input {
namespace {

constexpr RealRange density_range = positive_up_to(10000);
constexpr RealRange mass_range = between(1e-6, 1e6);
constexpr RealRange temperature_range = between(1e-6, 1e6);

/// Returns whether there is one. What of it is wrong check_schedule() finds; the rest of the input is told of
/// all the same.
bool visit_schedule(KeyVisitor& keys, Fluid& fluid) {
    std::vector<TemperaturePoint> points;
    for (int i = 0; i < fluid.schedule.size(); ++i) points.push_back(fluid.schedule[i]);
    keys.list(
        {"temperature_schedule",
         "The temperature in the course of the run, in straight lines between these points; none: it is "
         "always the same."},
        points, [&](TemperaturePoint& point) {
            keys.integer({"step", "Its step, counted from the start.", Presence::required}, point.step,
                         {0, most_steps});
            keys.real({"temperature",
                       "Thermal energy kT in that step; before the first point and after the last it stays.",
                       Presence::required},
                      point.temperature, temperature_range);
        });
    TemperatureSchedule schedule;
    for (const TemperaturePoint& point : points) {
        const bool is_after = schedule.is_empty() || point.step > schedule.last().step;
        if (is_after && schedule.size() < TemperatureSchedule::most) schedule.add(point);
    }
    fluid.schedule = {};
    if (!schedule.is_empty()) fluid.follow(schedule);
    return !points.empty();
}

}  // namespace

void visit_fluid(KeyVisitor& keys, System& system) {
    Fluid& fluid = system.fluid;
    std::vector<Species> all;
    for (int s = 0; s < system.species.size(); ++s) all.push_back(system.species[s]);
    keys.list({"species",
               "The species of a mixture, each with a density of its own; none: all particles are alike."},
              all, [&](Species& species) {
                  keys.text({"name", "What results call it: letters, digits, _ and -, the first a letter.",
                             Presence::required},
                            species.name, longest_species_name);
                  keys.real({"mass", "Mass of a particle of this species; the unit of mass is yours.",
                             Presence::required},
                            species.mass, mass_range);
                  keys.real(
                      {"density", "Mean number of particles of this species in a cell.", Presence::required},
                      species.density, density_range);
              });
    const bool is_one = all.empty();
    const std::string why = "the species have theirs; leave it out";
    keys.real_where(is_one, {"density", "Mean number of particles in a cell, M."}, fluid.density,
                    density_range, why);
    const bool has_schedule = visit_schedule(keys, fluid);
    keys.real_where(!has_schedule, {"temperature", "Thermal energy kT; the unit of energy is yours."},
                    fluid.temperature, temperature_range, "temperature_schedule has it; leave it out");
    keys.real_where(is_one, {"mass", "Mass m of a particle; the unit of mass is yours."}, fluid.mass,
                    mass_range, why);
    system.species = {};
    // What is too long the checks refuse; the rest of the input is told of all the same.
    if (all.size() > static_cast<std::size_t>(SpeciesList::most)) all.resize(SpeciesList::most);
    if (!all.empty()) system.set_species(all);
}

}  // namespace mpcflow::input

#include "app/run/theory_numbers.hpp"

#include <cmath>
#include <string>

#include "physics/theory.hpp"

namespace mpcflow {

namespace {

/// Of several species what is each one's own.
void add_species(const System& system, double viscosity, std::vector<NamedNumber>& numbers) {
    for (int s = 0; s < system.species_count(); ++s) {
        const std::string of = "_of_" + system.species[s].name;
        numbers.push_back({"mean_free_path" + of, theory::mean_free_path(system, s)});
        if (!theory::is_known(system)) continue;
        const double diffusion = theory::diffusion(system, s);
        numbers.push_back({"diffusion" + of, diffusion});
        numbers.push_back({"schmidt_number" + of, viscosity / diffusion});
    }
}

}  // namespace

std::vector<NamedNumber> theory_numbers(const System& system) {
    const theory::Transport transport = theory::transport(system);
    const double viscosity = theory::predicted_viscosity(system);
    const bool has_species = system.masses() == Masses::by_species;
    std::vector<NamedNumber> numbers;
    // Of a fluid that comes to it by a schedule.
    if (!system.fluid.schedule.is_empty()) numbers.push_back({"temperature", system.fluid.temperature});
    if (!has_species) numbers.push_back({"mean_free_path", theory::mean_free_path(system)});
    numbers.push_back({"speed_of_sound", theory::speed_of_sound(system)});
    if (theory::is_known(system)) {
        numbers.push_back({"kinetic_viscosity", transport.kinetic_viscosity});
        numbers.push_back({"collisional_viscosity", transport.collisional_viscosity});
        numbers.push_back({"viscosity", transport.viscosity()});
    }
    if (const auto expansion = theory::collisional_viscosity_expansion(system)) {
        numbers.push_back({"collisional_viscosity_expansion", *expansion});
        numbers.push_back({"viscosity_expansion", transport.kinetic_viscosity + *expansion});
    }
    if (theory::is_known(system)) numbers.push_back({"predicted_viscosity", viscosity});
    if (has_species) {
        add_species(system, viscosity, numbers);
    } else {
        numbers.push_back({"diffusion", transport.diffusion});
        numbers.push_back({"schmidt_number", viscosity / transport.diffusion});
    }
    if (const auto flow = theory::plane_flow(system)) {
        const bool is_poiseuille = flow->is_poiseuille();
        const std::string flow_name = is_poiseuille ? "poiseuille_" : "flow_";
        const auto add = [&](const char* name, double value) {
            numbers.push_back({flow_name + name, value});
        };
        add("maximum_velocity", flow->maximum());
        add("mean_velocity", is_poiseuille ? flow->maximum() * 2.0 / 3.0 : flow->mean());
        const double greatest = is_poiseuille ? flow->maximum() : std::abs(flow->maximum());
        add("mach_number", greatest / theory::speed_of_sound(system));
        add("reynolds_number", greatest * flow->width / viscosity);
        add("development_time", flow->development_time());
        if (!is_poiseuille) {
            add("lower_shear_rate", flow->shear_rate(0.0));
            add("upper_shear_rate", flow->shear_rate(flow->width));
        }
    }
    if (const auto flow = theory::wave_flow(system)) {
        const double greatest = std::abs(flow->maximum());
        numbers.push_back({"flow_maximum_velocity", flow->maximum()});
        numbers.push_back({"flow_mean_velocity", 0.0});
        numbers.push_back({"flow_mach_number", greatest / theory::speed_of_sound(system)});
        numbers.push_back({"flow_reynolds_number", greatest / (flow->wave_number * viscosity)});
        numbers.push_back({"flow_development_time", flow->development_time()});
    }
    if (const auto flow = theory::sheared_flow(system)) {
        numbers.push_back({"shear_rate", flow->rate});
        // What surfaces make of it is not known.
        if (theory::is_known(system) && system.surfaces.list.empty())
            numbers.push_back({"shear_stress", flow->stress(system)});
    }
    return numbers;
}

const char* precision_name(Precision precision) { return precision == Precision::mixed ? "mixed" : "double"; }

}  // namespace mpcflow

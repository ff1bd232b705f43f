#include "app/output/frame_species.hpp"

#include <span>
#include <string>
#include <vector>

namespace mpcflow {

void write_species_attributes(const hdf5::Group& particles, const System& system) {
    std::vector<std::string> names;
    std::vector<double> masses;
    for (int s = 0; s < system.species_count(); ++s) {
        names.push_back(system.species[s].name);
        masses.push_back(system.mass_of(s));
    }
    particles.write_attribute("species_names", std::span<const std::string>(names));
    particles.write_attribute("species_masses", std::span<const double>(masses));
}

void write_species(const hdf5::Group& particles, const System& system, const FrameLayout& layout,
                   std::int64_t every_nth_id) {
    const auto species_at = [&](std::size_t place) {
        return system.species_of(static_cast<std::int64_t>(place) * every_nth_id);
    };
    particles.create_dataset("species", layout.fixed(hdf5::NumberType::int32, species_description))
        .write_by_items<std::int32_t>([&](std::size_t first, std::size_t count, std::int32_t* to) {
            for (std::size_t i = first; i < first + count; ++i) *to++ = species_at(i);
        });
    particles.create_dataset("mass", layout.fixed(hdf5::NumberType::float64, "masses"))
        .write_by_items<double>([&](std::size_t first, std::size_t count, double* to) {
            for (std::size_t i = first; i < first + count; ++i) *to++ = system.mass_of(species_at(i));
        });
}

void copy_masses(const System& system, const ParticleRecords& records, std::size_t first, std::size_t count,
                 double* to) {
    records.visit([&](const auto& particles) {
        for (const auto& particle : particles.subspan(first, count))
            *to++ = system.mass_of(particle.species());
    });
}

}  // namespace mpcflow

#pragma once
/// What trajectory.h5 tells of the species of a mixture.

#include <cstddef>
#include <cstdint>

#include "app/hdf5/group.hpp"
#include "app/output/frame_layout.hpp"
#include "physics/particle_records.hpp"
#include "physics/system.hpp"

namespace mpcflow {

/// Names and masses of the species, as attributes of the group of particles. Throws FileError, as below.
void write_species_attributes(const hdf5::Group& particles, const System& system);

/// Species and mass of the particles that all frames have, those whose ids are multiples of `every_nth_id`.
void write_species(const hdf5::Group& particles, const System& system, const FrameLayout& layout,
                   std::int64_t every_nth_id);

/// Writes to `to` the masses of the particles from `first` on, `count` of them.
void copy_masses(const System& system, const ParticleRecords& records, std::size_t first, std::size_t count,
                 double* to);

}  // namespace mpcflow

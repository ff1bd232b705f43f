#pragma once
/// Particles that a user wrote with any program: an HDF5 file with the datasets position [N][3] and velocity
/// [N][3], and, where they are given, id [N] and species [N]. docs/input.md has the format.

#include <cstdint>
#include <optional>
#include <vector>

#include "app/hdf5/file.hpp"
#include "physics/domain/share.hpp"
#include "physics/particle_source.hpp"
#include "physics/system.hpp"

namespace mpcflow {

/// The datasets of such a file.
class ParticleArrays {
public:
    /// Throws FileError unless it has the datasets, of these shapes and kinds, and no others.
    explicit ParticleArrays(hdf5::File file);

    [[nodiscard]] std::int64_t count() const { return count_; }
    [[nodiscard]] bool have_ids() const { return id_.has_value(); }
    [[nodiscard]] bool have_species() const { return species_.has_value(); }
    /// How many of the rows before `end` are of each species; throws FileError where one is of none.
    [[nodiscard]] std::vector<std::int64_t> count_species(const System& system, std::int64_t end) const;

private:
    friend class ArrayParticles;

    hdf5::File file_;
    std::int64_t count_ = 0;
    hdf5::Dataset position_;
    hdf5::Dataset velocity_;
    std::optional<hdf5::Dataset> id_;
    std::optional<hdf5::Dataset> species_;
};

/// Rows share.first ... share.end - 1 as particles of a system. Without `id` particles have the ids of their
/// species in the order of the rows; without `species` they are of the species of their ids.
class ArrayParticles final : public ParticleSource {
public:
    ArrayParticles(ParticleArrays arrays, const System& system, Share share);

    [[nodiscard]] std::int64_t count() const override { return share_.count(); }
    [[nodiscard]] ParticleSnapshot next(std::int64_t most) override;

private:
    ParticleArrays arrays_;
    System system_;
    Share share_;
    std::int64_t next_;
    std::vector<std::int64_t> next_ids_;  ///< of each species
};

}  // namespace mpcflow

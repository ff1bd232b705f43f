#pragma once
/// The group /particles of a checkpoint, or of a part of one: written from records, read piece by piece.

#include <cstdint>
#include <optional>
#include <vector>

#include "app/hdf5/file.hpp"
#include "physics/domain/share.hpp"
#include "physics/particle_records.hpp"
#include "physics/particle_source.hpp"

namespace mpcflow {

/// Whose ids a group says: it has all, in their order, and need not; or some.
enum class Ids { all_in_order, written };

/// Throws FileError.
void write_particles(const hdf5::Group& root, const ParticleRecords& particles, Ids ids);

/// `count` of the species that a file has, from `first` on; what cannot be one becomes one that there is not.
[[nodiscard]] std::vector<std::uint8_t> read_species(const hdf5::Dataset& species, hsize_t first,
                                                     hsize_t count);

/// Bytes of such a group, a little more than exact.
[[nodiscard]] std::int64_t particle_group_bytes(std::int64_t particles, Precision precision, Masses masses,
                                                Ids ids);

/// Particles number share.first ... share.end - 1 of the group.
class GroupParticles final : public ParticleSource {
public:
    /// Throws FileError where the group has not `count` particles, as its file says elsewhere.
    GroupParticles(hdf5::File file, std::int64_t count, Share share, Ids ids);

    [[nodiscard]] std::int64_t count() const override { return share_.count(); }
    [[nodiscard]] ParticleSnapshot next(std::int64_t most) override;

private:
    hdf5::File file_;
    Share share_;
    std::int64_t next_;
    Ids ids_;
    hdf5::Dataset id_;
    hdf5::Dataset position_;
    hdf5::Dataset velocity_;
    hdf5::Dataset image_;
    std::optional<hdf5::Dataset> species_;  ///< of a fluid of several
};

}  // namespace mpcflow

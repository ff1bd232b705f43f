#pragma once
/// A frame of a trajectory that holds all particles, read piece by piece.

#include <cstdint>
#include <optional>
#include <string>

#include "app/hdf5/file.hpp"
#include "physics/domain/share.hpp"
#include "physics/particle_source.hpp"

namespace mpcflow {

/// What a run can begin with of a trajectory.
struct Frame {
    std::int64_t number = 0;  ///< from 0
    std::int64_t step = 0;
    std::int64_t particles = 0;
    std::uint64_t checksum = 0;  ///< as it is kept in the file
    std::string input;           ///< of the run that wrote it
};

/// Finds frame `number`, of a negative one from the end, and proves that it is as it was written. Throws
/// FileError, saying what there is, where there is no such frame, where frames hold not all particles, or no
/// positions or velocities.
[[nodiscard]] Frame find_frame(const hdf5::File& trajectory, std::int64_t number);

/// Particles number share.first ... share.end - 1 of a frame, without their images.
class FrameParticles final : public ParticleSource {
public:
    FrameParticles(hdf5::File trajectory, std::int64_t frame, Share share);

    [[nodiscard]] std::int64_t count() const override { return share_.count(); }
    [[nodiscard]] ParticleSnapshot next(std::int64_t most) override;

private:
    hdf5::File file_;
    hsize_t frame_;
    Share share_;
    std::int64_t next_;
    hdf5::Dataset id_;
    hdf5::Dataset position_;
    hdf5::Dataset velocity_;
    std::optional<hdf5::Dataset> species_;  ///< of a fluid of several
};

}  // namespace mpcflow

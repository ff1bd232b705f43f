#pragma once
/// How the values of a frame of trajectory.h5 lie on the disk, and what they take.

#include <cstdint>

#include "app/hdf5/dataset.hpp"
#include "input/scenario.hpp"
#include "physics/solver_options.hpp"
#include "physics/system.hpp"

namespace mpcflow {

/// Particles that a frame usually holds: all, those selected, or the mean number in the region.
[[nodiscard]] std::int64_t usual_frame_particles(const System& system, const TrajectoryOutput& output);

/// Of positions and velocities: float32 or float64.
[[nodiscard]] hdf5::NumberType frame_number_type(Precision precision, const TrajectoryOutput& output);
/// Of ids: int32, or int64 where there are too many particles for that.
[[nodiscard]] hdf5::NumberType frame_id_type(const System& system);

/// The layouts of the datasets of which a frame is a row. None has a `unit` attribute, which H5MD readers try
/// to convert.
inline constexpr const char* species_description = "species, by the attribute species_names";

class FrameLayout {
public:
    FrameLayout(const System& system, Precision precision, const TrajectoryOutput& output);

    /// Positions or velocities.
    [[nodiscard]] hdf5::DatasetLayout vectors(const char* description) const;
    [[nodiscard]] hdf5::DatasetLayout images() const;
    /// Of ragged rows the fill value is given: to H5MD it marks places without a particle.
    [[nodiscard]] hdf5::DatasetLayout ids() const;
    /// Species and masses, of the frames of a region of several species, which differ in their particles.
    [[nodiscard]] hdf5::DatasetLayout species() const;
    [[nodiscard]] hdf5::DatasetLayout masses() const;
    /// The same where all frames have the same particles of several species.
    [[nodiscard]] hdf5::DatasetLayout fixed(hdf5::NumberType type, const char* description) const;
    /// What all particles of all frames have in common; it is a fill value, and the disk holds nothing.
    [[nodiscard]] hdf5::DatasetLayout same_for_all(hdf5::NumberType type, double value,
                                                   const char* description) const;

    /// Bytes that one frame of so many particles adds to the file, chunk indices included, a little more than
    /// exact.
    [[nodiscard]] std::int64_t bytes(std::int64_t particles) const;
    /// Bytes of what frames have in common.
    [[nodiscard]] std::int64_t bytes_of_all() const;

private:
    /// Whether frames say of each particle of which species it is.
    [[nodiscard]] bool frames_have_species() const {
        return masses_ == Masses::by_species && growth_ == hdf5::Growth::by_ragged_rows;
    }

    Masses masses_;
    hdf5::NumberType ids_;
    hdf5::NumberType reals_;
    const TrajectoryOutput& output_;
    hsize_t particles_;  ///< that a row has room for
    hdf5::Growth growth_ = hdf5::Growth::by_rows;
};

}  // namespace mpcflow

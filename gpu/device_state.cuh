#pragma once
/// What a solver's state is on its device.

#include <algorithm>
#include <cstdint>

#include "gpu/cuda_support.cuh"
#include "gpu/particle_columns.cuh"
#include "physics/boundary/surface_view.hpp"

namespace mpcflow {

/// The numbers of particles in cells, as they stand in the rows of their sums.
struct CellCounts {
    const double* sums;
    int count;   ///< cells
    int stride;  ///< of a row, in doubles; the number is the first

    __device__ __forceinline__ double operator[](std::int64_t cell) const { return sums[cell * stride]; }
};

/// The state of a solver on its device, to be read.
template <class Particle, class Grid>
struct DeviceState {
    std::int64_t particle_count;
    ParticleColumns<Particle> particles;
    Grid grid;             ///< of the next collision
    SurfaceView surfaces;  ///< in the device's memory
    CellCounts cells;
    int multiprocessors;  ///< of the device

    /// As many as the card has room for at a time.
    [[nodiscard]] unsigned resident_blocks() const { return 8U * static_cast<unsigned>(multiprocessors); }
    /// Blocks for kernels that stride over items: all that fit on the card, no more than there is work for.
    [[nodiscard]] unsigned blocks_for(std::int64_t items) const {
        return std::max(1U, std::min(block_count(items), resident_blocks()));
    }
    [[nodiscard]] unsigned particle_blocks() const { return blocks_for(particle_count); }
    [[nodiscard]] unsigned cell_blocks() const { return blocks_for(cells.count); }
};

}  // namespace mpcflow

#pragma once
/// Reading and writing particle records so that a warp's accesses cover whole sectors.
///
/// A thread that moves its own 64-byte record in 16-byte pieces makes the warp touch half a sector of 32
/// records with each access. Here neighbouring lanes move neighbouring pieces of one record, in shared
/// memory each lane finds its own record again. Pieces are swizzled so that neither side has bank conflicts.

#include <cstdint>

#include "gpu/warp/cuda_warp.cuh"

namespace mpcflow {

/// One warp's piece of shared memory for its records.
template <class Particle>
struct RecordScratch {
    static constexpr int pieces = sizeof(Particle) / sizeof(uint4);
    uint4 data[32 * pieces];

    /// Where piece `piece` of the record of `lane` is.
    __device__ static int slot(int lane, int piece) {
        return lane * pieces + (piece ^ ((lane / (8 / pieces)) & (pieces - 1)));
    }
};

namespace detail {

template <class Particle>
union RecordPieces {
    static constexpr int count = RecordScratch<Particle>::pieces;
    uint4 piece[count];
    Particle record;
    __device__ RecordPieces() {}
};

}  // namespace detail

/// The caller's record of the 32 from `records[first]` on. Lanes outside `mask`, the lanes below the
/// number of records that are left, must not call.
template <class Particle>
__device__ __forceinline__ Particle load_record(const Particle* records, std::int64_t first, unsigned mask,
                                                RecordScratch<Particle>& scratch) {
    constexpr int pieces = RecordScratch<Particle>::pieces;
    const warp::CudaWarp warp;
    const int lane = static_cast<int>(warp.lane());
    detail::RecordPieces<Particle> mine;
    const auto* from = reinterpret_cast<const uint4*>(records + first);
    if (mask == warp::full_mask) {
#pragma unroll
        for (int i = 0; i < pieces; ++i) {
            const int item = i * 32 + lane;
            scratch.data[RecordScratch<Particle>::slot(item / pieces, item % pieces)] = from[item];
        }
        warp.sync(mask);
#pragma unroll
        for (int i = 0; i < pieces; ++i) mine.piece[i] = scratch.data[RecordScratch<Particle>::slot(lane, i)];
        warp.sync(mask);
    } else {
#pragma unroll
        for (int i = 0; i < pieces; ++i) mine.piece[i] = from[lane * pieces + i];
    }
    return mine.record;
}

/// Writes the caller's record to `records[place]`; any places, one for each lane of `mask`.
template <class Particle>
__device__ __forceinline__ void store_record(Particle* records, std::int64_t place, const Particle& particle,
                                             unsigned mask, RecordScratch<Particle>& scratch) {
    constexpr int pieces = RecordScratch<Particle>::pieces;
    const warp::CudaWarp warp;
    const int lane = static_cast<int>(warp.lane());
    detail::RecordPieces<Particle> mine;
    mine.record = particle;
    if (mask == warp::full_mask) {
#pragma unroll
        for (int i = 0; i < pieces; ++i) scratch.data[RecordScratch<Particle>::slot(lane, i)] = mine.piece[i];
        warp.sync(mask);
#pragma unroll
        for (int i = 0; i < pieces; ++i) {
            const int item = i * 32 + lane;
            const std::int64_t to = warp.shfl(mask, place, static_cast<unsigned>(item / pieces));
            reinterpret_cast<uint4*>(records + to)[item % pieces] =
                scratch.data[RecordScratch<Particle>::slot(item / pieces, item % pieces)];
        }
        warp.sync(mask);
    } else {
        auto* to = reinterpret_cast<uint4*>(records + place);
#pragma unroll
        for (int i = 0; i < pieces; ++i) to[i] = mine.piece[i];
    }
}

}  // namespace mpcflow

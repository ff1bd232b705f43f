#pragma once
/// Reading and writing records (particles, rows of cells) so that a warp's accesses cover whole sectors.
///
/// A thread that moves its own 64-byte record in 16-byte pieces makes the warp touch half a sector of 32
/// records with each access; stores of that kind take more than twice as long. Here neighbouring lanes move
/// neighbouring pieces, and in shared memory each lane finds its own record again.

#include <cuda_pipeline_primitives.h>

#include <cstdint>
#include <type_traits>

#include "gpu/warp/cuda_warp.cuh"

namespace mpcflow {

/// What records are moved in: 16 bytes, or 8 where a record is no multiple of that.
template <class Record>
using RecordPiece = std::conditional_t<sizeof(Record) % sizeof(uint4) == 0, uint4, uint2>;

/// One warp's piece of shared memory for one record of `Record` a lane.
template <class Record>
struct RecordScratch {
    using Piece = RecordPiece<Record>;
    static_assert(sizeof(Record) % sizeof(Piece) == 0 && alignof(Record) >= sizeof(Piece));
    static constexpr int pieces = sizeof(Record) / sizeof(Piece);
    static constexpr bool is_power_of_two = pieces <= 8 && (pieces & (pieces - 1)) == 0;
    /// Rows of an odd number of pieces keep lanes out of each other's banks; where a row is a power of two
    /// long its pieces are swizzled instead, which needs no padding and avoids all conflicts.
    static constexpr int row = is_power_of_two ? pieces : (pieces | 1);

    Piece data[32 * row];

    __device__ Piece& at(int lane, int piece) {
        const int swizzled = is_power_of_two ? piece ^ ((lane * pieces / 8) & (pieces - 1)) : piece;
        return data[lane * row + swizzled];
    }
};

/// The same where each lane reads its record as it is, and need not hold all of it in registers.
template <class Record>
struct RecordsInPlace {
    using Piece = RecordPiece<Record>;
    static_assert(sizeof(Record) % sizeof(Piece) == 0 && alignof(Record) == sizeof(Piece));
    static constexpr int pieces = sizeof(Record) / sizeof(Piece);
    /// Rows of an odd number of pieces, as above. Two are not filled up to three, which was no faster.
    static constexpr int row = pieces == 2 ? 2 : pieces | 1;

    Piece data[32 * row];

    __device__ Piece& at(int lane, int piece) { return data[lane * row + piece]; }
    __device__ const Record& record(int lane) const {
        return reinterpret_cast<const Record&>(data[lane * row]);
    }
};

namespace detail {

/// A record and its pieces.
template <class Record>
union RecordPieces {
    RecordPiece<Record> piece[RecordScratch<Record>::pieces];
    Record record;
    __device__ RecordPieces() {}
};

}  // namespace detail

/// A record, by pieces.
template <class Record>
__device__ __forceinline__ Record load_record(const Record* record) {
    detail::RecordPieces<Record> mine;
#pragma unroll
    for (int i = 0; i < RecordScratch<Record>::pieces; ++i)
        mine.piece[i] = reinterpret_cast<const RecordPiece<Record>*>(record)[i];
    return mine.record;
}

/// Writes a record, by pieces.
template <class Record>
__device__ __forceinline__ void store_record(Record* to, const Record& record) {
    detail::RecordPieces<Record> mine;
    mine.record = record;
#pragma unroll
    for (int i = 0; i < RecordScratch<Record>::pieces; ++i)
        reinterpret_cast<RecordPiece<Record>*>(to)[i] = mine.piece[i];
}

/// A record that nothing writes while the kernel runs, or, where it was launched early, once it has waited
/// for the one ahead (gpu/launch.cuh); through the read-only cache.
template <class Record>
__device__ __forceinline__ Record load_constant_record(const Record* record) {
    detail::RecordPieces<Record> mine;
#pragma unroll
    for (int i = 0; i < RecordScratch<Record>::pieces; ++i)
        mine.piece[i] = __ldg(reinterpret_cast<const RecordPiece<Record>*>(record) + i);
    return mine.record;
}
/// The same as a function to be handed on.
struct LoadConstant {
    template <class Record>
    __device__ __forceinline__ Record operator()(const Record* record) const {
        return load_constant_record(record);
    }
};

/// Whether the caller computes while records come: by asynchronous copies to shared memory, which take a
/// little longer where nothing is computed meanwhile.
enum class Loading { at_once, meanwhile };

/// Reads the records of a warp, which follow each other from `first` on, by lane, into `scratch`, or begins
/// to; then loaded_record(), with the same arguments, is the caller's own one, for as long as the scratch is
/// not used for more. Each lane waits for its own copies there, and warp.sync makes those of the others
/// visible.
template <Loading loading, class Record>
__device__ __forceinline__ void begin_loading(const Record* first, unsigned mask,
                                              RecordsInPlace<Record>& scratch) {
    constexpr int pieces = RecordsInPlace<Record>::pieces;
    if (mask != warp::full_mask) return;
#pragma unroll
    for (int i = 0; i < pieces; ++i) {
        const int item = i * 32 + static_cast<int>(warp::CudaWarp{}.lane());
        RecordPiece<Record>& to = scratch.at(item / pieces, item % pieces);
        const RecordPiece<Record>* from = reinterpret_cast<const RecordPiece<Record>*>(first) + item;
        if constexpr (loading == Loading::meanwhile) __pipeline_memcpy_async(&to, from, sizeof to);
        else to = *from;
    }
    if constexpr (loading == Loading::meanwhile) __pipeline_commit();
}
template <Loading loading, class Record>
[[nodiscard]] __device__ __forceinline__ const Record& loaded_record(const Record* first, unsigned mask,
                                                                     RecordsInPlace<Record>& scratch) {
    constexpr int pieces = RecordsInPlace<Record>::pieces;
    const warp::CudaWarp warp;
    const int lane = static_cast<int>(warp.lane());
    if (mask != warp::full_mask) {
#pragma unroll
        for (int i = 0; i < pieces; ++i)
            scratch.at(lane, i) = reinterpret_cast<const RecordPiece<Record>*>(first + lane)[i];
    } else if constexpr (loading == Loading::meanwhile) {
        __pipeline_wait_prior(0);
    }
    warp.sync(mask);
    return scratch.record(lane);
}

enum class Placement {
    in_order,  ///< the records of a warp follow each other, by lane
    scattered  ///< anywhere
};

/// Writes the caller's record to `records[slot]`. Called by all lanes of `mask` together, which may have read
/// something else in the scratch before; it is in use until they meet again.
template <Placement placement, class Record>
__device__ __forceinline__ void store_records(Record* records, std::int64_t slot, const Record& record,
                                              unsigned mask, RecordScratch<Record>& scratch) {
    constexpr int pieces = RecordScratch<Record>::pieces;
    const warp::CudaWarp warp;
    const int lane = static_cast<int>(warp.lane());
    detail::RecordPieces<Record> mine;
    mine.record = record;
    // Records of one sector gain less than the way through shared memory costs (docs/decisions/).
    constexpr bool is_staged = sizeof(Record) > 32;
    if (!is_staged || mask != warp::full_mask) {
#pragma unroll
        for (int i = 0; i < pieces; ++i)
            reinterpret_cast<RecordPiece<Record>*>(records + slot)[i] = mine.piece[i];
    } else if constexpr (is_staged) {
        warp.sync(mask);
#pragma unroll
        for (int i = 0; i < pieces; ++i) scratch.at(lane, i) = mine.piece[i];
        warp.sync(mask);
#pragma unroll
        for (int i = 0; i < pieces; ++i) {
            const int item = i * 32 + lane;
            if constexpr (placement == Placement::in_order) {
                reinterpret_cast<RecordPiece<Record>*>(records + (slot - lane))[item] =
                    scratch.at(item / pieces, item % pieces);
            } else {
                const std::int64_t to = warp.shfl(mask, slot, static_cast<unsigned>(item / pieces));
                reinterpret_cast<RecordPiece<Record>*>(records + to)[item % pieces] =
                    scratch.at(item / pieces, item % pieces);
            }
        }
    }
}

/// Sets the records of a warp, which follow each other from `first` on, to zero, but those of the lanes in
/// `kept`.
template <class Record>
__device__ __forceinline__ void clear_records(Record* first, unsigned mask, unsigned kept = 0) {
    constexpr int pieces = RecordScratch<Record>::pieces;
    const warp::CudaWarp warp;
    const int lane = static_cast<int>(warp.lane());
    const int lanes = static_cast<int>(warp::popc(mask));
#pragma unroll
    for (int i = 0; i < pieces; ++i) {
        const int item = i * lanes + lane;
        if ((kept & warp::lane_bit(static_cast<unsigned>(item / pieces))) == 0)
            reinterpret_cast<RecordPiece<Record>*>(first)[item] = RecordPiece<Record>{};
    }
}

}  // namespace mpcflow

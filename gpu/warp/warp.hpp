#pragma once
/// What an algorithm for one warp may ask of the warp, and the arithmetic of lane masks.
///
/// A warp is 32 lanes that run the same program. A set of lanes is a 32-bit mask, lane i being bit i.
/// The algorithms of this folder are written once, over a type `Warp` that models IsWarp: on the GPU it
/// is CudaWarp (cuda_warp.cuh), in unit tests an emulator (tests/support/warp_emulator.hpp).
///
/// The rules of a collective (everything but `lane`), which the hardware leaves to the caller and the
/// emulator enforces:
///  - every lane of `mask` calls it, at the same place in the source and with the same mask;
///  - the caller is in its own mask;
///  - a shuffle reads from a lane of the mask.
/// An algorithm that takes a `mask` must be called by all lanes of it and by no others; it keeps the
/// lanes together, that is, its loops run equally often in all of them.

#include <bit>
#include <concepts>
#include <cstdint>

#include "physics/host_device.hpp"

/// Qualifies the functions over a Warp. They are always inlined, since arrays passed by reference stay
/// in registers only then. nvcc sees them as device code alone: the emulator belongs to g++.
#ifdef __CUDACC__
#define MPCFLOW_WARP __device__ __forceinline__
#else
#define MPCFLOW_WARP inline
#endif

/// Unrolls the next loop in device code.
#ifdef __CUDACC__
#define MPCFLOW_UNROLL _Pragma("unroll")
#else
#define MPCFLOW_UNROLL
#endif

namespace mpcflow::warp {

inline constexpr unsigned warp_size = 32;
inline constexpr unsigned full_mask = 0xffffffffu;

/// What a collective can carry from lane to lane: 4 or 8 bytes.
template <class T>
concept LaneValue = (std::integral<T> || std::floating_point<T>)&&(sizeof(T) == 4 || sizeof(T) == 8);

/// What lanes can be told apart by. Not a floating-point number: a NaN does not equal itself, and a
/// search for peers would never end.
template <class T>
concept PeerKey = LaneValue<T> && std::integral<T>;

/// The operations of a warp. `W` is a handle, cheap to copy.
template <class W>
concept IsWarp = std::copyable<W> && requires(const W& warp, unsigned mask, bool vote, unsigned lane,
                                              std::uint32_t key, std::uint64_t long_key, double value) {
    /// The caller's own number, 0 to 31.
    { warp.lane() } -> std::same_as<unsigned>;
    /// Some set of lanes that are at this place now, the caller among them. Only the lanes of that set
    /// may rely on it; two calls in a row may give different sets. To be preferred: a mask that is known.
    { warp.active_mask() } -> std::same_as<unsigned>;
    /// The lanes of the mask whose vote is true.
    { warp.ballot(mask, vote) } -> std::same_as<unsigned>;
    { warp.any(mask, vote) } -> std::same_as<bool>;
    { warp.all(mask, vote) } -> std::same_as<bool>;
    /// The value of lane `lane` (below 32). Each caller may name another one.
    { warp.shfl(mask, value, lane) } -> std::same_as<double>;
    { warp.shfl(mask, key, lane) } -> std::same_as<std::uint32_t>;
    { warp.shfl(mask, long_key, lane) } -> std::same_as<std::uint64_t>;
    /// The value of the lane `delta` below (up) or above (down); one's own where there is no such lane.
    { warp.shfl_up(mask, value, lane) } -> std::same_as<double>;
    { warp.shfl_down(mask, value, lane) } -> std::same_as<double>;
    /// The value of the lane whose number is one's own, exclusive-or `lane_bits`.
    { warp.shfl_xor(mask, value, lane) } -> std::same_as<double>;
    /// The lanes of the mask whose key equals the caller's.
    { warp.match_any(mask, key) } -> std::same_as<unsigned>;
    { warp.match_any(mask, long_key) } -> std::same_as<unsigned>;
    /// The bitwise or of the keys of the mask's lanes.
    { warp.reduce_or(mask, key) } -> std::same_as<std::uint32_t>;
    /// Waits for the lanes of the mask; what they wrote to memory before it, all of them see after it.
    /// No other collective promises that.
    warp.sync(mask);
};

/// How many lanes are in the mask.
MPCFLOW_HD unsigned popc(unsigned mask) {
#ifdef __CUDA_ARCH__
    return static_cast<unsigned>(__popc(static_cast<int>(mask)));
#else
    return static_cast<unsigned>(std::popcount(mask));
#endif
}

/// The lane with the lowest number in a mask that has a lane; of an empty mask the result means nothing.
MPCFLOW_HD unsigned lowest_lane(unsigned mask) {
#ifdef __CUDA_ARCH__
    return static_cast<unsigned>(__ffs(static_cast<int>(mask)) - 1);
#else
    return static_cast<unsigned>(std::countr_zero(mask));
#endif
}

/// The lane with the highest number in a mask that has a lane; of an empty mask the result means nothing.
MPCFLOW_HD unsigned highest_lane(unsigned mask) {
#ifdef __CUDA_ARCH__
    return static_cast<unsigned>(31 - __clz(static_cast<int>(mask)));
#else
    return static_cast<unsigned>(31 - std::countl_zero(mask));
#endif
}

/// The mask of one lane, lane < 32.
MPCFLOW_HD unsigned lane_bit(unsigned lane) { return 1u << lane; }

/// The mask of the lanes with lower numbers than `lane`, lane < 32.
MPCFLOW_HD unsigned lanes_below(unsigned lane) { return (1u << lane) - 1u; }

/// The mask of the lanes with higher numbers than `lane`, lane < 32.
MPCFLOW_HD unsigned lanes_above(unsigned lane) { return 0xfffffffeu << lane; }

/// The same with `lane` itself.
MPCFLOW_HD unsigned lanes_at_or_below(unsigned lane) { return full_mask >> (warp_size - 1 - lane); }
MPCFLOW_HD unsigned lanes_at_or_above(unsigned lane) { return full_mask << lane; }

/// The place of `lane` among the lanes of a mask in order of their numbers, from 0.
MPCFLOW_HD unsigned rank_in(unsigned mask, unsigned lane) { return popc(mask & lanes_below(lane)); }

/// Whether a mask is that of the first n lanes, for some n.
MPCFLOW_HD bool are_first_lanes(unsigned mask) { return (mask & (mask + 1)) == 0; }

/// The lane of the mask whose rank_in it is `rank`, rank < popc(mask): by a binary search, for the largest
/// lane that has at most `rank` lanes of the mask below it.
MPCFLOW_HD unsigned lane_of_rank(unsigned mask, unsigned rank) {
    if (are_first_lanes(mask)) return rank;
    unsigned lane = 0;
    for (unsigned stride = warp_size / 2; stride > 0; stride /= 2)
        lane += rank_in(mask, lane + stride) <= rank ? stride : 0;
    return lane;
}

/// Calls `body` with a function that is lane_of_rank for the mask. Where the mask is the first lanes, as it
/// is but for warps that have split up, that function is the identity, and `body` is compiled for it apart.
template <class Body>
MPCFLOW_WARP void with_ranks(unsigned mask, Body&& body) {
    if (are_first_lanes(mask)) body([](unsigned rank) { return rank; });
    else body([mask](unsigned rank) { return lane_of_rank(mask, rank); });
}

/// The mask of the first `count` lanes, for the last warp of an array; all of them from 32 on.
MPCFLOW_HD unsigned first_lanes(unsigned count) {
    return count >= warp_size ? full_mask : lanes_below(count);
}

}  // namespace mpcflow::warp

#pragma once
/// Shuffles within sub-warps: groups of `Width` neighbouring lanes, of which the first starts at lane 0.

#include "gpu/warp/warp.hpp"

namespace mpcflow::warp {

/// What a warp can be divided into: 2, 4, 8, 16 or all 32 lanes.
template <unsigned Width>
concept SubWarpWidth = Width >= 2 && Width <= warp_size && (Width & (Width - 1)) == 0;

/// The value of the lowest lane of the mask, in all of them.
template <IsWarp Warp, LaneValue T>
[[nodiscard]] MPCFLOW_WARP T broadcast(Warp warp, unsigned mask, T value) {
    return warp.shfl(mask, value, lowest_lane(mask));
}

/// The value of lane `source` of one's own sub-warp, source < Width. As with all shuffles, that lane must be
/// in the mask.
template <unsigned Width, IsWarp Warp, LaneValue T>
requires SubWarpWidth<Width>
[[nodiscard]] MPCFLOW_WARP T shfl_within(Warp warp, unsigned mask, T value, unsigned source) {
    return warp.shfl(mask, value, (warp.lane() & ~(Width - 1)) + source);
}

/// The value of the lane `delta` below in the sub-warp; one's own where there is no such lane.
template <unsigned Width, IsWarp Warp, LaneValue T>
requires SubWarpWidth<Width>
[[nodiscard]] MPCFLOW_WARP T shfl_up_within(Warp warp, unsigned mask, T value, unsigned delta) {
    const unsigned lane = warp.lane();
    return warp.shfl(mask, value, lane % Width >= delta ? lane - delta : lane);
}

/// The value of the lane `delta` above in the sub-warp; one's own where there is no such lane.
template <unsigned Width, IsWarp Warp, LaneValue T>
requires SubWarpWidth<Width>
[[nodiscard]] MPCFLOW_WARP T shfl_down_within(Warp warp, unsigned mask, T value, unsigned delta) {
    const unsigned lane = warp.lane();
    return warp.shfl(mask, value, delta < Width - lane % Width ? lane + delta : lane);
}

}  // namespace mpcflow::warp

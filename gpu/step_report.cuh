#pragma once
/// What the kernels of a step tell the host: faults, which steps had a fast particle, and how many.

#include <cstdint>

#include "gpu/warp/cuda_warp.cuh"
#include "gpu/warp/peers.hpp"
#include "physics/step.hpp"

namespace mpcflow {

/// Read by the host after a run, of a domain in each step; all zero at first.
struct StepReport {
    std::uint32_t faults;
    std::uint32_t unused;  ///< no padding, which nvcc copies byte by byte
    /// + 1, of even and of odd steps; 0: none yet. A domain's host reads of a step when tiles of the next one
    /// may have told of theirs; collisions tell of none.
    unsigned long long last_fast_step[2];
    unsigned long long fast_steps;
    unsigned long long last_astray_step;  ///< + 1; of deep tiles (TileBoxes::is_astray)
};

/// Counts a step that has a fast particle, once. One lane of those that are here speaks for them, and only
/// if it does not see the step counted already: where many particles are fast, most warps only read.
static __device__ __forceinline__ void count_fast_step(std::uint64_t step, StepReport* report) {
    const warp::CudaWarp warp;
    if (!warp::is_leader(warp.active_mask(), warp.lane())) return;
    const unsigned long long stamp = step + 1;
    unsigned long long* const last = report->last_fast_step + step % 2;
    if (*static_cast<volatile unsigned long long*>(last) == stamp) return;
    if (atomicExch(last, stamp) != stamp) atomicAdd(&report->fast_steps, 1ULL);
}

/// Reports what a lane found in step `step`: Fault bits and notice_fast.
static __device__ __forceinline__ void report_findings(std::uint32_t found, std::uint64_t step,
                                                       StepReport* report) {
    if (found == no_fault) return;
    const std::uint32_t faults = found & ~notice_fast;
    if (faults != no_fault) atomicOr(&report->faults, faults);
    if ((found & notice_fast) != 0) count_fast_step(step, report);
}

}  // namespace mpcflow

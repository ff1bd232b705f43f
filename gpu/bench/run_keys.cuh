#pragma once
/// The cells of the particles of a real run: the keys that the ways of summing are measured on.

#include <cstdint>
#include <vector>

#include "gpu/cuda_support.cuh"

namespace mpcflow::bench {

/// The cells of all particles, in the order in which the last re-ordering left them in memory.
struct AgedKeys {
    int age = 0;  ///< steps since that re-ordering
    DeviceArray<std::int32_t> cells;
};

/// Runs SRD (130 degrees, h = 0.1, `density` particles a cell, periodic, a new shift every step) in a box of
/// `edge`^3 cells on the current device, re-orders the particles once, and notes their cells at each of
/// `ages` (ascending) steps after that, under that step's own shift. Age 0: streamed once since they were
/// ordered, which is the best order that a step ever finds.
[[nodiscard]] std::vector<AgedKeys> keys_of_run(int edge, const std::vector<int>& ages,
                                                double density = 10.0);

/// The cells of the same particles as a run starts from them, in no order.
[[nodiscard]] AgedKeys keys_without_order(int edge, double density);

}  // namespace mpcflow::bench

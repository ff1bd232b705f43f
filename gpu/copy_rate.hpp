#pragma once
/// The yardstick of bench: how fast a device copies memory.

namespace mpcflow {

/// Bytes per second, read and written together, of a copy of 2 GiB in 16-byte words on CUDA device
/// `device`; the best of eight. Throws EnvironmentError without such a device or 4 GiB free on it.
[[nodiscard]] double measure_copy_rate(int device);

}  // namespace mpcflow

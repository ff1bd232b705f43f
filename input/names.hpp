#pragma once
/// How the input (and every report of a run) spells the choices: those of physics/names.hpp and devices.

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "input/scenario.hpp"
#include "physics/names.hpp"

namespace mpcflow {

constexpr auto names_of(FilePrecision) {
    return std::array{Named{FilePrecision::automatic, "auto"},
                      Named{FilePrecision::single_precision, "single"},
                      Named{FilePrecision::double_precision, "double"}};
}

/// Ways of summing that `mpcflow bench kernels` measures and no run uses.
inline constexpr std::array<std::string_view, 6> measured_only{"hash",      "sorted",    "segmented",
                                                               "two_stage", "two_float", "unstaged"};

/// Of axis 0, 1, 2.
inline constexpr std::string_view axis_names = "xyz";
inline constexpr std::array<std::string_view, 3> axis_words{"x", "y", "z"};

/// Largest N of `cuda:N`.
inline constexpr int largest_device_index = 63;

/// "auto", "cpu", "cuda" (device 0) or "cuda:N"; empty where `text` is none of these.
[[nodiscard]] std::optional<DeviceChoice> parse_device(std::string_view text);
/// The inverse: device 0 is plain "cuda".
[[nodiscard]] std::string device_name(const DeviceChoice& device);

}  // namespace mpcflow

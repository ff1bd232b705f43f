#include "input/names.hpp"

#include <charconv>

namespace mpcflow {

std::optional<DeviceChoice> parse_device(std::string_view text) {
    if (text == "auto") return DeviceChoice{DeviceKind::automatic, 0};
    if (text == "cpu") return DeviceChoice{DeviceKind::cpu, 0};
    if (text == "cuda") return DeviceChoice{DeviceKind::cuda, 0};
    constexpr std::string_view prefix = "cuda:";
    if (!text.starts_with(prefix)) return std::nullopt;
    text.remove_prefix(prefix.size());
    DeviceChoice device{DeviceKind::cuda, 0};
    const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), device.index);
    const bool all_read = status == std::errc{} && end == text.data() + text.size();
    const bool one_form = text == "0" || (!text.empty() && text.front() >= '1' && text.front() <= '9');
    if (!all_read || !one_form || device.index > largest_device_index) return std::nullopt;
    return device;
}

std::string device_name(const DeviceChoice& device) {
    switch (device.kind) {
        case DeviceKind::automatic: return "auto";
        case DeviceKind::cpu: return "cpu";
        case DeviceKind::cuda: break;
    }
    return device.index == 0 ? "cuda" : "cuda:" + std::to_string(device.index);
}

}  // namespace mpcflow

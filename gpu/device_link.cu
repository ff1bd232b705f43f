#include "gpu/device_link.cuh"

#include <algorithm>
#include <array>
#include <cstring>
#include <set>

#include "gpu/cuda_support.cuh"
#include "gpu/nccl.hpp"

namespace mpcflow {

namespace {

/// What domains tell each other to agree on a way.
struct Ability {
    std::array<char, 16> device;  ///< which no other one in the world has
    char version[32];             ///< of NCCL; empty where there is none
};

/// Whether NCCL is there for all domains, and each has a device of its own: NCCL refuses two on one.
bool all_have_nccl(Exchange& exchange) {
    int device = 0;
    MPCFLOW_CUDA(cudaGetDevice(&device));
    const cudaDeviceProp properties = properties_of(device);
    Ability own{};
    std::memcpy(own.device.data(), properties.uuid.bytes, own.device.size());
    nccl_version().copy(own.version, sizeof own.version - 1);
    std::set<std::array<char, 16>> devices;
    bool is_there = true;
    for (const Message& message : exchange.share(message_of(std::span(&own, 1)))) {
        const Ability other = values_of<Ability>(message).at(0);
        devices.insert(other.device);
        is_there &= other.version[0] != '\0' && std::strcmp(other.version, own.version) == 0;
    }
    return is_there && static_cast<int>(devices.size()) == exchange.count();
}

}  // namespace

std::unique_ptr<DeviceLink> make_device_link(Exchange& exchange, const std::vector<int>& neighbours,
                                             const std::vector<std::int64_t>& lengths) {
    if (all_have_nccl(exchange)) return make_nccl_link(exchange, neighbours, lengths);
    return std::make_unique<LinkThroughHost>(exchange, neighbours, lengths);
}

}  // namespace mpcflow

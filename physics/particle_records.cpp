#include "physics/particle_records.hpp"

#include <algorithm>
#include <new>
#include <string>

#include "physics/errors.hpp"

namespace mpcflow {

namespace {

constexpr std::align_val_t line{128};

}  // namespace

HostBytes allocate_host_bytes(std::size_t count) {
    return {static_cast<std::byte*>(::operator new(count, line)),
            [](std::byte* bytes) { ::operator delete(bytes, line); }};
}

void ParticleRecords::reserve(std::size_t bytes, Allocate allocate) {
    if (bytes <= capacity_) return;
    // What is in a region goes up and down a little.
    const std::size_t wanted = capacity_ > 0 ? bytes + bytes / 8 : bytes;
    bytes_.reset();
    capacity_ = 0;
    count_ = 0;
    try {
        bytes_ = allocate(wanted);
    } catch (const std::bad_alloc&) {
        throw EnvironmentError("not enough memory for a copy of the particles (" +
                               std::to_string(wanted >> 20) +
                               " MiB more wanted); use a smaller box.size, or an output.trajectory.region");
    }
    capacity_ = wanted;
}

void ParticleRecords::sort_by_id() {
    visit([&]<class Particle>(std::span<const Particle>) {
        const std::span<Particle> sorted = particles<Particle>();
        std::sort(
            sorted.begin(), sorted.end(),
            [](const Particle& a, const Particle& b) { return a.id() < b.id(); });
    });
}

}  // namespace mpcflow

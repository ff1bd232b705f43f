#pragma once
/// Particles that leave a domain on a device: those that are off its grid after a step go to the neighbours
/// that have their cell, which all add them to it; the one that owns it keeps them.

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "gpu/cuda_support.cuh"
#include "gpu/domain_kernels.cuh"
#include "gpu/pinned_memory.cuh"
#include "physics/domain/border.hpp"
#include "physics/domain/exchange.hpp"

namespace mpcflow {

template <class Particle>
class Migration {
public:
    using Grid = DomainGrid<typename Particle::Real>;

    /// Of a domain of about so many particles.
    Migration(const std::vector<Grid>& neighbours, std::int64_t particles)
        : grids_(std::ssize(neighbours)), counts_(grids_.size() + 1), told_(counts_.size()), told_report_(1) {
        grids_.upload(neighbours.data(), grids_.size());
        make_room(64 + particles / 1024);
        counts_.clear();
    }

    /// What the kernels of a step note particles in; it is empty before.
    [[nodiscard]] LeavingQueue queue() const {
        return {slots_.data(), static_cast<std::uint32_t>(slots_.size()), counts_.data()};
    }

    /// Sends what is in the queue to the host, and what the step reported. Then the queue is empty.
    void send(const Grid& grid, const ParticleColumns<Particle>& particles, StepReport* report) {
        const int neighbours = static_cast<int>(grids_.size());
        const unsigned blocks = std::min(block_count(slots_.size()), most_blocks);
        pack_leaving<<<blocks, block_size>>>(grid, grids_.data(), neighbours, particles, queue(),
                                             Outgoing<Particle>{outgoing_.data(), counts_.data() + 1},
                                             report);
        MPCFLOW_CUDA(cudaGetLastError());
        MPCFLOW_CUDA(cudaMemcpyAsync(told_.data(), counts_.data(), counts_.bytes(), cudaMemcpyDeviceToHost));
        MPCFLOW_CUDA(
            cudaMemcpyAsync(told_report_.data(), report, sizeof(StepReport), cudaMemcpyDeviceToHost));
        MPCFLOW_CUDA(cudaMemsetAsync(counts_.data(), 0, counts_.bytes()));
    }

    // When the device has done that:

    [[nodiscard]] const StepReport& report() const { return *told_report_.data(); }
    /// How many particles leave.
    [[nodiscard]] std::uint32_t left() const { return *told_.data(); }
    /// Whether send() has sent them. If not, there was no room: after grow() the queue is to be filled again.
    [[nodiscard]] bool is_complete() const { return left() <= slots_.size(); }
    void grow() { make_room(left() + left() / 2); }
    /// For each neighbour those that leave to its grid.
    [[nodiscard]] std::vector<Message> messages() const {
        std::vector<Message> messages;
        for (std::int64_t n = 0; n < grids_.size(); ++n) {
            const std::span<const Particle> records(outgoing_.data() + n * slots_.size(),
                                                    told_.data()[n + 1]);
            messages.push_back(message_of(records));
        }
        return messages;
    }

    /// Takes what came to the device; the place of it.
    [[nodiscard]] const Particle* take(const std::vector<Particle>& came) {
        if (arrivals_.size() < std::ssize(came)) arrivals_ = DeviceArray<Particle>(2 * std::ssize(came));
        arrivals_.upload(came.data(), std::ssize(came));
        return arrivals_.data();
    }

    /// Of `count` particles those of the queue go, and the first `own` of take() come.
    void fill(std::int64_t count, std::uint32_t own, const ParticleColumns<Particle>& particles) const {
        const std::int64_t room = slots_.size();
        const HoleScratch scratch{scratch_.data(), scratch_.data() + room, scratch_.data() + 2 * room};
        fill_holes<<<1, fill_holes_threads>>>(
            count, left(), own, static_cast<const Particle*>(arrivals_.data()),
            static_cast<const std::uint32_t*>(slots_.data()), scratch, particles);
        MPCFLOW_CUDA(cudaGetLastError());
    }

    [[nodiscard]] std::int64_t memory_bytes() const {
        return slots_.bytes() + scratch_.bytes() + arrivals_.bytes();
    }

private:
    static constexpr unsigned most_blocks = 64;

    void make_room(std::int64_t particles) {
        slots_ = DeviceArray<std::uint32_t>(particles);
        scratch_ = DeviceArray<std::uint32_t>(3 * particles);
        outgoing_ = PinnedArray<Particle>(grids_.size() * particles);
    }

    DeviceArray<Grid> grids_;
    DeviceArray<std::uint32_t> counts_;  ///< of the queue; of each neighbour
    DeviceArray<std::uint32_t> slots_;
    DeviceArray<std::uint32_t> scratch_;
    DeviceArray<Particle> arrivals_;
    PinnedArray<std::uint32_t> told_;  ///< counts_
    PinnedArray<StepReport> told_report_;
    PinnedArray<Particle> outgoing_;  ///< by neighbour
};

}  // namespace mpcflow

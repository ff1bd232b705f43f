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

    /// The queue is empty.
    void restart() const { counts_.clear(); }
    /// Sends what is in the queue to the host, and what steps have reported, in `stream`. Then the queue is
    /// empty.
    void send(const Grid& grid, const ParticleColumns<Particle>& particles, StepReport* report,
              cudaStream_t stream) {
        const int neighbours = static_cast<int>(grids_.size());
        const unsigned blocks = std::min(block_count(slots_.size()), most_blocks);
        pack_leaving<<<blocks, block_size, 0, stream>>>(
            grid, grids_.data(), neighbours, particles, queue(),
            Outgoing<Particle>{outgoing_.data(), counts_.data() + 1}, report);
        MPCFLOW_CUDA(cudaGetLastError());
        tell_leaving<<<1, 32, 0, stream>>>(neighbours + 1, counts_.data(), told_.data(), report,
                                           told_report_.data());
        MPCFLOW_CUDA(cudaGetLastError());
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

    /// Brings the particles that came from the neighbours to the device, in `stream`; the first of them those
    /// that are this domain's own.
    template <class IsOwn>
    void receive(const std::vector<Message>& messages, const IsOwn& is_own, cudaStream_t stream) {
        std::int64_t count = 0;
        for (const Message& message : messages) count += std::ssize(message) / sizeof(Particle);
        if (incoming_.size() < count) {
            incoming_ = PinnedArray<Particle>(2 * count);
            arrived_ = DeviceArray<Particle>(2 * count);
        }
        arrivals_ = static_cast<int>(count);
        own_ = 0;
        int others = arrivals_;
        for (const Message& message : messages)
            for (const Particle& particle : values_of<Particle>(message))
                incoming_.data()[is_own(particle) ? own_++ : --others] = particle;
        if (arrivals_ == 0) return;
        MPCFLOW_CUDA(cudaMemcpyAsync(arrived_.data(), incoming_.data(), arrivals_ * sizeof(Particle),
                                     cudaMemcpyHostToDevice, stream));
    }
    [[nodiscard]] int arrivals() const { return arrivals_; }
    [[nodiscard]] int own() const { return own_; }
    [[nodiscard]] Particle* arrived() const { return arrived_.data(); }

    /// Of `count` particles those of the queue go, and the own ones of receive() come.
    void fill(std::int64_t count, const ParticleColumns<Particle>& particles, cudaStream_t stream) const {
        const std::int64_t room = slots_.size();
        const HoleScratch scratch{scratch_.data(), scratch_.data() + room, scratch_.data() + 2 * room};
        fill_holes<<<1, fill_holes_threads, 0, stream>>>(
            count, left(), static_cast<std::uint32_t>(own_), arrived(),
            static_cast<const std::uint32_t*>(slots_.data()), scratch, particles);
        MPCFLOW_CUDA(cudaGetLastError());
    }

    [[nodiscard]] std::int64_t memory_bytes() const {
        return slots_.bytes() + scratch_.bytes() + arrived_.bytes();
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
    DeviceArray<Particle> arrived_;
    int arrivals_ = 0;
    int own_ = 0;
    PinnedArray<std::uint32_t> told_;  ///< counts_
    PinnedArray<StepReport> told_report_;
    PinnedArray<Particle> outgoing_;  ///< by neighbour
    PinnedArray<Particle> incoming_;
};

}  // namespace mpcflow

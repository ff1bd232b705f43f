#pragma once
/// Particles that leave a domain on a device: those that are off its grid after a step go to the neighbours
/// that have their cell, which all add them to it; the one that owns it keeps them.

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "gpu/cuda_support.cuh"
#include "gpu/device_link.cuh"
#include "gpu/domain_kernels.cuh"
#include "gpu/holes.cuh"
#include "gpu/pinned_memory.cuh"
#include "physics/domain/border.hpp"
#include "physics/domain/exchange.hpp"

namespace mpcflow {

/// Few particles go with the message that tells how many they are. Many, as where flights are long, follow it
/// from device to device, if there is a way.
template <class Particle>
class Migration {
public:
    using Grid = DomainGrid<typename Particle::Real>;

    /// Of a domain of about so many particles.
    Migration(const std::vector<Grid>& neighbours, std::int64_t particles, DeviceLink& link)
        : link_(link),
          grids_(std::ssize(neighbours)),
          counts_(1 + numbers_of_neighbour * grids_.size()),
          hole_counts_(2),
          told_(counts_.size()),
          told_report_(1) {
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
    /// Makes what is in the queue ready for the neighbours, and tells the host how many these are and what
    /// steps have reported, in `stream`. Then the queue is empty.
    void send(const Grid& grid, const ParticleColumns<Particle>& particles, StepReport* report,
              cudaStream_t stream) {
        const int neighbours = static_cast<int>(grids_.size());
        const unsigned blocks = std::min(block_count(slots_.size()), most_blocks);
        pack_leaving<<<blocks, block_size, 0, stream>>>(
            grid, grids_.data(), neighbours, particles, queue(),
            Outgoing<Particle>{for_host(), for_device(), reinterpret_cast<GoingTo*>(counts_.data() + 1)},
            report);
        MPCFLOW_CUDA(cudaGetLastError());
        tell_leaving<<<1, 32, 0, stream>>>(static_cast<int>(counts_.size()), counts_.data(), told_.data(),
                                           report, told_report_.data());
        MPCFLOW_CUDA(cudaGetLastError());
    }

    // When the device has done that:

    [[nodiscard]] const StepReport& report() const { return *told_report_.data(); }
    /// How many particles leave.
    [[nodiscard]] std::uint32_t left() const { return *told_.data(); }
    /// Whether send() had room for them. If not, after grow() the queue is to be filled again.
    [[nodiscard]] bool is_complete() const { return left() <= slots_.size(); }
    void grow() { make_room(left() + left() / 2); }
    /// For each neighbour how many come to it, and if they are few, who.
    [[nodiscard]] std::vector<Message> messages() {
        // What came a step ago is about as long, and needs no new memory.
        std::vector<Message> messages = std::move(messages_);
        messages.resize(grids_.size());
        for (std::size_t n = 0; n < messages.size(); ++n) {
            const int neighbour = static_cast<int>(n);
            const GoingTo to = going_to(neighbour);
            const std::size_t records = goes_by_host() ? std::size_t{to.own} + to.others : 0;
            messages[n].resize(sizeof to + records * sizeof(Particle));
            std::memcpy(messages[n].data(), &to, sizeof to);
            if (records == 0) continue;
            std::byte* const at = messages[n].data() + sizeof to;
            std::memcpy(at, for_host().begin(neighbour), to.own * sizeof(Particle));
            std::memcpy(at + to.own * sizeof(Particle), for_host().end(neighbour) - to.others,
                        to.others * sizeof(Particle));
        }
        return messages;
    }

    /// Brings the particles that came from the neighbours to the device, in `stream`; the first of them those
    /// that are this domain's own. `messages` are what their messages() gave.
    void receive(std::vector<Message> messages, cudaStream_t stream) {
        messages_ = std::move(messages);
        own_ = arrivals_ = 0;
        for (const Message& message : messages_) {
            const GoingTo from = told_by(message);
            own_ += static_cast<int>(from.own);
            arrivals_ += static_cast<int>(from.own + from.others);
        }
        if (incoming_.size() < arrivals_) {
            incoming_ = PinnedArray<Particle>(2 * arrivals_);
            arrived_ = DeviceArray<Particle>(2 * arrivals_);
        }
        std::vector<Piece> by_host, taken;
        int own_at = 0;
        int others_at = own_;
        for (std::size_t n = 0; n < messages_.size(); ++n) {
            const Message& message = messages_[n];
            const GoingTo from = told_by(message);
            std::vector<Piece>& pieces = message.size() == sizeof from ? taken : by_host;
            const std::byte* at = message.data() + sizeof from;
            const auto take = [&](std::uint32_t count, int& to) {
                if (count == 0) return;
                const std::size_t bytes = count * sizeof(Particle);
                if (message.size() > sizeof from) std::memcpy(incoming_.data() + to, at, bytes);
                at += bytes;
                pieces.push_back(
                    {static_cast<int>(n), arrived_.data() + to, static_cast<std::int64_t>(bytes)});
                to += static_cast<int>(count);
            };
            take(from.own, own_at);
            take(from.others, others_at);
        }
        upload(by_host, taken.empty(), stream);
        const std::vector<Piece> given = pieces_given();
        if (!given.empty() || !taken.empty()) link_.trade(given, taken, stream);
    }
    [[nodiscard]] int arrivals() const { return arrivals_; }
    [[nodiscard]] int own() const { return own_; }
    [[nodiscard]] Particle* arrived() const { return arrived_.data(); }

    /// Of `count` particles those of the queue go, and the own ones of receive() come: then the particles are
    /// the first count - left() + own().
    void fill(std::int64_t count, const ParticleColumns<Particle>& particles, cudaStream_t stream) const {
        const std::int64_t room = slots_.size();
        const Holes holes{hole_counts_.data(), scratch_.data(), scratch_.data() + room,
                          scratch_.data() + 2 * room};
        fill_holes(count, left(), static_cast<std::uint32_t>(own_), slots_.data(), arrived(), holes,
                   particles, stream);
    }

    [[nodiscard]] std::int64_t memory_bytes() const {
        return slots_.bytes() + scratch_.bytes() + outgoing_on_device_.bytes() + arrived_.bytes();
    }

private:
    static constexpr unsigned most_blocks = 64;
    static constexpr std::int64_t numbers_of_neighbour = sizeof(GoingTo) / sizeof(std::uint32_t);
    static_assert(alignof(GoingTo) == alignof(std::uint32_t));
    /// Chosen, not measured: copies through the memory of the host take longer with each byte, but a kernel
    /// of NCCL takes multiprocessors from the tiles beside it
    /// (docs/decisions/2026-11-28-particles-between-cards.md).
    static constexpr std::int64_t most_bytes_by_host = std::int64_t{512} << 10;

    void make_room(std::int64_t particles) {
        slots_ = DeviceArray<std::uint32_t>(particles);
        scratch_ = DeviceArray<std::uint32_t>(3 * particles);
        const bool can_trade = link_.can_trade();
        const std::int64_t most = most_bytes_by_host / static_cast<std::int64_t>(sizeof(Particle));
        room_by_host_ = static_cast<std::uint32_t>(can_trade ? std::min(particles, most) : particles);
        outgoing_ = PinnedArray<Particle>(grids_.size() * room_by_host_);
        outgoing_on_device_ = DeviceArray<Particle>(can_trade ? grids_.size() * particles : 0);
    }
    [[nodiscard]] Outboxes<Particle> for_host() const { return {outgoing_.data(), room_by_host_}; }
    [[nodiscard]] Outboxes<Particle> for_device() const {
        return {outgoing_on_device_.data(), static_cast<std::uint32_t>(slots_.size())};
    }
    [[nodiscard]] bool goes_by_host() const { return left() <= room_by_host_; }
    [[nodiscard]] GoingTo going_to(int neighbour) const {
        const std::uint32_t* const numbers = told_.data() + 1 + numbers_of_neighbour * neighbour;
        return {numbers[0], numbers[1]};
    }
    [[nodiscard]] static GoingTo told_by(const Message& message) {
        GoingTo from{};
        std::memcpy(&from, message.data(), sizeof from);
        return from;
    }
    /// What goes from device to device.
    [[nodiscard]] std::vector<Piece> pieces_given() const {
        std::vector<Piece> given;
        if (goes_by_host()) return given;
        for (int n = 0; n < static_cast<int>(grids_.size()); ++n) {
            const auto give = [&](std::uint32_t count, Particle* from) {
                if (count > 0)
                    given.push_back({n, from, static_cast<std::int64_t>(count * sizeof(Particle))});
            };
            const GoingTo to = going_to(n);
            give(to.own, for_device().begin(n));
            give(to.others, for_device().end(n) - to.others);
        }
        return given;
    }
    /// Pieces of arrived_, from the same places of incoming_.
    void upload(const std::vector<Piece>& pieces, bool are_all, cudaStream_t stream) const {
        const auto copy = [&](void* to, std::int64_t bytes) {
            const std::ptrdiff_t at = static_cast<Particle*>(to) - arrived_.data();
            MPCFLOW_CUDA(cudaMemcpyAsync(to, incoming_.data() + at, static_cast<std::size_t>(bytes),
                                         cudaMemcpyHostToDevice, stream));
        };
        if (!are_all)
            for (const Piece& piece : pieces) copy(piece.data, piece.bytes);
        else if (arrivals_ > 0) copy(arrived_.data(), std::int64_t{arrivals_} * sizeof(Particle));
    }

    DeviceLink& link_;
    DeviceArray<Grid> grids_;
    DeviceArray<std::uint32_t> counts_;       ///< of the queue; GoingTo of each neighbour
    DeviceArray<std::uint32_t> hole_counts_;  ///< Holes::counts
    DeviceArray<std::uint32_t> slots_;
    DeviceArray<std::uint32_t> scratch_;  ///< of Holes
    DeviceArray<Particle> outgoing_on_device_;
    DeviceArray<Particle> arrived_;
    int arrivals_ = 0;
    int own_ = 0;
    PinnedArray<std::uint32_t> told_;  ///< counts_
    PinnedArray<StepReport> told_report_;
    std::uint32_t room_by_host_ = 0;  ///< if more leave, they go from device to device
    PinnedArray<Particle> outgoing_;
    PinnedArray<Particle> incoming_;
    std::vector<Message> messages_;  ///< that came
};

}  // namespace mpcflow

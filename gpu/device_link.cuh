#pragma once
/// How sums of shared cells, and particles where they are many, get from a domain's device to those of its
/// neighbours.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "gpu/pinned_memory.cuh"
#include "physics/domain/exchange.hpp"

namespace mpcflow {

/// Memory of a device that a neighbour gets, or fills.
struct Piece {
    int neighbour;  ///< its place among the neighbours
    void* data;
    std::int64_t bytes;
};

/// Between domains, which all call begin() and end() alike.
class DeviceLink {
public:
    DeviceLink() = default;
    virtual ~DeviceLink() = default;
    DeviceLink(const DeviceLink&) = delete;
    DeviceLink& operator=(const DeviceLink&) = delete;

    /// What goes to the neighbours and what has come from them, one after the other; kernels write and read
    /// it.
    [[nodiscard]] virtual double* outbox() const = 0;
    [[nodiscard]] virtual const double* inbox() const = 0;

    /// Called when kernels that fill the outbox are launched in `stream`, and not yet done. Does not keep
    /// kernels that are launched there afterwards from running.
    virtual void begin(cudaStream_t stream) = 0;
    /// Called when they are done. Kernels that are launched in `stream` afterwards find what came in the
    /// inbox.
    virtual void end(cudaStream_t stream) = 0;

    /// Whether it can trade(): from device to device, and of all domains alike.
    [[nodiscard]] virtual bool can_trade() const = 0;
    /// Gives neighbours pieces and takes others from them: of each neighbour as many, of the same bytes and
    /// in the same order, as that one gives to this domain. Kernels that are launched in `stream` before it
    /// write what is given, and those afterwards find what was taken.
    virtual void trade(std::span<const Piece> given, std::span<const Piece> taken, cudaStream_t stream) = 0;
};

/// By way of the host's memory, and of whatever connects domains.
class LinkThroughHost final : public DeviceLink {
public:
    /// `lengths`: numbers for each of the neighbours, and from it. `exchange` must outlive it.
    LinkThroughHost(Exchange& exchange, std::vector<int> neighbours, std::vector<std::int64_t> lengths)
        : exchange_(exchange),
          neighbours_(std::move(neighbours)),
          lengths_(std::move(lengths)),
          outbox_(sum()),
          inbox_(sum()) {}

    [[nodiscard]] double* outbox() const override { return outbox_.data(); }
    [[nodiscard]] const double* inbox() const override { return inbox_.data(); }

    void begin(cudaStream_t /*stream*/) override {}

    void end(cudaStream_t /*stream*/) override {
        std::vector<Message> messages;
        const double* from = outbox_.data();
        for (const std::int64_t length : lengths_) {
            messages.push_back(message_of(std::span(from, static_cast<std::size_t>(length))));
            from += length;
        }
        messages = exchange_.trade(neighbours_, std::move(messages));
        std::byte* to = std::as_writable_bytes(inbox_.all()).data();
        for (const Message& message : messages) to = std::copy(message.begin(), message.end(), to);
    }

    [[nodiscard]] bool can_trade() const override { return false; }
    void trade(std::span<const Piece> /*given*/, std::span<const Piece> /*taken*/,
               cudaStream_t /*stream*/) override {
        throw std::logic_error("LinkThroughHost: no way from device to device");
    }

private:
    [[nodiscard]] std::int64_t sum() const {
        std::int64_t sum = 0;
        for (const std::int64_t length : lengths_) sum += length;
        return sum;
    }

    Exchange& exchange_;
    std::vector<int> neighbours_;
    std::vector<std::int64_t> lengths_;
    PinnedArray<double> outbox_;
    PinnedArray<double> inbox_;
};

/// By NCCL, from device to device; of a build that has it (nccl_version()), and with a device for each
/// domain.
[[nodiscard]] std::unique_ptr<DeviceLink> make_nccl_link(Exchange& exchange, std::vector<int> neighbours,
                                                         std::vector<std::int64_t> lengths);

/// The faster of both that all domains can use; all call it alike, with their devices current.
[[nodiscard]] std::unique_ptr<DeviceLink> make_device_link(Exchange& exchange,
                                                           const std::vector<int>& neighbours,
                                                           const std::vector<std::int64_t>& lengths);

}  // namespace mpcflow

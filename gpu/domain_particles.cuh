#pragma once
/// The memory of a domain's particles on a device, and where its tiles begin in it.

#include <algorithm>
#include <cstdint>
#include <vector>

#include "gpu/copy_kernels.cuh"
#include "gpu/cuda_support.cuh"
#include "gpu/domain_kernels.cuh"
#include "gpu/particle_columns.cuh"
#include "gpu/pinned_memory.cuh"

namespace mpcflow {

/// Particles are the first count() of the memory. Those that were there at the last re-ordering lie in tiles;
/// those that have come since lie behind them or in the places of others, and make tiles of no place
/// (LooseTiles), which advance_tiles takes through a step like any other.
template <class Particle>
class DomainParticles {
public:
    /// `deep_end`: the number behind that of the last deep tile. `are_left_over`: whether any may be
    /// left over (left_over.hpp).
    DomainParticles(int tiles, int deep_end, bool are_left_over)
        : tiles_(tiles),
          deep_end_(deep_end),
          are_left_over_(are_left_over),
          told_deep_end_(1),
          starts_(tiles + 1 + LooseTiles::most),
          next_starts_(starts_.size()) {
        starts_.clear();  // read before it is written where tiles end
        *told_deep_end_.data() = 0;
    }

    [[nodiscard]] std::int64_t count() const { return count_; }
    /// For so many particles there is memory.
    [[nodiscard]] std::int64_t room() const { return room_; }
    [[nodiscard]] ParticleColumns<Particle> columns() const { return particles_.columns(); }
    /// Where a step that re-orders puts them.
    [[nodiscard]] ParticleColumns<Particle> reordered() const { return reordered_.columns(); }
    /// Room for as many records as there are particles; between steps nothing is in it.
    [[nodiscard]] Particle* spare() const { return reordered_.records(); }
    /// Of the tiles, and of those of no place.
    [[nodiscard]] const std::uint32_t* starts() const { return starts_.data(); }
    /// Those of the tiles after a step that re-orders.
    [[nodiscard]] std::uint32_t* next_starts() const { return next_starts_.data(); }
    /// Room for a number for each particle, if any may be left over.
    [[nodiscard]] std::uint32_t* left_over() const { return left_over_.data(); }
    [[nodiscard]] std::int64_t memory_bytes() const {
        return particles_.bytes() + reordered_.bytes() + starts_.bytes() + next_starts_.bytes() +
               left_over_.bytes();
    }

    /// Makes room for `wanted` particles; those that are there stay.
    void make_room(std::int64_t wanted) {
        if (wanted <= room_) return;
        const std::int64_t room = std::max(wanted, room_ + room_ / 4);
        reordered_ = ParticleMemory<Particle>(0);
        left_over_ = DeviceArray<std::uint32_t>(0);
        ParticleMemory<Particle> larger(room);
        if (count_ > 0) {
            move_particles<<<block_count(count_), block_size>>>(count_, columns(), larger.columns());
            MPCFLOW_CUDA(cudaGetLastError());
        }
        particles_.swap(larger);
        larger = ParticleMemory<Particle>(0);
        reordered_ = ParticleMemory<Particle>(room);
        left_over_ = DeviceArray<std::uint32_t>(are_left_over_ ? room : 0);
        room_ = room;
    }
    /// The first `count` particles of the memory are those that there are.
    void set_count(std::int64_t count) {
        count_ = count;
        ordered_ = std::min(ordered_, count);
    }
    /// They are in no order.
    void forget_order() { ordered_ = 0; }

    /// Of an initial state of `all` particles those in the own cells of a grid, in no order.
    template <class Grid>
    void create(const InitialState& initial, std::int64_t all, const Grid& grid) {
        const DeviceArray<unsigned long long> counter(1);
        for (bool has_room = false; !has_room;) {
            counter.clear();
            create_own_particles<<<block_count(all), block_size>>>(initial, all, grid, room_, columns(),
                                                                   counter.data());
            MPCFLOW_CUDA(cudaGetLastError());
            const auto found = static_cast<std::int64_t>(counter.first());
            has_room = found <= room_;
            make_room(found);
            if (has_room) count_ = found;
        }
    }
    /// Other particles, in no order.
    void take(const std::vector<Particle>& records) {
        count_ = ordered_ = 0;
        make_room(std::ssize(records));
        count_ = std::ssize(records);
        MPCFLOW_CUDA(
            cudaMemcpy(spare(), records.data(), records.size() * sizeof(Particle), cudaMemcpyHostToDevice));
        take_records<<<block_count(count_), block_size>>>(count_, spare(), columns());
        MPCFLOW_CUDA(cudaGetLastError());
    }
    /// Collects them in spare(), in any order.
    void give() const {
        if (count_ == 0) return;
        give_records<<<block_count(count_), block_size>>>(count_, columns(), spare());
        MPCFLOW_CUDA(cudaGetLastError());
    }

    /// Ends the tiles where the particles that lie in them do, and makes those of no place of the others.
    void end_tiles(cudaStream_t stream) {
        const LooseTiles loose(count_ - ordered_);
        end_tile_starts<<<block_count(tiles_ + 1 + loose.count), block_size, 0, stream>>>(
            tiles_, loose, static_cast<std::uint32_t>(ordered_), static_cast<std::uint32_t>(count_),
            deep_end_, starts_.data(), told_deep_end_.data());
        MPCFLOW_CUDA(cudaGetLastError());
        loose_tiles_ = loose.count;
        is_new_order_ = false;
    }
    /// Whether a particle from number `first` on may be of a deep tile. The device has done what end_tiles()
    /// launched before; from take_reordered() to the next end_tiles() any may be.
    [[nodiscard]] bool may_be_deep(std::int64_t first) const {
        return is_new_order_ || first < std::int64_t{*told_deep_end_.data()};
    }
    /// Those of no place.
    [[nodiscard]] int loose_tiles() const { return loose_tiles_; }
    /// A step has put them into reordered(), tile by tile.
    void take_reordered() {
        particles_.swap(reordered_);
        starts_.swap(next_starts_);
        ordered_ = count_;
        is_new_order_ = true;
    }

private:
    int tiles_;
    int deep_end_;
    bool are_left_over_;
    PinnedArray<std::uint32_t> told_deep_end_;
    std::int64_t count_ = 0;
    std::int64_t room_ = 0;
    std::int64_t ordered_ = 0;  ///< of them, the first ones, that lie in the order of tiles
    int loose_tiles_ = 0;
    bool is_new_order_ = false;
    ParticleMemory<Particle> particles_{0};
    ParticleMemory<Particle> reordered_{0};
    DeviceArray<std::uint32_t> starts_;
    DeviceArray<std::uint32_t> next_starts_;
    DeviceArray<std::uint32_t> left_over_;
};

}  // namespace mpcflow

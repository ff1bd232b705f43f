#pragma once
/// The kernels of what domains give each other after a step: sums of cells that several have, and particles
/// that change domains.

#include <algorithm>
#include <cstdint>

#include "gpu/cell_kernels.cuh"
#include "gpu/cuda_support.cuh"
#include "gpu/leaving_particles.cuh"
#include "gpu/particle_columns.cuh"
#include "gpu/record_access.cuh"
#include "gpu/step_report.cuh"
#include "physics/cell_draws.hpp"
#include "physics/initial_state.hpp"
#include "physics/step.hpp"

namespace mpcflow {

/// Cells that a domain shares with its neighbours, `count` of them, one neighbour after the other; a cell may
/// be there for several.
struct SharedCells {
    const int* cells;
    std::int64_t count;
    /// By cell: how many of this domain's own particles are in it. Kept for shared cells alone; in others all
    /// particles are its own.
    std::uint32_t* own_numbers;
};

/// Of each shared cell writes the sums of this domain's particles to `outbox`, and keeps their number.
template <class Law>
__global__ void __launch_bounds__(block_size)
    pack_sums(SharedCells shared, const SumRow<Law>* __restrict__ rows, double* __restrict__ outbox) {
    constexpr int K = Law::sum_count;
    const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * block_size + threadIdx.x;
    if (i >= shared.count * K) return;
    const int cell = shared.cells[i / K];
    const double sum = rows[cell].value[i % K];
    outbox[i] = sum;
    if (i % K == 0) shared.own_numbers[cell] = static_cast<std::uint32_t>(sum);
}

/// Adds what neighbours sent. The sums are exact, so that it does not matter in which order.
template <class Law>
__global__ void __launch_bounds__(block_size)
    unpack_sums(SharedCells shared, const double* __restrict__ inbox, SumRow<Law>* __restrict__ rows) {
    constexpr int K = Law::sum_count;
    const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * block_size + threadIdx.x;
    if (i >= shared.count * K) return;
    const double sum = inbox[i];
    if (sum != 0.0) atomicAdd(rows[shared.cells[i / K]].value + i % K, sum);
}

/// Puts the numbers of this domain's own particles in the place of those of all, by rank.
static __global__ void __launch_bounds__(block_size)
    keep_own_numbers(SharedCells shared, const __grid_constant__ TiledOrder order,
                     std::uint32_t* __restrict__ numbers) {
    const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * block_size + threadIdx.x;
    if (i >= shared.count) return;
    const int cell = shared.cells[i];
    numbers[order.rank(cell)] = shared.own_numbers[cell];
}

/// Tiles of no place, of particles that have come since the last re-ordering: at most so many, and all but
/// the last of as many particles each.
struct LooseTiles {
    static constexpr int most = 4096;
    static constexpr std::int64_t least_length = 512;

    std::uint32_t length;
    int count;

    explicit LooseTiles(std::int64_t particles)
        : length(static_cast<std::uint32_t>(std::max(least_length, (particles + most - 1) / most))),
          count(static_cast<int>((particles + length - 1) / length)) {}
};

/// Of the tiles' particles the first `ordered` are there; those behind, up to `count`, make the loose ones.
/// Tells where tile `deep_end` begins.
static __global__ void __launch_bounds__(block_size)
    end_tile_starts(int tiles, LooseTiles loose, std::uint32_t ordered, std::uint32_t count, int deep_end,
                    std::uint32_t* __restrict__ starts, std::uint32_t* __restrict__ told_deep_end) {
    const int tile = static_cast<int>(blockIdx.x * block_size + threadIdx.x);
    if (tile <= tiles) {
        // Deep tiles may read theirs at that time, and what is written there is no other.
        if (starts[tile] > ordered) starts[tile] = ordered;
        if (tile == deep_end) *told_deep_end = starts[tile];
    } else if (tile <= tiles + loose.count)
        starts[tile] = min(ordered + static_cast<std::uint32_t>(tile - tiles) * loose.length, count);
}

/// Of the particles that go to a neighbour how many become its own; the others it only adds to its cells.
struct GoingTo {
    std::uint32_t own;
    std::uint32_t others;
};

/// The particles that leave to cells of neighbours' grids. Each neighbour has a box with room for as many:
/// first are those that become its own, and at the end the others.
template <class Particle>
struct Outboxes {
    Particle* records;
    std::uint32_t room;

    [[nodiscard]] MPCFLOW_HD Particle* begin(int neighbour) const {
        return records + std::int64_t{room} * neighbour;
    }
    [[nodiscard]] MPCFLOW_HD Particle* end(int neighbour) const { return begin(neighbour + 1); }
};

/// They are for the host if that many go there, else for the device.
template <class Particle>
struct Outgoing {
    Outboxes<Particle> for_host;
    Outboxes<Particle> for_device;
    GoingTo* counts;  ///< by neighbour
};

/// Writes the particles of the queue for the neighbours that have their cell; if there are more than the
/// queue has room for, does nothing. One whose new owner is no neighbour flew further than any may: a fault.
template <class Particle, class Grid>
__global__ void __launch_bounds__(block_size)
    pack_leaving(const __grid_constant__ Grid grid, const Grid* __restrict__ neighbours, int neighbour_count,
                 const __grid_constant__ ParticleColumns<Particle> particles, LeavingQueue queue,
                 Outgoing<Particle> outgoing, StepReport* __restrict__ report) {
    const std::uint32_t count = *queue.count;
    if (count > queue.room) return;
    const Outboxes<Particle> boxes =
        count <= outgoing.for_host.room ? outgoing.for_host : outgoing.for_device;
    for (std::uint32_t i = blockIdx.x * block_size + threadIdx.x; i < count; i += gridDim.x * block_size) {
        const Particle particle = particles[queue.slots[i]];
        const Vec3<int> cell = grid.locate_in_box(particle.position);
        const int owner = grid.owner_of(cell);
        bool is_owned = false;
        for (int n = 0; n < neighbour_count; ++n) {
            if (neighbours[n].find(cell) == no_cell) continue;
            const bool is_its_own = neighbours[n].number() == owner;
            is_owned |= is_its_own;
            GoingTo& to = outgoing.counts[n];
            if (is_its_own) boxes.begin(n)[atomicAdd(&to.own, 1U)] = particle;
            else *(boxes.end(n) - 1 - atomicAdd(&to.others, 1U)) = particle;
        }
        if (!is_owned) atomicOr(&report->faults, fault_speed);
    }
}

/// Tells the host how many leave in all and to whom, and what steps have reported, which deep tiles may
/// change meanwhile; the counts are zero then. One warp.
static __global__ void tell_leaving(int counts, std::uint32_t* __restrict__ count,
                                    std::uint32_t* __restrict__ told, StepReport* report,
                                    StepReport* __restrict__ told_report) {
    for (int i = static_cast<int>(threadIdx.x); i < counts; i += 32) {
        told[i] = count[i];
        count[i] = 0;
    }
    if (threadIdx.x == 0) *told_report = *report;
}

/// Finds the particles that leave again, where the queue had no room for all.
template <class Particle, class Grid>
__global__ void __launch_bounds__(block_size)
    find_leaving(const __grid_constant__ Grid grid, std::int64_t count,
                 const __grid_constant__ ParticleColumns<Particle> particles, LeavingQueue queue) {
    const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * block_size + threadIdx.x;
    if (i < count && grid.locate(particles.motion(i).position).cell == no_cell)
        queue.push(static_cast<std::uint32_t>(i));
}

/// Contributes particles of other domains that left their grids to cells of this one. The first `own` become
/// this domain's, and have then what all of them have (TakesVelocities).
template <class Law, class Particle, class Grid>
__global__ void __launch_bounds__(block_size)
    contribute_arrivals(const __grid_constant__ StepPlan<Law, Grid> plan, int count, int own,
                        Particle* __restrict__ arrivals, CellDraws<Law> draws, SumRow<Law>* __restrict__ rows,
                        std::uint32_t* __restrict__ own_numbers) {
    const int i = static_cast<int>(blockIdx.x * block_size + threadIdx.x);
    if (i >= count) return;
    const Particle particle = arrivals[i];
    const auto place = plan.next_grid.locate(particle.position);
    const auto draw = draws.next(place.cell, LoadConstant{});
    const typename Law::Sums sums = plan.contribute(particle, place, draw);
#pragma unroll
    for (int k = 0; k < Law::sum_count; ++k) atomicAdd(rows[place.cell].value + k, sums.value[k]);
    if (i >= own) return;
    atomicAdd(own_numbers + place.cell, 1U);
    if constexpr (TakesVelocities<Law>) {
        if (plan.are_taken) arrivals[i].velocity = plan.take(particle);
    }
}

/// The particles of the initial state that begin in this domain's own cells, in any order; `count` counts
/// them, also those for which there is no room.
template <class Particle, class Grid>
__global__ void __launch_bounds__(block_size)
    create_own_particles(const __grid_constant__ InitialState initial, std::int64_t all,
                         const __grid_constant__ Grid grid, std::int64_t room,
                         const __grid_constant__ ParticleColumns<Particle> particles,
                         unsigned long long* __restrict__ count) {
    const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * block_size + threadIdx.x;
    if (i >= all) return;
    const Particle particle = initial.particle<Particle>(static_cast<std::uint64_t>(i));
    if (grid.owner(particle.position) != grid.number()) return;
    const auto slot = static_cast<std::int64_t>(atomicAdd(count, 1ULL));
    if (slot < room) particles.set(slot, particle);
}

/// Columns -> columns of other memory, or records.
template <class Particle>
__global__ void __launch_bounds__(block_size)
    move_particles(std::int64_t count, const __grid_constant__ ParticleColumns<Particle> from,
                   const __grid_constant__ ParticleColumns<Particle> to) {
    const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * block_size + threadIdx.x;
    if (i < count) to.set(i, from[i]);
}
template <class Particle>
__global__ void __launch_bounds__(block_size)
    give_records(std::int64_t count, const __grid_constant__ ParticleColumns<Particle> from,
                 Particle* __restrict__ to) {
    const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * block_size + threadIdx.x;
    if (i < count) to[i] = from[i];
}

}  // namespace mpcflow

#include "gpu/bench/run_keys.cuh"

#include <numeric>

#include "physics/collision/srd.hpp"
#include "physics/initial_state.hpp"
#include "physics/particle.hpp"
#include "physics/step.hpp"

namespace mpcflow::bench {

namespace {

// The solvers' step by the functions that they share (physics/step.hpp), but in the plainest kernels, so that
// this need not follow all that is done to those of the device solver. Since the order of adding does not
// matter to the bits, particles go the same ways; that the total momentum is not taken off at the start makes
// no difference here.

using Law = Srd<double, Scaling::none>;
using Particle = ParticleDouble;
using Plan = StepPlan<Law>;

__device__ std::int64_t thread_number() {
    return static_cast<std::int64_t>(blockIdx.x) * block_size + threadIdx.x;
}

__device__ void contribute(const Plan& plan, const Particle& particle, Law::Sums* sums) {
    const auto place = plan.next_grid.locate(particle.position);
    const Law::Sums contribution = plan.contribute(particle, place, {});
    for (int k = 0; k < Law::sum_count; ++k) atomicAdd(sums[place.cell].value + k, contribution.value[k]);
}

__global__ void __launch_bounds__(block_size)
    begin_run(const __grid_constant__ Plan plan, const __grid_constant__ InitialState initial,
              std::int64_t count, Particle* particles, Law::Sums* sums) {
    const std::int64_t i = thread_number();
    if (i >= count) return;
    particles[i] = initial.particle<Particle>(static_cast<std::uint64_t>(i));
    contribute(plan, particles[i], sums);
}

/// Sums -> actions, and the numbers of particles, to be scanned into slots.
__global__ void __launch_bounds__(block_size)
    resolve_plainly(const __grid_constant__ Plan plan, int cells, Law::Sums* sums, CellAction<Law>* actions,
                    std::uint32_t* numbers, std::uint32_t* faults) {
    const auto cell = static_cast<int>(thread_number());
    if (cell >= cells) return;
    CellAction<Law> action{};
    action.set_draw(Law::draw(plan.key(cell)));
    std::uint32_t found = no_fault;
    action.transform = plan.resolve_plain(cell, sums[cell], action.draw(), found);
    actions[cell] = action;
    numbers[cell] = static_cast<std::uint32_t>(sums[cell].value[0]);
    sums[cell] = {};
    if (found != no_fault) atomicOr(faults, found);
}

/// Each particle to its own slot or, where `slots` is given, to the next one of its cell.
__global__ void __launch_bounds__(block_size)
    advance_plainly(const __grid_constant__ Plan plan, std::int64_t count, const Particle* from, Particle* to,
                    const CellAction<Law>* actions, Law::Sums* sums, std::uint32_t* slots,
                    std::uint32_t* faults) {
    const std::int64_t i = thread_number();
    if (i >= count) return;
    Particle particle = from[i];
    const auto place = plan.grid.locate(particle.position);
    std::uint32_t found = no_fault;
    plan.collide_and_stream(particle, place, actions[place.cell], found);
    to[slots == nullptr ? i : atomicAdd(slots + place.cell, 1U)] = particle;
    contribute(plan, particle, sums);
    if (found != no_fault) atomicOr(faults, found);
}

__global__ void __launch_bounds__(block_size)
    note_cells(const __grid_constant__ CellGrid<double> grid, std::int64_t count, const Particle* particles,
               std::int32_t* cells) {
    const std::int64_t i = thread_number();
    if (i < count) cells[i] = grid.locate(particles[i].position).cell;
}

enum class Order { kept, renewed };

class Run {
public:
    Run(int edge, double density)
        : system_(system_of(edge, density)),
          plan_(Law(system_), system_),
          count_(system_.particle_count()),
          cells_(static_cast<int>(plan_.next_grid.cell_count())),
          particles_(count_),
          reordered_(count_),
          sums_(cells_),
          actions_(cells_),
          slots_(cells_),
          faults_(1) {
        faults_.clear();
        sums_.clear();
        begin_run<<<block_count(count_), block_size>>>(plan_, InitialState(system_), count_,
                                                       particles_.data(), sums_.data());
        MPCFLOW_CUDA(cudaGetLastError());
    }

    void step(Order order) {
        plan_.begin_step(system_, step_++);
        resolve_plainly<<<block_count(cells_), block_size>>>(plan_, cells_, sums_.data(), actions_.data(),
                                                             slots_.data(), faults_.data());
        MPCFLOW_CUDA(cudaGetLastError());
        const bool reorders = order == Order::renewed;
        if (reorders) number_places();
        advance_plainly<<<block_count(count_), block_size>>>(
            plan_, count_, particles_.data(), reorders ? reordered_.data() : particles_.data(),
            actions_.data(), sums_.data(), reorders ? slots_.data() : nullptr, faults_.data());
        MPCFLOW_CUDA(cudaGetLastError());
        if (reorders) particles_.swap(reordered_);
    }

    /// The cells in which the particles will next collide.
    [[nodiscard]] DeviceArray<std::int32_t> cells() const {
        DeviceArray<std::int32_t> cells(count_);
        note_cells<<<block_count(count_), block_size>>>(plan_.next_grid, count_, particles_.data(),
                                                        cells.data());
        MPCFLOW_CUDA(cudaGetLastError());
        return cells;
    }

    void check_faults() const {
        std::uint32_t faults = no_fault;
        faults_.download(&faults, 0, 1);
        throw_on_faults(faults & ~notice_fast, static_cast<std::int64_t>(step_), system_);
    }

private:
    static System system_of(int edge, double density) {
        System system;
        system.fluid.density = density;
        system.box.size = {edge, edge, edge};
        return system;
    }

    /// Numbers of particles of the cells -> where each cell's particles begin. Once a run, so that the host
    /// is fast enough for it.
    void number_places() {
        std::vector<std::uint32_t> slots(static_cast<std::size_t>(cells_));
        slots_.download(slots.data(), 0, cells_);
        std::exclusive_scan(slots.begin(), slots.end(), slots.begin(), std::uint32_t{0});
        slots_.upload(slots.data(), cells_);
    }

    System system_;
    Plan plan_;
    std::uint64_t step_ = 0;
    std::int64_t count_;
    int cells_;
    DeviceArray<Particle> particles_;
    DeviceArray<Particle> reordered_;
    DeviceArray<Law::Sums> sums_;
    DeviceArray<CellAction<Law>> actions_;
    DeviceArray<std::uint32_t> slots_;
    DeviceArray<std::uint32_t> faults_;
};

}  // namespace

std::vector<AgedKeys> keys_of_run(int edge, const std::vector<int>& ages, double density) {
    Run run(edge, density);
    run.step(Order::renewed);
    std::vector<AgedKeys> result;
    int age = 0;
    for (const int wanted : ages) {
        for (; age < wanted; ++age) run.step(Order::kept);
        result.push_back({age, run.cells()});
    }
    run.check_faults();
    return result;
}

AgedKeys keys_without_order(int edge, double density) { return {0, Run(edge, density).cells()}; }

}  // namespace mpcflow::bench

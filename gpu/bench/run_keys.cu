#include "gpu/bench/run_keys.cuh"

#include <cub/device/device_scan.cuh>

#include "gpu/step_kernels.cuh"
#include "physics/collision/srd.hpp"
#include "physics/particle.hpp"

namespace mpcflow::bench {

namespace {

using Law = Srd<double, ThermostatKind::none>;
using Particle = ParticleDouble;

__global__ void __launch_bounds__(block_size)
    note_cells(const __grid_constant__ CellGrid<double> grid, std::int64_t count, const Particle* particles,
               std::int32_t* cells) {
    const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * block_size + threadIdx.x;
    if (i < count) cells[i] = grid.locate(particles[i].position).cell;
}

/// The device solver's step, by its own kernels, without all that it does besides.
class Run {
public:
    explicit Run(int edge)
        : system_(system_of(edge)),
          plan_(Law(system_), system_),
          count_(system_.particle_count()),
          cells_(static_cast<int>(plan_.next_grid.cell_count())),
          particles_(count_),
          reordered_(count_),
          sums_(cells_),
          actions_(cells_),
          places_(cells_),
          faults_(1) {
        faults_.clear();
        sums_.clear();
        create_particles<<<block_count(count_), block_size>>>(InitialState(system_), count_, particles_.data());
        MPCFLOW_CUDA(cudaGetLastError());
        contribute_particles<Law, Particle, Summation::peers>
            <<<block_count(count_), block_size>>>(plan_, count_, particles_.data(), no_draws, sums_.data());
        MPCFLOW_CUDA(cudaGetLastError());
    }

    template <bool reorders>
    void step() {
        plan_.begin_step(system_, step_++);
        resolve_cells<<<block_count(cells_), block_size>>>(plan_, cells_, sums_.data(), actions_.data(), no_draws,
                                                           reorders ? places_.data() : nullptr, faults_.data());
        MPCFLOW_CUDA(cudaGetLastError());
        if (reorders) number_places();
        advance_particles<Law, Particle, Summation::peers, reorders><<<block_count(count_), block_size>>>(
            plan_, count_, particles_.data(), reorders ? reordered_.data() : particles_.data(), actions_.data(), no_draws,
            sums_.data(), places_.data(), faults_.data());
        MPCFLOW_CUDA(cudaGetLastError());
        if (reorders) particles_.swap(reordered_);
    }

    /// The cells in which the particles will next collide.
    [[nodiscard]] DeviceArray<std::int32_t> cells() const {
        DeviceArray<std::int32_t> cells(count_);
        note_cells<<<block_count(count_), block_size>>>(plan_.next_grid, count_, particles_.data(), cells.data());
        MPCFLOW_CUDA(cudaGetLastError());
        return cells;
    }

    void check_faults() const {
        std::uint32_t faults = no_fault;
        faults_.download(&faults, 0, 1);
        if (faults != no_fault) throw SimulationFault("bench kernels: the run whose cells are measured went wrong");
    }

private:
    static System system_of(int edge) {
        System system;
        system.box.size = {edge, edge, edge};
        return system;
    }

    /// Numbers of particles of the cells -> where each cell's particles begin.
    void number_places() {
        std::size_t bytes = 0;
        MPCFLOW_CUDA(cub::DeviceScan::ExclusiveSum(nullptr, bytes, places_.data(), places_.data(), cells_));
        const DeviceArray<char> scratch(static_cast<std::int64_t>(bytes));
        MPCFLOW_CUDA(cub::DeviceScan::ExclusiveSum(scratch.data(), bytes, places_.data(), places_.data(), cells_));
    }

    /// For laws that draw before they sum.
    static constexpr PaddedDraw<Law>* no_draws = nullptr;

    System system_;
    StepPlan<Law> plan_;
    std::uint64_t step_ = 0;
    std::int64_t count_;
    int cells_;
    DeviceArray<Particle> particles_;
    DeviceArray<Particle> reordered_;
    DeviceArray<SumRow<Law>> sums_;
    DeviceArray<CellAction<Law>> actions_;
    DeviceArray<std::uint32_t> places_;
    DeviceArray<std::uint32_t> faults_;
};

}  // namespace

std::vector<AgedKeys> keys_of_run(int edge, const std::vector<int>& ages) {
    Run run(edge);
    run.step<true>();
    std::vector<AgedKeys> result;
    int age = 0;
    for (const int wanted : ages) {
        for (; age < wanted; ++age) run.step<false>();
        result.push_back({age, run.cells()});
    }
    run.check_faults();
    return result;
}

}  // namespace mpcflow::bench

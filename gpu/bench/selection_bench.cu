/// Collecting the particles of a region, as output.trajectory does, against CUB's DeviceSelect.

#include <algorithm>

#include "gpu/bench/library_ways.cuh"
#include "gpu/bench/measure.hpp"
#include "gpu/bench/timing.cuh"
#include "gpu/selection_kernels.cuh"
#include "physics/particle.hpp"

namespace mpcflow {

namespace bench {

namespace {

using Particle = ParticleDouble;
using Columns = ParticleColumns<Particle>;
constexpr std::uint64_t density = 10;

/// Where particles are in memory: those of a cell together and cells in rows, as after a re-ordering, or
/// anywhere.
enum class Order { of_cells, none };

__device__ double random_part(std::uint64_t particle, std::uint64_t stream) {
    return static_cast<double>(mix(8 * particle + stream) >> 11U) * 0x1p-53;
}

/// Ten particles in each cell of a cube.
__global__ void __launch_bounds__(block_size)
    make_particles(std::int64_t count, Order order, std::uint64_t edge,
                   const __grid_constant__ Columns particles) {
    const auto i = static_cast<std::uint64_t>(blockIdx.x) * block_size + threadIdx.x;
    if (i >= static_cast<std::uint64_t>(count)) return;
    const std::uint64_t cells = edge * edge * edge;
    const std::uint64_t cell = order == Order::of_cells ? i / density : mix(i) % cells;
    Particle particle{};
    particle.position = {static_cast<double>(cell % edge) + random_part(i, 1),
                         static_cast<double>(cell / edge % edge) + random_part(i, 2),
                         static_cast<double>(cell / edge / edge) + random_part(i, 3)};
    particle.velocity = {random_part(i, 4), random_part(i, 5), random_part(i, 6)};
    particle.label = Particle::Label::make(i, 0);
    particles.set(static_cast<std::int64_t>(i), particle);
}

/// A cube in a corner of the box, whose edge is so much of the box's, holds this part of the particles.
struct Part {
    double percent;
    double edge;
};
constexpr Part parts[] = {{0.1, 0.1}, {1.0, 0.21544}, {10.0, 0.46416}, {50.0, 0.79370}, {100.0, 1.0}};

/// Number and contents of selected particles, whatever their order.
struct Selected {
    unsigned long long count;
    unsigned long long checksum;

    friend bool operator==(const Selected&, const Selected&) = default;
};

__device__ unsigned long long mixed(const Particle& particle) {
    unsigned long long sum = mix(particle.label.identity) + mix(particle.label.images + 1);
    const double numbers[] = {particle.position.x, particle.position.y, particle.position.z,
                              particle.velocity.x, particle.velocity.y, particle.velocity.z};
    for (const double number : numbers)
        sum = mix(sum + static_cast<unsigned long long>(__double_as_longlong(number)));
    return sum;
}

/// Of the columns those that the rule selects, by plain atomics: what should be found.
__global__ void __launch_bounds__(block_size)
    select_plainly(const __grid_constant__ SelectionRule rule, std::int64_t count,
                   const __grid_constant__ Columns particles, Selected* selected) {
    const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * block_size + threadIdx.x;
    if (i >= count || !rule.contains(particles[i])) return;
    atomicAdd(&selected->count, 1ULL);
    atomicAdd(&selected->checksum, mixed(particles[i]));
}

__global__ void __launch_bounds__(block_size)
    sum_up_found(std::int64_t count, const Particle* found, Selected* selected) {
    const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * block_size + threadIdx.x;
    if (i >= count) return;
    atomicAdd(&selected->count, 1ULL);
    atomicAdd(&selected->checksum, mixed(found[i]));
}

class SelectionBench {
public:
    SelectionBench(const Stopwatch& watch, int device, int edge, Order order)
        : watch_(watch),
          count_(static_cast<std::int64_t>(density) * edge * edge * edge),
          memory_(Columns::bytes(count_)),
          particles_(memory_.data(), count_),
          found_(count_),
          number_(1),
          selected_(1) {
        system_.box.size = {edge, edge, edge};
        make_particles<<<block_count(count_), block_size>>>(count_, order, static_cast<std::uint64_t>(edge),
                                                            particles_);
        MPCFLOW_CUDA(cudaGetLastError());
        int multiprocessors = 0;
        MPCFLOW_CUDA(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
        int blocks = 0;
        MPCFLOW_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, collect_selected<Particle>,
                                                                   block_size, 0));
        blocks_ = std::min(block_count(count_), static_cast<unsigned>(multiprocessors * std::max(blocks, 1)));
        by_cub(nullptr, rule_of(parts[0]));
        cub_scratch_ = DeviceArray<char>(static_cast<std::int64_t>(cub_bytes_));
    }

    [[nodiscard]] std::int64_t count() const { return count_; }

    [[nodiscard]] BenchRow measure(const Part& part) {
        const SelectionRule rule = rule_of(part);
        selected_.clear();
        select_plainly<<<block_count(count_), block_size>>>(rule, count_, particles_, selected_.data());
        MPCFLOW_CUDA(cudaGetLastError());
        expected_ = selected_.first();
        return {part.percent,
                {time("by warps",
                      [&] {
                          MPCFLOW_CUDA(cudaMemsetAsync(number_.data(), 0, sizeof(unsigned long long)));
                          collect_selected<Particle><<<blocks_, block_size>>>(rule, count_, particles_,
                                                                              found_.data(), number_.data());
                      }),
                 time("by cub", [&] { by_cub(cub_scratch_.data(), rule); })}};
    }

private:
    [[nodiscard]] SelectionRule rule_of(const Part& part) const {
        const double edge = system_.box.size[0] * part.edge;
        return {system_, Selection{Region{{0.0, 0.0, 0.0}, {edge, edge, edge}}, 1}};
    }

    void by_cub(void* scratch, const SelectionRule& rule) {
        library::select_particles(scratch, cub_bytes_, rule, particles_, found_.data(), number_.data(),
                                  count_);
    }

    [[nodiscard]] double time(const char* name, Call work) const {
        const double milliseconds = watch_.milliseconds(
            [this] {
                found_.clear();
                number_.clear();
            },
            work);
        const auto number = static_cast<std::int64_t>(number_.first());
        require(number <= count_, std::string("the number of selected particles ") + name);
        selected_.clear();
        sum_up_found<<<block_count(number), block_size>>>(number, found_.data(), selected_.data());
        MPCFLOW_CUDA(cudaGetLastError());
        require(selected_.first() == expected_, std::string("the selection of particles ") + name);
        return milliseconds;
    }

    const Stopwatch& watch_;
    System system_;
    std::int64_t count_;
    DeviceArray<char> memory_;
    Columns particles_;
    DeviceArray<Particle> found_;
    DeviceArray<unsigned long long> number_;
    DeviceArray<Selected> selected_;
    DeviceArray<char> cub_scratch_;
    std::size_t cub_bytes_ = 0;
    unsigned blocks_ = 1;
    Selected expected_{};
};

}  // namespace

}  // namespace bench

std::vector<BenchTable> measure_selections(const KernelBenchOptions& options) {
    using namespace bench;
    MPCFLOW_CUDA(cudaSetDevice(options.device));
    const bool is_full = options.size == BenchSize::full;
    const Stopwatch watch(is_full ? 7 : 1);
    std::vector<BenchTable> tables;
    for (const Order order : {Order::of_cells, Order::none}) {
        SelectionBench bench(watch, options.device, is_full ? 100 : 11, order);
        BenchTable table;
        table.name = order == Order::of_cells ? "selection_ordered" : "selection_unordered";
        table.title = "The particles of a region, of " + std::to_string(bench.count()) +
                      (order == Order::of_cells ? ", cell by cell in memory: ms" : " in no order: ms");
        table.note =
            order == Order::of_cells
                ? "warp: as output.trajectory.region, one atomic for each warp that has any, the clearing of "
                  "the counter in its time; cub: DeviceSelect of the particles' numbers, which writes their "
                  "records."
                : "";
        table.items = bench.count();
        table.x = {"selected", "%"};
        table.columns = {{"warp", "ms"}, {"cub", "ms"}};
        for (const Part& part : parts) table.rows.push_back(bench.measure(part));
        tables.push_back(std::move(table));
    }
    return tables;
}

}  // namespace mpcflow

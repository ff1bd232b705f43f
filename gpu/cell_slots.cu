#include "gpu/cell_slots.cuh"

#include <cub/device/device_scan.cuh>

#include <cstddef>

namespace mpcflow {
namespace {

/// The places of the tiles' first particles, of the places of the cells' by rank, before these are used up.
__global__ void __launch_bounds__(block_size)
    find_tile_starts(const __grid_constant__ TiledOrder order, const std::uint32_t* __restrict__ slots,
                     std::uint32_t particles, std::uint32_t* __restrict__ starts) {
    const int tile = static_cast<int>(blockIdx.x * block_size + threadIdx.x);
    if (tile < order.tile_count()) starts[tile] = slots[order.first_rank(tile)];
    if (tile == order.tile_count()) starts[tile] = particles;
}

/// Sums in place over what comes before each. With no scratch it says in `bytes` how much it needs, and does
/// nothing else.
void scan(char* scratch, std::size_t& bytes, std::uint32_t* numbers, std::int64_t count) {
    MPCFLOW_CUDA(cub::DeviceScan::ExclusiveSum(scratch, bytes, numbers, numbers, static_cast<int>(count)));
}

std::int64_t scratch_bytes(std::int64_t count) {
    std::size_t bytes = 0;
    scan(nullptr, bytes, nullptr, count);
    return static_cast<std::int64_t>(bytes);
}

}  // namespace

CellSlots::CellSlots(const TiledOrder& order)
    : order_(order), slots_(order.first_rank(order.tile_count())), scratch_(scratch_bytes(slots_.size())) {}

void CellSlots::find(std::int64_t particles, std::uint32_t* tile_starts) {
    std::size_t bytes = static_cast<std::size_t>(scratch_.size());
    scan(scratch_.data(), bytes, slots_.data(), slots_.size());
    find_tile_starts<<<block_count(order_.tile_count() + 1), block_size>>>(
        order_, slots_.data(), static_cast<std::uint32_t>(particles), tile_starts);
    MPCFLOW_CUDA(cudaGetLastError());
}

}  // namespace mpcflow

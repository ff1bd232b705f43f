#pragma once
/// Which cells of a domain can collide before others' particles have come.

#include <cstdint>
#include <vector>

#include "gpu/cell_kernels.cuh"
#include "gpu/cuda_support.cuh"
#include "physics/domain/deep_cells.hpp"

namespace mpcflow {

/// The cells of a grid in groups for resolve_cells: those that are `layers` deep, and the others.
class DeepCells {
public:
    template <class Grid>
    DeepCells(const Grid& grid, int layers) : cells_(static_cast<int>(grid.cell_count())) {
        const std::vector<bool> is_deep = deep_cells(grid, layers);
        std::vector<bool> all_deep((cells_ + 31) / 32, true);
        for (int cell = 0; cell < cells_; ++cell)
            if (!is_deep[cell]) all_deep[cell / 32] = false;
        std::vector<std::uint32_t> deep, others;
        for (std::size_t group = 0; group < all_deep.size(); ++group)
            (all_deep[group] ? deep : others).push_back(static_cast<std::uint32_t>(group));
        deep_ = DeviceArray<std::uint32_t>(std::ssize(deep));
        deep_.upload(deep.data(), deep_.size());
        others_ = DeviceArray<std::uint32_t>(std::ssize(others));
        others_.upload(others.data(), others_.size());
    }

    [[nodiscard]] CellGroups deep() const { return groups(deep_); }
    [[nodiscard]] CellGroups others() const { return groups(others_); }
    [[nodiscard]] std::int64_t memory_bytes() const { return deep_.bytes() + others_.bytes(); }

private:
    [[nodiscard]] CellGroups groups(const DeviceArray<std::uint32_t>& some) const {
        return {some.data(), static_cast<int>(some.size()), cells_};
    }

    int cells_;
    DeviceArray<std::uint32_t> deep_;
    DeviceArray<std::uint32_t> others_;
};

}  // namespace mpcflow

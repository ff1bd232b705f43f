#pragma once
/// Which cells of a domain can collide before others' particles have come.

#include <array>
#include <cstdint>
#include <vector>

#include "gpu/cell_kernels.cuh"
#include "gpu/cuda_support.cuh"

namespace mpcflow {

/// The cells of a grid in groups for resolve_cells: those that are `layers` deep, and the others.
class DeepCells {
public:
    template <class Grid>
    DeepCells(const Grid& grid, int layers) : cells_(static_cast<int>(grid.cell_count())) {
        std::array<std::vector<bool>, 3> is_deep;
        for (int axis = 0; axis < 3; ++axis)
            for (int c = 0; c < grid.cells()[axis]; ++c)
                is_deep[axis].push_back(grid.is_deep(axis, c, layers));
        std::vector<bool> all_deep((cells_ + 31) / 32, true);
        int cell = 0;
        for (const bool z : is_deep[2])
            for (const bool y : is_deep[1])
                for (const bool x : is_deep[0]) {
                    if (!(x && y && z)) all_deep[cell / 32] = false;
                    ++cell;
                }
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

#pragma once
/// Cells of a domain that can collide before others have told what they add: what comes from elsewhere does
/// not get there (Border::reach).

#include <array>
#include <cstdint>
#include <vector>

#include "physics/cell_grid.hpp"

namespace mpcflow {

/// Of each cell of a domain's grid, whether it is `layers` deep in it, in the order of cells.
template <class Grid>
[[nodiscard]] std::vector<bool> deep_cells(const Grid& grid, int layers) {
    std::array<std::vector<bool>, 3> is_deep;
    for (int axis = 0; axis < 3; ++axis)
        for (int c = 0; c < grid.cells()[axis]; ++c) is_deep[axis].push_back(grid.is_deep(axis, c, layers));
    std::vector<bool> all;
    all.reserve(static_cast<std::size_t>(grid.cell_count()));
    for (const bool z : is_deep[2])
        for (const bool y : is_deep[1])
            for (const bool x : is_deep[0]) all.push_back(x && y && z);
    return all;
}

/// Some cells that follow each other: all of them, and the deep ones apart.
struct CellRuns {
    CellRange all;
    std::vector<CellRange> deep;
    std::vector<CellRange> others;
};

/// Of deep cells that follow each other there are `least` at least; those of shorter runs are with the
/// others.
[[nodiscard]] inline CellRuns cell_runs(CellRange all, const std::vector<bool>& is_deep, std::int64_t least) {
    CellRuns runs{all, {}, {}};
    const auto add = [](std::vector<CellRange>& to, std::int64_t begin, std::int64_t count) {
        if (!to.empty() && to.back().first + to.back().count == begin) to.back().count += count;
        else to.push_back({begin, count});
    };
    const std::int64_t last = all.first + all.count;
    for (std::int64_t begin = all.first; begin < last;) {
        std::int64_t end = begin + 1;
        while (end < last && is_deep[end] == is_deep[begin]) ++end;
        add(is_deep[begin] && end - begin >= least ? runs.deep : runs.others, begin, end - begin);
        begin = end;
    }
    return runs;
}

}  // namespace mpcflow

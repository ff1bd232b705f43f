#pragma once
/// Which tiles of a domain can be taken through a step while what others get of it is on its way, and when.

#include <algorithm>
#include <cstdint>
#include <vector>

#include "gpu/tile_box.hpp"
#include "physics/domain/border.hpp"
#include "physics/domain/deep_cells.hpp"

namespace mpcflow {

/// The tiles of a domain, each once, in the order in which blocks take them: the first `shallow` of them, and
/// then the deep ones.
struct TilesByDepth {
    std::vector<int> tiles;
    int shallow = 0;

    /// The number behind that of the last deep one; 0 without.
    [[nodiscard]] int deep_end() const {
        const auto first = tiles.begin() + shallow;
        return first == tiles.end() ? 0 : *std::max_element(first, tiles.end()) + 1;
    }
};

/// A tile is deep if none of its particles leaves the domain's grid, or gets to a cell that another domain
/// has, in two steps after one in which none was astray (TileBoxes::is_astray), or in three after they were
/// put in order.
template <class Real>
[[nodiscard]] TilesByDepth tiles_by_depth(const Border<Real>& border, const DomainGrid<Real>& grid) {
    // A particle that is not astray is so many cells from its tile at most; one that was just put in order, a
    // flight. Two more flights follow before the host can know.
    constexpr int drift = TileBoxes<Real>::beyond + TileBoxes<Real>::leeway;
    const int layers = border.reach() + border.flight() + std::max(drift, border.flight());
    const std::vector<bool> is_deep = deep_cells(grid, layers);
    const TiledOrder order(grid.cells());
    std::vector<bool> all_deep(static_cast<std::size_t>(order.tile_count()), true);
    for (int cell = 0; cell < grid.cell_count(); ++cell)
        if (!is_deep[cell]) all_deep[order.tile_of(cell)] = false;
    TilesByDepth by_depth;
    for (const bool deep : {false, true}) {
        by_depth.shallow = static_cast<int>(by_depth.tiles.size());
        for (int turn = 0; turn < order.tile_count(); ++turn)
            if (all_deep[order.in_turn(turn)] == deep) by_depth.tiles.push_back(order.in_turn(turn));
    }
    return by_depth;
}

/// In which steps deep tiles may be apart from the others. The host launches a step when it has learnt of the
/// last but one.
class DeepSteps {
public:
    /// Particles are put in the order of tiles in step `step`.
    void reorder(std::int64_t step) { ordered_ = step; }
    /// `last_astray`: the last step in which a particle of a deep tile was astray, + 1; 0: none yet.
    void learn(std::uint64_t last_astray) { last_astray_ = last_astray; }
    /// Whether they may be in step `step`, which is after one that re-orders, and may be the next that does.
    /// In the first two nothing is known yet: so many flights are in the depth.
    [[nodiscard]] bool are_apart(std::int64_t step) const {
        return step <= ordered_ + 2 || last_astray_ <= static_cast<std::uint64_t>(ordered_) + 1;
    }

private:
    std::int64_t ordered_ = 0;
    std::uint64_t last_astray_ = 0;
};

}  // namespace mpcflow

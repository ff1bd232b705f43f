#pragma once
/// Which tiles of a domain can be taken through a step while what others get of it is on its way, and when.

#include <algorithm>
#include <cstdint>

#include "gpu/tile_box.hpp"
#include "gpu/tile_turns.hpp"
#include "physics/domain/border.hpp"
#include "physics/domain/domain_grid.hpp"

namespace mpcflow {

/// The deep tiles of a domain, which are a range, perhaps of none. A tile is deep if none of its particles
/// leaves the domain's grid, or gets to a cell that another domain has, in two steps after one in which none
/// was astray (TileBoxes::is_astray), or in three after they were put in order.
template <class Real>
[[nodiscard]] TileRange deep_tiles(const Border<Real>& border, const DomainGrid<Real>& grid) {
    // A particle that is not astray is so many cells from its tile at most; one that was just put in order, a
    // flight. Two more flights follow before the host can know.
    constexpr int drift = TileBox::beyond + TileBox::leeway;
    const int layers = border.reach() + border.flight() + std::max(drift, border.flight());
    const TiledOrder order(grid);
    TileRange deep;
    for (int axis = 0; axis < 3; ++axis) {
        const auto is_deep = [&](int tile) {
            const Vec3<int> numbers{tile, tile, tile};  // along this axis alone they count
            const Vec3<int> first = order.first_cell(numbers);
            const int end = first[axis] + order.size_of_tile(first)[axis];
            for (int c = first[axis]; c < end; ++c)
                if (!grid.is_deep(axis, c, layers)) return false;
            return true;
        };
        const int tiles = order.tiles()[axis];
        int& first = deep.first[axis];
        while (first < tiles && !is_deep(first)) ++first;
        int& count = deep.extent[axis];
        while (first + count < tiles && is_deep(first + count)) ++count;
    }
    return deep;
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

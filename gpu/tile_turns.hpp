#pragma once
/// Which tile a block takes through a step: its *turn*.

#include "gpu/cell_order.hpp"
#include "physics/host_device.hpp"

namespace mpcflow {

/// All tiles of a box, in bands.
struct TurnsOfBox {
    [[nodiscard]] MPCFLOW_HD int tile(const TiledOrder& order, int block) const {
        return order.in_turn(block);
    }
};

/// The tiles of a domain: first the shallow ones, then those of no place, whose numbers are behind the last
/// tile's, then the deep ones (gpu/deep_tiles.hpp). `first` is the turn of the first block.
struct TurnsOfDomain {
    const int* tiles = nullptr;  ///< by turn, but for those of no place
    int shallow = 0;
    int loose = 0;
    int first = 0;

    [[nodiscard]] MPCFLOW_HD int tile(const TiledOrder& order, int block) const {
        const int turn = first + block;
        if (turn < shallow) return tiles[turn];
        return turn < shallow + loose ? order.tile_count() + turn - shallow : tiles[turn - loose];
    }
    [[nodiscard]] MPCFLOW_HD bool is_deep(int block) const { return first + block >= shallow + loose; }
};

}  // namespace mpcflow

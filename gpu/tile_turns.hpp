#pragma once
/// In which turn tiles are taken through a step: the block of turn k takes the k-th tile. Which one that is,
/// is computed, not looked up: a block does nothing before it knows its tile, and to read that from memory
/// made SRD of two domains 1 % slower.

#include <array>

#include "gpu/cell_order.hpp"
#include "physics/divisor.hpp"
#include "physics/host_device.hpp"
#include "physics/vector.hpp"

namespace mpcflow {

/// A range of tiles along each axis.
struct TileRange {
    Vec3<int> first{};
    Vec3<int> extent{};

    [[nodiscard]] MPCFLOW_HD int count() const { return extent.x * extent.y * extent.z; }
};

/// The turns of a range of tiles, 0 to their number - 1.
///
/// In large ranges tiles are taken in bands of some rows of tiles, and a band layer by layer, so that tiles
/// that have cells in common follow each other soon, along z as well: what one adds to is then still in the
/// card's cache when the next one does (docs/decisions/2026-11-26-what-a-step-reads-and-writes.md).
class TurnsOfRange {
public:
    TurnsOfRange() = default;
    explicit TurnsOfRange(const TileRange& tiles) : tiles_(tiles) {
        if (tiles.count() == 0) return;
        const Vec3<int> extent = tiles.extent;
        const int bands = extent.x * extent.y / tiles_of_band;
        rows_ = bands < 2 ? extent.y : (extent.y + bands - 1) / bands;
        const int last_rows = extent.y - (extent.y - 1) / rows_ * rows_;
        row_ = Divisor(extent.x);
        layer_ = Divisor(rows_ * extent.x);
        last_layer_ = Divisor(last_rows * extent.x);
        band_ = Divisor(rows_ * extent.x * extent.z);
    }

    [[nodiscard]] MPCFLOW_HD int count() const { return tiles_.count(); }
    /// By its numbers along x, y, z.
    [[nodiscard]] MPCFLOW_HD Vec3<int> tile(int turn) const {
        const Vec3<int> extent = tiles_.extent;
        const int first_row = turn / band_ * rows_;
        const int in_band = turn - first_row * extent.x * extent.z;
        const bool is_last = extent.y - first_row <= rows_;
        const int layer = in_band / (is_last ? last_layer_ : layer_);
        const int rows = is_last ? extent.y - first_row : rows_;
        const int in_layer = in_band - layer * rows * extent.x;
        const int row = in_layer / row_;
        return {tiles_.first.x + in_layer - row * extent.x, tiles_.first.y + first_row + row,
                tiles_.first.z + layer};
    }

private:
    /// About so many tiles of a layer are in a band, and less than twice as many: of 325 tiles a layer two
    /// bands were slower than none, of 1250 bands of 200 faster than of 100.
    static constexpr int tiles_of_band = 200;

    TileRange tiles_{};
    int rows_ = 1;          ///< of a band
    Divisor row_{};         ///< by tiles of a row,
    Divisor layer_{};       ///< of a layer of a band,
    Divisor last_layer_{};  ///< of the last band,
    Divisor band_{};        ///< of a band
};

/// All tiles of a box.
class TurnsOfBox {
public:
    TurnsOfBox() = default;
    explicit TurnsOfBox(const TiledOrder& order) : all_({{}, order.tiles()}) {}

    [[nodiscard]] MPCFLOW_HD int tile(const TiledOrder& order, int block) const {
        return order.number(all_.tile(block));
    }

private:
    TurnsOfRange all_;
};

/// The tiles of a domain: first the shallow ones, then those of no place, whose numbers are behind the last
/// tile's, then the deep ones, which are a range (gpu/deep_tiles.hpp).
class TurnsOfDomain {
public:
    TurnsOfDomain() = default;
    TurnsOfDomain(const TiledOrder& order, const TileRange& deep) {
        // Beyond the deep ones along z; of the layers that they are in, beyond them along y; and so on.
        TileRange left{{}, order.tiles()};
        int slab = 0;
        const auto take = [&](const TileRange& some) {
            slabs_[slab] = TurnsOfRange(some);
            ends_[slab] = (slab == 0 ? 0 : ends_[slab - 1]) + some.count();
            ++slab;
        };
        const bool is_any_deep = deep.count() > 0;
        for (int axis = 2; axis >= 0; --axis) {
            const int end = left.first[axis] + left.extent[axis];
            const int deep_first = is_any_deep ? deep.first[axis] : end;
            const int deep_end = is_any_deep ? deep.first[axis] + deep.extent[axis] : end;
            TileRange before = left;
            before.extent[axis] = deep_first - left.first[axis];
            take(before);
            TileRange behind = left;
            behind.first[axis] = deep_end;
            behind.extent[axis] = end - deep_end;
            take(behind);
            left.first[axis] = deep_first;
            left.extent[axis] = deep_end - deep_first;
        }
        deep_ = TurnsOfRange(left);
        deep_end_ = is_any_deep
                        ? order.number({deep.first.x + deep.extent.x - 1, deep.first.y + deep.extent.y - 1,
                                        deep.first.z + deep.extent.z - 1}) +
                              1
                        : 0;
    }

    [[nodiscard]] MPCFLOW_HD int shallow_count() const { return ends_[slab_count - 1]; }
    [[nodiscard]] int deep_count() const { return deep_.count(); }
    /// The number behind that of the last deep tile; 0 without.
    [[nodiscard]] int deep_end() const { return deep_end_; }
    /// The same with so many tiles of no place, from turn `first` on.
    [[nodiscard]] TurnsOfDomain with(int loose, int first) const {
        TurnsOfDomain turns = *this;
        turns.loose_ = loose;
        turns.first_ = first;
        return turns;
    }

    [[nodiscard]] MPCFLOW_HD int tile(const TiledOrder& order, int block) const {
        const int turn = first_ + block;
        const int shallow = shallow_count();
        if (turn >= shallow + loose_) return order.number(deep_.tile(turn - shallow - loose_));
        if (turn >= shallow) return order.tile_count() + turn - shallow;
        int slab = 0;
        while (turn >= ends_[slab]) ++slab;
        return order.number(slabs_[slab].tile(turn - (slab == 0 ? 0 : ends_[slab - 1])));
    }
    [[nodiscard]] MPCFLOW_HD bool is_deep(int block) const {
        return first_ + block >= shallow_count() + loose_;
    }

private:
    static constexpr int slab_count = 6;

    std::array<TurnsOfRange, slab_count> slabs_{};  ///< of shallow tiles
    std::array<int, slab_count> ends_{};            ///< the turn behind the last of each
    TurnsOfRange deep_{};
    int deep_end_ = 0;
    int loose_ = 0;
    int first_ = 0;
};

}  // namespace mpcflow

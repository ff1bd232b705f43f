/// The geometry of tiles and their boxes: what `summation: tile` rests on.

#include "gpu/tile_box.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "physics/collision/laws.hpp"
#include "physics/domain/domain_grid.hpp"

namespace mpcflow::test {
namespace {

System box_of(std::array<int, 3> size, std::array<bool, 3> walls) {
    System system;
    system.box.size = size;
    for (int axis = 0; axis < 3; ++axis)
        if (walls[axis]) system.boundaries.faces[axis] = {FaceKind::no_slip, FaceKind::no_slip};
    return system;
}

/// Boxes that tiles divide and that they do not, smaller than a tile's box and larger, with walls and
/// without.
std::vector<System> boxes() {
    return {box_of({16, 8, 8}, {}),
            box_of({17, 9, 10}, {}),
            box_of({1, 1, 1}, {}),
            box_of({3, 2, 5}, {}),
            box_of({10, 6, 6}, {}),
            box_of({11, 7, 7}, {true, true, true}),
            box_of({16, 8, 8}, {false, false, true}),
            box_of({16, 8, 16}, {}),
            box_of({40, 12, 16}, {}),
            box_of({2, 3, 1}, {true, false, true}),
            box_of({23, 13, 14}, {false, true, false})};
}

template <class Real>
class TileBoxesTest : public testing::Test {};
using Reals = testing::Types<float, double>;
TYPED_TEST_SUITE(TileBoxesTest, Reals);

/// Calls test(system, grid_of_step, steps) for the whole of each box, and with a sixth of the steps for the
/// domains of some cuts of it.
template <class Real, class Test>
void for_all_grids(std::uint64_t steps, const Test& test) {
    for (const System& system : boxes()) {
        SCOPED_TRACE("box of " + testing::PrintToString(system.box.size));
        test(
            system, [&](std::uint64_t step) { return CellGrid<Real>(system, step); }, steps);
        for (const Cut& cut : {Cut{{2, 1, 1}}, Cut{{1, 3, 2}}, Cut{{2, 2, 2}, 3}}) {
            bool fits = true;
            for (int axis = 0; axis < 3; ++axis) fits &= cut.domains[axis] <= system.box.size[axis];
            for (int number = 0; fits && number < cut.count(); ++number) {
                SCOPED_TRACE("domain " + std::to_string(number) + " of " +
                             testing::PrintToString(cut.domains));
                test(
                    system, [&](std::uint64_t step) { return DomainGrid<Real>(system, step, cut, number); },
                    steps / 6);
            }
        }
    }
}

/// Across one cell that a grid lacks of a periodic axis a particle may drift to the grid's other end, where
/// its tile's box does not reach.
template <class Grid>
bool lacks_one_cell(const System& system, const Grid& grid) {
    bool lacks_one = false;
    for (int axis = 0; axis < 3; ++axis)
        lacks_one |=
            system.boundaries.faces[axis].is_periodic() && grid.cells()[axis] == system.box.size[axis] - 1;
    return lacks_one;
}

/// Along an axis along which their tile is longer than others particles do not drift here, and some are
/// outside all the same: where the grid has all cells every eighth of a layer, at a domain's end fewer.
TYPED_TEST(TileBoxesTest, particles_that_drift_half_a_cell_stay_in_their_tiles_box) {
    using Real = TypeParam;
    int of_usual = 0;
    int of_longer = 0;
    for_all_grids<Real>(42, [&](const System& system, const auto& grid_of_step, std::uint64_t steps) {
        std::mt19937 random(7);
        int on_grid = 0;
        int in_longer = 0;
        int outside = 0;
        for (std::uint64_t step = 0; step < steps; ++step) {
            const auto ordered = grid_of_step(step);
            const auto grid = grid_of_step(step + 1 + step % 3);
            const TiledOrder order(ordered);
            const TileBoxes tiles(grid, ordered.shift());
            for (int i = 0; i < 200; ++i) {
                Vec3<Real> from;
                for (int axis = 0; axis < 3; ++axis)
                    from[axis] = static_cast<Real>(
                        std::uniform_real_distribution<double>(0.0, system.box.size[axis])(random));
                Vec3<Real> offset;
                const Vec3<int> ordered_cell = ordered.coordinates(from, offset);
                if (!ordered.has(ordered_cell)) continue;
                const int tile = order.tile_of(ordered_cell);
                const Vec3<int> size = order.size_of_tile(order.first_cell(tile));
                bool is_longer = false;
                Vec3<Real> to;
                for (int axis = 0; axis < 3; ++axis) {
                    const int length = system.box.size[axis];
                    const bool is_longer_here = size[axis] > TiledOrder::edge[axis];
                    is_longer |= is_longer_here;
                    const double drift = is_longer_here ? 0.0 : 0.49;
                    double y = from[axis] + std::uniform_real_distribution<double>(-drift, drift)(random);
                    if (system.boundaries.faces[axis].is_periodic()) y -= length * std::floor(y / length);
                    to[axis] = static_cast<Real>(std::clamp(y, 0.0, std::nextafter(1.0 * length, 0.0)));
                }
                const Vec3<int> first = tiles.first(tile);
                const Vec3<int> cell = grid.unwrapped(to, offset);
                const int local = tiles.local(first, cell);
                const Vec3<int> next = grid.coordinates(to, offset);
                if (local == TileBox::outside && lacks_one_cell(system, grid)) continue;
                if (is_longer && grid.has(next)) {
                    ++in_longer;
                    if (local == TileBox::outside) {
                        ++outside;
                        continue;
                    }
                }
                ASSERT_EQ(local == TileBox::outside, !grid.has(next))
                    << "step " << step << ", cell " << cell.x << " " << cell.y << " " << cell.z;
                if (!grid.has(next)) continue;
                ASSERT_FALSE(tiles.is_astray(first, cell));
                ASSERT_EQ(tiles.index(first, local), grid.index(next));
                ++on_grid;
            }
        }
        EXPECT_GT(on_grid, 20);
        EXPECT_LE(outside, in_longer / 10);
        of_usual += on_grid - (in_longer - outside);
        of_longer += in_longer;
    });
    EXPECT_GT(of_usual, 50000);
    EXPECT_GT(of_longer, 20000);
}

TYPED_TEST(TileBoxesTest, a_number_in_a_box_is_of_one_cell_and_finds_it) {
    using Real = TypeParam;
    for_all_grids<Real>(12, [](const System& system, const auto& grid_of_step, std::uint64_t steps) {
        const Vec3<int> all{system.box.size[0] + 1, system.box.size[1] + 1, system.box.size[2] + 1};
        for (std::uint64_t step = 0; step < steps; ++step) {
            const auto grid = grid_of_step(step + 1);
            const TileBoxes tiles(grid, grid_of_step(step).shift());
            EXPECT_EQ(tiles.count(), TiledOrder(grid).tile_count());
            // Those behind the last one are tiles of no place, of which every seventh is looked at.
            const int numbers = grid.is_part ? 6 * tiles.count() + 8 : tiles.count();
            for (int tile = 0; tile < numbers; tile += tile < tiles.count() ? 1 : 7) {
                const Vec3<int> first = tiles.first(tile);
                for (int axis = 0; axis < 3; ++axis) {
                    if (!system.boundaries.faces[axis].is_periodic()) continue;
                    ASSERT_GE(first[axis], 1);
                    ASSERT_LE(first[axis], system.box.size[axis]);
                }
                std::map<int, int> taken;  // cell by number
                int cells = 0;
                for (int k = 0; k < all.x * all.y * all.z; ++k) {
                    const Vec3<int> cell{k % all.x, k / all.x % all.y, k / all.x / all.y};
                    const int local = tiles.local(first, cell);
                    if (local == TileBox::outside) continue;
                    ASSERT_GE(local, 0);
                    ASSERT_LT(local, TileBox::cells);
                    const Vec3<int> on_grid = grid.from_unwrapped(cell);
                    ASSERT_TRUE(grid.has(on_grid));
                    ++cells;
                    const int index = grid.index(on_grid);
                    ASSERT_EQ(taken.emplace(local, index).first->second, index)
                        << "two cells have number " << local;
                    ASSERT_EQ(tiles.index(first, local), index);
                }
                if (tile < tiles.count()) EXPECT_GT(cells, 0);
            }
        }
    });
}

/// Along an axis that is cut; also across the periodic face, and where an axis is little longer than a box
/// with its leeway, so that few or none are.
TEST(TileBoxes, are_left_behind_by_particles_that_are_astray) {
    constexpr int all_near = TileBox::size.x + 2 * TileBox::leeway;
    int astray = 0;
    for (const auto& [length, walls, number] : {std::tuple{40, false, 0},
                                                {40, false, 1},
                                                {40, true, 0},
                                                {40, true, 1},
                                                {all_near - 3, false, 0},
                                                {all_near - 1, true, 1},
                                                {all_near, false, 1},
                                                {all_near + 1, false, 0},
                                                {all_near + 1, true, 0},
                                                {all_near + 2, false, 1}}) {
        System system;
        system.box.size = {length, 8, 24};
        if (walls) system.boundaries.faces[0] = {FaceKind::no_slip, FaceKind::no_slip};
        const DomainGrid<double> grid(system, 3, {{2, 1, 1}}, number);
        const TileBoxes tiles(grid, DomainGrid<double>(system, 2, {{2, 1, 1}}, number).shift());
        for (int tile = 0; tile < tiles.count(); ++tile) {
            const Vec3<int> first = tiles.first(tile);
            for (int x = 0; x < length; ++x) {
                int distance = length;  // from the box
                for (const int image : {-length, 0, length}) {
                    if (walls && image != 0) continue;
                    const int c = x + image - first.x;
                    distance = std::min(distance, std::max({0, -c, c - TileBox::size.x + 1}));
                }
                for (const int y : {0, 7})
                    EXPECT_EQ(tiles.is_astray(first, {x, y, 12}), distance > TileBox::leeway)
                        << "domain " << number << " of " << length << ", x " << x << ", first " << first.x;
                astray += distance > TileBox::leeway ? 1 : 0;
            }
        }
    }
    EXPECT_GT(astray, 1000);
}

/// Along a sheared normal, too, as who crosses the faces is elsewhere along the flow; along no other axis.
TEST(TileBoxes, are_left_behind_along_axes_that_lead_to_others) {
    System system;
    system.box.size = {64, 40, 24};
    system.boundaries.faces[1] = {{}, {}, {0.01, 0}};
    system.boundaries.faces[2] = {FaceKind::no_slip, FaceKind::no_slip};
    const Cut cut{{2, 1, 1}};
    const DomainGrid<double> grid(system, 3, cut, 1);
    const TileBoxes tiles(grid, DomainGrid<double>(system, 2, cut, 1).shift());
    const Vec3<int> first = tiles.first(tiles.order().tile_of(Vec3<int>{17, 17, 9}));
    for (int axis = 0; axis < 3; ++axis) {
        Vec3<int> cell = first;
        cell[axis] += 13;
        EXPECT_EQ(tiles.is_astray(first, cell), axis != 2);
    }
}

}  // namespace
}  // namespace mpcflow::test

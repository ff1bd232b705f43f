/// The order of cells in memory: every cell has a rank of its own, and neighbours are close.

#include "gpu/cell_order.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "gpu/tile_turns.hpp"
#include "physics/divisor.hpp"

namespace mpcflow::test {
namespace {

/// The cells in the order of their ranks.
std::vector<Vec3<int>> cells_by_rank(Vec3<int> cells, Vec3<int> halo_before = {}) {
    const int count = cells.x * cells.y * cells.z;
    std::vector<Vec3<int>> order(static_cast<std::size_t>(count), Vec3<int>{-1, -1, -1});
    const TiledOrder tiles(cells, halo_before);
    for (int cell = 0; cell < count; ++cell) {
        const int rank = tiles.rank(cell);
        if (rank < 0 || rank >= count || order[static_cast<std::size_t>(rank)].x >= 0) {
            ADD_FAILURE() << "cell " << cell << " has rank " << rank;
            return order;
        }
        order[static_cast<std::size_t>(rank)] = {cell % cells.x, cell / cells.x % cells.y,
                                                 cell / cells.x / cells.y};
    }
    return order;
}

int steps_between(Vec3<int> a, Vec3<int> b) {
    return std::abs(a.x - b.x) + std::abs(a.y - b.y) + std::abs(a.z - b.z);
}

TEST(TiledOrder, gives_each_cell_a_rank_of_its_own) {
    for (const Vec3<int> cells : {Vec3<int>{1, 1, 1},
                                  {1, 1, 9},
                                  {9, 1, 1},
                                  {4, 4, 4},
                                  {5, 4, 4},
                                  {4, 7, 3},
                                  {13, 12, 11},
                                  {16, 32, 8}}) {
        for (const Vec3<int> halo_before : {Vec3<int>{}, {1, 0, 0}, {0, 2, 1}, {3, 3, 3}}) {
            static_cast<void>(cells_by_rank(cells, halo_before));
            ASSERT_FALSE(HasFailure()) << cells.x << " x " << cells.y << " x " << cells.z;
        }
    }
}

TEST(TiledOrder, counts_to_nearly_two_to_the_31) {
    for (const Vec3<int> cells :
         {Vec3<int>{1290, 1290, 1290}, {2, 32768, 32767}, {32767, 2, 32768}, {32768, 32767, 2}}) {
        const TiledOrder tiles(cells);
        const int count = cells.x * cells.y * cells.z;
        EXPECT_EQ(tiles.rank(0), 0);
        std::set<int> ranks;
        // Among the last cells, where the numbers are largest.
        for (int cell = count - 5000; cell < count; ++cell) {
            const int rank = tiles.rank(cell);
            EXPECT_GE(rank, 0);
            EXPECT_LT(rank, count);
            ranks.insert(rank);
        }
        EXPECT_EQ(ranks.size(), 5000U) << cells.x << " x " << cells.y << " x " << cells.z;
    }
}

TEST(TiledOrder, goes_through_a_tile_from_neighbour_to_neighbour) {
    // 6 and 7 leave tiles of 2 and 3 at the upper faces.
    const auto order = cells_by_rank({16, 7, 6});
    int jumps = 0;
    for (std::size_t i = 1; i < order.size(); ++i) jumps += steps_between(order[i - 1], order[i]) > 1 ? 1 : 0;
    EXPECT_LT(jumps, 2 * 2 * 2) << "at most one from tile to tile";
}

TEST(TiledOrder, keeps_a_blocks_particles_in_few_cells) {
    // 256 particles at ten in a cell, binned again after a random shift: along x, y, z a piece of n cells
    // lies in n + 1 shifted ones. In rows, 26 cells lie in 27 x 2 x 2 = 108; in tiles they must do with far
    // fewer.
    const auto order = cells_by_rank({32, 32, 32});
    double sum = 0.0;
    int pieces = 0;
    for (std::size_t first = 0; first + 26 <= order.size(); first += 26, ++pieces) {
        std::set<int> shifted;
        for (std::size_t i = first; i < first + 26; ++i) {
            for (int corner = 0; corner < 8; ++corner) {
                shifted.insert((order[i].x + (corner & 1)) +
                               33 * ((order[i].y + (corner >> 1 & 1)) + 33 * (order[i].z + (corner >> 2))));
            }
        }
        sum += static_cast<double>(shifted.size());
    }
    EXPECT_LT(sum / pieces, 80.0);
}

TEST(TiledOrder, a_tiles_cells_follow_each_other) {
    for (const auto& [cells, halo_before] : {std::pair<Vec3<int>, Vec3<int>>{{1, 1, 1}, {}},
                                             {{8, 4, 4}, {}},
                                             {{9, 4, 4}, {}},
                                             {{16, 9, 7}, {}},
                                             {{31, 5, 6}, {}},
                                             {{18, 10, 7}, {1, 1, 0}},
                                             {{3, 2, 11}, {0, 1, 3}}}) {
        const TiledOrder order(cells, halo_before);
        for (int cell = 0; cell < cells.x * cells.y * cells.z; ++cell) {
            const int tile =
                order.tile_of({cell % cells.x, cell / cells.x % cells.y, cell / cells.x / cells.y});
            EXPECT_GE(order.rank(cell), order.first_rank(tile));
            EXPECT_LT(order.rank(cell), order.first_rank(tile + 1));
        }
        EXPECT_EQ(order.first_rank(0), 0);
        EXPECT_EQ(order.first_rank(order.tile_count()), cells.x * cells.y * cells.z);
    }
}

/// Of domains of whole tiles, and between walls, where there is a layer of cells more.
TEST(TiledOrder, makes_no_tile_of_a_single_layer) {
    using Numbers = std::array<int, 3>;
    const auto numbers = [](Vec3<int> v) { return Numbers{v.x, v.y, v.z}; };
    const auto tiles_of = [&](int cells, int halo_before) {
        return numbers(TiledOrder({cells, cells, cells}, {halo_before, halo_before, halo_before}).tiles());
    };
    EXPECT_EQ(tiles_of(200, 0), (Numbers{25, 50, 50}));
    EXPECT_EQ(tiles_of(201, 0), (Numbers{25, 50, 50}));
    EXPECT_EQ(tiles_of(202, 1), (Numbers{25, 50, 50}));
    EXPECT_EQ(tiles_of(202, 0), (Numbers{26, 51, 51}));
    EXPECT_EQ(tiles_of(203, 1), (Numbers{26, 51, 51}));
    EXPECT_EQ(tiles_of(1, 0), (Numbers{1, 1, 1}));
    const TiledOrder order({202, 201, 203}, {1, 0, 2});
    const auto size_of = [&](Vec3<int> tile) { return numbers(order.size_of_tile(order.first_cell(tile))); };
    EXPECT_EQ(size_of({0, 0, 0}), (Numbers{9, 4, 5}));
    EXPECT_EQ(size_of({1, 1, 1}), numbers(TiledOrder::edge));
    EXPECT_EQ(size_of({24, 49, 50}), (Numbers{9, 5, 2}));
}

TEST(TurnsOfBox, take_each_tile_once) {
    // Layers of one tile, of up to 400, of more with and without a narrower last band, and of long rows.
    for (const Vec3<int> cells : {Vec3<int>{1, 1, 1},
                                  {8, 4, 40},
                                  {160, 80, 12},
                                  {168, 80, 12},
                                  {200, 200, 24},
                                  {200, 208, 9},
                                  {1605, 12, 17},
                                  {3, 2000, 8}}) {
        const TiledOrder order(cells);
        const TurnsOfBox in_turn(order);
        std::vector<int> turns(static_cast<std::size_t>(order.tile_count()));
        for (int turn = 0; turn < order.tile_count(); ++turn) {
            const int tile = in_turn.tile(order, turn);
            ASSERT_TRUE(tile >= 0 && tile < order.tile_count());
            ++turns[static_cast<std::size_t>(tile)];
        }
        EXPECT_EQ(std::count(turns.begin(), turns.end(), 1), order.tile_count());
    }
}

TEST(TurnsOfBox, take_tiles_above_each_other_soon) {
    const TiledOrder order({200, 200, 200});
    constexpr int layer = 25 * 50;
    std::vector<int> turn_of(static_cast<std::size_t>(order.tile_count()));
    for (int turn = 0; turn < order.tile_count(); ++turn)
        turn_of[static_cast<std::size_t>(TurnsOfBox(order).tile(order, turn))] = turn;
    for (int tile = 0; tile + layer < order.tile_count(); ++tile) {
        const auto here = static_cast<std::size_t>(tile);
        EXPECT_LE(turn_of[here + layer] - turn_of[here], 225);
        EXPECT_GT(turn_of[here + layer], turn_of[here]);
    }
    const TiledOrder small({100, 100, 100});
    for (int turn = 0; turn < small.tile_count(); ++turn)
        EXPECT_EQ(TurnsOfBox(small).tile(small, turn), turn);
}

TEST(Divisor, divides_as_division_does) {
    std::mt19937 random(3);
    constexpr int most = std::numeric_limits<int>::max();
    const auto expect_right = [](int n, int d) { ASSERT_EQ(n / Divisor(d), n / d) << n << " by " << d; };
    std::vector<int> divisors{most - 1, most};
    for (int d = 1; d <= 70; ++d) divisors.push_back(d);
    for (int bit = 6; bit < 31; ++bit)
        for (const int more : {-1, 0, 1}) divisors.push_back((1 << bit) + more);
    for (int i = 0; i < 1000; ++i) {
        const auto bits = 1 + random() % 31;
        divisors.push_back(static_cast<int>(std::max<std::mt19937::result_type>(random() >> bits, 1)));
    }
    for (const int d : divisors) {
        for (const int n : {0, 1, d - 1, d, most - 1, most}) expect_right(n, d);
        // Next to multiples, where a quotient changes.
        for (int i = 0; i < 100; ++i) {
            const int multiple = static_cast<int>(random() >> 1U) / d * d;
            expect_right(multiple, d);
            expect_right(std::max(multiple - 1, 0), d);
        }
    }
}

TEST(Dealt, gives_each_particle_a_number_of_its_own) {
    for (const std::uint32_t count : {1U, 2U, 9U, 10U, 11U, 1279U, 1280U}) {
        for (const std::uint32_t layers : {1U, 2U, 10U, 100U, 5000U}) {
            std::vector<int> taken(count);
            for (std::uint32_t place = 0; place < count; ++place) {
                const std::uint32_t number = dealt(place, count, layers);
                ASSERT_LT(number, count) << place << " of " << count << ", " << layers << " layers";
                ++taken[number];
            }
            EXPECT_EQ(taken, std::vector<int>(count, 1)) << count << ", " << layers << " layers";
        }
    }
}

TEST(Dealt, puts_a_cells_particles_into_different_layers) {
    // Ten in each of 128 cells: 32 that follow each other are in 32 cells, which follow each other.
    std::vector<std::uint32_t> cell_of(1280);
    for (std::uint32_t place = 0; place < 1280; ++place) cell_of[dealt(place, 1280, 10)] = place / 10;
    for (std::size_t first = 0; first + 32 <= 1280; first += 32) {
        const std::set<std::uint32_t> cells(cell_of.begin() + static_cast<std::ptrdiff_t>(first),
                                            cell_of.begin() + static_cast<std::ptrdiff_t>(first + 32));
        EXPECT_EQ(cells.size(), 32U);
        EXPECT_EQ(*cells.rbegin() - *cells.begin(), 31U);
    }
}

}  // namespace
}  // namespace mpcflow::test

/// Which tiles of a domain are deep, when they are apart from the others, and in which turn all are taken.

#include "gpu/deep_tiles.hpp"

#include <algorithm>
#include <cstdint>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "gpu/tile_turns.hpp"
#include "physics/domain/deep_cells.hpp"
#include "physics/domain/in_process.hpp"

namespace mpcflow::test {
namespace {

struct Domains {
    System system;
    Cut cut;
};

/// Cut along an axis and along two, with walls, sheared, with a wide halo, of long flights and of short ones,
/// and too small.
std::vector<Domains> domains() {
    std::vector<Domains> all(8);
    all[0] = {{}, {{1, 1, 2}}};
    all[0].system.box.size = {9, 7, 90};
    all[1] = {{}, {{2, 2, 1}}};
    all[1].system.box.size = {104, 90, 3};
    all[2] = all[0];
    all[2].system.boundaries.faces[2] = {FaceKind::no_slip, FaceKind::no_slip};
    all[3] = {{}, {{3, 1, 1}}};
    all[3].system.box.size = {160, 50, 5};
    all[3].system.boundaries.faces[1] = {{}, {}, {0.01, 0}};
    all[4] = {{}, {{1, 2, 1}, 3}};
    all[4].system.box.size = {5, 110, 9};
    all[5] = {{}, {{1, 1, 2}}};
    all[5].system.box.size = {4, 5, 240};
    all[5].system.collision.time_step = 0.5;
    all[6] = all[0];
    all[6].system.collision.time_step = 0.02;
    all[7] = all[0];
    all[7].system.box.size = {9, 7, 40};
    return all;
}

/// Calls test(domains, border, shared) in each domain of domains(); `shared` are the cells that others have.
template <class Test>
void in_each_domain(const Test& test) {
    for (const Domains& of : domains()) {
        SCOPED_TRACE("box of " + testing::PrintToString(of.system.box.size));
        InProcess(of.cut.count()).run([&](int number, Exchange& exchange) {
            const Border<double> border(of.system, of.cut, number, exchange);
            std::set<int> shared;
            for (const std::vector<int>& some : border.shared()) shared.insert(some.begin(), some.end());
            test(of, border, shared);
        });
    }
}

/// The tiles of a range by their numbers, in order.
std::vector<int> numbers_of(const TiledOrder& order, const TileRange& range) {
    std::vector<int> numbers;
    for (int z = 0; z < range.extent.z; ++z)
        for (int y = 0; y < range.extent.y; ++y)
            for (int x = 0; x < range.extent.x; ++x)
                numbers.push_back(order.number({range.first.x + x, range.first.y + y, range.first.z + z}));
    return numbers;
}

/// Particles of deep tiles, moved as far as any may, come to no cell that others have.
TEST(DeepTiles, send_nothing_to_others) {
    std::vector<int> deep_counts;  // of tiles, of the first domain of each
    in_each_domain([&](const Domains& of, const Border<double>& border, const std::set<int>& shared) {
        const DomainGrid<double>& grid = border.first_grid(of.system);
        const TiledOrder order(grid);
        const std::vector<int> deep = numbers_of(order, deep_tiles(border, grid));
        constexpr int drift = TileBox::beyond + TileBox::leeway;
        const int farthest = std::max(drift, border.flight()) + 2 * border.flight();
        const Vec3<int> cells = grid.cells();
        for (const int tile : deep) {
            const Vec3<int> first = order.first_cell(tile);
            for (int axis = 0; axis < 3; ++axis) {
                if (of.cut.domains[axis] == 1) continue;
                const int last = first[axis] + order.size_of_tile(first)[axis] - 1;
                for (const int c : {first[axis] - farthest, last + farthest}) {
                    // Cells of a layer are shared alike.
                    Vec3<int> cell = first;
                    cell[axis] = c;
                    ASSERT_TRUE(c >= 0 && c < cells[axis]) << "tile " << tile;
                    ASSERT_FALSE(shared.contains(grid.index(cell))) << "tile " << tile;
                }
            }
        }
        if (border.number() == 0) deep_counts.push_back(static_cast<int>(std::ssize(deep)));
    });
    for (std::size_t i = 0; i + 1 < deep_counts.size(); ++i) EXPECT_GT(deep_counts[i], 0) << "system " << i;
    EXPECT_EQ(deep_counts.back(), 0);
}

/// All tiles are, of which every cell is so deep.
TEST(DeepTiles, are_all_that_are_deep_enough) {
    in_each_domain([](const Domains& of, const Border<double>& border, const std::set<int>& /*shared*/) {
        const DomainGrid<double>& grid = border.first_grid(of.system);
        const TiledOrder order(grid);
        constexpr int drift = TileBox::beyond + TileBox::leeway;
        const int layers = border.reach() + border.flight() + std::max(drift, border.flight());
        const std::vector<bool> is_deep = deep_cells(grid, layers);
        std::vector<bool> all_deep(static_cast<std::size_t>(order.tile_count()), true);
        for (int cell = 0; cell < grid.cell_count(); ++cell)
            if (!is_deep[cell]) all_deep[order.tile_of(cell)] = false;
        std::vector<int> expected;
        for (int tile = 0; tile < order.tile_count(); ++tile)
            if (all_deep[tile]) expected.push_back(tile);
        EXPECT_EQ(numbers_of(order, deep_tiles(border, grid)), expected);
    });
}

/// Where particles are put that break a bound, on each step's grid.
TEST(DeepTiles, have_the_middle_of_a_domain_among_them) {
    in_each_domain([](const Domains& of, const Border<double>& border, const std::set<int>& shared) {
        const bool is_any_deep = deep_tiles(border, border.first_grid(of.system)).count() > 0;
        for (std::uint64_t step = 0; step < 30; ++step) {
            const DomainGrid<double> grid(of.system, step, of.cut, border.number());
            const int cell = grid.locate(grid.middle()).cell;
            ASSERT_NE(cell, no_cell);
            ASSERT_FALSE(is_any_deep && shared.contains(cell));
        }
    });
}

/// A particle crosses sheared faces to anywhere along the flow.
TEST(DeepTiles, are_far_from_sheared_faces) {
    const System system = domains()[3].system;
    const Cut cut = domains()[3].cut;
    InProcess(cut.count()).run([&](int number, Exchange& exchange) {
        const Border<double> border(system, cut, number, exchange);
        const DomainGrid<double> grid(system, 0, cut, number);
        const TiledOrder order(grid);
        for (const int tile : numbers_of(order, deep_tiles(border, grid))) {
            const Vec3<int> first = order.first_cell(tile);
            EXPECT_GE(first.y, 3 * border.flight());
            EXPECT_LE(first.y + order.size_of_tile(first).y, system.box.size[1] - 3 * border.flight());
        }
    });
}

/// A particle that flies as far as it may wherever it is not seen in time.
TEST(DeepTiles, are_apart_while_no_particle_can_get_out) {
    std::mt19937 random(5);
    for (const int flight : {2, 5, 9, 20}) {
        constexpr int drift = TileBox::beyond + TileBox::leeway;
        const int farthest = std::max(drift, flight) + 2 * flight;
        std::int64_t apart = 0;
        std::int64_t last_astray = 0;
        int distance = 0;
        DeepSteps steps;
        std::vector<std::int64_t> told;  // by step
        for (std::int64_t step = 0, reordered = 0; step < 20000; ++step) {
            const bool are_apart = step > 0 && steps.are_apart(step);
            apart += are_apart ? 1 : 0;
            if (random() % 3 == 0) distance += static_cast<int>(random() % (flight + 1));
            ASSERT_FALSE(are_apart && distance > farthest) << "step " << step << ", flight " << flight;
            if (step > 0 && distance > drift) last_astray = step + 1;
            told.push_back(last_astray);
            if (step == reordered) {
                steps.reorder(step);
                distance = static_cast<int>(random() % (flight + 1));
                reordered += 1 + static_cast<std::int64_t>(random() % 30);
            }
            // The next step is launched when the one before this is known of.
            if (step > 0) steps.learn(static_cast<std::uint64_t>(told[step - 1]));
        }
        EXPECT_GT(apart, 2000);
        EXPECT_LT(apart, 18000);
    }
}

TEST(DeepTiles, are_apart_as_long_as_that_is_known_to_be_safe) {
    DeepSteps steps;
    steps.reorder(7);
    for (const std::uint64_t astray_in : {0, 7, 8, 9}) {
        steps.learn(astray_in + 1);
        EXPECT_TRUE(steps.are_apart(8) && steps.are_apart(9));
        for (const std::int64_t step : {10, 11, 30}) EXPECT_EQ(steps.are_apart(step), astray_in <= 7);
    }
}

/// Tiles of a domain, and the deep ones of them: inside of all faces, of some, of none; all tiles, and none.
struct DeepCase {
    Vec3<int> cells;
    TileRange deep;
};
const DeepCase deep_cases[] = {
    {{40, 24, 20}, {{1, 1, 2}, {2, 4, 1}}},     {{40, 24, 20}, {{0, 0, 1}, {5, 6, 3}}},
    {{40, 24, 20}, {{0, 2, 0}, {3, 4, 5}}},     {{40, 24, 20}, {{4, 0, 0}, {1, 6, 5}}},
    {{40, 24, 20}, {{0, 0, 0}, {5, 6, 5}}},     {{40, 24, 20}, {}},
    {{165, 164, 44}, {{0, 1, 1}, {21, 39, 7}}}, {{3, 2, 1}, {}}};

TEST(TurnsOfDomain, take_shallow_tiles_then_those_of_no_place_then_deep_ones) {
    for (const DeepCase& of : deep_cases) {
        SCOPED_TRACE(testing::PrintToString(of.cells) + ", deep ones " +
                     testing::PrintToString(of.deep.extent));
        const TiledOrder order(of.cells);
        const TurnsOfDomain turns(order, of.deep);
        const std::vector<int> numbers = numbers_of(order, of.deep);
        const std::set<int> deep(numbers.begin(), numbers.end());
        ASSERT_EQ(turns.shallow_count() + turns.deep_count(), order.tile_count());
        EXPECT_EQ(turns.deep_count(), std::ssize(deep));
        EXPECT_EQ(turns.deep_end(), deep.empty() ? 0 : *deep.rbegin() + 1);
        for (const int loose : {0, 3}) {
            const int others = turns.shallow_count() + loose;
            const TurnsOfDomain all = turns.with(loose, 0);
            const TurnsOfDomain of_deep = turns.with(loose, others);
            std::set<int> taken;
            for (int turn = 0; turn < order.tile_count() + loose; ++turn) {
                const int tile = all.tile(order, turn);
                ASSERT_TRUE(tile >= 0 && tile < order.tile_count() + loose);
                taken.insert(tile);
                EXPECT_EQ(all.is_deep(turn), turn >= others);
                EXPECT_EQ(deep.contains(tile), turn >= others);
                EXPECT_EQ(tile >= order.tile_count(), turn >= turns.shallow_count() && turn < others);
                if (turn < others) continue;
                EXPECT_EQ(of_deep.tile(order, turn - others), tile);
                EXPECT_TRUE(of_deep.is_deep(turn - others));
            }
            EXPECT_EQ(std::ssize(taken), order.tile_count() + loose);
        }
    }
}

}  // namespace
}  // namespace mpcflow::test

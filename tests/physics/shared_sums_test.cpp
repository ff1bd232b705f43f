/// Sums that threads add to each other's cells: by margins next to their own cells, and by lists.

#include "physics/host/shared_sums.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "physics/cell_grid.hpp"
#include "physics/collision/law.hpp"
#include "physics/system.hpp"

namespace mpcflow::test {
namespace {

using Sums = CellSums<2, Masses::equal>;
using Places = SharedSums<Sums>::Places;

struct SharedSumsCase {
    std::array<int, 3> size;
    bool has_walls;
    int threads;
};

/// Of one layer and less a thread, of layers that threads do not divide, of margins that meet and overlap,
/// of more cells than are in any margin, and of threads without a cell.
const SharedSumsCase shared_sums_cases[] = {
    {{4, 3, 8}, false, 1}, {{4, 3, 8}, false, 2},  {{4, 3, 2}, false, 2}, {{5, 4, 7}, false, 3},
    {{5, 4, 7}, true, 3},  {{3, 3, 20}, false, 4}, {{2, 2, 3}, true, 5},  {{6, 5, 1}, false, 4},
    {{3, 2, 30}, true, 2}, {{1, 1, 16}, false, 3}, {{2, 1, 2}, false, 7},
};

CellGrid<double> grid_of(const SharedSumsCase& of) {
    System system;
    system.box.size = of.size;
    if (of.has_walls) system.boundaries.faces[2] = {{FaceKind::no_slip}, {FaceKind::slip}};
    return CellGrid<double>(system, 0);
}

/// One contribution, of a value that tells thread and cell.
Sums contribution(int thread, int cell) {
    Sums sums = Sums::of_one(1.0);
    sums.value[1] = 1000.0 * (thread + 1) + cell;
    return sums;
}

/// All sums are zero.
void begin(SharedSums<Sums>& sums, int threads) {
    for (int cell = 0; cell < sums.cell_count(); ++cell) sums[cell] = {};
    for (int thread = 0; thread < threads; ++thread) sums.forget(thread);
}

/// What each cell should have when every thread has added to all cells `times` times.
void expect_all(SharedSums<Sums>& sums, int threads, int times) {
    for (int cell = 0; cell < sums.cell_count(); ++cell) {
        double value = 0.0;
        for (int thread = 0; thread < threads; ++thread) value += contribution(thread, cell).value[1];
        ASSERT_EQ(sums[cell].number(), times * threads) << "cell " << cell;
        ASSERT_EQ(sums[cell].value[1], times * value) << "cell " << cell;
    }
}

class SharedSumsOf : public testing::TestWithParam<SharedSumsCase> {};

TEST_P(SharedSumsOf, threads_have_what_all_have_added) {
    const SharedSumsCase of = GetParam();
    SharedSums<Sums> sums(grid_of(of), of.threads);
    begin(sums, of.threads);
    // Collected once and twice, as a domain does, and again with nothing new.
    for (const int collections : {1, 2}) {
        for (int cell = 0; cell < sums.cell_count(); ++cell) sums[cell] = {};
        for (int turn = 0; turn < collections; ++turn) {
            for (int thread = 0; thread < of.threads; ++thread) {
                const Places places = sums.places(thread);
                for (int cell = 0; cell < sums.cell_count(); ++cell)
                    sums.add(thread, places, cell, contribution(thread, cell));
                sums.offer_margins(thread);
            }
            for (int thread = 0; thread < of.threads; ++thread) sums.collect(thread);
        }
        for (int thread = 0; thread < of.threads; ++thread) sums.collect(thread);
        expect_all(sums, of.threads, collections);
    }
}

TEST_P(SharedSumsOf, forgotten_contributions_are_not_collected) {
    const SharedSumsCase of = GetParam();
    SharedSums<Sums> sums(grid_of(of), of.threads);
    begin(sums, of.threads);
    const auto add_to_others = [&] {
        for (int thread = 0; thread < of.threads; ++thread) {
            const Places places = sums.places(thread);
            for (int cell = 0; cell < sums.cell_count(); ++cell)
                if (!places.is_own(cell)) sums.add(thread, places, cell, contribution(thread, cell));
            sums.offer_margins(thread);
        }
    };
    add_to_others();
    for (int thread = 0; thread < of.threads; ++thread) sums.forget(thread);
    for (int thread = 0; thread < of.threads; ++thread) sums.collect(thread);
    for (int cell = 0; cell < sums.cell_count(); ++cell) ASSERT_EQ(sums[cell].number(), 0.0);
    add_to_others();
    for (int thread = 0; thread < of.threads; ++thread) sums.collect(thread);
    for (int cell = 0; cell < sums.cell_count(); ++cell) ASSERT_EQ(sums[cell].number(), of.threads - 1);
}

// A layer on either side, also around the ends of the box, but no more than a thread has; each place stands
// for one cell.
TEST_P(SharedSumsOf, places_are_there_for_the_cells_next_to_a_threads_own) {
    const SharedSumsCase of = GetParam();
    const CellGrid<double> grid = grid_of(of);
    const SharedSums<Sums> sums(grid, of.threads);
    const std::int64_t cells = grid.cell_count();
    const std::int64_t layer = std::int64_t{grid.cells().x} * grid.cells().y;
    const std::int64_t width = of.threads == 1 ? 0 : std::min(cells / of.threads, layer + grid.cells().x + 1);
    EXPECT_EQ(sums.bytes(), (cells + 2 * width * of.threads) * static_cast<std::int64_t>(sizeof(Sums)));
    std::set<std::int64_t> indices;
    for (int thread = 0; thread < of.threads; ++thread) {
        const Places places = sums.places(thread);
        std::int64_t listed = 0;
        for (int cell = 0; cell < cells; ++cell) {
            const std::int64_t index = places.index(cell);
            const bool is_own = cell >= sums.first_cell(thread) && cell < sums.first_cell(thread + 1);
            EXPECT_EQ(places.is_own(cell), is_own);
            if (is_own) EXPECT_EQ(index, cell);
            if (index == Places::in_list) {
                ++listed;
            } else {
                EXPECT_TRUE(indices.insert(index).second) << "thread " << thread << ", cell " << cell;
                EXPECT_LT(index, cells + 2 * width * of.threads);
                EXPECT_GE(index, 0);
            }
        }
        for (std::int64_t away = 1; away <= width; ++away)
            for (const std::int64_t cell : {places.first - away, places.first + places.count - 1 + away})
                EXPECT_NE(places.index(static_cast<int>((cell + cells) % cells)), Places::in_list);
        EXPECT_EQ(listed, std::max(std::int64_t{0}, cells - places.count - 2 * width));
    }
}

std::string name_of(const testing::TestParamInfo<SharedSumsCase>& info) {
    const SharedSumsCase& of = info.param;
    return std::to_string(of.size[0]) + "x" + std::to_string(of.size[1]) + "x" + std::to_string(of.size[2]) +
           (of.has_walls ? "_walls_" : "_periodic_") + std::to_string(of.threads) + "_threads";
}
INSTANTIATE_TEST_SUITE_P(some, SharedSumsOf, testing::ValuesIn(shared_sums_cases), name_of);

}  // namespace
}  // namespace mpcflow::test

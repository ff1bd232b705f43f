/// Where a host solver takes particles to be, by their place in memory.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include <gtest/gtest.h>

#include "physics/host/cell_walk.hpp"

namespace mpcflow::test {
namespace {

/// The marks that a re-ordering leaves of cells with so many particles each.
std::vector<CellMark> marks_of(const std::vector<int>& counts) {
    std::vector<CellMark> marks;
    std::int64_t particles = 0;
    for (std::int64_t cell = 0; cell < std::ssize(counts); ++cell) {
        if (cell % CellMark::spacing == 0) marks.push_back({cell, particles});
        particles += counts[cell];
    }
    return marks;
}

/// The farthest that a walk over all particles is from their cells.
std::int64_t farthest(const std::vector<int>& counts, const std::vector<CellMark>& marks) {
    std::int64_t particles = 0;
    for (const int count : counts) particles += count;
    CellWalk walk(marks, std::ssize(counts), particles);
    std::int64_t particle = 0;
    std::int64_t farthest = 0;
    for (std::int64_t cell = 0; cell < std::ssize(counts); ++cell)
        for (int i = 0; i < counts[cell]; ++i)
            farthest = std::max(farthest, std::abs(walk.cell_of(particle++) - cell));
    return farthest;
}

TEST(CellWalk, is_right_where_cells_have_equal_numbers) {
    for (const std::int64_t cells : {1, 2, 1023, 1024, 1025, 5000}) {
        const std::vector<int> counts(static_cast<std::size_t>(cells), 10);
        // The quotient may be rounded down to the cell before.
        EXPECT_LE(farthest(counts, marks_of(counts)), 1) << cells;
        EXPECT_LE(farthest(counts, {}), 1) << cells;
    }
}

// A halo of few particles before the rest, and solid in between: between two marks they are not told apart,
// but what is behind is right again.
TEST(CellWalk, is_right_again_behind_each_mark) {
    std::vector<int> counts(20 * CellMark::spacing, 10);
    std::fill_n(counts.begin(), 2 * CellMark::spacing, 0);
    for (std::int64_t cell = 0; cell < 2 * CellMark::spacing; cell += 97) counts[cell] = 1;
    std::fill_n(counts.begin() + 7 * CellMark::spacing + 100, 3 * CellMark::spacing, 0);
    EXPECT_LT(farthest(counts, marks_of(counts)), CellMark::spacing);
    EXPECT_GT(farthest(counts, {}), 2 * CellMark::spacing) << "evenly";
    // Of whole parts that are alike each is right by itself.
    std::fill_n(counts.begin() + 7 * CellMark::spacing, 100, 0);
    std::fill_n(counts.begin() + 10 * CellMark::spacing, 100, 10);
    EXPECT_LE(farthest(counts, marks_of(counts)), 97);
}

TEST(CellWalk, takes_what_there_is) {
    CellWalk none({}, 8, 0);
    EXPECT_EQ(none.cell_of(0), 0);
    const std::vector<CellMark> marks{{0, 0}, {1024, 0}, {2048, 3}};
    CellWalk walk(marks, 2050, 5);
    EXPECT_EQ(walk.cell_of(0), 1024);
    EXPECT_EQ(walk.cell_of(3), 2048);
    EXPECT_EQ(walk.cell_of(4), 2049);
    // Particles that came since then are behind all others: in no cell, or in the last ones.
    EXPECT_GE(walk.cell_of(6), 2049);
}

}  // namespace
}  // namespace mpcflow::test

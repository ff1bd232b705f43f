/// Collision cells: every place in the right cell at the right distance from its centre, for all shifts.

#include <array>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "physics/cell_grid.hpp"
#include "tests/physics/statistics.hpp"

namespace mpcflow::test {
namespace {

constexpr AxisFaces walls{FaceKind::no_slip, FaceKind::no_slip};

System system_of(std::array<int, 3> size, std::array<bool, 3> has_walls) {
    System system;
    system.box.size = size;
    for (int axis = 0; axis < 3; ++axis)
        if (has_walls[axis]) system.boundaries.faces[axis] = walls;
    return system;
}

/// Steps whose shift along x is the least and the greatest of 200 000.
std::array<std::uint64_t, 2> extreme_steps(const System& system) {
    std::array<std::uint64_t, 2> steps{};
    double least = 1.0, greatest = 0.0;
    for (std::uint64_t step = 0; step < 200000; ++step) {
        const double s = CellGrid<double>(system, step).shift().x;
        if (s < least) least = s, steps[0] = step;
        if (s > greatest) greatest = s, steps[1] = step;
    }
    return steps;
}

/// Grids without a shift, with 50 random ones and with those nearest to 0 and 1.
template <class Real>
std::vector<CellGrid<Real>> many_grids(System system) {
    std::vector<CellGrid<Real>> grids;
    for (std::uint64_t step = 0; step < 50; ++step) grids.emplace_back(system, step);
    for (const std::uint64_t step : extreme_steps(system)) grids.emplace_back(system, step);
    system.collision.random_shift = false;
    grids.emplace_back(system, 7);
    return grids;
}

/// Places along an axis of length L where something could go wrong: the faces, all cell boundaries, and
/// the neighbours of both. L itself only between walls.
template <class Real>
std::vector<Real> critical_places(int length, Real shift, bool has_walls) {
    const Real end = static_cast<Real>(length);
    std::vector<Real> candidates{0, end, std::numeric_limits<Real>::min(), static_cast<Real>(1e-20)};
    for (int c = 0; c <= length + 1; ++c) {
        const Real boundary = static_cast<Real>(c) - shift;
        candidates.insert(candidates.end(), {boundary, boundary + static_cast<Real>(0.37)});
    }
    std::vector<Real> places;
    for (const Real x : candidates) {
        for (const Real near : {x, std::nextafter(x, static_cast<Real>(-1)), std::nextafter(x, 2 * end)})
            if (near >= 0 && (near < end || (has_walls && near == end))) places.push_back(near);
    }
    return places;
}

template <class Real>
class Cells : public testing::Test {};
using Reals = testing::Types<double, float>;
TYPED_TEST_SUITE(Cells, Reals);

// The other two axes have sizes and faces of their own, so a mixed-up axis shows.
TYPED_TEST(Cells, hold_every_place_at_its_distance_from_their_centre) {
    using Real = TypeParam;
    for (const int length : {1, 2, 3, 7, 1000}) {
        for (const bool has_walls : {false, true}) {
            const System system = system_of({length, 5, 4}, {has_walls, !has_walls, false});
            // The rounding of position + shift: half a unit of the last place of L + 1.
            const double rounding =
                0.5 * (length + 1) * static_cast<double>(std::numeric_limits<Real>::epsilon());
            for (const CellGrid<Real>& grid : many_grids<Real>(system)) {
                const Vec3<int> cells = grid.cells();
                ASSERT_EQ(cells.x, length + (has_walls ? 1 : 0));
                ASSERT_EQ(cells.y, has_walls ? 5 : 6);
                ASSERT_EQ(cells.z, 4);
                const double s = static_cast<double>(grid.shift().x);
                for (const Real x : critical_places(length, grid.shift().x, has_walls)) {
                    const CellPlace<Real> place =
                        grid.locate({x, static_cast<Real>(2.6), static_cast<Real>(1.2)});
                    ASSERT_GE(place.cell, 0);
                    ASSERT_LT(place.cell, grid.cell_count());
                    const double offset = static_cast<double>(place.offset.x);
                    ASSERT_LE(std::abs(offset), 0.5);
                    // Place = cell centre + offset, up to a whole number of boxes along a periodic axis.
                    const double centre = place.cell % cells.x + 0.5 - s;
                    const double rest = static_cast<double>(x) - (centre + offset);
                    const double boxes = std::round(rest / length);
                    ASSERT_TRUE(boxes == 0.0 || (boxes == 1.0 && !has_walls && place.cell % cells.x == 0));
                    ASSERT_NEAR(rest, boxes * length, rounding);
                    // The other axes do not mind.
                    const double sy = static_cast<double>(grid.shift().y);
                    const int y = static_cast<int>(std::floor(static_cast<double>(2.6F) + sy));
                    ASSERT_EQ(place.cell / cells.x % cells.y, y);
                }
            }
        }
    }
}

TYPED_TEST(Cells, are_all_reached) {
    using Real = TypeParam;
    for (const auto& size : {std::array{1, 1, 1}, std::array{2, 3, 1}, std::array{3, 7, 2}}) {
        for (const bool has_walls : {false, true}) {
            const System system = system_of(size, {has_walls, false, has_walls});
            const CellGrid<Real> grid(system, 3);
            std::vector<bool> hit(static_cast<std::size_t>(grid.cell_count()));
            std::mt19937 engine(1);
            std::uniform_real_distribution<double> uniform;
            for (int i = 0; i < 100000; ++i) {
                const Vec3<Real> x{static_cast<Real>(uniform(engine) * size[0]),
                                   static_cast<Real>(uniform(engine) * size[1]),
                                   static_cast<Real>(uniform(engine) * size[2])};
                hit[grid.locate(x).cell] = true;
            }
            for (std::size_t c = 0; c < hit.size(); ++c)
                EXPECT_TRUE(hit[c]) << "cell " << c << " of " << hit.size();
        }
    }
}

// Just below the upper face float rounds up to the next whole number for most shifts.
TYPED_TEST(Cells, of_large_boxes_take_the_last_place) {
    using Real = TypeParam;
    const Real end = 1000;
    for (const bool has_walls : {false, true}) {
        const System system = system_of({1000, 1000, 1000}, {has_walls, has_walls, has_walls});
        const Real last = has_walls ? end : std::nextafter(end, static_cast<Real>(0));
        for (std::uint64_t step = 0; step < 2000; ++step) {
            const CellGrid<Real> grid(system, step);
            const CellPlace<Real> place = grid.locate({last, last, last});
            ASSERT_GE(place.cell, 0);
            ASSERT_LT(place.cell, grid.cell_count());
            for (int axis = 0; axis < 3; ++axis)
                ASSERT_LE(std::abs(place.offset[axis]), static_cast<Real>(0.5));
        }
    }
}

// Two particles on both sides of a periodic face and in one cell: what the sums of r need.
TYPED_TEST(Cells, measure_across_a_periodic_face) {
    using Real = TypeParam;
    for (const int length : {1, 2, 32}) {
        const System system = system_of({length, length, length}, {false, false, false});
        int together = 0;
        for (std::uint64_t step = 0; step < 500; ++step) {
            const CellGrid<Real> grid(system, step);
            const Real low = static_cast<Real>(0.0625);
            const Real high = static_cast<Real>(length) - static_cast<Real>(0.25);
            const CellPlace<Real> a = grid.locate({low, low, low});
            const CellPlace<Real> b = grid.locate({high, low, low});
            if (a.cell != b.cell) continue;
            const double distance = static_cast<double>(a.offset.x - b.offset.x);
            // In a box of one cell the lattice decides which image is meant.
            if (length == 1 && distance < 0) continue;
            ++together;
            ASSERT_NEAR(distance, 0.3125,
                        2.0 * length * static_cast<double>(std::numeric_limits<Real>::epsilon()));
            ASSERT_EQ(a.offset.y, b.offset.y);
        }
        EXPECT_GT(together, 200) << "with probability 0.69 a step";
    }
}

TYPED_TEST(Cells, fluid_part_is_the_overlap_with_the_box) {
    using Real = TypeParam;
    for (const auto& size : {std::array{1, 1, 1}, std::array{3, 2, 1}, std::array{2, 4, 3}}) {
        for (int faces = 0; faces < 8; ++faces) {
            const System system = system_of(size, {(faces & 1) != 0, (faces & 2) != 0, (faces & 4) != 0});
            for (const CellGrid<Real>& grid : many_grids<Real>(system)) {
                const Vec3<int> cells = grid.cells();
                double fluid_volume = 0.0;
                for (int c = 0; c < grid.cell_count(); ++c) {
                    const CellFill part = grid.fill(c);
                    const std::array<int, 3> index{c % cells.x, c / cells.x % cells.y, c / cells.x / cells.y};
                    bool cut = false, reachable = true;
                    double volume = 1.0;
                    for (int axis = 0; axis < 3; ++axis) {
                        const bool walled = cells[axis] != size[axis];
                        const double s = static_cast<double>(grid.shift()[axis]);
                        const double begin = index[axis] - s;
                        const double low = walled ? std::max(begin, 0.0) : begin;
                        const double high =
                            walled ? std::min(begin + 1.0, static_cast<double>(size[axis])) : begin + 1.0;
                        // The cell beyond an unshifted grid holds only the wall itself: left whole, as it is
                        // not cut.
                        reachable = reachable && high > low;
                        if (high <= low) continue;
                        cut = cut || high - low < 1.0;
                        ASSERT_NEAR(part.lower[axis], low - begin - 0.5, 1e-14);
                        ASSERT_NEAR(part.upper[axis], high - begin - 0.5, 1e-14);
                        volume *= part.upper[axis] - part.lower[axis];
                    }
                    if (!reachable) continue;
                    ASSERT_EQ(part.is_cut, cut);
                    fluid_volume += volume;
                }
                ASSERT_NEAR(fluid_volume, static_cast<double>(system.box.volume()), 1e-12);
            }
        }
    }
}

TYPED_TEST(Cells, keep_their_particles_in_the_fluid_part) {
    using Real = TypeParam;
    const System system = system_of({2, 3, 4}, {true, false, true});
    const double rounding = 4.0 * static_cast<double>(std::numeric_limits<Real>::epsilon());
    std::mt19937 engine(4);
    std::uniform_real_distribution<double> uniform;
    for (const CellGrid<Real>& grid : many_grids<Real>(system)) {
        for (int i = 0; i < 3000; ++i) {
            // Every third particle sits on a wall.
            const double u = i % 3 == 0 ? i % 2 : uniform(engine);
            const CellPlace<Real> place =
                grid.locate({static_cast<Real>(2.0 * u), static_cast<Real>(2.99 * uniform(engine)),
                             static_cast<Real>(4.0 * uniform(engine))});
            const CellFill part = grid.fill(place.cell);
            for (int axis = 0; axis < 3; ++axis) {
                ASSERT_GE(static_cast<double>(place.offset[axis]), part.lower[axis] - rounding);
                ASSERT_LE(static_cast<double>(place.offset[axis]), part.upper[axis] + rounding);
            }
        }
    }
}

TEST(LowerTurn, is_the_remainder_of_numbers_up_to_a_turn_away) {
    for (const int length : {1, 2, 3, 7, 200, 4096, 1 << 30}) {
        for (const int c : {0, 1, 2, 5, length / 2, length - 2, length - 1}) {
            if (c < 0 || c >= length) continue;
            EXPECT_EQ(lower_turn(c, length), c);
            EXPECT_EQ(lower_turn(c - length, length), c);
            EXPECT_EQ(lower_turn(c, -length), c);
            EXPECT_EQ(lower_turn(c + length, -length), c);
        }
    }
    for (const int c : {-3, -1, 0, 1, 200}) EXPECT_EQ(lower_turn(c, 0), c) << "of a cell between walls";
}

TEST(GridShift, is_the_same_in_both_precisions) {
    const System system;
    for (std::uint64_t step = 0; step < 10000; ++step) {
        const Vec3<double> s = CellGrid<double>(system, step).shift();
        const Vec3<float> f = CellGrid<float>(system, step).shift();
        for (int axis = 0; axis < 3; ++axis) {
            ASSERT_EQ(s[axis], static_cast<double>(f[axis]));
            ASSERT_TRUE(s[axis] >= 0.0 && s[axis] < 1.0);
        }
    }
}

TEST(GridShift, is_uniform_and_new_every_step) {
    System system;
    system.seed = 5;
    std::array<std::vector<double>, 3> samples;
    std::array<Correlation, 3> axes, steps, seeds;
    System other = system;
    other.seed = 6;
    for (std::uint64_t step = 0; step < 100000; ++step) {
        const Vec3<double> s = CellGrid<double>(system, step).shift();
        const Vec3<double> next = CellGrid<double>(system, step + 1).shift();
        const Vec3<double> of_other = CellGrid<double>(other, step).shift();
        for (int a = 0; a < 3; ++a) {
            samples[a].push_back(s[a]);
            axes[a].add(s[a] - 0.5, s[(a + 1) % 3] - 0.5);
            steps[a].add(s[a] - 0.5, next[a] - 0.5);
            seeds[a].add(s[a] - 0.5, of_other[a] - 0.5);
        }
    }
    for (int a = 0; a < 3; ++a) {
        EXPECT_GT(kolmogorov_p_value(samples[a], [](double x) { return x; }), least_p_value);
        EXPECT_TRUE(axes[a].is_zero());
        EXPECT_TRUE(steps[a].is_zero());
        EXPECT_TRUE(seeds[a].is_zero());
    }
}

TEST(GridShift, is_zero_if_none_is_wanted) {
    System system;
    system.collision.random_shift = false;
    for (std::uint64_t step = 0; step < 100; ++step) {
        const Vec3<double> s = CellGrid<double>(system, step).shift();
        EXPECT_EQ(dot(s, s), 0.0);
    }
}

}  // namespace
}  // namespace mpcflow::test

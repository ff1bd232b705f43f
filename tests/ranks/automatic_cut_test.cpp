/// The cut that is taken where none is asked for.

#include <algorithm>
#include <array>
#include <cstdint>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "physics/domain/automatic_cut.hpp"

namespace mpcflow::test {
namespace {

System a_box(std::array<int, 3> size) {
    System system;
    system.box.size = size;
    return system;
}

std::array<int, 3> domains_of(const System& system, int domains) {
    const auto cut = automatic_cut(system, domains);
    return cut ? cut->domains : std::array{0, 0, 0};
}

/// Faces between cells of two domains, counted one by one.
std::int64_t counted_surface(const System& system, const Cut& parts) {
    const auto& size = system.box.size;
    std::vector<int> owner(static_cast<std::size_t>(system.box.volume()));
    const auto at = [&](int x, int y, int z) -> int& { return owner[x + size[0] * (y + size[1] * z)]; };
    for (int number = 0; number < parts.count(); ++number) {
        const auto [origin, extent] = cut(system.box, parts, number);
        for (int z = 0; z < extent[2]; ++z)
            for (int y = 0; y < extent[1]; ++y)
                for (int x = 0; x < extent[0]; ++x) at(origin[0] + x, origin[1] + y, origin[2] + z) = number;
    }
    std::int64_t faces = 0;
    for (int z = 0; z < size[2]; ++z) {
        for (int y = 0; y < size[1]; ++y) {
            for (int x = 0; x < size[0]; ++x) {
                const std::array<int, 3> cell{x, y, z};
                for (int axis = 0; axis < 3; ++axis) {
                    std::array<int, 3> next = cell;
                    if (++next[axis] == size[axis]) {
                        if (!system.boundaries.faces[axis].is_periodic()) continue;
                        next[axis] = 0;
                    }
                    faces += at(x, y, z) != at(next[0], next[1], next[2]) ? 1 : 0;
                }
            }
        }
    }
    return faces;
}

TEST(AutomaticCut, has_the_least_surface) {
    EXPECT_EQ(domains_of(a_box({8, 8, 8}), 1), (std::array{1, 1, 1}));
    EXPECT_EQ(domains_of(a_box({8, 8, 8}), 2), (std::array{1, 1, 2}));  // along z, of equal ones
    // Two domains along a periodic axis meet twice, so that four along another one cost no more.
    EXPECT_EQ(domains_of(a_box({8, 8, 8}), 8), (std::array{1, 2, 4}));
    EXPECT_EQ(domains_of(a_box({9, 9, 9}), 27), (std::array{3, 3, 3}));
    EXPECT_EQ(domains_of(a_box({64, 8, 8}), 4), (std::array{4, 1, 1}));
    EXPECT_EQ(domains_of(a_box({8, 64, 8}), 7), (std::array{1, 7, 1}));
    EXPECT_EQ(domains_of(a_box({100, 100, 1}), 4), (std::array{1, 4, 1}));  // four planes, as 2 x 2 has
    EXPECT_EQ(domains_of(a_box({100, 100, 1}), 16), (std::array{4, 4, 1}));
    // Between walls a cut has one plane, across periodic faces two.
    System walls = a_box({8, 8, 8});
    walls.boundaries.faces[0] = {FaceKind::no_slip, FaceKind::no_slip};
    EXPECT_EQ(domains_of(walls, 2), (std::array{2, 1, 1}));
}

TEST(AutomaticCut, goes_across_the_flow_of_a_sheared_box) {
    System system = a_box({8, 8, 8});
    EXPECT_EQ(domains_of(system, 2), (std::array{1, 1, 2}));
    system.boundaries.faces[1].shear = {0.1, 2};
    EXPECT_EQ(domains_of(system, 2), (std::array{1, 2, 1}));
    EXPECT_EQ(domains_of(system, 4), (std::array{1, 4, 1}));
    system.boundaries.faces[1].shear = {0.1, 0};
    EXPECT_EQ(domains_of(system, 2), (std::array{1, 1, 2}));
    // Where there is nothing else to cut it is cut all the same.
    system.box.size = {64, 1, 1};
    EXPECT_EQ(domains_of(system, 2), (std::array{2, 1, 1}));
}

TEST(AutomaticCut, is_the_best_of_all) {
    for (const auto& size :
         {std::array{5, 7, 3}, std::array{4, 4, 4}, std::array{1, 9, 2}, std::array{12, 1, 1}}) {
        for (const bool has_walls : {false, true}) {
            System system = a_box(size);
            if (has_walls) system.boundaries.faces[1] = {FaceKind::no_slip, FaceKind::slip};
            for (int domains = 1; domains <= 30; ++domains) {
                std::set<std::int64_t> surfaces;
                for (int x = 1; x <= size[0]; ++x)
                    for (int y = 1; y <= size[1]; ++y)
                        for (int z = 1; z <= size[2]; ++z)
                            if (x * y * z == domains) surfaces.insert(counted_surface(system, {{x, y, z}}));
                const auto best = automatic_cut(system, domains);
                ASSERT_EQ(best.has_value(), !surfaces.empty()) << domains;
                if (!best) continue;
                EXPECT_EQ(best->count(), domains);
                EXPECT_EQ(counted_surface(system, *best), *surfaces.begin()) << domains;
                std::int64_t fullest = 0;
                for (int number = 0; number < domains; ++number)
                    fullest = std::max(fullest, cut(system.box, *best, number).volume());
                EXPECT_EQ(cells_of_fullest(system.box, *best), fullest);
            }
        }
    }
}

TEST(AutomaticCut, is_none_where_cells_are_too_few) {
    EXPECT_FALSE(automatic_cut(a_box({4, 4, 4}), 5));
    EXPECT_FALSE(automatic_cut(a_box({4, 4, 4}), 65));
    EXPECT_TRUE(automatic_cut(a_box({4, 4, 4}), 64));
    EXPECT_FALSE(automatic_cut(a_box({1, 1, 1}), 2));
}

}  // namespace
}  // namespace mpcflow::test

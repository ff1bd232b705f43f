/// How much of a cell is solid, and which cells may have solid in them.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <vector>

#include <gtest/gtest.h>

#include "physics/boundary/cell_fill.hpp"
#include "physics/boundary/cell_surfaces.hpp"
#include "physics/boundary/surface_map.hpp"
#include "physics/cell_grid.hpp"
#include "physics/domain/cut.hpp"
#include "physics/domain/domain_grid.hpp"
#include "physics/observables/walls_of_cell.hpp"
#include "physics/setting.hpp"
#include "physics/system.hpp"
#include "physics/vector.hpp"
#include "tests/physics/surface_cases.hpp"

namespace mpcflow::test {
namespace {

using enum FluidSide;

// Whatever the shift of the grid: the solid of all cells is that of the box, and each cell's is right to 1 %
// of a cell.
TEST(SolidOfCells, is_that_of_the_surface) {
    const System system = box_with({12, 12, 12}, {sphere({6.2, 5.9, 6.1}, 4, outside)});
    const SurfaceView view = view_of_surfaces(system);
    const WallStates walls(system);
    double mean = 0.0;
    double squares = 0.0;
    double worst = 0.0;
    int cells = 0;
    for (std::uint64_t step = 0; step < 8; ++step) {
        const CellGrid<double> grid(system, step);
        double sum = 0.0;
        for (int c = 0; c < grid.cell_count(); ++c) {
            const CellSurfaces here(view, grid.centre(c));
            if (!here.is_cut()) {
                const Vec3<double> d = here.centre() - Vec3<double>{6.2, 5.9, 6.1};
                sum += dot(d, d) < 16.0 ? 1.0 : 0.0;
                continue;
            }
            const double volume = mean_solid(view, here.centre(), walls).volume;
            sum += volume;
            double fine = 0.0;
            here.for_pieces<16>([&](int, double weight, Vec3<double>) { fine += weight; });
            squares += (volume - fine) * (volume - fine);
            ++cells;
            worst = std::max(worst, std::abs(volume - fine));
        }
        mean += sum / 8;
        EXPECT_NEAR(sum / (4.0 / 3.0 * std::numbers::pi * 64), 1.0, 0.01);
    }
    EXPECT_NEAR(mean / (4.0 / 3.0 * std::numbers::pi * 64), 1.0, 0.003);
    EXPECT_LT(std::sqrt(squares / cells), 0.01);
    EXPECT_LT(worst, 0.03);
}

// To cut a cell is to have a place of it behind: of 17^3 in a cell, its corners among them, some are where a
// surface cuts it, but for where it takes off less than what is between them.
TEST(SolidOfCells, has_solid_is_to_have_a_place_behind_a_surface) {
    const Geometry cases[] = {{"sphere", box_with({12, 12, 12}, {sphere({6.2, 5.9, 6.1}, 3.3, outside)})},
                              {"small", box_with({12, 12, 12}, {sphere({6.2, 5.9, 6.1}, 0.3, outside)})},
                              {"rod", box_with({12, 12, 12}, {cylinder(1, {6.2, 0, 6.1}, 2.5, outside)})},
                              {"pipe", box_with({12, 12, 12}, {cylinder(2, {6.2, 5.9, 0}, 4.5, inside)})},
                              {"ball", box_with({12, 12, 12}, {sphere({6.2, 5.9, 6.1}, 4.5, inside)})}};
    for (const auto& [name, system] : cases) {
        const SurfaceView view = view_of_surfaces(system);
        const CurvedSurface& surface = view.surfaces[0];
        int cut = 0;
        for (std::uint64_t step = 0; step < 4; ++step) {
            const CellGrid<double> grid(system, step);
            for (int c = 0; c < grid.cell_count(); ++c) {
                const CellSurfaces here(view, grid.centre(c));
                if (here.is_solid()) continue;
                double lowest = 1.0;
                for_lattice(here.centre(), 16,
                            [&](Vec3<double> place) { lowest = std::min(lowest, surface.height(place)); });
                if (lowest < 0.0)
                    EXPECT_TRUE(here.has_solid()) << name << ", cell " << c << " in step " << step;
                // A container's farthest place is a corner, which is among them. An obstacle's nearest one
                // may be between them, a 32nd along two axes at most, and so much lower.
                const double between = surface.side < 0.0 ? 0.0 : 1.0 / (1024.0 * surface.radius);
                if (here.has_solid()) EXPECT_LT(lowest, between + 1e-12) << name << ", cell " << c;
                cut += here.has_solid() ? 1 : 0;
            }
        }
        EXPECT_GT(cut, 8) << name;
    }
}

// Which cells a device resolves apart (physics/step.hpp): all that a face cuts in some step, also of a domain
// with its halo, and no more than the outermost layers.
TEST(SolidOfCells, at_faces_may_be_where_some_grid_has_it) {
    using enum FaceKind;
    const AxisFaces kinds[] = {{}, {no_slip, no_slip}, {slip, no_slip}, {thermal, slip}, {slip, slip}};
    for (const AxisFaces& x : kinds) {
        for (const AxisFaces& z : kinds) {
            System system;
            system.box.size = {6, 5, 8};
            system.boundaries.faces[0] = x;
            system.boundaries.faces[2] = z;
            const auto expect_right = [&](auto grid) {
                int may_be_cut = 0;
                std::vector<bool> were_cut(grid.cell_count());
                for (std::uint64_t step = 0; step < 20; ++step) {
                    grid = grid.of_step(system, step);
                    for (int c = 0; c < grid.cell_count(); ++c)
                        were_cut[c] = were_cut[c] || grid.fill(c).is_cut;
                }
                for (int c = 0; c < grid.cell_count(); ++c) {
                    EXPECT_EQ(grid.may_be_cut(c), were_cut[c]) << c;
                    may_be_cut += grid.may_be_cut(c) ? 1 : 0;
                }
                EXPECT_TRUE(grid.has_solid_faces() || may_be_cut == 0);
                return may_be_cut > 0;
            };
            EXPECT_EQ(expect_right(CellGrid<double>(system, 0)),
                      CellGrid<double>(system, 0).has_solid_faces());
            const Cut cut{{2, 1, 2}};
            for (int number = 0; number < cut.count(); ++number)
                expect_right(DomainGrid<double>(system, 0, cut, number));
        }
    }
}

// Of which cells a device asks: of all that have solid in the grid of some step, and of no more than the cube
// that these fill.
TEST(SolidOfCells, may_be_where_some_grid_has_it) {
    int asked = 0;
    int having = 0;
    for (const Geometry& geometry : all_geometries()) {
        const System& system = geometry.system;
        if (system.surfaces.list.empty()) continue;
        const SurfaceView view = view_of_surfaces(system);
        const CellGrid<double> first(system, 0);
        std::vector<bool> may_have(first.cell_count());
        for (int c = 0; c < first.cell_count(); ++c) {
            may_have[c] = may_have_solid(view, first.in_box(c));
            asked += may_have[c] ? 1 : 0;
        }
        for (std::uint64_t step = 0; step < 50; ++step) {
            const CellGrid<double> grid(system, step);
            for (int c = 0; c < grid.cell_count(); ++c) {
                if (!CellSurfaces(view, grid.centre(c)).has_solid()) continue;
                ++having;
                EXPECT_TRUE(may_have[c]) << geometry.name << ", cell " << c << " in step " << step;
            }
        }
    }
    EXPECT_GT(having, 50 * 1000);
    EXPECT_GT(asked, 1000);

    const Vec3<double> centre{8.2, 7.9, 8.1};
    const System system = box_with({16, 16, 16}, {sphere({8.2, 7.9, 8.1}, 3, outside),
                                                  sphere({1.0, 1.0, 1.0}, 1.5, outside, FaceKind::slip)});
    const SurfaceView view = view_of_surfaces(system);
    for (int c = 0; c < 16 * 16 * 16; ++c) {
        const Vec3<int> cell{c % 16, c / 16 % 16, c / 256};
        const Vec3<double> d = vector_cast<double>(cell) - centre;
        // In the middle of the sphere no surface is near, and no particle.
        if (dot(d, d) < 4.0) continue;
        Vec3<double> nearest;  // of the cube from c - 1 to c + 1
        for (int axis = 0; axis < 3; ++axis) nearest[axis] = std::max(0.0, std::abs(d[axis]) - 1.0);
        EXPECT_EQ(may_have_solid(view, cell), dot(nearest, nearest) < 9.0) << c;
    }
}

TEST(SolidOfCells, moves_as_a_solid) {
    Surface pipe = cylinder(2, {6, 6, 0}, 4.5, inside);
    pipe.velocity = {0, 0, 0.25};
    pipe.angular_velocity = {0, 0, 0.5};
    pipe.temperature = 2.0;
    const System system = box_with({12, 12, 4}, {pipe});
    const WallStates walls(system);
    const SurfaceView view = view_of_surfaces(system);
    const Vec3<double> centre{10.4, 6, 2};
    ASSERT_TRUE(CellSurfaces(view, centre).has_solid());
    const MeanSolid solid = mean_solid(view, centre, walls);
    EXPECT_NEAR(solid.volume, 0.4, 0.02);
    // Its middle is at x = 10.7: the velocity there is 0.5 (10.7 - 6) along y.
    EXPECT_NEAR(solid.wall.velocity.y, 0.5 * 4.7, 0.05);
    EXPECT_NEAR(solid.wall.velocity.x, 0.0, 1e-12);
    // The fluid's is at x = 10.2.
    EXPECT_NEAR(solid.fluid, 0.6, 0.02);
    EXPECT_NEAR(solid.velocity_at_fluid.y, 0.5 * 4.2, 0.05);
    EXPECT_NEAR(solid.wall.velocity.z, 0.25, 1e-12);
    EXPECT_NEAR(solid.wall.thermal_variance, 2.0, 1e-12);
    WallState wall;
    EXPECT_EQ(filling_at(view, centre, walls, {0.4, 0.1, 0}, wall), Filling::solid);
    EXPECT_NEAR(wall.velocity.y, 0.5 * 4.8, 1e-12);
    EXPECT_EQ(filling_at(view, centre, walls, {-0.4, 0, 0}, wall), Filling::fluid);
}

// A container that turns, and a face of slip through which it goes, of which the cell is beyond by 0.3.
TEST(SolidOfCells, is_not_behind_slip_and_no_fluid_is) {
    Surface pipe = cylinder(0, {0, 1, 6}, 4.5, inside);
    pipe.velocity = {0.25, 0, 0};
    pipe.angular_velocity = {0.5, 0, 0};
    System system = box_with({12, 12, 12}, {});
    system.boundaries.faces[1] = {FaceKind::slip, FaceKind::slip};
    system = with_surfaces(system, {pipe});
    const WallStates walls(system);
    const SurfaceView view = view_of_surfaces(system);
    const Vec3<double> centre{6.3, 0.2, 10.4};
    ASSERT_TRUE(CellSurfaces(view, centre).has_solid());
    const MeanSolid solid = mean_solid(view, centre, walls);
    // By 41^3 places: the part that is fluid, its middle, and what is behind the pipe alone.
    double places = 0.0, fluid = 0.0, behind_pipe = 0.0;
    Vec3<double> middle{};
    for_lattice(centre, 40, [&](Vec3<double> place) {
        const bool is_solid = view.surfaces[0].is_beyond(place);
        places += 1.0;
        behind_pipe += is_solid && place.y >= 0.0 ? 1.0 : 0.0;
        if (is_solid || place.y < 0.0) return;
        fluid += 1.0;
        middle += place;
    });
    middle = (1.0 / fluid) * middle;
    // The pieces are right to 3 % of a cell (is_that_of_the_surface), the places to a 40th of what borders
    // are in it; the middle to that over the fluid's part and times half a cell.
    EXPECT_NEAR(solid.fluid, fluid / places, 0.03 + 0.025);
    // Of what is beyond both there is nothing.
    EXPECT_NEAR(solid.volume, behind_pipe / places, 0.055);
    EXPECT_NEAR(solid.velocity_at_fluid.z, 0.5 * (middle.y - 1.0), 0.5 * 0.5 * 0.055 / 0.4);
    EXPECT_NEAR(solid.velocity_at_fluid.y, -0.5 * (middle.z - 6.0), 0.5 * 0.5 * 0.055 / 0.4);
    EXPECT_NEAR(solid.velocity_at_fluid.x, 0.25, 1e-12);
    WallState wall;
    EXPECT_EQ(filling_at(view, centre, walls, {0, 0.3, 0.4}, wall), Filling::solid);
    EXPECT_EQ(filling_at(view, centre, walls, {0, -0.4, -0.4}, wall), Filling::nothing);
    EXPECT_EQ(filling_at(view, centre, walls, {0, -0.3, 0.4}, wall), Filling::nothing)
        << "0.1 and 0.3 beyond";
    EXPECT_EQ(filling_at(view, centre, walls, {0, 0.3, -0.4}, wall), Filling::fluid);
}

// Of two faces that meet, where a surface of slip takes away some of what is behind them: by as much of it as
// is left to each. Places are by both faces.
TEST(SolidOfCells, of_faces_is_what_slip_leaves_of_it) {
    System system = box_with({12, 12, 12}, {});
    system.boundaries.faces[1] = system.boundaries.faces[2] = {FaceKind::no_slip, FaceKind::no_slip};
    system = with_surfaces(system, {sphere({6.3, 0.8, -0.7}, 1.2, FluidSide::outside, FaceKind::slip)});
    const SurfaceView view = view_of_surfaces(system);
    int tried = 0;
    for (std::uint64_t step = 0; step < 200; ++step) {
        const CellGrid<double> grid(system, step);
        const Vec3<double> shift = grid.shift();
        if (std::abs(shift.y - 0.5) > 0.2 || std::abs(shift.z - 0.5) > 0.2) continue;
        ++tried;
        const int cell = grid.index({6, 0, 0});
        const auto walls = WallsOfCell::of<Setting::any>(grid, cell, view);
        ASSERT_TRUE(walls.is_by_surfaces && !walls.has_solid_surfaces);
        double behind[2] = {};  // the face below y, and the one below z
        for_lattice(grid.centre(cell), 40, [&](Vec3<double> place) {
            if (view.surfaces[0].is_beyond(place)) return;
            if (std::min(place.y, place.z) < 0.0) behind[place.y < place.z ? 0 : 1] += 1.0;
        });
        const double solid = behind[0] + behind[1];
        const double expected = behind[0] / solid;
        EXPECT_GT(expected, 0.55);
        // The pieces are right to 3 % of a cell, the places to a 40th, of which the solid is a part.
        EXPECT_NEAR(walls.share_of_face(2), expected, (0.03 + 0.025) * 41 * 41 * 41 / solid) << step;
        EXPECT_NEAR(walls.share_of_face(2) + walls.share_of_face(4), 1.0, 1e-14);
        EXPECT_EQ(walls.share_of_surface(face_count), 0.0);
        Vec3<double> place{0.1, 0.2, 0.3};
        walls.measure_from(place);
        EXPECT_NEAR(place.x, 0.1, 1e-15);
        EXPECT_NEAR(place.y, 0.2 + grid.centre(cell).y, 1e-15);
        EXPECT_NEAR(place.z, 0.3 + grid.centre(cell).z, 1e-15);
    }
    EXPECT_GT(tried, 10);
}

}  // namespace
}  // namespace mpcflow::test

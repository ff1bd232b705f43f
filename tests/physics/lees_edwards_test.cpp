/// Lees-Edwards shear: where the images are, who crosses to them, and in which cell who is.

#include <array>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "physics/cell_grid.hpp"
#include "physics/lees_edwards.hpp"
#include "physics/particle.hpp"
#include "physics/step.hpp"
#include "physics/theory.hpp"
#include "tests/physics/statistics.hpp"
#include "tests/physics/streaming_cases.hpp"

namespace mpcflow::test {
namespace {

/// All pairs of axes, and both directions.
std::vector<System> sheared_systems(std::array<int, 3> size, double time_step, double jump) {
    std::vector<System> systems;
    for (int normal = 0; normal < 3; ++normal) {
        for (int along = 0; along < 3; ++along) {
            if (along == normal) continue;
            for (const double sign : {1.0, -1.0}) {
                System& system = systems.emplace_back(box_of(size, {}, time_step));
                system.boundaries.faces[normal].shear = {sign * jump / size[normal], along};
            }
        }
    }
    return systems;
}

TEST(Displacement, follows_from_the_number_of_the_step_without_loss_however_long_the_run) {
    System system = box_of({16, 8, 5}, {}, 0.125);
    for (const double sign : {1.0, -1.0}) {
        // U h / 2 Lx = 3/1024 exactly: so many turns of the edge each half step.
        system.boundaries.faces[1].shear = {sign * 3.0 / 32.0, 0};
        for (const std::uint64_t half_steps :
             {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{341}, std::uint64_t{342}, std::uint64_t{683},
              std::uint64_t{2000000000000000} + 77}) {
            const std::uint64_t turns = half_steps % 1024 * 3 % 1024;
            const double up = 16.0 * static_cast<double>(turns) / 1024.0;
            const double expected = sign > 0.0 || turns == 0 ? up : 16.0 - up;
            EXPECT_EQ(ShearedFaces<double>(system, half_steps).displacement(), expected) << half_steps;
            EXPECT_EQ(ShearedFaces<float>(system, half_steps).displacement(), static_cast<float>(expected));
        }
    }
    // A rate that is no fraction of two: against the product in extended precision, for as long as that is
    // one. Its turns are rounded to 2^-64 once, and those of the step follow.
    system.boundaries.faces[1].shear = {0.0123, 0};
    const long double turns = static_cast<long double>(0.5 * 0.125 * (0.0123 * 8) / 16) * 20000000LL;
    const long double expected = 16.0L * (turns - std::floor(turns));
    EXPECT_NEAR(ShearedFaces<double>(system, 20000000).displacement(), static_cast<double>(expected), 1e-10);
}

/// A flight that jumps at the moment of each crossing, and flies on relative to the image.
template <class Real>
void expect_flight(const System& system, std::uint64_t step, Vec3<double> x, Vec3<double> v) {
    const int normal = system.sheared_axis();
    const Shear shear = system.boundaries.faces[normal].shear;
    const double h = system.collision.time_step;
    const double jump = shear.rate * system.box.size[normal];
    using Particle = ParticleOf<Real, Masses::equal>;
    Particle particle = particle_at<Particle>(x, v);
    // What follows starts from the same numbers.
    x = vector_cast<double>(particle.position);
    v = vector_cast<double>(particle.velocity);

    const long double edge_along = system.box.size[shear.along];
    double flown = 0.0, left = h;
    int images = 0;
    while (true) {
        const double edge = v[normal] > 0.0 ? system.box.size[normal] : 0.0;
        const double until = v[normal] != 0.0 ? (edge - x[normal]) / v[normal] : 2.0 * left;
        if (until >= left) break;
        x = x + until * v;
        flown += until;
        left -= until;
        const int boxes = v[normal] > 0.0 ? 1 : -1;
        x[normal] = boxes > 0 ? 0.0 : system.box.size[normal];
        const long double way = static_cast<long double>(jump) * (static_cast<long double>(h) * step + flown);
        x[shear.along] -= boxes * static_cast<double>(std::remainder(way, edge_along));
        v[shear.along] -= boxes * jump;
        images += boxes;
    }
    x = x + left * v;

    Streaming<Real> streaming(system);
    streaming.end_at(ShearedFaces<Real>(system, 2 * (step + 1)));
    EXPECT_EQ(streaming.move(particle, particle.velocity), StreamOutcome::inside);
    const double epsilon = static_cast<double>(std::numeric_limits<Real>::epsilon());
    for (int axis = 0; axis < 3; ++axis) {
        const double edge = system.box.size[axis];
        const double difference = static_cast<double>(particle.position[axis]) - x[axis];
        EXPECT_NEAR(std::remainder(difference, edge), 0.0, 64.0 * epsilon * edge) << axis;
        EXPECT_NEAR(static_cast<double>(particle.velocity[axis]), v[axis], 32.0 * epsilon * 4.0) << axis;
        EXPECT_GE(particle.position[axis], 0);
        EXPECT_LT(particle.position[axis], edge);
    }
    EXPECT_EQ(particle.image(normal), images);
    EXPECT_EQ(particle.image(shear.along), 0);
}

TEST(ShearedStreaming, is_a_jump_at_the_moment_of_the_crossing) {
    std::mt19937 random(1);
    std::uniform_real_distribution<double> unit(0.0, 1.0);
    for (const System& system : sheared_systems({7, 5, 6}, 0.5, 1.3)) {
        for (int i = 0; i < 300; ++i) {
            Vec3<double> x, v;
            for (int axis = 0; axis < 3; ++axis) {
                x[axis] = unit(random) * system.box.size[axis] * 0.999;
                v[axis] = (unit(random) - 0.5) * (i % 10 == 0 ? 60.0 : 6.0);  // of these some cross twice
            }
            expect_flight<double>(system, static_cast<std::uint64_t>(i), x, v);
            expect_flight<float>(system, static_cast<std::uint64_t>(i), x, v);
        }
    }
}

template <class Real>
void expect_cells(const System& system) {
    const int normal = system.sheared_axis();
    const Shear shear = system.boundaries.faces[normal].shear;
    System periodic = system;
    periodic.boundaries.faces[normal].shear = {};
    std::mt19937 random(2);
    std::uniform_real_distribution<double> unit(0.0, 1.0);
    const Real epsilon = std::numeric_limits<Real>::epsilon();
    int beyond = 0;
    for (std::uint64_t step = 0; step < 40; ++step) {
        const CellGrid<Real> grid(system, step), plain(periodic, step);
        const ShearedFaces<Real> faces(system, 2 * step);
        for (int i = 0; i < 50; ++i) {
            Vec3<Real> x, v;
            for (int axis = 0; axis < 3; ++axis) {
                x[axis] = static_cast<Real>(unit(random) * system.box.size[axis] * 0.999999);
                v[axis] = static_cast<Real>(unit(random));
            }
            const CellPlace<Real> place = grid.locate(x);
            if (!grid.is_beyond(x)) {
                const CellPlace<Real> expected = plain.locate(x);
                EXPECT_EQ(place.cell, expected.cell);
                for (int axis = 0; axis < 3; ++axis) EXPECT_EQ(place.offset[axis], expected.offset[axis]);
                EXPECT_EQ(grid.into_frame(x, v)[shear.along], v[shear.along]);
                continue;
            }
            ++beyond;
            // As its likeness below the lower face, of the box below.
            Vec3<Real> below = x;
            below[normal] -= static_cast<Real>(system.box.size[normal]);
            below[shear.along] -= faces.displacement();
            if (below[shear.along] < 0) below[shear.along] += static_cast<Real>(system.box.size[shear.along]);
            const CellPlace<Real> expected = plain.locate_in_frame(below);
            EXPECT_EQ(place.cell, expected.cell);
            for (int axis = 0; axis < 3; ++axis)
                EXPECT_NEAR(place.offset[axis], expected.offset[axis], 8 * epsilon);
            EXPECT_EQ(grid.into_frame(x, v)[shear.along], v[shear.along] - faces.jump());
            EXPECT_NEAR(grid.out_of_frame(x, grid.into_frame(x, v))[shear.along], v[shear.along],
                        4 * epsilon);
        }
    }
    EXPECT_GT(beyond, 0);
}

TEST(ShearedCells, are_at_the_face_those_of_the_images) {
    for (const System& system : sheared_systems({7, 5, 6}, 0.37, 1.3)) {
        expect_cells<double>(system);
        expect_cells<float>(system);
    }
}

TEST(ShearedCells, cover_the_box_once) {
    for (const System& system : sheared_systems({5, 4, 6}, 0.37, 1.3)) {
        // Places on a grid of 20 in each cell along each axis: were cells to overlap or to leave gaps, they
        // would hold other numbers. The displacement moves no place of the grid onto another, so a few of
        // 8000 change sides.
        const CellGrid<double> grid(system, 3);
        std::vector<int> found(static_cast<std::size_t>(grid.cell_count()));
        const auto& size = system.box.size;
        for (int z = 0; z < 20 * size[2]; ++z)
            for (int y = 0; y < 20 * size[1]; ++y)
                for (int x = 0; x < 20 * size[0]; ++x)
                    ++found[static_cast<std::size_t>(
                        grid.locate(0.05 * Vec3<double>{x + 0.5, y + 0.5, z + 0.5}).cell)];
        for (const int places : found) EXPECT_NEAR(places, 8000, 400);
    }
}

TEST(ShearFlow, is_what_the_faces_impose) {
    const System system = sheared_systems({7, 5, 6}, 0.37, 1.3)[1];  // faces of x, along y, downwards
    const ShearFlow flow(system);
    const Vec3<double> low{0.0, 1.0, 2.0}, high{7.0, 1.0, 2.0}, v{0.1, 0.2, 0.3};
    EXPECT_NEAR(flow.carried(low, v).y, 0.2 + 0.65, 1e-15);
    EXPECT_NEAR(flow.carried(high, v).y, 0.2 - 0.65, 1e-15);
    EXPECT_NEAR(flow.relative(high, v).y, 0.2 + 0.65, 1e-15);
    const auto expected = theory::sheared_flow(system);
    ASSERT_TRUE(expected.has_value());
    EXPECT_NEAR(expected->velocity(0.0), 0.65, 1e-15);
    EXPECT_NEAR(expected->jump(), -1.3, 1e-15);
    // The work of the stress becomes heat: per volume, stress x rate = 3/2 M d(kT)/dt.
    EXPECT_NEAR(expected->stress(system) * expected->rate,
                1.5 * system.fluid.density * expected->heating(system), 1e-15);
    EXPECT_FALSE(theory::sheared_flow(box_of({4, 4, 4}, {}, 0.1)).has_value());
}

}  // namespace
}  // namespace mpcflow::test

/// The virtual particles of a stream: what they make of the velocities in a cell, alone and beside a wall.

#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "physics/boundary/stream.hpp"
#include "physics/collision/virtual_particles.hpp"
#include "tests/laws/law_cases.hpp"
#include "tests/physics/statistics.hpp"
#include "tests/physics/surface_cases.hpp"

namespace mpcflow::test {
namespace {

const double stream_variance = heavy::temperature / heavy::mass;
constexpr Vec3<double> stream_velocity{0.4, -0.2, 0.1};

/// A whole cell with `density` virtual particles.
CellFill cell_in_stream(double density) {
    CellFill fill;
    fill.stream_density = density;
    fill.stream = {stream_velocity, stream_variance};
    return fill;
}

/// Particles with velocities about that of the stream and `apart` from it.
template <class Real>
Cell<Real> moved(Cell<Real> cell, Vec3<double> apart) {
    for (auto& particle : cell)
        particle.velocity =
            vector_cast<Real>(vector_cast<double>(particle.velocity) + stream_velocity + apart);
    return cell;
}

template <class Law>
class InAStream : public testing::Test {};
TYPED_TEST_SUITE(InAStream, AllLaws);

TYPED_TEST(InAStream, velocities_stay_maxwellian_about_its_own) {
    using Real = typename TypeParam::Real;
    const TypeParam law(heavy_system());
    CellMaker maker(11);
    for (const double density : {0.7, 10.0}) {
        std::array<std::vector<double>, 3> first, sums;
        Correlation particles;
        for (std::uint64_t step = 0; step < 10000; ++step) {
            // Two and more: of laws that scale the relative motion a single particle has none.
            constexpr int count = 5;
            const auto cell = moved(maker.make<Real>(count, heavy::thermal_speed), {});
            const auto after = collide_cell(law, cell, {7, step, 3}, cell_in_stream(density));
            Vec3<double> sum{};
            for (const auto& p : after) sum += vector_cast<double>(p.velocity) - stream_velocity;
            const Vec3<double> one = vector_cast<double>(after[0].velocity) - stream_velocity;
            for (int a = 0; a < 3; ++a) {
                first[static_cast<std::size_t>(a)].push_back(one[a]);
                sums[static_cast<std::size_t>(a)].push_back(sum[a] / std::sqrt(double{count}));
            }
            particles.add(one.x, static_cast<double>(after[1].velocity.x) - stream_velocity.x);
        }
        // Of the sum, too: as if the particles knew nothing of each other.
        for (std::size_t a = 0; a < 3; ++a) {
            EXPECT_TRUE(is_gaussian(first[a], stream_variance)) << density << " " << a;
            EXPECT_TRUE(is_gaussian(sums[a], stream_variance)) << density << " " << a;
        }
        EXPECT_TRUE(particles.is_zero()) << density;
    }
}

/// Means over draws of chance.
class Mean {
public:
    void add(double value) {
        ++count_;
        const double before = value - mean_;
        mean_ += before / count_;
        squares_ += before * (value - mean_);
    }
    [[nodiscard]] double mean() const { return mean_; }
    [[nodiscard]] double error() const { return std::sqrt(squares_ / count_ / (count_ - 1.0)); }

private:
    double count_ = 0.0;
    double mean_ = 0.0;
    double squares_ = 0.0;
};

// Of the difference between the fluid's mean velocity and the stream's what is left is 1 / (1 + n / N), n the
// virtual and N the real particles; a rotation by an angle about an axis of any direction turns the rest,
// c = (1 + 2 cos alpha) / 3 of it on average: (1 + c n / N) / (1 + n / N).
TYPED_TEST(InAStream, the_mean_velocity_comes_nearer_by_as_much_as_there_are_virtual_particles) {
    using Real = typename TypeParam::Real;
    const System system = heavy_system();
    const TypeParam law(system);
    const double c = TypeParam::has_angle
                         ? (1.0 + 2.0 * std::cos(system.collision.angle * std::acos(-1.0) / 180.0)) / 3.0
                         : 0.0;
    constexpr int count = 12;
    constexpr Vec3<double> apart{0.8, 0.0, -0.6};
    CellMaker maker(5);
    for (const double density : {3.0, 12.0}) {
        Mean left;
        for (std::uint64_t step = 0; step < 4000; ++step) {
            const auto cell = moved(maker.make<Real>(count, heavy::thermal_speed), apart);
            const auto after = collide_cell(law, cell, {9, step, 1}, cell_in_stream(density));
            Vec3<double> before_sum{}, sum{};
            for (const auto& p : cell) before_sum += vector_cast<double>(p.velocity) - stream_velocity;
            for (const auto& p : after) sum += vector_cast<double>(p.velocity) - stream_velocity;
            left.add(dot(sum, before_sum) / dot(before_sum, before_sum));
        }
        const double share = density / count;
        const double expected = (1.0 + c * share) / (1.0 + share);
        // Where angular momentum is conserved the mean is not known in closed form: rotation takes part, of
        // whole numbers of virtual particles at places of their own, by some hundredths.
        const double allowed = is_angular<TypeParam> ? 0.05 : sigmas * left.error();
        EXPECT_NEAR(left.mean(), expected, allowed) << density;
    }
}

// In the part of a cell that is fluid, beside a wall and beside a face of slip, which has nothing behind it.
TEST(StreamNumbers, are_of_the_fluid_part) {
    const System system = heavy_system();
    const WallStates walls(system);
    CellFill fill = cell_in_stream(0.5 * system.fluid.density);
    EXPECT_EQ(stream_number(fill), 5.0);
    fill.lower.y = -0.1;
    EXPECT_NEAR(stream_number(fill), 3.0, 1e-14) << "a face of slip";
    fill.face.y = 2;
    fill.is_cut = true;
    fill.walls = &walls;
    EXPECT_NEAR(stream_number(fill), 3.0, 1e-14);
}

// Beside surfaces of slip, too, one by one as well: so many on average, and none that is not in fluid.
TEST(StreamNumbers, are_of_the_fluid_part_beside_surfaces) {
    System system = heavy_system();
    system.box.size = {12, 12, 12};
    system.boundaries.faces[1] = {FaceKind::no_slip, FaceKind::slip};
    system = with_surfaces(system, {sphere({6, 1, 6}, 4, FluidSide::outside, FaceKind::slip)});
    const WallStates walls(system);
    const SurfaceView view = view_of_surfaces(system);
    // All but 0.2 of its edge along y is in the box, and the surface takes a part of that.
    CellFill fill = cell_in_stream(20.0);
    fill.walls = &walls;
    fill.surfaces = &view;
    fill.centre = {9.9, 0.3, 6.1};
    double fluid = 0.0;
    const auto is_fluid = [&](Vec3<double> place) {
        return place.y > 0.0 && !view.surfaces[0].is_beyond(place);
    };
    for_lattice(fill.centre, 40,
                [&](Vec3<double> place) { fluid += is_fluid(place) ? std::pow(41.0, -3) : 0.0; });
    ASSERT_GT(fluid, 0.3);
    ASSERT_LT(fluid, 0.6);
    // A piece of the cell is right to 0.03 of it (tests/physics/solid_of_cells_test.cpp), the lattice to a
    // 40th times the two borders.
    EXPECT_NEAR(stream_number(fill), 20.0 * fluid, 20.0 * 0.055);
    constexpr int steps = 4000;
    Mean number;
    for (std::uint64_t step = 0; step < steps; ++step) {
        int found = 0;
        for_each_virtual_particle<Masses::equal>(LawParameters(system), 1.0, {5, step, 3}, fill,
                                                 [&](Vec3<double> offset, Vec3<double>) {
                                                     ++found;
                                                     EXPECT_TRUE(is_fluid(fill.centre + offset));
                                                 });
        number.add(found);
    }
    EXPECT_NEAR(number.mean(), 20.0 * fluid, sigmas * number.error() + 20.0 * 0.05);
}

// Those that has() finds with the centres of some grid, whose shift brings a cell's centre to up to half an
// edge above or below its number.
TEST(StreamCells, may_be_where_some_grid_has_it) {
    System system;
    system.box.size = {20, 10, 8};
    for (const auto& [from, to] :
         {std::pair{17.0, 20.0}, {0.0, 3.0}, {4.25, 6.75}, {4.5, 5.5}, {19.5, 20.0}}) {
        system.stream = Stream{0, from, to, {0.2, 0.0, 0.0}};
        const StreamCells stream(system);
        for (int c = 0; c < 20; ++c) {
            bool has = false;
            for (int shift = 0; shift < 64; ++shift) has |= stream.has({c + 0.5 - shift / 64.0, 3.0, 3.0});
            EXPECT_EQ(stream.may_have({c, 3, 3}), has) << c << " from " << from << " to " << to;
        }
    }
}

TEST(StreamCells, a_slab_holds_the_cells_whose_centres_are_in_it) {
    System system;
    system.box.size = {20, 10, 8};
    system.stream = Stream{0, 17.0, 20.0, {0.2, 0.0, 0.0}};
    StreamCells uniform(system);
    EXPECT_TRUE(uniform.has({17.0, 0.0, 0.0}));
    EXPECT_FALSE(uniform.has({16.99, 0.0, 0.0}));
    EXPECT_FALSE(uniform.has({0.1, 0.0, 0.0}));
    EXPECT_TRUE(uniform.has({-0.4, 0.0, 0.0})) << "the cell that straddles the periodic face";
    EXPECT_EQ(uniform.velocity({18.0, 3.0, 3.0}).x, 0.2);
    EXPECT_FALSE(StreamCells(heavy_system()).is_on());

    system.boundaries.faces[1] = {FaceKind::no_slip, FaceKind::no_slip};
    system.stream->profile = StreamProfile::parabolic;
    const StreamCells parabola(system);
    EXPECT_NEAR(parabola.velocity({18.0, 5.0, 3.0}).x, 0.3, 1e-15);
    EXPECT_EQ(parabola.velocity({18.0, -0.3, 3.0}).x, 0.0) << "behind the wall";
    EXPECT_EQ(parabola.velocity({18.0, 10.3, 3.0}).x, 0.0);
    double mean = 0.0;
    for (int i = 0; i < 1000; ++i) mean += parabola.velocity({18.0, (i + 0.5) * 0.01, 3.0}).x / 1000.0;
    EXPECT_NEAR(mean, 0.2, 1e-6);
}

}  // namespace
}  // namespace mpcflow::test

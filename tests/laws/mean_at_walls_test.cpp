/// The wall's part in collisions that are not asked for places: what becomes of the mean velocity of a cut
/// cell, and of what is relative to it.

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <type_traits>
#include <vector>

#include "physics/collision/mean_at_walls.hpp"
#include "tests/laws/cut_cells.hpp"
#include "tests/physics/statistics.hpp"
#include "tests/physics/surface_cases.hpp"

namespace mpcflow::test {
namespace {

constexpr double wall_variance = heavy::temperature / heavy::mass;

template <class Law>
class AtWalls : public testing::Test {};
template <class Law>
using WithoutPlaces = std::bool_constant<!is_angular<Law>>;
TYPED_TEST_SUITE(AtWalls, LawsWith<WithoutPlaces>::Types);

/// A of a law in heavy_system().
template <class Law>
double relaxation() {
    return Law::relaxation(heavy_system().collision).A;
}

/// rho = 1 - A q / phi, q = n / (N + n + N / (N + n)), n = M (1 - phi), and no less than -1.
double kept(double A, double density, int count, const CellFill& part) {
    const double phi = fluid_part(part);
    const double n = density * (1.0 - phi);
    return std::max(-1.0, 1.0 - A * n / (phi * (count + n + count / (count + n))));
}

// Of Poissonian numbers of mean n: the sum over them, and what is taken for it.
TEST(MeanShare, is_the_mean_over_numbers_that_fluctuate) {
    for (const double n : {0.05, 1.0, 5.0, 30.0}) {
        for (const double others : {1.0, 3.0, 10.0, 40.0}) {
            double exact = 0.0;
            for (int k = 1; k < 200; ++k)
                exact += std::exp(k * std::log(n) - n - std::lgamma(k + 1.0)) * k / (k + others);
            // Right to second order in the fluctuations: what is left is 9 % of it at n = N = 1, 2 % at 1
            // and 3.
            EXPECT_NEAR(mean_share(n, others), exact, 0.4 * exact / ((1.0 + others) * (1.0 + others)))
                << n << ", " << others;
        }
    }
}

template <class Real>
Vec3<double> mean_of(const Cell<Real>& cell) {
    Vec3<double> sum{};
    for (const auto& p : cell) sum += vector_cast<double>(p.velocity);
    return (1.0 / static_cast<double>(cell.size())) * sum;
}

struct CutCase {
    double density;
    int count;
    CellFill part;
};
// In the first one rho is below 0, in the third above.
const CellFill most_is_solid = cut({0.1, -0.5, -0.5}, {0.5, 0.5, 0.5});
const std::array<CutCase, 7> cut_cases{CutCase{10.0, 3, most_is_solid}, CutCase{10.0, 6, half_cell},
                                       CutCase{10.0, 1, half_cell},     CutCase{10.0, 30, half_cell},
                                       CutCase{7.5, 40, corner},        CutCase{0.5, 1, corner},
                                       CutCase{1.25, 1, sliver}};

// V' = rho V and a Gaussian of variance (1 - rho^2) kT / (N m) a component, on average over what chance
// decides beside: a law of velocities that particles take on draws part of it by them.
TYPED_TEST(AtWalls, the_mean_velocity_keeps_its_part_and_is_gaussian) {
    using Real = typename TypeParam::Real;
    for (const CutCase& c : cut_cases) {
        const TypeParam law(dense_system(c.density));
        const double rho = kept(relaxation<TypeParam>(), c.density, c.count, c.part);
        CellMaker maker(1);
        auto cell = maker.make<Real>(c.count, 3.0, c.part);
        const Vec3<double> before = mean_of(cell);
        std::array<std::vector<double>, 3> samples;
        std::array<Correlation, 3> components, cells, axes;
        for (std::uint64_t step = 0; step < 10000; ++step) {
            const auto draw = [&](std::int64_t index) {
                for (auto& p : cell) p.id = 64 * index + (&p - cell.data());
                return mean_of(collide_cell(law, cell, {1, step, index}, c.part)) - rho * before;
            };
            const Vec3<double> s = draw(4);
            const Vec3<double> neighbour = draw(5);
            for (int a = 0; a < 3; ++a) {
                samples[a].push_back(s[a]);
                components[a].add(s[a], s[(a + 1) % 3]);
                cells[a].add(s[a], neighbour[a]);
                if constexpr (TypeParam::has_angle)
                    axes[a].add(s[a], static_cast<double>(law.draw({1, step, 4}).unit()[a]));
            }
        }
        for (int a = 0; a < 3; ++a) {
            EXPECT_TRUE(is_gaussian(samples[a], (1.0 - rho * rho) * wall_variance / c.count))
                << c.density << ", " << c.count << ", rho " << rho;
            EXPECT_TRUE(components[a].is_zero());
            EXPECT_TRUE(cells[a].is_zero());
            if (TypeParam::has_angle) EXPECT_TRUE(axes[a].is_zero());
        }
    }
}

// Where 1 - A q / phi is below -1 the mean is turned back, and nothing is drawn.
TYPED_TEST(AtWalls, a_cell_that_is_nearly_all_solid_turns_its_fluid_back) {
    using Real = typename TypeParam::Real;
    const CellFill rest = cut({0.45, -0.5, -0.5}, {0.5, 0.5, 0.5});
    const TypeParam law(dense_system(10.0));
    ASSERT_EQ(kept(relaxation<TypeParam>(), 10.0, 3, rest), -1.0);
    CellMaker maker(2);
    for (std::uint64_t step = 0; step < 20; ++step) {
        const auto cell = maker.make<Real>(3, 1.0, rest);
        const Vec3<double> sum = mean_of(collide_cell(law, cell, {2, step, 7}, rest)) + mean_of(cell);
        // Of some ten roundings of velocities up to 4, or of sums on their grid.
        const double rounding = 100.0 * std::numeric_limits<Real>::epsilon() +
                                10.0 * law.parameters().rounding.velocity.spacing();
        for (int a = 0; a < 3; ++a) EXPECT_NEAR(sum[a], 0.0, rounding);
    }
}

// A profile that sticks, u = g y above the wall, goes on through it: a cell that holds as many particles as
// its part of fluid does on average has, after a collision with what is behind the wall, the mean velocity
// that the same cell of a fluid without walls gives to those particles.
TEST(MeanAtWalls, is_that_of_a_profile_that_goes_on) {
    const LawParameters fluid(dense_system(10.0));
    for (const double A : {0.5, 1.0, 1.1}) {
        for (double phi = 0.4; phi < 1.0; phi += 0.1) {
            const CellFill part = cut({0.5 - phi, -0.5, -0.5}, {0.5, 0.5, 0.5});
            const double mean = 0.5 * phi;     // of the fluid, y from the wall on, g = 1
            const double of_cell = phi - 0.5;  // of all of the cell
            // The cell forgets A (1 - 1 / N) on average, and its two parts have to share the 1 / N.
            const double forgotten = A / (1.0 + phi / fluid.density);
            const double expected = mean + forgotten * (of_cell - mean);
            const MeanAtWalls walls = mean_at_walls<Masses::equal>(fluid, A, fluid.density * phi, part);
            EXPECT_NEAR(walls.kept * mean, expected, 1e-14) << A << ", " << phi;
        }
    }
}

// Of the motion relative to it, walls see nothing: it is what it is in a whole cell, to the sign of what
// particles take on, and with no thermostat.
TYPED_TEST(AtWalls, relative_velocities_are_those_of_a_whole_cell) {
    using Real = typename TypeParam::Real;
    using Plain = std::conditional_t<TypeParam::has_angle, Srd<Real, no_thermostat>, TypeParam>;
    for (const CutCase& c : cut_cases) {
        const TypeParam law(dense_system(c.density));
        const Plain plain(dense_system(c.density));
        const bool is_back = kept(relaxation<TypeParam>(), c.density, c.count, c.part) < 0.0;
        const double sign = !TypeParam::has_angle && is_back ? -1.0 : 1.0;
        CellMaker maker(3);
        for (std::uint64_t step = 0; step < 20; ++step) {
            const auto cell = maker.make<Real>(c.count, 1.0, c.part);
            const auto at_walls = collide_cell(law, cell, {3, step, 8}, c.part);
            const auto whole = collide_cell(plain, cell, {3, step, 8});
            for (std::size_t i = 0; i < cell.size(); ++i) {
                const Vec3<double> relative = vector_cast<double>(at_walls[i].velocity) - mean_of(at_walls);
                const Vec3<double> expected = vector_cast<double>(whole[i].velocity) - mean_of(whole);
                for (int a = 0; a < 3; ++a)
                    EXPECT_NEAR(relative[a], sign * expected[a],
                                200.0 * std::numeric_limits<Real>::epsilon());
            }
        }
    }
}

// About the velocity of walls that move, and at their temperature; in the edge of two, of whose thickness
// in the cell they have 3/5 and 2/5, about the mean of theirs.
TYPED_TEST(AtWalls, the_mean_velocity_is_about_the_walls_own) {
    using Real = typename TypeParam::Real;
    System system = dense_system(10.0);
    for (const int axis : {0, 1}) system.boundaries.faces[axis] = {FaceKind::no_slip, FaceKind::no_slip};
    system.boundaries.faces[0].lower = Face(FaceKind::no_slip, {0.0, 0.3, -0.2}, 2.0 * heavy::temperature);
    system.boundaries.faces[1].upper = Face(FaceKind::no_slip, {-0.5, 0.0, 0.4}, 3.0 * heavy::temperature);
    const WallStates walls(system);
    const TypeParam law(system);
    constexpr int count = 5;
    const struct {
        CellFill part;
        Vec3<double> velocity;
        double temperature;  // in units of the fluid's
    } cases[] = {{cut({0.0, -0.5, -0.5}, {0.5, 0.5, 0.5}, walls), {0.0, 0.3, -0.2}, 2.0},
                 {cut({-0.2, -0.5, -0.5}, {0.5, 0.3, 0.5}, walls), {-0.2, 0.18, 0.04}, 2.4}};
    CellMaker maker(4);
    for (const auto& c : cases) {
        const double rho = kept(relaxation<TypeParam>(), 10.0, count, c.part);
        std::array<std::vector<double>, 3> samples;
        for (std::uint64_t step = 0; step < 10000; ++step) {
            auto cell = maker.make<Real>(count, heavy::thermal_speed, c.part);
            for (int i = 0; i < count; ++i) cell[i].id = i;
            const Vec3<double> expected = c.velocity + rho * (mean_of(cell) - c.velocity);
            const Vec3<double> drawn = mean_of(collide_cell(law, cell, {4, step, 3}, c.part)) - expected;
            for (int a = 0; a < 3; ++a) samples[a].push_back(drawn[a]);
        }
        // Of a law that draws velocities, the mean of what it draws is the part (1 - |rho|)^2, at the
        // fluid's temperature.
        const double of_fluid = TypeParam::has_angle ? 0.0 : std::pow(1.0 - std::abs(rho), 2);
        const double part = c.temperature * (1.0 - rho * rho - of_fluid) + of_fluid;
        for (const auto& component : samples)
            EXPECT_TRUE(is_gaussian(component, part * wall_variance / count));
    }
}

// Of a mixture particles of the mean mass count.
TEST(MeanAtWalls, of_a_mixture_hangs_on_the_mean_mass) {
    System system;
    system.set_species({{"light", 1.0, 3.0}, {"heavy", 6.0, 2.0}});
    const LawParameters mixture(system);
    const double mean_mass = 3.0;
    const LawParameters alike(dense_system(5.0));
    for (const double number : {1.0, 2.5, 12.0}) {
        const MeanAtWalls of_mixture =
            mean_at_walls<Masses::by_species>(mixture, 0.8, number * mean_mass, half_cell);
        EXPECT_NEAR(of_mixture.kept, mean_at_walls<Masses::equal>(alike, 0.8, number, half_cell).kept, 1e-14);
    }
}

// In a stream as well, which takes part first: at the velocity of both, and their temperature, particles stay
// Maxwellian and know nothing of each other.
TYPED_TEST(AtWalls, in_a_stream_velocities_stay_maxwellian) {
    using Real = typename TypeParam::Real;
    const TypeParam law(dense_system(10.0));
    CellMaker maker(6);
    for (CellFill part : {most_is_solid, half_cell, corner}) {
        part.stream_density = 6.0;
        part.stream = {{}, wall_variance};
        std::array<std::vector<double>, 3> first, means;
        Correlation particles;
        for (std::uint64_t step = 0; step < 10000; ++step) {
            constexpr int count = 4;
            const auto cell = maker.make<Real>(count, heavy::thermal_speed, part);
            const auto after = collide_cell(law, cell, {8, step, 5}, part);
            for (int a = 0; a < 3; ++a) {
                first[a].push_back(static_cast<double>(after[0].velocity[a]));
                means[a].push_back(mean_of(after)[a]);
            }
            particles.add(static_cast<double>(after[0].velocity.x), static_cast<double>(after[1].velocity.x));
        }
        for (int a = 0; a < 3; ++a) {
            EXPECT_TRUE(is_gaussian(first[a], wall_variance));
            EXPECT_TRUE(is_gaussian(means[a], wall_variance / 4.0));
        }
        EXPECT_TRUE(particles.is_zero());
    }
}

// A fluid that turns with its container is at rest to it, but for what a collision without angular momentum
// conservation makes of any cell that turns: the mean of the fluid's part comes nearer to the cell's.
TEST(MeanAtWalls, goes_on_into_a_solid_that_turns) {
    Surface pipe = cylinder(2, {6, 6, 0}, 4.5, FluidSide::inside);
    pipe.angular_velocity = {0, 0, 0.5};
    const System system = box_with({12, 12, 4}, {pipe});
    const WallStates states(system);
    const SurfaceView view = view_of_surfaces(system);
    CellFill fill;
    fill.is_cut = true;
    fill.walls = &states;
    fill.surfaces = &view;
    fill.centre = {10.4, 6, 2};
    const MeanSolid solid = mean_solid(fill);
    const LawParameters fluid(system);
    constexpr double A = 1.1;
    const MeanAtWalls walls =
        mean_at_walls<Masses::equal>(fluid, A, fluid.density * (1.0 - solid.volume), fill);
    const double of_fluid = solid.velocity_at_fluid.y;
    EXPECT_NEAR(of_fluid, 0.5 * 4.2, 0.05);  // its middle is some 10.2 from the left
    const double forgotten = A / (1.0 + solid.fluid / fluid.density);
    EXPECT_NEAR(walls.kept * of_fluid + walls.constant.y, of_fluid + forgotten * (0.5 * 4.4 - of_fluid),
                1e-12);
    EXPECT_NEAR(walls.constant.x, 0.0, 1e-12);
}

}  // namespace
}  // namespace mpcflow::test

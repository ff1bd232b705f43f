/// Virtual particles: the wall's part in the collisions of the cells that it cuts, of laws that ask for
/// places. They are twice as dense as the fluid, and at its temperature. And what holds of cut cells for all
/// laws.

#include <array>
#include <cmath>
#include <vector>

#include "tests/laws/cut_cells.hpp"
#include "tests/physics/statistics.hpp"

namespace mpcflow::test {
namespace {

constexpr double variance = 0.625;  // kT/m of heavy_system()

/// On average, 2 M x (volume of the solid part), however many real particles there are.
double expected_number(double density, const CellFill& part) {
    return 2.0 * density * (1.0 - fluid_part(part));
}

template <class Law>
class Virtual : public testing::Test {};
TYPED_TEST_SUITE(Virtual, AllLaws);

/// True where the collision in this part of a cell is the one of a whole cell, to the bit.
template <class Law>
bool collides_as_a_whole_cell(const System& system, int count, const CellFill& part) {
    const Law law(system);
    CellMaker maker(3);
    for (std::uint64_t step = 0; step < 50; ++step) {
        const auto cell = maker.make<typename Law::Real>(count, 1.0, part);
        const auto filled = collide_cell(law, cell, {3, step, 0}, part);
        const auto whole = collide_cell(law, cell, {3, step, 0});
        for (std::size_t i = 0; i < cell.size(); ++i) {
            for (int a = 0; a < 3; ++a)
                if (filled[i].velocity[a] != whole[i].velocity[a]) return false;
        }
    }
    return true;
}

TYPED_TEST(Virtual, take_part_in_cut_cells_only_and_where_wanted) {
    System system = dense_system(5.0);
    for (const int count : {1, 2, 5, 20}) {
        EXPECT_FALSE(collides_as_a_whole_cell<TypeParam>(system, count, half_cell)) << count;
        EXPECT_TRUE(collides_as_a_whole_cell<TypeParam>(system, count, CellFill{})) << count;
    }
    system.boundaries.virtual_particles = false;
    for (const int count : {1, 2, 5, 20})
        EXPECT_TRUE(collides_as_a_whole_cell<TypeParam>(system, count, half_cell)) << count;
}

// Re-drawn again and again, the real particles of a filled cell have the wall's Maxwellian before and after,
// and stay independent of each other. (Without a thermostat the law with angular momentum keeps no energy.)
template <class Law>
void expect_maxwellian_after_filling(double density, const CellFill& part) {
    const Law law(dense_system(density));
    CellMaker maker(4);
    std::array<std::vector<double>, 3> samples;
    Correlation particles, turned;
    for (std::uint64_t step = 0; step < 20000; ++step) {
        const int count = 2 + maker.poisson(0.4 * density);
        const auto cell = maker.make<typename Law::Real>(count, std::sqrt(variance), part);
        const auto after = collide_cell(law, cell, {4, step, 2}, part);
        for (int a = 0; a < 3; ++a) samples[a].push_back(static_cast<double>(after[0].velocity[a]));
        particles.add(static_cast<double>(after[0].velocity.y), static_cast<double>(after[1].velocity.y));
        turned.add(static_cast<double>(after[0].velocity.x), static_cast<double>(after[0].velocity.y));
    }
    for (const auto& component : samples) EXPECT_TRUE(is_gaussian(component, variance)) << density;
    EXPECT_TRUE(particles.is_zero());
    EXPECT_TRUE(turned.is_zero());
}

template <class Law>
class Filling : public testing::Test {};
template <class Law>
using StaysMaxwellian = std::bool_constant<has_temperature<Law> || Law::energy == Energy::conserved>;
TYPED_TEST_SUITE(Filling, LawsWith<StaysMaxwellian>::Types);

TYPED_TEST(Filling, leaves_maxwellian_particles_maxwellian) {
    expect_maxwellian_after_filling<TypeParam>(10.0, half_cell);
    expect_maxwellian_after_filling<TypeParam>(7.3, corner);
}

/// What virtual particles a law with angular momentum put into a cell, found from outside: the collision is
/// linear in the velocity of a real particle, so four collisions with the same key tell the rotation's
/// response dc - c x-product, which holds their number and their centre.
struct Found {
    double number;           ///< of virtual particles
    Vec3<double> offsets;    ///< sum of their offsets
    double momentum_across;  ///< squared sum of their velocities, normal to the cell's axis
};

Found find_virtual_particles(const SrdAngular<double, no_thermostat>& law, Vec3<double> place,
                             const CellKey& key, const CellFill& part, double angle) {
    constexpr double speed = 10.0;
    const auto resolve = [&](Vec3<double> v) {
        return resolve_cell(law, Cell<double>{{v, place}}, key, part);
    };
    const auto at_rest = resolve({});
    const Rotation<double> rotation(angle);
    const auto axis = law.draw(key);
    std::array<Vec3<double>, 3> spins, constants;
    double inverse_number = 0.0, weight = 0.0;
    for (int a = 0; a < 3; ++a) {
        Vec3<double> v;
        v[a] = speed;
        const auto transform = resolve(v);
        spins[a] = transform.spin - at_rest.spin;
        constants[a] = transform.constant - at_rest.constant;
        // constant = (v - R v) / n - spin x centre: along the spin only the first term is left.
        const double known = dot(v - rotation(axis, v), spins[a]);
        inverse_number += known * dot(constants[a], spins[a]);
        weight += known * known;
    }
    const double n = std::round(weight / inverse_number);
    // Least squares for the centre: sum over a of (spin^2 - spin spin) centre = sum of spin x rest, where
    // rest = spin x centre.
    SymmetricTensor spread;
    Vec3<double> right;
    for (int a = 0; a < 3; ++a) {
        Vec3<double> v;
        v[a] = speed;
        const Vec3<double> rest = (1.0 / n) * (v - rotation(axis, v)) - constants[a];
        const Vec3<double> w = spins[a];
        spread.xx += w.x * w.x, spread.yy += w.y * w.y, spread.zz += w.z * w.z;
        spread.xy += w.x * w.y, spread.xz += w.x * w.z, spread.yz += w.y * w.z;
        right += cross(rest, w);
    }
    const Vec3<double> centre = InverseInertia(spread, 0.0)(right);
    // At rest the real particle adds nothing: constant = V - R V - spin x centre, |V - R V| = 2 sin(angle/2)
    // |V across|.
    const Vec3<double> moved = at_rest.constant + cross(at_rest.spin, centre);
    const double half_sine = std::sin(0.5 * angle * M_PI / 180.0);
    return {n - 1.0, n * centre - place, n * n * dot(moved, moved) / (4.0 * half_sine * half_sine)};
}

struct SolidCase {
    const char* name;
    CellFill part;
};

class AngularVirtual : public testing::TestWithParam<SolidCase> {};

// As dense as that there is one virtual particle in the cell, and one real one: its place and velocity show.
TEST_P(AngularVirtual, particles_are_uniform_in_the_solid_and_thermal) {
    const CellFill part = GetParam().part;
    const SrdAngular<double, no_thermostat> law(dense_system(1.0 / expected_number(1.0, part)));
    constexpr int bins = 5;
    std::vector<double> counts(bins * bins * bins), expected(bins * bins * bins);
    std::vector<double> momenta;
    constexpr int draws = 20000;
    CellMaker maker(5);
    for (std::uint64_t step = 0; step < draws; ++step) {
        const auto real = maker.make<double>(1, 1.0, part)[0].offset;
        const Found found = find_virtual_particles(law, real, {5, step, 9}, part, 130.0);
        ASSERT_EQ(found.number, 1.0);
        const Vec3<double> r = found.offsets;
        bool in_fluid = true;
        int bin = 0;
        for (int a = 2; a >= 0; --a) {
            // A close pair tells the place less well; a ten thousandth of a cell is the worst here.
            ASSERT_LE(std::abs(r[a]), 0.5 + 1e-4);
            in_fluid = in_fluid && r[a] > part.lower[a] + 1e-4 && r[a] < part.upper[a] - 1e-4;
            bin = bins * bin + std::clamp(static_cast<int>((r[a] + 0.5) * bins), 0, bins - 1);
        }
        ASSERT_FALSE(in_fluid);
        counts[bin] += 1.0;
        momenta.push_back(found.momentum_across);
    }
    double solid = 1.0;
    for (int bin = 0; bin < bins * bins * bins; ++bin) {
        const std::array<int, 3> index{bin % bins, bin / bins % bins, bin / bins / bins};
        double volume = 1.0 / (bins * bins * bins);
        double fluid = 1.0, fluid_part = 1.0;
        for (int a = 0; a < 3; ++a) {
            const double begin = static_cast<double>(index[a]) / bins - 0.5;
            fluid *=
                std::max(0.0, std::min(begin + 1.0 / bins, part.upper[a]) - std::max(begin, part.lower[a]));
            fluid_part *= part.upper[a] - part.lower[a];
        }
        expected[bin] = volume - fluid;
        solid = 1.0 - fluid_part;
        if (expected[bin] < 1e-12) expected[bin] = 0.0;
    }
    for (double& e : expected) e *= draws / solid;
    EXPECT_GT(chi_square_p_value(counts, expected), least_p_value);
    // Two components of a Gaussian of variance kT/m: their square is Gamma(1, 2 kT/m).
    EXPECT_TRUE(is_gamma(momenta, 1.0, 2.0 * variance));
}

// Edges of the bins are none of the cuts, but for whole cells, so a shifted solid is seen.
INSTANTIATE_TEST_SUITE_P(
    Solids, AngularVirtual,
    testing::Values(SolidCase{"below_x", cut({-0.13, -0.5, -0.5}, {0.5, 0.5, 0.5})},
                    SolidCase{"above_x", cut({-0.5, -0.5, -0.5}, {0.27, 0.5, 0.5})},
                    SolidCase{"below_y", cut({-0.5, 0.21, -0.5}, {0.5, 0.5, 0.5})},
                    SolidCase{"above_z", cut({-0.5, -0.5, -0.5}, {0.5, 0.5, -0.23})},
                    SolidCase{"below_x_above_y", cut({0.05, -0.5, -0.5}, {0.5, -0.05, 0.5})},
                    SolidCase{"above_y_below_z", cut({-0.5, -0.5, -0.15}, {0.5, 0.34, 0.5})},
                    SolidCase{"all_three", cut({-0.33, -0.5, 0.1}, {0.5, 0.41, 0.5})}),
    [](const auto& solid) { return std::string(solid.param.name); });

// A fraction of a particle is a particle with that probability.
TEST(AngularVirtualNumber, is_right_on_average) {
    for (const double density : {2.5, 7.0, 10.3}) {
        const SrdAngular<double, no_thermostat> law(dense_system(density));
        const double expected = expected_number(density, half_cell);
        Moments number, offset, momentum_share;
        for (std::uint64_t step = 0; step < 10000; ++step) {
            const Found found = find_virtual_particles(law, {0.2, -0.1, 0.3}, {6, step, 9}, half_cell, 130.0);
            ASSERT_TRUE(found.number == std::floor(expected) || found.number == std::ceil(expected))
                << found.number;
            number.add(found.number);
            if (found.number == 0.0) continue;
            offset.add(found.offsets.x / found.number);
            momentum_share.add(found.momentum_across / found.number);
        }
        // A fraction's variance is at most 1/4.
        EXPECT_TRUE(is_near(number.mean(), expected, std::sqrt(0.25 / 10000.0)));
        // The solid is x from -0.5 to -0.1.
        EXPECT_TRUE(has_mean(offset, -0.3));
        EXPECT_TRUE(has_mean(momentum_share, 2.0 * variance));
    }
}

}  // namespace
}  // namespace mpcflow::test

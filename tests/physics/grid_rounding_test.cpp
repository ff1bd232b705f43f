/// Sums on fixed grids: exact in any order, up to the limits that the solvers enforce.

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <vector>

#include "physics/grid_rounding.hpp"
#include "tests/physics/statistics.hpp"

namespace mpcflow::test {
namespace {

bool is_multiple(double x, int q) {
    const double units = std::ldexp(x, q);
    return units == std::nearbyint(units);
}

TEST(RoundingGrid, is_the_finest_on_which_sums_up_to_the_bound_are_exact) {
    for (const double bound : {1e-9, 0.3, 1.0, 1.5, 2.0, 12800.0, 1e9}) {
        const RoundingGrid grid(bound);
        EXPECT_LE(bound, std::ldexp(1.0, 53 - grid.bits()));
        EXPECT_GE(bound, std::ldexp(1.0, 52 - grid.bits()));
    }
}

TEST(RoundingGrid, rounds_to_the_nearest_multiple) {
    std::mt19937_64 engine(1);
    for (const double bound : {1e-9, 240.0, 12800.0, 1e9}) {
        const RoundingGrid grid(bound);
        const double half_step = std::ldexp(0.5, -grid.bits());
        std::uniform_real_distribution<double> uniform(-0.25 * bound, 0.25 * bound);
        for (int i = 0; i < 10000; ++i) {
            // Large and small ones.
            const double x = std::ldexp(uniform(engine), -(i % 60));
            const double rounded = grid.round(x);
            ASSERT_TRUE(is_multiple(rounded, grid.bits()));
            ASSERT_LE(std::abs(rounded - x), half_step);
            ASSERT_EQ(grid.round(rounded), rounded);
            ASSERT_EQ(grid.round(-x), -rounded);
        }
        EXPECT_EQ(grid.round(0.0), 0.0);
    }
}

struct Case {
    double mass, temperature, density;
};

class CellGrids : public testing::TestWithParam<Case> {
protected:
    const Fluid fluid{GetParam().density, GetParam().temperature, GetParam().mass};
    const CellRounding rounding{fluid};

    /// Each grid with the largest contribution that a particle at the limits can make to it.
    struct GridCase {
        const char* name;
        RoundingGrid grid;
        double largest;
    };
    [[nodiscard]] std::vector<GridCase> grids() const {
        const double v = rounding.speed_limit;
        const double r = std::sqrt(0.75);
        return {{"velocity", rounding.velocity, v},
                {"velocity squared", rounding.velocity_squared, v * v},
                {"offset", rounding.offset, r},
                {"offset x velocity", rounding.offset_velocity, 2.0 * r * v}};  // of r x (v - R v)
    }
    [[nodiscard]] int most() const { return static_cast<int>(rounding.occupancy_limit); }
};

TEST_P(CellGrids, a_full_cell_at_the_speed_limit_stays_exact) {
    for (const GridCase& c : grids()) {
        // One contribution is rounded right up to 2^(51 - q), a sum is exact up to 2^(53 - q).
        EXPECT_LE(c.largest, std::ldexp(1.0, 51 - c.grid.bits())) << c.name;
        EXPECT_LE(most() * c.largest, std::ldexp(1.0, 53 - c.grid.bits())) << c.name;
        // And yet the grid is fine: even if all of a full cell round the same way, a float would not see it.
        EXPECT_LE(std::ldexp(1.0, -c.grid.bits()) * most(), 1e-7 * c.largest) << c.name;
    }
}

TEST_P(CellGrids, sums_do_not_depend_on_the_order) {
    std::mt19937_64 engine(2);
    for (const GridCase& c : grids()) {
        for (const bool one_sided : {true, false}) {
            // All at the limit, or of random size and sign.
            std::uniform_real_distribution<double> uniform(one_sided ? 0.999 * c.largest : -c.largest,
                                                           c.largest);
            std::vector<double> parts;
            for (int i = 0; i < most(); ++i) parts.push_back(c.grid.round(uniform(engine)));
            long double exact = 0.0L;  // 64 bits of mantissa: more than enough
            for (const double part : parts) exact += part;
            for (int order = 0; order < 20; ++order) {
                ASSERT_EQ(std::accumulate(parts.begin(), parts.end(), 0.0), static_cast<double>(exact))
                    << c.name;
                std::shuffle(parts.begin(), parts.end(), engine);
            }
            // In pairs, as the lanes of a warp add up, and from the largest down.
            std::vector<double> tree = parts;
            for (std::size_t n = tree.size(); n > 1; n = (n + 1) / 2)
                for (std::size_t i = 0; i < n / 2; ++i) tree[i] += tree[n - 1 - i];
            EXPECT_EQ(tree[0], static_cast<double>(exact)) << c.name;
            std::sort(parts.begin(), parts.end());
            EXPECT_EQ(std::accumulate(parts.begin(), parts.end(), 0.0), static_cast<double>(exact)) << c.name;
        }
    }
}

// The power of the test above: numbers that are on no grid do depend on the order.
TEST_P(CellGrids, unrounded_sums_would_depend_on_it) {
    std::mt19937_64 engine(3);
    std::uniform_real_distribution<double> uniform(-1.0, 1.0);
    std::vector<double> parts;
    for (int i = 0; i < most(); ++i) parts.push_back(uniform(engine));
    const double first = std::accumulate(parts.begin(), parts.end(), 0.0);
    bool differs = false;
    for (int order = 0; order < 20; ++order) {
        std::shuffle(parts.begin(), parts.end(), engine);
        differs = differs || std::accumulate(parts.begin(), parts.end(), 0.0) != first;
    }
    EXPECT_TRUE(differs);
}

/// So that words of 32 bits can add them up (gpu/word_sums.hpp); what may be off a velocity at the limit, see
/// CellRounding.
TEST_P(CellGrids, narrow_contributions_fit_their_bits_and_are_finer_than_floats) {
    const CellRounding narrow(fluid, 1.0, SumWidth::narrow);
    const double thermal_speed = rounding.speed_limit / speed_limit_in_thermal_speeds;
    const double v = rounding.speed_limit + 19.0 * thermal_speed;
    const double r = 0.5 * (1.0 + 1e-6);
    EXPECT_GE(std::ldexp(1.0, narrow.crowd_bits),
              std::min(256.0, fluid.density + 8.0 * std::sqrt(fluid.density)));
    for (const GridCase& c : {GridCase{"velocity", narrow.velocity, v},
                              {"velocity squared", narrow.velocity_squared, v * v},
                              {"offset", narrow.offset, r},
                              {"offset x velocity", narrow.offset_velocity, std::sqrt(2.0) * r * 2.0 * v}}) {
        EXPECT_LT(c.largest, std::ldexp(c.grid.spacing(), narrow_bits(narrow.crowd_bits))) << c.name;
        // No finer than words need.
        EXPECT_GT(8.0 * c.largest, std::ldexp(c.grid.spacing(), narrow_bits(narrow.crowd_bits))) << c.name;
    }
    // A float at the thermal speed is rounded by up to 2^-25 to 2^-24 of it, a contribution by half a
    // spacing.
    EXPECT_LE(0.5 * narrow.velocity.spacing(), 0x1p-24 * thermal_speed);
    EXPECT_LE(narrow.offset.spacing(), 0x1p-31);
}

TEST_P(CellGrids, are_wide_where_masses_differ) {
    const CellRounding heavy(fluid, 3.0);
    const CellRounding narrow(fluid, 3.0, SumWidth::narrow);
    EXPECT_EQ(narrow.velocity.bits(), heavy.velocity.bits());
    EXPECT_EQ(narrow.velocity_squared.bits(), heavy.velocity_squared.bits());
    EXPECT_EQ(narrow.offset.bits(), heavy.offset.bits());
    EXPECT_EQ(narrow.offset_velocity.bits(), heavy.offset_velocity.bits());
}

INSTANTIATE_TEST_SUITE_P(Fluids, CellGrids,
                         testing::Values(Case{1.0, 1.0, 10.0}, Case{1e-6, 1e4, 0.5}, Case{1e-6, 1e4, 300.0},
                                         Case{1e6, 1e-4, 0.5}, Case{1e6, 1e-4, 300.0}, Case{3.0, 0.7, 300.0}),
                         [](const auto& parameter) { return "number_" + std::to_string(parameter.index); });

}  // namespace
}  // namespace mpcflow::test

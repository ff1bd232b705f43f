/// The Andersen laws: the textbook's formulas, the velocities that they draw, and the wall's part.

#include <array>
#include <cmath>
#include <vector>

#include "tests/laws/law_cases.hpp"
#include "tests/physics/statistics.hpp"

namespace mpcflow::test {
namespace {

constexpr double variance = 0.625;  // kT/m of heavy_system()

template <class Law>
using IsAndersen = std::bool_constant<Law::energy == Energy::thermal>;
template <class Law>
class AndersenLaw : public testing::Test {
protected:
    const System system = heavy_system();
    const Law law{system};
};
TYPED_TEST_SUITE(AndersenLaw, LawsWith<IsAndersen>::Types);

/// v' = V + w - sum w / N and, with angular momentum, + O x r, O = I^-1 sum r x (v - w): two passes, from the
/// definitions.
template <class Law>
std::vector<Point> textbook(const Cell<typename Law::Real>& cell, const CellKey& key) {
    std::vector<Point> places, changes, drawn;
    Point mean;
    for (const auto& p : cell) {
        places.push_back(vector_cast<long double>(p.offset));
        drawn.push_back(vector_cast<long double>(
            andersen_velocity<typename Law::Real>(std::sqrt(variance), step_of(key), p)));
        changes.push_back(vector_cast<long double>(p.velocity) - drawn.back());
        mean += (1.0L / static_cast<long double>(cell.size())) * changes.back();
    }
    Point spin;
    if (is_angular<Law>) spin = RigidBody(places).angular_velocity(angular_momentum(places, changes));
    std::vector<Point> result;
    for (std::size_t i = 0; i < cell.size(); ++i)
        result.push_back(drawn[i] + mean + cross(spin, places[i] - centre_of(places)));
    return result;
}

TYPED_TEST(AndersenLaw, is_the_formula_of_the_textbook) {
    CellMaker maker(1);
    for (const int count : {2, 3, 4, 10, 100}) {
        for (std::uint64_t step = 0; step < 50; ++step) {
            // Hotter than the bath by far, and flowing.
            auto cell = maker.make<typename TypeParam::Real>(count, 3.0);
            for (auto& p : cell) p.velocity.x += 4;
            const CellKey key{1, step, count};
            const auto after = collide_cell(this->law, cell, key);
            const auto expected = textbook<TypeParam>(cell, key);
            const CellTotals totals(cell);
            const Tolerance<TypeParam> tolerance(this->law, totals, cell.size(), 1.0);
            const double spin_error =
                is_angular<TypeParam> ? tolerance.angular_momentum() / totals.least_eigenvalue : 0.0;
            for (std::size_t i = 0; i < cell.size(); ++i) {
                const Point difference = vector_cast<long double>(after[i].velocity) - expected[i];
                ASSERT_LE(length(difference), tolerance.momentum() / count + spin_error) << count;
            }
        }
    }
}

TYPED_TEST(AndersenLaw, is_chosen_by_the_system) {
    System chosen = heavy_system();
    chosen.thermostat = {};
    chosen.collision.rule = CollisionRule::at;
    chosen.collision.conserve_angular_momentum = is_angular<TypeParam>;
    visit_law<typename TypeParam::Real>(
        chosen, []<class Law>(const Law&) { EXPECT_TRUE((std::is_same_v<Law, TypeParam>)); });
    EXPECT_EQ(law_of(chosen.collision).name, is_angular<TypeParam> ? "at+a" : "at");
    // It holds the temperature itself.
    chosen.thermostat.kind = ThermostatKind::maxwell_boltzmann;
    EXPECT_THROW(visit_law<typename TypeParam::Real>(chosen, [](const auto&) {}), std::logic_error);
}

// Whatever a cell did before, after one collision its velocities are those of the bath but for what is
// conserved: with angular momentum the change of the rigid rotation's energy is none, and thermostat_test.cpp
// has the rest.
TEST(Andersen, makes_relative_velocities_gaussian_at_once) {
    const Andersen<double, no_thermostat> law(heavy_system());
    CellMaker maker(2);
    for (const int count : {2, 5, 10}) {
        std::vector<double> samples;
        for (std::uint64_t step = 0; step < 20000; ++step) {
            auto cell = maker.make<double>(count, 0.1);
            cell[0].velocity.z = 9.0;
            const auto after = collide_cell(law, cell, {2, step, count});
            const Point mean = (1.0L / count) * CellTotals(after).velocity;
            samples.push_back(after[0].velocity.x - static_cast<double>(mean.x));
            samples.push_back(after[0].velocity.z - static_cast<double>(mean.z));
        }
        EXPECT_TRUE(is_gaussian(samples, variance * (1.0 - 1.0 / count))) << count;
    }
}

TEST(AndersenVelocities, are_maxwellian_and_belong_to_a_particle_and_a_step) {
    std::array<std::vector<double>, 3> samples;
    std::array<Correlation, 3> components, ids, steps, seeds;
    for (std::uint64_t i = 0; i < 20000; ++i) {
        const auto draw = [&](std::uint64_t seed, std::uint64_t step, std::uint64_t id) {
            return andersen_velocity<double>(1.5, {seed, step}, {.id = id});
        };
        const Vec3<double> w = draw(3, i, 7);
        for (int a = 0; a < 3; ++a) {
            samples[a].push_back(w[a]);
            components[a].add(w[a], w[(a + 1) % 3]);
            ids[a].add(w[a], draw(3, i, 8)[a]);
            steps[a].add(w[a], draw(3, i + 1, 7)[a]);
            seeds[a].add(w[a], draw(4, i, 7)[a]);
        }
    }
    for (int a = 0; a < 3; ++a) {
        EXPECT_TRUE(is_gaussian(samples[a], 2.25)) << a;
        for (const Correlation& c : {components[a], ids[a], steps[a], seeds[a]})
            EXPECT_TRUE(c.is_zero()) << a;
    }
}

// It is the same draw in both precisions: the thermal speed rounds in mixed precision, and so does the
// product, each by up to half a unit of the last place, 2^-24 of the value.
TEST(AndersenVelocities, are_those_of_double_but_for_two_roundings) {
    for (std::uint64_t id = 0; id < 100; ++id) {
        const Vec3<double> wanted = andersen_velocity<double>(0.7, {5, 6}, {.id = id});
        const Vec3<float> found = andersen_velocity<float>(0.7, {5, 6}, {.id = id});
        for (int a = 0; a < 3; ++a) EXPECT_NEAR(found[a], wanted[a], 0x1.01p-23 * std::abs(wanted[a]));
    }
}

}  // namespace
}  // namespace mpcflow::test

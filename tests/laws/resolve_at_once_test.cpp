/// What laws say of many cells at once is what they say of each (ResolvesAtOnce).

#include <cstring>
#include <type_traits>

#include "tests/laws/law_cases.hpp"

namespace mpcflow::test {
namespace {

using heavy::thermal_speed;

template <class Law>
typename ToResolve<Law>::Draw draw_to_resolve(const CellKey& key) {
    if constexpr (DrawsToResolve<Law>) return Law::template draw_to_resolve<true>(key);
    else return {};
}

/// Checks the bits of a cell that is resolved at once. Returns whether it is.
template <class Law>
bool is_resolved_at_once(const Law& law, const Cell<typename Law::Real>& cell, const CellKey& key) {
    const auto sums = sum_of(law, cell, key);
    typename Law::Transform at_once;
    if (!law.resolve_at_once(sums, law.draw(key), draw_to_resolve<Law>(key), at_once)) return false;
    const auto alone = law.resolve(sums, law.draw(key), key, {});
    EXPECT_EQ(std::memcmp(&at_once, &alone, sizeof alone), 0)
        << cell.size() << " particles, step " << key.step;
    return true;
}

template <class Law>
class AtOnce : public testing::Test {};
/// All that conserve angular momentum, and those with a thermostat.
template <class Law>
using HasMuchToDo = std::bool_constant<is_angular<Law> || has_scaling<Law>>;
TYPED_TEST_SUITE(AtOnce, LawsWith<HasMuchToDo>::Types);

TYPED_TEST(AtOnce, cells_are_resolved_to_the_same_bits) {
    static_assert(ResolvesAtOnce<TypeParam>);
    const TypeParam law(heavy_system());
    ASSERT_TRUE(law.resolves_at_once());
    CellMaker maker(1);
    for (const int count : {0, 1, 2, 3, 4, 10, 31, 100}) {
        constexpr int cells = 500;
        int at_once = 0;
        for (std::uint64_t step = 0; step < cells; ++step) {
            const auto cell = maker.make<typename TypeParam::Real>(count, thermal_speed);
            at_once += is_resolved_at_once(law, cell, {1, step, 5}) ? 1 : 0;
        }
        const int least = is_angular<TypeParam> ? 3 : 2;
        if (count < least) {
            EXPECT_EQ(at_once, 0) << count << " particles";
            continue;
        }
        // The first try of an energy is surely taken where |y| < 1/2 and u < 1 - (3/2) d y^4, y a Gaussian of
        // variance 1 / (9 d). The least d is that of 3 freedoms, 3/2 - 1/3. There |y| is too large in 10.5 %,
        // and u in 1 / (18 d) = 4.8 % at most: 425 of 500 cells are taken, less 4.4 of 8, their deviation.
        EXPECT_GE(at_once, has_scaling<TypeParam> ? 390 : cells) << count << " particles";
    }
}

TYPED_TEST(AtOnce, cells_with_particles_on_a_line_or_in_one_place_are_left_or_right) {
    using Real = typename TypeParam::Real;
    const TypeParam law(heavy_system());
    CellMaker maker(2);
    for (const int count : {2, 3, 10}) {
        for (const double length : {0.0, 1e-7, 1e-3, 0.5}) {
            for (std::uint64_t step = 0; step < 100; ++step) {
                auto cell = maker.make<Real>(count, thermal_speed);
                for (int i = 0; i < count; ++i) {
                    const double at = length * (i - 0.5 * (count - 1)) / count;
                    cell[i].offset = vector_cast<Real>(Vec3<double>{at, 0.5 * at, -0.25 * at});
                }
                const bool at_once = is_resolved_at_once(law, cell, {1, step, 5});
                if (is_angular<TypeParam>) EXPECT_FALSE(at_once) << count << " on " << length;
            }
        }
    }
}

// All at rest to each other: of SRD there is no energy to scale, and with angular momentum conserved that of
// the drawn rotation alone.
TYPED_TEST(AtOnce, cells_at_rest_are_resolved_to_the_same_bits) {
    using Real = typename TypeParam::Real;
    const TypeParam law(heavy_system());
    CellMaker maker(3);
    int at_once = 0;
    for (std::uint64_t step = 0; step < 100; ++step) {
        auto cell = maker.make<Real>(10, thermal_speed);
        for (auto& particle : cell) particle.velocity = cell[0].velocity;
        at_once += is_resolved_at_once(law, cell, {1, step, 5}) ? 1 : 0;
    }
    EXPECT_GE(at_once, has_scaling<TypeParam> ? 80 : 100);
}

template <class Law>
class AtOnceOfSpecies : public testing::Test {};
using OfSpecies = LawsWith<HasMuchToDo, Masses::by_species>::Types;
TYPED_TEST_SUITE(AtOnceOfSpecies, OfSpecies);

TYPED_TEST(AtOnceOfSpecies, cells_are_resolved_to_the_same_bits) {
    const TypeParam law(heavy_system());
    CellMaker maker(4);
    int at_once = 0;
    for (std::uint64_t step = 0; step < 500; ++step) {
        auto cell = maker.make<typename TypeParam::Real>(10, thermal_speed);
        for (auto& particle : cell) particle.mass = particle.id % 3 == 0 ? 2.5 : 0.25;
        at_once += is_resolved_at_once(law, cell, {1, step, 5}) ? 1 : 0;
    }
    EXPECT_GE(at_once, 390);
}

// Others than maxwell_boltzmann hang on the energy that a cell has, or on two words of chance more.
TEST(ThermostatsAtOnce, others_scale_one_cell_after_the_other) {
    for (const ThermostatKind kind : {ThermostatKind::monte_carlo, ThermostatKind::simple}) {
        System system = heavy_system();
        system.thermostat = {kind, 0.2};
        EXPECT_FALSE((Srd<double, scaling>(system).resolves_at_once()));
        EXPECT_FALSE((SrdAngular<double, scaling>(system).resolves_at_once()));
    }
}

}  // namespace
}  // namespace mpcflow::test

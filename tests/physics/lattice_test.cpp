/// The lattice on which particles may begin: all of its places are taken once, they are as far from each
/// other as they can be, and species are mixed on it as at random.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "physics/initial_state.hpp"
#include "physics/lattice.hpp"
#include "physics/particle.hpp"

namespace mpcflow::test {
namespace {

System lattice_system(std::array<int, 3> size, double density) {
    System system;
    system.box.size = size;
    system.fluid.density = density;
    system.first_places = FirstPlaces::lattice;
    return system;
}

std::vector<Vec3<double>> places_of(const System& system) {
    const Lattice lattice(system);
    std::vector<Vec3<double>> places;
    for (std::int64_t id = 0; id < system.particle_count(); ++id)
        places.push_back(lattice.place(static_cast<std::uint64_t>(id)));
    return places;
}

/// The coordinates along an axis that there are.
std::set<double> coordinates(const std::vector<Vec3<double>>& places, int axis) {
    std::set<double> all;
    for (const Vec3<double>& place : places) all.insert(place[axis]);
    return all;
}

TEST(Lattice, is_cubic_where_the_number_allows_it) {
    const std::vector<Vec3<double>> places = places_of(lattice_system({6, 4, 5}, 8.0));
    std::set<std::array<double, 3>> different;
    for (const Vec3<double>& place : places) {
        for (int axis = 0; axis < 3; ++axis) {
            const double halves = 2.0 * place[axis] - 0.5;  // 0.25, 0.75, ...
            EXPECT_EQ(halves, std::round(halves));
        }
        different.insert({place.x, place.y, place.z});
    }
    EXPECT_EQ(different.size(), 960U);
}

// Of any number, also of few particles in a large box and of boxes of one cell across.
TEST(Lattice, has_layers_rows_and_places_that_differ_by_one_particle_at_most) {
    for (const auto& size : {std::array{13, 12, 11}, std::array{1, 1, 40}, std::array{40, 1, 1},
                             std::array{1, 30, 2}, std::array{7, 7, 7}}) {
        for (const double density : {10.0, 5.37, 1.0, 0.1}) {
            const System system = lattice_system(size, density);
            const std::vector<Vec3<double>> places = places_of(system);
            std::set<std::array<double, 3>> different;
            for (const Vec3<double>& place : places) {
                different.insert({place.z, place.y, place.x});
                for (int axis = 0; axis < 3; ++axis) {
                    ASSERT_GT(place[axis], 0.0);
                    ASSERT_LT(place[axis], size[axis]);
                }
            }
            ASSERT_EQ(different.size(), places.size());
            std::vector<std::int64_t> in_layer;
            std::vector<double> layers;
            std::int64_t shortest_row = 0;
            std::int64_t longest_row = 0;
            for (auto it = different.begin(); it != different.end();) {
                const double z = (*it)[0];
                layers.push_back(z);
                in_layer.push_back(0);
                shortest_row = std::numeric_limits<std::int64_t>::max();
                longest_row = 0;
                while (it != different.end() && (*it)[0] == z) {
                    std::int64_t in_row = 0;
                    for (const double y = (*it)[1]; it != different.end() && (*it)[0] == z && (*it)[1] == y;
                         ++it)
                        ++in_row;
                    in_layer.back() += in_row;
                    shortest_row = std::min(shortest_row, in_row);
                    longest_row = std::max(longest_row, in_row);
                }
                EXPECT_LE(longest_row - shortest_row, 1);
            }
            const auto [fewest, most] = std::ranges::minmax(in_layer);
            EXPECT_LE(most - fewest, 1);
            for (std::size_t i = 1; i < layers.size(); ++i)
                EXPECT_NEAR(layers[i] - layers[i - 1], 1.0 * size[2] / static_cast<double>(layers.size()),
                            1e-12);
        }
    }
}

// Distances along the axes would be (1 / density)^(1/3) each, were they no whole parts of the edges; in a
// box that is many of them long, half a layer or row more or less changes little.
TEST(Lattice, is_about_as_fine_along_each_axis) {
    for (const double density : {10.0, 3.0, 0.7}) {
        const std::vector<Vec3<double>> places = places_of(lattice_system({24, 30, 27}, density));
        const double distance = std::cbrt(1.0 / density);
        EXPECT_NEAR(27.0 / static_cast<double>(coordinates(places, 2).size()), distance, 0.03 * distance);
        EXPECT_NEAR(30.0 / static_cast<double>(coordinates(places, 1).size()), distance, 0.03 * distance);
    }
}

// The number of the first species in blocks of 4^3 cells. Were its members drawn from all places, its
// variance would be n f (1 - f) of n places; over 8 x 8 x 8 blocks the estimate scatters by sqrt(2 / 512) =
// 6 %, 4.5 of which are 28 %.
TEST(Lattice, mixes_species_as_at_random) {
    for (const double density : {10.0, 8.0, 3.0}) {
        const System system = lattice_system({32, 32, 32}, density);
        const std::vector<Vec3<double>> places = places_of(system);
        for (const double fraction : {0.5, 0.1}) {
            std::vector<double> all(512), first(512);
            const auto of_first = static_cast<std::size_t>(fraction * static_cast<double>(places.size()));
            for (std::size_t id = 0; id < places.size(); ++id) {
                const auto block = [&](double x) { return static_cast<std::size_t>(x / 4.0); };
                const std::size_t at =
                    block(places[id].x) + 8 * (block(places[id].y) + 8 * block(places[id].z));
                all[at] += 1.0;
                if (id < of_first) first[at] += 1.0;
            }
            double ratio = 0.0;
            for (std::size_t i = 0; i < 512; ++i)
                ratio += std::pow(first[i] - fraction * all[i], 2) / (all[i] * fraction * (1.0 - fraction));
            EXPECT_NEAR(ratio / 512.0, 1.0, 0.28) << density << " " << fraction;
        }
    }
}

template <class Particle>
void expect_velocities_of_a_random_start() {
    System system = lattice_system({5, 6, 7}, 4.3);
    const InitialState on_lattice(system);
    system.first_places = FirstPlaces::random;
    const InitialState at_random(system);
    const Lattice lattice(system);
    for (std::uint64_t id = 0; id < 900; ++id) {
        const auto p = on_lattice.particle<Particle>(id);
        const auto q = at_random.particle<Particle>(id);
        const Vec3<double> place = lattice.place(id);
        for (int axis = 0; axis < 3; ++axis) {
            EXPECT_EQ(p.velocity[axis], q.velocity[axis]);
            EXPECT_EQ(p.position[axis], static_cast<typename Particle::Real>(place[axis]));
            EXPECT_NE(p.position[axis], q.position[axis]);
        }
    }
}

TEST(Lattice, changes_places_and_no_velocity) {
    expect_velocities_of_a_random_start<ParticleDouble>();
    expect_velocities_of_a_random_start<ParticleMixed>();
}

}  // namespace
}  // namespace mpcflow::test

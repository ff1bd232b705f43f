/// The state that a run starts from, as distributions.

#include <array>
#include <cmath>
#include <vector>

#include "physics/initial_state.hpp"
#include "physics/particle.hpp"
#include "physics/solver.hpp"
#include "tests/physics/statistics.hpp"

namespace mpcflow::test {
namespace {

System some_system() {
    System system;
    system.seed = 21;
    system.box.size = {8, 5, 12};
    system.fluid = {100.0, 2.5, 4.0};  // so kT/m = 0.625
    return system;
}

template <class Particle>
class StartOf : public testing::Test {};
using Particles = testing::Types<ParticleDouble, ParticleMixed>;
TYPED_TEST_SUITE(StartOf, Particles);

TYPED_TEST(StartOf, places_are_uniform_along_every_axis) {
    const System system = some_system();
    const InitialState initial(system);
    constexpr int bins = 30;
    std::array<std::vector<double>, 3> counts;
    for (auto& c : counts) c.assign(bins, 0.0);
    std::array<Correlation, 3> correlations;
    for (std::uint64_t id = 0; id < 48000; ++id) {
        const auto p = initial.particle<TypeParam>(id);
        Vec3<double> u;
        for (int axis = 0; axis < 3; ++axis) {
            ASSERT_GE(p.position[axis], 0);
            ASSERT_LT(p.position[axis], system.box.size[axis]);
            u[axis] = static_cast<double>(p.position[axis]) / system.box.size[axis];
            counts[axis][static_cast<int>(u[axis] * bins)] += 1.0;
        }
        for (int a = 0; a < 3; ++a) correlations[a].add(u[a] - 0.5, u[(a + 1) % 3] - 0.5);
        ASSERT_EQ(p.id(), id);
        ASSERT_EQ(p.image(0) | p.image(1) | p.image(2), 0);
    }
    for (const auto& c : counts) EXPECT_GT(uniform_p_value(c), least_p_value);
    for (const Correlation& c : correlations) EXPECT_TRUE(c.is_zero());
}

// Variance kT/m: a Gaussian scaled by 1/m, or by 1/sqrt(m) twice, fails.
TYPED_TEST(StartOf, velocities_are_maxwellian_and_those_of_different_ids_independent) {
    const InitialState initial(some_system());
    std::array<std::vector<double>, 3> samples;
    std::array<Correlation, 3> neighbours, components, with_place;
    for (std::uint64_t id = 0; id < 48000; ++id) {
        const Vec3<double> v = vector_cast<double>(initial.particle<TypeParam>(id).velocity);
        const Vec3<double> x = vector_cast<double>(initial.particle<TypeParam>(id).position);
        const Vec3<double> next = vector_cast<double>(initial.particle<TypeParam>(id + 1).velocity);
        for (int a = 0; a < 3; ++a) {
            samples[a].push_back(v[a]);
            neighbours[a].add(v[a], next[a]);
            components[a].add(v[a], v[(a + 1) % 3]);
            with_place[a].add(v[a], x[a] - 0.5 * some_system().box.size[a]);
        }
    }
    for (int a = 0; a < 3; ++a) {
        EXPECT_TRUE(is_gaussian(samples[a], 0.625));
        EXPECT_TRUE(neighbours[a].is_zero());
        EXPECT_TRUE(components[a].is_zero());
        EXPECT_TRUE(with_place[a].is_zero());
    }
}

TYPED_TEST(StartOf, other_seeds_give_other_states) {
    System system = some_system();
    const auto p = InitialState(system).particle<TypeParam>(3);
    ++system.seed;
    const auto q = InitialState(system).particle<TypeParam>(3);
    EXPECT_NE(p.position.x, q.position.x);
    EXPECT_NE(p.velocity.x, q.velocity.x);
}

TYPED_TEST(StartOf, solvers_have_the_right_number_of_particles_at_rest_as_a_whole) {
    const System system = some_system();
    SolverOptions options;
    options.threads = 1;
    const bool mixed = sizeof(typename TypeParam::Real) == sizeof(float);
    if (mixed) options.precision = Precision::mixed;
    const auto solver = make_host_solver(system, options);
    const Totals totals = solver->measure<TotalsRule>();
    EXPECT_EQ(totals.particles, 48000);
    EXPECT_EQ(totals.mass, 4.0 * 48000);
    // The mean that is taken away is rounded, and then every velocity, to half an epsilon of its size. Those
    // of one binade all round the same way, as all lie on one grid: no random walk, so the bound is the sum.
    const double half_epsilon = mixed ? 0x1p-24 : 0x1p-53;
    const double n = 48000.0;
    const double mean_speed = std::sqrt(0.625 * 2.0 / M_PI);  // of a component
    const double mean = sigmas * std::sqrt(0.625 / n);
    for (const double p : totals.momentum)
        EXPECT_LT(std::abs(p), 4.0 * n * half_epsilon * (1.1 * mean_speed + mean));
    // 3 (n - 1) freedoms: variance of the temperature 2 / (3 n).
    EXPECT_TRUE(is_near(totals.temperature(), 2.5, 2.5 * std::sqrt(2.0 / (3.0 * n))));
}

TEST(ParticleCount, is_density_times_volume_to_the_nearest) {
    System system;
    system.box.size = {1, 1, 3};
    for (const auto& [density, count] : {std::pair{0.1, 0}, std::pair{0.2, 1}, std::pair{1.0 / 3, 1},
                                         std::pair{2.4, 7}, std::pair{10.0, 30}}) {
        system.fluid.density = density;
        EXPECT_EQ(system.particle_count(), count);
    }
    system.box.size = {1000, 1000, 1000};
    system.fluid.density = 300.0;
    EXPECT_EQ(system.particle_count(), 300000000000);
}

}  // namespace
}  // namespace mpcflow::test

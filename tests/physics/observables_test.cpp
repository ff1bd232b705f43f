/// Totals and binned fields.

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "physics/errors.hpp"
#include "physics/observables/fields.hpp"
#include "physics/observables/totals.hpp"
#include "physics/particle.hpp"
#include "physics/step.hpp"
#include "tests/physics/statistics.hpp"

namespace mpcflow::test {
namespace {

template <class Particle>
std::vector<Particle> random_particles(const System& system, std::int64_t count) {
    using Real = typename Particle::Real;
    std::mt19937_64 engine(9);
    std::uniform_real_distribution<double> uniform;
    std::normal_distribution<double> normal(0.0, std::sqrt(system.fluid.temperature / system.fluid.mass));
    std::vector<Particle> particles;
    for (std::int64_t i = 0; i < count; ++i) {
        Vec3<Real> x, v;
        for (int axis = 0; axis < 3; ++axis) {
            x[axis] = static_cast<Real>(uniform(engine) * 0.999 * system.box.size[axis]);
            v[axis] = static_cast<Real>(normal(engine) + 0.1 * axis);
        }
        particles.push_back(Particle::make(static_cast<std::uint64_t>(i), x, v));
    }
    return particles;
}

System system_of(std::array<int, 3> size) {
    System system;
    system.box.size = size;
    system.fluid = {10.0, 0.7, 3.0};
    return system;
}

template <class Particle>
class Observables : public testing::Test {};
using Particles = testing::Types<ParticleDouble, ParticleMixed>;
TYPED_TEST_SUITE(Observables, Particles);

// By division in whole numbers, for each cell of edges up to the longest that an input may have, and for a
// place on the upper wall.
TEST(Bins, have_so_many_cells_each) {
    for (const int edge : {1, 60, 1001, 46368, 65520, 65535, 65536}) {
        for (const int width :
             {1, 2, 3, 4, 5, 7, 10, 13, 16, 17, 257, 1001, 1092, 4369, 21845, 32768, 65535, 65536}) {
            if (edge % width != 0) continue;
            const int bins = edge / width;
            const BinRule rule(system_of({edge, 1, 1}), {bins, 1, 1});
            int wrong = 0;
            for (int cell = 0; cell <= edge; ++cell) {
                const int expected = std::min(cell / width, bins - 1);
                wrong += rule.bin(Vec3<double>{1.0 * cell, 0, 0}) == expected ? 0 : 1;
                wrong += rule.bin(Vec3<double>{cell == edge ? edge : cell + 0.99, 0, 0}) == expected ? 0 : 1;
            }
            EXPECT_EQ(wrong, 0) << "edge " << edge << ", bins of " << width;
        }
    }
}

// A coarse part and a rest on a finer grid: all but the last rounding of the result.
TYPED_TEST(Observables, totals_are_right_to_the_last_digits_in_any_order) {
    const System system = system_of({10, 10, 10});
    auto particles = random_particles<TypeParam>(system, system.particle_count());
    // Some at the limit of speed.
    const double limit = 0.999 * speed_limit(system.fluid);
    for (int i = 0; i < 100; ++i)
        particles[i].velocity = {static_cast<typename TypeParam::Real>(limit), 0, 0};
    long double sums[4]{};
    for (const TypeParam& p : particles) {
        const Vec3<long double> v = vector_cast<long double>(p.velocity);
        for (int axis = 0; axis < 3; ++axis) sums[axis] += 3.0L * v[axis];
        // The square is rounded as a double before it is added.
        const Vec3<double> d = vector_cast<double>(p.velocity);
        sums[3] += 1.5L * dot(d, d);
    }
    const TotalsRule rule(system);
    const auto add_up = [&] {
        TotalsSums total;
        for (const TypeParam& p : particles) total += rule.contribute(p);
        return total;
    };
    const TotalsSums first = add_up();
    std::mt19937 engine(1);
    std::shuffle(particles.begin(), particles.end(), engine);
    const TotalsSums second = add_up();
    for (int i = 0; i < TotalsSums::count; ++i) EXPECT_EQ(first.value[i], second.value[i]);

    const Totals totals = rule.result(first);
    EXPECT_EQ(totals.particles, 10000);
    EXPECT_EQ(totals.mass, 30000.0);
    for (int axis = 0; axis < 3; ++axis) EXPECT_LT(error_in_ulps(totals.momentum[axis], sums[axis]), 3.0);
    EXPECT_LT(error_in_ulps(totals.kinetic_energy, sums[3]), 3.0);
    const Vec3<double> mean = rule.mean_velocity(first);
    for (int axis = 0; axis < 3; ++axis) EXPECT_LT(error_in_ulps(mean[axis], sums[axis] / 30000.0L), 3.0);
}

// Temperature of 3 (N - 1) freedoms relative to the centre of mass, by hand for two particles.
TEST(Totals, temperature_of_two_particles) {
    Totals totals;
    totals.particles = 2;
    totals.mass = 6.0;
    totals.momentum = {3.0 * (5.0 + 1.0), 0.0, 0.0};
    totals.kinetic_energy = 1.5 * (25.0 + 1.0);
    EXPECT_DOUBLE_EQ(totals.temperature(), 2.0 * (1.5 * 8.0) / 3.0);  // relative velocities +-2
    totals.particles = 1;
    EXPECT_EQ(totals.temperature(), 0.0);
}

TYPED_TEST(Observables, bins_are_blocks_of_cells_and_own_their_lower_edges) {
    using Real = typename TypeParam::Real;
    const System system = system_of({12, 6, 8});
    const BinRule rule(system, {4, 6, 2});  // 3, 1 and 4 cells wide
    EXPECT_EQ(rule.bin_count(), 48);
    const auto bin = [&](double x, double y, double z) {
        return rule.bin(Vec3<Real>{static_cast<Real>(x), static_cast<Real>(y), static_cast<Real>(z)});
    };
    const auto below = [](double x) {
        return static_cast<double>(std::nextafter(static_cast<Real>(x), Real(0)));
    };
    EXPECT_EQ(bin(0, 0, 0), 0);
    EXPECT_EQ(bin(below(3), below(1), below(4)), 0);
    EXPECT_EQ(bin(3, 0, 0), 1);
    EXPECT_EQ(bin(0, 1, 0), 4);
    EXPECT_EQ(bin(0, 0, 4), 24);
    EXPECT_EQ(bin(below(12), below(6), below(8)), 47);
    EXPECT_EQ(bin(12, 6, 8), 47) << "on the upper walls";
    EXPECT_EQ(bin(12, 0, 0), 3);
    // All of a box: each bin its share.
    std::vector<double> counts(48);
    for (const TypeParam& p : random_particles<TypeParam>(system, 50000)) counts[rule.bin(p.position)] += 1.0;
    // The random places leave out a thousandth of the box at its upper faces.
    double chi_square = 0.0;
    for (const double count : counts) chi_square += std::pow(count - 50000.0 / 48, 2) / (50000.0 / 48);
    EXPECT_GT(chi_square_p_value(chi_square, 47), least_p_value);
}

TYPED_TEST(Observables, bin_contributions_sum_up_in_any_order) {
    const System system = system_of({4, 4, 4});
    const BinRule rule(system, {1, 1, 1});
    auto particles = random_particles<TypeParam>(system, 640);
    const auto add_up = [&] {
        BinSums sum;
        for (const TypeParam& p : particles) {
            const BinSums part = rule.contribute(p.velocity);
            for (int i = 0; i < BinSums::count; ++i) sum.value[i] += part.value[i];
        }
        return sum;
    };
    const BinSums first = add_up();
    std::reverse(particles.begin(), particles.end());
    const BinSums second = add_up();
    for (int i = 0; i < BinSums::count; ++i) EXPECT_EQ(first.value[i], second.value[i]);
    EXPECT_EQ(first.value[0], 640.0);
    long double sum_x = 0.0L;
    for (const TypeParam& p : particles) sum_x += static_cast<long double>(p.velocity.x);
    // 640 roundings to the grid that is exact up to twice (8 x 640 + 120) particles at the limit.
    const double grid = 2.0 * (8 * 640 + 120) * speed_limit(system.fluid) * 0x1p-52;
    EXPECT_NEAR(first.value[1], static_cast<double>(sum_x), 640 * 0.5 * grid);
}

/// One bin, of particles of this mass.
BinRule one_bin(double mass) {
    System system;
    system.fluid.mass = mass;
    return {system, {1, 1, 1}};
}

// Bins of a few particles that move as a whole: kT = 2 E / freedoms has no bias from either, though E / N
// has.
TEST(Fold, temperature_of_small_moving_bins_has_no_bias) {
    const double mass = 3.0;
    const double temperature = 0.7;
    std::mt19937_64 engine(2);
    std::normal_distribution<double> normal(0.0, std::sqrt(temperature / mass));
    std::poisson_distribution<int> occupancy(1.5);
    const BinRule rule = one_bin(mass);
    FieldSums block;
    double particles = 0.0, momentum = 0.0;
    for (int sample = 0; sample < 100000; ++sample) {
        BinSums sums;
        const int n = occupancy(engine);
        for (int i = 0; i < n; ++i) {
            const Vec3<double> v{normal(engine) + 20.0, normal(engine) - 3.0, normal(engine)};
            sums.value[0] += 1.0;
            for (int axis = 0; axis < 3; ++axis) sums.value[1 + axis] += v[axis];
            sums.value[4] += dot(v, v);
            momentum += mass * v.x;
        }
        particles += n;
        EXPECT_TRUE(rule.fold(&sums, 0, &block));
    }
    EXPECT_EQ(block.particles, particles);
    EXPECT_NEAR(block.momentum[0], momentum, 1e-10 * momentum);
    // Twice the energy over kT is a chi-square of `relative_freedoms`.
    EXPECT_TRUE(is_near(2.0 * block.relative_energy / block.relative_freedoms, temperature,
                        temperature * std::sqrt(2.0 / block.relative_freedoms)));
}

TEST(Fold, empty_and_lone_bins_add_no_energy) {
    FieldSums block;
    const BinRule rule = one_bin(2.0);
    const BinSums empty, lone{{1.0, 3.0, -4.0, 0.0, 25.0}};
    EXPECT_TRUE(rule.fold(&empty, 0, &block));
    EXPECT_EQ(block.particles, 0.0);
    EXPECT_TRUE(rule.fold(&lone, 0, &block));
    EXPECT_EQ(block.particles, 1.0);
    EXPECT_EQ(block.momentum[1], -8.0);
    EXPECT_EQ(block.relative_energy, 0.0);
    EXPECT_EQ(block.relative_freedoms, 0.0);
}

TEST(Faults, are_thrown_with_all_their_reasons) {
    const System system;
    EXPECT_NO_THROW(throw_on_faults(no_fault, 3, system));
    const auto message = [&](std::uint32_t faults) -> std::string {
        try {
            throw_on_faults(faults, 17, system);
        } catch (const SimulationFault& fault) {
            return fault.what();
        }
        return {};
    };
    for (const Fault fault : {fault_speed, fault_occupancy, fault_image, fault_bin}) {
        EXPECT_NE(message(fault).find("step 17"), std::string::npos);
        EXPECT_GT(message(fault_speed | fault_bin).size(), message(fault_speed).size());
    }
}

}  // namespace
}  // namespace mpcflow::test

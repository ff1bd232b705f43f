/// Equilibrium: occupancy of cells, places and velocities follow their distributions, next to walls too.
///
/// Samples are whole runs with seeds of their own, so they are independent but for the particle number,
/// which is fixed: occupancies are multinomial, which with some thousand cells is Poisson.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <ostream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/physics/statistics.hpp"
#include "tests/support/solvers.hpp"

namespace mpcflow::test {
namespace {

struct Fluids {
    std::string name;
    CollisionRule rule;
    bool conserves_angular_momentum;
    ThermostatKind thermostat;
    bool has_walls;

    friend void PrintTo(const Fluids& fluid, std::ostream* out) { *out << fluid.name; }
};

const std::vector<Fluids> fluids{
    {"srd", CollisionRule::srd, false, ThermostatKind::none, false},
    {"srd_thermostat", CollisionRule::srd, false, ThermostatKind::maxwell_boltzmann, false},
    {"srd_walls", CollisionRule::srd, false, ThermostatKind::none, true},
    {"srd_thermostat_walls", CollisionRule::srd, false, ThermostatKind::maxwell_boltzmann, true},
    {"srd_angular_thermostat", CollisionRule::srd, true, ThermostatKind::maxwell_boltzmann, false},
    {"srd_angular_thermostat_walls", CollisionRule::srd, true, ThermostatKind::maxwell_boltzmann, true},
    {"at", CollisionRule::at, false, ThermostatKind::none, false},
    {"at_walls", CollisionRule::at, false, ThermostatKind::none, true},
    {"at_angular", CollisionRule::at, true, ThermostatKind::none, false},
    {"at_angular_walls", CollisionRule::at, true, ThermostatKind::none, true},
};

class Equilibrium : public testing::TestWithParam<std::tuple<SolverKind, Fluids>> {
protected:
    // Local densities are forgotten in a^2 / D = 17 times, or 170 steps; velocities within a few.
    static constexpr int runs = 8;
    static constexpr int steps = 300;

    void SetUp() override {
        skip_without(std::get<0>(GetParam()));
        if (IsSkipped() || HasFatalFailure()) return;
        const Fluids& fluid = std::get<1>(GetParam());
        // Units in which nothing is 1 by chance.
        system_.box.size = {12, 12, 16};
        system_.fluid.mass = 2.0;
        system_.fluid.temperature = 0.5;
        system_.collision.time_step = 0.2;  // 0.1 a sqrt(m/kT)
        system_.collision.rule = fluid.rule;
        system_.collision.conserve_angular_momentum = fluid.conserves_angular_momentum;
        system_.thermostat.kind = fluid.thermostat;
        if (fluid.has_walls) system_.boundaries.faces[2] = {FaceKind::no_slip, FaceKind::no_slip};
        SolverOptions options;
        options.threads = 1;
        for (int run = 0; run < runs; ++run) {
            system_.seed = static_cast<std::uint64_t>(run) + 100;
            const auto solver = make_solver(std::get<0>(GetParam()), system_, options);
            solver->run(steps);
            solver->copy_particles(snapshots_.emplace_back());
        }
    }

    /// Particles in each cell of the grid at rest.
    [[nodiscard]] std::vector<int> occupancies(const ParticleSnapshot& snapshot) const {
        const std::array<int, 3>& size = system_.box.size;
        std::vector<int> counts(system_.box.volume());
        for (std::size_t i = 0; i < snapshot.position.size(); i += 3) {
            const int x = static_cast<int>(snapshot.position[i]);
            const int y = static_cast<int>(snapshot.position[i + 1]);
            const int z = static_cast<int>(snapshot.position[i + 2]);
            ++counts[x + size[0] * (y + size[1] * std::min(z, size[2] - 1))];
        }
        return counts;
    }

    /// Velocities along `axis` of the particles that are at most `distance` from a wall; without walls, of
    /// those in the same place.
    [[nodiscard]] std::vector<double> velocities(int axis, double distance) const {
        std::vector<double> found;
        for (const ParticleSnapshot& snapshot : snapshots_) {
            for (std::size_t i = 0; i < snapshot.position.size(); i += 3) {
                const double z = snapshot.position[i + 2];
                if (std::min(z, system_.box.size[2] - z) <= distance)
                    found.push_back(snapshot.velocity[i + axis]);
            }
        }
        return found;
    }

    void expect_poisson_occupancy() const;
    void expect_uniform_places() const;
    void expect_maxwellian_velocities() const;
    void expect_independent_components() const;

    System system_;
    std::vector<ParticleSnapshot> snapshots_;
    static constexpr double variance = 0.25;  // kT / m
};

void Equilibrium::expect_poisson_occupancy() const {
    constexpr int most = 24;  // the last bin holds all above
    const double mean = system_.fluid.density;
    std::vector<double> expected(most + 1), found(most + 1);
    const double cells = static_cast<double>(runs * system_.box.volume());
    double left = cells;
    for (int n = 0; n < most; ++n) {
        expected[n] = cells * std::exp(n * std::log(mean) - mean - std::lgamma(n + 1.0));
        left -= expected[n];
    }
    expected[most] = left;
    double dispersion = 0.0, dispersion_at_walls = 0.0, cells_at_walls = 0.0;
    const int layer = system_.box.size[0] * system_.box.size[1];
    for (const ParticleSnapshot& snapshot : snapshots_) {
        const std::vector<int> counts = occupancies(snapshot);
        for (std::size_t cell = 0; cell < counts.size(); ++cell) {
            ++found[std::min(counts[cell], most)];
            const double off = (counts[cell] - mean) * (counts[cell] - mean) / mean;
            dispersion += off;
            const int z = static_cast<int>(cell) / layer;
            if (z > 0 && z + 1 < system_.box.size[2]) continue;
            dispersion_at_walls += off;
            ++cells_at_walls;
        }
    }
    // Bins 0 and 1 are expected to hold 9 of 18,432 cells together.
    expected[2] += expected[0] + expected[1];
    found[2] += found[0] + found[1];
    expected[0] = expected[1] = found[0] = found[1] = 0.0;
    const double p = chi_square_p_value(found, expected);
    std::printf("occupancy: p = %.3f; variance / mean %.4f, next to walls %.4f\n", p,
                dispersion / (cells - runs), dispersion_at_walls / cells_at_walls);
    EXPECT_GE(p, least_p_value);
    EXPECT_TRUE(is_near(dispersion / (cells - runs), 1.0, std::sqrt(2.0 / cells)));
    EXPECT_TRUE(is_near(dispersion_at_walls / cells_at_walls, 1.0, std::sqrt(2.0 / cells_at_walls)));
}

void Equilibrium::expect_uniform_places() const {
    // Bins much narrower than a flight: a wall that held particles back or pushed them off would show.
    std::array<std::vector<double>, 3> counts;
    for (auto& axis : counts) axis.resize(200);
    for (const ParticleSnapshot& snapshot : snapshots_) {
        for (std::size_t i = 0; i < snapshot.position.size(); ++i) {
            const double fraction = snapshot.position[i] / system_.box.size[i % 3];
            ++counts[i % 3][std::min<std::size_t>(199, static_cast<std::size_t>(200.0 * fraction))];
        }
    }
    for (const auto& axis : counts) {
        const double p = uniform_p_value(axis);
        std::printf("places: p = %.3f\n", p);
        EXPECT_GE(p, least_p_value);
    }
}

void Equilibrium::expect_maxwellian_velocities() const {
    for (const double distance : {100.0, 0.25}) {
        for (int axis = 0; axis < 3; ++axis) {
            const std::vector<double> samples = velocities(axis, distance);
            Moments moments;
            for (const double v : samples) moments.add(v);
            std::printf("%zu particles, axis %d: mean %.5f, variance %.5f\n", samples.size(), axis,
                        moments.mean(), moments.variance());
            EXPECT_TRUE(is_gaussian(samples, variance)) << "axis " << axis << ", up to " << distance;
        }
    }
}

void Equilibrium::expect_independent_components() const {
    std::vector<double> squares;
    std::array<Correlation, 3> correlations;
    for (const ParticleSnapshot& snapshot : snapshots_) {
        for (std::size_t i = 0; i < snapshot.velocity.size(); i += 3) {
            const double x = snapshot.velocity[i], y = snapshot.velocity[i + 1], z = snapshot.velocity[i + 2];
            squares.push_back(x * x + y * y + z * z);
            correlations[0].add(x, y);
            correlations[1].add(y, z);
            correlations[2].add(z, x);
        }
    }
    EXPECT_TRUE(is_gamma(squares, 1.5, 2.0 * variance));
    for (const Correlation& correlation : correlations) EXPECT_TRUE(correlation.is_zero());
}

// One test, for the samples take longer than to look at them.
TEST_P(Equilibrium, has_its_distributions_next_to_walls_too) {
    expect_poisson_occupancy();
    expect_uniform_places();
    expect_maxwellian_velocities();
    expect_independent_components();
}

INSTANTIATE_TEST_SUITE_P(on, Equilibrium,
                         testing::Combine(testing::ValuesIn(built_solvers()), testing::ValuesIn(fluids)),
                         [](const auto& chosen) {
                             return name_of(std::get<0>(chosen.param)) + "_" + std::get<1>(chosen.param).name;
                         });

}  // namespace
}  // namespace mpcflow::test

/// Fourier modes of the velocity: against a direct sum, and the same bits whatever executes the run.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <vector>

#include <gtest/gtest.h>

#include "tests/solver/same_bits.hpp"
#include "tests/support/solvers.hpp"

namespace mpcflow::test {
namespace {

class ModesOf : public SolverTest {
protected:
    static System fluid() {
        System system;
        system.seed = 12;
        system.box.size = {12, 10, 9};
        system.fluid = {5.0, 0.5, 2.0};
        system.thermostat.kind = ThermostatKind::maxwell_boltzmann;
        return system;
    }

    /// u_k and the standard deviation that rounding gives each of its numbers.
    struct DirectSum {
        std::vector<double> modes;
        std::vector<double> deviations;
    };

    /// A wave is rounded by at most 2^-19 to either side, a velocity by 2^-18 of a power of two not below the
    /// thermal speed: uniform errors, of which the deviation is 1/sqrt(3).
    static DirectSum direct_sum(const System& system, const WaveNumbers& waves,
                                const ParticleSnapshot& snapshot) {
        const double speed = std::sqrt(system.fluid.temperature / system.fluid.mass);
        const double velocity_error = 0x1p-18 * std::exp2(std::ceil(std::log2(speed))) / std::sqrt(3.0);
        const double wave_error = 0x1p-19 / std::sqrt(3.0);
        const std::size_t particles = snapshot.id.size();
        DirectSum sum;
        for (std::size_t axis = 0; axis < 3; ++axis) {
            for (int n = 1; n <= waves.along[axis]; ++n) {
                for (std::size_t component = 0; component < 3; ++component) {
                    for (const bool is_real : {true, false}) {
                        double mode = 0.0;
                        double variance = 0.0;
                        for (std::size_t i = 0; i < particles; ++i) {
                            const double phase = 2.0 * std::numbers::pi * n *
                                                 snapshot.position[3 * i + axis] / system.box.size[axis];
                            const double wave = is_real ? std::cos(phase) : -std::sin(phase);
                            const double v = snapshot.velocity[3 * i + component];
                            mode += v * wave;
                            variance += std::pow(v * wave_error, 2) + std::pow(wave * velocity_error, 2);
                        }
                        const auto count = static_cast<double>(particles);
                        sum.modes.push_back(mode / count);
                        sum.deviations.push_back(std::sqrt(variance) / count);
                    }
                }
            }
        }
        return sum;
    }
};

TEST_P(ModesOf, amplitudes_are_those_of_a_direct_sum) {
    for (const Precision precision : {Precision::double_precision, Precision::mixed}) {
        const System system = fluid();
        const auto solver = make(system, {precision});
        solver->run(7);
        ParticleSnapshot snapshot;
        solver->copy_particles(snapshot);
        for (const WaveNumbers& waves :
             {WaveNumbers{{6, 5, 4}}, WaveNumbers{{1, 0, 0}}, WaveNumbers{{0, 4, 0}}, WaveNumbers{{0, 0, 9}},
              WaveNumbers{{64, 0, 1}}}) {
            const std::vector<double> found = solver->measure<VelocityModes>(waves);
            const DirectSum expected = direct_sum(system, waves, snapshot);
            ASSERT_EQ(found.size(), expected.modes.size());
            ASSERT_EQ(found.size(), static_cast<std::size_t>(6 * waves.count()));
            for (std::size_t i = 0; i < found.size(); ++i) {
                EXPECT_NEAR(found[i], expected.modes[i], 4.5 * expected.deviations[i]) << i;
                EXPECT_LT(expected.deviations[i], 1e-7) << "against 1e-2 of the amplitudes";
            }
        }
        EXPECT_TRUE(solver->measure<VelocityModes>(WaveNumbers{}).empty());
    }
}

TEST_P(ModesOf, few_particles) {
    System system = fluid();
    system.box.size = {4, 1, 2};
    for (const int particles : {1, 2, 31, 32, 33, 255, 257}) {
        system.fluid.density = particles / 8.0;
        const auto solver = make(system);
        ParticleSnapshot snapshot;
        solver->copy_particles(snapshot);
        ASSERT_EQ(snapshot.id.size(), static_cast<std::size_t>(particles));
        const WaveNumbers waves{{2, 0, 1}};
        const std::vector<double> found = solver->measure<VelocityModes>(waves);
        const DirectSum expected = direct_sum(system, waves, snapshot);
        for (std::size_t i = 0; i < found.size(); ++i) {
            // Few errors are not Gaussian: none is more than sqrt(3) of its deviation.
            EXPECT_NEAR(found[i], expected.modes[i], 4.5 * expected.deviations[i] + 1e-15) << particles;
        }
    }
}

TEST_P(ModesOf, bits_are_the_same_whatever_executes_the_run) {
    for (const bool has_walls : {false, true}) {
        for (const Precision precision : {Precision::double_precision, Precision::mixed}) {
            System system = fluid();
            system.box.size = {16, 16, 16};  // more particles than a thread adds up in one go
            if (has_walls) system.boundaries.faces[2] = {FaceKind::no_slip, FaceKind::no_slip};
            const WaveNumbers waves{{5, 2, has_walls ? 0 : 4}};
            const auto run = [&](Solver& solver) {
                std::vector<double> modes;
                for (int sample = 0; sample < 3; ++sample) {
                    solver.run(6);
                    const std::vector<double> now = solver.measure<VelocityModes>(waves);
                    modes.insert(modes.end(), now.begin(), now.end());
                }
                return modes;
            };
            const std::vector<double> expected = run(*make_solver(SolverKind::host, system, {precision}));
            for (const SolverOptions& way : ways_to_execute(GetParam(), precision))
                EXPECT_TRUE(bits_of(run(*make(system, way))) == bits_of(expected)) << describe(way);
        }
    }
}

TEST_P(ModesOf, a_sample_changes_nothing) {
    const System system = fluid();
    const auto sampled = make(system);
    const auto undisturbed = make(system);
    for (int step = 0; step < 5; ++step) {
        sampled->run(1);
        static_cast<void>(sampled->measure<VelocityModes>(WaveNumbers{{2, 2, 2}}));
    }
    undisturbed->run(5);
    EXPECT_EQ(sampled->state_hash(), undisturbed->state_hash());
}

MPCFLOW_ON_EVERY_SOLVER(ModesOf);

}  // namespace
}  // namespace mpcflow::test

/// Fourier modes of the density: against a direct sum, and the same bits whatever executes the run.

#include <array>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <vector>

#include <gtest/gtest.h>

#include "tests/solver/same_bits.hpp"
#include "tests/support/solvers.hpp"
#include "tests/support/systems.hpp"

namespace mpcflow::test {
namespace {

class DensityModesOf : public SolverTest {};

/// A wave is rounded by at most 2^-19 to either side: uniform errors, of which the deviation is 1/sqrt(3).
TEST_P(DensityModesOf, particles_are_those_of_a_direct_sum) {
    const System system = fluid_at_rest({12, 10, 9}, 5.0, 0.3, 12);
    for (const Precision precision : {Precision::double_precision, Precision::mixed}) {
        const auto solver = make(system, {precision});
        solver->run(7);
        ParticleSnapshot snapshot;
        solver->copy_particles(snapshot);
        const auto particles = snapshot.id.size();
        const double deviation = 0x1p-19 * std::sqrt(static_cast<double>(particles) / 3.0);
        for (const WaveNumbers& waves :
             {WaveNumbers{{6, 5, 4}}, WaveNumbers{{0, 0, 9}}, WaveNumbers{{64, 0, 1}}}) {
            const std::vector<double> found = solver->measure<DensityModes>(waves);
            ASSERT_EQ(found.size(), static_cast<std::size_t>(2 * waves.count()));
            auto next = found.begin();
            for (std::size_t axis = 0; axis < 3; ++axis) {
                for (int n = 1; n <= waves.along[axis]; ++n) {
                    double real = 0.0;
                    double imaginary = 0.0;
                    for (std::size_t i = 0; i < particles; ++i) {
                        const double phase = 2.0 * std::numbers::pi * n * snapshot.position[3 * i + axis] /
                                             system.box.size[axis];
                        real += std::cos(phase);
                        imaginary -= std::sin(phase);
                    }
                    EXPECT_NEAR(*next++, real, 4.5 * deviation) << axis << ' ' << n;
                    EXPECT_NEAR(*next++, imaginary, 4.5 * deviation) << axis << ' ' << n;
                }
            }
        }
        EXPECT_TRUE(solver->measure<DensityModes>(WaveNumbers{}).empty());
    }
}

TEST_P(DensityModesOf, a_run_have_the_same_bits_whatever_executes_it) {
    for (const Precision precision : {Precision::double_precision, Precision::mixed}) {
        // More particles than a thread adds up in one go.
        System system = fluid_at_rest({16, 16, 16}, 5.0, 0.3, 12);
        system.boundaries.faces[2] = {FaceKind::no_slip, FaceKind::no_slip};
        const auto run = [](Solver& solver) {
            solver.run(6);
            std::vector<double> modes = solver.measure<DensityModes>(WaveNumbers{{5, 2, 0}});
            solver.run(6);
            for (const double mode : solver.measure<DensityModes>(WaveNumbers{{5, 2, 0}}))
                modes.push_back(mode);
            return modes;
        };
        const auto reference = make_solver(SolverKind::host, system, {precision});
        const std::vector<double> expected = run(*reference);
        for (const SolverOptions& way : ways_to_execute(GetParam(), precision)) {
            const auto solver = make(system, way);
            EXPECT_TRUE(bits_of(run(*solver)) == bits_of(expected)) << describe(way);
            EXPECT_EQ(solver->state_hash(), reference->state_hash()) << describe(way);
        }
    }
}

MPCFLOW_ON_EVERY_SOLVER(DensityModesOf);

}  // namespace
}  // namespace mpcflow::test

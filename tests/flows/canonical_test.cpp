/// The ensemble of SRD+a with its thermostat is the canonical one where few particles are in a cell, too. It
/// was not while the motion beyond a cell's rigid rotation was turned together with that rotation: at M = 3
/// and h = 0.1 the temperature was 1.005 kT and the kurtosis of the velocities 1.02 times that of a Gaussian.

#include <cmath>
#include <cstddef>
#include <cstdio>

#include <gtest/gtest.h>

#include "tests/physics/statistics.hpp"
#include "tests/support/solvers.hpp"

namespace mpcflow::test {
namespace {

class CanonicalEnsemble : public testing::TestWithParam<std::tuple<SolverKind, Precision>> {};

TEST_P(CanonicalEnsemble, is_that_of_srd_with_angular_momentum_at_three_particles_in_a_cell) {
    const auto [kind, precision] = GetParam();
    skip_without(kind);
    if (IsSkipped() || HasFatalFailure()) return;
    // Units in which nothing is 1 by chance.
    System system;
    system.box.size = {12, 12, 12};
    system.fluid = {3.0, 0.5, 2.0};
    system.collision.time_step = 0.2;  // 0.1 a sqrt(m/kT)
    system.collision.conserve_angular_momentum = true;
    system.thermostat.kind = ThermostatKind::maxwell_boltzmann;
    system.seed = 21;
    SolverOptions options;
    options.threads = 1;
    options.precision = precision;
    const auto solver = make_solver(kind, system, options);
    constexpr double variance = 0.25;  // kT / m
    constexpr int blocks = 20, samples = 30, steps = 5;
    solver->run(200);
    Moments temperatures, kurtoses;
    ParticleSnapshot snapshot;
    for (int block = 0; block < blocks; ++block) {
        double second = 0.0, fourth = 0.0;
        for (int sample = 0; sample < samples; ++sample) {
            solver->run(steps);
            solver->copy_particles(snapshot);
            for (const double v : snapshot.velocity) {
                second += v * v;
                fourth += v * v * v * v;
            }
        }
        const double numbers = static_cast<double>(samples) * static_cast<double>(snapshot.velocity.size());
        // The total momentum is zero, so three freedoms lack.
        const double of_rest = 1.0 - 3.0 / static_cast<double>(snapshot.velocity.size());
        const double mean_square = second / numbers;
        temperatures.add(mean_square / (variance * of_rest));
        kurtoses.add(fourth / numbers / (3.0 * mean_square * mean_square));
    }
    std::printf("temperature / kT %.5f(%.5f), kurtosis / 3 %.5f(%.5f)\n", temperatures.mean(),
                temperatures.standard_error(), kurtoses.mean(), kurtoses.standard_error());
    EXPECT_TRUE(has_mean(temperatures, 1.0));
    EXPECT_TRUE(has_mean(kurtoses, 1.0));
    // So well that what was would fail: 0.5 and 2 %.
    EXPECT_LT(sigmas * temperatures.standard_error(), 0.004);
    EXPECT_LT(sigmas * kurtoses.standard_error(), 0.01);
}

INSTANTIATE_TEST_SUITE_P(on, CanonicalEnsemble,
                         testing::Combine(testing::ValuesIn(built_solvers()),
                                          testing::Values(Precision::double_precision, Precision::mixed)),
                         [](const auto& chosen) {
                             return name_of(std::get<0>(chosen.param)) +
                                    (std::get<1>(chosen.param) == Precision::mixed ? "_mixed" : "_double");
                         });

}  // namespace
}  // namespace mpcflow::test

/// Structure: an MPC fluid is an ideal gas, and has none.

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "physics/observables/pair_centres.hpp"
#include "physics/observables/radial_distribution.hpp"
#include "physics/observables/structure_factor.hpp"
#include "tests/physics/statistics.hpp"
#include "tests/support/observing.hpp"
#include "tests/support/solvers.hpp"
#include "tests/support/systems.hpp"

namespace mpcflow::test {
namespace {

class Structure : public SolverTest {};

// The fluid is an ideal gas: places are independent. A bin's count is twice a number of unordered pairs,
// which are pairwise independent, so that its variance is twice its mean.
TEST_P(Structure, of_an_ideal_gas_is_none) {
    for (const int kind : {0, 1, 2}) {
        System system = fluid_at_rest({12, 11, 10}, 8.0, 0.3, 14);
        system.collision.conserve_angular_momentum = kind == 1;
        if (kind == 2) system.boundaries.faces[1].shear = {0.13, 2};
        const auto solver = make(system, on_one_thread());
        solver->run(100);
        ParticleRecords all;
        solver->copy_particles(all);
        const PairRule rule(system, {5.0, 50});
        const ChosenCentres chosen = choose_centres(rule, all, ShearedFaces<double>(system, 200));
        std::vector<std::uint64_t> counts(50);
        add_counts(counts, solver->measure(PairCentres(rule, chosen.centres)));
        const auto centres = static_cast<double>(chosen.particle_count);
        ASSERT_EQ(centres, static_cast<double>(system.particle_count()));
        double chi_square = 0.0;
        for (std::size_t bin = 0; bin < counts.size(); ++bin) {
            const double inner = 0.1 * static_cast<double>(bin);
            const double shell =
                4.0 / 3.0 * 3.14159265358979323846 * (std::pow(inner + 0.1, 3) - std::pow(inner, 3));
            const double expected = centres * (centres - 1.0) / (12.0 * 11.0 * 10.0) * shell;
            const double off = static_cast<double>(counts[bin]) - expected;
            chi_square += off * off / (2.0 * expected);
        }
        EXPECT_GT(chi_square_p_value(chi_square, 50.0), least_p_value) << chi_square;
        EXPECT_GT(1.0 - chi_square_p_value(chi_square, 50.0), least_p_value) << chi_square;
    }
}

TEST_P(Structure, is_measured_as_one_with_the_error_that_it_says) {
    System system = fluid_at_rest({8, 9, 12}, 5.0, 0.3, 14);
    system.boundaries.faces[2] = {FaceKind::no_slip, FaceKind::no_slip};
    const auto solver = make(system, on_one_thread());
    RadialDistributionObservable observable(system, {10, 3.0, 30, 1500}, 20);
    run_and_sample(*solver, observable, 2020);
    const ObservableResults results = observable.results();
    EXPECT_EQ(observable.samples(), 200);
    const auto& g = numbers(results, "g");
    const auto& error = numbers(results, "g_error");
    const auto& radius = numbers(results, "radius");
    const auto& pairs = numbers<std::uint64_t>(results, "pairs");
    ASSERT_EQ(g.size(), 30U);
    for (std::size_t bin = 0; bin < g.size(); ++bin) {
        EXPECT_NEAR(radius[bin], 0.05 + 0.1 * static_cast<double>(bin), 1e-12);
        EXPECT_TRUE(is_near(g[bin], 1.0, error[bin])) << radius[bin];
        // Pairs that last from sample to sample make it larger than that of independent counts, of which some
        // are one pair from both sides; 50 blocks know it to a tenth.
        const double independent = 1.0 / std::sqrt(static_cast<double>(pairs[bin]));
        EXPECT_GT(error[bin], 0.6 * independent);
        EXPECT_LT(error[bin], 6.0 * independent);
    }
}

// |rho_k|^2 / N of an ideal gas is distributed exponentially, so that its deviation is its mean, 1.
TEST_P(Structure, factor_is_one_with_the_error_that_it_says) {
    for (const bool is_angular : {false, true}) {
        System system = fluid_at_rest({8, 9, 12}, 5.0, 0.3, 14);
        system.collision.conserve_angular_momentum = is_angular;
        if (is_angular) system.boundaries.faces[2] = {FaceKind::no_slip, FaceKind::no_slip};
        const auto solver = make(system, on_one_thread());
        StructureFactorObservable observable(system, {10, 4}, 20);
        run_and_sample(*solver, observable, 4020);
        const ObservableResults results = observable.results();
        const auto& found = numbers(results, "S");
        const auto& error = numbers(results, "S_error");
        const auto& correlation = numbers(results, "correlation");
        const std::size_t lags = numbers(results, "time").size();
        ASSERT_EQ(found.size(), is_angular ? 8U : 12U);
        const double independent = 1.0 / std::sqrt(400.0);
        for (std::size_t wave = 0; wave < found.size(); ++wave) {
            EXPECT_TRUE(is_near(found[wave], 1.0, error[wave])) << wave;
            // Fluctuations that last from sample to sample make it larger than that of independent samples.
            EXPECT_GT(error[wave], 0.6 * independent) << wave;
            EXPECT_LT(error[wave], 4.0 * independent) << wave;
            EXPECT_LT(std::abs(correlation[wave * lags + 1]), found[wave]) << wave;
        }
    }
}

MPCFLOW_ON_EVERY_SOLVER(Structure);

}  // namespace
}  // namespace mpcflow::test

/// Histograms of occupancy and speed: against the particles themselves, the same counts whatever executes the
/// run, and against the distributions of theory.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

#include "physics/observables/histograms.hpp"
#include "physics/theory.hpp"
#include "tests/physics/statistics.hpp"
#include "tests/support/solvers.hpp"

namespace mpcflow::test {
namespace {

std::uint64_t sum(const std::vector<std::uint64_t>& counts) {
    return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
}

class HistogramsOf : public SolverTest {
protected:
    static System fluid() {
        System system;
        system.seed = 8;
        system.box.size = {12, 11, 10};
        system.fluid = {5.0, 0.5, 2.0};
        system.thermostat.kind = ThermostatKind::maxwell_boltzmann;
        return system;
    }
};

TEST_P(HistogramsOf, speeds_are_those_of_the_particles) {
    const System system = fluid();
    const auto solver = make(system);
    solver->run(5);
    Histograms histograms(20, 15, 3.0);
    add_sample(*solver, histograms);
    ParticleSnapshot snapshot;
    solver->copy_particles(snapshot);
    std::vector<std::uint64_t> expected(16, 0);
    for (std::size_t i = 0; i < snapshot.velocity.size(); i += 3) {
        const double* v = &snapshot.velocity[i];
        const double speed = std::sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]) / 0.5;  // in thermal speeds
        ++expected[std::min<std::size_t>(static_cast<std::size_t>(speed / 0.2), 15)];
    }
    EXPECT_EQ(histograms.speed, expected);
    EXPECT_GT(expected[15], 50U) << "faster than three thermal speeds";
    EXPECT_EQ(histograms.samples, 1);
    EXPECT_EQ(sum(histograms.occupancy), 12U * 11U * 10U);
}

TEST_P(HistogramsOf, occupancies_hold_all_particles_of_whole_cells) {
    System system = fluid();
    const auto periodic = make(system);
    periodic->run(3);
    Histograms histograms(60, 4, 8.0);
    add_sample(*periodic, histograms);
    std::uint64_t particles = 0;
    for (std::size_t n = 0; n < histograms.occupancy.size(); ++n) particles += n * histograms.occupancy[n];
    EXPECT_EQ(particles, static_cast<std::uint64_t>(system.particle_count()));
    const Extremes extremes = periodic->measure<ExtremesRule>();
    for (std::size_t n = 0; n < histograms.occupancy.size(); ++n) {
        const auto count = static_cast<std::int64_t>(n);
        if (count < extremes.minimum_occupancy || count > extremes.maximum_occupancy)
            EXPECT_EQ(histograms.occupancy[n], 0U) << n;
    }
    EXPECT_GT(histograms.occupancy[extremes.maximum_occupancy], 0U);

    // The last bin takes the rest; the cells that walls cut are left out.
    system.boundaries.faces[0] = {FaceKind::no_slip, FaceKind::no_slip};
    const auto walled = make(system);
    walled->run(3);
    Histograms few(3, 4, 8.0);
    add_sample(*walled, few);
    EXPECT_EQ(sum(few.occupancy), 11U * 11U * 10U);
    EXPECT_GT(few.occupancy[2], 900U);
}

TEST_P(HistogramsOf, counts_are_the_same_whatever_executes_the_run) {
    for (const bool has_walls : {false, true}) {
        for (const Precision precision : {Precision::double_precision, Precision::mixed}) {
            System system = fluid();
            if (has_walls) system.boundaries.faces[2] = {FaceKind::no_slip, FaceKind::no_slip};
            const auto run = [](Solver& solver) {
                Histograms histograms(25, 400, 5.0);
                for (int sample = 0; sample < 4; ++sample) {
                    solver.run(6);
                    add_sample(solver, histograms);
                }
                return histograms;
            };
            const Histograms expected = run(*make_solver(SolverKind::host, system, {precision}));
            EXPECT_EQ(sum(expected.speed), 4U * static_cast<std::uint64_t>(system.particle_count()));
            for (const SolverOptions& way : ways_to_execute(GetParam(), precision)) {
                const Histograms found = run(*make(system, way));
                EXPECT_EQ(found.samples, 4);
                EXPECT_TRUE(found.occupancy == expected.occupancy) << describe(way);
                EXPECT_TRUE(found.speed == expected.speed) << describe(way);
            }
        }
    }
}

TEST_P(HistogramsOf, as_many_bins_as_are_allowed) {
    const auto solver = make(fluid());
    Histograms histograms(Histograms::most_bins, Histograms::most_bins - 1, 8.0);
    add_sample(*solver, histograms);
    EXPECT_EQ(sum(histograms.speed), static_cast<std::uint64_t>(fluid().particle_count()));
    EXPECT_EQ(sum(histograms.occupancy), 12U * 11U * 10U);
}

/// Bins whose expectation is too small for a chi-square go to their neighbours towards the middle.
void merge_thin_tails(std::vector<double>& counts, std::vector<double>& expected) {
    constexpr double least = 10.0;
    while (expected.size() > 2 && expected.back() < least) {
        expected[expected.size() - 2] += expected.back();
        counts[counts.size() - 2] += counts.back();
        expected.pop_back();
        counts.pop_back();
    }
    while (expected.size() > 2 && expected.front() < least) {
        expected[1] += expected.front();
        counts[1] += counts.front();
        expected.erase(expected.begin());
        counts.erase(counts.begin());
    }
}

TEST_P(HistogramsOf, distributions_are_those_of_maxwell_and_poisson) {
    // Runs with seeds of their own are independent. A box of 1728 cells: that its particles are 8640 and not
    // a Poisson number shows in no bin.
    System system = fluid();
    system.box.size = {12, 12, 12};
    Histograms histograms(40, 80, 8.0);
    constexpr int runs = 25;
    for (int run = 0; run < runs; ++run) {
        system.seed = 500 + static_cast<std::uint64_t>(run);
        const auto solver = make(system);
        solver->run(40);
        add_sample(*solver, histograms);
    }
    std::vector<double> speeds(histograms.speed.begin(), histograms.speed.end());
    std::vector<double> occupancies(histograms.occupancy.begin(), histograms.occupancy.end());
    std::vector<double> maxwell = theory::expected_speeds(histograms);
    std::vector<double> poisson = theory::expected_occupancies(histograms, system.fluid.density);
    EXPECT_NEAR(std::accumulate(maxwell.begin(), maxwell.end(), 0.0), runs * 8640.0, 1e-6);
    EXPECT_NEAR(std::accumulate(poisson.begin(), poisson.end(), 0.0), runs * 1728.0, 1e-6);
    merge_thin_tails(speeds, maxwell);
    merge_thin_tails(occupancies, poisson);
    EXPECT_GT(maxwell.size(), 30U);
    EXPECT_GT(poisson.size(), 12U);
    EXPECT_GT(chi_square_p_value(speeds, maxwell), least_p_value);
    EXPECT_GT(chi_square_p_value(occupancies, poisson), least_p_value);
    // The test would find a fluid that is two per cent warmer than it should be.
    Histograms cold = histograms;
    cold.largest_speed /= std::sqrt(1.02);
    std::vector<double> colder = theory::expected_speeds(cold);
    speeds.assign(histograms.speed.begin(), histograms.speed.end());
    merge_thin_tails(speeds, colder);
    EXPECT_LT(chi_square_p_value(speeds, colder), least_p_value);
}

MPCFLOW_ON_EVERY_SOLVER(HistogramsOf);

}  // namespace
}  // namespace mpcflow::test

/// Pairs by their distance: against all pairs one by one, the same counts whatever executes the run.

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

#include <gtest/gtest.h>

#include "physics/observables/radial_distribution.hpp"
#include "tests/support/observing.hpp"
#include "tests/support/solvers.hpp"
#include "tests/support/systems.hpp"

namespace mpcflow::test {
namespace {

/// All pairs of particles, with no list.
struct BruteForce {
    std::vector<std::uint64_t> counts;
    std::uint64_t centres = 0;

    BruteForce(const System& system, const PairBins& bins, std::int64_t stride, const ParticleSnapshot& all)
        : counts(static_cast<std::size_t>(bins.bins)) {
        // The box above a sheared one has moved so far.
        const int normal = system.sheared_axis();
        const Shear shear = normal < 0 ? Shear{} : system.boundaries.faces[normal].shear;
        const double displacement = normal < 0
                                        ? 0.0
                                        : shear.rate * system.box.size[normal] * system.collision.time_step *
                                              static_cast<double>(all.step);
        for (std::size_t i = 0; i < all.id.size(); ++i) {
            bool is_centre = all.id[i] % stride == 0;
            for (std::size_t axis = 0; axis < 3; ++axis) {
                if (system.boundaries.faces[axis].is_periodic()) continue;
                const double x = all.position[3 * i + axis];
                is_centre &= x >= bins.range && system.box.size[axis] - x >= bins.range;
            }
            if (!is_centre) continue;
            ++centres;
            for (std::size_t j = 0; j < all.id.size(); ++j) {
                if (j == i) continue;
                std::array<double, 3> d{};
                for (std::size_t axis = 0; axis < 3; ++axis)
                    d[axis] = all.position[3 * i + axis] - all.position[3 * j + axis];
                if (normal >= 0)
                    d[shear.along] -= displacement * std::nearbyint(d[normal] / system.box.size[normal]);
                double square = 0.0;
                for (std::size_t axis = 0; axis < 3; ++axis) {
                    const double length = system.box.size[axis];
                    if (system.boundaries.faces[axis].is_periodic())
                        d[axis] -= length * std::nearbyint(d[axis] / length);
                    square += d[axis] * d[axis];
                }
                const double distance = std::sqrt(square);
                if (distance < bins.range)
                    ++counts.at(static_cast<std::size_t>(distance / bins.range * bins.bins));
            }
        }
    }
};

std::uint64_t count(Solver& solver, const System& system, const PairBins& bins, std::int64_t stride,
                    std::vector<std::uint64_t>& counts) {
    ParticleRecords chosen;
    solver.copy_selection({std::nullopt, stride}, chosen);
    const PairRule rule(system, bins);
    const ShearedFaces<double> faces(system, 2 * static_cast<std::uint64_t>(solver.current_step()));
    const ChosenCentres centres = choose_centres(rule, chosen, faces);
    counts.assign(static_cast<std::size_t>(bins.bins), 0);
    add_counts(counts, solver.measure(PairCentres(rule, centres.centres)));
    return centres.particle_count;
}

class PairsOf : public SolverTest {
protected:
    /// Counts by all pairs and by the list after 13 steps, in both precisions.
    void expect_all_pairs(const System& system, const PairBins& bins, std::int64_t stride) const {
        for (const Precision precision : {Precision::double_precision, Precision::mixed}) {
            SolverOptions options;
            options.precision = precision;
            const auto solver = make(system, options);
            solver->run(13);
            ParticleSnapshot all;
            solver->copy_particles(all);
            const BruteForce expected(system, bins, stride, all);
            std::vector<std::uint64_t> found;
            EXPECT_EQ(count(*solver, system, bins, stride, found), expected.centres);
            EXPECT_EQ(found, expected.counts);
        }
    }
};

TEST_P(PairsOf, are_all_pairs) {
    struct Case {
        std::array<int, 3> size;
        double density;
        PairBins bins;
        std::int64_t stride;
        bool has_walls;
    };
    // Edges of one, two, three and more cells of the list, the range half of an edge, no pair at all, one
    // particle.
    const std::vector<Case> cases{
        {{5, 4, 6}, 6.0, {2.0, 40}, 1, false},      {{5, 4, 6}, 6.0, {2.0, 7}, 3, false},
        {{3, 3, 3}, 20.0, {1.5, 31}, 1, false},     {{2, 3, 7}, 10.0, {1.0, 33}, 1, false},
        {{4, 5, 9}, 6.0, {1.9, 1}, 2, true},        {{9, 8, 7}, 5.0, {0.4, 32}, 1, true},
        {{9, 3, 3}, 5.0, {1.3, 12}, 7, false},      {{4, 4, 4}, 5.0, {1e-4, 10}, 1, false},
        {{130, 2, 2}, 2.0, {0.5, 11000}, 1, false}, {{2, 2, 2}, 0.125, {1.0, 5}, 1, false},
    };
    for (const Case& c : cases) {
        SCOPED_TRACE(testing::Message()
                     << c.size[0] << " x " << c.size[1] << " x " << c.size[2] << ", " << c.bins.range);
        System system = fluid_at_rest(c.size, c.density, 0.3, 14);
        if (c.has_walls) system.boundaries.faces[2] = {FaceKind::no_slip, FaceKind::no_slip};
        expect_all_pairs(system, c.bins, c.stride);
    }
}

/// Beyond sheared faces, which have moved by less and by more than a box; along the third axis walls or none.
TEST_P(PairsOf, are_all_pairs_across_sheared_faces) {
    struct Case {
        std::array<int, 3> size;
        int normal, along;
        double rate;
        PairBins bins;
        std::int64_t stride;
    };
    const std::vector<Case> cases{
        {{5, 4, 6}, 1, 0, 0.4, {2.0, 40}, 1},   {{6, 9, 4}, 1, 2, -0.7, {1.9, 30}, 3},
        {{4, 5, 8}, 2, 1, 0.9, {0.6, 20}, 1},   {{3, 3, 3}, 0, 2, 1.7, {1.5, 31}, 2},
        {{9, 4, 3}, 0, 1, 0.0, {1.3, 12}, 1},   {{2, 7, 2}, 2, 0, -1.1, {1.0, 9}, 1},
        {{8, 130, 2}, 1, 0, 0.05, {0.9, 9}, 5},
    };
    for (const Case& c : cases) {
        SCOPED_TRACE(testing::Message()
                     << c.size[0] << " x " << c.size[1] << " x " << c.size[2] << ", rate " << c.rate);
        System system = fluid_at_rest(c.size, 6.0, 0.3, 14);
        system.boundaries.faces[static_cast<std::size_t>(c.normal)].shear = {c.rate, c.along};
        expect_all_pairs(system, c.bins, c.stride);
        const auto other = static_cast<std::size_t>(3 - c.normal - c.along);
        if (system.box.size[other] <= 2.0 * c.bins.range) continue;
        system.boundaries.faces[other] = {FaceKind::slip, FaceKind::slip};
        expect_all_pairs(system, c.bins, c.stride);
    }
}

TEST_P(PairsOf, are_counted_the_same_whatever_executes_it) {
    System system = fluid_at_rest({6, 7, 8}, 10.0, 0.3, 14);
    system.boundaries.faces[0] = {FaceKind::slip, FaceKind::slip};
    system.boundaries.faces[2].shear = {0.3, 1};
    const PairBins bins{2.5, 64};
    for (const Precision precision : {Precision::double_precision, Precision::mixed}) {
        const auto reference = make_solver(SolverKind::host, system, {precision});
        reference->run(25);
        std::vector<std::uint64_t> expected, found;
        count(*reference, system, bins, 2, expected);
        for (const SolverOptions& way : ways_to_execute(GetParam(), precision)) {
            SCOPED_TRACE(describe(way));
            const auto solver = make(system, way);
            solver->run(25);
            count(*solver, system, bins, 2, found);
            EXPECT_EQ(found, expected);
            EXPECT_EQ(solver->state_hash(), reference->state_hash());
        }
    }
}

TEST_P(PairsOf, goes_on_after_a_restart_with_the_same_counts) {
    const System system = fluid_at_rest({6, 6, 6}, 5.0, 0.3, 14);
    const RadialDistributionOutput output{2, 2.0, 9, 300};
    const auto unbroken = make(system);
    RadialDistributionObservable expected(system, output, 3);
    run_and_sample(*unbroken, expected, 203);
    for (const std::int64_t stop : {2, 5, 131, 140}) {
        const auto first = make(system);
        RadialDistributionObservable begun(system, output, 3);
        run_and_sample(*first, begun, stop);
        ParticleSnapshot state;
        first->copy_particles(state);
        const auto second = make(system);
        second->restore(state, first->fast_steps());
        RadialDistributionObservable observable(system, output, 3);
        EXPECT_EQ(observable.restore(begun.state()), "");
        run_and_sample(*second, observable, 203);
        EXPECT_EQ(observable.samples(), 100);
        EXPECT_EQ(numbers<std::uint64_t>(observable.results(), "pairs"),
                  numbers<std::uint64_t>(expected.results(), "pairs"));
        EXPECT_EQ(numbers(observable.results(), "g_error"), numbers(expected.results(), "g_error"));
        EXPECT_LE(bytes_of(observable.state().arrays), expected.bytes(203));
        RadialDistributionObservable other(system, {2, 2.0, 10, 300}, 3);
        EXPECT_EQ(other.restore(begun.state()), "bins was 9, is 10");
    }
}

MPCFLOW_ON_EVERY_SOLVER(PairsOf);

TEST(RadialDistribution, states_of_others_are_refused) {
    const System system = fluid_at_rest({6, 6, 6}, 5.0, 0.3, 14);
    const auto solver = make_solver(SolverKind::host, system);
    RadialDistributionObservable observable(system, {2, 2.0, 9, 300}, 0);
    run_and_sample(*solver, observable, 40);
    const ObservableState good = observable.state();
    for (std::size_t array = 0; array < good.arrays.size(); ++array) {
        ObservableState bad = good;
        std::visit(
            [](auto& values) {
                if constexpr (requires { values.push_back(1); }) values.push_back(1);
                else FAIL() << "views of what is small";
            },
            bad.arrays[array].values);
        EXPECT_THROW(static_cast<void>(observable.restore(bad)), std::invalid_argument)
            << bad.arrays[array].name;
    }
    EXPECT_EQ(observable.samples(), 20);
}

TEST(PairCentres, are_no_more_than_counters_hold) {
    System system;
    system.box.size = {4, 4, 4};
    const PairRule rule(system, {1.0, 10});
    ParticleRecords records;
    for (const std::int64_t count : {most_pair_centres, most_pair_centres + 1}) {
        for (ParticleMixed& particle : records.begin<ParticleMixed>(0, count)) particle = {};
        if (count == most_pair_centres) EXPECT_EQ(choose_centres(rule, records).particle_count, 1'000'000U);
        else EXPECT_THROW(static_cast<void>(choose_centres(rule, records)), std::invalid_argument);
    }
}

}  // namespace
}  // namespace mpcflow::test

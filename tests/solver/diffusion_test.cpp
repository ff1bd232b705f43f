/// Diffusion of tracers: against the particles themselves, the same bits whatever executes the run, and over
/// restarts.

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "physics/observables/diffusion.hpp"
#include "tests/solver/same_bits.hpp"
#include "tests/support/observing.hpp"
#include "tests/support/solvers.hpp"

namespace mpcflow::test {
namespace {

class DiffusionOf : public SolverTest {
protected:
    static System flow() {
        System system;
        system.seed = 12;
        system.box.size = {4, 5, 6};
        system.fluid = {3.0, 0.5, 2.0};
        system.collision.time_step = 0.4;
        system.thermostat.kind = ThermostatKind::maxwell_boltzmann;
        system.boundaries.faces[2] = {FaceKind::no_slip, FaceKind::no_slip};
        system.force = {0.05, 0.0, 0.0};
        return system;
    }
};

TEST_P(DiffusionOf, displacements_and_velocities_are_those_of_the_particles) {
    const System system = flow();  // 360 particles
    for (const std::int64_t tracers : {1, 7, 120, 1000}) {
        SCOPED_TRACE(testing::Message() << tracers << " tracers");
        const auto solver = make(system);
        DiffusionObservable observable(system, {3, tracers}, 10);
        std::vector<ParticleSnapshot> states;
        for (int sample = 0; sample < 50; ++sample) {
            run_and_sample(*solver, observable, 13 + 3 * sample);
            solver->copy_particles(states.emplace_back());
        }
        const ObservableResults results = observable.results();
        const auto stride = static_cast<std::size_t>(attribute<std::int64_t>(results, "every_nth_id"));
        const std::array<std::size_t, 4> strides{360, 52, 3, 1};
        EXPECT_EQ(stride, strides[tracers == 1 ? 0 : tracers == 7 ? 1 : tracers == 120 ? 2 : 3]);
        const std::size_t count = (360 + stride - 1) / stride;
        EXPECT_EQ(attribute<std::int64_t>(results, "tracers"), static_cast<std::int64_t>(count));
        const auto& lags = numbers<std::int64_t>(results, "lag");
        // 50 samples: the lags 0 ... 15, 16 ... 30, 32 ... 44.
        ASSERT_EQ(lags.size(), 16U + 8U + 4U);
        EXPECT_EQ(lags.back(), 3 * 44);
        for (std::size_t i = 0; i < lags.size(); ++i) {
            const auto lag = static_cast<std::size_t>(lags[i] / 3);
            const std::size_t every = i < 16 ? 1 : i < 24 ? 2 : 4;
            std::array<double, 3> squares{}, products{};
            double pairs = 0.0;
            // Of a level every second sample of the one before, as far as it is followed by another.
            for (std::size_t t = lag; t + every <= states.size(); t += every, pairs += 1.0) {
                const ParticleSnapshot& from = states[t - lag];
                const ParticleSnapshot& to = states[t];
                for (std::size_t at = 0; at < 3 * 360; ++at) {
                    if (at / 3 % stride != 0) continue;
                    const double moved = to.position[at] - from.position[at] +
                                         (to.image[at] - from.image[at]) * system.box.size[at % 3];
                    squares[at % 3] += moved * moved;
                    products[at % 3] += from.velocity[at] * to.velocity[at];
                }
            }
            EXPECT_EQ(static_cast<double>(numbers<std::int64_t>(results, "pairs")[i]), pairs);
            double square = 0.0, product = 0.0;
            for (std::size_t axis = 0; axis < 3; ++axis) {
                const double n = pairs * static_cast<double>(count);
                square += squares[axis] / n;
                product += products[axis] / n;
                // Paths of up to 30, squared, with rounding errors of 1e-16 of them each time.
                EXPECT_NEAR(numbers(results, "mean_square_displacement_xyz")[3 * i + axis], squares[axis] / n,
                            1e-11);
                EXPECT_NEAR(numbers(results, "velocity_autocorrelation_xyz")[3 * i + axis],
                            products[axis] / n, 1e-13);
            }
            EXPECT_NEAR(numbers(results, "mean_square_displacement")[i], square, 1e-11);
            EXPECT_NEAR(numbers(results, "velocity_autocorrelation")[i], product, 1e-13);
            EXPECT_DOUBLE_EQ(numbers(results, "time")[i], 0.4 * static_cast<double>(lags[i]));
        }
    }
}

TEST_P(DiffusionOf, the_same_bits_whatever_executes_it) {
    const System system = flow();
    for (const Precision precision : {Precision::double_precision, Precision::mixed}) {
        const auto reference = make_solver(SolverKind::host, system, {precision});
        DiffusionObservable expected(system, {2, 100}, 0);
        run_and_sample(*reference, expected, 60);
        for (const SolverOptions& way : ways_to_execute(GetParam(), precision)) {
            SCOPED_TRACE(describe(way));
            const auto solver = make(system, way);
            DiffusionObservable observable(system, {2, 100}, 0);
            run_and_sample(*solver, observable, 60);
            EXPECT_EQ(bits_of(observable.state().numbers<double>("values")),
                      bits_of(expected.state().numbers<double>("values")));
        }
    }
}

TEST_P(DiffusionOf, goes_on_after_a_restart_with_the_same_bits) {
    const System system = flow();
    const auto unbroken = make(system);
    DiffusionObservable expected(system, {3, 90}, 5);
    run_and_sample(*unbroken, expected, 100);
    const auto first = make(system);
    DiffusionObservable begun(system, {3, 90}, 5);
    run_and_sample(*first, begun, 52);
    ParticleSnapshot state;
    first->copy_particles(state);
    const auto second = make(system);
    second->restore(state, first->fast_steps());
    DiffusionObservable observable(system, {3, 90}, 5);
    EXPECT_EQ(observable.restore(begun.state()), "");
    run_and_sample(*second, observable, 100);
    EXPECT_EQ(observable.samples(), expected.samples());
    for (const char* name :
         {"mean_square_displacement", "velocity_autocorrelation_error", "diffusion_by_velocity"})
        EXPECT_EQ(bits_of(numbers(observable.results(), name)), bits_of(numbers(expected.results(), name)));
    // With other tracers it begins anew.
    DiffusionObservable other(system, {3, 70}, 5);
    EXPECT_EQ(other.restore(begun.state()), "every_nth_id was 4, is 6");
    EXPECT_EQ(other.samples(), 0);
}

MPCFLOW_ON_EVERY_SOLVER(DiffusionOf);

TEST(Diffusion, needs_an_axis_that_is_free) {
    System system;
    system.box.size = {3, 3, 3};
    for (AxisFaces& faces : system.boundaries.faces) faces = {FaceKind::no_slip, FaceKind::no_slip};
    const auto solver = make_solver(SolverKind::host, system);
    DiffusionObservable observable(system, {1, 270}, 0);
    const auto is_unknown = [&] { return std::isnan(attribute<double>(observable.results(), "diffusion")); };
    EXPECT_TRUE(is_unknown()) << "no sample";
    run_and_sample(*solver, observable, 1);
    EXPECT_TRUE(is_unknown()) << "one sample";
    run_and_sample(*solver, observable, 100);
    EXPECT_TRUE(is_unknown()) << "walls all around";
    EXPECT_EQ(attribute<std::string>(observable.results(), "free_axes"), "");
    EXPECT_GT(numbers(observable.results(), "mean_square_displacement")[15], 0.1);
}

TEST(Diffusion, its_bytes_are_foreseen) {
    System system;
    system.box.size = {4, 4, 4};
    const auto solver = make_solver(SolverKind::host, system);
    DiffusionObservable observable(system, {5, 100}, 10);
    const std::int64_t expected = observable.bytes(110);
    run_and_sample(*solver, observable, 110);
    const std::int64_t found = bytes_of(observable.state().arrays);
    EXPECT_LE(found, expected);
    EXPECT_GT(2 * found, expected);
    for (const std::int64_t last : {0, 14, 15, 85, 110}) {
        DiffusionObservable some(system, {5, 100}, 10);
        run_and_sample(*make_solver(SolverKind::host, system), some, last);
        EXPECT_EQ(some.result_bytes(last), bytes_of(some.results().arrays)) << last;
    }
}

}  // namespace
}  // namespace mpcflow::test

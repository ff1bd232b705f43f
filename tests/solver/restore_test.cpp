/// Solvers that go on from a snapshot: bit for bit as if they had never stopped, whatever runs them.

#include <limits>
#include <stdexcept>
#include <utility>

#include <gtest/gtest.h>

#include "physics/snapshot.hpp"
#include "tests/solver/same_bits.hpp"
#include "tests/support/solvers.hpp"

namespace mpcflow::test {
namespace {

struct RestoreCase {
    const char* name;
    System system;
};

System flow(bool conserves_angular_momentum, bool has_walls) {
    System system;
    system.seed = 77;
    system.box.size = {6, 5, 4};
    system.fluid.density = 7.0;
    // Fast enough that some steps are counted as fast, and not all.
    system.collision.time_step = 0.24;
    system.collision.conserve_angular_momentum = conserves_angular_momentum;
    system.thermostat.kind = ThermostatKind::maxwell_boltzmann;
    system.force = {0.01, 0.0, 0.0};
    if (has_walls) system.boundaries.faces[2] = {FaceKind::no_slip, FaceKind::no_slip};
    return system;
}

class Restore : public SolverTest {
protected:
    static std::vector<RestoreCase> cases() {
        return {{"srd, periodic", flow(false, false)},
                {"srd, walls", flow(false, true)},
                {"srd+a, periodic", flow(true, false)},
                {"srd+a, walls", flow(true, true)}};
    }
    static void run_and_sample(Solver& solver, int steps) {
        for (int i = 0; i < steps; ++i) {
            solver.run(1);
            if (solver.current_step() % 2 == 0) solver.measure<FieldsRule>().sample();
        }
    }
};

TEST_P(Restore, gives_the_run_that_never_stopped) {
    constexpr int before = 17;
    constexpr int after = 14;
    for (const RestoreCase& the_case : cases()) {
        for (const Precision precision : {Precision::double_precision, Precision::mixed}) {
            SCOPED_TRACE(std::string(the_case.name) +
                         (precision == Precision::mixed ? ", mixed" : ", double"));
            SolverOptions options{precision};
            options.bins = {2, 1, 4};
            const auto whole = make(the_case.system, options);
            run_and_sample(*whole, before);
            ParticleSnapshot snapshot;
            whole->copy_particles(snapshot);
            const std::int64_t fast_steps = whole->fast_steps();
            const std::uint64_t hash = whole->state_hash();
            const FieldBlock open = whole->measure<FieldsRule>().take();
            whole->measure<FieldsRule>().put(open);
            run_and_sample(*whole, after);
            const Report expected = report_of(*whole);
            EXPECT_GT(fast_steps, 0);
            EXPECT_LT(fast_steps, before);
            EXPECT_EQ(snapshot_hash(snapshot, precision), hash);

            for (SolverOptions way : ways_to_execute(GetParam(), precision)) {
                SCOPED_TRACE(describe(way));
                way.bins = options.bins;
                const auto solver = make(the_case.system, way);
                // What the solver did before must leave nothing behind.
                run_and_sample(*solver, 3);
                solver->restore(snapshot, fast_steps);
                EXPECT_EQ(solver->current_step(), before);
                EXPECT_EQ(solver->fast_steps(), fast_steps);
                EXPECT_EQ(solver->state_hash(), hash);
                solver->measure<FieldsRule>().put(open);
                run_and_sample(*solver, after);
                expect_same_bits(report_of(*solver), expected);
            }
        }
    }
}

TEST_P(Restore, crosses_from_solver_to_solver) {
    const System system = flow(true, true);
    for (const Precision precision : {Precision::double_precision, Precision::mixed}) {
        const auto host = make_solver(SolverKind::host, system, {precision});
        host->run(9);
        ParticleSnapshot snapshot;
        host->copy_particles(snapshot);
        const auto solver = make(system, {precision});
        solver->restore(snapshot, host->fast_steps());
        solver->run(11);
        solver->copy_particles(snapshot);
        const auto back = make_solver(SolverKind::host, system, {precision});
        back->restore(snapshot, solver->fast_steps());
        back->run(5);
        host->run(16);
        EXPECT_EQ(back->state_hash(), host->state_hash());
        EXPECT_EQ(back->fast_steps(), host->fast_steps());
    }
}

TEST_P(Restore, of_the_start_is_the_start) {
    const System system = flow(false, true);
    const auto solver = make(system);
    ParticleSnapshot start;
    solver->copy_particles(start);
    const auto expected = make(system);
    expected->run(10);
    solver->run(4);
    solver->restore(start, 0);
    solver->run(10);
    EXPECT_EQ(solver->state_hash(), expected->state_hash());
    EXPECT_EQ(solver->fast_steps(), expected->fast_steps());
}

TEST_P(Restore, refuses_what_is_no_state_of_the_system) {
    const System system = flow(false, false);
    const auto solver = make(system);
    ParticleSnapshot good;
    solver->copy_particles(good);
    const std::uint64_t hash = solver->state_hash();
    const auto refused = [&](auto change) {
        ParticleSnapshot bad = good;
        change(bad);
        EXPECT_THROW(solver->restore(bad, 0), std::invalid_argument);
    };
    refused([](ParticleSnapshot& s) { s.step = -1; });
    refused([](ParticleSnapshot& s) { s.id.pop_back(); });
    refused([](ParticleSnapshot& s) { s.velocity.push_back(0.0); });
    refused([](ParticleSnapshot& s) { std::swap(s.id[3], s.id[4]); });
    refused([](ParticleSnapshot& s) { s.position[7] = -0.001; });
    refused([](ParticleSnapshot& s) { s.position[8] = 4.001; });
    refused([](ParticleSnapshot& s) { s.position[9] = std::numeric_limits<double>::quiet_NaN(); });
    refused([](ParticleSnapshot& s) { s.velocity[9] = std::numeric_limits<double>::infinity(); });
    EXPECT_EQ(solver->state_hash(), hash) << "nothing was changed";
    EXPECT_THROW(solver->measure<FieldsRule>().put(make_field_block({5})), std::invalid_argument);
}

MPCFLOW_ON_EVERY_SOLVER(Restore);

}  // namespace
}  // namespace mpcflow::test

/// Solvers of domains, called alike, measure what the solver of the whole box does, to the last bit.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "physics/domain/domain_solver.hpp"
#include "physics/domain/in_process.hpp"
#include "physics/errors.hpp"
#include "physics/particle_source.hpp"
#include "tests/ranks/every_nth.hpp"
#include "tests/ranks/measured.hpp"
#include "tests/solver/golden_cases.hpp"

namespace mpcflow::test {
namespace {

/// Calls function(solver, number) in every domain.
template <class Function>
void in_domains(const System& system, const Cut& cut, const SolverOptions& options,
                const Function& function) {
    InProcess(cut.count()).run([&](int number, Exchange& exchange) {
        const auto solver = make_domain_solver(system, options, cut, exchange);
        function(*solver, number);
    });
}

class DomainSolvers : public testing::TestWithParam<Case> {};

TEST_P(DomainSolvers, measure_what_the_whole_box_has) {
    const Case& c = GetParam();
    static int turn = 0;
    static const std::vector<Cut> cuts{{{2, 1, 1}}, {{1, 3, 1}}, {{1, 1, 5}, 2}, {{2, 2, 1}}, {{2, 1, 3}}};
    const Cut& cut = cuts[static_cast<std::size_t>(turn++) % cuts.size()];
    SCOPED_TRACE(testing::PrintToString(cut.domains));
    SolverOptions options = options_with_fields(c.precision);
    options.threads = 1;
    const auto whole = make_host_solver(c.whole_system(), options);
    whole->run(9);
    ParticleRecords centres = some_of(*whole);
    const std::vector<std::uint64_t> expected = measured(*whole, centres);
    ParticleSnapshot all, some;
    whole->copy_particles(all);
    whole->copy_selection({Region{{1.0, 2.0, 0.0}, {9.0, 8.5, 11.0}}, 3}, some);

    options.threads = 1 + turn % 2;
    in_domains(c.whole_system(), cut, options, [&](Solver& solver, int number) {
        solver.run(4);
        solver.run(5);
        EXPECT_EQ(measured(solver, centres), expected) << "in domain " << number;
        ParticleSnapshot found;
        solver.copy_particles(found);
        if (number == 0) EXPECT_TRUE(have_same_bits(found, all));
        else EXPECT_EQ(found.id.size(), 0u);
        solver.copy_selection({Region{{1.0, 2.0, 0.0}, {9.0, 8.5, 11.0}}, 3}, found);
        if (number == 0) EXPECT_TRUE(have_same_bits(found, some));
    });
}

INSTANTIATE_TEST_SUITE_P(of, DomainSolvers, testing::ValuesIn(all_cases()),
                         [](const auto& chosen) { return chosen.param.name; });

TEST(DomainSolvers, go_on_from_the_snapshot_of_domain_0) {
    const System system = small_system();
    const SolverOptions options = options_with_fields(Precision::double_precision);
    const auto whole = make_host_solver(system, options);
    whole->run(11);
    ParticleSnapshot start;
    whole->copy_particles(start);
    start.velocity[3 * 17] = 25.0;  // fast, in one domain alone
    whole->restore(start, 3);
    whole->run(7);
    ParticleRecords centres = some_of(*whole);
    const std::vector<std::uint64_t> expected = measured(*whole, centres);
    for (const Cut& cut : {Cut{{3, 1, 1}}, Cut{{1, 2, 2}}}) {
        in_domains(
            system, cut, options,
            [&](Solver& solver, int number) {
                solver.run(2);  // of another run
                solver.measure<FieldsRule>().sample();
                if (number == 0) solver.restore(start, 3);
                else solver.restore({}, 0);
                solver.run(7);
                EXPECT_EQ(measured(solver, centres), expected) << "in domain " << number;
            });
    }
}

TEST(DomainSolvers, bring_more_than_one_piece_of_particles) {
    System system;
    system.box.size = {20, 20, 20};
    system.fluid.density = 20.0;  // five pieces from each of two domains
    const auto whole = make_host_solver(system, {});
    ParticleSnapshot all;
    whole->copy_particles(all);
    const std::uint64_t hash = whole->state_hash();
    in_domains(system, {{2, 1, 1}}, {}, [&](Solver& solver, int number) {
        ParticleSnapshot found;
        solver.copy_particles(found);
        if (number == 0) EXPECT_TRUE(have_same_bits(found, all));
        solver.restore(all, 0);
        EXPECT_EQ(solver.state_hash(), hash);
    });
}

TEST(DomainSolvers, go_on_from_particles_that_each_of_them_brings) {
    System system;
    system.box.size = {16, 16, 16};
    system.fluid.density = 20.0;  // more than a piece from each
    const auto whole = make_host_solver(system, {});
    whole->run(3);
    const std::uint64_t hash = whole->state_hash();
    ParticleSnapshot all;
    whole->copy_particles(all);
    in_domains(system, {{1, 2, 1}}, {}, [&](Solver& solver, int number) {
        const ParticleSnapshot own = every_nth(all, number, 2);
        SnapshotSource source(own);
        solver.restore_from(source, number == 0 ? 3 : 99, 0);
        EXPECT_EQ(solver.current_step(), 3);
        EXPECT_EQ(solver.state_hash(), hash);
        ParticleRecords records;
        solver.copy_own(records);
        EXPECT_GT(records.count(), 0);
        EXPECT_LT(records.count(), system.particle_count());
    });
    SnapshotSource source(all);
    const auto again = make_host_solver(system, {});
    again->restore_from(source, 3, 0);
    EXPECT_EQ(again->state_hash(), hash);
}

TEST(DomainSolvers, refuse_alike_what_are_not_all_particles_each_once) {
    const System system = small_system();
    ParticleSnapshot good;
    make_host_solver(system, {})->copy_particles(good);
    const auto refused = [&](const auto& spoil) {
        ParticleSnapshot bad = good;
        spoil(bad);
        in_domains(
            system, {{1, 1, 2}}, {},
            [&](Solver& solver, int number) {
                const ParticleSnapshot own = every_nth(bad, number, 2);
                SnapshotSource source(own);
                EXPECT_THROW(solver.restore_from(source, 0, 0), std::invalid_argument);
            });
        SnapshotSource source(bad);
        EXPECT_THROW(make_host_solver(system, {})->restore_from(source, 0, 0), std::invalid_argument);
    };
    refused([](ParticleSnapshot& all) { all.id[4] = 5; });
    refused([](ParticleSnapshot& all) { all.id[4] = std::ssize(all.id); });
    refused([](ParticleSnapshot& all) { all.id[4] = -1; });
    refused([](ParticleSnapshot& all) { all.position[7] = 1e6; });
    refused([](ParticleSnapshot& all) { all.velocity[7] = std::nan(""); });
    refused([](ParticleSnapshot& all) { all.id.pop_back(); });
}

std::set<std::string> faults_of(const System& system, const Cut& cut, const SolverOptions& options,
                                const auto& run) {
    std::set<std::string> faults;
    std::mutex mutex;
    in_domains(system, cut, options, [&](Solver& solver, int number) {
        std::string fault = "none";
        try {
            run(solver, number);
        } catch (const SimulationFault& error) {
            fault = error.what();
        }
        const std::lock_guard lock(mutex);
        faults.insert(fault);
    });
    return faults;
}

TEST(DomainSolvers, all_have_the_fault_of_one) {
    const System system = small_system();
    const auto whole = make_host_solver(system, {});
    ParticleSnapshot start;
    whole->copy_particles(start);
    start.velocity[3 * 17] = 100.0;
    const auto faults = faults_of(system, {{2, 1, 2}}, {}, [&](Solver& solver, int) {
        solver.restore(start, 0);
        solver.run(1);
    });
    ASSERT_EQ(faults.size(), 1u);
    EXPECT_NE(faults.begin()->find("a particle was faster than 32"), std::string::npos) << *faults.begin();
}

/// All particles in one bin, which lies in two domains.
TEST(DomainSolvers, all_have_the_fault_of_a_bin) {
    System system;
    system.box.size = {40, 2, 2};
    SolverOptions options;
    options.bins = {20, 1, 1};
    const auto whole = make_host_solver(system, options);
    ParticleSnapshot start;
    whole->copy_particles(start);
    for (std::size_t i = 0; i < start.id.size(); ++i)
        start.position[3 * i] = 2.0 + start.position[3 * i] / 40.0;
    const auto faults = faults_of(system, {{2, 2, 1}}, options, [&](Solver& solver, int) {
        solver.restore(start, 0);
        solver.measure<FieldsRule>().sample();
    });
    ASSERT_EQ(faults.size(), 1u);
    EXPECT_NE(faults.begin()->find("a field bin held more than"), std::string::npos) << *faults.begin();
}

TEST(DomainSolvers, need_less_than_the_whole_box) {
    System system;
    system.box.size = {64, 64, 64};
    SolverOptions options;
    options.threads = 1;
    const std::int64_t whole = host_solver_needs(system, options).bytes;
    const DomainNeeds needs = domain_solver_needs(system, options, {{2, 2, 2}}, 0);
    EXPECT_LT(needs.host.bytes, whole / 5);
    EXPECT_GT(needs.host.bytes, whole / 8);
    // Of sums of 6 numbers at the most: two layers, of both domains, on each of six sides, and the edges.
    EXPECT_GT(needs.bytes_of_sums, 6 * 2 * 32 * 32 * 40);
    EXPECT_LT(needs.bytes_of_sums, 6 * 2 * 36 * 36 * 48 * 2);
    EXPECT_THROW(static_cast<void>(domain_solver_needs(system, options, {{65, 1, 1}}, 0)),
                 std::invalid_argument);
    InProcess(2).run([&](int, Exchange& exchange) {
        EXPECT_THROW(static_cast<void>(make_domain_solver(system, options, {{3, 1, 1}}, exchange)),
                     std::invalid_argument);
    });
}

}  // namespace
}  // namespace mpcflow::test

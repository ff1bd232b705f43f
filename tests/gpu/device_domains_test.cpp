/// Domains on a card, all of them on the first one, measure what the host solver of the whole box does, to
/// the last bit.

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "gpu/device_solver.hpp"
#include "physics/domain/in_process.hpp"
#include "physics/errors.hpp"
#include "physics/particle_records.hpp"
#include "physics/particle_source.hpp"
#include "tests/gpu/device_domains.hpp"
#include "tests/ranks/every_nth.hpp"
#include "tests/ranks/measured.hpp"
#include "tests/solver/golden_cases.hpp"
#include "tests/solver/random_systems.hpp"
#include "tests/support/solvers.hpp"

namespace mpcflow::test {
namespace {

class DeviceDomainsOf : public testing::TestWithParam<Case> {
protected:
    void SetUp() override { skip_without(SolverKind::device); }
};

TEST_P(DeviceDomainsOf, measure_what_the_whole_box_has) {
    const Case& c = GetParam();
    static const std::vector<Cut> cuts{{{2, 1, 1}},    {{1, 3, 1}, 2}, {{1, 1, 5}, 3}, {{2, 2, 1}},
                                       {{2, 1, 3}, 2}, {{2, 2, 2}},    {{1, 1, 2}, 3}};
    const std::size_t number_of_case = number_of(c);
    const Cut& cut = cuts[number_of_case % cuts.size()];
    SCOPED_TRACE(testing::PrintToString(cut.domains) + ", halo " + std::to_string(cut.halo));
    SolverOptions options = options_with_fields(c.precision);
    options.threads = 2;
    const auto whole = make_host_solver(c.whole_system(), options);
    whole->run(9);
    ParticleRecords centres = some_of(*whole);
    const std::vector<std::uint64_t> expected = measured(*whole, centres);
    const Selection selection{Region{{1.0, 2.0, 0.0}, {9.0, 8.5, 11.0}}, 3};
    ParticleSnapshot all, some;
    whole->copy_particles(all);
    whole->copy_selection(selection, some);

    options.reorder = std::array{0, 1, 4}[number_of_case % 3];
    in_domains(c.whole_system(), cut, options, [&](Solver& solver, int number) {
        solver.run(4);
        solver.run(5);
        EXPECT_EQ(measured(solver, centres), expected) << "in domain " << number;
        ParticleSnapshot found;
        solver.copy_particles(found);
        if (number == 0) EXPECT_TRUE(have_same_bits(found, all));
        else EXPECT_EQ(found.id.size(), 0u);
        solver.copy_selection(selection, found);
        if (number == 0) EXPECT_TRUE(have_same_bits(found, some));
        solver.run(steps - 9);
        EXPECT_EQ(solver.state_hash(), golden_hash(c.name)) << "in domain " << number;
    });
}

INSTANTIATE_TEST_SUITE_P(all, DeviceDomainsOf, testing::ValuesIn(all_cases()),
                         [](const auto& chosen) { return chosen.param.name; });

TEST_F(DeviceDomains, go_on_from_the_snapshot_of_domain_0) {
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
    for (const Cut& cut : {Cut{{3, 1, 1}}, Cut{{1, 2, 2}, 2}}) {
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

TEST_F(DeviceDomains, go_on_from_particles_that_each_of_them_brings) {
    const System system = small_system();
    const auto whole = make_host_solver(system, {});
    whole->run(3);
    const std::uint64_t hash = whole->state_hash();
    ParticleSnapshot all;
    whole->copy_particles(all);
    std::vector<std::int64_t> found(all.id.size());
    std::mutex mutex;
    in_domains(system, {{1, 2, 1}}, {}, [&](Solver& solver, int number) {
        const ParticleSnapshot own = every_nth(all, number, 2);
        SnapshotSource source(own);
        solver.restore_from(source, number == 0 ? 3 : 99, 0);
        EXPECT_EQ(solver.current_step(), 3);
        EXPECT_EQ(solver.state_hash(), hash);
        ParticleRecords records;
        solver.copy_own(records);
        std::vector<std::int64_t> ids(static_cast<std::size_t>(records.count()));
        copy_ids(records, 0, ids.size(), ids.data());
        const std::lock_guard lock(mutex);
        for (const std::int64_t id : ids) ++found[static_cast<std::size_t>(id)];
    });
    EXPECT_EQ(found, std::vector<std::int64_t>(all.id.size(), 1)) << "each in one domain";
}

TEST_F(DeviceDomains, refuse_alike_what_are_not_all_particles) {
    const System system = small_system();
    ParticleSnapshot bad;
    make_host_solver(system, {})->copy_particles(bad);
    bad.id[4] = 5;
    in_domains(system, {{1, 1, 2}}, {}, [&](Solver& solver, int number) {
        const ParticleSnapshot own = every_nth(bad, number, 2);
        SnapshotSource source(own);
        EXPECT_THROW(solver.restore_from(source, 0, 0), std::invalid_argument);
    });
}

/// All particles begin in one domain of four, whose memory must grow, and spread from there; between walls
/// its list of those left over, too.
TEST_F(DeviceDomains, take_more_than_there_was_room_for) {
    System system = small_system();
    for (const FaceKind along_y : {FaceKind::periodic, FaceKind::no_slip}) {
        system.boundaries.faces[1] = {along_y, along_y};
        const auto whole = make_host_solver(system, {});
        ParticleSnapshot start;
        whole->copy_particles(start);
        for (std::size_t i = 0; i < start.id.size(); ++i)
            start.position[3 * i + 2] = 0.25 + start.position[3 * i + 2] / 6.0;
        whole->restore(start, 0);
        whole->run(60);
        const std::uint64_t expected = whole->state_hash();
        in_domains(system, {{1, 1, 4}}, {}, [&](Solver& solver, int) {
            solver.restore(start, 0);
            solver.run(60);
            EXPECT_EQ(solver.state_hash(), expected);
        });
    }
}

/// What comes of a system: some of the random ones break down.
struct Outcome {
    Report report;
    std::string fault;
};

Outcome outcome_of(Solver& solver) {
    try {
        for (const int part : {7, 5}) {
            solver.run(part);
            solver.measure<FieldsRule>().sample();
        }
        return {report_of(solver), ""};
    } catch (const SimulationFault& fault) {
        return {{}, fault.what()};
    }
}

TEST_F(DeviceDomains, have_the_bits_of_random_systems) {
    int whole = 0;
    Dice dice(20261125);
    for (int number = 0; number < 40; ++number) {
        System system = random_system(dice);
        while (system.masses() != Masses::equal) system = random_system(dice);
        SolverOptions options;
        options.precision = dice.one_in(2) ? Precision::mixed : Precision::double_precision;
        options.bins = random_bins(dice, system.box);
        options.pressure = PressureFields::sampled;
        options.threads = 1;
        options.reorder = dice.among<int>({0, 1, 3, 5});
        Cut cut{{1, 1, 1}, 1 + dice.below(3)};
        for (int axis = 0; axis < 3; ++axis)
            cut.domains[axis] = 1 + dice.below(std::min(system.box.size[axis], 2));
        SCOPED_TRACE("system " + std::to_string(number) + ": " + in_words(system) + "; in " +
                     testing::PrintToString(cut.domains) + ", halo " + std::to_string(cut.halo));
        const Outcome expected = outcome_of(*make_host_solver(system, options));
        whole += expected.fault.empty() ? 1 : 0;
        in_domains(system, cut, options, [&](Solver& solver, int domain) {
            Outcome found = outcome_of(solver);
            EXPECT_EQ(found.fault, expected.fault);
            if (domain != 0) found.report.snapshot = expected.report.snapshot;  // domain 0 alone has it
            if (expected.fault.empty()) expect_same_bits(found.report, expected.report);
        });
        ASSERT_FALSE(HasFailure());
    }
    EXPECT_GT(whole, 35);
}

TEST_F(DeviceDomains, all_have_the_fault_of_one) {
    const System system = small_system();
    const auto whole = make_host_solver(system, {});
    ParticleSnapshot start;
    whole->copy_particles(start);
    start.velocity[3 * 17] = 100.0;
    const auto faults = faults_of(system, {{2, 1, 2}}, {}, [&](Solver& solver) {
        solver.restore(start, 0);
        solver.run(1);
    });
    ASSERT_EQ(faults.size(), 1u);
    EXPECT_NE(faults.begin()->find("a particle was faster than 32"), std::string::npos) << *faults.begin();
}

/// All particles in one bin, which lies in two domains.
TEST_F(DeviceDomains, all_have_the_fault_of_a_bin) {
    System system;
    system.box.size = {40, 2, 2};
    SolverOptions options;
    options.bins = {20, 1, 1};
    const auto whole = make_host_solver(system, options);
    ParticleSnapshot start;
    whole->copy_particles(start);
    for (std::size_t i = 0; i < start.id.size(); ++i)
        start.position[3 * i] = 2.0 + start.position[3 * i] / 40.0;
    const auto faults = faults_of(system, {{2, 2, 1}}, options, [&](Solver& solver) {
        solver.restore(start, 0);
        solver.measure<FieldsRule>().sample();
        static_cast<void>(solver.measure<FieldsRule>().take());
    });
    ASSERT_EQ(faults.size(), 1u);
    EXPECT_NE(faults.begin()->find("a field bin held more than"), std::string::npos) << *faults.begin();
}

TEST_F(DeviceDomains, refuse_what_they_cannot_do) {
    InProcess(2).run([&](int, Exchange& exchange) {
        SolverOptions options;
        EXPECT_THROW(
            static_cast<void>(make_device_domain_solver(small_system(), options, {{3, 1, 1}}, exchange, 0)),
            std::invalid_argument);
        options.summation = Summation::peers;
        EXPECT_THROW(
            static_cast<void>(make_device_domain_solver(small_system(), options, {{2, 1, 1}}, exchange, 0)),
            EnvironmentError);
    });
}

}  // namespace
}  // namespace mpcflow::test

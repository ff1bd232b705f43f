/// DESIGN rule "the same bits everywhere": whatever executes a run, its state hash is the golden one, and
/// totals, fields and snapshots are the same bits too.

#include <array>
#include <cinttypes>
#include <cstddef>
#include <cstdio>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/solver/golden_cases.hpp"
#include "tests/solver/same_bits.hpp"
#include "tests/support/solvers.hpp"

namespace mpcflow::test {
namespace {

class SameBits : public testing::TestWithParam<std::tuple<SolverKind, Case>> {
protected:
    void SetUp() override { skip_without(kind()); }
    [[nodiscard]] static SolverKind kind() { return std::get<0>(GetParam()); }
    [[nodiscard]] static const Case& the_case() { return std::get<1>(GetParam()); }
    [[nodiscard]] static SolverOptions options() {
        SolverOptions options;
        options.precision = the_case().precision;
        options.bins = {1, 3, 11};
        options.pressure = PressureFields::sampled;
        return options;
    }
    static void expect_golden_hash_of_ways(std::size_t first, std::size_t every) {
        const std::vector<SolverOptions> ways = ways_to_execute(kind(), the_case().precision);
        for (std::size_t i = first % ways.size(); i < ways.size(); i += every) {
            const auto solver = make_solver(kind(), the_case().whole_system(), ways[i]);
            solver->run(steps);
            EXPECT_EQ(solver->state_hash(), golden_hash(the_case().name)) << describe(ways[i]);
        }
    }
};

TEST_P(SameBits, state_hash_is_golden) {
    const auto solver = make_solver(kind(), the_case().whole_system(), options());
    solver->run(steps);
    const std::uint64_t hash = solver->state_hash();
    EXPECT_EQ(hash, golden_hash(the_case().name)) << "see golden_hashes.hpp";
    std::printf("    {\"%s\", 0x%016" PRIx64 "},\n", the_case().name.c_str(), hash);
}

// On the host two ways of a case, which have different threads, intervals and vector units, and of the next
// case others: six cases have all.
TEST_P(SameBits, ways_to_execute_give_the_golden_hash) {
    if (kind() == SolverKind::host) expect_golden_hash_of_ways(number_of(the_case()) % 6, 6);
    else expect_golden_hash_of_ways(0, 1);
}

TEST_P(SameBits, every_way_to_execute_gives_the_golden_hash) { expect_golden_hash_of_ways(0, 1); }

// Each case in one way, and the same law, walls or precision in others, too.
TEST_P(SameBits, runs_in_parts_give_the_golden_hash) {
    static const std::vector<std::vector<int>> ways{std::vector<int>(steps, 1), {13, 0, 27}, {39, 1}};
    const std::size_t number = number_of(the_case());
    const std::vector<int>& parts = ways[(number + number / 6) % ways.size()];
    // An interval of 7 divides none of the parts.
    SolverOptions in_parts = options();
    in_parts.reorder = 7;
    in_parts.threads = 2;
    const auto solver = make_solver(kind(), the_case().whole_system(), in_parts);
    for (const int part : parts) solver->run(part);
    EXPECT_EQ(solver->current_step(), steps);
    EXPECT_EQ(solver->state_hash(), golden_hash(the_case().name)) << parts.size() << " parts";
}

TEST_P(SameBits, asking_for_the_flux_of_momentum_changes_no_bit) {
    const auto solver = make_solver(kind(), the_case().whole_system(), options());
    constexpr int between = 4;
    static_assert(steps % between == 0);
    for (int step = 0; step < steps; step += between) {
        const MomentumFlux flux = solver->measure<FluxRule>();
        solver->measure<FieldsRule>().sample();
        EXPECT_EQ(bits_of(numbers_of(solver->measure<FluxRule>())), bits_of(numbers_of(flux))) << step;
        solver->run(between);
    }
    EXPECT_EQ(solver->state_hash(), golden_hash(the_case().name));
}

TEST_P(SameBits, totals_fields_and_snapshots_are_those_of_one_host_thread) {
    const auto run = [](Solver& solver) {
        for (int sample = 0; sample < 4; ++sample) {
            solver.run(5);
            solver.measure<FieldsRule>().sample();
        }
        return report_of(solver);
    };
    SolverOptions plain = options();
    plain.threads = 1;
    plain.reorder = 1000;
    const Report expected = run(*make_solver(SolverKind::host, the_case().whole_system(), plain));
    // Every fifth way is enough, and on the host one: threads, ways of summing and intervals all differ among
    // them, and from case to case.
    const std::vector<SolverOptions> ways = ways_to_execute(kind(), the_case().precision);
    const bool is_host = kind() == SolverKind::host;
    const std::size_t first = is_host ? number_of(the_case()) % ways.size() : 1;
    for (std::size_t i = first; i < ways.size(); i += is_host ? ways.size() : 5) {
        SolverOptions way = ways[i];
        way.bins = plain.bins;
        way.pressure = plain.pressure;
        SCOPED_TRACE(describe(way));
        expect_same_bits(run(*make_solver(kind(), the_case().whole_system(), way)), expected);
    }
}

INSTANTIATE_TEST_SUITE_P(on, SameBits,
                         testing::Combine(testing::ValuesIn(built_solvers()), testing::ValuesIn(all_cases())),
                         [](const auto& chosen) {
                             return name_of(std::get<0>(chosen.param)) + "_" + std::get<1>(chosen.param).name;
                         });

TEST(GoldenHashes, are_one_for_each_case_and_all_different) {
    std::set<std::uint64_t> hashes;
    for (const Case& c : all_cases()) {
        EXPECT_NE(golden_hash(c.name), 0U) << c.name << " is missing";
        hashes.insert(golden_hash(c.name));
    }
    EXPECT_EQ(hashes.size(), all_cases().size());
    EXPECT_EQ(golden_hashes.size(), all_cases().size());
}

class EveryParameter : public SolverTest {};

TEST_P(EveryParameter, changes_the_hash) {
    System walls = small_system();
    walls.boundaries.faces[2] = {FaceKind::no_slip, FaceKind::no_slip};
    const std::vector<std::function<void(System&)>> changes{
        [](System&) {},
        [](System& s) { ++s.seed; },
        [](System& s) { s.seed += std::uint64_t{1} << 40U; },
        [](System& s) { s.collision.angle = 129.999; },
        [](System& s) { s.collision.time_step = 0.1000001; },
        [](System& s) { s.collision.random_shift = false; },
        [](System& s) { s.collision.conserve_angular_momentum = true; },
        [](System& s) { s.thermostat.kind = ThermostatKind::maxwell_boltzmann; },
        [](System& s) { s.collision.rule = CollisionRule::at; },
        [](System& s) { s.collision = {.rule = CollisionRule::at, .conserve_angular_momentum = true}; },
        [](System& s) { s.boundaries.virtual_particles = false; },
        [](System& s) { s.boundaries.faces[2] = {}; },
        [](System& s) { s.boundaries.faces[0] = s.boundaries.faces[2]; },
        [](System& s) { s.boundaries.faces[2].lower.velocity[0] = 1e-6; },
        [](System& s) { s.boundaries.faces[2].upper.velocity[1] = 1e-6; },
        [](System& s) { s.boundaries.faces[2].lower.temperature = 1.0001; },
        [](System& s) { s.boundaries.faces[2].lower = FaceKind::slip; },
        [](System& s) { s.force[0] = 1e-6; },
        [](System& s) { s.force[1] = 1e-6; },
        [](System& s) { s.force[2] = 1e-6; },
        [](System& s) { s.fluid.density = 10.01; },
        [](System& s) { s.fluid.temperature = 1.0001; },
        [](System& s) { s.fluid.mass = 1.0001; },
        [](System& s) {
            s.box.size = {12, 13, 11};
        },
    };
    std::set<std::uint64_t> hashes;
    for (const auto& change : changes) {
        System system = walls;
        change(system);
        const auto solver = make(system);
        solver->run(3);
        hashes.insert(solver->state_hash());
    }
    EXPECT_EQ(hashes.size(), changes.size());
}

MPCFLOW_ON_EVERY_SOLVER(EveryParameter);

TEST(Gpu, is_there_where_it_is_required) {
    // In a build without CUDA no other test would notice.
    if (gpu_is_required()) EXPECT_EQ(why_not(SolverKind::device), "");
}

}  // namespace
}  // namespace mpcflow::test

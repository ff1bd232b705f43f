/// A box that is stepped as several domains has the same bits as in one piece.

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "physics/collision/laws.hpp"
#include "physics/domain/border.hpp"
#include "physics/domain/deep_cells.hpp"
#include "physics/domain/domain_solver.hpp"
#include "physics/domain/in_process.hpp"
#include "physics/errors.hpp"
#include "physics/particle_records.hpp"
#include "physics/snapshot.hpp"
#include "tests/solver/golden_cases.hpp"
#include "tests/solver/same_bits.hpp"
#include "tests/support/solvers.hpp"
#include "tests/support/systems.hpp"

namespace mpcflow::test {
namespace {

/// A run in domains: `parts` steps one after the other, from `start` or, without, from the beginning.
struct DomainRun {
    System system;
    Precision precision = Precision::double_precision;
    Cut cut;
    std::vector<int> parts{steps};
    int threads = 1;
    int reorder = 7;
    const ParticleSnapshot* start = nullptr;
};

/// What a solver says of the state, as bits; all domains call it alike.
std::vector<std::uint64_t> said_by(Solver& solver) {
    std::vector<std::uint64_t> all{solver.state_hash(), static_cast<std::uint64_t>(solver.current_step()),
                                   static_cast<std::uint64_t>(solver.fast_steps())};
    for (const auto& numbers :
         {numbers_of(solver.measure<TotalsRule>()), numbers_of(solver.measure<FluxRule>())})
        for (const std::uint64_t bits : bits_of(numbers)) all.push_back(bits);
    const auto cells = solver.measure<OccupancyBins>(Histograms(Histograms::most_bins - 1, 1, 1.0));
    all.insert(all.end(), cells.begin(), cells.end());
    return all;
}

/// In the end.
struct Outcome {
    std::set<std::vector<std::uint64_t>> said;  ///< once, if all domains say the same
    std::int64_t particles = 0;                 ///< of all domains together
    ParticleSnapshot snapshot;

    [[nodiscard]] std::uint64_t hash() const { return said.size() == 1 ? said.begin()->front() : 0; }
};

Outcome run_domains(const DomainRun& run) {
    Outcome all;
    std::mutex mutex;
    SolverOptions options;
    options.precision = run.precision;
    options.threads = run.threads;
    options.reorder = run.reorder;
    InProcess(run.cut.count()).run([&](int number, Exchange& exchange) {
        const auto solver = make_domain_solver(run.system, options, run.cut, exchange);
        if (run.start != nullptr) solver->restore(number == 0 ? *run.start : ParticleSnapshot{}, 0);
        for (const int part : run.parts) solver->run(part);
        std::vector<std::uint64_t> said = said_by(*solver);
        ParticleSnapshot snapshot;
        solver->copy_particles(snapshot);
        ParticleRecords own;
        solver->copy_own(own);
        const std::lock_guard lock(mutex);
        all.said.insert(std::move(said));
        all.particles += own.count();
        if (number == 0) all.snapshot = std::move(snapshot);
    });
    return all;
}

std::unique_ptr<Solver> whole_box(const System& system, Precision precision, int count) {
    SolverOptions options;
    options.precision = precision;
    auto solver = make_solver(SolverKind::host, system, options);
    solver->run(count);
    return solver;
}

/// The outcome is that of a solver of the whole box, to the last bit.
void expect_same(const Outcome& found, const System& system, Solver& expected) {
    EXPECT_EQ(found.said, std::set{said_by(expected)});
    EXPECT_EQ(found.particles, system.particle_count());
    ParticleSnapshot snapshot;
    expected.copy_particles(snapshot);
    EXPECT_EQ(found.snapshot.id, snapshot.id);
    EXPECT_TRUE(bits_of(found.snapshot.position) == bits_of(snapshot.position));
    EXPECT_TRUE(bits_of(found.snapshot.velocity) == bits_of(snapshot.velocity));
    EXPECT_EQ(found.snapshot.image, snapshot.image);
}

class Domains : public testing::TestWithParam<Case> {
protected:
    /// In `count` of the cuts, of a case other ones than of the next.
    static void expect_golden_hash(std::size_t count) {
        const Case& c = GetParam();
        // The box is 13 x 12 x 11: hardly a cut divides it.
        const std::vector<Cut> cuts{{{2, 1, 1}}, {{1, 1, 3}}, {{2, 2, 2}}, {{1, 5, 1}, 2}, {{4, 1, 3}, 3}};
        const std::size_t number = number_of(c);
        for (std::size_t i = 0; i < count; ++i) {
            const Cut& cut = cuts[(2 * number + i) % cuts.size()];
            const int variant = cut.count() % 3;
            const Outcome outcome = run_domains(
                {c.whole_system(), c.precision, cut, {13, 0, 27}, 1 + variant % 2, 1 + 3 * variant});
            EXPECT_EQ(outcome.hash(), golden_hash(c.name)) << testing::PrintToString(cut.domains);
        }
    }
};

// One cut of each case: the border is the same code for all laws and faces, and each of these meets every cut
// in one case or another.
TEST_P(Domains, have_the_golden_hash) { expect_golden_hash(1); }

TEST_P(Domains, have_the_golden_hash_in_every_cut) { expect_golden_hash(5); }

TEST_P(Domains, add_up_to_the_whole_box) {
    const Precision precision = GetParam().precision;
    const System system = GetParam().whole_system();
    expect_same(run_domains({system, precision, {{2, 2, 2}}, {9}}), system, *whole_box(system, precision, 9));
}

INSTANTIATE_TEST_SUITE_P(of, Domains, testing::ValuesIn(cases_of_one_species()),
                         [](const auto& chosen) { return chosen.param.name; });

// Many fly over several domains in a step; the halo need not hold them.
TEST(FlightsOverDomains, change_no_bit) {
    for (const bool walls : {false, true}) {
        System system = small_system();
        system.collision = {.time_step = 2.5, .conserve_angular_momentum = true};
        if (walls) system.boundaries.faces[1] = {FaceKind::no_slip, {FaceKind::no_slip, {0.3, 0.0, 0.0}}};
        const auto expected = whole_box(system, Precision::double_precision, 10);
        EXPECT_GT(expected->fast_steps(), 0);
        for (const Cut& cut : {Cut{{13, 1, 1}}, Cut{{1, 12, 1}}, Cut{{3, 2, 5}}})
            expect_same(run_domains({system, Precision::double_precision, cut, {10}}), system, *expected);
    }
}

TEST(OddDomains, have_the_same_bits) {
    struct Odd {
        std::array<int, 3> size;
        double density;
        Cut cut;
    };
    for (const auto& [size, density, cut] :
         {Odd{{1, 1, 2}, 1.0, {{1, 1, 2}}}, Odd{{2, 2, 2}, 10.0, {{2, 2, 2}}},
          Odd{{3, 1, 2}, 10.0, {{3, 1, 2}}}, Odd{{300, 1, 1}, 3.0, {{20, 1, 1}}},
          Odd{{2, 2, 2}, 0.01, {{2, 1, 2}}}, Odd{{4, 4, 4}, 1.0 / 64.0, {{2, 2, 1}}},
          Odd{{9, 8, 7}, 0.05, {{2, 3, 1}, 5}}}) {
        for (const FaceKind kind : {FaceKind::periodic, FaceKind::no_slip}) {
            System system;
            system.box.size = size;
            system.fluid.density = density;
            system.boundaries.faces.fill({kind, kind});
            SCOPED_TRACE(testing::PrintToString(size) + " in " + testing::PrintToString(cut.domains));
            expect_same(run_domains({system, Precision::mixed, cut, {30}, 3}), system,
                        *whole_box(system, Precision::mixed, 30));
        }
    }
}

// Boxes so long that domains have cells which nothing comes to from elsewhere, and begin a step with them.
TEST(DeepDomains, change_no_bit) {
    struct Deep {
        std::array<int, 3> size;
        Cut cut;
    };
    for (const auto& [size, cut] :
         {Deep{{6, 7, 41}, {{1, 1, 2}}}, Deep{{9, 37, 8}, {{1, 2, 1}}}, Deep{{150, 5, 4}, {{1, 1, 1}}},
          Deep{{300, 4, 3}, {{2, 1, 1}}}, Deep{{8, 30, 31}, {{1, 2, 2}}}}) {
        int threads = cut.domains[1] == 1 ? 1 : 3;
        for (const LawInfo& law : all_laws) {
            System system = fluid_at_rest(size, 5.0, 0.1, 9);
            law.choose(system.collision);
            system.thermostat.kind =
                law.energy == Energy::thermal ? ThermostatKind::none : ThermostatKind::maxwell_boltzmann;
            system.boundaries.faces[1] = {FaceKind::no_slip, FaceKind::no_slip};
            SCOPED_TRACE(testing::PrintToString(size) + ", " + std::string(law.name));
            expect_same(run_domains({system, Precision::double_precision, cut, {1, 14, 0, 8}, threads}),
                        system, *whole_box(system, Precision::double_precision, 23));
            threads = 4 - threads;
        }
    }
}

TEST(DeepCells, are_where_nothing_from_elsewhere_comes) {
    System system = fluid_at_rest({6, 5, 40}, 5.0, 0.1, 9);
    const Cut cut{{1, 1, 2}};
    const DomainGrid<double> grid(system, 0, cut, 1);
    const std::vector<bool> is_deep = deep_cells(grid, 6);
    ASSERT_EQ(std::ssize(is_deep), 6 * 5 * 22);
    // Own layers are 1 to 20 of the grid, of which 6 on either side are not deep.
    for (int cell = 0; cell < 6 * 5 * 22; ++cell)
        EXPECT_EQ(is_deep[cell], cell / 30 >= 7 && cell / 30 < 15) << cell;

    const auto are = [](const std::vector<CellRange>& ranges, const std::vector<CellRange>& expected) {
        return std::ranges::equal(ranges, expected, [](const CellRange& a, const CellRange& b) {
            return a.first == b.first && a.count == b.count;
        });
    };
    const CellRuns whole = cell_runs({0, 660}, is_deep, 240);
    EXPECT_TRUE(are(whole.deep, {{210, 240}}));
    EXPECT_TRUE(are(whole.others, {{0, 210}, {450, 210}}));
    const CellRuns part = cell_runs({100, 200}, is_deep, 90);
    EXPECT_TRUE(are(part.deep, {{210, 90}}));
    EXPECT_TRUE(are(part.others, {{100, 110}}));
    // Too few to begin with.
    const CellRuns few = cell_runs({100, 200}, is_deep, 91);
    EXPECT_TRUE(are(few.deep, {}));
    EXPECT_TRUE(are(few.others, {{100, 200}}));
    const CellRuns none = cell_runs({660, 0}, is_deep, 1);
    EXPECT_TRUE(none.deep.empty() && none.others.empty());
}

TEST(Domains, go_on_from_a_state_in_another_cut) {
    for (const Precision precision : {Precision::double_precision, Precision::mixed}) {
        const System system = small_system();
        Outcome first = run_domains({system, precision, {{3, 1, 2}}, {13}});
        const auto expected = whole_box(system, precision, 13);
        EXPECT_EQ(first.hash(), expected->state_hash());
        first.snapshot.velocity[3 * 17] = 25.0;  // fast, in one domain alone
        expected->restore(first.snapshot, 0);
        expected->run(7);
        EXPECT_GT(expected->fast_steps(), 0);
        expect_same(run_domains({system, precision, {{1, 2, 1}}, {7}, 2, 5, &first.snapshot}), system,
                    *expected);
    }
}

std::string fault_of(const auto& run) {
    try {
        run();
    } catch (const SimulationFault& fault) {
        return fault.what();
    }
    return "none";
}

TEST(FaultOfADomain, ends_all_with_the_message_of_the_whole_box) {
    for (const auto& box : {std::pair{std::array{13, 12, 11}, Cut{{2, 1, 1}}},
                            {{13, 12, 11}, {{2, 2, 2}}},
                            {{300, 1, 1}, {{50, 1, 1}}}}) {
        const Cut& cut = box.second;
        System system = small_system();
        system.box.size = box.first;
        const auto solver = whole_box(system, Precision::double_precision, 0);
        ParticleSnapshot start;
        solver->copy_particles(start);
        for (const double velocity : {100.0, -1000.0}) {
            start.velocity[3 * 17] = velocity;
            solver->restore(start, 0);
            const std::string expected = fault_of([&] { solver->run(1); });
            EXPECT_NE(expected.find("a particle was faster than 32"), std::string::npos) << expected;
            const std::string found = fault_of([&] {
                static_cast<void>(
                    run_domains({system, Precision::double_precision, cut, {1, 1}, 1, 7, &start}));
            });
            EXPECT_EQ(found, expected);
        }
    }
}

TEST(Border, knows_those_within_a_flight) {
    System system;
    system.box.size = {1000, 1, 1};
    const auto neighbours = [&](int number) {
        std::vector<int> found;
        InProcess(1).run([&](int, Exchange& exchange) {
            found = Border<double>(system, {{50, 1, 1}}, number, exchange).neighbours();
        });
        return found;
    };
    EXPECT_EQ(neighbours(0), (std::vector{1, 49}));
    EXPECT_EQ(neighbours(49), (std::vector{0, 48}));
    system.collision.time_step = 1.0;  // 32 cells at the greatest speed
    EXPECT_EQ(neighbours(10), (std::vector{8, 9, 11, 12}));
    system.boundaries.faces[0] = {FaceKind::no_slip, FaceKind::no_slip};
    EXPECT_EQ(neighbours(0), (std::vector{1, 2}));
}

TEST(InProcess, ends_all_where_one_ends) {
    const auto run = [](const auto& end) {
        InProcess(3).run([&](int number, Exchange& exchange) {
            if (number == 1) return end();
            static_cast<void>(exchange.trade(std::vector{1}, std::vector<Message>(1)));
        });
    };
    EXPECT_THROW(run([] { throw std::logic_error("one"); }), std::logic_error);
    EXPECT_THROW(run([] {}), std::runtime_error);
}

TEST(Cut, shares_out_every_cell_once) {
    const Box box{{13, 4, 7}};
    const Cut parts{{5, 1, 3}};
    std::vector<int> owners(static_cast<std::size_t>(box.volume()), 0);
    for (int number = 0; number < parts.count(); ++number) {
        const auto [origin, extent] = cut(box, parts, number);
        for (int axis = 0; axis < 3; ++axis)
            EXPECT_LE(std::abs(extent[axis] * parts.domains[axis] - box.size[axis]), 4);
        for (int z = origin[2]; z < origin[2] + extent[2]; ++z) {
            for (int y = origin[1]; y < origin[1] + extent[1]; ++y)
                for (int x = origin[0]; x < origin[0] + extent[0]; ++x) ++owners[x + 13 * (y + 4 * z)];
        }
    }
    EXPECT_EQ(owners, std::vector<int>(owners.size(), 1));
    EXPECT_THROW(static_cast<void>(cut(box, {{1, 5, 1}}, 0)), std::invalid_argument);
}

}  // namespace
}  // namespace mpcflow::test

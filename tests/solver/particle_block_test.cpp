/// Particles are taken through a step in blocks, of which a thread's first and last one may not be full. The
/// solver's particles are those of a loop that takes them one by one, whatever their number.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

#include "physics/cell_draws.hpp"
#include "physics/collision/laws.hpp"
#include "physics/names.hpp"
#include "physics/observables/totals.hpp"
#include "physics/snapshot.hpp"
#include "physics/step.hpp"
#include "tests/physics/surface_cases.hpp"
#include "tests/support/solvers.hpp"

namespace mpcflow::test {
namespace {

constexpr int steps_of_blocks = 25;

constexpr std::array<std::string_view, 3> all_boundaries{"none", "walls", "surfaces"};

/// Fast particles in a small box, so that in most blocks some come to a face.
System system_of(const LawInfo& law, std::string_view boundaries, std::int64_t particles) {
    System system;
    system.seed = 17;
    system.box.size = {3, 4, 3};
    system.fluid.density = static_cast<double>(particles) / static_cast<double>(system.box.volume());
    system.collision.time_step = 0.4;
    law.choose(system.collision);
    if (boundaries == "walls") {
        system.boundaries.faces[1] = {{FaceKind::no_slip, {0.1, 0.0, 0.0}}, {FaceKind::slip}};
        system.force = {0.01, 0.0, 0.0};
    } else if (boundaries == "surfaces") {
        system =
            with_surfaces(system, {sphere({1.5, 2.0, 1.2}, 0.7, FluidSide::outside),
                                   cylinder(0, {0.0, 0.0, 0.0}, 0.5, FluidSide::outside, FaceKind::thermal)});
        system.fluid.density = static_cast<double>(particles) / system.fluid_volume();
        system.forces.add({.shape = ForceShape::sine, .amplitude = {0.05, 0.0, 0.1}, .along = 1});
        system.forces.add({.shape = ForceShape::gravity, .amplitude = {0.0, 0.1, 0.0}, .period = 9});
    }
    return system;
}

/// The state hash after `steps_of_blocks` steps from the particles of `solver`, which are at its start.
template <class Law>
std::uint64_t hash_one_by_one(const Law& law, const System& system, Solver& solver) {
    using Particle = ParticleOf<typename Law::Real, Law::masses>;
    ParticleRecords records;
    solver.copy_particles(records);
    std::vector<Particle> particles;
    records.visit([&](const auto& some) {
        if constexpr (std::is_same_v<std::remove_cvref_t<decltype(some[0])>, Particle>)
            particles.assign(some.begin(), some.end());
    });

    StepPlan<Law> plan(law, system);
    const auto cells = static_cast<std::size_t>(plan.next_grid.cell_count());
    std::vector<typename Law::Draw> drawn(cells);
    const CellDraws<Law> draws(drawn.data());
    std::vector<typename Law::Sums> sums(cells);
    std::vector<CellAction<Law>> actions(cells);
    std::uint32_t faults = no_fault;
    const auto contribute = [&](const Particle& particle) {
        const auto place = plan.next_grid.locate(particle.position);
        const auto draw = draws.next(place.cell, [](const auto* it) { return *it; });
        sums[static_cast<std::size_t>(place.cell)] += plan.contribute(particle, place, draw);
    };
    for (std::size_t c = 0; c < cells; ++c) draws.begin(plan, static_cast<int>(c));
    for (const Particle& particle : particles) contribute(particle);
    for (std::uint64_t step = 0; step < steps_of_blocks; ++step) {
        plan.begin_step(system, step);
        for (std::size_t c = 0; c < cells; ++c) {
            const int cell = static_cast<int>(c);
            actions[c].set_draw(draws.present(plan, cell));
            draws.begin(plan, cell);
            actions[c].transform = plan.resolve(cell, sums[c], actions[c].draw(), faults);
            sums[c] = {};
        }
        for (Particle& particle : particles) {
            const auto place = plan.grid.locate(particle.position);
            plan.collide_and_stream(particle, place, actions[static_cast<std::size_t>(place.cell)], faults);
            contribute(particle);
        }
    }
    EXPECT_EQ(faults & ~notice_fast, 0U);
    std::uint64_t hash = 0;
    for (const Particle& particle : particles) hash += particle_hash(particle);
    return hash;
}

class ParticleBlocks : public testing::TestWithParam<std::string_view> {};

TEST_P(ParticleBlocks, of_any_fullness_do_what_a_loop_over_particles_does) {
    const LawInfo& law = *std::ranges::find(all_laws, GetParam(), &LawInfo::name);
    for (const std::string_view boundaries : all_boundaries) {
        for (const std::int64_t particles : {1, 31, 32, 33, 64, 65, 333}) {
            const System system = system_of(law, boundaries, particles);
            ASSERT_EQ(system.particle_count(), particles);
            for (const auto& named : names_of(Precision{})) {
                const Precision precision = named.value;
                const auto expected_of = [&]<class Real>() {
                    return visit_law<Real>(system, [&](const auto& the_law) {
                        return hash_one_by_one(the_law, system, *make_host_solver(system, {precision}));
                    });
                };
                const std::uint64_t expected = precision == Precision::mixed
                                                   ? expected_of.template operator()<float>()
                                                   : expected_of.template operator()<double>();
                for (const SolverOptions& way : ways_to_execute(SolverKind::host, precision)) {
                    const auto solver = make_host_solver(system, way);
                    solver->run(steps_of_blocks);
                    EXPECT_EQ(solver->state_hash(), expected)
                        << particles << " particles, " << boundaries << ", " << describe(way);
                }
            }
        }
    }
}

INSTANTIATE_TEST_SUITE_P(of, ParticleBlocks, testing::ValuesIn([] {
                             std::vector<std::string_view> names;
                             for (const LawInfo& law : all_laws) names.push_back(law.name);
                             return names;
                         }()),
                         [](const auto& law) {
                             std::string name(law.param);
                             std::ranges::replace(name, '+', '_');
                             return name;
                         });

class FastSteps : public SolverTest {};

// Of 40 particles with |v| > 1 / h = 3.3 there is one in every third step or so. Those that leave the box in
// such a step count, too: it is two cells thick.
TEST_P(FastSteps, are_those_in_which_a_particle_flies_more_than_a_cell) {
    System system;
    system.seed = 5;
    system.box.size = {2, 4, 5};
    system.fluid.density = 1.0;
    system.collision.time_step = 0.3;
    const auto solver = make(system, {});
    std::int64_t expected = 0;
    constexpr int steps = 200;
    for (int step = 0; step < steps; ++step) {
        solver->run(1);
        ParticleSnapshot snapshot;
        solver->copy_particles(snapshot);
        bool is_fast = false;
        for (std::size_t i = 0; i < snapshot.id.size(); ++i) {
            double squared = 0.0;
            for (std::size_t a = 0; a < 3; ++a)
                squared += snapshot.velocity[3 * i + a] * snapshot.velocity[3 * i + a];
            is_fast = is_fast || squared > 1.0 / (0.3 * 0.3);
        }
        expected += is_fast ? 1 : 0;
        ASSERT_EQ(solver->fast_steps(), expected) << step;
    }
    EXPECT_GT(expected, steps / 10);
    EXPECT_LT(expected, steps - steps / 10);
}

MPCFLOW_ON_EVERY_SOLVER(FastSteps);

}  // namespace
}  // namespace mpcflow::test

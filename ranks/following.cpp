#include "ranks/following.hpp"

#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <type_traits>
#include <vector>

#include "physics/errors.hpp"
#include "physics/particle_records.hpp"
#include "physics/solver.hpp"
#include "ranks/commands.hpp"
#include "ranks/timed_run.hpp"

namespace mpcflow {

namespace {

/// Rank 0 alone needs what is measured; the others take part.
template <class Rule>
void measure_as(Solver& solver, CommandReader& command, Ranks& ranks) {
    if constexpr (std::is_same_v<Rule, PairCentres>) {
        const auto rule = command.take<PairRule>();
        const auto centres = take_from_rank_0<PairCentre>(ranks);
        static_cast<void>(solver.measure(PairCentres(rule, centres)));
    } else {
        static_cast<void>(solver.measure(command.take<Rule>()));
    }
}

template <class... All>
void measure(Solver& solver, CommandReader& command, Ranks& ranks, RuleList<All...>) {
    const auto number = command.take<std::int32_t>();
    std::int32_t i = 0;
    ((number == i++ ? measure_as<All>(solver, command, ranks) : void()), ...);
}

class Follower {
public:
    Follower(Ranks& ranks, const DomainMaker& make, const Errands& errands)
        : ranks_(ranks), make_(make), errands_(errands) {}

    /// False where the solver is released.
    [[nodiscard]] bool do_next() {
        const Message message = ranks_.await();
        CommandReader command(message);
        const auto call = command.take<Call>();
        if (call == Call::release) return false;
        try {
            obey(call, command);
        } catch (const SimulationFault&) {
            // All have the same, and rank 0 says so.
            return true;
        }
        return true;
    }

private:
    void obey(Call call, CommandReader& command) {
        switch (call) {
            case Call::make: return make();
            case Call::run: return run_timed(*solver_, command.take<std::int64_t>(), ranks_, times_);
            case Call::state_hash: return static_cast<void>(solver_->state_hash());
            case Call::copy_particles: return solver_->copy_particles(records_);
            case Call::copy_selection: return solver_->copy_selection(command.take<Selection>(), records_);
            case Call::restore: return restore(std::make_unique<NoParticles>());
            case Call::restore_shares: return restore(errands_.open(take_message_from_rank_0(ranks_)));
            case Call::save_own: return save_own();
            case Call::measure: return measure(*solver_, command, ranks_, Rules{});
            case Call::sample: return fields().sample();
            case Call::take: return static_cast<void>(fields().take());
            case Call::put: return put(command.take<std::int64_t>());
            case Call::report: return static_cast<void>(ranks_.share(message_of(std::span(&times_, 1))));
            case Call::release: return;
        }
    }

    void make() {
        solver_ = make_(ranks_);
        auto bytes = static_cast<std::uint64_t>(solver_->memory_bytes());
        ranks_.add_up(std::span(&bytes, 1));
    }

    void restore(const std::unique_ptr<ParticleSource>& particles) {
        try {
            solver_->restore_from(*particles, 0, 0);
        } catch (const std::invalid_argument&) {
            // All find the same, and rank 0 says so.
            return;
        }
    }

    void save_own() {
        const Message order = take_message_from_rank_0(ranks_);
        solver_->copy_own(records_);
        static_cast<void>(ranks_.share(errands_.save(order, records_)));
    }

    void put(std::int64_t samples) {
        FieldBlock block;
        block.samples = samples;
        block.bins = take_from_rank_0<FieldSums>(ranks_);
        block.pressure = take_from_rank_0<PressureSums>(ranks_);
        fields().put(block);
    }

    [[nodiscard]] FieldSampler& fields() { return solver_->measure<FieldsRule>(); }

    Ranks& ranks_;
    const DomainMaker& make_;
    const Errands& errands_;
    std::unique_ptr<Solver> solver_;
    ParticleRecords records_;
    RankTimes times_;
};

}  // namespace

void follow(Ranks& ranks, const DomainMaker& make, const Errands& errands) {
    Follower follower(ranks, make, errands);
    while (follower.do_next()) continue;
}

}  // namespace mpcflow

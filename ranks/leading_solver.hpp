#pragma once
/// The solver that rank 0 has of all ranks: each call goes to the domains of all of them.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "physics/domain/cut.hpp"
#include "physics/solver.hpp"
#include "ranks/commands.hpp"
#include "ranks/domain_maker.hpp"
#include "ranks/ranks.hpp"

namespace mpcflow {

/// To whoever has it, on rank 0, it is as a solver of the whole box: runs, files and observables need not
/// know that there are others. Those meanwhile are in follow() (ranks/following.hpp), with solvers of the
/// same system and cut.
class LeadingSolver final : public MeasuringSolver<LeadingSolver>, private FieldSampler {
public:
    /// `make` makes the solver of this rank's domain, of the cut. `ranks` must outlive it.
    LeadingSolver(Ranks& ranks, const Cut& cut, const DomainMaker& make);
    ~LeadingSolver() override;

    [[nodiscard]] const System& system() const override { return own_->system(); }
    void run(std::int64_t count) override;
    [[nodiscard]] std::int64_t current_step() const override { return own_->current_step(); }
    [[nodiscard]] std::int64_t fast_steps() const override { return own_->fast_steps(); }
    [[nodiscard]] std::uint64_t state_hash() override;
    void copy_particles(ParticleRecords& records) override;
    void copy_selection(const Selection& selection, ParticleRecords& records) override;
    void restore(const ParticleSnapshot& snapshot, std::int64_t fast_steps) override;
    void restore_from(ParticleSource& particles, std::int64_t step, std::int64_t fast_steps) override;
    /// The same where the other ranks bring particles, too: what they open (Errands) by this order.
    void restore_shares(const Message& order, ParticleSource& own, std::int64_t step,
                        std::int64_t fast_steps);
    /// Copies this rank's own particles, and has the others save theirs (Errands) by this order; returns
    /// their answers, from rank 1 on.
    [[nodiscard]] std::vector<Message> save_own(const Message& order, ParticleRecords& own);
    [[nodiscard]] std::string device_description() const override;
    [[nodiscard]] int reorder_interval() const override { return own_->reorder_interval(); }
    [[nodiscard]] Summation summation() const override { return own_->summation(); }
    [[nodiscard]] bool is_settled() const override { return own_->is_settled(); }
    /// Of all ranks, as they were in the beginning.
    [[nodiscard]] std::int64_t memory_bytes() const override { return memory_bytes_; }

    [[nodiscard]] int ranks() const { return ranks_.count(); }
    /// Of each rank, since it began.
    [[nodiscard]] std::vector<RankTimes> times();

    template <class Rule>
    [[nodiscard]] typename Rule::Result result_of(const Rule& rule) {
        ranks_.lead(Command(Call::measure).add(number_of_rule<Rule>(Rules{})).add(rule).message());
        return own_->measure(rule);
    }
    [[nodiscard]] PairCentres::Result result_of(const PairCentres& centres);
    [[nodiscard]] FieldSampler& result_of(const FieldsRule&) { return *this; }

private:
    void sample() override;
    [[nodiscard]] FieldBlock take() override;
    void put(const FieldBlock& block) override;

    Ranks& ranks_;
    Cut cut_;
    std::unique_ptr<Solver> own_;
    std::int64_t memory_bytes_ = 0;
    RankTimes times_;
};

}  // namespace mpcflow

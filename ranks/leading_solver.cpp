#include "ranks/leading_solver.hpp"

#include <span>

#include "physics/snapshot.hpp"
#include "ranks/timed_run.hpp"

namespace mpcflow {

namespace {

void lead(Ranks& ranks, Call call) { ranks.lead(Command(call).message()); }

}  // namespace

LeadingSolver::LeadingSolver(Ranks& ranks, const Cut& cut, const DomainMaker& make)
    : ranks_(ranks), cut_(cut) {
    lead(ranks_, Call::make);
    own_ = make(ranks_);
    auto bytes = static_cast<std::uint64_t>(own_->memory_bytes());
    ranks_.add_up(std::span(&bytes, 1));
    memory_bytes_ = static_cast<std::int64_t>(bytes);
}

LeadingSolver::~LeadingSolver() {
    try {
        lead(ranks_, Call::release);
    } catch (...) {
        // Whoever has failed says so when the run ends.
        return;
    }
}

void LeadingSolver::run(std::int64_t count) {
    ranks_.lead(Command(Call::run).add(count).message());
    run_timed(*own_, count, ranks_, times_);
}

std::uint64_t LeadingSolver::state_hash() {
    lead(ranks_, Call::state_hash);
    return own_->state_hash();
}

void LeadingSolver::copy_particles(ParticleRecords& records) {
    lead(ranks_, Call::copy_particles);
    own_->copy_particles(records);
}

void LeadingSolver::copy_selection(const Selection& selection, ParticleRecords& records) {
    ranks_.lead(Command(Call::copy_selection).add(selection).message());
    own_->copy_selection(selection, records);
}

void LeadingSolver::restore(const ParticleSnapshot& snapshot, std::int64_t fast_steps) {
    // Before anybody waits for a particle of it.
    check_snapshot(system(), snapshot);
    lead(ranks_, Call::restore);
    own_->restore(snapshot, fast_steps);
}

void LeadingSolver::restore_from(ParticleSource& particles, std::int64_t step, std::int64_t fast_steps) {
    lead(ranks_, Call::restore);
    own_->restore_from(particles, step, fast_steps);
}

void LeadingSolver::restore_shares(const Message& order, ParticleSource& own, std::int64_t step,
                                   std::int64_t fast_steps) {
    lead(ranks_, Call::restore_shares);
    give_to_all(ranks_, std::span(order));
    own_->restore_from(own, step, fast_steps);
}

std::vector<Message> LeadingSolver::save_own(const Message& order, ParticleRecords& own) {
    lead(ranks_, Call::save_own);
    give_to_all(ranks_, std::span(order));
    own_->copy_own(own);
    std::vector<Message> answers = ranks_.share({});
    answers.erase(answers.begin());
    return answers;
}

std::string LeadingSolver::device_description() const {
    std::string domains;
    for (const int along : cut_.domains) domains += (domains.empty() ? "" : " x ") + std::to_string(along);
    return own_->device_description() + ", on each of " + std::to_string(ranks_.count()) + " ranks, " +
           domains + " domains";
}

std::vector<RankTimes> LeadingSolver::times() {
    lead(ranks_, Call::report);
    std::vector<RankTimes> all;
    for (const Message& message : ranks_.share(message_of(std::span(&times_, 1))))
        all.push_back(values_of<RankTimes>(message).at(0));
    return all;
}

PairCentres::Result LeadingSolver::result_of(const PairCentres& centres) {
    ranks_.lead(
        Command(Call::measure).add(number_of_rule<PairCentres>(Rules{})).add(centres.rule()).message());
    give_to_all(ranks_, std::span(centres.centres()));
    return own_->measure(centres);
}

void LeadingSolver::sample() {
    lead(ranks_, Call::sample);
    own_->measure(FieldsRule(system())).sample();
}

FieldBlock LeadingSolver::take() {
    lead(ranks_, Call::take);
    return own_->measure(FieldsRule(system())).take();
}

void LeadingSolver::put(const FieldBlock& block) {
    ranks_.lead(Command(Call::put).add(block.samples).message());
    give_to_all(ranks_, std::span(block.bins));
    give_to_all(ranks_, std::span(block.pressure));
    own_->measure(FieldsRule(system())).put(block);
}

}  // namespace mpcflow

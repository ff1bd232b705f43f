#include "app/verify/belonging.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "app/output/checkpoint_file.hpp"
#include "app/output/run_file.hpp"
#include "app/output/trajectory_file.hpp"

namespace mpcflow::verify {

namespace {

/// The one of this name; null if there is none.
template <class Files>
auto* find(Files& files, const std::string& name) {
    const auto at = std::ranges::find(files, name, &FileFinding::name);
    return at == files.end() ? nullptr : &*at;
}

class Conclusions {
public:
    Conclusions(const storage::Directory& directory, Found& found)
        : directory_(directory), found_(found), findings_(found.findings) {}

    void draw() {
        choose_checkpoint();
        check_ids();
        check_state_hashes();
        if (chosen_ != nullptr) check_what_is_counted_on();
        check_other_checkpoints();
        tell_of_restart();
        tell_of_repairs();
    }

private:
    void say(std::string text) { findings_.conclusions.push_back(std::move(text)); }
    /// What keeps a run from going on.
    void stop(const std::string& why) {
        is_stopped_ = true;
        say("a restart stops: " + why);
    }

    /// As a restart does: a checkpoint that is proved bad is passed over.
    void choose_checkpoint() {
        for (const char* name : {checkpoint_file_name, previous_checkpoint_name}) {
            const CheckpointFinding* const checkpoint = find(found_.checkpoints, name);
            if (checkpoint == nullptr) continue;
            has_checkpoint_ = true;
            if (checkpoint->can_be_used) {
                chosen_ = checkpoint;
                return;
            }
            if (!checkpoint->is_proved_bad) {
                return stop(checkpoint->has_checksums
                                ? fmt::format("{} cannot be used ({})", name, checkpoint->why)
                                : std::string(name) + " is of an earlier mpcflow, which goes on from it");
            }
            passed_over_ = name;
        }
        if (has_checkpoint_) stop("no checkpoint is good; run again from the start with --overwrite");
    }

    void check_ids() {
        const FileFinding* first = chosen_;
        for (const FileFinding& finding : findings_.files) {
            // Of a file that grows the header alone says so, which may be right where rows are damaged.
            if (finding.is_aside || !(finding.is_whole() || finding.grows())) continue;
            // A restart takes what has no id for another run's.
            const bool is_older = !finding.has_checksums && chosen_ != nullptr;
            if (!finding.run_id && !is_older) continue;
            if (first == nullptr) first = &finding;
            if (finding.run_id == first->run_id) continue;
            findings_.misfits.push_back(fmt::format("{} is another run's ({}) than {} ({})", finding.name,
                                                    finding.run_id.value_or("of an earlier mpcflow"),
                                                    first->name, *first->run_id));
            strangers_.insert(finding.name);
        }
        if (!strangers_.empty() && chosen_ != nullptr)
            stop("put back the files that belong together, or move those away that do not");
    }

    void check_state_hashes() {
        std::vector<const FileFinding*> states;
        const GrowingFinding* const trajectory = find(found_.growing, trajectory_file_name);
        const auto complain = [&](const FileFinding& a, const std::string& b) {
            findings_.misfits.push_back(
                fmt::format("{} and {} have different state hashes at step {}", a.name, b, *a.step));
        };
        for (const FileFinding& finding : findings_.files) {
            const bool has_state = finding.kind == FileKind::run || finding.kind == FileKind::checkpoint;
            if (!has_state || !finding.is_whole() || !finding.step || !finding.state_hash ||
                strangers_.contains(finding.name))
                continue;
            for (const FileFinding* other : states)
                if (finding.step == other->step && finding.state_hash != other->state_hash)
                    complain(finding, other->name);
            states.push_back(&finding);
            if (trajectory != nullptr && !strangers_.contains(trajectory_file_name) &&
                has_another_hash(trajectory->as_is, finding))
                complain(finding, trajectory_file_name);
        }
    }

    static bool has_another_hash(const Rows& frames, const FileFinding& state) {
        const auto end = frames.steps.begin() + frames.whole;
        const auto at = std::lower_bound(frames.steps.begin(), end, *state.step);
        return at != end && *at == *state.step &&
               frames.state_hashes[static_cast<std::size_t>(at - frames.steps.begin())] != *state.state_hash;
    }

    void check_what_is_counted_on() {
        for (const Counted& counted : chosen_->counted) {
            if (counted.rows == 0 || strangers_.contains(counted.file)) continue;
            const std::string counts = fmt::format("{} counts on {} {} of {}", chosen_->name, counted.rows,
                                                   rows_of(counted.kind), counted.file);
            const GrowingFinding* const finding = find(found_.growing, counted.file);
            if (finding == nullptr) {
                check_missing(counted, counts);
            } else if (!finding->as_is.is_readable || finding->journal == JournalState::unreadable) {
                stop(counted.file + (finding->as_is.is_readable ? "'s journal" : "") + " cannot be read");
            } else if (finding->can_begin_with(counted.rows, counted.checksum)) {
                if (!finding->as_is.begins_with(counted.rows, counted.checksum))
                    changes_.push_back(fmt::format("it rolls {} back by its journal", counted.file));
            } else {
                findings_.misfits.push_back(
                    finding->as_is.whole < counted.rows
                        ? fmt::format("{}, which has {}", counts, finding->as_is.whole)
                        : counts + ", which has others");
                changes_.push_back(
                    fmt::format("it moves {} aside, and goes on into a new one", counted.file));
            }
        }
    }

    void check_missing(const Counted& counted, const std::string& counts) {
        findings_.misfits.push_back(counts + ", which is not there");
        // A restart that was interrupted before its next checkpoint has done the one half of it.
        if (const std::string aside = find_moved_aside(directory_, counted.file, chosen_->notes);
            !aside.empty()) {
            changes_.push_back(
                fmt::format("it goes on into a new {}, as that is {} already", counted.file, aside));
            return;
        }
        stop(fmt::format("put {} back, or go on without it in another folder (--restart {} --output DIR)",
                         counted.file, directory_.file(chosen_->name)));
    }

    /// One that is not gone on from may be of before its trajectory was moved aside: that is no damage.
    void check_other_checkpoints() {
        for (const CheckpointFinding& checkpoint : found_.checkpoints) {
            FileFinding* const told = find(findings_.files, checkpoint.name);
            if (!checkpoint.can_be_used || &checkpoint == chosen_ || told == nullptr) continue;
            for (const Counted& counted : checkpoint.counted) {
                const GrowingFinding* const finding = find(found_.growing, counted.file);
                const bool has =
                    finding != nullptr && finding->can_begin_with(counted.rows, counted.checksum);
                if (counted.rows > 0 && !has) {
                    told->remarks.push_back(fmt::format("counts on {} {} that {} does not have", counted.rows,
                                                        rows_of(counted.kind), counted.file));
                }
            }
        }
    }

    void tell_of_restart() {
        const FileFinding* const run = find(findings_.files, run_file_name);
        const bool is_complete = run != nullptr && run->is_whole() && run->status == "completed";
        if (findings_.is_being_written) say("a run is writing here: what it has written so far was verified");
        if (is_complete && run->step) say(fmt::format("the run is complete, with {} steps", *run->step));
        if (findings_.is_whole()) say("every file can be read with every tool");
        if (chosen_ != nullptr && !is_stopped_) {
            findings_.restart = RestartPoint{chosen_->name, chosen_->step.value_or(0)};
            say(fmt::format("{} goes on from {}, step {}",
                            is_complete ? "a longer run (run.steps)" : "a restart",
                            findings_.restart->checkpoint, findings_.restart->step));
            if (!passed_over_.empty()) say(fmt::format("it passes {} over, and removes it", passed_over_));
            std::ranges::for_each(changes_, [&](const std::string& change) { say(change); });
        } else if (!has_checkpoint_ && !is_complete && !findings_.is_being_written) {
            say("there is no checkpoint to go on from: a run begins anew (--overwrite)");
        }
        if (run != nullptr && run->condition == Condition::damaged) {
            say(findings_.restart ? "run.h5 cannot be repaired: the restart writes it anew"
                                  : "run.h5 cannot be repaired, and there is no checkpoint from which a "
                                    "restart writes it anew");
        }
    }

    void tell_of_repairs() {
        for (const RepairStep& step : findings_.repairs) say("--repair " + describe(step, Tense::future));
        for (const FileFinding& finding : findings_.files) {
            if (finding.kind == FileKind::xdmf && !finding.is_whole())
                say(finding.name + " holds no numbers: the next run that goes on here writes it anew");
            if (finding.grows() && finding.condition == Condition::damaged && !findings_.is_being_written &&
                std::ranges::find(findings_.repairs, finding.name, &RepairStep::name) ==
                    findings_.repairs.end())
                say(finding.name + " cannot be repaired: nothing in it can be trusted");
        }
    }

    const storage::Directory& directory_;
    Found& found_;
    Findings& findings_;
    const CheckpointFinding* chosen_ = nullptr;
    bool has_checkpoint_ = false;
    bool is_stopped_ = false;
    std::string passed_over_;
    std::set<std::string> strangers_;   ///< files of another run
    std::vector<std::string> changes_;  ///< what a restart does to growing files
};

}  // namespace

void conclude(const storage::Directory& directory, Found& found) { Conclusions(directory, found).draw(); }

void conclude_file(Found& found) {
    Findings& findings = found.findings;
    for (const RepairStep& step : findings.repairs)
        findings.conclusions.push_back("--repair " + describe(step, Tense::future));
    if (findings.is_whole()) findings.conclusions.emplace_back("it can be read with every tool");
    else if (findings.repairs.empty())
        findings.conclusions.emplace_back(
            "it cannot be repaired; verify its directory to see what a restart can do");
}

std::string describe(const RepairStep& step, Tense tense) {
    const bool was = tense == Tense::past;
    const auto& [kind, name, file_kind, rows, listed, journal_stays] = step;
    switch (kind) {
        case RepairKind::roll_back:
            return fmt::format("{} {} back to {} {}, by its journal", was ? "rolled" : "rolls", name, rows,
                               rows_of(file_kind));
        case RepairKind::cut:
            return fmt::format("{} {} back to its first {} {}, of {}", was ? "cut" : "cuts", name, rows,
                               rows_of(file_kind), listed);
        case RepairKind::remove_journal:
            return fmt::format("{} {}, of which {} has no need", was ? "removed" : "removes",
                               storage::journal_name(name), name);
        case RepairKind::remove_file: break;
    }
    return fmt::format("{} {}", was ? "removed" : "removes", name);
}

}  // namespace mpcflow::verify

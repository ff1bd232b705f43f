#include "app/verify/belonging.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "app/checkpoint_file.hpp"
#include "app/run_file.hpp"
#include "app/storage/journal.hpp"
#include "app/trajectory_file.hpp"
#include "app/window_file.hpp"

namespace mpcflow::verify {

namespace {

/// What a checkpoint counts on in one file.
struct Counted {
    const char* file;
    const char* rows_name;
    std::int64_t rows;
    std::uint64_t checksum;
};

std::array<Counted, 2> counted_by(const CheckpointFinding& checkpoint) {
    return {Counted{trajectory_file_name, "frames", checkpoint.frames, checkpoint.frames_checksum},
            Counted{window_file_name, "windows", checkpoint.windows, checkpoint.windows_checksum}};
}

class Conclusions {
public:
    Conclusions(const storage::Directory& directory, Found& found)
        : directory_(directory), found_(found), findings_(found.findings) {}

    void draw() {
        choose_checkpoint();
        check_ids();
        check_state_hashes();
        if (chosen_ != nullptr)
            check_what_is_counted_on();
        check_other_checkpoints();
        tell_of_restart();
        tell_of_repairs();
    }

private:
    [[nodiscard]] const FileFinding* file(const std::string& name) const {
        const auto at = std::find_if(findings_.files.begin(), findings_.files.end(),
                                     [&](const FileFinding& finding) { return finding.name == name; });
        return at == findings_.files.end() ? nullptr : &*at;
    }
    [[nodiscard]] const GrowingFinding* growing(const std::string& name) const {
        const auto at = std::find_if(found_.growing.begin(), found_.growing.end(),
                                     [&](const GrowingFinding& finding) { return finding.file.name == name; });
        return at == found_.growing.end() ? nullptr : &*at;
    }

    void say(std::string text) { findings_.conclusions.push_back(std::move(text)); }
    /// What keeps a run from going on.
    void stop(const std::string& why) {
        is_stopped_ = true;
        say("a restart stops: " + why);
    }

    /// As a restart does: a checkpoint that is proved bad is passed over.
    void choose_checkpoint() {
        for (const char* name : {checkpoint_file_name, previous_checkpoint_name}) {
            const auto at = std::find_if(found_.checkpoints.begin(), found_.checkpoints.end(),
                                         [&](const CheckpointFinding& finding) { return finding.file.name == name; });
            if (at == found_.checkpoints.end())
                continue;
            has_checkpoint_ = true;
            if (at->can_be_used) {
                chosen_ = &*at;
                return;
            }
            if (!at->is_proved_bad) {
                stop(at->file.has_checksums ? fmt::format("{} cannot be used ({})", name, at->file.why)
                                            : std::string(name) + " is of an earlier mpcflow, which goes on from it");
                return;
            }
            passed_over_ = name;
        }
        if (has_checkpoint_)
            stop("no checkpoint is good; run again from the start with --overwrite");
    }

    void check_ids() {
        const FileFinding* first = chosen_ != nullptr ? &chosen_->file : nullptr;
        for (const FileFinding& finding : findings_.files) {
            // Of a damaged file the header may be what is wrong.
            const bool is_sure = finding.is_whole() || finding.whole_rows.value_or(0) > 0;
            if (!finding.run_id || !is_sure || finding.name.find(".damaged") != std::string::npos)
                continue;
            if (first == nullptr)
                first = &finding;
            if (*finding.run_id == *first->run_id)
                continue;
            findings_.misfits.push_back(fmt::format("{} is another run's ({}) than {} ({})", finding.name, *finding.run_id,
                                                    first->name, *first->run_id));
            strangers_.push_back(finding.name);
        }
        if (!strangers_.empty() && chosen_ != nullptr)
            stop("put back the files that belong together, or move those away that do not");
    }

    [[nodiscard]] bool is_stranger(const std::string& name) const {
        return std::find(strangers_.begin(), strangers_.end(), name) != strangers_.end();
    }

    void check_state_hashes() {
        std::vector<const FileFinding*> states;
        for (const FileFinding& finding : findings_.files) {
            const bool has_state = finding.kind == FileKind::run || finding.kind == FileKind::checkpoint;
            if (has_state && finding.is_whole() && finding.step && finding.state_hash && !is_stranger(finding.name))
                states.push_back(&finding);
        }
        const auto complain = [&](const FileFinding& a, const std::string& b) {
            findings_.misfits.push_back(fmt::format("{} and {} have different state hashes at step {}", a.name, b, *a.step));
        };
        for (std::size_t i = 0; i < states.size(); ++i) {
            for (std::size_t j = 0; j < i; ++j) {
                if (*states[i]->step == *states[j]->step && *states[i]->state_hash != *states[j]->state_hash)
                    complain(*states[i], states[j]->name);
            }
            const GrowingFinding* const trajectory = growing(trajectory_file_name);
            if (trajectory != nullptr && !is_stranger(trajectory_file_name) && has_another_hash(trajectory->as_is, *states[i]))
                complain(*states[i], trajectory_file_name);
        }
    }

    static bool has_another_hash(const Rows& frames, const FileFinding& state) {
        const auto whole = std::min(static_cast<std::size_t>(frames.whole), frames.state_hashes.size());
        for (std::size_t row = 0; row < whole; ++row) {
            if (frames.steps[row] == *state.step)
                return frames.state_hashes[row] != *state.state_hash;
        }
        return false;
    }

    void check_what_is_counted_on() {
        for (const Counted& counted : counted_by(*chosen_)) {
            if (counted.rows == 0 || is_stranger(counted.file))
                continue;
            const std::string counts = fmt::format("{} counts on {} {} of {}", chosen_->file.name, counted.rows,
                                                   counted.rows_name, counted.file);
            const GrowingFinding* const finding = growing(counted.file);
            if (finding == nullptr) {
                findings_.misfits.push_back(counts + ", which is not there");
                stop(fmt::format("put {} back, or go on without it in another folder (--restart {} --output DIR)", counted.file,
                                 directory_.file(chosen_->file.name)));
            } else if (!finding->as_is.is_readable || finding->journal == JournalState::unreadable) {
                stop(std::string(counted.file) + (finding->as_is.is_readable ? "'s journal" : "") + " cannot be read");
            } else if (finding->can_begin_with(counted.rows, counted.checksum)) {
                if (!finding->as_is.begin_with(counted.rows, counted.checksum))
                    rolled_back_.emplace_back(counted.file);
            } else {
                findings_.misfits.push_back(finding->as_is.whole < counted.rows
                                                ? fmt::format("{}, which has {}", counts, finding->as_is.whole)
                                                : counts + ", which has others");
                moved_aside_.emplace_back(counted.file);
            }
        }
    }

    /// One that is not gone on from may be of before its trajectory was moved aside: that is no damage.
    void check_other_checkpoints() {
        for (const CheckpointFinding& checkpoint : found_.checkpoints) {
            if (!checkpoint.can_be_used || &checkpoint == chosen_)
                continue;
            for (const Counted& counted : counted_by(checkpoint)) {
                const GrowingFinding* const finding = growing(counted.file);
                if (counted.rows == 0 || (finding != nullptr && finding->can_begin_with(counted.rows, counted.checksum)))
                    continue;
                for (FileFinding& told : findings_.files) {
                    if (told.name == checkpoint.file.name) {
                        told.remarks.push_back(fmt::format("counts on {} {} that {} does not have", counted.rows,
                                                           counted.rows_name, counted.file));
                    }
                }
            }
        }
    }

    void tell_of_restart() {
        const FileFinding* const run = file(run_file_name);
        const bool is_complete = run != nullptr && run->is_whole() && run->status == "completed";
        if (findings_.is_being_written)
            say("a run is writing here: what it has written so far was verified");
        if (is_complete && run->step)
            say(fmt::format("the run is complete, with {} steps", *run->step));
        if (findings_.is_whole())
            say("every file can be read with every tool");
        if (chosen_ != nullptr && !is_stopped_) {
            findings_.restart = RestartPoint{chosen_->file.name, chosen_->file.step.value_or(0)};
            const auto [name, step] = *findings_.restart;
            say(is_complete ? fmt::format("a longer run (run.steps) goes on from {}, step {}", name, step)
                            : fmt::format("a restart goes on from {}, step {}", name, step));
            tell_what_it_changes();
        } else if (!has_checkpoint_ && !is_complete && !findings_.is_being_written) {
            say("there is no checkpoint to go on from: a run begins anew (--overwrite)");
        }
        if (run != nullptr && run->condition == Condition::damaged)
            say(findings_.restart ? "run.h5 cannot be repaired: the restart writes it anew"
                                  : "run.h5 cannot be repaired, and there is no checkpoint from which a restart writes it anew");
    }

    void tell_what_it_changes() {
        if (!passed_over_.empty())
            say(fmt::format("it passes {} over, and removes it", passed_over_));
        for (const std::string& name : rolled_back_)
            say(fmt::format("it rolls {} back by its journal", name));
        for (const std::string& name : moved_aside_)
            say(fmt::format("it moves {} aside, and goes on into a new one", name));
    }

    void tell_of_repairs() {
        for (const RepairStep& step : findings_.repairs)
            say("--repair " + describe(step, Tense::future));
        for (const FileFinding& finding : findings_.files) {
            const bool grows = finding.kind == FileKind::trajectory || finding.kind == FileKind::fields;
            const bool has_plan = std::any_of(findings_.repairs.begin(), findings_.repairs.end(),
                                              [&](const RepairStep& step) { return step.name == finding.name; });
            if (finding.kind == FileKind::xdmf && !finding.is_whole())
                say(finding.name + " holds no numbers: the next run that goes on here writes it anew");
            if (grows && finding.condition == Condition::damaged && !has_plan && !findings_.is_being_written)
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
    std::vector<std::string> strangers_;
    std::vector<std::string> rolled_back_;
    std::vector<std::string> moved_aside_;
};

}  // namespace

void conclude(const storage::Directory& directory, Found& found) { Conclusions(directory, found).draw(); }

void conclude_file(Found& found) {
    Findings& findings = found.findings;
    for (const RepairStep& step : findings.repairs)
        findings.conclusions.push_back("--repair " + describe(step, Tense::future));
    if (findings.is_whole())
        findings.conclusions.emplace_back("it can be read with every tool");
    else if (findings.repairs.empty())
        findings.conclusions.emplace_back("it cannot be repaired; verify its directory to see what a restart can do");
}

std::string describe(const RepairStep& step, Tense tense) {
    const bool was = tense == Tense::past;
    const char* const rows = rows_of(step.file_kind);
    switch (step.kind) {
        case RepairKind::roll_back:
            return fmt::format("{} {} back to {} {}, by its journal", was ? "rolled" : "rolls", step.name, step.rows, rows);
        case RepairKind::cut:
            return fmt::format("{} {} back to its first {} {}, of {}", was ? "cut" : "cuts", step.name, step.rows, rows, step.listed);
        case RepairKind::remove_journal:
            return fmt::format("{} {}, of which {} has no need", was ? "removed" : "removes", storage::journal_name(step.name), step.name);
        case RepairKind::remove_file: return fmt::format("{} {}", was ? "removed" : "removes", step.name);
    }
    return {};
}

}  // namespace mpcflow::verify

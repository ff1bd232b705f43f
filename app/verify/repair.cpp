#include "app/verify/repair.hpp"

#include <optional>

#include "app/output/growing_file.hpp"
#include "app/output/trajectory_check.hpp"
#include "app/output/window_check.hpp"
#include "app/verify/belonging.hpp"
#include "app/verify/growing_check.hpp"

namespace mpcflow::verify {

namespace {

using storage::Directory;

/// A file that was rolled back may still be damaged in a row.
constexpr int most_rounds = 4;

void roll_back_by_journal(const Directory& directory, const std::string& name) {
    const std::optional<storage::JournalContents> contents = storage::read_journal(directory, name);
    if (!contents) throw FileError(directory.file(storage::journal_name(name)) + ": is gone", 0);
    const storage::Descriptor file = directory.open(name, storage::Access::read_write);
    storage::roll_back(*contents, file.get(), directory.file(name));
}

/// Under a journal of its own, which takes the file back to what it is now until what it became was verified.
void cut(const Directory& directory, const RepairStep& step) {
    GrowingFile growing = GrowingFile::open(directory, step.name, JournalUse::ignore);
    try {
        if (step.file_kind == FileKind::fields) drop_windows(growing.file(), step.rows);
        else drop_frames(growing.file(), step.rows);
        growing.file().close();
        const Rows left = check_rows_of(directory, step.name, step.file_kind);
        if (!left.is_whole() || left.whole != step.rows)
            throw FileError(
                directory.file(step.name) + ": what is left of it is damaged, too: " + left.damage, 0);
    } catch (...) {
        growing.leave(true);
        roll_back_by_journal(directory, step.name);
        throw;
    }
    growing.close();
    directory.sync();
}

void remove_journal(const Directory& directory, const std::string& name) {
    // It may be all that there is of the file after a power failure, until the file is on the disk.
    const storage::Descriptor file = directory.open(name, storage::Access::read_only);
    storage::sync_file(file.get(), directory.file(name));
    directory.remove(storage::journal_name(name));
    directory.sync();
}

void make(const Directory& directory, const RepairStep& step) {
    switch (step.kind) {
        case RepairKind::roll_back:
            roll_back_by_journal(directory, step.name);
            if (!step.journal_stays) remove_journal(directory, step.name);
            return;
        case RepairKind::cut: return cut(directory, step);
        case RepairKind::remove_journal: return remove_journal(directory, step.name);
        case RepairKind::remove_file: return directory.remove(step.name);
    }
}

}  // namespace

Repaired repair(const Target& target) {
    // Until the target is closed: no run begins here in the meantime.
    if (!target.directory.lock()) {
        throw EnvironmentError(target.directory.path() +
                               ": a run is writing to it: nothing is repaired; try again when it has ended");
    }
    Repaired repaired{{}, {}, verify(target, Holder::caller)};
    for (int round = 0; round < most_rounds && !repaired.findings.repairs.empty(); ++round) {
        const std::size_t done_before = repaired.done.size();
        for (const RepairStep& step : repaired.findings.repairs) {
            try {
                make(target.directory, step);
                repaired.done.push_back(describe(step, Tense::past));
            } catch (const FileError& error) {
                repaired.failed.emplace_back(error.what());
            }
        }
        repaired.findings = verify(target, Holder::caller);
        if (repaired.done.size() == done_before || !repaired.failed.empty()) break;
    }
    return repaired;
}

}  // namespace mpcflow::verify

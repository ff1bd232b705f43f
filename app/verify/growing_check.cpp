#include "app/verify/growing_check.hpp"

#include <limits>

#include <fmt/format.h>

#include "app/output/trajectory_check.hpp"
#include "app/output/window_check.hpp"
#include "app/verify/frame_hash.hpp"

namespace mpcflow::verify {

namespace {

/// With the state hash of frames, which their checksums do not prove.
RowReader read_frames_and_hash(const hdf5::File& file) {
    RowReader reader = read_frames(file);
    if (reader.header_is_right) reader.state_hash_of = make_frame_hash(file);
    return reader;
}

void describe_journal(FileFinding& journal, const GrowingFinding& finding) {
    const std::string& name = finding.name;
    switch (finding.journal) {
        case JournalState::belongs:
            journal.rows = journal.whole_rows = finding.as_it_was->whole;
            if (!finding.as_it_was->steps.empty()) journal.step = finding.as_it_was->steps.back();
            journal.remarks.push_back(fmt::format("takes {} back to {} {}, at the next restart", name,
                                                  finding.as_it_was->whole, rows_of(finding.kind)));
            break;
        case JournalState::never_began:
            journal.remarks.emplace_back("guards nothing: it never began, or is damaged");
            break;
        case JournalState::of_another_file:
            journal.remarks.push_back(finding.as_is.is_whole()
                                          ? "is not of " + name + " as it is now: it is not used"
                                          : "does not make " + name + " whole");
            break;
        case JournalState::none:
        case JournalState::unreadable: break;
    }
}

void check_journal(const storage::Directory& directory, GrowingFinding& finding) {
    const std::string journal_name = storage::journal_name(finding.name);
    if (!directory.has(journal_name)) return;
    FileFinding& journal =
        finding.journal_file.emplace(FileFinding{.name = journal_name, .kind = FileKind::journal});
    try {
        const auto contents = storage::read_journal(directory, finding.name);
        finding.journal = JournalState::never_began;
        if (contents && !contents->is_damaged) {
            finding.as_it_was = check_rows_of(directory, finding.name, finding.kind, contents);
            // Pages of another moment may make whole rows, but no whole file.
            const bool belongs = finding.as_it_was->is_whole() && finding.as_it_was->is_even;
            finding.journal = belongs ? JournalState::belongs : JournalState::of_another_file;
            if (!finding.as_it_was->is_even) finding.as_it_was.reset();
        }
        describe_journal(journal, finding);
        if (contents) {
            journal.remarks.push_back(fmt::format("{} pages of the first {} bytes", contents->pages.size(),
                                                  contents->guarded_bytes));
        }
    } catch (const FileError& error) {
        // No restart goes on without it, either.
        finding.journal = JournalState::unreadable;
        journal.set_damage(Condition::unreadable, error.what(), directory.file(journal_name));
    }
}

void describe(GrowingFinding& file, const std::string& path) {
    const Rows& rows = file.as_is;
    if (!rows.is_whole())
        file.set_damage(rows.is_readable ? Condition::damaged : Condition::unreadable, rows.damage, path);
    file.has_checksums = rows.has_checksums;
    if (rows.header_is_right && rows.has_checksums) file.run_id = rows.run_id;
    if (rows.is_readable) {
        file.rows = rows.listed();
        file.whole_rows = rows.whole;
    }
    if (rows.whole > 0) {
        const auto last = static_cast<std::size_t>(rows.whole - 1);
        file.step = rows.steps[last];
        if (last < rows.state_hashes.size()) file.state_hash = rows.state_hashes[last];
    }
    if (rows.is_whole() && !rows.has_checksums)
        file.remarks.emplace_back("has no checksums (of an earlier mpcflow), but all of it can be read");
    if (rows.is_whole() && !rows.is_even) {
        file.remarks.push_back(fmt::format("has part of a {} that was not finished, and does not count",
                                           file.kind == FileKind::fields ? "window" : "frame"));
    }
}

}  // namespace

Rows check_rows_of(const storage::Directory& directory, const std::string& name, FileKind kind,
                   const std::optional<storage::JournalContents>& journal) {
    Rows rows;
    try {
        const OpenRows open_rows = kind == FileKind::fields ? read_windows : read_frames_and_hash;
        const hdf5::File file = open_as_it_was(directory, name, journal);
        static_cast<RowsFound&>(rows) = check_rows(file, open_rows, std::numeric_limits<std::int64_t>::max());
    } catch (const FileError& error) {
        rows.damage = error.what();
        rows.is_readable = error.error_number == 0;
    }
    return rows;
}

GrowingFinding check_growing_file(const storage::Directory& directory, const std::string& name, FileKind kind,
                                  Writing writing) {
    GrowingFinding finding;
    finding.name = name;
    finding.kind = kind;
    finding.as_is = check_rows_of(directory, name, kind);
    if (writing == Writing::no) check_journal(directory, finding);
    describe(finding, directory.file(name));
    return finding;
}

std::optional<RepairStep> plan_repair(const GrowingFinding& finding) {
    const Rows& rows = finding.as_is;
    const std::string& name = finding.name;
    if (!rows.is_readable || finding.journal == JournalState::unreadable) return std::nullopt;
    if (rows.is_whole()) {
        // One that belongs is left to the restart, which needs it if what came after it is not on the disk.
        if (finding.journal == JournalState::never_began || finding.journal == JournalState::of_another_file)
            return RepairStep{RepairKind::remove_journal, name, finding.kind, rows.whole, rows.listed()};
        return std::nullopt;
    }
    // First of all, though it may be damaged in the same row by then: what is cut must be of one moment.
    const bool belongs = finding.journal == JournalState::belongs;
    const auto& as_it_was = finding.as_it_was;
    if (as_it_was && as_it_was->whole > 0 && (belongs || as_it_was->whole >= rows.whole))
        return RepairStep{RepairKind::roll_back, name,          finding.kind,
                          as_it_was->listed(),   rows.listed(), belongs};
    if (rows.whole > 0) return RepairStep{RepairKind::cut, name, finding.kind, rows.whole, rows.listed()};
    return std::nullopt;
}

}  // namespace mpcflow::verify

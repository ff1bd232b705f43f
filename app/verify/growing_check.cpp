#include "app/verify/growing_check.hpp"

#include <algorithm>
#include <chrono>
#include <limits>
#include <memory>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "app/growing_file.hpp"
#include "app/hdf5/error.hpp"
#include "app/hdf5/reading.hpp"
#include "app/trajectory_check.hpp"
#include "app/trajectory_file.hpp"
#include "app/verify/frame_hash.hpp"
#include "app/window_check.hpp"
#include "app/window_file.hpp"

namespace mpcflow::verify {

namespace {

using hdf5::Group;

constexpr int most_attempts = 6;
constexpr std::chrono::milliseconds between_attempts{150};

hdf5::File open_as_it_was(const storage::Directory& directory, const std::string& name,
                          const storage::JournalContents* journal) {
    const auto disk = std::make_shared<hdf5::DiskFile>(directory.open(name, storage::Access::read_only),
                                                       directory.file(name), hdf5::WriteOrder::any);
    if (journal != nullptr)
        disk->show_as_it_was(*journal);
    return hdf5::File::open(disk, storage::Access::read_only);
}

std::string group_of_particles(const Group& root) {
    const Group particles = root.open_group("particles");
    return particles.has("region") ? "/particles/region" : particles.has("all") ? "/particles/all" : "/particles/selection";
}

/// Paths of the datasets that have a row for each frame or window, the one that lists them left out.
std::vector<std::string> row_datasets(const hdf5::File& file, FileKind kind) {
    const Group root = file.root();
    std::vector<std::string> paths;
    const auto add = [&](const std::string& path) {
        const std::size_t slash = path.rfind('/');
        if (root.has(path.substr(0, slash)) && root.has(path))
            paths.push_back(path);
    };
    if (kind == FileKind::fields) {
        for (const char* name : {"checksum", "first_step", "time", "samples", "density", "velocity", "temperature", "pressure_tensor"})
            add(std::string("/fields/") + name);
        return paths;
    }
    const std::string all = group_of_particles(root);
    for (const char* name : {"checksum", "state_hash", "particles"})
        add(std::string("/parameters/mpcflow/") + name);
    for (const char* name : {"box/edges/time", "box/edges/value", "position/value", "velocity/value", "image/value", "id/value"})
        add(all + "/" + name);
    return paths;
}

bool has_no_checksums(const hdf5::File& file, FileKind kind) {
    const Group root = file.root();
    if (kind == FileKind::fields) {
        return root.read_int_attribute("format_version") == 1 && !root.has_attribute("run_id") &&
               !root.has_attribute("header_checksum") && !root.open_group("fields").has("checksum");
    }
    const Group parameters = root.open_group("parameters").open_group("mpcflow");
    return !parameters.has_attribute("format_version") && !parameters.has_attribute("run_id") &&
           !parameters.has_attribute("header_checksum") && !parameters.has("checksum");
}

/// Rows of a file of the format before: HDF5's checksums are all that there is.
RowReader read_unchecked(const hdf5::File& file, FileKind kind) {
    const Group root = file.root();
    RowReader reader;
    const std::string lists = kind == FileKind::fields ? "/fields/last_step" : group_of_particles(root) + "/box/edges/step";
    reader.steps = root.open_dataset(lists).read<std::int64_t>();
    reader.checksums.assign(reader.steps.size(), 0);
    const auto datasets = std::make_shared<std::vector<hdf5::Dataset>>();
    for (const std::string& path : row_datasets(file, kind))
        datasets->push_back(root.open_dataset(path));
    reader.checksum_of = [datasets](std::size_t row) {
        for (const hdf5::Dataset& dataset : *datasets)
            static_cast<void>(dataset.row_checksum(row));
        return std::uint64_t{0};
    };
    return reader;
}

/// Notes in `rows` what it reads, and proves the state hash of frames along with their checksums.
RowReader read_rows(const hdf5::File& file, FileKind kind, Rows& rows) {
    hdf5::read_structure(file);
    const std::string format = kind == FileKind::fields ? file.root().read_text_attribute("format") : "";
    if (kind == FileKind::fields && format != window_file_format)
        throw FileError(file.path() + ": not a fields.h5 of mpcflow", 0);
    rows.has_checksums = !has_no_checksums(file, kind);
    RowReader reader = !rows.has_checksums          ? read_unchecked(file, kind)
                       : kind == FileKind::fields ? read_windows(file)
                                                  : read_frames(file);
    rows.run_id = reader.run_id;
    rows.header_checksum = reader.header_checksum;
    rows.header_is_right = reader.actual_header == reader.header_checksum;
    rows.steps = reader.steps;
    rows.checksums = reader.checksums;
    for (const std::string& path : row_datasets(file, kind)) {
        const std::vector<hsize_t> shape = hdf5::shape_of(file, path);
        const auto length = static_cast<std::int64_t>(shape.empty() ? 0 : shape[0]);
        rows.unfinished = std::max(rows.unfinished, length - static_cast<std::int64_t>(reader.steps.size()));
    }
    if (kind == FileKind::fields)
        return reader;
    rows.state_hashes = file.root().open_dataset("/parameters/mpcflow/state_hash").read<std::uint64_t>();
    const std::shared_ptr<FrameHash> hash = make_frame_hash(file);
    if (hash == nullptr)
        return reader;
    reader.checksum_of = [hash, checksum_of = reader.checksum_of, hashes = rows.state_hashes, steps = reader.steps](std::size_t row) {
        const std::uint64_t checksum = checksum_of(row);
        if (row < hashes.size() && hash->of(row) != hashes[row])
            throw FileError(fmt::format("the particles of step {} do not have its state hash", steps[row]), 0);
        return checksum;
    };
    return reader;
}

FileFinding describe_journal(const std::string& name, const GrowingFinding& finding,
                             const std::optional<storage::JournalContents>& contents) {
    FileFinding journal;
    journal.name = storage::journal_name(name);
    journal.kind = FileKind::journal;
    const char* rows = rows_of(finding.file.kind);
    switch (finding.journal) {
        case JournalState::belongs:
            journal.rows = journal.whole_rows = finding.as_it_was->whole;
            if (!finding.as_it_was->steps.empty())
                journal.step = finding.as_it_was->steps.back();
            journal.remarks.push_back(fmt::format("takes {} back to {} {}, at the next restart", name,
                                                  finding.as_it_was->whole, rows));
            break;
        case JournalState::never_began: journal.remarks.emplace_back("guards nothing: it never began, or is damaged"); break;
        case JournalState::of_another_file:
            journal.remarks.push_back(finding.as_is.is_whole() ? "is not of " + name + " as it is now: it is not used"
                                                               : "does not make " + name + " whole");
            break;
        case JournalState::none:
        case JournalState::unreadable: break;
    }
    if (contents)
        journal.remarks.push_back(fmt::format("{} pages of the first {} bytes", contents->pages.size(), contents->guarded_bytes));
    return journal;
}

void check_journal(const storage::Directory& directory, GrowingFinding& finding) {
    const std::string& name = finding.file.name;
    try {
        const auto contents = storage::read_journal(directory, name);
        finding.journal = JournalState::never_began;
        if (contents && !contents->is_damaged) {
            finding.as_it_was = check_rows_of(directory, name, finding.file.kind, &*contents);
            finding.journal = finding.as_it_was->is_whole() ? JournalState::belongs : JournalState::of_another_file;
        }
        finding.journal_file = describe_journal(name, finding, contents);
    } catch (const FileError& error) {
        // No restart goes on without it, either.
        const std::string journal = storage::journal_name(name);
        finding.journal = JournalState::unreadable;
        finding.journal_file.emplace();
        finding.journal_file->name = journal;
        finding.journal_file->kind = FileKind::journal;
        finding.journal_file->condition = Condition::unreadable;
        finding.journal_file->why = without_path(error.what(), directory.file(journal));
    }
}

void describe(GrowingFinding& finding) {
    FileFinding& file = finding.file;
    const Rows& rows = finding.as_is;
    if (!rows.is_readable)
        file.condition = Condition::unreadable;
    else if (!rows.damage.empty())
        file.condition = Condition::damaged;
    file.why = rows.damage;
    file.has_checksums = rows.has_checksums;
    if (!rows.run_id.empty())
        file.run_id = rows.run_id;
    if (rows.is_readable) {
        file.rows = rows.listed;
        file.whole_rows = rows.whole;
    }
    if (rows.whole > 0) {
        const auto last = static_cast<std::size_t>(rows.whole - 1);
        file.step = rows.steps[last];
        if (last < rows.state_hashes.size())
            file.state_hash = rows.state_hashes[last];
    }
    if (rows.is_whole() && !rows.has_checksums)
        file.remarks.emplace_back("has no checksums (of an earlier mpcflow), but all of it can be read");
    if (rows.is_whole() && rows.unfinished > 0)
        file.remarks.push_back(std::string("has part of a ") + (file.kind == FileKind::fields ? "window" : "frame") +
                               " that was not finished, and does not count");
}

}  // namespace

bool Rows::begin_with(std::int64_t rows, std::uint64_t chained) const {
    if (!is_readable || whole < rows || static_cast<std::int64_t>(checksums.size()) < rows)
        return false;
    std::uint64_t chain = header_checksum;
    for (std::int64_t row = 0; row < rows; ++row)
        chain = chained_checksum(chain, checksums[static_cast<std::size_t>(row)]);
    return chain == chained;
}

Rows check_rows_of(const storage::Directory& directory, const std::string& name, FileKind kind,
                   const storage::JournalContents* journal) {
    Rows rows;
    try {
        const OpenRows open_rows = [&](const hdf5::File& file) { return read_rows(file, kind, rows); };
        const hdf5::File file = open_as_it_was(directory, name, journal);
        const RowsFound found = check_rows(file, open_rows, std::numeric_limits<std::int64_t>::max());
        rows.listed = found.listed;
        rows.whole = found.whole;
        rows.damage = found.damage;
    } catch (const FileError& error) {
        rows.whole = 0;
        rows.damage = error.what();
        rows.is_readable = error.error_number == 0;
    }
    rows.damage = without_path(rows.damage, directory.file(name));
    // What HDF5 says of a row does not say of which.
    const bool is_of_row = rows.is_readable && rows.whole < rows.listed && rows.header_is_right;
    if (is_of_row && !rows.damage.empty() && rows.damage.find("of step") == std::string::npos)
        rows.damage = fmt::format("the numbers of step {}: {}", rows.steps[static_cast<std::size_t>(rows.whole)], rows.damage);
    return rows;
}

GrowingFinding check_growing_file(const storage::Directory& directory, const std::string& name, FileKind kind, Writing writing) {
    GrowingFinding finding;
    finding.file.name = name;
    finding.file.kind = kind;
    finding.as_is = check_rows_of(directory, name, kind, nullptr);
    const bool has_journal = directory.has(storage::journal_name(name));
    if (writing == Writing::yes) {
        for (int attempt = 1; attempt < most_attempts && !finding.as_is.is_whole(); ++attempt) {
            std::this_thread::sleep_for(between_attempts);
            finding.as_is = check_rows_of(directory, name, kind, nullptr);
        }
        describe(finding);
        return finding;
    }
    if (has_journal)
        check_journal(directory, finding);
    describe(finding);
    return finding;
}

std::optional<RepairStep> plan_repair(const GrowingFinding& finding) {
    const Rows& rows = finding.as_is;
    const std::string& name = finding.file.name;
    const FileKind kind = finding.file.kind;
    if (!rows.is_readable || finding.journal == JournalState::unreadable)
        return std::nullopt;
    if (rows.is_whole()) {
        // One that belongs is left to the restart, which needs it if what came after it is not on the disk.
        if (finding.journal == JournalState::never_began || finding.journal == JournalState::of_another_file)
            return RepairStep{RepairKind::remove_journal, name, rows.whole, rows.listed, kind};
        return std::nullopt;
    }
    // First of all, though it may be damaged in the same row by then: what is cut must be of one moment.
    const bool belongs = finding.journal == JournalState::belongs;
    if (finding.as_it_was && finding.as_it_was->whole > 0 && (belongs || finding.as_it_was->whole >= rows.whole))
        return RepairStep{RepairKind::roll_back, name, finding.as_it_was->listed, rows.listed, kind, belongs};
    if (rows.whole > 0)
        return RepairStep{RepairKind::cut, name, rows.whole, rows.listed, kind};
    return std::nullopt;
}

}  // namespace mpcflow::verify

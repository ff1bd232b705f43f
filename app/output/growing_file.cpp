#include "app/output/growing_file.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include <fmt/format.h>

#include "app/hdf5/error.hpp"
#include "app/storage/checksum.hpp"
#include "app/storage/disk_space.hpp"

namespace mpcflow {

namespace {

std::string temporary_name(const std::string& name) { return name + ".tmp"; }

std::string aside_name(const std::string& name, int number) {
    const std::string stem = name.substr(0, name.rfind('.'));
    return number == 1 ? stem + ".damaged.h5" : fmt::format("{}.damaged-{}.h5", stem, number);
}

/// A whole file, but not of this run.
struct AnotherRunsFile : FileError {
    explicit AnotherRunsFile(const std::string& path)
        : FileError(path +
                        ": is another run's; put back the file that belongs here, or choose another "
                        "output.directory "
                        "(--output DIR)",
                    0) {}
};

}  // namespace

std::uint64_t chained_checksum(std::uint64_t rows_before, std::uint64_t row) {
    return storage::checksum({rows_before, row});
}

GrowingFile GrowingFile::create(const storage::Directory& directory, const std::string& name) {
    // One that was left by another file of this name.
    directory.remove(storage::journal_name(name));
    return {directory, name, hdf5::File::create(directory, temporary_name(name), hdf5::WriteOrder::ordered)};
}

GrowingFile GrowingFile::open(const storage::Directory& directory, const std::string& name,
                              JournalUse journal) {
    const std::string path = directory.file(name);
    storage::Descriptor descriptor = directory.open(name, storage::Access::read_write);
    if (journal == JournalUse::roll_back) {
        if (const auto contents = storage::read_journal(directory, name); contents && !contents->is_damaged)
            storage::roll_back(*contents, descriptor.get(), path);
    }
    const auto disk =
        std::make_shared<hdf5::DiskFile>(std::move(descriptor), path, hdf5::WriteOrder::ordered);
    hdf5::File file = hdf5::File::open(disk, storage::Access::read_write);
    disk->guard(std::make_unique<storage::Journal>(directory, name));
    return {directory, name, std::move(file)};
}

void GrowingFile::end_row(bool is_first_row) {
    if (is_first_row) directory_->rename(temporary_name(name_), name_);
}

void GrowingFile::reopen() {
    file_.close();
    file_.disk().sync();
    std::shared_ptr<hdf5::DiskFile> disk = file_.shared_disk();
    file_ = hdf5::File::open(std::move(disk), storage::Access::read_write);
}

void GrowingFile::sync() {
    file_.flush();
    if (file_.disk().is_guarded()) file_.disk().sync();
    else file_.disk().guard(std::make_unique<storage::Journal>(*directory_, name_));
}

void GrowingFile::close() {
    storage::release_reserve(file_.descriptor());
    file_.close();
    file_.disk().sync();
    file_.disk().close();
    directory_->remove(storage::journal_name(name_));
}

void GrowingFile::leave(bool has_rows) noexcept {
    if (has_rows) storage::release_reserve(file_.descriptor());
    file_.abandon();
    if (!has_rows) directory_->discard(temporary_name(name_));
}

hdf5::File open_as_it_was(const storage::Directory& directory, const std::string& name,
                          const std::optional<storage::JournalContents>& journal) {
    const auto disk = std::make_shared<hdf5::DiskFile>(directory.open(name, storage::Access::read_only),
                                                       directory.file(name), hdf5::WriteOrder::any);
    if (journal) disk->show_as_it_was(*journal);
    return hdf5::File::open(disk, storage::Access::read_only);
}

bool RowsFound::begins_with(std::int64_t rows, std::uint64_t checksum) const {
    if (whole < rows || !has_checksums) return false;
    std::uint64_t chain = header_checksum;
    for (std::size_t row = 0; row < static_cast<std::size_t>(rows); ++row)
        chain = chained_checksum(chain, checksums[row]);
    return chain == checksum;
}

namespace {

/// What is wrong with a row; empty if nothing is.
std::string find_damage_of_row(const RowReader& rows, std::size_t row) {
    const std::int64_t step = rows.steps[row];
    try {
        const std::uint64_t checksum = rows.checksum_of(row);  // which reads it all, where none is kept, too
        if (rows.has_checksums && (row >= rows.checksums.size() || checksum != rows.checksums[row]))
            return fmt::format("the numbers of step {} are not those that were written", step);
        if (const std::int64_t before = row == 0 ? -1 : rows.steps[row - 1]; step <= before)
            return fmt::format("step {} comes after step {}", step, before);
        if (rows.state_hash_of && rows.state_hash_of(row) != rows.state_hashes.at(row))
            return fmt::format("the particles of step {} do not have its state hash", step);
    } catch (const FileError& error) {
        if (error.error_number != 0) throw;
        return fmt::format("the numbers of step {}: {}", step, error.what());
    }
    return {};
}

}  // namespace

RowsFound check_rows(const hdf5::File& file, const OpenRows& open_rows, std::int64_t most) {
    const RowReader rows = open_rows(file);
    RowsFound found{rows, 0, {}};
    if (!rows.header_is_right) found.damage = "what it says of itself is not what was written";
    const std::int64_t wanted = std::min(most, found.listed());
    while (found.damage.empty() && found.whole < wanted) {
        found.damage = find_damage_of_row(rows, static_cast<std::size_t>(found.whole));
        if (found.damage.empty()) ++found.whole;
    }
    return found;
}

namespace {

/// Why the file, read in this way, is not what the checkpoint counts on; empty if it is.
std::string find_misfit(const storage::Directory& directory, const std::string& name, const std::string& what,
                        const std::string& run_id, RowsBefore before, const OpenRows& open_rows,
                        const std::optional<storage::JournalContents>& journal) {
    try {
        const RowsFound found = check_rows(open_as_it_was(directory, name, journal), open_rows, before.rows);
        if (found.damage.empty() && found.run_id != run_id) throw AnotherRunsFile(directory.file(name));
        if (!found.damage.empty()) return found.damage;
        // Pages of another moment may make whole rows, but no whole file.
        if (journal && !found.is_even) return "its journal is of another moment, or damaged";
        if (found.whole < before.rows)
            return fmt::format("it has {} {}, but the checkpoint tells of {}", found.listed(), what,
                               before.rows);
        const bool ends_before =
            before.rows == 0 || found.steps[static_cast<std::size_t>(before.rows - 1)] < before.step;
        if (!ends_before || !found.begins_with(before.rows, before.checksum))
            return fmt::format("its {} are not those that the checkpoint tells of", what);
        return {};
    } catch (const AnotherRunsFile&) {
        throw;
    } catch (const FileError& error) {
        if (error.error_number != 0) throw;
        return error.what();
    }
}

/// Writes a small file, reads it, and removes it. Throws FileError where that fails: HDF5 is out of order
/// then, as it may be for good once memory has run out under it, and what it says of other files proves
/// nothing.
void require_working_hdf5(const storage::Directory& directory, const std::string& name) {
    try {
        {
            hdf5::File file = hdf5::File::create(directory, temporary_name(name), hdf5::WriteOrder::ordered);
            {
                hdf5::Dataset rows = file.root().create_dataset(
                    "rows", {hdf5::NumberType::float64, {3}, hdf5::Growth::by_rows, {}, {}});
                rows.append_row(std::array{1.0, 2.0, 3.0}.data());
            }
            file.close();
        }
        const hdf5::File file = hdf5::File::open(directory, temporary_name(name), storage::Access::read_only);
        if (file.root().open_dataset("rows").read<double>() != std::vector<double>{1.0, 2.0, 3.0})
            throw FileError("other numbers than were written", 0);
    } catch (const FileError& error) {
        directory.discard(temporary_name(name));
        throw FileError(directory.file(name) + ": cannot verify it, as HDF5 is out of order: " + error.what(),
                        ENOTRECOVERABLE);
    }
    directory.remove(temporary_name(name));
}

/// The name that move_aside() gave last to a file of this name; empty if it gave none.
std::string last_aside(const storage::Directory& directory, const std::string& name) {
    std::string last;
    for (int number = 1; directory.has(aside_name(name, number)); ++number) last = aside_name(name, number);
    return last;
}

}  // namespace

std::string find_moved_aside(const storage::Directory& directory, const std::string& name,
                             const std::vector<std::string>& notes) {
    const std::string aside = last_aside(directory, name);
    const auto tells = [&](const std::string& note) { return note.find(aside) != std::string::npos; };
    return std::any_of(notes.begin(), notes.end(), tells) ? std::string{} : aside;
}

KeptFile check_kept_file(const storage::Directory& directory, const std::string& name,
                         const std::string& what, const std::string& run_id, RowsBefore before,
                         const OpenRows& open_rows, const std::vector<std::string>& notes) {
    if (!directory.has(name)) {
        if (const std::string aside = find_moved_aside(directory, name, notes); !aside.empty())
            return {fmt::format("it is {} already", directory.file(aside)), JournalUse::ignore, true};
        throw FileError(
            fmt::format("{}: no such file, but the checkpoint tells of {} {} in it; put it back, or go on "
                        "without them in another folder (--restart CHECKPOINT --output DIR)",
                        directory.file(name), before.rows, what),
            ENOENT);
    }
    const auto misfit = [&](const std::optional<storage::JournalContents>& journal) {
        return find_misfit(directory, name, what, run_id, before, open_rows, journal);
    };
    auto journal = storage::read_journal(directory, name);
    // It would put back some pages of what it should: what is there is as a kill left it, or proves to be
    // damaged.
    const bool is_lost = journal && journal->is_damaged;
    if (is_lost) journal.reset();
    KeptFile kept;
    if (is_lost) kept.journal = JournalUse::ignore;
    kept.damage = misfit(journal);
    // What is not the file's own fault, as want of memory, does not come twice.
    if (!kept.damage.empty()) kept.damage = misfit(journal);
    // The file was put back from elsewhere, and the journal is of the one before.
    if (!kept.damage.empty() && journal && misfit(std::nullopt).empty())
        kept = {{}, JournalUse::ignore, false};
    if (!kept.damage.empty()) require_working_hdf5(directory, name);
    return kept;
}

bool is_of_run(const storage::Directory& directory, const std::string& name, const std::string& run_id,
               const OpenRows& open_rows) {
    // As it is first: the journal may be of the file whose place this one took.
    for (const auto& journal :
         {std::optional<storage::JournalContents>(), storage::read_journal(directory, name)}) {
        try {
            const RowReader rows = open_rows(open_as_it_was(directory, name, journal));
            if (!rows.header_is_right) continue;
            if (!rows.has_checksums || rows.run_id != run_id) throw AnotherRunsFile(directory.file(name));
            return true;
        } catch (const AnotherRunsFile&) {
            throw;
        } catch (const FileError& error) {
            if (error.error_number != 0) throw;
        }
    }
    return false;
}

bool is_aside_name(const std::string& name, const std::string& of) {
    return name.starts_with(of.substr(0, of.rfind('.')) + ".damaged") && name.ends_with(".h5");
}

std::string move_aside(const storage::Directory& directory, const std::string& name) {
    std::string aside = aside_name(name, 1);
    for (int number = 2; directory.has(aside); ++number) aside = aside_name(name, number);
    if (directory.has(storage::journal_name(name)))
        directory.rename(storage::journal_name(name), storage::journal_name(aside));
    directory.rename(name, aside);
    return aside;
}

}  // namespace mpcflow

#pragma once
/// What the files have in common that grow by rows while a run goes on: trajectory.h5 and fields.h5.
///
/// Such a file is NAME.tmp until its first row is in it. The values of a row are written and flushed first,
/// and its step, which says that it is there, last: a killed process leaves whole rows. From the first sync()
/// on a journal guards what a checkpoint counts on from lost power. A failed write leaves the file as the
/// last row left it.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/hdf5/file.hpp"
#include "app/storage/directory.hpp"
#include "app/storage/file_error.hpp"
#include "app/storage/journal.hpp"

namespace mpcflow {

/// Rows that a file has when a run goes on at `step`: all of before it.
struct RowsBefore {
    std::int64_t rows = 0;
    std::int64_t step = 0;
    std::uint64_t checksum = 0;  ///< chained_checksum() of them all
};

/// The checksum of rows, given that of those before and that of the row; of no row it is the header's.
[[nodiscard]] std::uint64_t chained_checksum(std::uint64_t rows_before, std::uint64_t row);

/// The journal is what brings a file back, unless it is another file's.
enum class JournalUse { roll_back, ignore };

class GrowingFile {
public:
    [[nodiscard]] static GrowingFile create(const storage::Directory& directory, const std::string& name);
    /// Opens a file to add to it, as its journal says that it was, if there is one; what it is then is
    /// guarded at once.
    [[nodiscard]] static GrowingFile open(const storage::Directory& directory, const std::string& name,
                                          JournalUse journal);

    [[nodiscard]] hdf5::File& file() { return file_; }
    /// To be called when a row is in the file; the first one gives the file its name.
    void end_row(bool is_first_row);
    /// Closes and opens it anew, after rows were dropped: their space may be used again only then. No dataset
    /// is open.
    void reopen();
    /// Waits until all rows are on the disk, and guards them. Throws SyncError.
    void sync();
    /// Writes all to the disk and closes. No dataset is open.
    void close();
    /// Leaves the file as its last row left it, and removes it if it has none. What HDF5 still holds is not
    /// written.
    void leave(bool has_rows) noexcept;

private:
    GrowingFile(const storage::Directory& directory, std::string name, hdf5::File file)
        : directory_(&directory), name_(std::move(name)), file_(std::move(file)) {}

    const storage::Directory* directory_;
    std::string name_;
    hdf5::File file_;
};

/// The file as its journal says that it was; as it is, without one. To be read alone.
[[nodiscard]] hdf5::File open_as_it_was(const storage::Directory& directory, const std::string& name,
                                        const std::optional<storage::JournalContents>& journal);

/// What a file says of its rows.
struct RowList {
    bool has_checksums = true;  ///< false: it is of a time when such files had no id either
    std::string run_id;
    std::uint64_t header_checksum = 0;        ///< as it is kept in the file
    bool header_is_right = false;             ///< and as the file is; true where none is kept
    std::vector<std::int64_t> steps;          ///< of all rows
    std::vector<std::uint64_t> checksums;     ///< of rows, as they are kept in the file
    std::vector<std::uint64_t> state_hashes;  ///< of frames
    bool is_even = true;  ///< nothing has more rows than are listed: the file is as a sync() left it
};

/// How a file is read that is checked.
struct RowReader : RowList {
    using OfRow = std::function<std::uint64_t(std::size_t row)>;  ///< of a row as it is; throws FileError
    OfRow checksum_of;
    OfRow state_hash_of;  ///< none: it is not worked out
};
/// Throws FileError.
using OpenRows = std::function<RowReader(const hdf5::File& file)>;

/// What of such a file is whole.
struct RowsFound : RowList {
    std::int64_t whole = 0;  ///< from the first on
    std::string damage;      ///< of the header or of the first row that is not whole; empty if there is none

    [[nodiscard]] std::int64_t listed() const { return static_cast<std::int64_t>(steps.size()); }
    /// Whether the first rows are whole and have this chained_checksum().
    [[nodiscard]] bool begins_with(std::int64_t rows, std::uint64_t checksum) const;
};

/// Reads the header and all that belongs to the first rows, `most` at most. Throws FileError where the file
/// cannot be read at all; with its `error_number` where that says nothing of what is in it.
[[nodiscard]] RowsFound check_rows(const hdf5::File& file, const OpenRows& open_rows, std::int64_t most);

/// What a restart finds of a file that its checkpoint counts on.
struct KeptFile {
    std::string damage;  ///< why it cannot be gone on with; empty if it can
    JournalUse journal = JournalUse::roll_back;
    /// A restart before has moved it aside, and was interrupted before its next checkpoint.
    bool is_aside = false;
};

/// The name that a restart gave a file that is missing now, after the checkpoint with these notes; empty if
/// none did. One that the notes tell of was damaged before that checkpoint, and is not what is missing.
[[nodiscard]] std::string find_moved_aside(const storage::Directory& directory, const std::string& name,
                                           const std::vector<std::string>& notes);

/// Verifies every number of the rows that the run keeps. Changes nothing. Throws FileError, saying what to
/// do, where the file is not there, is another run's, or cannot be read. `what` is what its rows are called;
/// `notes` are the checkpoint's.
[[nodiscard]] KeptFile check_kept_file(const storage::Directory& directory, const std::string& name,
                                       const std::string& what, const std::string& run_id, RowsBefore before,
                                       const OpenRows& open_rows, const std::vector<std::string>& notes);

/// Whether a file, as it is or as its journal says that it was, says that it is of this run. Where it is
/// whole, but another run's, throws FileError.
[[nodiscard]] bool is_of_run(const storage::Directory& directory, const std::string& name,
                             const std::string& run_id, const OpenRows& open_rows);

/// Whether move_aside() gives such a name to a file of the name `of`.
[[nodiscard]] bool is_aside_name(const std::string& name, const std::string& of);
/// Gives a file, and its journal, another name: NAME.damaged.h5, or one with a number. Returns the new name.
std::string move_aside(const storage::Directory& directory, const std::string& name);

}  // namespace mpcflow

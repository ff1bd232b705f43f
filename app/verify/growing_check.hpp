#pragma once
/// Verifies trajectory.h5 and fields.h5: every row, the file as it is and as its journal has it.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/hdf5/file.hpp"
#include "app/storage/directory.hpp"
#include "app/storage/journal.hpp"
#include "app/verify/findings.hpp"

namespace mpcflow::verify {

/// The rows of a file, read in one way.
struct Rows {
    bool is_readable = true;  ///< false: the system did not let it be read
    std::string damage;       ///< of the header or of the first row that is not whole; empty if all is whole
    std::int64_t listed = 0;
    std::int64_t whole = 0;      ///< from the first on
    std::int64_t unfinished = 0;  ///< rows that are not listed yet
    bool has_checksums = true;
    std::string run_id;
    std::uint64_t header_checksum = 0;
    bool header_is_right = false;  ///< what it says of itself is what was written
    std::vector<std::int64_t> steps;        ///< of rows that are listed
    std::vector<std::uint64_t> checksums;   ///< of rows, as they are kept in the file
    std::vector<std::uint64_t> state_hashes;  ///< of frames

    [[nodiscard]] bool is_whole() const { return is_readable && damage.empty(); }
    /// Whether the first rows are whole, and have this chained checksum.
    [[nodiscard]] bool begin_with(std::int64_t rows, std::uint64_t chained) const;
};

enum class JournalState {
    none,
    unreadable,
    never_began,      ///< or damaged itself: it takes nothing back
    belongs,          ///< with it the file is whole
    of_another_file,  ///< with it the file is not what anybody wrote
};

struct GrowingFinding {
    FileFinding file;
    Rows as_is;
    JournalState journal = JournalState::none;
    std::optional<Rows> as_it_was;  ///< by the journal
    std::optional<FileFinding> journal_file;

    /// Whether a run could go on after these rows.
    [[nodiscard]] bool can_begin_with(std::int64_t rows, std::uint64_t chained) const {
        return (as_it_was && as_it_was->begin_with(rows, chained)) || as_is.begin_with(rows, chained);
    }
};

/// Whether a run is writing the file at this moment: then a row that does not read is tried again, and the journal, which
/// changes with it, is left alone.
enum class Writing { no, yes };

/// Reads a trajectory.h5 or fields.h5, by `kind`, with its journal.
[[nodiscard]] GrowingFinding check_growing_file(const storage::Directory& directory, const std::string& name, FileKind kind,
                                                Writing writing);

/// The file as it is, or as its journal has it.
[[nodiscard]] Rows check_rows_of(const storage::Directory& directory, const std::string& name, FileKind kind,
                                 const storage::JournalContents* journal);

/// What --repair should do; none where nothing need or can be done.
[[nodiscard]] std::optional<RepairStep> plan_repair(const GrowingFinding& finding);

}  // namespace mpcflow::verify

#pragma once
/// Verifies trajectory.h5 and fields.h5: every row, the file as it is and as its journal has it.

#include <cstdint>
#include <optional>
#include <string>

#include "app/output/growing_file.hpp"
#include "app/verify/findings.hpp"

namespace mpcflow::verify {

/// The rows of a file, read in one way.
struct Rows : RowsFound {
    bool is_readable = true;  ///< false: the system did not let it be read

    [[nodiscard]] bool is_whole() const { return is_readable && damage.empty(); }
};

enum class JournalState {
    none,
    unreadable,
    never_began,      ///< or damaged itself: it takes nothing back
    belongs,          ///< with it the file is whole
    of_another_file,  ///< or of another moment: with it the file is not what anybody wrote
};

struct GrowingFinding : FileFinding {
    Rows as_is;
    JournalState journal = JournalState::none;
    std::optional<Rows> as_it_was;  ///< by a journal that puts back all that it should
    std::optional<FileFinding> journal_file;

    /// Whether a run could go on after these rows.
    [[nodiscard]] bool can_begin_with(std::int64_t count, std::uint64_t checksum) const {
        return (as_it_was && as_it_was->begins_with(count, checksum)) || as_is.begins_with(count, checksum);
    }
};

/// Whether a run is writing the file at this moment: then its journal, which changes with it, is left alone.
enum class Writing { no, yes };

/// Reads a trajectory.h5 or fields.h5, by `kind`, with its journal.
[[nodiscard]] GrowingFinding check_growing_file(const storage::Directory& directory, const std::string& name,
                                                FileKind kind, Writing writing);

/// The file as it is, or as its journal has it.
[[nodiscard]] Rows check_rows_of(const storage::Directory& directory, const std::string& name, FileKind kind,
                                 const std::optional<storage::JournalContents>& journal = std::nullopt);

/// What --repair should do; none where nothing need or can be done.
[[nodiscard]] std::optional<RepairStep> plan_repair(const GrowingFinding& finding);

}  // namespace mpcflow::verify

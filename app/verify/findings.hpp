#pragma once
/// What `mpcflow verify` finds, as plain data.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace mpcflow::verify {

enum class FileKind { run, checkpoint, trajectory, fields, journal, xdmf, temporary, unknown };

enum class Condition {
    whole,
    damaged,     ///< proved: it is not what was written
    unreadable,  ///< nothing is proved: the system does not let it be read, or it is no file
};

/// One file. Texts may hold what others wrote: they are to be printed escaped.
struct FileFinding {
    std::string name;
    FileKind kind = FileKind::unknown;
    Condition condition = Condition::whole;
    std::string why;                   ///< it is not whole
    std::vector<std::string> remarks;  ///< what else there is to know; none of it is damage
    bool has_checksums = true;         ///< a file of the format before has none
    std::optional<std::string> run_id;
    std::optional<std::int64_t> step;  ///< of a checkpoint; steps done of a run; of the last whole row
    std::optional<std::uint64_t> state_hash;  ///< at this step
    std::optional<std::int64_t> rows;         ///< frames or windows that it lists
    std::optional<std::int64_t> whole_rows;   ///< of these, from the first on
    std::string status;                       ///< of a run

    [[nodiscard]] bool is_whole() const { return condition == Condition::whole; }
};

/// What --repair does to one file.
enum class RepairKind {
    roll_back,       ///< a growing file, by its journal
    cut,             ///< a growing file, to its first rows
    remove_journal,  ///< one that is not of its file, which is whole
    remove_file,     ///< what a killed run left
};

struct RepairStep {
    RepairKind kind = RepairKind::remove_file;
    std::string name;         ///< of the file
    std::int64_t rows = 0;    ///< that it has afterwards
    std::int64_t listed = 0;  ///< that it lists before
    FileKind file_kind = FileKind::unknown;
    bool journal_stays = true;  ///< false: with it, too, the file is damaged, and it has done what it can
};

/// What a restart in the directory goes on from.
struct RestartPoint {
    std::string checkpoint;
    std::int64_t step = 0;
};

struct Findings {
    std::string path;
    bool is_directory = false;
    bool is_being_written = false;          ///< a run has the directory
    std::vector<FileFinding> files;
    std::vector<std::string> misfits;       ///< of files that are whole, but not of one run or of one moment
    std::optional<RestartPoint> restart;
    std::vector<std::string> conclusions;   ///< what can be done
    std::vector<RepairStep> repairs;        ///< that --repair would make

    [[nodiscard]] bool is_whole() const {
        for (const FileFinding& file : files) {
            if (!file.is_whole())
                return false;
        }
        return misfits.empty();
    }
};

/// A message about a file that is named elsewhere.
[[nodiscard]] inline std::string without_path(const std::string& message, const std::string& path) {
    if (!message.starts_with(path + ":"))
        return message;
    const std::size_t begin = message.find_first_not_of(' ', path.size() + 1);
    return begin == std::string::npos ? message : message.substr(begin);
}

/// "frames" or "windows".
[[nodiscard]] inline const char* rows_of(FileKind kind) { return kind == FileKind::fields ? "windows" : "frames"; }

}  // namespace mpcflow::verify

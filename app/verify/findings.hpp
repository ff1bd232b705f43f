#pragma once
/// What `mpcflow verify` finds, as plain data.

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/storage/file_error.hpp"

namespace mpcflow::verify {

enum class FileKind { run, checkpoint, part, trajectory, fields, journal, xdmf, temporary, unknown };

enum class Condition {
    whole,
    damaged,     ///< proved: it is not what was written
    unreadable,  ///< nothing is proved: the system does not let it be read
};

/// One file. Texts may hold what others wrote: they are to be printed escaped.
struct FileFinding {
    std::string name;
    FileKind kind = FileKind::unknown;
    Condition condition = Condition::whole;
    std::string why{};                   ///< it is not whole
    std::vector<std::string> remarks{};  ///< what else there is to know; none of it is damage
    bool has_checksums = true;           ///< a file of the format before has none
    std::optional<std::string> run_id{};
    std::optional<std::int64_t> step{};  ///< of a checkpoint; steps done of a run; of the last whole row
    std::optional<std::uint64_t> state_hash{};  ///< at this step
    std::optional<std::int64_t> rows{};         ///< frames or windows that it lists
    std::optional<std::int64_t> whole_rows{};   ///< of these, from the first on
    std::string status{};                       ///< of a run
    bool is_aside = false;                      ///< a restart has moved it aside

    [[nodiscard]] bool is_whole() const { return condition == Condition::whole; }
    [[nodiscard]] bool grows() const { return kind == FileKind::trajectory || kind == FileKind::fields; }

    void set_damage(Condition how, const std::string& message, const std::string& path) {
        condition = how;
        why = message;
        // The file is named, and its condition told, elsewhere.
        for (const std::string& known : {path + ":", std::string("damaged:")})
            if (why.starts_with(known))
                why.erase(0, std::min(why.find_first_not_of(' ', known.size()), why.size()));
    }
    void set_damage(const FileError& error, const std::string& path) {
        set_damage(error.error_number == 0 ? Condition::damaged : Condition::unreadable, error.what(), path);
    }
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
    std::string name;  ///< of the file
    FileKind file_kind = FileKind::unknown;
    std::int64_t rows = 0;      ///< that it has afterwards
    std::int64_t listed = 0;    ///< that it lists before
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
    bool is_being_written = false;  ///< a run has the directory
    std::vector<FileFinding> files;
    std::vector<std::string> misfits;  ///< of files that are whole, but not of one run or of one moment
    std::optional<RestartPoint> restart;
    std::vector<std::string> conclusions;  ///< what can be done
    std::vector<RepairStep> repairs;       ///< that --repair would make

    [[nodiscard]] bool is_whole() const {
        return misfits.empty() && std::ranges::all_of(files, &FileFinding::is_whole);
    }
};

/// "frames" or "windows".
[[nodiscard]] inline const char* rows_of(FileKind kind) {
    return kind == FileKind::fields ? "windows" : "frames";
}

}  // namespace mpcflow::verify

#include "app/verify/verification.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <optional>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>

#include "app/checkpoint_file.hpp"
#include "app/hdf5/error.hpp"
#include "app/hdf5/file.hpp"
#include "app/run_file.hpp"
#include "app/trajectory_file.hpp"
#include "app/verify/belonging.hpp"
#include "app/verify/growing_check.hpp"
#include "app/verify/lock.hpp"
#include "app/verify/sealed_check.hpp"
#include "app/verify/xdmf_check.hpp"
#include "app/window_file.hpp"
#include "app/xdmf_file.hpp"

namespace mpcflow::verify {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view journal_ending = ".journal";
constexpr std::string_view temporary_ending = ".tmp";
/// Between one look and the next at what a run is changing.
constexpr std::chrono::milliseconds moment{20};

std::vector<std::string> names_in(const storage::Directory& directory) {
    const int copy = openat(directory.descriptor(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR* const stream = copy < 0 ? nullptr : fdopendir(copy);
    if (stream == nullptr)
        fail_file(directory.path(), "list it", errno);
    std::vector<std::string> names;
    while (const dirent* const entry = readdir(stream))
        names.emplace_back(entry->d_name);
    closedir(stream);
    std::sort(names.begin(), names.end());
    return names;
}

/// "trajectory.damaged.h5", "trajectory.damaged-2.h5" ... of "trajectory.h5".
bool is_moved_aside(const std::string& name, const std::string& of) {
    const std::string stem = of.substr(0, of.rfind('.'));
    return name.starts_with(stem + ".damaged") && name.ends_with(".h5");
}

/// What a file of this name is in a run's directory.
FileKind kind_by_name(const std::string& name) {
    if (name == run_file_name)
        return FileKind::run;
    if (name == checkpoint_file_name || name == previous_checkpoint_name)
        return FileKind::checkpoint;
    if (name == trajectory_file_name || is_moved_aside(name, trajectory_file_name))
        return FileKind::trajectory;
    if (name == window_file_name || is_moved_aside(name, window_file_name))
        return FileKind::fields;
    if (name == xdmf_file_name || name == window_xdmf_file_name)
        return FileKind::xdmf;
    if (name.ends_with(journal_ending))
        return FileKind::journal;
    if (name.ends_with(temporary_ending)) {
        const FileKind of = kind_by_name(name.substr(0, name.size() - temporary_ending.size()));
        return of == FileKind::unknown || of == FileKind::journal ? FileKind::unknown : FileKind::temporary;
    }
    return FileKind::unknown;
}

/// What it says that it is; a damaged file may not.
FileKind kind_by_contents(const storage::Directory& directory, const std::string& name) {
    try {
        const hdf5::File file = hdf5::File::open(directory, name, storage::Access::read_only);
        const hdf5::Group root = file.root();
        if (root.has("h5md"))
            return FileKind::trajectory;
        const std::string format = root.read_text_attribute("format");
        return format == run_file_format          ? FileKind::run
               : format == checkpoint_file_format ? FileKind::checkpoint
               : format == window_file_format     ? FileKind::fields
                                                  : FileKind::unknown;
    } catch (const FileError&) {
        return FileKind::unknown;
    }
}

/// The name begins as one of a run's files does: copies are called "run-1.h5" or "trajectory_old.h5".
FileKind kind_by_stem(const std::string& name) {
    if (!name.ends_with(".h5"))
        return FileKind::unknown;
    for (const auto& [stem, kind] : {std::pair{"run", FileKind::run}, {"checkpoint", FileKind::checkpoint},
                                     {"trajectory", FileKind::trajectory}, {"fields", FileKind::fields}}) {
        if (name.starts_with(stem))
            return kind;
    }
    return FileKind::unknown;
}

std::string file_of_journal(const std::string& journal) { return journal.substr(0, journal.size() - journal_ending.size()); }

/// Gathers what is found of one file after the other.
class Verifier {
public:
    Verifier(const Target& target, bool is_being_written) : directory_(target.directory) {
        found_.findings.path = target.path;
        found_.findings.is_directory = target.file.empty();
        found_.findings.is_being_written = is_being_written;
    }

    void add(const std::string& name, FileKind kind) {
        Findings& findings = found_.findings;
        switch (kind) {
            case FileKind::run: findings.files.push_back(check_run_file(directory_, name)); break;
            case FileKind::checkpoint: add_checkpoint(name); break;
            case FileKind::trajectory:
            case FileKind::fields: add_growing(name, kind); break;
            case FileKind::xdmf: add_xdmf(name); break;
            case FileKind::journal: add_lonely_journal(name); break;
            case FileKind::temporary: add_temporary(name); break;
            case FileKind::unknown: break;
        }
    }

    [[nodiscard]] Findings finish() {
        if (found_.findings.is_directory)
            conclude(directory_, found_);
        else
            conclude_file(found_);
        return std::move(found_.findings);
    }

private:
    /// Whether the run that writes here has taken the file away since the directory was listed.
    [[nodiscard]] bool is_gone(const FileFinding& file) const {
        return found_.findings.is_being_written && !file.is_whole() && !directory_.has(file.name);
    }

    /// Whether what is wrong may be what the run is just changing.
    [[nodiscard]] bool is_in_flux(const FileFinding& file) const {
        return found_.findings.is_being_written && !file.is_whole();
    }

    void add_checkpoint(const std::string& name) {
        CheckpointFinding finding = check_checkpoint(directory_, name);
        // While it is being replaced, it is not there for a moment.
        for (int attempt = 0; attempt < 10 && is_in_flux(finding.file); ++attempt) {
            std::this_thread::sleep_for(moment);
            finding = check_checkpoint(directory_, name);
        }
        if (is_gone(finding.file))
            return;
        found_.findings.files.push_back(finding.file);
        found_.checkpoints.push_back(std::move(finding));
    }

    void add_xdmf(const std::string& name) {
        FileFinding finding = check_xdmf_file(directory_, name);
        // While a window is added to it, its end is not there for a moment.
        for (int attempt = 0; attempt < 10 && is_in_flux(finding); ++attempt) {
            std::this_thread::sleep_for(moment);
            finding = check_xdmf_file(directory_, name);
        }
        if (!is_gone(finding))
            found_.findings.files.push_back(std::move(finding));
    }

    void add_growing(const std::string& name, FileKind kind) {
        Findings& findings = found_.findings;
        GrowingFinding finding =
            check_growing_file(directory_, name, kind, findings.is_being_written ? Writing::yes : Writing::no);
        const bool is_aside = name.find(".damaged") != std::string::npos;
        if (is_aside)
            finding.file.remarks.emplace_back("was moved aside by a restart, which went on into a new file");
        findings.files.push_back(finding.file);
        if (finding.journal_file)
            findings.files.push_back(*finding.journal_file);
        if (!findings.is_being_written) {
            if (const std::optional<RepairStep> step = plan_repair(finding))
                findings.repairs.push_back(*step);
        }
        if (!is_aside)
            found_.growing.push_back(std::move(finding));
    }

    void add_lonely_journal(const std::string& name) {
        // Told with its file, if that is there; while a run goes on it changes all the time.
        if (directory_.has(file_of_journal(name)) || found_.findings.is_being_written)
            return;
        FileFinding finding;
        finding.name = name;
        finding.kind = FileKind::journal;
        finding.remarks.push_back("its file, " + file_of_journal(name) + ", is not there");
        found_.findings.files.push_back(finding);
    }

    void add_temporary(const std::string& name) {
        if (found_.findings.is_being_written)
            return;
        FileFinding finding;
        finding.name = name;
        finding.kind = FileKind::temporary;
        finding.remarks.emplace_back("left by a run that was killed while it wrote it; of no use");
        found_.findings.files.push_back(finding);
        found_.findings.repairs.push_back({RepairKind::remove_file, name, 0, 0, FileKind::temporary});
    }

    const storage::Directory& directory_;
    Found found_;
};

Findings verify_directory(const Target& target, bool is_being_written) {
    Verifier verifier(target, is_being_written);
    // Checkpoints first: what they count on is in files that grow while a run goes on.
    constexpr std::array<FileKind, 7> order{FileKind::run,    FileKind::checkpoint, FileKind::trajectory, FileKind::fields,
                                            FileKind::xdmf, FileKind::journal,    FileKind::temporary};
    const std::vector<std::string> names = names_in(target.directory);
    bool has_any = false;
    for (const FileKind kind : order) {
        for (const std::string& name : names) {
            if (kind_by_name(name) != kind || (kind == FileKind::journal && kind_by_name(file_of_journal(name)) == FileKind::unknown))
                continue;
            has_any = true;
            verifier.add(name, kind);
        }
    }
    if (!has_any)
        throw EnvironmentError(target.path + ": holds no results of mpcflow; give the output.directory of a run, or one of its files");
    return verifier.finish();
}

Findings verify_file(const Target& target, bool is_being_written) {
    Verifier verifier(target, is_being_written);
    std::string name = target.file;
    if (name.ends_with(journal_ending) && target.directory.has(file_of_journal(name)))
        name = file_of_journal(name);
    // A pipe or a device is told so.
    static_cast<void>(target.directory.open(name, storage::Access::read_only));
    FileKind kind = kind_by_name(name);
    for (const auto& guess : {kind_by_contents, +[](const storage::Directory&, const std::string& of) { return kind_by_stem(of); }}) {
        if (kind == FileKind::unknown)
            kind = guess(target.directory, name);
    }
    if (kind == FileKind::unknown) {
        throw EnvironmentError(target.path + ": not a file that mpcflow wrote; give a run.h5, checkpoint.h5, trajectory.h5 or "
                                             "fields.h5, or the directory of a run");
    }
    verifier.add(name, kind);
    return verifier.finish();
}

Findings verify_once(const Target& target, bool is_being_written) {
    return target.file.empty() ? verify_directory(target, is_being_written) : verify_file(target, is_being_written);
}

}  // namespace

Target open_target(const std::string& path) {
    std::error_code error;
    const fs::file_status status = fs::status(path, error);
    if (status.type() == fs::file_type::not_found)
        throw FileError(path + ": no such file or directory", ENOENT);
    if (error)
        fail_file(path, "open it", error.value());
    if (fs::is_directory(status))
        return {path, storage::Directory(path), {}};
    // A link that a user names is followed; those in a directory of results are not.
    fs::path file = path;
    if (fs::is_symlink(fs::symlink_status(file, error)))
        file = fs::canonical(file, error);
    if (error)
        fail_file(path, "follow the link", error.value());
    const std::string parent = file.parent_path().empty() ? "." : file.parent_path().string();
    return {path, storage::Directory(parent), file.filename().string()};
}

Findings verify(const Target& target, Holder holder) {
    if (holder == Holder::caller)
        return verify_once(target, false);
    const bool is_locked_at_first = is_locked(target.directory);
    Findings findings = verify_once(target, is_locked_at_first);
    // A run that began in the meantime changed what was being read.
    if (!is_locked_at_first && !findings.is_whole() && is_locked(target.directory))
        return verify_once(target, true);
    return findings;
}

}  // namespace mpcflow::verify

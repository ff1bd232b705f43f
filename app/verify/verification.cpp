#include "app/verify/verification.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <map>
#include <string_view>
#include <system_error>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include "app/hdf5/file.hpp"
#include "app/output/checkpoint_file.hpp"
#include "app/output/checkpoint_parts.hpp"
#include "app/output/run_file.hpp"
#include "app/output/trajectory_file.hpp"
#include "app/output/window_file.hpp"
#include "app/output/xdmf_file.hpp"
#include "app/verify/belonging.hpp"
#include "app/verify/xdmf_check.hpp"

namespace mpcflow::verify {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view journal_ending = ".journal";
constexpr std::string_view temporary_ending = ".tmp";

std::string without_ending(const std::string& name, std::string_view ending) {
    return name.substr(0, name.size() - ending.size());
}

/// What a file of this name is in a run's directory.
FileKind kind_by_name(const std::string& name) {
    static const std::map<std::string, FileKind> kinds{
        {run_file_name, FileKind::run},
        {checkpoint_file_name, FileKind::checkpoint},
        {previous_checkpoint_name, FileKind::checkpoint},
        {trajectory_file_name, FileKind::trajectory},
        {window_file_name, FileKind::fields},
        {xdmf_file_name, FileKind::xdmf},
        {window_xdmf_file_name, FileKind::xdmf},
    };
    if (const auto at = kinds.find(name); at != kinds.end()) return at->second;
    if (is_part_name(name)) return FileKind::part;
    if (name.ends_with(temporary_ending))
        return kinds.contains(without_ending(name, temporary_ending)) ? FileKind::temporary
                                                                      : FileKind::unknown;
    const bool is_journal = name.ends_with(journal_ending);
    const std::string of = is_journal ? without_ending(name, journal_ending) : name;
    for (const char* growing : {trajectory_file_name, window_file_name})
        if (of == growing || is_aside_name(of, growing))
            return is_journal ? FileKind::journal : kinds.at(growing);
    return FileKind::unknown;
}

/// What it says that it is; a damaged file may not.
FileKind kind_by_contents(const storage::Directory& directory, const std::string& name) {
    try {
        const hdf5::File file = hdf5::File::open(directory, name, storage::Access::read_only);
        const hdf5::Group root = file.root();
        if (root.has("h5md")) return FileKind::trajectory;
        const std::string format = root.read_text_attribute("format");
        return format == run_file_format          ? FileKind::run
               : format == checkpoint_file_format ? FileKind::checkpoint
               : format == part_format            ? FileKind::part
               : format == window_file_format     ? FileKind::fields
                                                  : FileKind::unknown;
    } catch (const FileError&) {
        return FileKind::unknown;
    }
}

/// The name begins as one of a run's files does: copies are called "run-1.h5" or "trajectory_old.h5".
FileKind kind_by_stem(const std::string& name) {
    for (const char* stem : {"run", "checkpoint", "trajectory", "fields"})
        if (name.starts_with(stem) && name.ends_with(".h5")) return kind_by_name(stem + std::string(".h5"));
    return FileKind::unknown;
}

/// Gathers what is found of one file after the other.
class Verifier {
public:
    Verifier(const Target& target, bool is_being_written) : directory_(target.directory) {
        findings_.path = target.path;
        findings_.is_directory = target.file.empty();
        findings_.is_being_written = is_being_written;
    }

    void add(const std::string& name, FileKind kind) {
        switch (kind) {
            case FileKind::run: keep(look([&] { return check_run_file(directory_, name); })); return;
            case FileKind::checkpoint: return add_checkpoint(name);
            case FileKind::part: return add_part(name);
            case FileKind::trajectory:
            case FileKind::fields: return add_growing(name, kind);
            case FileKind::xdmf: keep(look([&] { return check_xdmf_file(directory_, name); })); return;
            case FileKind::journal: return add_lonely_journal(name);
            case FileKind::temporary: return add_temporary(name);
            case FileKind::unknown: return;
        }
    }

    [[nodiscard]] Findings finish() {
        if (findings_.is_directory) conclude(directory_, found_);
        else conclude_file(found_);
        return std::move(findings_);
    }

private:
    /// A file that is not whole is looked at again. A run may be changing it just then; and what is not the
    /// file's own fault, as want of memory, of which HDF5 says no more than that it cannot read, does not
    /// come twice.
    template <class Check>
    [[nodiscard]] std::invoke_result_t<Check> look(const Check& check) const {
        constexpr std::chrono::milliseconds moment{100};
        const int most = findings_.is_being_written ? 8 : 1;
        auto finding = check();
        for (int again = 0; again < most && !finding.is_whole(); ++again) {
            if (findings_.is_being_written) std::this_thread::sleep_for(moment);
            finding = check();
        }
        return finding;
    }

    /// Whether the file counts: the run that writes here may have taken it away since the directory was
    /// listed.
    bool keep(const FileFinding& finding) {
        if (!finding.is_whole() && findings_.is_being_written && !directory_.has(finding.name)) return false;
        findings_.files.push_back(finding);
        return true;
    }

    void add_checkpoint(const std::string& name) {
        CheckpointFinding finding = look([&] { return check_checkpoint(directory_, name); });
        if (keep(finding)) found_.checkpoints.push_back(std::move(finding));
    }

    /// In a directory, those that a checkpoint names are verified with it, and of the others none is of use,
    /// but to a run that is writing them.
    void add_part(const std::string& name) {
        if (!findings_.is_directory) {
            keep(look([&] { return check_part(directory_, name); }));
            return;
        }
        const std::vector<std::string> unnamed = find_unnamed_parts(directory_);
        if (std::ranges::find(unnamed, name) != unnamed.end()) add_temporary(name);
    }

    void add_growing(const std::string& name, FileKind kind) {
        const Writing writing = findings_.is_being_written ? Writing::yes : Writing::no;
        GrowingFinding finding = look([&] { return check_growing_file(directory_, name, kind, writing); });
        finding.is_aside =
            is_aside_name(name, kind == FileKind::fields ? window_file_name : trajectory_file_name);
        if (finding.is_aside)
            finding.remarks.emplace_back("was moved aside by a restart, which went on into a new file");
        if (!keep(finding)) return;
        if (finding.journal_file) keep(*finding.journal_file);
        if (const auto step = plan_repair(finding); step && writing == Writing::no)
            findings_.repairs.push_back(*step);
        if (!finding.is_aside) found_.growing.push_back(std::move(finding));
    }

    /// Told with its file, if that is there; while a run goes on it changes all the time.
    void add_lonely_journal(const std::string& name) {
        const std::string of = without_ending(name, journal_ending);
        if (!directory_.has(of) && !findings_.is_being_written)
            keep({.name = name, .kind = FileKind::journal, .remarks = {of + ", its file, is not there"}});
    }

    void add_temporary(const std::string& name) {
        if (findings_.is_being_written) return;
        keep({.name = name,
              .kind = FileKind::temporary,
              .remarks = {"left by a run that was killed while it wrote it; of no use"}});
        findings_.repairs.push_back({RepairKind::remove_file, name});
    }

    const storage::Directory& directory_;
    Found found_;
    Findings& findings_ = found_.findings;
};

Findings verify_directory(const Target& target, bool is_being_written) {
    Verifier verifier(target, is_being_written);
    // Checkpoints first: what they count on is in files that grow while a run goes on.
    constexpr std::array order{FileKind::run,        FileKind::checkpoint, FileKind::part,
                               FileKind::trajectory, FileKind::fields,     FileKind::xdmf,
                               FileKind::journal,    FileKind::temporary};
    const std::vector<std::string> names = target.directory.names();
    bool has_any = false;
    for (const FileKind kind : order) {
        for (const std::string& name : names) {
            if (kind_by_name(name) != kind) continue;
            has_any = true;
            verifier.add(name, kind);
        }
    }
    if (!has_any) {
        throw EnvironmentError(target.path +
                               ": holds no results of mpcflow; give the output.directory of a run, or one of "
                               "its files");
    }
    return verifier.finish();
}

Findings verify_file(const Target& target, bool is_being_written) {
    Verifier verifier(target, is_being_written);
    std::string name = target.file;
    if (name.ends_with(journal_ending) && target.directory.has(without_ending(name, journal_ending)))
        name = without_ending(name, journal_ending);
    // A pipe or a device is told so.
    static_cast<void>(target.directory.open(name, storage::Access::read_only));
    FileKind kind = kind_by_name(name);
    if (kind == FileKind::unknown) kind = kind_by_contents(target.directory, name);
    if (kind == FileKind::unknown) kind = kind_by_stem(name);
    if (kind == FileKind::unknown) {
        throw EnvironmentError(target.path +
                               ": not a file that mpcflow wrote; give a run.h5, checkpoint.h5, trajectory.h5 "
                               "or fields.h5, or the directory of a run");
    }
    verifier.add(name, kind);
    return verifier.finish();
}

Findings verify_once(const Target& target, bool is_being_written) {
    return target.file.empty() ? verify_directory(target, is_being_written)
                               : verify_file(target, is_being_written);
}

}  // namespace

Target open_target(const std::string& path) {
    std::error_code error;
    const fs::file_status status = fs::status(path, error);
    if (status.type() == fs::file_type::not_found)
        throw FileError(path + ": no such file or directory", ENOENT);
    if (error) fail_file(path, "open it", error.value());
    if (fs::is_directory(status)) return {path, storage::Directory(path), {}};
    // A link that a user names is followed; those in a directory of results are not.
    fs::path file = path;
    if (fs::is_symlink(fs::symlink_status(file, error))) file = fs::canonical(file, error);
    if (error) fail_file(path, "follow the link", error.value());
    const std::string parent = file.parent_path().empty() ? "." : file.parent_path().string();
    return {path, storage::Directory(parent), file.filename().string()};
}

Findings verify(const Target& target, Holder holder) {
    if (holder == Holder::caller) return verify_once(target, false);
    Findings findings = verify_once(target, target.directory.is_locked());
    // A run that began in the meantime changed what was being read.
    if (!findings.is_whole() && target.directory.is_locked()) return verify_once(target, true);
    return findings;
}

}  // namespace mpcflow::verify

#include "app/output/output_directory.hpp"

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

#include <unistd.h>

#include "app/machine/batch_job.hpp"
#include "app/output/checkpoint_file.hpp"
#include "app/output/checkpoint_parts.hpp"
#include "app/output/run_file.hpp"
#include "app/output/trajectory_file.hpp"
#include "app/output/window_file.hpp"
#include "app/output/xdmf_file.hpp"
#include "app/storage/file_error.hpp"
#include "physics/errors.hpp"

namespace mpcflow {

namespace {

namespace fs = std::filesystem;

/// All files that runs write; nothing else is ever removed.
constexpr std::array<const char*, 7> result_files{
    run_file_name,         trajectory_file_name, xdmf_file_name,          window_file_name,
    window_xdmf_file_name, checkpoint_file_name, previous_checkpoint_name};
/// What a killed run leaves of a file that it was writing; of no use to anybody.
constexpr std::array<const char*, 6> written_aside{run_file_name,         trajectory_file_name,
                                                   xdmf_file_name,        window_file_name,
                                                   window_xdmf_file_name, checkpoint_file_name};

[[noreturn]] void fail(const std::string& path, const std::string& what) {
    throw EnvironmentError("output.directory: " + path + ": " + what);
}

storage::Directory make_directory(const std::string& path) {
    std::error_code error;
    const fs::path whole = fs::absolute(path);
    const fs::path there = existing_part(whole);
    fs::create_directories(whole, error);
    if (error && !fs::is_directory(whole)) fail(path, "cannot make it: " + describe_errno(error.value()));
    try {
        // A checkpoint in a directory whose name a power failure takes away is of use to nobody.
        for (fs::path made = whole; made != there && made.has_relative_path(); made = made.parent_path())
            storage::Directory(made.parent_path().string()).sync();
        return storage::Directory(path);
    } catch (const FileError& reason) {
        throw EnvironmentError(std::string("output.directory: ") + reason.what());
    }
}

}  // namespace

fs::path existing_part(fs::path path) {
    std::error_code error;
    while (!path.empty() && !fs::exists(fs::symlink_status(path, error))) path = path.parent_path();
    return path.empty() ? fs::path(".") : path;
}

void check_output_directory(const std::string& path, Existing existing) {
    std::error_code error;
    const fs::path part = existing_part(path);
    if (!fs::is_directory(part, error))
        fail(path, part.string() + " is not a directory; choose another output.directory (--output DIR)");
    if (access(part.c_str(), W_OK | X_OK) != 0) {
        fail(path, "cannot write to " + part.string() + ": " + describe_errno(errno) +
                       "; choose another output.directory (--output DIR)");
    }
    if (existing != Existing::refuse) return;
    for (const char* name : result_files) {
        if (!fs::exists(fs::symlink_status(fs::path(path) / name, error))) continue;
        fail(path, "holds results already (" + std::string(name) +
                       "); choose another output.directory (--output DIR), or replace them with --overwrite");
    }
}

OutputDirectory::OutputDirectory(const std::string& path, Existing existing) : files_(make_directory(path)) {
    if (!files_.lock()) {
        const std::string task = find_batch_job().array_task;
        const std::string example =
            task.empty() ? "" : "; each task of an array needs one, here " + path + "-" + task;
        fail(path, "another run is writing to it; choose another output.directory (--output DIR)" + example);
    }
    // Again, now that nobody else can be at it.
    check_output_directory(path, existing);
    for (const char* name : written_aside) files_.remove(std::string(name) + ".tmp");
    if (existing == Existing::overwrite)
        for (const char* name : result_files) files_.remove(name);
    // Of a checkpoint that did not come about, or of one that was just removed.
    discard_unnamed_parts(files_);
}

}  // namespace mpcflow

#include "app/verify/sealed_check.hpp"

#include <memory>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "app/checkpoint_file.hpp"
#include "app/hdf5/error.hpp"
#include "app/hdf5/file.hpp"
#include "app/hdf5/reading.hpp"
#include "app/run_file.hpp"
#include "app/storage/seal.hpp"

namespace mpcflow::verify {

namespace {

using hdf5::Group;

constexpr const char* unchecked = "has no checksums (of an earlier mpcflow), but all of it can be read";

hdf5::File open_hdf5(const storage::Directory& directory, const std::string& name) {
    return hdf5::File::open(directory, name, storage::Access::read_only);
}

void note_run(const Group& root, FileFinding& finding) {
    const Group run = root.open_group("run");
    if (run.has_attribute("id"))
        finding.run_id = run.read_text_attribute("id");
    finding.step = run.read_int_attribute("steps_done");
    finding.status = run.read_text_attribute("status");
    if (run.has_attribute("state_hash"))
        finding.state_hash = run.read_unsigned_attribute("state_hash");
}

/// What is wrong with a seal, after the word "damaged".
std::string without_damaged(const std::string& text) {
    constexpr std::string_view word = "damaged: ";
    return text.starts_with(word) ? text.substr(word.size()) : text;
}

/// Whether there is a seal, which is not that of these bytes: HDF5 is not to be given what is proved to be damaged. Other
/// damage may be the want of a seal in a file of an earlier mpcflow.
bool has_broken_seal(std::string_view damage) { return damage.find("checksum") != std::string_view::npos; }

void fail(FileFinding& finding, const FileError& error, const std::string& path) {
    finding.condition = error.error_number == 0 ? Condition::damaged : Condition::unreadable;
    finding.why = without_path(error.what(), path);
}

}  // namespace

FileFinding check_run_file(const storage::Directory& directory, const std::string& name) {
    const std::string path = directory.file(name);
    FileFinding finding;
    finding.name = name;
    finding.kind = FileKind::run;
    try {
        storage::Descriptor descriptor = directory.open(name, storage::Access::read_only);
        const std::string damage = storage::find_damage(descriptor.get(), path);
        if (has_broken_seal(damage))
            throw FileError(path + ": " + without_damaged(damage), 0);
        const auto disk = std::make_shared<hdf5::DiskFile>(std::move(descriptor), path, hdf5::WriteOrder::any);
        const hdf5::File file = hdf5::File::open(disk, storage::Access::read_only);
        const Group root = file.root();
        if (root.read_text_attribute("format") != run_file_format)
            throw FileError(path + ": not a run.h5 of mpcflow", 0);
        finding.has_checksums = root.read_int_attribute("format_version") != 1 || root.open_group("run").has_attribute("id");
        if (!damage.empty() && finding.has_checksums) {
            finding.condition = Condition::damaged;
            finding.why = without_damaged(damage);
            return finding;
        }
        hdf5::read_everything(file);
        note_run(root, finding);
        if (!finding.has_checksums)
            finding.remarks.emplace_back(unchecked);
    } catch (const FileError& error) {
        fail(finding, error, path);
    }
    return finding;
}

namespace {

/// Whether it is of a format before, which this program does not go on from; it has another seal.
bool is_older(const storage::Directory& directory, const std::string& name, std::int64_t& version) {
    try {
        const hdf5::File file = open_hdf5(directory, name);
        const Group root = file.root();
        version = root.read_int_attribute("format_version");
        if (root.read_text_attribute("format") != checkpoint_file_format || version < 1 || version >= checkpoint_format_version ||
            root.open_group("run").has_attribute("id")) {
            return false;
        }
        hdf5::read_everything(file);
        return true;
    } catch (const FileError&) {
        return false;
    }
}

}  // namespace

CheckpointFinding check_checkpoint(const storage::Directory& directory, const std::string& name) {
    const std::string path = directory.file(name);
    CheckpointFinding finding;
    FileFinding& file = finding.file;
    file.name = name;
    file.kind = FileKind::checkpoint;
    try {
        const Checkpoint checkpoint = read_checkpoint_file(directory.open(name, storage::Access::read_only), path);
        hdf5::read_everything(open_hdf5(directory, name));
        file.run_id = checkpoint.run_id;
        file.step = checkpoint.particles.step;
        file.state_hash = checkpoint.state_hash;
        finding.can_be_used = true;
        finding.frames = checkpoint.frames;
        finding.frames_checksum = checkpoint.frames_checksum;
        finding.windows = checkpoint.windows;
        finding.windows_checksum = checkpoint.windows_checksum;
        return finding;
    } catch (const BadCheckpoint& fault) {
        if (std::int64_t version = 0; !has_broken_seal(fault.what()) && is_older(directory, name, version)) {
            file.has_checksums = false;
            file.remarks.push_back(fmt::format("of format {}, whose checksum this program does not know; all of it can be read, "
                                               "and the mpcflow that wrote it goes on from it",
                                               version));
            return finding;
        }
        finding.is_proved_bad = true;
        file.condition = Condition::damaged;
        file.why = without_damaged(without_path(fault.what(), path));
    } catch (const FileError& error) {
        fail(file, error, path);
    } catch (const EnvironmentError& error) {
        // Sealed, but not by this program, or forged: a restart stops here.
        file.condition = Condition::damaged;
        file.why = without_path(error.what(), path);
    }
    return finding;
}

}  // namespace mpcflow::verify

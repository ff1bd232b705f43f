#include "app/verify/sealed_check.hpp"

#include <stdexcept>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "app/hdf5/contents.hpp"
#include "app/hdf5/file.hpp"
#include "app/output/checkpoint_file.hpp"
#include "app/output/checkpoint_parts.hpp"
#include "app/output/run_file.hpp"
#include "app/output/trajectory_file.hpp"
#include "app/output/window_file.hpp"
#include "app/run/observables.hpp"
#include "app/storage/seal.hpp"
#include "input/reader.hpp"

namespace mpcflow::verify {

namespace {

using hdf5::Group;

/// The format of a checkpoint of before, which has another seal, and all of which can be read; 0 if it is
/// none.
std::int64_t find_older_format(const storage::Directory& directory, const std::string& name) {
    try {
        const hdf5::File file = hdf5::File::open(directory, name, storage::Access::read_only);
        const Group root = file.root();
        const std::int64_t version = root.read_int_attribute("format_version");
        if (root.read_text_attribute("format") != checkpoint_file_format || version < 1 ||
            version >= first_sealed_checkpoint_format || root.open_group("run").has_attribute("id"))
            return 0;
        hdf5::read_everything(file);
        return version;
    } catch (const FileError&) {
        return 0;
    }
}

/// Throws EnvironmentError where a restart could not go on from the states of its observables.
void check_states(Checkpoint& checkpoint) {
    try {
        Observables observables =
            make_observables(parse_scenario(checkpoint.resolved_input, checkpoint.path));
        std::vector<std::string> remarks;
        restore_observables(observables, checkpoint.observables, checkpoint.step, remarks);
    } catch (const InputError&) {
        return;  // of a version with other keys
    } catch (const std::invalid_argument& error) {
        throw EnvironmentError(checkpoint.path + ": is no state of its input: " + error.what());
    }
}

}  // namespace

FileFinding check_run_file(const storage::Directory& directory, const std::string& name) {
    const std::string path = directory.file(name);
    FileFinding finding{.name = name, .kind = FileKind::run};
    try {
        const hdf5::File file = open_run_file(directory.open(name, storage::Access::read_only), path);
        const Group root = file.root();
        if (root.read_text_attribute("format") != run_file_format)
            throw FileError(path + ": not a run.h5 of mpcflow", 0);
        hdf5::read_everything(file);
        const Group run = root.open_group("run");
        if (run.has_attribute("id")) finding.run_id = run.read_text_attribute("id");
        finding.step = run.read_int_attribute("steps_done");
        finding.status = run.read_text_attribute("status");
        if (run.has_attribute("state_hash")) finding.state_hash = run.read_unsigned_attribute("state_hash");
        finding.has_checksums = !is_unsealed_format(root);
        if (!finding.has_checksums)
            finding.remarks.emplace_back(
                "has no checksums (of an earlier mpcflow), but all of it can be read");
    } catch (const FileError& error) {
        finding.set_damage(error, path);
    }
    return finding;
}

FileFinding check_part(const storage::Directory& directory, const std::string& name) {
    const std::string path = directory.file(name);
    FileFinding finding{.name = name, .kind = FileKind::part};
    try {
        const storage::Descriptor sealed = directory.open(name, storage::Access::read_only);
        if (const std::string damage = storage::find_damage(sealed.get(), path); !damage.empty())
            throw FileError(path + ": " + damage, 0);
        const hdf5::File file = hdf5::File::open(directory, name, storage::Access::read_only);
        if (file.root().read_text_attribute("format") != part_format)
            throw FileError(path + ": not a part of a checkpoint of mpcflow", 0);
        hdf5::read_everything(file);
        finding.step = file.root().read_int_attribute("step");
    } catch (const FileError& error) {
        finding.set_damage(error, path);
    }
    return finding;
}

CheckpointFinding check_checkpoint(const storage::Directory& directory, const std::string& name) {
    const std::string path = directory.file(name);
    CheckpointFinding finding;
    finding.name = name;
    finding.kind = FileKind::checkpoint;
    try {
        {
            Checkpoint checkpoint =
                read_checkpoint_file(directory.open(name, storage::Access::read_only), path);
            check_states(checkpoint);
            finding.run_id = checkpoint.run_id;
            finding.step = checkpoint.step;
            finding.state_hash = checkpoint.state_hash;
            finding.notes = checkpoint.notes;
            if (const std::size_t parts = checkpoint.parts.parts.size(); parts > 0)
                finding.remarks.push_back(
                    fmt::format("its particles are in {} parts, {} ... {}, all whole", parts,
                                part_name(checkpoint.parts.token, 0),
                                part_name(checkpoint.parts.token, static_cast<int>(parts) - 1)));
            finding.counted = {
                {trajectory_file_name, FileKind::trajectory, checkpoint.frames, checkpoint.frames_checksum},
                {window_file_name, FileKind::fields, checkpoint.windows, checkpoint.windows_checksum}};
        }
        hdf5::read_everything(hdf5::File::open(directory, name, storage::Access::read_only));
        finding.can_be_used = true;
    } catch (const BadCheckpoint& fault) {
        const std::string damage = fault.what();
        // What is proved to be damaged is not given to HDF5.
        const std::int64_t format =
            damage.ends_with(storage::broken_seal) ? 0 : find_older_format(directory, name);
        finding.is_proved_bad = format == 0;
        if (finding.is_proved_bad) {
            finding.set_damage(Condition::damaged, damage, path);
            return finding;
        }
        finding.has_checksums = false;
        finding.remarks.push_back(
            fmt::format("of format {}, whose checksum this program does not know; all of it can "
                        "be read, and the mpcflow that wrote it goes on from it",
                        format));
    } catch (const FileError& error) {
        finding.set_damage(error, path);
    } catch (const EnvironmentError& error) {
        // Sealed, but not by this program, or forged: a restart stops here.
        finding.set_damage(Condition::damaged, error.what(), path);
    }
    return finding;
}

}  // namespace mpcflow::verify

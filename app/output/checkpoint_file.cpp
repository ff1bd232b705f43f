#include "app/output/checkpoint_file.hpp"

#include <algorithm>
#include <cmath>
#include <exception>
#include <filesystem>
#include <memory>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "app/hdf5/error.hpp"
#include "app/hdf5/file.hpp"
#include "app/output/checkpoint_check.hpp"
#include "app/output/checkpoint_parts.hpp"
#include "app/output/observable_group.hpp"
#include "app/output/particle_group.hpp"
#include "app/output/run_file.hpp"
#include "app/output/sealed_file.hpp"
#include "app/run/theory_numbers.hpp"
#include "app/storage/file_error.hpp"
#include "app/storage/seal.hpp"
#include "physics/domain/share.hpp"
#include "physics/snapshot.hpp"

namespace mpcflow {

namespace {

using hdf5::Group;

void write_run(const Group& root, const SolverState& state, const ResultsSoFar& results) {
    const RunRecord& record = results.record;
    const Group program = root.create_group("program");
    program.write_attribute("version", program_version());
    program.write_attribute("commit", program_commit());
    const Group run = root.create_group("run");
    run.write_attribute("id", record.id);
    run.write_attribute("title", record.scenario.title);
    run.write_attribute("precision", std::string_view(precision_name(record.scenario.execution.precision)));
    run.write_attribute("particles", record.scenario.system.particle_count());
    run.write_attribute("step", state.particles->step);
    run.write_attribute("steps_in_all", record.scenario.run.equilibration + record.scenario.run.steps);
    run.write_attribute("fast_steps", state.fast_steps);
    run.write_attribute("state_hash", state.state_hash);
    run.write_attribute("start_time", record.start_time);
    run.write_attribute("wall_time", record.wall_time);
    run.write_attribute("restarts", record.restarts);
    run.write_attribute("frames", results.frames.rows);
    run.write_attribute("frames_checksum", results.frames.checksum);
    run.write_attribute("windows", results.windows.rows);
    run.write_attribute("windows_checksum", results.windows.checksum);
    std::string notes;
    for (const std::string& note : record.notes) notes += note + "\n";
    run.write_text("notes", notes, {});
    run.write_text("input", record.resolved_input, {});
}

void read_run(const Group& root, Checkpoint& checkpoint) {
    const Group run = root.open_group("run");
    checkpoint.program_version = root.open_group("program").read_text_attribute("version");
    checkpoint.run_id = run.read_text_attribute("id");
    checkpoint.fast_steps = run.read_int_attribute("fast_steps");
    checkpoint.state_hash = run.read_unsigned_attribute("state_hash");
    checkpoint.start_time = run.read_text_attribute("start_time");
    checkpoint.wall_time = run.read_double_attribute("wall_time");
    checkpoint.restarts = run.read_int_attribute("restarts");
    checkpoint.frames = run.read_int_attribute("frames");
    checkpoint.frames_checksum = run.read_unsigned_attribute("frames_checksum");
    checkpoint.windows = run.read_int_attribute("windows");
    checkpoint.windows_checksum = run.read_unsigned_attribute("windows_checksum");
    checkpoint.resolved_input = run.read_text("input");
    const std::string notes = run.read_text("notes");
    for (std::size_t begin = 0, end = 0; (end = notes.find('\n', begin)) != std::string::npos;
         begin = end + 1)
        checkpoint.notes.push_back(notes.substr(begin, end - begin));
}

/// Puts the particles in, or says where they are: `parts` are files that have them, if there are any.
void write_contents(const Group& root, const SolverState& state, const ResultsSoFar& results,
                    const std::vector<CheckpointPart>& parts) {
    root.write_attribute("format", std::string_view(checkpoint_file_format));
    root.write_attribute("format_version",
                         parts.empty() ? checkpoint_format_version : checkpoint_in_parts_version);
    write_run(root, state, results);
    if (parts.empty()) write_particles(root, *state.particles, Ids::all_in_order);
    else write_part_list(root, {state.others->token, parts});
    write_states(root, results.observables);
}

std::int64_t bytes_of(const SolverState& state, const ResultsSoFar& results,
                      const std::vector<CheckpointPart>& parts) {
    std::int64_t observed = 0;
    for (const auto& observable : results.observables) observed += file_bytes(observable->arrays);
    const std::int64_t particles = parts.empty() ? state.particles->count() : 0;
    const Scenario& scenario = results.record.scenario;
    return checkpoint_bytes(particles, scenario.execution.precision, scenario.system.masses()) +
           static_cast<std::int64_t>(parts.size() * sizeof(CheckpointPart)) +
           static_cast<std::int64_t>(results.record.resolved_input.size()) + observed;
}

/// All parts of a checkpoint: those that others have written, and before them that of this process, which is
/// written now. Their names are on the disk, too.
std::vector<CheckpointPart> complete_parts(const storage::Directory& directory, const SolverState& state) {
    const PartsOfOthers& others = *state.others;
    if (others.failure) std::rethrow_exception(others.failure);
    std::vector<CheckpointPart> parts{write_part(directory, others.token, 0, *state.particles)};
    parts.insert(parts.end(), others.parts.begin(), others.parts.end());
    directory.sync();
    return parts;
}

/// Gives it its name, and the one before it the name of the one before.
void take_place(const storage::Directory& directory, const std::string& temporary) {
    if (directory.has(checkpoint_file_name)) directory.rename(checkpoint_file_name, previous_checkpoint_name);
    directory.rename(temporary, checkpoint_file_name);
    directory.sync();
}

/// The directory in which a file itself lies, be its name that of a link.
std::string folder_of(const std::string& path) {
    std::error_code error;
    const std::filesystem::path file = std::filesystem::canonical(path, error);
    if (error) fail_file(path, "find its directory", error.value());
    return file.parent_path().string();
}

/// Throws BadCheckpoint, or EnvironmentError for one of another format.
void require_format(const Group& root, const std::string& path) {
    if (root.read_text_attribute("format") != checkpoint_file_format)
        throw BadCheckpoint(path + ": not a checkpoint of mpcflow");
    const std::int64_t version = root.read_int_attribute("format_version");
    if (version == checkpoint_format_version || version == checkpoint_in_parts_version) return;
    throw EnvironmentError(
        fmt::format("{}: checkpoint of format {}, but this program reads formats {} and {}; use the "
                    "mpcflow that wrote it",
                    path, version, checkpoint_format_version, checkpoint_in_parts_version));
}

/// The contents of a checkpoint whose seal is whole, and how many particles it should have; opens none of its
/// parts.
Checkpoint read_contents(const std::shared_ptr<hdf5::DiskFile>& disk, Precision& precision) {
    const hdf5::File file = hdf5::File::open(disk, storage::Access::read_only);
    const std::string& path = file.path();
    Checkpoint checkpoint;
    checkpoint.path = path;
    const Group root = file.root();
    require_format(root, path);
    read_run(root, checkpoint);
    const Group run = root.open_group("run");
    precision =
        run.read_text_attribute("precision") == "mixed" ? Precision::mixed : Precision::double_precision;
    checkpoint.step = run.read_int_attribute("step");
    checkpoint.observables = read_states(root);
    check_counts(checkpoint);
    if (root.has("parts")) {
        const auto directory = std::make_shared<const storage::Directory>(folder_of(path));
        checkpoint.parts = read_part_list(root);
        checkpoint.open_share = [directory, list = checkpoint.parts](int number, int count) {
            return open_parts(directory, list, number, count);
        };
        return checkpoint;
    }
    const auto particles =
        static_cast<std::int64_t>(root.open_group("particles").open_dataset("position").row_count());
    checkpoint.open_share = [disk, particles](int number, int count) -> std::unique_ptr<ParticleSource> {
        return std::make_unique<GroupParticles>(hdf5::File::open(disk, storage::Access::read_only), particles,
                                                share_of(particles, number, count), Ids::all_in_order);
    };
    return checkpoint;
}

/// The same of one that is open. Throws BadCheckpoint where its seal is broken.
Checkpoint read_sealed_contents(storage::Descriptor file, const std::string& path, Precision& precision) {
    if (const std::string damage = storage::find_damage(file.get(), path); !damage.empty())
        throw BadCheckpoint(path + ": " + damage);
    return read_contents(std::make_shared<hdf5::DiskFile>(std::move(file), path, hdf5::WriteOrder::any),
                         precision);
}

/// Throws EnvironmentError where its particles cannot be, or are not those that it tells of.
void check_particles(const Checkpoint& checkpoint, Precision precision) {
    // Squares of such speeds would not be finite.
    constexpr double greatest_speed = 1e100;
    constexpr std::int64_t most = 1 << 16;
    const auto particles = checkpoint.open_share(0, 1);
    std::uint64_t hash = 0;
    std::int64_t count = 0;
    for (ParticleSnapshot piece = particles->next(most); !piece.id.empty(); piece = particles->next(most)) {
        if (!std::ranges::all_of(piece.velocity, [](double v) { return std::abs(v) < greatest_speed; }))
            throw EnvironmentError(
                checkpoint.path +
                ": has particles of speeds that there cannot be: this is not what mpcflow wrote");
        hash += snapshot_hash(piece, precision);  // a sum over particles
        count += std::ssize(piece.id);
    }
    if (count != particles->count() || hash != checkpoint.state_hash) {
        throw EnvironmentError(checkpoint.path +
                               ": its particles do not have its state hash: this is not what mpcflow wrote");
    }
}

}  // namespace

void write_checkpoint_file(const storage::Directory& directory, const SolverState& state,
                           const ResultsSoFar& results) {
    const std::string temporary = std::string(checkpoint_file_name) + ".tmp";
    std::vector<CheckpointPart> parts;
    try {
        if (state.others) parts = complete_parts(directory, state);
        write_sealed_file(directory, temporary, bytes_of(state, results, parts),
                          [&](const Group& root) { write_contents(root, state, results, parts); });
    } catch (const EnvironmentError&) {
        if (state.others) discard_parts(directory, state.others->token);
        throw;
    }
    take_place(directory, temporary);
}

Checkpoint read_checkpoint_contents(storage::Descriptor file, const std::string& path) {
    Precision precision = Precision::double_precision;
    return read_sealed_contents(std::move(file), path, precision);
}

Checkpoint read_checkpoint_file(storage::Descriptor file, const std::string& path) {
    Precision precision = Precision::double_precision;
    Checkpoint checkpoint = read_sealed_contents(std::move(file), path, precision);
    if (!checkpoint.parts.parts.empty()) {
        const storage::Directory directory(folder_of(path));
        if (const std::string damage = find_damaged_part(directory, checkpoint.parts); !damage.empty())
            throw BadCheckpoint(path + ": of its parts " + damage);
    }
    check_particles(checkpoint, precision);
    return checkpoint;
}

std::optional<std::string> find_run_id(const storage::Directory& directory, const std::string& name) {
    const std::string path = directory.file(name);
    storage::Descriptor descriptor = directory.open(name, storage::Access::read_only);
    const std::string damage = storage::find_damage(descriptor.get(), path);
    // What is proved to be damaged is not given to HDF5.
    if (damage == storage::broken_seal) return std::nullopt;
    try {
        const auto disk =
            std::make_shared<hdf5::DiskFile>(std::move(descriptor), path, hdf5::WriteOrder::any);
        const hdf5::File file = hdf5::File::open(disk, storage::Access::read_only);
        if (damage.empty() && file.root().open_group("run").has_attribute("id"))
            return file.root().open_group("run").read_text_attribute("id");
        // Files had neither seal nor id before these versions: one of that time is another run's.
        const std::string format = file.root().read_text_attribute("format");
        const std::int64_t version = file.root().read_int_attribute("format_version");
        const bool is_older =
            (format == run_file_format && version == 1) ||
            (format == checkpoint_file_format && version >= 1 && version < first_sealed_checkpoint_format);
        return is_older ? std::optional<std::string>("") : std::nullopt;
    } catch (const FileError& error) {
        if (error.error_number != 0) throw;
        return std::nullopt;
    }
}

std::int64_t checkpoint_bytes(std::int64_t particles, Precision precision, Masses masses) {
    constexpr std::int64_t metadata = 128 << 10;
    return metadata + particle_group_bytes(particles, precision, masses, Ids::all_in_order);
}

}  // namespace mpcflow

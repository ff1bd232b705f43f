#include "app/output/checkpoint_file.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "app/hdf5/error.hpp"
#include "app/hdf5/file.hpp"
#include "app/output/checkpoint_check.hpp"
#include "app/output/observable_group.hpp"
#include "app/output/run_file.hpp"
#include "app/run/theory_numbers.hpp"
#include "app/storage/disk_space.hpp"
#include "app/storage/seal.hpp"
#include "physics/snapshot.hpp"

namespace mpcflow {

namespace {

using hdf5::DatasetLayout;
using hdf5::Group;
using hdf5::Growth;
using hdf5::NumberType;

/// A row of three for each particle: make(first, count, numbers) as Dataset::MakeItems.
template <class Number, class Make>
void write_triples(const Group& group, const std::string& name, const ParticleRecords& particles,
                   const Make& make) {
    const auto count = static_cast<hsize_t>(particles.count());
    group.create_dataset(name, {hdf5::number_type<Number>(), {count, 3}, Growth::fixed, {}, {}})
        .template write_by_items<Number>(make);
}

template <class Real>
void write_particles_as(const Group& group, const ParticleRecords& particles) {
    write_triples<Real>(
        group, "position", particles,
        [&](std::size_t first, std::size_t count, Real* to) { copy_positions(particles, first, count, to); });
    write_triples<Real>(
        group, "velocity", particles,
        [&](std::size_t first, std::size_t count, Real* to) {
            copy_velocities(particles, first, count, to);
        });
    write_triples<std::int32_t>(group, "image", particles,
                                [&](std::size_t first, std::size_t count, std::int32_t* to) {
                                    copy_images(particles, first, count, to);
                                });
}

void write_particles(const Group& root, const ParticleRecords& particles, Precision precision) {
    const Group group = root.create_group("particles");
    if (precision == Precision::mixed) write_particles_as<float>(group, particles);
    else write_particles_as<double>(group, particles);
}

ParticleSnapshot read_particles(const Group& root, std::int64_t step) {
    const Group group = root.open_group("particles");
    ParticleSnapshot particles;
    particles.step = step;
    particles.position = group.open_dataset("position").read<double>();
    particles.velocity = group.open_dataset("velocity").read<double>();
    particles.image = group.open_dataset("image").read<std::int32_t>();
    const hsize_t count = particles.position.size() / 3;
    for (const char* name : {"position", "velocity", "image"})
        group.open_dataset(name).require_shape({count, 3});
    particles.id.resize(count);
    for (std::size_t i = 0; i < particles.id.size(); ++i) particles.id[i] = static_cast<std::int64_t>(i);
    return particles;
}

void write_run(const Group& root, const SolverState& state, const ResultsSoFar& results) {
    const RunRecord& record = results.record;
    const Group program = root.create_group("program");
    program.write_attribute("version", program_version());
    program.write_attribute("commit", program_commit());
    const Group run = root.create_group("run");
    run.write_attribute("id", record.id);
    run.write_attribute("title", record.scenario.title);
    run.write_attribute("precision", std::string_view(precision_name(record.scenario.execution.precision)));
    run.write_attribute("particles", state.particles->count());
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

void write_contents(const Group& root, const SolverState& state, const ResultsSoFar& results) {
    root.write_attribute("format", std::string_view(checkpoint_file_format));
    root.write_attribute("format_version", checkpoint_format_version);
    write_run(root, state, results);
    write_particles(root, *state.particles, results.record.scenario.execution.precision);
    write_states(root, results.observables);
}

std::int64_t bytes_of(const SolverState& state, const ResultsSoFar& results) {
    std::int64_t observed = 0;
    for (const auto& observable : results.observables) observed += file_bytes(observable->arrays);
    return checkpoint_bytes(state.particles->count(), results.record.scenario.execution.precision) +
           static_cast<std::int64_t>(results.record.resolved_input.size()) + observed;
}

void write_temporary(const storage::Directory& directory, const std::string& name, const SolverState& state,
                     const ResultsSoFar& results) {
    hdf5::File file = hdf5::File::create(directory, name);
    try {
        storage::reserve_space(file.descriptor(), file.path(), 0, bytes_of(state, results));
        write_contents(file.root(), state, results);
        file.flush();
        file.close();
        storage::seal_file(file.descriptor(), file.path());
        storage::release_reserve(file.descriptor());
        storage::sync_file(file.descriptor(), file.path());
        file.disk().close();
    } catch (...) {
        file.abandon();
        throw;
    }
}

/// The contents of a checkpoint whose seal is whole.
Checkpoint read_contents(const hdf5::File& file, Precision& precision) {
    const std::string& path = file.path();
    Checkpoint checkpoint;
    checkpoint.path = path;
    const Group root = file.root();
    if (root.read_text_attribute("format") != checkpoint_file_format)
        throw BadCheckpoint(path + ": not a checkpoint of mpcflow");
    if (const std::int64_t version = root.read_int_attribute("format_version");
        version != checkpoint_format_version) {
        throw EnvironmentError(
            fmt::format("{}: checkpoint of format {}, but this program reads format {}; use the "
                        "mpcflow that wrote it",
                        path, version, checkpoint_format_version));
    }
    read_run(root, checkpoint);
    const Group run = root.open_group("run");
    precision =
        run.read_text_attribute("precision") == "mixed" ? Precision::mixed : Precision::double_precision;
    checkpoint.particles = read_particles(root, run.read_int_attribute("step"));
    checkpoint.observables = read_states(root);
    check_counts(checkpoint);
    return checkpoint;
}

}  // namespace

void write_checkpoint_file(const storage::Directory& directory, const SolverState& state,
                           const ResultsSoFar& results) {
    const std::string temporary = std::string(checkpoint_file_name) + ".tmp";
    try {
        write_temporary(directory, temporary, state, results);
    } catch (const FileError&) {
        // Were that to fail and to be told instead, a failed fsync would pass for a checkpoint that may be
        // missing.
        directory.discard(temporary);
        throw;
    }
    if (directory.has(checkpoint_file_name)) directory.rename(checkpoint_file_name, previous_checkpoint_name);
    directory.rename(temporary, checkpoint_file_name);
    directory.sync();
}

Checkpoint read_checkpoint_file(storage::Descriptor descriptor, const std::string& path) {
    if (const std::string damage = storage::find_damage(descriptor.get(), path); !damage.empty())
        throw BadCheckpoint(path + ": " + damage);
    const auto disk = std::make_shared<hdf5::DiskFile>(std::move(descriptor), path, hdf5::WriteOrder::any);
    Precision precision = Precision::double_precision;
    Checkpoint checkpoint = read_contents(hdf5::File::open(disk, storage::Access::read_only), precision);
    const ParticleSnapshot& particles = checkpoint.particles;
    // Squares of such speeds would not be finite.
    constexpr double greatest_speed = 1e100;
    if (!std::ranges::all_of(particles.velocity, [](double v) { return std::abs(v) < greatest_speed; }))
        throw EnvironmentError(
            path + ": has particles of speeds that there cannot be: this is not what mpcflow wrote");
    if (particles.velocity.size() != particles.position.size() ||
        particles.image.size() != particles.position.size() || particles.position.size() % 3 != 0 ||
        snapshot_hash(particles, precision) != checkpoint.state_hash) {
        throw EnvironmentError(path +
                               ": its particles do not have its state hash: this is not what mpcflow wrote");
    }
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

std::int64_t checkpoint_bytes(std::int64_t particles, Precision precision) {
    const std::int64_t bytes = (precision == Precision::mixed ? 24 : 48) + 12;
    constexpr std::int64_t metadata = 128 << 10;
    // Chunk indices and checksums.
    return metadata + bytes * particles + bytes * particles / 64;
}

}  // namespace mpcflow

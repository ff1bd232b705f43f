#include "app/output/checkpoint_file.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "app/hdf5/error.hpp"
#include "app/hdf5/file.hpp"
#include "app/output/observable_group.hpp"
#include "app/output/run_file.hpp"
#include "app/output/series_group.hpp"
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

constexpr hsize_t sums_in_bin = 6;
constexpr hsize_t pressure_sums_in_bin = 19;
static_assert(sizeof(FieldSums) == sums_in_bin * sizeof(double), "a bin is written as a row of doubles");
static_assert(sizeof(PressureSums) == pressure_sums_in_bin * sizeof(double), "and this one too");

template <class Number>
void write_numbers(const Group& group, const std::string& name, const std::vector<Number>& numbers,
                   NumberType type, std::vector<hsize_t> shape) {
    group.create_dataset(name, {type, std::move(shape), Growth::fixed, {}, {}}).write(numbers);
}

void write_span(const Group& group, const StepSpan& steps) {
    group.write_attribute("first_step", steps.first);
    group.write_attribute("last_step", steps.last);
}

StepSpan read_span(const Group& group) {
    return {group.read_int_attribute("first_step"), group.read_int_attribute("last_step")};
}

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

/// A block is a row of the dataset `name`, and with pressure of NAME_pressure; how many samples each has is
/// in NAME_samples.
void write_blocks(const Group& group, const std::string& name, const std::vector<const FieldBlock*>& blocks) {
    const hsize_t bins = blocks.front()->bins.size();
    hdf5::Dataset rows =
        group.create_dataset(name, {NumberType::float64, {bins, sums_in_bin}, Growth::by_rows, {}, {}});
    std::vector<std::int64_t> samples;
    for (const FieldBlock* block : blocks) {
        rows.append_row(reinterpret_cast<const double*>(block->bins.data()));
        samples.push_back(block->samples);
    }
    write_numbers(group, name + "_samples", samples, NumberType::int64, {samples.size()});
    if (blocks.front()->pressure.empty()) return;
    hdf5::Dataset pressure = group.create_dataset(
        name + "_pressure", {NumberType::float64, {bins, pressure_sums_in_bin}, Growth::by_rows, {}, {}});
    for (const FieldBlock* block : blocks)
        pressure.append_row(reinterpret_cast<const double*>(block->pressure.data()));
}

std::vector<PressureSums> read_pressure(const hdf5::Dataset& rows, std::size_t block) {
    const std::vector<double> row = rows.read_row<double>(block);
    std::vector<PressureSums> bins(row.size() / pressure_sums_in_bin);
    for (std::size_t bin = 0; bin < bins.size(); ++bin) {
        const double* const sums = &row[pressure_sums_in_bin * bin];
        PressureSums& to = bins[bin];
        to.particles = sums[0];
        std::copy_n(sums + 1, to.momentum.size(), to.momentum.begin());
        std::copy_n(sums + 4, to.kinetic.size(), to.kinetic.begin());
        std::copy_n(sums + 10, to.collisional.size(), to.collisional.begin());
    }
    return bins;
}

hsize_t bins_of(const hdf5::Dataset& rows) {
    const std::vector<hsize_t> shape = rows.shape();
    return shape.size() == 3 ? shape[1] : 0;
}

std::vector<FieldBlock> read_blocks(const Group& group, const std::string& name) {
    std::vector<FieldBlock> blocks;
    if (!group.has(name)) return blocks;
    const hdf5::Dataset rows = group.open_dataset(name);
    const std::vector<std::int64_t> samples_of = group.open_dataset(name + "_samples").read<std::int64_t>();
    const hsize_t count = std::max<hsize_t>(samples_of.size(), 1);  // there is none without a block
    group.open_dataset(name + "_samples").require_shape({count});
    rows.require_shape({count, bins_of(rows), sums_in_bin});
    if (group.has(name + "_pressure"))
        group.open_dataset(name + "_pressure").require_shape({count, bins_of(rows), pressure_sums_in_bin});
    for (const std::int64_t samples : samples_of) {
        const std::vector<double> row = rows.read_row<double>(blocks.size());
        FieldBlock block{samples, std::vector<FieldSums>(row.size() / sums_in_bin)};
        for (std::size_t bin = 0; bin < block.bins.size(); ++bin) {
            const double* const sums = &row[sums_in_bin * bin];
            block.bins[bin] = {sums[0], {sums[1], sums[2], sums[3]}, sums[4], sums[5]};
        }
        if (group.has(name + "_pressure"))
            block.pressure = read_pressure(group.open_dataset(name + "_pressure"), blocks.size());
        blocks.push_back(std::move(block));
    }
    return blocks;
}

/// A block that is not full yet, as NAME_block, if it has samples.
void write_open(const Group& group, const std::string& name, const SampledBlock& block) {
    if (block.sums.samples == 0) return;
    write_blocks(group, name + "_block", {&block.sums});
    group.write_attribute(name + "_first_step", block.steps.first);
    group.write_attribute(name + "_last_step", block.steps.last);
}

SampledBlock read_open(const Group& group, const std::string& name) {
    std::vector<FieldBlock> blocks = read_blocks(group, name + "_block");
    if (blocks.empty() && group.has_attribute(name + "_first_step"))
        static_cast<void>(group.open_dataset(name + "_block"));  // says that it is not there
    if (blocks.empty()) return {};
    return {std::move(blocks.front()),
            {group.read_int_attribute(name + "_first_step"), group.read_int_attribute(name + "_last_step")}};
}

void write_fields(const Group& root, const SampledBlock& open_block, const ResultsSoFar& results) {
    const Group group = root.create_group("fields");
    group.write_attribute("block_samples", results.fields->block_samples());
    write_span(group, results.record.field_steps);
    std::vector<const FieldBlock*> blocks;
    for (const FieldBlock& block : results.fields->blocks()) blocks.push_back(&block);
    if (!blocks.empty()) write_blocks(group, "blocks", blocks);
    write_open(group, "open", open_block);
    write_open(group, "window", results.open_window);
    group.write_attribute("windows", results.windows.rows);
    group.write_attribute("windows_checksum", results.windows.checksum);
}

void read_fields(const Group& root, Checkpoint& checkpoint) {
    const Group group = root.open_group("fields");
    checkpoint.field_block_samples = group.read_int_attribute("block_samples");
    checkpoint.field_steps = read_span(group);
    checkpoint.field_blocks = read_blocks(group, "blocks");
    checkpoint.open_block = read_open(group, "open");
    checkpoint.open_window = read_open(group, "window");
    checkpoint.windows = group.read_int_attribute("windows");
    checkpoint.windows_checksum = group.read_unsigned_attribute("windows_checksum");
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
    write_series(root, results.record.series);
    if (results.fields != nullptr) write_fields(root, state.open_block, results);
    write_states(root, state.observables);
}

std::int64_t bytes_of(const SolverState& state, const ResultsSoFar& results) {
    const RunRecord& record = results.record;
    std::int64_t observed = 0;
    for (const ObservableState& observable : state.observables) observed += file_bytes(observable.arrays);
    const auto bytes_of_block = [](const FieldBlock& block) {
        return block.bins.size() * (sizeof(FieldSums) + 4) +
               block.pressure.size() * (sizeof(PressureSums) + 8);
    };
    std::size_t fields = bytes_of_block(state.open_block.sums) + bytes_of_block(results.open_window.sums);
    if (results.fields != nullptr)
        for (const FieldBlock& block : results.fields->blocks()) fields += bytes_of_block(block);
    return checkpoint_bytes(state.particles->count(), record.scenario.execution.precision) +
           static_cast<std::int64_t>(record.resolved_input.size()) + observed +
           run_file_bytes(static_cast<std::int64_t>(record.series.size()), 0, {}) +
           static_cast<std::int64_t>(fields);
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

/// Throws EnvironmentError where counts are not those that any run can have come to.
class CountCheck {
public:
    explicit CountCheck(const Checkpoint& checkpoint)
        : checkpoint_(checkpoint), step_(checkpoint.particles.step) {}

    void check() const {
        constexpr std::int64_t most_restarts = std::int64_t{1} << 31;
        require(step_ >= 0 && step_ < std::int64_t{1} << 62, "its step");
        require(checkpoint_.fast_steps >= 0 && checkpoint_.fast_steps <= step_, "its fast steps");
        require(std::isfinite(checkpoint_.wall_time) && checkpoint_.wall_time >= 0.0, "its wall time");
        require(checkpoint_.restarts >= 0 && checkpoint_.restarts < most_restarts, "its number of restarts");
        // There is at most one of each at a step, and what is due at this one is still to be written.
        require(checkpoint_.frames >= 0 && checkpoint_.frames <= step_ + 1, "its number of frames");
        require(checkpoint_.windows >= 0 && checkpoint_.windows <= step_ + 1, "its number of windows");
        require(is_word(checkpoint_.program_version), "the version of its program");
        require(is_word(checkpoint_.start_time), "its start");
        require(is_word(checkpoint_.run_id), "its id");
        for (const ObservableState& state : checkpoint_.observables) {
            // It is told, where it is not asked for any more.
            require(!state.name.empty() &&
                        state.name.find_first_not_of("abcdefghijklmnopqrstuvwxyz_") == std::string::npos,
                    "the name of an observable");
        }
        check_series();
        if (checkpoint_.field_block_samples != 0) check_field_blocks();
        check_block(checkpoint_.open_block, "the open block of its fields");
        check_block(checkpoint_.open_window, "the open window of its fields");
    }

private:
    /// Of particles in a cell.
    [[nodiscard]] bool is_count(std::int64_t particles) const {
        return particles >= 0 && particles <= static_cast<std::int64_t>(checkpoint_.particles.id.size());
    }

    /// A text that is shown.
    [[nodiscard]] static bool is_word(const std::string& text) {
        constexpr std::size_t longest = 100;
        return text.size() <= longest &&
               std::ranges::all_of(text, [](char c) { return c >= ' ' && c <= '~'; });
    }

    void require(bool is_possible, const std::string& what) const {
        if (!is_possible)
            throw EnvironmentError(checkpoint_.path + ": " + what +
                                   " cannot be: this is not what mpcflow wrote");
    }

    void check_series() const {
        std::int64_t before = -1;
        for (const SeriesRow& row : checkpoint_.series) {
            require(row.step > before && row.step <= step_, "a step of its series");
            require(std::isfinite(row.time + row.kinetic_energy + row.momentum[0] + row.momentum[1] +
                                  row.momentum[2] + row.extremes.maximum_speed) &&
                        !std::isinf(row.temperature),
                    "a number of its series");
            require(is_count(row.extremes.minimum_occupancy) && is_count(row.extremes.maximum_occupancy),
                    "a number of its series");
            before = row.step;
        }
    }

    /// All blocks but the last are full, and blocks of more than one sample were merged of two.
    void check_field_blocks() const {
        const std::int64_t full = checkpoint_.field_block_samples;
        const std::vector<FieldBlock>& blocks = checkpoint_.field_blocks;
        const bool is_doubled =
            full >= 1 && full <= step_ + 1 && std::has_single_bit(static_cast<std::uint64_t>(full));
        require(is_doubled && (full == 1 || (!blocks.empty() && blocks.front().samples == full)),
                "its samples of a field block");
        for (const FieldBlock& block : blocks) {
            require(block.samples >= 1 && block.samples <= full &&
                        (block.samples == full || &block == &blocks.back()),
                    "the number of samples of a field block");
            check_sums(block);
        }
        if (!blocks.empty()) check_span(checkpoint_.field_steps, 1, "the steps of its fields");
        else
            require(checkpoint_.field_steps.first == 0 && checkpoint_.field_steps.last == 0,
                    "fields without their sums");
    }

    void check_block(const SampledBlock& block, const char* what) const {
        if (block.sums.samples == 0 && block.sums.bins.empty()) return;
        require(block.sums.samples >= 1, what);
        check_span(block.steps, block.sums.samples, what);
        check_sums(block.sums);
    }

    void check_span(const StepSpan& steps, std::int64_t samples, const char* what) const {
        require(steps.first >= 0 && steps.first <= steps.last && steps.last <= step_ &&
                    samples - 1 <= steps.last - steps.first,
                what);
    }

    void check_sums(const FieldBlock& block) const {
        for (const FieldSums& bin : block.bins) {
            require(bin.particles >= 0.0 &&
                        std::isfinite(bin.particles + bin.momentum[0] + bin.momentum[1] + bin.momentum[2] +
                                      bin.relative_energy + bin.relative_freedoms),
                    "a sum of its fields");
        }
        for (const PressureSums& bin : block.pressure) {
            double all = bin.particles;
            for (const double sum : bin.momentum) all += sum;
            for (const double sum : bin.kinetic) all += sum;
            for (const double sum : bin.collisional) all += sum;
            require(bin.particles >= 0.0 && std::isfinite(all), "a sum of its fields");
        }
    }

    const Checkpoint& checkpoint_;
    std::int64_t step_;
};

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
    checkpoint.series = read_series(root);
    checkpoint.field_block_samples = 0;  // no fields were wanted
    if (root.has("fields")) {
        read_fields(root, checkpoint);
        if (checkpoint.field_block_samples == 0)
            throw EnvironmentError(path +
                                   ": its fields have blocks of no samples: this is not what mpcflow wrote");
    }
    checkpoint.observables = read_states(root);
    CountCheck(checkpoint).check();
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
            (format == checkpoint_file_format && version >= 1 && version < checkpoint_format_version);
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

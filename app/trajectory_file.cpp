#include "app/trajectory_file.hpp"

#include <array>
#include <cstdio>
#include <limits>
#include <numeric>
#include <vector>

#include <fmt/format.h>

#include "app/disk_space.hpp"
#include "app/hdf5/error.hpp"
#include "app/hdf5/file.hpp"
#include "app/theory_numbers.hpp"

namespace mpcflow {

namespace {

using hdf5::Dataset;
using hdf5::DatasetLayout;
using hdf5::Group;
using hdf5::Growth;
using hdf5::NumberType;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

std::string temporary_path(const std::string& path) { return path + ".tmp"; }

/// Layouts of the values of a frame; no `unit` attributes, which H5MD readers try to convert.
DatasetLayout vectors(const System& system, Precision precision, const char* description) {
    const auto particles = static_cast<hsize_t>(system.particle_count());
    const NumberType type = precision == Precision::mixed ? NumberType::float32 : NumberType::float64;
    return {type, {particles, 3}, Growth::by_rows, nan, {description, {}}};
}

DatasetLayout images(const System& system) {
    return {NumberType::int32,
            {static_cast<hsize_t>(system.particle_count()), 3},
            Growth::by_rows,
            {},
            {"times that the particle has crossed the box; unwrapped position = position + image * box size", {}}};
}

DatasetLayout ids(const System& system) {
    const bool is_wide = system.particle_count() > std::numeric_limits<std::int32_t>::max();
    return {is_wide ? NumberType::int64 : NumberType::int32,
            {static_cast<hsize_t>(system.particle_count())},
            Growth::by_rows,
            {},
            {"particle ids, always 0 ... N-1", {}}};
}

/// Bytes on disk of one row of a dataset: whole chunks, each begun on a page of its own.
std::int64_t row_bytes(const DatasetLayout& layout) {
    constexpr hsize_t page = 4096;
    const std::vector<hsize_t> chunk = hdf5::chunk_shape(layout);
    hsize_t chunk_bytes = hdf5::byte_size(layout.type);
    hsize_t chunks = 1;
    for (std::size_t axis = 0; axis < layout.shape.size(); ++axis) {
        chunk_bytes *= chunk[axis + 1];
        chunks *= (layout.shape[axis] + chunk[axis + 1] - 1) / chunk[axis + 1];
    }
    constexpr hsize_t index_entry = 128;  // of the chunk B-tree, half full nodes and checksum included
    return static_cast<std::int64_t>(chunks * ((chunk_bytes + page) / page * page + index_entry));
}

void write_h5md_header(const Group& root) {
    const Group h5md = root.create_group("h5md");
    h5md.write_attribute("version", std::span<const std::int32_t>(std::array<std::int32_t, 2>{1, 1}));
    h5md.create_group("author").write_attribute("name", user_name());
    const Group creator = h5md.create_group("creator");
    creator.write_attribute("name", std::string_view("mpcflow"));
    creator.write_attribute("version", program_version());
}

/// How the file was made, for one who has this file alone.
Group write_parameters(const Group& root, const RunRecord& record) {
    Group group = root.create_group("parameters").create_group("mpcflow");
    group.write_attribute("title", record.scenario.title);
    group.write_attribute("commit", program_commit());
    group.write_attribute("device", record.device);
    group.write_attribute("start_time", record.start_time);
    group.write_attribute("seed", record.scenario.system.seed);
    group.write_attribute("precision", std::string_view(precision_name(record.scenario.execution.precision)));
    group.write_text("input", record.resolved_input, {"the input as it was run", {}});
    return group;
}

}  // namespace

/// The open file and its datasets. Destroyed in reverse order: the file last.
struct TrajectoryFile::Objects {
    hdf5::File file;
    Dataset step, time, edges, id, image, state_hash;
    std::optional<Dataset> position, velocity;
    std::vector<double> box_edges;
    std::vector<std::int64_t> all_ids;
};

std::int64_t trajectory_frame_bytes(const System& system, Precision precision,
                                    const TrajectoryOutput& quantities) {
    std::int64_t bytes = row_bytes(images(system)) + row_bytes(ids(system));
    if (quantities.position)
        bytes += row_bytes(vectors(system, precision, ""));
    if (quantities.velocity)
        bytes += row_bytes(vectors(system, precision, ""));
    return bytes;
}

TrajectoryFile::TrajectoryFile(std::string path, const RunRecord& record, SpaceCheck space_check)
    : path_(std::move(path)),
      time_step_(record.scenario.system.collision.time_step),
      frame_bytes_(trajectory_frame_bytes(record.scenario.system, record.scenario.execution.precision,
                                          *record.scenario.output.trajectory)),
      space_check_(space_check) {
    objects_ =
        std::make_unique<Objects>(Objects{hdf5::File::create(temporary_path(path_), hdf5::WriteOrder::ordered),
                                          {},
                                          {},
                                          {},
                                          {},
                                          {},
                                          {},
                                          {},
                                          {},
                                          {},
                                          {}});
    try {
        reserve_frame(0);
        create(record);
    } catch (const hdf5::FileError& error) {
        abandon();
        throw explain(error, 0);
    }
}

void TrajectoryFile::create(const RunRecord& record) {
    const System& system = record.scenario.system;
    const Precision precision = record.scenario.execution.precision;
    const TrajectoryOutput& quantities = *record.scenario.output.trajectory;
    Objects& objects = *objects_;
    const Group root = objects.file.root();
    write_h5md_header(root);
    const Group parameters = write_parameters(root, record);
    objects.state_hash = parameters.create_dataset(
        "state_hash", {NumberType::uint64, {}, Growth::by_rows, {}, {"state hash of each frame", {}}});

    const Group all = root.create_group("particles").create_group("all");
    const Group box = all.create_group("box");
    box.write_attribute("dimension", std::int64_t{3});
    std::array<std::string, 3> boundary;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        boundary[axis] = system.boundaries.faces[axis].is_periodic() ? "periodic" : "none";
    }
    box.write_attribute("boundary", std::span<const std::string>(boundary));

    const Group edges = box.create_group("edges");
    objects.step =
        edges.create_dataset("step", {NumberType::int64, {}, Growth::by_rows, {}, {"steps since the start", {}}});
    objects.time = edges.create_dataset(
        "time",
        {NumberType::float64, {}, Growth::by_rows, {}, {"time since the start, a (mass/energy)^(1/2)", {}}});
    objects.edges = edges.create_dataset(
        "value", {NumberType::float64, {3, 3}, Growth::by_rows, {}, {"edge vectors of the box, a", {}}});
    const auto element = [&](const std::string& name, const DatasetLayout& layout) {
        const Group group = all.create_group(name);
        group.link("/particles/all/box/edges/step", "step");
        group.link("/particles/all/box/edges/time", "time");
        return group.create_dataset("value", layout);
    };
    if (quantities.position) {
        objects.position = element("position", vectors(system, precision, "positions in the box, a"));
    }
    if (quantities.velocity) {
        objects.velocity = element("velocity", vectors(system, precision, "velocities, (energy/mass)^(1/2)"));
    }
    objects.image = element("image", images(system));
    objects.id = element("id", ids(system));

    // Never written: every particle reads the fill value, and the disk holds nothing.
    const auto particles = static_cast<hsize_t>(system.particle_count());
    static_cast<void>(all.create_dataset(
        "species", {NumberType::int32, {particles}, Growth::fixed, 0.0, {"species: 0, solvent", {}}}));
    static_cast<void>(all.create_dataset(
        "mass", {NumberType::float64, {particles}, Growth::fixed, system.fluid.mass, {"masses", {}}}));

    for (std::size_t i = 0; i < 3; ++i) {
        for (std::size_t j = 0; j < 3; ++j)
            objects.box_edges.push_back(i == j ? system.box.size[i] : 0.0);
    }
    objects.all_ids.resize(particles);
    std::iota(objects.all_ids.begin(), objects.all_ids.end(), std::int64_t{0});
}

TrajectoryFile::~TrajectoryFile() {
    if (objects_ && frames_ == 0)
        abandon();
}

void TrajectoryFile::reserve_frame(std::int64_t spare_bytes) {
    // Beside the frame: group and dataset headers at first, later splits of index nodes.
    constexpr std::int64_t metadata_bytes = 256 << 10;
    if (space_check_ == SpaceCheck::none)
        return;
    const int descriptor = objects_->file.descriptor();
    reserve_space(descriptor, path_, objects_->file.end_of_file(), frame_bytes_ + metadata_bytes);
    if (const std::int64_t available = free_bytes(descriptor); available >= 0 && available < spare_bytes) {
        throw hdf5::FileError(path_ + ": cannot write it: " + hdf5::describe_errno(ENOSPC), ENOSPC);
    }
}

hdf5::FileError TrajectoryFile::explain(const hdf5::FileError& error, std::int64_t step) const {
    std::string message = hdf5::means_no_room(error.error_number)
                              ? fmt::format(
                                    "{}: {}: no room for the frame of step {}; free space or choose another "
                                    "output.directory",
                                    path_, hdf5::describe_errno(error.error_number), step)
                              : fmt::format("{}; the frame of step {} is lost", error.what(), step);
    if (frames_ > 0)
        message += fmt::format("; frames up to step {} are intact", last_step_);
    return {message, error.error_number};
}

void TrajectoryFile::append(const ParticleSnapshot& snapshot, std::uint64_t state_hash, std::int64_t spare_bytes) {
    try {
        reserve_frame(spare_bytes);
    } catch (const hdf5::FileError& error) {
        if (frames_ == 0)
            abandon();
        throw explain(error, snapshot.step);
    }
    try {
        write_frame(snapshot, state_hash);
    } catch (const hdf5::FileError& error) {
        abandon();
        throw explain(error, snapshot.step);
    }
    ++frames_;
    last_step_ = snapshot.step;
}

void TrajectoryFile::write_frame(const ParticleSnapshot& snapshot, std::uint64_t state_hash) {
    Objects& objects = *objects_;
    // The values first, flushed, and what says that they are there last: however a kill falls between,
    // the frames that `step` lists are whole.
    if (objects.position)
        objects.position->append_row(snapshot.position.data());
    if (objects.velocity)
        objects.velocity->append_row(snapshot.velocity.data());
    objects.image.append_row(snapshot.image.data());
    objects.id.append_row(objects.all_ids.data());
    objects.edges.append_row(objects.box_edges.data());
    objects.state_hash.append_row(&state_hash);
    objects.file.flush();
    const double time = static_cast<double>(snapshot.step) * time_step_;
    objects.time.append_row(&time);
    objects.step.append_row(&snapshot.step);
    objects.file.flush();
    if (frames_ == 0)
        rename_file(temporary_path(path_), path_, Durability::page_cache);
}

void TrajectoryFile::close() {
    if (!objects_)
        return;
    if (frames_ == 0)
        return abandon();
    release_reserve(objects_->file.descriptor());
    sync_file(objects_->file.descriptor(), path_);
    hdf5::File file = std::move(objects_->file);
    objects_.reset();
    file.close();
}

void TrajectoryFile::abandon() noexcept {
    // HDF5 writes what it still holds when its identifiers are closed. They are kept open for the rest
    // of the process, in a place that is never destroyed.
    static auto* const given_up = new std::vector<std::unique_ptr<Objects>>;
    if (frames_ == 0) {
        discard_contents(objects_->file.descriptor());
        std::remove(temporary_path(path_).c_str());
    } else {
        release_reserve(objects_->file.descriptor());
    }
    objects_->file.abandon();
    given_up->push_back(std::move(objects_));
}

}  // namespace mpcflow

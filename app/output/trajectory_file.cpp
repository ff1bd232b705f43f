#include "app/output/trajectory_file.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "app/hdf5/error.hpp"
#include "app/hdf5/file.hpp"
#include "app/output/frame_layout.hpp"
#include "app/output/frame_species.hpp"
#include "app/run/theory_numbers.hpp"
#include "app/storage/checksum.hpp"
#include "app/storage/disk_space.hpp"

namespace mpcflow {

namespace {

using hdf5::Dataset;
using hdf5::DatasetLayout;
using hdf5::Group;
using hdf5::Growth;
using hdf5::NumberType;

/// The group under /particles, named after what it holds.
const char* group_name(const TrajectoryOutput& output) {
    return output.region ? "region" : output.selection().is_all() ? "all" : "selection";
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
    group.write_attribute("format_version", trajectory_format_version);
    group.write_attribute("run_id", record.id);
    group.write_text("input", record.resolved_input, {"the input as it was run", {}});
    return group;
}

}  // namespace

/// The open file and its datasets. Destroyed in reverse order: the file last.
struct TrajectoryFile::Objects {
    GrowingFile growing;
    Dataset step{}, time{}, edges{}, id{}, image{}, state_hash{}, checksum{};
    std::optional<Dataset> position{}, velocity{};
    /// Of the frame that is being written.
    std::optional<hdf5::RowInPieces> positions{}, velocities{}, images{}, ids{}, species_of_frame{},
        masses_of_frame{};
    /// Of frames of a region, which differ in their numbers of particles: lists that are as long as the
    /// longest frame or, of several species, a row for each frame.
    std::optional<Dataset> count{}, species{}, mass{};
    hsize_t longest_row = 0;
};

TrajectoryFile::TrajectoryFile(const storage::Directory& directory, const RunRecord& record,
                               SpaceCheck space_check)
    : path_(directory.file(trajectory_file_name)),
      system_(record.scenario.system),
      precision_(record.scenario.execution.precision),
      output_(*record.scenario.output.trajectory),
      space_check_(space_check),
      objects_(std::make_unique<Objects>(
          Objects{.growing = GrowingFile::create(directory, trajectory_file_name)})) {
    try {
        reserve_frame(usual_frame_particles(system_, output_),
                      FrameLayout(system_, precision_, output_).bytes_of_all());
        create(record);
    } catch (const FileError& error) {
        abandon();
        throw explain(error, 0);
    } catch (...) {
        abandon();
        throw;
    }
}

TrajectoryFile::TrajectoryFile(const storage::Directory& directory, const RunRecord& record,
                               RowsBefore before, JournalUse journal)
    : path_(directory.file(trajectory_file_name)),
      system_(record.scenario.system),
      precision_(record.scenario.execution.precision),
      output_(*record.scenario.output.trajectory),
      space_check_(SpaceCheck::reserve),
      frames_(before.rows),
      checksum_(before.checksum),
      objects_(std::make_unique<Objects>(
          Objects{.growing = GrowingFile::open(directory, trajectory_file_name, journal)})) {
    drop_frames(objects_->growing.file(), before.rows);
    // The space of what is dropped is not used again while the old indices may still lead there: only after
    // the file was closed.
    objects_->growing.reopen();
    open_datasets();
    last_step_ = objects_->step.read<std::int64_t>().back();
}

void TrajectoryFile::create(const RunRecord& record) {
    Objects& objects = *objects_;
    const FrameLayout layout(system_, precision_, output_);
    const Group root = objects.growing.file().root();
    write_h5md_header(root);
    const Group parameters = write_parameters(root, record);
    objects.state_hash = parameters.create_dataset(
        "state_hash", {NumberType::uint64, {}, Growth::by_rows, {}, {"state hash of each frame", {}}});
    objects.checksum = parameters.create_dataset(
        "checksum",
        {NumberType::uint64, {}, Growth::by_rows, {}, {"checksum of all that each frame holds", {}}});

    const std::string name = group_name(output_);
    const Group all = root.create_group("particles").create_group(name);
    if (output_.every_nth_id > 1) all.write_attribute("every_nth_id", output_.every_nth_id);
    if (output_.region) {
        all.write_attribute("lower", std::span<const double>(output_.region->lower));
        all.write_attribute("upper", std::span<const double>(output_.region->upper));
        objects.count = parameters.create_dataset(
            "particles", {NumberType::int64,
                          {},
                          Growth::by_rows,
                          {},
                          {"number of particles in each frame, the first in its row", {}}});
    }
    const Group box = all.create_group("box");
    box.write_attribute("dimension", std::int64_t{3});
    std::array<std::string, 3> boundary;
    for (std::size_t axis = 0; axis < 3; ++axis)
        boundary[axis] = system_.boundaries.faces[axis].is_periodic() ? "periodic" : "none";
    box.write_attribute("boundary", std::span<const std::string>(boundary));

    const Group edges = box.create_group("edges");
    objects.step = edges.create_dataset(
        "step", {NumberType::int64, {}, Growth::by_rows, {}, {"steps since the start", {}}});
    objects.time = edges.create_dataset(
        "time",
        {NumberType::float64, {}, Growth::by_rows, {}, {"time since the start, a (mass/energy)^(1/2)", {}}});
    objects.edges = edges.create_dataset(
        "value", {NumberType::float64, {3, 3}, Growth::by_rows, {}, {"edge vectors of the box, a", {}}});
    const auto element = [&](const std::string& of, const DatasetLayout& of_values) {
        const Group group = all.create_group(of);
        group.link("/particles/" + name + "/box/edges/step", "step");
        group.link("/particles/" + name + "/box/edges/time", "time");
        return group.create_dataset("value", of_values);
    };
    if (output_.position) objects.position = element("position", layout.vectors("positions in the box, a"));
    if (output_.velocity)
        objects.velocity = element("velocity", layout.vectors("velocities, (energy/mass)^(1/2)"));
    objects.image = element("image", layout.images());
    objects.id = element("id", layout.ids());

    if (system_.masses() == Masses::by_species) {
        write_species_attributes(all, system_);
        if (output_.region) {
            objects.species = element("species", layout.species());
            objects.mass = element("mass", layout.masses());
        } else {
            write_species(all, system_, layout, output_.every_nth_id);
        }
    } else {
        // Never written: every particle reads the fill value, and the disk holds nothing.
        const auto same_for_all = [&](const std::string& of, NumberType type, double value,
                                      const char* description) {
            return all.create_dataset(of, layout.same_for_all(type, value, description));
        };
        Dataset species = same_for_all("species", NumberType::int32, 0.0, "species: 0, solvent");
        Dataset mass = same_for_all("mass", NumberType::float64, system_.fluid.mass, "masses");
        if (output_.region) {
            objects.species = std::move(species);
            objects.mass = std::move(mass);
        }
    }
    checksum_ = trajectory_header_checksum(objects.growing.file());
    parameters.write_attribute("header_checksum", checksum_);
}

void TrajectoryFile::open_datasets() {
    Objects& objects = *objects_;
    const Group root = objects.growing.file().root();
    const Group parameters = root.open_group("parameters").open_group("mpcflow");
    const Group all = root.open_group("particles").open_group(group_name(output_));
    const Group edges = all.open_group("box").open_group("edges");
    const auto values = [&](const char* name) { return all.open_group(name).open_dataset("value"); };
    objects.state_hash = parameters.open_dataset("state_hash");
    objects.checksum = parameters.open_dataset("checksum");
    objects.step = edges.open_dataset("step");
    objects.time = edges.open_dataset("time");
    objects.edges = edges.open_dataset("value");
    if (output_.position) objects.position = values("position");
    if (output_.velocity) objects.velocity = values("velocity");
    objects.image = values("image");
    objects.id = values("id");
    if (!output_.region) return;
    objects.count = parameters.open_dataset("particles");
    if (system_.masses() == Masses::by_species) {
        objects.species = values("species");
        objects.mass = values("mass");
        return;
    }
    objects.species = all.open_dataset("species");
    objects.mass = all.open_dataset("mass");
    objects.longest_row = objects.species->row_count();
}

void TrajectoryFile::close_datasets() {
    Objects& objects = *objects_;
    for (Dataset* dataset : {&objects.step, &objects.time, &objects.edges, &objects.id, &objects.image,
                             &objects.state_hash, &objects.checksum})
        *dataset = Dataset();
    for (std::optional<Dataset>* dataset :
         {&objects.position, &objects.velocity, &objects.count, &objects.species, &objects.mass})
        dataset->reset();
}

TrajectoryFile::~TrajectoryFile() {
    if (objects_ && frames_ == 0) abandon();
}

void TrajectoryFile::reserve_frame(std::int64_t particles, std::int64_t spare_bytes) {
    // Beside the frame: group and dataset headers at first, later splits of index nodes.
    constexpr std::int64_t metadata_bytes = 256 << 10;
    if (space_check_ == SpaceCheck::none) return;
    const int descriptor = objects_->growing.file().descriptor();
    const std::int64_t frame_bytes = FrameLayout(system_, precision_, output_).bytes(particles);
    storage::reserve_space(descriptor, path_, objects_->growing.file().end_of_file(),
                           frame_bytes + metadata_bytes);
    storage::keep_free(descriptor, path_, spare_bytes);
}

FileError TrajectoryFile::explain(const FileError& error, std::int64_t step) const {
    std::string message = means_no_room(error.error_number)
                              ? fmt::format(
                                    "{}: {}: no room for the frame of step {}; free space or choose another "
                                    "output.directory",
                                    path_, describe_errno(error.error_number), step)
                              : fmt::format("{}; the frame of step {} is lost", error.what(), step);
    if (frames_ > 0) message += fmt::format("; frames up to step {} are intact", last_step_);
    return {message, error.error_number};
}

void TrajectoryFile::append(const ParticleRecords& records, const FramePart& part, std::int64_t spare_bytes) {
    try {
        if (part.first == 0) reserve_frame(part.particles, spare_bytes);
    } catch (const FileError& error) {
        if (frames_ == 0) abandon();
        throw explain(error, records.step);
    }
    const bool is_last = part.first + records.count() == part.particles;
    try {
        if (part.first == 0) begin_frame(part.particles);
        add_to_frame(records);
        if (is_last) end_frame(records.step, part);
    } catch (const FileError& error) {
        abandon();
        throw explain(error, records.step);
    } catch (...) {
        abandon();
        throw;
    }
    if (!is_last) return;
    ++frames_;
    last_step_ = records.step;
}

void TrajectoryFile::begin_frame(std::int64_t particles) {
    Objects& objects = *objects_;
    const auto count = static_cast<hsize_t>(particles);
    const NumberType reals = frame_number_type(precision_, output_);
    if (objects.position) objects.positions = objects.position->begin_row(count, reals);
    if (objects.velocity) objects.velocities = objects.velocity->begin_row(count, reals);
    objects.images = objects.image.begin_row(count, NumberType::int32);
    // As wide as in the file: HDF5 converts slowly.
    objects.ids = objects.id.begin_row(count, frame_id_type(system_));
    if (!objects.species || system_.masses() == Masses::equal) return;
    objects.species_of_frame = objects.species->begin_row(count, NumberType::int32);
    objects.masses_of_frame = objects.mass->begin_row(count, NumberType::float64);
}

void TrajectoryFile::add_to_frame(const ParticleRecords& records) {
    Objects& objects = *objects_;
    const auto count = static_cast<std::size_t>(records.count());
    const auto add = [&]<class Number>(std::optional<hdf5::RowInPieces>& row, Number /*type*/,
                                       const auto& copy) {
        if (!row) return;
        row->add(
            count, [&](std::size_t first, std::size_t some,
                       void* to) { copy(records, first, some, static_cast<Number*>(to)); });
    };
    const auto positions = [](auto&&... of) { copy_positions(of...); };
    const auto velocities = [](auto&&... of) { copy_velocities(of...); };
    const auto ids = [](auto&&... of) { copy_ids(of...); };
    if (frame_number_type(precision_, output_) == NumberType::float32) {
        add(objects.positions, float{}, positions);
        add(objects.velocities, float{}, velocities);
    } else {
        add(objects.positions, double{}, positions);
        add(objects.velocities, double{}, velocities);
    }
    add(objects.images, std::int32_t{}, [](auto&&... of) { copy_images(of...); });
    if (frame_id_type(system_) == NumberType::int64) add(objects.ids, std::int64_t{}, ids);
    else add(objects.ids, std::int32_t{}, ids);
    add(
        objects.species_of_frame, std::int32_t{}, [](auto&&... of) { copy_species(of...); });
    add(objects.masses_of_frame, double{}, [&](auto&&... of) { copy_masses(system_, of...); });
}

void TrajectoryFile::end_frame(std::int64_t step, const FramePart& part) {
    Objects& objects = *objects_;
    // The values first, flushed, and what says that they are there last: however a kill falls between,
    // the frames that `step` lists are whole.
    FrameParts parts;
    for (auto* row : {&objects.positions, &objects.velocities, &objects.images, &objects.ids,
                      &objects.species_of_frame, &objects.masses_of_frame}) {
        if (*row) parts.values.push_back((*row)->finish());
        row->reset();
    }
    if (objects.count) {
        objects.count->append_row(&part.particles);
        const auto particles = static_cast<hsize_t>(part.particles);
        if (system_.masses() == Masses::equal && particles > objects.longest_row) {
            objects.species->grow_to(particles);
            objects.mass->grow_to(particles);
            objects.longest_row = particles;
        }
    }
    const auto& size = system_.box.size;
    const std::array<double, 9> box_edges{1.0 * size[0], 0.0, 0.0, 0.0,          1.0 * size[1],
                                          0.0,           0.0, 0.0, 1.0 * size[2]};
    objects.edges.append_row(box_edges.data());
    objects.state_hash.append_row(&part.state_hash);
    parts.step = step;
    parts.time = static_cast<double>(step) * system_.collision.time_step;
    parts.state_hash = part.state_hash;
    parts.particles = part.particles;
    parts.edges = storage::checksum(box_edges.data(), sizeof box_edges);
    const std::uint64_t checksum = frame_checksum(frames_, parts);
    objects.checksum.append_row(&checksum);
    objects.growing.file().flush();
    objects.time.append_row(&parts.time);
    objects.step.append_row(&step);
    objects.growing.file().flush();
    objects.growing.end_row(frames_ == 0);
    checksum_ = chained_checksum(checksum_, checksum);
}

void TrajectoryFile::sync() {
    if (objects_ && frames_ > 0) objects_->growing.sync();
}

void TrajectoryFile::close() {
    if (!objects_) return;
    if (frames_ == 0) return abandon();
    close_datasets();
    objects_->growing.close();
    objects_.reset();
}

void TrajectoryFile::abandon() noexcept {
    objects_->growing.leave(frames_ > 0);
    objects_.reset();
}

}  // namespace mpcflow

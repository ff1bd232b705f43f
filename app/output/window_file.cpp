#include "app/output/window_file.hpp"

#include <utility>

#include <fmt/format.h>

#include "app/hdf5/axis_scales.hpp"
#include "app/hdf5/file.hpp"
#include "app/output/observable_group.hpp"
#include "app/output/window_check.hpp"
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

DatasetLayout list_of(NumberType type, const char* description, const char* unit) {
    return {type, {}, Growth::by_rows, {}, {description, unit}};
}

}  // namespace

/// The open file and its datasets. Destroyed in reverse order: the file last.
struct WindowFile::Objects {
    GrowingFile growing;
    Dataset first_step{}, last_step{}, time{}, samples{}, checksum{};
    std::vector<Dataset> fields{};  ///< in the order of field_quantities()
};

std::int64_t window_bytes(const FieldsOutput& wanted, int species) {
    std::int64_t bytes = 0;
    for (const FieldQuantity& quantity : field_quantities(wanted, species)) {
        const std::vector<hsize_t> shape = row_shape(wanted, quantity);
        bytes += hdf5::row_bytes({NumberType::float64, shape, Growth::by_rows, {}, {}}, shape);
    }
    return bytes;
}

WindowFile::WindowFile(const storage::Directory& directory, const RunRecord& record)
    : directory_(directory), path_(directory.file(window_file_name)), record_(record) {}

WindowFile::WindowFile(const storage::Directory& directory, const RunRecord& record, RowsBefore before,
                       JournalUse journal)
    : directory_(directory),
      path_(directory.file(window_file_name)),
      record_(record),
      windows_(before.rows),
      checksum_(before.checksum),
      objects_(std::make_unique<Objects>(
          Objects{.growing = GrowingFile::open(directory, window_file_name, journal)})) {
    drop_windows(objects_->growing.file(), before.rows);
    // As in TrajectoryFile: space that is dropped is used again only after the file was closed.
    objects_->growing.reopen();
    open_datasets();
}

WindowFile::~WindowFile() {
    if (objects_ && windows_ == 0) abandon();
}

void WindowFile::create() {
    objects_ =
        std::make_unique<Objects>(Objects{.growing = GrowingFile::create(directory_, window_file_name)});
    Objects& objects = *objects_;
    const FieldsOutput& wanted = *record_.scenario.output.fields;
    const Group root = objects.growing.file().root();
    root.write_attribute("format", std::string_view(window_file_format));
    root.write_attribute("format_version", window_file_format_version);
    root.write_attribute("title", record_.scenario.title);
    root.write_attribute("commit", program_commit());
    root.write_attribute("run_id", record_.id);
    root.write_text("input", record_.resolved_input, {"the input as it was run", {}});
    const Group group = root.create_group("fields");
    group.write_attribute("bins", std::span<const std::int32_t>(wanted.bins));
    group.write_attribute("every", wanted.every);
    group.write_attribute("time_window", wanted.time_window);
    for (const NamedArray& axis : field_axes(record_.scenario.system.box, wanted.bins))
        write_array(group, axis);
    objects.first_step =
        group.create_dataset("first_step", list_of(NumberType::int64, "of the first sample", "1"));
    objects.last_step =
        group.create_dataset("last_step", list_of(NumberType::int64, "of the last sample", "1"));
    objects.time = group.create_dataset(
        "time", list_of(NumberType::float64, "of the last sample", "a (mass/energy)^(1/2)"));
    objects.samples =
        group.create_dataset("samples", list_of(NumberType::int64, "samples in the averages", "1"));
    objects.checksum =
        group.create_dataset("checksum", list_of(NumberType::uint64, "of all that a window holds", "1"));
    for (const FieldQuantity& quantity : field_quantities(wanted, record_.scenario.system.species_count())) {
        objects.fields.push_back(
            group.create_dataset(quantity.name, {NumberType::float64,
                                                 row_shape(wanted, quantity),
                                                 Growth::by_rows,
                                                 {},
                                                 {quantity.description, quantity.unit}}));
    }
    name_axes(root, "fields", {"time", "z_centres", "y_centres", "x_centres"});
    checksum_ = window_header_checksum(objects.growing.file());
    root.write_attribute("header_checksum", checksum_);
}

void WindowFile::open_datasets() {
    Objects& objects = *objects_;
    const Group root = objects.growing.file().root();
    const Group group = root.open_group("fields");
    objects.checksum = group.open_dataset("checksum");
    objects.first_step = group.open_dataset("first_step");
    objects.last_step = group.open_dataset("last_step");
    objects.time = group.open_dataset("time");
    objects.samples = group.open_dataset("samples");
    const Scenario& scenario = record_.scenario;
    for (const FieldQuantity& quantity :
         field_quantities(*scenario.output.fields, scenario.system.species_count()))
        objects.fields.push_back(group.open_dataset(quantity.name));
}

void WindowFile::close_datasets() {
    Objects& objects = *objects_;
    for (Dataset* dataset :
         {&objects.first_step, &objects.last_step, &objects.time, &objects.samples, &objects.checksum})
        *dataset = Dataset();
    objects.fields.clear();
}

void WindowFile::append(const ObservableRow& window, std::int64_t spare_bytes) {
    try {
        if (!objects_) create();
        constexpr std::int64_t metadata_bytes = 256 << 10;
        storage::reserve_space(
            objects_->growing.file().descriptor(), path_, objects_->growing.file().end_of_file(),
            window_bytes(*record_.scenario.output.fields, record_.scenario.system.species_count()) +
                metadata_bytes);
        storage::keep_free(objects_->growing.file().descriptor(), path_, spare_bytes);
        write(window);
    } catch (const FileError& error) {
        if (objects_) abandon();
        throw FileError(fmt::format("{}: the window of steps {} to {} is lost, earlier ones are intact",
                                    error.what(), window.sampled.steps.first, window.sampled.steps.last),
                        error.error_number);
    } catch (...) {
        if (objects_) abandon();
        throw;
    }
}

void WindowFile::write(const ObservableRow& window) {
    Objects& objects = *objects_;
    // The values first, flushed, and what says that they are there last.
    const double time = time_of(window);
    WindowParts parts{
        window.sampled.steps.first, window.sampled.steps.last, time, window.sampled.samples, {}};
    for (std::size_t i = 0; i < objects.fields.size(); ++i) {
        const auto& numbers = window.arrays[i].large<View<double>>();
        objects.fields[i].append_row(numbers.data());
        parts.values.push_back(storage::checksum(numbers.data(), numbers.size_bytes()));
    }
    const std::uint64_t checksum = window_checksum(windows(), parts);
    objects.checksum.append_row(&checksum);
    objects.first_step.append_row(&window.sampled.steps.first);
    objects.time.append_row(&time);
    objects.samples.append_row(&window.sampled.samples);
    objects.growing.file().flush();
    objects.last_step.append_row(&window.sampled.steps.last);
    objects.growing.file().flush();
    objects.growing.end_row(windows_ == 0);
    ++windows_;
    checksum_ = chained_checksum(checksum_, checksum);
}

std::vector<double> WindowFile::read_times() const {
    return objects_ ? objects_->time.read<double>() : std::vector<double>();
}

double WindowFile::time_of(const ObservableRow& window) const {
    return static_cast<double>(window.sampled.steps.last) * record_.scenario.system.collision.time_step;
}

void WindowFile::sync() {
    if (objects_ && windows_ > 0) objects_->growing.sync();
}

void WindowFile::close() {
    if (!objects_) return;
    close_datasets();
    objects_->growing.close();
    objects_.reset();
}

void WindowFile::abandon() noexcept {
    objects_->growing.leave(windows_ > 0);
    objects_.reset();
}

}  // namespace mpcflow

#include "app/window_file.hpp"

#include <array>
#include <utility>

#include <fmt/format.h>

#include "app/disk_space.hpp"
#include "app/field_group.hpp"
#include "app/hdf5/file.hpp"
#include "app/theory_numbers.hpp"

namespace mpcflow {

namespace {

using hdf5::Dataset;
using hdf5::DatasetLayout;
using hdf5::Group;
using hdf5::Growth;
using hdf5::NumberType;

std::vector<hsize_t> row_shape(const FieldsOutput& wanted, const FieldQuantity& quantity) {
    std::vector<hsize_t> shape;
    for (std::size_t axis = 3; axis-- > 0;)
        shape.push_back(static_cast<hsize_t>(wanted.bins[axis]));
    shape.insert(shape.end(), quantity.components.begin(), quantity.components.end());
    return shape;
}

DatasetLayout list_of(NumberType type, const char* description, const char* unit) {
    return {type, {}, Growth::by_rows, {}, {description, unit}};
}

}  // namespace

/// The open file and its datasets. Destroyed in reverse order: the file last.
struct WindowFile::Objects {
    hdf5::File file;
    Dataset first_step{}, last_step{}, time{}, samples{};
    std::vector<std::pair<FieldQuantity, Dataset>> fields{};
};

std::int64_t window_bytes(const FieldsOutput& wanted) {
    std::int64_t bytes = 0;
    for (const FieldQuantity& quantity : field_quantities(wanted)) {
        const std::vector<hsize_t> shape = row_shape(wanted, quantity);
        bytes += hdf5::row_bytes({NumberType::float64, shape, Growth::by_rows, {}, {}}, shape);
    }
    return bytes;
}

void check_windows(const std::string& path, RowsBefore before) {
    check_growing_file_is_there(path, "windows", before);
    const hdf5::File file = hdf5::File::open(path, hdf5::Access::read_only);
    // Windows end after the start: a zero is where a step was.
    check_rows_before(path, "windows", before, file.root().open_group("fields").open_dataset("last_step").read<std::int64_t>(), 0);
}

WindowFile::WindowFile(std::string path, const RunRecord& record, RowsBefore before)
    : path_(std::move(path)), record_(record) {
    if (before.rows == 0)
        return;
    check_windows(path_, before);
    // As in TrajectoryFile: space that is dropped is used again only after the file was closed.
    open();
    drop_windows(before.rows);
    hdf5::File file = std::move(objects_->file);
    objects_.reset();
    file.close();
    open();
    times_ = objects_->time.read<double>();
}

WindowFile::~WindowFile() {
    if (objects_ && times_.empty())
        abandon();
}

void WindowFile::create() {
    objects_ = std::make_unique<Objects>(Objects{.file = create_growing_file(path_)});
    Objects& objects = *objects_;
    const FieldsOutput& wanted = *record_.scenario.output.fields;
    const Group root = objects.file.root();
    root.write_attribute("format", std::string_view(window_file_format));
    root.write_attribute("format_version", window_file_format_version);
    root.write_attribute("title", record_.scenario.title);
    root.write_attribute("commit", program_commit());
    root.write_text("input", record_.resolved_input, {"the input as it was run", {}});
    const Group group = root.create_group("fields");
    group.write_attribute("bins", std::span<const std::int32_t>(wanted.bins));
    group.write_attribute("every", wanted.every);
    group.write_attribute("time_window", wanted.time_window);
    write_field_axes(group, record_.scenario.system.box, wanted.bins);
    objects.first_step = group.create_dataset("first_step", list_of(NumberType::int64, "of the first sample", "1"));
    objects.last_step = group.create_dataset("last_step", list_of(NumberType::int64, "of the last sample", "1"));
    objects.time =
        group.create_dataset("time", list_of(NumberType::float64, "of the last sample", "a (mass/energy)^(1/2)"));
    objects.samples = group.create_dataset("samples", list_of(NumberType::int64, "samples in the averages", "1"));
    for (const FieldQuantity& quantity : field_quantities(wanted)) {
        objects.fields.emplace_back(
            quantity, group.create_dataset(quantity.name, {NumberType::float64, row_shape(wanted, quantity), Growth::by_rows,
                                                           {}, {quantity.description, quantity.unit}}));
    }
}

void WindowFile::open() {
    objects_ = std::make_unique<Objects>(Objects{.file = hdf5::File::open_ordered(path_)});
    Objects& objects = *objects_;
    const Group group = objects.file.root().open_group("fields");
    objects.first_step = group.open_dataset("first_step");
    objects.last_step = group.open_dataset("last_step");
    objects.time = group.open_dataset("time");
    objects.samples = group.open_dataset("samples");
    for (const FieldQuantity& quantity : field_quantities(*record_.scenario.output.fields))
        objects.fields.emplace_back(quantity, group.open_dataset(quantity.name));
}

void WindowFile::drop_windows(std::int64_t windows) {
    Objects& objects = *objects_;
    const auto rows = static_cast<hsize_t>(windows);
    // First what says that they are there.
    objects.last_step.shrink_to(rows);
    objects.file.flush();
    for (Dataset* dataset : {&objects.first_step, &objects.time, &objects.samples})
        dataset->shrink_to(rows);
    for (auto& [quantity, values] : objects.fields)
        values.shrink_to(rows);
    objects.file.flush();
}

void WindowFile::append(const FieldWindow& window, std::int64_t spare_bytes) {
    try {
        if (!objects_)
            create();
        constexpr std::int64_t metadata_bytes = 256 << 10;
        reserve_space(objects_->file.descriptor(), path_, objects_->file.end_of_file(),
                      window_bytes(*record_.scenario.output.fields) + metadata_bytes);
        keep_free(objects_->file.descriptor(), path_, spare_bytes);
        write(window);
    } catch (const hdf5::FileError& error) {
        if (objects_)
            abandon();
        throw hdf5::FileError(fmt::format("{}: the window of steps {} to {} is lost, earlier ones are intact", error.what(),
                                          window.steps.first, window.steps.last),
                              error.error_number);
    }
}

void WindowFile::write(const FieldWindow& window) {
    Objects& objects = *objects_;
    // The values first, flushed, and what says that they are there last.
    for (auto& [quantity, values] : objects.fields)
        values.append_row((window.averages.*quantity.value).data());
    const double time =
        static_cast<double>(window.steps.last) * record_.scenario.system.collision.time_step;
    objects.first_step.append_row(&window.steps.first);
    objects.time.append_row(&time);
    objects.samples.append_row(&window.averages.samples);
    objects.file.flush();
    objects.last_step.append_row(&window.steps.last);
    objects.file.flush();
    name_growing_file(path_, times_.empty());
    times_.push_back(time);
}

void WindowFile::sync() {
    if (objects_)
        sync_file(objects_->file.descriptor(), path_);
}

void WindowFile::close() {
    if (!objects_)
        return;
    hdf5::File file = std::move(objects_->file);
    objects_.reset();
    close_growing_file(std::move(file), path_);
}

void WindowFile::abandon() noexcept { abandon_growing_file(std::move(objects_), path_, !times_.empty()); }

}  // namespace mpcflow

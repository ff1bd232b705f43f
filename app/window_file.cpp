#include "app/window_file.hpp"

#include <array>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <system_error>
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

std::string temporary_path(const std::string& path) { return path + ".tmp"; }

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
        const DatasetLayout layout{NumberType::float64, row_shape(wanted, quantity), Growth::by_rows, {}, {}};
        hsize_t chunk_bytes = sizeof(double);
        hsize_t chunks = 1;
        const std::vector<hsize_t> chunk = hdf5::chunk_shape(layout);
        for (std::size_t axis = 0; axis < layout.shape.size(); ++axis) {
            chunk_bytes *= chunk[axis + 1];
            chunks *= (layout.shape[axis] + chunk[axis + 1] - 1) / chunk[axis + 1];
        }
        constexpr hsize_t page = 4096;
        constexpr hsize_t index_entry = 128;
        bytes += static_cast<std::int64_t>(chunks * ((chunk_bytes + page) / page * page + index_entry));
    }
    return bytes;
}

void check_windows(const std::string& path, std::int64_t windows, std::int64_t step) {
    std::error_code error;
    if (!std::filesystem::exists(path, error)) {
        throw hdf5::FileError(fmt::format("{}: no such file, but the checkpoint tells of {} windows in it; put it back, or go on "
                                          "without them in another folder (--restart CHECKPOINT --output DIR)",
                                          path, windows),
                              ENOENT);
    }
    const hdf5::File file = hdf5::File::open(path, hdf5::Access::read_only);
    const std::vector<std::int64_t> steps = file.root().open_group("fields").open_dataset("last_step").read<std::int64_t>();
    // A kill while windows are dropped leaves zeros where their steps were.
    std::int64_t found = 0;
    while (found < static_cast<std::int64_t>(steps.size())) {
        const std::int64_t last = steps[static_cast<std::size_t>(found)];
        if (last >= step || last <= (found > 0 ? steps[static_cast<std::size_t>(found - 1)] : 0))
            break;
        ++found;
    }
    if (found != windows) {
        throw hdf5::FileError(fmt::format("{}: has {} windows of before step {}, but the checkpoint tells of {}; put back the "
                                          "file that belongs to the checkpoint",
                                          path, found, step, windows),
                              0);
    }
}

WindowFile::WindowFile(std::string path, const RunRecord& record, std::int64_t windows, std::int64_t step)
    : path_(std::move(path)), record_(record) {
    if (windows == 0)
        return;
    check_windows(path_, windows, step);
    // As in TrajectoryFile: space that is dropped is used again only after the file was closed.
    open();
    drop_windows(windows);
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
    objects_ = std::make_unique<Objects>(
        Objects{.file = hdf5::File::create(temporary_path(path_), hdf5::WriteOrder::ordered)});
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
    if (times_.empty())
        rename_file(temporary_path(path_), path_, Durability::page_cache);
    times_.push_back(time);
}

void WindowFile::sync() {
    if (objects_)
        sync_file(objects_->file.descriptor(), path_);
}

void WindowFile::close() {
    if (!objects_)
        return;
    release_reserve(objects_->file.descriptor());
    sync();
    hdf5::File file = std::move(objects_->file);
    objects_.reset();
    file.close();
}

void WindowFile::abandon() noexcept {
    // As TrajectoryFile::abandon().
    static auto* const given_up = new std::vector<std::unique_ptr<Objects>>;
    if (times_.empty()) {
        discard_contents(objects_->file.descriptor());
        std::remove(temporary_path(path_).c_str());
    } else {
        release_reserve(objects_->file.descriptor());
    }
    objects_->file.abandon();
    given_up->push_back(std::move(objects_));
}

}  // namespace mpcflow

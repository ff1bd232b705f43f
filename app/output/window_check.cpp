#include "app/output/window_check.hpp"

#include <array>
#include <bit>
#include <memory>

#include "app/hdf5/contents.hpp"
#include "app/hdf5/error.hpp"
#include "app/output/window_file.hpp"
#include "app/storage/checksum.hpp"

namespace mpcflow {

namespace {

constexpr std::array quantities{
    "density",         "velocity",         "temperature",        "pressure_tensor",
    "species_density", "species_velocity", "species_temperature"};

/// What is read of windows, one after the other.
struct Windows {
    std::vector<std::int64_t> first_steps, last_steps, samples;
    std::vector<double> times;
    std::vector<hdf5::Dataset> values;

    [[nodiscard]] std::uint64_t checksum_of(std::size_t row) const {
        if (row >= first_steps.size() || row >= times.size() || row >= samples.size())
            throw FileError("windows have no first step, time or number of samples", 0);
        WindowParts parts{first_steps[row], last_steps[row], times[row], samples[row], {}};
        for (const hdf5::Dataset& dataset : values) parts.values.push_back(dataset.row_checksum(row));
        return window_checksum(static_cast<std::int64_t>(row), parts);
    }
};

}  // namespace

std::uint64_t window_checksum(std::int64_t index, const WindowParts& parts) {
    std::vector<std::uint64_t> words{
        static_cast<std::uint64_t>(index), static_cast<std::uint64_t>(parts.first_step),
        static_cast<std::uint64_t>(parts.last_step), std::bit_cast<std::uint64_t>(parts.time),
        static_cast<std::uint64_t>(parts.samples)};
    words.insert(words.end(), parts.values.begin(), parts.values.end());
    return storage::checksum(words.data(), words.size() * sizeof(std::uint64_t));
}

std::uint64_t window_header_checksum(const hdf5::File& file) {
    return hdf5::header_checksum(file, "/", "header_checksum");
}

RowReader read_windows(const hdf5::File& file) {
    const hdf5::Group root = file.root();
    root.check_structure();
    if (root.read_text_attribute("format") != window_file_format)
        throw FileError(file.path() + ": not a fields.h5 of mpcflow", 0);
    const hdf5::Group group = root.open_group("fields");
    const auto windows = std::make_shared<Windows>();
    RowReader reader;
    const std::uint64_t header = window_header_checksum(file);
    reader.has_checksums = root.read_int_attribute("format_version") != 1 || root.has_attribute("run_id") ||
                           root.has_attribute("header_checksum") || group.has("checksum");
    if (reader.has_checksums) {
        reader.run_id = root.read_text_attribute("run_id");
        reader.header_checksum = root.read_unsigned_attribute("header_checksum");
        reader.checksums = group.open_dataset("checksum").read<std::uint64_t>();
    }
    reader.header_is_right = !reader.has_checksums || header == reader.header_checksum;
    reader.steps = windows->last_steps = group.open_dataset("last_step").read<std::int64_t>();
    const auto rows = static_cast<hsize_t>(reader.steps.size());
    for (const char* name : {"first_step", "last_step", "time", "samples", "checksum"}) {
        if (!reader.has_checksums && !group.has(name)) continue;
        group.open_dataset(name).require_rows(rows, {});
        reader.is_even = reader.is_even && group.open_dataset(name).has_just_rows(rows);
    }
    windows->first_steps = group.open_dataset("first_step").read<std::int64_t>();
    windows->times = group.open_dataset("time").read<double>();
    windows->samples = group.open_dataset("samples").read<std::int64_t>();
    for (const char* name : quantities) {
        if (!group.has(name)) continue;
        windows->values.push_back(group.open_dataset(name));
        reader.is_even = reader.is_even && windows->values.back().has_just_rows(rows);
    }
    reader.checksum_of = [windows](std::size_t row) { return windows->checksum_of(row); };
    return reader;
}

void drop_windows(hdf5::File& file, std::int64_t windows) {
    const auto rows = static_cast<hsize_t>(windows);
    const hdf5::Group group = file.root().open_group("fields");
    // First what says that they are there.
    group.open_dataset("last_step").shrink_to(rows);
    file.flush();
    std::vector<const char*> names{"first_step", "time", "samples", "checksum"};
    names.insert(names.end(), quantities.begin(), quantities.end());
    for (const char* name : names)
        if (group.has(name)) group.open_dataset(name).shrink_to(rows);
    file.flush();
}

std::vector<hsize_t> row_shape(const FieldsOutput& wanted, const FieldQuantity& quantity) {
    const std::vector<std::int64_t> shape = shape_of(wanted, quantity);
    return {shape.begin(), shape.end()};
}

void require_windows_of(const hdf5::File& file, const FieldsOutput& wanted, int species) {
    const hdf5::Group group = file.root().open_group("fields");
    for (const FieldQuantity& quantity : field_quantities(wanted, species)) {
        const hdf5::Dataset dataset = group.open_dataset(quantity.name);
        dataset.require_rows(0, row_shape(wanted, quantity));
        if (dataset.type() != hdf5::NumberType::float64)
            throw FileError(file.path() + ": " + quantity.name + " is not in double precision", 0);
    }
}

}  // namespace mpcflow

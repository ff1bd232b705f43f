#include "app/output/trajectory_check.hpp"

#include <array>
#include <bit>
#include <cstdlib>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/hdf5/contents.hpp"
#include "app/hdf5/error.hpp"
#include "app/storage/checksum.hpp"
#include "input/differences.hpp"

namespace mpcflow {

namespace {

using hdf5::Dataset;
using hdf5::Group;

/// What a frame has a row of, where it is there.
constexpr std::array row_names{"position", "velocity", "image", "id"};

/// The same of this file: the rows of a region of several species tell species and masses, too.
std::vector<const char*> rows_of(const Group& particles, bool is_of_region) {
    std::vector<const char*> names;
    for (const char* name : row_names)
        if (particles.has(name)) names.push_back(name);
    if (is_of_region && particles.has_attribute("species_names"))
        names.insert(names.end(), {"species", "mass"});
    return names;
}

/// What is read of frames, one after the other.
struct Frames {
    std::vector<std::int64_t> steps;
    std::vector<double> times;
    std::vector<std::uint64_t> state_hashes;
    std::optional<std::vector<std::int64_t>> counts;  ///< of a region
    Dataset edges;
    Dataset ids;
    std::vector<Dataset> values;

    [[nodiscard]] std::uint64_t checksum_of(std::size_t row) const {
        if (row >= times.size() || row >= state_hashes.size() || (counts && row >= counts->size()))
            throw FileError("frames have no time, state hash or number of particles", 0);
        const std::vector<hsize_t> shape = ids.shape();
        if (shape.size() != 2) throw FileError("ids are not of the shape [frames][particles]", 0);
        FrameParts parts{steps[row],
                         times[row],
                         state_hashes[row],
                         counts ? (*counts)[row] : static_cast<std::int64_t>(shape[1]),
                         edges.row_checksum(row),
                         {}};
        for (const Dataset& dataset : values)
            parts.values.push_back(dataset.row_checksum(row, static_cast<hsize_t>(parts.particles)));
        return frame_checksum(static_cast<std::int64_t>(row), parts);
    }
};

}  // namespace

std::uint64_t frame_checksum(std::int64_t index, const FrameParts& parts) {
    std::vector<std::uint64_t> words{
        static_cast<std::uint64_t>(index),           static_cast<std::uint64_t>(parts.step),
        std::bit_cast<std::uint64_t>(parts.time),    parts.state_hash,
        static_cast<std::uint64_t>(parts.particles), parts.edges};
    words.insert(words.end(), parts.values.begin(), parts.values.end());
    return storage::checksum(words.data(), words.size() * sizeof(std::uint64_t));
}

std::uint64_t trajectory_header_checksum(const hdf5::File& file) {
    return hdf5::header_checksum(file, "/parameters/mpcflow", "header_checksum");
}

Group open_particles(const Group& root) {
    const Group particles = root.open_group("particles");
    return particles.open_group(particles.has("region") ? "region"
                                : particles.has("all")  ? "all"
                                                        : "selection");
}

namespace {

/// A number of the input; none where the text is no input.
std::optional<double> find_number(const std::string& input, const std::string& path) {
    for (const KeyDifference& key : find_differences(input, ""))
        if (key.path == path) return std::strtod(key.before.c_str(), nullptr);
    return std::nullopt;
}

/// What was never written reads as a value that no checksum covers.
void check_what_is_not_written(const Group& parameters, const Group& all, bool is_of_region) {
    const std::vector<hsize_t> ids = all.open_group("id").open_dataset("value").shape();
    const bool has_species = all.has_attribute("species_names");
    if (has_species && is_of_region) {
        all.open_group("species").open_dataset("value").require_fill(-1.0);
        all.open_group("mass").open_dataset("value").require_fill(std::numeric_limits<double>::quiet_NaN());
    } else {
        const Dataset species = all.open_dataset("species");
        const Dataset mass = all.open_dataset("mass");
        for (const Dataset* dataset : {&species, &mass})
            dataset->require_shape({ids.size() == 2 ? ids[1] : 0});
        const std::optional<double> mass_of_all = find_number(parameters.read_text("input"), "fluid.mass");
        // Those of several species are written, and in the checksum of the header.
        if (!has_species) species.require_unwritten(0.0);
        if (!has_species && mass_of_all) mass.require_unwritten(*mass_of_all);
    }
    for (const char* name : {"position", "velocity"})
        if (all.has(name))
            all.open_group(name).open_dataset("value").require_fill(std::numeric_limits<double>::quiet_NaN());
    all.open_group("image").open_dataset("value").require_fill(0.0);
    all.open_group("id").open_dataset("value").require_fill(is_of_region ? -1.0 : 0.0);
}

}  // namespace

RowReader read_frames(const hdf5::File& file) {
    const Group root = file.root();
    root.check_structure();
    const Group parameters = root.open_group("parameters").open_group("mpcflow");
    const bool is_of_region = root.open_group("particles").has("region");
    const Group all = open_particles(root);
    const Group edges = all.open_group("box").open_group("edges");
    const auto frames = std::make_shared<Frames>();
    RowReader reader;
    const std::uint64_t header = trajectory_header_checksum(file);
    reader.has_checksums = parameters.has_attribute("format_version") || parameters.has_attribute("run_id") ||
                           parameters.has_attribute("header_checksum") || parameters.has("checksum");
    if (reader.has_checksums) {
        check_what_is_not_written(parameters, all, is_of_region);
        reader.run_id = parameters.read_text_attribute("run_id");
        reader.header_checksum = parameters.read_unsigned_attribute("header_checksum");
        reader.checksums = parameters.open_dataset("checksum").read<std::uint64_t>();
    }
    reader.header_is_right = !reader.has_checksums || header == reader.header_checksum;
    reader.steps = frames->steps = edges.open_dataset("step").read<std::int64_t>();
    const auto rows = static_cast<hsize_t>(reader.steps.size());
    const auto require = [&](const Dataset& dataset, const std::vector<hsize_t>& shape_of_row) {
        dataset.require_rows(rows, shape_of_row);
        reader.is_even = reader.is_even && dataset.has_just_rows(rows);
    };
    for (const char* name : {"step", "time"}) require(edges.open_dataset(name), {});
    require(parameters.open_dataset("state_hash"), {});
    if (reader.has_checksums) require(parameters.open_dataset("checksum"), {});
    if (is_of_region) require(parameters.open_dataset("particles"), {});
    require(edges.open_dataset("value"), {3, 3});
    frames->ids = all.open_group("id").open_dataset("value");
    const std::vector<hsize_t> shape_of_ids = frames->ids.shape();
    const hsize_t particles_in_row = shape_of_ids.size() == 2 ? shape_of_ids[1] : 0;
    for (const std::string_view name : rows_of(all, is_of_region)) {
        const bool is_number = name == "id" || name == "species" || name == "mass";
        const std::vector<hsize_t> shape =
            is_number ? std::vector{particles_in_row} : std::vector<hsize_t>{particles_in_row, 3};
        require(all.open_group(std::string(name)).open_dataset("value"), shape);
    }
    frames->times = edges.open_dataset("time").read<double>();
    reader.state_hashes = frames->state_hashes = parameters.open_dataset("state_hash").read<std::uint64_t>();
    frames->edges = edges.open_dataset("value");
    if (is_of_region) frames->counts = parameters.open_dataset("particles").read<std::int64_t>();
    for (const char* name : rows_of(all, is_of_region))
        frames->values.push_back(all.open_group(name).open_dataset("value"));
    if (frames->values.empty()) throw FileError(file.path() + ": has no values of particles", 0);
    reader.checksum_of = [frames](std::size_t row) { return frames->checksum_of(row); };
    return reader;
}

void drop_frames(hdf5::File& file, std::int64_t frames) {
    const auto rows = static_cast<hsize_t>(frames);
    const Group all = open_particles(file.root());
    const Group edges = all.open_group("box").open_group("edges");
    // First what says that they are there.
    edges.open_dataset("step").shrink_to(rows);
    edges.open_dataset("time").shrink_to(rows);
    file.flush();
    edges.open_dataset("value").shrink_to(rows);
    for (const char* name : rows_of(all, file.root().open_group("particles").has("region")))
        all.open_group(name).open_dataset("value").shrink_to(rows);
    const Group parameters = file.root().open_group("parameters").open_group("mpcflow");
    for (const char* name : {"state_hash", "checksum", "particles"})
        if (parameters.has(name)) parameters.open_dataset(name).shrink_to(rows);
    file.flush();
}

void require_frames_of(const hdf5::File& file, const System& system, Precision precision,
                       const TrajectoryOutput& wanted) {
    const Group particles = file.root().open_group("particles");
    const Group all = particles.open_group(wanted.region                 ? "region"
                                           : wanted.selection().is_all() ? "all"
                                                                         : "selection");
    if (!wanted.region) {
        const auto count =
            static_cast<hsize_t>(count_selected_ids(system.particle_count(), wanted.every_nth_id));
        all.open_group("id").open_dataset("value").require_rows(0, {count});
    }
    const bool is_single = wanted.precision == FilePrecision::single_precision ||
                           (wanted.precision == FilePrecision::automatic && precision == Precision::mixed);
    const auto require = [&](const std::string& name, bool is_wanted) {
        if (all.has(name) != is_wanted)
            throw FileError(file.path() + ": " + name + (is_wanted ? " is missing" : " is not asked for"), 0);
        if (is_wanted &&
            (all.open_group(name).open_dataset("value").type() == hdf5::NumberType::float32) != is_single)
            throw FileError(file.path() + ": " + name + " is of another precision", 0);
    };
    require("position", wanted.position);
    require("velocity", wanted.velocity);
}

}  // namespace mpcflow

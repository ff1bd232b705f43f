#include "app/output/frame_layout.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

namespace mpcflow {

namespace {

using hdf5::DatasetLayout;
using hdf5::Growth;
using hdf5::NumberType;

constexpr double fill_value = std::numeric_limits<double>::quiet_NaN();

/// Bytes on disk of one row of a dataset that holds `particles`.
std::int64_t row_bytes(const DatasetLayout& layout, std::int64_t particles) {
    std::vector<hsize_t> shape = layout.shape;
    shape[0] = static_cast<hsize_t>(particles);
    return hdf5::row_bytes(layout, shape);
}

}  // namespace

std::int64_t usual_frame_particles(const System& system, const TrajectoryOutput& output) {
    if (!output.region) return count_selected_ids(system.particle_count(), output.every_nth_id);
    const double in_region = system.fluid.density * output.region->volume();
    return static_cast<std::int64_t>(std::ceil(in_region / static_cast<double>(output.every_nth_id)));
}

NumberType frame_number_type(Precision precision, const TrajectoryOutput& output) {
    const FilePrecision as_run =
        precision == Precision::mixed ? FilePrecision::single_precision : FilePrecision::double_precision;
    const FilePrecision wanted = output.precision == FilePrecision::automatic ? as_run : output.precision;
    return wanted == FilePrecision::single_precision ? NumberType::float32 : NumberType::float64;
}

NumberType frame_id_type(const System& system) {
    const bool has_wide_ids = system.particle_count() > std::numeric_limits<std::int32_t>::max();
    return has_wide_ids ? NumberType::int64 : NumberType::int32;
}

FrameLayout::FrameLayout(const System& system, Precision precision, const TrajectoryOutput& output)
    : masses_(system.masses()),
      ids_(frame_id_type(system)),
      reals_(frame_number_type(precision, output)),
      output_(output),
      particles_(static_cast<hsize_t>(count_selected_ids(system.particle_count(), output.every_nth_id))) {
    if (!output.region) return;
    // A chunk takes what chance brings, so that most frames need no other.
    const auto usual = static_cast<double>(usual_frame_particles(system, output));
    particles_ = std::min(particles_, static_cast<hsize_t>(usual + 4.0 * std::sqrt(usual) + 8.0));
    growth_ = Growth::by_ragged_rows;
}

DatasetLayout FrameLayout::vectors(const char* description) const {
    return {reals_, {particles_, 3}, growth_, fill_value, {description, {}}};
}

DatasetLayout FrameLayout::images() const {
    return {NumberType::int32,
            {particles_, 3},
            growth_,
            {},
            {"times that the particle has crossed the box; unwrapped position = position + image * box size",
             {}}};
}

DatasetLayout FrameLayout::ids() const {
    const bool is_ragged = growth_ == Growth::by_ragged_rows;
    return {ids_,
            {particles_},
            growth_,
            is_ragged ? std::optional<double>(-1.0) : std::nullopt,
            {is_ragged                  ? "particle ids, ascending; -1 where there is no particle"
             : output_.every_nth_id > 1 ? "particle ids, always the multiples of every_nth_id"
                                        : "particle ids, always 0 ... N-1",
             {}}};
}

DatasetLayout FrameLayout::species() const {
    return {NumberType::int32, {particles_}, growth_, -1.0, {species_description, {}}};
}

DatasetLayout FrameLayout::masses() const {
    return {NumberType::float64, {particles_}, growth_, fill_value, {"masses", {}}};
}

DatasetLayout FrameLayout::fixed(NumberType type, const char* description) const {
    return {type, {particles_}, Growth::fixed, {}, {description, {}}};
}

DatasetLayout FrameLayout::same_for_all(NumberType type, double value, const char* description) const {
    const bool grows = growth_ == Growth::by_ragged_rows;
    return {type,
            grows ? std::vector<hsize_t>{} : std::vector<hsize_t>{particles_},
            grows ? Growth::by_rows : Growth::fixed,
            value,
            {description, {}}};
}

std::int64_t FrameLayout::bytes(std::int64_t particles) const {
    std::int64_t bytes = row_bytes(images(), particles) + row_bytes(ids(), particles);
    const std::int64_t vector_bytes = row_bytes(vectors(""), particles);
    if (output_.position) bytes += vector_bytes;
    if (output_.velocity) bytes += vector_bytes;
    if (frames_have_species()) bytes += row_bytes(species(), particles) + row_bytes(masses(), particles);
    return bytes;
}

std::int64_t FrameLayout::bytes_of_all() const {
    if (masses_ == Masses::equal || frames_have_species()) return 0;
    const auto bytes = static_cast<std::int64_t>(particles_ * (sizeof(std::int32_t) + sizeof(double)));
    return bytes + bytes / 64;
}

}  // namespace mpcflow

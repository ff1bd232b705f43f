#include "app/output/checkpoint_fields.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "app/hdf5/dataset.hpp"

namespace mpcflow {

namespace {

using hdf5::Group;
using hdf5::Growth;
using hdf5::NumberType;

constexpr hsize_t sums_in_bin = 6;
constexpr hsize_t pressure_sums_in_bin = 19;
static_assert(sizeof(FieldSums) == sums_in_bin * sizeof(double), "a bin is written as a row of doubles");
static_assert(sizeof(PressureSums) == pressure_sums_in_bin * sizeof(double), "and this one too");

void write_span(const Group& group, const StepSpan& steps) {
    group.write_attribute("first_step", steps.first);
    group.write_attribute("last_step", steps.last);
}

StepSpan read_span(const Group& group) {
    return {group.read_int_attribute("first_step"), group.read_int_attribute("last_step")};
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
    group.create_dataset(name + "_samples", {NumberType::int64, {samples.size()}, Growth::fixed, {}, {}})
        .write(samples);
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

}  // namespace

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

}  // namespace mpcflow

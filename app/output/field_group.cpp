#include "app/output/field_group.hpp"

#include <cstdint>
#include <span>

#include <fmt/format.h>

namespace mpcflow {

using hdf5::DatasetLayout;
using hdf5::Group;
using hdf5::NumberType;

std::vector<FieldQuantity> field_quantities(const FieldsOutput& wanted) {
    std::vector<FieldQuantity> all;
    if (wanted.density) {
        all.push_back({"density",
                       {},
                       "mean number of particles a volume; axes z y x",
                       "a^-3",
                       &FieldAverages::density,
                       &FieldAverages::density_error});
    }
    if (wanted.velocity) {
        all.push_back({"velocity",
                       {3},
                       "mean velocity of the particles; axes z y x, components x y z",
                       "(energy/mass)^(1/2)",
                       &FieldAverages::velocity,
                       &FieldAverages::velocity_error});
    }
    if (wanted.temperature) {
        all.push_back({"temperature",
                       {},
                       "kT of the motion relative to the bin's mean velocity; axes z y x",
                       "energy",
                       &FieldAverages::temperature,
                       &FieldAverages::temperature_error});
    }
    if (wanted.pressure_tensor) {
        all.push_back(
            {"pressure_tensor",
             {3, 3},
             "flux of momentum along a in direction b, relative to the bin's mean velocity; axes z y x, a, b",
             "energy/a^3",
             &FieldAverages::pressure_tensor,
             &FieldAverages::pressure_tensor_error});
    }
    return all;
}

void write_field_axes(const Group& group, const Box& box, const std::array<int, 3>& bins) {
    constexpr std::array<const char*, 3> names{"x", "y", "z"};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const auto count = static_cast<std::size_t>(bins[axis]);
        const auto place = [&](double index) { return box.size[axis] * index / bins[axis]; };
        std::vector<double> edges(count + 1);
        std::vector<double> centres(count);
        for (std::size_t i = 0; i <= count; ++i) edges[i] = place(static_cast<double>(i));
        for (std::size_t i = 0; i < count; ++i) centres[i] = place(static_cast<double>(i) + 0.5);
        const std::string name = names[axis];
        const auto layout = [&](std::size_t length, const char* what) {
            return DatasetLayout{NumberType::float64,
                                 {length},
                                 hdf5::Growth::fixed,
                                 {},
                                 {fmt::format("{} of the bins along {}", what, name), "a"}};
        };
        group.create_dataset(name + "_edges", layout(count + 1, "edges")).write(edges);
        group.create_dataset(name + "_centres", layout(count, "centres")).write(centres);
    }
}

void write_fields(const Group& root, const RunRecord& record) {
    const FieldResult& fields = *record.fields;
    const FieldAverages& averages = fields.averages;
    const Group group = root.create_group("fields");
    group.write_attribute("bins", std::span<const std::int32_t>(fields.bins));
    group.write_attribute("every", fields.every);
    group.write_attribute("samples", averages.samples);
    group.write_attribute("blocks", averages.blocks);
    group.write_attribute("block_samples", averages.block_samples);
    group.write_attribute("first_step", record.field_steps.first);
    group.write_attribute("last_step", record.field_steps.last);
    write_field_axes(group, record.scenario.system.box, fields.bins);

    const auto length = [&](std::size_t axis) { return static_cast<hsize_t>(fields.bins[axis]); };
    for (const FieldQuantity& quantity : field_quantities(*record.scenario.output.fields)) {
        std::vector<hsize_t> shape{length(2), length(1), length(0)};
        shape.insert(shape.end(), quantity.components.begin(), quantity.components.end());
        DatasetLayout layout{
            NumberType::float64, shape, hdf5::Growth::fixed, {}, {quantity.description, quantity.unit}};
        group.create_dataset(quantity.name, layout).write(averages.*quantity.value);
        layout.meaning.description = "standard error of " + quantity.name + " by blocking";
        group.create_dataset(quantity.name + "_error", layout).write(averages.*quantity.error);
    }
}

}  // namespace mpcflow

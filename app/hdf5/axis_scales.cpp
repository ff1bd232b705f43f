#include "app/hdf5/axis_scales.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>

namespace mpcflow {

namespace {

using hdf5::Dataset;
using hdf5::Group;

/// x, y, z.
Dataset component_axis(const Group& root, std::size_t which) {
    const std::string name(component_axes[which]);
    if (root.has(name)) return root.open_dataset(name);
    Dataset axis = root.create_dataset(
        name,
        {hdf5::NumberType::int64, {3}, hdf5::Growth::fixed, {}, {"components: 0 is x, 1 is y, 2 is z", "1"}});
    axis.write(std::vector<std::int64_t>{0, 1, 2});
    axis.make_scale(name);
    return axis;
}

/// 0, 1 ... of so many species.
Dataset species_axis(const Group& root, hsize_t count) {
    const std::string name(species_axis_name);
    if (root.has(name)) return root.open_dataset(name);
    Dataset axis = root.create_dataset(name, {hdf5::NumberType::int64,
                                              {count},
                                              hdf5::Growth::fixed,
                                              {},
                                              {"species in the order of the input", "1"}});
    std::vector<std::int64_t> numbers(count);
    std::iota(numbers.begin(), numbers.end(), std::int64_t{0});
    axis.write(numbers);
    axis.make_scale(name);
    return axis;
}

}  // namespace

void name_axes(const Group& root, const std::string& name, const std::vector<std::string>& scales) {
    const Group group = root.open_group(name);
    std::vector<Dataset> axes;
    for (const std::string& scale : scales) {
        axes.push_back(group.open_dataset(scale));
        axes.back().make_scale(scale);
    }
    for (const std::string& each : group.link_names()) {
        if (std::find(scales.begin(), scales.end(), each) != scales.end()) continue;
        const Dataset dataset = group.open_dataset(each);
        if (each.ends_with("_edges")) {
            dataset.make_scale(each);
            continue;
        }
        const std::size_t rank = dataset.shape().size();
        std::size_t places = std::min(rank, axes.size());
        for (std::size_t axis = 0; axis < places; ++axis) dataset.name_axis(axis, axes[axis]);
        if (each.starts_with(species_prefix)) {
            dataset.name_axis(places, species_axis(root, dataset.shape()[places]));
            ++places;
        }
        const std::size_t first = rank == places + 1 ? 0 : 1;
        for (std::size_t axis = places; axis < rank; ++axis)
            dataset.name_axis(axis, component_axis(root, first + axis - places));
    }
}

}  // namespace mpcflow

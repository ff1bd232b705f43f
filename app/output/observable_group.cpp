#include "app/output/observable_group.hpp"

#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

#include "app/hdf5/axis_scales.hpp"

namespace mpcflow {

namespace {

using hdf5::Group;

/// Calls action(group, name) for the path "name", or for "inner/name" with the inner group, made if it is not
/// there yet.
template <class Action>
void at_place(const Group& group, const std::string& path, const Action& action) {
    const std::size_t slash = path.find('/');
    if (slash == std::string::npos) return action(group, path);
    const std::string inner = path.substr(0, slash);
    action(group.has(inner) ? group.open_group(inner) : group.create_group(inner), path.substr(slash + 1));
}

void write_attribute(const Group& group, const NamedAttribute& attribute) {
    const auto write = [&](const Group& place, const std::string& name) {
        std::visit(
            [&]<class Value>(const Value& value) {
                if constexpr (requires { typename Value::allocator_type; } &&
                              !std::is_same_v<Value, std::string>)
                    place.write_attribute(name, std::span<const typename Value::value_type>(value));
                else if constexpr (std::is_same_v<Value, std::string>)
                    place.write_attribute(name, std::string_view(value));
                else place.write_attribute(name, value);
            },
            attribute.value);
    };
    at_place(group, attribute.name, write);
}

NamedArray read_array(const Group& group, const std::string& name) {
    const hdf5::Dataset dataset = group.open_dataset(name);
    const std::vector<hsize_t> shape = dataset.shape();
    NamedArray array{name, {shape.begin(), shape.end()}, {}, {}, {}};
    constexpr std::size_t axes_of_rows = 3;
    const hdf5::NumberType type = dataset.type();
    if (shape.size() == axes_of_rows) array.values = dataset.read_rows<double>();
    else if (type == hdf5::NumberType::int64) array.values = dataset.read<std::int64_t>();
    else if (type == hdf5::NumberType::uint64) array.values = dataset.read<std::uint64_t>();
    else array.values = dataset.read<double>();
    return array;
}

template <class Values>
void write_values(const Group& place, const std::string& name, const NamedArray& array,
                  const Values& values) {
    const std::vector<hsize_t> shape(array.shape.begin(), array.shape.end());
    const hdf5::Meaning meaning{array.description, array.unit};
    if constexpr (std::is_same_v<Values, NamedArray::Large>) {
        std::visit([&](const auto& large) { write_values(place, name, array, large); }, values);
    } else if constexpr (std::is_same_v<Values, NamedArray::RowViews> ||
                         std::is_same_v<Values, NamedArray::Rows>) {
        const std::vector<hsize_t> row(shape.begin() + 1, shape.end());
        hdf5::Dataset rows =
            place.create_dataset(name, {hdf5::NumberType::float64, row, hdf5::Growth::by_rows, {}, meaning});
        for (const auto& numbers : values) rows.append_row(numbers.data());
    } else {
        using Number = typename Values::value_type;
        place.create_dataset(name, {hdf5::number_type<Number>(), shape, hdf5::Growth::fixed, {}, meaning})
            .write(std::span<const Number>(values));
    }
}

/// Of a group with so many arrays of so many bytes: with chunk indices and checksums.
std::int64_t group_bytes(std::int64_t numbers, std::int64_t arrays) {
    constexpr std::int64_t group_metadata = 16 << 10;
    constexpr std::int64_t array_metadata = 4 << 10;
    return group_metadata + array_metadata * arrays + numbers + numbers / 16;
}

constexpr std::int64_t most_arrays = 24;  // 22 of stress

}  // namespace

void write_array(const Group& group, const NamedArray& array) {
    const auto write = [&](const Group& place, const std::string& name) {
        std::visit([&](const auto& values) { write_values(place, name, array, values); }, array.values);
    };
    at_place(group, array.name, write);
}

void write_results(const Group& root, const ObservableResults& results) {
    const Group group = root.create_group(results.name);
    for (const NamedArray& array : results.arrays) write_array(group, array);
    for (const NamedAttribute& attribute : results.attributes) write_attribute(group, attribute);
    if (results.axes.empty()) return;
    for (const std::string& inner : results.groups_of_axes)
        name_axes(root, results.name + "/" + inner, results.axes);
}

void write_states(const Group& root, const ObservableStates& states) {
    const Group all = root.create_group("observables");
    for (const auto& state : states) {
        const Group group = all.create_group(state->name);
        group.write_attribute("samples", state->samples);
        group.write_attribute("first_step", state->first_step);
        group.write_attribute("last_step", state->last_step);
        const Group parameters = group.create_group("parameters");
        for (const SamplingParameter& parameter : state->parameters)
            parameters.write_attribute(parameter.name, parameter.value);
        const Group arrays = group.create_group("arrays");
        for (const NamedArray& array : state->arrays) write_array(arrays, array);
    }
}

std::vector<ObservableState> read_states(const Group& root) {
    std::vector<ObservableState> states;
    const Group all = root.open_group("observables");
    for (const std::string& name : all.link_names()) {
        const Group group = all.open_group(name);
        ObservableState state;
        state.name = name;
        state.samples = group.read_int_attribute("samples");
        state.first_step = group.read_int_attribute("first_step");
        state.last_step = group.read_int_attribute("last_step");
        const Group parameters = group.open_group("parameters");
        for (const std::string& parameter : parameters.attribute_names())
            state.parameters.push_back({parameter, parameters.read_double_attribute(parameter)});
        const Group arrays = group.open_group("arrays");
        for (const std::string& array : arrays.link_names())
            state.arrays.push_back(read_array(arrays, array));
        states.push_back(std::move(state));
    }
    return states;
}

std::int64_t file_bytes(const std::vector<NamedArray>& arrays) {
    return group_bytes(bytes_of(arrays), static_cast<std::int64_t>(arrays.size()));
}

std::int64_t result_file_bytes(const Observable& observable, std::int64_t last_step) {
    return group_bytes(observable.result_bytes(last_step), most_arrays);
}

std::int64_t state_file_bytes(const Observable& observable, std::int64_t last_step) {
    return group_bytes(observable.bytes(last_step), most_arrays);
}

}  // namespace mpcflow

#pragma once
/// What tests of observables that are gathered later have in common.

#include <cstdint>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "physics/observables/observable.hpp"

namespace mpcflow {

/// A state as a checkpoint gives it back: with numbers of its own.
inline ObservableState as_read(ObservableState state) {
    const auto owned = []<class Values>(const Values& values) -> NamedArray::Values {
        if constexpr (std::is_same_v<Values, NamedArray::RowViews>) {
            NamedArray::Rows rows;
            for (const View<double>& row : values) rows.emplace_back(row.begin(), row.end());
            return rows;
        } else if constexpr (std::is_same_v<Values, NamedArray::Rows>) {
            return values;
        } else {
            return std::vector<typename Values::value_type>(values.begin(), values.end());
        }
    };
    for (NamedArray& array : state.arrays)
        if (const auto* large = std::get_if<NamedArray::Large>(&array.values))
            array.values = std::visit(owned, *large);
    return state;
}

/// The array of this name.
template <class Arrays>
auto& array_named(Arrays& arrays, const std::string& name) {
    for (auto& array : arrays)
        if (array.name == name) return array;
    throw std::out_of_range(name);
}

inline std::int64_t whole_attribute(const ObservableResults& results, const std::string& name) {
    for (const NamedAttribute& attribute : results.attributes)
        if (attribute.name == name) return std::get<std::int64_t>(attribute.value);
    throw std::out_of_range(name);
}

/// Numbers of results, copied.
inline std::vector<double> numbers_of(const ObservableResults& results, const std::string& name) {
    const auto& values = array_named(results.arrays, name).template large<View<double>>();
    return {values.begin(), values.end()};
}

}  // namespace mpcflow

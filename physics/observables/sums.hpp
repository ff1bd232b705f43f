#pragma once
/// Numbers that are added up side by side.

#include <span>
#include <type_traits>

#include "physics/host_device.hpp"

namespace mpcflow {

/// At first all zero.
template <int number>
struct SumsOf {
    static constexpr int count = number;
    double value[count]{};

    MPCFLOW_HD SumsOf& operator+=(const SumsOf& other) {
        for (int i = 0; i < count; ++i) value[i] += other.value[i];
        return *this;
    }
};

/// The numbers of sums that are structs of doubles, one after the other.
template <class Sums>
[[nodiscard]] std::span<double> numbers_in(std::span<Sums> sums) {
    static_assert(std::is_trivially_copyable_v<Sums> && sizeof(Sums) % sizeof(double) == 0);
    return {reinterpret_cast<double*>(sums.data()), sums.size() * (sizeof(Sums) / sizeof(double))};
}

}  // namespace mpcflow

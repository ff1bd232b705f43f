#pragma once
/// Numbers that are added up side by side.

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

}  // namespace mpcflow

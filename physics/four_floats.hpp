#pragma once
/// Floats in a struct of doubles.

#include <bit>
#include <cstdint>
#include <type_traits>

#include "physics/host_device.hpp"

namespace mpcflow {

/// Four floats: as they are, or two in each of two doubles, for structs of which columns of doubles are made.
template <class Real>
class FourFloats {
    static_assert(std::is_same_v<Real, float> || std::is_same_v<Real, double>);

public:
    FourFloats() = default;
    MPCFLOW_HD FourFloats(float a, float b, float c, float d) {
        if constexpr (are_floats) {
            words_[0] = a;
            words_[1] = b;
            words_[2] = c;
            words_[3] = d;
        } else {
            words_[0] = pair(a, b);
            words_[1] = pair(c, d);
        }
    }

    template <int k>
    [[nodiscard]] MPCFLOW_HD float get() const {
        static_assert(0 <= k && k < 4);
        if constexpr (are_floats) return words_[k];
        else
            return std::bit_cast<float>(
                static_cast<std::uint32_t>(std::bit_cast<std::uint64_t>(words_[k / 2]) >> (k % 2 * 32)));
    }

private:
    static constexpr bool are_floats = std::is_same_v<Real, float>;

    MPCFLOW_HD static double pair(float low, float high) {
        return std::bit_cast<double>(std::uint64_t{std::bit_cast<std::uint32_t>(high)} << 32 |
                                     std::bit_cast<std::uint32_t>(low));
    }

    Real words_[are_floats ? 4 : 2]{};
};

}  // namespace mpcflow

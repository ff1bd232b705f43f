#pragma once
/// What two values can be combined by: the operations of reductions and scans. All are associative, those of
/// floating-point numbers as far as their rounding is; each has a neutral element, which changes nothing.

#include <limits>

#include "gpu/warp/warp.hpp"

namespace mpcflow::warp {

struct Add {
    template <class T>
    MPCFLOW_WARP T operator()(T a, T b) const {
        return a + b;
    }
    template <class T>
    static constexpr T neutral{0};
};

struct Multiply {
    template <class T>
    MPCFLOW_WARP T operator()(T a, T b) const {
        return a * b;
    }
    template <class T>
    static constexpr T neutral{1};
};

/// Not for NaNs, which are neither smaller nor larger than others. Nor is Maximum.
struct Minimum {
    template <class T>
    MPCFLOW_WARP T operator()(T a, T b) const {
        return b < a ? b : a;
    }
    template <class T>
    static constexpr T neutral = std::floating_point<T> ? std::numeric_limits<T>::infinity()
                                                        : std::numeric_limits<T>::max();
};

struct Maximum {
    template <class T>
    MPCFLOW_WARP T operator()(T a, T b) const {
        return a < b ? b : a;
    }
    template <class T>
    static constexpr T neutral = std::floating_point<T> ? -std::numeric_limits<T>::infinity()
                                                        : std::numeric_limits<T>::min();
};

struct BitAnd {
    template <std::integral T>
    MPCFLOW_WARP T operator()(T a, T b) const {
        return a & b;
    }
    template <std::integral T>
    static constexpr T neutral = static_cast<T>(~T{0});
};

struct BitOr {
    template <std::integral T>
    MPCFLOW_WARP T operator()(T a, T b) const {
        return a | b;
    }
    template <std::integral T>
    static constexpr T neutral{0};
};

}  // namespace mpcflow::warp

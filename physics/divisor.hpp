#pragma once
/// Division by a number that is known before a kernel is launched.

#include <cstdint>

#include "physics/host_device.hpp"

namespace mpcflow {

/// n / d in three instructions of a card, where division takes some twenty.
///
/// Granlund and Montgomery, PLDI 1994, 61: with 2^(s-1) < d <= 2^s and m = ceil(2^(31+s) / d), which is less
/// than 2^32, m d is 2^(31+s) + e, 0 <= e < d <= 2^s, so that floor(n m / 2^(31+s)) = floor(n / d) for all
/// 0 <= n < 2^31.
class Divisor {
public:
    Divisor() = default;
    /// By `d`, 1 to 2^31 - 1.
    MPCFLOW_HD explicit Divisor(int d) {
        const auto divisor = static_cast<std::uint64_t>(d);
        int bits = 0;
        while ((std::uint64_t{1} << bits) < divisor) ++bits;
        shift_ = 31 + bits;
        factor_ = static_cast<std::uint32_t>(((std::uint64_t{1} << shift_) + divisor - 1) / divisor);
    }

    /// n / d for n >= 0.
    friend MPCFLOW_HD int operator/(int n, const Divisor& by) {
        return static_cast<int>((static_cast<std::uint64_t>(static_cast<std::uint32_t>(n)) * by.factor_) >>
                                by.shift_);
    }

private:
    std::uint32_t factor_ = 1U << 31U;
    int shift_ = 31;
};

}  // namespace mpcflow

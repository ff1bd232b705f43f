#pragma once

#include <algorithm>
#include <cstdint>

namespace mpcflow {

/// What falls to one of several, in equal parts, of things that are numbered from 0 on: [first, end).
struct Share {
    std::int64_t first = 0;
    std::int64_t end = 0;

    [[nodiscard]] std::int64_t count() const { return end - first; }
};
[[nodiscard]] inline Share share_of(std::int64_t things, int number, int count) {
    const auto begin = [&](std::int64_t n) {
        const std::int64_t whole = things / count;
        return whole * n + std::min<std::int64_t>(n, things % count);
    };
    return {begin(number), begin(number + 1)};
}

}  // namespace mpcflow

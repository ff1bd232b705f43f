#pragma once
/// Inputs for the warp algorithms: which lanes take part, their keys and their values. Plain data, so that
/// the same cases run in the emulator and on the card.

#include <cstddef>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include "gpu/warp/warp.hpp"

namespace mpcflow::test {

inline constexpr int case_values = 16;

struct WarpCase {
    unsigned mask;                                ///< the lanes that take part
    std::uint64_t keys[warp::warp_size];          ///< also set in lanes that do not take part
    double values[warp::warp_size][case_values];  ///< multiples of 2^-36 below 64: their sums are exact
    std::uint32_t numbers[warp::warp_size];       ///< any 32 bits
};

/// The lanes of the case with the key of `lane`, the plain way.
inline unsigned expected_peers(const WarpCase& input, unsigned lane) {
    unsigned peers = 0;
    for (unsigned other = 0; other < warp::warp_size; ++other) {
        const bool takes_part = (input.mask >> other & 1u) != 0;
        if (takes_part && input.keys[other] == input.keys[lane]) peers |= 1u << other;
    }
    return peers;
}

/// Where the sums and counters of a lane's key are: at the number of its first lane.
MPCFLOW_HD unsigned slot_of(unsigned peers) { return warp::lowest_lane(peers); }

/// For programs that need none.
struct NoScratch {};

/// The right one of two values: associative, not commutative.
struct TakeRight {
    template <class T>
    MPCFLOW_WARP T operator()(T, T right) const {
        return right;
    }
};

/// The left one of two values: associative, not commutative.
struct TakeLeft {
    template <class T>
    MPCFLOW_WARP T operator()(T left, T) const {
        return left;
    }
};

/// The case as two: a part of its lanes each, which may enter an algorithm apart from each other.
inline std::pair<WarpCase, WarpCase> split_case(const WarpCase& input) {
    std::pair<WarpCase, WarpCase> parts{input, input};
    parts.first.mask &= input.numbers[0];
    parts.second.mask &= ~input.numbers[0];
    return parts;
}

/// How many lanes the largest group of peers has, and how many groups there are.
struct Groups {
    unsigned largest = 0;
    unsigned count = 0;
};

inline Groups count_groups(const WarpCase& input) {
    Groups groups;
    for (unsigned lane = 0; lane < warp::warp_size; ++lane) {
        if ((input.mask >> lane & 1u) == 0) continue;
        unsigned size = 0;
        bool is_first = true;
        for (unsigned other = 0; other < warp::warp_size; ++other) {
            if ((expected_peers(input, lane) >> other & 1u) != 0) {
                ++size;
                is_first = is_first && other >= lane;
            }
        }
        groups.largest = size > groups.largest ? size : groups.largest;
        groups.count += is_first ? 1 : 0;
    }
    return groups;
}

/// Full warps, the first 1, 2, 3, 16 and 31 lanes, the last lane alone, every other lane, and random masks.
inline std::vector<unsigned> make_masks(std::mt19937_64& random) {
    std::vector<unsigned> masks{0xffffffffu, 0x1u,        0x3u,        0x7u,       0xffffu,
                                0x7fffffffu, 0x80000000u, 0x55555555u, 0xaaaa0000u};
    for (int i = 0; i < 6; ++i) {
        const auto sparse = static_cast<unsigned>(random() & random());
        masks.push_back(static_cast<unsigned>(random()) | 0x100u);
        masks.push_back(sparse | 0x8000u);
    }
    return masks;
}

/// For each mask: all keys equal, all different (ascending, descending, strided by 32 and by 2^32), sorted
/// runs, and random keys of ranges from 1 to far more than lanes. `key_bits` is 32 or 64; with 64, keys
/// differ in their upper halves, also in these alone.
inline std::vector<WarpCase> make_cases(std::uint64_t seed, int key_bits) {
    std::mt19937_64 random{seed};
    const std::uint64_t key_mask = key_bits == 64 ? ~std::uint64_t{0} : 0xffffffffu;
    std::vector<WarpCase> cases;
    const auto add = [&](unsigned mask, auto key_of) {
        WarpCase input{};
        input.mask = mask;
        for (unsigned lane = 0; lane < warp::warp_size; ++lane) {
            input.keys[lane] = static_cast<std::uint64_t>(key_of(lane)) & key_mask;
            input.numbers[lane] = static_cast<std::uint32_t>(random());
            for (double& value : input.values[lane]) {
                const auto multiple = static_cast<std::int64_t>(random() >> 21) - (std::int64_t{1} << 42);
                value = static_cast<double>(multiple) * 0x1p-36;
            }
        }
        cases.push_back(input);
    };
    for (const unsigned mask : make_masks(random)) {
        const std::uint64_t offset = random();
        const std::uint64_t high = key_bits == 64 ? std::uint64_t{1} << 32 : 1;
        add(
            mask, [](unsigned) { return 0; });
        add(
            mask, [](unsigned) { return -1; });
        add(
            mask, [&](unsigned lane) { return offset + lane; });
        add(
            mask, [&](unsigned lane) { return offset - lane; });
        add(
            mask, [&](unsigned lane) { return lane * 32u; });
        add(
            mask, [&](unsigned lane) { return lane * high; });
        add(
            mask, [&](unsigned lane) { return lane / 5 * high; });
        add(mask, [&](unsigned lane) { return lane % 5 * high; });
        for (const std::uint64_t range : {1, 2, 3, 4, 6, 10, 14, 20, 32, 100, 10000})
            add(mask, [&](unsigned) { return random() % range * high + offset; });
    }
    return cases;
}

}  // namespace mpcflow::test

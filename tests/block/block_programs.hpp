#pragma once
/// What the tests of the block algorithms let a block do, and how they check what it reports. Each program
/// is a thread's body over a Block, so that the same ones run in the emulator and on the card; the checks
/// are plain loops on the host.
///
/// A program has a name; the threads of a block and the blocks of its grid; the numbers of items to try; a
/// Report (plain data, zero at the start); a Scratch (a block's shared memory, with anything in it); run();
/// check(). The emulator runs the blocks one after the other.

#include <cstdint>

#include "gpu/block/grid_items.hpp"
#include "tests/block/block_cases.hpp"

namespace mpcflow::test {

/// Which block of how many.
struct GridPlace {
    unsigned block;
    unsigned blocks;

    [[nodiscard]] MPCFLOW_HD block::GridItems share(std::int64_t count) const {
        return {count, block, blocks};
    }
};

/// No items, one, the neighbourhood of a warp, and of the whole block.
inline std::vector<std::uint32_t> counts_up_to(std::uint32_t threads) {
    std::vector<std::uint32_t> counts;
    for (const std::uint32_t count : {0u, 1u, 31u, 32u, 33u, threads - 1, threads})
        if (count <= threads && (counts.empty() || count > counts.back())) counts.push_back(count);
    return counts;
}

/// The same, but of large blocks, which take the emulator seconds, the most telling ones alone.
inline std::vector<std::uint32_t> some_counts_up_to(std::uint32_t threads) {
    return threads < 256 ? counts_up_to(threads) : std::vector<std::uint32_t>{0, 33, threads};
}

/// No items, one, the neighbourhood of a warp, a little more than a block, and many: for each thread of a
/// grid of up to 256 threads more than eight.
inline constexpr std::uint32_t most_items = 2500;

inline std::vector<std::uint32_t> counts_of_grid(std::uint32_t threads) {
    return {0, 1, 31, 32, 33, threads + 1, most_items};
}

struct ProgramNames {
    template <class Program>
    static std::string GetName(int) {  // NOLINT: the name that GoogleTest asks for
        return Program::name();
    }
};

}  // namespace mpcflow::test

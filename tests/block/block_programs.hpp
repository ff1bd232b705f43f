#pragma once
/// What the tests of the block algorithms let a block do, and how they check what it reports. Each program
/// is a thread's body over a Block, so that the same ones run in the emulator and on the card; the checks
/// are plain loops on the host.
///
/// A program has a name; the threads of its block; the numbers of items to try; a Report (plain data, zero
/// at the start); a Scratch (shared memory, with anything in it); run(), for all blocks of the grid; check().

#include <cstdint>

#include "gpu/block/block.hpp"
#include "tests/block/block_cases.hpp"

namespace mpcflow::test {

/// Which block of how many.
struct GridPlace {
    unsigned block;
    unsigned blocks;
};

/// No items, one, the neighbourhood of a warp, and of the whole block.
inline std::vector<std::uint32_t> counts_up_to(std::uint32_t threads) {
    std::vector<std::uint32_t> counts;
    for (const std::uint32_t count : {0u, 1u, 31u, 32u, 33u, threads - 1, threads}) {
        if (count <= threads && (counts.empty() || count > counts.back())) {
            counts.push_back(count);
        }
    }
    return counts;
}

struct ProgramNames {
    template <class Program>
    static std::string GetName(int) {  // NOLINT: the name that GoogleTest asks for
        return Program::name();
    }
};

}  // namespace mpcflow::test

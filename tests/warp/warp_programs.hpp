#pragma once
/// What the tests of the warp algorithms let a warp do, and how they check what it reports. Each program is
/// a lane's body over a Warp and its Atomics, so that the same ones run in the emulator and on the card; the
/// checks are plain loops on the host.
///
/// A program has a name, the width of the keys to try, a Report (plain data, zero at the start), a Scratch
/// (which the lanes that run it together have for themselves), run() and check().

#include <cstdint>
#include <string>

#include <gtest/gtest.h>

#include "tests/warp/atomics_programs.hpp"
#include "tests/warp/counter_programs.hpp"
#include "tests/warp/order_programs.hpp"
#include "tests/warp/peer_programs.hpp"
#include "tests/warp/reduce_programs.hpp"
#include "tests/warp/staging_programs.hpp"

namespace mpcflow::test {

using AllPrograms = testing::Types<
    FindPeers<std::uint32_t>, FindPeers<std::int32_t>, FindPeers<std::uint64_t>, ReducePeers<1>,
    ReducePeers<4>, ReducePeers<9>, ReducePeers<16>, PlaceAmongPeers<std::uint32_t>,
    PlaceAmongPeers<unsigned long long>, ScanPeers<1>, ScanPeers<4>, AddAmongPeers<std::uint32_t>,
    AddAmongPeers<unsigned long long>, AddAmongPeers<double>, PlaceSelected, DeferItems,
    WorkOff<std::uint32_t>, WorkOff<unsigned long long>, AddStaged<1, 1>, AddStaged<4, 8>, AddStaged<9, 5>,
    AddStaged<9, 8>, AddStaged<16, 8>, AddStaged<16, 32>, WordAtomics<std::int32_t>,
    WordAtomics<std::uint32_t>, WordAtomics<unsigned long long>, AddDoubles, Sort<std::uint32_t>,
    Sort<std::int32_t>, Sort<std::int64_t>, Sort<float>, Sort<double>, ScanSegments<1>, ScanSegments<4>,
    ScanSegments<9>, ReduceAndScan<2>, ReduceAndScan<4>, ReduceAndScan<8>, ReduceAndScan<16>,
    ReduceAndScan<32>, ReduceSeveral, ReduceScatter<1>, ReduceScatter<5>, ReduceScatter<10>,
    ReduceScatter<32>, Shuffles<2>, Shuffles<8>, Shuffles<32>>;

struct ProgramNames {
    template <class Program>
    static std::string GetName(int) {  // NOLINT: the name that GoogleTest asks for
        return Program::name();
    }
};

}  // namespace mpcflow::test

#pragma once
/// Random numbers from counters: every draw is a pure function of who asks, for what and when.
///
/// Philox4x32-10 of Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC 2011.
/// The key is the seed of the run, the counter says (purpose, step, cell or particle, block). No
/// generator has a state, so neither threads, nor devices, nor restarts can change a draw.

#include <bit>
#include <cstdint>

#include "physics/host_device.hpp"

namespace mpcflow {

/// What random numbers are drawn for. The values are part of the bits of every run: never reuse one.
enum class RandomStream : std::uint32_t {
    grid_shift = 1,
    rotation_axis = 2,
    thermostat = 3,
    virtual_particles = 4,
    initial_state = 5,
    andersen = 6,
    thermal_wall = 7,
    rigid_rotation = 8,  ///< of SRD+a, where its thermostat draws no energy
};

/// 128 random bits.
struct RandomBlock {
    std::uint32_t word[4];
};

/// The Philox4x32 bijection with ten rounds.
MPCFLOW_HD RandomBlock philox4x32(RandomBlock counter, std::uint32_t key0, std::uint32_t key1) {
    std::uint32_t c0 = counter.word[0], c1 = counter.word[1], c2 = counter.word[2], c3 = counter.word[3];
#ifdef __CUDA_ARCH__
#pragma unroll
#endif
    for (int round = 0; round < 10; ++round) {
        const std::uint64_t p0 = std::uint64_t{0xD2511F53U} * c0;
        const std::uint64_t p1 = std::uint64_t{0xCD9E8D57U} * c2;
        c0 = static_cast<std::uint32_t>(p1 >> 32U) ^ c1 ^ key0;
        c1 = static_cast<std::uint32_t>(p1);
        c2 = static_cast<std::uint32_t>(p0 >> 32U) ^ c3 ^ key1;
        c3 = static_cast<std::uint32_t>(p0);
        key0 += 0x9E3779B9U;
        key1 += 0xBB67AE85U;
    }
    return {{c0, c1, c2, c3}};
}

/// The random blocks of one asker: block 0, 1, 2 ... (under 2^16) of a stream, a step (under 2^56)
/// and an index (under 2^48: a global cell or a particle id).
struct RandomSource {
    std::uint64_t seed;
    RandomStream stream;
    std::uint64_t step;
    std::uint64_t index;
    std::uint32_t next_block = 0;

    /// Leaves out a block, which was drawn elsewhere.
    MPCFLOW_HD void skip() { ++next_block; }
    MPCFLOW_HD RandomBlock next() {
        const auto high = [](std::uint64_t v) { return static_cast<std::uint32_t>(v >> 32U); };
        const auto low = [](std::uint64_t v) { return static_cast<std::uint32_t>(v); };
        const RandomBlock counter{{low(index), high(index) | (next_block << 16U), low(step),
                                   high(step) | (static_cast<std::uint32_t>(stream) << 24U)}};
        ++next_block;
        return philox4x32(counter, low(seed), high(seed));
    }
};

/// Whom random numbers belong to that are of a particle in one step, whatever cell it is in.
struct StepKey {
    std::uint64_t seed = 0;
    std::uint64_t step = 0;

    MPCFLOW_HD RandomSource source(RandomStream stream, std::uint64_t id) const {
        return {seed, stream, step, id};
    }
};

/// Uniform in (0, 1), never 0 or 1: 52 bits at the midpoints of their intervals.
MPCFLOW_HD double uniform_open(std::uint32_t high, std::uint32_t low) {
    const std::uint64_t bits = ((std::uint64_t{high} << 32U) | low) >> 12U;
    // The number itself, exactly: not every vector unit converts whole numbers so long.
    const double number = std::bit_cast<double>(std::bit_cast<std::uint64_t>(0x1p52) | bits) - 0x1p52;
    return (number + 0.5) * 0x1p-52;
}

}  // namespace mpcflow

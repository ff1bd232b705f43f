#pragma once
/// A warp without a GPU: 32 lanes as fibers in one thread, in lockstep at the collectives.
///
/// A lane runs alone until it calls a collective, and there it waits until every lane of its mask has
/// called the same one from the same place in the source. Lanes start and go on in a random order that the
/// seed decides, so that a missing warp.sync shows. What the hardware leaves undefined is an error here:
/// see run_warp.

#include <array>
#include <cstdint>
#include <cstring>
#include <functional>
#include <source_location>
#include <stdexcept>

#include "gpu/warp/warp.hpp"

namespace mpcflow::test {

/// A lane program broke a rule of the collectives; the message names lane, collective, file and line.
class WarpError : public std::logic_error {
public:
    using std::logic_error::logic_error;
};

enum class Collective {
    active_mask,
    ballot,
    any,
    all,
    shfl,
    shfl_up,
    shfl_down,
    shfl_xor,
    match_any,
    reduce_or,
    sync,
    block_sync
};
inline constexpr int collective_kinds = 12;

/// How many collectives of each kind a warp completed; one for all lanes of its mask together.
struct WarpCounts {
    std::array<unsigned, collective_kinds> counts{};

    [[nodiscard]] unsigned of(Collective kind) const { return counts[static_cast<std::size_t>(kind)]; }
    WarpCounts& operator+=(const WarpCounts& other) {
        for (std::size_t kind = 0; kind < counts.size(); ++kind) counts[kind] += other.counts[kind];
        return *this;
    }
};

/// What a lane asks for when it calls a collective.
struct CollectiveCall {
    Collective kind{};
    unsigned mask = 0;
    unsigned source_lane = 0;  ///< of a shuffle
    std::uint64_t value = 0;   ///< vote, key, or the bits of the value to be shuffled
    std::source_location where{};
};

class WarpEmulator;

/// One lane's handle of the emulated warp, a model of warp::IsWarp.
class EmulatedWarp {
public:
    using Where = std::source_location;

    EmulatedWarp(WarpEmulator& emulator, unsigned lane) : emulator_{&emulator}, lane_{lane} {}

    [[nodiscard]] unsigned lane() const { return lane_; }

    /// When no lane can go on otherwise, a random part of the lanes that wait at one such call goes on
    /// together. That is all that the hardware promises.
    [[nodiscard]] unsigned active_mask(Where where = Where::current()) const {
        return static_cast<unsigned>(call({Collective::active_mask, 0, 0, 0, where}));
    }
    [[nodiscard]] unsigned ballot(unsigned mask, bool vote, Where where = Where::current()) const {
        return static_cast<unsigned>(call({Collective::ballot, mask, 0, vote, where}));
    }
    [[nodiscard]] bool any(unsigned mask, bool vote, Where where = Where::current()) const {
        return call({Collective::any, mask, 0, vote, where}) != 0;
    }
    [[nodiscard]] bool all(unsigned mask, bool vote, Where where = Where::current()) const {
        return call({Collective::all, mask, 0, vote, where}) != 0;
    }
    template <warp::LaneValue T>
    [[nodiscard]] T shfl(unsigned mask, T value, unsigned source_lane, Where where = Where::current()) const {
        return shuffle(Collective::shfl, mask, value, source_lane, where);
    }
    template <warp::LaneValue T>
    [[nodiscard]] T shfl_up(unsigned mask, T value, unsigned delta, Where where = Where::current()) const {
        return shuffle(Collective::shfl_up, mask, value, delta > lane_ ? lane_ : lane_ - delta, where);
    }
    template <warp::LaneValue T>
    [[nodiscard]] T shfl_down(unsigned mask, T value, unsigned delta, Where where = Where::current()) const {
        const bool is_outside = delta >= warp::warp_size - lane_;
        return shuffle(Collective::shfl_down, mask, value, is_outside ? lane_ : lane_ + delta, where);
    }
    template <warp::LaneValue T>
    [[nodiscard]] T shfl_xor(unsigned mask, T value, unsigned lane_bits,
                             Where where = Where::current()) const {
        return shuffle(Collective::shfl_xor, mask, value, lane_ ^ lane_bits, where);
    }
    template <warp::PeerKey Key>
    [[nodiscard]] unsigned match_any(unsigned mask, Key key, Where where = Where::current()) const {
        return static_cast<unsigned>(call({Collective::match_any, mask, 0, to_bits(key), where}));
    }
    [[nodiscard]] std::uint32_t reduce_or(unsigned mask, std::uint32_t bits,
                                          Where where = Where::current()) const {
        return static_cast<std::uint32_t>(call({Collective::reduce_or, mask, 0, bits, where}));
    }
    void sync(unsigned mask, Where where = Where::current()) const {
        call({Collective::sync, mask, 0, 0, where});
    }

    /// Lets other lanes go on here, a random number of them; no collective. Before an access to memory that
    /// many lanes write it makes them meet there.
    void yield() const;

    /// Waits for all threads of the block: for EmulatedBlock alone (block_emulator.hpp).
    void sync_block(Where where) const { call({Collective::block_sync, warp::full_mask, 0, 0, where}); }

private:
    template <class T>
    static std::uint64_t to_bits(T value) {
        std::uint64_t bits = 0;
        std::memcpy(&bits, &value, sizeof value);
        return bits;
    }

    template <class T>
    T shuffle(Collective kind, unsigned mask, T value, unsigned source_lane, Where where) const {
        const std::uint64_t bits = call({kind, mask, source_lane, to_bits(value), where});
        std::memcpy(&value, &bits, sizeof value);
        return value;
    }

    std::uint64_t call(const CollectiveCall& call) const;

    WarpEmulator* emulator_;
    unsigned lane_;
};

static_assert(warp::IsWarp<EmulatedWarp>);

/// Runs `lane_program` in each lane of `mask`; the other lanes count as having left before the start.
///
/// Throws WarpError where a lane is not in its own mask; waits for a lane that has left; meets a lane of
/// its mask in another collective, at another place, or with another mask; reads from a lane outside the
/// mask or the warp; where no lane can go on; and where the collectives do not end. What a lane itself
/// throws is thrown on. Either way all lanes have left and their destructors have run.
WarpCounts run_warp(std::uint64_t seed, unsigned mask,
                    const std::function<void(EmulatedWarp&)>& lane_program);

}  // namespace mpcflow::test

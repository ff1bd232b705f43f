#pragma once
/// How the emulated warp (warp_emulator.hpp) lets its lanes take turns and completes their collectives. For
/// those who run warps: run_warp, and the emulator of a block.

#include <array>
#include <cstdio>
#include <cstring>
#include <exception>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <utility>

#include "tests/support/warp_emulator.hpp"
#include "tests/support/warp_emulator_fiber.hpp"

namespace mpcflow::test {

// A warp that has done so many collectives and yields does not end.
inline constexpr unsigned endless = 1'000'000;

inline const char* name_of(Collective kind) {
    static constexpr const char* names[collective_kinds] = {
        "active_mask", "ballot",   "any",       "all",       "shfl", "shfl_up",
        "shfl_down",   "shfl_xor", "match_any", "reduce_or", "sync", "block sync"};
    return names[static_cast<int>(kind)];
}

inline std::string hex(unsigned mask) {
    char text[16];
    std::snprintf(text, sizeof text, "0x%08x", mask);
    return text;
}

inline bool is_shuffle(Collective kind) { return kind >= Collective::shfl && kind <= Collective::shfl_xor; }

inline bool are_the_same(const CollectiveCall& a, const CollectiveCall& b) {
    return a.kind == b.kind && a.mask == b.mask && a.where.line() == b.where.line() &&
           a.where.column() == b.where.column() &&
           (a.where.file_name() == b.where.file_name() ||
            std::strcmp(a.where.file_name(), b.where.file_name()) == 0);
}

// Thrown in the lanes that are left when one has failed, so that they leave and clean up.
struct LaneUnwound {};

/// One warp: its lanes, each in a fiber, and what they wait for.
class WarpEmulator {
public:
    /// `name` goes before the lanes' numbers in messages.
    WarpEmulator(std::mt19937_64& random, std::string name, std::function<void(EmulatedWarp&)> lane_program)
        : random_{&random}, name_{std::move(name)}, lane_program_{std::move(lane_program)} {}
    WarpEmulator(const WarpEmulator&) = delete;
    WarpEmulator& operator=(const WarpEmulator&) = delete;
    ~WarpEmulator() {
        for (Lane& lane : lanes_)
            if (lane.fiber) FiberPool::of_this_thread().put_back(std::move(lane.fiber));
    }

    void start(unsigned mask) {
        for (unsigned lane = 0; lane < warp::warp_size; ++lane) {
            if ((mask & warp::lane_bit(lane)) != 0) {
                set_state(lane, State::ready);
                lanes_[lane].fiber = FiberPool::of_this_thread().take();
                lanes_[lane].fiber->set_body([this, lane] { run_lane(lane); });
            }
        }
    }

    [[nodiscard]] bool can_go_on() const { return lanes_that_are(State::ready) != 0; }

    /// Lets one of the lanes that can go on do so, until it calls or leaves; returns its number.
    unsigned step() {
        const unsigned lane = random_lane(lanes_that_are(State::ready));
        lanes_[lane].fiber->resume();
        if (!error_) follow_up(lane);
        return lane;
    }

    /// Empty while all is well.
    [[nodiscard]] std::exception_ptr error() const { return error_; }

    /// After an error, here or elsewhere: each lane that is left returns from its collective with an
    /// exception, and a lane that has not started does nothing.
    void unwind(const std::exception_ptr& error) {
        error_ = error;
        for (unsigned lane = 0; lane < warp::warp_size; ++lane)
            if (!is(lane, State::gone)) lanes_[lane].fiber->resume();
    }

    [[nodiscard]] const WarpCounts& counts() const { return counts_; }
    [[nodiscard]] unsigned lanes_gone() const { return lanes_that_are(State::gone); }
    [[nodiscard]] unsigned lanes_at_barrier() const { return at_barrier_; }
    [[nodiscard]] const CollectiveCall& last_call(unsigned lane) const { return lanes_[lane].call; }

    /// All threads of the block have come.
    void release_from_barrier() {
        for (unsigned lane = 0; lane < warp::warp_size; ++lane) set_state(lane, State::ready);
    }

    [[nodiscard]] std::string describe(unsigned lane) const {
        const CollectiveCall& call = lanes_[lane].call;
        return name_ + "lane " + std::to_string(lane) + " in " + name_of(call.kind) + " with mask " +
               hex(call.mask) + " at " + call.where.file_name() + ":" + std::to_string(call.where.line()) +
               ":" + std::to_string(call.where.column());
    }

    // Called in the fiber of `lane`.
    std::uint64_t call(unsigned lane, const CollectiveCall& call) {
        if (!error_) {
            lanes_[lane].call = call;
            set_state(lane, State::waiting);
            if (call.kind == Collective::block_sync) at_barrier_ |= warp::lane_bit(lane);
            lanes_[lane].fiber->suspend();
        }
        if (error_) throw LaneUnwound{};
        return lanes_[lane].result;
    }

    // Called in the fiber of `lane`, which stays ready.
    void yield(unsigned lane) {
        if (!error_) {
            if (++calls_ > endless)
                fail(name_ + "lane " + std::to_string(lane) + " yields: the turns do not end");
            lanes_[lane].fiber->suspend();
        }
        if (error_) throw LaneUnwound{};
    }

private:
    enum class State { gone, ready, waiting };

    struct Lane {
        CollectiveCall call;
        std::uint64_t result = 0;
        std::unique_ptr<Fiber> fiber;
    };

    // The body of a lane's fiber.
    void run_lane(unsigned lane) {
        try {
            if (!error_) {
                EmulatedWarp warp{*this, lane};
                lane_program_(warp);
            }
        } catch (const LaneUnwound&) {
        } catch (...) {
            if (!error_) error_ = std::current_exception();
        }
        set_state(lane, State::gone);
    }

    [[nodiscard]] unsigned lanes_that_are(State state) const {
        return in_state_[static_cast<std::size_t>(state)];
    }
    [[nodiscard]] bool is(unsigned lane, State state) const {
        return (lanes_that_are(state) & warp::lane_bit(lane)) != 0;
    }
    void set_state(unsigned lane, State state) {
        for (unsigned& lanes : in_state_) lanes &= ~warp::lane_bit(lane);
        in_state_[static_cast<std::size_t>(state)] |= warp::lane_bit(lane);
        at_barrier_ &= ~warp::lane_bit(lane);
    }

    // Those of `among` for which is_one(lane) is true.
    template <class Predicate>
    [[nodiscard]] unsigned lanes_where(unsigned among, Predicate is_one) const {
        unsigned mask = 0;
        for (; among != 0; among &= among - 1) {
            const unsigned lane = warp::lowest_lane(among);
            if (is_one(lanes_[lane])) mask |= warp::lane_bit(lane);
        }
        return mask;
    }

    [[nodiscard]] unsigned lanes_waiting_in(const CollectiveCall& call) const {
        return lanes_where(
            lanes_that_are(State::waiting), [&](const Lane& lane) { return are_the_same(lane.call, call); });
    }

    unsigned random_lane(unsigned mask) {
        for (auto skip = (*random_)() % warp::popc(mask); skip > 0; --skip) mask &= mask - 1;
        return warp::lowest_lane(mask);
    }

    // Called after `lane` has yielded, come to a collective or left: is all well, and who can go on now?
    void follow_up(unsigned lane) {
        if (is(lane, State::ready)) return;
        if (is(lane, State::gone)) {
            check_that_no_one_waits_for(lane);
        } else {
            check_arrival(lane);
            const CollectiveCall call = lanes_[lane].call;
            const bool is_complete = (call.mask & ~lanes_waiting_in(call)) == 0;
            if (is_complete && call.kind == Collective::block_sync)
                return;  // and who comes next is for the block to say
            if (!error_ && is_complete && call.kind != Collective::active_mask) complete(call);
        }
        if (!error_ && lanes_that_are(State::ready) == 0 && lanes_that_are(State::waiting) != 0)
            release_some_active();
    }

    // What can be told to be wrong as soon as `lane` arrives.
    void check_arrival(unsigned lane) {
        const CollectiveCall& call = lanes_[lane].call;
        if (call.kind != Collective::active_mask && (call.mask & warp::lane_bit(lane)) == 0)
            fail(describe(lane) + " is not in its own mask");
        if (const unsigned gone = call.mask & lanes_that_are(State::gone); gone != 0)
            fail(describe(lane) + " waits for lanes that have left: " + hex(gone));
        if (is_shuffle(call.kind) && call.source_lane >= warp::warp_size) {
            fail(describe(lane) + " reads from lane " + std::to_string(call.source_lane) +
                 ", outside of the warp");
        } else if (is_shuffle(call.kind) && (call.mask & warp::lane_bit(call.source_lane)) == 0) {
            fail(describe(lane) + " reads from lane " + std::to_string(call.source_lane) +
                 ", outside of the mask");
        }
        const unsigned in_conflict =
            lanes_where(lanes_that_are(State::waiting) & call.mask, [&](const Lane& other) {
                return (other.call.mask & warp::lane_bit(lane)) != 0 && !are_the_same(call, other.call);
            });
        if (in_conflict != 0) fail(describe(lane) + " meets " + describe(warp::lowest_lane(in_conflict)));
        if (++calls_ > endless) fail(describe(lane) + ": the collectives do not end");
    }

    void check_that_no_one_waits_for(unsigned gone) {
        const unsigned waiting = lanes_where(lanes_that_are(State::waiting), [&](const Lane& lane) {
            return (lane.call.mask & warp::lane_bit(gone)) != 0;
        });
        if (waiting != 0) {
            fail(describe(warp::lowest_lane(waiting)) +
                 " waits for a lane that has left: " + std::to_string(gone));
        }
    }

    // All lanes of the call's mask have come: gives each its result.
    void complete(const CollectiveCall& call) {
        const auto lanes_of_mask_where = [&](auto is_one) { return lanes_where(call.mask, is_one); };
        const unsigned votes = lanes_of_mask_where([](const Lane& lane) { return lane.call.value != 0; });
        std::uint64_t bits = 0;
        for (unsigned number = 0; number < warp::warp_size; ++number)
            bits |= (call.mask & warp::lane_bit(number)) != 0 ? lanes_[number].call.value : 0;
        for (unsigned number = 0; number < warp::warp_size; ++number) {
            Lane& lane = lanes_[number];
            if ((call.mask & warp::lane_bit(number)) == 0) continue;
            switch (call.kind) {
                case Collective::ballot: lane.result = votes; break;
                case Collective::any: lane.result = votes != 0; break;
                case Collective::all: lane.result = votes == call.mask; break;
                case Collective::match_any:
                    lane.result = lanes_of_mask_where(
                        [&](const Lane& other) { return other.call.value == lane.call.value; });
                    break;
                case Collective::reduce_or: lane.result = bits; break;
                case Collective::active_mask:
                case Collective::sync:
                case Collective::block_sync: break;
                default:
                    lane.result = is_shuffle(call.kind) ? lanes_[lane.call.source_lane].call.value : 0;
                    break;
            }
            set_state(number, State::ready);
        }
        ++counts_.counts[static_cast<std::size_t>(call.kind)];
    }

    // No lane can go on: lets a random part of the lanes that wait in one active_mask do so.
    void release_some_active() {
        const unsigned asking = lanes_where(lanes_that_are(State::waiting), [](const Lane& lane) {
            return lane.call.kind == Collective::active_mask;
        });
        if (asking == 0) {
            std::string text = "deadlock, no lane can go on:";
            for (unsigned lane = 0; lane < warp::warp_size; ++lane)
                text += is(lane, State::waiting) ? "\n  " + describe(lane) : "";
            fail(text);
            return;
        }
        const unsigned together = lanes_waiting_in(lanes_[random_lane(asking)].call);
        const unsigned chosen =
            (together & static_cast<unsigned>((*random_)())) | warp::lane_bit(random_lane(together));
        for (unsigned lane = 0; lane < warp::warp_size; ++lane) {
            if ((chosen & warp::lane_bit(lane)) != 0) {
                lanes_[lane].result = chosen;
                set_state(lane, State::ready);
            }
        }
        ++counts_.counts[static_cast<std::size_t>(Collective::active_mask)];
    }

    // The first fault counts; what follows may follow from it.
    void fail(const std::string& what) {
        if (!error_) error_ = std::make_exception_ptr(WarpError{what});
    }

    std::mt19937_64* random_;
    std::string name_;
    std::function<void(EmulatedWarp&)> lane_program_;
    std::array<Lane, warp::warp_size> lanes_;
    std::array<unsigned, 3> in_state_{warp::full_mask, 0, 0};  // the lanes, by State
    unsigned at_barrier_ = 0;
    WarpCounts counts_;
    unsigned calls_ = 0;
    std::exception_ptr error_;
};

}  // namespace mpcflow::test

#include "tests/support/block_emulator.hpp"

#include <array>
#include <exception>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/support/warp_emulator_lanes.hpp"

namespace mpcflow::test {

namespace {

class BlockEmulator {
public:
    BlockEmulator(std::uint64_t seed, unsigned threads,
                  const std::function<void(EmulatedBlock&)>& thread_program)
        : random_{seed}, members_(threads / warp::warp_size) {
        if (threads == 0 || threads % warp::warp_size != 0 || threads > block::largest_block)
            throw WarpError{"a block of " + std::to_string(threads) + " threads"};
        for (unsigned number = 0; number < members_.size(); ++number) {
            members_[number].warp = std::make_unique<WarpEmulator>(
                random_, "warp " + std::to_string(number) + " ",
                [=, &thread_program](EmulatedWarp& warp) {
                    EmulatedBlock block{warp, number * warp::warp_size + warp.lane(), threads};
                    thread_program(block);
                });
        }
        constexpr unsigned choices[] = {0, most_stickiness * 31 / 32, most_stickiness - 1};
        stickiness_ = choices[random_() % 3];
    }

    WarpCounts run() {
        for (Member& member : members_) member.warp->start(warp::full_mask);
        while (choose_warp()) {
            Member& member = members_[turn_];
            const unsigned lane = member.warp->step();
            if (auto error = member.warp->error(); error || (error = follow_up(member, lane))) {
                for (Member& each : members_) each.warp->unwind(error);
                std::rethrow_exception(error);
            }
        }
        WarpCounts counts;
        for (const Member& member : members_) counts += member.warp->counts();
        counts.counts[static_cast<std::size_t>(Collective::block_sync)] = barriers_;
        return counts;
    }

private:
    struct Member {
        std::unique_ptr<WarpEmulator> warp;
        unsigned at_barrier = 0;  // lanes
        unsigned gone = 0;
    };

    // Chooses whose turn it is; false if no warp can go on. As long as there is no error, all threads have
    // left then: a warp that is stuck is an error, and so is a barrier that not all threads come to.
    bool choose_warp() {
        if (random_() % most_stickiness < stickiness_ && members_[turn_].warp->can_go_on()) return true;
        std::array<unsigned, block::largest_warp_count> able;
        unsigned count = 0;
        for (unsigned number = 0; number < members_.size(); ++number)
            if (members_[number].warp->can_go_on()) able[count++] = number;
        if (count == 0) return false;
        turn_ = able[random_() % count];
        return true;
    }

    // Called after `lane` of the member had its turn; returns what is wrong.
    std::exception_ptr follow_up(Member& member, unsigned lane) {
        member.at_barrier = member.warp->lanes_at_barrier();
        member.gone = member.warp->lanes_gone();
        const unsigned bit = warp::lane_bit(lane);
        if (((member.at_barrier | member.gone) & bit) == 0) return nullptr;
        const Member* waiting = nullptr;
        bool all_wait = true;
        bool any_gone = false;
        for (const Member& each : members_) {
            if (each.at_barrier != 0 && &each != &member) waiting = &each;
            all_wait = all_wait && each.at_barrier == warp::full_mask;
            any_gone = any_gone || each.gone != 0;
        }
        if (waiting == nullptr && member.at_barrier != 0) waiting = &member;
        if (waiting == nullptr) return nullptr;
        const unsigned waiting_lane = warp::lowest_lane(waiting->at_barrier);
        if (any_gone)
            return fail(waiting->warp->describe(waiting_lane) + " waits for threads that have left");
        if (!are_the_same(waiting->warp->last_call(waiting_lane), member.warp->last_call(lane)))
            return fail(member.warp->describe(lane) + " meets " + waiting->warp->describe(waiting_lane));
        if (all_wait) {
            ++barriers_;
            for (Member& each : members_) {
                each.at_barrier = 0;
                each.warp->release_from_barrier();
            }
        }
        return nullptr;
    }

    static constexpr unsigned most_stickiness = 1024;

    static std::exception_ptr fail(const std::string& what) {
        return std::make_exception_ptr(WarpError{what});
    }

    std::mt19937_64 random_;
    std::vector<Member> members_;
    unsigned stickiness_ = 0;  // so many of most_stickiness turns go to the warp that had the last one
    unsigned turn_ = 0;
    unsigned barriers_ = 0;
};

}  // namespace

WarpCounts run_block(std::uint64_t seed, unsigned threads,
                     const std::function<void(EmulatedBlock&)>& thread_program) {
    return BlockEmulator{seed, threads, thread_program}.run();
}

}  // namespace mpcflow::test

#include "tests/support/warp_emulator.hpp"

#include <exception>
#include <random>

#include "tests/support/warp_emulator_lanes.hpp"

namespace mpcflow::test {

std::uint64_t EmulatedWarp::call(const CollectiveCall& call) const { return emulator_->call(lane_, call); }

void EmulatedWarp::yield() const { emulator_->yield(lane_); }

WarpCounts run_warp(std::uint64_t seed, unsigned mask,
                    const std::function<void(EmulatedWarp&)>& lane_program) {
    std::mt19937_64 random{seed};
    WarpEmulator emulator{random, "", lane_program};
    emulator.start(mask);
    while (emulator.can_go_on()) {
        emulator.step();
        if (const auto error = emulator.error()) {
            emulator.unwind(error);
            std::rethrow_exception(error);
        }
    }
    return emulator.counts();
}

}  // namespace mpcflow::test

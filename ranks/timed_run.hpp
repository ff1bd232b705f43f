#pragma once
/// Of this folder alone.

#include <chrono>
#include <cstdint>

#include "physics/solver.hpp"
#include "ranks/commands.hpp"
#include "ranks/ranks.hpp"

namespace mpcflow {

/// Runs steps, and adds to the times of this rank what they took.
inline void run_timed(Solver& solver, std::int64_t count, const Ranks& ranks, RankTimes& times) {
    using Clock = std::chrono::steady_clock;
    const Clock::time_point begin = Clock::now();
    const double waited = ranks.waited_seconds();
    solver.run(count);
    times.ran += std::chrono::duration<double>(Clock::now() - begin).count();
    times.waited += ranks.waited_seconds() - waited;
}

}  // namespace mpcflow

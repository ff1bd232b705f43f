#pragma once
/// The solvers that this build has, so that one test body runs on all of them.

#include <iosfwd>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "physics/solver.hpp"
#include "physics/solver_options.hpp"
#include "physics/system.hpp"

namespace mpcflow::test {

enum class SolverKind { host, device };
void PrintTo(SolverKind kind, std::ostream* out);

/// "host" or "device".
[[nodiscard]] std::string name_of(SolverKind kind);

/// The host solver always; the device solver where CUDA was built.
[[nodiscard]] const std::vector<SolverKind>& built_solvers();

/// Why no solver of this kind can be made here; empty where one can.
[[nodiscard]] std::string why_not(SolverKind kind);

/// True where MPCFLOW_REQUIRE_GPU=1: a missing device then is a failure.
[[nodiscard]] bool gpu_is_required();

/// A solver of this kind, the device solver on the first device.
[[nodiscard]] std::unique_ptr<Solver> make_solver(SolverKind kind, const System& system,
                                                  const SolverOptions& options = {});

/// Every way to execute a run that a solver of this kind offers and that must not change a bit: threads
/// or ways of summing, each with several re-order intervals.
[[nodiscard]] std::vector<SolverOptions> ways_to_execute(SolverKind kind, Precision precision);

/// Of long runs: two threads take about twice the processors' time of one for a small box, and give the same
/// bits (tests/solver).
[[nodiscard]] inline SolverOptions on_one_thread() {
    SolverOptions options;
    options.threads = 1;
    return options;
}

/// What options say, for messages.
[[nodiscard]] std::string describe(const SolverOptions& options);

/// Skips the running test where a solver of this kind cannot be made, or fails it where it must be.
/// Call from SetUp; the test body then does not run.
void skip_without(SolverKind kind);

/// The base of suites that are instantiated for every built solver by MPCFLOW_ON_EVERY_SOLVER.
class SolverTest : public testing::TestWithParam<SolverKind> {
protected:
    void SetUp() override { skip_without(GetParam()); }
    [[nodiscard]] std::unique_ptr<Solver> make(const System& system,
                                               const SolverOptions& options = {}) const {
        return make_solver(GetParam(), system, options);
    }
};

/// Instantiates a suite with SolverKind as parameter: tests become "host/Suite..." and "device/Suite...".
#define MPCFLOW_ON_EVERY_SOLVER(Suite)                                                       \
    INSTANTIATE_TEST_SUITE_P(on, Suite, testing::ValuesIn(::mpcflow::test::built_solvers()), \
                             [](const auto& chosen) { return ::mpcflow::test::name_of(chosen.param); })

}  // namespace mpcflow::test

#include "tests/support/solvers.hpp"

#include <cstdlib>
#include <ostream>

#include "gpu/device_solver.hpp"
#include "physics/names.hpp"

namespace mpcflow::test {

std::string name_of(SolverKind kind) { return kind == SolverKind::host ? "host" : "device"; }

void PrintTo(SolverKind kind, std::ostream* out) { *out << name_of(kind); }

const std::vector<SolverKind>& built_solvers() {
#ifdef MPCFLOW_TEST_DEVICE
    static const std::vector<SolverKind> kinds{SolverKind::host, SolverKind::device};
#else
    static const std::vector<SolverKind> kinds{SolverKind::host};
#endif
    return kinds;
}

std::string why_not(SolverKind kind) {
    if (kind == SolverKind::host) return {};
    const DeviceList list = list_devices();
    if (!list.devices.empty()) return {};
    return list.reason.empty() ? "there is no CUDA device" : list.reason;
}

bool gpu_is_required() {
    const char* const required = std::getenv("MPCFLOW_REQUIRE_GPU");
    return required != nullptr && std::string{required} == "1";
}

std::unique_ptr<Solver> make_solver(SolverKind kind, const System& system, const SolverOptions& options) {
    return kind == SolverKind::host ? make_host_solver(system, options)
                                    : make_device_solver(system, options, 0);
}

std::vector<SolverOptions> ways_to_execute(SolverKind kind, Precision precision) {
    std::vector<SolverOptions> ways;
    for (const int reorder : {1, 7, 50}) {
        SolverOptions way;
        way.precision = precision;
        way.reorder = reorder;
        if (kind == SolverKind::host) {
            for (const int threads : {1, 2, 3, 5}) {
                way.threads = threads;
                // All three, with every interval and every number of threads; and of two ways that are six
                // apart, which SameBits takes, different ones.
                way.vectors = names_of(VectorUnits{})[(ways.size() + ways.size() / 4) % 3].value;
                ways.push_back(way);
            }
        } else {
            for (const auto& [summation, name] : names_of(Summation{})) {
                way.summation = summation;
                ways.push_back(way);
            }
        }
    }
    if (kind == SolverKind::device) ways.push_back({precision});  // all left to the solver
#ifdef MPCFLOW_FEW_WAYS
    if (kind == SolverKind::host) ways = {ways[1], ways[6], ways[11]};  // of 2, 3 and 5 threads
#endif
    return ways;
}

std::string describe(const SolverOptions& options) {
    return std::string{name_of(options.precision)} + ", " + std::string{name_of(options.summation)} + ", " +
           std::to_string(options.threads) + " threads, vectors " + std::string{name_of(options.vectors)} +
           ", re-ordered every " + std::to_string(options.reorder) + " steps";
}

void skip_without(SolverKind kind) {
    const std::string reason = why_not(kind);
    if (reason.empty()) return;
    if (gpu_is_required()) FAIL() << reason << ", and MPCFLOW_REQUIRE_GPU is 1";
    GTEST_SKIP() << reason;
}

}  // namespace mpcflow::test

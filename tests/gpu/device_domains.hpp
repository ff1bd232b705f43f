#pragma once
/// What tests of domains on a card have in common.

#include <mutex>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "gpu/device_solver.hpp"
#include "physics/domain/in_process.hpp"
#include "physics/errors.hpp"
#include "tests/support/solvers.hpp"

namespace mpcflow::test {

/// Calls function(solver, number) in every domain.
template <class Function>
void in_domains(const System& system, const Cut& cut, const SolverOptions& options,
                const Function& function) {
    InProcess(cut.count()).run([&](int number, Exchange& exchange) {
        const auto solver = make_device_domain_solver(system, options, cut, exchange, 0);
        function(*solver, number);
    });
}

class DeviceDomains : public testing::Test {
protected:
    void SetUp() override { skip_without(SolverKind::device); }
};

/// The messages of their faults, of each domain that has one; "none" of others.
std::set<std::string> faults_of(const System& system, const Cut& cut, const SolverOptions& options,
                                const auto& run) {
    std::set<std::string> faults;
    std::mutex mutex;
    in_domains(system, cut, options, [&](Solver& solver, int) {
        std::string fault = "none";
        try {
            run(solver);
        } catch (const SimulationFault& error) {
            fault = error.what();
        }
        const std::lock_guard lock(mutex);
        faults.insert(fault);
    });
    return faults;
}

}  // namespace mpcflow::test

#pragma once
/// The solvers of domains of the table of laws, each compiled in a file of its own
/// (instantiate_domain.cpp.in).

#include <memory>
#include <span>
#include <stdexcept>
#include <vector>

#include "physics/domain/domain_solver.hpp"
#include "physics/solver_options.hpp"
#include "physics/system.hpp"

namespace mpcflow {

/// make_domain_solver() and domain_solver_needs() for a line of the table, in arithmetic `Real`.
template <class Line, class Real>
std::unique_ptr<Solver> make_domain_solver_of(const System& system, const SolverOptions& options,
                                              const Cut& cut, Exchange& exchange);
template <class Line, class Real>
DomainNeeds domain_solver_needs_of(const System& system, const SolverOptions& options, const Cut& cut,
                                   int number);

/// The exchange of a domain that is planned, and sends nothing.
class Planned final : public Exchange {
public:
    Planned(int count, int number) : count_(count), number_(number) {}
    [[nodiscard]] int number() const override { return number_; }
    [[nodiscard]] int count() const override { return count_; }
    void begin_trade(std::span<const int>, std::vector<Message>) override { refuse(); }
    [[nodiscard]] std::vector<Message> end_trade() override { refuse(); }

private:
    [[noreturn]] static void refuse() {
        throw std::logic_error("a domain that is only planned has nobody to trade with");
    }

    int count_, number_;
};

}  // namespace mpcflow

#pragma once
/// Observables in tests: sampled as a run goes on, and their results by name.

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

#include "physics/observables/observable.hpp"
#include "physics/solver.hpp"

namespace mpcflow::test {

/// Runs to `last`, with the samples that are due on the way.
inline void run_and_sample(Solver& solver, Observable& observable, std::int64_t last) {
    while (solver.current_step() < last) {
        const std::int64_t next = std::min(observable.times().next_due(solver.current_step()), last);
        solver.run(next - solver.current_step());
        if (observable.times().is_due(next)) observable.sample(solver, next);
    }
}

/// An array of the results. Throws where it is not there, or has other numbers.
template <class Number = double>
const std::vector<Number>& numbers(const ObservableResults& results, const std::string& name) {
    for (const NamedArray& array : results.arrays)
        if (array.name == name) return std::get<std::vector<Number>>(array.values);
    throw std::out_of_range(name);
}

/// An attribute of the results. Throws where it is not there, or is of another type.
template <class Value>
const Value& attribute(const ObservableResults& results, const std::string& name) {
    for (const NamedAttribute& found : results.attributes)
        if (found.name == name) return std::get<Value>(found.value);
    throw std::out_of_range(name);
}

}  // namespace mpcflow::test

#pragma once
/// The observables that an input asks for.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "input/scenario.hpp"
#include "physics/observables/observable.hpp"

namespace mpcflow {

using Observables = std::vector<std::unique_ptr<Observable>>;

/// One for each section of `output` that has one; none has a sample yet.
[[nodiscard]] Observables make_observables(const Scenario& scenario);

/// Lets the observables go on from the states of a checkpoint of step `step`. One whose parameters have
/// changed begins anew, as does one that the checkpoint does not have; what is lost or late by that is told,
/// a remark each. Takes those that are wanted out of `states`. Throws std::invalid_argument for a state that
/// is none of an observable of its name and parameters.
void restore_observables(Observables& observables, std::vector<ObservableState>& states, std::int64_t step,
                         std::vector<std::string>& remarks);

/// "radial_distribution": "radial distribution".
[[nodiscard]] std::string in_words(std::string name);

}  // namespace mpcflow

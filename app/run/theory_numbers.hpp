#pragma once
/// Numbers that follow from an input without running it.

#include <string>
#include <vector>

#include "input/scenario.hpp"

namespace mpcflow {

struct NamedNumber {
    std::string name;  ///< snake_case
    double value = 0.0;
};

/// Lengths, transport coefficients and, for a flow between two plane walls, the flow to expect. Formulas and
/// their sources: physics/theory.hpp. "+a" systems have both collisional viscosities; what there is no
/// formula for is left out.
[[nodiscard]] std::vector<NamedNumber> theory_numbers(const System& system);

/// "double" or "mixed".
[[nodiscard]] const char* precision_name(Precision precision);

}  // namespace mpcflow

#pragma once
/// Every key of the input, declared once.

#include "input/key_visitor.hpp"
#include "input/scenario.hpp"

namespace mpcflow::input {

/// Walks all keys in the order in which they are written. Defaults are what `scenario` holds, so those
/// of a default-constructed Scenario.
void visit_keys(KeyVisitor& keys, Scenario& scenario);

/// Largest box edge, in cells.
inline constexpr std::int64_t largest_edge = 65536;
/// Most bins of a histogram that can be asked for.
inline constexpr std::int64_t largest_histogram = 11000;
/// Longest name of a species, in characters.
inline constexpr std::size_t longest_species_name = 32;
/// Most particles that a run can follow in memory.
inline constexpr std::int64_t most_tracers = 1'000'000;
/// Most lags of the correlations of the stress; a checkpoint has 64 blocks of them.
inline constexpr std::int64_t most_stress_lags = 2000;
/// Most steps that a run can have; counts of steps stay exact in a double.
/// Most wave numbers along an axis that can be asked for.
inline constexpr std::int64_t most_modes = 64;
/// Largest stride of ids; no run has more particles.
inline constexpr std::int64_t largest_id_stride = 2'147'483'647;
inline constexpr std::int64_t most_steps = 1'000'000'000'000'000;

}  // namespace mpcflow::input

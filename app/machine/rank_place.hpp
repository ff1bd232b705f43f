#pragma once
/// Where the ranks of a run are: on which machines, on which processors.

#include "physics/domain/exchange.hpp"

namespace mpcflow {

struct RankPlace {
    int ranks_here = 1;  ///< that have the memory of this machine, this one among them
    int sharers = 1;     ///< of these, those that may use the same processors
    int machines = 1;    ///< in all
    int before = 0;      ///< ranks of this machine with a lower number

    /// What a rank takes of `threads` that it would take alone.
    [[nodiscard]] int share_of(int threads) const { return threads > sharers ? threads / sharers : 1; }
};

/// Of this rank; all call it alike. Machines are told apart by their names.
[[nodiscard]] RankPlace find_rank_place(Exchange& ranks);

}  // namespace mpcflow

#pragma once
/// The cut that is taken where none is asked for.

#include <cstdint>
#include <optional>

#include "physics/domain/cut.hpp"
#include "physics/system.hpp"

namespace mpcflow {

/// Cells along all planes in which domains meet: what domains exchange grows with it.
[[nodiscard]] std::int64_t cut_surface(const System& system, const Cut& cut);

/// Cells of the largest domain.
[[nodiscard]] std::int64_t cells_of_fullest(const Box& box, const Cut& cut);

/// The cut of the box into so many domains that has the least surface; of equal ones, the one whose largest
/// domain has the fewest cells, then the one with the most domains along z, then y, so that a domain's cells
/// lie close in memory. None where no axes have cells enough: a prime number of domains needs as many cells
/// along one of them.
[[nodiscard]] std::optional<Cut> automatic_cut(const System& system, int domains);

}  // namespace mpcflow

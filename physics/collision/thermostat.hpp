#pragma once
/// Maxwell-Boltzmann scaling, cell by cell: Huang et al., J. Comput. Phys. 229 (2010) 168.

#include "physics/cell_grid.hpp"
#include "physics/distributions.hpp"

namespace mpcflow {

/// Twice the energy over the mass, drawn anew, of the `freedoms` of a cell that are scaled; `variance` is
/// kT/m.
MPCFLOW_HD double draw_thermal_square(double variance, int freedoms, const CellKey& key) {
    RandomSource source = key.source(RandomStream::thermostat);
    return 2.0 * variance * thermal_energy(freedoms, source);
}

}  // namespace mpcflow

#pragma once
/// Thermostats that scale the relative velocities of a cell. A law says which energy is scaled and how many
/// degrees of freedom it has; what it becomes is told here.
///
///   maxwell_boltzmann  E is drawn anew from its canonical distribution, Gamma(f / 2). Huang et al., J.
///                      Comput. Phys. 229 (2010) 168.
///   monte_carlo        E S^2 with S = 1 + x or 1 / (1 + x), x uniform in (0, strength), is taken with the
///                      probability min(1, S^f exp(-(S^2 - 1) E / kT)); else E stays. The same ensemble,
///                      which is reached in some 1 / strength^2 collisions. Hecht et al., Phys. Rev. E 72
///                      (2005) 011408; Gompper et al., Adv. Polym. Sci. 221 (2009) 1.
///   simple             E is f kT / 2. The right mean, but no fluctuations: not the canonical ensemble.

#include "physics/cell_grid.hpp"
#include "physics/collision/law.hpp"
#include "physics/distributions.hpp"
#include "physics/elementary.hpp"

namespace mpcflow {

/// How a cell draws its energy of maxwell_boltzmann: when it is asked for, by those who have drawn nothing
/// before, as of cells at walls on a device;
struct EnergyDrawnLate {
    [[nodiscard]] MPCFLOW_HD double energy(int freedoms, RandomSource& source) const {
        return thermal_energy(freedoms, source);
    }
};
/// or the first try, which hangs on no sum, before: a CPU for many cells at once, a device while it waits for
/// the sums.
struct EnergyDrawnBefore {
    ThermalDraw first{};  ///< for other kinds, which do not ask, nothing

    EnergyDrawnBefore() = default;
    /// `bits` are the first of the cell's stream for its thermostat.
    MPCFLOW_HD explicit EnergyDrawnBefore(const RandomBlock& bits) : first(ThermalDraw::make(bits)) {}
    [[nodiscard]] MPCFLOW_HD double energy(int freedoms, RandomSource& source) const {
        return thermal_energy(freedoms, first, source);
    }
};

/// Twice the energy over the mass, after the thermostat, of the `freedoms` of a cell that are scaled; before,
/// it is `square` > 0. `drawn` is an EnergyDrawnLate or an EnergyDrawnBefore of the cell.
template <class Drawn>
MPCFLOW_HD double thermal_square(const LawParameters& fluid, int freedoms, double square, const Drawn& drawn,
                                 const CellKey& key) {
    const double variance = fluid.thermal_variance;
    if (fluid.thermostat.kind == ThermostatKind::simple) return freedoms * variance;
    RandomSource source = key.source(RandomStream::thermostat);
    if (fluid.thermostat.kind == ThermostatKind::maxwell_boltzmann)
        return 2.0 * variance * drawn.energy(freedoms, source);
    const RandomBlock trial = source.next();
    const RandomBlock decision = source.next();
    const double larger = 1.0 + fluid.thermostat.strength * uniform_open(trial.word[0], trial.word[1]);
    const double factor = (trial.word[2] & 1U) != 0 ? larger : 1.0 / larger;
    const double tried = factor * factor * square;
    const double log_probability = freedoms * natural_log(factor) - (tried - square) / (2.0 * variance);
    return natural_log(uniform_open(decision.word[0], decision.word[1])) < log_probability ? tried : square;
}
/// The same of maxwell_boltzmann for 2 freedoms and more, without a branch (thermal_energy_at_once).
MPCFLOW_HD double thermal_square_at_once(const LawParameters& fluid, int freedoms,
                                         const EnergyDrawnBefore& drawn, bool& is_taken) {
    return 2.0 * fluid.thermal_variance * thermal_energy_at_once(freedoms, drawn.first, is_taken);
}

}  // namespace mpcflow

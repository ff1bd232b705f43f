#pragma once
/// Transport in fluids of several species, by molecular chaos: velocities of particles that meet in a cell
/// are independent, the occupation of a cell is Poisson's for each species. Laws without angular momentum
/// conservation; docs/physics.md has the derivation.

#include "physics/collision/law.hpp"
#include "physics/system.hpp"
#include "physics/theory.hpp"

namespace mpcflow::theory {

/// Viscosities of a fluid of several species, n_s of mass m_s in a cell, whose collisions forget the share A
/// of a velocity and B of a momentum flux. With M the mass of a cell that holds a particle of species s,
/// itself included, and <>_s the mean over these,
///   eta_col = (A a^2 / 12 h) sum_s n_s m_s (1 - m_s <1/M>_s),
///   eta_kin = kT h [sum_s x_s - n/2],   (1 - G) x = n,
///   G_st = delta_st [1 - B + 2 (B - A) m_t <1/M>_t] + (2 A - B) m_s m_t <N_s / M^2>_t,
/// nu = eta / rho. `diffusion` is not given.
[[nodiscard]] Transport mixture_transport(const System& system, Relaxation law);

/// D_s = (kT h / m_s) [1 / (A (1 - m_s <1/M>_s)) - 1/2], of the particles of a species.
[[nodiscard]] double mixture_diffusion(const System& system, Relaxation law, int species);

}  // namespace mpcflow::theory

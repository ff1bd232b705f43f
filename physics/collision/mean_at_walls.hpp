#pragma once
/// The wall's part in the collisions of the cells that it cuts, for laws to which the places of particles do
/// not matter (SRD, AT): the mean velocity of the fluid there is turned towards the wall's, and beyond it.
///
/// Bounce-back alone lets a fluid slip where the collisional viscosity rules, because a cell that a wall cuts
/// holds too few particles and none that drag. Lamura et al., Europhys. Lett. 56 (2001) 319, fill such a cell
/// with virtual particles of the wall's velocity. But a sticking fluid's profile, continued into the wall,
/// does not stop at the wall's velocity: it runs on to the other side. Of a cell of which the part phi is
/// fluid, the solid rest then has the mean velocity -(1 - phi) / phi V, V being that of the fluid, both
/// relative to the wall. With particles of that velocity, whose number is Poissonian with the mean n = M (1 -
/// phi), the cell's N particles would come to the mean
///     V' = rho V,   rho = 1 - A q / phi, at least -1,   q = n / (N + n + N / (N + n))  (mean_share()),
/// where A is what a collision forgets of a velocity (Relaxation). (What is behind surfaces of slip is no
/// part of the cell: phi is the fluid's part of fluid and solid, and n that of the solid's volume.) So a
/// collision here is
///     V' = rho V + (a Gaussian of variance (1 - rho^2) kT / (N m) a component),
/// and of velocities relative to V what it is elsewhere. In equilibrium V is a Gaussian of variance kT / (N
/// m) that knows nothing of the relative velocities, and so is V': the canonical ensemble stays as it is,
/// whatever rho is. (Virtual particles that follow the fluid cannot do that where rho
/// < 1 - A: their noise would need a negative variance.)
///
/// A solid that rotates has another velocity at each place. V counts from the velocity V_f that it would have
/// at the middle of the fluid. The rotation goes on into the wall, where the middle of the solid has V_s. As
/// in any cell that turns, without angular momentum conservation, its parts come nearer to each other: A q
/// (V_s - V_f) is added.

#include <algorithm>
#include <cmath>

#include "physics/boundary/cell_fill.hpp"
#include "physics/collision/law.hpp"
#include "physics/host_device.hpp"
#include "physics/vector.hpp"

namespace mpcflow {

/// Of a cell that walls cut: V' = kept V + constant, and a Gaussian.
struct MeanAtWalls {
    double kept;              ///< rho, from -1 to 1
    Vec3<double> constant;    ///< what walls that move make of it
    double thermal_variance;  ///< kT/m of the walls

    /// Standard deviation of the Gaussian for particles of the mass `mass`, in units of the fluid's. (A law
    /// that knows V in part only has its own.)
    [[nodiscard]] MPCFLOW_HD double noise(double mass) const {
        return std::sqrt((1.0 - kept * kept) * thermal_variance / mass);
    }
};

/// Of a number that is Poissonian with the mean n, the mean part that it has of itself and N others, n / (N +
/// n). Of a mixture N need not be whole. Without the last term of the denominator, which is right to second
/// order, fluctuations would drag: as much as 5 % at 10 particles a cell.
MPCFLOW_HD double mean_share(double n, double others) {
    const double all = others + n;
    return n / (all + others / all);
}

/// What walls make of the mean velocity of particles of the mass `mass`, above 0, where a collision forgets
/// `relaxation` of a velocity (A). The solid is as heavy as the fluid is on average.
template <Masses masses>
[[nodiscard]] MPCFLOW_HD MeanAtWalls mean_at_walls(const LawParameters& fluid, double relaxation, double mass,
                                                   const CellFill& fill) {
    const MeanSolid solid = mean_solid(fill);
    const double fluid_part = solid.fluid / (solid.fluid + solid.volume);
    // The fluid in particles of the mean mass, which those of the solid have.
    const double others = mass / fluid.virtual_mass<masses>();
    const double turned = relaxation * mean_share(fluid.density * solid.volume, others);
    const double kept = std::max(-1.0, 1.0 - turned / fluid_part);
    const Vec3<double> at_fluid = solid.velocity_at_fluid;
    return {kept, (1.0 - kept) * at_fluid + turned * (solid.wall.velocity - at_fluid),
            solid.wall.thermal_variance};
}

}  // namespace mpcflow

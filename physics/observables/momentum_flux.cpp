#include "physics/observables/momentum_flux.hpp"

namespace mpcflow {

MomentumFlux momentum_flux(const MomentumFluxSums& sums, const WallSums& walls,
                           std::span<const SurfaceSums> surfaces, const System& system) {
    constexpr int symmetric[9] = {0, 3, 4, 3, 1, 5, 4, 5, 2};  // of row order, in xx yy zz xy xz yz
    const double mass = system.fluid.mass;
    MomentumFlux flux;
    for (int i = 0; i < 9; ++i) {
        flux.kinetic[i] = mass * sums.kinetic_flux[symmetric[i]];
        flux.collisional[i] = mass / system.collision.time_step * sums.collisional_flux[i];
    }
    for (int a = 0; a < 3; ++a) flux.momentum[a] = mass * sums.velocity[a];
    for (int face = 0; face < face_count; ++face) {
        const double* const taken = walls.taken + WallSums::of_face * face;
        for (int a = 0; a < 3; ++a) flux.to_walls[face][a] = mass * taken[a];
        flux.energy_to_walls[face] = mass * taken[3];
    }
    for (const SurfaceSums& taken : surfaces) {
        ToSurface& surface = flux.to_surfaces.emplace_back();
        for (int a = 0; a < 3; ++a) {
            surface.momentum[a] = mass * taken.taken[a];
            surface.angular_momentum[a] = mass * taken.taken[3 + a];
        }
        surface.energy = mass * taken.taken[6];
    }
    return flux;
}

}  // namespace mpcflow

#pragma once
/// Virtual particles: what takes part in the collisions of a cell beside the fluid, and exists for one of
/// them only. Those of walls are for laws to which places matter (for the others see mean_at_walls.hpp);
/// those of a stream (physics/boundary/stream.hpp) are where fluid is, for all laws.
///
/// Bounce-back alone lets a fluid slip where the collisional viscosity rules, because a cell that a wall
/// cuts holds too few particles and none that drag. Lamura et al., Europhys. Lett. 56 (2001) 319, fill such
/// a cell up to the mean density with particles of the wall's velocity and temperature. As they exist for one
/// collision, the distribution of the fluid's velocities stays Maxwellian whatever their number is.
///
/// Their number here is not Lamura's M - N but 2 M x (solid part of the cell). The virtual particles have the
/// wall's velocity on average, where a continued profile would run on beyond it, so at the fluid's own
/// density they drag too little. Nor does the number depend on how many particles the cell happens to hold.

#include <cmath>

#include "physics/boundary/cell_fill.hpp"
#include "physics/cell_grid.hpp"
#include "physics/collision/law.hpp"
#include "physics/distributions.hpp"
#include "physics/random.hpp"
#include "physics/vector.hpp"

namespace mpcflow {

/// Density of virtual particles in the wall, in units of the fluid's.
inline constexpr double wall_density = 2.0;

/// Mean number of virtual particles of a cell: density x solid part x 2; 0 in a cell that no wall cuts.
MPCFLOW_HD double virtual_particle_count(double density, const CellFill& fill) {
    return fill.is_cut ? wall_density * density * fill.solid_volume() : 0.0;
}

/// Whether walls take part in the collision of a cell.
[[nodiscard]] MPCFLOW_HD bool is_at_walls(const LawParameters& fluid, const CellFill& fill) {
    return fill.is_cut && fluid.virtual_particles;
}
/// Whether walls or a stream do.
[[nodiscard]] MPCFLOW_HD bool is_at_walls_or_in_stream(const LawParameters& fluid, const CellFill& fill) {
    return is_at_walls(fluid, fill) || fill.stream_density > 0.0;
}

/// A place in the solid, from the cell centre, and the axis of the wall that it is in.
struct SolidPlace {
    Vec3<double> offset;
    int axis = 0;
};

/// A uniform place in the part of a cut cell that is not fluid. Takes two blocks.
///
/// The solid is made of slabs: beyond the fluid in x; within it in x and beyond it in y; within it in x
/// and y and beyond it in z. One is chosen by its volume. Nothing is beyond a face of slip.
MPCFLOW_HD SolidPlace place_in_solid(RandomSource& source, const CellFill& fill) {
    const RandomBlock a = source.next();
    const RandomBlock b = source.next();
    const Vec3<double> u{uniform_open(a.word[0], a.word[1]), uniform_open(a.word[2], a.word[3]),
                         uniform_open(b.word[0], b.word[1])};
    const Vec3<double> extent = fill.upper - fill.lower;
    double choice = uniform_open(b.word[2], b.word[3]) * fill.solid_volume();
    SolidPlace place;
    bool is_chosen = false;
    double cross_section = 1.0;  // of the slabs that are left
    for (int axis = 0; axis < 3; ++axis) {
        const double others =
            axis == 0 ? fill.length(1) * fill.length(2) : (axis == 1 ? fill.length(2) : 1.0);
        const double slab = cross_section * fill.thickness(axis) * others;
        // Rounding may leave no slab for the choice; then it is the last one.
        if (!is_chosen && fill.face[axis] != no_surface) place.axis = axis;
        if (is_chosen) {
            place.offset[axis] = fill.begin(axis) + u[axis] * fill.length(axis);
        } else if (choice < slab || axis == 2) {
            // Below the fluid or above it.
            const double t = u[axis] * fill.thickness(axis);
            const double below = fill.lower[axis] - fill.begin(axis);
            place.offset[axis] = t < below ? fill.begin(axis) + t : fill.upper[axis] + (t - below);
            is_chosen = true;
        } else {
            place.offset[axis] = fill.lower[axis] + u[axis] * extent[axis];
            choice -= slab;
            cross_section *= extent[axis];
        }
    }
    return place;
}

/// A uniform place in a cell, from its centre. Takes two blocks.
MPCFLOW_HD Vec3<double> place_in_cell(RandomSource& source) {
    const RandomBlock a = source.next();
    const RandomBlock b = source.next();
    return {uniform_open(a.word[0], a.word[1]) - 0.5, uniform_open(a.word[2], a.word[3]) - 0.5,
            uniform_open(b.word[0], b.word[1]) - 0.5};
}

/// Mass and momentum of particles, whose number need not be whole.
struct VirtualSum {
    double mass;            ///< in units of the fluid's
    Vec3<double> momentum;  ///< the sum of theirs
};

/// How many virtual particles of a stream a cell has on average.
[[nodiscard]] MPCFLOW_HD double stream_number(const CellFill& fill) {
    return fill.stream_density * (fill.surfaces != nullptr ? mean_solid(fill).fluid : fill.fluid_volume());
}

/// Adds the virtual particles of a stream, of which `number` are in the cell, for laws to which their places
/// do not matter: the sum of their momenta is, for n of mass m, Gaussian, of mean n m V and variance n m
/// `variances` kT a component.
template <Masses masses>
MPCFLOW_HD VirtualSum add_stream(const VirtualSum& real, const LawParameters& fluid, double variances,
                                 double number, const WallState& stream, RandomSource& source) {
    const double mass = number * fluid.virtual_mass<masses>();
    return {real.mass + mass,
            real.momentum + mass * stream.velocity +
                std::sqrt(mass * (variances * stream.thermal_variance)) * gaussian_vector(source)};
}

/// A whole number, `mean` on average: a fraction of a particle is one particle with that probability.
MPCFLOW_HD int whole_number(double mean, RandomSource& source) {
    const RandomBlock bits = source.next();
    return static_cast<int>(mean + uniform_open(bits.word[0], bits.word[1]));
}

/// A uniform place in the fluid of a cell that faces alone cut. Takes two blocks.
MPCFLOW_HD Vec3<double> place_in_fluid(RandomSource& source, const CellFill& fill) {
    const Vec3<double> in_cell = place_in_cell(source);
    Vec3<double> offset;
    for (int axis = 0; axis < 3; ++axis)
        offset[axis] = fill.lower[axis] + (in_cell[axis] + 0.5) * (fill.upper[axis] - fill.lower[axis]);
    return offset;
}

/// The virtual particles of a cell one by one, for laws to which their places matter: calls add(offset,
/// velocity), velocities of mean V and variance `variances` kT/m a component. Where surfaces in the box cut
/// the cell, as many as it would have were it all solid, and those of them that are not in the solid are left
/// out; and so are those of a stream that are not in fluid.
template <Masses masses, class Add>
MPCFLOW_HD void for_each_virtual_particle(const LawParameters& fluid, double variances, const CellKey& key,
                                          const CellFill& fill, const Add& add) {
    RandomSource source = key.source(RandomStream::virtual_particles);
    const auto put = [&](Vec3<double> offset, const WallState& state) {
        const double variance = variances * state.thermal_variance / fluid.virtual_mass<masses>();
        add(offset, state.velocity + std::sqrt(variance) * gaussian_vector(source));
    };
    const bool is_by_surfaces = fill.surfaces != nullptr;
    if (fill.is_cut && fluid.virtual_particles) {
        const double mean =
            is_by_surfaces ? wall_density * fluid.density : virtual_particle_count(fluid.density, fill);
        const int number = whole_number(mean, source);
        for (int i = 0; i < number; ++i) {
            if (is_by_surfaces) {
                const Vec3<double> offset = place_in_cell(source);
                WallState wall;
                if (filling_at(*fill.surfaces, fill.centre, *fill.walls, offset, wall) == Filling::solid)
                    put(offset, wall);
            } else {
                const SolidPlace place = place_in_solid(source, fill);
                put(place.offset, fill.wall(place.axis));
            }
        }
    }
    if (fill.stream_density == 0.0) return;
    const int number = whole_number(
        is_by_surfaces ? fill.stream_density : fill.stream_density * fill.fluid_volume(), source);
    for (int i = 0; i < number; ++i) {
        const Vec3<double> offset = is_by_surfaces ? place_in_cell(source) : place_in_fluid(source, fill);
        WallState wall;
        if (!is_by_surfaces ||
            filling_at(*fill.surfaces, fill.centre, *fill.walls, offset, wall) == Filling::fluid)
            put(offset, fill.stream);
    }
}

/// The sums of a cell with those of its virtual particles, which contribute(offset, velocity) makes: `real`
/// itself where there are none, since a copy would fill registers; else `with_virtual`, which is set. As
/// for_each_virtual_particle() otherwise.
template <Masses masses, class Sums, class Contribute>
[[nodiscard]] MPCFLOW_HD const Sums& with_virtual_particles(const LawParameters& fluid, double variances,
                                                            const CellKey& key, const CellFill& fill,
                                                            const Sums& real, Sums& with_virtual,
                                                            const Contribute& contribute) {
    if (!is_at_walls_or_in_stream(fluid, fill)) return real;
    with_virtual = real;
    for_each_virtual_particle<masses>(
        fluid, variances, key, fill,
        [&](Vec3<double> offset, Vec3<double> velocity) { with_virtual += contribute(offset, velocity); });
    return with_virtual;
}

}  // namespace mpcflow

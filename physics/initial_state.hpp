#pragma once
/// The state that a run starts from: uniformly random places or those of a lattice, Maxwellian velocities,
/// total momentum zero; in a sheared box relative to the flow that its faces impose.

#include <cstdint>

#include "physics/boundary/surface_map.hpp"
#include "physics/boundary/surface_view.hpp"
#include "physics/distributions.hpp"
#include "physics/host_device.hpp"
#include "physics/lattice.hpp"
#include "physics/lees_edwards.hpp"
#include "physics/random.hpp"
#include "physics/system.hpp"
#include "physics/vector.hpp"

namespace mpcflow {

/// Makes particles one by one; each is a function of the seed and its id alone.
class InitialState {
public:
    explicit InitialState(const System& system) : InitialState(system, view_of_surfaces(system)) {}
    /// The same, of surfaces whose map was copied to the memory of a device.
    InitialState(const System& system, const SurfaceView& surfaces)
        : surfaces_(surfaces),
          seed_(system.seed),
          thermal_speed_(std::sqrt(system.fluid.thermal_variance_at(0))),
          flow_(system),
          lattice_(system),
          first_places_(system.first_places) {
        for (int axis = 0; axis < 3; ++axis) length_[axis] = system.box.size[axis];
        for (int s = 0; s < SpeciesList::most; ++s) {
            first_id_[s] = static_cast<std::uint64_t>(system.first_id(s));
            slowness_[s] = s < system.species_count() ? std::sqrt(system.relative_mass(s)) : 1.0;
        }
        species_count_ = system.species_count();
    }

    /// Particle `id`, its velocity not yet relative to the mean of all.
    template <class Particle>
    MPCFLOW_HD Particle particle(std::uint64_t id) const {
        using Real = typename Particle::Real;
        RandomSource source{seed_, RandomStream::initial_state, 0, id};
        const RandomBlock a = source.next();
        const RandomBlock b = source.next();
        const Vec3<double> u{uniform_open(a.word[0], a.word[1]), uniform_open(a.word[2], a.word[3]),
                             uniform_open(b.word[0], b.word[1])};
        Vec3<double> place;
        if (first_places_ == FirstPlaces::lattice) place = lattice_.place(id);
        else
            for (int axis = 0; axis < 3; ++axis) place[axis] = u[axis] * length_[axis];
        Vec3<Real> position;
        for (int axis = 0; axis < 3; ++axis) {
            const Real x = static_cast<Real>(place[axis]);
            // Rounding may reach L, which is the next image's 0.
            position[axis] = x < static_cast<Real>(length_[axis]) ? x : static_cast<Real>(0);
        }
        if (surfaces_.exist() && !surfaces_.is_fluid(vector_cast<double>(position)))
            position = place_in_fluid<Real>(source);
        int species = 0;
        double thermal_speed = thermal_speed_;
        if constexpr (Particle::has_species) {
            while (species + 1 < species_count_ && id >= first_id_[species + 1]) ++species;
            thermal_speed /= slowness_[species];
        }
        const auto velocity = vector_cast<Real>(thermal_speed * gaussian_vector(source));
        return Particle::make(id, position, flow_.carried(position, velocity), species);
    }

private:
    /// The first of a particle's places that is in the fluid, beside the one it has without surfaces. Of a
    /// thousand one is at least; that none of so many is, is less likely than 1e-25.
    template <class Real>
    MPCFLOW_HD_RARE Vec3<Real> place_in_fluid(RandomSource source) const {
        // Behind the blocks that its velocity is drawn from.
        source.next_block = 8;
        Vec3<Real> position{};
        for (int attempt = 0; attempt < 60000; ++attempt) {
            const RandomBlock a = source.next();
            position = {static_cast<Real>(place(a.word[0]) * length_.x),
                        static_cast<Real>(place(a.word[1]) * length_.y),
                        static_cast<Real>(place(a.word[2]) * length_.z)};
            for (int axis = 0; axis < 3; ++axis)
                if (!(position[axis] < static_cast<Real>(length_[axis]))) position[axis] = 0;
            if (surfaces_.is_fluid(vector_cast<double>(position))) break;
        }
        return position;
    }
    MPCFLOW_HD static double place(std::uint32_t word) { return (word + 0.5) * 0x1p-32; }

    SurfaceView surfaces_;
    std::uint64_t seed_;
    double thermal_speed_;
    ShearFlow flow_;
    Lattice lattice_;
    FirstPlaces first_places_;
    Vec3<double> length_;
    std::uint64_t first_id_[SpeciesList::most];  ///< of each species
    double slowness_[SpeciesList::most];         ///< root of its relative mass
    int species_count_ = 1;
};

}  // namespace mpcflow

#include "app/start/fitted_particles.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "physics/boundary/surface_map.hpp"
#include "physics/boundary/surface_view.hpp"
#include "physics/vector.hpp"

namespace mpcflow {

namespace {

std::vector<std::int64_t> first_ids(const System& system) {
    std::vector<std::int64_t> ids;
    for (int s = 0; s <= system.species_count(); ++s) ids.push_back(system.first_id(s));
    return ids;
}

/// A place that rounding has put into the solid, moved to one of the next ones there are that is not; where
/// none is, as it was.
Vec3<double> out_of_solid(const SurfaceView& surfaces, Vec3<float> place) {
    constexpr float infinity = std::numeric_limits<float>::infinity();
    constexpr std::array<float, 3> ways{0.0F, -infinity, infinity};
    const auto moved = [](float x, float way) { return way == 0.0F ? x : std::nextafter(x, way); };
    for (const float x : ways)
        for (const float y : ways)
            for (const float z : ways) {
                const Vec3<double> near =
                    vector_cast<double>(Vec3<float>{moved(place.x, x), moved(place.y, y), moved(place.z, z)});
                if (std::min({near.x, near.y, near.z}) >= 0.0 && surfaces.is_fluid(near)) return near;
            }
    return vector_cast<double>(place);
}

}  // namespace

FittedParticles::FittedParticles(std::unique_ptr<ParticleSource> particles, const System& of_file,
                                 const System& system, Precision precision, Copies copies)
    : particles_(std::move(particles)),
      of_file_(of_file),
      system_(system),
      precision_(precision),
      copies_(copies),
      number_of_copies_(copies[0] * copies[1] * copies[2]),
      first_ids_of_file_(first_ids(of_file)),
      first_ids_(first_ids(system)),
      next_copy_(number_of_copies_) {}

ParticleSnapshot FittedParticles::next(std::int64_t most) {
    if (next_copy_ == number_of_copies_) {
        piece_ = particles_->next(most);
        if (piece_.id.empty()) return {};
        next_copy_ = 0;
    }
    return copy(next_copy_++);
}

ParticleSnapshot FittedParticles::copy(int number) const {
    const std::array<int, 3> at{number % copies_[0], number / copies_[0] % copies_[1],
                                number / copies_[0] / copies_[1]};
    ParticleSnapshot copy = piece_;
    for (std::size_t i = 0; i < copy.id.size(); ++i) {
        copy.id[i] = id_in_copy(copy.id[i], number);
        double* const place = &copy.position[3 * i];
        for (std::size_t axis = 0; axis < 3; ++axis)
            place[axis] += static_cast<double>(at[axis]) * of_file_.box.size[axis];
        fit(place);
    }
    std::ranges::fill(copy.image, 0);
    return copy;
}

/// Of an id that there is not, one that there is not either.
std::int64_t FittedParticles::id_in_copy(std::int64_t id, int number) const {
    if (id < 0 || id >= first_ids_of_file_.back()) return number_of_copies_ == 1 ? id : -1;
    std::size_t species = 0;
    while (id >= first_ids_of_file_[species + 1]) ++species;
    const std::int64_t first = first_ids_of_file_[species];
    return first_ids_[species] + number * (first_ids_of_file_[species + 1] - first) + (id - first);
}

/// What is not in the box stays as it is, to be told.
void FittedParticles::fit(double* place) const {
    const Vec3<double> before{place[0], place[1], place[2]};
    for (int axis = 0; axis < 3; ++axis)
        if (!(before[axis] >= 0.0 && before[axis] <= system_.box.size[static_cast<std::size_t>(axis)]))
            return;
    const bool is_rounded = precision_ == Precision::mixed;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        if (is_rounded) place[axis] = static_cast<double>(static_cast<float>(place[axis]));
        // Rounding may reach L, here or in the file, which is the next image's 0.
        if (system_.boundaries.faces[axis].is_periodic() && place[axis] == system_.box.size[axis])
            place[axis] = 0.0;
    }
    const SurfaceView surfaces = view_of_surfaces(system_);
    const Vec3<double> rounded{place[0], place[1], place[2]};
    if (!is_rounded || !surfaces.exist() || surfaces.is_fluid(rounded) || !surfaces.is_fluid(before)) return;
    const Vec3<double> in_fluid = out_of_solid(surfaces, vector_cast<float>(rounded));
    for (int axis = 0; axis < 3; ++axis) place[axis] = in_fluid[axis];
}

}  // namespace mpcflow

#include "app/output/particle_group.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "app/hdf5/error.hpp"

namespace mpcflow {

namespace {

using hdf5::Group;
using hdf5::Growth;

/// A row of three for each particle: make(first, count, numbers) as Dataset::MakeItems.
template <class Number, class Make>
void write_triples(const Group& group, const std::string& name, const ParticleRecords& particles,
                   const Make& make) {
    const auto count = static_cast<hsize_t>(particles.count());
    group.create_dataset(name, {hdf5::number_type<Number>(), {count, 3}, Growth::fixed, {}, {}})
        .template write_by_items<Number>(make);
}

template <class Real>
void write_particles_as(const Group& group, const ParticleRecords& particles) {
    write_triples<Real>(
        group, "position", particles,
        [&](std::size_t first, std::size_t count, Real* to) { copy_positions(particles, first, count, to); });
    write_triples<Real>(
        group, "velocity", particles,
        [&](std::size_t first, std::size_t count, Real* to) {
            copy_velocities(particles, first, count, to);
        });
    write_triples<std::int32_t>(group, "image", particles,
                                [&](std::size_t first, std::size_t count, std::int32_t* to) {
                                    copy_images(particles, first, count, to);
                                });
}

}  // namespace

void write_particles(const Group& root, const ParticleRecords& particles, Ids ids) {
    const Group group = root.create_group("particles");
    if (particles.precision() == Precision::mixed) write_particles_as<float>(group, particles);
    else write_particles_as<double>(group, particles);
    const auto count = static_cast<hsize_t>(particles.count());
    if (particles.masses() == Masses::by_species) {
        group.create_dataset("species", {hdf5::NumberType::int32, {count}, Growth::fixed, {}, {}})
            .write_by_items<std::int32_t>([&](std::size_t first, std::size_t some, std::int32_t* to) {
                copy_species(particles, first, some, to);
            });
    }
    if (ids == Ids::all_in_order) return;
    group.create_dataset("id", {hdf5::NumberType::int64, {count}, Growth::fixed, {}, {}})
        .write_by_items<std::int64_t>([&](std::size_t first, std::size_t some, std::int64_t* to) {
            copy_ids(particles, first, some, to);
        });
}

std::int64_t particle_group_bytes(std::int64_t particles, Precision precision, Masses masses, Ids ids) {
    const std::int64_t bytes = (precision == Precision::mixed ? 24 : 48) + 12 +
                               (masses == Masses::by_species ? 4 : 0) + (ids == Ids::written ? 8 : 0);
    // Chunk indices and checksums.
    return bytes * particles + bytes * particles / 64;
}

std::vector<std::uint8_t> read_species(const hdf5::Dataset& species, hsize_t first, hsize_t count) {
    std::vector<std::int32_t> numbers;
    species.read_part(first, count, numbers);
    std::vector<std::uint8_t> read;
    constexpr std::int32_t none = std::numeric_limits<std::uint8_t>::max();
    for (const std::int32_t s : numbers)
        read.push_back(static_cast<std::uint8_t>(s < 0 || s > none ? none : s));
    return read;
}

GroupParticles::GroupParticles(hdf5::File file, std::int64_t count, Share share, Ids ids)
    : file_(std::move(file)), share_(share), next_(share.first), ids_(ids) {
    const Group group = file_.root().open_group("particles");
    position_ = group.open_dataset("position");
    velocity_ = group.open_dataset("velocity");
    image_ = group.open_dataset("image");
    const auto particles = static_cast<hsize_t>(count);
    for (const hdf5::Dataset* triples : {&position_, &velocity_, &image_})
        triples->require_shape({particles, 3});
    if (group.has("species")) {
        species_ = group.open_dataset("species");
        species_->require_shape({particles});
    }
    if (ids_ == Ids::all_in_order) return;
    id_ = group.open_dataset("id");
    id_.require_shape({particles});
}

ParticleSnapshot GroupParticles::next(std::int64_t most) {
    const std::int64_t end = std::min(share_.end, next_ + most);
    const auto first = static_cast<hsize_t>(next_);
    const auto count = static_cast<hsize_t>(end - next_);
    ParticleSnapshot piece;
    if (count == 0) return piece;
    position_.read_part(first, count, piece.position);
    velocity_.read_part(first, count, piece.velocity);
    image_.read_part(first, count, piece.image);
    if (species_) piece.species = read_species(*species_, first, count);
    if (ids_ == Ids::written) {
        id_.read_part(first, count, piece.id);
    } else {
        piece.id.resize(count);
        std::iota(piece.id.begin(), piece.id.end(), next_);
    }
    next_ = end;
    return piece;
}

}  // namespace mpcflow

#pragma once
/// Particle records: position, velocity, and a label (id, species and image counts), in one aligned block.
///
/// Records are the form of exchange: with files, between solvers and domains. A particle is then read and
/// written whole, and wherever it is stored it fills whole 32-byte sectors of memory. Solvers keep the parts
/// of their particles in columns (physics/host/host_particles.hpp, gpu/particle_columns.cuh).

#include <bit>
#include <cstdint>
#include <type_traits>

#include "physics/host_device.hpp"
#include "physics/system.hpp"
#include "physics/vector.hpp"

namespace mpcflow {

/// Three signed counts of `bits` bits each, packed from bit `first` of a 64-bit word on (biased).
template <int bits, int first>
struct PackedImages {
    static constexpr int limit = 1 << (bits - 1);  ///< counts are in [-limit, limit)
    static constexpr std::uint64_t field = (std::uint64_t{1} << bits) - 1;

    static constexpr std::uint64_t zero() {
        std::uint64_t word = 0;
        for (int axis = 0; axis < 3; ++axis) word |= std::uint64_t{limit} << (first + bits * axis);
        return word;
    }
    MPCFLOW_HD static constexpr int get(std::uint64_t word, int axis) {
        return static_cast<int>((word >> (first + bits * axis)) & field) - limit;
    }
    /// Adds `change` to one count; false, and no change, where it would not fit.
    MPCFLOW_HD static constexpr bool add(std::uint64_t& word, int axis, int change) {
        const int count = get(word, axis) + change;
        if (count < -limit || count >= limit) return false;
        const int shift = first + bits * axis;
        word = (word & ~(field << shift)) | (static_cast<std::uint64_t>(count + limit) << shift);
        return true;
    }
};

/// What streaming changes at faces alone. Images up to a million boxes away. With several species the
/// uppermost byte of the identity is the species.
template <Masses masses>
struct alignas(16) DoubleLabel {
    using Images = PackedImages<21, 0>;
    static constexpr bool has_species = masses == Masses::by_species;
    static constexpr int species_bit = 56;
    static constexpr std::uint64_t id_mask = (std::uint64_t{1} << species_bit) - 1;
    static constexpr std::uint64_t max_particles = std::uint64_t{1} << 48U;

    std::uint64_t identity;
    std::uint64_t images;

    MPCFLOW_HD static DoubleLabel make(std::uint64_t id, int species) {
        return {id | static_cast<std::uint64_t>(species) << species_bit, Images::zero()};
    }
    MPCFLOW_HD std::uint64_t id() const { return has_species ? identity & id_mask : identity; }
    MPCFLOW_HD int species() const { return has_species ? static_cast<int>(identity >> species_bit) : 0; }
    MPCFLOW_HD bool add_image(int axis, int change) { return Images::add(images, axis, change); }
    MPCFLOW_HD int image(int axis) const { return Images::get(images, axis); }
};

/// The same in one word: the id (31 bits) and images up to 1023 boxes away; with several species up to 511,
/// and the species in the uppermost three bits.
template <Masses masses>
struct MixedLabel {
    static constexpr bool has_species = masses == Masses::by_species;
    using Images = PackedImages<has_species ? 10 : 11, 31>;
    static constexpr int species_bit = 61;
    static constexpr std::uint64_t id_mask = (std::uint64_t{1} << 31U) - 1;
    static constexpr std::uint64_t max_particles = std::uint64_t{1} << 31U;

    std::uint64_t identity_and_images;

    MPCFLOW_HD static MixedLabel make(std::uint64_t id, int species) {
        return {id | static_cast<std::uint64_t>(species) << species_bit | Images::zero()};
    }
    MPCFLOW_HD std::uint64_t id() const { return identity_and_images & id_mask; }
    MPCFLOW_HD int species() const {
        return has_species ? static_cast<int>(identity_and_images >> species_bit) : 0;
    }
    MPCFLOW_HD bool add_image(int axis, int change) { return Images::add(identity_and_images, axis, change); }
    MPCFLOW_HD int image(int axis) const { return Images::get(identity_and_images, axis); }
};

/// Position, velocity and label of a particle.
template <class RealType, class LabelType>
struct alignas(32) ParticleRecord {
    using Real = RealType;
    using Label = LabelType;
    using Images = typename Label::Images;
    static constexpr bool has_species = Label::has_species;
    static constexpr std::uint64_t max_particles = Label::max_particles;

    Vec3<Real> position;
    Vec3<Real> velocity;
    Label label;

    MPCFLOW_HD static ParticleRecord make(std::uint64_t id, Vec3<Real> position, Vec3<Real> velocity,
                                          int species = 0) {
        return {position, velocity, Label::make(id, species)};
    }
    MPCFLOW_HD std::uint64_t id() const { return label.id(); }
    MPCFLOW_HD int species() const { return label.species(); }
    MPCFLOW_HD bool add_image(int axis, int change) { return label.add_image(axis, change); }
    MPCFLOW_HD int image(int axis) const { return label.image(axis); }
};

/// 64 bytes: precision "double".
template <Masses masses>
using DoubleRecord = ParticleRecord<double, DoubleLabel<masses>>;

/// 32 bytes: precision "mixed".
template <Masses masses>
using MixedRecord = ParticleRecord<float, MixedLabel<masses>>;

using ParticleDouble = DoubleRecord<Masses::equal>;
using ParticleMixed = MixedRecord<Masses::equal>;

/// The record for arithmetic in `Real`.
template <class Real, Masses masses>
using ParticleOf = std::conditional_t<std::is_same_v<Real, float>, MixedRecord<masses>, DoubleRecord<masses>>;

static_assert(sizeof(ParticleDouble) == 64 && sizeof(ParticleMixed) == 32);
static_assert(sizeof(ParticleOf<double, Masses::by_species>) == 64 &&
              sizeof(ParticleOf<float, Masses::by_species>) == 32);

namespace detail {

/// A bijection of 64-bit words in which every input bit reaches every output bit (xor-shift-multiply).
MPCFLOW_HD std::uint64_t mix_bits(std::uint64_t h) {
    h ^= h >> 32U;
    h *= 0xd6e8feb86659fd93ULL;
    h ^= h >> 32U;
    h *= 0xd6e8feb86659fd93ULL;
    h ^= h >> 32U;
    return h;
}

MPCFLOW_HD std::uint64_t state_bits(double value) { return std::bit_cast<std::uint64_t>(value); }
MPCFLOW_HD std::uint64_t state_bits(float value) { return std::bit_cast<std::uint32_t>(value); }

}  // namespace detail

/// Mix of a particle's id, its species where there are several, and all its state bits. The state hash of a
/// run is the sum of these modulo 2^64, which no order of the particles in memory can change.
template <class Particle>
MPCFLOW_HD std::uint64_t particle_hash(const Particle& p) {
    using detail::mix_bits;
    std::uint64_t h = mix_bits(p.id() + 0x9e3779b97f4a7c15ULL);
    if constexpr (Particle::has_species) h = mix_bits(h ^ static_cast<std::uint64_t>(p.species()));
    for (int axis = 0; axis < 3; ++axis) {
        h = mix_bits(h ^ detail::state_bits(p.position[axis]));
        h = mix_bits(h ^ detail::state_bits(p.velocity[axis]));
        h = mix_bits(h ^ static_cast<std::uint64_t>(static_cast<std::int64_t>(p.image(axis))));
    }
    return h;
}

}  // namespace mpcflow

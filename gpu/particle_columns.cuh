#pragma once
/// Particles in the memory of a device: in columns what every step touches (position, velocity, and the
/// species where there are several), read and written whole by a warp; and apart from it their labels (id,
/// species, images), which a step touches where particles are re-ordered, cross a face, or a law asks for the
/// id. A plain step moves three quarters of a record so. Records (physics/particle.hpp) stay the form of
/// exchange with the host.

#include <algorithm>
#include <cstdint>
#include <tuple>
#include <type_traits>
#include <utility>

#include "gpu/cuda_support.cuh"
#include "physics/particle.hpp"

namespace mpcflow {

/// How a thread reads: through the cache of its multiprocessor, or past it, where that may still have what
/// was there before (gpu/launch.cuh).
struct ThroughL1 {
    template <class T>
    [[nodiscard]] static __device__ __forceinline__ T load(const T* from) {
        return *from;
    }
};
struct PastL1 {
    template <class T>
    [[nodiscard]] static __device__ __forceinline__ T load(const T* from) {
        return __ldcg(from);
    }
};

/// Asks for `bytes` bytes, a multiple of 16, to be brought into the cache of the card, L2. Cards before
/// compute capability 9.0 do nothing.
__device__ __forceinline__ void fetch_to_l2([[maybe_unused]] const void* from,
                                            [[maybe_unused]] std::uint32_t bytes) {
#if __CUDA_ARCH__ >= 900
    asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(from), "r"(bytes));
#endif
}

/// The species of a particle: one of several, or the only one, which takes no memory.
struct OneOfSeveral {
    int value;
    [[nodiscard]] __device__ __forceinline__ int species() const { return value; }
};
struct TheOnlyOne {
    [[nodiscard]] __device__ __forceinline__ static int species() { return 0; }
};
template <class Particle>
using SpeciesOf = std::conditional_t<Particle::has_species, OneOfSeveral, TheOnlyOne>;

/// What of a particle is in columns.
template <class Particle>
struct Motion : SpeciesOf<Particle> {
    Vec3<typename Particle::Real> position;
    Vec3<typename Particle::Real> velocity;
};

template <bool is_there>
struct SpeciesColumn {
    std::uint8_t* species = nullptr;
};
template <>
struct SpeciesColumn<false> {};

/// The columns of `count` particles: a view, the memory is ParticleMemory's.
template <class Particle>
class ParticleColumns : private SpeciesColumn<Particle::has_species> {
public:
    using Real = typename Particle::Real;
    using Label = typename Particle::Label;

    ParticleColumns() = default;
    ParticleColumns(char* memory, std::int64_t count) {
        char* at = memory;
        const auto take = [&]<class T>(T*& column) {
            column = reinterpret_cast<T*>(at);
            at += column_bytes(count, sizeof(T));
        };
        std::apply([&](auto*&... column) { (take(column), ...); }, motion_.columns());
        take(labels_);
        if constexpr (Particle::has_species) take(this->species);
    }

    static std::int64_t bytes(std::int64_t count) {
        std::int64_t sum = column_bytes(count, sizeof(Label));
        if constexpr (Particle::has_species) sum += column_bytes(count, sizeof(std::uint8_t));
        MotionColumns none{};
        std::apply(
            [&]<class... T>(T*&...) { sum += (std::int64_t{0} + ... + column_bytes(count, sizeof(T))); },
            none.columns());
        return sum;
    }

    template <class Reading = ThroughL1>
    [[nodiscard]] __device__ __forceinline__ Motion<Particle> motion(std::int64_t i) const {
        const auto [position, velocity] = motion_.template get<Reading>(i);
        return {species_of<Reading>(i), position, velocity};
    }
    /// Asks for what motion() reads of `count` particles from i on; i is a multiple of 16.
    __device__ __forceinline__ void fetch_motions(std::int64_t i, std::uint32_t count) const {
        const std::uint32_t whole = (count + 15U) & ~15U;  // still in the columns: column_bytes()
        motion_.fetch(i, whole);
        if constexpr (Particle::has_species) fetch_to_l2(this->species + i, whole);
    }
    [[nodiscard]] __device__ __forceinline__ int species_at(std::int64_t i) const {
        return species_of<ThroughL1>(i).species();
    }
    /// But for the species, which set_label() sets.
    __device__ __forceinline__ void set_motion(std::int64_t i, Vec3<Real> position,
                                               Vec3<Real> velocity) const {
        motion_.put(i, position, velocity);
    }
    /// Its images may be changed there, and nothing else.
    [[nodiscard]] __device__ __forceinline__ Label& label(std::int64_t i) const { return labels_[i]; }
    __device__ __forceinline__ void set_label(std::int64_t i, const Label& label) const {
        labels_[i] = label;
        if constexpr (Particle::has_species) this->species[i] = static_cast<std::uint8_t>(label.species());
    }

    /// The record. What is not used of it is not read.
    [[nodiscard]] __device__ __forceinline__ Particle operator[](std::int64_t i) const {
        const auto [position, velocity] = motion_.template get<ThroughL1>(i);
        return {position, velocity, labels_[i]};
    }
    __device__ __forceinline__ void set(std::int64_t i, const Particle& particle) const {
        motion_.put(i, particle.position, particle.velocity);
        set_label(i, particle.label);
    }

private:
    template <class Reading>
    [[nodiscard]] __device__ __forceinline__ SpeciesOf<Particle> species_of(std::int64_t i) const {
        if constexpr (Particle::has_species) return {Reading::load(this->species + i)};
        else return {};
    }

    struct PositionAndVelocity {
        Vec3<Real> position;
        Vec3<Real> velocity;
    };
    struct DoubleMotion {
        double2* a;
        double2* b;
        double2* c;

        auto columns() { return std::tie(a, b, c); }
        template <class Reading>
        __device__ __forceinline__ PositionAndVelocity get(std::int64_t i) const {
            const double2 p = Reading::load(a + i);
            const double2 q = Reading::load(b + i);
            const double2 r = Reading::load(c + i);
            return {{p.x, p.y, q.x}, {q.y, r.x, r.y}};
        }
        __device__ __forceinline__ void fetch(std::int64_t i, std::uint32_t count) const {
            for (const double2* column : {a, b, c}) fetch_to_l2(column + i, count * sizeof(double2));
        }
        __device__ __forceinline__ void put(std::int64_t i, Vec3<double> x, Vec3<double> v) const {
            a[i] = make_double2(x.x, x.y);
            b[i] = make_double2(x.z, v.x);
            c[i] = make_double2(v.y, v.z);
        }
    };
    struct FloatMotion {
        float4* a;
        float2* b;

        auto columns() { return std::tie(a, b); }
        template <class Reading>
        __device__ __forceinline__ PositionAndVelocity get(std::int64_t i) const {
            const float4 p = Reading::load(a + i);
            const float2 q = Reading::load(b + i);
            return {{p.x, p.y, p.z}, {p.w, q.x, q.y}};
        }
        __device__ __forceinline__ void fetch(std::int64_t i, std::uint32_t count) const {
            fetch_to_l2(a + i, count * sizeof(float4));
            fetch_to_l2(b + i, count * sizeof(float2));
        }
        __device__ __forceinline__ void put(std::int64_t i, Vec3<float> x, Vec3<float> v) const {
            a[i] = make_float4(x.x, x.y, x.z, v.x);
            b[i] = make_float2(v.y, v.z);
        }
    };
    using MotionColumns = std::conditional_t<std::is_same_v<Real, float>, FloatMotion, DoubleMotion>;

    /// Whole lines, so that warps read and write whole sectors of every column.
    static std::int64_t column_bytes(std::int64_t count, std::size_t size) {
        return (count * static_cast<std::int64_t>(size) + 255) / 256 * 256;
    }

    MotionColumns motion_{};
    Label* labels_ = nullptr;
};

/// A particle in flight, as streaming and laws see it: its label stays in memory until it is asked for.
template <class Particle>
struct FlyingParticle : SpeciesOf<Particle> {
    using Real = typename Particle::Real;

    Vec3<Real> position;
    Vec3<Real> velocity;
    typename Particle::Label* label;

    __device__ __forceinline__ std::uint64_t id() const { return label->id(); }
    __device__ __forceinline__ bool add_image(int axis, int change) {
        typename Particle::Label changed = *label;
        const bool fits = changed.add_image(axis, change);
        *label = changed;
        return fits;
    }
};

template <class Particle>
[[nodiscard]] __device__ __forceinline__ FlyingParticle<Particle> flying_particle(
    const ParticleColumns<Particle>& particles, std::int64_t i, const Motion<Particle>& motion) {
    const SpeciesOf<Particle>& species = motion;
    return {species, motion.position, motion.velocity, &particles.label(i)};
}

/// Memory for the columns of some particles, or for as many records.
template <class Particle>
class ParticleMemory {
public:
    explicit ParticleMemory(std::int64_t count)
        : count_(count), bytes_(std::max(ParticleColumns<Particle>::bytes(count), records_bytes())) {}

    [[nodiscard]] ParticleColumns<Particle> columns() const { return {bytes_.data(), count_}; }
    [[nodiscard]] Particle* records() const { return reinterpret_cast<Particle*>(bytes_.data()); }
    [[nodiscard]] std::int64_t bytes() const { return bytes_.bytes(); }
    void swap(ParticleMemory& other) noexcept {
        std::swap(count_, other.count_);
        bytes_.swap(other.bytes_);
    }

private:
    [[nodiscard]] std::int64_t records_bytes() const {
        return count_ * static_cast<std::int64_t>(sizeof(Particle));
    }

    std::int64_t count_;
    DeviceArray<char> bytes_;
};

}  // namespace mpcflow

#pragma once
/// Copies of the records of a solver's particles, as they are in its memory: the cheapest copy of its state
/// there is. Whoever writes or reads them makes of them what it needs, later and elsewhere.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <type_traits>

#include "physics/particle.hpp"
#include "physics/solver_options.hpp"
#include "physics/system.hpp"

namespace mpcflow {

/// Memory of the host that is freed as it was taken.
using HostBytes = std::unique_ptr<std::byte[], void (*)(std::byte*)>;

/// Takes ordinary memory, on whole cache lines. Throws std::bad_alloc.
[[nodiscard]] HostBytes allocate_host_bytes(std::size_t count);

/// Records of some particles or of all.
class ParticleRecords {
public:
    /// Takes memory from which and to which the solver's device copies fastest. Throws std::bad_alloc.
    using Allocate = HostBytes (*)(std::size_t count);

    std::int64_t step = 0;  ///< of the state that they are of

    /// Makes room for `count` records, whose contents are then undefined. Memory that is there is used again
    /// if it is enough. Throws EnvironmentError if there is none.
    template <class Particle>
    std::span<Particle> begin(std::int64_t the_step, std::int64_t count,
                              Allocate allocate = allocate_host_bytes) {
        reserve(static_cast<std::size_t>(count) * sizeof(Particle), allocate);
        step = the_step;
        count_ = count;
        precision_ =
            std::is_same_v<typename Particle::Real, float> ? Precision::mixed : Precision::double_precision;
        masses_ = Particle::has_species ? Masses::by_species : Masses::equal;
        return {reinterpret_cast<Particle*>(bytes_.get()), static_cast<std::size_t>(count)};
    }

    [[nodiscard]] std::int64_t count() const { return count_; }
    [[nodiscard]] Precision precision() const { return precision_; }
    /// Of particles of several species or of one.
    [[nodiscard]] Masses masses() const { return masses_; }
    /// Bytes of memory that are held.
    [[nodiscard]] std::size_t capacity() const { return capacity_; }

    /// Calls function(std::span<const Particle>) with the particles, whichever they are.
    template <class Function>
    decltype(auto) visit(const Function& function) const {
        return masses_ == Masses::equal ? visit_of<Masses::equal>(function)
                                        : visit_of<Masses::by_species>(function);
    }

    /// Puts the records in the order of their ids.
    void sort_by_id();

private:
    template <Masses masses, class Function>
    decltype(auto) visit_of(const Function& function) const {
        return precision_ == Precision::mixed ? function(particles<const MixedRecord<masses>>())
                                              : function(particles<const DoubleRecord<masses>>());
    }
    template <class Particle>
    [[nodiscard]] std::span<Particle> particles() const {
        return {reinterpret_cast<Particle*>(bytes_.get()), static_cast<std::size_t>(count_)};
    }
    void reserve(std::size_t bytes, Allocate allocate);

    HostBytes bytes_{nullptr, nullptr};
    std::size_t capacity_ = 0;
    std::int64_t count_ = 0;
    Precision precision_ = Precision::double_precision;
    Masses masses_ = Masses::equal;
};

/// Writes to `to` the positions (3 numbers each) of the particles from `first` on, `count` of them; the
/// velocities; the image counts; the ids; the species. `Number` as wide as the numbers of the records, or
/// wider.
template <class Number>
void copy_positions(const ParticleRecords& records, std::size_t first, std::size_t count, Number* to) {
    records.visit([&](const auto& particles) {
        for (const auto& particle : particles.subspan(first, count))
            for (int axis = 0; axis < 3; ++axis) *to++ = static_cast<Number>(particle.position[axis]);
    });
}

template <class Number>
void copy_velocities(const ParticleRecords& records, std::size_t first, std::size_t count, Number* to) {
    records.visit([&](const auto& particles) {
        for (const auto& particle : particles.subspan(first, count))
            for (int axis = 0; axis < 3; ++axis) *to++ = static_cast<Number>(particle.velocity[axis]);
    });
}

inline void copy_images(const ParticleRecords& records, std::size_t first, std::size_t count,
                        std::int32_t* to) {
    records.visit([&](const auto& particles) {
        for (const auto& particle : particles.subspan(first, count))
            for (int axis = 0; axis < 3; ++axis) *to++ = particle.image(axis);
    });
}

template <class Number>
void copy_ids(const ParticleRecords& records, std::size_t first, std::size_t count, Number* to) {
    records.visit([&](const auto& particles) {
        for (const auto& particle : particles.subspan(first, count))
            *to++ = static_cast<Number>(particle.id());
    });
}

template <class Number>
void copy_species(const ParticleRecords& records, std::size_t first, std::size_t count, Number* to) {
    records.visit([&](const auto& particles) {
        for (const auto& particle : particles.subspan(first, count))
            *to++ = static_cast<Number>(particle.species());
    });
}

}  // namespace mpcflow

#pragma once
/// Particles in the memory of the host. What every step touches, position and velocity, is in columns, one
/// for each number, which vectors read and write as they are. Labels (id, species, images) are apart: a step
/// touches them where particles are re-ordered or cross a face, or where a law asks for them. So a step moves
/// three quarters of what records would take. Records (physics/particle.hpp) stay the form of exchange.

#include <algorithm>
#include <cstdint>
#include <utility>

#include "physics/host/fetching.hpp"
#include "physics/host/raw_array.hpp"

namespace mpcflow {

/// Memory for some particles, not initialised (RawArray).
template <class Particle>
class HostParticles {
public:
    using Real = typename Particle::Real;
    using Label = typename Particle::Label;

    /// x, y, z of the position, then of the velocity.
    static constexpr int columns = 6;

    HostParticles() = default;
    explicit HostParticles(std::int64_t size)
        : size_(size), stride_(column_length(size)), numbers_(columns * stride_), labels_(size) {}

    [[nodiscard]] std::int64_t size() const { return size_; }
    [[nodiscard]] std::int64_t bytes() const { return numbers_.bytes() + labels_.bytes(); }
    /// Of so many.
    [[nodiscard]] static std::int64_t bytes_of(std::int64_t size) {
        return columns * column_length(size) * static_cast<std::int64_t>(sizeof(Real)) +
               size * static_cast<std::int64_t>(sizeof(Label));
    }

    /// One component of all particles, 0 ... size() - 1, in the units of a record.
    [[nodiscard]] Real* column(int number) { return numbers_.data() + number * stride_; }
    [[nodiscard]] const Real* column(int number) const { return numbers_.data() + number * stride_; }
    [[nodiscard]] Label& label(std::int64_t i) { return labels_[i]; }
    [[nodiscard]] const Label& label(std::int64_t i) const { return labels_[i]; }

    /// A record; what is not used of it is not read.
    [[nodiscard]] Particle operator[](std::int64_t i) const {
        return {{column(0)[i], column(1)[i], column(2)[i]},
                {column(3)[i], column(4)[i], column(5)[i]},
                labels_[i]};
    }
    void set(std::int64_t i, const Particle& particle) {
        for (int axis = 0; axis < 3; ++axis) {
            column(axis)[i] = particle.position[axis];
            column(3 + axis)[i] = particle.velocity[axis];
        }
        labels_[i] = particle.label;
    }
    /// The first `count` of another one.
    void copy(const HostParticles& other, std::int64_t count) {
        for (int c = 0; c < columns; ++c) std::copy_n(other.column(c), count, column(c));
        std::copy_n(other.labels_.data(), count, labels_.data());
    }

    /// Asks for the memory of `count` particles from number `first` on.
    template <Fetch of_motions>
    void fetch_motions(std::int64_t first, std::int64_t count) const {
        for (int c = 0; c < columns; ++c) fetch<of_motions>(column(c) + first, column(c) + first + count);
    }
    /// Asks for the memory of one, which is to be written.
    void fetch_to_write(std::int64_t i) const {
        for (int c = 0; c < columns; ++c) __builtin_prefetch(column(c) + i, 1);
        __builtin_prefetch(labels_.data() + i, 1);
    }
    template <Fetch of_labels>
    void fetch_labels(std::int64_t first, std::int64_t count) const {
        fetch<of_labels>(labels_.data() + first, labels_.data() + first + count);
    }

private:
    /// Columns are some lines longer than whole pages. Else the same place of all of them would be in the
    /// same few sets of a cache.
    static std::int64_t column_length(std::int64_t size) {
        constexpr std::int64_t page = 4096 / sizeof(Real);
        constexpr std::int64_t more = 5 * 64 / sizeof(Real);
        return (size + page - 1) / page * page + more;
    }

    std::int64_t size_ = 0;
    std::int64_t stride_ = 0;  ///< numbers from a column to the next
    RawArray<Real> numbers_;
    RawArray<Label> labels_;
};

/// Some particles that follow each other in a HostParticles, to be read as records.
template <class Particle>
class ParticleRange {
public:
    class Iterator {
    public:
        Iterator(const HostParticles<Particle>* all, std::int64_t i) : all_(all), i_(i) {}
        [[nodiscard]] Particle operator*() const { return (*all_)[i_]; }
        Iterator& operator++() {
            ++i_;
            return *this;
        }
        [[nodiscard]] bool operator==(const Iterator& other) const { return i_ == other.i_; }

    private:
        const HostParticles<Particle>* all_;
        std::int64_t i_;
    };

    ParticleRange() = default;
    /// Those from number `first` to, without it, `last`.
    ParticleRange(const HostParticles<Particle>& all, std::int64_t first, std::int64_t last)
        : all_(&all), first_(first), last_(last) {}

    [[nodiscard]] Iterator begin() const { return {all_, first_}; }
    [[nodiscard]] Iterator end() const { return {all_, last_}; }
    [[nodiscard]] std::int64_t size() const { return last_ - first_; }
    /// The number of the first one, among all().
    [[nodiscard]] std::int64_t first() const { return first_; }
    [[nodiscard]] const HostParticles<Particle>& all() const { return *all_; }
    /// At most `count` of the first, which the range then does without.
    [[nodiscard]] ParticleRange take_first(std::int64_t count) {
        const std::int64_t end = std::min(first_ + count, last_);
        return {*all_, std::exchange(first_, end), end};
    }

private:
    const HostParticles<Particle>* all_ = nullptr;
    std::int64_t first_ = 0;
    std::int64_t last_ = 0;
};

}  // namespace mpcflow

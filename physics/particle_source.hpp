#pragma once
/// Particles that are not all in memory: they come piece by piece, from files for example.

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "physics/solver.hpp"

namespace mpcflow {

class ParticleSource {
public:
    ParticleSource() = default;
    virtual ~ParticleSource() = default;
    ParticleSource(const ParticleSource&) = delete;
    ParticleSource& operator=(const ParticleSource&) = delete;

    /// How many it gives in all.
    [[nodiscard]] virtual std::int64_t count() const = 0;
    /// The next ones, `most` at most and as many as it likes, in any order; none where all have come.
    [[nodiscard]] virtual ParticleSnapshot next(std::int64_t most) = 0;
};

/// The source that has none.
class NoParticles final : public ParticleSource {
public:
    [[nodiscard]] std::int64_t count() const override { return 0; }
    [[nodiscard]] ParticleSnapshot next(std::int64_t /*most*/) override { return {}; }
};

/// Those of a snapshot, which must outlive it.
class SnapshotSource final : public ParticleSource {
public:
    explicit SnapshotSource(const ParticleSnapshot& snapshot) : snapshot_(snapshot) {}
    [[nodiscard]] std::int64_t count() const override { return std::ssize(snapshot_.id); }
    [[nodiscard]] ParticleSnapshot next(std::int64_t most) override {
        const std::int64_t end = std::min(count(), given_ + most);
        ParticleSnapshot piece;
        piece.step = snapshot_.step;
        piece.id = part(snapshot_.id, 1, end);
        piece.position = part(snapshot_.position, 3, end);
        piece.velocity = part(snapshot_.velocity, 3, end);
        piece.image = part(snapshot_.image, 3, end);
        if (!snapshot_.species.empty()) piece.species = part(snapshot_.species, 1, end);
        given_ = end;
        return piece;
    }

private:
    template <class Numbers>
    [[nodiscard]] Numbers part(const Numbers& numbers, std::int64_t of_each, std::int64_t end) const {
        return {numbers.begin() + of_each * given_, numbers.begin() + of_each * end};
    }

    const ParticleSnapshot& snapshot_;
    std::int64_t given_ = 0;
};

}  // namespace mpcflow

#pragma once
/// Particles of a file as those of a system: repeated where its box is a multiple of theirs, rounded to how
/// they are stored, in their first images.

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "physics/particle_source.hpp"
#include "physics/solver_options.hpp"
#include "physics/system.hpp"

namespace mpcflow {

/// How often a box is put along x, y, z; [1, 1, 1]: once.
using Copies = std::array<int, 3>;

/// What a source gives, of which system, as that of another. The system's ids begin, within each species,
/// with those of the first copy, then those of the next along x, then y, then z.
class FittedParticles final : public ParticleSource {
public:
    FittedParticles(std::unique_ptr<ParticleSource> particles, const System& of_file, const System& system,
                    Precision precision, Copies copies);

    [[nodiscard]] std::int64_t count() const override { return particles_->count() * number_of_copies_; }
    [[nodiscard]] ParticleSnapshot next(std::int64_t most) override;

private:
    [[nodiscard]] ParticleSnapshot copy(int number) const;
    [[nodiscard]] std::int64_t id_in_copy(std::int64_t id, int number) const;
    void fit(double* place) const;

    std::unique_ptr<ParticleSource> particles_;
    System of_file_;
    System system_;
    Precision precision_;
    Copies copies_;
    int number_of_copies_;
    std::vector<std::int64_t> first_ids_of_file_;  ///< of each species, and the number of all
    std::vector<std::int64_t> first_ids_;
    ParticleSnapshot piece_;
    int next_copy_;
};

}  // namespace mpcflow

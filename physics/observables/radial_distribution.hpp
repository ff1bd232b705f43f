#pragma once
/// output.radial_distribution: how many particles there are at a distance from a particle.

#include <cstdint>
#include <vector>

#include "physics/observables/observable.hpp"
#include "physics/observables/pair_centres.hpp"
#include "physics/particle_records.hpp"
#include "physics/system.hpp"

namespace mpcflow {

/// output.radial_distribution in the input.
struct RadialDistributionOutput {
    std::int64_t every = 2000;
    double range = 3.0;  ///< in cells
    int bins = 150;
    std::int64_t centres = 5000;  ///< at most so many
};

/// g(r): pairs of centres, particles evenly spread over the ids and no nearer to a wall than the range, with
/// all particles, relative to those of particles that know nothing of each other: centres x (N - 1) / V x
/// volume of the shell.
class RadialDistributionObservable final : public Observable {
public:
    RadialDistributionObservable(const System& system, const RadialDistributionOutput& output,
                                 std::int64_t equilibration);

    [[nodiscard]] std::int64_t bytes(std::int64_t last_step) const override;

protected:
    void measure(Solver& solver, std::int64_t step) override;
    void add_results(ObservableResults& results) const override;
    [[nodiscard]] std::vector<SamplingParameter> parameters() const override;
    [[nodiscard]] std::vector<NamedArray> arrays() const override;
    void put_back(ObservableState& state) override;

private:
    /// Samples that follow each other, from which errors come.
    struct Block {
        std::int64_t samples = 0;
        std::uint64_t centres = 0;
        std::vector<std::uint64_t> pairs;
    };

    void begin_block();

    System system_;
    PairBins bins_;
    PairRule rule_;
    std::int64_t every_nth_id_;
    std::int64_t block_samples_ = 1;
    std::vector<Block> blocks_;
    ParticleRecords records_;
};

}  // namespace mpcflow

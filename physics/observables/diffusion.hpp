#pragma once
/// output.diffusion: how far tracers get, and how long they remember their velocities.

#include <cstdint>
#include <string>
#include <vector>

#include "physics/observables/observable.hpp"
#include "physics/observables/tracers.hpp"
#include "physics/system.hpp"

namespace mpcflow {

/// output.diffusion in the input.
struct DiffusionOutput {
    std::int64_t every = 25;
    std::int64_t tracers = 2048;  ///< at most so many particles are followed, of each species
};

/// Tracers, of several species those of each; the results of a species are then in a group of its name.
class DiffusionObservable final : public Observable {
public:
    DiffusionObservable(const System& system, const DiffusionOutput& output, std::int64_t equilibration);

    [[nodiscard]] std::int64_t bytes(std::int64_t last_step) const override;
    [[nodiscard]] std::int64_t result_bytes(std::int64_t last_step) const override;

protected:
    void measure(Solver& solver, std::int64_t step) override;
    void add_results(ObservableResults& results) const override;
    [[nodiscard]] std::vector<SamplingParameter> parameters() const override;
    [[nodiscard]] std::vector<NamedArray> arrays() const override;
    void put_back(ObservableState& state) override;

private:
    struct OfSpecies {
        Tracers tracers;
        std::string group;   ///< of its results: "" or "NAME/"
        std::string suffix;  ///< of what its state and parameters are called: "" or "_NUMBER"
    };
    std::vector<OfSpecies> all_;
};

}  // namespace mpcflow

#pragma once
/// output.walls: the stress on the walls, force and torque on the surfaces in the box, the heat that both
/// take, and how much fluid flows along them.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "physics/observables/block_averages.hpp"
#include "physics/observables/observable.hpp"
#include "physics/system.hpp"

namespace mpcflow {

/// output.walls in the input.
struct WallsOutput {
    std::int64_t every = 200;
};

/// Averages the momentum and the heat that each wall takes in a step, by hits and by collisions of the cells
/// that it cuts (physics/observables/momentum_flux.hpp), over its area and the time of the step; and the flow
/// rates.
class WallsObservable final : public Observable {
public:
    WallsObservable(const System& system, const WallsOutput& output, std::int64_t equilibration);

    [[nodiscard]] std::int64_t bytes(std::int64_t last_step) const override;
    [[nodiscard]] std::int64_t result_bytes(std::int64_t last_step) const override;

protected:
    void measure(Solver& solver, std::int64_t step) override;
    void add_results(ObservableResults& results) const override;
    [[nodiscard]] std::vector<SamplingParameter> parameters() const override;
    [[nodiscard]] std::vector<NamedArray> arrays() const override;
    void put_back(ObservableState& state) override;

private:
    /// Of a sample.
    [[nodiscard]] std::int64_t numbers() const;
    void add_surfaces(const std::string& suffix, std::span<const double> numbers, const std::string& of_what,
                      ObservableResults& results) const;

    System system_;
    std::vector<int> faces_;  ///< that are walls: 2 x axis + (0 lower, 1 upper)
    /// Stress of each face (3), flow rates (3), heat of each face; force (3), torque (3) and heat of each
    /// surface in the box.
    BlockAverages averages_;
};

}  // namespace mpcflow

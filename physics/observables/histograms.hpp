#pragma once
/// output.histograms: the distributions of the occupancy of cells and of the speed of particles.

#include <cstdint>
#include <vector>

#include "physics/observables/observable.hpp"
#include "physics/system.hpp"

namespace mpcflow {

/// output.histograms in the input.
struct HistogramsOutput {
    std::int64_t every = 0;
    int occupancy_bins = 0;  ///< 0: auto
    int speed_bins = 160;
    double largest_speed = 8.0;  ///< in thermal speeds
};

/// Adds the present state to the counts: all particles, and the cells of the next collision.
void add_sample(Solver& solver, Histograms& histograms);

/// Counts, added up over samples, with Poisson's and Maxwell's distributions beside.
class HistogramsObservable final : public Observable {
public:
    /// By default there is an occupancy bin for all that chance fills: eight standard deviations of the
    /// Poisson distribution above its mean.
    HistogramsObservable(const Fluid& fluid, const HistogramsOutput& output, std::int64_t equilibration);

protected:
    void measure(Solver& solver, std::int64_t step) override;
    void add_results(ObservableResults& results) const override;
    [[nodiscard]] std::vector<SamplingParameter> parameters() const override;
    [[nodiscard]] std::vector<NamedArray> arrays() const override;
    void put_back(ObservableState& state) override;

private:
    Fluid fluid_;
    Histograms histograms_;
};

}  // namespace mpcflow

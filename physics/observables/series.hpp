#pragma once
/// output.series: sums and extremes of all particles, a row a sample.

#include <cstdint>
#include <vector>

#include "physics/observables/observable.hpp"
#include "physics/system.hpp"

namespace mpcflow {

/// output.series in the input: a row every `every` steps, from step 0 on, the equilibration included.
struct SeriesOutput {
    std::int64_t every = 0;
};

/// Energy, temperature, momentum and extremes in the course of the run. It may have many rows, which the run
/// does not copy: they are gathered where they are written.
class SeriesObservable final : public Observable {
public:
    SeriesObservable(const System& system, const SeriesOutput& output);

    [[nodiscard]] Work take_work(Solver& solver) override;
    [[nodiscard]] std::int64_t bytes(std::int64_t last_step) const override;

protected:
    void measure(Solver& solver, std::int64_t step) override;
    [[nodiscard]] Sampled gathered() const override;
    void add_results(ObservableResults& results) const override;
    [[nodiscard]] std::vector<SamplingParameter> parameters() const override { return {}; }
    [[nodiscard]] std::vector<NamedArray> arrays() const override;
    void put_back(ObservableState& state) override;

private:
    struct Row {
        std::int64_t step = 0;
        Totals totals;
        Extremes extremes;
        std::vector<double> species_temperature;  ///< of several species
    };
    /// A list for each quantity, as long as there are rows; three numbers a row of the momentum, and one for
    /// each species of species_temperature where there are several.
    struct Columns {
        std::vector<std::int64_t> step;
        std::vector<double> time, kinetic_energy, temperature, momentum, maximum_speed;
        std::vector<std::int64_t> minimum_occupancy, maximum_occupancy;
        std::vector<double> species_temperature{};
    };

    void check(const Columns& columns, const ObservableState& state) const;

    double time_step_;
    std::int64_t particles_;
    int species_;  ///< that have columns of their own: none where there is one
    Row row_;      ///< of the last sample
    Columns columns_;
};

}  // namespace mpcflow

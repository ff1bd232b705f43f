#pragma once
/// output.modes: how velocity modes of long waves decay, the transverse ones by viscosity alone.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "physics/observables/mode_rule.hpp"
#include "physics/observables/multiple_tau.hpp"
#include "physics/observables/observable.hpp"
#include "physics/system.hpp"

namespace mpcflow {

/// output.modes in the input.
struct ModesOutput {
    std::int64_t every = 100;
    int count = 4;  ///< wave numbers along each axis without walls
};

/// Correlates u_k = (1/N) sum v exp(-i k x) with itself: Re <u_k(0)* u_k(t)>, for the two components across k
/// (their mean) and the one along it. In equilibrium the transverse one is kT / (m N) exp(-nu k^2 t): Huang,
/// Gompper and Winkler, Phys. Rev. E 86 (2012) 056711.
class ModesObservable final : public Observable {
public:
    ModesObservable(const System& system, const ModesOutput& output, std::int64_t equilibration);

    [[nodiscard]] std::int64_t bytes(std::int64_t last_step) const override;
    [[nodiscard]] std::int64_t result_bytes(std::int64_t last_step) const override;

protected:
    void measure(Solver& solver, std::int64_t step) override;
    void add_results(ObservableResults& results) const override;
    [[nodiscard]] std::vector<SamplingParameter> parameters() const override;
    [[nodiscard]] std::vector<NamedArray> arrays() const override;
    void put_back(ObservableState& state) override;

private:
    /// Wave vectors, of which each has two products: transverse and longitudinal.
    [[nodiscard]] std::size_t wave_count() const { return axes_.size(); }
    [[nodiscard]] double wave_number(std::size_t wave) const;
    [[nodiscard]] double decay_rate(std::size_t wave) const;
    [[nodiscard]] double time_of(std::int64_t lag) const;
    [[nodiscard]] std::vector<std::size_t> choose_lags(const CorrelationFunction& correlation) const;
    [[nodiscard]] Estimates viscosities(const CorrelationFunction& correlation) const;
    void add_correlations(ObservableResults& results, const CorrelationFunction& correlation) const;

    System system_;
    int count_;
    WaveNumbers waves_;
    std::vector<int> axes_;     ///< of each wave vector
    std::vector<int> numbers_;  ///< n of each
    double equipartition_;      ///< kT / M, M the mass of all
    double viscosity_;          ///< kinematic, predicted
    double guessed_viscosity_;  ///< that lags are chosen by
    MultipleTau correlator_;
};

}  // namespace mpcflow

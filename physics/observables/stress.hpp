#pragma once
/// output.stress: the pressure tensor of the whole fluid, the correlations of its off-diagonal components,
/// and from these the viscosity.

#include <algorithm>
#include <cstdint>
#include <vector>

#include "physics/observables/block_averages.hpp"
#include "physics/observables/multiple_tau.hpp"
#include "physics/observables/observable.hpp"
#include "physics/system.hpp"

namespace mpcflow {

/// output.stress in the input.
struct StressOutput {
    std::int64_t every = 2000;
    int burst = 0;  ///< consecutive steps sampled; 0: auto; `every`: all steps, unbroken
    int lags = 0;   ///< of the correlations; 0: auto

    static constexpr int auto_burst = 20;
    static constexpr int auto_lags = 100;
    /// auto: 20, or fewer where bursts begin more often.
    [[nodiscard]] std::int64_t steps_in_burst() const {
        return burst > 0 ? burst : std::min<std::int64_t>(every, auto_burst);
    }
    /// auto: as many as a burst has, at most 100; 100 where the samples are unbroken.
    [[nodiscard]] int lag_count() const {
        if (lags > 0) return lags;
        const bool is_unbroken = steps_in_burst() == every;
        return is_unbroken ? auto_lags
                           : static_cast<int>(std::min<std::int64_t>(steps_in_burst(), auto_lags));
    }
};

/// Samples P_ab, the flux of momentum along a in direction b (physics/observables/momentum_flux.hpp), over
/// the volume V.
///
/// The viscosity follows from the Green-Kubo formula in discrete time,
///   nu = (V h / (kT rho)) [ <P_ab(0)^2> / 2 + sum_{n >= 1} <P_ab(0) P_ab(n)> ],   a != b, rho = m M:
/// Ihle, Tuezel and Kroll, Phys. Rev. E 72 (2005) 046707; Winkler and Huang, J. Chem. Phys. 130 (2009)
/// 074907. Each of the six components with a != b gives it, that of the transverse waves along b of velocity
/// along a; their mean is taken. Without conservation of angular momentum P_ab is not P_ba, and (P_ab + P_ba)
/// / 2 would give less. kT is the input's.
class StressObservable final : public Observable {
public:
    StressObservable(const System& system, const StressOutput& output, std::int64_t equilibration);

    [[nodiscard]] std::int64_t bytes(std::int64_t last_step) const override;
    [[nodiscard]] std::int64_t result_bytes(std::int64_t last_step) const override;

protected:
    void measure(Solver& solver, std::int64_t step) override;
    void add_results(ObservableResults& results) const override;
    [[nodiscard]] std::vector<SamplingParameter> parameters() const override;
    [[nodiscard]] std::vector<NamedArray> arrays() const override;
    void put_back(ObservableState& state) override;

private:
    [[nodiscard]] bool is_unbroken() const { return times().burst == times().every; }
    void add_shear_viscosity(ObservableResults& results) const;
    void add_tensors(ObservableResults& results) const;
    void add_correlations(ObservableResults& results) const;
    void add_viscosities(ObservableResults& results) const;

    System system_;
    std::int64_t lags_;
    BlockAverages averages_;
    MultipleTau correlator_;
};

}  // namespace mpcflow

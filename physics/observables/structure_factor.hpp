#pragma once
/// output.structure_factor: how strongly the density fluctuates by wave length, and for how long.

#include <cstdint>
#include <vector>

#include "physics/observables/mode_rule.hpp"
#include "physics/observables/multiple_tau.hpp"
#include "physics/observables/observable.hpp"
#include "physics/system.hpp"

namespace mpcflow {

/// output.structure_factor in the input.
struct StructureFactorOutput {
    std::int64_t every = 100;
    int count = 4;  ///< wave numbers along each axis without walls
};

/// Correlates rho_k = sum exp(-i k x) with itself: F(k, t) = Re <rho_k(0)* rho_k(t)> / N, the intermediate
/// scattering function, for the waves of waves_of(). The structure factor S(k) is F(k, 0). In an ideal gas,
/// as MPC is one, particles are independent, and S is 1 (Hansen and McDonald, Theory of Simple Liquids,
/// section 4.1).
class StructureFactorObservable final : public Observable {
public:
    StructureFactorObservable(const System& system, const StructureFactorOutput& output,
                              std::int64_t equilibration);

    [[nodiscard]] std::int64_t bytes(std::int64_t last_step) const override;
    [[nodiscard]] std::int64_t result_bytes(std::int64_t last_step) const override;

protected:
    void measure(Solver& solver, std::int64_t step) override;
    void add_results(ObservableResults& results) const override;
    [[nodiscard]] std::vector<SamplingParameter> parameters() const override;
    [[nodiscard]] std::vector<NamedArray> arrays() const override;
    void put_back(ObservableState& state) override;

private:
    System system_;
    int count_;
    WaveNumbers waves_;
    MultipleTau correlator_;
};

}  // namespace mpcflow

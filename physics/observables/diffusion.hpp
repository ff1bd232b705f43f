#pragma once
/// output.diffusion: how far tracers get, and how long they remember their velocities.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "physics/observables/multiple_tau.hpp"
#include "physics/observables/observable.hpp"
#include "physics/particle_records.hpp"
#include "physics/system.hpp"

namespace mpcflow {

/// output.diffusion in the input.
struct DiffusionOutput {
    std::int64_t every = 25;
    std::int64_t tracers = 2048;  ///< at most so many particles are followed
};

/// Mean square displacement <|r(t) - r(0)|^2> and velocity autocorrelation <v(t) . v(0)> of tracers,
/// particles evenly spread over the ids, and the diffusion coefficient by both: D = lim MSD / (2 d t), and D
/// = integral of VACF / d dt (Green and Kubo; by the trapezoidal rule, which with a sample every step is
/// exact for MPC's straight flights: Ripoll, Mussawisade, Winkler, Gompper, Phys. Rev. E 72 (2005) 016701;
/// else it is not given). Lags on a multiple-tau scheme, decimated.
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
    /// The lags, as indices, between which the growth of the mean square displacement gives D.
    struct Window {
        std::size_t first = 0;
        std::size_t last = 0;

        [[nodiscard]] bool is_known() const { return last > first; }
    };

    [[nodiscard]] Window growth_window(const CorrelationFunction& function) const;
    [[nodiscard]] std::vector<double> times_of(const std::vector<std::int64_t>& lags) const;
    [[nodiscard]] std::vector<double> diffusion_by_velocity(const std::vector<double>& lag_times,
                                                            std::span<const double> means) const;
    [[nodiscard]] std::vector<double> estimate(const std::vector<double>& lag_times, Window window,
                                               std::span<const double> means) const;
    void add_correlations(ObservableResults& results, const CorrelationFunction& function) const;
    void add_diffusion(ObservableResults& results, const CorrelationFunction& function) const;

    System system_;
    std::vector<std::size_t> free_axes_;  ///< along which no wall stops and no force drives the tracers
    std::int64_t every_nth_id_;
    std::int64_t tracers_;
    MultipleTau correlator_;
    ParticleRecords records_;
    std::vector<double> signal_;  ///< [x y z vx vy vz][tracers], positions unwrapped
};

}  // namespace mpcflow

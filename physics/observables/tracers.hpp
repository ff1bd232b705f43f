#pragma once
/// Tracers: some particles of a species, followed and correlated.

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "physics/observables/multiple_tau.hpp"
#include "physics/observables/observable.hpp"
#include "physics/particle_records.hpp"
#include "physics/selection.hpp"
#include "physics/solver.hpp"
#include "physics/system.hpp"

namespace mpcflow {

/// Mean square displacement <|r(t) - r(0)|^2> and velocity autocorrelation <v(t) . v(0)> of tracers,
/// particles evenly spread over the ids, and the diffusion coefficient by both: D = lim MSD / (2 d t), and D
/// = integral of VACF / d dt (Green and Kubo; by the trapezoidal rule, which with a sample every step is
/// exact for MPC's straight flights: Ripoll, Mussawisade, Winkler, Gompper, Phys. Rev. E 72 (2005) 016701;
/// else it is not given). Lags on a multiple-tau scheme, decimated.
class Tracers {
public:
    /// At most `most` particles of a species, sampled every `every` steps.
    Tracers(const System& system, int species, std::int64_t most, std::int64_t every);

    void measure(Solver& solver);
    void add_results(ObservableResults& results) const;
    [[nodiscard]] std::int64_t every_nth_id() const { return selection_.every_nth_id; }

    [[nodiscard]] MultipleTauState state() const { return correlator_.state(); }
    /// A correlator in a state. Throws std::invalid_argument where that cannot be one of so many tracers.
    [[nodiscard]] MultipleTau restored(MultipleTauState state) const;
    void go_on_with(MultipleTau correlator) { correlator_ = std::move(correlator); }

    /// Bytes of it, and of its results, after so many samples.
    [[nodiscard]] std::int64_t bytes(std::int64_t samples) const;
    [[nodiscard]] std::int64_t result_bytes(std::int64_t samples) const;

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
    int species_;
    std::int64_t every_;
    std::vector<std::size_t> free_axes_;  ///< along which no wall stops and no force drives the tracers
    Selection selection_;
    std::int64_t tracers_;
    MultipleTau correlator_;
    ParticleRecords records_;
    std::vector<double> signal_;  ///< [x y z vx vy vz][tracers], positions unwrapped
};

}  // namespace mpcflow

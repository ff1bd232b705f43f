#include "physics/observables/structure_factor.hpp"

#include <cstddef>
#include <span>
#include <utility>

#include "physics/observables/not_known.hpp"

namespace mpcflow {

namespace {

/// Lags of a level, as those of modes: sound waves are averaged over a small part of their period.
constexpr int points = 64;

MultipleTau make_correlator(const System& system, const WaveNumbers& waves) {
    const auto particles = static_cast<double>(system.particle_count());
    const auto product = [particles](std::span<const double> earlier, std::span<const double> later,
                                     std::span<double> products) {
        for (std::size_t wave = 0; wave < products.size(); ++wave) {
            const std::size_t at = 2 * wave;
            products[wave] = (earlier[at] * later[at] + earlier[at + 1] * later[at + 1]) / particles;
        }
    };
    return {{2 * waves.count(), waves.count()}, {Coarsening::average, points}, product};
}

}  // namespace

StructureFactorObservable::StructureFactorObservable(const System& system,
                                                     const StructureFactorOutput& output,
                                                     std::int64_t equilibration)
    : Observable("structure_factor", {equilibration, output.every}),
      system_(system),
      count_(output.count),
      waves_(waves_of(system, output.count)),
      correlator_(make_correlator(system, waves_)) {}

void StructureFactorObservable::measure(Solver& solver, std::int64_t) {
    correlator_.add(solver.measure<DensityModes>(waves_));
}

void StructureFactorObservable::add_results(ObservableResults& results) const {
    const CorrelationFunction correlation = correlator_.correlation();
    const std::int64_t waves = waves_.count();
    const auto lags = static_cast<std::int64_t>(correlation.lag.size());
    std::vector<std::int64_t> steps;
    std::vector<double> times_of_lags;
    for (const std::int64_t lag : correlation.lag) {
        steps.push_back(lag * times().every);
        times_of_lags.push_back(static_cast<double>(steps.back()) * system_.collision.time_step);
    }
    results.arrays.push_back(
        {"wave_vector", {waves, 3}, wave_vectors(system_, waves_), "a^-1", "wave vectors k, x y z"});
    const auto add = [&](const std::string& suffix, const std::vector<double>& all,
                         const std::string& of_what) {
        const auto number = static_cast<std::size_t>(waves);
        std::vector<double> by_wave;  // [lag][wave] -> [wave][lag]
        for (std::size_t wave = 0; wave < number; ++wave)
            for (std::size_t at = wave; at < all.size(); at += number) by_wave.push_back(all[at]);
        std::vector<double> at_once(all.begin(), all.begin() + (lags > 0 ? waves : 0));
        at_once.resize(number, not_known);
        results.arrays.push_back(named_list("S" + suffix, std::move(at_once), "1",
                                            of_what + "structure factor <|rho_k|^2> / N of each k"));
        results.arrays.push_back({"correlation" + suffix,
                                  {waves, lags},
                                  std::move(by_wave),
                                  "1",
                                  of_what + "Re <rho_k(0)* rho_k(t)> / N; axes k, lag"});
    };
    add("", correlation.mean, "");
    add("_error", correlation.error, "standard error by blocking of ");
    results.arrays.push_back(named_list("expected_S",
                                        std::vector<double>(static_cast<std::size_t>(waves), 1.0), "1",
                                        "structure factor of an ideal gas"));
    results.arrays.push_back(named_list("lag", std::move(steps), "1", "steps between two samples"));
    results.arrays.push_back(
        named_list("time", std::move(times_of_lags), "a (mass/energy)^(1/2)", "the lag in time"));
    results.arrays.push_back(named_list("pairs", correlation.pairs, "1", "pairs of samples of each lag"));
}

std::vector<SamplingParameter> StructureFactorObservable::parameters() const {
    return {{"every", static_cast<double>(times().every)}, {"count", static_cast<double>(count_)}};
}

std::vector<NamedArray> StructureFactorObservable::arrays() const {
    MultipleTauState state = correlator_.state();
    return {named_list("counters", std::move(state.counters)), named_list("values", std::move(state.values))};
}

void StructureFactorObservable::put_back(ObservableState& state) {
    correlator_.restore({state.numbers<std::int64_t>("counters"), state.numbers<double>("values")});
}

std::int64_t StructureFactorObservable::bytes(std::int64_t last_step) const {
    return correlator_.bytes_after(times().count(last_step));
}

std::int64_t StructureFactorObservable::result_bytes(std::int64_t last_step) const {
    const std::int64_t waves = waves_.count();
    return 8 * (correlator_.lags_after(times().count(last_step)) * (2 * waves + 3) + 6 * waves);
}

}  // namespace mpcflow

#include "physics/observables/modes.hpp"

#include <algorithm>
#include <numbers>
#include <set>
#include <span>

#include "physics/elementary.hpp"
#include "physics/observables/not_known.hpp"
#include "physics/theory.hpp"

namespace mpcflow {

namespace {

/// Lags of a level. Averages over 1/64 to 1/32 of a lag: sound three periods old loses a fortieth of its
/// amplitude.
constexpr int points = 64;
constexpr int values_of_wave = 6;
constexpr int products_of_wave = 2;

MultipleTau make_correlator(const std::vector<int>& axes) {
    const auto waves = static_cast<std::int64_t>(axes.size());
    const auto product = [axes](std::span<const double> earlier, std::span<const double> later,
                                std::span<double> products) {
        for (std::size_t wave = 0; wave < axes.size(); ++wave) {
            double of_component[3];
            for (std::size_t i = 0; i < 3; ++i) {
                const std::size_t at = values_of_wave * wave + 2 * i;
                of_component[i] = earlier[at] * later[at] + earlier[at + 1] * later[at + 1];
            }
            const auto along = static_cast<std::size_t>(axes[wave]);
            products[products_of_wave * wave] =
                0.5 * (of_component[(along + 1) % 3] + of_component[(along + 2) % 3]);
            products[products_of_wave * wave + 1] = of_component[along];
        }
    };
    return {{values_of_wave * waves, products_of_wave * waves}, {Coarsening::average, points}, product};
}

/// For each wave vector its axis, or its number.
std::vector<int> axes_of(const WaveNumbers& waves) {
    std::vector<int> axes;
    for (int axis = 0; axis < 3; ++axis)
        axes.insert(axes.end(), static_cast<std::size_t>(waves.along[static_cast<std::size_t>(axis)]), axis);
    return axes;
}

std::vector<int> numbers_of(const WaveNumbers& waves) {
    std::vector<int> numbers;
    for (const int count : waves.along)
        for (int n = 1; n <= count; ++n) numbers.push_back(n);
    return numbers;
}

}  // namespace

ModesObservable::ModesObservable(const System& system, const ModesOutput& output, std::int64_t equilibration)
    : Observable("modes", {equilibration, output.every}),
      system_(system),
      count_(output.count),
      waves_(waves_of(system, output.count)),
      axes_(axes_of(waves_)),
      numbers_(numbers_of(waves_)),
      equipartition_(theory::transverse_correlation(system, 0.0, 0.0)),
      viscosity_(theory::predicted_viscosity(system)),
      guessed_viscosity_(theory::guessed_viscosity(system)),
      correlator_(make_correlator(axes_)) {}

void ModesObservable::measure(Solver& solver, std::int64_t) {
    correlator_.add(solver.measure<VelocityModes>(waves_));
}

double ModesObservable::wave_number(std::size_t wave) const {
    return 2.0 * std::numbers::pi * numbers_[wave] / system_.box.size[static_cast<std::size_t>(axes_[wave])];
}

double ModesObservable::decay_rate(std::size_t wave) const {
    return viscosity_ * wave_number(wave) * wave_number(wave);
}

double ModesObservable::time_of(std::int64_t lag) const {
    return static_cast<double>(lag * times().every) * system_.collision.time_step;
}

/// For each wave the index of the lag next to the time 1 / (nu k^2) that theory says, so that the choice does
/// not depend on the noise; 0 where the run is too short for it.
std::vector<std::size_t> ModesObservable::choose_lags(const CorrelationFunction& correlation) const {
    std::vector<std::size_t> chosen(wave_count(), 0);
    for (std::size_t wave = 0; wave < wave_count(); ++wave) {
        const double k = wave_number(wave);
        const double decay_time = 1.0 / (guessed_viscosity_ * k * k);
        const auto is_beyond = [&](std::int64_t lag) { return time_of(lag) >= decay_time; };
        const auto beyond = std::ranges::find_if(correlation.lag, is_beyond);
        if (beyond == correlation.lag.end()) continue;
        auto at = static_cast<std::size_t>(beyond - correlation.lag.begin());
        if (at > 1 &&
            decay_time - time_of(correlation.lag[at - 1]) < time_of(correlation.lag[at]) - decay_time)
            --at;
        chosen[wave] = at;
    }
    return chosen;
}

/// -ln(C(t) / C(0)) / (k^2 t) of the transverse correlation C at the chosen lag. Waves of different lags have
/// jackknives of their own, so that one for which the run is too short takes no other's error away.
Estimates ModesObservable::viscosities(const CorrelationFunction& correlation) const {
    const std::vector<std::size_t> chosen = choose_lags(correlation);
    Estimates all{std::vector<double>(wave_count(), not_known), std::vector<double>(wave_count(), not_known)};
    for (const std::size_t at : std::set<std::size_t>(chosen.begin(), chosen.end())) {
        if (at == 0) continue;
        const auto functional = [&](std::span<const double> means) {
            std::vector<double> viscosities(wave_count(), not_known);
            for (std::size_t wave = 0; wave < wave_count(); ++wave) {
                if (chosen[wave] != at) continue;
                const std::size_t transverse = products_of_wave * wave;
                const double ratio =
                    means[at * products_of_wave * wave_count() + transverse] / means[transverse];
                const double k = wave_number(wave);
                if (ratio > 0.0)
                    viscosities[wave] = -natural_log(ratio) / (k * k * time_of(correlation.lag[at]));
            }
            return viscosities;
        };
        const Estimates found = correlator_.jackknife(functional, correlation.lag[at]);
        for (std::size_t wave = 0; wave < wave_count(); ++wave) {
            if (chosen[wave] != at) continue;
            all.value[wave] = found.value[wave];
            all.error[wave] = found.error[wave];
        }
    }
    return all;
}

void ModesObservable::add_correlations(ObservableResults& results,
                                       const CorrelationFunction& correlation) const {
    const std::size_t lags = correlation.lag.size();
    const std::vector<std::int64_t> shape{static_cast<std::int64_t>(wave_count()),
                                          static_cast<std::int64_t>(lags)};
    const char* const unit = "energy/mass";
    // [lag][wave][product] -> [wave][lag] of one product.
    const auto add = [&](const char* name, const std::vector<double>& all, std::size_t product,
                         const char* description) {
        std::vector<double> numbers;
        for (std::size_t wave = 0; wave < wave_count(); ++wave)
            for (std::size_t lag = 0; lag < lags; ++lag)
                numbers.push_back(all[(lag * wave_count() + wave) * products_of_wave + product]);
        results.arrays.push_back({name, shape, std::move(numbers), unit, description});
    };
    add("transverse", correlation.mean, 0,
        "Re <u(0)* u(t)> of a velocity component across k, mean of both; axes k, lag");
    add("transverse_error", correlation.error, 0, "standard error of transverse by blocking");
    add("longitudinal", correlation.mean, 1,
        "Re <u(0)* u(t)> of the velocity component along k; axes k, lag");
    add("longitudinal_error", correlation.error, 1, "standard error of longitudinal by blocking");
    std::vector<double> expected;
    for (std::size_t wave = 0; wave < wave_count(); ++wave)
        for (const std::int64_t lag : correlation.lag)
            expected.push_back(theory::transverse_correlation(system_, wave_number(wave), time_of(lag)));
    results.arrays.push_back({"expected_transverse", shape, std::move(expected), unit,
                              "kT / M exp(-nu k^2 t), M the mass of all, with the predicted viscosity"});
}

void ModesObservable::add_results(ObservableResults& results) const {
    const CorrelationFunction correlation = correlator_.correlation();
    const auto waves = static_cast<std::int64_t>(wave_count());
    results.attributes.push_back({"equipartition", equipartition_});
    results.attributes.push_back({"expected_viscosity", viscosity_});
    results.attributes.push_back({"expected_speed_of_sound", theory::speed_of_sound(system_)});

    std::vector<double> rates;
    for (std::size_t wave = 0; wave < wave_count(); ++wave) rates.push_back(decay_rate(wave));
    std::vector<std::int64_t> steps;
    std::vector<double> lag_times;
    for (const std::int64_t lag : correlation.lag) {
        steps.push_back(lag * times().every);
        lag_times.push_back(time_of(lag));
    }
    Estimates viscosity = viscosities(correlation);
    results.arrays.push_back(
        {"wave_vector", {waves, 3}, wave_vectors(system_, waves_), "a^-1", "wave vectors k, x y z"});
    results.arrays.push_back(named_list("expected_decay_rate", std::move(rates), "(energy/mass)^(1/2)/a",
                                        "nu k^2 with the predicted viscosity"));
    results.arrays.push_back(named_list("lag", std::move(steps), "1", "steps between two samples"));
    results.arrays.push_back(
        named_list("time", std::move(lag_times), "a (mass/energy)^(1/2)", "the lag in time"));
    results.arrays.push_back(named_list("pairs", correlation.pairs, "1", "pairs of samples of each lag"));
    add_correlations(results, correlation);
    results.arrays.push_back(
        named_list("viscosity", std::move(viscosity.value), "a (energy/mass)^(1/2)",
                   "kinematic viscosity from the decay of transverse at the lag next to 1 / (nu k^2)"));
    results.arrays.push_back(named_list("viscosity_error", std::move(viscosity.error),
                                        "a (energy/mass)^(1/2)",
                                        "standard error of viscosity by the jackknife"));
}

std::vector<SamplingParameter> ModesObservable::parameters() const {
    return {{"every", static_cast<double>(times().every)}, {"count", static_cast<double>(count_)}};
}

std::vector<NamedArray> ModesObservable::arrays() const {
    MultipleTauState state = correlator_.state();
    return {named_list("counters", std::move(state.counters)), named_list("values", std::move(state.values))};
}

void ModesObservable::put_back(ObservableState& state) {
    correlator_.restore({state.numbers<std::int64_t>("counters"), state.numbers<double>("values")});
}

std::int64_t ModesObservable::bytes(std::int64_t last_step) const {
    return correlator_.bytes_after(times().count(last_step));
}

std::int64_t ModesObservable::result_bytes(std::int64_t last_step) const {
    const auto waves = static_cast<std::int64_t>(wave_count());
    return 8 * (correlator_.lags_after(times().count(last_step)) * (5 * waves + 3) + 6 * waves);
}

}  // namespace mpcflow

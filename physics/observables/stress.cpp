#include "physics/observables/stress.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <span>
#include <string>
#include <utility>

#include "physics/observables/not_known.hpp"
#include "physics/theory.hpp"

namespace mpcflow {

namespace {

constexpr const char* pressure_unit = "energy/a^3";
constexpr const char* viscosity_unit = "a (energy/mass)^(1/2)";

/// Averaged: P, its kinetic and its collisional part, in row order.
constexpr std::size_t tensor = 9;
constexpr std::int64_t averaged = 3 * tensor;

/// Places of the off-diagonal components xy xz yx yz zx zy in row order.
constexpr std::array<std::size_t, 6> off_diagonals{1, 2, 3, 5, 6, 7};
/// Correlated: these of the kinetic part and of the collisional part.
constexpr std::int64_t correlated = 2 * off_diagonals.size();
/// Products: the six components of the whole, their mean, and the means of the kinetic part and of the
/// collisional part.
enum Product : std::size_t {
    mean_product = off_diagonals.size(),
    kinetic_product,
    collisional_product,
    product_count
};

void multiply(std::span<const double> earlier, std::span<const double> later, std::span<double> products) {
    constexpr std::size_t n = off_diagonals.size();
    double kinetic = 0.0, collisional = 0.0, all = 0.0;
    for (std::size_t i = 0; i < n; ++i) {
        products[i] = (earlier[i] + earlier[n + i]) * (later[i] + later[n + i]);
        all += products[i];
        kinetic += earlier[i] * later[i];
        collisional += earlier[n + i] * later[n + i];
    }
    products[mean_product] = all / n;
    products[kinetic_product] = kinetic / n;
    products[collisional_product] = collisional / n;
}

/// One of the products of all lags; NaN for lags that have no pairs yet.
std::vector<double> values_of(const std::vector<double>& all, std::size_t product, std::int64_t lags) {
    std::vector<double> values;
    for (std::size_t at = product; values.size() < static_cast<std::size_t>(lags); at += product_count)
        values.push_back(at < all.size() ? all[at] : not_known);
    return values;
}

}  // namespace

StressObservable::StressObservable(const System& system, const StressOutput& output,
                                   std::int64_t equilibration)
    : Observable("stress", {equilibration, output.every, output.steps_in_burst()}),
      system_(system),
      lags_(output.lag_count()),
      averages_(averaged),
      // One level, whose lags are single steps; it has an even number of them.
      correlator_({correlated, product_count},
                  {Coarsening::average, output.lag_count() + output.lag_count() % 2, 1}, multiply) {}

void StressObservable::measure(Solver& solver, std::int64_t step) {
    if (!is_unbroken() && times().begins_burst(step)) correlator_.begin_burst();
    const MomentumFlux flux = solver.measure<FluxRule>();
    const double per_volume = 1.0 / system_.fluid_volume();
    std::array<double, averaged> parts{};
    for (std::size_t i = 0; i < tensor; ++i) {
        parts[tensor + i] = per_volume * flux.kinetic[i];
        parts[2 * tensor + i] = per_volume * flux.collisional[i];
        parts[i] = parts[tensor + i] + parts[2 * tensor + i];
    }
    averages_.add(parts);
    std::array<double, correlated> signal{};
    for (std::size_t i = 0; i < off_diagonals.size(); ++i) {
        signal[i] = parts[tensor + off_diagonals[i]];
        signal[off_diagonals.size() + i] = parts[2 * tensor + off_diagonals[i]];
    }
    correlator_.add(signal);
}

void StressObservable::add_results(ObservableResults& results) const {
    const theory::Transport transport = theory::transport(system_);
    const double viscosity = theory::predicted_viscosity(system_);
    results.attributes.push_back({"burst", times().burst});
    results.attributes.push_back(
        {"components", std::vector<std::string>{"xy", "xz", "yx", "yz", "zx", "zy"}});
    results.attributes.push_back({"expected_pressure", system_.fluid.density * system_.fluid.temperature});
    results.attributes.push_back({"expected_viscosity", viscosity});
    results.attributes.push_back({"expected_kinetic_viscosity", transport.kinetic_viscosity});
    results.attributes.push_back({"expected_collisional_viscosity", viscosity - transport.kinetic_viscosity});
    add_shear_viscosity(results);
    add_tensors(results);
    add_correlations(results);
    add_viscosities(results);
}

/// Of a sheared box: -P_ab / (m M rate), a along the flow and b normal to the faces.
void StressObservable::add_shear_viscosity(ObservableResults& results) const {
    const auto flow = theory::sheared_flow(system_);
    if (!flow) return;
    const Estimates estimates = averages_.estimates();
    const auto component = static_cast<std::size_t>(3 * flow->along + flow->normal);
    const double scale = system_.mean_mass() * system_.fluid.density * flow->rate;
    results.attributes.push_back({"shear_viscosity", -estimates.value[component] / scale});
    results.attributes.push_back({"shear_viscosity_error", estimates.error[component] / std::abs(scale)});
}

void StressObservable::add_tensors(ObservableResults& results) const {
    const Estimates estimates = averages_.estimates();
    constexpr std::array<const char*, 3> names{"pressure_tensor", "kinetic_pressure_tensor",
                                               "collisional_pressure_tensor"};
    constexpr std::array<const char*, 3> descriptions{
        "flux of momentum along a in direction b over the volume; axes a, b",
        "what the flight of particles carries of it", "what collisions carry of it"};
    for (std::size_t part = 0; part < names.size(); ++part) {
        const auto first = static_cast<std::ptrdiff_t>(tensor * part);
        const auto last = first + static_cast<std::ptrdiff_t>(tensor);
        const std::string name = names[part];
        results.arrays.push_back(
            {name,
             {3, 3},
             std::vector<double>(estimates.value.begin() + first, estimates.value.begin() + last),
             pressure_unit,
             descriptions[part]});
        results.arrays.push_back(
            {name + "_error",
             {3, 3},
             std::vector<double>(estimates.error.begin() + first, estimates.error.begin() + last),
             pressure_unit,
             "standard error of " + name + " by blocking"});
    }
}

void StressObservable::add_correlations(ObservableResults& results) const {
    const CorrelationFunction found = correlator_.correlation();
    std::vector<std::int64_t> lag;
    std::vector<double> time;
    for (std::int64_t i = 0; i < lags_; ++i) {
        lag.push_back(i);
        time.push_back(static_cast<double>(i) * system_.collision.time_step);
    }
    results.arrays.push_back(named_list("lag", std::move(lag), "1", "steps between two samples"));
    results.arrays.push_back(named_list("time", std::move(time), "a (mass/energy)^(1/2)", "the lag in time"));
    std::vector<std::int64_t> pairs = found.pairs;
    pairs.resize(static_cast<std::size_t>(lags_));
    results.arrays.push_back(named_list("pairs", std::move(pairs), "1", "pairs of samples of each lag"));

    constexpr const char* unit = "(energy/a^3)^2";
    std::vector<double> of_components;
    for (std::int64_t i = 0; i < lags_; ++i) {
        for (std::size_t k = 0; k < off_diagonals.size(); ++k) {
            const std::size_t at = static_cast<std::size_t>(i) * product_count + k;
            of_components.push_back(at < found.mean.size() ? found.mean[at] : not_known);
        }
    }
    results.arrays.push_back({"component_correlation",
                              {lags_, static_cast<std::int64_t>(off_diagonals.size())},
                              std::move(of_components),
                              unit,
                              "<P_ab(0) P_ab(t)>; axes lag, component (the attribute components)"});
    const auto add = [&](const std::string& name, Product product, const std::string& of_what) {
        results.arrays.push_back(
            named_list(name, values_of(found.mean, product, lags_), unit,
                       "<P_ab(0) P_ab(t)>, mean of the off-diagonal components" + of_what));
        results.arrays.push_back(named_list(name + "_error", values_of(found.error, product, lags_), unit,
                                            "standard error of " + name + " by blocking"));
    };
    add("correlation", mean_product, "");
    add("kinetic_correlation", kinetic_product, ", of the kinetic part alone");
    add("collisional_correlation", collisional_product, ", of the collisional part alone");
}

void StressObservable::add_viscosities(ObservableResults& results) const {
    const Fluid& fluid = system_.fluid;
    const double factor = system_.fluid_volume() * system_.collision.time_step /
                          (fluid.temperature * system_.mean_mass() * fluid.density);
    constexpr std::array<Product, 3> parts{mean_product, kinetic_product, collisional_product};
    const auto lags = static_cast<std::size_t>(lags_);
    // The running sums of the three, one after the other for each lag.
    const auto sum_up = [&](std::span<const double> means) {
        std::vector<double> sums;
        std::array<double, parts.size()> sum{};
        for (std::size_t i = 0; i < std::min(lags, means.size() / product_count); ++i) {
            for (std::size_t part = 0; part < parts.size(); ++part) {
                sum[part] += (i == 0 ? 0.5 : 1.0) * factor * means[product_count * i + parts[part]];
                sums.push_back(sum[part]);
            }
        }
        return sums;
    };
    Estimates found = correlator_.jackknife(sum_up, lags_ - 1);
    constexpr std::array<const char*, 3> names{"viscosity", "kinetic_viscosity", "collisional_viscosity"};
    constexpr std::array<const char*, 3> descriptions{
        "kinematic viscosity, the Green-Kubo sum up to and with each lag", "the same of kinetic_correlation",
        "the same of collisional_correlation"};
    for (std::size_t part = 0; part < parts.size(); ++part) {
        std::vector<double> value, error;
        for (std::size_t i = 0; i < lags; ++i) {
            const std::size_t at = parts.size() * i + part;
            value.push_back(at < found.value.size() ? found.value[at] : not_known);
            error.push_back(at < found.error.size() ? found.error[at] : not_known);
        }
        const std::string name = names[part];
        results.arrays.push_back(named_list(name, std::move(value), viscosity_unit, descriptions[part]));
        results.arrays.push_back(named_list(name + "_error", std::move(error), viscosity_unit,
                                            "standard error of " + name + " by the jackknife"));
    }
}

std::vector<SamplingParameter> StressObservable::parameters() const {
    return {{"every", static_cast<double>(times().every)},
            {"burst", static_cast<double>(times().burst)},
            {"lags", static_cast<double>(lags_)}};
}

std::vector<NamedArray> StressObservable::arrays() const {
    MultipleTauState averages = averages_.state();
    MultipleTauState correlations = correlator_.state();
    return {named_list("average_counters", std::move(averages.counters)),
            named_list("average_values", std::move(averages.values)),
            named_list("correlation_counters", std::move(correlations.counters)),
            named_list("correlation_values", std::move(correlations.values))};
}

void StressObservable::put_back(ObservableState& state) {
    BlockAverages averages = averages_;
    averages.restore(
        {state.numbers<std::int64_t>("average_counters"), state.numbers<double>("average_values")});
    correlator_.restore(
        {state.numbers<std::int64_t>("correlation_counters"), state.numbers<double>("correlation_values")});
    averages_ = std::move(averages);
}

std::int64_t StressObservable::bytes(std::int64_t last_step) const {
    const std::int64_t samples = times().count(last_step);
    return averages_.bytes_after(samples) + correlator_.bytes_after(samples);
}

/// The tensors; of each lag itself, its time and pairs, the components, and three correlations and three
/// viscosities with their errors. Lags are there also without pairs.
std::int64_t StressObservable::result_bytes(std::int64_t) const {
    constexpr auto components = static_cast<std::int64_t>(off_diagonals.size());
    return 8 * (2 * averaged + lags_ * (3 + components + 2 * (3 + 3)));
}

}  // namespace mpcflow

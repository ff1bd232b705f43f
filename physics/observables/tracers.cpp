#include "physics/observables/tracers.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "physics/observables/not_known.hpp"
#include "physics/theory.hpp"

namespace mpcflow {

namespace {

/// What is correlated: means over the tracers, along x, y, z and of all three together.
constexpr std::size_t products = 8;
constexpr std::size_t displacement = 0;  ///< [4] squares
constexpr std::size_t velocity = 4;      ///< [4] products
constexpr std::size_t total = 3;         ///< the fourth of either

/// Sum of term(i) over i < count, in eight sums beside each other: an order that compilers turn into vector
/// instructions as it stands, so that it is one and the same everywhere.
template <class Term>
double sum_of(std::size_t count, const Term& term) {
    constexpr std::size_t lanes = 8;
    std::array<double, lanes> sums{};
    std::size_t i = 0;
    for (; i + lanes <= count; i += lanes)
        for (std::size_t lane = 0; lane < lanes; ++lane) sums[lane] += term(i + lane);
    for (std::size_t lane = 0; i < count; ++i, ++lane) sums[lane] += term(i);
    return ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
}

void correlate_tracers(std::span<const double> earlier, std::span<const double> later,
                       std::span<double> means) {
    const std::size_t tracers = earlier.size() / 6;
    const auto count = static_cast<double>(tracers);
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const double* const x0 = &earlier[axis * tracers];
        const double* const x1 = &later[axis * tracers];
        const double* const v0 = &earlier[(3 + axis) * tracers];
        const double* const v1 = &later[(3 + axis) * tracers];
        means[displacement + axis] =
            sum_of(
                tracers, [=](std::size_t i) { return (x1[i] - x0[i]) * (x1[i] - x0[i]); }) /
            count;
        means[velocity + axis] = sum_of(tracers, [=](std::size_t i) { return v0[i] * v1[i]; }) / count;
    }
    for (const std::size_t of : {displacement, velocity})
        means[of + total] = means[of] + means[of + 1] + means[of + 2];
}

MultipleTauOptions correlator_options() {
    MultipleTauOptions options;
    options.coarsening = Coarsening::decimate;
    return options;
}

/// Those of a species whose ids are as many apart that there are at most so many.
Selection select(const System& system, int species, std::int64_t most) {
    const std::int64_t stride = (system.count_of(species) + most - 1) / most;
    if (system.masses() == Masses::equal) return {std::nullopt, stride};
    return {std::nullopt, stride, system.first_id(species), system.first_id(species + 1)};
}

/// The axis of the flow of a sheared box, along which ways are not followed: images are not counted there.
std::optional<std::size_t> sheared_flow_axis(const System& system) {
    const int normal = system.sheared_axis();
    if (normal < 0) return std::nullopt;
    return static_cast<std::size_t>(system.boundaries.faces[static_cast<std::size_t>(normal)].shear.along);
}

std::vector<std::size_t> find_free_axes(const System& system) {
    std::vector<std::size_t> axes;
    for (std::size_t axis = 0; axis < 3; ++axis)
        if (system.boundaries.faces[axis].is_periodic() && !system.has_force_along(static_cast<int>(axis)) &&
            sheared_flow_axis(system) != axis && system.surfaces.list.empty())
            axes.push_back(axis);
    return axes;
}

}  // namespace

Tracers::Tracers(const System& system, int species, std::int64_t most, std::int64_t every)
    : system_(system),
      species_(species),
      every_(every),
      free_axes_(find_free_axes(system)),
      selection_(select(system, species, most)),
      tracers_(count_selected_ids(system.first_id(species + 1), selection_.every_nth_id) -
               count_selected_ids(system.first_id(species), selection_.every_nth_id)),
      correlator_({6 * tracers_, static_cast<std::int64_t>(products)}, correlator_options(),
                  correlate_tracers),
      signal_(static_cast<std::size_t>(6 * tracers_)) {}

std::int64_t Tracers::bytes(std::int64_t samples) const { return correlator_.bytes_after(samples); }

/// Of each lag: itself, its time and pairs; two squares, of one number and of three, and two products, each
/// of these eight with its error; two coefficients with theirs.
std::int64_t Tracers::result_bytes(std::int64_t samples) const {
    constexpr std::int64_t numbers = 3 + 2 * static_cast<std::int64_t>(products) + 4;
    return 8 * numbers * correlator_.lags_after(samples);
}

void Tracers::measure(Solver& solver) {
    solver.copy_selection(selection_, records_);
    records_.sort_by_id();
    records_.visit([&](const auto& tracers) {
        for (std::size_t i = 0; i < tracers.size(); ++i) {
            for (int axis = 0; axis < 3; ++axis) {
                const auto along = static_cast<std::size_t>(axis);
                if (sheared_flow_axis(system_) == along) continue;  // it stays 0
                signal_[along * tracers.size() + i] =
                    static_cast<double>(tracers[i].position[axis]) +
                    static_cast<double>(tracers[i].image(axis)) * system_.box.size[along];
                signal_[(3 + along) * tracers.size() + i] = static_cast<double>(tracers[i].velocity[axis]);
            }
        }
    });
    correlator_.add(signal_);
}

/// From a quarter of a lag to that lag, which is long enough for vortices to have grown and goes twenty times
/// into the run, so that errors are known.
Tracers::Window Tracers::growth_window(const CorrelationFunction& function) const {
    Window window;
    const std::int64_t longest = correlator_.samples() / 20;
    for (std::size_t i = 0; i < function.lag.size() && function.lag[i] <= longest; ++i) window.last = i;
    while (window.is_known() && 4 * function.lag[window.first] < function.lag[window.last]) ++window.first;
    return window;
}

/// The running integral over the lags, by the trapezoidal rule; NaN unless every step has a sample:
/// velocities are forgotten within a few steps, so that over longer distances the rule is wrong by several
/// times, and no error would tell.
std::vector<double> Tracers::diffusion_by_velocity(const std::vector<double>& lag_times,
                                                   std::span<const double> means) const {
    const auto at = [&](std::size_t i) {
        double sum = 0.0;
        for (const std::size_t axis : free_axes_) sum += means[i * products + velocity + axis];
        return sum / static_cast<double>(free_axes_.size());
    };
    const bool is_known = every_ == 1 && !free_axes_.empty();
    std::vector<double> integral(lag_times.size(), is_known ? 0.0 : not_known);
    if (!is_known) return integral;
    for (std::size_t i = 1; i < integral.size(); ++i)
        integral[i] = integral[i - 1] + 0.5 * (lag_times[i] - lag_times[i - 1]) * (at(i - 1) + at(i));
    return integral;
}

void Tracers::add_results(ObservableResults& results) const {
    const CorrelationFunction function = correlator_.correlation();
    results.attributes.push_back({"tracers", tracers_});
    results.attributes.push_back({"every_nth_id", selection_.every_nth_id});
    add_correlations(results, function);
    add_diffusion(results, function);
}

std::vector<double> Tracers::times_of(const std::vector<std::int64_t>& lags) const {
    std::vector<double> lag_times;
    for (const std::int64_t lag : lags)
        lag_times.push_back(static_cast<double>(lag * every_) * system_.collision.time_step);
    return lag_times;
}

void Tracers::add_correlations(ObservableResults& results, const CorrelationFunction& function) const {
    const auto lags = static_cast<std::int64_t>(function.lag.size());
    std::vector<std::int64_t> steps = function.lag;
    for (std::int64_t& lag : steps) lag *= every_;
    const auto add_list = [&](const char* name, auto numbers, const char* unit, const char* description) {
        results.arrays.push_back(named_list(name, std::move(numbers), unit, description));
    };
    add_list("lag", std::move(steps), "1", "steps between two samples");
    add_list("time", times_of(function.lag), "a (mass/energy)^(1/2)", "the same as a time");
    add_list("pairs", function.pairs, "1", "pairs of samples at this lag");
    const auto add = [&](const std::string& name, std::size_t first, std::size_t count, const char* unit,
                         const std::string& description) {
        std::vector<double> mean, error;
        for (std::size_t i = 0; i < function.lag.size(); ++i) {
            for (std::size_t k = i * products + first; k < i * products + first + count; ++k) {
                const bool is_known = count == 1 || sheared_flow_axis(system_) != k - i * products - first;
                mean.push_back(is_known ? function.mean[k] : not_known);
                error.push_back(is_known ? function.error[k] : not_known);
            }
        }
        std::vector<std::int64_t> shape{lags};
        if (count > 1) shape.push_back(static_cast<std::int64_t>(count));
        results.arrays.push_back({name, shape, std::move(mean), unit, description});
        results.arrays.push_back(
            {name + "_error", shape, std::move(error), unit, "standard error of " + name + " by blocking"});
    };
    const std::string across = sheared_flow_axis(system_) ? ", across the flow alone" : "";
    add("mean_square_displacement", displacement + total, 1, "a^2",
        "<|r(t) - r(0)|^2> of the tracers" + across);
    add("mean_square_displacement_xyz", displacement, 3, "a^2", "the same along x, y, z");
    add("velocity_autocorrelation", velocity + total, 1, "energy/mass",
        "<v(t) . v(0)> of the tracers" + across);
    add("velocity_autocorrelation_xyz", velocity, 3, "energy/mass", "the same along x, y, z");
}

/// Of each lag by both ways, and by the growth in the window: lags numbers, lags numbers, one.
std::vector<double> Tracers::estimate(const std::vector<double>& lag_times, Window window,
                                      std::span<const double> means) const {
    const double twice_axes = 2.0 * static_cast<double>(free_axes_.size());
    std::vector<double> displacements;
    for (std::size_t i = 0; i < lag_times.size(); ++i) {
        double& sum = displacements.emplace_back(0.0);
        for (const std::size_t axis : free_axes_) sum += means[i * products + displacement + axis];
    }
    std::vector<double> values;
    for (std::size_t i = 0; i < lag_times.size(); ++i)
        values.push_back(displacements[i] / (twice_axes * lag_times[i]));
    const std::vector<double> integral = diffusion_by_velocity(lag_times, means);
    values.insert(values.end(), integral.begin(), integral.end());
    values.push_back(window.is_known() ? (displacements[window.last] - displacements[window.first]) /
                                             (twice_axes * (lag_times[window.last] - lag_times[window.first]))
                                       : not_known);
    return values;
}

void Tracers::add_diffusion(ObservableResults& results, const CorrelationFunction& function) const {
    constexpr const char* unit = "a (energy/mass)^(1/2)";
    const std::size_t lags = function.lag.size();
    const std::vector<double> lag_times = times_of(function.lag);
    const Window window = growth_window(function);
    Estimates estimates = correlator_.jackknife(
        [&](std::span<const double> means) { return estimate(lag_times, window, means); },
        lags > 0 ? function.lag[window.last] : 0);
    // Longer lags have no error here: blocks that are long enough for them are too few.
    for (std::size_t i = window.last + 1; i < lags; ++i)
        estimates.error[i] = estimates.error[lags + i] = not_known;
    const auto add = [&](const std::string& name, std::size_t first, const std::string& description) {
        const auto part = [&](const std::vector<double>& of) {
            const auto begin = of.begin() + static_cast<std::ptrdiff_t>(first);
            return std::vector<double>(begin, begin + static_cast<std::ptrdiff_t>(lags));
        };
        results.arrays.push_back(named_list(name, part(estimates.value), unit, description));
        results.arrays.push_back(named_list(name + "_error", part(estimates.error), unit,
                                            "standard error of " + name + " by the jackknife"));
    };
    add("diffusion_by_displacement", 0, "mean square displacement / (2 d t) along the d free axes");
    add("diffusion_by_velocity", lags,
        "integral of the velocity autocorrelation up to t, along the free axes; with samples every step "
        "only");

    std::string names;
    for (const std::size_t axis : free_axes_) names += "xyz"[axis];
    const auto time_of = [&](std::size_t lag) { return window.is_known() ? lag_times[lag] : not_known; };
    results.attributes.push_back({"free_axes", names});
    results.attributes.push_back({"diffusion", estimates.value.back()});
    results.attributes.push_back({"diffusion_error", estimates.error.back()});
    results.attributes.push_back({"diffusion_from_time", time_of(window.first)});
    results.attributes.push_back({"diffusion_to_time", time_of(window.last)});
    results.attributes.push_back({"expected_diffusion", theory::diffusion(system_, species_)});
}

MultipleTau Tracers::restored(MultipleTauState state) const {
    MultipleTau correlator = correlator_;
    correlator.restore(std::move(state));
    return correlator;
}

}  // namespace mpcflow

#include "app/bench/bench_auto.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <memory>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "app/machine/device.hpp"
#include "app/text/formatting.hpp"
#include "app/text/json_writer.hpp"
#include "physics/errors.hpp"
#include "physics/names.hpp"

namespace mpcflow {

namespace {

/// Steps of a timing at first sight: whole periods, about so many.
constexpr double steps_at_first_sight = 32.0;
/// Timings at first sight, of which the least counts.
constexpr int looks = 3;
/// So many ways, the fastest at first sight with their best intervals, are timed again in turns with auto's
/// choice. Not two intervals of one way: at first sight, which is short, a way may seem fast that is not.
constexpr std::size_t finalists = 2;
/// All orders of three.
constexpr int turns = 6;
/// So long a turn goes untimed, and then as long again it is timed. A card at its limit of power runs at a
/// lower clock what draws more power, and takes a while to find that clock; until then it has that of what
/// ran before.
constexpr double turn_seconds = 0.25;

struct Comparison {
    double density = 0.0;
    StepMeasurement chosen;
    std::vector<StepMeasurement> fixed;  ///< the finalists, the fastest first

    [[nodiscard]] const StepMeasurement& best() const { return fixed.front(); }
    /// By how much the chosen step takes longer than the best fixed one; below zero where it is faster.
    [[nodiscard]] double loss() const { return chosen.step_seconds / best().step_seconds - 1.0; }
};

/// A solver with a fixed choice, and what its steps took.
class Contender {
public:
    Contender(const System& system, const SolverOptions& options, const ChosenDevice& device)
        : solver_(make_solver(system, options, device)), interval_(options.reorder) {}

    /// The next steps, whole periods and about so many.
    double time(double steps) {
        return mean_step_seconds(*solver_,
                                 interval_ * std::max<std::int64_t>(1, std::llround(steps / interval_)));
    }
    [[nodiscard]] const Solver& solver() const { return *solver_; }

private:
    std::unique_ptr<Solver> solver_;
    int interval_;
};

double time_at_first_sight(const System& system, const SolverOptions& options, const ChosenDevice& device) {
    Contender contender(system, options, device);
    double least = std::numeric_limits<double>::infinity();
    for (int look = 0; look < looks; ++look) least = std::min(least, contender.time(steps_at_first_sight));
    return least;
}

/// What a step takes with each of `settings`: the mean of the middle two of its turns.
std::vector<StepMeasurement> measure_in_turns(const System& system,
                                              const std::vector<SolverOptions>& settings,
                                              const ChosenDevice& device) {
    std::vector<Contender> contenders;
    for (const SolverOptions& options : settings) contenders.emplace_back(system, options, device);
    std::vector<std::vector<double>> step_seconds(contenders.size());
    // Each time in another order, so that nobody always comes after the same one.
    std::vector<std::size_t> order(contenders.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    for (int turn = 0; turn < turns; ++turn) {
        for (const std::size_t i : order) {
            const double about = contenders[i].time(turn_seconds / contenders[i].time(steps_at_first_sight));
            step_seconds[i].push_back(contenders[i].time(turn_seconds / about));
        }
        std::ranges::next_permutation(order);
    }
    std::vector<StepMeasurement> measured;
    for (std::size_t i = 0; i < contenders.size(); ++i) {
        std::ranges::sort(step_seconds[i]);
        const double middle = 0.5 * (step_seconds[i][turns / 2 - 1] + step_seconds[i][turns / 2]);
        measured.push_back(measurement_of(contenders[i].solver(), system, settings[i].precision, middle));
    }
    return measured;
}

/// Summation and interval that the solver chooses for itself.
SolverOptions choice_of_auto(const System& system, Precision precision, const ChosenDevice& device) {
    SolverOptions options;
    options.precision = precision;
    const std::unique_ptr<Solver> solver = make_solver(system, options, device);
    settle(*solver);
    options.summation = solver->summation();
    options.reorder = solver->reorder_interval();
    return options;
}

Comparison compare(const System& system, Precision precision, const ChosenDevice& device,
                   const BenchAutoOptions& options) {
    const SolverOptions chosen = choice_of_auto(system, precision, device);
    std::vector<std::pair<double, SolverOptions>> fixed;
    for (const Summation way : options.ways) {
        std::pair best{std::numeric_limits<double>::infinity(), chosen};
        for (const int interval : options.intervals) {
            SolverOptions choice = chosen;
            choice.summation = way;
            choice.reorder = interval;
            const double seconds = time_at_first_sight(system, choice, device);
            if (seconds < best.first) best = {seconds, choice};
        }
        fixed.push_back(best);
    }
    std::ranges::sort(fixed, {}, [](const auto& timed) { return timed.first; });
    fixed.resize(std::min(finalists, fixed.size()));
    std::vector<SolverOptions> settings{chosen};
    for (const auto& [seconds, choice] : fixed) settings.push_back(choice);
    std::vector<StepMeasurement> measured = measure_in_turns(system, settings, device);
    Comparison comparison{system.fluid.density, measured.front(), {measured.begin() + 1, measured.end()}};
    std::ranges::sort(comparison.fixed, {}, &StepMeasurement::step_seconds);
    return comparison;
}

void print_row(const Comparison& comparison) {
    const StepMeasurement& chosen = comparison.chosen;
    const StepMeasurement& best = comparison.best();
    fmt::print("{:<7}{:<8}{:>8}{:>12}{:>10}  {:<10}{:>4}{:>12}  {:<10}{:>4}{:>+9.1f} %\n", chosen.law,
               name_of(chosen.precision), comparison.density, chosen.particles,
               format_rate(chosen.updates_per_second), name_of(chosen.summation), chosen.reorder,
               format_rate(best.updates_per_second), name_of(best.summation), best.reorder,
               100.0 * comparison.loss());
    std::fflush(stdout);
}

void write_measurement(JsonWriter& json, const StepMeasurement& m) {
    json.begin_object().member("summation", name_of(m.summation)).member("reorder", m.reorder);
    json.member("step_seconds", m.step_seconds)
        .member("updates_per_second", m.updates_per_second)
        .end_object();
}

void print_json(const std::vector<Comparison>& comparisons) {
    JsonWriter json;
    json.begin_array();
    for (const Comparison& comparison : comparisons) {
        const StepMeasurement& chosen = comparison.chosen;
        json.begin_object().member("device", chosen.device).member("law", chosen.law);
        json.member("precision", name_of(chosen.precision)).member("density", comparison.density);
        json.member("particles", chosen.particles).member("loss", comparison.loss()).key("auto");
        write_measurement(json, chosen);
        json.key("fixed").begin_array();
        for (const StepMeasurement& m : comparison.fixed) write_measurement(json, m);
        json.end_array().end_object();
    }
    fmt::print("{}\n", json.end_array().text());
}

}  // namespace

int bench_auto(const BenchAutoOptions& options) {
    const ChosenDevice device = choose_device(options.device);
    if (device.kind != DeviceKind::cuda)
        throw EnvironmentError("bench auto: ways of summing are a GPU's; " + device.reason);
    if (!options.json) {
        fmt::print("{:<7}{:<8}{:>8}{:>12}{:>10}  {:<14}{:>12}  {:<14}{:>11}\n", "law", "prec.", "density",
                   "particles", "auto", "chosen", "best fixed", "which", "auto takes");
    }
    std::vector<Comparison> comparisons;
    for (const std::int64_t particles : options.particles) {
        for (const auto& [law, precision] : kinds_that_pass(options.kinds)) {
            for (const double density : options.densities) {
                System system;
                const int edge = std::max(
                    1, static_cast<int>(std::lround(std::cbrt(static_cast<double>(particles) / density))));
                system.box.size = {edge, edge, edge};
                system.fluid.density = density;
                law.choose(system.collision);
                // Without one srd+a heats up; at 3 particles a cell threefold in 400 steps.
                if (law.energy == Energy::drifts) system.thermostat.kind = ThermostatKind::maxwell_boltzmann;
                comparisons.push_back(compare(system, precision, device, options));
                if (!options.json) print_row(comparisons.back());
            }
        }
    }
    if (options.json) {
        print_json(comparisons);
        return 0;
    }
    const auto worst = std::max_element(comparisons.begin(), comparisons.end(),
                                        [](const auto& a, const auto& b) { return a.loss() < b.loss(); });
    fmt::print("\nat worst auto takes {:.1f} % longer than the best fixed choice\n", 100.0 * worst->loss());
    return 0;
}

}  // namespace mpcflow

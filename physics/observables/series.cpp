#include "physics/observables/series.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <stdexcept>
#include <utility>

namespace mpcflow {

SeriesObservable::SeriesObservable(const System& system, const SeriesOutput& output)
    : Observable("series", {-output.every, output.every}, Gathers::later),
      time_step_(system.collision.time_step),
      particles_(system.particle_count()),
      species_(system.masses() == Masses::equal ? 0 : system.species_count()) {}

void SeriesObservable::measure(Solver& solver, std::int64_t step) {
    row_ = {step, solver.measure<TotalsRule>(), solver.measure<ExtremesRule>(), {}};
    for (int s = 0; s < species_; ++s)
        row_.species_temperature.push_back(solver.measure<TotalsRule>(s).temperature());
}

Work SeriesObservable::take_work(Solver&) {
    return {[this, row = row_](const RowTaker&) {
        columns_.step.push_back(row.step);
        columns_.time.push_back(static_cast<double>(row.step) * time_step_);
        columns_.kinetic_energy.push_back(row.totals.kinetic_energy);
        columns_.temperature.push_back(row.totals.temperature());
        for (const double p : row.totals.momentum) columns_.momentum.push_back(p);
        columns_.maximum_speed.push_back(row.extremes.maximum_speed);
        columns_.minimum_occupancy.push_back(row.extremes.minimum_occupancy);
        columns_.maximum_occupancy.push_back(row.extremes.maximum_occupancy);
        for (const double t : row.species_temperature) columns_.species_temperature.push_back(t);
    }};
}

Sampled SeriesObservable::gathered() const {
    const std::vector<std::int64_t>& steps = columns_.step;
    return steps.empty() ? Sampled{}
                         : Sampled{static_cast<std::int64_t>(steps.size()), {steps.front(), steps.back()}};
}

std::vector<NamedArray> SeriesObservable::arrays() const {
    const auto rows = static_cast<std::int64_t>(columns_.step.size());
    std::vector<NamedArray> all;
    const auto add = [&]<class Number>(const char* name, const std::vector<Number>& numbers, const char* unit,
                                       const char* description) {
        all.push_back({name, {rows}, View<Number>(numbers), unit, description});
    };
    add("step", columns_.step, "1", "steps since the start");
    add("time", columns_.time, "a (mass/energy)^(1/2)", "time since the start");
    add("kinetic_energy", columns_.kinetic_energy, "energy", "kinetic energy of all particles");
    add("temperature", columns_.temperature, "energy", "kT of the motion relative to the centre of mass");
    add("momentum", columns_.momentum, "(mass energy)^(1/2)", "momentum of all particles, x y z");
    all.back().shape.push_back(3);
    add("maximum_speed", columns_.maximum_speed, "(energy/mass)^(1/2)", "speed of the fastest particle");
    add("minimum_occupancy", columns_.minimum_occupancy, "1", "fewest particles in a whole collision cell");
    add("maximum_occupancy", columns_.maximum_occupancy, "1", "most particles in a whole collision cell");
    if (species_ > 0) {
        add("species_temperature", columns_.species_temperature, "energy",
            "kT of each species, relative to its own centre of mass; axes time, species");
        all.back().shape.push_back(species_);
    }
    return all;
}

void SeriesObservable::add_results(ObservableResults& results) const {
    results.arrays = arrays();
    results.axes = {"time"};
}

void SeriesObservable::put_back(ObservableState& state) {
    const auto rows = static_cast<std::size_t>(state.samples);
    const auto whole = [&](const char* name) { return state.numbers<std::int64_t>(name, rows); };
    const auto real = [&](const char* name, std::size_t each = 1) {
        return state.numbers<double>(name, each * rows);
    };
    Columns columns{
        whole("step"),       real("time"),          real("kinetic_energy"),     real("temperature"),
        real("momentum", 3), real("maximum_speed"), whole("minimum_occupancy"), whole("maximum_occupancy")};
    if (species_ > 0)
        columns.species_temperature = real("species_temperature", static_cast<std::size_t>(species_));
    check(columns, state);
    columns_ = std::move(columns);
}

/// It may be forged.
void SeriesObservable::check(const Columns& columns, const ObservableState& state) const {
    const auto is_finite = [](double x) { return std::isfinite(x); };
    const auto is_count = [&](std::int64_t particles) { return particles >= 0 && particles <= particles_; };
    const std::vector<std::int64_t>& steps = columns.step;
    bool is_possible =
        steps.empty() || (steps.front() == state.first_step && steps.back() == state.last_step);
    is_possible = is_possible && std::ranges::adjacent_find(steps, std::greater_equal<>()) == steps.end();
    for (const auto* numbers :
         {&columns.time, &columns.kinetic_energy, &columns.momentum, &columns.maximum_speed})
        is_possible = is_possible && std::ranges::all_of(*numbers, is_finite);
    // A temperature may be not known.
    for (const auto* temperatures : {&columns.temperature, &columns.species_temperature})
        is_possible =
            is_possible && std::ranges::none_of(*temperatures, [](double t) { return std::isinf(t); });
    for (const auto* counts : {&columns.minimum_occupancy, &columns.maximum_occupancy})
        is_possible = is_possible && std::ranges::all_of(*counts, is_count);
    if (!is_possible) throw std::invalid_argument("output.series: a state with rows that there cannot be");
}

std::int64_t SeriesObservable::bytes(std::int64_t last_step) const {
    const std::int64_t numbers_of_row = 10 + species_;
    return 8 * numbers_of_row * times().count(last_step);
}

}  // namespace mpcflow

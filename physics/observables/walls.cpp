#include "physics/observables/walls.hpp"

#include <cstddef>
#include <string>
#include <utility>

namespace mpcflow {

namespace {

std::vector<int> faces_with_walls(const System& system) {
    std::vector<int> faces;
    for (int axis = 0; axis < 3; ++axis) {
        if (system.boundaries.faces[static_cast<std::size_t>(axis)].is_periodic()) continue;
        faces.push_back(2 * axis);
        faces.push_back(2 * axis + 1);
    }
    return faces;
}

/// Of the cross-section normal to an axis, a^2.
double area(const System& system, std::size_t axis) {
    return static_cast<double>(system.box.volume()) / system.box.size[axis];
}

}  // namespace

WallsObservable::WallsObservable(const System& system, const WallsOutput& output, std::int64_t equilibration)
    : Observable("walls", {equilibration, output.every}),
      system_(system),
      faces_(faces_with_walls(system)),
      averages_(static_cast<std::int64_t>(4 * faces_.size() + 3)) {}

void WallsObservable::measure(Solver& solver, std::int64_t) {
    const MomentumFlux flux = solver.measure<FluxRule>();
    std::vector<double> sample;
    for (const int face : faces_) {
        const double area_and_time =
            area(system_, static_cast<std::size_t>(face / 2)) * system_.collision.time_step;
        for (const double momentum : flux.to_walls[static_cast<std::size_t>(face)])
            sample.push_back(momentum / area_and_time);
    }
    const double mass = system_.total_mass();
    for (std::size_t axis = 0; axis < 3; ++axis)
        sample.push_back(flux.momentum[axis] / mass * area(system_, axis));
    for (const int face : faces_) {
        const auto number = static_cast<std::size_t>(face);
        const Face& wall = system_.boundaries.faces[number / 2][face % 2];
        double heat = flux.energy_to_walls[number];
        for (std::size_t a = 0; a < 3; ++a) heat -= flux.to_walls[number][a] * wall.velocity[a];
        sample.push_back(heat / (area(system_, number / 2) * system_.collision.time_step));
    }
    averages_.add(sample);
}

void WallsObservable::add_results(ObservableResults& results) const {
    std::vector<std::string> names;
    for (const int face : faces_)
        names.push_back(std::string(1, "xyz"[face / 2]) + (face % 2 == 0 ? " lower" : " upper"));
    results.attributes.push_back({"faces", std::move(names)});
    const Estimates found = averages_.estimates();
    const auto stresses = static_cast<std::ptrdiff_t>(3 * faces_.size());
    const std::ptrdiff_t heats = stresses + 3;
    const auto count = static_cast<std::int64_t>(faces_.size());
    const auto add = [&](const std::string& suffix, const std::vector<double>& numbers,
                         const std::string& of_what) {
        results.arrays.push_back(
            {"stress" + suffix,
             {count, 3},
             std::vector<double>(numbers.begin(), numbers.begin() + stresses),
             "energy/a^3",
             of_what + "force of the fluid on each wall over its area; axes face (the attribute "
                       "faces), x y z"});
        results.arrays.push_back(named_list(
            "flow_rate" + suffix, std::vector<double>(numbers.begin() + stresses, numbers.begin() + heats),
            "a^2 (energy/mass)^(1/2)",
            of_what + "volume that flows through the cross-sections normal to x, y, z, "
                      "over time: mean velocity times area"));
        results.arrays.push_back(
            named_list("heat" + suffix, std::vector<double>(numbers.begin() + heats, numbers.end()),
                       "energy/a^3 (energy/mass)^(1/2)",
                       of_what + "heat that each wall takes, over its area and time: energy of the fluid "
                                 "less the work of its force on a wall that moves"));
    };
    add("", found.value, "");
    add("_error", found.error, "standard error by blocking of the ");
}

std::vector<SamplingParameter> WallsObservable::parameters() const {
    return {{"every", static_cast<double>(times().every)}};
}

std::vector<NamedArray> WallsObservable::arrays() const {
    MultipleTauState state = averages_.state();
    return {named_list("counters", std::move(state.counters)), named_list("values", std::move(state.values))};
}

void WallsObservable::put_back(ObservableState& state) {
    averages_.restore({state.numbers<std::int64_t>("counters"), state.numbers<double>("values")});
}

std::int64_t WallsObservable::bytes(std::int64_t last_step) const {
    return averages_.bytes_after(times().count(last_step));
}

std::int64_t WallsObservable::result_bytes(std::int64_t) const {
    return 2 * 8 * static_cast<std::int64_t>(4 * faces_.size() + 3);
}

}  // namespace mpcflow

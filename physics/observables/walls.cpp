#include "physics/observables/walls.hpp"

#include <cstddef>
#include <span>
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

/// Of the fluid's part of it, on average along the axis.
double fluid_area(const System& system, std::size_t axis) {
    return system.fluid_volume() / system.box.size[axis];
}

}  // namespace

WallsObservable::WallsObservable(const System& system, const WallsOutput& output, std::int64_t equilibration)
    : Observable("walls", {equilibration, output.every}),
      system_(system),
      faces_(faces_with_walls(system)),
      averages_(numbers()) {}

std::int64_t WallsObservable::numbers() const {
    return static_cast<std::int64_t>(4 * faces_.size() + 3 + 7 * system_.surfaces.list.size());
}

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
        sample.push_back(flux.momentum[axis] / mass * fluid_area(system_, axis));
    for (const int face : faces_) {
        const auto number = static_cast<std::size_t>(face);
        const Face& wall = system_.boundaries.faces[number / 2][face % 2];
        double heat = flux.energy_to_walls[number];
        for (std::size_t a = 0; a < 3; ++a) heat -= flux.to_walls[number][a] * wall.velocity[a];
        sample.push_back(heat / (area(system_, number / 2) * system_.collision.time_step));
    }
    for (std::size_t i = 0; i < flux.to_surfaces.size(); ++i) {
        const ToSurface& taken = flux.to_surfaces[i];
        const Surface& surface = system_.surfaces.list[i];
        const double time = system_.collision.time_step;
        double heat = taken.energy;
        for (std::size_t a = 0; a < 3; ++a)
            heat -= taken.momentum[a] * surface.velocity[a] +
                    taken.angular_momentum[a] * surface.angular_velocity[a];
        for (const double momentum : taken.momentum) sample.push_back(momentum / time);
        for (const double moment : taken.angular_momentum) sample.push_back(moment / time);
        sample.push_back(heat / time);
    }
    averages_.add(sample);
}

void WallsObservable::add_results(ObservableResults& results) const {
    std::vector<std::string> names;
    for (const int face : faces_)
        names.push_back(std::string(1, "xyz"[face / 2]) + (face % 2 == 0 ? " lower" : " upper"));
    if (!names.empty()) results.attributes.push_back({"faces", std::move(names)});
    std::vector<std::string> surfaces;
    for (const Surface& surface : system_.surfaces.list)
        surfaces.push_back(std::to_string(surfaces.size()) +
                           (surface.shape == SurfaceShape::cylinder ? " cylinder" : " sphere"));
    if (!surfaces.empty()) results.attributes.push_back({"surfaces", std::move(surfaces)});
    const Estimates found = averages_.estimates();
    const auto stresses = static_cast<std::ptrdiff_t>(3 * faces_.size());
    const std::ptrdiff_t heats = stresses + 3;
    const std::ptrdiff_t heats_end = heats + static_cast<std::ptrdiff_t>(faces_.size());
    const auto count = static_cast<std::int64_t>(faces_.size());
    const auto add = [&](const std::string& suffix, const std::vector<double>& numbers,
                         const std::string& of_what) {
        if (count > 0)
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
        if (count > 0)
            results.arrays.push_back(named_list(
                "heat" + suffix, std::vector<double>(numbers.begin() + heats, numbers.begin() + heats_end),
                "energy/a^3 (energy/mass)^(1/2)",
                of_what + "heat that each wall takes, over its area and time: energy of the fluid "
                          "less the work of its force on a wall that moves"));
        if (!system_.surfaces.list.empty())
            add_surfaces(suffix, std::span(numbers).subspan(static_cast<std::size_t>(heats_end)), of_what,
                         results);
    };
    add("", found.value, "");
    add("_error", found.error, "standard error by blocking of the ");
}

void WallsObservable::add_surfaces(const std::string& suffix, std::span<const double> numbers,
                                   const std::string& of_what, ObservableResults& results) const {
    const auto count = std::ssize(system_.surfaces.list);
    std::vector<double> force, torque, heat;
    for (std::size_t i = 0; i < numbers.size(); i += 7) {
        force.insert(force.end(), numbers.begin() + i, numbers.begin() + i + 3);
        torque.insert(torque.end(), numbers.begin() + i + 3, numbers.begin() + i + 6);
        heat.push_back(numbers[i + 6]);
    }
    results.arrays.push_back({"force" + suffix,
                              {count, 3},
                              std::move(force),
                              "energy/a",
                              of_what + "force of the fluid on each surface in the box; axes surface (in the "
                                        "order of the input), x y z"});
    results.arrays.push_back({"torque" + suffix,
                              {count, 3},
                              std::move(torque),
                              "energy",
                              of_what + "torque of the fluid on each surface in the box about its centre, of "
                                        "a cylinder about its axis; axes surface, x y z"});
    results.arrays.push_back(
        named_list("surface_heat" + suffix, std::move(heat), "energy/a (energy/mass)^(1/2)",
                   of_what + "heat that each surface in the box takes, over time: energy of the fluid less "
                             "the work of its force and torque on a surface that moves"));
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

std::int64_t WallsObservable::result_bytes(std::int64_t) const { return 2 * 8 * numbers(); }

}  // namespace mpcflow

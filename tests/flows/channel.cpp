#include "tests/flows/channel.hpp"

#include <cstddef>
#include <stdexcept>

#include "physics/theory.hpp"
#include "tests/physics/statistics.hpp"

namespace mpcflow::test {

namespace {

Measured measured(const Moments& moments) { return {moments.mean(), moments.standard_error()}; }

/// The line u = p y (L - y) + q through slabs one cell wide, by least squares; y (L - y) is averaged
/// over each slab, which is its value at the centre less 1/12. Without the slabs next to the walls, which are
/// a fraction of a per cent off the parabola (docs/validation.md).
struct Line {
    double p = 0.0;
    double q = 0.0;
};

Line fit_parabola(const std::vector<double>& velocity) {
    const std::size_t bins = velocity.size();
    const double width = static_cast<double>(bins);
    const double n = width - 2.0;
    double sum_x = 0.0, sum_u = 0.0, sum_xx = 0.0, sum_xu = 0.0;
    for (std::size_t b = 1; b + 1 < bins; ++b) {
        const double y = static_cast<double>(b) + 0.5;
        const double x = y * (width - y) - 1.0 / 12.0;
        sum_x += x;
        sum_u += velocity[b];
        sum_xx += x * x;
        sum_xu += x * velocity[b];
    }
    const double p = (n * sum_xu - sum_x * sum_u) / (n * sum_xx - sum_x * sum_x);
    return {p, (sum_u - p * sum_x) / n};
}

}  // namespace

System channel(std::array<int, 3> size, int wall_axis, int flow_axis, double viscosity, double maximum) {
    System system;
    system.seed = 42;
    system.box.size = size;
    system.thermostat.kind = ThermostatKind::maxwell_boltzmann;
    system.boundaries.faces[wall_axis] = {FaceKind::no_slip, FaceKind::no_slip};
    const double width = size[wall_axis];
    system.force[flow_axis] = 8.0 * viscosity * maximum / (width * width);
    return system;
}

std::array<int, 3> channel_bins(const System& system) {
    std::array<int, 3> bins{1, 1, 1};
    for (int axis = 0; axis < 3; ++axis)
        if (!system.boundaries.faces[axis].is_periodic()) bins[axis] = system.box.size[axis];
    return bins;
}

ChannelFlow measure_channel(Solver& solver, const System& system, const Sampling& sampling) {
    const auto flow = theory::plane_flow(system);
    if (!flow) throw std::logic_error("measure_channel: no plane Poiseuille flow");
    const auto bins = static_cast<std::size_t>(system.box.size[flow->wall_axis]);
    const double cells = static_cast<double>(system.box.volume()) / static_cast<double>(bins);

    Moments viscosity, slip_length;
    std::vector<Moments> density(bins), velocity(bins);
    FieldSums all, at_walls;
    const auto add = [](FieldSums& to, const FieldSums& bin) {
        to.relative_energy += bin.relative_energy;
        to.relative_freedoms += bin.relative_freedoms;
    };

    solver.run(sampling.equilibration);
    const std::int64_t samples = sampling.steps / sampling.every / sampling.blocks;
    for (int block = 0; block < sampling.blocks; ++block) {
        for (std::int64_t sample = 0; sample < samples; ++sample) {
            solver.run(sampling.every);
            solver.measure<FieldsRule>().sample();
        }
        const FieldBlock fields = solver.measure<FieldsRule>().take();
        std::vector<double> u(bins);
        for (std::size_t b = 0; b < bins; ++b) {
            const FieldSums& bin = fields.bins[b];
            u[b] = bin.momentum[flow->flow_axis] / (system.fluid.mass * bin.particles);
            velocity[b].add(u[b]);
            density[b].add(bin.particles / (static_cast<double>(fields.samples) * cells));
            add(all, bin);
            if (b == 0 || b + 1 == bins) add(at_walls, bin);
        }
        const Line line = fit_parabola(u);
        viscosity.add(0.5 * flow->acceleration / line.p);
        slip_length.add(line.q / (line.p * flow->width));
    }

    ChannelFlow result;
    result.viscosity = measured(viscosity);
    result.slip_length = measured(slip_length);
    result.temperature = 2.0 * all.relative_energy / all.relative_freedoms;
    result.wall_temperature = 2.0 * at_walls.relative_energy / at_walls.relative_freedoms;
    for (std::size_t b = 0; b < bins; ++b) {
        result.density.push_back(measured(density[b]));
        result.velocity.push_back(measured(velocity[b]));
    }
    return result;
}

}  // namespace mpcflow::test

/// Measures transport coefficients longer than tests may and prints the tables of docs/validation.md.
///
///   flow_validation [--device] [--threads N] [--scale F] [--law NAME]
///
/// on the GPU, or on N threads of the CPU (all); F times as long as by default; of one law, such as at+a, or
/// all.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <string_view>

#include "physics/collision/laws.hpp"
#include "physics/theory.hpp"
#include "tests/flows/channel.hpp"
#include "tests/flows/diffusion.hpp"
#include "tests/support/solvers.hpp"

namespace mpcflow::test {
namespace {

struct Fluids {
    CollisionRule rule;
    bool conserves_angular_momentum;
    double angle, time_step, density;
    /// Measured without this program: viscosity by Kolmogorov flow, diffusion by mean square displacement.
    double known_viscosity, known_diffusion;
};

constexpr auto srd = CollisionRule::srd;
constexpr auto at = CollisionRule::at;
constexpr std::array<Fluids, 8> all_fluids{{
    {srd, false, 130.0, 0.1, 10.0, 0.868, 0.0589},
    {srd, false, 130.0, 1.0, 10.0, 0.578, 0.518},
    {srd, false, 130.0, 0.02, 10.0, 4.04, 0.0122},
    {srd, false, 90.0, 0.1, 5.0, 0.521, 0.155},
    {srd, true, 130.0, 0.1, 10.0, 0.431, 0.084},
    {at, false, 0.0, 0.1, 10.0, 0.812, 0.069},
    {at, true, 0.0, 0.1, 10.0, 0.407, 0.095},
    {at, true, 0.0, 0.1, 5.0, 0.376, 0.157},
}};

struct Settings {
    SolverKind kind = SolverKind::host;
    SolverOptions options;
    double scale = 1.0;
    std::string_view law;  ///< empty: all

    [[nodiscard]] std::int64_t steps(double count) const { return std::llround(scale * count); }
    [[nodiscard]] bool measures(const System& system) const {
        return law.empty() || law_of(system.collision).name == law;
    }
};

void set_fluid(System& system, const Fluids& fluid) {
    system.collision.rule = fluid.rule;
    system.thermostat.kind = fluid.rule == at ? ThermostatKind::none : ThermostatKind::maxwell_boltzmann;
    system.collision.conserve_angular_momentum = fluid.conserves_angular_momentum;
    system.collision.angle = fluid.angle;
    system.collision.time_step = fluid.time_step;
    system.fluid.density = fluid.density;
}

std::string name_of(const Fluids& fluid) {
    System system;
    set_fluid(system, fluid);
    const LawInfo& law = law_of(system.collision);
    std::string name(law.name);
    if (law.has_angle) name.append(" ").append(std::to_string(std::lround(fluid.angle)));
    return name;
}

/// A Poiseuille flow between walls 16 apart that reaches 0.3 thermal speeds.
ChannelFlow measure_flow(const Fluids& fluid, bool virtual_particles, const Settings& settings) {
    System system = channel({24, 24, 16}, 2, 0, fluid.known_viscosity, 0.3);
    set_fluid(system, fluid);
    system.boundaries.virtual_particles = virtual_particles;
    SolverOptions options = settings.options;
    options.bins = channel_bins(system);
    const auto solver = make_solver(settings.kind, system, options);
    // Five of the flow's development times, then 70 of them: as many independent profiles for every fluid.
    const double development = theory::plane_flow(system)->development_time() / fluid.time_step;
    const std::int64_t every = std::max<std::int64_t>(1, std::llround(development / 30.0));
    return measure_channel(*solver, system,
                           {std::llround(5.0 * development), settings.steps(70.0 * development), every});
}

void print_channels(const Settings& settings) {
    std::puts(
        "| law, angle | h, M | viscosity | theory | off | known | slip length | kT | slip without virtual "
        "particles |");
    std::puts("|---|---|---|---|---|---|---|---|---|");
    for (const Fluids& fluid : all_fluids) {
        System system;
        set_fluid(system, fluid);
        if (!settings.measures(system)) continue;
        const double theory = theory::predicted_viscosity(system);
        const ChannelFlow flow = measure_flow(fluid, true, settings);
        const ChannelFlow slipping = measure_flow(fluid, false, settings);
        std::printf("| %s | %g, %g | %.4f(%.4f) | %.4f | %+.1f %% | %g | %.3f(%.3f) | %.4f | %.3f(%.3f) |\n",
                    name_of(fluid).c_str(), fluid.time_step, fluid.density, flow.viscosity.value,
                    flow.viscosity.error, theory, 100.0 * (flow.viscosity.value / theory - 1.0),
                    fluid.known_viscosity, flow.slip_length.value, flow.slip_length.error, flow.temperature,
                    slipping.slip_length.value, slipping.slip_length.error);
        std::fflush(stdout);
    }
}

void print_diffusion(const Settings& settings) {
    std::puts("| law, angle | h, M | D | theory | known |");
    std::puts("|---|---|---|---|---|");
    for (const Fluids& fluid : all_fluids) {
        System system;
        system.box.size = {24, 24, 24};
        set_fluid(system, fluid);
        if (!settings.measures(system)) continue;
        const auto solver = make_solver(settings.kind, system, settings.options);
        // From t = 5 to t = 25, but over ten collisions at least.
        const auto first = std::max<std::int64_t>(10, std::llround(5.0 / fluid.time_step));
        solver->run(first);
        const double found =
            measure_diffusion(*solver, system, first, 5 * first, static_cast<int>(settings.steps(4.0)));
        std::printf("| %s | %g, %g | %.4f | %.4f | %g |\n", name_of(fluid).c_str(), fluid.time_step,
                    fluid.density, found, theory::transport(system).diffusion, fluid.known_diffusion);
        std::fflush(stdout);
    }
}

int measure_all(int count, char** arguments) {
    Settings settings;
    for (int i = 1; i < count; ++i) {
        const std::string_view argument = arguments[i];
        if (argument == "--device") {
            settings.kind = SolverKind::device;
        } else if (argument == "--threads" && i + 1 < count) {
            settings.options.threads = std::atoi(arguments[++i]);
        } else if (argument == "--scale" && i + 1 < count) {
            settings.scale = std::atof(arguments[++i]);
        } else if (argument == "--law" && i + 1 < count) {
            settings.law = arguments[++i];
        } else {
            std::fprintf(stderr,
                         "usage: flow_validation [--device] [--threads N] [--scale F] [--law NAME]\n");
            return 2;
        }
    }
    print_channels(settings);
    std::puts("");
    print_diffusion(settings);
    return 0;
}

}  // namespace
}  // namespace mpcflow::test

int main(int count, char** arguments) {
    try {
        return mpcflow::test::measure_all(count, arguments);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "flow_validation: %s\n", error.what());
        return 1;
    }
}

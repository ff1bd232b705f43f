/// Momentum and energy of a fluid left to itself, over 10,000 steps.
///
/// What is lost is lost to the grid of the sums of velocities, of spacing g: each component of each
/// contribution misses it by e, uniform in [-g/2, g/2], of variance g^2/12. A cell of N particles then
/// collides with the mean velocity V + sum e / N in place of V. Over axes the mean of |(1 - R) e|^2 is 2 A
/// |e|^2, A = (2/3) (1 - cos angle), so in a collision
///   a component of the momentum changes by m (1 - R) sum e, a variance of m^2 N A g^2/6;
///   the energy changes by m V . (R - 1) sum e, a variance of 3 m kT A g^2/6, for that of V is kT/(m N).
/// Steps are independent: errors are Gaussian and grow as the square root of the number of steps.

#include <cmath>
#include <cstdio>
#include <vector>

#include <gtest/gtest.h>

#include "physics/grid_rounding.hpp"
#include "tests/physics/statistics.hpp"
#include "tests/support/solvers.hpp"

namespace mpcflow::test {
namespace {

System fluid_left_to_itself() {
    System system;
    system.box.size = {8, 8, 8};
    return system;
}

/// Standard deviations of the errors after one step.
struct StepError {
    double momentum;  ///< a component of the total
    double energy;
};

StepError predicted_error(const System& system) {
    const Fluid& fluid = system.fluid;
    const double spacing = std::ldexp(1.0, -CellRounding(fluid).velocity.bits());
    const double a = 2.0 / 3.0 * (1.0 - std::cos(system.collision.angle * 3.14159265358979 / 180.0));
    const double per_component = a * spacing * spacing / 6.0;
    const auto particles = static_cast<double>(system.particle_count());
    const auto cells = static_cast<double>(system.box.volume());
    return {fluid.mass * std::sqrt(particles * per_component),
            std::sqrt(3.0 * fluid.mass * fluid.temperature * cells * per_component)};
}

const std::vector<int> looks{100, 1000, 10000};

/// Squared errors in units of their predicted variances, summed over runs, one entry for each look.
struct Errors {
    std::vector<double> momentum = std::vector<double>(looks.size());
    std::vector<double> energy = std::vector<double>(looks.size());
};

class Conservation : public SolverTest {
protected:
    Errors measure(System system, int runs, bool energy_is_kept) const {
        Errors errors;
        const StepError predicted = predicted_error(system);
        const double thermal_momentum = static_cast<double>(system.particle_count()) *
                                        std::sqrt(system.fluid.mass * system.fluid.temperature);
        for (int run = 0; run < runs; ++run) {
            system.seed = static_cast<std::uint64_t>(run) + 1;
            SolverOptions options;
            options.threads = 1;
            const auto solver = make(system, options);
            const Totals start = solver->measure<TotalsRule>();
            for (std::size_t look = 0; look < looks.size(); ++look) {
                solver->run(looks[look] - solver->current_step());
                const Totals now = solver->measure<TotalsRule>();
                const double variances = looks[look];
                for (int axis = 0; axis < 3; ++axis) {
                    const double lost = now.momentum[axis] - start.momentum[axis];
                    EXPECT_LT(std::abs(lost), 1e-10 * thermal_momentum) << "step " << looks[look];
                    const double off = lost / predicted.momentum;
                    errors.momentum[look] += off * off / variances;
                }
                if (!energy_is_kept) continue;
                const double lost = now.kinetic_energy - start.kinetic_energy;
                EXPECT_LT(std::abs(lost), 1e-10 * start.kinetic_energy) << "step " << looks[look];
                const double off = lost / predicted.energy;
                errors.energy[look] += off * off / variances;
            }
        }
        return errors;
    }

    /// The errors are those that are predicted, and so grow as the square root of the number of steps.
    static void expect_as_predicted(const std::vector<double>& chi_squares, int freedoms, const char* what,
                                    double scale) {
        for (std::size_t look = 0; look < looks.size(); ++look) {
            const double ratio = std::sqrt(chi_squares[look] / freedoms);
            std::printf("%s after %d steps: %.2e, %.2f of the predicted error\n", what, looks[look],
                        ratio * scale * std::sqrt(looks[look]), ratio);
            EXPECT_GE(chi_square_p_value(chi_squares[look], freedoms), least_p_value)
                << what << ' ' << looks[look];
        }
    }
};

TEST_P(Conservation, of_momentum_and_energy_is_lost_to_the_grid_of_sums_alone) {
    const System system = fluid_left_to_itself();
    constexpr int runs = 10;
    const Errors errors = measure(system, runs, true);
    const auto particles = static_cast<double>(system.particle_count());
    const StepError predicted = predicted_error(system);
    expect_as_predicted(errors.momentum, 3 * runs, "momentum / N m v_th", predicted.momentum / particles);
    expect_as_predicted(errors.energy, runs, "energy, relative", predicted.energy / (1.5 * particles));
}

TEST_P(Conservation, of_momentum_holds_with_angular_momentum_too) {
    // The energy is not kept by this law, and without a thermostat it drifts.
    System system = fluid_left_to_itself();
    system.collision.conserve_angular_momentum = true;
    constexpr int runs = 3;
    const Errors errors = measure(system, runs, false);
    const auto particles = static_cast<double>(system.particle_count());
    expect_as_predicted(errors.momentum, 3 * runs, "momentum / N m v_th",
                        predicted_error(system).momentum / particles);
}

MPCFLOW_ON_EVERY_SOLVER(Conservation);

}  // namespace
}  // namespace mpcflow::test

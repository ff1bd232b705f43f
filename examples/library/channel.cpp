/// A flow between two plates by the library: what channel.yaml says, in C++.

#include <cinttypes>
#include <cstdio>

#include "physics/observables/totals.hpp"
#include "physics/solver.hpp"

int main() {
    mpcflow::System system;
    system.seed = 7;
    system.box.size = {8, 8, 8};
    system.fluid.density = 10.0;
    system.collision.angle = 130.0;
    system.collision.time_step = 0.1;
    system.thermostat.kind = mpcflow::ThermostatKind::maxwell_boltzmann;
    system.boundaries.faces[2] = {mpcflow::FaceKind::no_slip, mpcflow::FaceKind::no_slip};
    system.force = {0.01, 0.0, 0.0};

    const auto solver = mpcflow::make_host_solver(system, {});
    for (int part = 0; part < 5; ++part) {
        solver->run(100);
        const mpcflow::Totals totals = solver->measure<mpcflow::TotalsRule>();
        std::printf("step %" PRId64 "  temperature %.4f  momentum %.2f\n", solver->current_step(),
                    totals.temperature(), totals.momentum[0]);
    }
    std::printf("state hash %016" PRIx64 "\n", solver->state_hash());
}

#include "tests/flows/diffusion.hpp"

#include <array>
#include <cstddef>

namespace mpcflow::test {

namespace {

double mean_square_displacement(const ParticleSnapshot& from, const ParticleSnapshot& to,
                                const System& system) {
    double sum = 0.0;
    for (std::size_t i = 0; i < from.position.size(); ++i) {
        const double boxes = static_cast<double>(to.image[i]) - static_cast<double>(from.image[i]);
        const double moved = to.position[i] - from.position[i] + boxes * system.box.size[i % 3];
        sum += moved * moved;
    }
    return sum / (static_cast<double>(from.position.size()) / 3.0);
}

}  // namespace

double measure_diffusion(Solver& solver, const System& system, std::int64_t first, std::int64_t last,
                         int windows) {
    ParticleSnapshot start, now;
    double sum = 0.0;
    for (int window = 0; window < windows; ++window) {
        solver.copy_particles(start);
        solver.run(first);
        solver.copy_particles(now);
        const double early = mean_square_displacement(start, now, system);
        solver.run(last - first);
        solver.copy_particles(now);
        const double late = mean_square_displacement(start, now, system);
        sum += (late - early) / (6.0 * system.collision.time_step * static_cast<double>(last - first));
    }
    return sum / windows;
}

}  // namespace mpcflow::test

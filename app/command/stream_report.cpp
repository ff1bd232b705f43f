#include "app/command/stream_report.hpp"

#include <cstddef>

#include <fmt/format.h>

#include "physics/theory.hpp"

namespace mpcflow {

void print_stream(const System& system) {
    if (!system.stream) return;
    const Stream& stream = *system.stream;
    constexpr const char* axes = "xyz";
    const double mean = stream.mean_speed();
    fmt::print("stream across {}, from {:g} to {:g}:\n", axes[stream.axis], stream.from, stream.to);
    fmt::print("  velocity           {:g}, {:g}, {:g}", stream.velocity[0], stream.velocity[1],
               stream.velocity[2]);
    if (stream.profile == StreamProfile::parabolic) fmt::print(" on average of a parabola");
    fmt::print(" (Mach {:.3g})\n", stream.greatest_speed() / theory::speed_of_sound(system));
    if (!theory::is_known(system)) return;
    for (std::size_t i = 0; i < system.surfaces.list.size(); ++i) {
        const Surface& surface = system.surfaces.list[i];
        const bool is_along = surface.shape == SurfaceShape::cylinder && surface.axis == stream.axis;
        if (surface.fluid == FluidSide::inside || is_along) continue;
        fmt::print("  surfaces.{:<10} Reynolds number {:.4g} by the mean velocity and the diameter\n", i,
                   mean * 2.0 * surface.radius / theory::predicted_viscosity(system));
    }
}

}  // namespace mpcflow

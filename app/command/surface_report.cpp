#include "app/command/surface_report.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include <fmt/format.h>

#include "physics/boundary/surface_map.hpp"
#include "physics/cylinder_flow.hpp"
#include "physics/theory.hpp"

namespace mpcflow {

namespace {

constexpr int most_columns = 72;

/// Where a slice is, and what of it is shown.
struct Slice {
    int normal;
    int across;
    int up;
    int at;     ///< the layer of cells
    int every;  ///< cells between those that are shown

    explicit Slice(const System& system) {
        const auto& surfaces = system.surfaces.list;
        const auto first = std::ranges::find(surfaces, SurfaceShape::cylinder, &Surface::shape);
        normal = first == surfaces.end() ? 2 : first->axis;
        across = normal == 0 ? 1 : 0;
        up = normal == 2 ? 1 : 2;
        const auto axis = static_cast<std::size_t>(normal);
        // All layers are alike where there are cylinders along the axis alone.
        const auto other = std::ranges::find_if(surfaces, [&](const Surface& surface) {
            return surface.shape == SurfaceShape::sphere || surface.axis != normal;
        });
        const double centre = other == surfaces.end() ? 0.5 * system.box.size[axis] : other->centre[axis];
        at = std::clamp(static_cast<int>(centre), 0, system.box.size[axis] - 1);
        every = (system.box.size[static_cast<std::size_t>(across)] + most_columns - 1) / most_columns;
    }
};

}  // namespace

std::string slice_of_surfaces(const System& system) {
    const Slice slice(system);
    const SurfaceMap& map = *system.surfaces.map;
    std::string text;
    Vec3<int> cell{};
    cell[slice.normal] = slice.at;
    const int rows = system.box.size[static_cast<std::size_t>(slice.up)];
    // Letters are about twice as high as they are wide.
    const int step = 2 * slice.every;
    for (int row = (rows - 1) / step * step; row >= 0; row -= step) {
        for (int column = 0; column < system.box.size[static_cast<std::size_t>(slice.across)];
             column += slice.every) {
            cell[slice.up] = row;
            cell[slice.across] = column;
            const double fluid = map.fluid_part(cell);
            text += fluid == 1.0 ? '.' : (fluid == 0.0 ? '#' : '+');
        }
        text += '\n';
    }
    return text;
}

void print_surfaces(const System& system) {
    if (system.surfaces.list.empty()) return;
    const Slice slice(system);
    constexpr const char* axes = "xyz";
    fmt::print("surfaces             {}\n", system.surfaces.list.size());
    fmt::print("fluid                {:.6g} of {} cells\n", system.fluid_volume(), system.box.volume());
    fmt::print("layer {} along {}, {} to the right and {} up; . fluid, # solid, + both:\n", slice.at,
               axes[slice.normal], axes[slice.across], axes[slice.up]);
    fmt::print("{}", slice_of_surfaces(system));
}

void print_cylinder_flow(const System& system) {
    const auto flow = theory::cylinder_flow(system);
    if (!flow) return;
    const char axis = "xyz"[flow->axis];
    const double sound = theory::speed_of_sound(system);
    if (flow->is_pipe()) fmt::print("flow in a pipe along {}, radius {:g}:\n", axis, flow->outer_radius);
    else
        fmt::print("flow between cylinders along {}, radii {:g} and {:g}:\n", axis, flow->inner_radius,
                   flow->outer_radius);
    const double along = flow->maximum();
    if (along != 0.0)
        fmt::print("  greatest velocity  {:.6g} along the axis (Mach {:.3g})\n", along,
                   std::abs(along) / sound);
    if (flow->turns())
        fmt::print("  turning at         {:.6g} at the inner cylinder, {:.6g} at the outer one\n",
                   flow->turning_velocity(flow->is_pipe() ? 0.0 : flow->inner_radius),
                   flow->turning_velocity(flow->outer_radius));
    if (flow->turns() && !flow->is_pipe())
        fmt::print("  torque             {:.6g} over the length, on the outer cylinder\n",
                   flow->torque(system.fluid.density, system.mean_mass()));
    fmt::print("  development time   {:.6g} = {:.0f} steps\n", flow->development_time(),
               flow->development_time() / system.collision.time_step);
}

}  // namespace mpcflow

#include "physics/domain/automatic_cut.hpp"

#include <tuple>

namespace mpcflow {

std::int64_t cut_surface(const System& system, const Cut& cut) {
    std::int64_t surface = 0;
    for (int axis = 0; axis < 3; ++axis) {
        // Beyond a periodic face the last domain meets the first.
        const int domains = cut.domains[axis];
        const int planes = domains > 1 && system.boundaries.faces[axis].is_periodic() ? domains : domains - 1;
        surface += planes * (system.box.volume() / system.box.size[axis]);
        // Between domains along the flow of a sheared box particles change at its faces in every step.
        const AxisFaces& faces = system.boundaries.faces[axis];
        if (faces.is_sheared() && cut.domains[faces.shear.along] > 1)
            surface += 2 * (system.box.volume() / system.box.size[axis]);
    }
    return surface;
}

std::int64_t cells_of_fullest(const Box& box, const Cut& cut) {
    std::int64_t cells = 1;
    for (int axis = 0; axis < 3; ++axis)
        cells *= (box.size[axis] + cut.domains[axis] - 1) / cut.domains[axis];
    return cells;
}

std::optional<Cut> automatic_cut(const System& system, int domains) {
    const auto& size = system.box.size;
    std::optional<Cut> best;
    const auto cost = [&](const Cut& cut) {
        return std::tuple(cut_surface(system, cut), cells_of_fullest(system.box, cut), -cut.domains[2],
                          -cut.domains[1]);
    };
    for (int x = 1; x <= domains && x <= size[0]; ++x) {
        if (domains % x != 0) continue;
        const int rest = domains / x;
        for (int y = 1; y <= rest && y <= size[1]; ++y) {
            if (rest % y != 0 || rest / y > size[2]) continue;
            const Cut cut{{x, y, rest / y}};
            if (!best || cost(cut) < cost(*best)) best = cut;
        }
    }
    return best;
}

}  // namespace mpcflow

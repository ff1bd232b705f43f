#pragma once
/// Cells that walls cut: what the tests of the wall's part in collisions share.

#include "tests/laws/law_cases.hpp"

namespace mpcflow::test {

/// Walls at rest.
inline const WallStates& walls_at_rest() {
    static const WallStates walls(heavy_system());
    return walls;
}

inline CellFill cut(Vec3<double> lower, Vec3<double> upper, const WallStates& walls = walls_at_rest()) {
    CellFill fill{lower, upper, true, {}, &walls};
    for (int a = 0; a < 3; ++a)
        fill.face[a] = lower[a] > -0.5 ? 2 * a : (upper[a] < 0.5 ? 2 * a + 1 : no_surface);
    return fill;
}
inline const CellFill half_cell = cut({-0.1, -0.5, -0.5}, {0.5, 0.5, 0.5});
inline const CellFill sliver = cut({-0.5, -0.5, -0.5}, {0.5, 0.5, 0.49});
inline const CellFill corner = cut({0.1, -0.5, -0.3}, {0.5, 0.2, 0.5});

inline double fluid_part(const CellFill& part) {
    double fluid = 1.0;
    for (int a = 0; a < 3; ++a) fluid *= part.upper[a] - part.lower[a];
    return fluid;
}

inline System dense_system(double density) {
    System system = heavy_system();
    system.fluid.density = density;
    return system;
}

}  // namespace mpcflow::test

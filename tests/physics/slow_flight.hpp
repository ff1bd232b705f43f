#pragma once
/// Flights among surfaces as slowly and plainly as can be, to compare with: no formula for a hit, no map, no
/// images but by trying them all.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <utility>

#include "physics/boundary/faces.hpp"
#include "physics/system.hpp"
#include "physics/vector.hpp"

namespace mpcflow::test {

/// The height above the lowest of a system's surfaces, in long double and by all images, faces included.
struct Reference {
    const System& system;

    [[nodiscard]] std::pair<long double, int> lowest(std::array<long double, 3> x) const {
        std::pair<long double, int> found{1e9L, -1};
        int number = face_count;
        for (int face = 0; face < 6; ++face) {
            const auto axis = static_cast<std::size_t>(face / 2);
            if (system.boundaries.faces[axis].is_periodic()) continue;
            found = std::min(found, {face % 2 == 0 ? x[axis] : system.box.size[axis] - x[axis], face});
        }
        for (const Surface& surface : system.surfaces.list) {
            long double best = -1e9L;
            long double worst = 1e9L;
            for (int i = -2; i <= 2; ++i)
                for (int j = -2; j <= 2; ++j)
                    for (int k = -2; k <= 2; ++k) {
                        const std::array<int, 3> image{i, j, k};
                        long double squared = 0;
                        bool is_image = true;
                        for (std::size_t a = 0; a < 3; ++a) {
                            const bool is_along = surface.shape == SurfaceShape::cylinder &&
                                                  static_cast<int>(a) == surface.axis;
                            const bool repeats = system.boundaries.faces[a].is_periodic() && !is_along;
                            is_image = is_image && (repeats || image[a] == 0);
                            const long double d =
                                is_along ? 0 : x[a] - surface.centre[a] - image[a] * system.box.size[a];
                            squared += d * d;
                        }
                        if (!is_image) continue;
                        const long double distance = std::sqrt(squared) - surface.radius;
                        best = std::max(best, -distance);
                        worst = std::min(worst, distance);
                    }
            // In the fluid where it is within any image of a container, and beyond all images of an obstacle.
            found = std::min(found, {surface.fluid == FluidSide::inside ? best : worst, number++});
        }
        return found;
    }
};

inline std::array<long double, 3> wide(Vec3<double> x) { return {x.x, x.y, x.z}; }

/// A flight in small steps, with the moment of each hit found by bisection: slow, and knows no formula.
struct SlowFlight {
    const System& system;
    std::array<long double, 3> place;
    std::array<long double, 3> velocity;
    bool is_doubtful = false;  ///< an event was nearly another one
    int hits = 0;

    [[nodiscard]] std::array<long double, 3> at(long double time) const {
        auto x = place;
        for (std::size_t a = 0; a < 3; ++a) x[a] += time * velocity[a];
        return x;
    }

    void fly(long double time) {
        const Reference reference{system};
        const long double speed =
            std::sqrt(velocity[0] * velocity[0] + velocity[1] * velocity[1] + velocity[2] * velocity[2]);
        const long double step = 0.01L / speed;
        while (time > 0 && hits < 20) {
            long double before = 0;
            long double after = -1;
            for (long double t = 0; t < time && after < 0; t += step) {
                const long double end = std::min(t + step, time);
                const long double height = reference.lowest(at(end)).first;
                // Less than this far in, steps may miss it.
                if (std::abs(height) < 2e-5L) is_doubtful = true;
                if (height < 0) {
                    before = t;
                    after = end;
                }
            }
            if (after < 0) {
                place = at(time);
                return;
            }
            for (int i = 0; i < 60; ++i) {
                const long double middle = 0.5L * (before + after);
                (reference.lowest(at(middle)).first < 0 ? after : before) = middle;
            }
            const int hit = reference.lowest(at(after)).second;
            place = at(before);
            time -= before;
            turn(hit);
            ++hits;
        }
        is_doubtful = is_doubtful || time > 0;
    }

    /// Only of what is at rest and of slip or no slip.
    void turn(int hit) {
        const bool is_slip =
            hit < face_count
                ? system.boundaries.faces[static_cast<std::size_t>(hit / 2)][hit % 2].kind == FaceKind::slip
                : system.surfaces.list[static_cast<std::size_t>(hit - face_count)].kind == FaceKind::slip;
        if (!is_slip) {
            for (long double& v : velocity) v = -v;
            return;
        }
        // The gradient of the height is the normal.
        const Reference reference{system};
        std::array<long double, 3> normal{};
        const long double height = reference.lowest(place).first;
        long double along = 0;
        for (std::size_t a = 0; a < 3; ++a) {
            auto x = place;
            x[a] += 1e-7L;
            normal[a] = (reference.lowest(x).first - height) / 1e-7L;
            along += normal[a] * velocity[a];
        }
        for (std::size_t a = 0; a < 3; ++a) velocity[a] -= 2 * along * normal[a];
    }
};

}  // namespace mpcflow::test

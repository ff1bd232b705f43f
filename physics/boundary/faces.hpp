#pragma once
/// The faces of the box as a set of surfaces: face 2 x axis + (0 lower, 1 upper).

#include <algorithm>
#include <array>
#include <cmath>

#include "physics/boundary/surface.hpp"
#include "physics/host_device.hpp"
#include "physics/system.hpp"
#include "physics/vector.hpp"

namespace mpcflow {

inline constexpr int face_count = 6;

/// kT/m of a face, of one velocity component; `fluid_variance` is that of the fluid, which those without a
/// temperature of their own take.
[[nodiscard]] inline double variance_of_face(const System& system, int number, double fluid_variance) {
    const double temperature = system.boundaries.faces[number / 2][number % 2].temperature;
    return temperature == 0.0 ? fluid_variance : temperature / system.fluid.mass;
}

/// The faces that are walls; those of periodic axes are never hit.
template <class Real>
class Faces {
public:
    Faces() = default;
    explicit Faces(const System& system) {
        double fastest = 0.0;
        int axes_with_walls = 0;
        for (int axis = 0; axis < 3; ++axis) {
            const AxisFaces& faces = system.boundaries.faces[axis];
            length_[axis] = static_cast<Real>(system.box.size[axis]);
            wall_[axis] = faces.is_periodic() ? 0 : 1;
            axes_with_walls += wall_[axis];
            for (int side = 0; side < 2; ++side) {
                const Face& face = faces[side];
                const int number = 2 * axis + side;
                kind_[number] = face.kind;
                velocity_[number] = {static_cast<Real>(face.velocity[0]), static_cast<Real>(face.velocity[1]),
                                     static_cast<Real>(face.velocity[2])};
                has_thermal_ = has_thermal_ || face.kind == FaceKind::thermal;
                only_turn_back_ = only_turn_back_ && face.kind != FaceKind::slip &&
                                  face.kind != FaceKind::thermal && !face.is_moving();
                for (const double v : face.velocity) fastest = std::max(fastest, std::abs(v));
            }
        }
        set_temperatures(system, system.fluid.thermal_variance_at(0));
        // Each hit of a wall may add twice its speed. In an edge, where hits may follow each other ever
        // faster, one flight shall not add more than about 4 thermal speeds: the sums of the cells have room
        // for 32.
        const double most_added = 4.0 * std::sqrt(system.fluid.highest_temperature() / system.fluid.mass);
        if (axes_with_walls > 1 && 2.0 * fastest * most_hits_ever > most_added)
            most_hits_ = std::max(4, static_cast<int>(0.5 * most_added / fastest));
    }

    /// As WallStates.
    void set_temperatures(const System& system, double fluid_variance) {
        for (int number = 0; number < face_count; ++number)
            thermal_variance_[number] = variance_of_face(system, number, fluid_variance);
    }

    [[nodiscard]] MPCFLOW_HD bool is_wall(int axis) const { return wall_[axis] != 0; }
    [[nodiscard]] MPCFLOW_HD const Vec3<Real>& length() const { return length_; }
    /// Whether all that a wall does is to turn a velocity to its opposite: then fly_on_chord() needs no loop.
    [[nodiscard]] MPCFLOW_HD bool only_turn_back() const { return only_turn_back_; }

    [[nodiscard]] MPCFLOW_HD Hit<Real> first_hit(Vec3<Real> place, Vec3<Real> velocity, Real time) const {
        Hit<Real> hit{time, no_surface};
        for (int axis = 0; axis < 3; ++axis) {
            const Real v = velocity[axis];
            if (wall_[axis] == 0 || v == 0) continue;
            const Real way = v > 0 ? length_[axis] - place[axis] : -place[axis];
            const Real after = way / v;
            if (after < hit.time || (after == hit.time && hit.surface == no_surface))
                hit = {after, 2 * axis + (v > 0 ? 1 : 0)};
        }
        return hit;
    }

    [[nodiscard]] MPCFLOW_HD Vec3<Real> on_surface(const Hit<Real>& hit, Vec3<Real> place) const {
        const int axis = hit.surface / 2;
        place[axis] = hit.surface % 2 == 0 ? static_cast<Real>(0) : length_[axis];
        return keep_inside(place);
    }

    [[nodiscard]] MPCFLOW_HD Vec3<Real> keep_inside(Vec3<Real> place) const {
        for (int axis = 0; axis < 3; ++axis) {
            if (wall_[axis] == 0) continue;
            const Real above = place[axis] > 0 ? place[axis] : static_cast<Real>(0);
            place[axis] = above < length_[axis] ? above : length_[axis];
        }
        return place;
    }

    [[nodiscard]] MPCFLOW_HD FaceKind kind(int face) const { return kind_[face]; }
    [[nodiscard]] MPCFLOW_HD Vec3<Real> velocity(int face, Vec3<Real> /*place*/) const {
        return velocity_[face];
    }
    [[nodiscard]] MPCFLOW_HD Vec3<Real> normal(int face, Vec3<Real> /*place*/) const {
        Vec3<Real> normal{};
        normal[face / 2] = static_cast<Real>(face % 2 == 0 ? 1 : -1);
        return normal;
    }
    [[nodiscard]] MPCFLOW_HD double thermal_variance(int face) const { return thermal_variance_[face]; }
    /// Whether some face draws velocities, which only fly_among() with draws does.
    [[nodiscard]] MPCFLOW_HD bool has_thermal() const { return has_thermal_; }
    [[nodiscard]] MPCFLOW_HD int most_hits() const { return most_hits_; }

    static constexpr int most_hits_ever = 128;

private:
    Vec3<Real> length_{};
    Vec3<int> wall_{};
    bool only_turn_back_ = true;
    bool has_thermal_ = false;
    int most_hits_ = most_hits_ever;
    FaceKind kind_[face_count]{};
    Vec3<Real> velocity_[face_count]{};
    double thermal_variance_[face_count]{};
};

}  // namespace mpcflow

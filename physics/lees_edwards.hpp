#pragma once
/// Lees-Edwards shear of a pair of periodic faces (Lees and Edwards, J. Phys. C 5 (1972) 1921), topology of
/// the box as periodic faces are. Take normal y, flow along x, rate g, edges Lx and Ly:
///
///   The image of the box above moves along x at U = g Ly. At the time t it lies displaced by D = U t mod Lx.
///   A particle that leaves at y = Ly comes in at y = 0, at x - D and with the velocity v - U; D is that of
///   the end of its flight, which is the same as to jump at the moment of crossing and to fly on at v - U.
///   A collision cell that straddles the face is in the frame of its part below: of particles above, places
///   count as x - D and velocities as v - U.
///
/// Between the images the fluid flows at u(y) = g (y - Ly/2), everywhere at the same rate.

#include <cmath>
#include <cstdint>

#include "physics/host_device.hpp"
#include "physics/system.hpp"
#include "physics/vector.hpp"

namespace mpcflow {

/// D, in turns of 2^-64 of the edge along the flow, after `half_steps` halves of a time step: a product of
/// whole numbers, so that it is the same after a restart and loses nothing however long the run.
[[nodiscard]] inline std::uint64_t displacement_turns(const System& system, std::uint64_t half_steps) {
    const int normal = system.sheared_axis();
    const Shear& shear = system.boundaries.faces[normal].shear;
    const double jump = shear.rate * system.box.size[normal];
    const double turns =
        std::remainder(0.5 * system.collision.time_step * jump / system.box.size[shear.along], 1.0);
    const auto of_half_step = static_cast<std::uint64_t>(std::ldexp(std::abs(turns), 64));
    return half_steps * (turns < 0.0 ? 0 - of_half_step : of_half_step);
}

/// The sheared faces at one moment; without shear `is_on` is false and nothing else has a meaning.
template <class Real>
class ShearedFaces {
public:
    ShearedFaces() = default;
    /// After `half_steps` halves of a time step.
    ShearedFaces(const System& system, std::uint64_t half_steps) : normal_(system.sheared_axis()) {
        if (!is_on()) return;
        const Shear& shear = system.boundaries.faces[normal_].shear;
        along_ = shear.along;
        edge_ = static_cast<Real>(system.box.size[along_]);
        jump_ = static_cast<Real>(shear.rate * system.box.size[normal_]);
        const std::uint64_t turns = displacement_turns(system, half_steps);
        displacement_ =
            static_cast<Real>(std::ldexp(static_cast<double>(turns >> 11U), -53) * system.box.size[along_]);
    }

    [[nodiscard]] MPCFLOW_HD bool is_on() const { return normal_ >= 0; }
    [[nodiscard]] MPCFLOW_HD int normal() const { return normal_; }
    /// The axis of the flow; none without shear.
    [[nodiscard]] MPCFLOW_HD int along() const { return along_; }
    /// U, of the image above.
    [[nodiscard]] MPCFLOW_HD Real jump() const { return jump_; }
    /// D, in [0, edge along the flow].
    [[nodiscard]] MPCFLOW_HD Real displacement() const { return displacement_; }

    /// Of a place in the image above, that of its likeness in the box, but for the axis normal to the faces:
    /// along the flow in [0, edge].
    [[nodiscard]] MPCFLOW_HD Vec3<Real> from_above(Vec3<Real> place) const {
        const Real along = place[along_] - displacement_;
        place[along_] = along < 0 ? along + edge_ : along;
        return place;
    }
    /// Of one that is `boxes` boxes above, or below where that is negative.
    [[nodiscard]] MPCFLOW_HD Vec3<Real> from_above(int boxes, Vec3<Real> place) const {
        for (; boxes > 0; --boxes) place = from_above(place);
        for (; boxes < 0; ++boxes) {
            const Real along = place[along_] + displacement_;
            place[along_] = along < edge_ ? along : along - edge_;
        }
        return place;
    }

    /// Of a flight that ends `boxes` boxes above; its place along the flow is wrapped later.
    MPCFLOW_HD void bring_back(int boxes, Vec3<Real>& place, Vec3<Real>& velocity) const {
        const auto times = static_cast<Real>(boxes);
        place[along_] = place[along_] - times * displacement_;
        velocity[along_] = velocity[along_] - times * jump_;
    }

private:
    int normal_ = -1;
    int along_ = -1;
    Real edge_{};
    Real jump_{};
    Real displacement_{};
};

/// The flow that the faces impose, u(y) = g (y - Ly/2). What is thermal, temperature, momentum and pressure,
/// is measured relative to it.
class ShearFlow {
public:
    ShearFlow() = default;
    explicit ShearFlow(const System& system) : normal_(system.sheared_axis()) {
        if (!is_on()) return;
        const Shear& shear = system.boundaries.faces[normal_].shear;
        along_ = shear.along;
        rate_ = shear.rate;
        middle_ = 0.5 * system.box.size[normal_];
    }

    [[nodiscard]] MPCFLOW_HD bool is_on() const { return normal_ >= 0; }
    [[nodiscard]] MPCFLOW_HD int normal() const { return normal_; }
    [[nodiscard]] MPCFLOW_HD int along() const { return along_; }
    [[nodiscard]] double rate() const { return rate_; }
    /// Of a place, its distance from the middle along the normal.
    template <class Real>
    [[nodiscard]] MPCFLOW_HD double height(Vec3<Real> place) const {
        return static_cast<double>(place[normal_]) - middle_;
    }

    /// A velocity at a place, less that of the flow there.
    template <class Real>
    [[nodiscard]] MPCFLOW_HD Vec3<Real> relative(Vec3<Real> place, Vec3<Real> velocity) const {
        if (is_on()) velocity[along_] = velocity[along_] - static_cast<Real>(rate_ * height(place));
        return velocity;
    }
    /// And with it.
    template <class Real>
    [[nodiscard]] MPCFLOW_HD Vec3<Real> carried(Vec3<Real> place, Vec3<Real> velocity) const {
        if (is_on()) velocity[along_] = velocity[along_] + static_cast<Real>(rate_ * height(place));
        return velocity;
    }

private:
    int normal_ = -1;
    int along_ = -1;
    double rate_ = 0.0;
    double middle_ = 0.0;
};

}  // namespace mpcflow

#pragma once
/// Forces that are not the same everywhere and always: waves in the box, gravity, and when they act.
///
/// A step kicks a particle with half of the force's impulse before its flight and half after it, each where
/// the particle then is: velocity Verlet, whose error in a step is of order h^3, over a time of order h^2. A
/// force that oscillates has the strength of the middle of the step, which is exact to the same order.

#include <array>
#include <cstdint>

#include "physics/elementary.hpp"
#include "physics/host_device.hpp"
#include "physics/system.hpp"
#include "physics/vector.hpp"

namespace mpcflow {

/// The strength of a force in the step from `step` to the next: 0 before it begins and after it has ended, 1,
/// or the cosine of the phase in the middle of the step, the same after a restart.
[[nodiscard]] inline double strength(const Force& force, std::uint64_t step) {
    const auto now = static_cast<std::int64_t>(step);
    if (now < force.from || (force.until > 0 && now >= force.until)) return 0.0;
    if (force.period == 0) return 1.0;
    const std::int64_t halves = 2 * ((now - force.from) % force.period) + 1;
    return sin_cos_turns(static_cast<double>(halves) / (2.0 * static_cast<double>(force.period))).cos;
}

/// What all uniform forces of a list add to a velocity in half of a step, divided by the mass of the fluid's
/// particles, and gravity, which every particle follows alike.
struct UniformKicks {
    Vec3<double> of_forces;
    Vec3<double> of_gravity;
};
[[nodiscard]] inline UniformKicks uniform_half_kicks(const System& system, std::uint64_t step) {
    UniformKicks kicks;
    const double half = 0.5 * system.collision.time_step;
    for (int axis = 0; axis < 3; ++axis) {
        double force = system.force[axis], gravity = 0.0;
        for (int i = 0; i < system.forces.size(); ++i) {
            const Force& one = system.forces[i];
            if (one.shape == ForceShape::uniform) force += strength(one, step) * one.amplitude[axis];
            if (one.shape == ForceShape::gravity) gravity += strength(one, step) * one.amplitude[axis];
        }
        kicks.of_forces[axis] = half * (force / system.fluid.mass);
        kicks.of_gravity[axis] = half * gravity;
    }
    return kicks;
}

/// The half kicks of one step by waves in the box, each the amplitude times a function of the place along an
/// axis: sin(2 pi n x / L), or its sign.
template <class Real>
class WaveKicks {
public:
    WaveKicks() = default;
    WaveKicks(const System& system, std::uint64_t step) {
        for (int i = 0; i < system.forces.size(); ++i) {
            const Force& force = system.forces[i];
            if (force.shape != ForceShape::sine && force.shape != ForceShape::opposed_blocks) continue;
            Wave& wave = waves_[count_++];
            const double half = 0.5 * system.collision.time_step * strength(force, step) / system.fluid.mass;
            for (int axis = 0; axis < 3; ++axis) wave.half_kick[axis] = half * force.amplitude[axis];
            wave.turns = static_cast<double>(force.waves) / system.box.size[force.along];
            wave.along = force.along;
            wave.is_block = force.shape == ForceShape::opposed_blocks ? 1 : 0;
        }
    }

    [[nodiscard]] MPCFLOW_HD bool are_any() const { return count_ > 0; }

    /// At a place in the box, for a particle of the fluid's mass.
    [[nodiscard]] MPCFLOW_HD_CALLED Vec3<Real> at(const Vec3<Real> place) const {
        Vec3<double> kick{};
        for (int i = 0; i < count_; ++i) {
            const Wave& wave = waves_[i];
            const double sine = sin_cos_turns(static_cast<double>(place[wave.along]) * wave.turns).sin;
            const double sign = sine < 0.0 ? -1.0 : 1.0;
            kick += (wave.is_block != 0 ? sign : sine) * wave.half_kick;
        }
        return vector_cast<Real>(kick);
    }

private:
    struct Wave {
        Vec3<double> half_kick;
        double turns;  ///< of the wave, for a cell along the axis
        int along;
        int is_block;
    };

    int count_ = 0;
    Wave waves_[ForceList::most]{};
};

}  // namespace mpcflow

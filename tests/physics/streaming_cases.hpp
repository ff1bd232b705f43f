#pragma once
/// What the tests of streaming share.

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "physics/streaming.hpp"
#include "physics/system.hpp"

namespace mpcflow::test {

inline System box_of(std::array<int, 3> size, std::array<bool, 3> has_walls, double time_step) {
    System system;
    system.box.size = size;
    system.collision.time_step = time_step;
    for (int axis = 0; axis < 3; ++axis)
        if (has_walls[axis]) system.boundaries.faces[axis] = {FaceKind::no_slip, FaceKind::no_slip};
    return system;
}

template <class Particle>
Particle particle_at(Vec3<double> position, Vec3<double> velocity) {
    using Real = typename Particle::Real;
    return Particle::make(1, vector_cast<Real>(position), vector_cast<Real>(velocity));
}

template <class Particle>
StreamOutcome stream(const System& system, Particle& particle) {
    return Streaming<typename Particle::Real>(system).move(particle, particle.velocity);
}

/// Equal but for a few roundings of numbers as large as the expected ones or `size`.
template <class Real>
void expect_vector(Vec3<Real> found, Vec3<double> expected, double size = 1.0) {
    for (int axis = 0; axis < 3; ++axis) {
        const double epsilon = static_cast<double>(std::numeric_limits<Real>::epsilon());
        EXPECT_NEAR(static_cast<double>(found[axis]), expected[axis],
                    epsilon * std::max(size, std::abs(expected[axis])))
            << "axis " << axis;
    }
}

}  // namespace mpcflow::test

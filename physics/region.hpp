#pragma once
/// A region of the box, of which particles are followed.

#include <array>
#include <limits>

#include "physics/host_device.hpp"
#include "physics/system.hpp"
#include "physics/vector.hpp"

namespace mpcflow {

/// A cuboid, lower <= x < upper along each axis, in cells.
struct Region {
    std::array<double, 3> lower{};
    std::array<double, 3> upper{};

    [[nodiscard]] constexpr double volume() const {
        return (upper[0] - lower[0]) * (upper[1] - lower[1]) * (upper[2] - lower[2]);
    }
    bool operator==(const Region&) const = default;
};

/// Which particles of a system are in a region. A region that reaches to a face of the box takes what is on
/// that face too: a particle may sit on an upper wall.
class RegionRule {
public:
    RegionRule(const System& system, const Region& region) {
        for (int axis = 0; axis < 3; ++axis) {
            lower_[axis] = region.lower[axis];
            upper_[axis] = region.upper[axis] < system.box.size[axis] ? region.upper[axis]
                                                                      : std::numeric_limits<double>::infinity();
        }
    }

    /// Compared in double precision, whatever the particles are.
    template <class Real>
    MPCFLOW_HD bool contains(Vec3<Real> position) const {
        const Vec3<double> x = vector_cast<double>(position);
        return x.x >= lower_.x && x.x < upper_.x && x.y >= lower_.y && x.y < upper_.y && x.z >= lower_.z &&
               x.z < upper_.z;
    }

private:
    Vec3<double> lower_;
    Vec3<double> upper_;
};

}  // namespace mpcflow

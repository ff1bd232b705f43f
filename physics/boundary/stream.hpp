#pragma once
/// A stream: a slab of the box, across an axis, that drives the fluid in it to a velocity. What enters the
/// rest of a periodic box then is that flow, whatever an obstacle has made of it before: the fringe method,
/// Nordström, Nordin and Henningson, SIAM J. Sci. Comput. 20 (1999) 1365.
///
/// In the collision a cell of the slab takes as many virtual particles for each of the fluid's as
/// Stream::strength says (physics/collision/virtual_particles.hpp). They have the stream's velocity and the
/// fluid's temperature, so that velocities stay Maxwellian, about the stream's velocity, with every law. How
/// much of the difference between fluid and stream a collision leaves docs/physics.md says.

#include <cmath>

#include "physics/boundary/surface.hpp"
#include "physics/host_device.hpp"
#include "physics/system.hpp"
#include "physics/vector.hpp"

namespace mpcflow {

/// The stream of a system, as cells ask for it.
class StreamCells {
public:
    StreamCells() = default;
    explicit StreamCells(const System& system) {
        if (!system.stream) return;
        const Stream& stream = *system.stream;
        density_ = stream.strength * system.fluid.density;
        axis_ = stream.axis;
        from_ = stream.from;
        to_ = stream.to;
        length_ = system.box.size[static_cast<std::size_t>(axis_)];
        velocity_ = {stream.velocity[0], stream.velocity[1], stream.velocity[2]};
        if (stream.profile == StreamProfile::uniform) return;
        across_ = system.walled_axis();
        if (across_ < 0) return;  // which the input refuses
        width_ = system.box.size[static_cast<std::size_t>(across_)];
    }

    [[nodiscard]] MPCFLOW_HD bool is_on() const { return density_ > 0.0; }
    /// Whether the cell around a centre, which may be below the box along periodic axes, is in the slab.
    [[nodiscard]] MPCFLOW_HD bool has(Vec3<double> centre) const {
        const double x = centre[axis_] < 0.0 ? centre[axis_] + length_ : centre[axis_];
        return x >= from_ && x < to_;
    }
    /// The same of a cell by its number along each axis of the box, in a grid of some step: its centre then
    /// is up to half an edge off `c`.
    [[nodiscard]] MPCFLOW_HD bool may_have(Vec3<int> c) const {
        const auto reaches = [this](double middle) { return middle + 0.5 >= from_ && middle - 0.5 < to_; };
        return is_on() && (reaches(c[axis_]) || (c[axis_] == 0 && reaches(length_)));
    }
    /// Mean number of virtual particles of a cell that is all fluid.
    [[nodiscard]] MPCFLOW_HD double density() const { return density_; }
    /// In the cell around a centre. Of a parabola, whose mean over its width is the velocity that was asked
    /// for, and which is 0 at the walls; a centre may be behind these.
    [[nodiscard]] MPCFLOW_HD Vec3<double> velocity(Vec3<double> centre) const {
        if (across_ < 0) return velocity_;
        const double y = centre[across_] / width_;
        const double part = 6.0 * y * (1.0 - y);
        return (part > 0.0 ? part : 0.0) * velocity_;
    }

private:
    double density_ = 0.0;
    double from_ = 0.0;
    double to_ = 0.0;
    double length_ = 0.0;
    Vec3<double> velocity_{};
    double width_ = 1.0;
    int axis_ = 0;
    int across_ = -1;  ///< of a parabola, the axis across its walls
};

}  // namespace mpcflow

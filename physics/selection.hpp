#pragma once
/// Which particles are followed: those of a region of the box, every n-th by its id, those of a range of ids.

#include <array>
#include <cstdint>
#include <limits>
#include <optional>

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

/// The particles that are in the region now (none: anywhere) and whose id is a multiple of every_nth_id >= 1
/// in [first_id, end_id).
struct Selection {
    static constexpr std::int64_t no_end = std::numeric_limits<std::int64_t>::max();
    std::optional<Region> region{};
    std::int64_t every_nth_id = 1;
    std::int64_t first_id = 0;
    std::int64_t end_id = no_end;

    [[nodiscard]] bool is_all() const {
        return !region && every_nth_id == 1 && first_id == 0 && end_id == no_end;
    }
    bool operator==(const Selection&) const = default;
};

/// Number of ids below `particles` that are multiples of every_nth_id.
[[nodiscard]] constexpr std::int64_t count_selected_ids(std::int64_t particles, std::int64_t every_nth_id) {
    return (particles + every_nth_id - 1) / every_nth_id;
}

/// A selection of the particles of a system. A region that reaches to a face of the box takes what is on that
/// face too: a particle may sit on an upper wall.
class SelectionRule {
public:
    SelectionRule(const System& system, const Selection& selection)
        : every_nth_id_(static_cast<std::uint64_t>(selection.every_nth_id)),
          first_id_(static_cast<std::uint64_t>(selection.first_id)),
          ids_(static_cast<std::uint64_t>(selection.end_id - selection.first_id)),
          has_region_(selection.region.has_value()) {
        if (!has_region_) return;
        const Region& region = *selection.region;
        for (int axis = 0; axis < 3; ++axis) {
            lower_[axis] = region.lower[axis];
            upper_[axis] = region.upper[axis] < system.box.size[axis]
                               ? region.upper[axis]
                               : std::numeric_limits<double>::infinity();
        }
    }

    /// The id first: without a region nothing else of the record is read.
    template <class Particle>
    MPCFLOW_HD bool contains(const Particle& particle) const {
        if (particle.id() - first_id_ >= ids_) return false;  // also where the difference wraps
        if (every_nth_id_ > 1 && particle.id() % every_nth_id_ != 0) return false;
        return !has_region_ || is_inside(vector_cast<double>(particle.position));
    }

private:
    /// Compared in double precision, whatever the particles are.
    MPCFLOW_HD bool is_inside(Vec3<double> x) const {
        return x.x >= lower_.x && x.x < upper_.x && x.y >= lower_.y && x.y < upper_.y && x.z >= lower_.z &&
               x.z < upper_.z;
    }

    std::uint64_t every_nth_id_;
    std::uint64_t first_id_;
    std::uint64_t ids_;  ///< in the range
    bool has_region_;
    Vec3<double> lower_{};
    Vec3<double> upper_{};
};

}  // namespace mpcflow

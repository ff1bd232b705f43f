#include "physics/boundary/surface_map.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

#include "physics/boundary/cell_surfaces.hpp"
#include "physics/grid_rounding.hpp"

namespace mpcflow {

namespace {

/// Flights up to so many thermal ones are asked for cheaply, but of no more than some cells, around which
/// lists of near surfaces would be long, and no more than to the next image.
constexpr double thermal_flights = 5.0;
/// A cell of any grid reaches into those next to its centre's, which list what is this near.
constexpr double least_reach = 0.9;  // more than half a diagonal of a cell: SurfaceView::cut_no_cell_at
constexpr double most_reach = 4.0;
/// More than this a flight shall not gain in an edge between walls that move.
constexpr double most_added_thermal_speeds = 4.0;

double speed_of(const Surface& surface) {
    double turning = 0.0;
    double sliding = 0.0;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        turning += surface.angular_velocity[axis] * surface.angular_velocity[axis];
        sliding += surface.velocity[axis] * surface.velocity[axis];
    }
    return std::sqrt(sliding) + surface.radius * std::sqrt(turning);
}

}  // namespace

// Who ends a step faster than the limit is a fault. Who flew faster and was slowed by a wall, by so much that
// no fault is told, is one in very many.
GapAtShearedFaces::GapAtShearedFaces(const System& system)
    : of_flights(system.collision.time_step * speed_limit(system.fluid) *
                 (1.0 + most_added_thermal_speeds / speed_limit_in_thermal_speeds)),
      // A cell that straddles a face has its centre no further than half an edge from it, and ends half an
      // edge beyond that.
      of_cells(1.0) {}

double distance_from_sheared_faces(const System& system, const Surface& surface) {
    const auto normal = static_cast<std::size_t>(system.sheared_axis());
    const double centre = surface.centre[normal];
    return std::min(centre, system.box.size[normal] - centre) - surface.radius;
}

double distance_from_sheared_faces(const System& system) {
    double least = std::numeric_limits<double>::infinity();
    if (system.sheared_axis() < 0) return least;
    for (const Surface& surface : system.surfaces.list)
        least = std::min(least, distance_from_sheared_faces(system, surface));
    return least;
}

SurfaceMap::SurfaceMap(const System& system)
    : box_{system.box.size[0], system.box.size[1], system.box.size[2]},
      fluid_mass_(system.fluid.mass),
      fluid_variance_(system.fluid.thermal_variance_at(0)),
      thermal_speed_(std::sqrt(system.fluid.highest_temperature() / fluid_mass_)),
      flight_(thermal_speed_ * system.collision.time_step),
      reach_(std::min<double>(std::clamp(thermal_flights * flight_, least_reach, most_reach),
                              *std::ranges::min_element(system.box.size))),
      most_hits_(Faces<double>::most_hits_ever),
      faces_(system),
      sheared_axis_(system.sheared_axis()),
      from_sheared_faces_(distance_from_sheared_faces(system)) {
    faces_.set_temperatures(system, 0.0);
    double fastest = 0.0;
    for (int axis = 0; axis < 3; ++axis) {
        const AxisFaces& faces = system.boundaries.faces[axis];
        is_periodic_[axis] = faces.is_periodic() ? 1 : 0;
        for (int side = 0; side < 2; ++side)
            for (const double v : faces[side].velocity) fastest = std::max(fastest, std::abs(v));
    }
    int number = 0;
    for (const Surface& surface : system.surfaces.list) {
        fastest = std::max(fastest, speed_of(surface));
        add_images(surface, number++);
    }
    // As between faces (Faces): in an edge one flight shall not add more than about 4 thermal speeds.
    const double most_added = most_added_thermal_speeds * thermal_speed_;
    if (2.0 * fastest * most_hits_ > most_added)
        most_hits_ = std::max(4, static_cast<int>(0.5 * most_added / fastest));
    find_near();
    for (int z = 0; z < box_.z; ++z)
        for (int y = 0; y < box_.y; ++y)
            for (int x = 0; x < box_.x; ++x) fluid_volume_ += fluid_part({x, y, z});
}

void SurfaceMap::add_images(const Surface& surface, int number) {
    CurvedSurface curved{};
    const bool is_inside = surface.fluid == FluidSide::inside;
    curved.radius = surface.radius;
    curved.radius_squared = surface.radius * surface.radius;
    curved.side = is_inside ? -1.0 : 1.0;
    curved.per_height = curved.side / (2.0 * surface.radius);
    curved.kind = surface.kind;
    curved.number = number;
    curved.thermal_variance = surface.temperature / fluid_mass_;
    Vec3<int> images{};
    for (int axis = 0; axis < 3; ++axis) {
        curved.across[axis] = surface.shape == SurfaceShape::cylinder && axis == surface.axis ? 0.0 : 1.0;
        curved.centre[axis] = surface.centre[static_cast<std::size_t>(axis)];
        curved.velocity[axis] = surface.velocity[static_cast<std::size_t>(axis)];
        curved.angular_velocity[axis] = surface.angular_velocity[static_cast<std::size_t>(axis)];
        if (curved.across[axis] == 0.0 || is_periodic_[axis] == 0) continue;
        // Containers have no images that touch: the nearest is meant.
        if (is_inside) curved.period[axis] = box_[axis];
        else images[axis] = 1 + static_cast<int>((surface.radius + reach_ + 1.0) / box_[axis]);
    }
    CurvedSurface nearest = curved;
    for (int axis = 0; axis < 3; ++axis) {
        const bool repeats = curved.across[axis] != 0.0 && is_periodic_[axis] != 0 && axis != sheared_axis_;
        nearest.period[axis] = repeats ? box_[axis] : 0.0;
    }
    nearest_.push_back(nearest);
    const Vec3<double> first = curved.centre;
    for (int z = -images.z; z <= images.z; ++z)
        for (int y = -images.y; y <= images.y; ++y)
            for (int x = -images.x; x <= images.x; ++x) {
                curved.centre =
                    first + Vec3<double>{static_cast<double>(x) * box_.x, static_cast<double>(y) * box_.y,
                                         static_cast<double>(z) * box_.z};
                bool is_near = true;
                const double far = surface.radius + reach_ + 1.0;
                for (int axis = 0; axis < 3; ++axis)
                    is_near &= curved.across[axis] == 0.0 || is_inside ||
                               (curved.centre[axis] > -far && curved.centre[axis] < box_[axis] + far);
                if (is_near) surfaces_.push_back(curved);
            }
}

/// Calls visit(cell, distance of its centre from the surface, more than 0 in the fluid) for the cells whose
/// centres are no further than the reach and half a diagonal from a surface, or are behind it.
template <class Visit>
void SurfaceMap::for_cells_near(const CurvedSurface& surface, const Visit& visit) const {
    const double far = reach_ + half_cell_diagonal;
    Vec3<int> lower{};
    Vec3<int> upper = box_;
    for (int axis = 0; axis < 3; ++axis) {
        // All cells but a sphere's or cylinder's surroundings are behind a container.
        if (surface.side < 0.0 || surface.across[axis] == 0.0) continue;
        const double edge = box_[axis];
        const double way = surface.radius + far;
        lower[axis] = static_cast<int>(std::clamp(surface.centre[axis] - way, 0.0, edge));
        upper[axis] = static_cast<int>(std::clamp(surface.centre[axis] + way + 1.0, 0.0, edge));
    }
    for (int z = lower.z; z < upper.z; ++z)
        for (int y = lower.y; y < upper.y; ++y)
            for (int x = lower.x; x < upper.x; ++x) {
                const Vec3<double> d = surface.offset({x + 0.5, y + 0.5, z + 0.5});
                const double distance = surface.side * (std::sqrt(dot(d, d)) - surface.radius);
                if (distance <= far) visit(index({x, y, z}), distance);
            }
}

void SurfaceMap::find_near() {
    const std::size_t cells = index({0, 0, box_.z});
    // Positions are kept in single precision, perhaps, and so rounded.
    const double rounding = 1e-3 + 0x1p-22 * std::max({box_.x, box_.y, box_.z});
    constexpr float solid = -1.0F;
    free_squared_.assign(cells, static_cast<float>(reach_ * reach_));
    first_.assign(cells + 1, 0);
    const double far = reach_ + half_cell_diagonal;
    for (const CurvedSurface& surface : surfaces_)
        for_cells_near(surface, [&](std::size_t cell, double distance) {
            const double way = std::max(0.0, distance - half_cell_diagonal - rounding);
            free_squared_[cell] = std::min(free_squared_[cell], static_cast<float>(way * way));
            if (distance < -half_cell_diagonal - rounding) free_squared_[cell] = solid;
            if (distance >= -far) ++first_[cell + 1];
        });
    std::uint64_t count = 0;
    for (std::size_t cell = 0; cell < cells; ++cell) {
        count += first_[cell + 1];
        first_[cell + 1] += first_[cell];
    }
    if (count > std::numeric_limits<std::uint32_t>::max())
        throw std::invalid_argument("too many surfaces are near to too many cells");
    near_.resize(first_[cells]);
    std::vector<std::uint32_t> next(first_.begin(), first_.end() - 1);
    for (std::size_t i = 0; i < surfaces_.size(); ++i)
        for_cells_near(surfaces_[i], [&](std::size_t cell, double distance) {
            if (distance >= -far) near_[next[cell]++] = static_cast<std::uint32_t>(i);
        });
}

double SurfaceMap::distance(Vec3<double> place) const {
    double least = std::numeric_limits<double>::infinity();
    for (const CurvedSurface& surface : nearest_) {
        const Vec3<double> d = surface.offset(place);
        least = std::min(least, surface.side * (std::sqrt(dot(d, d)) - surface.radius));
    }
    if (sheared_axis_ < 0) return least;
    const double height = place[sheared_axis_];
    return std::min(least, std::min(height, box_[sheared_axis_] - height) + from_sheared_faces_);
}

double SurfaceMap::fluid_part(Vec3<int> cell) const {
    const std::size_t number = index(cell);
    if (free_squared_[number] < 0.0F) return 0.0;
    const SurfaceView all = view();
    const CellSurfaces here(all, {cell.x + 0.5, cell.y + 0.5, cell.z + 0.5});
    constexpr int pieces = 8;
    // A piece counts if its centre's height is under half its edge. That is a distance of less than an edge,
    // though the height is one to first order, and no piece's centre is farther from the cell's than half a
    // diagonal.
    constexpr double far = half_cell_diagonal + 1.0 / pieces;
    bool may_be_cut = false;
    here.for_near([&](int, const CurvedSurface& surface) {
        const Vec3<double> d = surface.offset(here.centre());
        may_be_cut |= surface.side * (std::sqrt(dot(d, d)) - surface.radius) < far;
    });
    if (!may_be_cut) return 1.0;
    double solid = 0.0;
    here.for_pieces<pieces>([&](int, double weight, Vec3<double>) { solid += weight; });
    return 1.0 - solid;
}

SurfaceView SurfaceMap::view_of(const SurfaceArrays& arrays) const {
    SurfaceView view;
    static_cast<SurfaceArrays&>(view) = arrays;
    view.cells = box_;
    view.is_periodic = vector_cast<unsigned char>(is_periodic_);
    view.reach = reach_;
    // What is faster than 32 thermal speeds is a fault (physics/grid_rounding.hpp).
    view.most_way = 100.0 * flight_;
    view.most_hits = most_hits_;
    view.fluid_variance = fluid_variance_;
    return view;
}

SurfaceView SurfaceMap::view() const {
    return view_of({surfaces_.data(), first_.data(), near_.data(), free_squared_.data(), &faces_});
}

std::int64_t SurfaceMap::bytes() const {
    return static_cast<std::int64_t>(std::span(surfaces_).size_bytes() + std::span(first_).size_bytes() +
                                     std::span(near_).size_bytes() + std::span(free_squared_).size_bytes() +
                                     sizeof faces_);
}

SurfaceView view_of_surfaces(const System& system) {
    if (system.surfaces.list.empty()) return {};
    if (system.surfaces.map == nullptr)
        throw std::logic_error("surfaces without a map: call map_surfaces() of the system first");
    return system.surfaces.map->view();
}

double System::fluid_volume() const {
    if (surfaces.list.empty()) return static_cast<double>(box.volume());
    if (surfaces.map == nullptr)
        throw std::logic_error("surfaces without a map: call map_surfaces() of the system first");
    return surfaces.map->fluid_volume();
}

void System::map_surfaces() {
    surfaces.map = nullptr;
    if (surfaces.list.empty()) return;
    auto map = std::make_shared<const SurfaceMap>(*this);
    if (map->fluid_volume() < least_fluid * static_cast<double>(box.volume()))
        throw std::invalid_argument("the surfaces leave " + std::to_string(map->fluid_volume()) +
                                    " cells of fluid in a box of " + std::to_string(box.volume()));
    surfaces.map = std::move(map);
}

}  // namespace mpcflow

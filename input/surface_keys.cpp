#include "input/surface_keys.hpp"

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "input/keys.hpp"

namespace mpcflow::input {
namespace {

constexpr std::array<std::string_view, 3> axes{"x", "y", "z"};
/// The two axes across one.
constexpr std::size_t first_across(std::size_t axis) { return axis == 0 ? 1 : 0; }
constexpr std::size_t last_across(std::size_t axis) { return axis == 2 ? 1 : 2; }

constexpr RealRange centre_range = between(-largest_edge, 2 * largest_edge);
constexpr RealRange radius_range = positive_up_to(largest_edge);

/// Its shapes. (Clang makes no std::optional of structs with defaults within the struct that has it.)
struct CylinderItem {
    std::size_t axis = 2;
    std::array<double, 2> centre{};
    double radius = 1.0;
};
struct SphereItem {
    std::array<double, 3> centre{};
    double radius = 1.0;
};

/// An item of `surfaces`.
struct SurfaceItem {
    std::optional<CylinderItem> cylinder;
    std::optional<SphereItem> sphere;
    FluidSide fluid = FluidSide::outside;
    FaceKind kind = FaceKind::no_slip;
    std::array<double, 3> velocity{};
    RealOrReals angular_velocity;
    double temperature = 0.0;

    SurfaceItem() = default;
    explicit SurfaceItem(const Surface& surface)
        : fluid(surface.fluid),
          kind(surface.kind),
          velocity(surface.velocity),
          temperature(surface.temperature) {
        const auto along = static_cast<std::size_t>(surface.axis);
        if (surface.shape == SurfaceShape::cylinder) {
            cylinder = {along,
                        {surface.centre[first_across(along)], surface.centre[last_across(along)]},
                        surface.radius};
            angular_velocity = {true, {surface.angular_velocity[along], 0, 0}};
        } else {
            sphere = {surface.centre, surface.radius};
            angular_velocity = {false, surface.angular_velocity};
        }
    }

    /// Where the shape is missing or there are two, check_surfaces() says so.
    [[nodiscard]] Surface surface() const {
        Surface made;
        made.fluid = fluid;
        made.kind = kind;
        made.velocity = velocity;
        made.temperature = temperature;
        if (cylinder) {
            made.shape = SurfaceShape::cylinder;
            made.axis = static_cast<int>(cylinder->axis);
            made.radius = cylinder->radius;
            made.centre[first_across(cylinder->axis)] = cylinder->centre[0];
            made.centre[last_across(cylinder->axis)] = cylinder->centre[1];
            if (angular_velocity.is_one) made.angular_velocity[cylinder->axis] = angular_velocity.values[0];
            else made.angular_velocity = angular_velocity.values;
        } else if (sphere) {
            made.centre = sphere->centre;
            made.radius = sphere->radius;
            if (!angular_velocity.is_one) made.angular_velocity = angular_velocity.values;
        }
        return made;
    }
};

void visit_surface(KeyVisitor& keys, SurfaceItem& surface) {
    keys.optional_section(
        {"cylinder", "A cylinder along an axis, through all of the box; a surface is this or a sphere."},
        surface.cylinder, [&](CylinderItem& cylinder) {
            keys.one_of({"axis", "The axis that it is along.", Presence::required}, cylinder.axis, axes);
            keys.pair({"centre", "Where it is along the other two axes, in cells.", Presence::required},
                      cylinder.centre, centre_range);
            keys.real({"radius", "Its radius, in cells.", Presence::required}, cylinder.radius, radius_range);
        });
    keys.optional_section({"sphere", "A sphere."}, surface.sphere, [&](SphereItem& sphere) {
        keys.reals({"centre", "Its centre, in cells.", Presence::required}, sphere.centre, centre_range);
        keys.real({"radius", "Its radius, in cells.", Presence::required}, sphere.radius, radius_range);
    });
    keys.choice({"fluid", "On which side the fluid is; what is on the other is solid.", Presence::required},
                surface.fluid);
    // FaceKind without `periodic`, its first.
    static constexpr std::array<std::string_view, 3> kinds{
        name_of(FaceKind::no_slip), name_of(FaceKind::slip), name_of(FaceKind::thermal)};
    std::size_t kind = static_cast<std::size_t>(surface.kind) - 1;
    keys.one_of({"kind",
                 "no_slip turns velocities to their opposites, relative to the surface; slip the part along "
                 "its normal; thermal draws new ones, at its temperature."},
                kind, kinds);
    surface.kind = static_cast<FaceKind>(kind + 1);
    if (surface.kind == FaceKind::slip && !keys.tells_of_all()) {
        for (const char* const name : {"velocity", "angular_velocity", "temperature"})
            keys.without({name, ""}, std::string("a slip surface has no ") + name +
                                         ": no fluid sticks to it; leave it out, or make the surface no_slip "
                                         "or thermal");
        return;
    }
    keys.reals({"velocity", "Of the surface: of a cylinder, along its axis."}, surface.velocity,
               face_velocity_range);
    keys.real_or_reals(
        {"angular_velocity",
         "Of the surface: of a cylinder a number, about its axis; of a sphere a list, along x, "
         "y, z; radians over time."},
        surface.angular_velocity, face_velocity_range);
    keys.real_if_given({"temperature", "kT of the surface; left out, the fluid's."}, surface.temperature,
                       face_temperature_range);
}

}  // namespace

void visit_surfaces(KeyVisitor& keys, std::vector<Surface>& surfaces) {
    std::vector<SurfaceItem> items(surfaces.begin(), surfaces.end());
    keys.list({"surfaces", "Surfaces in the box, with fluid on one side and a solid on the other."}, items,
              [&](SurfaceItem& surface) { visit_surface(keys, surface); });
    surfaces.clear();
    for (const SurfaceItem& item : items) surfaces.push_back(item.surface());
}

}  // namespace mpcflow::input

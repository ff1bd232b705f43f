#pragma once
/// What is simulated: the plain parameters of a system, each named as in the input file.
///
/// Units throughout: the cell edge a is 1; mass, energy and time are whatever the input uses, with
/// time = a sqrt(mass / energy).

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "physics/temperature_schedule.hpp"

namespace mpcflow {

/// A cuboid of whole collision cells, [0, size) along each axis.
struct Box {
    std::array<int, 3> size{32, 32, 32};

    [[nodiscard]] constexpr std::int64_t volume() const { return std::int64_t{size[0]} * size[1] * size[2]; }
};

struct Fluid {
    double density = 10.0;           ///< M, mean particles in a cell
    double temperature = 1.0;        ///< kT; with a schedule that of its last point, for which theory is
    double mass = 1.0;               ///< m, of one particle
    TemperatureSchedule schedule{};  ///< of kT; empty: it is always the same

    /// Makes kT follow a schedule. Of one without a point it throws std::invalid_argument.
    void follow(const TemperatureSchedule& a_schedule) {
        if (a_schedule.is_empty()) throw std::invalid_argument("a schedule of the temperature has no point");
        schedule = a_schedule;
        temperature = schedule.last().temperature;
    }
    /// kT in a step (TemperatureSchedule::at).
    [[nodiscard]] double temperature_at(std::uint64_t step) const {
        return schedule.is_empty() ? temperature : schedule.at(step);
    }
    /// kT/m in a step, of one velocity component of a particle of the fluid's mass.
    [[nodiscard]] double thermal_variance_at(std::uint64_t step) const { return temperature_at(step) / mass; }
    /// Of all steps: for it the grids of sums, the reach of domains and bounds of flights are chosen.
    [[nodiscard]] double highest_temperature() const {
        return schedule.is_empty() ? temperature : schedule.highest();
    }
    [[nodiscard]] double lowest_temperature() const {
        return schedule.is_empty() ? temperature : schedule.lowest();
    }
};

/// Whether all particles have the same mass, or each that of its species.
enum class Masses { equal, by_species };

/// One of the species of a fluid of several.
struct Species {
    std::string name;
    double mass = 1.0;     ///< of one particle
    double density = 0.0;  ///< mean particles in a cell
};

/// The species of a fluid of several; none where there is but one, which Fluid says all of.
class SpeciesList {
public:
    static constexpr int most = 8;

    [[nodiscard]] constexpr int size() const { return size_; }
    [[nodiscard]] const Species& operator[](int number) const { return list_[number]; }
    /// Throws std::length_error beyond the most.
    void add(const Species& species) {
        if (size_ == most) throw std::length_error("a fluid has at most 8 species");
        list_[size_++] = species;
    }

private:
    std::array<Species, most> list_;
    int size_ = 0;
};

enum class CollisionRule { srd, at };

struct Collision {
    CollisionRule rule = CollisionRule::srd;
    double angle = 130.0;                    ///< rotation angle alpha of SRD in degrees, (0, 180]
    double time_step = 0.1;                  ///< h, time between collisions
    bool conserve_angular_momentum = false;  ///< the "+a" law
    bool random_shift = true;                ///< a new random grid shift every step
};

/// How the relative velocities of a cell are scaled (physics/collision/thermostat.hpp).
enum class ThermostatKind {
    none,
    maxwell_boltzmann,  ///< to an energy drawn from its canonical distribution
    monte_carlo,        ///< by a factor that is tried, and taken or not
    simple              ///< to the mean energy
};

struct Thermostat {
    ThermostatKind kind = ThermostatKind::none;
    double strength = 0.2;  ///< of monte_carlo: factors of up to 1 + strength are tried
};

/// What a face of the box is, and but for `periodic` what a surface in it is (physics/boundary/surface.hpp).
enum class FaceKind { periodic, no_slip, slip, thermal };

/// A face of the box. Not an aggregate, so that a kind alone is a face, too.
struct Face {
    FaceKind kind = FaceKind::periodic;
    std::array<double, 3> velocity{};  ///< of a wall; it lies in the face
    double temperature = 0.0;          ///< kT of a wall; 0: the fluid's

    constexpr Face() = default;
    // NOLINTNEXTLINE(google-explicit-constructor)
    constexpr Face(FaceKind a_kind, std::array<double, 3> a_velocity = {}, double a_temperature = 0.0)
        : kind(a_kind), velocity(a_velocity), temperature(a_temperature) {}

    [[nodiscard]] friend constexpr bool operator==(const Face&, const Face&) = default;
    [[nodiscard]] constexpr bool is_moving() const {
        return velocity[0] != 0.0 || velocity[1] != 0.0 || velocity[2] != 0.0;
    }
};

/// Lees-Edwards shear of a pair of periodic faces (physics/lees_edwards.hpp).
struct Shear {
    double rate = 0.0;  ///< of the velocity along `along`, per length along the normal of the faces
    int along = -1;     ///< another axis, periodic, too; -1: the faces are not sheared
    [[nodiscard]] friend constexpr bool operator==(const Shear&, const Shear&) = default;
};

/// The two faces of the box that are normal to one axis; both are periodic or neither is.
struct AxisFaces {
    Face lower;
    Face upper;
    Shear shear{};  ///< of periodic ones

    [[nodiscard]] constexpr bool is_periodic() const { return lower.kind == FaceKind::periodic; }
    [[nodiscard]] constexpr bool is_sheared() const { return shear.along >= 0; }
    [[nodiscard]] constexpr const Face& operator[](int side) const { return side == 0 ? lower : upper; }
};

enum class SurfaceShape { cylinder, sphere };

/// On which side of a surface the fluid is.
enum class FluidSide { inside, outside };

/// A surface in the box, with fluid on one side of it and a solid on the other.
struct Surface {
    SurfaceShape shape = SurfaceShape::sphere;
    int axis = 2;                    ///< of a cylinder, along which it goes through all of the box
    std::array<double, 3> centre{};  ///< of a cylinder, but along its axis, where it means nothing
    double radius = 1.0;
    FluidSide fluid = FluidSide::outside;
    FaceKind kind = FaceKind::no_slip;
    std::array<double, 3> velocity{};          ///< of a cylinder, along its axis alone
    std::array<double, 3> angular_velocity{};  ///< about its centre; of a cylinder, along its axis alone
    double temperature = 0.0;                  ///< kT; 0: the fluid's

    [[nodiscard]] friend bool operator==(const Surface&, const Surface&) = default;
};

class SurfaceMap;

/// The surfaces in the box, and the map of where they are, which System::map_surfaces() makes.
struct Surfaces {
    std::vector<Surface> list{};
    std::shared_ptr<const SurfaceMap> map{};
};

struct Boundaries {
    std::array<AxisFaces, 3> faces{};
    /// Let the wall take part in the collisions of the cells that it cuts (mean_at_walls.hpp and
    /// virtual_particles.hpp in physics/collision/). Without, the fluid slips.
    bool virtual_particles = true;
};

enum class ForceShape {
    uniform,        ///< the same force everywhere
    gravity,        ///< the same acceleration
    sine,           ///< the amplitude times sin(2 pi n x / L), x along an axis of edge L
    opposed_blocks  ///< the amplitude times the sign of that
};

/// A force on every particle, of which the time or the place matters (physics/forces.hpp).
struct Force {
    ForceShape shape = ForceShape::uniform;
    std::array<double, 3> amplitude{};  ///< a force; of gravity an acceleration
    int along = 2;                      ///< of waves: the axis
    int waves = 1;                      ///< and how many of them the box holds
    std::int64_t from = 0;              ///< the first step in which it acts
    std::int64_t until = 0;             ///< the first in which it does not any more; 0: it goes on
    std::int64_t period = 0;            ///< steps in which it swings once to and fro; 0: it does not

    [[nodiscard]] constexpr bool is_steady() const { return from == 0 && until == 0 && period == 0; }
    [[nodiscard]] constexpr bool is_wave() const {
        return shape == ForceShape::sine || shape == ForceShape::opposed_blocks;
    }
    [[nodiscard]] friend constexpr bool operator==(const Force&, const Force&) = default;
};

/// Forces beside the uniform and steady ones, which add up to one.
class ForceList {
public:
    static constexpr int most = 8;

    [[nodiscard]] constexpr int size() const { return size_; }
    [[nodiscard]] constexpr const Force& operator[](int number) const { return list_[number]; }
    /// Throws std::length_error beyond the most.
    constexpr void add(const Force& force) {
        if (size_ == most) throw std::length_error("at most 8 forces act beside the uniform steady ones");
        list_[size_++] = force;
    }
    [[nodiscard]] friend constexpr bool operator==(const ForceList&, const ForceList&) = default;

private:
    std::array<Force, most> list_{};
    int size_ = 0;
};

enum class StreamProfile {
    uniform,   ///< the same velocity in all of the slab
    parabolic  ///< that of Poiseuille flow between the walls of an axis
};

/// A slab of the box that drives the fluid to a velocity (physics/boundary/stream.hpp).
struct Stream {
    int axis = 0;                      ///< across which the slab is: periodic
    double from = 0.0;                 ///< where it begins along the axis
    double to = 0.0;                   ///< and ends
    std::array<double, 3> velocity{};  ///< the mean over the slab
    StreamProfile profile = StreamProfile::uniform;
    double strength = 1.0;  ///< virtual particles for each of the fluid

    [[nodiscard]] double mean_speed() const {
        return std::sqrt(velocity[0] * velocity[0] + velocity[1] * velocity[1] + velocity[2] * velocity[2]);
    }
    /// Of a parabola in the middle between the walls.
    [[nodiscard]] double greatest_speed() const {
        return (profile == StreamProfile::parabolic ? 1.5 : 1.0) * mean_speed();
    }
    [[nodiscard]] friend bool operator==(const Stream&, const Stream&) = default;
};

/// Where particles begin (physics/initial_state.hpp).
enum class FirstPlaces { random, lattice };

/// All that decides the trajectory of a run, whatever machine runs it (with Precision,
/// physics/solver_options.hpp).
struct System {
    std::uint64_t seed = 1;
    Box box;
    Fluid fluid;
    Collision collision;
    Thermostat thermostat;
    Boundaries boundaries;
    std::array<double, 3> force{};  ///< uniform force on every particle (not an acceleration)
    ForceList forces;               ///< and others
    std::optional<Stream> stream{};
    SpeciesList species;
    Surfaces surfaces;
    FirstPlaces first_places = FirstPlaces::random;  ///< on a lattice only where there are no surfaces

    /// Where there are surfaces, to be called after all else is set and before anything is asked: how many
    /// particles there are and how they fly follows from it. Throws std::invalid_argument where no fluid is
    /// left, less than `least_fluid` of the box.
    void map_surfaces();
    static constexpr double least_fluid = 0.001;
    /// The part of the box that is fluid, a^3. Of surfaces without a map it throws std::logic_error.
    [[nodiscard]] double fluid_volume() const;

    /// Makes it a fluid of several species. Its mass is then that of the lightest, its density that of all.
    void set_species(const std::vector<Species>& all) {
        species = {};
        fluid.density = 0.0;
        fluid.mass = all.empty() ? 1.0 : all.front().mass;
        for (const Species& one : all) {
            species.add(one);
            fluid.density += one.density;
            fluid.mass = std::min(fluid.mass, one.mass);
        }
    }
    [[nodiscard]] Masses masses() const { return species.size() > 1 ? Masses::by_species : Masses::equal; }
    [[nodiscard]] int species_count() const { return std::max(species.size(), 1); }
    /// Mass of a particle of a species in units of that of the fluid: exactly 1 where there is one species.
    [[nodiscard]] double relative_mass(int number) const {
        return masses() == Masses::equal ? 1.0 : species[number].mass / fluid.mass;
    }
    [[nodiscard]] std::int64_t count_of(int number) const { return first_id(number + 1) - first_id(number); }
    /// The species that an id belongs to.
    [[nodiscard]] int species_of(std::int64_t id) const {
        int number = 0;
        while (number + 1 < species_count() && id >= first_id(number + 1)) ++number;
        return number;
    }
    [[nodiscard]] double mass_of(int number) const {
        return masses() == Masses::equal ? fluid.mass : species[number].mass;
    }
    /// Mass of the heaviest particles in units of the fluid's.
    [[nodiscard]] double heaviest() const {
        double mass = 1.0;
        for (int s = 0; s < species_count(); ++s) mass = std::max(mass, relative_mass(s));
        return mass;
    }
    /// Of a particle, in units of the fluid's: exactly 1 where there is one species.
    [[nodiscard]] double mean_relative_mass() const {
        if (masses() == Masses::equal) return 1.0;
        double sum = 0.0;
        for (int s = 0; s < species_count(); ++s) sum += species[s].density * relative_mass(s);
        return sum / fluid.density;
    }
    [[nodiscard]] double mean_mass() const { return fluid.mass * mean_relative_mass(); }
    /// Of all particles together.
    [[nodiscard]] double total_mass() const {
        double sum = 0.0;
        for (int s = 0; s < species_count(); ++s) sum += relative_mass(s) * static_cast<double>(count_of(s));
        return fluid.mass * sum;
    }
    /// Ids begin with those of the first species, and so on: the first of species `number`, or the count of
    /// all.
    [[nodiscard]] std::int64_t first_id(int number) const {
        double density = 0.0;
        for (int s = 0; s < number && s < species.size(); ++s) density += species[s].density;
        if (number >= species_count()) density = fluid.density;
        return static_cast<std::int64_t>(density * fluid_volume() + 0.5);
    }

    /// The axis normal to the sheared faces, of which there is one pair at most; -1 without.
    [[nodiscard]] int sheared_axis() const {
        for (int axis = 0; axis < 3; ++axis)
            if (boundaries.faces[axis].is_sheared()) return axis;
        return -1;
    }

    /// The one axis with walls at its faces; -1 where there is none, or several.
    [[nodiscard]] int walled_axis() const {
        int found = -1;
        int count = 0;
        for (int axis = 0; axis < 3; ++axis) {
            if (boundaries.faces[static_cast<std::size_t>(axis)].is_periodic()) continue;
            found = axis;
            ++count;
        }
        return count == 1 ? found : -1;
    }

    /// Whether there is any wall or surface.
    [[nodiscard]] bool has_walls() const {
        bool has = !surfaces.list.empty();
        for (const AxisFaces& axis : boundaries.faces) has = has || !axis.is_periodic();
        return has;
    }

    /// Whether nothing outside takes or gives momentum: no wall, no force and no stream. (The thermostat
    /// keeps it, and sheared faces do, relative to the flow that they impose.)
    [[nodiscard]] bool conserves_momentum() const {
        return !has_walls() && !stream && !has_force_along(0) && !has_force_along(1) && !has_force_along(2);
    }

    /// Whether any force has a part along an axis, ever and anywhere.
    [[nodiscard]] bool has_force_along(int axis) const {
        bool has = force[axis] != 0.0;
        for (int i = 0; i < forces.size(); ++i) has = has || forces[i].amplitude[axis] != 0.0;
        return has;
    }
    /// The force that is the same everywhere and always, gravity on one of the mean mass included.
    [[nodiscard]] std::array<double, 3> steady_force() const {
        std::array<double, 3> steady = force;
        for (int i = 0; i < forces.size(); ++i)
            for (int axis = 0; axis < 3; ++axis)
                if (forces[i].is_steady() && !forces[i].is_wave())
                    steady[axis] += forces[i].amplitude[axis] *
                                    (forces[i].shape == ForceShape::gravity ? mean_mass() : 1.0);
        return steady;
    }
    /// Whether some force changes with the time or the place.
    [[nodiscard]] bool has_other_forces() const {
        bool has = false;
        for (int i = 0; i < forces.size(); ++i) has = has || !forces[i].is_steady() || forces[i].is_wave();
        return has;
    }

    /// Number of particles: density x volume of the fluid to the nearest whole number.
    [[nodiscard]] std::int64_t particle_count() const {
        return static_cast<std::int64_t>(fluid.density * fluid_volume() + 0.5);
    }
};

}  // namespace mpcflow

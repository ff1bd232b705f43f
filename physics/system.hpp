#pragma once
/// What is simulated: the plain parameters of a system, each named as in the input file.
///
/// Units throughout: the cell edge a is 1; mass, energy and time are whatever the input uses, with
/// time = a sqrt(mass / energy).

#include <algorithm>
#include <array>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace mpcflow {

/// A cuboid of whole collision cells, [0, size) along each axis.
struct Box {
    std::array<int, 3> size{32, 32, 32};

    [[nodiscard]] constexpr std::int64_t volume() const { return std::int64_t{size[0]} * size[1] * size[2]; }
};

struct Fluid {
    double density = 10.0;     ///< M, mean particles in a cell
    double temperature = 1.0;  ///< kT
    double mass = 1.0;         ///< m, of one particle
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

enum class FaceKind { periodic, no_slip, slip };

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

/// The two faces of the box that are normal to one axis; both are periodic or neither is.
struct AxisFaces {
    Face lower;
    Face upper;

    [[nodiscard]] constexpr bool is_periodic() const { return lower.kind == FaceKind::periodic; }
    [[nodiscard]] constexpr const Face& operator[](int side) const { return side == 0 ? lower : upper; }
};

struct Boundaries {
    std::array<AxisFaces, 3> faces{};
    /// Let the wall take part in the collisions of the cells that it cuts, as virtual particles of its
    /// temperature and velocity (physics/collision/virtual_particles.hpp). Without, the fluid slips.
    bool virtual_particles = true;
};

/// All that decides the trajectory of a run, whatever machine runs it (with Precision, below).
struct System {
    std::uint64_t seed = 1;
    Box box;
    Fluid fluid;
    Collision collision;
    Thermostat thermostat;
    Boundaries boundaries;
    std::array<double, 3> force{};  ///< uniform force on every particle (not an acceleration)
    SpeciesList species;

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
    [[nodiscard]] constexpr Masses masses() const {
        return species.size() > 1 ? Masses::by_species : Masses::equal;
    }
    [[nodiscard]] constexpr int species_count() const { return std::max(species.size(), 1); }
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
        return static_cast<std::int64_t>(density * static_cast<double>(box.volume()) + 0.5);
    }

    /// Whether nothing outside takes or gives momentum: no wall and no force. (The thermostat keeps it.)
    [[nodiscard]] constexpr bool conserves_momentum() const {
        bool is_isolated = force[0] == 0.0 && force[1] == 0.0 && force[2] == 0.0;
        for (const AxisFaces& axis : boundaries.faces) is_isolated = is_isolated && axis.is_periodic();
        return is_isolated;
    }

    /// Number of particles: density x volume to the nearest whole number. The walls coincide with
    /// faces of the box, so all of the box is fluid.
    [[nodiscard]] constexpr std::int64_t particle_count() const {
        return static_cast<std::int64_t>(fluid.density * static_cast<double>(box.volume()) + 0.5);
    }
};

/// How particles are stored. Cell sums are double precision in both.
enum class Precision {
    double_precision,  ///< 64-byte records of doubles ("double" in the input)
    mixed              ///< 32-byte records of floats
};

/// How particles are added to the sums of cells on the device (gpu/tile_kernels.cuh, gpu/cell_sums.cuh). The
/// bits of the result do not depend on it. `bench kernels` measures more ways (gpu/bench/sum_ways.cuh).
enum class Summation {
    automatic,  ///< the fastest of the others on this run, by timing its first steps ("auto" in the input)
    tile,       ///< a block adds up the particles of a tile of cells in its shared memory
    match,   ///< lanes that share a cell find each other by the match instruction and add up, a leader does
             ///< the atomics
    peers,   ///< the same, found by votes
    direct,  ///< every lane does its own atomics
    cas      ///< every lane does its own atomics by compare-and-swap loops
};

/// The vector units of a processor that the host solver uses, from the narrowest to the widest. The bits of
/// the result do not depend on it.
enum class VectorUnits { plain, avx2, avx512 };

/// Whether the pressure tensor is sampled along with the other fields.
enum class PressureFields { none, sampled };

/// How a run is executed; of these only `precision` changes the bits of the result.
struct SolverOptions {
    Precision precision = Precision::double_precision;
    Summation summation = Summation::automatic;
    int reorder = 0;  ///< steps between re-orderings of the particles in memory; 0: chosen by the solver
    int threads = 0;  ///< CPU threads of the host solver; 0: all that the machine has
    VectorUnits vectors =
        VectorUnits::avx512;  ///< the widest that the host solver may use, if there are such
    /// Fluid bins of the field observables along x, y, z; all zero: no fields are sampled.
    std::array<int, 3> bins{};
    PressureFields pressure = PressureFields::none;
};

}  // namespace mpcflow

#pragma once
/// The interface that the host solver and the device solver share.

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "physics/selection.hpp"
#include "physics/system.hpp"

namespace mpcflow {

class ParticleRecords;

/// Sums over all particles; exact up to the last rounding, so equal on every machine.
struct Totals {
    std::int64_t particles = 0;
    double mass = 0.0;
    std::array<double, 3> momentum{};
    double kinetic_energy = 0.0;

    /// Temperature kT of the motion relative to the centre of mass: 2 E_rel / (3 (N - 1)); 0 for N < 2.
    [[nodiscard]] double temperature() const;
};

/// The extremes of a state; equal on every machine.
struct Extremes {
    double maximum_speed = 0.0;  ///< of a particle
    /// Fewest and most particles in a collision cell of the next collision, of the whole cells that is, which
    /// no wall cuts; both 0 where there is no such cell.
    std::int64_t minimum_occupancy = 0;
    std::int64_t maximum_occupancy = 0;
};

/// Sums of one bin over the samples of a block, from which averages are made.
struct FieldSums {
    double particles = 0.0;            ///< sum over samples of N
    std::array<double, 3> momentum{};  ///< sum over samples of sum m v
    double relative_energy = 0.0;      ///< sum over samples of (m/2) (sum v^2 - |sum v|^2 / N)
    double relative_freedoms = 0.0;    ///< sum over samples of 3 (N - 1) where N > 0; kT = 2 E / this
};

/// Sums of one bin over the samples of a block, from which its pressure tensor is made
/// (physics/observables/momentum_flux.hpp).
struct PressureSums {
    double particles = 0.0;               ///< sum over samples of N, in the middle of the flight that comes
    std::array<double, 3> momentum{};     ///< and of their m v
    std::array<double, 6> kinetic{};      ///< sum m u_a u_b of their flights: xx yy zz xy xz yz
    std::array<double, 9> collisional{};  ///< sum (m/h) dv_a r_b of the collision before it, in row order
};

/// A block of field samples: bins in row order, index = x + bins[0] * (y + bins[1] * z).
struct FieldBlock {
    std::int64_t samples = 0;
    std::vector<FieldSums> bins;
    std::vector<PressureSums> pressure{};  ///< as many as bins, or none where SolverOptions::pressure is none
};

/// An empty block.
[[nodiscard]] FieldBlock make_field_block(std::int64_t bins, PressureFields pressure);

/// Bytes that a bin takes in a block.
[[nodiscard]] constexpr std::int64_t bytes_of_bin(PressureFields pressure) {
    return static_cast<std::int64_t>(sizeof(FieldSums) +
                                     (pressure == PressureFields::sampled ? sizeof(PressureSums) : 0));
}

/// Throws std::invalid_argument unless the block has so many bins, with pressure or without.
void check_bins(const FieldBlock& block, std::int64_t bins, PressureFields pressure);

/// Throws std::logic_error, in the name of `what`, where there are several species.
void check_one_species(const System& system, const char* what);

/// The flux of momentum in the step to come: V P_ab = kinetic + collisional, momentum along a in direction b
/// (physics/observables/momentum_flux.hpp).
struct MomentumFlux {
    std::array<double, 9> kinetic{};      ///< [3 a + b]: sum m u_a u_b over all particles, u of their flight
    std::array<double, 9> collisional{};  ///< [3 a + b]: (1/h) sum m dv_a r_b
    std::array<double, 3> momentum{};     ///< sum m v in the middle of the flight
    /// Momentum given to the faces with walls in the step, by hits and by collisions: [2 axis + (0 lower, 1
    /// upper)].
    std::array<std::array<double, 3>, 6> to_walls{};
    std::array<double, 6> energy_to_walls{};  ///< the same of kinetic energy
};

/// Counts of the occupancies of cells and of the speeds of particles, summed over samples.
struct Histograms {
    /// Largest number of bins of either: what fits into the shared memory of a block of every GPU.
    static constexpr int most_bins = 12000;

    Histograms() = default;
    /// Of 1 to most_bins occupancies, 0 and up, of which the last one takes all above it too; and of
    /// `speed_bins` bins of equal width from 0 to `largest_speed` thermal speeds sqrt(kT/m), and one more for
    /// all above.
    Histograms(int occupancy_bins, int speed_bins, double the_largest_speed)
        : largest_speed(the_largest_speed), occupancy(occupancy_bins), speed(speed_bins + 1) {}

    double largest_speed = 0.0;
    std::int64_t samples = 0;
    std::vector<std::uint64_t> occupancy;  ///< of the whole collision cells, as in Extremes
    std::vector<std::uint64_t> speed;
};

/// Wave vectors along the axes: k = 2 pi n / L with n = 1 ... along[axis], L the edge of the box. In order:
/// those along x, then y, then z, each by n.
struct WaveNumbers {
    std::array<int, 3> along{};

    [[nodiscard]] constexpr std::int64_t count() const {
        return std::int64_t{along[0]} + along[1] + along[2];
    }
};

/// Some particles or all, in the order of their ids. Shapes for n particles: id n, position, velocity and
/// image 3 n (x y z of each particle), species n or, of a fluid of one, none. The unwrapped position is
/// position + image * box size.
struct ParticleSnapshot {
    std::int64_t step = 0;
    std::vector<std::int64_t> id;
    std::vector<double> position;
    std::vector<double> velocity;
    std::vector<std::int32_t> image;
    std::vector<std::uint8_t> species{};
};

class PairCentres;  // physics/observables/pair_centres.hpp

/// Advances a fluid in time. The state after `current_step()` steps: positions and velocities at
/// time step * h, after streaming and before the next collision.
///
/// All results (totals, fields, snapshots, hash) are the same bits for every solver and every
/// SolverOptions with the same precision. Errors: SimulationFault when the state is no longer
/// finite or a sum outgrows its grid, EnvironmentError when memory or the device fails.
class Solver {
public:
    virtual ~Solver() = default;
    Solver(const Solver&) = delete;
    Solver& operator=(const Solver&) = delete;

    /// Runs `count` >= 0 steps.
    virtual void run(std::int64_t count) = 0;
    [[nodiscard]] virtual std::int64_t current_step() const = 0;
    /// Steps so far at whose end some particle had a speed that carries it across more than a cell edge in a
    /// step: |v| h > 1.
    [[nodiscard]] virtual std::int64_t fast_steps() const = 0;

    /// Sums over all particles now.
    [[nodiscard]] virtual Totals totals() = 0;
    /// Extremes over all particles and cells now.
    [[nodiscard]] virtual Extremes extremes() = 0;
    /// The flux of momentum in the step to come, which stays to come: no bit of the state changes. As fields,
    /// of fluids of one species only: for others both throw std::logic_error.
    [[nodiscard]] virtual MomentumFlux momentum_flux() = 0;
    /// 64-bit sum over particles of a mix of id and all state bits; free of memory order.
    [[nodiscard]] virtual std::uint64_t state_hash() = 0;
    /// Adds the present state to the current block of field samples (needs SolverOptions::bins), and with
    /// SolverOptions::pressure the flux of momentum in the step to come.
    virtual void sample_fields() = 0;
    /// Returns the current block and begins a new one.
    [[nodiscard]] virtual FieldBlock take_field_block() = 0;
    /// Makes a block that take_field_block() gave the current one; what was sampled since is dropped.
    virtual void put_field_block(const FieldBlock& block) = 0;
    /// Adds the present state to the counts: all particles, and the cells of the next collision.
    virtual void sample_histograms(Histograms& histograms) = 0;
    /// Adds the pairs of these centres, which are particles of the present state, with all particles to the
    /// counts of their distances, as many as the rule of the centres has bins.
    virtual void count_pairs(const PairCentres& centres, std::vector<std::uint64_t>& counts) = 0;
    /// The Fourier modes of the velocity now, u_k = (1/N) sum over particles of v exp(-i k x): for each wave
    /// vector the components x, y, z, of each the real and the imaginary part. Velocities are rounded to
    /// 2^-18 thermal speeds, and exp(-i k x) to 2^-19 (physics/observables/mode_rule.hpp).
    [[nodiscard]] virtual std::vector<double> velocity_modes(const WaveNumbers& waves) = 0;
    /// Copies the records of all particles, ids 0 ... N-1 in their order.
    virtual void copy_particles(ParticleRecords& records) = 0;
    /// Copies the records of some particles, in any order. Takes memory for these alone.
    virtual void copy_selection(const Selection& selection, ParticleRecords& records) = 0;
    /// The same as arrays, in the order of ids.
    void copy_particles(ParticleSnapshot& snapshot);
    void copy_selection(const Selection& selection, ParticleSnapshot& snapshot);

    /// Goes on from a state that copy_particles() gave, of a solver of the same System and precision: from
    /// here on all bits are those of that solver. `fast_steps` as fast_steps() was; the current block of
    /// field samples is emptied. Throws std::invalid_argument where check_snapshot() (snapshot.hpp) does.
    virtual void restore(const ParticleSnapshot& snapshot, std::int64_t fast_steps) = 0;

    /// One line for logs and result files: what runs this, e.g. "CPU, 2 threads".
    [[nodiscard]] virtual std::string device_description() const = 0;
    /// Steps between re-orderings that are in force; 0 as long as the solver has not settled which.
    [[nodiscard]] virtual int reorder_interval() const = 0;
    /// The way of summing that is in force, `automatic` as long as the solver has not settled which; on the
    /// host cells are added to directly.
    [[nodiscard]] virtual Summation summation() const { return Summation::direct; }
    /// False while the solver times ways of summing and intervals; both may change then.
    [[nodiscard]] virtual bool is_settled() const { return true; }
    /// What the solver has to tell the user since the last call, a line each.
    [[nodiscard]] virtual std::vector<std::string> take_notes() { return {}; }
    /// Bytes of memory (of the device, for the device solver) that the state takes.
    [[nodiscard]] virtual std::int64_t memory_bytes() const = 0;

protected:
    Solver() = default;
};

/// The host solver: CPU threads.
[[nodiscard]] std::unique_ptr<Solver> make_host_solver(const System& system, const SolverOptions& options);

/// What the host solver takes of the machine.
struct HostNeeds {
    std::int64_t bytes = 0;  ///< with what its threads hand to each other, which memory_bytes() leaves out
    int threads = 1;         ///< the caller's among them
};
/// Of the solver that make_host_solver would make; takes no memory for it.
[[nodiscard]] HostNeeds host_solver_needs(const System& system, const SolverOptions& options);

}  // namespace mpcflow

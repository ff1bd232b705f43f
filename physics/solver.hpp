#pragma once
/// The interface that the host solver and the device solver share.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "physics/observables/rules.hpp"
#include "physics/selection.hpp"
#include "physics/solver_options.hpp"
#include "physics/system.hpp"

namespace mpcflow {

class ParticleRecords;
class ParticleSource;

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

/// Advances a fluid in time, and measures it. The state after `current_step()` steps: positions and
/// velocities at time step * h, after streaming and before the next collision.
///
/// All results (totals, fields, snapshots, hash) are the same bits for every solver and every
/// SolverOptions with the same precision. Errors: SimulationFault when the state is no longer
/// finite or a sum outgrows its grid, EnvironmentError when memory or the device fails.
class Solver : public Measures<Rules> {
public:
    virtual ~Solver() = default;
    Solver(const Solver&) = delete;
    Solver& operator=(const Solver&) = delete;

    /// What runs.
    [[nodiscard]] virtual const System& system() const = 0;

    /// Runs `count` >= 0 steps.
    virtual void run(std::int64_t count) = 0;
    [[nodiscard]] virtual std::int64_t current_step() const = 0;
    /// Steps so far at whose end some particle had a speed that carries it across more than a cell edge in a
    /// step: |v| h > 1.
    [[nodiscard]] virtual std::int64_t fast_steps() const = 0;

    using Measures<Rules>::measure;
    /// What a rule gives of the state now, of which no bit changes: measure<SpeedBins>(histograms) makes the
    /// rule for this system. The list of rules says what there is (physics/observables/rules.hpp).
    template <class Rule, class... Wanted>
    [[nodiscard]] typename Rule::Result measure(const Wanted&... wanted) {
        return measure(Rule(system(), wanted...));
    }
    /// 64-bit sum over particles of a mix of id and all state bits; free of memory order.
    [[nodiscard]] virtual std::uint64_t state_hash() = 0;
    /// Copies the records of all particles, ids 0 ... N-1 in their order.
    virtual void copy_particles(ParticleRecords& records) = 0;
    /// Copies the records of those that are in this solver's own memory, of a domain its own, in any order.
    virtual void copy_own(ParticleRecords& records) { copy_particles(records); }
    /// Copies the records of some particles, in any order. Takes memory for these alone.
    virtual void copy_selection(const Selection& selection, ParticleRecords& records) = 0;
    /// The same as arrays, in the order of ids.
    void copy_particles(ParticleSnapshot& snapshot);
    void copy_selection(const Selection& selection, ParticleSnapshot& snapshot);

    /// Goes on from a state that copy_particles() gave, of a solver of the same System and precision: from
    /// here on all bits are those of that solver. `fast_steps` as fast_steps() was; the current block of
    /// field samples is emptied. Throws std::invalid_argument where check_snapshot() (snapshot.hpp) does.
    virtual void restore(const ParticleSnapshot& snapshot, std::int64_t fast_steps) = 0;
    /// The same from particles that come piece by piece, of a state after `step` steps. Where there are
    /// several domains each has a source, which together give each particle once.
    virtual void restore_from(ParticleSource& particles, std::int64_t step, std::int64_t fast_steps);

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

/// A solver whose function `Self::result_of(rule)` measures each rule of the list.
template <class Self, class List = Rules>
class MeasuringSolver;

template <class Self>
class MeasuringSolver<Self, RuleList<>> : public Solver {};

template <class Self, class Rule, class... More>
class MeasuringSolver<Self, RuleList<Rule, More...>> : public MeasuringSolver<Self, RuleList<More...>> {
public:
    using MeasuringSolver<Self, RuleList<More...>>::measure;
    [[nodiscard]] typename Rule::Result measure(const Rule& rule) final {
        return static_cast<Self*>(this)->result_of(rule);
    }
};

/// The host solver: CPU threads.
[[nodiscard]] std::unique_ptr<Solver> make_host_solver(const System& system, const SolverOptions& options);

/// What the host solver takes of the machine.
struct HostNeeds {
    /// With the lists of what threads hand to each other, which memory_bytes() leaves out.
    std::int64_t bytes = 0;
    int threads = 1;  ///< the caller's among them
};
/// Of the solver that make_host_solver would make; takes no memory for it.
[[nodiscard]] HostNeeds host_solver_needs(const System& system, const SolverOptions& options);

}  // namespace mpcflow

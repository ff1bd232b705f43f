#pragma once
/// A step of the simulation, the part that the host solver and the device solver share.
///
///   resolve   over cells:      sums of the cell -> what the cell does to its particles
///   advance   over particles:  collide with that, stream, bin with the next step's grid shift, and
///                              contribute to the next step's sums

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "physics/boundary/stream.hpp"
#include "physics/cell_action.hpp"
#include "physics/cell_grid.hpp"
#include "physics/collision/law.hpp"
#include "physics/streaming.hpp"
#include "physics/system.hpp"

namespace mpcflow {

/// Things that must not happen; a solver collects them and throws SimulationFault.
enum Fault : std::uint32_t {
    no_fault = 0,
    fault_speed = 1,      ///< a particle faster than the grid of the sums allows, or not finite
    fault_occupancy = 2,  ///< a cell with more particles than the grid of the sums allows
    fault_image = 4,      ///< a particle so many boxes away that its image count does not fit
    fault_bin = 8,        ///< a field bin with more particles than the grid of its sums allows
};

/// Throws SimulationFault with the words for `faults` (see Fault), if any.
void throw_on_faults(std::uint32_t faults, std::int64_t step, const System& system);

/// No fault, but told along with them: a particle whose speed at the end of the step carries it across more
/// than a cell edge in a step, |v| h > 1. Solvers count the steps in which there is one.
inline constexpr std::uint32_t notice_fast = 1U << 31U;

/// Masses of the species in units of the fluid's, where they differ.
template <Masses masses>
struct RelativeMasses {
    RelativeMasses() = default;
    explicit RelativeMasses(const System& /*system*/) {}
};
template <>
struct RelativeMasses<Masses::by_species> {
    double of[SpeciesList::most]{};

    RelativeMasses() = default;
    explicit RelativeMasses(const System& system) {
        for (int s = 0; s < system.species_count(); ++s) of[s] = system.relative_mass(s);
    }
};

/// What of a step's plan does not hang on its law: the grid, how particles fly, and what drives cells.
template <class RealType, Masses masses_of, class GridType>
struct StepMotion : private RelativeMasses<masses_of> {
    using Real = RealType;
    using Grid = GridType;
    static constexpr Masses masses = masses_of;

    Streaming<Real, masses> streaming;
    StreamCells stream;
    std::uint64_t seed = 0;
    /// Index of the collision; before the first one it is -1, so that `next` is the first.
    std::uint64_t step = ~std::uint64_t{0};
    Grid grid;  ///< of this collision
    /// Particles have been left with what they take on in this collision, in the place of their velocities.
    bool are_taken = false;
    ShearedFaces<Real> mid_flight_shear;  ///< as sheared faces lie in the middle of the flight

    StepMotion() = default;
    explicit StepMotion(const System& system)
        : RelativeMasses<masses>(system), streaming(system), stream(system), seed(system.seed) {}

    /// In units of the fluid's mass.
    MPCFLOW_HD double mass_of(int species) const requires(masses == Masses::by_species) {
        return this->of[species];
    }

    /// Whether a stream takes part in the collision of a cell of this grid.
    MPCFLOW_HD bool is_in_stream(int cell) const { return stream.is_on() && stream.has(grid.centre(cell)); }

    /// A particle as a law sees it, whose place in the grid `where` is `place`.
    template <class Law, Setting setting, class Particle>
    MPCFLOW_HD InCell<Real> in_cell(const Particle& particle, const CellPlace<Real>& place,
                                    const Grid& where) const {
        InCell<Real> in_cell{where.template into_frame<setting>(particle.position, particle.velocity)};
        if constexpr (masses == Masses::by_species) in_cell.mass = mass_of(particle.species());
        if constexpr (Law::needs.offsets) in_cell.offset = place.offset;
        if constexpr (Law::needs.ids) in_cell.id = particle.id();
        return in_cell;
    }

    /// The velocity after the collision by `law` of a particle whose place in this step's grid is `place`.
    template <Setting setting, class Law, class Particle>
    MPCFLOW_HD Vec3<Real> collide(const Law& law, const Particle& particle, const CellPlace<Real>& place,
                                  const CellAction<Law>& action) const {
        InCell<Real> in_this = in_cell<Law, setting>(particle, place, grid);
        if constexpr (TakesVelocities<Law>) in_this.has_taken = are_taken;
        const Vec3<Real> velocity = law.apply(action.transform, action.draw(), in_this, {seed, step});
        return grid.template out_of_frame<setting>(particle.position, velocity);
    }
};

/// What of a step is the same for all cells and particles. `Grid` is that of the whole box or of a domain.
template <CollisionLaw Law, class Grid = CellGrid<typename Law::Real>>
struct StepPlan : StepMotion<typename Law::Real, Law::masses, Grid> {
    using Motion = StepMotion<typename Law::Real, Law::masses, Grid>;
    using Real = typename Law::Real;
    using Motion::grid;
    using Motion::is_in_stream;
    using Motion::mid_flight_shear;
    using Motion::seed;
    using Motion::step;
    using Motion::stream;
    using Motion::streaming;

    Law law;
    WallStates walls;
    Grid next_grid;
    Vec3<Real> refuge{};                  ///< where particles are put that break a bound; on the grid
    double fast_speed_squared = 0.0;      ///< (1 / h)^2: faster is worth a notice
    double greatest_speed_squared = 0.0;  ///< faster is a fault
    double ordinary_speed_squared = 0.0;  ///< up to here there is nothing to say
    Real surely_ordinary = 0;             ///< the same for a square made in Real

    StepPlan() = default;
    StepPlan(const Law& a_law, const System& system) : StepPlan(a_law, system, Grid(system, 0)) {}
    StepPlan(const Law& a_law, const System& system, const Grid& first_grid)
        : Motion(system), law(a_law), walls(system), next_grid(first_grid) {
        const double limit = law.parameters().rounding.speed_limit;
        fast_speed_squared = 1.0 / (system.collision.time_step * system.collision.time_step);
        greatest_speed_squared = limit * limit;
        ordinary_speed_squared = std::min(fast_speed_squared, greatest_speed_squared);
        // A square of three floats is off by less than 4e-7 of itself.
        surely_ordinary = static_cast<Real>((1.0 - 1e-6) * ordinary_speed_squared);
    }

    /// Prepares for the collision of step `index`; the plan must be at step `index` - 1 or new.
    void begin_step(const System& system, std::uint64_t index) {
        step = index;
        grid = next_grid;
        next_grid = grid.of_step(system, index + 1);
        if (system.forces.size() > 0) streaming.begin_step(system, index);
        if (!system.fluid.schedule.is_empty()) follow_temperature(system, index);
        if (!grid.is_sheared()) return;
        streaming.end_at(next_grid.shear());
        mid_flight_shear = ShearedFaces<Real>(system, 2 * index + 1);
    }

    /// What may be known of the system when a loop over its particles is compiled.
    [[nodiscard]] Setting setting() const { return streaming.setting(); }

    /// Puts the plan where `index` steps are done: begin_step(system, index) comes next.
    void go_to(const System& system, std::uint64_t index) {
        step = index - 1;
        next_grid = next_grid.of_step(system, index);
        this->are_taken = false;
        if (system.fluid.schedule.is_empty()) return;
        // What particles contribute is for the step to come.
        const double next = system.fluid.thermal_variance_at(index);
        law.set_thermal_variances(next, next);
    }

    MPCFLOW_HD CellKey key(int cell) const { return {seed, step, grid.key(cell)}; }
    MPCFLOW_HD CellKey next_key(int cell) const { return {seed, step + 1, next_grid.key(cell)}; }

    /// What a particle, whose place in the next step's grid is `place`, adds to the sums of the next
    /// collision; `draw` is CellDraws::next().
    template <Setting setting = Setting::any, class Particle>
    MPCFLOW_HD typename Law::Sums contribute(const Particle& particle, const CellPlace<Real>& place,
                                             const typename Law::Draw& draw) const {
        return contribute(in_next_cell<setting>(particle, place), draw);
    }
    MPCFLOW_HD typename Law::Sums contribute(const InCell<Real>& in_cell,
                                             const typename Law::Draw& draw) const {
        return rounded(law, law.contribute(in_cell, draw, {seed, step + 1}));
    }
    /// The same, and `taken` becomes what the particle takes on in the next collision.
    MPCFLOW_HD typename Law::Sums contribute(const InCell<Real>& in_cell, const typename Law::Draw& draw,
                                             Vec3<Real>& taken) const requires TakesVelocities<Law> {
        taken = law.take(in_cell, {seed, step + 1});
        return rounded(law, law.contribute_taking(in_cell, draw, taken));
    }
    /// The same before it is rounded to the grids of the sums.
    template <Setting setting = Setting::any, class Particle>
    MPCFLOW_HD typename Law::Sums unrounded(const Particle& particle, const CellPlace<Real>& place,
                                            const typename Law::Draw& draw) const {
        return law.contribute(in_next_cell<setting>(particle, place), draw, {seed, step + 1});
    }
    /// The same, and `taken` becomes what the particle takes on in the next collision.
    template <Setting setting = Setting::any, class Particle>
    MPCFLOW_HD typename Law::Sums unrounded(const Particle& particle, const CellPlace<Real>& place,
                                            const typename Law::Draw& draw,
                                            Vec3<Real>& taken) const requires TakesVelocities<Law> {
        const InCell<Real> in_cell = in_next_cell<setting>(particle, place);
        taken = law.take(in_cell, {seed, step + 1});
        return law.contribute_taking(in_cell, draw, taken);
    }
    /// What a particle takes on in the next collision.
    template <Setting setting = Setting::any, class Particle>
    MPCFLOW_HD Vec3<Real> take(const Particle& particle) const requires TakesVelocities<Law> {
        return law.take(in_next_cell<setting>(particle, {}), {seed, step + 1});
    }

    /// What is drawn to resolve a cell, of laws that draw more for it than its particles need to know.
    MPCFLOW_HD typename ToResolve<Law>::Draw draw_to_resolve([[maybe_unused]] int cell) const {
        if constexpr (ToResolve<Law>::has_draws)
            return law.parameters().draws_energy() ? Law::template draw_to_resolve<true>(key(cell))
                                                   : Law::template draw_to_resolve<false>(key(cell));
        else return {};
    }
    /// What a cell does to its particles. Faults are or-ed into `faults`. `drawn` is draw_to_resolve(), where
    /// the caller has it already.
    template <class ResolveDraw = NoDraw>
    MPCFLOW_HD typename Law::Transform resolve(int cell, const typename Law::Sums& sums,
                                               const typename Law::Draw& draw, std::uint32_t& faults,
                                               const ResolveDraw& drawn = {}) const {
        return resolve_filled(cell, fill(cell, sums.number() != 0.0), sums, draw, faults, drawn);
    }
    /// The same of a cell that is not special, in whose collision its particles alone take part.
    template <class ResolveDraw = NoDraw>
    MPCFLOW_HD typename Law::Transform resolve_plain(int cell, const typename Law::Sums& sums,
                                                     const typename Law::Draw& draw, std::uint32_t& faults,
                                                     const ResolveDraw& drawn = {}) const {
        return resolve_filled(cell, CellFill{}, sums, draw, faults, drawn);
    }
    /// What fills a cell and takes part in its collision.
    MPCFLOW_HD CellFill fill(int cell, bool has_particles) const {
        CellFill fill = grid.fill(cell, &walls);
        const bool is_streaming = is_in_stream(cell);
        // Where no particle is nobody asks what the cell does.
        if (streaming.surfaces().exist() && has_particles) {
            const CellSurfaces here(streaming.surfaces(), grid.centre(cell));
            const bool has_solid = here.has_solid();
            fill.is_cut |= has_solid;
            if (has_solid || ((fill.is_cut || is_streaming) && here.is_cut())) {
                fill.surfaces = &streaming.surfaces();
                fill.centre = grid.centre(cell);
            }
        }
        if (is_streaming) {
            fill.stream_density = stream.density();
            fill.stream = {stream.velocity(grid.centre(cell)), law.parameters().thermal_variance};
        }
        return fill;
    }
    /// Whether there may be cells in whose collision walls or a stream take part.
    [[nodiscard]] bool has_special_cells() const {
        const bool has_walls = next_grid.has_solid_faces() || streaming.surfaces().exist();
        return (law.parameters().virtual_particles && has_walls) || stream.is_on();
    }
    /// Whether a cell may be one, a face of the box or a surface in it cutting it, or it being in a stream,
    /// in a grid of some step. `surfaces` are those of the plan, to be read where this is asked.
    MPCFLOW_HD bool may_be_special(int cell, const SurfaceView& surfaces) const {
        const Vec3<int> c = next_grid.in_box(cell);
        const bool may_be_cut =
            next_grid.may_be_cut(cell) || (surfaces.exist() && may_have_solid(surfaces, c));
        return (law.parameters().virtual_particles && may_be_cut) || stream.may_have(c);
    }

    /// Whether a cell of the next grid is neither cut nor beyond a wall.
    MPCFLOW_HD bool is_whole(int cell) const {
        return mpcflow::is_whole(next_grid, streaming.surfaces(), cell);
    }

    /// The velocity after the collision of a particle whose place in this step's grid is `place`.
    template <Setting setting = Setting::any, class Particle>
    MPCFLOW_HD Vec3<Real> collide(const Particle& particle, const CellPlace<Real>& place,
                                  const CellAction<Law>& action) const {
        return Motion::template collide<setting>(law, particle, place, action);
    }

    /// Collides and streams a particle whose place in this step's grid is `place`.
    template <class Particle>
    MPCFLOW_HD void collide_and_stream(Particle& particle, const CellPlace<Real>& place,
                                       const CellAction<Law>& action, std::uint32_t& faults) const {
        if (collide_and_fly(particle, place, action, faults) == StreamOutcome::at_wall)
            bounce(particle, faults);
    }

    /// The same but for particles that meet a wall: for them it returns `at_wall`, and bounce() must follow.
    template <Setting setting = Setting::any, class Particle>
    MPCFLOW_HD StreamOutcome collide_and_fly(Particle& particle, const CellPlace<Real>& place,
                                             const CellAction<Law>& action, std::uint32_t& faults) const {
        const StreamOutcome outcome =
            streaming.template fly<setting>(particle, collide<setting>(particle, place, action));
        if (outcome != StreamOutcome::at_wall) check(particle, outcome, faults);
        return outcome;
    }

    /// What collide_and_glide() says of a particle, in bits. One that comes to a face of the box leaves it:
    /// its end is beyond, and Streaming::bring_back() may know what then. Of one that is to be treated by
    /// itself the end means nothing: collide_and_stream() knows. A speed that is worth a notice is told of
    /// others.
    enum Glide : int { glides = 0, is_fast = 1, leaves = 2, by_itself = 4, is_odd = leaves | by_itself };

    /// The same without a branch, for a particle by what the law sees of it, its species and its position,
    /// which is in the frame of its cell: its velocity after the step is returned in `velocity`. Returns bits
    /// of Glide.
    MPCFLOW_HD int collide_and_glide(const InCell<Real>& in_cell, int species, const CellAction<Law>& action,
                                     Vec3<Real>& position, Vec3<Real>& velocity) const {
        velocity = law.apply(action.transform, action.draw(), in_cell, {seed, step});
        return glide(streaming.glide(position, velocity, species), velocity);
    }

    /// The same where a force differs from place to place.
    MPCFLOW_HD int collide_and_glide_over_waves(const InCell<Real>& in_cell, int species,
                                                const CellAction<Law>& action, Vec3<Real>& position,
                                                Vec3<Real>& velocity) const {
        velocity = law.apply(action.transform, action.draw(), in_cell, {seed, step});
        const int found = glide(streaming.glide_over_waves(position, velocity, species), velocity);
        // Where it leaves the box the kick at its end was that of a place beyond.
        return (found & leaves) != 0 ? found | by_itself : found;
    }

    /// Ends the step of a particle that was left at a wall.
    template <Setting setting = Setting::any, class Particle>
    MPCFLOW_HD void bounce(Particle& particle, std::uint32_t& faults) const {
        const HitDraws draws = streaming.draws_of(particle, StepKey{seed, step});
        check(particle, streaming.template bounce<setting>(particle, draws), faults);
    }
    /// The same where it after all meets none, for sure; false where bounce() must follow.
    template <Setting setting = Setting::any, class Particle>
    [[nodiscard]] MPCFLOW_HD bool fly_on(Particle& particle, std::uint32_t& faults) const {
        if (!streaming.template fly_on<setting>(particle)) return false;
        check(particle, StreamOutcome::inside, faults);
        return true;
    }

private:
    template <Setting setting, class Particle>
    MPCFLOW_HD InCell<Real> in_next_cell(const Particle& particle, const CellPlace<Real>& place) const {
        return Motion::template in_cell<Law, setting>(particle, place, next_grid);
    }
    template <class ResolveDraw>
    MPCFLOW_HD typename Law::Transform resolve_filled(int cell, const CellFill& filled,
                                                      const typename Law::Sums& sums,
                                                      const typename Law::Draw& draw, std::uint32_t& faults,
                                                      [[maybe_unused]] const ResolveDraw& drawn) const {
        if (sums.number() > law.parameters().rounding.occupancy_limit) faults |= fault_occupancy;
        if constexpr (std::is_empty_v<ResolveDraw>) return law.resolve(sums, draw, key(cell), filled);
        else return law.resolve(sums, draw, drawn, key(cell), filled);
    }
    /// In the collision and the flight of step `index`, all that is at the fluid's temperature is at that of
    /// the step.
    void follow_temperature(const System& system, std::uint64_t index) {
        const double now = system.fluid.thermal_variance_at(index);
        law.set_thermal_variances(now, system.fluid.thermal_variance_at(index + 1));
        walls.set_temperatures(system, now);
        streaming.set_temperature(system, now);
    }

    /// Bits of Glide by the velocity at the end. Written so that of a NaN they say by_itself.
    MPCFLOW_HD int glide(bool is_inside, const Vec3<Real> velocity) const {
        const Vec3<double> v = vector_cast<double>(velocity);
        const double speed_squared = dot(v, v);
        return (speed_squared <= greatest_speed_squared ? glides : by_itself) |
               (is_inside ? glides : leaves) | (speed_squared > fast_speed_squared ? is_fast : glides);
    }

    /// A particle that breaks a bound is stopped, so that the state stays safe to work with until the fault
    /// is thrown.
    template <class Particle>
    MPCFLOW_HD void check(Particle& particle, StreamOutcome outcome, std::uint32_t& faults) const {
        if (outcome == StreamOutcome::fault) faults |= fault_image;
        // Written so that a NaN is caught, here and below. One comparison for the many.
        if (dot(particle.velocity, particle.velocity) <= surely_ordinary) return;
        const Vec3<double> v = vector_cast<double>(particle.velocity);
        const double speed_squared = dot(v, v);
        if (!(speed_squared <= ordinary_speed_squared)) remark_speed(particle, speed_squared, faults);
    }

    template <class Particle>
    MPCFLOW_HD void remark_speed(Particle& particle, double speed_squared, std::uint32_t& faults) const {
        const double limit = law.parameters().rounding.speed_limit;
        if (speed_squared > fast_speed_squared) faults |= notice_fast;
        if (!(speed_squared <= limit * limit)) {
            faults |= fault_speed;
            // Its position may be no number either.
            particle.velocity = {};
            particle.position = refuge;
        }
    }
};

}  // namespace mpcflow

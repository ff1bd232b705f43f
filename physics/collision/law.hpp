#pragma once
/// What a collision law is.
///
/// A law is parameters and four pure functions, for host and device alike:
///   draw        what chance decides for a cell, by the cell's key alone,
///   contribute  what one particle adds to the sums of its cell,
///   resolve     sums -> what the cell does to its particles,
///   apply       that, to one particle.
/// It sees a particle in its cell, and the keys of the cell and of the step for random numbers. It knows
/// nothing of how sums are made, nor on what machine. docs/design.md says how to add one.

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <type_traits>
#include <utility>

#include "physics/cell_grid.hpp"
#include "physics/grid_rounding.hpp"
#include "physics/system.hpp"

namespace mpcflow {

/// A particle as a law sees it. What the law does not need (LawNeeds) is not filled in.
template <class Real>
struct InCell {
    Vec3<Real> velocity{};
    Vec3<Real> offset{};     ///< from the cell's centre
    double mass = 1.0;       ///< in units of the fluid's mass
    std::uint64_t id = 0;    ///< for random numbers of its own
    bool has_taken = false;  ///< its velocity is what it takes on in this collision (TakesVelocities)
};

/// Whether a law scales relative velocities by System::thermostat. Laws are compiled with and without.
enum class Scaling { none, by_thermostat };

/// What a law asks of the solver beside velocities.
struct LawNeeds {
    bool draws_before_sums = false;  ///< what particles contribute depends on the cell's draw
    bool offsets = false;
    bool ids = false;
};

/// What collisions do to the energy of a cell, where no thermostat is.
enum class Energy {
    conserved,
    drifts,  ///< neither kept nor held: use a thermostat
    thermal  ///< the law holds the temperature itself and takes no thermostat
};

/// How much a collision forgets: A of a velocity, B of the (traceless) momentum flux. Transport theory needs
/// no more of a law.
struct Relaxation {
    double A = 0.0;
    double B = 0.0;
};

/// What every law is told about its fluid.
struct LawParameters {
    double density;           ///< M
    double thermal_variance;  ///< kT/m in this step, of one velocity component
    CellRounding rounding;
    Thermostat thermostat;
    bool virtual_particles;

    LawParameters() = default;
    explicit LawParameters(const System& system, SumWidth width = SumWidth::wide)
        : density(system.fluid.density),
          thermal_variance(system.fluid.thermal_variance_at(0)),
          rounding(system.fluid, system.heaviest(), width),
          thermostat(system.thermostat),
          virtual_particles(system.boundaries.virtual_particles),
          mean_mass_(system.mean_relative_mass()) {}

    /// Of virtual particles: the mean of the fluid's, in units of its mass.
    template <Masses masses>
    [[nodiscard]] MPCFLOW_HD double virtual_mass() const {
        if constexpr (masses == Masses::equal) return 1.0;
        else return mean_mass_;
    }
    /// Whether the thermostat draws an energy for each cell.
    [[nodiscard]] MPCFLOW_HD bool draws_energy() const {
        return thermostat.kind == ThermostatKind::maxwell_boltzmann;
    }

private:
    double mean_mass_;
};

/// Sums that there are only where masses differ: of the mass itself.
template <Masses masses>
inline constexpr int mass_sums = masses == Masses::by_species ? 1 : 0;

/// Of laws that conserve angular momentum, which have many sums, in arithmetic `Real`.
template <class Real>
inline constexpr SumWidth width_of_angular_sums = sizeof(Real) == sizeof(float) ? SumWidth::narrow
                                                                                : SumWidth::wide;

/// The sums of a cell: `count` doubles, of which the first is the number of particles and, where masses
/// differ, the last their mass. Where they do not, it follows from the number.
template <int count, Masses masses>
struct CellSums {
    double value[count]{};

    /// Of one particle.
    MPCFLOW_HD static CellSums of_one(double mass) {
        CellSums sums;
        sums.value[0] = 1.0;
        if constexpr (masses == Masses::by_species) sums.value[count - 1] = mass;
        return sums;
    }

    [[nodiscard]] MPCFLOW_HD double number() const { return value[0]; }
    /// In units of the fluid's mass.
    [[nodiscard]] MPCFLOW_HD double mass() const {
        return value[masses == Masses::by_species ? count - 1 : 0];
    }

    MPCFLOW_HD CellSums& operator+=(const CellSums& other) {
        for (int i = 0; i < count; ++i) value[i] += other.value[i];
        return *this;
    }
};

/// The grid of each of a cell's `count` sums, in their order.
template <int count>
struct SumGrids {
    struct Run {
        SumGrid grid;
        int length;
    };
    SumGrid of[count]{};

    /// From runs of sums on the same grid, which must be `count` in all.
    consteval SumGrids(std::initializer_list<Run> runs) {
        int next = 0;
        for (const Run& run : runs)
            for (int i = 0; i < run.length; ++i) of[next++] = run.grid;
        if (next != count) throw "the runs are not as many sums as there are";
    }
};

/// A cell's draw of laws that draw nothing.
struct NoDraw {};

/// Of laws that draw more for a cell than its particles need to know, when it is resolved. A solver may draw
/// it beforehand by Law::draw_to_resolve<with_energy>(key), for many cells at once or while it waits for
/// sums, and give it to `resolve`, to the same bits; with_energy must be what LawParameters::draws_energy()
/// says. It has members of the type std::uint32_t alone, a float by its bits: columns of it are read as such.
template <class Law>
concept DrawsToResolve = requires(const Law& law, const typename Law::Draw& draw,
                                  const typename Law::Sums& sums, const typename Law::ResolveDraw& drawn,
                                  const CellKey& cell, const CellFill& fill) {
    { Law::template draw_to_resolve<true>(cell) } -> std::same_as<typename Law::ResolveDraw>;
    { Law::template draw_to_resolve<false>(cell) } -> std::same_as<typename Law::ResolveDraw>;
    { law.resolve(sums, draw, drawn, cell, fill) } -> std::same_as<typename Law::Transform>;
    requires !std::is_empty_v<typename Law::ResolveDraw>;
};

/// What a law draws to resolve a cell (DrawsToResolve): columns of it are of words.
template <class Law>
struct ToResolve {
    static constexpr bool has_draws = false;
    using Draw = NoDraw;
};
template <DrawsToResolve Law>
struct ToResolve<Law> {
    static constexpr bool has_draws = true;
    using Draw = typename Law::ResolveDraw;
};

/// Of laws that know what most cells do without a branch: in a loop over cells compilers make vectors of
/// that. resolve_at_once() sets `transform` to what resolve() gives, to the bit, of a cell in which its
/// particles alone take part; where it returns false, to anything, and resolve() must be asked. It is called
/// where resolves_at_once(), of all cells, those without particles, too: what it makes of those, be it
/// infinite or no number, must do no harm.
template <class Law>
concept ResolvesAtOnce = requires(const Law& law, const typename Law::Draw& draw,
                                  const typename Law::Sums& sums, const typename ToResolve<Law>::Draw& drawn,
                                  typename Law::Transform& transform) {
    { law.resolves_at_once() } -> std::same_as<bool>;
    { law.resolve_at_once(sums, draw, drawn, transform) } -> std::same_as<bool>;
};

/// Of laws whose particles take on a velocity that is known before the sums are: Law::take(). What a particle
/// had before the collision nobody needs once it has contributed. So a solver may leave what it takes on in
/// its place, which spares drawing it again, and tell apply() by InCell::has_taken.
template <class Law>
concept TakesVelocities = requires(const Law& law, const InCell<typename Law::Real>& in_cell,
                                   const typename Law::Draw& draw, const Vec3<typename Law::Real>& taken,
                                   const StepKey& step) {
    { law.take(in_cell, step) } -> std::same_as<Vec3<typename Law::Real>>;
    { law.contribute_taking(in_cell, draw, taken) } -> std::same_as<typename Law::Sums>;
};

template <class Law>
concept CollisionLaw = requires(const Law& law, Law& plan, const InCell<typename Law::Real>& in_cell,
                                const typename Law::Draw& draw, const typename Law::Sums& sums,
                                const typename Law::Transform& transform, const CellKey& cell,
                                const StepKey& step, const CellFill& fill, const Collision& collision) {
    { Law::draw(cell) } -> std::same_as<typename Law::Draw>;
    { law.contribute(in_cell, draw, step) } -> std::same_as<typename Law::Sums>;  // not yet rounded
    { law.resolve(sums, draw, cell, fill) } -> std::same_as<typename Law::Transform>;
    { law.apply(transform, draw, in_cell, step) } -> std::same_as<Vec3<typename Law::Real>>;
    { law.parameters() } -> std::same_as<const LawParameters&>;
    { plan.set_thermal_variances(0.0, 0.0) } -> std::same_as<void>;  // kT/m of a step and the next one
    { Law::relaxation(collision) } -> std::same_as<Relaxation>;
    { Law::grids } -> std::convertible_to<SumGrids<Law::sum_count>>;
    { Law::sum_width } -> std::convertible_to<SumWidth>;
    { Law::masses } -> std::convertible_to<Masses>;
    { Law::needs } -> std::convertible_to<LawNeeds>;
    { Law::energy } -> std::convertible_to<Energy>;
    { Law::conserves_angular_momentum } -> std::convertible_to<bool>;
    { Law::has_angle } -> std::convertible_to<bool>;  // whether collision.angle means something to it
};

namespace detail {

template <class Law, int... k>
MPCFLOW_HD void round_sums(const CellRounding& rounding, double* value, std::integer_sequence<int, k...>) {
    ((value[k] = rounding.template round<Law::grids.of[k]>(value[k])), ...);
}

}  // namespace detail

/// Contributions on the grids of the law's sums, so that the order of adding does not matter.
template <class Law>
MPCFLOW_HD typename Law::Sums rounded(const Law& law, typename Law::Sums sums) {
    detail::round_sums<Law>(law.parameters().rounding, sums.value,
                            std::make_integer_sequence<int, Law::sum_count>{});
    return sums;
}

}  // namespace mpcflow

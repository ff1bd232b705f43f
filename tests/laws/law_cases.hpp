#pragma once
/// One cell and its particles: what the tests of the collision laws share.

#include <cmath>
#include <limits>
#include <random>
#include <tuple>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

#include "physics/collision/laws.hpp"
#include "tests/physics/rigid_body.hpp"

namespace mpcflow::test {

inline constexpr auto no_thermostat = Scaling::none;
inline constexpr auto scaling = Scaling::by_thermostat;

using SrdLaws = testing::Types<Srd<double, no_thermostat>, Srd<double, scaling>, Srd<float, no_thermostat>,
                               Srd<float, scaling>>;
using SrdAngularLaws = testing::Types<SrdAngular<double, no_thermostat>, SrdAngular<double, scaling>,
                                      SrdAngular<float, no_thermostat>, SrdAngular<float, scaling>>;

using ThermostattedSrdAngularLaws = testing::Types<SrdAngular<double, scaling>, SrdAngular<float, scaling>>;

template <class Law>
inline constexpr bool is_angular = Law::conserves_angular_momentum;
template <class Law>
inline constexpr bool has_scaling = requires {
    requires Law::is_thermostatted;
};
/// Whether the law alone, or with its thermostat, holds the temperature.
template <class Law>
inline constexpr bool has_temperature = has_scaling<Law> || Law::energy == Energy::thermal;
template <class Law>
using Always = std::true_type;

/// All laws of the table, with each thermostat that they take and in both arithmetics, which fulfil a
/// condition.
template <template <class> class Condition, Masses masses = Masses::equal>
class LawsWith {
    template <class Law>
    using IfFulfilled = std::conditional_t<Condition<Law>::value, std::tuple<Law>, std::tuple<>>;
    template <class Line, class Real>
    static auto of_line() {
        using Plain = typename Line::template Law<Real, no_thermostat, masses>;
        if constexpr (Plain::energy == Energy::thermal) return IfFulfilled<Plain>{};
        else
            return std::tuple_cat(IfFulfilled<Plain>{},
                                  IfFulfilled<typename Line::template Law<Real, scaling, masses>>{});
    }
    template <class... Law>
    static testing::Types<Law...> types(std::tuple<Law...>);
    template <class... Line>
    static auto of_lines(std::tuple<Line...>) {
        return types(std::tuple_cat(std::tuple_cat(of_line<Line, double>(), of_line<Line, float>())...));
    }

public:
    using Types = decltype(of_lines(law_table));
};

using AllLaws = LawsWith<Always>::Types;

/// Mass and temperature other than 1, so that a Gaussian scaled by 1/m or by kT fails.
namespace heavy {
inline constexpr double mass = 4.0;
inline constexpr double temperature = 2.5;
inline const double thermal_speed = std::sqrt(temperature / mass);
}  // namespace heavy

/// Of these, with the thermostat of laws that take one.
inline System heavy_system() {
    System system;
    system.fluid = {10.0, heavy::temperature, heavy::mass};
    system.thermostat.kind = ThermostatKind::maxwell_boltzmann;
    return system;
}

/// Particles in a cell, whose ids differ.
template <class Real>
using Cell = std::vector<InCell<Real>>;

/// By how much a collision may change the velocity of a lone particle along an axis, where speeds are below
/// `speed`: not at all, but by a law whose particles take on a velocity w. Of v' = w + (v - w) the difference
/// is rounded to its grid, weighted with a mass of 1/2 and more, and to Real, and so is v'.
template <class Law>
double rounding_alone(const Law& law, double speed) {
    if (!TakesVelocities<Law>) return 0.0;
    return law.parameters().rounding.velocity.spacing() +
           2.0 * static_cast<double>(std::numeric_limits<typename Law::Real>::epsilon()) * speed;
}

inline StepKey step_of(const CellKey& key) { return {key.seed, key.step}; }

template <class Law>
typename Law::Sums sum_of(const Law& law, const Cell<typename Law::Real>& cell, const CellKey& key) {
    const auto draw = law.draw(key);
    typename Law::Sums sums;
    for (const auto& p : cell) sums += rounded(law, law.contribute(p, draw, step_of(key)));
    return sums;
}

template <class Law>
typename Law::Transform resolve_cell(const Law& law, const Cell<typename Law::Real>& cell, const CellKey& key,
                                     const CellFill& part = {}) {
    return law.resolve(sum_of(law, cell, key), law.draw(key), key, part);
}

/// The cell after its collision.
template <class Law>
Cell<typename Law::Real> collide_cell(const Law& law, Cell<typename Law::Real> cell, const CellKey& key,
                                      const CellFill& part = {}) {
    const auto draw = law.draw(key);
    const auto transform = resolve_cell(law, cell, key, part);
    for (auto& p : cell) p.velocity = law.apply(transform, draw, p, step_of(key));
    return cell;
}

/// Random cells: places uniform in the cell or a part of it, velocities Maxwellian.
class CellMaker {
public:
    explicit CellMaker(std::uint64_t seed) : engine_(seed) {}

    template <class Real>
    Cell<Real> make(int count, double thermal_speed, const CellFill& part = {}) {
        Cell<Real> cell;
        for (int i = 0; i < count; ++i) {
            Vec3<double> r, v;
            for (int axis = 0; axis < 3; ++axis) {
                r[axis] = part.lower[axis] + uniform_(engine_) * (part.upper[axis] - part.lower[axis]);
                v[axis] = thermal_speed * normal_(engine_);
            }
            cell.push_back({vector_cast<Real>(v), vector_cast<Real>(r), 1.0, next_id_++});
        }
        return cell;
    }

    int poisson(double mean) { return std::poisson_distribution<int>(mean)(engine_); }
    std::mt19937_64& engine() { return engine_; }

private:
    std::mt19937_64 engine_;
    std::uint64_t next_id_ = 0;
    std::uniform_real_distribution<double> uniform_;
    std::normal_distribution<double> normal_;
};

/// What a collision keeps, for particles of unit mass, in long double.
struct CellTotals {
    Point velocity;               ///< sum v
    Point angular_momentum;       ///< about the centre of mass
    long double squares = 0.0L;   ///< sum v^2
    long double relative = 0.0L;  ///< sum (v - V)^2
    long double rotation = 0.0L;  ///< of which the rigid rotation is L . I^+ L
    double greatest_speed = 0.0;
    double least_eigenvalue = 0.0, condition = 1.0;  ///< of the inertia tensor

    template <class Real>
    explicit CellTotals(const Cell<Real>& cell) {
        std::vector<Point> places, velocities;
        for (const auto& p : cell) {
            places.push_back(vector_cast<long double>(p.offset));
            velocities.push_back(vector_cast<long double>(p.velocity));
            velocity += velocities.back();
            const long double square = dot(velocities.back(), velocities.back());
            squares += square;
            greatest_speed = std::max(greatest_speed, static_cast<double>(std::sqrt(square)));
        }
        if (cell.empty()) return;
        const Point mean = (1.0L / static_cast<long double>(cell.size())) * velocity;
        for (const Point& v : velocities) relative += dot(v - mean, v - mean);
        angular_momentum = test::angular_momentum(places, velocities);
        const RigidBody body(places);
        rotation = dot(angular_momentum, body.angular_velocity(angular_momentum));
        condition = body.condition();
        least_eigenvalue = body.least_eigenvalue();
    }
};

/// By which a transform scales, 1 where it does not.
template <class Transform>
double scale_of(const Transform& transform) {
    if constexpr (requires { transform.scale(); }) return static_cast<double>(transform.scale());
    else if constexpr (requires { transform.scale; }) return static_cast<double>(transform.scale);
    else return 1.0;
}

inline double length(Point p) { return static_cast<double>(std::sqrt(dot(p, p))); }

/// How far roundings may take the totals of a cell, worst case. What is rounded to a grid is off by half
/// its step; the mean velocity by that of the grid of velocities, per component.
template <class Law>
class Tolerance {
public:
    Tolerance(const Law& law, const CellTotals& before, std::size_t count, double scale)
        : count_(static_cast<double>(count)), totals_(before), scale_(1.0 + std::abs(scale)) {
        // Laws that draw velocities, or a rotation, change them by up to these, too.
        if constexpr (Law::energy == Energy::thermal || (is_angular<Law> && has_scaling<Law>))
            totals_.greatest_speed += 8.0 * std::sqrt(law.parameters().thermal_variance);
        const CellRounding& grid = law.parameters().rounding;
        const double epsilon = static_cast<double>(std::numeric_limits<typename Law::Real>::epsilon());
        offset_ = half_step(grid.offset);
        offset_velocity_ = half_step(grid.offset_velocity);
        // The mean counts twice, as V and in R (v - V); a velocity passes some 16 roundings.
        velocity_ = scale_ * (half_step(grid.velocity) + 16.0 * epsilon * totals_.greatest_speed);
        if constexpr (is_angular<Law>) {
            // No angular velocity is larger: L_k^2 <= eigenvalue_k sum v^2. Its velocities round as well,
            // with a thermostat before they are rotated, too; and it turns about a centre of mass that is
            // known to half a step.
            if (before.least_eigenvalue > 0.0)
                spin_ = scale_ * totals_.greatest_speed * std::sqrt(count_ / before.least_eigenvalue);
            velocity_ += ((has_scaling<Law> ? 20.0 : 4.0) * epsilon + offset_) * spin_;
        }
    }

    /// Of sum v: the error of every velocity may have the same sign.
    [[nodiscard]] double momentum() const { return count_ * velocity_; }
    /// Of sum v^2.
    [[nodiscard]] double squares() const { return 2.0 * count_ * totals_.greatest_speed * velocity_; }
    /// Of L: the sums of r x v (both kinds), those of r and r r times the angular velocity (9 entries), the
    /// inverse of the inertia tensor, and r times the errors of velocities.
    [[nodiscard]] double angular_momentum() const {
        const double inverse = 100.0 * 2.2e-16 * totals_.condition * scale_ * count_ * totals_.greatest_speed;
        return count_ * (2.0 * scale_ * offset_velocity_ + 9.0 * offset_ * spin_ + velocity_) + inverse;
    }

private:
    /// Of a vector: half a step of the grid in each component.
    static double half_step(const RoundingGrid& grid) {
        return std::sqrt(3.0) * std::ldexp(0.5, -grid.bits());
    }

    double count_;
    CellTotals totals_;
    double scale_;
    double offset_ = 0.0, offset_velocity_ = 0.0, velocity_ = 0.0, spin_ = 0.0;
};

/// The energy of a cell of heavy_system() that a thermostat scales: relative to the centre of mass, and with
/// angular momentum beyond the rigid rotation.
template <class Law>
double scaled_energy(const Cell<typename Law::Real>& cell) {
    const CellTotals totals(cell);
    const long double square = is_angular<Law> ? totals.relative - totals.rotation : totals.relative;
    return 0.5 * heavy::mass * static_cast<double>(square);
}

/// Its degrees of freedom, where the particles are not on a line.
template <class Law>
int scaled_freedoms(int count) {
    if (!is_angular<Law>) return 3 * (count - 1);
    return count == 2 ? 1 : 3 * count - 6;
}

}  // namespace mpcflow::test

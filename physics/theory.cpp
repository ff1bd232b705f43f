#include "physics/theory.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <numeric>

#include "physics/collision/laws.hpp"
#include "physics/observables/not_known.hpp"
#include "physics/theory_of_mixtures.hpp"

namespace mpcflow {

Relaxation rotation_relaxation(const Collision& collision) {
    const double angle = collision.angle * std::numbers::pi / 180.0;
    const double sine_of_half = std::sin(0.5 * angle);
    const double one_minus_cosine = 2.0 * sine_of_half * sine_of_half;  // exact at small angles, too
    const double sine = std::sin(angle);
    return {(2.0 / 3.0) * one_minus_cosine, (2.0 / 5.0) * (one_minus_cosine + 2.0 * sine * sine)};
}

namespace theory {
namespace {

// Averages over cells are written below as sums over the number n of particles in a cell, which is
// Poisson distributed. That is how the published closed forms come about (each quotes its own), it
// shows what lone particles and pairs contribute, and it does not cancel in nearly empty cells.

constexpr double dimension = 3.0;

/// P(n >= least) of a Poisson variable n of mean M: 1 - e^-M sum_{j < least} M^j / j!.
double poisson_tail(int least, double M) {
    double term = std::exp(-M);  // P(n = 0)
    double below = 0.0;
    for (int n = 0; n < least; ++n) {
        below += term;
        term *= M / (n + 1);
    }
    if (M > 1.0) return 1.0 - below;
    double tail = 0.0;
    for (int n = least; term > 1e-18 * tail; ++n) {
        tail += term;
        term *= M / (n + 1);
    }
    return tail;
}

/// f = (M - 1 + e^-M) / M, the mean of (n - 1)/n over particles: the share of the motion that collides,
/// the cells' own motion left out.
double colliding_fraction(double M) { return poisson_tail(1, M) - poisson_tail(2, M) / M; }

Relaxation relaxation(const Collision& collision) {
    return visit_law_line(
        collision,
        [&]<class Line>(const Line&) {
            return Line::template Law<double, Scaling::none>::relaxation(collision);
        });
}

/// (kT h / m) (1 / rate - 1/2): what flight carries between collisions that forget a share `rate` of it.
double carried(const System& system, double rate) {
    return system.fluid.temperature * system.collision.time_step / system.fluid.mass * (1.0 / rate - 0.5);
}

/// nu_kin = (kT h / m) (1 / (B f) - 1/2), nu_col = A f a^2 / (12 h), D = (kT h / m) (1 / (A f) - 1/2).
Transport transport_plain(const System& system) {
    const auto [A, B] = relaxation(system.collision);
    const double f = colliding_fraction(system.fluid.density);
    return {carried(system, B * f), A * f / (12.0 * system.collision.time_step), carried(system, A * f)};
}

/// C of the kinetic viscosity with angular momentum conservation, nu_kin = (kT h / m) (1 / C - 1/2):
/// C = B [1 - e^-M (1 + M)] + (A + B/d) M e^-M / (d + 2)
///     + (1/2) [A d - (B/2) (3 d + 2)] [1 - e^-M (1 + M + M^2/2)] / M.
double flux_relaxation_angular(const Relaxation& law, double M) {
    const auto [A, B] = law;
    constexpr double d = dimension;
    return B * poisson_tail(2, M) + (A + B / d) * M * std::exp(-M) / (d + 2.0) +
           0.5 * (A * d - 0.5 * B * (3.0 * d + 2.0)) * poisson_tail(3, M) / M;
}

/// What C changes by where SRD+a has its thermostat, and the motion beyond a cell's rigid rotation is turned
/// together with a rotation that is drawn anew: it then takes nothing of the momentum flux of the cell's own.
/// -[(23/240) (1 - cos alpha)^2 + (9/16) sin^2 alpha] times the mean over particles of 1/n - 3/n^2, n >= 3.
/// The bracket is exact to first order in 1/n, the 3 is of single cells (docs/physics.md, "What theory
/// says").
double flux_relaxation_of_thermostat(const Collision& collision, double M) {
    const double angle = collision.angle * std::numbers::pi / 180.0;
    const double versine = 1.0 - std::cos(angle);
    const double sine = std::sin(angle);
    double mean = 0.0;
    const int last = static_cast<int>(M + 40.0 * std::sqrt(M) + 100.0);
    const int first = std::max(3, static_cast<int>(M - 40.0 * std::sqrt(M) - 100.0));
    for (int n = first; n <= last; ++n) mean += poisson(n, M) * (1.0 - 3.0 / n) / M;
    return -(23.0 / 240.0 * versine * versine + 9.0 / 16.0 * sine * sine) * mean;
}

/// s of the diffusion with angular momentum conservation, D = (kT h / m) (1 / s - 1/2):
/// s = A {1 - (d+1)/(2 M) + (e^-M / 2) [M (d-1) (d-2) / (2 d) + d - 1 + (d+1) / M]}.
/// It is the mean over particles of 0 for a lone one, 1/(2d) in a pair, 1 - (d+1)/(2n) among n >= 3.
double velocity_relaxation_angular(const Relaxation& law, double M) {
    constexpr double d = dimension;
    return law.A *
           (poisson_tail(2, M) - 0.5 * (d + 1.0) / M * poisson_tail(3, M) + M * std::exp(-M) / (2.0 * d));
}

/// Collisional viscosity with angular momentum conservation:
/// nu_col = (A a^2 / (24 h M)) {M - c + e^-M [c + (c - 1) M + (1/d + c/2 - 1) M^2]}.
/// The braces are the mean over cells of 0 for n < 2, 2/d for n = 2, n - c for n >= 3. With c = 7/5
/// this is the published formula. Another c changes the bracket of e^-M with it: cells of no or one
/// particle still do nothing, and a pair still does what it did.
double collisional_viscosity_angular(const System& system, double c) {
    const double M = system.fluid.density;
    const double mean = M * poisson_tail(2, M) - c * poisson_tail(3, M) + M * M * std::exp(-M) / dimension;
    return relaxation(system.collision).A / (24.0 * system.collision.time_step * M) * mean;
}

constexpr double published_constant = 7.0 / 5.0;
/// From an expansion in 1/n. Single-cell Monte Carlo gives 24 h nu_col / A = 0.475, 0.635, 0.761, 0.808,
/// 0.872 at M = 3, 5, 8, 10, 15; this gives 0.485, 0.638, 0.764, 0.810, 0.873: 2.2 % more at
/// M = 3, at most 0.5 % more from M = 5 on. The published constant gives 22 % to 4 % more.
constexpr double expansion_constant = 19.0 / 10.0;

Transport transport_angular(const System& system) {
    const Relaxation law = relaxation(system.collision);
    const double M = system.fluid.density;
    double C = flux_relaxation_angular(law, M);
    if (system.thermostat.kind != ThermostatKind::none)
        C += flux_relaxation_of_thermostat(system.collision, M);
    return {carried(system, C), collisional_viscosity_angular(system, published_constant),
            carried(system, velocity_relaxation_angular(law, M))};
}

}  // namespace

bool is_known(const System& system) {
    return system.masses() == Masses::equal || !system.collision.conserve_angular_momentum;
}

Transport transport(const System& system) {
    if (!is_known(system)) return {not_known, not_known, not_known};
    if (system.masses() == Masses::by_species) return mixture_transport(system, relaxation(system.collision));
    return system.collision.conserve_angular_momentum ? transport_angular(system) : transport_plain(system);
}

double diffusion(const System& system, int species) {
    if (system.masses() == Masses::equal) return transport(system).diffusion;
    return is_known(system) ? mixture_diffusion(system, relaxation(system.collision), species) : not_known;
}

std::optional<double> collisional_viscosity_expansion(const System& system) {
    if (!system.collision.conserve_angular_momentum || !is_known(system)) return std::nullopt;
    return collisional_viscosity_angular(system, expansion_constant);
}

double predicted_viscosity(const System& system) {
    const Transport published = transport(system);
    return published.kinetic_viscosity +
           collisional_viscosity_expansion(system).value_or(published.collisional_viscosity);
}

double guessed_viscosity(const System& system) {
    if (is_known(system)) return predicted_viscosity(system);
    System one = system;
    one.species = {};
    one.fluid.mass = system.mean_mass();
    return predicted_viscosity(one);
}

double mean_free_path(const System& system, int species) {
    return system.collision.time_step * std::sqrt(system.fluid.temperature / system.mass_of(species));
}

double faster_than(double speed) {
    if (!(speed > 0.0)) return 1.0;
    return std::erfc(speed / std::numbers::sqrt2) +
           speed * std::sqrt(2.0 * std::numbers::inv_pi) * std::exp(-0.5 * speed * speed);
}

double poisson(int count, double mean) {
    return std::exp(count * std::log(mean) - mean - std::lgamma(count + 1.0));
}

std::vector<double> expected_speeds(const Histograms& histograms) {
    const std::vector<std::uint64_t>& counts = histograms.speed;
    const auto all = static_cast<double>(std::accumulate(counts.begin(), counts.end(), std::uint64_t{0}));
    const double width = histograms.largest_speed / static_cast<double>(counts.size() - 1);
    std::vector<double> expected(counts.size());
    for (std::size_t bin = 0; bin < counts.size(); ++bin) {
        const double above =
            bin + 1 < counts.size() ? faster_than(static_cast<double>(bin + 1) * width) : 0.0;
        expected[bin] = all * (faster_than(static_cast<double>(bin) * width) - above);
    }
    return expected;
}

std::vector<double> expected_occupancies(const Histograms& histograms, double mean) {
    const std::vector<std::uint64_t>& counts = histograms.occupancy;
    const auto all = static_cast<double>(std::accumulate(counts.begin(), counts.end(), std::uint64_t{0}));
    std::vector<double> expected(counts.size());
    for (std::size_t n = 0; n + 1 < counts.size(); ++n)
        expected[n] = all * poisson(static_cast<int>(n), mean);
    // Summed from above, where terms are small: no difference of large numbers.
    const auto last = static_cast<int>(counts.size()) - 1;
    double above = 0.0;
    for (int n = std::max(last, static_cast<int>(mean + 40.0 * std::sqrt(mean) + 100.0)); n >= last; --n)
        above += poisson(n, mean);
    expected.back() = all * above;
    return expected;
}

double transverse_correlation(const System& system, double wave_number, double time) {
    const double equipartition = system.fluid.temperature / system.total_mass();
    if (time == 0.0) return equipartition;
    return equipartition * std::exp(-predicted_viscosity(system) * wave_number * wave_number * time);
}

double fast_step_share(const System& system) {
    double log_of_none = 0.0;
    for (int s = 0; s < system.species_count(); ++s) {
        const double P = faster_than(1.0 / mean_free_path(system, s));
        if (P >= 1.0) return 1.0;
        log_of_none += static_cast<double>(system.count_of(s)) * std::log1p(-P);
    }
    return -std::expm1(log_of_none);
}

double speed_of_sound(const System& system) {
    const double isothermal = system.fluid.temperature / system.mean_mass();
    const bool keeps_energy =
        system.thermostat.kind == ThermostatKind::none && law_of(system.collision).energy != Energy::thermal;
    return std::sqrt(keeps_energy ? 5.0 / 3.0 * isothermal : isothermal);
}

bool PlaneFlow::is_poiseuille() const {
    return lower_velocity == 0.0 && upper_velocity == 0.0 && distance == width;
}

double PlaneFlow::velocity(double y) const {
    const double s = y + offset;
    return lower_velocity + (upper_velocity - lower_velocity) * s / distance +
           acceleration * s * (distance - s) / (2.0 * viscosity);
}

double PlaneFlow::shear_rate(double y) const {
    return (upper_velocity - lower_velocity) / distance +
           acceleration * (0.5 * distance - y - offset) / viscosity;
}

double PlaneFlow::maximum() const {
    double fastest = std::abs(upper_velocity) >= std::abs(lower_velocity) ? upper_velocity : lower_velocity;
    if (acceleration == 0.0) return fastest;
    const double of_force = acceleration * distance * distance / (8.0 * viscosity);
    if (is_poiseuille()) return of_force;
    // Where the shear rate is 0, if that is in the fluid.
    const double y =
        0.5 * distance - offset + (upper_velocity - lower_velocity) / distance * viscosity / acceleration;
    if (y >= 0.0 && y <= width && std::abs(velocity(y)) > std::abs(fastest)) fastest = velocity(y);
    return fastest;
}

double PlaneFlow::mean() const {
    return 0.5 * (lower_velocity + upper_velocity) + acceleration * distance * distance / (12.0 * viscosity);
}

double PlaneFlow::development_time() const {
    return distance * distance / (std::numbers::pi * std::numbers::pi * viscosity);
}

std::optional<PlaneFlow> plane_flow(const System& system) {
    if (!system.surfaces.list.empty() || system.has_other_forces() || system.stream) return std::nullopt;
    int walls = 0;
    PlaneFlow flow;
    const std::array<double, 3> force = system.steady_force();
    for (int axis = 0; axis < 3; ++axis) {
        if (!system.boundaries.faces[axis].is_periodic()) {
            ++walls;
            flow.wall_axis = axis;
        }
    }
    const AxisFaces& faces = system.boundaries.faces[flow.wall_axis];
    int driven = 0;
    for (int axis = 0; axis < 3; ++axis) {
        if (force[axis] != 0.0 || faces.lower.velocity[axis] != 0.0 || faces.upper.velocity[axis] != 0.0) {
            ++driven;
            flow.flow_axis = axis;
        }
    }
    if (walls != 1 || driven != 1 || flow.wall_axis == flow.flow_axis || !is_known(system))
        return std::nullopt;
    flow.acceleration = force[flow.flow_axis] / system.mean_mass();
    flow.width = system.box.size[flow.wall_axis];
    flow.viscosity = predicted_viscosity(system);
    const bool lower_slips = faces.lower.kind == FaceKind::slip;
    const bool upper_slips = faces.upper.kind == FaceKind::slip;
    if (lower_slips && upper_slips) return std::nullopt;
    flow.lower_velocity = (lower_slips ? faces.upper : faces.lower).velocity[flow.flow_axis];
    flow.upper_velocity = (upper_slips ? faces.lower : faces.upper).velocity[flow.flow_axis];
    flow.distance = lower_slips || upper_slips ? 2.0 * flow.width : flow.width;
    flow.offset = lower_slips ? flow.width : 0.0;
    return flow;
}

double WaveFlow::velocity(double y) const {
    if (shape == ForceShape::sine) return maximum() * std::sin(wave_number * y);
    const double width = std::numbers::pi / wave_number;
    const double block = std::floor(y / width);
    const double in_block = y - block * width;
    const double sign = std::fmod(block, 2.0) == 0.0 ? 1.0 : -1.0;
    return sign * acceleration / (2.0 * viscosity) * in_block * (width - in_block);
}

double WaveFlow::maximum() const {
    const double of_sine = acceleration / (viscosity * wave_number * wave_number);
    return shape == ForceShape::sine ? of_sine : of_sine * std::numbers::pi * std::numbers::pi / 8.0;
}

double WaveFlow::development_time() const { return 1.0 / (viscosity * wave_number * wave_number); }

std::optional<WaveFlow> wave_flow(const System& system) {
    if (!system.surfaces.list.empty() || system.stream || !is_known(system)) return std::nullopt;
    if (system.forces.size() != 1 || system.force != std::array<double, 3>{}) return std::nullopt;
    const Force& force = system.forces[0];
    if (!force.is_steady() || !force.is_wave()) return std::nullopt;
    for (const AxisFaces& axis : system.boundaries.faces)
        if (!axis.is_periodic() || axis.is_sheared()) return std::nullopt;
    WaveFlow flow;
    flow.shape = force.shape;
    flow.wave_axis = force.along;
    int driven = 0;
    for (int axis = 0; axis < 3; ++axis) {
        if (force.amplitude[axis] == 0.0) continue;
        ++driven;
        flow.flow_axis = axis;
    }
    if (driven != 1 || flow.flow_axis == flow.wave_axis) return std::nullopt;
    flow.acceleration = force.amplitude[flow.flow_axis] / system.mean_mass();
    flow.wave_number = 2.0 * std::numbers::pi * force.waves / system.box.size[force.along];
    flow.viscosity = predicted_viscosity(system);
    return flow;
}

std::optional<ShearedFlow> sheared_flow(const System& system) {
    const int normal = system.sheared_axis();
    if (normal < 0) return std::nullopt;
    const Shear& shear = system.boundaries.faces[normal].shear;
    return ShearedFlow{normal, shear.along, shear.rate, static_cast<double>(system.box.size[normal]),
                       predicted_viscosity(system)};
}

}  // namespace theory

}  // namespace mpcflow

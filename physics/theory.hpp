#pragma once
/// What theory says of a system: lengths, viscosities, diffusion, the flow to expect.
///
/// Formulas: Noguchi and Gompper, Phys. Rev. E 78 (2008) 016706; Gompper et al., Adv. Polym. Sci. 221
/// (2009) 1.

#include <optional>
#include <string>
#include <vector>

#include "physics/observables/histogram_bins.hpp"
#include "physics/system.hpp"

namespace mpcflow::theory {

/// Kinematic viscosities and diffusion coefficient, a^2 / time.
struct Transport {
    double kinetic_viscosity = 0.0;
    double collisional_viscosity = 0.0;
    double diffusion = 0.0;

    [[nodiscard]] double viscosity() const { return kinetic_viscosity + collisional_viscosity; }
    [[nodiscard]] double schmidt_number() const { return viscosity() / diffusion; }
};

/// Whether there are formulas for the transport coefficients: not for several species with angular momentum
/// conservation. Where there are none, the functions below give NaN.
[[nodiscard]] bool is_known(const System& system);

/// Transport coefficients of the system's collision law, as published; those of several species are in
/// theory_of_mixtures.hpp, and the diffusion then is diffusion()'s.
[[nodiscard]] Transport transport(const System& system);

/// Self-diffusion coefficient of the particles of a species.
[[nodiscard]] double diffusion(const System& system, int species);

/// With angular momentum conservation: the collisional viscosity with the constant M - 19/10 that
/// single-cell Monte Carlo supports, in place of the published M - 7/5. Empty without "+a".
[[nodiscard]] std::optional<double> collisional_viscosity_expansion(const System& system);

/// Best prediction of the kinematic viscosity: published, but with the expansion's constant for "+a".
[[nodiscard]] double predicted_viscosity(const System& system);

/// The same, and where there is none that of a fluid of one species with the same number and mass density:
/// good enough to choose a time by.
[[nodiscard]] double guessed_viscosity(const System& system);

/// h sqrt(kT / m) of a species, in cells.
[[nodiscard]] double mean_free_path(const System& system, int species = 0);

/// Probability that a particle in equilibrium is faster than `speed` thermal speeds sqrt(kT/m), Maxwell's:
/// erfc(s / sqrt 2) + sqrt(2 / pi) s e^(-s^2 / 2).
[[nodiscard]] double faster_than(double speed);

/// Probability that a cell holds exactly `count` particles where the mean is M, Poisson's: M^n e^-M / n!.
[[nodiscard]] double poisson(int count, double mean);

/// The counts of a fluid in equilibrium, of as many particles and cells in all as `histograms` has: Maxwell's
/// speeds at the wanted temperature, and Poisson's occupancies of mean M. The last bins take what is above
/// them.
[[nodiscard]] std::vector<double> expected_speeds(const Histograms& histograms);
[[nodiscard]] std::vector<double> expected_occupancies(const Histograms& histograms, double mean);

/// <u_k(0)* u_k(t)> of a component across k of the mode u_k = (1/N) sum v exp(-i k x), in equilibrium and for
/// long waves: kT / M exp(-nu k^2 t), M the mass of all particles and nu the predicted viscosity.
[[nodiscard]] double transverse_correlation(const System& system, double wave_number, double time);

/// Share of the steps in which thermal motion alone carries some particle across more than a cell edge:
/// 1 - (1 - P)^N with P = faster_than(1 / mean_free_path), over all species.
[[nodiscard]] double fast_step_share(const System& system);

/// Speed of sound: sqrt(kT/m) where the temperature is held, sqrt(5 kT / (3 m)) otherwise; m the mean mass.
[[nodiscard]] double speed_of_sound(const System& system);

/// The steady flow between two plane walls that a system comes to: walls on just one axis, and along one
/// other axis a force, walls that move, or both. The flow of the force (Poiseuille) and that of the walls
/// (Couette) add up.
struct PlaneFlow {
    int wall_axis = 2;
    int flow_axis = 0;
    double acceleration = 0.0;    ///< g = force / mass
    double width = 0.0;           ///< L, between the walls
    double viscosity = 0.0;       ///< predicted
    double lower_velocity = 0.0;  ///< V0 and V1, of the walls
    double upper_velocity = 0.0;
    /// A face of slip is a mirror: beyond it the flow goes on, to the mirror image of the other wall, at
    /// twice the width. Without, distance = L and offset = 0.
    double distance = 0.0;  ///< D, between the wall and its image
    double offset = 0.0;    ///< of the lower face from the lower of these two

    /// Whether it is a force that drives it, between walls at rest.
    [[nodiscard]] bool is_poiseuille() const;
    /// u(y) = V0 + (V1 - V0) y / D + g y (D - y) / (2 nu), y from the lower face and the offset more.
    [[nodiscard]] double velocity(double y) const;
    /// u'(y): (V1 - V0) / D + g (D / 2 - y) / nu. Times the shear viscosity it is the stress on the walls.
    [[nodiscard]] double shear_rate(double y) const;
    /// The velocity of the largest size; g L^2 / (8 nu) of a Poiseuille flow.
    [[nodiscard]] double maximum() const;
    /// The mean velocity, (V0 + V1) / 2 + g D^2 / (12 nu).
    [[nodiscard]] double mean() const;
    /// Time for the flow to develop: D^2 / (pi^2 nu), the slowest mode's decay time.
    [[nodiscard]] double development_time() const;
};

/// Empty where the system is no such flow, or where two faces of slip hold nothing.
[[nodiscard]] std::optional<PlaneFlow> plane_flow(const System& system);

/// The flow of a box with sheared faces (physics/lees_edwards.hpp), from the start.
struct ShearedFlow {
    int normal = 1;
    int along = 0;
    double rate = 0.0;
    double width = 0.0;      ///< L, between the faces
    double viscosity = 0.0;  ///< predicted

    /// U = rate L, between the images.
    [[nodiscard]] double jump() const { return rate * width; }
    /// u(y) = rate (y - L/2), y from the lower face.
    [[nodiscard]] double velocity(double y) const { return rate * (y - 0.5 * width); }
    /// -P_ab, a along the flow and b normal to the faces: m M nu rate.
    [[nodiscard]] double stress(const System& system) const {
        return system.mean_mass() * system.fluid.density * viscosity * rate;
    }
    /// d(kT)/dt where nothing holds the temperature: (2/3) m nu rate^2, stress x rate over 3 M / 2.
    [[nodiscard]] double heating(const System& system) const {
        return 2.0 / 3.0 * system.mean_mass() * viscosity * rate * rate;
    }
};

[[nodiscard]] std::optional<ShearedFlow> sheared_flow(const System& system);

/// The steady flow that one force along an axis makes which changes along another, periodic one:
/// Kolmogorov's, of a sine; or of opposed blocks, half a wave wide, a parabola in each (Backer et al., J.
/// Chem. Phys. 122 (2005) 154503).
struct WaveFlow {
    ForceShape shape = ForceShape::sine;
    int flow_axis = 0;
    int wave_axis = 2;
    double acceleration = 0.0;  ///< g = amplitude / mass
    double wave_number = 0.0;   ///< k = 2 pi n / L
    double viscosity = 0.0;     ///< predicted

    /// g / (nu k^2) sin(k y); in the middle of a block g w^2 / (8 nu), w = pi / k.
    [[nodiscard]] double velocity(double y) const;
    [[nodiscard]] double maximum() const;
    /// Of the longest wave: 1 / (nu k^2).
    [[nodiscard]] double development_time() const;
};

/// Empty where the system is no such flow.
[[nodiscard]] std::optional<WaveFlow> wave_flow(const System& system);

}  // namespace mpcflow::theory

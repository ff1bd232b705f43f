#include "physics/theory_of_mixtures.hpp"

#include <array>
#include <cmath>
#include <cstddef>
#include <utility>

#include "physics/observables/not_known.hpp"

namespace mpcflow::theory {
namespace {

/// Means over the cells that hold a particle of a given mass, masses in units of the fluid's. With X the mass
/// of the others, <1/(m + X)> is the integral over u > 0 of e^-mu <e^-uX>, and <1/(m + X)^2> that of u times
/// this; <e^-uX> = exp(-sum_j n_j (1 - e^-(m_j u))).
class CellsOf {
public:
    explicit CellsOf(const System& system) : system_(system) {}

    [[nodiscard]] double inverse_mass(double mass) const { return integral(mass, 0); }
    [[nodiscard]] double inverse_mass_squared(double mass) const { return integral(mass, 1); }
    /// <N_s / M^2> of the others.
    [[nodiscard]] double others_over_mass_squared(double mass, int species) const {
        return system_.species[species].density * integral(mass + system_.relative_mass(species), 1);
    }

private:
    /// Of u^power e^-mu <e^-uX>, by the trapezoidal rule in x = ln u: smooth, and falling fast at both ends,
    /// so that it converges exponentially.
    [[nodiscard]] double integral(double mass, int power) const {
        constexpr double step = 1.0 / 64.0;
        constexpr int first = -45 * 64, last = 7 * 64;
        double sum = 0.0;
        for (int i = first; i <= last; ++i) {
            const double u = std::exp(i * step);
            double exponent = -mass * u;
            for (int s = 0; s < system_.species_count(); ++s)
                exponent += system_.species[s].density * std::expm1(-system_.relative_mass(s) * u);
            sum += (power == 0 ? u : u * u) * std::exp(exponent);
        }
        return step * sum;
    }

    const System& system_;
};

/// Of a particle of a species the mean of 1 - m / M, its share of the motion that collides.
double colliding_share(const System& system, int species) {
    const double mass = system.relative_mass(species);
    return 1.0 - mass * CellsOf(system).inverse_mass(mass);
}

constexpr auto most = static_cast<std::size_t>(SpeciesList::most);
using Row = std::array<double, most>;

/// Solves `matrix` x = `right` of size `count` by elimination with pivots.
Row solve(std::array<Row, most> matrix, Row right, std::size_t count) {
    for (std::size_t k = 0; k < count; ++k) {
        std::size_t pivot = k;
        for (std::size_t i = k + 1; i < count; ++i)
            if (std::abs(matrix[i][k]) > std::abs(matrix[pivot][k])) pivot = i;
        std::swap(matrix[k], matrix[pivot]);
        std::swap(right[k], right[pivot]);
        for (std::size_t i = k + 1; i < count; ++i) {
            const double factor = matrix[i][k] / matrix[k][k];
            for (std::size_t j = k; j < count; ++j) matrix[i][j] -= factor * matrix[k][j];
            right[i] -= factor * right[k];
        }
    }
    for (std::size_t k = count; k-- > 0;) {
        for (std::size_t j = k + 1; j < count; ++j) right[k] -= matrix[k][j] * right[j];
        right[k] /= matrix[k][k];
    }
    return right;
}

}  // namespace

Transport mixture_transport(const System& system, Relaxation law) {
    const auto [A, B] = law;
    const CellsOf cells(system);
    const auto count = static_cast<std::size_t>(system.species_count());
    std::array<Row, most> one_less_G{};
    Row densities{};
    double collisional = 0.0;
    for (std::size_t t = 0; t < count; ++t) {
        const int of = static_cast<int>(t);
        const double m_t = system.relative_mass(of);
        const double n_t = system.species[of].density;
        densities[t] = n_t;
        const double inverse = cells.inverse_mass(m_t);
        collisional += n_t * m_t * (1.0 - m_t * inverse);
        for (std::size_t s = 0; s < count; ++s) {
            const double m_s = system.relative_mass(static_cast<int>(s));
            double N_s = cells.others_over_mass_squared(m_t, static_cast<int>(s));
            if (s == t) N_s += cells.inverse_mass_squared(m_t);
            one_less_G[s][t] = -(2.0 * A - B) * m_s * m_t * N_s;
        }
        one_less_G[t][t] += B - 2.0 * (B - A) * m_t * inverse;
    }
    double kinetic = -0.5 * system.fluid.density;
    const Row x = solve(one_less_G, densities, count);
    for (std::size_t s = 0; s < count; ++s) kinetic += x[s];
    const double h = system.collision.time_step;
    const double mass_density = system.fluid.density * system.mean_relative_mass();
    return {system.fluid.temperature * h / system.fluid.mass * kinetic / mass_density,
            A * collisional / (12.0 * h * mass_density), not_known};
}

double mixture_diffusion(const System& system, Relaxation law, int species) {
    const double carried = 1.0 / (law.A * colliding_share(system, species)) - 0.5;
    return system.fluid.temperature * system.collision.time_step / system.mass_of(species) * carried;
}

}  // namespace mpcflow::theory

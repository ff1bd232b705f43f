/// The formulas of mixtures: as sums over the occupations of a cell, and where all masses are alike.

#include <array>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "physics/theory.hpp"
#include "tests/theory/theory_cases.hpp"

namespace mpcflow {
namespace {

System mixture(const std::vector<Species>& species, bool angular = false) {
    System system = srd(110, 0.15, 1.0, angular);
    system.fluid.temperature = 1.7;
    system.set_species(species);
    return system;
}

TEST(Mixture, of_one_mass_is_a_fluid_of_one_species) {
    System one = srd(110, 0.15, 7.0);
    one.fluid.temperature = 1.7;
    one.fluid.mass = 2.0;
    const System two = mixture({{"a", 2.0, 3.0}, {"b", 2.0, 4.0}});
    EXPECT_NEAR(theory::transport(two).kinetic_viscosity, theory::transport(one).kinetic_viscosity, 1e-12);
    EXPECT_NEAR(theory::transport(two).collisional_viscosity, theory::transport(one).collisional_viscosity,
                1e-12);
    for (int s = 0; s < 2; ++s)
        EXPECT_NEAR(theory::diffusion(two, s), theory::transport(one).diffusion, 1e-12);
    EXPECT_EQ(theory::speed_of_sound(two), theory::speed_of_sound(one));
    EXPECT_DOUBLE_EQ(theory::transverse_correlation(two, 0.3, 2.0),
                     theory::transverse_correlation(one, 0.3, 2.0));
}

TEST(Mixture, does_not_care_what_its_species_are_called) {
    const System two = mixture({{"a", 1.0, 5.0}, {"b", 6.0, 1.5}});
    const System three = mixture({{"b", 6.0, 1.0}, {"a", 1.0, 5.0}, {"c", 6.0, 0.5}});
    EXPECT_NEAR(theory::transport(three).kinetic_viscosity, theory::transport(two).kinetic_viscosity, 1e-12);
    EXPECT_NEAR(theory::transport(three).collisional_viscosity, theory::transport(two).collisional_viscosity,
                1e-12);
    EXPECT_NEAR(theory::diffusion(three, 2), theory::diffusion(two, 1), 1e-12);
    EXPECT_NEAR(theory::diffusion(three, 1), theory::diffusion(two, 0), 1e-12);
}

/// Means over cells that hold a particle of species `s`, by its sum over the Poisson numbers of the others.
template <class Function>
double mean_over_cells(const System& system, int s, const Function& function) {
    double sum = 0.0;
    for (int a = 0; a < 60; ++a) {
        for (int b = 0; b < 60; ++b) {
            std::array<double, 2> number{static_cast<double>(a), static_cast<double>(b)};
            number[static_cast<std::size_t>(s)] += 1.0;
            const double mass = number[0] * system.relative_mass(0) + number[1] * system.relative_mass(1);
            sum += theory::poisson(a, system.species[0].density) *
                   theory::poisson(b, system.species[1].density) * function(number, mass);
        }
    }
    return sum;
}

TEST(Mixture, averages_over_what_cells_hold) {
    const System system = mixture({{"light", 0.5, 4.0}, {"heavy", 2.5, 1.2}});
    const double cosine = std::cos(110.0 * 3.14159265358979323846 / 180.0);
    const double A = 2.0 / 3.0 * (1.0 - cosine);
    const double B = 0.4 * (2.0 - cosine - (2.0 * cosine * cosine - 1.0));
    const double h = 0.15;
    std::array<std::array<double, 2>, 2> rest{};  // 1 - G
    double collisional = 0.0, density = 0.0;
    for (int t = 0; t < 2; ++t) {
        const double m = system.relative_mass(t);
        const double n = system.species[t].density;
        const double inverse = mean_over_cells(system, t, [](const auto&, double M) { return 1.0 / M; });
        EXPECT_NEAR(theory::diffusion(system, t),
                    1.7 * h / system.species[t].mass * (1.0 / (A * (1.0 - m * inverse)) - 0.5), 1e-10);
        collisional += n * m * (1.0 - m * inverse);
        density += n * m;
        for (int s = 0; s < 2; ++s) {
            const double per_square = mean_over_cells(system, t, [s](const auto& number, double M) {
                return number[static_cast<std::size_t>(s)] / (M * M);
            });
            rest[s][t] = (s == t ? B - 2.0 * (B - A) * m * inverse : 0.0) -
                         (2.0 * A - B) * system.relative_mass(s) * m * per_square;
        }
    }
    EXPECT_NEAR(theory::transport(system).collisional_viscosity, A * collisional / (12.0 * h * density),
                1e-10);
    const double determinant = rest[0][0] * rest[1][1] - rest[0][1] * rest[1][0];
    const double x =
        (rest[1][1] * 4.0 - rest[0][1] * 1.2 + rest[0][0] * 1.2 - rest[1][0] * 4.0) / determinant;
    EXPECT_NEAR(theory::transport(system).kinetic_viscosity, 1.7 * h / 0.5 * (x - 0.5 * 5.2) / density,
                1e-10);
}

TEST(Mixture, with_angular_momentum_is_not_known) {
    System system = mixture({{"a", 1.0, 5.0}, {"b", 6.0, 1.5}}, true);
    system.thermostat.kind = ThermostatKind::maxwell_boltzmann;
    EXPECT_FALSE(theory::is_known(system));
    EXPECT_TRUE(std::isnan(theory::predicted_viscosity(system)));
    EXPECT_TRUE(std::isnan(theory::diffusion(system, 0)));
    EXPECT_FALSE(theory::collisional_viscosity_expansion(system).has_value());
    // What is known all the same, and what a time can be chosen by.
    EXPECT_GT(theory::guessed_viscosity(system), 0.0);
    EXPECT_DOUBLE_EQ(theory::speed_of_sound(system), std::sqrt(1.7 / ((5.0 + 9.0) / 6.5)));
    EXPECT_DOUBLE_EQ(theory::mean_free_path(system, 1), 0.15 * std::sqrt(1.7 / 6.0));
    EXPECT_GT(theory::transverse_correlation(system, 0.0, 0.0), 0.0);
}

}  // namespace
}  // namespace mpcflow

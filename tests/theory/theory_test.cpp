/// The formulas against published tables, against their literal closed forms, in their limits and under
/// a change of units.

#include "physics/theory.hpp"

#include <cmath>
#include <numbers>
#include <ostream>
#include <vector>

#include <gtest/gtest.h>

#include "tests/theory/theory_cases.hpp"

namespace mpcflow {
namespace {

System at(double time_step, double density, bool angular = false) {
    System system = srd(130, time_step, density, angular);
    system.collision.rule = CollisionRule::at;
    system.thermostat = {};
    return system;
}

double A(double angle) { return 2.0 / 3.0 * (1.0 - std::cos(angle * std::numbers::pi / 180.0)); }
double B(double angle) {
    const double alpha = angle * std::numbers::pi / 180.0;
    return 2.0 / 5.0 * (2.0 - std::cos(alpha) - std::cos(2.0 * alpha));
}

// ---------------------------------------------------------------------------- published numbers

struct Row {
    double angle, time_step, density;
    bool angular;
    double viscosity, viscosity_digit;  // and what half of the last digit printed is worth
    double diffusion, diffusion_digit;
};

void PrintTo(const Row& row, std::ostream* out) {
    *out << row.angle << " degrees, h = " << row.time_step << ", M = " << row.density
         << (row.angular ? ", +a" : "");
}

class Table : public testing::TestWithParam<Row> {};

TEST_P(Table, viscosity_and_diffusion_as_printed) {
    const Row row = GetParam();
    const auto transport = theory::transport(srd(row.angle, row.time_step, row.density, row.angular));
    EXPECT_NEAR(transport.viscosity(), row.viscosity, row.viscosity_digit);
    EXPECT_NEAR(transport.diffusion, row.diffusion, row.diffusion_digit);
    EXPECT_DOUBLE_EQ(transport.schmidt_number(), transport.viscosity() / transport.diffusion);
}

INSTANTIATE_TEST_SUITE_P(Theory, Table,
                         testing::Values(Row{130, 0.1, 10, false, 0.870, 5.01e-4, 0.0515, 5.1e-5},
                                         Row{130, 1.0, 10, false, 0.568, 5.01e-4, 0.5145, 5.1e-5},
                                         Row{130, 0.02, 10, false, 4.117, 5.01e-4, 0.0103, 5.1e-5},
                                         Row{90, 0.1, 5, false, 0.499, 5.01e-4, 0.137, 5.1e-4},
                                         Row{130, 0.1, 10, true, 0.444, 5.01e-4, 0.064, 5.1e-4}));

// ------------------------------------------------------------------- closed forms as they are printed

class ClosedForm : public testing::TestWithParam<double> {};

TEST_P(ClosedForm, plain) {
    const double M = GetParam(), h = 0.07, angle = 117.0;
    const double f = (M - 1.0 + std::exp(-M)) / M;
    const auto transport = theory::transport(srd(angle, h, M));
    EXPECT_NEAR(transport.kinetic_viscosity, h * (1.0 / (B(angle) * f) - 0.5), 1e-11 / M);
    EXPECT_NEAR(transport.collisional_viscosity, A(angle) * f / (12.0 * h), 1e-11);
    EXPECT_NEAR(transport.diffusion, h * (1.0 / (A(angle) * f) - 0.5), 1e-11 / M);
}

TEST_P(ClosedForm, angular) {
    const double M = GetParam(), h = 0.07, angle = 117.0, d = 3.0;
    const double a = A(angle), b = B(angle), e = std::exp(-M);
    const double C = b * (1.0 - e * (1.0 + M)) + (a + b / d) * M * e / (d + 2.0) +
                     0.5 * (a * d - 0.5 * b * (3.0 * d + 2.0)) * (1.0 - e * (1.0 + M + 0.5 * M * M)) / M;
    const double braces = M - 1.4 + e * (1.4 + 0.4 * M + (1.0 / d - 0.3) * M * M);
    const double s = a * (1.0 - (d + 1.0) / (2.0 * M) +
                          0.5 * e * (M * (d - 1.0) * (d - 2.0) / (2.0 * d) + d - 1.0 + (d + 1.0) / M));
    const auto transport = theory::transport(srd(angle, h, M, true));
    EXPECT_NEAR(transport.kinetic_viscosity, h * (1.0 / C - 0.5), 1e-11 / (M * M));
    EXPECT_NEAR(transport.collisional_viscosity, a / (24.0 * h * M) * braces, 1e-11);
    EXPECT_NEAR(transport.diffusion, h * (1.0 / s - 0.5), 1e-11 / (M * M));
}

INSTANTIATE_TEST_SUITE_P(Theory, ClosedForm, testing::Values(0.1, 0.5, 0.999, 1.001, 2.0, 3.0, 10.0, 100.0));

// With a thermostat SRD+a forgets more of the momentum flux: C less [...] <1/n - 3/n^2>. What single cells of
// the law do is in tests/laws/srd_angular_test.cpp.
TEST(SrdAngular, with_a_thermostat_carries_more_momentum) {
    struct Point {
        double angle, bracket;
    };
    // (23/240) (1 - cos)^2 + (9/16) sin^2 at a right angle, at 180 degrees and at 60.
    for (const Point& point :
         {Point{90.0, 158.0 / 240.0}, Point{180.0, 92.0 / 240.0}, Point{60.0, 23.0 / 960.0 + 27.0 / 64.0}}) {
        for (const double M : {0.5, 3.0, 10.0, 1e4}) {
            System system = srd(point.angle, 0.1, M, true);
            const auto free = theory::transport(system);
            system.thermostat.kind = ThermostatKind::maxwell_boltzmann;
            const auto held = theory::transport(system);
            EXPECT_EQ(held.collisional_viscosity, free.collisional_viscosity);
            EXPECT_EQ(held.diffusion, free.diffusion);
            // The mean over particles of 1/n - 3/n^2 is the mean over cells of (1 - 3/n)/M.
            double mean = 0.0;
            for (int n = 3; n < 20000; ++n)
                mean += std::exp(n * std::log(M) - M - std::lgamma(n + 1.0)) * (1.0 - 3.0 / n) / M;
            const auto rate = [](double viscosity) { return 1.0 / (viscosity / 0.1 + 0.5); };
            // 1e-9 of C, for lgamma of thousands.
            EXPECT_NEAR(rate(held.kinetic_viscosity) - rate(free.kinetic_viscosity), -point.bracket * mean,
                        1e-9)
                << point.angle << " degrees, M = " << M;
        }
    }
}

// ------------------------------------------------------------------------------------------ AT

TEST(Andersen, forgets_all_of_a_velocity) {
    struct Point {
        double density;
        bool angular;
        double viscosity, diffusion;
    };
    // As printed, to half of the last digit. Both laws are the formulas above with A = B = 1.
    for (const Point& point :
         std::vector<Point>{{10, false, 0.811, 0.061}, {10, true, 0.423, 0.075}, {5, true, 0.386, 0.113}}) {
        const auto transport = theory::transport(at(0.1, point.density, point.angular));
        EXPECT_NEAR(transport.viscosity(), point.viscosity, 5.1e-4) << point.density;
        EXPECT_NEAR(transport.diffusion, point.diffusion, 5.1e-4) << point.density;
    }
    const double f = 0.9 + 0.1 * std::exp(-10.0);
    const auto plain = theory::transport(at(0.07, 10));
    EXPECT_NEAR(plain.kinetic_viscosity, 0.07 * (1.0 / f - 0.5), 1e-12);
    EXPECT_NEAR(plain.collisional_viscosity, f / 0.84, 1e-12);
    EXPECT_DOUBLE_EQ(plain.diffusion, plain.kinetic_viscosity);
    // The angle of srd is nothing to it, and it holds the temperature itself: sound is isothermal.
    System system = at(0.07, 10);
    system.collision.angle = 20.0;
    system.fluid.mass = 4.0;
    EXPECT_DOUBLE_EQ(theory::transport(system).collisional_viscosity, plain.collisional_viscosity);
    EXPECT_DOUBLE_EQ(theory::speed_of_sound(system), 0.5);
}

// ------------------------------------------------------------------------- the expansion's constant

TEST(Expansion, agrees_with_single_cell_monte_carlo) {
    struct Point {
        double density, measured, allowed;
    };
    for (const Point& point : std::vector<Point>{{3, 0.475, 0.023},
                                                 {5, 0.635, 0.005},
                                                 {8, 0.761, 0.004},
                                                 {10, 0.808, 0.003},
                                                 {15, 0.872, 0.002}}) {
        const System system = srd(130, 0.1, point.density, true);
        const double scale = 24.0 * 0.1 / A(130);
        const double reduced = *theory::collisional_viscosity_expansion(system) * scale;
        EXPECT_NEAR(reduced / point.measured, 1.0, point.allowed) << "M = " << point.density;
        // What is published is farther off, by 22 to 4 %.
        const double published = theory::transport(system).collisional_viscosity * scale;
        EXPECT_GT(published, 1.03 * point.measured) << "M = " << point.density;
    }
}

TEST(Expansion, is_absent_without_angular_momentum_conservation) {
    EXPECT_FALSE(theory::collisional_viscosity_expansion(srd(130, 0.1, 10)).has_value());
}

TEST(Expansion, predicts_the_measured_viscosity) {
    // Kolmogorov flow, SRD+a at 130 degrees and M = 10 with its thermostat: 0.431(1) at h = 0.1, and 0.607(1)
    // at h = 1. The published formulas have 0.444 and 0.559.
    System system = srd(130, 0.1, 10, true);
    system.thermostat.kind = ThermostatKind::maxwell_boltzmann;
    EXPECT_NEAR(theory::predicted_viscosity(system), 0.431, 0.008);
    system.collision.time_step = 1.0;
    EXPECT_NEAR(theory::predicted_viscosity(system), 0.607, 0.012);
    EXPECT_DOUBLE_EQ(theory::predicted_viscosity(srd(130, 0.1, 10)),
                     theory::transport(srd(130, 0.1, 10)).viscosity());
}

// ---------------------------------------------------------------------------------------- limits

TEST(Limits, many_particles_a_cell) {
    // f -> 1, C -> B, s -> A; angular momentum conservation halves the collisional viscosity.
    const auto plain = theory::transport(srd(130, 0.1, 1e9));
    const auto angular = theory::transport(srd(130, 0.1, 1e9, true));
    EXPECT_NEAR(plain.collisional_viscosity, A(130) / 1.2, 1e-8);
    EXPECT_NEAR(plain.kinetic_viscosity, 0.1 * (1.0 / B(130) - 0.5), 1e-8);
    EXPECT_NEAR(angular.collisional_viscosity, 0.5 * plain.collisional_viscosity, 1e-8);
    EXPECT_NEAR(angular.kinetic_viscosity, plain.kinetic_viscosity, 1e-8);
    EXPECT_NEAR(angular.diffusion, plain.diffusion, 1e-8);
}

TEST(Limits, nearly_empty_cells) {
    // Only pairs collide. f -> M/2; C -> (A + B/d) M / (d + 2); s -> A M / (2 d); and the collisional
    // viscosities -> A M / (24 h) and A M / (24 h d), whatever constant stands for n >= 3.
    const double M = 1e-7, h = 0.1, d = 3.0, a = A(130), b = B(130);
    const auto plain = theory::transport(srd(130, h, M));
    EXPECT_NEAR(plain.kinetic_viscosity * b * M / (2.0 * h), 1.0, 1e-6);
    EXPECT_NEAR(plain.diffusion * a * M / (2.0 * h), 1.0, 1e-6);
    EXPECT_NEAR(plain.collisional_viscosity / (a * M / (24.0 * h)), 1.0, 1e-6);
    const System sparse = srd(130, h, M, true);
    const auto angular = theory::transport(sparse);
    EXPECT_NEAR(angular.kinetic_viscosity * (a + b / d) * M / (d + 2.0) / h, 1.0, 1e-6);
    EXPECT_NEAR(angular.diffusion * a * M / (2.0 * d) / h, 1.0, 1e-6);
    EXPECT_NEAR(angular.collisional_viscosity / (a * M / (24.0 * h * d)), 1.0, 1e-6);
    EXPECT_NEAR(*theory::collisional_viscosity_expansion(sparse) / (a * M / (24.0 * h * d)), 1.0, 1e-6);
}

TEST(Limits, viscosities_and_diffusion_are_positive_and_smooth_in_density) {
    for (const bool angular : {false, true}) {
        double last = 0.0;
        for (double M = 0.25; M < 60.0; M *= 1.02) {
            const System system = srd(130, 0.1, M, angular);
            const auto transport = theory::transport(system);
            EXPECT_GT(transport.kinetic_viscosity, 0.0) << M;
            EXPECT_GT(transport.collisional_viscosity, last) << M;  // rises with density
            EXPECT_GT(transport.diffusion, 0.0) << M;
            last = transport.collisional_viscosity;
        }
    }
}

TEST(Limits, half_turn_and_small_angle) {
    const auto half_turn = theory::transport(srd(180, 0.1, 10));
    const double f = 0.9 + 0.1 * std::exp(-10.0);
    EXPECT_NEAR(half_turn.collisional_viscosity, 4.0 / 3.0 * f / 1.2, 1e-12);
    EXPECT_NEAR(half_turn.kinetic_viscosity, 0.1 * (1.0 / (0.8 * f) - 0.5), 1e-12);
    // 1 - cos alpha = alpha^2 / 2 keeps its digits where the cosine has lost them.
    const double angle = 1e-6 * std::numbers::pi / 180.0;
    EXPECT_NEAR(theory::transport(srd(1e-6, 0.1, 10)).collisional_viscosity / (angle * angle / 3.0 * f / 1.2),
                1.0, 1e-12);
}

// ----------------------------------------------------------------------------------------- units

TEST(Units, numbers_depend_on_the_mean_free_path_alone) {
    // In units of a^2 sqrt(kT/m) / a all coefficients are functions of lambda / a, alpha and M.
    for (const bool angular : {false, true}) {
        System unit = srd(130, 0.1, 10, angular);
        unit.thermostat.kind = ThermostatKind::maxwell_boltzmann;
        System scaled = unit;
        scaled.fluid.mass = 2.5;
        scaled.fluid.temperature = 0.3;
        const double speed = std::sqrt(0.3 / 2.5);
        scaled.collision.time_step = 0.1 / speed;
        EXPECT_NEAR(theory::mean_free_path(scaled), theory::mean_free_path(unit), 1e-15);
        EXPECT_NEAR(theory::speed_of_sound(scaled), speed, 1e-15);
        const auto expected = theory::transport(unit), found = theory::transport(scaled);
        EXPECT_NEAR(found.kinetic_viscosity, speed * expected.kinetic_viscosity, 1e-14);
        EXPECT_NEAR(found.collisional_viscosity, speed * expected.collisional_viscosity, 1e-14);
        EXPECT_NEAR(found.diffusion, speed * expected.diffusion, 1e-14);
        EXPECT_NEAR(found.schmidt_number(), expected.schmidt_number(), 1e-12);
        EXPECT_NEAR(theory::predicted_viscosity(scaled), speed * theory::predicted_viscosity(unit), 1e-14);
    }
}

TEST(Units, lengths_and_speeds) {
    System system = srd(130, 0.1, 10);
    system.fluid.mass = 4.0;
    system.fluid.temperature = 9.0;
    EXPECT_DOUBLE_EQ(theory::mean_free_path(system), 0.15);
    EXPECT_DOUBLE_EQ(theory::speed_of_sound(system), 1.5);
    system.thermostat.kind = ThermostatKind::none;
    EXPECT_DOUBLE_EQ(theory::speed_of_sound(system), std::sqrt(5.0 * 9.0 / (3.0 * 4.0)));
}

// ---------------------------------------------------------------------------- distributions

TEST(Distributions, of_speed_is_maxwells) {
    // The integral of sqrt(2 / pi) v^2 e^(-v^2 / 2), by Simpson's rule.
    const auto density = [](double v) {
        return std::sqrt(2.0 / std::numbers::pi) * v * v * std::exp(-0.5 * v * v);
    };
    for (const double speed : {0.0, 0.3, 1.0, 2.5, 4.0, 8.0}) {
        constexpr int parts = 4000;
        const double width = (40.0 - speed) / parts;
        double integral = 0.0;
        for (int i = 0; i < parts; ++i) {
            const double v = speed + i * width;
            integral += width / 6.0 * (density(v) + 4.0 * density(v + 0.5 * width) + density(v + width));
        }
        EXPECT_NEAR(theory::faster_than(speed), integral, 1e-9 * (integral + 1e-9)) << speed;
    }
    EXPECT_EQ(theory::faster_than(-1.0), 1.0);
}

TEST(Distributions, of_occupancy_is_poissons) {
    for (const double mean : {0.02, 1.0, 10.0, 300.0}) {
        double sum = 0.0, first = 0.0, second = 0.0;
        for (int n = 0; n < 700; ++n) {
            const double p = theory::poisson(n, mean);
            sum += p;
            first += n * p;
            second += static_cast<double>(n) * n * p;
        }
        EXPECT_NEAR(sum, 1.0, 1e-11);
        EXPECT_NEAR(first, mean, 1e-10 * mean);
        EXPECT_NEAR(second - first * first, mean, 1e-8 * mean);
    }
    EXPECT_DOUBLE_EQ(theory::poisson(0, 2.0), std::exp(-2.0));
}

TEST(Distributions, steps_with_a_fast_particle_are_rare_or_certain_with_the_free_path) {
    System system = srd(130, 0.1, 10);
    EXPECT_LT(theory::fast_step_share(system), 1e-15) << "ten thermal speeds";
    system.collision.time_step = 2.0;
    EXPECT_EQ(theory::fast_step_share(system), 1.0);
    system.collision.time_step = 0.2;
    const double P = theory::faster_than(5.0);
    const double N = 10.0 * 32 * 32 * 32;
    EXPECT_NEAR(theory::fast_step_share(system), 1.0 - std::exp(-N * P), 1e-6);
    system.fluid.temperature = 4.0;
    system.collision.time_step = 0.1;
    EXPECT_NEAR(theory::fast_step_share(system), 1.0 - std::exp(-N * P), 1e-6) << "only the free path counts";
}

}  // namespace
}  // namespace mpcflow

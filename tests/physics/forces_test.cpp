/// Forces that act at a time or at a place: when, where, and how well a flight follows them.

#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>

#include <gtest/gtest.h>

#include "physics/forces.hpp"
#include "physics/particle.hpp"
#include "physics/streaming.hpp"
#include "physics/theory.hpp"
#include "tests/physics/streaming_cases.hpp"

namespace mpcflow::test {
namespace {

TEST(Strength, is_that_of_the_middle_of_the_step) {
    const Force steady{};
    for (const std::uint64_t step : {std::uint64_t{0}, std::uint64_t{1000000000000000}})
        EXPECT_EQ(strength(steady, step), 1.0);
    const Force window{.from = 5, .until = 9};
    for (std::uint64_t step = 0; step < 20; ++step)
        EXPECT_EQ(strength(window, step), step >= 5 && step < 9 ? 1.0 : 0.0) << step;
    const Force swing{.from = 3, .period = 8};
    EXPECT_EQ(strength(swing, 2), 0.0);
    for (std::uint64_t step = 3; step < 30; ++step) {
        const double turns = (static_cast<double>(step - 3) + 0.5) / 8.0;
        EXPECT_NEAR(strength(swing, step), std::cos(2.0 * std::numbers::pi * turns), 1e-14) << step;
        // However late, as good as at first.
        EXPECT_EQ(strength(swing, step + std::uint64_t{8} * 100000000000000), strength(swing, step));
    }
}

template <class Real>
void expect_kicks(const System& system, const Force& force, double expected, Vec3<double> place) {
    System with = system;
    with.forces.add(force);
    const Vec3<Real> kick = WaveKicks<Real>(with, 0).at(vector_cast<Real>(place));
    const double tolerance = 4.0 * static_cast<double>(std::numeric_limits<Real>::epsilon());
    for (int axis = 0; axis < 3; ++axis) {
        const double whole = 0.5 * system.collision.time_step / system.fluid.mass * force.amplitude[axis];
        EXPECT_NEAR(static_cast<double>(kick[axis]), whole * expected, 8.0 * tolerance * std::abs(whole));
    }
}

TEST(WaveKicks, are_sines_and_blocks_of_the_place) {
    System system = box_of({7, 12, 5}, {}, 0.3);
    system.fluid.mass = 2.0;
    for (int along = 0; along < 3; ++along) {
        for (const int waves : {1, 2}) {
            const double edge = system.box.size[along];
            Force force{
                .shape = ForceShape::sine, .amplitude = {0.5, -0.25, 0.125}, .along = along, .waves = waves};
            for (int i = 0; i < 40; ++i) {
                Vec3<double> place{1.0, 2.0, 3.0};
                place[along] = edge * (i + 0.5) / 40.0;
                const double sine = std::sin(2.0 * std::numbers::pi * waves * place[along] / edge);
                force.shape = ForceShape::sine;
                expect_kicks<double>(system, force, sine, place);
                expect_kicks<float>(system, force, sine, place);
                force.shape = ForceShape::opposed_blocks;
                expect_kicks<double>(system, force, sine > 0.0 ? 1.0 : -1.0, place);
                expect_kicks<float>(system, force, sine > 0.0 ? 1.0 : -1.0, place);
            }
        }
    }
}

/// Where a particle is, and how fast, after the time 6.4 in a sine force along the same axis, a pendulum.
Vec3<double> pendulum(double time_step) {
    System system = box_of({8, 8, 8}, {}, time_step);
    system.forces.add({.shape = ForceShape::sine, .amplitude = {-1.0, 0.0, 0.0}, .along = 0});
    const Streaming<double> streaming(system);
    auto particle = particle_at<ParticleDouble>({1.5, 4.0, 4.0}, {0.3, 0.0, 0.0});
    for (int i = 0; i < std::lround(6.4 / time_step); ++i)
        EXPECT_EQ(streaming.move(particle, particle.velocity), StreamOutcome::inside);
    return {particle.position.x + 8.0 * particle.image(0), particle.velocity.x, 0.0};
}

TEST(WaveKicks, follow_a_sine_to_the_second_order_of_the_time_step) {
    const Vec3<double> exact = pendulum(0.0001);
    const Vec3<double> coarse = pendulum(0.1) - exact, fine = pendulum(0.05) - exact;
    for (int i = 0; i < 2; ++i) {
        EXPECT_GT(std::abs(coarse[i]), 1e-6);
        EXPECT_NEAR(coarse[i] / fine[i], 4.0, 0.2) << i;
    }
}

TEST(Gravity, moves_species_alike_and_a_force_does_not) {
    System system = box_of({8, 8, 8}, {}, 0.5);
    system.set_species({{"light", 1.0, 1.0}, {"heavy", 4.0, 1.0}});
    using Particle = ParticleOf<double, Masses::by_species>;
    const auto speed_after = [&](const System& of, int species) {
        auto particle = Particle::make(1, {4.0, 4.0, 4.0}, {}, species);
        const Streaming<double, Masses::by_species> streaming(of);
        EXPECT_EQ(streaming.move(particle, particle.velocity), StreamOutcome::inside);
        return particle.velocity.x;
    };
    for (const ForceShape shape : {ForceShape::gravity, ForceShape::uniform, ForceShape::opposed_blocks}) {
        System of = system;
        of.forces.add({.shape = shape, .amplitude = {0.25, 0.0, 0.0}});
        const double sign = shape == ForceShape::opposed_blocks ? speed_after(of, 0) / 0.125 : 1.0;
        EXPECT_EQ(speed_after(of, 0), sign * 0.125);
        EXPECT_EQ(speed_after(of, 1), sign * (shape == ForceShape::gravity ? 0.125 : 0.125 / 4.0));
    }
}

TEST(WaveFlow, is_that_of_one_steady_wave_in_a_periodic_box) {
    System system = box_of({8, 8, 16}, {}, 0.1);
    system.forces.add({.shape = ForceShape::sine, .amplitude = {0.01, 0.0, 0.0}, .along = 2, .waves = 2});
    const auto sine = theory::wave_flow(system);
    ASSERT_TRUE(sine.has_value());
    const double k = 2.0 * std::numbers::pi * 2 / 16.0;
    // nu u'' = -g sin(k y), by differences.
    const auto bend = [](const theory::WaveFlow& flow, double y) {
        return (flow.velocity(y + 1e-3) - 2.0 * flow.velocity(y) + flow.velocity(y - 1e-3)) * 1e6;
    };
    for (const double y : {0.3, 3.0, 5.5, 14.0})
        EXPECT_NEAR(sine->viscosity * bend(*sine, y), -0.01 * std::sin(k * y), 1e-6);
    System blocks = system;
    blocks.forces = {};
    blocks.forces.add(
        {.shape = ForceShape::opposed_blocks, .amplitude = {0.0, 0.01, 0.0}, .along = 2, .waves = 2});
    const auto parabolas = theory::wave_flow(blocks);
    ASSERT_TRUE(parabolas.has_value());
    EXPECT_NEAR(parabolas->viscosity * bend(*parabolas, 1.7), -0.01, 1e-6);
    EXPECT_NEAR(parabolas->viscosity * bend(*parabolas, 5.0), 0.01, 1e-6);
    EXPECT_NEAR(parabolas->velocity(2.0), parabolas->maximum(), 1e-12);
    EXPECT_NEAR(parabolas->velocity(6.0), -parabolas->maximum(), 1e-12);
    EXPECT_NEAR(parabolas->velocity(4.0), 0.0, 1e-12);
    System other = system;
    other.force = {0.0, 1e-3, 0.0};
    EXPECT_FALSE(theory::wave_flow(other).has_value());
    other = system;
    other.boundaries.faces[0] = {FaceKind::slip, FaceKind::slip};
    EXPECT_FALSE(theory::wave_flow(other).has_value());
    EXPECT_FALSE(theory::plane_flow(system).has_value());
}

}  // namespace
}  // namespace mpcflow::test

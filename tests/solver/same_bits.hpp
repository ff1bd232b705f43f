#pragma once
/// Comparing all that a solver reports, bit for bit.

#include <bit>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "physics/solver.hpp"

namespace mpcflow::test {

/// All that a solver says of its state and of the fields sampled so far.
struct Report {
    std::int64_t step = 0;
    std::uint64_t hash = 0;
    Totals totals;
    Extremes extremes;
    std::int64_t fast_steps = 0;
    FieldBlock block;
    MomentumFlux flux;
    ParticleSnapshot snapshot;
};

inline Report report_of(Solver& solver) {
    Report report{solver.current_step(),        solver.state_hash(),
                  solver.measure<TotalsRule>(), solver.measure<ExtremesRule>(),
                  solver.fast_steps(),          solver.measure<FieldsRule>().take(),
                  solver.measure<FluxRule>(),   {}};
    solver.copy_particles(report.snapshot);
    return report;
}

inline std::vector<std::uint64_t> bits_of(const std::vector<double>& values) {
    std::vector<std::uint64_t> bits;
    bits.reserve(values.size());
    for (const double value : values) bits.push_back(std::bit_cast<std::uint64_t>(value));
    return bits;
}

inline std::vector<double> numbers_of(const Totals& totals) {
    return {static_cast<double>(totals.particles),
            totals.mass,
            totals.momentum[0],
            totals.momentum[1],
            totals.momentum[2],
            totals.kinetic_energy};
}

inline std::vector<double> numbers_of(const Extremes& extremes) {
    return {extremes.maximum_speed, static_cast<double>(extremes.minimum_occupancy),
            static_cast<double>(extremes.maximum_occupancy)};
}

inline std::vector<double> numbers_of(const FieldBlock& block) {
    std::vector<double> numbers{static_cast<double>(block.samples)};
    for (const FieldSums& bin : block.bins) {
        numbers.insert(numbers.end(), {bin.particles, bin.momentum[0], bin.momentum[1], bin.momentum[2],
                                       bin.relative_energy, bin.relative_freedoms});
    }
    for (const PressureSums& bin : block.pressure) {
        numbers.push_back(bin.mass);
        numbers.insert(numbers.end(), bin.momentum.begin(), bin.momentum.end());
        numbers.insert(numbers.end(), bin.kinetic.begin(), bin.kinetic.end());
        numbers.insert(numbers.end(), bin.collisional.begin(), bin.collisional.end());
    }
    return numbers;
}

inline std::vector<double> numbers_of(const MomentumFlux& flux) {
    std::vector<double> numbers(flux.kinetic.begin(), flux.kinetic.end());
    numbers.insert(numbers.end(), flux.collisional.begin(), flux.collisional.end());
    numbers.insert(numbers.end(), flux.momentum.begin(), flux.momentum.end());
    for (const std::array<double, 3>& face : flux.to_walls)
        numbers.insert(numbers.end(), face.begin(), face.end());
    numbers.insert(numbers.end(), flux.energy_to_walls.begin(), flux.energy_to_walls.end());
    for (const ToSurface& surface : flux.to_surfaces) {
        numbers.insert(numbers.end(), surface.momentum.begin(), surface.momentum.end());
        numbers.insert(numbers.end(), surface.angular_momentum.begin(), surface.angular_momentum.end());
        numbers.push_back(surface.energy);
    }
    return numbers;
}

inline void expect_same_bits(const Report& found, const Report& expected) {
    EXPECT_EQ(found.step, expected.step);
    EXPECT_EQ(found.hash, expected.hash);
    EXPECT_EQ(bits_of(numbers_of(found.totals)), bits_of(numbers_of(expected.totals))) << "totals";
    EXPECT_EQ(bits_of(numbers_of(found.extremes)), bits_of(numbers_of(expected.extremes))) << "extremes";
    EXPECT_EQ(found.fast_steps, expected.fast_steps);
    EXPECT_EQ(bits_of(numbers_of(found.block)), bits_of(numbers_of(expected.block))) << "fields";
    EXPECT_EQ(bits_of(numbers_of(found.flux)), bits_of(numbers_of(expected.flux))) << "flux of momentum";
    EXPECT_EQ(found.snapshot.step, expected.snapshot.step);
    // EXPECT_TRUE: nobody wants to read all particles.
    EXPECT_TRUE(bits_of(found.snapshot.position) == bits_of(expected.snapshot.position)) << "positions";
    EXPECT_TRUE(bits_of(found.snapshot.velocity) == bits_of(expected.snapshot.velocity)) << "velocities";
    EXPECT_TRUE(found.snapshot.image == expected.snapshot.image) << "image counts";
}

}  // namespace mpcflow::test

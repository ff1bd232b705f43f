#pragma once
/// Sums over particles of velocities times waves, v exp(-i k x), the same bits in whatever order they are
/// added.
///
/// Rounding each product to a grid would cost two operations a product. Instead the wave and the velocity are
/// rounded, each to so coarse a grid that their product is a multiple of 2^-53 of what a sum of `most_added`
/// products can be: products and sums are then exact, in one fused operation where there is one. Such a sum
/// is split into a multiple of a coarser grid, on which sums over all particles are exact, and the rest,
/// which is exact as it is.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <vector>

#include "physics/elementary.hpp"
#include "physics/grid_rounding.hpp"
#include "physics/host_device.hpp"
#include "physics/lees_edwards.hpp"
#include "physics/observables/sums.hpp"
#include "physics/system.hpp"
#include "physics/vector.hpp"

namespace mpcflow {

/// Wave vectors along the axes: k = 2 pi n / L with n = 1 ... along[axis], L the edge of the box. In order:
/// those along x, then y, then z, each by n.
struct WaveNumbers {
    std::array<int, 3> along{};

    [[nodiscard]] constexpr std::int64_t count() const {
        return std::int64_t{along[0]} + along[1] + along[2];
    }
};

/// The waves that observables follow: n = 1 ... count along each periodic axis, as far as a wave is two cells
/// long at least. Shear tilts waves along the flow, and its images break those along the gradient: in a
/// sheared box they are followed along the third axis alone.
[[nodiscard]] inline WaveNumbers waves_of(const System& system, int count) {
    WaveNumbers waves;
    const ShearFlow flow(system);
    for (int i = 0; i < 3; ++i) {
        const auto axis = static_cast<std::size_t>(i);
        const bool is_tilted = flow.is_on() && (i == flow.normal() || i == flow.along());
        if (system.boundaries.faces[axis].is_periodic() && !is_tilted)
            waves.along[axis] = std::min(count, system.box.size[axis] / 2);
    }
    return waves;
}

/// Their vectors k, x y z of each.
[[nodiscard]] inline std::vector<double> wave_vectors(const System& system, const WaveNumbers& waves) {
    std::vector<double> vectors;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        for (int n = 1; n <= waves.along[axis]; ++n) {
            vectors.resize(vectors.size() + 3);
            *(vectors.end() - 3 + static_cast<std::ptrdiff_t>(axis)) =
                2.0 * std::numbers::pi * n / system.box.size[axis];
        }
    }
    return vectors;
}

/// Wave numbers first ... first + WaveRule::waves - 1 along an axis: what one pass over the particles takes
/// together.
struct WavePart {
    int axis;
    int first;
    double inverse_edge;
};

/// What rules that multiply something of each particle by waves exp(-i k x) have in common.
class WaveRule {
public:
    using Result = std::vector<double>;

    static constexpr int waves = 4;  ///< of a part
    /// Most particles whose products may be added before they are split.
    static constexpr int most_added = 1024;

    [[nodiscard]] MPCFLOW_HD int parts() const { return parts_before_[3]; }
    MPCFLOW_HD WavePart part(int index) const {
        const int axis = index < parts_before_[1] ? 0 : (index < parts_before_[2] ? 1 : 2);
        return {axis, 1 + (index - parts_before_[axis]) * waves, inverse_edge_[axis]};
    }

protected:
    WaveRule(const System& system, const WaveNumbers& wave_numbers)
        : particles_(system.particle_count()), along_(wave_numbers.along) {
        for (int axis = 0; axis < 3; ++axis) {
            inverse_edge_[axis] = 1.0 / system.box.size[axis];
            parts_before_[axis + 1] = parts_before_[axis] + (along_[axis] + waves - 1) / waves;
        }
        wave_ = RoundingGrid(std::ldexp(1.0, 52 - wave_bits));
    }

    /// The waves of a part at a particle, one after the other: from the first on, each is the one before it
    /// times that of wave number 1.
    struct Waves {
        SinCos<double> step, wave;

        MPCFLOW_HD void go_on() {
            wave = {wave.sin * step.cos + wave.cos * step.sin, wave.cos * step.cos - wave.sin * step.sin};
        }
    };
    template <class Particle>
    MPCFLOW_HD static Waves waves_at(const WavePart& part, const Particle& particle) {
        const double turns = static_cast<double>(particle.position[part.axis]) * part.inverse_edge;
        const SinCos<double> step = sin_cos_turns(turns);
        return {step, part.first == 1 ? step : sin_cos_turns(part.first * turns)};
    }

    /// Calls visit(part, n) for each wave vector in order: it is the n-th of that part.
    template <class Visit>
    void for_wave_vectors(const Visit& visit) const {
        for (int axis = 0; axis < 3; ++axis)
            for (int n = 0; n < along_[axis]; ++n) visit(parts_before_[axis] + n / waves, n % waves);
    }

    static constexpr int wave_bits = 18;

    std::int64_t particles_;
    std::array<int, 3> along_;
    int parts_before_[4]{};
    double inverse_edge_[3]{};
    RoundingGrid wave_;
};

/// The Fourier modes of the velocity, u_k = (1/N) sum over particles of v exp(-i k x), where masses differ
/// (1/M) sum of m v exp(-i k x), M being the mass of all: for each wave vector the components x, y, z, of
/// each the real and the imaginary part. Velocities, in a sheared box relative to its flow, are rounded to
/// 2^-18 thermal speeds, m v to that times the greatest relative mass, and exp(-i k x) to 2^-19.
class VelocityModes : public WaveRule {
public:
    /// Of a part: for each wave number, for the components x, y, z, the real and the imaginary part.
    using Sums = SumsOf<6 * waves>;
    /// The same of any number of particles, each as the coarse part and the rest, one behind the other.
    using Totals = SumsOf<2 * Sums::count>;

    VelocityModes(const System& system, const WaveNumbers& wave_numbers)
        : WaveRule(system, wave_numbers),
          flow_(system),
          mass_of_all_(system.masses() == Masses::equal ? static_cast<double>(particles_)
                                                        : system.total_mass() / system.fluid.mass) {
        for (int s = 0; s < system.species_count(); ++s) relative_mass_[s] = system.relative_mass(s);
        const double speed = speed_limit(system.fluid) * system.heaviest();
        // A grid of 2^-q for velocities, such that 2^-(q + wave_bits) is the one for sums of products.
        velocity_ = RoundingGrid(std::ldexp(2.0 * most_added * speed, wave_bits));
        coarse_ = RoundingGrid(4.0 * static_cast<double>(particles_ + most_added) * speed);
    }

    /// Adds what a particle contributes to the waves of a part.
    template <class Particle>
    MPCFLOW_HD void add(const WavePart& part, const Particle& particle, Sums& sums) const {
        Waves at = waves_at(part, particle);
        Vec3<double> v =
            flow_.relative(vector_cast<double>(particle.position), vector_cast<double>(particle.velocity));
        if constexpr (Particle::has_species) v = relative_mass_[particle.species()] * v;
        const double velocity[3] = {velocity_.round(v.x), velocity_.round(v.y), velocity_.round(v.z)};
        for (int n = 0; n < waves; ++n) {
            const double real = wave_.round(at.wave.cos);
            const double imaginary = -wave_.round(at.wave.sin);
            for (int axis = 0; axis < 3; ++axis) {
                double* const to = sums.value + 6 * n + 2 * axis;
                to[0] = add_exact_product(velocity[axis], real, to[0]);
                to[1] = add_exact_product(velocity[axis], imaginary, to[1]);
            }
            at.go_on();
        }
    }

    MPCFLOW_HD Totals split(const Sums& sums) const {
        Totals totals;
        for (int i = 0; i < Sums::count; ++i) {
            totals.value[2 * i] = coarse_.round(sums.value[i]);
            totals.value[2 * i + 1] = sums.value[i] - totals.value[2 * i];
        }
        return totals;
    }

    /// From the totals of all parts.
    [[nodiscard]] Result result(const std::vector<Totals>& totals) const {
        Result modes;
        for_wave_vectors([&](int part, int n) {
            const double* const sums = totals[part].value + 12 * n;
            for (int i = 0; i < 6; ++i) modes.push_back((sums[2 * i] + sums[2 * i + 1]) / mass_of_all_);
        });
        return modes;
    }

private:
    /// a b + c, where a b and the sum are exact: fused or not, it has the same bits.
    MPCFLOW_HD static double add_exact_product(double a, double b, double c) {
#ifdef __CUDA_ARCH__
        return __fma_rn(a, b, c);
#else
        return a * b + c;
#endif
    }

    ShearFlow flow_;
    double mass_of_all_;  ///< in units of the fluid's
    double relative_mass_[SpeciesList::most]{};
    RoundingGrid velocity_, coarse_;
};

}  // namespace mpcflow

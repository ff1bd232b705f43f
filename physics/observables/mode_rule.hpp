#pragma once
/// Sums over particles of velocities times waves, v exp(-i k x), the same bits in whatever order they are
/// added.
///
/// Rounding each product to a grid would cost two operations a product. Instead the wave and the velocity are
/// rounded, each to so coarse a grid that their product is a multiple of 2^-53 of what a sum of `most_added`
/// products can be: products and sums are then exact, in one fused operation where there is one. Such a sum
/// is split into a multiple of a coarser grid, on which sums over all particles are exact, and the rest,
/// which is exact as it is.

#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include "physics/elementary.hpp"
#include "physics/grid_rounding.hpp"
#include "physics/host_device.hpp"
#include "physics/solver.hpp"
#include "physics/system.hpp"
#include "physics/vector.hpp"

namespace mpcflow {

/// Wave numbers first ... first + part_waves - 1 along an axis: what one pass over the particles takes
/// together.
struct ModePart {
    int axis;
    int first;
    double inverse_edge;
};

/// Sums of a part: for each wave number, for the components x, y, z, the real and the imaginary part.
struct ModeSums {
    static constexpr int waves = 4;
    static constexpr int count = 6 * waves;
    double value[count]{};
};

/// The same of any number of particles, each as the coarse part and the rest, one behind the other.
struct ModeTotals {
    static constexpr int count = 2 * ModeSums::count;
    double value[count]{};

    MPCFLOW_HD ModeTotals& operator+=(const ModeTotals& other) {
        for (int i = 0; i < count; ++i) value[i] += other.value[i];
        return *this;
    }
};

class ModeRule {
public:
    /// Most particles whose products may be added to a ModeSums.
    static constexpr int most_added = 1024;

    ModeRule(const System& system, const WaveNumbers& waves)
        : particles_(system.particle_count()), along_(waves.along) {
        for (int axis = 0; axis < 3; ++axis) {
            inverse_edge_[axis] = 1.0 / system.box.size[axis];
            parts_before_[axis + 1] =
                parts_before_[axis] + (waves.along[axis] + ModeSums::waves - 1) / ModeSums::waves;
        }
        const double speed = speed_limit(system.fluid);
        // A grid of 2^-q for velocities, such that 2^-(q + wave_bits) is the one for sums of products.
        wave_ = RoundingGrid(std::ldexp(1.0, 52 - wave_bits));
        velocity_ = RoundingGrid(std::ldexp(2.0 * most_added * speed, wave_bits));
        coarse_ = RoundingGrid(4.0 * static_cast<double>(particles_ + most_added) * speed);
    }

    [[nodiscard]] MPCFLOW_HD int parts() const { return parts_before_[3]; }
    MPCFLOW_HD ModePart part(int index) const {
        const int axis = index < parts_before_[1] ? 0 : (index < parts_before_[2] ? 1 : 2);
        return {axis, 1 + (index - parts_before_[axis]) * ModeSums::waves, inverse_edge_[axis]};
    }

    /// Adds what a particle contributes to the waves of a part. From the first wave on, each is the one
    /// before it times that of wave number 1.
    template <class Particle>
    MPCFLOW_HD void add(const ModePart& part, const Particle& particle, ModeSums& sums) const {
        const double turns = static_cast<double>(particle.position[part.axis]) * part.inverse_edge;
        const SinCos<double> step = sin_cos_turns(turns);
        SinCos<double> wave = part.first == 1 ? step : sin_cos_turns(part.first * turns);
        const Vec3<double> v = vector_cast<double>(particle.velocity);
        const double velocity[3] = {velocity_.round(v.x), velocity_.round(v.y), velocity_.round(v.z)};
        for (int n = 0; n < ModeSums::waves; ++n) {
            const double real = wave_.round(wave.cos);
            const double imaginary = -wave_.round(wave.sin);
            for (int axis = 0; axis < 3; ++axis) {
                double* const to = sums.value + 6 * n + 2 * axis;
                to[0] = add_exact_product(velocity[axis], real, to[0]);
                to[1] = add_exact_product(velocity[axis], imaginary, to[1]);
            }
            wave = {wave.sin * step.cos + wave.cos * step.sin, wave.cos * step.cos - wave.sin * step.sin};
        }
    }

    MPCFLOW_HD ModeTotals split(const ModeSums& sums) const {
        ModeTotals totals;
        for (int i = 0; i < ModeSums::count; ++i) {
            totals.value[2 * i] = coarse_.round(sums.value[i]);
            totals.value[2 * i + 1] = sums.value[i] - totals.value[2 * i];
        }
        return totals;
    }

    /// u_k as Solver::velocity_modes() gives it, from the totals of all parts.
    [[nodiscard]] std::vector<double> modes(const std::vector<ModeTotals>& totals) const {
        std::vector<double> modes;
        for (int axis = 0; axis < 3; ++axis) {
            for (int n = 0; n < along_[axis]; ++n) {
                const double* const sums =
                    totals[parts_before_[axis] + n / ModeSums::waves].value + 12 * (n % ModeSums::waves);
                for (int i = 0; i < 6; ++i)
                    modes.push_back((sums[2 * i] + sums[2 * i + 1]) / static_cast<double>(particles_));
            }
        }
        return modes;
    }

private:
    static constexpr int wave_bits = 18;

    /// a b + c, where a b and the sum are exact: fused or not, it has the same bits.
    MPCFLOW_HD static double add_exact_product(double a, double b, double c) {
#ifdef __CUDA_ARCH__
        return __fma_rn(a, b, c);
#else
        return a * b + c;
#endif
    }

    std::int64_t particles_;
    std::array<int, 3> along_;
    int parts_before_[4]{};
    double inverse_edge_[3]{};
    RoundingGrid wave_, velocity_, coarse_;
};

}  // namespace mpcflow

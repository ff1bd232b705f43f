#pragma once
/// Sums over particles of waves, exp(-i k x): Fourier modes of the density.

#include <vector>

#include "physics/observables/mode_rule.hpp"

namespace mpcflow {

/// rho_k = sum over particles of exp(-i k x): for each wave vector the real and the imaginary part. Waves are
/// rounded to 2^-19; sums of up to 2^34 of them are exact as they are, so nothing is split.
class DensityModes : public WaveRule {
public:
    /// Of a part: for each wave number the real and the imaginary part.
    using Sums = SumsOf<2 * waves>;
    using Totals = Sums;

    DensityModes(const System& system, const WaveNumbers& wave_numbers) : WaveRule(system, wave_numbers) {}

    /// Adds what a particle contributes to the waves of a part.
    template <class Particle>
    MPCFLOW_HD void add(const WavePart& part, const Particle& particle, Sums& sums) const {
        Waves at = waves_at(part, particle);
        for (int n = 0; n < waves; ++n) {
            sums.value[2 * n] += wave_.round(at.wave.cos);
            sums.value[2 * n + 1] -= wave_.round(at.wave.sin);
            at.go_on();
        }
    }

    MPCFLOW_HD Totals split(const Sums& sums) const { return sums; }

    /// From the totals of all parts.
    [[nodiscard]] Result result(const std::vector<Totals>& totals) const {
        Result modes;
        for_wave_vectors([&](int part, int n) {
            modes.push_back(totals[part].value[2 * n]);
            modes.push_back(totals[part].value[2 * n + 1]);
        });
        return modes;
    }
};

}  // namespace mpcflow

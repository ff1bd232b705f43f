#pragma once
/// Histograms of speed and occupancy, and in which bin a particle or a cell belongs.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "physics/host_device.hpp"
#include "physics/lees_edwards.hpp"
#include "physics/observables/extremes.hpp"
#include "physics/system.hpp"

namespace mpcflow {

/// Adds counts to others of the same bins.
inline void add_counts(std::vector<std::uint64_t>& to, const std::vector<std::uint64_t>& counts) {
    for (std::size_t bin = 0; bin < to.size(); ++bin) to[bin] += counts[bin];
}

/// Counts of the occupancies of cells and of the speeds of particles, summed over samples.
struct Histograms {
    /// Largest number of bins of either: what fits into the shared memory of a block of every GPU.
    static constexpr int most_bins = 12000;

    Histograms() = default;
    /// Of 1 to most_bins occupancies, 0 and up, of which the last one takes all above it too; and of
    /// `speed_bins` bins of equal width from 0 to `largest_speed` thermal speeds sqrt(kT/m), and one more for
    /// all above.
    Histograms(int occupancy_bins, int speed_bins, double the_largest_speed)
        : largest_speed(the_largest_speed), occupancy(occupancy_bins), speed(speed_bins + 1) {}

    double largest_speed = 0.0;
    std::int64_t samples = 0;
    std::vector<std::uint64_t> occupancy;  ///< of the whole collision cells, as in Extremes
    std::vector<std::uint64_t> speed;
};

/// Bins of equal width of |v| / sqrt(kT/m), kT the wanted temperature and m the particle's own mass, and one
/// for all that is faster; v relative to the flow of a sheared box.
class SpeedBins {
public:
    using Result = std::vector<std::uint64_t>;

    SpeedBins(const System& system, const Histograms& histograms)
        : flow_(system),
          bins_(static_cast<int>(histograms.speed.size()) - 1),
          scale_(bins_ /
                 (histograms.largest_speed * std::sqrt(system.fluid.temperature / system.fluid.mass))) {
        for (int s = 0; s < system.species_count(); ++s) slowness_[s] = std::sqrt(system.relative_mass(s));
    }

    [[nodiscard]] int bins() const { return bins_ + 1; }
    /// One root, one product: the same bin on every machine.
    template <class Particle>
    MPCFLOW_HD std::int32_t bin_of_particle(const Particle& particle) const {
        const Vec3<double> v =
            flow_.relative(vector_cast<double>(particle.position), vector_cast<double>(particle.velocity));
        double place = std::sqrt(dot(v, v)) * scale_;
        if constexpr (Particle::has_species) place *= slowness_[particle.species()];
        return place < bins_ ? static_cast<std::int32_t>(place) : bins_;
    }

private:
    ShearFlow flow_;
    std::int32_t bins_;
    double scale_;
    double slowness_[SpeciesList::most]{};  ///< of each species the root of its relative mass
};

/// A bin for each number of particles from 0 on; the last one takes all above it too.
class OccupancyBins {
public:
    using Result = std::vector<std::uint64_t>;

    OccupancyBins(const System&, const Histograms& histograms)
        : last_(static_cast<std::int32_t>(histograms.occupancy.size()) - 1) {}

    [[nodiscard]] int bins() const { return last_ + 1; }
    MPCFLOW_HD std::int32_t bin_of_cell(double count) const {
        return count < last_ ? static_cast<std::int32_t>(count) : last_;
    }

private:
    std::int32_t last_;
};

}  // namespace mpcflow

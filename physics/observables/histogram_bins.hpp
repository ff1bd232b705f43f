#pragma once
/// In which bin of a histogram a particle's speed or a cell's occupancy belongs.

#include <cmath>
#include <cstdint>

#include "physics/host_device.hpp"
#include "physics/observables/extremes.hpp"
#include "physics/solver.hpp"
#include "physics/system.hpp"

namespace mpcflow {

/// Bins of equal width of |v| / sqrt(kT/m), kT the wanted temperature, and one for all that is faster.
class SpeedBins {
public:
    SpeedBins(const Fluid& fluid, const Histograms& histograms)
        : bins_(static_cast<int>(histograms.speed.size()) - 1),
          scale_(bins_ / (histograms.largest_speed * std::sqrt(fluid.temperature / fluid.mass))) {}

    /// One root, one product: the same bin on every machine.
    template <class Particle>
    MPCFLOW_HD std::int32_t bin(const Particle& particle) const {
        const double place = std::sqrt(speed_squared(particle)) * scale_;
        return place < bins_ ? static_cast<std::int32_t>(place) : bins_;
    }

private:
    std::int32_t bins_;
    double scale_;
};

/// A bin for each number of particles from 0 on; the last one takes all above it too.
class OccupancyBins {
public:
    explicit OccupancyBins(const Histograms& histograms)
        : last_(static_cast<std::int32_t>(histograms.occupancy.size()) - 1) {}

    MPCFLOW_HD std::int32_t bin(double count) const {
        return count < last_ ? static_cast<std::int32_t>(count) : last_;
    }

private:
    std::int32_t last_;
};

}  // namespace mpcflow

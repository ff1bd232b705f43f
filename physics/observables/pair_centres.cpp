#include "physics/observables/pair_centres.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "physics/boundary/surface_map.hpp"

namespace mpcflow {

namespace {

/// Cells along an axis: wider than the range by more than coordinates are rounded, and not so many that going
/// over the empty ones takes longer than over the particles.
int cell_number(int size, double range) {
    constexpr double margin = 1.000001;
    constexpr double most = 128.0;
    return static_cast<int>(std::clamp(static_cast<double>(size) / (range * margin), 1.0, most));
}

}  // namespace

PairRule::PairRule(const System& system, const PairBins& bins)
    : range_(bins.range),
      range_squared_(bins.range * bins.range),
      bins_per_length_(bins.bins / bins.range),
      bins_(bins.bins) {
    for (int axis = 0; axis < 3; ++axis) {
        const int size = system.box.size[static_cast<std::size_t>(axis)];
        cells_[axis] = cell_number(size, bins.range);
        is_periodic_[axis] = system.boundaries.faces[static_cast<std::size_t>(axis)].is_periodic() ? 1 : 0;
        size_[axis] = size;
        cells_per_length_[axis] = static_cast<double>(cells_[axis]) / size;
    }
}

bool PairRule::can_be_centre(Vec3<double> x) const {
    bool is_far = true;
    for (int axis = 0; axis < 3; ++axis)
        if (is_periodic_[axis] == 0) is_far &= x[axis] >= range_ && x[axis] <= size_[axis] - range_;
    return is_far;
}

PairCentres::PairCentres(const PairRule& rule, const ParticleRecords& particles, const SurfaceMap* surfaces)
    : rule_(rule), first_(static_cast<std::size_t>(rule.cell_count() + 1)) {
    if (particles.count() > most_pair_centres)
        throw std::invalid_argument("pairs of " + std::to_string(particles.count()) +
                                    " centres are asked for, more than " + std::to_string(most_pair_centres));
    std::vector<PairCentre> chosen;
    particles.visit([&](const auto& records) {
        for (const auto& record : records) {
            const Vec3<double> x = vector_cast<double>(record.position);
            if (!rule.can_be_centre(x)) continue;
            if (surfaces != nullptr && surfaces->distance(x) < rule.range()) continue;
            chosen.push_back({x, record.id()});
            ++first_[static_cast<std::size_t>(rule.cell(x)) + 1];
        }
    });
    for (std::size_t c = 1; c < first_.size(); ++c) first_[c] += first_[c - 1];
    centres_.resize(chosen.size());
    std::vector<std::int32_t> next(first_.begin(), first_.end() - 1);
    for (const PairCentre& centre : chosen) {
        std::int32_t& slot = next[static_cast<std::size_t>(rule.cell(centre.position))];
        centres_[static_cast<std::size_t>(slot++)] = centre;
    }
}

}  // namespace mpcflow

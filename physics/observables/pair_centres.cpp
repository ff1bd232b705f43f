#include "physics/observables/pair_centres.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "physics/boundary/surface_map.hpp"

namespace mpcflow {

namespace {

/// Cells along an axis: wider than the range by more than coordinates are rounded, and not so many that going
/// over the empty ones takes longer than over the particles.
int cell_number(double length, double range) {
    constexpr double margin = 1.000001;
    constexpr double most = 128.0;
    return static_cast<int>(std::clamp(length / (range * margin), 1.0, most));
}

}  // namespace

PairRule::PairRule(const System& system, const PairBins& bins)
    : range_(bins.range),
      range_squared_(bins.range * bins.range),
      bins_per_length_(bins.bins / bins.range),
      bins_(bins.bins) {
    for (int axis = 0; axis < 3; ++axis) {
        const AxisFaces& faces = system.boundaries.faces[static_cast<std::size_t>(axis)];
        size_[axis] = system.box.size[static_cast<std::size_t>(axis)];
        margin_[axis] = faces.is_sheared() ? range_ : 0.0;
        has_wall_[axis] = faces.is_periodic() ? 0 : 1;
        is_wrapped_[axis] = faces.is_periodic() && !faces.is_sheared() ? 1 : 0;
        const double length = size_[axis] + 2.0 * margin_[axis];
        cells_[axis] = cell_number(length, bins.range);
        cells_per_length_[axis] = static_cast<double>(cells_[axis]) / length;
    }
}

bool PairRule::can_be_centre(Vec3<double> x) const {
    bool is_far = true;
    for (int axis = 0; axis < 3; ++axis)
        if (has_wall_[axis] != 0) is_far &= x[axis] >= range_ && x[axis] <= size_[axis] - range_;
    return is_far;
}

ChosenCentres choose_centres(const PairRule& rule, const ParticleRecords& particles,
                             const ShearedFaces<double>& faces, const SurfaceMap* surfaces) {
    if (particles.count() > most_pair_centres)
        throw std::invalid_argument("pairs of " + std::to_string(particles.count()) +
                                    " centres are asked for, more than " + std::to_string(most_pair_centres));
    ChosenCentres chosen;
    particles.visit([&](const auto& records) {
        for (const auto& record : records) {
            const Vec3<double> x = vector_cast<double>(record.position);
            if (!rule.can_be_centre(x)) continue;
            if (surfaces != nullptr && surfaces->distance(x) < rule.range()) continue;
            chosen.centres.push_back({x, record.id()});
        }
    });
    chosen.particle_count = chosen.centres.size();
    for (std::size_t i = 0; i < chosen.particle_count; ++i) {
        const PairCentre centre = chosen.centres[i];
        rule.for_images_near(faces, centre.position, [&](Vec3<double> image) {
            chosen.centres.push_back({image, centre.id});
        });
    }
    return chosen;
}

PairCentres::PairCentres(const PairRule& rule, const std::vector<PairCentre>& centres)
    : rule_(rule), centres_(centres.size()), first_(static_cast<std::size_t>(rule.cell_count() + 1)) {
    for (const PairCentre& centre : centres)
        ++first_[static_cast<std::size_t>(rule.cell(centre.position)) + 1];
    for (std::size_t c = 1; c < first_.size(); ++c) first_[c] += first_[c - 1];
    std::vector<std::int32_t> next(first_.begin(), first_.end() - 1);
    for (const PairCentre& centre : centres) {
        std::int32_t& slot = next[static_cast<std::size_t>(rule.cell(centre.position))];
        centres_[static_cast<std::size_t>(slot++)] = centre;
    }
}

}  // namespace mpcflow

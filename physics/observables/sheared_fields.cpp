#include "physics/observables/sheared_fields.hpp"

#include <cmath>

#include "physics/observables/not_known.hpp"

namespace mpcflow {

FlowOfBins::FlowOfBins(const System& system, const std::array<int, 3>& bins)
    : flow_(system), size_(system.box.size), bins_(bins) {}

double FlowOfBins::height(std::size_t bin) const {
    const auto normal = static_cast<std::size_t>(flow_.normal());
    std::array<std::size_t, 3> place{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const auto bins = static_cast<std::size_t>(bins_[axis]);
        place[axis] = bin % bins;
        bin /= bins;
    }
    const double share = (static_cast<double>(place[normal]) + 0.5) / bins_[normal];
    return size_[normal] * (share - 0.5);
}

void FlowOfBins::add_to(FieldAverages& averages) const {
    if (!flow_.is_on()) return;
    const auto along = static_cast<std::size_t>(flow_.along());
    const std::size_t bins = averages.density.size();
    const std::size_t species = averages.species_density.size() / bins;
    for (std::size_t bin = 0; bin < bins; ++bin) {
        const double velocity = flow_.rate() * height(bin);
        averages.velocity[3 * bin + along] += velocity;
        for (std::size_t s = 0; s < species; ++s)
            averages.species_velocity[3 * (bin * species + s) + along] += velocity;
    }
}

void FlowOfBins::add_shear_rate(const FieldAverages& averages,
                                std::vector<NamedAttribute>& attributes) const {
    if (!flow_.is_on()) return;
    const auto along = static_cast<std::size_t>(flow_.along());
    double squares = 0.0, products = 0.0, variances = 0.0;
    for (std::size_t bin = 0; bin < averages.density.size(); ++bin) {
        const double y = height(bin);
        const double error = averages.velocity_error[3 * bin + along];
        squares += y * y;
        products += y * averages.velocity[3 * bin + along];
        variances += y * y * error * error;
    }
    const bool is_known = squares > 0.0;
    attributes.push_back({"measured_shear_rate", is_known ? products / squares : not_known});
    attributes.push_back(
        {"measured_shear_rate_error", is_known ? std::sqrt(variances) / squares : not_known});
}

}  // namespace mpcflow

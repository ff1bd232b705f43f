#include "physics/observables/fields.hpp"

#include <stdexcept>
#include <string>

#include "physics/observables/flux_rule.hpp"

namespace mpcflow {

FieldBlock make_field_block(std::int64_t bins, PressureFields pressure) {
    return {0, std::vector<FieldSums>(bins),
            std::vector<PressureSums>(pressure == PressureFields::sampled ? bins : std::int64_t{0})};
}

void check_bins(const FieldBlock& block, std::int64_t bins, PressureFields pressure) {
    const std::size_t with_pressure =
        pressure == PressureFields::sampled ? static_cast<std::size_t>(bins) : 0;
    if (static_cast<std::int64_t>(block.bins.size()) == bins && block.pressure.size() == with_pressure &&
        block.samples >= 0)
        return;
    throw std::invalid_argument("a field block of " + std::to_string(block.bins.size()) + " bins, " +
                                std::to_string(block.pressure.size()) + " with pressure, for a solver of " +
                                std::to_string(bins) + " and " + std::to_string(with_pressure));
}

void check_can_sample(const System& system, const BinRule& rule) {
    if (rule.bin_count() == 0) throw std::logic_error("fields: no bins were asked for");
    check_one_species(system, "fields");
}

}  // namespace mpcflow

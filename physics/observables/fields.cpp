#include "physics/observables/fields.hpp"

#include <stdexcept>
#include <string>

namespace mpcflow {

namespace {

std::int64_t pressure_rows(const FieldLayout& layout) {
    return layout.pressure == PressureFields::sampled ? layout.bins : 0;
}

}  // namespace

FieldBlock make_field_block(const FieldLayout& layout) {
    return {0, std::vector<FieldSums>(layout.row_count()), std::vector<PressureSums>(pressure_rows(layout))};
}

void check_bins(const FieldBlock& block, const FieldLayout& layout) {
    if (std::ssize(block.bins) == layout.row_count() && std::ssize(block.pressure) == pressure_rows(layout) &&
        block.samples >= 0)
        return;
    throw std::invalid_argument("a field block of " + std::to_string(block.bins.size()) + " rows, " +
                                std::to_string(block.pressure.size()) + " with pressure, for a solver of " +
                                std::to_string(layout.row_count()) + " and " +
                                std::to_string(pressure_rows(layout)));
}

void check_can_sample(const BinRule& rule) {
    if (rule.bin_count() == 0) throw std::logic_error("fields: no bins were asked for");
}

}  // namespace mpcflow

#include "physics/observables/field_statistics.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "physics/observables/block_errors.hpp"
#include "physics/observables/merge_neighbours.hpp"
#include "physics/observables/not_known.hpp"

namespace mpcflow {

namespace {

struct Estimate {
    double value = not_known;
    double error = not_known;
};

/// Ratio of the sums over blocks of numerator(i) and denominator(i), with its standard error.
template <typename Numerator, typename Denominator>
Estimate ratio(std::size_t blocks, Numerator numerator, Denominator denominator) {
    double sum_a = 0.0;
    double sum_b = 0.0;
    for (std::size_t i = 0; i < blocks; ++i) {
        sum_a += numerator(i);
        sum_b += denominator(i);
    }
    if (!(sum_b > 0.0)) return {};
    const double value = sum_a / sum_b;
    std::vector<double> deviations(blocks);
    for (std::size_t i = 0; i < blocks; ++i) deviations[i] = numerator(i) - value * denominator(i);
    return {value, std::sqrt(variance_of_sum(deviations)) / sum_b};
}

void add_to(FieldSums& sum, const FieldSums& other) {
    sum.particles += other.particles;
    for (std::size_t axis = 0; axis < 3; ++axis) sum.momentum[axis] += other.momentum[axis];
    sum.relative_energy += other.relative_energy;
    sum.relative_freedoms += other.relative_freedoms;
}

void add_to(PressureSums& sum, const PressureSums& other) {
    sum.mass += other.mass;
    for (std::size_t i = 0; i < sum.momentum.size(); ++i) sum.momentum[i] += other.momentum[i];
    for (std::size_t i = 0; i < sum.kinetic.size(); ++i) sum.kinetic[i] += other.kinetic[i];
    for (std::size_t i = 0; i < sum.collisional.size(); ++i) sum.collisional[i] += other.collisional[i];
}

void put(const Estimate& estimate, std::vector<double>& value, std::vector<double>& error) {
    value.push_back(estimate.value);
    error.push_back(estimate.error);
}

}  // namespace

void merge_into(FieldBlock& sum, const FieldBlock& other) {
    sum.samples += other.samples;
    for (std::size_t bin = 0; bin < sum.bins.size(); ++bin) add_to(sum.bins[bin], other.bins[bin]);
    for (std::size_t bin = 0; bin < sum.pressure.size(); ++bin)
        add_to(sum.pressure[bin], other.pressure[bin]);
}

FieldStatistics::FieldStatistics(const FieldLayout& layout, std::int64_t most_blocks)
    : layout_(layout), most_blocks_(most_blocks) {
    if (most_blocks < 2 || most_blocks % 2 != 0)
        throw std::logic_error("FieldStatistics needs an even number of blocks");
}

std::int64_t FieldStatistics::affordable_blocks(const FieldLayout& layout, std::int64_t budget_bytes) {
    const std::int64_t most = budget_bytes / std::max<std::int64_t>(layout.bytes(), 1);
    return std::clamp<std::int64_t>(most / 2 * 2, 16, 64);
}

BlockPlan FieldStatistics::block_plan() const {
    return BlockPlan(most_blocks_, static_cast<std::int64_t>(blocks_.size()), block_samples_,
                     blocks_.empty() ? 0 : blocks_.back().samples);
}

std::int64_t FieldStatistics::samples() const {
    std::int64_t sum = 0;
    for (const FieldBlock& block : blocks_) sum += block.samples;
    return sum;
}

void FieldStatistics::put_back(std::int64_t block_samples, std::vector<FieldBlock> blocks) {
    for (const FieldBlock& block : blocks) check_bins(block, layout_);
    if (block_samples < 1 || static_cast<std::int64_t>(blocks.size()) >= most_blocks_)
        throw std::invalid_argument("more field blocks than there can be");
    block_samples_ = block_samples;
    blocks_ = std::move(blocks);
}

void FieldStatistics::add(FieldBlock block) {
    if (block.samples == 0) return;
    check_bins(block, layout_);
    if (is_last_full()) blocks_.push_back(std::move(block));
    else merge_into(blocks_.back(), block);
    if (static_cast<std::int64_t>(blocks_.size()) == most_blocks_) {
        merge_neighbours(blocks_, merge_into);
        block_samples_ *= 2;
    }
}

struct FieldStatistics::RowAverages {
    Estimate density;
    std::array<Estimate, 3> velocity;
    Estimate temperature;

    void put_into(std::vector<double>& densities, std::vector<double>& density_errors,
                  std::vector<double>& velocities, std::vector<double>& velocity_errors,
                  std::vector<double>& temperatures, std::vector<double>& temperature_errors) const {
        put(density, densities, density_errors);
        for (const Estimate& component : velocity) put(component, velocities, velocity_errors);
        put(temperature, temperatures, temperature_errors);
    }
};

template <class Mass>
FieldStatistics::RowAverages FieldStatistics::averages_of_row(std::int64_t row, double bin_volume,
                                                              double unit, const Mass& mass) const {
    const auto sums = [&](std::size_t block) -> const FieldSums& {
        return blocks_[block].bins[static_cast<std::size_t>(row)];
    };
    RowAverages found;
    found.density = ratio(
        blocks_.size(), [&](std::size_t i) { return sums(i).particles; },
        [&](std::size_t i) { return static_cast<double>(blocks_[i].samples) * bin_volume; });
    for (std::size_t axis = 0; axis < 3; ++axis) {
        found.velocity[axis] = ratio(
            blocks_.size(), [&](std::size_t i) { return sums(i).momentum[axis] / unit; }, mass);
    }
    found.temperature = ratio(
        blocks_.size(), [&](std::size_t i) { return 2.0 * sums(i).relative_energy; },
        [&](std::size_t i) { return sums(i).relative_freedoms; });
    return found;
}

FieldAverages FieldStatistics::averages(double bin_volume, std::span<const double> masses) const {
    FieldAverages result;
    result.samples = samples();
    result.blocks = static_cast<std::int64_t>(blocks_.size());
    result.block_samples = block_samples_;
    const double unit = *std::ranges::min_element(masses);
    const auto particles_in = [&](std::size_t block, std::int64_t row) {
        return blocks_[block].bins[static_cast<std::size_t>(row)].particles;
    };
    for (std::int64_t bin = 0; bin < layout_.bins; ++bin) {
        const auto row_of = [&](int species) { return bin + (1 + species) * layout_.bins; };
        // In units of the least mass, so that of one species it is the number of particles.
        const auto mass = [&](std::size_t i) {
            if (layout_.species == 1) return particles_in(i, bin);
            double sum = 0.0;
            for (int s = 0; s < layout_.species; ++s)
                sum += masses[static_cast<std::size_t>(s)] / unit * particles_in(i, row_of(s));
            return sum;
        };
        averages_of_row(bin, bin_volume, unit, mass)
            .put_into(result.density, result.density_error, result.velocity, result.velocity_error,
                      result.temperature, result.temperature_error);
        for (int s = 0; layout_.species > 1 && s < layout_.species; ++s) {
            averages_of_row(
                row_of(s), bin_volume, masses[static_cast<std::size_t>(s)],
                [&](std::size_t i) { return particles_in(i, row_of(s)); })
                .put_into(result.species_density, result.species_density_error, result.species_velocity,
                          result.species_velocity_error, result.species_temperature,
                          result.species_temperature_error);
        }
    }
    if (layout_.pressure == PressureFields::sampled) add_pressure(result, bin_volume, unit);
    return result;
}

void FieldStatistics::add_pressure(FieldAverages& result, double bin_volume, double mass) const {
    constexpr std::size_t symmetric[9] = {0, 3, 4, 3, 1, 5, 4, 5, 2};  // of row order, in xx yy zz xy xz yz
    for (std::int64_t bin = 0; bin < layout_.bins; ++bin) {
        const auto sums = [&](std::size_t block) -> const PressureSums& {
            return blocks_[block].pressure[static_cast<std::size_t>(bin)];
        };
        PressureSums all;
        for (std::size_t i = 0; i < blocks_.size(); ++i) add_to(all, sums(i));
        std::array<double, 3> u{};  // the mean velocity
        for (std::size_t a = 0; a < 3 && all.mass > 0.0; ++a) u[a] = all.momentum[a] / (mass * all.mass);
        for (std::size_t ab = 0; ab < 9; ++ab) {
            const std::size_t a = ab / 3;
            const std::size_t b = ab % 3;
            // The derivative of the whole by the sums of a block, times these: its sum over blocks is the
            // whole.
            const auto flux = [&](std::size_t i) {
                const PressureSums& s = sums(i);
                return s.kinetic[symmetric[ab]] + s.collisional[ab] - u[b] * s.momentum[a] -
                       u[a] * s.momentum[b] + u[a] * u[b] * mass * s.mass;
            };
            const Estimate found = ratio(blocks_.size(), flux, [&](std::size_t i) {
                return static_cast<double>(blocks_[i].samples) * bin_volume;
            });
            result.pressure_tensor.push_back(found.value);
            result.pressure_tensor_error.push_back(found.error);
        }
    }
}

FieldAverages averages_of(FieldBlock block, const FieldLayout& layout, double bin_volume,
                          std::span<const double> masses) {
    FieldStatistics statistics(layout, 2);
    std::vector<FieldBlock> blocks;
    const std::int64_t samples = block.samples;
    blocks.push_back(std::move(block));
    statistics.put_back(samples, std::move(blocks));
    return statistics.averages(bin_volume, masses);
}

}  // namespace mpcflow

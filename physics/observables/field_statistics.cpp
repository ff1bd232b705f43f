#include "physics/observables/field_statistics.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

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
    Estimate result{sum_a / sum_b, not_known};
    if (blocks < 2) return result;
    double squares = 0.0;
    for (std::size_t i = 0; i < blocks; ++i) {
        const double residual = numerator(i) - result.value * denominator(i);
        squares += residual * residual;
    }
    const auto n = static_cast<double>(blocks);
    result.error = std::sqrt(n / (n - 1.0) * squares) / sum_b;
    return result;
}

void add_to(FieldSums& sum, const FieldSums& other) {
    sum.particles += other.particles;
    for (std::size_t axis = 0; axis < 3; ++axis) sum.momentum[axis] += other.momentum[axis];
    sum.relative_energy += other.relative_energy;
    sum.relative_freedoms += other.relative_freedoms;
}

void add_to(PressureSums& sum, const PressureSums& other) {
    sum.particles += other.particles;
    for (std::size_t i = 0; i < sum.momentum.size(); ++i) sum.momentum[i] += other.momentum[i];
    for (std::size_t i = 0; i < sum.kinetic.size(); ++i) sum.kinetic[i] += other.kinetic[i];
    for (std::size_t i = 0; i < sum.collisional.size(); ++i) sum.collisional[i] += other.collisional[i];
}

std::size_t bin_count(const std::array<int, 3>& bins) {
    return static_cast<std::size_t>(bins[0]) * static_cast<std::size_t>(bins[1]) *
           static_cast<std::size_t>(bins[2]);
}

}  // namespace

void merge_into(FieldBlock& sum, const FieldBlock& other) {
    sum.samples += other.samples;
    for (std::size_t bin = 0; bin < sum.bins.size(); ++bin) add_to(sum.bins[bin], other.bins[bin]);
    for (std::size_t bin = 0; bin < sum.pressure.size(); ++bin)
        add_to(sum.pressure[bin], other.pressure[bin]);
}

FieldStatistics::FieldStatistics(std::array<int, 3> bins, std::int64_t most_blocks, PressureFields pressure)
    : bins_(bins), pressure_(pressure), most_blocks_(most_blocks) {
    if (most_blocks < 2 || most_blocks % 2 != 0)
        throw std::logic_error("FieldStatistics needs an even number of blocks");
}

std::int64_t FieldStatistics::affordable_blocks(std::array<int, 3> bins, std::int64_t budget_bytes,
                                                PressureFields pressure) {
    const auto bytes = static_cast<std::int64_t>(bin_count(bins)) * bytes_of_bin(pressure);
    const std::int64_t most = budget_bytes / std::max<std::int64_t>(bytes, 1);
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
    for (const FieldBlock& block : blocks)
        check_bins(block, static_cast<std::int64_t>(bin_count(bins_)), pressure_);
    if (block_samples < 1 || static_cast<std::int64_t>(blocks.size()) >= most_blocks_)
        throw std::invalid_argument("more field blocks than there can be");
    block_samples_ = block_samples;
    blocks_ = std::move(blocks);
}

void FieldStatistics::add(FieldBlock block) {
    if (block.samples == 0) return;
    check_bins(block, static_cast<std::int64_t>(bin_count(bins_)), pressure_);
    if (is_last_full()) blocks_.push_back(std::move(block));
    else merge_into(blocks_.back(), block);
    if (static_cast<std::int64_t>(blocks_.size()) == most_blocks_) {
        merge_neighbours(blocks_, merge_into);
        block_samples_ *= 2;
    }
}

FieldAverages FieldStatistics::averages(double bin_volume, double mass) const {
    const std::size_t bins = bin_count(bins_);
    FieldAverages result;
    result.samples = samples();
    result.blocks = static_cast<std::int64_t>(blocks_.size());
    result.block_samples = block_samples_;
    for (auto* field :
         {&result.density, &result.density_error, &result.temperature, &result.temperature_error})
        field->resize(bins);
    result.velocity.resize(3 * bins);
    result.velocity_error.resize(3 * bins);

    for (std::size_t bin = 0; bin < bins; ++bin) {
        const auto sums = [&](std::size_t block) -> const FieldSums& { return blocks_[block].bins[bin]; };
        const auto particles = [&](std::size_t i) { return sums(i).particles; };
        const auto density = ratio(blocks_.size(), particles, [&](std::size_t i) {
            return static_cast<double>(blocks_[i].samples) * bin_volume;
        });
        result.density[bin] = density.value;
        result.density_error[bin] = density.error;
        for (std::size_t axis = 0; axis < 3; ++axis) {
            const auto momentum = [&](std::size_t i) { return sums(i).momentum[axis] / mass; };
            const auto velocity = ratio(blocks_.size(), momentum, particles);
            result.velocity[3 * bin + axis] = velocity.value;
            result.velocity_error[3 * bin + axis] = velocity.error;
        }
        const auto temperature = ratio(
            blocks_.size(), [&](std::size_t i) { return 2.0 * sums(i).relative_energy; },
            [&](std::size_t i) { return sums(i).relative_freedoms; });
        result.temperature[bin] = temperature.value;
        result.temperature_error[bin] = temperature.error;
    }
    if (pressure_ == PressureFields::sampled) add_pressure(result, bin_volume, mass);
    return result;
}

void FieldStatistics::add_pressure(FieldAverages& result, double bin_volume, double mass) const {
    constexpr std::size_t symmetric[9] = {0, 3, 4, 3, 1, 5, 4, 5, 2};  // of row order, in xx yy zz xy xz yz
    for (std::size_t bin = 0; bin < bin_count(bins_); ++bin) {
        const auto sums = [&](std::size_t block) -> const PressureSums& {
            return blocks_[block].pressure[bin];
        };
        PressureSums all;
        for (std::size_t i = 0; i < blocks_.size(); ++i) add_to(all, sums(i));
        std::array<double, 3> u{};  // the mean velocity
        for (std::size_t a = 0; a < 3 && all.particles > 0.0; ++a)
            u[a] = all.momentum[a] / (mass * all.particles);
        for (std::size_t ab = 0; ab < 9; ++ab) {
            const std::size_t a = ab / 3;
            const std::size_t b = ab % 3;
            // The derivative of the whole by the sums of a block, times these: its sum over blocks is the
            // whole.
            const auto flux = [&](std::size_t i) {
                const PressureSums& s = sums(i);
                return s.kinetic[symmetric[ab]] + s.collisional[ab] - u[b] * s.momentum[a] -
                       u[a] * s.momentum[b] + u[a] * u[b] * mass * s.particles;
            };
            const Estimate found = ratio(blocks_.size(), flux, [&](std::size_t i) {
                return static_cast<double>(blocks_[i].samples) * bin_volume;
            });
            result.pressure_tensor.push_back(found.value);
            result.pressure_tensor_error.push_back(found.error);
        }
    }
}

FieldAverages averages_of(FieldBlock block, std::array<int, 3> bins, double bin_volume, double mass) {
    const PressureFields pressure = block.pressure.empty() ? PressureFields::none : PressureFields::sampled;
    FieldStatistics statistics(bins, 2, pressure);
    std::vector<FieldBlock> blocks;
    const std::int64_t samples = block.samples;
    blocks.push_back(std::move(block));
    statistics.put_back(samples, std::move(blocks));
    return statistics.averages(bin_volume, mass);
}

}  // namespace mpcflow

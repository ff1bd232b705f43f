#pragma once
/// Averages of the fields with standard errors by blocking.

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "physics/observables/fields.hpp"

namespace mpcflow {

/// Averages in each bin and their standard errors. Shapes: n bins (index = x + nx (y + ny z)),
/// velocity 3 n. NaN where nothing is known: velocity and temperature of a bin that never held a
/// particle (or, for temperature, never two), errors from fewer than two blocks.
struct FieldAverages {
    std::int64_t samples = 0;
    std::int64_t blocks = 0;
    std::int64_t block_samples = 0;              ///< samples in each block but perhaps the last
    std::vector<double> density, density_error;  ///< particles a volume a^3
    std::vector<double> velocity, velocity_error;
    std::vector<double> temperature, temperature_error;  ///< kT of the motion relative to the bin's mean
    /// Of several species the same of each, [bin][species] and [bin][species][3]: its own mean velocity, and
    /// kT relative to that.
    std::vector<double> species_density, species_density_error;
    std::vector<double> species_velocity, species_velocity_error;
    std::vector<double> species_temperature, species_temperature_error;
    /// P_ab at [9 bin + 3 a + b], relative to the bin's mean velocity; empty where it is not sampled.
    std::vector<double> pressure_tensor, pressure_tensor_error;
};

/// Adds the samples of another block of the same bins.
void merge_into(FieldBlock& sum, const FieldBlock& other);

/// How many samples the blocks of FieldStatistics have, without the blocks themselves.
class BlockPlan {
public:
    /// As after `blocks` blocks, the last of which has `last_samples`.
    explicit BlockPlan(std::int64_t most_blocks = 2, std::int64_t blocks = 0, std::int64_t block_samples = 1,
                       std::int64_t last_samples = 0)
        : most_blocks_(most_blocks),
          blocks_(blocks),
          block_samples_(block_samples),
          last_samples_(last_samples) {}

    /// Samples that the block in progress can still take, or the next one can.
    [[nodiscard]] std::int64_t room() const {
        return is_last_full() ? block_samples_ : block_samples_ - last_samples_;
    }
    /// After FieldStatistics::add() of so many.
    void add(std::int64_t samples) {
        if (is_last_full()) {
            ++blocks_;
            last_samples_ = 0;
        }
        last_samples_ += samples;
        if (blocks_ < most_blocks_) return;
        blocks_ /= 2;
        last_samples_ += block_samples_;
        block_samples_ *= 2;
    }

private:
    [[nodiscard]] bool is_last_full() const { return blocks_ == 0 || last_samples_ >= block_samples_; }

    std::int64_t most_blocks_;
    std::int64_t blocks_;
    std::int64_t block_samples_;
    std::int64_t last_samples_;
};

/// Collects blocks of samples. When `most_blocks` are full, neighbours are merged in pairs and blocks
/// become twice as long: memory and the cost of an average stay bounded, and blocks grow longer than
/// the time over which samples are correlated, as the errors need.
class FieldStatistics {
public:
    FieldStatistics(const FieldLayout& layout, std::int64_t most_blocks);

    /// An even number of blocks, 16 to 64, whose memory stays within `budget_bytes` if that is possible.
    [[nodiscard]] static std::int64_t affordable_blocks(const FieldLayout& layout, std::int64_t budget_bytes);

    /// Samples in a full block (the last block of a run may have fewer).
    [[nodiscard]] std::int64_t block_samples() const { return block_samples_; }
    [[nodiscard]] BlockPlan block_plan() const;
    [[nodiscard]] std::int64_t samples() const;
    /// The blocks so far, as put_back() takes them.
    [[nodiscard]] const std::vector<FieldBlock>& blocks() const { return blocks_; }
    /// Goes on from blocks of `block_samples` samples. Throws std::invalid_argument if no statistics of these
    /// bins can have them.
    void put_back(std::int64_t block_samples, std::vector<FieldBlock> blocks);

    /// Adds a block, or a part of one, with no more samples than block_plan() has room for, so that blocks
    /// are of one length; an empty one is ignored. Throws std::invalid_argument if its bins do not match.
    void add(FieldBlock block);

    /// Each quantity is a ratio of sums over blocks, sum_i A_i / sum_i B_i, and its error that of the
    /// ratio to first order (delta method): variance_of_sum(A_i - R B_i) / (sum B_i)^2 is its square.
    /// The pressure tensor is the flux of momentum over the volume less its convection: with p the momentum
    /// and M the mass of the particles in mid-flight, P_ab V = sum flux_ab - sum p_a sum p_b / sum M, to
    /// first order linear in the sums. `bin_volume` in a^3; `masses` of a particle of each species, the unit
    /// of M being the least of them.
    [[nodiscard]] FieldAverages averages(double bin_volume, std::span<const double> masses) const;

private:
    struct RowAverages;

    [[nodiscard]] bool is_last_full() const {
        return blocks_.empty() || blocks_.back().samples >= block_samples_;
    }
    /// Of the sums at a row of each block, which are of mass(block) in all.
    template <class Mass>
    [[nodiscard]] RowAverages averages_of_row(std::int64_t row, double bin_volume, double unit,
                                              const Mass& mass) const;
    void add_pressure(FieldAverages& result, double bin_volume, double mass) const;

    FieldLayout layout_;
    std::int64_t most_blocks_;
    std::int64_t block_samples_ = 1;
    std::vector<FieldBlock> blocks_;
};

/// The averages over the samples of one block, with no errors.
[[nodiscard]] FieldAverages averages_of(FieldBlock block, const FieldLayout& layout, double bin_volume,
                                        std::span<const double> masses);

}  // namespace mpcflow

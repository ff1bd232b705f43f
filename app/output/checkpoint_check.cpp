#include "app/output/checkpoint_check.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "physics/errors.hpp"

namespace mpcflow {

namespace {

class CountCheck {
public:
    explicit CountCheck(const Checkpoint& checkpoint)
        : checkpoint_(checkpoint), step_(checkpoint.particles.step) {}

    void check() const {
        constexpr std::int64_t most_restarts = std::int64_t{1} << 31;
        require(step_ >= 0 && step_ < std::int64_t{1} << 62, "its step");
        require(checkpoint_.fast_steps >= 0 && checkpoint_.fast_steps <= step_, "its fast steps");
        require(std::isfinite(checkpoint_.wall_time) && checkpoint_.wall_time >= 0.0, "its wall time");
        require(checkpoint_.restarts >= 0 && checkpoint_.restarts < most_restarts, "its number of restarts");
        // There is at most one of each at a step, and what is due at this one is still to be written.
        require(checkpoint_.frames >= 0 && checkpoint_.frames <= step_ + 1, "its number of frames");
        require(checkpoint_.windows >= 0 && checkpoint_.windows <= step_ + 1, "its number of windows");
        require(is_word(checkpoint_.program_version), "the version of its program");
        require(is_word(checkpoint_.start_time), "its start");
        require(is_word(checkpoint_.run_id), "its id");
        for (const ObservableState& state : checkpoint_.observables) {
            // It is told, where it is not asked for any more.
            require(!state.name.empty() &&
                        state.name.find_first_not_of("abcdefghijklmnopqrstuvwxyz_") == std::string::npos,
                    "the name of an observable");
        }
        check_series();
        if (checkpoint_.field_block_samples != 0) check_field_blocks();
        check_block(checkpoint_.open_block, "the open block of its fields");
        check_block(checkpoint_.open_window, "the open window of its fields");
    }

private:
    /// Of particles in a cell.
    [[nodiscard]] bool is_count(std::int64_t particles) const {
        return particles >= 0 && particles <= static_cast<std::int64_t>(checkpoint_.particles.id.size());
    }

    /// A text that is shown.
    [[nodiscard]] static bool is_word(const std::string& text) {
        constexpr std::size_t longest = 100;
        return text.size() <= longest &&
               std::ranges::all_of(text, [](char c) { return c >= ' ' && c <= '~'; });
    }

    void require(bool is_possible, const std::string& what) const {
        if (!is_possible)
            throw EnvironmentError(checkpoint_.path + ": " + what +
                                   " cannot be: this is not what mpcflow wrote");
    }

    void check_series() const {
        std::int64_t before = -1;
        for (const SeriesRow& row : checkpoint_.series) {
            require(row.step > before && row.step <= step_, "a step of its series");
            require(std::isfinite(row.time + row.kinetic_energy + row.momentum[0] + row.momentum[1] +
                                  row.momentum[2] + row.extremes.maximum_speed) &&
                        !std::isinf(row.temperature),
                    "a number of its series");
            require(is_count(row.extremes.minimum_occupancy) && is_count(row.extremes.maximum_occupancy),
                    "a number of its series");
            before = row.step;
        }
    }

    /// All blocks but the last are full, and blocks of more than one sample were merged of two.
    void check_field_blocks() const {
        const std::int64_t full = checkpoint_.field_block_samples;
        const std::vector<FieldBlock>& blocks = checkpoint_.field_blocks;
        const bool is_doubled =
            full >= 1 && full <= step_ + 1 && std::has_single_bit(static_cast<std::uint64_t>(full));
        require(is_doubled && (full == 1 || (!blocks.empty() && blocks.front().samples == full)),
                "its samples of a field block");
        for (const FieldBlock& block : blocks) {
            require(block.samples >= 1 && block.samples <= full &&
                        (block.samples == full || &block == &blocks.back()),
                    "the number of samples of a field block");
            check_sums(block);
        }
        if (!blocks.empty()) check_span(checkpoint_.field_steps, 1, "the steps of its fields");
        else
            require(checkpoint_.field_steps.first == 0 && checkpoint_.field_steps.last == 0,
                    "fields without their sums");
    }

    void check_block(const SampledBlock& block, const char* what) const {
        if (block.sums.samples == 0 && block.sums.bins.empty()) return;
        require(block.sums.samples >= 1, what);
        check_span(block.steps, block.sums.samples, what);
        check_sums(block.sums);
    }

    void check_span(const StepSpan& steps, std::int64_t samples, const char* what) const {
        require(steps.first >= 0 && steps.first <= steps.last && steps.last <= step_ &&
                    samples - 1 <= steps.last - steps.first,
                what);
    }

    void check_sums(const FieldBlock& block) const {
        for (const FieldSums& bin : block.bins) {
            require(bin.particles >= 0.0 &&
                        std::isfinite(bin.particles + bin.momentum[0] + bin.momentum[1] + bin.momentum[2] +
                                      bin.relative_energy + bin.relative_freedoms),
                    "a sum of its fields");
        }
        for (const PressureSums& bin : block.pressure) {
            double all = bin.particles;
            for (const double sum : bin.momentum) all += sum;
            for (const double sum : bin.kinetic) all += sum;
            for (const double sum : bin.collisional) all += sum;
            require(bin.particles >= 0.0 && std::isfinite(all), "a sum of its fields");
        }
    }

    const Checkpoint& checkpoint_;
    std::int64_t step_;
};

}  // namespace

void check_counts(const Checkpoint& checkpoint) { CountCheck(checkpoint).check(); }

}  // namespace mpcflow

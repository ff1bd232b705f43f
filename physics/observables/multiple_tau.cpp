#include "physics/observables/multiple_tau.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "physics/observables/block_errors.hpp"
#include "physics/observables/merge_neighbours.hpp"
#include "physics/observables/not_known.hpp"

namespace mpcflow {

namespace {

/// No run is so long: sums of such counts do not overflow.
constexpr std::int64_t most_counted = std::int64_t{1} << 53;

/// Takes numbers one after the other from an array that may be too short.
template <class T>
class Source {
public:
    explicit Source(const std::vector<T>& values) : values_(values) {}

    T next() {
        if (next_ == values_.size()) throw std::invalid_argument("the state of a correlator is too short");
        return values_[next_++];
    }
    void fill(std::vector<T>& to) {
        for (T& value : to) value = next();
    }
    [[nodiscard]] bool is_used_up() const { return next_ == values_.size(); }

private:
    const std::vector<T>& values_;
    std::size_t next_ = 0;
};

}  // namespace

MultipleTau::MultipleTau(const SignalShape& shape, const MultipleTauOptions& options, Product product)
    : shape_(shape),
      options_(options),
      product_(std::move(product)),
      products_(std::max<std::int64_t>(shape.products, 0)) {
    const auto is_even = [](int number) { return number >= 2 && number % 2 == 0; };
    if (shape.values < 1 || shape.products < 1 || options.most_levels < 1 || options.most_levels > 48 ||
        !is_even(options.points) || !is_even(options.most_blocks))
        throw std::invalid_argument("no correlator can have this shape and these options");
}

std::int64_t MultipleTau::samples() const {
    std::int64_t sum = 0;
    for (const Block& block : blocks_) sum += block.samples;
    return sum;
}

/// Point j of level l has the index l p/2 + j; of the levels above the first, j begins at p/2.
std::int64_t MultipleTau::lag_count(std::size_t levels) const {
    return levels == 0 ? 0 : (static_cast<std::int64_t>(levels) + 1) * (options_.points / 2);
}

std::int64_t MultipleTau::lag(std::int64_t index) const {
    const std::int64_t half = options_.points / 2;
    const std::int64_t level = std::max<std::int64_t>(index / half - 1, 0);
    return (index - level * half) << level;
}

std::span<double> MultipleTau::slot(Level& level, std::int64_t push) const {
    return {level.ring.data() + push % options_.points * shape_.values,
            static_cast<std::size_t>(shape_.values)};
}

void MultipleTau::resize_block(Block& block) const {
    const auto lags = static_cast<std::size_t>(lag_count(levels_.size()));
    block.pairs.resize(lags);
    block.sums.resize(lags * products_.size());
}

/// Adds the lags that `to` has, which are the first of those of `from`, or all.
void MultipleTau::add_block(Block& to, const Block& from) {
    to.samples += from.samples;
    for (std::size_t i = 0; i < to.pairs.size(); ++i) to.pairs[i] += from.pairs[i];
    for (std::size_t i = 0; i < to.sums.size(); ++i) to.sums[i] += from.sums[i];
}

void MultipleTau::begin_block() {
    if (static_cast<int>(blocks_.size()) == options_.most_blocks) {
        merge_neighbours(blocks_, add_block);
        block_samples_ *= 2;
    }
    resize_block(spare_);
    blocks_.push_back(std::move(spare_));
    spare_ = {};
}

void MultipleTau::begin_burst() {
    for (Level& level : levels_) level.pushes = 0;
}

void MultipleTau::add(std::span<const double> signal) {
    if (static_cast<std::int64_t>(signal.size()) != shape_.values)
        throw std::invalid_argument("a sample of another shape than its correlator");
    make_room();
    if (blocks_.empty() || blocks_.back().samples == block_samples_) begin_block();
    ++blocks_.back().samples;
    push(0, signal);
}

void MultipleTau::make_room() {
    // The level that the sample comes to: of every two of a level, the second one goes on.
    std::size_t deepest = 0;
    while (deepest < levels_.size() && levels_[deepest].pushes % 2 == 1 &&
           static_cast<int>(deepest) + 1 < options_.most_levels)
        ++deepest;
    const bool begins_level = deepest == levels_.size();
    const bool begins_block = blocks_.empty() || blocks_.back().samples == block_samples_;
    const auto lags = static_cast<std::size_t>(lag_count(levels_.size() + (begins_level ? 1 : 0)));
    coarse_.resize(static_cast<std::size_t>(shape_.values));
    if (begins_block) {
        spare_.pairs.reserve(lags);
        spare_.sums.reserve(lags * products_.size());
        blocks_.reserve(blocks_.size() + 1);
    }
    if (!begins_level) return;
    for (Block& block : blocks_) {
        block.pairs.reserve(lags);
        block.sums.reserve(lags * products_.size());
    }
    levels_.reserve(levels_.size() + 1);
    levels_.push_back({0, std::vector<double>(static_cast<std::size_t>(options_.points * shape_.values))});
    for (Block& block : blocks_) resize_block(block);
}

void MultipleTau::push(std::size_t level_index, std::span<const double> signal) {
    const std::int64_t push_index = levels_[level_index].pushes++;
    std::ranges::copy(signal, slot(levels_[level_index], push_index).begin());
    correlate_newest(level_index);
    // The first of a pair waits in the ring for the second: so a level is begun when it has something to
    // hold, and both ways of coarsening go on at the same samples.
    if (push_index % 2 == 0 || static_cast<int>(level_index) + 1 == options_.most_levels) return;
    const std::span<const double> earlier = slot(levels_[level_index], push_index - 1);
    // The signal of all levels but the first is in the same slot.
    for (std::size_t i = 0; i < coarse_.size(); ++i)
        coarse_[i] = options_.coarsening == Coarsening::average ? 0.5 * (earlier[i] + signal[i]) : earlier[i];
    push(level_index + 1, coarse_);
}

void MultipleTau::correlate_newest(std::size_t level_index) {
    Level& level = levels_[level_index];
    const std::int64_t newest = level.pushes - 1;
    const std::int64_t half = options_.points / 2;
    Block& block = blocks_.back();
    const std::int64_t longest = std::min<std::int64_t>(options_.points - 1, newest);
    for (std::int64_t j = level_index == 0 ? 0 : half; j <= longest; ++j) {
        product_(slot(level, newest - j), slot(level, newest), products_);
        const auto index = static_cast<std::size_t>(static_cast<std::int64_t>(level_index) * half + j);
        ++block.pairs[index];
        for (std::size_t k = 0; k < products_.size(); ++k)
            block.sums[index * products_.size() + k] += products_[k];
    }
}

MultipleTau::Block MultipleTau::total() const {
    Block sum;
    resize_block(sum);
    for (const Block& block : blocks_) add_block(sum, block);
    return sum;
}

/// A lag has no pairs unless all shorter ones have.
std::size_t MultipleTau::lags_with_pairs(const Block& sums) {
    return static_cast<std::size_t>(std::ranges::find(sums.pairs, 0) - sums.pairs.begin());
}

/// Neighbouring blocks that are pooled to have twice `longest_lag` samples each at least: the pool i has the
/// blocks [result[i], result[i + 1]), the last one also what is left over. Fewer than two numbers: no pools.
std::vector<std::size_t> MultipleTau::pool_bounds(std::int64_t longest_lag) const {
    const std::int64_t wanted =
        std::max<std::int64_t>((2 * longest_lag + block_samples_ - 1) / block_samples_, 1);
    const auto pool = static_cast<std::size_t>(wanted);
    std::vector<std::size_t> bounds;
    for (std::size_t first = 0; first + pool <= blocks_.size(); first += pool) bounds.push_back(first);
    if (!bounds.empty()) bounds.push_back(blocks_.size());
    return bounds;
}

/// NaN for lags that the sums do not have or that have no pairs.
std::vector<double> MultipleTau::means(const Block& sums, std::size_t lags) const {
    std::vector<double> result(lags * products_.size(), not_known);
    for (std::size_t i = 0; i < std::min(result.size(), sums.sums.size()); ++i) {
        const std::int64_t pairs = sums.pairs[i / products_.size()];
        if (pairs > 0) result[i] = sums.sums[i] / static_cast<double>(pairs);
    }
    return result;
}

CorrelationFunction MultipleTau::correlation() const {
    CorrelationFunction result;
    std::vector<double> deviations;
    const Block all = total();
    for (std::size_t i = 0; i < lags_with_pairs(all); ++i) {
        result.lag.push_back(lag(static_cast<std::int64_t>(i)));
        result.pairs.push_back(all.pairs[i]);
        const std::vector<std::size_t> pools = pool_bounds(result.lag.back());
        const double pairs = static_cast<double>(all.pairs[i]);
        for (std::size_t k = 0; k < products_.size(); ++k) {
            const std::size_t at = i * products_.size() + k;
            const double mean = all.sums[at] / pairs;
            deviations.clear();
            for (std::size_t pool = 0; pool + 1 < pools.size(); ++pool) {
                double deviation = 0.0;
                for (std::size_t b = pools[pool]; b < pools[pool + 1]; ++b)
                    deviation += blocks_[b].sums[at] - mean * static_cast<double>(blocks_[b].pairs[i]);
                deviations.push_back(deviation);
            }
            result.mean.push_back(mean);
            result.error.push_back(std::sqrt(variance_of_sum(deviations)) / pairs);
        }
    }
    return result;
}

Estimates MultipleTau::jackknife(const Functional& functional, std::int64_t longest_lag) const {
    const Block all = total();
    const std::size_t lags = lags_with_pairs(all);
    Estimates result;
    result.value = functional(means(all, lags));
    result.error.assign(result.value.size(), not_known);
    const std::vector<std::size_t> pools = pool_bounds(longest_lag);
    if (pools.size() < 3) return result;
    std::size_t used = 0;
    while (used < lags && lag(static_cast<std::int64_t>(used)) <= longest_lag) ++used;
    const std::size_t n = pools.size() - 1;
    std::vector<std::vector<double>> deviations(result.value.size(), std::vector<double>(n));
    for (std::size_t left_out = 0; left_out < n; ++left_out) {
        Block rest;
        rest.pairs.resize(used);
        rest.sums.resize(used * products_.size());
        for (std::size_t b = 0; b < blocks_.size(); ++b)
            if (b < pools[left_out] || b >= pools[left_out + 1]) add_block(rest, blocks_[b]);
        const std::vector<double> without = functional(means(rest, lags));
        for (std::size_t k = 0; k < deviations.size(); ++k)
            deviations[k][left_out] = static_cast<double>(n - 1) * (result.value[k] - without[k]);
    }
    for (std::size_t k = 0; k < deviations.size(); ++k)
        result.error[k] = std::sqrt(variance_of_sum(deviations[k])) / static_cast<double>(n);
    return result;
}

std::int64_t MultipleTau::lags_after(std::int64_t samples) const {
    std::int64_t lags = 0;
    // A level has as many lags as it has had samples, of which the first half are those of the level before
    // it.
    for (int level = 0; level < options_.most_levels; ++level, samples /= 2) {
        const std::int64_t before = level == 0 ? 0 : options_.points / 2;
        lags += std::max<std::int64_t>(std::min<std::int64_t>(samples, options_.points) - before, 0);
    }
    return lags;
}

std::int64_t MultipleTau::bytes_after(std::int64_t samples) const {
    constexpr std::int64_t header = 9;
    const int levels =
        std::min(options_.most_levels, static_cast<int>(std::bit_width(static_cast<std::uint64_t>(samples))));
    const std::int64_t of_level = 1 + options_.points * shape_.values;
    const std::int64_t of_block = 1 + lag_count(static_cast<std::size_t>(levels)) * (1 + shape_.products);
    const std::int64_t blocks = samples > options_.most_blocks ? options_.most_blocks : samples;
    return 8 * (header + levels * of_level + blocks * of_block);
}

MultipleTauState MultipleTau::state() const {
    MultipleTauState state;
    const auto count = [&](auto number) { state.counters.push_back(static_cast<std::int64_t>(number)); };
    count(shape_.values);
    count(shape_.products);
    count(options_.coarsening);
    count(options_.points);
    count(options_.most_levels);
    count(options_.most_blocks);
    count(block_samples_);
    count(levels_.size());
    count(blocks_.size());
    for (const Level& level : levels_) {
        count(level.pushes);
        state.values.insert(state.values.end(), level.ring.begin(), level.ring.end());
    }
    for (const Block& block : blocks_) {
        count(block.samples);
        for (const std::int64_t pairs : block.pairs) count(pairs);
        state.values.insert(state.values.end(), block.sums.begin(), block.sums.end());
    }
    return state;
}

void MultipleTau::restore(const MultipleTauState& state) {
    MultipleTau other(shape_, options_, product_);
    Source counters(state.counters);
    Source values(state.values);
    for (const auto expected : {shape_.values, shape_.products,
                                static_cast<std::int64_t>(options_.coarsening), std::int64_t{options_.points},
                                std::int64_t{options_.most_levels}, std::int64_t{options_.most_blocks}})
        if (counters.next() != expected)
            throw std::invalid_argument("the state of another kind of correlator");
    other.block_samples_ = counters.next();
    const std::int64_t levels = counters.next();
    const std::int64_t blocks = counters.next();
    if (other.block_samples_ < 1 || other.block_samples_ > most_counted || levels < 0 ||
        levels > options_.most_levels || blocks < 0 || blocks > options_.most_blocks)
        throw std::invalid_argument("the state of a correlator has counts that none can have");
    other.levels_.resize(static_cast<std::size_t>(levels));
    for (Level& level : other.levels_) {
        level.pushes = counters.next();
        if (level.pushes < 0 || level.pushes > most_counted)
            throw std::invalid_argument("the state of a correlator has counts that none can have");
        level.ring.resize(static_cast<std::size_t>(options_.points * shape_.values));
        values.fill(level.ring);
    }
    other.blocks_.resize(static_cast<std::size_t>(blocks));
    for (Block& block : other.blocks_) {
        other.resize_block(block);
        block.samples = counters.next();
        counters.fill(block.pairs);
        values.fill(block.sums);
        const auto is_countable = [](std::int64_t pairs) { return pairs >= 0 && pairs <= most_counted; };
        if (block.samples < 1 || block.samples > other.block_samples_ ||
            !std::ranges::all_of(block.pairs, is_countable))
            throw std::invalid_argument("the state of a correlator has counts that none can have");
    }
    if (!std::ranges::all_of(state.values, [](double value) { return std::isfinite(value); }))
        throw std::invalid_argument("the state of a correlator has sums that are not finite");
    if (!counters.is_used_up() || !values.is_used_up())
        throw std::invalid_argument("the state of a correlator is too long");
    *this = std::move(other);
}

}  // namespace mpcflow

#pragma once
/// Correlations of a signal over lags from one sample to the whole run, in bounded memory and time.
///
/// Multiple tau: level 0 keeps the last p samples and correlates each new one with them; every two samples of
/// a level make one of the next, whose lags are twice as long. Ramirez, Sukumaran, Vorselaars and Likhtman,
/// J. Chem. Phys. 133 (2010) 154103. The products are added up in blocks of time, from which the errors
/// follow.

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace mpcflow {

/// What two samples of a level become in the next.
enum class Coarsening {
    average,  ///< their mean: little noise at long lags, a correlation smoothed over a lag's 1/p to 2/p (for
              ///< products that are linear in either sample)
    decimate  ///< the earlier one: every lag is exact, whatever the product is
};

struct MultipleTauOptions {
    Coarsening coarsening = Coarsening::average;
    int points = 16;  ///< p, even: level 0 has the lags 0 ... p - 1, level l the lags (p/2 ... p - 1) 2^l
    int most_levels = 32;  ///< up to 48; further ones are not begun
    int most_blocks = 64;  ///< even; when so many are full, neighbours are merged in pairs
};

/// How many numbers a sample has, and how many products are made of two samples.
struct SignalShape {
    std::int64_t values = 1;
    std::int64_t products = 1;
};

/// The means over pairs of samples, of the lags that have pairs, in ascending order. n lags.
struct CorrelationFunction {
    std::vector<std::int64_t> lag;    ///< n, in samples
    std::vector<std::int64_t> pairs;  ///< n
    std::vector<double> mean;         ///< n x products
    std::vector<double> error;        ///< n x products, standard errors; NaN where unknown
};

/// A number or several with standard errors (NaN where unknown).
struct Estimates {
    std::vector<double> value;
    std::vector<double> error;
};

/// All that a correlator knows, as arrays for a checkpoint.
struct MultipleTauState {
    std::vector<std::int64_t> counters;
    std::vector<double> values;
};

/// Correlates a signal of several numbers a sample with itself. The order of all operations is that of the
/// samples: equal samples give equal bits, also when the state was saved and restored on the way.
class MultipleTau {
public:
    /// Sets `products` from an earlier and a later sample (or the same one, at lag 0).
    using Product = std::function<void(std::span<const double> earlier, std::span<const double> later,
                                       std::span<double> products)>;
    /// Numbers made from the means of all lags (as in CorrelationFunction::mean), for example a running
    /// integral.
    using Functional = std::function<std::vector<double>(std::span<const double> means)>;

    /// Throws std::invalid_argument if points or most_blocks are odd or below 2, or if anything else is out
    /// of range.
    MultipleTau(const SignalShape& shape, const MultipleTauOptions& options, Product product);

    /// The next sample; `signal` has shape.values numbers, or std::invalid_argument is thrown. Where there is
    /// no memory for it, std::bad_alloc is thrown and nothing has changed.
    void add(std::span<const double> signal);
    /// Forgets the samples so far, not what was added up: no pair reaches from before to after.
    void begin_burst();

    [[nodiscard]] std::int64_t samples() const;
    /// Samples in each block but perhaps the last.
    [[nodiscard]] std::int64_t block_samples() const { return block_samples_; }

    /// The mean of a lag is sum A_i / sum B_i over blocks i of the sums of products A_i and the numbers of
    /// pairs B_i; its error is that of the ratio to first order, error^2 = variance_of_sum(A_i - mean B_i) /
    /// (sum B_i)^2. Blocks are pooled until they are twice as long as the lag, as shorter ones are not
    /// independent; fewer than two such have no error.
    [[nodiscard]] CorrelationFunction correlation() const;

    /// A functional of the means with its errors by the jackknife over blocks, each pooled of enough blocks
    /// to be twice as long as `longest_lag` (in samples), the longest lag on which errors depend; what
    /// depends on longer ones has the error NaN. error^2 = variance_of_sum((n - 1) (f - f_i)) / n^2, f_i
    /// without block i: of independent blocks (n - 1) / n sum (f_i - f)^2 (Efron and Stein, Ann. Stat. 9
    /// (1981) 586).
    [[nodiscard]] Estimates jackknife(const Functional& functional, std::int64_t longest_lag) const;

    /// Lags that have pairs after so many samples and no burst: as many as correlation() has.
    [[nodiscard]] std::int64_t lags_after(std::int64_t samples) const;
    /// Bytes of the state of one that has had so many samples and no burst.
    [[nodiscard]] std::int64_t bytes_after(std::int64_t samples) const;
    [[nodiscard]] MultipleTauState state() const;
    /// Goes on from the state of a correlator of the same shape and options. Throws std::invalid_argument,
    /// and changes nothing, if the state cannot be of such a one.
    void restore(const MultipleTauState& state);

private:
    /// The last samples of a level, those of push i at slot i % points.
    struct Level {
        std::int64_t pushes = 0;  ///< since the burst began
        std::vector<double> ring;
    };
    struct Block {
        std::int64_t samples = 0;
        std::vector<std::int64_t> pairs;  ///< lags
        std::vector<double> sums;         ///< lags x products
    };

    [[nodiscard]] std::int64_t lag_count(std::size_t levels) const;
    [[nodiscard]] std::int64_t lag(std::int64_t index) const;
    [[nodiscard]] std::span<double> slot(Level& level, std::int64_t push) const;
    /// Takes all memory that the next sample needs.
    void make_room();
    void begin_block();
    void resize_block(Block& block) const;
    static void add_block(Block& to, const Block& from);
    void push(std::size_t level_index, std::span<const double> signal);
    void correlate_newest(std::size_t level_index);
    [[nodiscard]] Block total() const;
    [[nodiscard]] static std::size_t lags_with_pairs(const Block& sums);
    [[nodiscard]] std::vector<std::size_t> pool_bounds(std::int64_t longest_lag) const;
    [[nodiscard]] std::vector<double> means(const Block& sums, std::size_t lags) const;

    SignalShape shape_;
    MultipleTauOptions options_;
    Product product_;
    std::int64_t block_samples_ = 1;
    std::vector<Level> levels_;
    std::vector<Block> blocks_;
    std::vector<double> products_;  ///< of one pair
    Block spare_;                   ///< the next one, of which only the memory is there
    std::vector<double> coarse_;    ///< a sample on its way from one level to the next
};

}  // namespace mpcflow

#pragma once
/// Averages of several numbers over the samples of a run, with errors by blocking.

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "physics/observables/multiple_tau.hpp"
#include "physics/observables/not_known.hpp"

namespace mpcflow {

/// The zeroth lag of a correlator whose products are the sample's numbers: its blocks of time, which are
/// merged in pairs as the run grows, give errors that hold for samples that are correlated, too.
class BlockAverages {
public:
    explicit BlockAverages(std::int64_t values)
        : values_(values),
          blocks_({values, values}, {Coarsening::average, 2, 1},
                  [](std::span<const double>, std::span<const double> sample, std::span<double> products) {
                      std::ranges::copy(sample, products.begin());
                  }) {}

    void add(std::span<const double> sample) { blocks_.add(sample); }

    /// Means and standard errors; NaN where there is no sample, or for errors fewer than two.
    [[nodiscard]] Estimates estimates() const {
        CorrelationFunction found = blocks_.correlation();
        found.mean.resize(static_cast<std::size_t>(values_), not_known);
        found.error.resize(static_cast<std::size_t>(values_), not_known);
        return {std::move(found.mean), std::move(found.error)};
    }

    [[nodiscard]] MultipleTauState state() const { return blocks_.state(); }
    /// As MultipleTau::restore().
    void restore(const MultipleTauState& state) { blocks_.restore(state); }
    [[nodiscard]] std::int64_t bytes_after(std::int64_t samples) const {
        return blocks_.bytes_after(samples);
    }

private:
    std::int64_t values_;
    MultipleTau blocks_;
};

}  // namespace mpcflow

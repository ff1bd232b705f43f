#pragma once
/// Signals and products for the tests of correlators.

#include <cstdint>
#include <random>
#include <span>
#include <vector>

#include "physics/observables/multiple_tau.hpp"

namespace mpcflow::test {

inline void multiply(std::span<const double> a, std::span<const double> b, std::span<double> products) {
    for (std::size_t k = 0; k < products.size(); ++k) products[k] = a[k] * b[k];
}

inline MultipleTauOptions with_points(Coarsening coarsening, int points) {
    MultipleTauOptions options;
    options.coarsening = coarsening;
    options.points = points;
    return options;
}

/// A signal of `values` numbers a sample: a random walk, noise, a random walk ...
inline std::vector<std::vector<double>> make_signal(std::int64_t samples, std::int64_t values,
                                                    unsigned seed) {
    std::mt19937_64 generator(seed);
    std::normal_distribution<double> gauss;
    std::vector<std::vector<double>> signal;
    std::vector<double> sample(static_cast<std::size_t>(values));
    for (std::int64_t t = 0; t < samples; ++t) {
        for (std::size_t k = 0; k < sample.size(); ++k)
            sample[k] = (k % 2 == 0 ? sample[k] : 0.0) + gauss(generator);
        signal.push_back(sample);
    }
    return signal;
}

}  // namespace mpcflow::test

#pragma once
/// The standard error of an average over blocks of time, which may remember each other.

#include <cmath>
#include <cstddef>
#include <span>

#include "physics/observables/not_known.hpp"

namespace mpcflow {

/// The variance of the sum of A_i - R B_i over blocks of time i that follow each other, where R = sum A / sum
/// B: of n independent ones n / (n - 1) times the sum of their squares (Cochran, Sampling Techniques, 1977,
/// section 6). While neighbours are clearly correlated they are taken together, two by two: the blocks then
/// are longer than the memory of the process, where the run has eight such (blocking: Flyvbjerg and Petersen,
/// J. Chem. Phys. 91 (1989) 461). Four to seven that may be left tell the error to a third. NaN for fewer
/// than two blocks. Uses up `deviations`.
[[nodiscard]] inline double variance_of_sum(std::span<double> deviations) {
    if (deviations.size() < 2) return not_known;
    while (true) {
        double squares = 0.0;
        double neighbours = 0.0;
        for (std::size_t i = 0; i < deviations.size(); ++i) {
            squares += deviations[i] * deviations[i];
            if (i > 0) neighbours += deviations[i - 1] * deviations[i];
        }
        const auto n = static_cast<double>(deviations.size());
        // The correlation of independent ones about their mean is -1 / n, with this deviation. One time in
        // twenty it is above the upper bound. Where it is low by chance, pairs cancel, and the error would be
        // much too small: one time in a hundred it is below the lower bound.
        const double deviation = (n - 2.0) / (n * std::sqrt(n - 1.0)) * squares;
        const double correlation = neighbours + squares / n;
        const bool are_independent = correlation >= -2.33 * deviation && correlation <= 1.645 * deviation;
        if (are_independent || deviations.size() < 8) return n / (n - 1.0) * squares;
        const std::size_t pairs = deviations.size() / 2;
        for (std::size_t i = 0; i < pairs; ++i) deviations[i] = deviations[2 * i] + deviations[2 * i + 1];
        // One that is left over goes to the last pair.
        if (deviations.size() % 2 == 1) deviations[pairs - 1] += deviations.back();
        deviations = deviations.first(pairs);
    }
}

}  // namespace mpcflow

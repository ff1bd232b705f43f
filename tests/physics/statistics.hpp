#pragma once
/// Statistics of the tests: distributions, their tests, and moments. Seeds are fixed, so a test either
/// passes always or fails always.
///
/// Means are compared to within 4.5 standard errors, distributions with a p-value of at least 6.8e-6,
/// which is the two-sided probability of 4.5 sigma: with some hundred such comparisons a correct
/// program meets a seed that fails once in a thousand versions.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

namespace mpcflow::test {

inline constexpr double sigmas = 4.5;
inline constexpr double least_p_value = 6.8e-6;

/// Regularised lower incomplete gamma function P(a, x): its power series, or beyond a + 1 the continued
/// fraction of 1 - P (Lentz's method). Abramowitz and Stegun 6.5.29 and 6.5.31.
inline double gamma_p(double a, double x) {
    if (x <= 0.0) return 0.0;
    const double factor = std::exp(a * std::log(x) - x - std::lgamma(a));
    if (x < a + 1.0) {
        double term = 1.0 / a;
        double sum = term;
        for (int n = 1; n < 1000 && term > sum * 1e-16; ++n) {
            term *= x / (a + n);
            sum += term;
        }
        return factor * sum;
    }
    double b = x + 1.0 - a;
    double c = 1e300;
    double d = 1.0 / b;
    double h = d;
    for (int n = 1; n < 1000; ++n) {
        const double numerator = -n * (n - a);
        b += 2.0;
        d = 1.0 / (numerator * d + b);
        c = b + numerator / c;
        h *= d * c;
        if (std::abs(d * c - 1.0) < 1e-15) break;
    }
    return 1.0 - factor * h;
}

inline double normal_cdf(double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); }

/// Probability of a chi-square of `freedoms` degrees of freedom at least as large as `value`.
inline double chi_square_p_value(double value, double freedoms) {
    return 1.0 - gamma_p(0.5 * freedoms, 0.5 * value);
}

/// Pearson's test of counts against expected counts that were not fitted. Bins expected to be empty
/// must be empty.
inline double chi_square_p_value(const std::vector<double>& counts, const std::vector<double>& expected) {
    double chi_square = 0.0;
    int bins = 0;
    for (std::size_t i = 0; i < counts.size(); ++i) {
        if (expected[i] <= 0.0) {
            if (counts[i] > 0.0) return 0.0;
            continue;
        }
        chi_square += (counts[i] - expected[i]) * (counts[i] - expected[i]) / expected[i];
        ++bins;
    }
    return chi_square_p_value(chi_square, bins - 1);
}

/// The same against equal expectations.
inline double uniform_p_value(const std::vector<double>& counts) {
    double total = 0.0;
    for (const double count : counts) total += count;
    return chi_square_p_value(counts,
                              std::vector<double>(counts.size(), total / static_cast<double>(counts.size())));
}

/// Test of Kolmogorov and Smirnov of samples against a distribution function that was not fitted, with
/// Stephens' correction for finite numbers.
template <class Distribution>
double kolmogorov_p_value(std::vector<double> samples, const Distribution& distribution) {
    std::sort(samples.begin(), samples.end());
    const double n = static_cast<double>(samples.size());
    double distance = 0.0;
    for (std::size_t i = 0; i < samples.size(); ++i) {
        const double f = distribution(samples[i]);
        const double rank = static_cast<double>(i);
        // Written so that a NaN counts as far off.
        if (!(f - rank / n <= distance)) distance = f - rank / n;
        if (!((rank + 1.0) / n - f <= distance)) distance = (rank + 1.0) / n - f;
    }
    const double root = std::sqrt(n);
    const double lambda = (root + 0.12 + 0.11 / root) * distance;
    if (!(lambda < 10.0)) return 0.0;
    if (lambda < 0.2) return 1.0;
    double p = 0.0;
    for (int k = 1; k <= 100; ++k) p += (k % 2 == 1 ? 2.0 : -2.0) * std::exp(-2.0 * k * k * lambda * lambda);
    return p;
}

/// Mean and variance of numbers that come one by one (Welford).
class Moments {
public:
    void add(double x) {
        ++count_;
        const double before = x - mean_;
        mean_ += before / static_cast<double>(count_);
        squares_ += before * (x - mean_);
    }
    [[nodiscard]] double count() const { return static_cast<double>(count_); }
    [[nodiscard]] double mean() const { return mean_; }
    [[nodiscard]] double variance() const { return squares_ / (count() - 1.0); }
    [[nodiscard]] double standard_error() const { return std::sqrt(variance() / count()); }

private:
    long count_ = 0;
    double mean_ = 0.0;
    double squares_ = 0.0;
};

/// That the mean of independent numbers is `expected`, within 4.5 of their own standard errors.
inline testing::AssertionResult has_mean(const Moments& moments, double expected) {
    const double off = (moments.mean() - expected) / moments.standard_error();
    if (std::abs(off) <= sigmas) return testing::AssertionSuccess();
    return testing::AssertionFailure()
           << "mean " << moments.mean() << " is " << off << " standard errors from " << expected << " ("
           << moments.count() << " samples)";
}

/// That a number is `expected` within 4.5 standard errors that theory gives.
inline testing::AssertionResult is_near(double value, double expected, double standard_error) {
    const double off = (value - expected) / standard_error;
    if (std::abs(off) <= sigmas) return testing::AssertionSuccess();
    return testing::AssertionFailure() << value << " is " << off << " standard errors from " << expected;
}

/// That samples are Gaussian of mean 0 and this variance: as a distribution, and by mean and variance.
inline testing::AssertionResult is_gaussian(const std::vector<double>& samples, double variance) {
    Moments moments;
    for (const double x : samples) moments.add(x);
    const double n = moments.count();
    if (auto mean = is_near(moments.mean(), 0.0, std::sqrt(variance / n)); !mean) return mean << " (mean)";
    if (auto spread = is_near(moments.variance(), variance, variance * std::sqrt(2.0 / n)); !spread)
        return spread << " (variance)";
    const double width = std::sqrt(variance);
    const double p = kolmogorov_p_value(samples, [width](double x) { return normal_cdf(x / width); });
    if (p >= least_p_value) return testing::AssertionSuccess();
    return testing::AssertionFailure() << "not Gaussian: p = " << p;
}

/// That samples follow Gamma(shape, scale): as a distribution, and by mean and variance.
inline testing::AssertionResult is_gamma(const std::vector<double>& samples, double shape, double scale) {
    Moments moments;
    for (const double x : samples) moments.add(x);
    const double n = moments.count();
    if (auto mean = is_near(moments.mean(), shape * scale, scale * std::sqrt(shape / n)); !mean)
        return mean << " (mean)";
    // The fourth central moment of Gamma(k) is 3 k^2 + 6 k, so the variance of its sample variance is this.
    const double error = scale * scale * std::sqrt((2.0 * shape * shape + 6.0 * shape) / n);
    if (auto spread = is_near(moments.variance(), shape * scale * scale, error); !spread)
        return spread << " (variance)";
    const double p = kolmogorov_p_value(samples, [=](double x) { return gamma_p(shape, x / scale); });
    if (p >= least_p_value) return testing::AssertionSuccess();
    return testing::AssertionFailure() << "not Gamma(" << shape << ", " << scale << "): p = " << p;
}

/// Correlation of pairs of numbers of mean 0; for independent ones its standard error is 1 / sqrt(count).
class Correlation {
public:
    void add(double x, double y) {
        ++count_;
        xy_ += x * y;
        xx_ += x * x;
        yy_ += y * y;
    }
    [[nodiscard]] testing::AssertionResult is_zero() const {
        return is_near(xy_ / std::sqrt(xx_ * yy_), 0.0, 1.0 / std::sqrt(static_cast<double>(count_)));
    }

private:
    long count_ = 0;
    double xy_ = 0.0, xx_ = 0.0, yy_ = 0.0;
};

/// |value - reference| in units of the last place of a Real at the reference.
template <class Real>
double error_in_ulps(Real value, long double reference) {
    const Real at = std::abs(static_cast<Real>(reference));
    const Real ulp = std::nextafter(at, std::numeric_limits<Real>::infinity()) - at;
    return static_cast<double>(std::abs(static_cast<long double>(value) - reference) /
                               static_cast<long double>(ulp));
}

}  // namespace mpcflow::test

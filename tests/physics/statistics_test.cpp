/// The tests' own statistics: right values, and the power to see what they are there for.

#include "tests/physics/statistics.hpp"

#include <cmath>
#include <random>

namespace mpcflow::test {
namespace {

TEST(Statistics, incomplete_gamma_function_in_closed_forms) {
    for (const double x : {0.01, 0.5, 1.0, 2.0, 5.0, 20.0}) {
        EXPECT_NEAR(gamma_p(1.0, x), 1.0 - std::exp(-x), 1e-14);
        EXPECT_NEAR(gamma_p(0.5, x), std::erf(std::sqrt(x)), 1e-14);
        EXPECT_NEAR(gamma_p(3.0, x), 1.0 - std::exp(-x) * (1.0 + x + 0.5 * x * x), 1e-14);
        // P(a + 1, x) = P(a, x) - x^a e^-x / Gamma(a + 1)
        EXPECT_NEAR(gamma_p(28.5, x), gamma_p(27.5, x) - std::exp(27.5 * std::log(x) - x - std::lgamma(28.5)),
                    1e-13);
    }
}

TEST(Statistics, p_values_of_known_tables) {
    EXPECT_NEAR(chi_square_p_value(3.841459, 1), 0.05, 1e-6);
    EXPECT_NEAR(chi_square_p_value(23.20925, 10), 0.01, 1e-6);
    // One sample at the median's side: D = 0.5 is the least that there is.
    EXPECT_GT(kolmogorov_p_value({0.5}, [](double x) { return x; }), 0.8);
}

TEST(Statistics, a_width_off_by_two_percent_is_seen_in_1e5_samples) {
    std::mt19937_64 engine(1);
    std::vector<double> right, wrong, heavy;
    std::normal_distribution<double> normal;
    std::student_t_distribution<double> student(10.0);
    for (int i = 0; i < 100000; ++i) {
        const double x = normal(engine);
        right.push_back(x);
        wrong.push_back(1.02 * x);
        heavy.push_back(student(engine) / std::sqrt(1.25));  // the same variance
    }
    EXPECT_TRUE(is_gaussian(right, 1.0));
    EXPECT_FALSE(is_gaussian(wrong, 1.0));
    EXPECT_FALSE(is_gaussian(heavy, 1.0));
    right[17] = std::nan("");
    EXPECT_FALSE(is_gaussian(right, 1.0));
}

}  // namespace
}  // namespace mpcflow::test

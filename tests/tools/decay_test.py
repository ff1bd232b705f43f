"""Fits of decays: right on processes whose decay and size are known, with errors that are as large as they say."""

from __future__ import annotations

import unittest

import numpy as np

from mpcflow_tools.decay import fit_decay, lag_correlation
from mpcflow_tools.estimates import Estimate, blocked_mean, variance_of_sum, weighted_mean
from mpcflow_tools.flow_report import Quantity

RATE = 0.05


def forgetting(generator: np.random.Generator, length: int, runs: int) -> np.ndarray:
    """Ornstein-Uhlenbeck processes of variance 1 [runs][length], which forget at RATE."""
    keep = np.exp(-RATE)
    noise = generator.normal(size=(length, runs)) * np.sqrt(1.0 - keep**2)
    noise[0] = generator.normal(size=runs)
    for step in range(1, length):
        noise[step] += keep * noise[step - 1]
    return noise.T


class Fits(unittest.TestCase):
    def test_an_exact_decay(self) -> None:
        times = np.linspace(0.0, 100.0, 51)
        decay = fit_decay(times, 3.0 * np.exp(-0.04 * times), np.full(51, 0.01), 0.05)
        self.assertAlmostEqual(decay.rate, 0.04, 9)
        self.assertAlmostEqual(decay.amplitude, 3.0, 8)
        self.assertEqual(decay.lags, 21)  # up to 2 / 0.05

    def test_errors_are_as_large_as_they_say(self) -> None:
        # 200 processes, each with its own errors by 32 blocks: pulls have the mean 0 and the spread 1, give or take 4.5
        # sigma of 1 / sqrt(200) and 1 / sqrt(400); errors from 31 freedoms spread by an eighth more, which adds 1/62 to the
        # spread, and the ratio of noisy numbers biases the mean by a tenth.
        processes, lags = forgetting(np.random.default_rng(5), 12_800, 200), np.arange(0, 60, 3)
        pulls = []
        for process in processes:
            products = np.array([process[:12_800 - 60] * process[lag:lag + 12_800 - 60] for lag in lags])[:, :12_736 // 32 * 32]
            blocks = products.reshape(len(lags), 32, -1).mean(axis=2)
            decay = fit_decay(lags.astype(float), blocks.mean(axis=1), blocks.std(axis=1, ddof=1) / np.sqrt(32), RATE)
            pulls.append(((decay.rate - RATE) / decay.rate_error, (decay.amplitude - 1.0) / decay.amplitude_error))
        for mean, spread in zip(np.mean(pulls, axis=0), np.std(pulls, axis=0)):
            self.assertLess(abs(mean), 4.5 / np.sqrt(200) + 0.1)
            self.assertLess(abs(spread - 1.0), 4.5 / np.sqrt(400) + 0.02)

    def test_correlation_of_lags(self) -> None:
        # By definition for s = t = 0 it is 1; measured over 400 processes otherwise, to 4.5 sigma of (1 - r^2) / sqrt(400).
        times = np.array([0.0, 10.0, 40.0])
        expected = lag_correlation(times, RATE)
        processes = forgetting(np.random.default_rng(6), 6_000, 400)
        found = np.corrcoef([(processes[:, :5_960] * processes[:, int(t):5_960 + int(t)]).mean(axis=1) for t in times])
        np.testing.assert_array_less(np.abs(found - expected), 4.5 * (1.0 - expected**2) / np.sqrt(400) + 0.02)

    def test_noise_alone_is_no_decay(self) -> None:
        times = np.linspace(0.0, 40.0, 21)
        with self.assertRaisesRegex(ValueError, "stands out"):
            fit_decay(times, np.linspace(1.0, 2.0, 21), np.full(21, 0.01), 0.05)
        with self.assertRaisesRegex(ValueError, "fewer than 3 lags"):
            fit_decay(times, np.exp(-times), np.full(21, np.nan), 0.05)


class Numbers(unittest.TestCase):
    def test_a_blocked_mean_of_what_is_correlated(self) -> None:
        # The variance of the mean of a process that forgets at g is 2 / (g n) for n g >> 1.
        errors = [blocked_mean(process).error for process in forgetting(np.random.default_rng(7), 64_000, 20)]
        expected = np.sqrt(2.0 / (RATE * 64_000))
        # 20 errors of some 40 freedoms on average, few of less: 4.5 sigma are 11 %.
        self.assertLess(abs(np.mean(errors) / expected - 1.0), 0.15)
        # Blocks as long as the memory: their scatter alone gives 0.6 of the error.
        short = [blocked_mean(process).error for process in forgetting(np.random.default_rng(8), 64 * int(1.0 / RATE), 400)]
        expected = np.sqrt(2.0 / (RATE * 64 * int(1.0 / RATE)))
        self.assertGreater(np.sqrt(np.mean(np.square(short))) / expected, 0.85)
        self.assertLess(np.sqrt(np.mean(np.square(short))) / expected, 1.1)
        self.assertAlmostEqual(variance_of_sum(np.array([-7.0, -5, -3, -1, 1, 3, 5, 7])), 4.0 / 3.0 * 2.0 * (144.0 + 16.0))
        self.assertAlmostEqual(variance_of_sum(np.arange(-4.0, 5.0)), 4.0 / 3.0 * (49.0 + 9.0 + 1.0 + 81.0))
        few = blocked_mean(np.array([1.0, 2.0, 3.0]))
        self.assertEqual(few.value, 2.0)
        self.assertTrue(np.isnan(few.error) and np.isnan(blocked_mean(np.empty(0)).value))

    def test_weighted_means(self) -> None:
        mean, chi_square = weighted_mean([Quantity(1.0, 0.1), Quantity(2.0, 0.2)])
        self.assertAlmostEqual(mean.value, 1.2)
        self.assertAlmostEqual(mean.error, 1.0 / np.sqrt(125.0))
        self.assertAlmostEqual(chi_square, (0.2 / 0.1) ** 2 + (0.8 / 0.2) ** 2)

    def test_beside_theory(self) -> None:
        self.assertEqual(Estimate("nu", 0.99, 0.02, "1", theory=1.0).beside_theory(), "theory 1 (-1.0 %, -0.5 sigma)")
        self.assertEqual(Estimate("slip", 0.02, 0.01, "a", theory=0.0).beside_theory(), "theory 0 (+2.0 sigma)")
        self.assertEqual(Estimate("nu", 0.99, float("nan"), "1", theory=1.0).beside_theory(), "theory 1 (-1.0 %)")
        self.assertEqual(Estimate("nu", 0.99, 0.02, "1").beside_theory(), "")
        self.assertEqual(str(Estimate("kT", 1.5, 1e-15, "energy")), "1.5")


if __name__ == "__main__":
    unittest.main()

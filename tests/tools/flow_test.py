"""The fit of a Poiseuille flow, on profiles whose answer is known."""

from __future__ import annotations

import tempfile
import unittest
from pathlib import Path

import numpy as np

from mpcflow_tools.flow import (Fit, Profile, Slit, fit_profile, fitted_bins, noise_correlation, parabola_average, velocity_at,
                                velocity_average)
from mpcflow_tools.flow_plot import flow_figure
from mpcflow_tools.flow_report import ASCII_MARKS, UNICODE_MARKS, FlowRun, Quantity, bar, profile_table, report
from mpcflow_tools.style import save

SLIT = Slit(acceleration=0.002, width=32.0, viscosity=0.87)


def exact_profile(slit: Slit, bins: int, viscosity: float, slip: float, error: float = 1e-3) -> Profile:
    edges = np.linspace(0.0, slit.width, bins + 1)
    return Profile(edges, velocity_average(edges, slit, slip, viscosity), np.full(bins, error))


def example_run(profile: Profile, slit: Slit = SLIT) -> FlowRun:
    return FlowRun("A title", profile, slit, "z", "x", Quantity(1.0001, 0.0004), 1.0, 20000, "run.h5")


class Average(unittest.TestCase):
    def test_is_the_mean_of_the_parabola_over_a_bin(self) -> None:
        edges = np.array([0.0, 1.0, 4.0, 9.5, 10.0])
        for lower, upper, average in zip(edges[:-1], edges[1:], parabola_average(edges, 10.0)):
            y = np.linspace(lower, upper, 200001)
            self.assertAlmostEqual(average, np.mean(y * (10.0 - y)), places=4)

    def test_keeps_the_flux(self) -> None:
        # The integral of y (L - y) is L^3 / 6 with any bins.
        for bins in (3, 10, 32):
            edges = np.linspace(0.0, 8.0, bins + 1)
            self.assertAlmostEqual(np.sum(parabola_average(edges, 8.0) * np.diff(edges)), 8.0**3 / 6.0, places=10)

    def test_points_and_narrow_bins_agree(self) -> None:
        edges = np.linspace(0.0, 32.0, 32001)
        centres = 0.5 * (edges[1:] + edges[:-1])
        np.testing.assert_allclose(velocity_average(edges, SLIT, 0.3), velocity_at(centres, SLIT, 0.3), rtol=1e-5)
        self.assertAlmostEqual(float(velocity_at(np.array([16.0]), SLIT)[0]), 0.002 * 32.0**2 / (8 * 0.87))


class FitOfExactProfiles(unittest.TestCase):
    def test_finds_viscosity_and_slip(self) -> None:
        for bins in (4, 7, 32):
            for acceleration in (0.002, -0.0005):
                for slip in (0.0, 0.7, -0.1):
                    slit = Slit(acceleration, 20.0, 1.0)
                    fit = fit_profile(exact_profile(slit, bins, 0.43, slip), slit)
                    self.assertAlmostEqual(fit.viscosity, 0.43, places=10)
                    self.assertAlmostEqual(fit.slip_length, slip, places=9)

    def test_leaves_out_what_is_next_to_the_walls(self) -> None:
        # Where most of the slit is left: so many bins at each wall are left out of so many between plates so far apart.
        for bins, width, left_out in ((32, 32.0, 1), (64, 32.0, 2), (20, 32.0, 1), (8, 32.0, 1), (8, 8.0, 1), (24, 8.0, 3),
                                      (7, 7.0, 0), (21, 7.0, 0), (6, 32.0, 0), (3, 32.0, 0)):
            slit = Slit(0.002, width, 0.87)
            profile = exact_profile(slit, bins, 0.86, 0.05)
            self.assertEqual(fitted_bins(profile.edges, width), slice(left_out, bins - left_out), (bins, width))
            velocity = profile.velocity.copy()
            velocity[:left_out] *= 1.1
            velocity[bins - left_out:] *= 1.1
            fit = fit_profile(Profile(profile.edges, velocity, profile.velocity_error), slit)
            self.assertAlmostEqual(fit.viscosity, 0.86, places=10)
            self.assertAlmostEqual(fit.slip_length, 0.05, places=9)

    def test_weighs_by_the_errors(self) -> None:
        profile = exact_profile(SLIT, 16, 0.5, 0.0)
        velocity, error = profile.velocity.copy(), profile.velocity_error.copy()
        velocity[5] += 1.0
        error[5] = 1e9
        fit = fit_profile(Profile(profile.edges, velocity, error), SLIT)
        self.assertAlmostEqual(fit.viscosity, 0.5, places=8)

    def test_refuses_what_cannot_be_fitted(self) -> None:
        with self.assertRaisesRegex(ValueError, "at least 3 bins"):
            fit_profile(exact_profile(SLIT, 2, 0.5, 0.0), SLIT)
        with self.assertRaisesRegex(ValueError, "standard error"):
            fit_profile(exact_profile(SLIT, 8, 0.5, 0.0, error=float("nan")), SLIT)
        with self.assertRaisesRegex(ValueError, "standard error"):
            fit_profile(exact_profile(SLIT, 8, 0.5, 0.0, error=0.0), SLIT)
        against_the_force = exact_profile(Slit(-0.002, 32.0, 0.87), 8, 0.5, 0.0)
        with self.assertRaisesRegex(ValueError, "no flow"):
            fit_profile(against_the_force, SLIT)


class ErrorsOfTheFit(unittest.TestCase):
    """The standard errors are right: fits of many noisy profiles scatter by as much."""

    def test_noise_correlation_is_that_of_fluctuating_modes(self) -> None:
        # The sum over modes of sin sin / n^2 at points is pi^2/2 times the bridge's covariance, so narrow bins
        # must have its correlation.
        width, edges = 10.0, np.linspace(0.0, 10.0, 501)
        centres = 0.5 * (edges[1:] + edges[:-1])
        modes = np.arange(1, 4000)[:, None]
        waves = np.sin(modes * np.pi * centres[None, [24, 250, 430]] / width) / modes
        covariance = waves.T @ waves
        scale = np.sqrt(np.diag(covariance))
        found = noise_correlation(edges, width)[np.ix_([24, 250, 430], [24, 250, 430])]
        np.testing.assert_allclose(found, covariance / np.outer(scale, scale), atol=0.02)

    def test_noise_correlation_of_wide_bins(self) -> None:
        # Averages over bins of a fine bridge.
        fine, edges = np.linspace(0.0, 6.0, 1201), np.array([0.0, 1.0, 3.0, 6.0])
        points = 0.5 * (fine[1:] + fine[:-1])
        bridge = np.minimum.outer(points, points) * (6.0 - np.maximum.outer(points, points)) / 6.0
        wide = np.array([(points > a) & (points < b) for a, b in zip(edges[:-1], edges[1:])], dtype=float)
        wide /= wide.sum(axis=1, keepdims=True)
        covariance = wide @ bridge @ wide.T
        scale = np.sqrt(np.diag(covariance))
        np.testing.assert_allclose(noise_correlation(edges, 6.0), covariance / np.outer(scale, scale), atol=1e-3)

    def test_scatter_of_many_fits(self) -> None:
        random = np.random.default_rng(20260301)
        edges = np.linspace(0.0, 32.0, 33)
        truth = velocity_average(edges, SLIT, 0.05, 0.86)
        error = np.full(32, 1e-3)
        noise = random.multivariate_normal(np.zeros(32), 1e-6 * noise_correlation(edges, 32.0), 2000)
        fits = [fit_profile(Profile(edges, truth + deviation, error), SLIT) for deviation in noise]
        values = np.array([[fit.viscosity, fit.slip_length] for fit in fits])
        errors = np.array([fits[0].viscosity_error, fits[0].slip_length_error])
        # The scatter of 2000 samples is known to 1.6 % (one standard error); 4.5 of them.
        np.testing.assert_allclose(np.std(values, axis=0) / errors, 1.0, atol=0.072)
        bias = (values.mean(axis=0) - [0.86, 0.05]) / (errors / np.sqrt(2000.0))
        self.assertLess(np.max(np.abs(bias)), 4.5)


class Report(unittest.TestCase):
    def test_a_quantity_is_rounded_to_its_error(self) -> None:
        self.assertEqual(str(Quantity(0.868312, 0.00314)), "0.8683 +- 0.0031")
        self.assertEqual(str(Quantity(0.868312, 0.0995)), "0.868 +- 0.100")
        self.assertEqual(str(Quantity(123.4, 12.0)), "123 +- 12")
        self.assertEqual(str(Quantity(0.868312, 0.0)), "0.868312")
        self.assertEqual(str(Quantity(0.868312, float("nan"))), "0.868312")

    def test_bars(self) -> None:
        self.assertEqual(bar(0.5, 1.0, 1.0, 10, ASCII_MARKS), "=====    |")
        self.assertEqual(bar(1.0, 0.0, 1.0, 4, ASCII_MARKS), "|===")
        self.assertEqual(bar(-0.5, 9.0, 1.0, 4, ASCII_MARKS), "   |")
        self.assertEqual(bar(0.5 + 1.0 / 16.0, 1.0, 1.0, 8, UNICODE_MARKS), "████▌  ┃")

    def test_table_fits_the_terminal_and_shows_both(self) -> None:
        run = example_run(exact_profile(SLIT, 32, 0.86, 0.0))
        lines = profile_table(run, UNICODE_MARKS, width=80)
        self.assertEqual(len(lines), 33)
        self.assertTrue(all(len(line) <= 80 for line in lines), max(map(len, lines)))
        middle = lines[16].split()
        self.assertAlmostEqual(float(middle[0]), 15.5)
        self.assertAlmostEqual(float(middle[1]) / float(middle[3]), 0.87 / 0.86, places=3)

    def test_table_of_many_bins_is_thinned(self) -> None:
        lines = profile_table(example_run(exact_profile(SLIT, 128, 0.86, 0.0)), ASCII_MARKS)
        self.assertLessEqual(len(lines), 42)
        self.assertIn("of 128", lines[-1])

    def test_flow_against_the_axis(self) -> None:
        slit = Slit(-0.002, 32.0, 0.87)
        lines = profile_table(example_run(exact_profile(slit, 8, 0.87, 0.0), slit), ASCII_MARKS)
        self.assertIn("====", lines[4])

    def test_summary(self) -> None:
        run = example_run(exact_profile(SLIT, 32, 0.8613, 0.0))
        text = report(run, Fit(0.8613, 0.0043, 0.012, 0.021), ASCII_MARKS)
        self.assertIn("fitted 0.8613 +- 0.0043   predicted 0.8700   (-1.0 %)", text)
        self.assertIn("fitted 0.012 +- 0.021 a   within 0.03 a of 0 is expected", text)
        self.assertIn("diff %: measured less theory, in % of theory's largest velocity\n", text)
        self.assertIn("measured 1.00010 +- 0.00040   set 1", text)
        self.assertIn("fitted       30 of 32 layers, without those at the walls", text)
        wide = report(example_run(exact_profile(SLIT, 4, 0.8613, 0.0)), Fit(0.8613, 0.0043, 0.012, 0.021), ASCII_MARKS)
        self.assertIn("fitted       all 4 layers", wide)
        text.encode("ascii")


class Picture(unittest.TestCase):
    def test_is_written_in_each_format(self) -> None:
        profile = exact_profile(SLIT, 32, 0.86, 0.01)
        run = example_run(profile)
        with tempfile.TemporaryDirectory() as folder:
            for suffix, magic in ((".png", b"\x89PNG"), (".pdf", b"%PDF"), (".svg", b"<?xml")):
                path = Path(folder) / f"flow{suffix}"
                save(flow_figure(run, fit_profile(profile, SLIT)), path)
                self.assertEqual(path.read_bytes()[: len(magic)], magic)


if __name__ == "__main__":
    unittest.main()

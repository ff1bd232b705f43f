"""Histograms of run files that are made here, against theory; and mpcflow-plot RUN histograms from end to end."""

from __future__ import annotations

import math
import unittest
from pathlib import Path

import h5py
import numpy as np

from made_runs import ToolTest
from mpcflow_tools import ResultsError, Run
from mpcflow_tools.histograms import (ChiSquare, chi_square, compare, faster_than, fit_temperature, maxwell,
                                      merge_thin_bins, read_histograms)
from mpcflow_tools.run import Histogram

RESOLVED = """
collision: {{rule: srd}}
thermostat: {{kind: {thermostat}}}
boundaries: {{x: periodic, y: periodic, z: {z}}}
"""


def poisson(n: np.ndarray, mean: float) -> np.ndarray:
    return np.array([math.exp(k * math.log(mean) - mean - math.lgamma(k + 1.0)) for k in n])


def write_run(path: Path, temperature: float = 1.0, particles: int = 400_000, z: str = "periodic") -> None:
    """A run file as docs/output.md says, of random samples of both distributions."""
    random = np.random.default_rng(5)
    edges = np.append(np.arange(81) * 0.1, np.inf)
    speeds = np.sqrt(temperature) * np.linalg.norm(random.standard_normal((particles, 3)), axis=1)
    cells = random.poisson(10.0, particles // 10)
    above = faster_than(edges)
    with h5py.File(path, "w") as file:
        file.attrs.update(format="mpcflow run", format_version=1, title="Made up")
        file["input/resolved"] = RESOLVED.format(thermostat="none", z=z)
        group = file.create_group("histograms")
        group.attrs.update(samples=4, every=50, first_step=50, last_step=200)
        group["occupancy/particles"] = np.arange(45)
        group["occupancy/counts"] = np.bincount(cells, minlength=45).astype(np.uint64)
        group["occupancy/expected"] = len(cells) * poisson(np.arange(45), 10.0)
        group["occupancy"].attrs["mean"] = 10.0
        group["speed/edges"] = edges
        group["speed/counts"] = np.histogram(speeds, edges)[0].astype(np.uint64)
        group["speed/expected"] = particles * (above[:-1] - above[1:])


class ChiSquares(unittest.TestCase):
    def test_by_hand(self):
        found = chi_square(np.array([12.0, 18.0, 30.0]), np.array([15.0, 15.0, 30.0]), 1)
        self.assertAlmostEqual(found.value, 9 / 15 + 9 / 15)
        self.assertEqual(found.freedoms, 2)

    def test_thin_bins_are_added_up(self):
        counts, expected = merge_thin_bins(np.array([1.0, 2.0, 30.0, 5.0, 1.0]), np.array([2.0, 9.0, 28.0, 4.0, 3.0]))
        np.testing.assert_array_equal(expected, [11.0, 35.0])
        np.testing.assert_array_equal(counts, [3.0, 36.0])
        with self.assertRaises(ValueError):
            chi_square(np.array([3.0, 4.0]), np.array([4.0, 3.0]), 1)

    def test_sigmas_are_those_of_the_distribution(self):
        # 95 and 99.9 per cent points of chi-square, from tables.
        for value, freedoms, sigmas in ((18.307, 10, 1.645), (124.342, 100, 1.645), (59.703, 30, 3.090), (10.0, 10, 0.0)):
            self.assertAlmostEqual(ChiSquare(value, freedoms).sigmas, sigmas, delta=0.16 if sigmas == 0.0 else 0.02)


class Temperatures(unittest.TestCase):
    def test_the_fit_finds_the_temperature(self):
        edges = np.arange(161) * 0.05
        for temperature in (0.5, 0.999, 1.3):
            exact = Histogram(edges, np.full(161, 1e6 / 161), np.zeros(161))
            counts = maxwell(exact, temperature)
            fitted, error = fit_temperature(Histogram(edges, counts, np.zeros(161)))
            self.assertAlmostEqual(fitted, temperature, delta=1e-5)
            self.assertAlmostEqual(error, temperature * math.sqrt(2 / 3e6), delta=1e-9)


class Files(ToolTest):
    def setUp(self):
        super().setUp()
        self.path = self.folder / "run.h5"

    def test_true_distributions_agree(self):
        write_run(self.path)
        run = read_histograms(Run(self.path))
        found = compare(run)
        for part in (found.occupancy, found.speed, found.speed_fitted):
            self.assertLess(abs(part.sigmas), 4.5)
        self.assertLess(abs(found.temperature - 1.0), 4.5 * found.temperature_error)
        self.assertFalse(run.is_thermostatted)

    def test_a_warmer_fluid_is_found_and_fitted(self):
        write_run(self.path, temperature=1.02)
        found = compare(read_histograms(Run(self.path)))
        self.assertGreater(found.speed.sigmas, 10.0)
        self.assertLess(abs(found.speed_fitted.sigmas), 4.5)
        self.assertLess(abs(found.temperature - 1.02), 4.5 * found.temperature_error)

    def test_particles_that_are_conserved_cost_a_freedom(self):
        write_run(self.path)
        periodic = compare(read_histograms(Run(self.path))).occupancy.freedoms
        write_run(self.path, z="no_slip")
        self.assertEqual(compare(read_histograms(Run(self.path))).occupancy.freedoms, periodic + 1)

    def test_the_command(self):
        write_run(self.path, temperature=1.02)
        done = self.command("plot", self.folder, "histograms")
        for words in ("Made up", "Poisson, mean 10", "degrees of freedom", "temperature  fitted 1.0"):
            self.assertIn(words, done.stdout)
        self.assertGreater((self.folder / "histograms.png").stat().st_size, 10_000)
        self.command("plot", self.path, "histograms", "--output", self.folder / "a/b.svg")
        self.assertTrue((self.folder / "a/b.svg").is_file())

    def test_what_it_cannot_read(self):
        for make, words, status in ((lambda: None, "no such file", 3), (lambda: self.path.write_text("no"), "cannot be read", 3),
                                    (self.write_foreign, "no run file", 3), (self.write_bare, "holds no histograms", 2)):
            make()
            with self.assertRaisesRegex(ResultsError, words):
                read_histograms(Run(self.path))
            self.assertIn(words, self.command("plot", self.path, "histograms", status=status).stderr)

    def write_foreign(self):
        with h5py.File(self.path, "w") as file:
            file["x"] = 1

    def write_bare(self):
        with h5py.File(self.path, "w") as file:
            file.attrs.update(format="mpcflow run", format_version=1)


if __name__ == "__main__":
    unittest.main()

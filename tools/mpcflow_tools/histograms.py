"""Histograms of a run beside theory, compared by chi-square."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from mpcflow_tools.expected import holds_temperature
from mpcflow_tools.flow import Array
from mpcflow_tools.flow_run import walled_axes
from mpcflow_tools.run import Histogram, Run


@dataclass(frozen=True)
class RunHistograms:
    """Both histograms of a run."""

    title: str
    occupancy: Histogram
    speed: Histogram
    density: float
    samples: int
    every: int
    is_thermostatted: bool
    conserves_particles: bool  # the counted cells hold all particles: there is no wall


@dataclass(frozen=True)
class ChiSquare:
    """Pearson's comparison of counts with expected ones."""

    value: float
    freedoms: int

    @property
    def sigmas(self) -> float:
        """How far from its mean, in standard deviations of a Gaussian (Wilson and Hilferty)."""
        spread = 2.0 / (9.0 * self.freedoms)
        return float(((self.value / self.freedoms) ** (1.0 / 3.0) - (1.0 - spread)) / math.sqrt(spread))

    def __str__(self) -> str:
        return f"chi-square {self.value:.1f} of {self.freedoms} degrees of freedom ({self.sigmas:+.1f} sigma)"


def merge_thin_bins(counts: Array, expected: Array, least: float = 10.0) -> tuple[Array, Array]:
    """Adds up neighbouring bins until each has an expectation of at least `least`.

    Below that counts are not Gaussian enough for a chi-square. What is left over at the end joins the last bin.
    """
    merged_counts, merged_expected = [0.0], [0.0]
    for count, wanted in zip(counts, expected):
        if merged_expected[-1] >= least:
            merged_counts.append(0.0)
            merged_expected.append(0.0)
        merged_counts[-1] += float(count)
        merged_expected[-1] += float(wanted)
    if len(merged_expected) > 1 and merged_expected[-1] < least:
        merged_counts[-2:] = [sum(merged_counts[-2:])]
        merged_expected[-2:] = [sum(merged_expected[-2:])]
    return np.array(merged_counts), np.array(merged_expected)


def chi_square(counts: Array, expected: Array, constraints: int) -> ChiSquare:
    """Chi-square over the merged bins. `constraints`: numbers that counts and expectations share by
    construction. Raises ValueError where too few bins are left."""
    merged_counts, merged_expected = merge_thin_bins(counts, expected)
    freedoms = len(merged_counts) - constraints
    if freedoms < 1:
        raise ValueError("too few counts for a comparison with theory: sample more often, or let the run be longer")
    return ChiSquare(float(((merged_counts - merged_expected) ** 2 / merged_expected).sum()), freedoms)


def faster_than(speed: Array) -> Array:
    """Probability of a speed above `speed` thermal speeds, Maxwell's."""
    erfc = np.array([math.erfc(v / math.sqrt(2.0)) if np.isfinite(v) else 0.0 for v in speed])
    finite = np.where(np.isfinite(speed), speed, 0.0)
    slow_part: Array = np.where(np.isfinite(speed), math.sqrt(2.0 / math.pi) * finite * np.exp(-0.5 * finite**2), 0.0)
    return erfc + slow_part


def maxwell(histogram: Histogram, temperature: float = 1.0) -> Array:
    """Expected counts of the bins of speed at `temperature` times the wanted one."""
    edges = np.append(histogram.edges, np.inf) / math.sqrt(temperature)
    above = faster_than(edges)
    return float(histogram.counts.sum()) * (above[:-1] - above[1:])


def fit_temperature(histogram: Histogram) -> tuple[float, float]:
    """The temperature, in parts of the wanted one, that describes the speeds best, and its standard error.

    The likelihood of the counts has one maximum, which a golden section finds.
    """
    def badness(temperature: float) -> float:
        expected = np.maximum(maxwell(histogram, temperature), 1e-300)
        return float(-(histogram.counts * np.log(expected)).sum())

    low, high = 0.2, 5.0
    ratio = (math.sqrt(5.0) - 1.0) / 2.0
    while high - low > 1e-7:
        left, right = high - ratio * (high - low), low + ratio * (high - low)
        if badness(left) < badness(right):
            high = right
        else:
            low = left
    temperature = 0.5 * (low + high)
    return temperature, temperature * math.sqrt(2.0 / (3.0 * float(histogram.counts.sum())))


def read_histograms(run: Run) -> RunHistograms:
    """The histograms of a run. Raises MissingResult where it has none, ResultsError where they cannot be read."""
    found = run.histograms
    return RunHistograms(
        title=run.title or "Histograms",
        occupancy=found["occupancy"],
        speed=found["speed"],
        density=found.mean_occupancy,
        samples=found.samples,
        every=found.every,
        is_thermostatted=holds_temperature(run),
        conserves_particles=not walled_axes(run.input),
    )


@dataclass(frozen=True)
class Comparison:
    """Both histograms against theory."""

    occupancy: ChiSquare
    speed: ChiSquare  # at the wanted temperature
    speed_fitted: ChiSquare  # at the temperature that describes them best
    temperature: float  # that, in parts of the wanted one
    temperature_error: float


def compare(run: RunHistograms) -> Comparison:
    """Compares with Poisson's and Maxwell's distributions. Counts and expectation have the same sum; without walls
    the cells hold all particles, so the mean occupancy is the same too."""
    temperature, error = fit_temperature(run.speed)
    return Comparison(
        occupancy=chi_square(run.occupancy.counts, run.occupancy.expected, 2 if run.conserves_particles else 1),
        speed=chi_square(run.speed.counts, run.speed.expected, 1),
        speed_fitted=chi_square(run.speed.counts, maxwell(run.speed, temperature), 2),
        temperature=temperature,
        temperature_error=error,
    )


def report(run: RunHistograms, comparison: Comparison) -> str:
    """The comparison as text for a terminal."""
    lines = [
        run.title,
        f"{run.samples} samples, one every {run.every} steps: {run.occupancy.counts.sum():.0f} cells, "
        f"{run.speed.counts.sum():.0f} particles",
        "",
        f"occupancy    Poisson, mean {run.density:g}:     {comparison.occupancy}",
        f"speed        Maxwell, kT as wanted: {comparison.speed}",
        f"             Maxwell, kT fitted:    {comparison.speed_fitted}",
        f"temperature  fitted {comparison.temperature:.5f} +- {comparison.temperature_error:.5f} of the wanted one",
    ]
    if not run.is_thermostatted:
        lines.append("             (without a thermostat it stays what chance made it at the start)")
    lines += ["", "Samples that are not independent make chi-square larger or smaller: docs/output.md, /histograms."]
    return "\n".join(lines)

"""Histograms of a run beside theory as a picture."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from mpcflow_tools.flow import Array
from mpcflow_tools.histograms import ChiSquare, Comparison, RunHistograms, maxwell
from mpcflow_tools.style import BAND, DASHED, FITTED, GREY, MEASURED, THEORY, grid, styled


def _used(expected: Array, counts: Array) -> slice:
    """The bins in which anything is, or is to be expected."""
    filled = np.flatnonzero((expected > 0.5) | (counts > 0))
    return slice(int(filled[0]), int(filled[-1]) + 1)


def _deviations(axes: Axes, place: Array, counts: Array, expected: Array, colour: str, marker: str) -> float:
    """Draws (counts - expected) / sqrt(expected) where ten and more are expected; returns the largest."""
    shown = expected >= 10.0
    deviation = (counts[shown] - expected[shown]) / np.sqrt(expected[shown])
    axes.plot(place[shown], deviation, marker, color=colour, markersize=3.4, markeredgewidth=0.0)
    return float(np.max(np.abs(deviation), initial=0.0))


def _finish_deviations(axes: Axes, reach: float) -> None:
    axes.axhspan(-2.0, 2.0, color=BAND, zorder=0)
    axes.axhline(0.0, color=THEORY, linewidth=1.2, zorder=1)
    reach = max(1.15 * reach, 3.5)
    axes.set_ylim(-reach, reach)


def _legend(axes: Axes, found: ChiSquare) -> None:
    """What was measured first, then theory, and how they agree."""
    handles, labels = axes.get_legend_handles_labels()
    order = sorted(range(len(labels)), key=lambda i: labels[i] != "measured")
    axes.legend([handles[i] for i in order], [labels[i] for i in order], loc="upper right")
    axes.text(0.985, 0.79, f"$\\chi^2$ = {found.value:.1f} of {found.freedoms}  ({found.sigmas:+.1f} sigma)",
              transform=axes.transAxes, ha="right", va="top", fontsize=9, color=GREY)


@styled
def histogram_figure(run: RunHistograms, comparison: Comparison) -> Figure:
    """Distributions above, deviations from theory below."""
    figure = Figure(figsize=(10.0, 5.2))
    (occupancy, speed), (occupancy_off, speed_off) = figure.subplots(
        2, 2, sharex="col", gridspec_kw={"height_ratios": [3.0, 1.0], "hspace": 0.09, "wspace": 0.2})

    cells = run.occupancy
    used = _used(cells.expected, cells.counts)
    total = cells.counts.sum()
    occupancy.bar(cells.edges[used], cells.counts[used] / total, width=0.82, color=MEASURED, alpha=0.85, label="measured")
    occupancy.plot(cells.edges[used], cells.expected[used] / total, "o", color=THEORY, markersize=4.6,
                   markeredgecolor="white", markeredgewidth=0.6, label=f"Poisson, mean {run.density:g}")
    occupancy.set_ylabel("share of the cells")
    _legend(occupancy, comparison.occupancy)
    reach = _deviations(occupancy_off, cells.edges, cells.counts, cells.expected, MEASURED, "o")
    _finish_deviations(occupancy_off, reach)
    occupancy_off.set_xlabel("particles in a cell")
    occupancy_off.set_ylabel("off by\n[standard errors]")

    speeds = run.speed
    used = _used(speeds.expected[:-1], speeds.counts[:-1])  # what is above the last edge has no width
    width = speeds.edges[1] - speeds.edges[0]
    density = 1.0 / (speeds.counts.sum() * width)
    left = speeds.edges[used]
    speed.stairs(density * speeds.counts[used], np.append(left, left[-1] + width), fill=True, color=MEASURED, alpha=0.85,
                 label="measured")
    fine = np.linspace(0.0, left[-1] + width, 400)
    speed.plot(fine, np.sqrt(2.0 / np.pi) * fine**2 * np.exp(-0.5 * fine**2), color=THEORY, linewidth=1.8,
               label="Maxwell, kT as wanted")
    speed.set_ylabel("probability density")
    _legend(speed, comparison.speed)
    centres = speeds.edges + 0.5 * width
    # A run without a thermostat has a temperature of its own, which shows at once among so many particles.
    reach = _deviations(speed_off, centres, speeds.counts, speeds.expected, MEASURED, "o")
    if abs(comparison.temperature - 1.0) > 4.0 * comparison.temperature_error:
        fitted = maxwell(speeds, comparison.temperature)
        shown = speeds.expected >= 10.0
        speed_off.plot(centres[shown], ((fitted - speeds.expected) / np.sqrt(speeds.expected + 1e-300))[shown], color=FITTED,
                       linewidth=1.4, linestyle=DASHED, label=f"Maxwell, kT {comparison.temperature:.4f} of the wanted")
        speed_off.legend(loc="upper right", fontsize=8, borderaxespad=0.1)
        reach *= 1.6  # room for the legend
    _finish_deviations(speed_off, reach)
    speed_off.set_xlabel(r"speed $v\,/\,(kT/m)^{1/2}$")

    for axes in (occupancy, speed):
        grid(axes)
        axes.set_ylim(bottom=0.0)
    figure.align_ylabels((occupancy, occupancy_off))
    occupancy.set_title(run.title, loc="left", pad=10, parse_math=False)
    speed_off.text(1.0, -0.74, f"{run.samples} samples, one every {run.every} steps", transform=speed_off.transAxes, ha="right",
                   va="bottom", fontsize=8.5, color=GREY)
    return figure

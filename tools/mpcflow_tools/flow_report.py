"""A flow and its fit as text for a terminal: columns, bars, and a summary."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mpcflow_tools.flow import Fit, Profile, Slit, fitted_bins, velocity_average


@dataclass(frozen=True)
class Quantity:
    """A number with its standard error."""

    value: float
    error: float

    def __str__(self) -> str:
        """Rounded to two digits of the error, as in 0.8683 +- 0.0031."""
        if not np.isfinite(self.error) or self.error <= 0.0:
            return f"{self.value:.6g}"
        digits = min(max(0, 1 - int(np.floor(np.log10(self.error)))), 12)
        return f"{self.value:.{digits}f} +- {self.error:.{digits}f}"


@dataclass(frozen=True)
class FlowRun:
    """A run of plane Poiseuille flow, as read from its results."""

    title: str
    profile: Profile
    slit: Slit
    wall_axis: str  # "x", "y" or "z": across the flow
    flow_axis: str
    temperature: Quantity  # measured
    temperature_set: float
    steps: int
    source: str


@dataclass(frozen=True)
class Marks:
    """What bars are drawn with."""

    full: str
    partial: str  # eighths of a cell, from an empty one up; a single character where there are none
    theory: str


# Chance has no part in it: more runs do not make it smaller (docs/physics.md).
LARGEST_SLIP = 0.03  # in cells, of walls that take part in collisions
EXPECTED_SLIP = f"within {LARGEST_SLIP} a of 0 is expected of walls that take part in collisions"
UNICODE_MARKS = Marks("█", " ▏▎▍▌▋▊▉", "┃")
ASCII_MARKS = Marks("=", " ", "|")


def bar(value: float, theory: float, full_scale: float, width: int, marks: Marks) -> str:
    """A bar of `value`, with a mark at `theory`; both from 0 to full_scale over `width` characters. Empty for what is no number."""
    if not (np.isfinite(value / full_scale) and np.isfinite(theory / full_scale)):
        return ""
    steps = len(marks.partial)
    length = int(round(np.clip(value / full_scale, 0.0, 1.0) * width * steps))
    cells = list(marks.full * (length // steps))
    if length % steps:
        cells.append(marks.partial[length % steps])
    cells += [" "] * (width - len(cells))
    position = min(int(np.clip(theory / full_scale, 0.0, 1.0) * width), width - 1)
    cells[position] = marks.theory
    return "".join(cells).rstrip()


def profile_table(run: FlowRun, marks: Marks, width: int = 80, rows: int = 40) -> list[str]:
    """The profile beside theory, one line a bin (every k-th bin where there are more than `rows`)."""
    profile, theory = run.profile, velocity_average(run.profile.edges, run.slit)
    sign = np.sign(run.slit.acceleration)
    peak = np.max(np.abs(theory))
    full_scale = 1.02 * max(np.max(sign * profile.velocity), np.max(sign * theory))
    columns = 44
    head = (f"{run.wall_axis + '/a':>7} {'u_' + run.flow_axis:>9} {'error':>8} {'theory':>9} {'diff %':>7}  "
            f"{marks.full * 2} measured  {marks.theory} theory")
    lines = [head]
    stride = -(-len(theory) // rows)
    for i in range(0, len(theory), stride):
        measured, error = profile.velocity[i], profile.velocity_error[i]
        difference = 100.0 * (measured - theory[i]) / peak
        lines.append(f"{profile.centres[i]:7.2f} {measured:9.5f} {error:8.5f} {theory[i]:9.5f} {difference:+7.2f}  "
                     + bar(sign * measured, sign * theory[i], full_scale, width - columns - 2, marks))
    if stride > 1:
        lines.append(f"(every {stride}th bin of {len(theory)})")
    return lines


def fitted_of_all(run: FlowRun) -> str:
    """The bins that a fit takes, as in: 14 of 16 layers, without those at the walls."""
    bins, every = fitted_bins(run.profile.edges, run.slit.width), len(run.profile.velocity)
    taken = bins.stop - bins.start
    return f"all {every} layers" if taken == every else f"{taken} of {every} layers, without those at the walls"


def summary(run: FlowRun, fit: Fit) -> list[str]:
    """Fitted viscosity beside the predicted one, slip length, temperature, and what was fitted."""
    predicted = run.slit.viscosity
    off = 100.0 * (fit.viscosity / predicted - 1.0)
    return [
        f"viscosity    fitted {Quantity(fit.viscosity, fit.viscosity_error)}   predicted {predicted:.4f}   "
        f"({off:+.1f} %)",
        f"slip length  fitted {Quantity(fit.slip_length, fit.slip_length_error)} a   {EXPECTED_SLIP}",
        f"temperature  measured {run.temperature}   set {run.temperature_set:g}",
        f"fitted       {fitted_of_all(run)}",
    ]


def report(run: FlowRun, fit: Fit, marks: Marks = UNICODE_MARKS, width: int = 80) -> str:
    """The whole report: what was run, the profile beside theory, the summary."""
    slit = run.slit
    lines = [
        run.title,
        f"flow along {run.flow_axis}, walls normal to {run.wall_axis} and {slit.width:g} a apart, "
        f"acceleration {slit.acceleration:g}, {run.steps} steps sampled",
        "",
        *profile_table(run, marks, width),
        "diff %: measured less theory, in % of theory's largest velocity",
        "",
        *summary(run, fit),
    ]
    return "\n".join(lines)

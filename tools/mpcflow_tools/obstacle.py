"""A cylinder in a stream: its drag coefficient, how long the eddies behind it are, and how often it sheds them.

The cylinder is across the stream, which flows along x, y or z. U is the mean velocity that was measured through the box, D the diameter:
the drag coefficient is 2 F / (rho U^2 D l) for a force F on the length l, the Strouhal number f D / U.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mpcflow_tools.errors import MissingResult
from mpcflow_tools.flow import Array
from mpcflow_tools.flow_report import Quantity
from mpcflow_tools.run import AXES, Run


class NoEddies(ValueError):
    """Behind a cylinder there are none, or none that end in the box."""


@dataclass(frozen=True)
class Obstacle:
    """The cylinder that is surface `number` of a run with a stream."""

    number: int
    along: int  # the axis of the stream
    axis: int  # of the cylinder
    across: int  # the third one
    centre: dict[int, float]  # along those two, by axis
    diameter: float
    length: float


def obstacle_of(run: Run, number: int = 0) -> Obstacle:
    """Raises MissingResult where the run has no such cylinder in a stream that flows up its axis and along no other, ResultsError."""
    surfaces, stream = run.input.get("surfaces") or [], run.input.get("stream")
    cylinder = surfaces[number].get("cylinder") if number < len(surfaces) else None
    if not stream or not cylinder or surfaces[number]["fluid"] != "outside" or cylinder["axis"] == stream["axis"]:
        raise MissingResult(f"{run.path}: surface {number} is no cylinder across a stream")
    others = [part for name, part in zip(AXES, stream["velocity"]) if name != stream["axis"]]
    if not stream["velocity"][AXES.index(stream["axis"])] > 0.0 or any(others):
        raise MissingResult(f"{run.path}: the stream does not flow along {stream['axis']} alone, or flows backwards")
    along, axis = AXES.index(stream["axis"]), AXES.index(cylinder["axis"])
    centre = dict(zip((other for other in range(3) if other != axis), map(float, cylinder["centre"])))
    return Obstacle(number, along, axis, 3 - along - axis, centre, 2.0 * float(cylinder["radius"]), float(run.box[axis]))


def mean_velocity(run: Run, obstacle: Obstacle) -> Quantity:
    """U, along the stream: the flow rate over the cross-section of the box. Raises ResultsError."""
    area, rate = float(run.box[obstacle.axis]) * float(run.box[obstacle.across]), run.walls["flow_rate"]
    return Quantity(float(rate.values[obstacle.along]) / area, float(rate.known_error()[obstacle.along]) / area)


def drag_coefficient(run: Run, obstacle: Obstacle) -> Quantity:
    """By the force of output.walls, where rho is the mean density of the fluid. Raises ResultsError."""
    velocity, force = mean_velocity(run, obstacle), run.walls["force"]
    fluid = run.input["fluid"]
    pressure = 0.5 * float(fluid["density"]) * float(fluid["mass"]) * velocity.value**2
    scale = 1.0 / (pressure * obstacle.diameter * obstacle.length)
    value = scale * float(force.values[obstacle.number, obstacle.along])
    own = scale * float(force.known_error()[obstacle.number, obstacle.along])
    return Quantity(value, math.hypot(own, 2.0 * value * velocity.error / velocity.value))


def turning_point(places: Array, values: Array, errors: Array, window: int) -> Quantity:
    """Where values that fall below 0 first come to be above it again, after the least of them. Of means over `window` neighbours each, which
    change no straight line: one value may be above 0 by chance. The error is half of what is between where they do with their own errors
    taken off and added. Raises NoEddies where there is no such place."""
    kernel = np.full(window, 1.0 / window)
    at, mean, variance = (np.convolve(column, kernel, "valid") for column in (places, values, errors**2 / window))
    if len(mean) < 2 or not mean.min() < 0.0:
        raise NoEddies("the velocity behind the cylinder does not turn: there are no eddies")
    least, spread = int(np.argmin(mean)), np.sqrt(variance)
    end = _comes_above(at[least:], mean[least:])
    if end is None:
        raise NoEddies("the eddies behind the cylinder do not end in the box")
    early, late = (_comes_above(at[least:], mean[least:] + sign * spread[least:]) for sign in (1.0, -1.0))
    return Quantity(end, 0.5 * ((at[-1] if late is None else late) - (at[least] if early is None else early)))


def _comes_above(places: Array, values: Array) -> float | None:
    """Where values first come from below 0 to above it, by a straight line between two; None where they do not."""
    rising = np.flatnonzero((values[:-1] < 0.0) & (values[1:] >= 0.0))
    if not len(rising):
        return None
    i = int(rising[0])
    return float(places[i] - values[i] * (places[i + 1] - places[i]) / (values[i + 1] - values[i]))


def wake_length(run: Run, obstacle: Obstacle) -> Quantity:
    """Of the eddies behind the cylinder, over its diameter: from its rear to where the fluid on the line through its middle flows on again.
    Of the bins of output.fields that are at most a sixteenth of the diameter from the line, in means over a fifth of the diameter along it.
    Raises ResultsError; NoEddies."""
    velocity = run.fields["velocity"]
    values, errors = (_in_plane(of_bins[..., obstacle.along], obstacle.axis) for of_bins in (velocity.values, velocity.known_error()))
    if obstacle.across < obstacle.along:
        values, errors = values.T, errors.T
    edges, places = run.fields.edges(AXES[obstacle.across]), run.fields.centres(AXES[obstacle.along])
    middle, near = obstacle.centre[obstacle.across], obstacle.diameter / 16.0
    rows = np.flatnonzero((edges[:-1] <= middle + near) & (edges[1:] >= middle - near))
    line, spread = values[rows].mean(axis=0), np.sqrt((errors[rows] ** 2).mean(axis=0) / len(rows))
    rear = obstacle.centre[obstacle.along] + 0.5 * obstacle.diameter
    # Bins that the cylinder cuts have the velocity of the fluid beside it; what is far behind is not of the eddies.
    along = run.fields.edges(AXES[obstacle.along])
    first, last = (int(np.searchsorted(along[:-1], place)) for place in (rear, rear + 8.0 * obstacle.diameter))
    window = max(1, round(0.2 * obstacle.diameter / float(along[1] - along[0])))
    end = turning_point(places[first:last], line[first:last], spread[first:last], window)
    return Quantity((end.value - rear) / obstacle.diameter, end.error / obstacle.diameter)


def _in_plane(values: Array, axis: int) -> Array:
    """The mean over an axis of [z][y][x]."""
    return np.asarray(values.mean(axis=2 - axis))


def frequency(times: Array, values: Array) -> Quantity:
    """Of a wave that lasts through evenly spaced values, whose means over pieces of a third of them give its error: the greatest of the
    spectrum with Hann's window, by a parabola through the logarithms of three of its points. Raises ValueError of fewer than 4 waves."""
    spacing = float(times[1] - times[0])
    whole = _peak(values, spacing)
    if whole * spacing * len(values) < 4.0:
        raise ValueError("a frequency needs at least 4 of the waves that the velocity behind the cylinder makes")
    thirds: Sequence[float] = [_peak(piece, spacing) for piece in np.array_split(values, 3)]
    return Quantity(whole, float(np.std(thirds, ddof=1)) / math.sqrt(3.0))


def _peak(values: Array, spacing: float) -> float:
    padded = 8 * len(values)  # points between those of the spectrum
    spectrum = np.abs(np.fft.rfft((values - values.mean()) * np.hanning(len(values)), padded))
    top = int(np.argmax(spectrum[1:-1])) + 1
    below, here, above = np.log(spectrum[top - 1:top + 2])
    return float((top + 0.5 * (below - above) / (below - 2.0 * here + above)) / (padded * spacing))


def velocity_behind(run: Run, obstacle: Obstacle, diameters: float = 1.5) -> tuple[Array, Array]:
    """Times, and of each window of fields.h5 the velocity across stream and cylinder in a square of half a diameter, so far behind the
    cylinder's middle. Raises ResultsError."""
    reach, edges = 0.25 * obstacle.diameter, {axis: run.fields.centres(AXES[axis]) for axis in (obstacle.along, obstacle.across)}
    middle = {obstacle.along: obstacle.centre[obstacle.along] + diameters * obstacle.diameter, obstacle.across: obstacle.centre[obstacle.across]}
    selection: list[Array | slice] = [slice(None)] * 3
    for axis, centres in edges.items():
        selection[2 - axis] = np.abs(centres - middle[axis]) <= max(reach, 0.5 * float(centres[1] - centres[0]) + 1e-9)
    times, found = [], []
    for window in run.windows:
        velocity = window["velocity"].values[..., obstacle.across]
        for axis in (0, 1, 2):
            chosen = selection[2 - axis]
            if not isinstance(chosen, slice):
                velocity = np.compress(chosen, velocity, axis=2 - axis)
        times.append(window.time)
        found.append(float(velocity.mean()))
    return np.array(times), np.array(found)


def strouhal_number(run: Run, obstacle: Obstacle) -> Quantity:
    """By the windows of fields.h5. Raises ResultsError; ValueError where there are too few, or no waves in them."""
    times, values = velocity_behind(run, obstacle)
    if len(times) < 24:
        raise ValueError("a frequency needs at least 24 windows of time")
    found, velocity = frequency(times, values), mean_velocity(run, obstacle)
    value = found.value * obstacle.diameter / velocity.value
    return Quantity(value, math.hypot(value * found.error / found.value, value * velocity.error / velocity.value))

"""The shear viscosity by Kolmogorov flow: a force that is a sine of the place drives a flow u = (g / (nu k^2)) sin(k z).

The program's fields are averages over windows of time; the amplitude of the wave is fitted in each. The thermal wave of the same k has
the mean square 2 kT / (rho V) and is forgotten at the rate nu k^2 =: 1/tau, so that means over windows of the length w have the variance
of independent ones with the factor 1 - (1 - exp(-w/tau)) tau/w: the scatter of the windows with this factor is the error of their mean.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from mpcflow_tools.flow import Array
from mpcflow_tools.flow_report import Quantity
from mpcflow_tools.run import Run
from mpcflow_tools.validation.cases import Measurement, Sizes
from mpcflow_tools.validation.points import Point

SPEED, LIGHT_SPEED = 0.2, 0.4  # of the flow, in thermal speeds
WINDOW_TIMES = 4.0  # tau in a window
DEVELOPMENT_TIMES = 8.0  # after which exp(-8) of the flow is missing


def kolmogorov_input(point: Point, sizes: Sizes, box: tuple[int, int, int] = (32, 32, 32), waves: int = 1, windows: int = 30) -> dict[str, Any]:
    """A flow along x that is a wave of z."""
    k = 2.0 * math.pi * waves / box[2]
    steps_of_tau = 1.0 / (point.viscosity * k * k * point.time_step)
    every = max(1, round(steps_of_tau / 10.0))
    window = every * math.ceil(WINDOW_TIMES * steps_of_tau / every)
    force = (LIGHT_SPEED if sizes.light else SPEED) * point.viscosity * k * k
    return {"seed": 1, "box": {"size": list(box)}, **point.input(), "forces": [{"sine": {"amplitude": [force, 0, 0], "along": "z", "waves": waves}}],
            "run": {"equilibration": math.ceil(DEVELOPMENT_TIMES * steps_of_tau), "steps": window * sizes.count(windows, 8)},
            "output": {"fields": {"every": every, "quantities": ["velocity"], "bins": [1, 1, box[2]], "time_window": window}}}


def wave_amplitudes(edges: Array, velocities: Array, k: float) -> Array:
    """Of u = A sin(k z) fitted to averages over bins: `velocities` [windows][bins]."""
    sine = (np.cos(k * edges[:-1]) - np.cos(k * edges[1:])) / (k * np.diff(edges))  # the mean of the sine over each bin
    return np.asarray(velocities @ sine / (sine**2).sum())


def mean_of_windows(amplitudes: Array, length: float) -> Quantity:
    """Of windows that are `length` times as long as the wave remembers. Raises ValueError of fewer than two."""
    if len(amplitudes) < 2:
        raise ValueError("an error needs two windows of time at least")
    share = 1.0 - (1.0 - math.exp(-length)) / length
    return Quantity(float(amplitudes.mean()), float(amplitudes.std(ddof=1)) / math.sqrt(len(amplitudes) * share))


def measure_kolmogorov(run: Run) -> Measurement:
    """Raises ResultsError; ValueError where no flow stands out."""
    sine = next(force["sine"] for force in run.input["forces"] if "sine" in force)
    k = 2.0 * math.pi * int(sine.get("waves", 1)) / float(run.box[2])
    profiles = np.array([window["velocity"].values[..., 0].mean(axis=(1, 2)) for window in run.windows])
    edges = run.fields.edges("z")
    amplitudes = wave_amplitudes(edges, profiles, k)
    force = float(sine["amplitude"][0])
    if not amplitudes.mean() * force > 0.0:
        raise ValueError("there is no flow along the force")
    guess = force / (k * k * float(amplitudes.mean()))
    length = run.time_step * int(run.input["output"]["fields"]["time_window"]) * guess * k * k
    amplitude = mean_of_windows(amplitudes, length)
    found = Measurement({"viscosity": Quantity(guess, guess * amplitude.error / amplitude.value), "amplitude": amplitude,
                         "mean_velocity": Quantity(float(profiles.mean()), math.nan)})
    found.curve("profile", z=0.5 * (edges[1:] + edges[:-1]), velocity=profiles.mean(axis=0))
    return found

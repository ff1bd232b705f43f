"""A standing wave of sound that is let go: the wave of the density in windows of time, and the speed and damping that it has.

Of a fluid at one temperature the linear equations give rho_k(t) ~ exp(-g t) cos(w t + p) with g = G k^2 / 2 and w^2 = c^2 k^2 - g^2,
c = (kT/m)^(1/2), and for SRD without angular momentum conservation G = nu_col + (4/3) nu_kin (Ihle, Tuezel and Kroll, Phys. Rev. E 72
(2005) 046707, in three dimensions).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mpcflow_tools.flow import Array
from mpcflow_tools.flow_report import Quantity
from mpcflow_tools.run import Run

# Steps of Gauss and Newton; a start from theory needs four or so.
ITERATIONS = 30


@dataclass(frozen=True)
class Wave:
    """The first wave of the density along x, in parts of the mean density: rho / rho_0 = 1 - amplitude cos(k x)."""

    times: Array  # since the force ended
    amplitudes: Array  # [windows]
    noise: float  # standard error of each: of an ideal gas at rest (2/N)^(1/2)
    wave_number: float


def density_wave(run: Run) -> Wave:
    """Of the windows of a run whose fields have bins along x. Raises ResultsError."""
    edges = run.fields.edges("x")
    k, width = 2.0 * np.pi / float(edges[-1]), float(edges[1] - edges[0])
    of_bins = np.cos(k * 0.5 * (edges[1:] + edges[:-1])) * np.sinc(0.5 * k * width / np.pi)
    released = max((int(force.get("until") or 0) for force in run.input.get("forces") or []), default=0)
    times, found = [], []
    for window in run.windows:
        density = window["density"].values.mean(axis=(0, 1))
        found.append(-2.0 * float((density * of_bins).mean() / (density.mean() * np.sinc(0.5 * k * width / np.pi) ** 2)))
        times.append((0.5 * (window.first_step + window.last_step) - released) * run.time_step)
    return Wave(np.array(times), np.array(found), float(np.sqrt(2.0 / run.particles)), k)


@dataclass(frozen=True)
class Decay:
    """amplitude exp(-rate t) cos(frequency t + phase), fitted."""

    amplitude: float
    rate: float
    frequency: float
    phase: float
    speed: Quantity  # c = (w^2 + g^2)^(1/2) / k
    damping: Quantity  # G = 2 g / k^2

    def at(self, times: Array) -> Array:
        return _model(np.array([self.amplitude, self.rate, self.frequency, self.phase]), times)


def expected_wave(run: Run, wave: Wave) -> Decay:
    """Of theory: from rest, of the amplitude F / (k kT) with which the pressure balances the force F. Raises ResultsError."""
    force = max(float(force["sine"]["amplitude"][0]) for force in run.input["forces"] if "sine" in force)
    damping = float(run.theory["collisional_viscosity"]) + 4.0 / 3.0 * float(run.theory["kinetic_viscosity"])
    return decay_from_rest(wave.wave_number, float(run.theory["speed_of_sound"]), damping,
                           force / (wave.wave_number * float(run.input["fluid"]["temperature"])))


def decay_from_rest(wave_number: float, speed: float, damping: float, amplitude: float) -> Decay:
    """Of a wave that is at rest at the time 0 and has this amplitude then."""
    rate = 0.5 * damping * wave_number**2
    frequency = float(np.sqrt((speed * wave_number) ** 2 - rate**2))
    phase = -float(np.arctan2(rate, frequency))
    return Decay(amplitude / np.cos(phase), rate, frequency, phase, Quantity(speed, 0.0), Quantity(damping, 0.0))


def _model(p: Array, times: Array) -> Array:
    return np.asarray(p[0] * np.exp(-p[1] * times) * np.cos(p[2] * times + p[3]))


def _slopes(p: Array, times: Array) -> Array:
    envelope, angle = np.exp(-p[1] * times), p[2] * times + p[3]
    swing, turn = envelope * np.cos(angle), -p[0] * envelope * np.sin(angle)
    return np.column_stack([swing, -times * p[0] * swing, times * turn, turn])


def fit_wave(wave: Wave, start: Decay) -> Decay:
    """By least squares, from the guess `start`. Standard errors are those of thermal sound, which comes and goes in the same wave: it
    has the mean square of `wave.noise` and the correlation exp(-g t) cos(w t). Raises ValueError where no fit is found."""
    p = np.array([start.amplitude, start.rate, start.frequency, start.phase])
    for _ in range(ITERATIONS):
        step = np.linalg.lstsq(_slopes(p, wave.times), wave.amplitudes - _model(p, wave.times), rcond=None)[0]
        p = p + step
        if not np.all(np.isfinite(p)) or p[1] < 0.0:
            raise ValueError("no wave that decays stands out of the noise")
        if np.all(np.abs(step) <= 1e-10 * np.abs(p) + 1e-12):
            break
    solve = np.linalg.pinv(_slopes(p, wave.times))
    apart = np.abs(np.subtract.outer(wave.times, wave.times))
    covariance = solve @ (wave.noise**2 * np.exp(-p[1] * apart) * np.cos(p[2] * apart)) @ solve.T
    k, pace = wave.wave_number, float(np.hypot(p[1], p[2]))
    slope = np.array([0.0, p[1], p[2], 0.0]) / (pace * k)
    amplitude, rate, frequency, phase = map(float, p)
    return Decay(amplitude, rate, frequency, phase, Quantity(pace / k, float(np.sqrt(slope @ covariance @ slope))),
                 Quantity(2.0 * rate / k**2, 2.0 * float(np.sqrt(covariance[1, 1])) / k**2))

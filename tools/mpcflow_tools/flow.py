"""Plane Poiseuille flow: the profile of a run, its fit, and what theory says of it.

Between no-slip walls at y = 0 and y = L a fluid of kinematic viscosity nu under the acceleration g flows as

    u(y) = (g / 2 nu) [y (L - y) + b L],

with the slip length b, which is 0 where the fluid sticks to the walls. A run gives averages of u over bins,
not values at points: the model is averaged over the same bins before it is compared.

Units are those of the run's input, lengths in cells.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Profile:
    """Averages over bins between the walls; every array but `edges` has one entry a bin."""

    edges: Array  # n + 1 positions, from the lower wall at 0 to the upper one
    velocity: Array  # along the flow
    velocity_error: Array  # one standard error
    blocks: Array | None = None  # [block][bin], averages over stretches of the run, for errors of the fit

    @property
    def centres(self) -> Array:
        return 0.5 * (self.edges[:-1] + self.edges[1:])


@dataclass(frozen=True)
class Slit:
    """What the input says of the flow, and what theory predicts."""

    acceleration: float  # g = force / mass
    width: float  # L
    viscosity: float  # nu, predicted


@dataclass(frozen=True)
class Fit:
    """u = (g / 2 nu) [y (L - y) + b L] fitted to a profile."""

    viscosity: float
    viscosity_error: float
    slip_length: float
    slip_length_error: float
    chi_squared: float
    freedoms: int


def parabola_average(edges: Array, width: float) -> Array:
    """Average of y (L - y) over each bin: exact, so that wide bins bias nothing."""
    lower, upper = edges[:-1], edges[1:]
    return width * (lower + upper) / 2.0 - (lower * lower + lower * upper + upper * upper) / 3.0


def velocity_average(edges: Array, slit: Slit, slip_length: float = 0.0, viscosity: float | None = None) -> Array:
    """The flow averaged over each bin; with the predicted viscosity unless another is given."""
    nu = slit.viscosity if viscosity is None else viscosity
    return slit.acceleration / (2.0 * nu) * (parabola_average(edges, slit.width) + slip_length * slit.width)


def velocity_at(positions: Array, slit: Slit, slip_length: float = 0.0, viscosity: float | None = None) -> Array:
    """The flow at points."""
    nu = slit.viscosity if viscosity is None else viscosity
    parabola = positions * (slit.width - positions)
    return slit.acceleration / (2.0 * nu) * (parabola + slip_length * slit.width)


def _solve(profile: Profile, velocity: Array, slit: Slit) -> tuple[Array, Array]:
    """Weighted least squares of velocity = p0 X + p1, X the averaged parabola: p and its covariance."""
    design = np.column_stack([parabola_average(profile.edges, slit.width), np.ones(len(velocity))])
    weights = 1.0 / profile.velocity_error**2
    normal = design.T @ (weights[:, None] * design)
    covariance = np.linalg.inv(normal)
    return covariance @ (design.T @ (weights * velocity)), covariance


def _viscosity_and_slip(parameters: Array, slit: Slit) -> Array:
    """nu and b of p0 = g / (2 nu), p1 = g b L / (2 nu)."""
    return np.array([slit.acceleration / (2.0 * parameters[0]), parameters[1] / (parameters[0] * slit.width)])


def fit_profile(profile: Profile, slit: Slit) -> Fit:
    """Fits nu and b by weighted least squares.

    The bins of one instant are correlated, since the slowest waves of the fluid span them all. With at least 8
    blocks the standard errors are therefore those of a jackknife over blocks; else they come from the bins'
    own errors as if these were independent, which makes them too small.

    Raises ValueError where the profile has too few bins, or a bin without a usable error.
    """
    if len(profile.velocity) < 3:
        raise ValueError("a fit needs at least 3 bins between the walls")
    if not np.all(np.isfinite(profile.velocity_error) & (profile.velocity_error > 0.0)):
        raise ValueError("a fit needs a standard error of every bin: let the run be longer, or sample more often")
    parameters, covariance = _solve(profile, profile.velocity, slit)
    if parameters[0] * slit.acceleration <= 0.0:
        raise ValueError("there is no flow along the force that stands out of the noise")
    viscosity, slip = _viscosity_and_slip(parameters, slit)

    if profile.blocks is not None and len(profile.blocks) >= 8:
        count = len(profile.blocks)
        total = profile.blocks.sum(axis=0)
        left_out = np.array([_viscosity_and_slip(_solve(profile, (total - block) / (count - 1), slit)[0], slit)
                             for block in profile.blocks])
        errors = np.sqrt((count - 1) / count * ((left_out - left_out.mean(axis=0)) ** 2).sum(axis=0))
    else:
        gradient = np.array([[-viscosity / parameters[0], 0.0],
                             [-slip / parameters[0], 1.0 / (parameters[0] * slit.width)]])
        errors = np.sqrt(np.diag(gradient @ covariance @ gradient.T))

    residuals = (profile.velocity - velocity_average(profile.edges, slit, slip, viscosity)) / profile.velocity_error
    return Fit(float(viscosity), float(errors[0]), float(slip), float(errors[1]),
               float(residuals @ residuals), len(profile.velocity) - 2)

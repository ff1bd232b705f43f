"""Plane Poiseuille flow: the profile of a run, its fit, and what theory says of it.

Between no-slip walls at y = 0 and y = L a fluid of kinematic viscosity nu under the acceleration g flows as

    u(y) = (g / 2 nu) [y (L - y) + b L],

with the slip length b, which is 0 where the fluid sticks to the walls. A run gives averages of u over bins,
not values at points: the model is averaged over the same bins before it is compared. Next to a wall, as far as the
collision cells reach that it cuts, the profile is a fraction of a per cent off the parabola (docs/validation.md): fits leave these
bins out where the others span most of the slit.

Units are those of the run's input, lengths in cells.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

# The edge of a collision cell: so far into the fluid reach the cells that a wall cuts.
WALL_LAYER = 1.0
# A fit to less of the slit than this part has errors that outweigh what the layers at the walls put wrong.
LEAST_SPAN = 0.75


@dataclass(frozen=True)
class Profile:
    """Averages over bins between the walls; every array but `edges` has one entry a bin."""

    edges: Array  # n + 1 positions, from the lower wall at 0 to the upper one
    velocity: Array  # along the flow
    velocity_error: Array  # one standard error

    @property
    def centres(self) -> Array:
        return 0.5 * (self.edges[:-1] + self.edges[1:])


@dataclass(frozen=True)
class Slit:
    """What the input says of the flow, and what theory predicts: the flow of the force and that of moving walls add up."""

    acceleration: float  # g = force / mass
    width: float  # L
    viscosity: float  # nu, predicted
    lower_velocity: float = 0.0  # of the walls
    upper_velocity: float = 0.0
    slips: str = ""  # the face of slip, "lower" or "upper": a mirror, beyond which the flow goes on to the other wall's image

    @property
    def distance(self) -> float:
        """Between the walls, or the wall and its image."""
        return 2.0 * self.width if self.slips else self.width

    @property
    def offset(self) -> float:
        """Of the lower face from the lower of these two."""
        return self.width if self.slips == "lower" else 0.0

    @property
    def is_poiseuille(self) -> bool:
        """Whether it is a force that drives it, between walls at rest."""
        return self.lower_velocity == self.upper_velocity == 0.0 and not self.slips

    def velocity(self, places: Array) -> Array:
        """V0 + (V1 - V0) y / D + (g / 2 nu) y (D - y), y from the lower wall or image and D the distance."""
        y = places + self.offset
        rising = (self.upper_velocity - self.lower_velocity) * y / self.distance
        return self.lower_velocity + rising + self.acceleration / (2.0 * self.viscosity) * y * (self.distance - y)

    def shear_rate(self, places: Array) -> Array:
        """The derivative of velocity()."""
        of_walls = (self.upper_velocity - self.lower_velocity) / self.distance
        return of_walls + self.acceleration / self.viscosity * (0.5 * self.distance - places - self.offset)

    def mean(self, power: int) -> float:
        """Of the velocity to the power 1 or 2, by Gauss's rule of three points, which is exact for it."""
        nodes = self.width * (0.5 + 0.5 * np.array([-(0.6**0.5), 0.0, 0.6**0.5]))
        numbers = self.velocity(nodes) ** power
        found = float(np.dot([5 / 18, 8 / 18, 5 / 18], numbers))
        # Where velocities cancel, what rounding leaves is no theory to measure differences by.
        return found if abs(found) > 1e-14 * float(np.abs(numbers).max()) else 0.0


@dataclass(frozen=True)
class Fit:
    """u = (g / 2 nu) [y (L - y) + b L] fitted to a profile."""

    viscosity: float
    viscosity_error: float
    slip_length: float
    slip_length_error: float


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


def noise_correlation(edges: Array, width: float) -> Array:
    """Correlation of the bins of a profile that is averaged over a time long against L^2 / nu.

    A fluid between walls fluctuates in modes sin(n pi y / L), all of the same mean square and forgotten at
    the rates nu (n pi / L)^2; an average over a long time leaves of each a variance that goes as 1 / n^2.
    Their sum is the covariance of a Brownian bridge, G(y, y') = min(y, y') (L - max(y, y')) / L, averaged
    here over bins. The bins of one profile are thus strongly correlated, however long the run is.
    """
    centres, widths = 0.5 * (edges[:-1] + edges[1:]), np.diff(edges)
    covariance = np.minimum.outer(centres, centres) * (width - np.maximum.outer(centres, centres)) / width
    # Within one bin the smaller of two places lies at a third of it on average.
    covariance[np.diag_indices_from(covariance)] = edges[:-1] + widths / 3.0 - centres**2 / width
    scale = np.sqrt(np.diag(covariance))
    correlation: Array = covariance / np.outer(scale, scale)
    return correlation


def fitted_bins(edges: Array, width: float) -> slice:
    """The bins that a fit takes: those that do not reach within WALL_LAYER of a wall, where there are three of them and they span
    LEAST_SPAN of the slit; all otherwise."""
    inside = np.flatnonzero((edges[:-1] >= WALL_LAYER - 1e-9) & (edges[1:] <= width - WALL_LAYER + 1e-9))
    if len(inside) < 3 or edges[inside[-1] + 1] - edges[inside[0]] < LEAST_SPAN * width - 1e-9:
        return slice(0, len(edges) - 1)
    return slice(int(inside[0]), int(inside[-1]) + 1)


def fit_profile(whole: Profile, slit: Slit) -> Fit:
    """Fits nu and b to the fitted_bins of a profile, by least squares weighted with their standard errors.

    The standard errors of nu and b follow from those of the bins and `noise_correlation`. The correlations
    are left out of the weights, for with them the fit would look at the bins next to the walls most of all.

    Raises ValueError where the profile has too few bins, or a bin without a usable error.
    """
    bins = fitted_bins(whole.edges, slit.width)
    profile = Profile(whole.edges[bins.start:bins.stop + 1], whole.velocity[bins], whole.velocity_error[bins])
    if len(profile.velocity) < 3:
        raise ValueError("a fit needs at least 3 bins between the walls")
    if not np.all(np.isfinite(profile.velocity_error) & (profile.velocity_error > 0.0)):
        raise ValueError("a fit needs a standard error of every bin: let the run be longer, or sample more often")
    # velocity = p0 X + p1, X the averaged parabola: p0 = g / (2 nu), p1 = g b L / (2 nu).
    design = np.column_stack([parabola_average(profile.edges, slit.width), np.ones(len(profile.velocity))])
    weighted = design / profile.velocity_error[:, None]
    solve = np.linalg.inv(weighted.T @ weighted) @ weighted.T
    p0, p1 = solve @ (profile.velocity / profile.velocity_error)
    if p0 * slit.acceleration <= 0.0:
        raise ValueError("there is no flow along the force that stands out of the noise")
    covariance = solve @ noise_correlation(profile.edges, slit.width) @ solve.T
    viscosity, slip = slit.acceleration / (2.0 * p0), p1 / (p0 * slit.width)
    gradient = np.array([[-viscosity / p0, 0.0], [-slip / p0, 1.0 / (p0 * slit.width)]])
    errors = np.sqrt(np.diag(gradient @ covariance @ gradient.T))
    return Fit(float(viscosity), float(errors[0]), float(slip), float(errors[1]))

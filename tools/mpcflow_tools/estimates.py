"""Numbers that an analysis gives: each with its error, its unit, how it was found, and theory beside it."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from mpcflow_tools.flow import Array
from mpcflow_tools.flow_report import Quantity

VISCOSITY_UNIT = "a (energy/mass)^(1/2)"  # a^2 a time, of diffusion too


@dataclass(frozen=True)
class Estimate:
    """One number. `error` is one standard error, NaN where it is not known."""

    name: str
    value: float
    error: float
    unit: str
    how: str = ""
    theory: float | None = None

    @property
    def sigmas(self) -> float | None:
        """How far from theory, in standard errors."""
        if self.theory is None or not (math.isfinite(self.error) and self.error > 0.0):
            return None
        return (self.value - self.theory) / self.error

    def beside_theory(self) -> str:
        """ "theory 0.870 (-0.2 %, -0.7 sigma)"; empty where there is none."""
        if self.theory is None:
            return ""
        parts = [f"{100.0 * (self.value / self.theory - 1.0):+.1f} %"] if self.theory else []
        parts += [] if self.sigmas is None else [f"{self.sigmas:+.1f} sigma"]
        return f"theory {self.theory:.4g}" + (f" ({', '.join(parts)})" if parts else "")

    def __str__(self) -> str:
        exact = self.error < 1e-9 * abs(self.value)  # a number that the run does not change
        return str(Quantity(self.value, math.nan if exact else self.error))


@dataclass
class Section:
    """What an analysis says of one subject."""

    name: str
    estimates: list[Estimate] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)  # what the run did not write, and what would have made it
    notes: list[str] = field(default_factory=list)  # what to mind
    tables: dict[str, dict[str, Array]] = field(default_factory=dict)  # curves, columns by name

    def as_json(self) -> dict[str, Any]:
        """As numbers, lists and texts; numbers that are not finite are null."""
        return {
            "estimates": [{"name": found.name, "value": finite(found.value), "error": finite(found.error), "unit": found.unit,
                           "theory": None if found.theory is None else finite(found.theory), "how": found.how} for found in self.estimates],
            "tables": {name: {column: [finite(value) for value in values.tolist()] for column, values in table.items()}
                       for name, table in self.tables.items()},
            "missing": self.missing,
            "notes": self.notes,
        }


def finite(value: Any) -> Any:
    """JSON knows no NaN."""
    if isinstance(value, list):
        return [finite(entry) for entry in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def lacks(group: str, key: str = "") -> str:
    """How a missing group is told."""
    return f"no {group} in run.h5 (output.{key or group} in the input makes it)"


def variance_of_sum(deviations: Array) -> float:
    """The variance of the sum of what blocks of time deviate by, which follow each other: n / (n - 1) times the sum of their
    squares, once neighbours that are correlated are taken together, two by two, while there are eight. The program finds its
    errors so, too."""
    while True:
        n, squares = len(deviations), float(deviations @ deviations)
        if n < 2:
            return math.nan
        # Of independent ones about their mean it is -1 / n, with this deviation.
        deviation = (n - 2) / (n * math.sqrt(n - 1)) * squares
        correlation = float(deviations[:-1] @ deviations[1:]) + squares / n
        if n < 8 or -2.33 * deviation <= correlation <= 1.645 * deviation:
            return n / (n - 1) * squares
        pairs = deviations[: n // 2 * 2].reshape(-1, 2).sum(axis=1)
        pairs[-1] += deviations[n // 2 * 2:].sum()
        deviations = pairs


def blocked_mean(values: Array, blocks: int = 64) -> Quantity:
    """The mean of a series and its standard error by blocking: of `blocks` means over equal stretches, or of fewer, two
    values each, where the series is short."""
    if len(values) < 2 * blocks:
        blocks = max(len(values) // 2, 1)
    length = len(values) // blocks if blocks else 0
    if blocks < 2:
        return Quantity(float(np.mean(values)) if len(values) else math.nan, math.nan)
    means = values[len(values) - blocks * length:].reshape(blocks, length).mean(axis=1)
    return Quantity(float(values.mean()), math.sqrt(variance_of_sum(means - means.mean())) / blocks)


def weighted_mean(found: list[Quantity]) -> tuple[Quantity, float]:
    """The mean of independent numbers by their errors, and chi-square a degree of freedom (NaN for one of them)."""
    values, errors = np.array([one.value for one in found]), np.array([one.error for one in found])
    weights = 1.0 / errors**2
    mean = float((values * weights).sum() / weights.sum())
    chi_square = float((((values - mean) / errors) ** 2).sum() / (len(found) - 1)) if len(found) > 1 else math.nan
    return Quantity(mean, float(1.0 / np.sqrt(weights.sum()))), chi_square

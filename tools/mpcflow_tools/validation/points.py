"""The fluids that are measured, and what was measured of them elsewhere.

The formulas here (Noguchi and Gompper, Phys. Rev. E 78 (2008) 016706; docs/physics.md has them) choose the lengths of runs and the
strengths of forces. What measurements are set beside is what the program itself says of theory, in its run.h5.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from mpcflow_tools.flow_report import Quantity


@dataclass(frozen=True)
class Point:
    """A fluid of one species, m = kT = 1: the law (srd, srd+a, at, at+a), the angle in degrees of srd, h and M."""

    law: str
    time_step: float
    density: float
    angle: float = 130.0

    @property
    def is_srd(self) -> bool:
        return self.law.startswith("srd")

    @property
    def is_angular(self) -> bool:
        return self.law.endswith("+a")

    @property
    def title(self) -> str:
        return f"{self.law.replace('srd', 'SRD').replace('at', 'AT')}{f' {self.angle:g}' if self.is_srd else ''}"

    @property
    def name(self) -> str:
        return f"{self.law.replace('+', '_')}{f'{self.angle:g}' if self.is_srd else ''}_h{self.time_step:g}_M{self.density:g}"

    @property
    def cells(self) -> tuple[str, str]:
        """Of a table's row."""
        return self.title, f"{self.time_step:g}, {self.density:g}"

    def input(self, thermostat: str = "maxwell_boltzmann") -> dict[str, Any]:
        """The sections `fluid`, `collision` and, of srd, `thermostat`."""
        collision: dict[str, Any] = {"rule": "srd", "angle": self.angle} if self.is_srd else {"rule": "at"}
        collision |= {"time_step": self.time_step, "conserve_angular_momentum": self.is_angular}
        found: dict[str, Any] = {"fluid": {"density": self.density}, "collision": collision}
        return found | ({"thermostat": {"kind": thermostat}} if self.is_srd else {})

    @property
    def forgotten(self) -> tuple[float, float]:
        """A and B: which share of a velocity, and of the momentum flux, a collision forgets."""
        if not self.is_srd:
            return 1.0, 1.0
        angle = math.radians(self.angle)
        return 2.0 / 3.0 * (1.0 - math.cos(angle)), 0.4 * (2.0 - math.cos(angle) - math.cos(2.0 * angle))

    @property
    def collisional_viscosity(self) -> float:
        share, m, none = self.forgotten[0], self.density, math.exp(-self.density)
        if not self.is_angular:
            return share * (m - 1.0 + none) / m / (12.0 * self.time_step)
        brace = m - 1.9 + none * (1.9 + 0.9 * m + (1.0 / 3.0 + 0.95 - 1.0) * m * m)
        return share * brace / (24.0 * self.time_step * m)

    @property
    def kinetic_viscosity(self) -> float:
        (a, b), m, none = self.forgotten, self.density, math.exp(-self.density)
        c = b * (m - 1.0 + none) / m
        if self.is_angular:
            c = (b * (1.0 - none * (1.0 + m)) + (a + b / 3.0) * m * none / 5.0
                 + 0.5 * (3.0 * a - 5.5 * b) * (1.0 - none * (1.0 + m + 0.5 * m * m)) / m)
            if self.is_srd:
                c -= self._kept_by_the_thermostat
        return self.time_step * (1.0 / c - 0.5)

    @property
    def _kept_by_the_thermostat(self) -> float:
        """Of SRD+a with a thermostat, whose collisions forget so much less of the momentum flux."""
        angle, m = math.radians(self.angle), self.density
        share = 23.0 / 240.0 * (1.0 - math.cos(angle)) ** 2 + 9.0 / 16.0 * math.sin(angle) ** 2
        numbers = range(3, math.ceil(m + 40.0 * math.sqrt(m) + 100.0))
        return share * sum(math.exp(n * math.log(m) - m - math.lgamma(n + 1.0)) * (1.0 - 3.0 / n) for n in numbers) / m

    @property
    def viscosity(self) -> float:
        """nu, to some per cent."""
        return self.kinetic_viscosity + self.collisional_viscosity


# Measured elsewhere: nu by sine-force flow with its standard error, D by the mean square displacement.
KNOWN: dict[Point, tuple[Quantity, float]] = {
    Point("srd", 0.1, 10): (Quantity(0.868, 0.003), 0.0589),
    Point("srd", 1.0, 10): (Quantity(0.578, 0.003), 0.518),
    Point("srd", 0.02, 10): (Quantity(4.04, 0.02), 0.0122),
    Point("srd", 0.1, 5, 90.0): (Quantity(0.521, 0.004), 0.155),
    Point("at", 0.1, 10): (Quantity(0.812, 0.004), 0.069),
    Point("srd+a", 0.1, 10): (Quantity(0.423, 0.002), 0.084),
    Point("at+a", 0.1, 10): (Quantity(0.407, 0.003), 0.095),
    Point("at+a", 0.1, 5): (Quantity(0.376, 0.002), 0.157),
}
LAWS = [Point(law, 0.1, 10) for law in ("srd", "srd+a", "at", "at+a")]


def best_viscosity(point: Point) -> Quantity | None:
    """What was measured elsewhere; None of a fluid that is not in the table."""
    return KNOWN[point][0] if point in KNOWN else None

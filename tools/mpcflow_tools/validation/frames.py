"""Galilean invariance: the viscosity of a fluid at rest and of one that moves as a whole, with the random shift of the grid and without.

The fluid is given its velocity by a force on all particles for some steps, along the axis of the flow, so that the wave of force that drives
Kolmogorov flow is the same for both.
"""

from __future__ import annotations

import math
from typing import Any

from mpcflow_tools.flow_report import Quantity
from mpcflow_tools.validation.cases import Case, Results, Sizes
from mpcflow_tools.validation.kolmogorov import kolmogorov_input, measure_kolmogorov
from mpcflow_tools.validation.points import LAWS, Point
from mpcflow_tools.validation.tables import Comparison, Table

OF_REST = 0.01  # our own
SPEEDS = (0.0, 0.5, 1.0)  # thermal speeds
PUSH = 100  # steps


def moving_input(point: Point, speed: float, shifts: bool, sizes: Sizes) -> dict[str, Any]:
    found = kolmogorov_input(point, sizes, windows=60)
    found["collision"]["random_shift"] = shifts
    if speed:
        found["forces"].append({"uniform": [speed / (PUSH * point.time_step), 0, 0], "until": PUSH})
    return found


def cases(sizes: Sizes) -> list[Case]:
    fluids = [(LAWS[0], True), (LAWS[2], True), (LAWS[0], False)]
    return [Case(f"{point.name}_{'shifted' if shifts else 'fixed'}_v{speed:g}", moving_input(point, speed, shifts, sizes), measure_kolmogorov,
                 (point, shifts, speed)) for point, shifts in fluids for speed in SPEEDS]


def tables(results: Results) -> list[Table]:
    table = Table("Viscosity of the fluid that moves, over that of the fluid at rest", ("law", "grid", "velocity", "ν"), "ratio", ("expected",))
    rest = {case.subject[:2]: result.numbers["viscosity"] for case, result in results if not case.subject[2]}
    for case, result in results:
        (point, shifts, speed), nu = case.subject, result.numbers["viscosity"]
        at_rest = rest.get((point, shifts))
        if not speed or at_rest is None:
            continue
        ratio = nu.value / at_rest.value
        cells = (point.title, "shifted" if shifts else "fixed", f"{speed:g}", str(nu).replace("+-", "±"))
        table.add(cells, Quantity(ratio, ratio * math.hypot(nu.error / nu.value, at_rest.error / at_rest.value)),
                  Comparison(1.0, limit=OF_REST if shifts else None))
    return [table] if table.rows else []

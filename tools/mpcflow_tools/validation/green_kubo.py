"""The viscosity by the fluctuating stress of a fluid at rest (Green and Kubo), and its two parts."""

from __future__ import annotations

from typing import Any

from mpcflow_tools.flow_report import Quantity
from mpcflow_tools.run import Run
from mpcflow_tools.stress_analysis import green_kubo_viscosities
from mpcflow_tools.validation.cases import Case, Measurement, Results, Sizes
from mpcflow_tools.validation.points import LAWS, Point, best_viscosity
from mpcflow_tools.validation.tables import Comparison, Table

OF_TABLE = 0.015  # wanted
BOX = 12  # the error does not depend on it: that of a stress is as large as the stress itself


def green_kubo_input(point: Point, steps: int) -> dict[str, Any]:
    return {"seed": 1, "box": {"size": [BOX] * 3}, **point.input(), "run": {"equilibration": 500, "steps": steps},
            "output": {"stress": {"every": 1, "burst": 1, "lags": 40}}}


def cases(sizes: Sizes) -> list[Case]:
    return [Case(point.name, green_kubo_input(point, sizes.count(200_000, 10_000)), measure_green_kubo, point) for point in LAWS]


def measure_green_kubo(run: Run) -> Measurement:
    """Raises ResultsError; ValueError where the run is too short."""
    names = ("viscosity", "kinetic_viscosity", "collisional_viscosity")
    return Measurement({name: Quantity(found.value, found.error) for name, found in zip(names, green_kubo_viscosities(run))})


def tables(results: Results) -> list[Table]:
    headings = ("law", "*h*, *M*")
    whole = Table("", headings, "ν", ("formula", "measured elsewhere"))
    parts = Table("Its parts", (*headings, "part"), "ν", ("formula",))
    for case, result in results:
        known = best_viscosity(case.subject)
        whole.add(case.subject.cells, result.numbers["viscosity"], Comparison(result.theory["predicted_viscosity"]),
                  None if known is None else Comparison(known.value, known.error, OF_TABLE))
        for name in ("kinetic", "collisional"):
            expected = result.collisional_viscosity if name == "collisional" else result.theory["kinetic_viscosity"]
            parts.add((*case.subject.cells, name), result.numbers[f"{name}_viscosity"], Comparison(expected))
    return [table for table in (whole, parts) if table.rows]

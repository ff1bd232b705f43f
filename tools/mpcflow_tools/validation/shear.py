"""Lees-Edwards shear: the profile and the viscosity by the stress, and the temperature under strong shear."""

from __future__ import annotations

from typing import Any

import numpy as np

from mpcflow_tools.flow_report import Quantity
from mpcflow_tools.layers import layer_profile, mean_of
from mpcflow_tools.run import Run
from mpcflow_tools.validation.cases import Case, Measurement, Results, Sizes
from mpcflow_tools.validation.points import LAWS, Point, best_viscosity
from mpcflow_tools.validation.tables import Comparison, Table

OF_TABLE, OF_LINE = 0.015, 0.01  # wanted
OF_TEMPERATURE = 0.01  # our own, of the thermostats that are to give the canonical ensemble
THERMOSTATS = ("maxwell_boltzmann", "monte_carlo", "simple")
STRONG = 0.2  # rate; a box of 16 cells so has 3.2 thermal speeds across it


def shear_input(point: Point, rate: float, box: int, steps: int, thermostat: str = "maxwell_boltzmann") -> dict[str, Any]:
    return {"seed": 1, "box": {"size": [box] * 3}, **point.input(thermostat),
            "boundaries": {"y": {"kind": "lees_edwards", "shear_rate": rate, "along": "x"}}, "run": {"equilibration": 1000, "steps": steps},
            "output": {"fields": {"every": 10, "quantities": ["density", "velocity", "temperature"], "bins": [1, box, 1]}, "stress": {"every": 1, "lags": 1}}}


def cases(sizes: Sizes) -> list[Case]:
    return [Case(point.name, shear_input(point, 0.05, 32, sizes.count(20_000, 2000)), measure_shear, point) for point in LAWS]


def strong_cases(sizes: Sizes) -> list[Case]:
    kinds = [(point, kind) for point in LAWS for kind in (THERMOSTATS if point.is_srd else ("",))]
    return [Case("_".join(filter(None, (point.name, kind))), shear_input(point, STRONG, 16, sizes.count(20_000, 2000), kind), measure_shear,
                 (point, kind)) for point, kind in kinds]


def measure_shear(run: Run) -> Measurement:
    """Raises ResultsError."""
    velocity, error = layer_profile(run.fields, "velocity", "x", 1)
    temperature, spread = layer_profile(run.fields, "temperature", "", 1)
    centres, width = run.fields.centres("y"), float(run.box[1])
    rate = float(run.input["boundaries"]["y"]["shear_rate"])
    off = velocity - rate * (centres - 0.5 * width)
    worst = int(np.argmax(np.abs(off)))
    mean = mean_of(run.fields, "temperature")
    uneven = temperature / mean.value - 1.0
    farthest = int(np.argmax(np.abs(uneven)))
    found = Measurement({
        "off": Quantity(float(off[worst]) / (rate * width), float(error[worst]) / (rate * width)),
        "viscosity": Quantity(run.stress.number("shear_viscosity"), run.stress.number("shear_viscosity_error")),
        "temperature": mean, "uneven": Quantity(float(uneven[farthest]), float(spread[farthest]) / mean.value)})
    found.curve("profile", y=centres, velocity=velocity, error=error, temperature=temperature, temperature_error=spread)
    return found


def tables(results: Results) -> list[Table]:
    headings = ("law", "*h*, *M*")
    line = Table("Farthest from the line, in parts of the change over the box", headings, "off", ("expected",))
    stress = Table("Viscosity by the stress", headings, "ν", ("measured elsewhere",))
    for case, result in results:
        known = best_viscosity(case.subject)
        line.add(case.subject.cells, result.numbers["off"], Comparison(0.0, limit=OF_LINE, absolute=True))
        stress.add(case.subject.cells, result.numbers["viscosity"], None if known is None else Comparison(known.value, known.error, OF_TABLE))
    return [table for table in (line, stress) if table.rows]


def strong_tables(results: Results) -> list[Table]:
    headings = ("law", "thermostat")
    mean = Table("Temperature relative to the flow, over that wanted", headings, "*kT*", ("expected",))
    even = Table("The layer whose temperature is farthest from the mean", headings, "off", ("expected",))
    for case, result in results:
        point, kind = case.subject
        cells = (point.title, f"`{kind}`" if kind else "the law itself")
        limit = OF_TEMPERATURE if kind in ("", "maxwell_boltzmann") else None
        mean.add(cells, result.numbers["temperature"], Comparison(1.0, limit=limit))
        even.add(cells, result.numbers["uneven"], Comparison(0.0, limit=OF_TEMPERATURE, absolute=True))
    return [table for table in (mean, even) if table.rows]

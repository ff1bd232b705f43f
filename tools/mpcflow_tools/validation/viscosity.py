"""Viscosities of all laws over angle, h and M, and of shorter waves."""

from __future__ import annotations

import math

from mpcflow_tools.flow_report import Quantity
from mpcflow_tools.validation.cases import Case, Results, Sizes
from mpcflow_tools.validation.kolmogorov import kolmogorov_input, measure_kolmogorov
from mpcflow_tools.validation.points import LAWS, Point, best_viscosity
from mpcflow_tools.validation.tables import Comparison, Table

OF_TABLE, OF_FORMULA = 0.015, 0.025  # wanted; of the formulas without +a, at M >= 10
WAVES = (2, 4)


def points() -> list[Point]:
    """Each once, in the order of the table."""
    found: list[Point] = []
    for law in ("srd", "srd+a"):
        found += [Point(law, 0.1, 10, angle) for angle in (60.0, 90.0, 110.0, 130.0, 150.0)]
        found += [Point(law, h, 10) for h in (0.02, 0.05, 0.2, 0.5, 1.0)]
        found += [Point(law, 1.0, 10, angle) for angle in (60.0, 90.0, 150.0)]
        found += [Point(law, 0.1, m) for m in (3, 5, 20, 30)]
        found += [Point(law, 0.1, 5, 90.0), Point(law, 1.0, 3)]
    for law in ("at", "at+a"):
        found += [Point(law, h, 10) for h in (0.02, 0.05, 0.1, 0.2, 0.5, 1.0)]
        found += [Point(law, 0.1, m) for m in (3, 5, 20, 30)] + [Point(law, 1.0, 3)]
    return found


def cases(sizes: Sizes) -> list[Case]:
    if sizes.light:
        return [Case(point.name, kolmogorov_input(point, sizes, (6, 6, 16), windows=8), measure_kolmogorov, (point, 1)) for point in LAWS]
    found = [Case(point.name, kolmogorov_input(point, sizes), measure_kolmogorov, (point, 1)) for point in points()]
    return found + [Case(f"{point.name}_waves{waves}", kolmogorov_input(point, sizes, waves=waves, windows=60), measure_kolmogorov, (point, waves))
                    for point in LAWS for waves in WAVES]


def of_a_wave(k: float) -> float:
    """How many times the collisional viscosity of long waves a wave of k has, without angular momentum conservation: a collision sees the
    mean over a cell, and with it sinc(k/2)^2 of the wave, so it forgets 1 - sinc(k/2)^2 of it: 12 (1 - sinc(k/2)^2) / k^2."""
    return 12.0 * (1.0 - (math.sin(0.5 * k) / (0.5 * k)) ** 2) / (k * k)


def tables(results: Results) -> list[Table]:
    long = Table("", ("law", "*h*, *M*"), "ν", ("formula", "measured elsewhere"))
    short = Table("Shorter waves: ν over that of the wave of 32 cells", ("law", "*k*"), "ν(*k*) / ν",
                  ("by the mean over cells",))
    first = {case.subject[0]: result.numbers["viscosity"] for case, result in results if case.subject[1] == 1}
    for case, result in results:
        (point, waves), nu = case.subject, result.numbers["viscosity"]
        if waves == 1:
            known = best_viscosity(point)
            limit = None if point.is_angular or point.density < 10 else OF_FORMULA
            long.add(point.cells, nu, Comparison(result.theory["predicted_viscosity"], limit=limit),
                     None if known is None else Comparison(known.value, known.error, OF_TABLE))
        elif point in first:
            k = 2.0 * math.pi * waves / result.input["box"]["size"][2]
            nu_1 = first[point]
            ratio = nu.value / nu_1.value
            measured = Quantity(ratio, ratio * math.hypot(nu.error / nu.value, nu_1.error / nu_1.value))
            short.add((point.title, f"{k:.3f}"), measured, None if point.is_angular else Comparison(_ratio(point, k, waves)))
    return [table for table in (long, short) if table.rows]


def _ratio(point: Point, k: float, waves: int) -> float:
    by_k = [point.kinetic_viscosity + point.collisional_viscosity * of_a_wave(one) for one in (k, k / waves)]
    return by_k[0] / by_k[1]

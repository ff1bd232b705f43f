"""Flows between two plates: Poiseuille flow, with the slip of the walls, and Couette flow."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from mpcflow_tools.flow import fit_profile
from mpcflow_tools.flow_report import Quantity
from mpcflow_tools.flow_run import read_flow
from mpcflow_tools.layers import layer_profile
from mpcflow_tools.run import Run
from mpcflow_tools.validation.cases import Case, Measurement, Results, Sizes
from mpcflow_tools.validation.points import KNOWN, LAWS, Point, best_viscosity
from mpcflow_tools.validation.tables import Comparison, Table

OF_FLOWS, OF_SLIP, OF_LINE = 0.02, 0.02, 0.01  # wanted; a slip in cells
SPEED = 0.3  # at most, in thermal speeds; of the plates, each its way
WIDTH = 16


def steps_of(point: Point, width: float, times: float) -> int:
    """So many of the times L^2 / (pi^2 nu) in which the flow develops."""
    return math.ceil(times * width**2 / (math.pi**2 * point.viscosity * point.time_step))


def poiseuille_input(point: Point, sizes: Sizes, has_virtual_particles: bool) -> dict[str, Any]:
    force = 8.0 * point.viscosity * SPEED / WIDTH**2
    slower = 1 if has_virtual_particles else 3  # slip lets a flow take longer to develop
    return {"seed": 1, "box": {"size": [24, 24, WIDTH]}, **point.input(), "forces": [{"uniform": [force, 0, 0]}],
            "boundaries": {"z": "no_slip", "virtual_particles": has_virtual_particles},
            "run": {"equilibration": steps_of(point, WIDTH, 8.0 * slower), "steps": steps_of(point, WIDTH, 200.0 * sizes.scale)},
            "output": {"fields": {"every": max(1, steps_of(point, WIDTH, 0.05)), "quantities": ["velocity", "temperature"], "bins": [1, 1, WIDTH]}}}


def couette_input(point: Point, sizes: Sizes) -> dict[str, Any]:
    box, times = ([8, 8, 8], 60.0) if sizes.light else ([24, 24, WIDTH], 200.0 * sizes.scale)
    walls = {side: {"kind": "no_slip", "velocity": [sign * SPEED, 0, 0]} for side, sign in (("lower", -1), ("upper", 1))}
    return {"seed": 1, "box": {"size": box}, **point.input(), "boundaries": {"z": walls},
            "run": {"equilibration": steps_of(point, box[2], 8.0), "steps": steps_of(point, box[2], times)},
            "output": {"fields": {"every": max(1, steps_of(point, box[2], 0.05)), "quantities": ["velocity", "temperature"], "bins": [1, 1, box[2]]},
                       "walls": {"every": 1}}}


def poiseuille_cases(sizes: Sizes) -> list[Case]:
    return [Case(point.name + ("" if virtual else "_no_virtual_particles"), poiseuille_input(point, sizes, virtual), measure_poiseuille,
                 (point, virtual)) for virtual in (True, False) for point in KNOWN]


def couette_cases(sizes: Sizes) -> list[Case]:
    return [Case(point.name, couette_input(point, sizes), measure_couette, point) for point in (LAWS[:1] if sizes.light else LAWS)]


def measure_poiseuille(run: Run) -> Measurement:
    """Raises ResultsError; ValueError where no flow can be fitted."""
    flow = read_flow(run)
    fit = fit_profile(flow.profile, flow.slit)
    found = Measurement({"viscosity": Quantity(fit.viscosity, fit.viscosity_error), "slip": Quantity(fit.slip_length, fit.slip_length_error),
                         "temperature": flow.temperature})
    found.curve("profile", z=flow.profile.centres, velocity=flow.profile.velocity, error=flow.profile.velocity_error)
    return found


def measure_couette(run: Run) -> Measurement:
    """How far the profile is from the line between the plates, in parts of their difference: the deviation that is largest in its own errors'
    terms would be noise, so it is the largest one as it is. And the viscosity by the stress on the plates. Raises ResultsError."""
    velocity, error = layer_profile(run.fields, "velocity", "x", 2)
    centres, width = run.fields.centres("z"), float(run.box[2])
    upper = float(run.input["boundaries"]["z"]["upper"]["velocity"][0])
    off = velocity - upper * (2.0 * centres / width - 1.0)
    worst = int(np.argmax(np.abs(off)))
    stress, spread = run.walls["stress"].values[:, 0], run.walls["stress"].known_error()[:, 0]
    eta_rate = float(run.input["fluid"]["density"]) * float(run.input["fluid"]["mass"]) * 2.0 * upper / width
    found = Measurement({"off": Quantity(float(off[worst]) / (2.0 * upper), float(error[worst]) / (2.0 * upper)),
                         "viscosity": Quantity(0.5 * float(stress[0] - stress[1]) / eta_rate, 0.5 * float(np.hypot(*spread)) / eta_rate)})
    found.curve("profile", z=centres, velocity=velocity, error=error)
    return found


def poiseuille_tables(results: Results) -> list[Table]:
    headings = ("law", "*h*, *M*")
    nu = Table("Viscosity by the parabola", headings, "ν", ("formula", "measured elsewhere"))
    slip = Table("Slip length", headings, "*b*", ("expected",))
    without = Table("Slip length without virtual particles", headings, "*b*", ())
    for case, result in results:
        point, virtual = case.subject
        if not virtual:
            without.add(point.cells, result.numbers["slip"])
            continue
        known = best_viscosity(point)
        nu.add(point.cells, result.numbers["viscosity"], Comparison(result.theory["predicted_viscosity"]),
               None if known is None else Comparison(known.value, known.error, OF_FLOWS))
        slip.add(point.cells, result.numbers["slip"], Comparison(0.0, limit=OF_SLIP, absolute=True))
    return [table for table in (nu, slip, without) if table.rows]


def couette_tables(results: Results) -> list[Table]:
    headings = ("law", "*h*, *M*")
    line = Table("Farthest from the line between the plates, in parts of their difference", headings, "off", ("expected",))
    stress = Table("Viscosity by the stress on the plates", headings, "ν", ("measured elsewhere",))
    for case, result in results:
        known = best_viscosity(case.subject)
        line.add(case.subject.cells, result.numbers["off"], Comparison(0.0, limit=OF_LINE, absolute=True))
        stress.add(case.subject.cells, result.numbers["viscosity"], None if known is None else Comparison(known.value, known.error, OF_FLOWS))
    return [table for table in (line, stress) if table.rows]

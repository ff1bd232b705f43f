"""Stokes' drag of a sphere in a cubic lattice of its images.

F = 6 pi eta R U K, U the mean velocity over all of the box, with K = 1 / (1 - 1.7601 c^(1/3) + c - 1.5593 c^2 + ...) for the part c of the
box that is solid (Hasimoto, J. Fluid Mech. 5 (1959) 317; Sangani and Acrivos, Int. J. Multiphase Flow 8 (1982) 343).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from mpcflow_tools.flow_report import Quantity
from mpcflow_tools.run import Run
from mpcflow_tools.validation.cases import Case, Measurement, Results, Sizes
from mpcflow_tools.validation.points import LAWS, Point, best_viscosity
from mpcflow_tools.validation.tables import Comparison, Table

OF_DRAG = 0.05  # wanted
SPHERES = [(point, radius) for point in (LAWS[1], LAWS[3]) for radius in (4, 6, 8)]
BOX_OF_RADIUS = 5  # edges of the box in radii: c = 0.034
REYNOLDS = 1.0  # 2 R U / nu


def images(solid: float) -> float:
    """K of the solid part c."""
    return 1.0 / (1.0 - 1.7601 * solid ** (1.0 / 3.0) + solid - 1.5593 * solid**2)


def solid_part(radius: float, box: float) -> float:
    return 4.0 / 3.0 * math.pi * radius**3 / box**3


def sphere_input(point: Point, radius: int, sizes: Sizes) -> dict[str, Any]:
    box = BOX_OF_RADIUS * radius
    velocity = REYNOLDS * point.viscosity / (2.0 * radius)
    solid = solid_part(radius, box)
    drag = 6.0 * math.pi * point.density * point.viscosity * radius * velocity * images(solid)
    fluid = point.density * (1.0 - solid) * box**3
    steps_of_time = fluid * velocity / drag / point.time_step  # the flow develops in M U / F
    return {"seed": 1, "box": {"size": [box] * 3}, **point.input(), "surfaces": [{"sphere": {"centre": [box / 2] * 3, "radius": radius}, "fluid": "outside"}],
            "forces": [{"uniform": [drag / fluid, 0, 0]}],
            "run": {"equilibration": math.ceil(6.0 * steps_of_time), "steps": math.ceil(sizes.scale * 60.0 * steps_of_time)},
            "output": {"walls": {"every": max(1, round(steps_of_time / 400))}}}


def cases(sizes: Sizes) -> list[Case]:
    return [Case(f"{point.name}_R{radius}", sphere_input(point, radius, sizes), measure_sphere, (point, radius)) for point, radius in SPHERES]


def measure_sphere(run: Run) -> Measurement:
    """Raises ResultsError."""
    area = float(run.box[1]) * float(run.box[2])
    rate, force = run.walls["flow_rate"], run.walls["force"]
    driven = float(run.input["forces"][0]["uniform"][0]) * run.particles
    return Measurement({"velocity": Quantity(float(rate.values[0]) / area, float(rate.known_error()[0]) / area),
                        "force_over_driving": Quantity(float(force.values[0, 0]) / driven, float(force.known_error()[0, 0]) / driven),
                        "driving": Quantity(driven, 0.0),
                        "across": Quantity(float(np.hypot(*force.values[0, 1:])) / driven, float(np.hypot(*force.known_error()[0, 1:])) / driven)})


def tables(results: Results) -> list[Table]:
    headings = ("law", "*R*")
    drag = Table("Drag over Stokes' with the correction for the images, at the viscosity measured elsewhere", headings, "ratio", ("expected",))
    force = Table("Force on the sphere over that on the fluid", headings, "ratio", ("expected",))
    for case, result in results:
        (point, radius), velocity = case.subject, result.numbers["velocity"]
        known = best_viscosity(point) or Quantity(point.viscosity, 0.0)
        stokes = 6.0 * math.pi * point.density * known.value * radius * images(solid_part(radius, result.input["box"]["size"][0]))
        ratio = result.numbers["driving"].value / (stokes * velocity.value)
        drag.add((point.title, str(radius)), Quantity(ratio, ratio * velocity.error / velocity.value), Comparison(1.0, known.error / known.value, OF_DRAG))
        force.add((point.title, str(radius)), result.numbers["force_over_driving"], Comparison(1.0, limit=OF_DRAG))
    return [table for table in (drag, force) if table.rows]

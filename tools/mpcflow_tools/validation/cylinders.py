"""Flows in cylinders: a pipe, Taylor and Couette's between two that turn, and the fluid that turns with its container.

A fluid that turns as a solid body has no shear. In a law without angular momentum conservation the collisional stress is eta_col times each
gradient by itself, so that the two parts of a rotation do not cancel: the container feels 4 pi R^2 l (eta_col / 2) W against its turning
(Goetze, Noguchi and Gompper, Phys. Rev. E 76 (2007) 046705). With angular momentum conserved it feels nothing.

In cells: each takes (m M A f / (6 h)) W a^2 = 2 eta_col W a^3 of angular momentum away from its particles in a unit of time. In a steady state
the container gives back what the cells take. Of a cell that it cuts output.walls counts all that changes as the container's, so that what
is left is the cells that lie in the fluid as a whole: (2 eta_col W) times their mean volume, which is less than pi R^2 l by 1.3 a / R or so.
"""

from __future__ import annotations

import math
from typing import Any


from mpcflow_tools.cylinder_flow import cylinder_flow_of, fit_cylinder_flow, radial_profile
from mpcflow_tools.flow_report import Quantity
from mpcflow_tools.run import Run
from mpcflow_tools.validation.cases import Case, Measurement, Results, Sizes
from mpcflow_tools.validation.points import LAWS, Point, best_viscosity
from mpcflow_tools.validation.tables import Comparison, Table

OF_FLOWS, OF_SLIP, OF_TORQUE = 0.02, 0.05, 0.05  # wanted; a slip in cells
SPEED = 0.3
PIPES = [(point, 8) for point in LAWS] + [(LAWS[0], 12), (LAWS[0], 16)]
CONTAINERS = [(point, 8) for point in LAWS] + [(point, radius) for radius in (16, 32) for point in (LAWS[0], LAWS[2])]
FAR = 32  # from this radius on a cell is little beside it
PAIRS = [(point, radii) for point in (LAWS[1], LAWS[3]) for radii in ((4, 9), (8, 18))]


def _input(point: Point, outer: int, length: int, steps: tuple[int, int], surfaces: list[dict[str, Any]], sampled: tuple[int, int]) -> dict[str, Any]:
    """With `surfaces` about the middle of the box; `sampled` are the steps between samples of the fields and of the walls."""
    edge = 2 * outer + 2
    for surface in surfaces:
        surface["cylinder"] |= {"axis": "z", "centre": [edge / 2, edge / 2]}
    return {"seed": 1, "box": {"size": [edge, edge, length]}, **point.input(), "surfaces": surfaces, "run": {"equilibration": steps[0], "steps": steps[1]},
            "output": {"fields": {"every": sampled[0], "quantities": ["density", "velocity"], "bins": [edge, edge, 1]}, "walls": {"every": sampled[1]}}}


def pipe_input(point: Point, radius: int, sizes: Sizes) -> dict[str, Any]:
    steps_of_time = radius**2 / (5.78 * point.viscosity * point.time_step)  # the flow develops in R^2 / (5.78 nu)
    force = 4.0 * point.viscosity * SPEED / radius**2
    steps = math.ceil(8.0 * steps_of_time), math.ceil(300.0 * sizes.scale * steps_of_time)
    surfaces = [{"cylinder": {"radius": radius}, "fluid": "inside"}]
    return _input(point, radius, 16, steps, surfaces, (max(1, round(steps_of_time / 20)), 10)) | {"forces": [{"uniform": [0, 0, force]}]}


def pair_input(point: Point, radii: tuple[int, int], sizes: Sizes) -> dict[str, Any]:
    inner, outer = radii
    steps_of_time = (outer - inner) ** 2 / (math.pi**2 * point.viscosity * point.time_step)
    surfaces = [{"cylinder": {"radius": outer}, "fluid": "inside"},
                {"cylinder": {"radius": inner}, "fluid": "outside", "angular_velocity": 0.4 / inner}]
    return _input(point, outer, 16, (math.ceil(10.0 * steps_of_time), sizes.count(60_000, 4000)), surfaces, (max(1, round(steps_of_time / 20)), 1))


def container_input(point: Point, radius: int, sizes: Sizes) -> dict[str, Any]:
    length, steps = (4, 2500) if sizes.light else (16 if radius < FAR else 8, sizes.count(30_000, 4000))
    steps_of_time = radius**2 / (14.7 * point.viscosity * point.time_step)  # a turning dies out in R^2 / (14.7 nu)
    surfaces = [{"cylinder": {"radius": radius}, "fluid": "inside", "angular_velocity": 0.4 / radius}]
    return _input(point, radius, length, (math.ceil(10.0 * steps_of_time), steps), surfaces, (max(1, round(steps_of_time / 20)), 1))


def pipe_cases(sizes: Sizes) -> list[Case]:
    return [Case(f"{point.name}_R{radius}", pipe_input(point, radius, sizes), measure_cylinders, (point, radius)) for point, radius in PIPES]


def pair_cases(sizes: Sizes) -> list[Case]:
    return [Case(f"{point.name}_R{radii[0]}_R{radii[1]}", pair_input(point, radii, sizes), measure_cylinders, (point, radii)) for point, radii in PAIRS]


def container_cases(sizes: Sizes) -> list[Case]:
    return [Case(f"{point.name}_R{radius}", container_input(point, radius, sizes), measure_cylinders, (point, radius))
            for point, radius in ([(LAWS[0], 5), (LAWS[1], 5)] if sizes.light else CONTAINERS)]


def measure_cylinders(run: Run) -> Measurement:
    """Raises ResultsError; ValueError where no flow can be fitted."""
    flow = cylinder_flow_of(run)
    if flow is None:
        raise ValueError("this is no flow of cylinders")
    direction = flow.directions[0]
    profile = radial_profile(run, flow, direction)
    time = run.time_step * (run.fields.last_step - run.fields.first_step + run.fields.every)
    fit = fit_cylinder_flow(profile, flow, direction, time)
    names = ("viscosity", "slip") if len(fit.values) == 2 else ("over_theory",)
    found = Measurement({name: Quantity(float(value), float(error)) for name, value, error in zip(names, fit.values, fit.errors)})
    for name in ("force", "torque"):
        values, errors = run.walls[name].values[:, flow.axis], run.walls[name].known_error()[:, flow.axis]
        found.numbers |= {f"{name}_{i}": Quantity(float(value), float(error)) for i, (value, error) in enumerate(zip(values, errors))}
    found.numbers["torque_over_viscosity"] = Quantity(4.0 * math.pi * flow.mass_density * flow.torque_over_viscosity * flow.length, 0.0)
    found.curve("profile", r=profile.r, velocity=profile.velocity, error=profile.error, theory=flow.velocity(direction, profile.r))
    return found


def pipe_tables(results: Results) -> list[Table]:
    headings = ("law", "*R*")
    nu = Table("Viscosity by the parabola", headings, "ν", ("formula", "measured elsewhere"))
    slip = Table("Slip length", headings, "*b*", ("expected",))
    for case, result in results:
        point, radius = case.subject
        known = best_viscosity(point)
        nu.add((point.title, str(radius)), result.numbers["viscosity"], Comparison(result.theory["predicted_viscosity"]),
               None if known is None else Comparison(known.value, known.error, OF_FLOWS))
        slip.add((point.title, str(radius)), result.numbers["slip"], Comparison(0.0, limit=OF_SLIP, absolute=True))
    return [table for table in (nu, slip) if table.rows]


def pair_tables(results: Results) -> list[Table]:
    headings = ("law", "*R*₁, *R*₂")
    flow = Table("Velocity about the axis, over that of theory", headings, "ratio", ("expected",))
    torque = Table("Torque: the viscosity by the mean of the two cylinders'", headings, "ν", ("measured elsewhere",))
    each = Table("Torque of each cylinder, over that of the viscosity measured elsewhere", (*headings, "cylinder"), "ratio", ("expected",))
    for case, result in results:
        point, radii = case.subject
        known = best_viscosity(point)
        cells = (point.title, f"{radii[0]}, {radii[1]}")
        flow.add(cells, result.numbers["over_theory"], Comparison(1.0, limit=OF_FLOWS))
        scale, outer, inner = (result.numbers[name] for name in ("torque_over_viscosity", "torque_0", "torque_1"))
        mean = Quantity(0.5 * (outer.value - inner.value) / scale.value, 0.5 * math.hypot(outer.error, inner.error) / scale.value)
        torque.add(cells, mean, None if known is None else Comparison(known.value, known.error, OF_TORQUE))
        if known is not None:
            whole = scale.value * known.value
            for name, one, sign in (("outer", outer, 1.0), ("inner", inner, -1.0)):
                each.add((*cells, name), Quantity(sign * one.value / whole, one.error / whole), Comparison(1.0, known.error / known.value, OF_TORQUE))
    return [table for table in (flow, torque, each) if table.rows]


def container_torque(result_input: dict[str, Any], collisional: float) -> float:
    """4 pi R^2 l (eta_col / 2) W of a container's input."""
    surface, length = result_input["surfaces"][0], result_input["box"]["size"][2]
    eta = float(result_input["fluid"]["density"]) * collisional
    return 2.0 * math.pi * float(surface["cylinder"]["radius"]) ** 2 * length * eta * float(surface["angular_velocity"])


def whole_cells(radius: float) -> float:
    """The mean part of the disc's area pi R^2 that squares of the edge 1 of a random grid cover which lie in it as a whole: the centres of
    these are where all four corners are in the disc, which in a quadrant is the part of the disc with X and Y above 1/2."""
    edge = math.sqrt(radius**2 - 0.25)
    # The integral of (R^2 - X^2)^(1/2) - 1/2 from 1/2 to that edge.
    arc = [0.5 * (x * math.sqrt(radius**2 - x * x) + radius**2 * math.asin(x / radius)) for x in (0.5, edge)]
    return 4.0 * (arc[1] - arc[0] - 0.5 * (edge - 0.5)) / (math.pi * radius**2)


def container_tables(results: Results) -> list[Table]:
    torque = Table("Torque on the container against its turning, over 4π*R*²*l* (η_col/2) *Ω*", ("law", "*R*"), "ratio",
                   ("of a continuum", "of the whole cells"))
    flow = Table("Velocity about the axis, over that of a solid body", ("law", "*R*"), "ratio", ("expected",))
    for case, result in results:
        point, radius = case.subject
        cells = (point.title, str(radius))
        whole, found = container_torque(result.input, result.collisional_viscosity), result.numbers["torque_0"]
        ratio = Quantity(-found.value / whole, found.error / whole)
        if point.is_angular:
            torque.add(cells, ratio, Comparison(0.0, limit=OF_TORQUE, absolute=True), None)
        else:
            torque.add(cells, ratio, Comparison(1.0, limit=OF_TORQUE if radius >= FAR else None), Comparison(whole_cells(radius), limit=OF_TORQUE))
        flow.add(cells, result.numbers["over_theory"], Comparison(1.0, limit=OF_FLOWS))
    return [table for table in (torque, flow) if table.rows]

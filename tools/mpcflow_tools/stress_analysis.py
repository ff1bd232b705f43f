"""Stress: the pressure tensor, the viscosity by Green and Kubo, and what walls take."""

from __future__ import annotations

import numpy as np

from mpcflow_tools.cylinder_flow import cylinder_flow_of
from mpcflow_tools.errors import MissingResult
from mpcflow_tools.estimates import VISCOSITY_UNIT, Estimate, Section, lacks
from mpcflow_tools.expected import Fluid, fluid_of, has_several_temperatures
from mpcflow_tools.flow import Array
from mpcflow_tools.flow_run import has_stream, has_surfaces, moves_walls, shear_of, slip_faces, torque_of_shear, total_force, walled_axes
from mpcflow_tools.mixtures import predicted_viscosity
from mpcflow_tools.obstacle import drag_coefficient, obstacle_of
from mpcflow_tools.run import AXES, Run

PRESSURE_UNIT = "energy/a^3"
# The kinetic part of a stress forgets by the factor 1 - B f each step (docs/physics.md); what is left after so many
# powers of e is a thousandth of the viscosity.
FORGOTTEN = 7.0


def settling_steps(kinetic_viscosity: float, viscosity: float, free: float, time_step: float) -> float:
    """Steps after which theory's kinetic correlation of the stress has died away and momentum has diffused by the edge of a cell,
    2 nu t = 1. `free` is kT h / m.

    nu_kin = (kT h/m) (1/c - 1/2) is what a stress gives that keeps the part 1 - c from one step to the next. Particles that have
    collided stay together for a while and collide again, which theory leaves out and the second condition waits for: summed up to 2 steps
    in place of 6, the viscosity of SRD at h = 0.1 and M = 10 is 0.4 % smaller (docs/validation.md). The choice thus follows from theory and
    not from the noise.
    """
    kept = abs(1.0 - 1.0 / (kinetic_viscosity / free + 0.5))
    forgotten = FORGOTTEN / float(-np.log(kept)) if 1e-3 < kept < 1.0 else 1.0
    return max(forgotten, 0.5 / (viscosity * time_step))


def _steps_of_theory(run: Run) -> float:
    fluid = fluid_of(run)
    return settling_steps(float(run.theory["kinetic_viscosity"]), float(run.theory["predicted_viscosity"]),
                          fluid.temperature * run.time_step / fluid.mass, run.time_step)


def settled_lag(run: Run, lags: Array) -> int:
    """The lag up to which correlations of the stress are summed: the first after settling_steps, or the last there is. Where no theory
    says the steps, a quarter of all lags: what is forgotten within a few steps is summed up by then."""
    if predicted_viscosity(run) is None:
        return len(lags) // 4
    return min(int(np.searchsorted(lags, _steps_of_theory(run))), len(lags) - 1)


def green_kubo_viscosities(run: Run) -> list[Estimate]:
    """The viscosity and its kinetic and collisional parts. Raises ResultsError; ValueError where the run is too short."""
    stress, fluid = run.stress, fluid_of(run)
    if fluid.has_walls or not fluid.is_at_rest or fluid.is_sheared:
        raise ValueError("correlations of the stress give the viscosity in a fluid at rest without walls only")
    lags = stress["lag"].values
    if not len(lags):
        raise ValueError("no samples yet")
    at = settled_lag(run, lags)
    wanted = int(np.ceil(_steps_of_theory(run))) if predicted_viscosity(run) is not None else 0
    capped = f" (all there are; theory asks for {wanted})" if lags[at] < wanted else ""
    estimates = []
    for name, title in (("viscosity", "Green-Kubo"), ("kinetic_viscosity", "Green-Kubo, kinetic part"),
                        ("collisional_viscosity", "Green-Kubo, collisional part")):
        found = stress[name]
        if not np.isfinite(found.values[at]):
            raise ValueError(f"the run is too short for correlations over {lags[at]} steps")
        estimates.append(Estimate(title, float(found.values[at]), float(found.known_error()[at]), VISCOSITY_UNIT,
                                  f"correlations of the stress summed up to {lags[at]} steps{capped}, of {stress.samples:,} samples",
                                  stress.number(f"expected_{name}") if predicted_viscosity(run) is not None else None))
    return estimates


def shear_viscosity(run: Run) -> Estimate:
    """Of a box with sheared faces, by the stress over the rate. Raises ResultsError."""
    stress = run.stress
    return Estimate("shear", stress.number("shear_viscosity"), stress.number("shear_viscosity_error"), VISCOSITY_UNIT,
                    f"stress over the shear rate {float(run.theory['shear_rate']):g}, {stress.samples:,} samples",
                    None if has_surfaces(run.input) else stress.number("expected_viscosity"))


def pressure_section(run: Run) -> Section:
    """The pressure tensor of the whole fluid. Raises ResultsError."""
    section = Section("pressure")
    if not len(run.stress) or run.stress.samples == 0:
        section.missing.append(lacks("stress"))
        return section
    tensor = run.stress["pressure_tensor"]
    values, errors = tensor.values, tensor.known_error()
    expected = run.stress.number("expected_pressure")
    fluid = fluid_of(run)
    # Of the diagonal's three components taken as independent, so that the error is not made too small where they are not.
    section.estimates.append(Estimate("pressure", float(np.trace(values)) / 3.0, float(np.sqrt((np.diag(errors) ** 2).sum())) / 3.0,
                                      PRESSURE_UNIT, f"a third of the trace, {run.stress.samples:,} samples",
                                      expected if fluid.is_at_rest and not has_several_temperatures(run) else None))
    for a, first in enumerate(AXES):
        for b, second in enumerate(AXES):
            section.estimates.append(Estimate(f"P_{first}{second}", float(values[a, b]), float(errors[a, b]), PRESSURE_UNIT, "",
                                              expected_component(run, fluid, a, b)))
    if not fluid.is_at_rest:
        section.notes.append("surfaces are in the box: there is no theory beside these, and a flow's own momentum is among them"
                             if has_surfaces(run.input) else
                             "the fluid is driven: the flow's own momentum is among these, and there is no theory beside")
    return section


def expected_component(run: Run, fluid: Fluid, a: int, b: int) -> float | None:
    """What theory says of P_ab of the whole fluid."""
    if not fluid.is_at_rest:
        return None
    if a == b:
        return None if has_several_temperatures(run) else fluid.density * fluid.temperature
    if fluid.slit is None or not fluid.is_sheared or {a, b} != {fluid.flow_axis, fluid.wall_axis}:
        return 0.0
    if a == fluid.wall_axis and not run.input["collision"].get("conserve_angular_momentum"):
        return None  # the stress is not symmetric then
    return -fluid.density * fluid.mass * fluid.slit.viscosity * float(fluid.slit.shear_rate(np.array([0.0]))[0])


def expected_wall_stress(run: Run, face: str) -> list[float | None]:
    """What theory says of the force on a wall over its area, along x, y, z: the pressure of an ideal gas at rest outwards, and
    along the wall the shear stress of the flow, of a force half of what drives the fluid. None where it says nothing."""
    if has_surfaces(run.input) or has_stream(run.input):
        return [None, None, None]
    fluid = fluid_of(run)
    axis, sign = AXES.index(face[0]), 1.0 if face.endswith("upper") else -1.0
    force_density = total_force(run.input) * fluid.density
    expected: list[float | None] = []
    for component in range(3):
        if component == axis:
            at_rest = force_density[axis] == 0.0 and fluid.wall_temperatures is None and not has_several_temperatures(run)
            expected.append(sign * fluid.density * fluid.temperature if at_rest else None)
        elif face.split()[1] in slip_faces(run.input, axis):
            expected.append(0.0)
        elif fluid.slit is not None and component == fluid.flow_axis:
            place = np.array([0.0 if sign < 0.0 else fluid.slit.width])
            viscosity = fluid.density * fluid.mass * fluid.slit.viscosity
            expected.append(-sign * viscosity * float(fluid.slit.shear_rate(place)[0]))
        elif walled_axes(run.input) == [axis] and not moves_walls(run.input) and not slip_faces(run.input, axis):
            expected.append(0.5 * float(force_density[component]) * float(run.box[axis]))
        else:
            expected.append(0.0 if fluid.slit is not None else None)
    return expected


def _add_surfaces(run: Run, section: Section) -> None:
    """Force, torque and heat of each surface in the box. The force on the only one, where there is no wall, is that on the fluid; along
    a shear it is that of the mean velocity past the surface, which nothing holds."""
    surfaces = run.input["surfaces"]
    is_alone = len(surfaces) == 1 and not walled_axes(run.input) and not has_stream(run.input)
    flow = cylinder_flow_of(run)
    torque, shear = None if has_several_temperatures(run) else torque_of_shear(run), shear_of(run.input)
    for name in ("force", "torque"):
        found = run.walls[name]
        for number, surface in enumerate(surfaces):
            shape = "cylinder" if "cylinder" in surface else "sphere"
            for component, axis in enumerate(AXES):
                is_held = is_alone and (shear is None or component != shear.along)
                theory = float(total_force(run.input)[component]) * run.particles if is_held and name == "force" else None
                if name == "torque" and flow is not None and component == flow.axis:
                    theory = flow.torque if surface["fluid"] == "inside" else -flow.torque
                elif name == "torque" and torque is not None:
                    theory = float(torque[component])
                section.estimates.append(Estimate(f"{name} on surface {number} ({shape}), {axis}", float(found.values[number, component]),
                                                  float(found.known_error()[number, component]), found.unit, "", theory))
    for number in range(len(surfaces)):
        try:
            drag = drag_coefficient(run, obstacle_of(run, number))
        except MissingResult:
            continue
        section.estimates.append(Estimate(f"drag coefficient of surface {number} (cylinder)", drag.value, drag.error, "", "", None))
    heat = run.walls["surface_heat"]
    for number in range(len(surfaces)):
        section.estimates.append(Estimate(f"heat into surface {number}", float(heat.values[number]), float(heat.known_error()[number]), heat.unit, "", None))


def walls_section(run: Run) -> Section:
    """The stress on each wall and the flow rate. Raises ResultsError."""
    section = Section("walls")
    if not walled_axes(run.input) and not has_surfaces(run.input):
        section.notes.append("the box has no walls and no surfaces")
        return section
    if not len(run.walls) or run.walls.samples == 0:
        section.missing.append(lacks("walls"))
        return section
    rate = run.walls["flow_rate"]
    faces = run.walls.about("faces") if "stress" in run.walls else []
    for number, face in enumerate(faces):
        stress = run.walls["stress"]
        for component, theory in enumerate(expected_wall_stress(run, face)):
            section.estimates.append(Estimate(f"stress on {face}, {AXES[component]}", float(stress.values[number, component]),
                                              float(stress.known_error()[number, component]), stress.unit, "", theory))
    if "heat" in run.walls:
        heat = run.walls["heat"]
        for number, face in enumerate(faces):
            section.estimates.append(Estimate(f"heat into {face}", float(heat.values[number]), float(heat.known_error()[number]),
                                              heat.unit, "", None))
    if has_surfaces(run.input):
        _add_surfaces(run, section)
    fluid, cylinders = fluid_of(run), cylinder_flow_of(run)
    for axis, name in enumerate(AXES):
        expected = None
        if fluid.slit is not None:
            area = float(np.prod(run.box)) / float(run.box[axis])
            expected = fluid.mean_velocity() * area if axis == fluid.flow_axis else 0.0
        elif cylinders is not None:
            expected = cylinders.flow_rate if axis == cylinders.axis else 0.0
        elif fluid.is_at_rest:
            expected = 0.0
        section.estimates.append(Estimate(f"flow rate, {name}", float(rate.values[axis]), float(rate.known_error()[axis]), rate.unit, "", expected))
    return section

"""What theory says of the series and fields of a run, where it says anything.

Of a fluid at rest, of a flow between two walls that a force or the walls drive, of a box with sheared faces, of heat between walls of two temperatures, and
of a uniform force without walls (docs/physics.md). The flow is the developed one, with the predicted viscosity.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from mpcflow_tools.flow import Array, Slit
from mpcflow_tools.flow_run import (WaveFlow, face_of, has_surfaces, moves_walls, other_forces, shear_of, slit_of, total_force,
                                    walled_axes, wave_flow_of)
from mpcflow_tools.run import AXES, Run


@dataclass(frozen=True)
class Curve:
    """A line of theory: its value at times, or at places."""

    label: str
    at: Callable[[Array], Array]


def constant(label: str, value: float) -> Curve:
    return Curve(label, lambda places: np.full_like(places, value, dtype=np.float64))


@dataclass(frozen=True)
class Fluid:
    """What the input says of a run, as theory needs it."""

    density: float
    temperature: float  # where it follows a schedule, the last one
    mass: float
    particles: int
    force: Array  # the steady uniform one
    has_other_forces: bool
    wave: WaveFlow | None  # of one that is a wave
    has_walls: bool
    is_at_rest: bool  # no force, and no wall that moves
    holds_temperature: bool  # by a thermostat, or by the collisions themselves
    is_sheared: bool  # by its faces: then series have what is relative to that flow
    slit: Slit | None  # of a flow between two walls or sheared faces
    wall_axis: int
    flow_axis: int
    wall_temperatures: tuple[float, float] | None  # of walls across one axis that are not at the fluid's temperature

    def mean_velocity(self, power: int = 1) -> float:
        """Of the developed flow, or the mean of its square; 0 where there is none."""
        return 0.0 if self.slit is None or self.is_sheared else self.slit.mean(power)


def wanted_temperature(run: Run) -> Callable[[Array], Array]:
    """kT against time, which follows the schedule of the input where there is one (docs/physics.md). What is seen after some steps is
    what the collision of the last of them left."""
    points = run.input["fluid"].get("temperature_schedule") or [{"step": 0, "temperature": run.input["fluid"]["temperature"]}]
    steps, temperatures = ([float(point[key]) for point in points] for key in ("step", "temperature"))
    time_step = run.time_step

    def at(times: Array) -> Array:
        return np.interp(np.rint(np.asarray(times) / time_step) - 1.0, steps, temperatures)

    return at


def has_several_temperatures(run: Run) -> bool:
    """Whether averages are of a fluid whose temperature changes meanwhile."""
    points = run.input["fluid"].get("temperature_schedule") or []
    return bool(points) and points[-1]["step"] > run.equilibration and len({point["temperature"] for point in points}) > 1


def holds_temperature(run: Run) -> bool:
    return bool(run.input["thermostat"]["kind"] != "none" or run.input["collision"]["rule"] == "at")


def fluid_of(run: Run) -> Fluid:
    """Raises ResultsError."""
    force, fluid, walls = total_force(run.input), run.input["fluid"], walled_axes(run.input)
    slit, wall_axis, flow_axis = slit_of(run) or (None, -1, -1)
    temperature = float(fluid["temperature"])
    temperatures = None
    if len(walls) == 1:
        lower, upper = (float(face_of(run.input, walls[0], side).get("temperature", temperature)) for side in ("lower", "upper"))
        temperatures = None if lower == upper == temperature else (lower, upper)
    # Of what surfaces in the box make of a fluid nothing is known here.
    among_surfaces = has_surfaces(run.input)
    others = bool(other_forces(run.input))
    is_at_rest = not np.any(force) and not others and not moves_walls(run.input) and not among_surfaces
    return Fluid(float(fluid["density"]), temperature, float(fluid["mass"]), run.particles, force, others, wave_flow_of(run),
                 bool(walls) or among_surfaces, is_at_rest, holds_temperature(run), shear_of(run.input) is not None, slit, wall_axis,
                 flow_axis, temperatures)


def expected_series(run: Run, name: str) -> list[Curve]:
    """Curves against time; one a component for momentum. None where theory says nothing."""
    fluid = fluid_of(run)
    mean, square, mass, particles = fluid.mean_velocity(), fluid.mean_velocity(2), fluid.mass, fluid.particles
    wanted = wanted_temperature(run)
    if not fluid.is_at_rest and fluid.slit is None:
        if name == "momentum" and not fluid.has_walls and not fluid.has_other_forces:
            return [Curve("force", lambda times, f=float(f): particles * f * times) for f in fluid.force]  # type: ignore[misc]
        return []
    flow = "wanted kT" if fluid.is_at_rest else "wanted kT and the flow of theory"
    if fluid.wall_temperatures and name != "momentum":
        return []
    if name == "temperature":
        return [Curve(flow, lambda times: wanted(times) + mass * (square - mean**2) / 3.0)]
    if name == "kinetic_energy":
        return [Curve(flow, lambda times: 1.5 * (particles - 1) * wanted(times) + 0.5 * particles * mass * square)]
    if name == "momentum":
        return [constant("theory", mean * mass * particles if axis == fluid.flow_axis else 0.0) for axis in range(3)]
    return []


def _expected_pressure(run: Run, fluid: Fluid, axis: int, component: str) -> Curve | None:
    """Of a component P_ab, the flux of momentum along a in direction b: P_xz = -eta du_x/dz of a flow along x between walls across
    z. What a force puts into a flow leaves it through the walls."""
    if component[0] == component[1]:
        return None if fluid.wall_temperatures else constant("M kT", fluid.density * fluid.temperature)
    slit = fluid.slit
    if slit is None:
        return constant("theory, 0", 0.0)
    flow, wall = AXES[fluid.flow_axis], AXES[fluid.wall_axis]
    if component == wall + flow and not run.input["collision"].get("conserve_angular_momentum"):
        return None  # the stress is not symmetric then
    if {*component} != {flow, wall} or axis != fluid.wall_axis:
        return constant("theory, 0", 0.0)
    viscosity = fluid.density * fluid.mass * slit.viscosity
    label = "theory, force density times the distance from the middle" if slit.is_poiseuille else "theory, shear rate times viscosity"
    return Curve(label, lambda places: -viscosity * slit.shear_rate(places))


def _expected_temperature(run: Run, fluid: Fluid, axis: int) -> Curve | None:
    """Of walls of two temperatures a line between them, of a fluid at rest that nothing else holds at a temperature."""
    if fluid.wall_temperatures is None:
        return constant("wanted kT", fluid.temperature)
    if run.input["thermostat"]["kind"] != "none" or not fluid.is_at_rest or walled_axes(run.input) != [axis]:
        return None
    lower, upper = fluid.wall_temperatures
    width = float(run.box[axis])
    return Curve("line between the walls' temperatures", lambda places: lower + (upper - lower) * places / width)


def expected_profile(run: Run, name: str, axis: int, component: str) -> Curve | None:
    """The curve of a component against the places along `axis`, of averages over the other two axes."""
    fluid = fluid_of(run)
    if fluid.wave is not None and name == "velocity":
        is_along = component == AXES[fluid.wave.flow_axis] and axis == fluid.wave.wave_axis
        return Curve(rf"theory, $\nu = {fluid.wave.viscosity:.3f}$", fluid.wave.velocity) if is_along else constant("theory, 0", 0.0)
    if not fluid.is_at_rest and fluid.slit is None:
        return None
    if name == "density":
        return None if fluid.wall_temperatures else constant("density of the input", fluid.density)
    if name in ("temperature", "pressure_tensor") and has_several_temperatures(run):
        return None
    if name == "temperature":
        return _expected_temperature(run, fluid, axis)
    if name == "pressure_tensor":
        return _expected_pressure(run, fluid, axis, component)
    if name != "velocity":
        return None
    slit = fluid.slit
    if slit is None or component != AXES[fluid.flow_axis]:
        return constant("theory, 0", 0.0)
    if axis != fluid.wall_axis:
        return constant("mean of the flow of theory", slit.mean(1))
    return Curve(rf"theory, $\nu = {slit.viscosity:.3f}$" if slit.acceleration else "theory", slit.velocity)


def expected_window(run: Run, name: str, axis: int, component: str, times: Array) -> Curve | None:
    """The curve of an average over samples at `times`: of a flow between walls that starts from rest

      u = u_steady - sum over n of b_n sin(n pi y / L) exp(-nu n^2 pi^2 t / L^2),
      b_n = (2 / pi n) (V0 - (-1)^n V1), and for odd n 4 g L^2 / (nu pi^3 n^3) more,

    (Batchelor, An Introduction to Fluid Dynamics, section 4.3), else that of the run's whole average."""
    steady, fluid = expected_profile(run, name, axis, component), fluid_of(run)
    slit = fluid.slit
    if steady is None or slit is None or fluid.is_sheared or name != "velocity" or component != AXES[fluid.flow_axis] or axis != fluid.wall_axis:
        return steady
    orders = np.arange(1.0, 200.0)
    signs = (-1.0) ** orders
    rates = slit.viscosity * (orders * np.pi / slit.distance) ** 2
    sizes = (1.0 - signs) * 2.0 * slit.acceleration * slit.distance**2 / (slit.viscosity * np.pi**3 * orders**3)
    sizes += 2.0 / (np.pi * orders) * (slit.lower_velocity - signs * slit.upper_velocity)
    left = sizes * np.exp(-np.outer(times, rates)).mean(axis=0)

    def velocity(places: Array) -> Array:
        found: Array = slit.velocity(places) - np.sin(np.outer(places + slit.offset, orders) * np.pi / slit.distance) @ left
        return found

    return Curve("theory, flow from rest", velocity)


def default_axis(run: Run) -> int:
    """The axis along which a profile tells the most: across sheared faces or walls, or the one with the most bins."""
    bins, shear, wave = run.fields.bins, shear_of(run.input), wave_flow_of(run)
    walls = [axis for axis in [*([shear.normal] if shear else []), *([wave.wave_axis] if wave else []), *walled_axes(run.input)] if bins[axis] > 1]
    return walls[0] if walls else int(np.argmax(bins))


def default_component(run: Run, name: str) -> str:
    """The component of a field that tells the most: along the force or the flow, or x; of a tensor the one sheared by a flow, or xx."""
    fluid, shear = fluid_of(run), shear_of(run.input)
    driven = [shear.along] if shear else [fluid.flow_axis] if fluid.slit else [fluid.wave.flow_axis] if fluid.wave else np.flatnonzero(fluid.force)
    axis = AXES[int(driven[0])] if len(driven) else "x"
    sheared = AXES[fluid.flow_axis] + AXES[fluid.wall_axis] if fluid.slit else "xx"
    return ["", axis, sheared][len(run.fields.shape(name)) - 3]


def component_name(name: str, component: str) -> str:
    """`velocity_x` of the vector field velocity; scalar fields as they are."""
    return f"{name}_{component}" if component else name

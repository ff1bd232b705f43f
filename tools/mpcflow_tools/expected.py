"""What theory says of the series and fields of a run, where it says anything.

Of a fluid at rest, of plane Poiseuille flow, and of a uniform force without walls (docs/physics.md). The flow is
the developed one, with the predicted viscosity nu: u = (g / 2 nu) y (L - y), so that <u> = 2/3 and <u^2> = 8/15 of
the square of its largest velocity.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from mpcflow_tools.flow import Array, Slit, velocity_at
from mpcflow_tools.flow_run import NotAFlow, flow_axes, total_force, walled_axes
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
    temperature: float
    mass: float
    particles: int
    force: Array
    has_walls: bool
    holds_temperature: bool  # by a thermostat, or by the collisions themselves
    slit: Slit | None  # of a plane Poiseuille flow
    wall_axis: int
    flow_axis: int

    @property
    def is_at_rest(self) -> bool:
        return not np.any(self.force)

    @property
    def largest_velocity(self) -> float:
        """Of the developed flow; 0 where there is none."""
        return 0.0 if self.slit is None else self.slit.acceleration * self.slit.width**2 / (8.0 * self.slit.viscosity)


def holds_temperature(run: Run) -> bool:
    return run.input["thermostat"]["kind"] != "none" or run.input["collision"]["rule"] == "at"


def fluid_of(run: Run) -> Fluid:
    """Raises ResultsError."""
    slit, wall_axis, flow_axis = None, -1, -1
    force = total_force(run.input)
    try:
        wall_axis, flow_axis, _ = flow_axes(run.input)
        if "predicted_viscosity" in run.theory:
            slit = Slit(float(force[flow_axis]) / float(run.input["fluid"]["mass"]), float(run.box[wall_axis]),
                        float(run.theory["predicted_viscosity"]))
    except NotAFlow:
        pass
    fluid = run.input["fluid"]
    return Fluid(float(fluid["density"]), float(fluid["temperature"]), float(fluid["mass"]), run.particles, force,
                 bool(walled_axes(run.input)), holds_temperature(run), slit, wall_axis, flow_axis)


def expected_series(run: Run, name: str) -> list[Curve]:
    """Curves against time; one a component for momentum. None where theory says nothing."""
    fluid = fluid_of(run)
    umax, mass, particles = fluid.largest_velocity, fluid.mass, fluid.particles
    if not fluid.is_at_rest and fluid.slit is None:
        if name == "momentum" and not fluid.has_walls:
            return [Curve("force", lambda times, f=float(f): particles * f * times) for f in fluid.force]  # type: ignore[misc]
        return []
    flow = "wanted kT" if fluid.is_at_rest else "wanted kT and the flow of theory"
    if name == "temperature":
        return [constant(flow, fluid.temperature + mass * (8 / 15 - 4 / 9) * umax**2 / 3.0)]
    if name == "kinetic_energy":
        return [constant(flow, 1.5 * (particles - 1) * fluid.temperature + 0.5 * particles * mass * (8 / 15) * umax**2)]
    if name == "momentum":
        return [constant("theory", 2 / 3 * umax * mass * particles if axis == fluid.flow_axis else 0.0) for axis in range(3)]
    return []


def _expected_pressure(run: Run, fluid: Fluid, axis: int, component: str) -> Curve | None:
    """Of a component P_ab, the flux of momentum along a in direction b. What a force puts into a flow leaves it through the
    walls: P_xz = f (z - L/2) for a force density f along x between walls across z."""
    if component[0] == component[1]:
        return constant("M kT", fluid.density * fluid.temperature)
    slit = fluid.slit
    if slit is None:
        return constant("theory, 0", 0.0)
    flow, wall = AXES[fluid.flow_axis], AXES[fluid.wall_axis]
    if component == wall + flow and not run.input["collision"].get("conserve_angular_momentum"):
        return None  # the stress is not symmetric then
    if {*component} != {flow, wall} or axis != fluid.wall_axis:
        return constant("theory, 0", 0.0)
    density = fluid.density * float(fluid.force[fluid.flow_axis])
    return Curve("theory, force density times the distance from the middle", lambda places: density * (places - 0.5 * slit.width))


def expected_profile(run: Run, name: str, axis: int, component: str) -> Curve | None:
    """The curve of a component against the places along `axis`, of averages over the other two axes."""
    fluid = fluid_of(run)
    if not fluid.is_at_rest and fluid.slit is None:
        return None
    if name == "density":
        return constant("density of the input", fluid.density)
    if name == "temperature":
        return constant("wanted kT", fluid.temperature)
    if name == "pressure_tensor":
        return _expected_pressure(run, fluid, axis, component)
    if name != "velocity":
        return None
    slit = fluid.slit
    if slit is None or component != AXES[fluid.flow_axis]:
        return constant("theory, 0", 0.0)
    if axis != fluid.wall_axis:
        return constant("mean of the flow of theory", 2 / 3 * fluid.largest_velocity)
    return Curve(rf"theory, $\nu = {slit.viscosity:.3f}$", lambda places: velocity_at(places, slit))


def expected_window(run: Run, name: str, axis: int, component: str, times: Array) -> Curve | None:
    """The curve of an average over samples at `times`: of a plane Poiseuille flow that starts from rest

      u = (g / 2 nu) y (L - y) - sum over odd n of (4 g L^2 / (nu pi^3 n^3)) sin(n pi y / L) exp(-nu n^2 pi^2 t / L^2),

    (Batchelor, An Introduction to Fluid Dynamics, section 4.3), else that of the run's whole average."""
    steady, fluid = expected_profile(run, name, axis, component), fluid_of(run)
    slit = fluid.slit
    if steady is None or slit is None or name != "velocity" or component != AXES[fluid.flow_axis] or axis != fluid.wall_axis:
        return steady
    orders = np.arange(1.0, 200.0, 2.0)
    rates = slit.viscosity * (orders * np.pi / slit.width) ** 2
    sizes = 4.0 * slit.acceleration * slit.width**2 / (slit.viscosity * np.pi**3 * orders**3)
    left = sizes * np.exp(-np.outer(times, rates)).mean(axis=0)

    def velocity(places: Array) -> Array:
        found: Array = velocity_at(places, slit) - np.sin(np.outer(places, orders) * np.pi / slit.width) @ left
        return found

    return Curve("theory, flow from rest", velocity)


def default_axis(run: Run) -> int:
    """The axis along which a profile tells the most: across walls, or the one with the most bins."""
    bins = run.fields.bins
    walls = [axis for axis in walled_axes(run.input) if bins[axis] > 1]
    return walls[0] if walls else int(np.argmax(bins))


def default_component(run: Run, name: str) -> str:
    """The component of a field that tells the most: along the force, or x; of a tensor the one sheared by a flow, or xx."""
    fluid = fluid_of(run)
    driven = np.flatnonzero(fluid.force)
    axis = AXES[int(driven[0])] if len(driven) else "x"
    sheared = AXES[fluid.flow_axis] + AXES[fluid.wall_axis] if fluid.slit else "xx"
    return ["", axis, sheared][len(run.fields.shape(name)) - 3]


def component_name(name: str, component: str) -> str:
    """`velocity_x` of the vector field velocity; scalar fields as they are."""
    return f"{name}_{component}" if component else name

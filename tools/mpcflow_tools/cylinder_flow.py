"""Flow in a pipe and between two cylinders of one axis: its profile against the distance from the axis, and theory.

In a pipe of radius R2 along which the acceleration g drives a fluid of kinematic viscosity nu

    u(r) = V2 + g (R2^2 - r^2) / (4 nu),

between cylinders of the radii R1 and R2 that slide along their axis at V1 and V2

    u(r) = V2 + g (R2^2 - r^2) / (4 nu) + c ln(r / R2),    c such that u(R1) = V1,

and about the axis of cylinders that turn at the rates W1 and W2

    u(r) = A r + B / r,    A = (W2 R2^2 - W1 R1^2) / (R2^2 - R1^2),    B = (W1 - W2) R1^2 R2^2 / (R2^2 - R1^2)

(Landau and Lifshitz, Fluid Mechanics, sections 17 and 18; physics/cylinder_flow.hpp has the same for `mpcflow check`).

Lengths are in cells, all else in the units of the run's input.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mpcflow_tools.flow import Array
from mpcflow_tools.flow_run import face_of, is_periodic, other_forces, total_force
from mpcflow_tools.run import AXES, Block, Run

# Bins that reach so near to a surface are not fitted: the cells that it cuts reach about so far.
WALL_LAYER = 1.2


@dataclass(frozen=True)
class CylinderFlow:
    """What the input says of the flow, and what theory predicts."""

    axis: int
    centre: tuple[float, float]  # of the cylinders, along the two axes that follow `axis` in the order x y z x y
    length: float  # of the box along the axis
    inner_radius: float  # R1; 0 of a pipe
    outer_radius: float  # R2
    acceleration: float  # g = force / mass along the axis
    viscosity: float  # nu, predicted
    mass_density: float
    temperature: float
    inner_turning: float = 0.0  # W1
    outer_turning: float = 0.0
    inner_sliding: float = 0.0  # V1
    outer_sliding: float = 0.0

    @property
    def is_pipe(self) -> bool:
        return self.inner_radius == 0.0

    @property
    def turns(self) -> bool:
        return self.inner_turning != 0.0 or self.outer_turning != 0.0

    @property
    def directions(self) -> list[str]:
        """In which it flows: "along" the axis, "about" it, or both."""
        along = self.acceleration != 0.0 or self.inner_sliding != 0.0 or self.outer_sliding != 0.0
        return ["along"] * along + ["about"] * self.turns

    def velocity(self, direction: str, r: Array) -> Array:
        """At the distances `r` from the axis."""
        return self._turning(r) if direction == "about" else self._along(r)

    def _along(self, r: Array) -> Array:
        outer, inner = self.outer_radius, self.inner_radius
        parabola = self.acceleration / (4.0 * self.viscosity)
        found = self.outer_sliding + parabola * (outer**2 - r**2)
        if self.is_pipe:
            return np.asarray(found)
        missing = self.inner_sliding - self.outer_sliding - parabola * (outer**2 - inner**2)
        return np.asarray(found + missing * np.log(r / outer) / np.log(inner / outer))

    def _turning(self, r: Array) -> Array:
        if self.is_pipe:
            return np.asarray(self.outer_turning * r)
        outer, inner = self.outer_radius**2, self.inner_radius**2
        a = (self.outer_turning * outer - self.inner_turning * inner) / (outer - inner)
        return np.asarray(a * r + self.torque_over_viscosity / r)

    @property
    def torque_over_viscosity(self) -> float:
        """B of A r + B / r: the torque of the fluid on the outer cylinder is 4 pi eta B over the length."""
        if self.is_pipe:
            return 0.0
        outer, inner = self.outer_radius**2, self.inner_radius**2
        return (self.inner_turning - self.outer_turning) * inner * outer / (outer - inner)

    @property
    def torque(self) -> float:
        """Of the fluid on all of the outer cylinder; as much against it on the inner one."""
        return 4.0 * np.pi * self.mass_density * self.viscosity * self.torque_over_viscosity * self.length

    @property
    def flow_rate(self) -> float:
        """The integral of the velocity along the axis over the cross-section."""
        outer, inner = self.outer_radius**2, self.inner_radius**2
        parabola = self.acceleration / (4.0 * self.viscosity)
        found = np.pi * (self.outer_sliding * (outer - inner) + 0.5 * parabola * (outer - inner) ** 2)
        if self.is_pipe:
            return float(found)
        missing = self.inner_sliding - self.outer_sliding - parabola * (outer - inner)
        ratio = float(np.log(self.inner_radius / self.outer_radius))
        return float(found + np.pi * missing * (0.5 * (inner - outer) / ratio - inner))

    def noise_covariance(self, direction: str, r: Array, time: float) -> Array:
        """Covariance [r][r'] of the averages over the long `time` of the velocity at distances r from the axis.

        The mode phi_n of the fluid that decays at the rate nu lambda_n has the mean square kT / (rho V), so that an average
        over `time` leaves (2 kT / (rho nu time)) sum of phi_n(r) phi_n(r') / lambda_n: Green's function of the viscous
        operator between the surfaces, over the length and around the axis. (Between plates: mpcflow_tools.flow.)"""
        low, high = np.minimum.outer(r, r), np.maximum.outer(r, r)
        inner, outer = self.inner_radius, self.outer_radius
        if direction == "about":
            green = (low - inner**2 / low) * (outer**2 / high - high) / (2.0 * (outer**2 - inner**2))
        elif self.is_pipe:
            green = np.log(outer / high)
        else:
            green = np.log(low / inner) * np.log(outer / high) / np.log(outer / inner)
        return np.asarray(self.temperature / (np.pi * self.mass_density * self.viscosity * self.length * time) * green)


def cylinder_flow_of(run: Run) -> CylinderFlow | None:
    """The flow of one or two cylinders of one axis, all sticky or thermal, with the fluid between them and nothing else in the box, that
    something drives. None where a run has none. Raises ResultsError."""
    surfaces, force = run.input.get("surfaces") or [], total_force(run.input)
    if not 1 <= len(surfaces) <= 2 or other_forces(run.input) or "predicted_viscosity" not in run.theory:
        return None
    shapes = [surface.get("cylinder") for surface in surfaces]
    first = shapes[0]
    if any(shape is None or shape["axis"] != first["axis"] or shape["centre"] != first["centre"] for shape in shapes):
        return None
    sides = {surface["fluid"]: (shape["radius"], *_motion(surface, AXES.index(first["axis"]))) for surface, shape in zip(surfaces, shapes)}
    if len(sides) != len(surfaces) or "inside" not in sides or any(surface.get("kind") == "slip" for surface in surfaces):
        return None
    inner, outer = sides.get("outside", (0.0, 0.0, 0.0)), sides["inside"]
    axis = AXES.index(first["axis"])
    ways = [other for other in range(3) if other != axis]
    centre = dict(zip(ways, map(float, first["centre"])))
    if inner[0] >= outer[0] or not is_periodic(run.input, axis):
        return None
    for way in ways:
        is_cut = centre[way] < outer[0] or centre[way] + outer[0] > float(run.box[way])
        if force[way] != 0.0 or (is_cut and face_of(run.input, way, "lower")["kind"] != "periodic"):
            return None
    fluid = run.input["fluid"]
    flow = CylinderFlow(axis, (centre[(axis + 1) % 3], centre[(axis + 2) % 3]), float(run.box[axis]), float(inner[0]), float(outer[0]),
                        float(force[axis]) / float(fluid["mass"]), float(run.theory["predicted_viscosity"]),
                        float(fluid["density"]) * float(fluid["mass"]), float(fluid["temperature"]), inner[1], outer[1], inner[2], outer[2])
    return flow if flow.directions else None


def _motion(surface: dict[str, object], axis: int) -> tuple[float, float]:
    """How a cylinder turns about its axis and slides along it."""
    turning, sliding = (np.atleast_1d(np.asarray(surface.get(name, 0.0), dtype=np.float64)) for name in ("angular_velocity", "velocity"))
    return float(turning[axis if len(turning) == 3 else 0]), float(sliding[axis if len(sliding) == 3 else 0])


@dataclass(frozen=True)
class RadialProfile:
    """Averages over rings of bins around the axis; every array has one entry a ring."""

    r: Array  # root mean square distance from the axis
    velocity: Array
    error: Array  # one standard error, of bins that are independent


def radial_profile(run: Run, flow: CylinderFlow, direction: str) -> RadialProfile:
    """The velocity along or about the axis against the distance from it, of bins that lie in the fluid as a whole; fields are read in
    parts. Raises ResultsError."""
    fields = run.fields
    ways = (flow.axis + 1) % 3, (flow.axis + 2) % 3
    places = {way: _from_axis(run, way, middle) for way, middle in zip(ways, flow.centre)}
    halves = [0.5 * float(np.diff(fields.edges(AXES[way]))[0]) for way in ways]
    rings = int(np.ceil((flow.outer_radius - flow.inner_radius) / (2.0 * max(halves)))) + 1
    sums = np.zeros((4, rings))  # of weights, and with them of squared distances, velocities, and squared errors
    for block in fields.blocks():
        x, y = (_across(places[way], way, block) for way in ways)
        r = np.hypot(x, y)
        near = np.hypot(np.maximum(np.abs(x) - halves[0], 0.0), np.maximum(np.abs(y) - halves[1], 0.0))
        far = np.hypot(np.abs(x) + halves[0], np.abs(y) + halves[1])
        used = (far <= flow.outer_radius + 1e-9) & (near >= flow.inner_radius - 1e-9) & (r > 0.0)
        velocity = fields.block("velocity", block)
        error = fields.block("velocity_error", block)
        if direction == "along":
            speed, spread = velocity[..., flow.axis], error[..., flow.axis]
        else:
            cosine, sine = x / np.maximum(r, 1e-300), y / np.maximum(r, 1e-300)
            speed = cosine * velocity[..., ways[1]] - sine * velocity[..., ways[0]]
            spread = np.hypot(cosine * error[..., ways[1]], sine * error[..., ways[0]])
        used = np.broadcast_to(used, speed.shape) & np.isfinite(speed)
        weights = fields.block("density", block)[used] if "density" in fields else np.ones(np.count_nonzero(used))
        ring = ((np.broadcast_to(r, speed.shape)[used] - flow.inner_radius) / (2.0 * max(halves))).astype(int)
        squared = np.broadcast_to(x**2 + y**2 + (halves[0]**2 + halves[1]**2) / 3.0, speed.shape)[used]  # its mean over a bin
        for row, values in enumerate((weights, weights * squared, weights * speed[used], (weights * spread[used]) ** 2)):
            sums[row] += np.bincount(ring, values, rings)
    weight, squares, speeds, errors = sums[:, sums[0] > 0.0]
    return RadialProfile(np.sqrt(squares / weight), speeds / weight, np.sqrt(errors) / weight)


def _across(places: Array, way: int, block: Block) -> Array:
    """Places along an axis in the shape [z][y][x] of a block, one bin thick along the other axes."""
    part = places[(slice(None), block.y, block.z)[way]]
    shape = [1, 1, 1]
    shape[2 - way] = len(part)
    return part.reshape(shape)


def _from_axis(run: Run, way: int, middle: float) -> Array:
    """Places of the bins from the cylinders' axis, along `way`: of periodic axes those of the nearest image."""
    places, width = run.fields.centres(AXES[way]) - middle, float(run.box[way])
    return places - width * np.round(places / width) if is_periodic(run.input, way) else places


@dataclass(frozen=True)
class CylinderFit:
    """What least squares find in a profile: of a pipe that a force drives u = (g / 4 nu) (R^2 - r^2 + 2 b R) + V, of other flows how
    many times theory's velocity it is. Standard errors follow from `CylinderFlow.noise_covariance`."""

    values: Array  # nu and b, or the factor
    errors: Array
    curve_r: Array
    curve: Array


def fit_cylinder_flow(profile: RadialProfile, flow: CylinderFlow, direction: str, time: float) -> CylinderFit:
    """Of the rings that are WALL_LAYER and more from the surfaces; `time` is that of the average. Raises ValueError where they are too few."""
    inside = (profile.r <= flow.outer_radius - WALL_LAYER) & (flow.is_pipe | (profile.r >= flow.inner_radius + WALL_LAYER))
    r, u = profile.r[inside], profile.velocity[inside]
    parabola = flow.is_pipe and direction == "along" and flow.acceleration != 0.0
    if len(r) < (3 if parabola else 1) or not time > 0.0:
        raise ValueError("a fit needs rings of bins that are farther than a cell from the surfaces: more bins across the axis")
    design = (np.column_stack([flow.outer_radius**2 - r**2, np.ones_like(r)]) if parabola
              else flow.velocity(direction, r)[:, None])
    solve = np.linalg.pinv(design)
    covariance = solve @ flow.noise_covariance(direction, r, time) @ solve.T
    fine = np.linspace(flow.inner_radius, flow.outer_radius, 301)
    if not parabola:
        factor = solve @ u
        return CylinderFit(factor, np.sqrt(np.diag(covariance)), fine, factor[0] * flow.velocity(direction, fine))
    p, q = solve @ (u - flow.outer_sliding)
    if p * flow.acceleration <= 0.0:
        raise ValueError("there is no flow along the force that stands out of the noise")
    viscosity, slip = flow.acceleration / (4.0 * p), q / (2.0 * p * flow.outer_radius)
    gradient = np.array([[-viscosity / p, 0.0], [-slip / p, 1.0 / (2.0 * p * flow.outer_radius)]])
    return CylinderFit(np.array([viscosity, slip]), np.sqrt(np.diag(gradient @ covariance @ gradient.T)), fine,
                       flow.outer_sliding + p * (flow.outer_radius**2 - fine**2) + q)

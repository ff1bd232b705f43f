"""A run of plane Poiseuille flow: its measured profile and its predictions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from mpcflow_tools.flow import Array, Profile, Slit
from mpcflow_tools.flow_report import FlowRun, Quantity
from mpcflow_tools.layers import layer_profile, mean_of
from mpcflow_tools.results import MissingResult
from mpcflow_tools.run import AXES, Run


class NotAFlow(MissingResult):
    """The results are not those of a plane Poiseuille flow, or hold no profile of it; says why."""


def _is_steady(entry: dict[str, Any]) -> bool:
    return not any(entry.get(key) for key in ("from", "until", "period"))


def total_force(resolved: dict[str, Any]) -> Array:
    """The force on a particle that is the same everywhere and always, gravity included, of a resolved input."""
    steady = [entry for entry in resolved.get("forces") or [] if _is_steady(entry)]
    forces = [entry["uniform"] for entry in steady if "uniform" in entry]
    forces += [float(resolved["fluid"]["mass"]) * np.array(entry["gravity"], dtype=np.float64) for entry in steady if "gravity" in entry]
    return np.asarray(np.array([[0.0, 0.0, 0.0], *forces], dtype=np.float64).sum(axis=0))


def other_forces(resolved: dict[str, Any]) -> list[dict[str, Any]]:
    """The entries of the forces that change with the time or the place, of a resolved input, a stream among them."""
    others = [entry for entry in resolved.get("forces") or [] if not _is_steady(entry) or "sine" in entry or "opposed_blocks" in entry]
    return [*others, {"stream": resolved["stream"]}] if has_stream(resolved) else others


def driven_axes(resolved: dict[str, Any]) -> list[int]:
    """The axes along which any force, or a stream, has a part, ever and anywhere, of a resolved input."""
    found = {axis for axis, part in enumerate((resolved.get("stream") or {}).get("velocity", [])) if part}
    for entry in resolved.get("forces") or []:
        for name in ("uniform", "gravity", "sine", "opposed_blocks"):
            force = entry.get(name, [])
            found |= {axis for axis, part in enumerate(force["amplitude"] if isinstance(force, dict) else force) if part}
    return sorted(found)


@dataclass(frozen=True)
class WaveFlow:
    """The steady flow of a force that is a sine of the place, or blocks of opposed ones, in a periodic box (docs/physics.md)."""

    is_sine: bool
    acceleration: float
    wave_number: float
    viscosity: float
    wave_axis: int
    flow_axis: int

    def velocity(self, places: Array) -> Array:
        of_sine = self.acceleration / (self.viscosity * self.wave_number**2)
        if self.is_sine:
            return np.asarray(of_sine * np.sin(self.wave_number * places))
        width = np.pi / self.wave_number
        block, sign = np.floor(places / width), 1.0 - 2.0 * (np.floor(places / width) % 2.0)
        inside = places - block * width
        return np.asarray(sign * self.acceleration / (2.0 * self.viscosity) * inside * (width - inside))


def wave_flow_of(run: Run) -> WaveFlow | None:
    """None where a run has no such flow. Raises ResultsError."""
    others = other_forces(run.input)
    if (len(others) != 1 or not _is_steady(others[0]) or "stream" in others[0] or np.any(total_force(run.input)) or walled_axes(run.input)
            or shear_of(run.input) or has_surfaces(run.input)):
        return None
    name = "sine" if "sine" in others[0] else "opposed_blocks"
    wave = others[0][name]
    amplitude, along = np.array(wave["amplitude"], dtype=np.float64), AXES.index(wave["along"])
    driven = np.flatnonzero(amplitude)
    if len(driven) != 1 or driven[0] == along or "predicted_viscosity" not in run.theory:
        return None
    return WaveFlow(name == "sine", float(amplitude[driven[0]]) / float(run.input["fluid"]["mass"]),
                    2.0 * np.pi * int(wave.get("waves", 1)) / float(run.box[along]), float(run.theory["predicted_viscosity"]), along, int(driven[0]))


@dataclass(frozen=True)
class Shear:
    """Of periodic faces that are sheared after Lees and Edwards (docs/physics.md)."""

    normal: int  # the axis across the faces
    along: int  # of the flow
    rate: float


def shear_of(resolved: dict[str, Any]) -> Shear | None:
    """Of a resolved input."""
    for axis, name in enumerate(AXES):
        faces = resolved["boundaries"][name]
        if isinstance(faces, dict) and faces.get("kind") == "lees_edwards":
            return Shear(axis, AXES.index(faces["along"]), float(faces["shear_rate"]))
    return None


def torque_of_shear(run: Run) -> Array | None:
    """On the only surface in a sheared box, a sphere that nothing slips at and whose images are not near: 8 pi eta R^3 (w/2 - Omega), w being
    the curl of the flow far from it (G. B. Jeffery, Proc. R. Soc. A 102 (1922) 161). None where it is another system, or the fluid does not
    conserve angular momentum: then what the sphere takes depends on how the collisions of the cells that it cuts are counted. Raises
    ResultsError."""
    shear, surfaces = shear_of(run.input), run.input.get("surfaces", [])
    if (shear is None or len(surfaces) != 1 or "sphere" not in surfaces[0] or surfaces[0].get("kind", "no_slip") == "slip"
            or not run.input["boundaries"].get("virtual_particles", True) or other_forces(run.input) or np.any(total_force(run.input))
            or "predicted_viscosity" not in run.theory or not run.input["collision"].get("conserve_angular_momentum")):
        return None
    third, radius = 3 - shear.normal - shear.along, float(surfaces[0]["sphere"]["radius"])
    if 3.0 * radius > min(run.box[third], run.box[shear.along]) or third in walled_axes(run.input):
        return None
    half_curl = np.zeros(3)
    half_curl[third] = 0.5 * shear.rate * (1.0 if (shear.normal + 1) % 3 == shear.along else -1.0)
    turning = np.array(surfaces[0].get("angular_velocity", [0.0, 0.0, 0.0]), dtype=np.float64)
    fluid = run.input["fluid"]
    viscosity = float(fluid["density"]) * float(fluid["mass"]) * float(run.theory["predicted_viscosity"])
    return np.asarray(8.0 * np.pi * viscosity * radius ** 3 * (half_curl - turning))


def is_periodic(resolved: dict[str, Any], axis: int) -> bool:
    """Across an axis; sheared faces are."""
    shear = shear_of(resolved)
    return resolved["boundaries"][AXES[axis]] == "periodic" or (shear is not None and shear.normal == axis)


def walled_axes(resolved: dict[str, Any]) -> list[int]:
    """The axes across which there are walls, of a resolved input."""
    return [axis for axis in range(3) if not is_periodic(resolved, axis)]


def face_of(resolved: dict[str, Any], axis: int, side: str) -> dict[str, Any]:
    """A face of the box ("lower" or "upper") as a map of kind and, where they were given, velocity and temperature."""
    faces = "periodic" if is_periodic(resolved, axis) else resolved["boundaries"][AXES[axis]]
    face = faces[side] if isinstance(faces, dict) else faces
    return face if isinstance(face, dict) else {"kind": face}


def face_velocity(resolved: dict[str, Any], axis: int, side: str) -> Array:
    return np.asarray(face_of(resolved, axis, side).get("velocity", [0.0, 0.0, 0.0]), dtype=np.float64)


def slip_faces(resolved: dict[str, Any], axis: int) -> list[str]:
    """Those of "lower" and "upper" that are faces of slip."""
    return [side for side in ("lower", "upper") if face_of(resolved, axis, side)["kind"] == "slip"]


def has_surfaces(resolved: dict[str, Any]) -> bool:
    """Whether there are surfaces in the box, beside its faces."""
    return bool(resolved.get("surfaces"))


def has_stream(resolved: dict[str, Any]) -> bool:
    """Whether a slab of the box drives the fluid to a velocity."""
    return bool(resolved.get("stream"))


def moves_walls(resolved: dict[str, Any]) -> bool:
    return any(np.any(face_velocity(resolved, axis, side)) for axis in range(3) for side in ("lower", "upper"))


def slit_of(run: Run) -> tuple[Slit, int, int] | None:
    """The steady flow between two walls, or two sheared faces, that a run comes to, the axis across them and the axis of the flow.
    None where it is no such flow. Raises ResultsError."""
    shear = shear_of(run.input)
    if other_forces(run.input):
        return None
    if shear is not None and "predicted_viscosity" in run.theory and not np.any(total_force(run.input)) and not has_surfaces(run.input):
        width = float(run.box[shear.normal])
        half = 0.5 * shear.rate * width
        return Slit(0.0, width, float(run.theory["predicted_viscosity"]), -half, half), shear.normal, shear.along
    walls, force = walled_axes(run.input), total_force(run.input)
    if has_surfaces(run.input) or len(walls) != 1 or "predicted_viscosity" not in run.theory:
        return None
    lower, upper = (face_velocity(run.input, walls[0], side) for side in ("lower", "upper"))
    driven = np.flatnonzero((force != 0.0) | (lower != 0.0) | (upper != 0.0))
    if len(driven) != 1 or driven[0] == walls[0]:
        return None
    axis = int(driven[0])
    slipping = slip_faces(run.input, walls[0])
    if len(slipping) == 2:
        return None
    of_lower, of_upper = float(lower[axis]), float(upper[axis])
    slit = Slit(float(force[axis]) / float(run.input["fluid"]["mass"]), float(run.box[walls[0]]),
                float(run.theory["predicted_viscosity"]), of_upper if "lower" in slipping else of_lower,
                of_lower if "upper" in slipping else of_upper, "".join(slipping))
    return slit, walls[0], axis


def flow_axes(resolved: dict[str, Any]) -> tuple[int, int, Array]:
    """The axis across the walls, the axis of the flow, and the force, of a resolved input. Raises NotAFlow."""
    walls, force = walled_axes(resolved), total_force(resolved)
    driven = [axis for axis in range(3) if force[axis] != 0.0]
    if (has_surfaces(resolved) or len(walls) != 1 or len(driven) != 1 or walls == driven or moves_walls(resolved)
            or slip_faces(resolved, walls[0]) or other_forces(resolved)):
        raise NotAFlow("this is no plane Poiseuille flow: that has sticky walls at rest on one axis and a force along one other")
    return walls[0], driven[0], force


def read_flow(run: Run) -> FlowRun:
    """The profile of a run, bins along the walls averaged, and what theory needs to go beside it.

    Raises NotAFlow where there is nothing to compare with theory, ResultsError where the file cannot be read.
    """
    wall_axis, flow_axis, force = flow_axes(run.input)
    fields = run.fields
    if "velocity" not in fields or fields.samples == 0:
        raise NotAFlow(f"{run.path}: holds no velocity field (output.fields in the input)")
    profile = Profile(fields.edges(AXES[wall_axis]), *layer_profile(fields, "velocity", AXES[flow_axis], wall_axis))
    return FlowRun(
        title=run.title or "Plane Poiseuille flow",
        profile=profile,
        slit=Slit(acceleration=float(force[flow_axis]) / float(run.input["fluid"]["mass"]), width=float(run.box[wall_axis]),
                  viscosity=float(run.theory["predicted_viscosity"])),
        wall_axis=AXES[wall_axis],
        flow_axis=AXES[flow_axis],
        temperature=mean_of(fields, "temperature") if "temperature" in fields else Quantity(float("nan"), float("nan")),
        temperature_set=float(run.input["fluid"]["temperature"]),
        steps=fields.last_step - fields.first_step + fields.every,
        source=str(run.path),
    )

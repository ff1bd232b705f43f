"""A run of plane Poiseuille flow: its measured profile and its predictions."""

from __future__ import annotations

from typing import Any

import numpy as np

from mpcflow_tools.flow import Array, Profile, Slit
from mpcflow_tools.flow_report import FlowRun, Quantity
from mpcflow_tools.layers import layer_profile, mean_of
from mpcflow_tools.results import MissingResult
from mpcflow_tools.run import AXES, Run


class NotAFlow(MissingResult):
    """The results are not those of a plane Poiseuille flow, or hold no profile of it; says why."""


def total_force(resolved: dict[str, Any]) -> Array:
    """The sum of the uniform forces on a particle, of a resolved input."""
    entries = resolved.get("forces") or []
    return np.asarray(np.array([[0.0, 0.0, 0.0], *(entry["uniform"] for entry in entries)], dtype=np.float64).sum(axis=0))


def walled_axes(resolved: dict[str, Any]) -> list[int]:
    """The axes across which there are walls, of a resolved input."""
    return [axis for axis in range(3) if resolved["boundaries"][AXES[axis]] != "periodic"]


def face_of(resolved: dict[str, Any], axis: int, side: str) -> dict[str, Any]:
    """A face of the box ("lower" or "upper") as a map of kind and, where they were given, velocity and temperature."""
    faces = resolved["boundaries"][AXES[axis]]
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


def moves_walls(resolved: dict[str, Any]) -> bool:
    return any(np.any(face_velocity(resolved, axis, side)) for axis in range(3) for side in ("lower", "upper"))


def slit_of(run: Run) -> tuple[Slit, int, int] | None:
    """The steady flow between two walls that a run comes to, the axis across them and the axis of the flow. None where it is no
    such flow. Raises ResultsError."""
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
    if has_surfaces(resolved) or len(walls) != 1 or len(driven) != 1 or walls == driven or moves_walls(resolved) or slip_faces(resolved, walls[0]):
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

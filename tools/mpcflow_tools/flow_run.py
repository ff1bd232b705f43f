"""A run of plane Poiseuille flow: its measured profile and its predictions."""

from __future__ import annotations

from typing import Any

import numpy as np

from mpcflow_tools.flow import Array, Profile, Slit
from mpcflow_tools.flow_report import FlowRun, Quantity
from mpcflow_tools.results import MissingResult
from mpcflow_tools.run import AXES, Fields, Run


class NotAFlow(MissingResult):
    """The results are not those of a plane Poiseuille flow, or hold no profile of it; says why."""


def total_force(resolved: dict[str, Any]) -> Array:
    """The sum of the uniform forces on a particle, of a resolved input."""
    entries = resolved.get("forces") or []
    return np.asarray(np.array([[0.0, 0.0, 0.0], *(entry["uniform"] for entry in entries)], dtype=np.float64).sum(axis=0))


def walled_axes(resolved: dict[str, Any]) -> list[int]:
    """The axes across which there are walls, of a resolved input."""
    return [axis for axis in range(3) if resolved["boundaries"][AXES[axis]] != "periodic"]


def flow_axes(resolved: dict[str, Any]) -> tuple[int, int, Array]:
    """The axis across the walls, the axis of the flow, and the force, of a resolved input. Raises NotAFlow."""
    walls, force = walled_axes(resolved), total_force(resolved)
    driven = [axis for axis in range(3) if force[axis] != 0.0]
    if len(walls) != 1 or len(driven) != 1 or walls == driven:
        raise NotAFlow("this is no plane Poiseuille flow: that has walls on one axis and a force along one other")
    return walls[0], driven[0], force


def particle_weights(fields: Fields, like: Array) -> Array:
    """How many particles stand behind each bin of the field `like` [z][y][x]: 0 where it is NaN, in empty bins."""
    density = fields["density"].values if "density" in fields else np.ones_like(like)
    return np.where(np.isfinite(like), density, 0.0)


def layer_means(values: Array, errors: Array, weights: Array, axis: int) -> tuple[Array, Array]:
    """Weighted means of a field [z][y][x] over the layers across `axis`, and their standard errors if the bins of a
    layer are independent. NaN where a layer has no weight."""
    along = tuple(2 - other for other in range(3) if other != axis)
    total = weights.sum(axis=along)
    with np.errstate(invalid="ignore"):
        mean = (np.nan_to_num(values) * weights).sum(axis=along) / total
        error = np.sqrt((np.where(weights > 0.0, errors * weights, 0.0) ** 2).sum(axis=along)) / total
    return mean, error


def _temperature(fields: Fields) -> Quantity:
    """Mean over all bins, each with its particles as its weight."""
    if "temperature" not in fields:
        return Quantity(float("nan"), float("nan"))
    found = fields["temperature"]
    weights = particle_weights(fields, found.values)
    used = weights > 0.0
    return Quantity(float(np.average(found.values[used], weights=weights[used])),
                    float(np.sqrt(np.sum((found.known_error() * weights)[used] ** 2)) / weights[used].sum()))


def read_flow(run: Run) -> FlowRun:
    """The profile of a run, bins along the walls averaged, and what theory needs to go beside it.

    Raises NotAFlow where there is nothing to compare with theory, ResultsError where the file cannot be read.
    """
    wall_axis, flow_axis, force = flow_axes(run.input)
    fields = run.fields
    if "velocity" not in fields or fields.samples == 0:
        raise NotAFlow(f"{run.path}: holds no velocity field (output.fields in the input)")
    found = fields["velocity"]
    velocity, error = found.values[..., flow_axis], found.known_error()[..., flow_axis]
    profile = Profile(fields.edges(AXES[wall_axis]),
                      *layer_means(velocity, error, particle_weights(fields, velocity), wall_axis))
    return FlowRun(
        title=run.title or "Plane Poiseuille flow",
        profile=profile,
        slit=Slit(acceleration=float(force[flow_axis]) / float(run.input["fluid"]["mass"]), width=float(run.box[wall_axis]),
                  viscosity=float(run.theory["predicted_viscosity"])),
        wall_axis=AXES[wall_axis],
        flow_axis=AXES[flow_axis],
        temperature=_temperature(fields),
        temperature_set=float(run.input["fluid"]["temperature"]),
        steps=fields.last_step - fields.first_step + fields.every,
        source=str(run.path),
    )

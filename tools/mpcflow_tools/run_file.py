"""Reading run.h5: a run of plane Poiseuille flow, its measured profile and its predictions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import h5py
import numpy as np
import yaml

from mpcflow_tools.flow import Array, Profile, Slit
from mpcflow_tools.flow_report import FlowRun, Quantity

AXES = "xyz"


class NotAFlow(Exception):
    """The results are not those of a plane Poiseuille flow, or hold no profile of it; says why."""


def run_file_path(path: Path) -> Path:
    """`path` itself, or the run.h5 in it if it is a folder. Raises NotAFlow if there is none."""
    file = path / "run.h5" if path.is_dir() else path
    if not file.is_file():
        raise NotAFlow(f"{file}: no such file")
    return file


def _text(value: Any) -> str:
    return value.decode("utf-8") if isinstance(value, bytes) else str(value)


def _numbers(values: Any) -> Array:
    # YAML 1.1 reads 1e-05, which has no point, as text.
    return np.array([float(value) for value in values])


def flow_axes(resolved: dict[str, Any]) -> tuple[int, int, Array]:
    """The axis across the walls, the axis of the flow, and the force, of a resolved input."""
    boundaries = resolved["boundaries"]
    walls = [axis for axis in range(3) if boundaries[AXES[axis]] != "periodic"]
    force = np.sum([_numbers(entry["uniform"]) for entry in resolved.get("forces") or [{"uniform": [0, 0, 0]}]], axis=0)
    driven = [axis for axis in range(3) if force[axis] != 0.0]
    if len(walls) != 1 or len(driven) != 1 or walls == driven:
        raise NotAFlow("this is no plane Poiseuille flow: that has walls on one axis and a force along one other")
    return walls[0], driven[0], force


def _layers(field: Array, weight: Array, wall_axis: int) -> tuple[Array, Array]:
    """A field [z][y][x] weighed and summed over the two axes along the walls, and the sums of the weights."""
    along = tuple(2 - axis for axis in range(3) if axis != wall_axis)
    return (field * weight).sum(axis=along), weight.sum(axis=along)


def _mean_of_layers(values: Array, errors: Array, density: Array, wall_axis: int) -> tuple[Array, Array]:
    """Mean over each layer between the walls, and its standard error if bins of a layer are independent."""
    total, weights = _layers(values, density, wall_axis)
    variance, _ = _layers(errors**2 * density, density, wall_axis)
    return total / weights, np.sqrt(variance) / weights


def read_flow(path: Path) -> FlowRun:
    """Reads the run.h5 at `path` or in the folder `path`.

    Bins along the walls are averaged. Raises NotAFlow where there is nothing to compare with theory.
    """
    file_path = run_file_path(path)
    try:
        file = h5py.File(file_path, "r", locking=False)
    except OSError as error:
        raise NotAFlow(f"{file_path}: cannot be read as HDF5 ({error})") from error
    with file:
        if _text(file.attrs.get("format", "")) != "mpcflow run":
            raise NotAFlow(f"{file_path}: is no run file of mpcflow")
        resolved = yaml.safe_load(_text(file["input/resolved"][()]))
        wall_axis, flow_axis, force = flow_axes(resolved)
        if "fields/velocity" not in file or file["fields"].attrs["samples"] == 0:
            raise NotAFlow(f"{file_path}: holds no velocity field (output.fields in the input)")
        fields = file["fields"]
        velocity = fields["velocity"][..., flow_axis]
        velocity_error = fields["velocity_error"][..., flow_axis]
        # The empty bins of a thin gas have no velocity; weights of 0 leave them out.
        density = fields["density"][()] if "density" in fields else np.ones_like(velocity)
        density = np.where(np.isfinite(velocity), density, 0.0)
        profile = Profile(fields[f"{AXES[wall_axis]}_edges"][()],
                          *_mean_of_layers(np.nan_to_num(velocity), velocity_error, density, wall_axis))
        temperature = Quantity(float("nan"), float("nan"))
        if "temperature" in fields:
            values, errors = fields["temperature"][()], fields["temperature_error"][()]
            used = np.isfinite(values)
            temperature = Quantity(float(np.average(values[used], weights=density[used])),
                                   float(np.sqrt(np.sum((errors * density)[used] ** 2)) / density[used].sum()))
        slit = Slit(acceleration=float(force[flow_axis]) / float(resolved["fluid"]["mass"]),
                    width=float(file["run"].attrs["box"][wall_axis]),
                    viscosity=float(file["theory"].attrs["predicted_viscosity"]))
        first, last, every = (int(fields.attrs[name]) for name in ("first_step", "last_step", "every"))
        return FlowRun(
            title=_text(file.attrs["title"]) or "Plane Poiseuille flow",
            profile=profile,
            slit=slit,
            wall_axis=AXES[wall_axis],
            flow_axis=AXES[flow_axis],
            temperature=temperature,
            temperature_set=float(resolved["fluid"]["temperature"]),
            steps=last - first + every,
            source=str(file_path),
        )

"""Results as xarray and pandas take them: arrays whose axes have names, with their units."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from mpcflow_tools.fields import AXES, Fields
from mpcflow_tools.results import MissingResult, Values
from mpcflow_tools.shapes import axes_of

if TYPE_CHECKING:
    from mpcflow_tools.run import Run

# By name: names of the axes, numbers, and what they are.
Arrays = dict[str, tuple[tuple[str, ...], NDArray[Any], dict[str, str]]]

PARTS = ("fields", "windows", "series", "histograms", "modes", "diffusion", "radial_distribution", "structure_factor", "stress",
         "walls")
_AXIS_NAMES = {"l": "lag", "k": "wave", "r": "radius", "f": "face", "s": "surface", "c": "pair", "3": "component"}
_COORDINATES = ("lag", "time", "pairs", "radius", "wave_vector", "step")


def labelled(run: Run, part: str) -> tuple[Arrays, Arrays]:
    """A part of a run: its arrays with errors and what theory expects, and the coordinates of their axes. Raises ResultsError."""
    if part not in PARTS:
        raise MissingResult(f"{run.path}: '{part}' is no part of a run, only {', '.join(PARTS)}")
    arrays: Arrays = {}
    if part in ("fields", "windows"):
        _add_fields(run, part, arrays)
    elif part == "histograms":
        for name, axis in (("occupancy", "particles"), ("speed", "speed")):
            found = run.histograms[name]
            about = {"unit": found.unit, "description": "lower edges of the bins"}
            arrays |= {axis: ((axis,), found.edges, about), f"{name}_counts": ((axis,), found.counts, {}),
                       f"{name}_expected": ((axis,), found.expected, {})}
    else:
        _add_measured(run, part, arrays)
    axes = {axis for names, _, _ in arrays.values() for axis in names}
    arrays |= {axis: ((axis,), np.array(list(AXES)), {}) for axis in axes & {"component", "a", "b"}}
    if "species" in axes:
        from mpcflow_tools.mixtures import species_names  # which knows runs, and these know this

        arrays["species"] = ("species",), np.array(species_names(run)), {}
    places = {name for name in arrays if name in axes or name in _COORDINATES or name in ("first_step", "last_step", "samples")}
    return ({name: array for name, array in arrays.items() if name not in places}, {name: arrays[name] for name in arrays if name in places})


def _add(arrays: Arrays, axes: tuple[str, ...], found: Values) -> None:
    arrays[found.name] = axes, found.values, {"unit": found.unit, "description": found.description}
    if found.error is not None:
        arrays[f"{found.name}_error"] = axes, found.error, {"unit": found.unit, "description": f"standard error of {found.name}"}


def _add_fields(run: Run, part: str, arrays: Arrays) -> None:
    of: Fields = run.fields
    axes: tuple[str, ...] = ("z", "y", "x")
    if part == "windows":
        if not len(run.windows):
            raise MissingResult(f"{run.windows.path}: holds no windows: none of the run has ended yet")
        of, axes = run.windows[0], ("time", *axes)
        for name, numbers in (("time", run.windows.times), ("first_step", run.windows.first_steps), ("last_step", run.windows.last_steps),
                              ("samples", run.windows.samples)):
            arrays[name] = ("time",), numbers, {"unit": run.windows.part.unit(name)}
    for name in of:
        components = {1: (), 3: ("component",), 9: ("a", "b")}[len(of.components(name))]
        if part == "windows":
            about = {"unit": of.unit(name)}
            arrays[name] = (*axes, *components), np.stack([window[name].values for window in run.windows]), about
        else:
            _add(arrays, (*axes, *components), of[name])
    arrays |= {axis: ((axis,), of.centres(axis), {"unit": "a"}) for axis in AXES}


def _add_measured(run: Run, part: str, arrays: Arrays) -> None:
    measured: Any = run.series if part == "series" else getattr(run, part)
    for name in measured:
        found = measured[name]
        if part == "series":
            axes: tuple[str, ...] = ("time", "species" if name.startswith("species_") else "component")[:found.values.ndim]
        else:
            letters = axes_of(part, name) or ""
            axes = ("a", "b") if letters == "33" else tuple(_AXIS_NAMES[letter] for letter in letters)
        if len(axes) != found.values.ndim:
            continue  # of a newer program
        _add(arrays, axes, found)
        expected = None if part == "series" else measured.expected(name)
        if expected is not None:
            arrays[f"expected_{name}"] = axes, expected, {"unit": found.unit, "description": f"{name} by theory"}
    if not arrays:
        raise MissingResult(f"{run.path}: holds no {part} (output.{part} in the input)")
    if part == "walls":
        used = {axis for axes, _, _ in arrays.values() for axis in axes}
        for axis in used & {"face", "surface"}:
            arrays[axis] = (axis,), np.array(measured.about(f"{axis}s")), {}

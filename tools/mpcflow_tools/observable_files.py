"""What was measured while the run went on, observable by observable, as files of other programs.

A .npz file has all of an observable. A .csv file has one table of it: the arrays that have the same axes, one line a place.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mpcflow_tools.expected import component_name
from mpcflow_tools.mixtures import species_names
from mpcflow_tools.results import MissingResult, ResultsError, Values, reading, titled
from mpcflow_tools.run import AXES, Histograms, Measured, Run

NUMBERS = "numbers"  # the table of what has no axes

Columns = dict[str, NDArray[Any]]  # by their headers, all of one length

_DIFFUSION_UNIT = "a (energy/mass)^(1/2)"
_NUMBER_UNITS = {  # of attributes, which have none in the file; others are counts, or texts
    "diffusion": _DIFFUSION_UNIT,
    "diffusion_error": _DIFFUSION_UNIT,
    "expected_diffusion": _DIFFUSION_UNIT,
    "diffusion_from_time": "a (mass/energy)^(1/2)",
    "diffusion_to_time": "a (mass/energy)^(1/2)",
    "range": "a",
    "equipartition": "energy/mass",
    "expected_viscosity": _DIFFUSION_UNIT,
    "expected_kinetic_viscosity": _DIFFUSION_UNIT,
    "expected_collisional_viscosity": _DIFFUSION_UNIT,
    "expected_speed_of_sound": "(energy/mass)^(1/2)",
    "expected_pressure": "energy/a^3",
}


@dataclass(frozen=True)
class Table:
    """Arrays with the same axes."""

    axes: tuple[tuple[str, ...], ...]  # of each axis: what says where on it a line is
    quantities: tuple[str, ...]


_LAGS = ("lag", "time", "pairs")
_DIRECTIONS = ("a", "b", "axis")  # axes along which there are x, y and z

# By observable; names are those of the file. The first table is written where none is chosen.
TABLES = {
    "modes": (Table((("wave_vector",), _LAGS), ("transverse", "longitudinal")),
              Table((("wave_vector",),), ("viscosity", "decay_rate"))),
    "diffusion": (Table((_LAGS,), ("mean_square_displacement", "mean_square_displacement_xyz", "velocity_autocorrelation",
                                   "velocity_autocorrelation_xyz", "diffusion_by_displacement", "diffusion_by_velocity")),),
    "radial_distribution": (Table((("radius",),), ("g", "pairs")),),
    "structure_factor": (Table((("wave_vector",),), ("S",)), Table((("wave_vector",), _LAGS), ("correlation",))),
    "stress": (Table((_LAGS,), ("viscosity", "kinetic_viscosity", "collisional_viscosity", "correlation", "kinetic_correlation",
                                "collisional_correlation", "component_correlation")),
               Table((("a",), ("b",)), ("pressure_tensor", "kinetic_pressure_tensor", "collisional_pressure_tensor"))),
    "walls": (Table((("faces",),), ("stress", "heat")), Table((("surfaces",),), ("force", "torque", "surface_heat")), Table((("axis",),), ("flow_rate",))),
    "histograms": (Table((("occupancy/particles",),), ("occupancy/counts", "occupancy/expected")),
                   Table((("speed/edges",),), ("speed/counts", "speed/expected"))),
}


def _with_sides(quantity: str) -> tuple[str, str, str]:
    return quantity, f"{quantity}_error", f"expected_{quantity}"


class Observable:
    """All that the file has of an observable, by name. Raises MissingResult where the run has nothing of it."""

    def __init__(self, run: Run, name: str) -> None:
        self._prefixes = [""]  # of groups that have tables of their own
        if name == "diffusion" and len(species_names(run)) > 1 and run.diffusion.samples > 0:
            self._prefixes = [f"{species}/" for species in species_names(run)]
        else:
            found: Measured | Histograms = getattr(run, name)
            found.check_samples()
        self.path, self.name = run.path, name
        self.arrays: dict[str, Values] = {}  # datasets
        self.numbers: dict[str, Values] = {}  # attributes
        groups = ["", "occupancy/", "speed/"] if name == "histograms" else ["", *filter(None, self._prefixes)]
        for group in groups:
            part = run.part(f"{name}/{group}")
            for key, value in part.attributes().items():
                self.numbers[group + key] = Values(group + key, np.asarray(value), _NUMBER_UNITS.get(key, "1"), "")
            for key in part.datasets():
                self.arrays[group + key] = part.values(key)

    def tables(self) -> Iterator[tuple[Table, list[str]]]:
        """The tables, and the arrays that each has beside its coordinates."""
        for prefix in self._prefixes:
            for table in TABLES[self.name]:
                axes = tuple(tuple(prefix + name for name in axis) for axis in table.axes)
                yield Table(axes, table.quantities), [prefix + name for quantity in table.quantities for name in _with_sides(quantity)
                                                      if prefix + name in self.arrays]

    def choices(self) -> list[str]:
        """A name for each table, the first one of its own; NUMBERS is that of the attributes."""
        return [*(names[0] for _, names in self.tables() if names), NUMBERS]

    def columns(self, quantity: str) -> Columns:
        """The table that has `quantity`. Raises MissingResult where there is none of this name."""
        with reading(self.path):
            for table, names in self.tables():
                known = names + [name for axis in table.axes for name in axis]
                if quantity in known or any(name.startswith(f"{quantity}/") for name in known):
                    found = self._columns_of(table, names)
                    if len({len(column) for column in found.values()}) != 1:
                        raise ResultsError(f"{self.path}: arrays of {self.name} differ in length: the file is damaged")
                    return found
            if quantity == NUMBERS or quantity in self.numbers:
                return {"name": np.array(list(self.numbers)), "value": np.array([_as_text(value) for value in self.numbers.values()]),
                        "unit": np.array(["" if _is_text(value) else value.unit for value in self.numbers.values()])}
            every = [*(name for _, names in self.tables() for name in names), NUMBERS, *self.numbers]
            raise MissingResult(f"{self.path}: {self.name} has no '{quantity}', only {', '.join(every)}")

    def _columns_of(self, table: Table, names: list[str]) -> Columns:
        places = [self._coordinates(axis) for axis in table.axes]
        shape = [len(next(iter(columns.values()))) for columns in places]
        filled: Columns = {}
        for axis, columns in enumerate(places):
            along = [-1 if other == axis else 1 for other in range(len(shape))]
            filled.update((header, np.broadcast_to(column.reshape(along), shape).ravel()) for header, column in columns.items())
        for name in names:
            filled.update(self._spread(name, len(shape)))
        return filled

    def _coordinates(self, axis: tuple[str, ...]) -> Columns:
        found: Columns = {}
        for name in axis:
            if name in _DIRECTIONS:
                found[name] = np.array(list(AXES))
            elif name in self.numbers:
                found[name] = self.numbers[name].values
            elif name.endswith("edges"):
                edges = self._array(name)
                found |= {titled(f"{side}_edge", edges.unit): part
                          for side, part in (("lower", edges.values[:-1]), ("upper", edges.values[1:]))}
            else:
                found |= self._spread(name, 1)
        return found

    def _array(self, name: str) -> Values:
        if name not in self.arrays:
            raise ResultsError(f"{self.path}: has no dataset {self.name}/{name}: the file is damaged")
        return self.arrays[name]

    def _spread(self, name: str, axes: int) -> Columns:
        """An array, without its first `axes` axes, as columns: one, or one a component."""
        array = self._array(name)
        rows, width = prod(array.values.shape[:axes]), prod(array.values.shape[axes:])
        components = {1: [""], 3: list(AXES)}.get(width) or self.numbers["components"].values.tolist()
        flat = array.values.reshape(rows, width)
        return {titled(component_name(name.rpartition("/")[2], component), array.unit): flat[:, number]
                for number, component in enumerate(components)}


def _is_text(value: Values) -> bool:
    return bool(value.values.dtype.kind == "U")


def _as_text(value: Values) -> str:
    return "; ".join(str(entry) for entry in np.atleast_1d(value.values).tolist())  # of a float: the same bits when read


def write_csv(found: Observable, quantity: str, path: Path) -> None:
    """The table that has `quantity`, one line a place: where, then each array with its error and what is expected of it."""
    columns = found.columns(quantity)
    with path.open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow(columns)
        rows.writerows(zip(*(column.tolist() for column in columns.values())))  # repr of a float: the same bits when read


def write_npz(found: Observable, path: Path) -> None:
    """numpy.load gives the datasets and attributes of the observable by their names in the file, and their units as NAME_unit."""
    entries = {**found.numbers, **found.arrays}
    units = {f"{name}_unit": np.array(value.unit) for name, value in entries.items() if not _is_text(value)}
    np.savez(path, **{name: value.values for name, value in entries.items()}, **units)  # type: ignore[arg-type]


ENDINGS = [".csv", ".npz"]

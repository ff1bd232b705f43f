"""What every reader of result files shares: errors, numbers with their units, and HDF5 with clear messages."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import h5py
import numpy as np
from numpy.typing import NDArray

from mpcflow_tools.errors import DamagedFile, MissingResult, ResultsError
from mpcflow_tools.files import Opened, open_file, open_regular, read_numbers, read_text, reading, result_file
from mpcflow_tools.input_text import parse_input
from mpcflow_tools.texts import is_name, plain_unit, printable

__all__ = ["MOST", "DamagedFile", "MissingResult", "Opened", "Part", "ResultsError", "Table", "Values", "open_file", "open_regular", "parse_input",
           "plain", "read_numbers", "reading", "result_file", "text_of", "titled", "whole", "finite"]

# Characters of an attribute that are kept.
LONGEST_TEXT = 4096


@dataclass(frozen=True, eq=False, repr=False)
class Values:
    """Numbers with their unit. numpy takes it for its array, float() for its one number. A part of them, and their product with
    numbers, have their errors and unit, too."""

    __array_priority__ = 1.0  # what numpy multiplies by them comes here

    name: str
    values: NDArray[Any]
    unit: str
    description: str
    error: NDArray[np.float64] | None = None  # one standard error of each, where the run has errors

    def known_error(self) -> NDArray[np.float64]:
        """`error` where there must be one. Raises MissingResult."""
        if self.error is None:
            raise MissingResult(f"{self.name} has no {self.name}_error beside it: this is not what mpcflow writes")
        return self.error

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        return np.array(self.values, dtype=dtype) if copy else np.asarray(self.values, dtype=dtype)

    def __float__(self) -> float:
        return float(self.values)

    def __len__(self) -> int:
        return len(self.values)

    def __getitem__(self, index: Any) -> Values:
        error = None if self.error is None else np.asarray(self.error[index])
        return replace(self, values=np.asarray(self.values[index]), error=error)

    def __mul__(self, factor: Any) -> Values:
        if isinstance(factor, Values):
            return NotImplemented  # errors may hang together, and units are texts
        factor = np.asarray(factor)
        return replace(self, values=self.values * factor, error=None if self.error is None else self.error * np.abs(factor))

    __rmul__ = __mul__

    def __neg__(self) -> Values:
        return self * -1

    def __truediv__(self, divisor: Any) -> Values:
        return NotImplemented if isinstance(divisor, Values) else self * (1.0 / np.asarray(divisor))

    def __repr__(self) -> str:
        unit = "" if self.unit == "1" else f" {self.unit}"
        if self.values.ndim == 0:
            error = "" if self.error is None else f" +- {self.error:.2g}"
            return f"{self.name} = {self.values:.6g}{error}{unit}"
        shape = " x ".join(str(n) for n in self.values.shape)
        finite = self.values[np.isfinite(self.values)]
        reach = f", {finite.min():.6g} ... {finite.max():.6g}{unit}" if finite.size else ""
        return f"{self.name}: {shape}{reach} ({self.description})"


def text_of(value: Any) -> str:
    """A text as HDF5 keeps it, on one line and fit for a terminal."""
    return printable(value.decode("utf-8", errors="replace") if isinstance(value, bytes) else str(value), LONGEST_TEXT)


def plain(value: Any) -> Any:
    """An attribute as Python's own int, float, str, or an array."""
    if isinstance(value, (bytes, str)):
        return text_of(value)
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.ndarray) and value.dtype.kind in "SO":
        return [text_of(entry) for entry in value.ravel().tolist()]
    return value


class Part:
    """A group of a result file, read piece by piece as it is asked for."""

    def __init__(self, path: Path, file: Any, name: str) -> None:
        self.path = path
        self.name = name
        with reading(path):
            found = file.get(name)
            if found is not None and not isinstance(found, h5py.Group):
                raise ResultsError(f"{path}: {name} is no group: this is not what mpcflow writes")
            self.group: h5py.Group | None = found

    def __bool__(self) -> bool:
        return self.group is not None

    def part(self, name: str) -> Part:
        """A group in this one; empty where there is none."""
        return Part(self.path, self.group or {}, name)

    def dataset(self, name: str) -> h5py.Dataset:
        """Raises ResultsError where the file has no such dataset."""
        with reading(self.path):
            found = None if self.group is None else self.group.get(name)
            if not isinstance(found, h5py.Dataset):
                raise ResultsError(f"{self.path}: has no dataset {self.name}/{name}")
            return found

    def datasets(self) -> list[str]:
        """Their names. Raises ResultsError where one is none that could name a file or a column."""
        with reading(self.path):
            names = [] if self.group is None else [name for name, found in self.group.items() if isinstance(found, h5py.Dataset)]
        return self._checked(names)

    def _checked(self, names: list[str]) -> list[str]:
        for name in names:
            if not is_name(name):
                raise ResultsError(f"{self.path}: {self.name} holds the name '{printable(name, 60)}': this is not what mpcflow writes")
        return names

    def array(self, name: str) -> NDArray[Any]:
        """The numbers of a dataset."""
        return read_numbers(self.path, self.dataset(name))

    def row(self, name: str) -> NDArray[Any]:
        """The same of a dataset of one axis."""
        found = self.array(name)
        if found.ndim != 1:
            raise ResultsError(f"{self.path}: {self.name}/{name} has {found.ndim} axes in place of one: this is not what mpcflow writes")
        return found

    def shape(self, name: str) -> tuple[int, ...]:
        """Of the dataset `name`, which is not read."""
        dataset = self.dataset(name)
        with reading(self.path):
            return tuple(int(length) for length in dataset.shape)

    def text(self, name: str) -> str:
        """A text as it was written, lines and all: not fit for a terminal."""
        return read_text(self.path, self.dataset(name))

    def unit(self, name: str) -> str:
        """Of the dataset `name`, which is not read."""
        dataset = self.dataset(name)
        with reading(self.path):
            return plain_unit(text_of(dataset.attrs.get("unit", "1")))

    def description(self, name: str) -> str:
        dataset = self.dataset(name)
        with reading(self.path):
            return text_of(dataset.attrs.get("description", ""))

    def values(self, name: str) -> Values:
        """The dataset `name` with its unit, and its error where there is a `name`_error."""
        values = self.array(name)
        error = self.array(f"{name}_error") if self.has(f"{name}_error") else None
        if error is not None and error.shape != values.shape:
            raise ResultsError(f"{self.path}: {self.name}/{name}_error has another shape than what it is the error of: the file is damaged")
        return Values(name, values, self.unit(name), self.description(name), error)

    def has(self, name: str) -> bool:
        with reading(self.path):
            return self.group is not None and name in self.group

    def has_attribute(self, name: str) -> bool:
        with reading(self.path):
            return self.group is not None and name in self.group.attrs

    def attribute(self, name: str) -> Any:
        """Raises ResultsError where the group has no such attribute."""
        with reading(self.path):
            if self.group is None or name not in self.group.attrs:
                raise ResultsError(f"{self.path}: /{self.name.strip('/')} has no attribute {name}")
            return plain(self.group.attrs[name])

    def integer(self, name: str, least: int = 0) -> int:
        """An attribute that is a whole number. Raises ResultsError."""
        return whole(self.path, f"/{self.name.strip('/')}", name, self.attribute(name), least)

    def real(self, name: str) -> float:
        """An attribute that is a number, NaN among them. Raises ResultsError."""
        found = self.attribute(name)
        if not isinstance(found, (int, float)):
            raise ResultsError(f"{self.path}: /{self.name.strip('/')} has no number as {name}: this is not what mpcflow writes")
        return float(found)

    def attributes(self) -> dict[str, Any]:
        """All of them. Raises ResultsError where a name is none that could name a column."""
        with reading(self.path):
            found = {} if self.group is None else {name: plain(value) for name, value in self.group.attrs.items()}
        self._checked(list(found))
        return found


# Largest number of steps, particles or bytes that is believed.
MOST = 1 << 62


def whole(path: Path, place: str, name: str, value: Any, least: int = 0) -> int:
    """`value` if it is a whole number of at least `least`. Raises ResultsError."""
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= MOST:
        raise ResultsError(f"{path}: {place} has no whole number from {least} up as {name}: this is not what mpcflow writes")
    return value


def finite(path: Path, place: str, name: str, value: Any) -> float:
    """`value` if it is a finite number. Raises ResultsError."""
    if not isinstance(value, (int, float)) or isinstance(value, bool) or not math.isfinite(value):
        raise ResultsError(f"{path}: {place} has no finite number as {name}: this is not what mpcflow writes")
    return float(value)


class Table(Mapping[str, Values]):
    """Datasets of one group by name, each read when it is asked for."""

    def __init__(self, part: Part, names: list[str], missing: str) -> None:
        self._part = part
        self._names = names
        self._missing = missing  # what is said where the whole group is not there

    @property
    def path(self) -> Path:
        """The file that they are in."""
        return self._part.path

    def check(self, name: str) -> None:
        """Raises MissingResult where there is no such dataset."""
        if not self._names:
            raise MissingResult(f"{self._part.path}: {self._missing}")
        if name not in self._names:
            raise MissingResult(f"{self._part.path}: {self._part.name} has no '{name}', only {', '.join(self._names)}")

    def __getitem__(self, name: str) -> Values:
        self.check(name)
        return self._part.values(name)

    def unit(self, name: str) -> str:
        """Of the dataset `name`, which is not read."""
        self.check(name)
        return self._part.unit(name)

    def shape(self, name: str) -> tuple[int, ...]:
        """Of the dataset `name`, which is not read."""
        return self._part.shape(name)

    def rows(self, name: str, first: int, last: int | None = None) -> NDArray[Any]:
        """The rows first <= i < last alone, for datasets larger than the memory; the row `first` where `last` is None,
        counted from the end where it is negative."""
        dataset = self._part.dataset(name)
        with reading(self._part.path):
            first = first + len(dataset) if first < 0 else first
        return read_numbers(self._part.path, dataset, (slice(first, first + 1 if last is None else last),))

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __repr__(self) -> str:
        return f"{self._part.name}: {', '.join(self._names)}" if self._names else self._missing


def titled(name: str, unit: str) -> str:
    """The title of a column: its name and, in brackets, its unit if it has one."""
    return name if unit == "1" else f"{name} [{unit}]"

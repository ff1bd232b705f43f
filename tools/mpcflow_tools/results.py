"""What every reader of result files shares: errors, numbers with their units, and HDF5 with clear messages."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import yaml
from numpy.typing import NDArray


class ResultsError(Exception):
    """A result file cannot be read; says which and why."""

    status = 3  # exit status of a command that ends with it: the environment


class MissingResult(ResultsError, KeyError):
    """The results do not hold what was asked for; says what they hold."""

    status = 2  # the arguments

    __str__ = Exception.__str__  # KeyError would print quotes


@dataclass(frozen=True, eq=False, repr=False)
class Values:
    """Numbers with their unit. numpy takes it for its array, float() for its one number."""

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

    def __repr__(self) -> str:
        unit = "" if self.unit == "1" else f" {self.unit}"
        if self.values.ndim == 0:
            return f"{self.name} = {self.values:.6g}{unit}"
        shape = " x ".join(str(n) for n in self.values.shape)
        finite = self.values[np.isfinite(self.values)]
        reach = f", {finite.min():.6g} ... {finite.max():.6g}{unit}" if finite.size else ""
        return f"{self.name}: {shape}{reach} ({self.description})"


class _Loader(yaml.SafeLoader):
    """YAML 1.1 takes 1e-05, which has no point, for text; the program's YAML 1.2 for a number."""


_Loader.yaml_implicit_resolvers = {first: list(entries) for first, entries in yaml.SafeLoader.yaml_implicit_resolvers.items()}
_Loader.add_implicit_resolver(
    "tag:yaml.org,2002:float", re.compile(r"^[-+]?[0-9]+[eE][-+]?[0-9]+$"), list("-+0123456789"))


def text_of(value: Any) -> str:
    """A text as HDF5 keeps it."""
    return value.decode("utf-8", errors="replace") if isinstance(value, bytes) else str(value)


def plain(value: Any) -> Any:
    """An attribute as Python's own int, float, str, or an array."""
    if isinstance(value, (bytes, str)):
        return text_of(value)
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.ndarray) and value.dtype.kind in "SO":
        return [text_of(entry) for entry in value.tolist()]
    return value


@contextmanager
def reading(path: Path) -> Iterator[None]:
    """Turns whatever h5py raises at a damaged file into a ResultsError that names it."""
    try:
        yield
    except ResultsError:
        raise
    except (OSError, RuntimeError, LookupError, ValueError, TypeError, AttributeError, ArithmeticError, MemoryError,
            SystemError) as error:
        reason = str(error.args[0] if error.args else error).split("\n", 1)[0]
        raise ResultsError(f"{path}: cannot be read ({reason}): the file is damaged, or was just being written") from error


def result_file(path: Path, name: str) -> Path:
    """`path` itself, or the file `name` in it if it is a folder. Raises ResultsError where it is not."""
    file = path / name if path.is_dir() else path
    if not file.is_file():
        raise ResultsError(f"{file}: no such file")
    return file


def open_file(path: Path) -> h5py.File:
    """Opens a result file; a run that is writing it is not disturbed. Raises ResultsError.

    As h5py does by default, so that other readers in this process may open it too, for which HDF5 wants the same
    setting of locks; without locks where that fails, as on file systems that have none.
    """
    if not h5py.is_hdf5(path):
        raise ResultsError(f"{path}: cannot be read: is no HDF5 file, or was cut short at its head")
    with reading(path):
        try:
            return h5py.File(path, "r")
        except OSError:
            return h5py.File(path, "r", locking=False)


class Part:
    """A group of a result file, read piece by piece as it is asked for."""

    def __init__(self, path: Path, file: h5py.File, name: str) -> None:
        self.path = path
        self.name = name
        with reading(path):
            found = file.get(name)
            if found is not None and not isinstance(found, h5py.Group):
                raise ResultsError(f"{path}: {name} is no group: this is not what mpcflow writes")
            self.group: h5py.Group | None = found

    def __bool__(self) -> bool:
        return self.group is not None

    def dataset(self, name: str) -> h5py.Dataset:
        """Raises ResultsError where the file has no such dataset."""
        with reading(self.path):
            found = None if self.group is None else self.group.get(name)
            if not isinstance(found, h5py.Dataset):
                raise ResultsError(f"{self.path}: has no dataset {self.name}/{name}")
            return found

    def datasets(self) -> list[str]:
        with reading(self.path):
            return [] if self.group is None else [name for name, found in self.group.items() if isinstance(found, h5py.Dataset)]

    def array(self, name: str) -> NDArray[Any]:
        dataset = self.dataset(name)
        with reading(self.path):
            return np.asarray(dataset[()])

    def text(self, name: str) -> str:
        dataset = self.dataset(name)
        with reading(self.path):
            return text_of(dataset[()])

    def values(self, name: str) -> Values:
        """The dataset `name` with its unit, and its error where there is a `name`_error."""
        dataset = self.dataset(name)
        with reading(self.path):
            error = np.asarray(self.dataset(f"{name}_error")[()]) if self.group and f"{name}_error" in self.group else None
            return Values(name, np.asarray(dataset[()]), text_of(dataset.attrs.get("unit", "1")),
                          text_of(dataset.attrs.get("description", "")), error)

    def has_attribute(self, name: str) -> bool:
        with reading(self.path):
            return self.group is not None and name in self.group.attrs

    def attribute(self, name: str) -> Any:
        """Raises ResultsError where the group has no such attribute."""
        with reading(self.path):
            if self.group is None or name not in self.group.attrs:
                raise ResultsError(f"{self.path}: /{self.name.strip('/')} has no attribute {name}")
            return plain(self.group.attrs[name])

    def attributes(self) -> dict[str, Any]:
        with reading(self.path):
            return {} if self.group is None else {name: plain(value) for name, value in self.group.attrs.items()}


class _Mapping(dict[str, Any]):
    """A mapping of an input that says which file has no such key."""

    def __init__(self, path: Path, name: str, found: dict[str, Any]) -> None:
        super().__init__((key, _Mapping(path, f"{name}{key}.", value) if isinstance(value, dict) else value)
                         for key, value in found.items())
        self._place = f"{path}: its input has no {name}"

    def __missing__(self, key: str) -> Any:
        raise MissingResult(self._place + key)


def parse_input(path: Path, text: str) -> dict[str, Any]:
    """The YAML of an input file; a key that is not there raises MissingResult. Raises ResultsError."""
    try:
        found = yaml.load(text, _Loader)  # a SafeLoader
    except yaml.YAMLError as error:
        raise ResultsError(f"{path}: its input is no YAML ({str(error).splitlines()[0]})") from error
    if not isinstance(found, dict):
        raise ResultsError(f"{path}: its input is no YAML mapping")
    return _Mapping(path, "", found)


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
        dataset = self._part.dataset(name)
        with reading(self._part.path):
            return text_of(dataset.attrs.get("unit", "1"))

    def shape(self, name: str) -> tuple[int, ...]:
        """Of the dataset `name`, which is not read."""
        dataset = self._part.dataset(name)
        with reading(self._part.path):
            return tuple(int(length) for length in dataset.shape)

    def rows(self, name: str, first: int, last: int | None = None) -> NDArray[Any]:
        """The rows first <= i < last alone, for datasets larger than the memory; the row `first` where `last` is None,
        counted from the end where it is negative."""
        dataset = self._part.dataset(name)
        with reading(self._part.path):
            first = first + len(dataset) if first < 0 else first
            return np.asarray(dataset[first:first + 1 if last is None else last])

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __repr__(self) -> str:
        return f"{self._part.name}: {', '.join(self._names)}" if self._names else self._missing


def titled(name: str, unit: str) -> str:
    """The title of a column: its name and, in brackets, its unit if it has one."""
    return name if unit == "1" else f"{name} [{unit}]"

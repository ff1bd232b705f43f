"""What `mpcflow bench kernels --json` printed, as tables of numbers; and `mpcflow bench step --json`, as rates."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mpcflow_tools.files import open_regular


class NotABenchmark(Exception):
    """The file is not what `mpcflow bench kernels --json`, or `mpcflow bench step --json`, prints."""


# Bytes that are read; what the program prints is a hundredth of it.
LONGEST_TEXT = 1 << 24


@dataclass(frozen=True)
class Column:
    name: str
    unit: str
    values: NDArray[np.float64]  # one for each row; NaN where a way does not apply


@dataclass(frozen=True)
class Table:
    part: str
    name: str
    title: str
    items: int  # particles, keys or elements that each measurement works on
    x: Column
    columns: list[Column]

    def column(self, name: str) -> Column:
        for column in self.columns:
            if column.name == name:
                return column
        raise NotABenchmark(f"the table {self.name} has no column {name}")

    def ways(self, unit: str) -> list[Column]:
        """The columns of one unit: what was measured in several ways."""
        return [column for column in self.columns if column.unit == unit]


@dataclass(frozen=True)
class KernelResults:
    device: str
    cuda: str
    commit: str
    size: str
    copy_bytes_per_second: float
    tables: list[Table]

    def part(self, letter: str) -> list[Table]:
        return [table for table in self.tables if table.part == letter]

    @property
    def parts(self) -> list[str]:
        return sorted({table.part for table in self.tables})


@dataclass(frozen=True)
class StepRate:
    """Of whole steps, each way of summing by itself."""
    law: str
    precision: str
    way: str
    density: float
    updates_per_second: float
    device: str


def _table(entry: dict[str, Any]) -> Table:
    rows = entry["rows"]
    if not rows:
        raise NotABenchmark(f"the table {entry['name']} is empty")
    values = np.array([row["values"] for row in rows], dtype=float)  # null becomes NaN
    if values.shape != (len(rows), len(entry["columns"])):
        raise NotABenchmark(f"the table {entry['name']} has rows of another length than its columns")
    columns = [Column(column["name"], column["unit"], values[:, i]) for i, column in enumerate(entry["columns"])]
    x = Column(entry["x"]["name"], entry["x"]["unit"], np.array([row["x"] for row in rows], dtype=float))
    return Table(entry["part"], entry["name"], entry["title"], int(entry["items"]), x, columns)


def _read_text(path: Path) -> str:
    with os.fdopen(open_regular(path), "rb") as file:
        text = file.read(LONGEST_TEXT + 1)
    if len(text) > LONGEST_TEXT:
        raise NotABenchmark(f"{path} has more than {LONGEST_TEXT} bytes")
    try:
        return text.decode("utf-8")
    except UnicodeDecodeError as error:
        raise NotABenchmark(f"{path} is not text: {error}") from error


def read_step_rates(path: Path) -> list[StepRate]:
    """Of a file to which any number of runs have printed. Throws NotABenchmark, ResultsError, OSError."""
    text = _read_text(path)
    rates = []
    try:
        at = 0
        while at < len(text.rstrip()):
            at += len(text[at:]) - len(text[at:].lstrip())
            found, at = json.JSONDecoder().raw_decode(text, at)
            rates += [StepRate(entry["law"], entry["precision"], entry["summation"], float(entry["density"]),
                               float(entry["updates_per_second"]), entry["device"]) for entry in found]
    except (ValueError, KeyError, TypeError, RecursionError, OverflowError) as error:
        raise NotABenchmark(f"{path} is not what mpcflow bench step --json prints: "
                            f"{type(error).__name__}: {error}") from error
    if not rates:
        raise NotABenchmark(f"{path} has no rates of steps")
    return rates


def read_kernel_results(path: Path) -> KernelResults:
    """Throws NotABenchmark, ResultsError, OSError."""
    text = _read_text(path)
    try:
        found = json.loads(text)
        return KernelResults(found["device"]["name"], found["cuda"], found["commit"], found["size"],
                             float(found["copy_bytes_per_second"]), [_table(entry) for entry in found["tables"]])
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError, OverflowError) as error:
        raise NotABenchmark(f"{path} is not what mpcflow bench kernels --json prints: "
                            f"{type(error).__name__}: {error}") from error

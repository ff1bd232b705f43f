"""fields.h5: the fields averaged over one window of time after the other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import overload

import numpy as np
from numpy.typing import NDArray

from mpcflow_tools.fields import Block, Fields
from mpcflow_tools.integrity import Checksum, check_header, damaged, window_checksum
from mpcflow_tools.results import MOST, Part, ResultsError, Values, open_file, read_numbers, result_file


# Datasets of /fields that have one number a window.
LISTS = ("first_step", "last_step", "time", "samples", "checksum")
# In the order in which a window's checksum takes them.
SUMMED = ("density", "velocity", "temperature", "pressure_tensor")
# Format versions of fields.h5 that are read, and the first of those that have checksums.
VERSIONS = (1, 2)
SUMMED_VERSION = 2


class Window(Fields):
    """The averages over one window: as Run.fields, without errors. What is first asked of it has its checksum looked at."""

    def __init__(self, windows: Windows, index: int) -> None:
        self._windows = windows
        self._part = windows.part
        self._names = windows.quantities
        self._missing = "holds no fields"
        self.errors = frozenset()
        self.index = index

    def __repr__(self) -> str:
        return f"Window {self.index}: steps {self.first_step} to {self.last_step}, {self.samples} samples: {', '.join(self)}"

    @property
    def time(self) -> float:
        """Of the last sample."""
        self._windows.check(self.index)
        return float(self._windows.times[self.index])

    @property
    def samples(self) -> int:
        self._windows.check(self.index)
        return int(self._windows.samples[self.index])

    @property
    def first_step(self) -> int:
        self._windows.check(self.index)
        return int(self._windows.first_steps[self.index])

    @property
    def last_step(self) -> int:
        self._windows.check(self.index)
        return int(self._windows.last_steps[self.index])

    def __getitem__(self, name: str) -> Values:
        self.check(name)
        return Values(name, self._read(name, ()), self.unit(name), self._part.description(name))

    def shape(self, name: str) -> tuple[int, ...]:
        return super().shape(name)[1:]

    def rows(self, name: str, first: int, last: int | None = None) -> NDArray[np.float64]:
        return self.block(name, Block(slice(None), slice(first, first + 1 if last is None else last)))

    def block(self, name: str, block: Block) -> NDArray[np.float64]:
        return self._read(name, (block.z, block.y))

    def layer(self, name: str, axis: int, index: int) -> NDArray[np.float64]:
        return self._read(name, (slice(None),) * (2 - axis) + (index,))

    def _read(self, name: str, selection: tuple[int | slice, ...]) -> NDArray[np.float64]:
        self._windows.check(self.index)
        return self._unchecked(name, selection)

    def _unchecked(self, name: str, selection: tuple[int | slice, ...]) -> NDArray[np.float64]:
        return read_numbers(self._part.path, self._part.dataset(name), (self.index, *selection))

    def checksum(self, name: str) -> int:
        """Of the raw bytes of a field, some at a time."""
        found = Checksum()
        kind = self._part.dataset(name).dtype.newbyteorder("<")
        for block in self.blocks():
            found.update(np.ascontiguousarray(self._unchecked(name, (block.z, block.y)), dtype=kind).tobytes())
        return found.value()


class Windows(Sequence[Window]):
    """The windows of a fields.h5. `path` is the file or the output directory. Raises ResultsError.

    len() is the number of windows, [i] one of them; none is read before its arrays are asked for. Windows that a running
    simulation adds are seen when the file is opened again. From format version 2 on the head of the file has a checksum, which
    is looked at now, and each window one, which is looked at when the window is first used.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = result_file(Path(path), "fields.h5")
        self._file = open_file(self.path).file
        self._header: int | None = None  # its checksum
        self._sums: NDArray[np.uint64] = np.empty(0, dtype=np.uint64)
        self._checked: set[int] = set()
        try:
            self._open()
        except ResultsError:
            self.close()
            raise

    def _open(self) -> None:
        root, self.part = Part(self.path, self._file, "/"), Part(self.path, self._file, "fields")
        if not root.has_attribute("format") or root.attribute("format") != "mpcflow fields" or not self.part:
            raise ResultsError(f"{self.path}: is no file of fields of mpcflow")
        version = root.integer("format_version") if root.has_attribute("format_version") else 1
        if version not in VERSIONS:
            raise ResultsError(f"{self.path}: has format version {version}; this program reads versions 1 and 2: take a newer one")
        # Windows count from the moment that last_step lists them: it is read first, and what is beside it is there by then.
        self.last_steps: NDArray[np.int64] = self.part.row("last_step")
        if version >= SUMMED_VERSION or root.has_attribute("header_checksum"):
            self._header = check_header(self.path, self._file)
        self.run_id = str(root.attribute("run_id")) if root.has_attribute("run_id") else None
        count = len(self.last_steps)
        self.first_steps: NDArray[np.int64] = self.part.row("first_step")[:count]
        self.times: NDArray[np.float64] = self.part.row("time")[:count]
        self.samples: NDArray[np.int64] = self.part.row("samples")[:count]
        if self._header is not None:
            self._sums = self.part.row("checksum")[:count]
        if not count == len(self.first_steps) == len(self.times) == len(self.samples) or (self._header is not None and len(self._sums) != count):
            raise ResultsError(f"{self.path}: windows differ in their number of steps, times and samples: the file is damaged")
        self.quantities = [name for name in self.part.datasets() if name not in LISTS and not name.endswith(("_edges", "_centres"))]
        self._check_shapes()

    def _check_shapes(self) -> None:
        for name in ("last_step", "first_step", "samples", "time"):
            if self.part.dataset(name).dtype.kind not in ("f" if name == "time" else "iu"):
                raise ResultsError(f"{self.path}: fields/{name} holds other numbers than mpcflow writes: the file is damaged")
        if np.any((self.first_steps < 0) | (self.last_steps < self.first_steps) | (self.last_steps > MOST) | (self.samples < 0)):
            raise ResultsError(f"{self.path}: windows have steps that no run has: the file is damaged")
        if not np.all(np.isfinite(self.times)):
            raise ResultsError(f"{self.path}: windows have times that are no numbers: the file is damaged")
        one = Window(self, 0)
        for name in self.quantities:
            if self.part.shape(name)[0:1] < (len(self),) or self.part.dataset(name).dtype.kind != "f":
                raise ResultsError(f"{self.path}: fields/{name} has fewer windows than the file says: it is damaged")
        one.check_shapes()

    def check(self, index: int) -> None:
        """Looks at the checksum of a window, once. Raises DamagedFile."""
        if self._header is None or index in self._checked:
            return
        one = Window(self, index)
        sums = [one.checksum(name) for name in SUMMED if name in self.quantities]
        found = window_checksum(index, (int(self.first_steps[index]), int(self.last_steps[index])), float(self.times[index]),
                                int(self.samples[index]), sums)
        if found != int(self._sums[index]):
            raise damaged(self.path, f"window {index} is not what was written")
        self._checked.add(index)

    @property
    def every(self) -> int:
        """Steps between samples."""
        return self.part.integer("every", 1)

    def close(self) -> None:
        self._file.close()

    def __enter__(self) -> Windows:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def __len__(self) -> int:
        return len(self.last_steps)

    @overload
    def __getitem__(self, index: int) -> Window: ...

    @overload
    def __getitem__(self, index: slice) -> list[Window]: ...

    def __getitem__(self, index: int | slice) -> Window | list[Window]:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        if not -len(self) <= index < len(self):
            raise IndexError(f"{self.path}: no window {index}: there are {len(self)}")
        return Window(self, index % len(self))

    def __iter__(self) -> Iterator[Window]:
        return (self[i] for i in range(len(self)))

    def __repr__(self) -> str:
        return f"Windows: {self.summary()} ({self.path})"

    def summary(self) -> str:
        """Their number, steps and quantities, in a line."""
        steps = f", steps {self.first_steps[0]} ... {self.last_steps[-1]}" if len(self) else ""
        return f"{len(self)} windows{steps}: {', '.join(self.quantities)}"

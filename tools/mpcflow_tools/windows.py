"""fields.h5: the fields averaged over one window of time after the other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import overload

import numpy as np
from numpy.typing import NDArray

from mpcflow_tools.fields import Block, Fields
from mpcflow_tools.results import Part, ResultsError, Values, open_file, reading, result_file, text_of


class Window(Fields):
    """The averages over one window: as Run.fields, without errors."""

    def __init__(self, windows: Windows, index: int) -> None:
        super().__init__(windows.part)
        self._names = windows.quantities
        self.errors = frozenset()
        self.index = index
        self.time = float(windows.times[index])  # of the last sample
        self._steps = int(windows.first_steps[index]), int(windows.last_steps[index])
        self._samples = int(windows.samples[index])

    def __repr__(self) -> str:
        return f"Window {self.index}: steps {self.first_step} to {self.last_step}, {self.samples} samples: {', '.join(self)}"

    @property
    def samples(self) -> int:
        return self._samples

    @property
    def first_step(self) -> int:
        return self._steps[0]

    @property
    def last_step(self) -> int:
        return self._steps[1]

    def __getitem__(self, name: str) -> Values:
        self.check(name)
        dataset = self._part.dataset(name)
        with reading(self._part.path):
            return Values(name, np.asarray(dataset[self.index]), self.unit(name), text_of(dataset.attrs.get("description", "")))

    def shape(self, name: str) -> tuple[int, ...]:
        return super().shape(name)[1:]

    def rows(self, name: str, first: int, last: int | None = None) -> NDArray[np.float64]:
        return self.block(name, Block(slice(None), slice(first, first + 1 if last is None else last)))

    def block(self, name: str, block: Block) -> NDArray[np.float64]:
        dataset = self._part.dataset(name)
        with reading(self._part.path):
            return np.asarray(dataset[self.index, block.z, block.y])

    def layer(self, name: str, axis: int, index: int) -> NDArray[np.float64]:
        dataset = self._part.dataset(name)
        with reading(self._part.path):
            return np.asarray(dataset[(self.index,) + (slice(None),) * (2 - axis) + (index,)])


class Windows(Sequence[Window]):
    """The windows of a fields.h5. `path` is the file or the output directory. Raises ResultsError.

    len() is the number of windows, [i] one of them; none is read before its arrays are asked for. Windows that a running
    simulation adds are seen when the file is opened again.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = result_file(Path(path), "fields.h5")
        self._file = open_file(self.path)
        root, self.part = Part(self.path, self._file, "/"), Part(self.path, self._file, "fields")
        if not root.has_attribute("format") or root.attribute("format") != "mpcflow fields" or not self.part:
            self.close()
            raise ResultsError(f"{self.path}: is no file of fields of mpcflow")
        # Windows count from the moment that last_step lists them.
        self.last_steps: NDArray[np.int64] = self.part.array("last_step")
        count = len(self.last_steps)
        self.first_steps: NDArray[np.int64] = self.part.array("first_step")[:count]
        self.times: NDArray[np.float64] = self.part.array("time")[:count]
        self.samples: NDArray[np.int64] = self.part.array("samples")[:count]
        if not count == len(self.first_steps) == len(self.times) == len(self.samples):
            raise ResultsError(f"{self.path}: windows differ in their number of steps, times and samples: the file is damaged")
        lists = ("first_step", "last_step", "time", "samples")
        self.quantities = [name for name in self.part.datasets() if name not in lists and not name.endswith(("_edges", "_centres"))]

    @property
    def every(self) -> int:
        """Steps between samples."""
        return int(self.part.attribute("every"))

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

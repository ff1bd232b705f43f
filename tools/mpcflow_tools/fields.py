"""Fields: averages over bins, whole or in parts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mpcflow_tools.results import Part, Table, reading

AXES = "xyz"

# Bins of a field that are read at a time: a few MB.
BLOCK_BINS = 1 << 16


class Samples:
    """When the samples of an average were taken."""

    def __init__(self, part: Part) -> None:
        self._part = part

    @property
    def samples(self) -> int:
        return int(self._part.attribute("samples")) if self._part else 0

    @property
    def every(self) -> int:
        return int(self._part.attribute("every"))

    @property
    def first_step(self) -> int:
        return int(self._part.attribute("first_step"))

    @property
    def last_step(self) -> int:
        return int(self._part.attribute("last_step"))


@dataclass(frozen=True)
class Block:
    """Bins that are read at a time: all along x, and these along y and z."""

    y: slice
    z: slice


class Fields(Table, Samples):
    """Averages over bins; arrays have the axes z y x, and components last: x y z of vectors, [3][3] of tensors."""

    def __init__(self, part: Part) -> None:
        sides = ("_error", "_edges", "_centres")
        names = [name for name in part.datasets() if not name.endswith(sides)]
        self.errors = frozenset(name for name in part.datasets() if name.endswith("_error"))
        Table.__init__(self, part, names, "holds no fields (output.fields in the input)")
        Samples.__init__(self, part)

    @property
    def bins(self) -> tuple[int, int, int]:
        """Bins along x, y, z."""
        x, y, z = (len(self.edges(axis)) - 1 for axis in AXES)
        return x, y, z

    def edges(self, axis: str) -> NDArray[np.float64]:
        """Edges of the bins along "x", "y" or "z"; one more than there are bins. In cell edges a."""
        return self._part.array(f"{axis}_edges")

    def centres(self, axis: str) -> NDArray[np.float64]:
        """Centres of the bins along "x", "y" or "z", in cell edges a."""
        edges = self.edges(axis)
        return 0.5 * (edges[:-1] + edges[1:])

    def components(self, name: str) -> list[str]:
        """Names of the components of a field: "" of a scalar, "x" ... of a vector, "xx", "xy" ... of a tensor."""
        self.check(name)
        return [""] if len(self.shape(name)) == 3 else list(AXES) if len(self.shape(name)) == 4 else [a + b for a in AXES for b in AXES]

    def blocks(self) -> Iterator[Block]:
        """The bins in parts of at most about BLOCK_BINS, in the order of the file, for fields larger than the memory."""
        x, y, z = self.bins
        rows, layers = max(1, BLOCK_BINS // x), max(1, BLOCK_BINS // (x * y))
        for first in range(0, z, layers):
            for row in range(0, y, rows):
                yield Block(slice(row, min(row + rows, y)), slice(first, min(first + layers, z)))

    def block(self, name: str, block: Block) -> NDArray[np.float64]:
        """A part of the dataset `name`."""
        dataset = self._part.dataset(name)
        with reading(self._part.path):
            return np.asarray(dataset[block.z, block.y])

    def layer(self, name: str, axis: int, index: int) -> NDArray[np.float64]:
        """One layer of bins across x, y or z (axis 0, 1, 2); the other axes stay in the order z y x."""
        dataset = self._part.dataset(name)
        with reading(self._part.path):
            return np.asarray(dataset[(slice(None),) * (2 - axis) + (index,)])

"""Fields: averages over bins, whole or in parts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from mpcflow_tools.results import MissingResult, Part, ResultsError, Table, Values, read_numbers

AXES = "xyz"
OF_SPECIES = "species_"  # how the names of datasets of each species of a mixture begin

# Bins of a field that are read at a time: a few MB.
BLOCK_BINS = 1 << 16
# Of a box, in cells: far more than any has.
LONGEST_EDGE = float(1 << 20)


class Samples:
    """When the samples of an average were taken."""

    def __init__(self, part: Part) -> None:
        self._part = part

    @property
    def samples(self) -> int:
        return self._part.integer("samples") if self._part else 0

    @property
    def every(self) -> int:
        return self._part.integer("every", 1)

    @property
    def first_step(self) -> int:
        return self._part.integer("first_step")

    @property
    def last_step(self) -> int:
        return self._part.integer("last_step")


@dataclass(frozen=True)
class Block:
    """Bins that are read at a time: all along x, and these along y and z."""

    y: slice
    z: slice


class Fields(Table, Samples):
    """Averages over bins; arrays have the axes z y x, and components last: x y z of vectors, [3][3] of tensors."""

    def __init__(self, part: Part) -> None:
        sides = ("_error", "_edges", "_centres")
        found = [name for name in part.datasets() if not name.startswith(OF_SPECIES)]
        names = [name for name in found if not name.endswith(sides)]
        self.errors = frozenset(name for name in found if name.endswith("_error"))
        Table.__init__(self, part, names, "holds no fields (output.fields in the input)")
        Samples.__init__(self, part)
        if part:
            self.check_shapes()

    def check_shapes(self) -> None:
        """Raises ResultsError where arrays have another number of bins than there are between the edges."""
        bins = self.bins[::-1]
        for name in [*self, *self.errors]:
            shape = self.shape(name)
            if shape[:3] != bins or shape[3:] not in ((), (3,), (3, 3)) or (name in self.errors and (
                    name.removesuffix("_error") not in self or self.shape(name.removesuffix("_error")) != shape)):
                raise ResultsError(f"{self._part.path}: {self._part.name}/{name} has other bins than the edges say, or other components "
                                   "than mpcflow writes: the file is damaged")

    @cached_property
    def bins(self) -> tuple[int, int, int]:
        """Bins along x, y, z."""
        x, y, z = (len(self.edges(axis)) - 1 for axis in AXES)
        return x, y, z

    def number(self, name: str) -> float:
        """An attribute that is a number, NaN among them. Raises ResultsError."""
        return self._part.real(name)

    def edges(self, axis: str) -> NDArray[np.float64]:
        """Edges of the bins along "x", "y" or "z"; one more than there are bins. In cell edges a."""
        edges = self._part.row(f"{axis}_edges").astype(np.float64)
        if len(edges) < 2 or not np.all(np.diff(edges) > 0.0) or edges[0] != 0.0 or not edges[-1] <= LONGEST_EDGE:
            raise ResultsError(f"{self._part.path}: {self._part.name}/{axis}_edges are no edges of bins from 0 up: the file is damaged")
        return edges

    def centres(self, axis: str) -> NDArray[np.float64]:
        """Centres of the bins along "x", "y" or "z", in cell edges a."""
        edges = self.edges(axis)
        return 0.5 * (edges[:-1] + edges[1:])

    def components(self, name: str) -> list[str]:
        """Names of the components of a field: "" of a scalar, "x" ... of a vector, "xx", "xy" ... of a tensor."""
        self.check(name)
        return [""] if len(self.shape(name)) == 3 else list(AXES) if len(self.shape(name)) == 4 else [a + b for a in AXES for b in AXES]

    def of_species(self, name: str) -> Values:
        """The density, velocity or temperature of each species of a mixture: [z][y][x][species], a vector's components last. Raises
        MissingResult where the run has none."""
        if OF_SPECIES + name not in self._part.datasets():
            raise MissingResult(f"{self._part.path}: holds no {name} of species (fluid.species and output.fields in the input)")
        return self._part.values(OF_SPECIES + name)

    def blocks(self) -> Iterator[Block]:
        """The bins in parts of at most about BLOCK_BINS, in the order of the file, for fields larger than the memory."""
        x, y, z = self.bins
        rows, layers = max(1, BLOCK_BINS // x), max(1, BLOCK_BINS // (x * y))
        for first in range(0, z, layers):
            for row in range(0, y, rows):
                yield Block(slice(row, min(row + rows, y)), slice(first, min(first + layers, z)))

    def block(self, name: str, block: Block) -> NDArray[np.float64]:
        """A part of the dataset `name`."""
        return read_numbers(self._part.path, self._part.dataset(name), (block.z, block.y))

    def layer(self, name: str, axis: int, index: int) -> NDArray[np.float64]:
        """One layer of bins across x, y or z (axis 0, 1, 2); the other axes stay in the order z y x."""
        return read_numbers(self._part.path, self._part.dataset(name), (slice(None),) * (2 - axis) + (index,))

"""What observables of a run gave."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mpcflow_tools.fields import Samples
from mpcflow_tools.results import MissingResult, Part, ResultsError, Table, finite
from mpcflow_tools.shapes import check_shapes


@dataclass(frozen=True)
class Histogram:
    """Counts and what theory expects of as many; the last bin takes all that is above."""

    edges: NDArray[np.float64]  # lower edges of the bins: speeds in thermal speeds, or numbers of particles
    counts: NDArray[np.float64]
    expected: NDArray[np.float64]
    unit: str = "1"  # of the edges


class Measured(Table, Samples):
    """What an observable of the run gave: datasets with their errors, `expected(name)` beside some, and attributes."""

    def __init__(self, part: Part) -> None:
        names = [name for name in part.datasets() if not name.endswith("_error") and not name.startswith("expected_")]
        Table.__init__(self, part, names, f"holds no {part.name} (output.{part.name} in the input)")
        Samples.__init__(self, part)
        check_shapes(part)

    def about(self, name: str) -> Any:
        """An attribute of the group. Raises ResultsError."""
        return self._part.attribute(name)

    def number(self, name: str) -> float:
        """An attribute that is a number, NaN among them. Raises ResultsError."""
        return self._part.real(name)

    def positive(self, name: str) -> float:
        """An attribute that is a number above 0. Raises ResultsError."""
        found = finite(self._part.path, f"/{self._part.name}", name, self._part.attribute(name))
        if found <= 0.0:
            raise ResultsError(f"{self._part.path}: /{self._part.name} has no number above 0 as {name}: this is not what mpcflow writes")
        return found

    def count(self, name: str) -> int:
        """An attribute that is a number of things. Raises ResultsError."""
        return self._part.integer(name)

    @property
    def free_axes(self) -> str:
        """Of diffusion: the axes along which there is neither a wall nor a force, such as "xy". Raises ResultsError."""
        found = self._part.attribute("free_axes")
        if found not in ("", "x", "y", "z", "xy", "xz", "yz", "xyz"):
            raise ResultsError(f"{self._part.path}: /{self._part.name} has no axes as free_axes: this is not what mpcflow writes")
        return str(found)

    def check_samples(self) -> None:
        """Raises MissingResult where the run has nothing of this observable."""
        if not len(self) or self.samples == 0:
            raise MissingResult(f"{self._part.path}: {self._missing}")

    def expected(self, name: str) -> NDArray[np.float64] | None:
        """What theory says of the dataset `name`, in its shape; None where the run has nothing of it."""
        return self._part.array(f"expected_{name}") if f"expected_{name}" in self._part.datasets() else None


class Histograms(Mapping[str, Histogram], Samples):
    """Distributions of "occupancy", particles in a cell, and of "speed", in thermal speeds (kT/m)^(1/2)."""

    def __init__(self, part: Part) -> None:
        Samples.__init__(self, part)
        self._names = ["occupancy", "speed"] if part else []

    def __getitem__(self, name: str) -> Histogram:
        if name not in self._names:
            has = f"only {', '.join(self._names)}" if self._names else "the run holds no histograms (output.histograms in the input)"
            raise MissingResult(f"{self._part.path}: no histogram '{name}': {has}")
        edges = (self._part.row("occupancy/particles") if name == "occupancy" else self._part.row("speed/edges")[:-1])
        counts, expected = self._part.row(f"{name}/counts").astype(np.float64), self._part.row(f"{name}/expected").astype(np.float64)
        is_whole = len(edges) == len(counts) == len(expected) >= 2 and np.all(counts >= 0.0) and np.any(counts > 0.0)
        if not (is_whole and np.all(expected >= 0.0) and np.all(np.diff(edges) > 0.0)):
            raise ResultsError(f"{self._part.path}: the histogram of {name} has other bins than counts: the file is damaged")
        return Histogram(edges.astype(np.float64), counts, expected, "1" if name == "occupancy" else "(kT/m)^(1/2)")

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __repr__(self) -> str:
        return f"histograms: {', '.join(self._names)}"

    def check_samples(self) -> None:
        """Raises MissingResult where the run has no histograms."""
        if not len(self) or self.samples == 0:
            raise MissingResult(f"{self._part.path}: holds no histograms (output.histograms in the input)")

    @property
    def mean_occupancy(self) -> float:
        """Particles in a cell that are expected on average."""
        if self._part.group is None:
            raise MissingResult(f"{self._part.path}: the run holds no histograms (output.histograms in the input)")
        occupancy = self._part.part("occupancy")
        if not occupancy.has_attribute("mean"):
            raise ResultsError(f"{self._part.path}: cannot be read: histograms/occupancy has no mean: the file is damaged")
        return finite(self._part.path, "/histograms/occupancy", "mean", occupancy.attribute("mean"))

"""trajectory.h5 (H5MD) frame by frame: whole frames, or parts of them where a frame is larger than the memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from mpcflow_tools.results import MissingResult, Part, ResultsError, open_file, parse_input, reading, result_file

Array = NDArray[Any]

# Particles that are read at a time where a frame is gone through in parts: a few MB.
PART_ROWS = 1 << 16


class Frame:
    """The particles at one moment, in the order of their ids. Arrays are read when they are asked for, and kept.

    With a region only the particles that were in it then, with every_nth_id only those whose id is a multiple of it.
    """

    def __init__(self, trajectory: Trajectory, index: int, rows: tuple[int, int]) -> None:
        self._trajectory = trajectory
        self._rows = rows
        self.index = index
        self.step = int(trajectory.steps[index])
        self.time = float(trajectory.times[index])

    def __len__(self) -> int:
        """Number of particles."""
        return self._rows[1] - self._rows[0]

    def __repr__(self) -> str:
        return f"Frame {self.index}: step {self.step}, time {self.time:g}, {len(self)} particles"

    @property
    def box(self) -> NDArray[np.float64]:
        """Edge vectors of the box, one a row; a."""
        return np.asarray(self._trajectory.boxes[self.index])

    @property
    def state_hash(self) -> str | None:
        """Of all particles of the run, as it is printed."""
        hashes = self._trajectory.state_hashes
        return None if hashes is None else f"{int(hashes[self.index]):016x}"

    @cached_property
    def ids(self) -> Array:
        """[n], ascending; 0 ... N - 1 where frames hold all particles."""
        return self._read("id")

    @cached_property
    def positions(self) -> Array:
        """[n][3], in the box; a."""
        return self._read("position")

    @cached_property
    def velocities(self) -> Array:
        """[n][3]; (energy/mass)^(1/2)."""
        return self._read("velocity")

    @cached_property
    def images(self) -> Array:
        """[n][3]; times that each particle has crossed the box."""
        return self._read("image")

    @property
    def unwrapped_positions(self) -> NDArray[np.float64]:
        """[n][3], followed through the periodic boundaries; a."""
        crossed: NDArray[np.float64] = self.images @ self.box
        unwrapped: NDArray[np.float64] = self.positions.astype(np.float64) + crossed
        return unwrapped

    @property
    def masses(self) -> Array:
        return self._read_fixed("mass")

    @property
    def species(self) -> Array:
        return self._read_fixed("species")

    def parts(self, rows: int = PART_ROWS) -> Iterator[Frame]:
        """The frame as frames of at most about `rows` particles, one after the other."""
        chunk = self._trajectory.chunk_rows
        rows = max(1, rows // chunk) * chunk
        for first in range(self._rows[0], self._rows[1], rows):
            yield Frame(self._trajectory, self.index, (first, min(first + rows, self._rows[1])))

    def _read(self, name: str) -> Array:
        return self._trajectory.read(name, self.index, self._rows)

    def _read_fixed(self, name: str) -> Array:
        dataset = self._trajectory.particles_part.dataset(name)
        with reading(self._trajectory.path):
            return np.asarray(dataset[self._rows[0]:self._rows[1]])


class Trajectory(Sequence[Frame]):
    """The frames of a trajectory.h5. `path` is the file or the output directory. Raises ResultsError.

    len() is the number of frames, [i] one of them, [a:b:c] a list of them; none is read before its arrays are
    asked for. Frames that a running simulation adds are seen when the file is opened again.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = result_file(Path(path), "trajectory.h5")
        self._file = open_file(self.path)
        names = [name for name in ("all", "region", "selection") if Part(self.path, self._file, f"particles/{name}")]
        if not Part(self.path, self._file, "h5md") or not names:
            self.close()
            raise ResultsError(f"{self.path}: is no trajectory of mpcflow")
        self.particles_part = Part(self.path, self._file, f"particles/{names[0]}")
        self._parameters = Part(self.path, self._file, "parameters/mpcflow")
        # Frames count from the moment that step lists them.
        self.steps: NDArray[np.int64] = self.particles_part.array("box/edges/step")
        self.times: NDArray[np.float64] = self.particles_part.array("box/edges/time")[:len(self.steps)]
        self.boxes: NDArray[np.float64] = self.particles_part.array("box/edges/value")[:len(self.steps)]
        if not len(self.steps) == len(self.times) == len(self.boxes):
            raise ResultsError(f"{self.path}: step, time and box differ in their number of frames: the file is damaged")
        self._ids = self.particles_part.dataset("id/value")
        self._counts = self._read_counts()

    def _read_counts(self) -> NDArray[np.int64]:
        with reading(self.path):
            frames, width = self._ids.shape
        counts = np.full(len(self.steps), width, dtype=np.int64)
        if self.region is not None:
            counts = self._parameters.array("particles")[:len(self.steps)]
        if frames < len(self.steps) or len(counts) < len(self.steps) or np.any((counts < 0) | (counts > width)):
            raise ResultsError(f"{self.path}: frames have other numbers of particles than they say: the file is damaged")
        return counts

    def close(self) -> None:
        self._file.close()

    def __enter__(self) -> Trajectory:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def __len__(self) -> int:
        return len(self.steps)

    @overload
    def __getitem__(self, index: int) -> Frame: ...

    @overload
    def __getitem__(self, index: slice) -> list[Frame]: ...

    def __getitem__(self, index: int | slice) -> Frame | list[Frame]:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        if not -len(self) <= index < len(self):
            raise IndexError(f"{self.path}: no frame {index}: there are {len(self)}")
        index %= len(self)
        return Frame(self, index, (0, int(self._counts[index])))

    def __iter__(self) -> Iterator[Frame]:
        return (self[i] for i in range(len(self)))  # no frame is kept

    def __repr__(self) -> str:
        return f"Trajectory of {self.summary()} ({self.path})"

    def summary(self) -> str:
        """The number of frames and particles, the steps and quantities, in a line."""
        most, fewest = self.most_particles, int(self._counts.min(initial=self.most_particles))
        counts = f"{most}" if fewest == most else f"{fewest} to {most}"
        region = f" in {self.region[0].tolist()} ... {self.region[1].tolist()}" if self.region is not None else ""
        if self.every_nth_id > 1:
            region += f", one id in {self.every_nth_id}"
        steps = f", steps {self.steps[0]} ... {self.steps[-1]}" if len(self) else ""
        return f"{len(self)} frames of {counts} particles{region}{steps}: {', '.join(self.quantities)}"

    @property
    def most_particles(self) -> int:
        """Of the fullest frame."""
        return int(self._counts.max(initial=0))

    @property
    def particle_counts(self) -> NDArray[np.int64]:
        """Of each frame."""
        return self._counts

    @cached_property
    def quantities(self) -> list[str]:
        """What particles have beside their ids and images: position, velocity, as the input asked."""
        with reading(self.path):
            group = self.particles_part.group
            return [name for name in ("position", "velocity") if group is not None and name in group]

    @cached_property
    def region(self) -> tuple[NDArray[np.float64], NDArray[np.float64]] | None:
        """Lower and upper corner of the region, a; None where frames hold particles of all the box."""
        if not self.particles_part.has_attribute("lower"):
            return None
        return np.asarray(self.particles_part.attribute("lower")), np.asarray(self.particles_part.attribute("upper"))

    @cached_property
    def every_nth_id(self) -> int:
        """Frames hold the particles whose id is a multiple of this; 1: of any id."""
        if not self.particles_part.has_attribute("every_nth_id"):
            return 1
        return int(self.particles_part.attribute("every_nth_id"))

    @cached_property
    def periodic(self) -> tuple[bool, bool, bool]:
        """Whether x, y, z are periodic; walls are where they are not."""
        found = Part(self.path, self._file, f"{self.particles_part.name}/box").attribute("boundary")
        x, y, z = (text == "periodic" for text in found)
        return x, y, z

    @cached_property
    def state_hashes(self) -> NDArray[np.uint64] | None:
        return self._parameters.array("state_hash") if "state_hash" in self._parameters.datasets() else None

    @cached_property
    def input(self) -> dict[str, Any]:
        """The input as it was run, as nested dicts."""
        return parse_input(self.path, self._parameters.text("input"))

    @property
    def title(self) -> str:
        return str(self._parameters.attribute("title"))

    @cached_property
    def chunk_rows(self) -> int:
        """Particles that lie in the file as one piece."""
        chunks = self._ids.chunks
        return int(chunks[1]) if chunks else PART_ROWS

    def dtype_of(self, name: str) -> np.dtype[Any]:
        """The type of a dataset's numbers."""
        dataset = self.particles_part.dataset(f"{name}/value")
        with reading(self.path):
            found: np.dtype[Any] = np.dtype(dataset.dtype)
            return found

    def read(self, name: str, frame: int, rows: tuple[int, int]) -> Array:
        """Rows of a dataset of a frame. Raises MissingResult for a quantity that the run did not write."""
        if name in ("position", "velocity") and name not in self.quantities:
            raise MissingResult(f"{self.path}: holds no {name} (output.trajectory.quantities in the input)")
        dataset = self.particles_part.dataset(f"{name}/value")
        with reading(self.path):
            if frame >= dataset.shape[0] or rows[1] > dataset.shape[1]:
                raise ResultsError(f"{self.path}: {name} has fewer frames or particles than the file says: it is damaged")
            return np.asarray(dataset[frame, rows[0]:rows[1]])

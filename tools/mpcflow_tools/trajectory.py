"""trajectory.h5 (H5MD) frame by frame: whole frames, or parts of them where a frame is larger than the memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from mpcflow_tools.integrity import check_header
from mpcflow_tools.results import MOST, MissingResult, Part, ResultsError, open_file, parse_input, read_numbers, reading, result_file

Array = NDArray[Any]

# Particles that are read at a time where a frame is gone through in parts: a few MB.
PART_ROWS = 1 << 16
# Format versions that are read, and the first of those that have checksums.
VERSIONS = (1, 2)
SUMMED_VERSION = 2


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

    @property
    def path(self) -> Path:
        return self._trajectory.path

    @property
    def species_names(self) -> list[str]:
        return self._trajectory.species_names

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
        """[n]; of a particle of each."""
        return self._read_of_species("mass")

    @property
    def species(self) -> Array:
        """[n]; numbers from 0, whose names are Trajectory.species_names."""
        return self._read_of_species("species")

    @property
    def places(self) -> Array:
        """[n], where each stands in the whole frame."""
        return np.arange(*self._rows)

    def parts(self, rows: int = PART_ROWS) -> Iterator[Frame]:
        """The frame as frames of at most about `rows` particles, one after the other."""
        chunk = self._trajectory.chunk_rows
        rows = max(1, rows // chunk) * chunk
        for first in range(self._rows[0], self._rows[1], rows):
            yield Frame(self._trajectory, self.index, (first, min(first + rows, self._rows[1])))

    def _read(self, name: str) -> Array:
        return self._trajectory.read(name, self.index, self._rows)

    def _read_of_species(self, name: str) -> Array:
        """Frames of a region of several species say it of each of their particles, others of all once."""
        if self._trajectory.region is not None and len(self._trajectory.species_names) > 1:
            return self._read(name)
        return self._read_fixed(name)

    def _read_fixed(self, name: str) -> Array:
        trajectory = self._trajectory
        if trajectory.particles_part.shape(name) != (trajectory.width,):
            raise ResultsError(f"{trajectory.path}: {name} has another number of particles than there are ids: the file is damaged")
        return read_numbers(trajectory.path, trajectory.particles_part.dataset(name), (slice(*self._rows),))


class Trajectory(Sequence[Frame]):
    """The frames of a trajectory.h5. `path` is the file or the output directory. Raises ResultsError.

    len() is the number of frames, [i] one of them, [a:b:c] a list of them; none is read before its arrays are
    asked for. Frames that a running simulation adds are seen when the file is opened again.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = result_file(Path(path), "trajectory.h5")
        self._file = open_file(self.path).file
        try:
            self._open()
        except ResultsError:
            self.close()
            raise

    def _open(self) -> None:
        names = [name for name in ("all", "region", "selection") if Part(self.path, self._file, f"particles/{name}")]
        if not Part(self.path, self._file, "h5md") or not names:
            raise ResultsError(f"{self.path}: is no trajectory of mpcflow")
        self.particles_part = Part(self.path, self._file, f"particles/{names[0]}")
        self._parameters = Part(self.path, self._file, "parameters/mpcflow")
        # Frames count from the moment that step lists them: it is read first, and what is beside it is there by then.
        self.steps: NDArray[np.int64] = self.particles_part.row("box/edges/step")
        self._check_format()
        self.times: NDArray[np.float64] = self.particles_part.row("box/edges/time")[:len(self.steps)]
        self.boxes: NDArray[np.float64] = self.particles_part.array("box/edges/value")[:len(self.steps)]
        if not len(self.steps) == len(self.times) == len(self.boxes):
            raise ResultsError(f"{self.path}: step, time and box differ in their number of frames: the file is damaged")
        if (self.boxes.shape[1:] != (3, 3) or self.steps.dtype.kind not in "iu" or not np.all(np.isfinite(self.times))
                or not np.all(np.isfinite(self.boxes)) or np.any((self.steps < 0) | (self.steps > MOST))):
            raise ResultsError(f"{self.path}: steps, times or boxes of frames are none that a run has: the file is damaged")
        self._ids = self.particles_part.dataset("id/value")
        self._counts = self._read_counts()

    def _check_format(self) -> None:
        """From format version 2 on the head of the file has a checksum, and the file the id of its run. Raises ResultsError."""
        parameters = self._parameters
        version = parameters.integer("format_version") if parameters.has_attribute("format_version") else 1
        if version not in VERSIONS:
            raise ResultsError(f"{self.path}: has format version {version}; this program reads versions 1 and 2: take a newer one")
        if version >= SUMMED_VERSION or parameters.has_attribute("header_checksum"):
            check_header(self.path, self._file, "/parameters/mpcflow")
        self.run_id = str(parameters.attribute("run_id")) if parameters.has_attribute("run_id") else None

    def _read_counts(self) -> NDArray[np.int64]:
        shape = self.particles_part.shape("id/value")
        if len(shape) != 2:
            raise ResultsError(f"{self.path}: id/value has {len(shape)} axes in place of two: this is not what mpcflow writes")
        frames, self.width = shape
        counts = np.full(len(self.steps), self.width, dtype=np.int64)
        if self.region is not None:
            counts = self._parameters.row("particles")[:len(self.steps)]
        if frames < len(self.steps) or len(counts) < len(self.steps) or counts.dtype.kind not in "iu" or np.any((counts < 0) | (counts > self.width)):
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
        lower, upper = (np.asarray(self.particles_part.attribute(name)) for name in ("lower", "upper"))
        if lower.shape != (3,) or upper.shape != (3,) or lower.dtype.kind != "f" or upper.dtype.kind != "f":
            raise ResultsError(f"{self.path}: its region has no two corners: this is not what mpcflow writes")
        return lower, upper

    @cached_property
    def species_names(self) -> list[str]:
        """In the order of their numbers; of a fluid of one species [""]."""
        if not self.particles_part.has_attribute("species_names"):
            return [""]
        found = self.particles_part.attribute("species_names")
        if not isinstance(found, list) or not all(isinstance(name, str) and name and name.isascii() and name.isprintable()
                                                  and " " not in name for name in found):
            raise ResultsError(f"{self.path}: its species have no names: this is not what mpcflow writes")
        return found

    @cached_property
    def every_nth_id(self) -> int:
        """Frames hold the particles whose id is a multiple of this; 1: of any id."""
        if not self.particles_part.has_attribute("every_nth_id"):
            return 1
        return self.particles_part.integer("every_nth_id", 1)

    @cached_property
    def periodic(self) -> tuple[bool, bool, bool]:
        """Whether x, y, z are periodic; walls are where they are not."""
        found = Part(self.path, self._file, f"{self.particles_part.name}/box").attribute("boundary")
        if not isinstance(found, list) or len(found) != 3:
            raise ResultsError(f"{self.path}: its box has no three boundaries: this is not what mpcflow writes")
        x, y, z = (text == "periodic" for text in found)
        return x, y, z

    @cached_property
    def state_hashes(self) -> NDArray[np.uint64] | None:
        if "state_hash" not in self._parameters.datasets():
            return None
        found = self._parameters.row("state_hash")
        if len(found) < len(self.steps) or found.dtype.kind != "u":
            raise ResultsError(f"{self.path}: frames have no state hashes: the file is damaged")
        return found

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
        shape = self.particles_part.shape(f"{name}/value")
        if shape[2:] != (() if name in ("id", "species", "mass") else (3,)) or len(shape) < 2:
            raise ResultsError(f"{self.path}: {name} has other components than mpcflow writes: the file is damaged")
        if frame >= shape[0] or rows[1] > shape[1]:
            raise ResultsError(f"{self.path}: {name} has fewer frames or particles than the file says: it is damaged")
        dataset = self.particles_part.dataset(f"{name}/value")
        return read_numbers(self.path, dataset, (frame, slice(*rows)))

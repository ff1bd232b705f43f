"""Frames of particles as files of other programs. Each is written in parts: memory does not grow with the frames."""

from __future__ import annotations

import zipfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import IO

import numpy as np
from numpy.typing import NDArray

from mpcflow_tools.command import BadArgument
from mpcflow_tools.results import ResultsError
from mpcflow_tools.trajectory import Array, Frame, Trajectory
from mpcflow_tools.vtk_files import Numbers, write_collection, write_vtk

# Lines of text that are made at a time: as objects of Python they take many times the room of the numbers.
LINES = 1 << 12


@dataclass(frozen=True)
class Frames:
    """What is written of a trajectory."""

    trajectory: Trajectory
    chosen: range  # indices of frames
    unwrap: bool  # positions followed through the periodic boundaries

    def __iter__(self) -> Iterator[Frame]:
        return (self.trajectory[index] for index in self.chosen)

    def positions(self, part: Frame) -> Array:
        return part.unwrapped_positions if self.unwrap else part.positions

    def has(self, quantity: str) -> bool:
        return quantity in self.trajectory.quantities


def text_lines(columns: list[Array], separator: str, words: Sequence[str] = ()) -> Iterator[str]:
    """Rows of numbers as text, LINES of them at a time: whole ones as they are, others so that reading gives the same bits. Each
    row begins with its word, where there are any."""
    tall = [column.reshape(len(column), -1) for column in columns]
    row = separator.join(entry for column in tall for entry in [_format_of(column)] * column.shape[1]) + "\n"
    for first in range(0, len(tall[0]), LINES):
        parts = [column[first:first + LINES].astype(np.float64) for column in tall]  # ids are far below 2^53
        rows = np.concatenate(parts, axis=1)
        lines = "".join(word + separator + row for word in words[first:first + LINES]) if words else row * len(rows)
        yield lines % tuple(rows.ravel().tolist())


def _format_of(column: Array) -> str:
    if column.dtype.kind in "iu":
        return "%d"
    return "%.9g" if column.dtype == np.float32 else "%.17g"


def _row(values: NDArray[np.float64]) -> str:
    return " ".join(f"{value:.17g}" for value in values.ravel())


def write_xyz(frames: Frames, path: Path) -> None:
    """Extended XYZ: ASE, OVITO. Particles of a fluid of one species are of the species X."""
    labels = [name or "X" for name in frames.trajectory.species_names]
    properties = "species:S:1:pos:R:3" + (":velo:R:3" if frames.has("velocity") else "") + ":id:I:1"
    periodic = " ".join("T" if axis else "F" for axis in frames.trajectory.periodic)
    with path.open("w", encoding="ascii") as file:
        for frame in frames:
            file.write(f'{len(frame)}\nLattice="{_row(frame.box)}" Properties={properties} pbc="{periodic}" '
                       f"Step={frame.step} Time={frame.time:.17g}\n")
            for part in frame.parts():
                columns = [frames.positions(part), *([part.velocities] if frames.has("velocity") else []), part.ids]
                file.writelines(text_lines(columns, " ", [labels[number] for number in _species(part)]))


def _species(part: Frame) -> list[int]:
    """Of each particle a number of Trajectory.species_names. Raises ResultsError."""
    found = part.species.tolist()
    if not all(0 <= number < len(part.species_names) for number in found):
        raise ResultsError(f"{part.path}: has particles of species that there are not: the file is damaged")
    return found


def write_lammps(frames: Frames, path: Path) -> None:
    """LAMMPS dump: OVITO, MDAnalysis, VMD. Ids and types count from 1, as LAMMPS has them; a type is a species."""
    bounds = " ".join("pp" if axis else "ff" for axis in frames.trajectory.periodic)
    names = "id type " + ("xu yu zu" if frames.unwrap else "x y z ix iy iz")
    names += " vx vy vz" if frames.has("velocity") else ""
    with path.open("w", encoding="ascii") as file:
        for frame in frames:
            size = np.diag(frame.box)
            file.write(f"ITEM: TIMESTEP\n{frame.step}\nITEM: NUMBER OF ATOMS\n{len(frame)}\nITEM: BOX BOUNDS {bounds}\n")
            file.writelines(f"0 {length:.17g}\n" for length in size)
            file.write(f"ITEM: ATOMS {names}\n")
            for part in frame.parts():
                columns = [part.ids + 1, part.species + 1, frames.positions(part)]
                columns += [] if frames.unwrap else [part.images]
                columns += [part.velocities] if frames.has("velocity") else []
                file.writelines(text_lines(columns, " "))


def _write_points(frames: Frames, path: Path, frame: Frame) -> None:
    """VTK poly data of one frame: a vertex for each particle, so that there is something to draw and to select."""
    def array(place: str, name: str, components: int, of: Callable[[Frame], Array], kind: str = "<i8") -> Numbers:
        return Numbers(place, name, kind, (len(frame), components), lambda: map(of, frame.parts()))

    real = "<f4" if frames.trajectory.dtype_of("position") == np.float32 and not frames.unwrap else "<f8"
    arrays = [array("PointData", "id", 1, lambda part: part.ids), array("PointData", "species", 1, lambda part: part.species)]
    if frames.has("velocity"):
        arrays.append(array("PointData", "velocity", 3, lambda part: part.velocities, real))
    arrays += [array("Points", "position", 3, frames.positions, real), array("Verts", "connectivity", 1, lambda part: part.places),
               array("Verts", "offsets", 1, lambda part: part.places + 1)]
    write_vtk(path, "PolyData", "", f' NumberOfPoints="{len(frame)}" NumberOfVerts="{len(frame)}"', arrays)


def write_vtp(frames: Frames, path: Path) -> None:
    """VTK poly data: ParaView."""
    if len(frames.chosen) > 1:
        raise BadArgument(f"{path.suffix} holds one frame: choose it by --frames, or write them all as .pvd")
    _write_points(frames, path, next(iter(frames)))


def write_pvd(frames: Frames, path: Path, overwrite: bool) -> None:
    """A ParaView collection, and a folder beside it with each frame."""
    files = ((frame.time, partial(_write_points, frames, frame=frame)) for frame in frames)
    write_collection(path, "particles", ".vtp", files, overwrite)


def write_csv(frames: Frames, path: Path) -> None:
    """One line a particle and frame, with a line of names."""
    has_species = len(frames.trajectory.species_names) > 1
    names = ["step", "time", "id"] + (["species"] if has_species else [])
    if frames.has("position"):
        names += ["xu", "yu", "zu"] if frames.unwrap else ["x", "y", "z", "image_x", "image_y", "image_z"]
    names += ["vx", "vy", "vz"] if frames.has("velocity") else []
    with path.open("w", encoding="ascii") as file:
        file.write(",".join(names) + "\n")
        for frame in frames:
            for part in frame.parts():
                columns = [np.full(len(part), frame.step), np.full(len(part), frame.time), part.ids]
                columns += [part.species] if has_species else []
                if frames.has("position"):
                    columns += [frames.positions(part)] + ([] if frames.unwrap else [part.images])
                columns += [part.velocities] if frames.has("velocity") else []
                file.writelines(text_lines(columns, ","))


def write_npz(frames: Frames, path: Path) -> None:
    """numpy.load gives step, time, box, particles [T] and id, position, velocity, image [T][N]...; places that a region
    leaves empty have the id -1 and NaN."""
    trajectory, chosen = frames.trajectory, np.array(list(frames.chosen), dtype=np.int64)
    counts = trajectory.particle_counts[chosen]
    with zipfile.ZipFile(path, "w", allowZip64=True) as archive:
        for name, array in (("step", trajectory.steps[chosen]), ("time", trajectory.times[chosen]),
                            ("box", trajectory.boxes[chosen]), ("particles", counts)):
            with archive.open(f"{name}.npy", "w", force_zip64=True) as file:
                np.lib.format.write_array(file, np.ascontiguousarray(array))
        names = ["id"] + (["species"] if len(trajectory.species_names) > 1 else [])
        if frames.has("position"):
            names += ["unwrapped_position"] if frames.unwrap else ["position", "image"]
        names += ["velocity"] if frames.has("velocity") else []
        for name in names:
            with archive.open(f"{name}.npy", "w", force_zip64=True) as file:
                _write_rows(file, frames, name, int(counts.max(initial=0)))


def _write_rows(file: IO[bytes], frames: Frames, name: str, width: int) -> None:
    """One quantity of all frames as one array [T][width](x 3), part by part."""
    def values(part: Frame) -> Array:
        return {"id": lambda: part.ids, "species": lambda: part.species, "image": lambda: part.images, "velocity": lambda: part.velocities}.get(
            name, lambda: frames.positions(part))()

    known = {"unwrapped_position": np.dtype(np.float64), "species": np.dtype(np.int32)}
    kind = known[name] if name in known else frames.trajectory.dtype_of(name)
    columns = () if name in ("id", "species") else (3,)
    empty = {"id": -1, "species": -1, "image": 0}.get(name, np.nan)
    np.lib.format.write_array_header_1_0(file, {"descr": np.lib.format.dtype_to_descr(kind), "fortran_order": False,
                                                "shape": (len(frames.chosen), width, *columns)})
    for frame in frames:
        for part in frame.parts():
            file.write(np.ascontiguousarray(values(part), dtype=kind).tobytes())
        file.write(np.full((width - len(frame), *columns), empty, dtype=kind).tobytes())


WRITERS = {".xyz": write_xyz, ".extxyz": write_xyz, ".lammpstrj": write_lammps, ".dump": write_lammps, ".vtp": write_vtp,
           ".csv": write_csv, ".npz": write_npz}

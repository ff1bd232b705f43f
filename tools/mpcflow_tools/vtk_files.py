"""VTK's XML files for ParaView: numbers appended as they are, and collections of files with their times."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any
from xml.sax.saxutils import quoteattr

import numpy as np
from numpy.typing import NDArray

from mpcflow_tools.command import BadArgument, whole_file, whole_folder

TYPES = {"<f8": "Float64", "<f4": "Float32", "<i8": "Int64"}


@dataclass(frozen=True)
class Numbers:
    """An array of a file."""

    place: str  # the element that it stands in, such as PointData
    name: str
    kind: str  # of TYPES
    shape: tuple[int, int]  # entries, components
    parts: Callable[[], Iterable[NDArray[Any]]]  # the numbers, some after the others

    @property
    def bytes(self) -> int:
        return self.shape[0] * self.shape[1] * np.dtype(self.kind).itemsize


def write_vtk(path: Path, dataset: str, about: str, piece: str, arrays: list[Numbers]) -> None:
    """A dataset of one piece; `about` and `piece` are the attributes of their elements, arrays of one place stand together."""
    lines, offset = [], 0
    for place, found in groupby(arrays, lambda array: array.place):
        lines.append(f"      <{place}>\n")
        for array in found:
            lines.append(f'        <DataArray type="{TYPES[array.kind]}" Name="{array.name}" NumberOfComponents="{array.shape[1]}" '
                         f'format="appended" offset="{offset}"/>\n')
            offset += 8 + array.bytes
        lines.append(f"      </{place}>\n")
    with path.open("wb") as file:
        file.write((f'<?xml version="1.0"?>\n<VTKFile type="{dataset}" version="1.0" byte_order="LittleEndian" header_type="UInt64">\n'
                    f'  <{dataset}{about}>\n    <Piece{piece}>\n{"".join(lines)}    </Piece>\n  </{dataset}>\n'
                    '  <AppendedData encoding="raw">\n_').encode("ascii"))
        for array in arrays:
            file.write(np.array([array.bytes], dtype="<u8").tobytes())
            for part in array.parts():
                file.write(part.astype(array.kind).tobytes())
        file.write(b"\n  </AppendedData>\n</VTKFile>\n")


def write_collection(path: Path, subject: str, ending: str, files: Iterable[tuple[float, Callable[[Path], None]]], overwrite: bool) -> None:
    """A ParaView collection: a list of times and files, and the files in a folder beside it that is named after the subject."""
    try:
        path.name.encode()
    except UnicodeEncodeError as error:
        raise BadArgument(f"{ascii(str(path))}: the collection names its files in UTF-8, which this name is not: take another") from error
    folder = path.with_name(f"{path.stem}_{subject}")
    with whole_file(path, overwrite) as aside, whole_folder(folder, ending, overwrite) as inside, aside.open("w", encoding="utf-8") as file:
        file.write('<?xml version="1.0" encoding="UTF-8"?>\n<VTKFile type="Collection" version="1.0" byte_order="LittleEndian">\n'
                   "  <Collection>\n")
        for index, (time, write) in enumerate(files):
            name = f"{path.stem}_{index:04}{ending}"
            write(inside / name)
            file.write(f'    <DataSet timestep="{time:.17g}" part="0" file={quoteattr(f"{folder.name}/{name}")}/>\n')
        file.write("  </Collection>\n</VTKFile>\n")

"""Fields as files of other programs. Each is written in parts: memory does not grow with the bins."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mpcflow_tools.expected import component_name
from mpcflow_tools.particle_files import text_lines
from mpcflow_tools.results import MissingResult, ResultsError, titled
from mpcflow_tools.run import AXES, Fields, Run
from mpcflow_tools.vtk_files import Numbers, write_vtk

LENGTH_UNIT = "a"  # of the edges of bins


def _sampled(run: Run) -> Fields:
    """Raises MissingResult where there are no fields."""
    if not len(run.fields) or run.fields.samples == 0:
        raise MissingResult(f"{run.path}: holds no fields (output.fields in the input)")
    return run.fields


def arrays_of(fields: Fields) -> list[str]:
    """The fields, each with its error after it where it has one."""
    return [name for field in fields for name in (field, f"{field}_error") if name == field or name in fields.errors]


def _blocks(fields: Fields, name: str) -> Iterator[NDArray[np.float64]]:
    return (fields.block(name, block) for block in fields.blocks())


def write_vti(fields: Fields, path: Path) -> None:
    """VTK image data: ParaView. Fields are cell data, doubles, in the order of the file."""
    spacing = []
    for axis in AXES:
        widths = np.diff(fields.edges(axis))
        if not np.allclose(widths, widths[0], rtol=1e-9):
            raise ResultsError(f"{fields.path}: bins along {axis} are not of one width")
        spacing.append(f"{widths[0]:.17g}")
    x, y, z = fields.bins
    extent = f'"0 {x} 0 {y} 0 {z}"'
    arrays = []
    for name in arrays_of(fields):
        shape = x * y * z, len(fields.components(name.removesuffix("_error")))
        arrays.append(Numbers("CellData", name, "<f8", shape, partial(_blocks, fields, name)))
    write_vtk(path, "ImageData", f' WholeExtent={extent} Origin="0 0 0" Spacing="{" ".join(spacing)}"', f" Extent={extent}", arrays)


def column_titles(fields: Fields) -> list[str]:
    """Of a bin: its place, then each field and its error, with their units."""
    titles = [titled(axis, LENGTH_UNIT) for axis in AXES]
    for name in arrays_of(fields):
        field = name.removesuffix("_error")
        titles += [titled(component_name(name, component), fields.unit(field)) for component in fields.components(field)]
    return titles


def columns(fields: Fields) -> Iterator[list[NDArray[np.float64]]]:
    """What stands under these titles, some bins after the others, x fastest."""
    x, y, z = (fields.centres(axis) for axis in AXES)
    for block in fields.blocks():
        places = np.meshgrid(z[block.z], y[block.y], x, indexing="ij")
        found = [place.reshape(-1, 1) for place in places[::-1]]
        yield found + [fields.block(name, block).reshape(len(found[0]), -1) for name in arrays_of(fields)]


def write_array(archive: zipfile.ZipFile, name: str, values: NDArray[Any], unit: str) -> None:
    """An array of a .npz file that is whole in memory, with its unit."""
    with archive.open(f"{name}.npy", "w", force_zip64=True) as file:
        np.lib.format.write_array(file, np.ascontiguousarray(values))
    write_unit(archive, name, unit)


def write_unit(archive: zipfile.ZipFile, name: str, unit: str) -> None:
    with archive.open(f"{name}_unit.npy", "w") as file:
        np.lib.format.write_array(file, np.array(unit))


def write_bins(archive: zipfile.ZipFile, name: str, parts: Sequence[Fields], shape: tuple[int, ...]) -> None:
    """The field `name` of each of `parts` as one array of a .npz file, with its unit."""
    with archive.open(f"{name}.npy", "w", force_zip64=True) as file:
        np.lib.format.write_array_header_1_0(file, {"descr": "<f8", "fortran_order": False, "shape": shape})
        for fields in parts:
            for block in fields.blocks():
                file.write(fields.block(name, block).astype("<f8").tobytes())
    write_unit(archive, name, parts[0].unit(name.removesuffix("_error")))


def write_fields_vti(run: Run, path: Path) -> None:
    write_vti(_sampled(run), path)


def write_fields_csv(run: Run, path: Path) -> None:
    """One line a bin: its centre, then each field and its error; x fastest."""
    fields = _sampled(run)
    with path.open("w", encoding="ascii") as file:
        file.write(",".join(column_titles(fields)) + "\n")
        for part in columns(fields):
            file.writelines(text_lines(part, ","))


def write_fields_npz(run: Run, path: Path) -> None:
    """numpy.load gives the datasets of /fields by their names, and their units as NAME_unit; axes z y x."""
    fields = _sampled(run)
    with zipfile.ZipFile(path, "w", allowZip64=True) as archive:
        for axis in AXES:
            write_array(archive, f"{axis}_edges", fields.edges(axis), LENGTH_UNIT)
        for name in arrays_of(fields):
            write_bins(archive, name, [fields], fields.shape(name))


WRITERS = {".vti": write_fields_vti, ".csv": write_fields_csv, ".npz": write_fields_npz}

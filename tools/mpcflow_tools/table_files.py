"""Fields and series as files of other programs."""

from __future__ import annotations

import csv
import zipfile
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from mpcflow_tools.expected import component_name
from mpcflow_tools.particle_files import text_lines
from mpcflow_tools.results import MissingResult, ResultsError, reading
from mpcflow_tools.run import AXES, Fields, Run


def _sampled(run: Run) -> Fields:
    """Raises MissingResult where there are no fields."""
    if not len(run.fields) or run.fields.samples == 0:
        raise MissingResult(f"{run.path}: holds no fields (output.fields in the input)")
    return run.fields


def _arrays(fields: Fields) -> list[str]:
    """The fields, each with its error after it."""
    return [name for field in fields for name in (field, f"{field}_error")]


def write_fields_vti(run: Run, path: Path) -> None:
    """VTK image data: ParaView. Fields are cell data, doubles, in the order of the file."""
    fields = _sampled(run)
    spacing = []
    for axis in AXES:
        widths = np.diff(fields.edges(axis))
        if not np.allclose(widths, widths[0], rtol=1e-9):
            raise ResultsError(f"{run.path}: bins along {axis} are not of one width")
        spacing.append(f"{widths[0]:.17g}")
    x, y, z = fields.bins
    extent = f"0 {x} 0 {y} 0 {z}"
    entries, offset, sizes = [], 0, {}
    for name in _arrays(fields):
        components = len(fields.components(name.removesuffix("_error")))
        sizes[name] = x * y * z * components * 8
        entries.append(f'        <DataArray type="Float64" Name="{name}" NumberOfComponents="{components}" format="appended" '
                       f'offset="{offset}"/>\n')
        offset += 8 + sizes[name]
    head = ('<?xml version="1.0"?>\n<VTKFile type="ImageData" version="1.0" byte_order="LittleEndian" header_type="UInt64">\n'
            f'  <ImageData WholeExtent="{extent}" Origin="0 0 0" Spacing="{" ".join(spacing)}">\n'
            f'    <Piece Extent="{extent}">\n      <CellData>\n{"".join(entries)}      </CellData>\n    </Piece>\n'
            '  </ImageData>\n  <AppendedData encoding="raw">\n_')
    with path.open("wb") as file:
        file.write(head.encode("ascii"))
        for name, size in sizes.items():
            file.write(np.array([size], dtype="<u8").tobytes())
            for block in fields.blocks():
                file.write(fields.block(name, block).astype("<f8").tobytes())
        file.write(b"\n  </AppendedData>\n</VTKFile>\n")


def write_fields_csv(run: Run, path: Path) -> None:
    """One line a bin: its centre, then each field and its error; x fastest."""
    fields = _sampled(run)
    names = list(AXES)
    for name in _arrays(fields):
        names += [component_name(name, component) for component in fields.components(name.removesuffix("_error"))]
    x, y, z = (fields.centres(axis) for axis in AXES)
    with path.open("w", encoding="ascii") as file:
        file.write(",".join(names) + "\n")
        for block in fields.blocks():
            places = np.meshgrid(z[block.z], y[block.y], x, indexing="ij")
            columns = [place.reshape(-1, 1) for place in places[::-1]]
            columns += [fields.block(name, block).reshape(len(columns[0]), -1) for name in _arrays(fields)]
            file.writelines(text_lines(columns, ","))


def write_fields_npz(run: Run, path: Path) -> None:
    """numpy.load gives the datasets of /fields by their names; axes z y x."""
    fields = _sampled(run)
    with zipfile.ZipFile(path, "w", allowZip64=True) as archive:
        for axis in AXES:
            with archive.open(f"{axis}_edges.npy", "w") as file:
                np.lib.format.write_array(file, fields.edges(axis))
        for name in _arrays(fields):
            with archive.open(f"{name}.npy", "w", force_zip64=True) as file:
                shape = fields.shape(name)
                np.lib.format.write_array_header_1_0(file, {"descr": "<f8", "fortran_order": False, "shape": shape})
                for block in fields.blocks():
                    file.write(fields.block(name, block).astype("<f8").tobytes())


def _series(run: Run) -> dict[str, NDArray[np.float64]]:
    """Step and time first. Raises MissingResult where there are none."""
    names = [name for name in run.series if name not in ("step", "time")]
    found = {name: run.series[name].values for name in ["step", "time", *names]}
    if len({len(values) for values in found.values()}) != 1:
        raise ResultsError(f"{run.path}: series differ in length: the file is damaged")
    return found


def write_series_csv(run: Run, path: Path) -> None:
    """One line a row, step and time first."""
    series = _series(run)
    names = [entry for name, values in series.items() for entry in ([f"{name}_{axis}" for axis in AXES] if values.ndim == 2 else [name])]
    with path.open("w", encoding="ascii", newline="") as file, reading(run.path):
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow(names)
        columns = [column for values in series.values() for column in np.atleast_2d(values.T)]
        rows.writerows(zip(*(column.tolist() for column in columns)))  # repr of a float: the same bits when read


def write_series_npz(run: Run, path: Path) -> None:
    """numpy.load gives the datasets of /series by their names."""
    np.savez(path, **_series(run))  # type: ignore[arg-type]


FIELD_WRITERS = {".vti": write_fields_vti, ".csv": write_fields_csv, ".npz": write_fields_npz}
SERIES_WRITERS = {".csv": write_series_csv, ".npz": write_series_npz}

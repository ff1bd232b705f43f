"""Fields in windows of time as files of other programs. Each is written in parts: memory does not grow with the windows."""

from __future__ import annotations

import zipfile
from functools import partial
from pathlib import Path

import numpy as np

from mpcflow_tools.command import whole_file
from mpcflow_tools.field_files import LENGTH_UNIT, arrays_of, column_titles, columns, write_array, write_bins, write_vti
from mpcflow_tools.particle_files import text_lines
from mpcflow_tools.results import MissingResult, titled
from mpcflow_tools.run import AXES, Run
from mpcflow_tools.vtk_files import write_collection
from mpcflow_tools.windows import Windows


def _ended(run: Run) -> Windows:
    """Raises MissingResult where no window has ended."""
    if not len(run.windows):
        raise MissingResult(f"{run.windows.path}: holds no windows: none of the run has ended yet")
    return run.windows


def write_windows_pvd(run: Run, path: Path, overwrite: bool) -> None:
    """A ParaView collection: a list of the windows and their times, and a folder beside it with an image of each."""
    windows = _ended(run)
    files = ((window.time, partial(write_vti, window)) for window in windows)
    write_collection(path, "windows", ".vti", files, overwrite)


def write_windows_csv(run: Run, path: Path, overwrite: bool) -> None:
    """One line a window and bin: when, the bin's centre, then each field; x fastest."""
    windows = _ended(run)
    with whole_file(path, overwrite) as aside, aside.open("w", encoding="ascii") as file:
        time = titled("time", windows.part.values("time").unit)
        file.write(",".join(["window", "first_step", "last_step", "samples", time, *column_titles(windows[0])]) + "\n")
        for window in windows:
            when = [window.index, window.first_step, window.last_step, window.samples, window.time]
            for part in columns(window):
                file.writelines(text_lines([np.full(len(part[0]), number) for number in when] + part, ","))


def write_windows_npz(run: Run, path: Path, overwrite: bool) -> None:
    """numpy.load gives the datasets of /fields of fields.h5 by their names, and their units as NAME_unit; axes window z y x."""
    windows = _ended(run)
    with whole_file(path, overwrite) as aside, zipfile.ZipFile(aside, "w", allowZip64=True) as archive:
        for name, values in (("first_step", windows.first_steps), ("last_step", windows.last_steps), ("samples", windows.samples),
                             ("time", windows.times)):
            write_array(archive, name, values, windows.part.values(name).unit)
        for axis in AXES:
            write_array(archive, f"{axis}_edges", windows[0].edges(axis), LENGTH_UNIT)
        for name in arrays_of(windows[0]):
            write_bins(archive, name, windows, (len(windows), *windows[0].shape(name)))


WRITERS = {".pvd": write_windows_pvd, ".csv": write_windows_csv, ".npz": write_windows_npz}

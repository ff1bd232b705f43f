"""Series as files of other programs."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from mpcflow_tools.mixtures import species_names
from mpcflow_tools.results import ResultsError, reading, titled
from mpcflow_tools.run import AXES, Run


def _series(run: Run) -> dict[str, NDArray[np.float64]]:
    """Step and time first. Raises MissingResult where there are none."""
    names = [name for name in run.series if name not in ("step", "time")]
    found = {name: run.series[name].values for name in ["step", "time", *names]}
    if len({len(values) for values in found.values()}) != 1:
        raise ResultsError(f"{run.path}: series differ in length: the file is damaged")
    return found


def write_series_csv(run: Run, path: Path) -> None:
    """One line a row, step and time first; titles have the units."""
    series = _series(run)
    titles = [titled(entry, run.series.unit(name)) for name, values in series.items()
              for entry in ([name] if values.ndim == 1 else
                            [f"{name}_{part}" for part in (species_names(run) if name.startswith("species_") else AXES)])]
    with path.open("w", encoding="ascii", newline="") as file, reading(run.path):
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow(titles)
        columns = [column for values in series.values() for column in np.atleast_2d(values.T)]
        rows.writerows(zip(*(column.tolist() for column in columns)))  # repr of a float: the same bits when read


def write_series_npz(run: Run, path: Path) -> None:
    """numpy.load gives the datasets of /series by their names, and their units as NAME_unit."""
    units = {f"{name}_unit": np.array(run.series.unit(name)) for name in run.series}
    np.savez(path, **_series(run), **units)  # type: ignore[arg-type]


WRITERS = {".csv": write_series_csv, ".npz": write_series_npz}

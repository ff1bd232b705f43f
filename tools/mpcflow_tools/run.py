"""A run of mpcflow as arrays with units.

    from mpcflow_tools import Run

    run = Run("out/poiseuille")
    print(run)
    temperature = run.series["temperature"]          # .values, .unit, .description
    velocity = run.fields["velocity"]                # .values [z][y][x][3], .error
    for frame in run.trajectory:                     # one frame in memory at a time
        print(frame.step, frame.positions.mean(axis=0))

Nothing is read before it is asked for. docs/analysis.md tells more, docs/output.md what each number means.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from functools import cached_property
from html import escape
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mpcflow_tools.fields import AXES, Block, Fields, Samples
from mpcflow_tools.integrity import damaged
from mpcflow_tools.labelled import labelled
from mpcflow_tools.measured import Histogram, Histograms, Measured
from mpcflow_tools.results import MissingResult, Part, ResultsError, Table, Values, finite, open_file, parse_input, result_file, whole
from mpcflow_tools.shapes import check_shapes
from mpcflow_tools.trajectory import Trajectory
from mpcflow_tools.windows import Windows

__all__ = ["AXES", "Block", "Fields", "Histogram", "Histograms", "Measured", "Run", "Samples"]

# Format versions of run.h5 that are read, and the first of those that are sealed.
VERSIONS = (1, 2)
SEALED_VERSION = 2
LARGEST_EDGE = 1 << 20  # cells; far more than any box has
LONGEST_TITLE = 200  # that the program takes
STATUSES = ("running", "completed", "interrupted", "failed")

_VISCOSITY = "a (energy/mass)^(1/2)"  # a^2 a time
_THEORY_UNITS = {
    "mean_free_path": "a",
    "speed_of_sound": "(energy/mass)^(1/2)",
    "diffusion": _VISCOSITY,
    "poiseuille_maximum_velocity": "(energy/mass)^(1/2)",
    "poiseuille_mean_velocity": "(energy/mass)^(1/2)",
    "poiseuille_development_time": "a (mass/energy)^(1/2)",
    "flow_maximum_velocity": "(energy/mass)^(1/2)",
    "flow_mean_velocity": "(energy/mass)^(1/2)",
    "flow_development_time": "a (mass/energy)^(1/2)",
    **dict.fromkeys(("flow_lower_shear_rate", "flow_upper_shear_rate", "shear_rate"), "(energy/mass)^(1/2)/a"),
    "shear_stress": "energy/a^3",
}


class _Theory(dict[str, Values]):
    """Numbers of theory; one that is not there raises MissingResult."""

    def __init__(self, path: Path, found: dict[str, Values]) -> None:
        super().__init__(found)
        self._path = path

    def __missing__(self, name: str) -> Values:
        raise MissingResult(f"{self._path}: theory has no '{name}', only {', '.join(self) or 'nothing'}")


class Run:
    """The results of one run: its run.h5, and the trajectory.h5 beside it.

    `path` is the output directory or the run.h5 in it. Raises ResultsError, here and later, where a file cannot be
    read, and MissingResult, which is one, where it does not hold what is asked for.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = result_file(Path(path), "run.h5")
        opened = open_file(self.path)
        self._file = opened.file
        self.file_status = opened.status  # of the very file that is read, whoever has its name by now
        try:
            self._check_format(opened.sealed)
            root = self.part("/")
            self.title = str(root.attribute("title"))[:LONGEST_TITLE] if root.has_attribute("title") else ""
        except ResultsError:
            self.close()
            raise

    def _check_format(self, sealed: bool) -> None:
        """Raises ResultsError where it is no run file, of an unknown version, or has lost its seal."""
        root = self.part("/")
        if not root.has_attribute("format") or root.attribute("format") != "mpcflow run":
            raise ResultsError(f"{self.path}: is no run file of mpcflow")
        version = root.integer("format_version")
        if version not in VERSIONS:
            raise ResultsError(f"{self.path}: has format version {version}; this program reads versions 1 and 2: take a newer one")
        if version >= SEALED_VERSION and not sealed:
            raise damaged(self.path, "the seal at its end is not there")

    @cached_property
    def id(self) -> str | None:
        """32 hexadecimal digits that all files of the run have; None of runs that were written before there were any."""
        found = self._run.get("id")
        return None if found is None else str(found)

    def _check_id(self, path: Path, found: str | None, close: Callable[[], None]) -> None:
        """Raises ResultsError where the file `path` beside this one is of another run; it is closed then."""
        if self.id is not None and found != self.id:
            close()
            raise ResultsError(f"{path}: is of another run than {self.path.name} (their ids differ): put the file of this run there, "
                               "or move this one away")

    def close(self) -> None:
        """Closes the file. What was read stays."""
        self._file.close()
        for name in ("trajectory", "windows"):
            if name in self.__dict__:
                getattr(self, name).close()

    def __enter__(self) -> Run:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def part(self, name: str) -> Part:
        """A group of run.h5 as it is, with all its datasets and attributes; empty where the run has none of this name."""
        return Part(self.path, self._file, name)

    # -- how it went

    @cached_property
    def _run(self) -> dict[str, Any]:
        return self.part("run").attributes()

    def about(self, name: str) -> Any:
        """An attribute of the group /run: seed, precision, status, wall_time ... Raises ResultsError."""
        if name not in self._run:
            raise ResultsError(f"{self.path}: /run has no attribute {name}")
        return self._run[name]

    def _integer(self, name: str, least: int = 0) -> int:
        return whole(self.path, "/run", name, self.about(name), least)

    @property
    def status(self) -> str:
        """"running", "completed", "interrupted" or "failed"."""
        found = str(self.about("status"))
        if found not in STATUSES:
            raise ResultsError(f"{self.path}: /run has the status '{found}', which no run has: this is not what mpcflow writes")
        return found

    @property
    def message(self) -> str:
        """Why it was interrupted or failed."""
        return str(self.about("message"))

    @property
    def notes(self) -> list[str]:
        """What the solver told in the run."""
        found = self._run.get("notes", [])
        return [str(note) for note in found] if isinstance(found, list) else [str(found)]

    @property
    def particles(self) -> int:
        return self._integer("particles", 1)

    @property
    def box(self) -> NDArray[np.int32]:
        """Cells along x, y, z."""
        found = np.asarray(self.about("box"))
        if found.shape != (3,) or found.dtype.kind not in "iu" or found.min() < 1 or found.max() > LARGEST_EDGE:
            raise ResultsError(f"{self.path}: /run has no three edges as box: this is not what mpcflow writes")
        return found

    @property
    def time_step(self) -> float:
        """Time between collisions."""
        found = finite(self.path, "/run", "time_step", self.about("time_step"))
        if not 1e-6 <= found <= 1e3:
            raise ResultsError(f"{self.path}: /run has the time_step {found:g}, which no run has: this is not what mpcflow writes")
        return found

    @property
    def equilibration(self) -> int:
        """Steps before the first sample."""
        return self._integer("equilibration")

    @property
    def fast_steps(self) -> int:
        """Steps in which some particle crossed more than a cell."""
        return self._integer("fast_steps")

    @property
    def restarts(self) -> int:
        return self._integer("restarts")

    @property
    def steps_done(self) -> int:
        return self._integer("steps_done")

    @property
    def steps_in_all(self) -> int:
        """Steps that were wanted, the equilibration included."""
        return self.equilibration + self._integer("steps")

    @property
    def wall_time(self) -> float:
        """Seconds, output included."""
        found = finite(self.path, "/run", "wall_time", self.about("wall_time"))
        if not 0.0 <= found <= 1e12:
            raise ResultsError(f"{self.path}: /run has the wall_time {found:g}, which no run has: this is not what mpcflow writes")
        return found

    @property
    def state_hash(self) -> str | None:
        """Of all particles at the end, as it is printed; None while the run goes on."""
        found = self._run.get("state_hash_hex")
        return None if found is None else str(found)

    @cached_property
    def machine(self) -> dict[str, Any]:
        """Where it ran: hostname, cpu, device ..."""
        return self.part("machine").attributes()

    @cached_property
    def program(self) -> dict[str, Any]:
        """What ran it: name, version, commit."""
        return self.part("program").attributes()

    # -- what was asked for

    @cached_property
    def input(self) -> dict[str, Any]:
        """The input as it was run, all defaults written out, as nested dicts."""
        return parse_input(self.path, self.input_text)

    @property
    def input_text(self) -> str:
        """The same as YAML: runs again to the same bits."""
        return self.part("input").text("resolved")

    @property
    def given_input_text(self) -> str:
        """The input file as it was given."""
        return self.part("input").text("given")

    # -- what came out

    @cached_property
    def theory(self) -> dict[str, Values]:
        """What theory predicts of this fluid and flow, by name; float() makes a number of each."""
        found = self.part("theory").attributes()
        numbers = {name: np.asarray(finite(self.path, "/theory", name, value)) for name, value in found.items()}
        return _Theory(self.path, {name: Values(name, value, _THEORY_UNITS.get(name.partition("_of_")[0], _VISCOSITY if "viscosity" in name else "1"), "predicted")
                                   for name, value in numbers.items()})

    @cached_property
    def series(self) -> Table:
        """Numbers against time; "step" and "time" are among them."""
        part = self.part("series")
        check_shapes(part)
        return Table(part, part.datasets(), "holds no series (output.series in the input)")

    @cached_property
    def fields(self) -> Fields:
        return Fields(self.part("fields"))

    @cached_property
    def histograms(self) -> Histograms:
        return Histograms(self.part("histograms"))

    @cached_property
    def modes(self) -> Measured:
        """Correlations of velocity modes (output.modes)."""
        return Measured(self.part("modes"))

    @cached_property
    def diffusion(self) -> Measured:
        """How far tracers got, and how long they remembered their velocities (output.diffusion)."""
        return Measured(self.part("diffusion"))

    @cached_property
    def radial_distribution(self) -> Measured:
        """Pairs of particles by their distance (output.radial_distribution)."""
        return Measured(self.part("radial_distribution"))

    @cached_property
    def structure_factor(self) -> Measured:
        """How strongly the density fluctuates by wave length, and for how long (output.structure_factor)."""
        return Measured(self.part("structure_factor"))

    @cached_property
    def stress(self) -> Measured:
        """The pressure tensor, its correlation, and the viscosity by Green and Kubo (output.stress)."""
        return Measured(self.part("stress"))

    @cached_property
    def walls(self) -> Measured:
        """What the walls take of momentum, and the flow through the box (output.walls)."""
        return Measured(self.part("walls"))

    @property
    def observables(self) -> dict[str, Measured]:
        """Of these the ones that the run has, by name."""
        every = {"modes": self.modes, "diffusion": self.diffusion, "radial_distribution": self.radial_distribution,
                 "structure_factor": self.structure_factor, "stress": self.stress, "walls": self.walls}
        return {name: found for name, found in every.items() if len(found) and found.samples > 0}

    @property
    def has_windows(self) -> bool:
        return os.path.lexists(self.path.parent / "fields.h5")

    @cached_property
    def windows(self) -> Windows:
        """Fields averaged over windows of time. Raises MissingResult where the run wrote none."""
        path = self.path.parent / "fields.h5"
        if not os.path.lexists(path):
            raise MissingResult(f"{path}: no such file: the run wrote no windows of fields (output.fields.time_window in the input)")
        windows = Windows(path)
        self._check_id(windows.path, windows.run_id, windows.close)
        return windows

    @property
    def has_trajectory(self) -> bool:
        return os.path.lexists(self.path.parent / "trajectory.h5")

    @cached_property
    def trajectory(self) -> Trajectory:
        """Particles frame by frame. Raises MissingResult where the run wrote none."""
        path = self.path.parent / "trajectory.h5"
        if not os.path.lexists(path):
            raise MissingResult(f"{path}: no such file: the run wrote no trajectory (output.trajectory in the input)")
        trajectory = Trajectory(path)
        self._check_id(trajectory.path, trajectory.run_id, trajectory.close)
        return trajectory

    # -- for other libraries

    def to_xarray(self, part: str = "fields") -> Any:
        """A part of the run as an xarray.Dataset: "fields", "windows", "series", "histograms" or an observable. Axes have names and
        places, arrays their unit and description, errors stand beside them as NAME_error. Raises ResultsError."""
        import xarray  # not needed otherwise

        arrays, coordinates = labelled(self, part)
        return xarray.Dataset(arrays, coordinates, {"title": self.title, "state_hash": self.state_hash or ""})

    def to_dataframe(self) -> Any:
        """The series as a pandas.DataFrame, a row for each time, a column for each component; units in .attrs. Raises ResultsError."""
        import pandas  # not needed otherwise

        columns: dict[str, Any] = {}
        for name, found in self.series.items():
            columns |= {name: found.values} if found.values.ndim == 1 else {f"{name}_{AXES[i]}": found.values[:, i] for i in range(3)}
        frame = pandas.DataFrame(columns)
        frame.attrs = {"units": {column: self.series.unit(column if column in self.series else column[:-2]) for column in columns}}
        return frame.set_index("time")

    # -- at a glance

    def _contents(self) -> Iterator[tuple[str, str]]:
        """What there is, and what of it. Raises ResultsError."""
        size = " x ".join(str(n) for n in self.box)
        end = f", state hash {self.state_hash}" if self.state_hash else ""
        yield "", f"{self.particles} particles in a box {size}, step {self.steps_done} of {self.steps_in_all}, {self.status}{end}"
        if len(self.series):
            yield "series", f"{len(self.series['step'])} rows: {', '.join(self.series)}"
        if len(self.fields):
            bins = " x ".join(str(n) for n in self.fields.bins)
            yield "fields", f"{self.fields.samples} samples in {bins} bins: {', '.join(self.fields)}"
        if len(self.histograms):
            yield "histograms", f"{self.histograms.samples} samples: {', '.join(self.histograms)}"
        for name, found in self.observables.items():
            yield name, f"{found.samples} samples: {', '.join(found)}"
        if self.has_windows:
            yield "windows", self.windows.summary()
        if self.has_trajectory:
            yield "trajectory", self.trajectory.summary()

    def _rows(self) -> list[tuple[str, str]]:
        """The same; what is wrong with the files is the last of them."""
        rows: list[tuple[str, str]] = []
        try:
            rows += self._contents()
        except ResultsError as error:
            rows.append(("", str(error)))
        return rows

    def __repr__(self) -> str:
        lines = [f"  {name:<11} {words}" if name else f"  {words}" for name, words in self._rows()]
        return "\n".join([f"Run: {self.title or 'without title'} ({self.path})", *lines])

    def _repr_html_(self) -> str:
        """For notebooks."""
        rows = "".join(f"<tr><th>{escape(name)}</th><td>{escape(words)}</td></tr>" for name, words in self._rows())
        return f"<table><caption>{escape(self.title or 'without title')} ({escape(str(self.path))})</caption>{rows}</table>"

"""A run that goes on, looked at again and again: where it is, how fast it goes, and whether it still goes.

run.h5 is replaced whole every few seconds, so each look is at one moment of the run. Of the series only the rows that are
new are read.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import time
from collections import deque
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from mpcflow_tools.conservation import broken_by
from mpcflow_tools.expected import fluid_of, wanted_temperature
from mpcflow_tools.flow import Array
from mpcflow_tools.results import MissingResult, reading, result_file
from mpcflow_tools.run import AXES, Run

# A run.h5 that is older than this and still "running" may be of a run that was killed; in seconds.
SUSPICIOUS_AGE = 15.0
# Looks behind the rate of now: run.h5 comes every two seconds or more seldom.
RATE_LOOKS = 6


@dataclass(frozen=True)
class Drift:
    """How far a conserved sum, or one that is not, is from what it was at the start."""

    name: str
    value: float
    why_not: str  # why it need not be conserved; empty where it must be


@dataclass(frozen=True)
class Look:
    """What run.h5 said at one moment."""

    title: str
    folder: Path
    status: str  # as in run.h5, or "killed"
    message: str
    device: str
    particles: int
    box: tuple[int, ...]
    steps_done: int
    steps_in_all: int
    equilibration: int
    wall_time: float
    restarts: int
    time_step: float
    wanted_temperature: float
    notes: list[str]
    samples: dict[str, int]  # of the averages, by group
    series: dict[str, float]  # the last row
    drifts: list[Drift]
    history: Array = field(repr=False)  # of the chosen series
    history_name: str
    modified: float  # when run.h5 was written, seconds since 1970


@dataclass(frozen=True)
class Disk:
    """What the folder of a run takes."""

    sizes: dict[str, int]  # bytes on the disk, by file
    free: int

    @property
    def total(self) -> int:
        return sum(self.sizes.values())


def disk_of(folder: Path) -> Disk:
    """Raises OSError where the folder is gone."""
    sizes = {}
    for entry in sorted(os.scandir(folder), key=lambda entry: entry.name):
        try:
            if entry.is_file() and entry.name.endswith((".h5", ".xdmf", ".tmp")):
                sizes[entry.name] = entry.stat().st_blocks * 512  # a trajectory of a region has holes
        except FileNotFoundError:
            continue  # renamed in this moment
    return Disk(sizes, shutil.disk_usage(folder).free)


def is_written_to(folder: Path) -> bool:
    """Whether a run holds the lock of its folder; True where that cannot be said."""
    try:
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    except OSError:
        return True
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
        return False
    except OSError:
        return True
    finally:
        os.close(descriptor)  # and with it our lock, which was there for microseconds


def _identity(status: os.stat_result) -> tuple[int, ...]:
    return status.st_ino, status.st_mtime_ns, status.st_size


class LiveRun:
    """The run in a folder. `series` names what is kept as its history."""

    def __init__(self, path: Path, series: str = "temperature") -> None:
        self.path = path
        self._series = series
        self._history: Array = np.empty(0)
        self._known: tuple[int, ...] = ()
        self._look: Look | None = None
        self._looks: deque[tuple[float, int]] = deque(maxlen=RATE_LOOKS)
        self._dead_since_file = -1.0  # the time of the run.h5 that was found to be of a killed run
        self._next_probe = 0.0

    def look(self) -> Look:
        """What run.h5 says now; the file is read only where it is another than the last time. Raises ResultsError."""
        file = result_file(self.path, "run.h5")
        with reading(file):
            status = file.stat()
        if self._look is None or _identity(status) != self._known:
            self._look, self._known = self._read(file)
            if self._looks and (self._look.wall_time, self._look.steps_done) < self._looks[-1]:
                self._looks.clear()  # it was started again
            if not self._looks or self._look.wall_time > self._looks[-1][0]:
                self._looks.append((self._look.wall_time, self._look.steps_done))
        return self._with_death(self._look)

    def _with_death(self, look: Look) -> Look:
        """A run of status "running" that nobody runs was killed."""
        now = time.time()
        if look.status != "running" or now - look.modified < SUSPICIOUS_AGE:
            return look
        # Found dead once, the folder is not tried again: a lock, even for a moment, would stand in the way of a restart.
        if self._dead_since_file != look.modified and time.monotonic() >= self._next_probe:
            self._next_probe = time.monotonic() + SUSPICIOUS_AGE
            if not is_written_to(look.folder):
                self._dead_since_file = look.modified
        return Look(**(vars(look) | {"status": "killed"})) if self._dead_since_file == look.modified else look

    @property
    def steps_per_second(self) -> float | None:
        """Of the last few looks, or from the start of the run; None where nothing can be said yet."""
        if not self._looks:
            return None
        (before, first), (now, last) = self._looks[0], self._looks[-1]
        if now <= before or last <= first:
            before, first = 0.0, 0
        return (last - first) / (now - before) if now > before and last > first else None

    def _read(self, file: Path) -> tuple[Look, tuple[int, ...]]:
        """What the file says, and which file it is: maybe another than the one that had its name a moment ago."""
        with Run(file) as run:
            fluid = fluid_of(run)
            samples = {name: found.samples for name, found in (("fields", run.fields), ("histograms", run.histograms)) if len(found)}
            samples |= {name: found.samples for name, found in run.observables.items()}
            look = Look(
                title=run.title or "A run without title", folder=file.resolve().parent, status=run.status, message=run.message,
                device=str(run.machine.get("device", "")), particles=run.particles, box=tuple(int(n) for n in run.box),
                steps_done=run.steps_done, steps_in_all=run.steps_in_all, equilibration=run.equilibration,
                wall_time=run.wall_time, restarts=run.restarts, time_step=run.time_step,
                wanted_temperature=float(wanted_temperature(run)(np.asarray(run.steps_done * run.time_step))), notes=run.notes, samples=samples, series=self._last_row(run),
                drifts=self._drifts(run, fluid.particles * float(np.sqrt(fluid.mass * fluid.temperature))),
                history=self._longer_history(run), history_name=self._series, modified=run.file_status.st_mtime)
            return look, _identity(run.file_status)

    def _last_row(self, run: Run) -> dict[str, float]:
        names = [name for name in run.series if run.series.shape(name)[1:] == () and run.series.shape(name)[0] > 0]
        return {name: float(run.series.rows(name, -1)[0]) for name in names}

    def _drifts(self, run: Run, thermal_momentum: float) -> list[Drift]:
        if not {"kinetic_energy", "momentum"} <= set(run.series) or run.series.shape("momentum")[0] == 0:
            return []
        energy_reasons, momentum_reasons = broken_by(run)
        first, last = (float(run.series.rows("kinetic_energy", row)[0]) for row in (0, -1))
        found = [Drift("energy", (last - first) / first if first else last, energy_reasons)]
        change = (run.series.rows("momentum", -1) - run.series.rows("momentum", 0))[0] / thermal_momentum
        return found + [Drift(f"momentum {axis}", float(value), momentum_reasons) for axis, value in zip(AXES, change)]

    def _longer_history(self, run: Run) -> Array:
        """The chosen series; of a vector its length. Only new rows are read, unless the run was cut back."""
        if not len(run.series):
            return np.empty(0)
        if self._series not in run.series:
            raise MissingResult(f"{run.path}: series has no '{self._series}', only {', '.join(run.series)}")
        rows = run.series.shape(self._series)[0]
        if rows < len(self._history) or (self._look is not None and run.restarts != self._look.restarts):
            self._history = np.empty(0)
        new = run.series.rows(self._series, len(self._history), rows).astype(np.float64)
        new = np.sqrt((new**2).sum(axis=1)) if new.ndim == 2 else new
        self._history = np.concatenate([self._history, new])
        return self._history

"""Runs of the program, each with what is measured in it, and the folder in which that is kept.

Of a run stays a file of JSON: its input, the numbers that were measured with their standard errors, curves, what the program says of
theory, and what ran it. A run whose file is there, of the same input, is not done again.
"""

from __future__ import annotations

import json
import math
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from mpcflow_tools.command import BadArgument, whole_file
from mpcflow_tools.errors import ResultsError
from mpcflow_tools.flow import Array
from mpcflow_tools.flow_report import Quantity
from mpcflow_tools.run import Run


@dataclass(frozen=True)
class Sizes:
    """How long runs are: `scale` times the usual, or `light`, which is small enough for a test."""

    scale: float = 1.0
    light: bool = False

    def count(self, number: float, least: int = 1) -> int:
        return max(least, round(number * self.scale))


@dataclass
class Measurement:
    """What was measured in a run."""

    numbers: dict[str, Quantity] = field(default_factory=dict)
    curves: dict[str, dict[str, list[float]]] = field(default_factory=dict)

    def curve(self, name: str, **columns: Array) -> None:
        self.curves[name] = {column: [float(f"{value:.7g}") for value in values] for column, values in columns.items()}


@dataclass(frozen=True)
class Case:
    """A run: `input` is its input as YAML has it, `subject` what it is a run of, for the tables."""

    name: str
    input: dict[str, Any]
    measure: Callable[[Run], Measurement]
    subject: Any = None


@dataclass(frozen=True)
class Result:
    """What is kept of a run."""

    input: dict[str, Any]
    numbers: dict[str, Quantity]
    curves: dict[str, dict[str, list[float]]]
    theory: dict[str, float]
    about: dict[str, Any]

    @property
    def collisional_viscosity(self) -> float:
        """Of theory, as the program predicts it."""
        return collisional_viscosity(self.theory)

    def curve(self, name: str) -> dict[str, Array]:
        return {column: np.array(values, dtype=np.float64) for column, values in self.curves[name].items()}


Results = list[tuple[Case, Result]]


def collisional_viscosity(theory: dict[str, float]) -> float:
    """What belongs to the prediction; the `collisional_viscosity` of /theory is the published one, from which that differs with +a."""
    return theory["predicted_viscosity"] - theory["kinetic_viscosity"]


def as_json(case: Case, run: Run) -> dict[str, Any]:
    """Raises ResultsError; ValueError where the run does not allow the measurement."""
    found = case.measure(run)
    about = {"device": str(run.machine["device"]), "steps": run.steps_done, "particles": run.particles,
             "wall_time": round(run.wall_time, 3), "state_hash": run.state_hash}
    return {"input": case.input, "numbers": {name: _pair(one) for name, one in found.numbers.items()}, "curves": found.curves,
            "theory": {name: float(value) for name, value in run.theory.items()}, "about": about}


def _pair(one: Quantity) -> list[float | None]:
    return [value if math.isfinite(value) else None for value in (float(one.value), float(one.error))]


def _number(value: float | None) -> float:
    return math.nan if value is None else float(value)


class Store:
    """The folder of results, FOLDER/SUBJECT/CASE.json."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def path(self, subject: str, case: Case) -> Path:
        return self.folder / subject / f"{case.name}.json"

    def read(self, subject: str, case: Case, of_any_length: bool = False) -> Result | None:
        """None where there is none of this input; of any input, where lengths do not matter. Raises BadArgument where it is no result."""
        path = self.path(subject, case)
        try:
            found = json.loads(path.read_text(encoding="utf-8"))
            if not of_any_length and found["input"] != json.loads(json.dumps(case.input)):
                return None
            numbers = {name: Quantity(_number(value), _number(error)) for name, (value, error) in found["numbers"].items()}
            return Result(found["input"], numbers, found["curves"], found["theory"], found["about"])
        except FileNotFoundError:
            return None
        except (ValueError, KeyError, TypeError) as error:
            raise BadArgument(f"{path}: is no result of validate.sh ({error}): remove it") from error

    def write(self, subject: str, case: Case, found: dict[str, Any]) -> None:
        with whole_file(self.path(subject, case), overwrite=True) as aside:
            aside.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


@dataclass(frozen=True)
class Runner:
    """The program, and how it is to run."""

    program: Path
    device: str = "auto"
    threads: str = "auto"
    jobs: int = 1
    most_seconds: float = math.inf  # after which no run begins
    anew: bool = False  # what is there, too

    def measured(self, case: Case) -> dict[str, Any]:
        """Runs the case in a folder of its own, which goes again. Raises ResultsError."""
        with tempfile.TemporaryDirectory(prefix="mpcflow-validation-") as scratch:
            given, output = Path(scratch) / "input.yaml", Path(scratch) / "out"
            given.write_text(json.dumps(case.input, indent=1), encoding="utf-8")  # JSON is YAML
            command = [str(self.program.absolute()), "run", str(given), "--device", self.device, "--threads", self.threads, "--output", str(output),
                       "--quiet"]
            done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, errors="replace", check=False)
            if done.returncode:
                last = "; ".join(done.stderr.strip().splitlines()[-3:])
                raise ResultsError(f"{case.name}: mpcflow ended with status {done.returncode}: {last}")
            with Run(output) as run:
                try:
                    return as_json(case, run)
                except ValueError as error:
                    raise ResultsError(f"{case.name}: {error}") from error

    def fill(self, store: Store, wanted: Sequence[tuple[str, Case]], told: Callable[[str], None]) -> bool:
        """Runs what is not there yet; false where time ran out before all was. Raises ResultsError of the first run that fails, after the
        others that had begun."""
        begun = time.monotonic()
        missing = [(subject, case) for subject, case in wanted if self.anew or store.read(subject, case) is None]
        waiting: Iterator[tuple[int, tuple[str, Case]]] = iter(enumerate(missing))
        failed: list[ResultsError] = []

        def work() -> None:
            while not failed and time.monotonic() - begun < self.most_seconds:
                try:
                    number, (subject, case) = next(waiting)
                except StopIteration:
                    return
                since = time.monotonic()
                try:
                    store.write(subject, case, self.measured(case))
                except ResultsError as error:
                    failed.append(error)
                    return
                told(f"{number + 1} of {len(missing)}: {subject}/{case.name}, {time.monotonic() - since:.1f} s")

        with ThreadPoolExecutor(self.jobs) as pool:
            for done in [pool.submit(work) for _ in range(self.jobs)]:
                done.result()
        if failed:
            raise failed[0]
        return next(waiting, None) is None

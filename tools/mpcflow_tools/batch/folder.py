"""A sweep's folder: what was asked for (sweep.json), the script, and a folder a case.

    sweep.json              the cases, the profile, the jobs
    input.yaml              the input as it was given
    job.sh                  what the scheduler runs
    case-0000/input.yaml    the input of the case, all defaults written out
    case-0000/results/      what its run wrote
    case-0000/attempts.jsonl  the jobs that ran it, two lines each
    case-0000/job.log       what they printed
    case-0000/lock          locked by who runs it
    queue-NODE-PROCESS.json   while a local queue runs: its cases
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mpcflow_tools.batch.profile import Profile, profile_as_json, profile_from_json
from mpcflow_tools.batch.sweep import Case
from mpcflow_tools.command import whole_file
from mpcflow_tools.errors import ResultsError

SWEEP_FILE = "sweep.json"
SCRIPT_FILE = "job.sh"
RESULTS = "results"
_FORMAT = {"format": "mpcflow sweep", "format_version": 1}


def local_task(case: int) -> str:
    """The task of a case in a local queue."""
    return f"local-{case}"


def now_text() -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())


@dataclass
class Job:
    """What a scheduler was given, and for which cases."""

    id: str
    cases: list[int]
    submitted: str
    is_collecting: bool = False  # analyses the sweep; runs no case


@dataclass
class Sweep:
    """All that sweep.json holds."""

    folder: Path
    input_file: str
    profile: Profile
    program: list[str]
    swept: list[str]  # keys, "seed" among them where cases are repeated
    cases: list[Case]
    time: str | None = None  # of a job, as the scheduler is told
    created: str = field(default_factory=now_text)
    jobs: list[Job] = field(default_factory=list)

    @property
    def is_array(self) -> bool:
        return len(self.cases) > 1

    def case_folder(self, case: Case) -> Path:
        return self.folder / case.folder

    def save(self) -> None:
        """Writes sweep.json: the whole of it, or what was there stays."""
        content = _FORMAT | {
            "created": self.created, "input": self.input_file, "program": self.program, "profile": profile_as_json(self.profile),
            "time": self.time, "swept": self.swept,
            "cases": [{"index": case.index, "values": case.values} for case in self.cases],
            "jobs": [{"id": job.id, "cases": job.cases, "submitted": job.submitted, "is_collecting": job.is_collecting} for job in self.jobs]}
        with whole_file(self.folder / SWEEP_FILE, overwrite=True) as path:
            path.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")


def read_sweep(folder: Path) -> Sweep:
    """The sweep in a folder. Raises ResultsError where there is none, or it is not what was written."""
    path = folder / SWEEP_FILE
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        if {key: found.get(key) for key in _FORMAT} != _FORMAT:
            raise ResultsError(f"{path}: is no sweep of mpcflow-submit, or of another version")
        sweep = Sweep(folder, str(found["input"]), profile_from_json(path, found["profile"]), [str(word) for word in found["program"]],
                      [str(key) for key in found["swept"]],
                      [Case(int(one["index"]), {str(key): str(value) for key, value in one["values"].items()}) for one in found["cases"]],
                      None if found["time"] is None else str(found["time"]), str(found["created"]),
                      [Job(str(one["id"]), [int(index) for index in one["cases"]], str(one["submitted"]), bool(one["is_collecting"]))
                       for one in found["jobs"]])
    except FileNotFoundError as error:
        raise ResultsError(f"{path}: no such file: {folder} is no sweep of mpcflow-submit") from error
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise ResultsError(f"{path}: is not what mpcflow-submit writes ({type(error).__name__}: {error})") from error
    if [case.index for case in sweep.cases] != list(range(len(sweep.cases))):
        raise ResultsError(f"{path}: its cases are not numbered from 0 on: this is not what mpcflow-submit writes")
    return sweep


# -- the jobs that ran a case

def note_attempt(folder: Path, **facts: Any) -> None:
    """Adds a line to a case's attempts. One write, so that lines of two jobs never mix."""
    line = json.dumps({"time": now_text(), **facts}) + "\n"
    descriptor = os.open(folder / "attempts.jsonl", os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o666)
    try:
        os.write(descriptor, line.encode())
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def read_attempts(folder: Path) -> list[dict[str, Any]]:
    """The lines of a case's attempts, but for one that a kill cut short."""
    try:
        text = (folder / "attempts.jsonl").read_text(encoding="utf-8", errors="replace")
    except FileNotFoundError:
        return []
    lines: list[dict[str, Any]] = []
    for line in text.splitlines():
        try:
            found = json.loads(line)
        except ValueError:
            continue
        if isinstance(found, dict):
            lines.append(found)
    return lines


def ranges(indices: Sequence[int]) -> str:
    """ "0-5,7": as arrays of jobs are given."""
    parts: list[list[int]] = []
    for index in sorted(indices):
        if parts and parts[-1][1] == index - 1:
            parts[-1][1] = index
        else:
            parts.append([index, index])
    return ",".join(f"{first}" if first == last else f"{first}-{last}" for first, last in parts)

"""How far the cases of a sweep are."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from mpcflow_tools.batch.folder import RESULTS, Sweep, local_task, read_attempts
from mpcflow_tools.batch.schedulers import RUNNING, WAITING, scheduler_of
from mpcflow_tools.batch.sweep import Case
from mpcflow_tools.batch.times import time_text
from mpcflow_tools.errors import ResultsError
from mpcflow_tools.run import Run
from mpcflow_tools.texts import printable

LONGEST_MESSAGE = 100
LOG_END = 4096  # bytes of a log that are looked at


@dataclass(frozen=True)
class CaseStatus:
    """Of one case. `state`: done; running and waiting in the queue; stopped by somebody and failed, which resubmit begins again; lost:
    neither ended nor in the queue; new: no job has run it."""

    index: int
    label: str
    state: str
    task: str = ""
    steps_done: int = 0
    steps_in_all: int = 0
    seconds_left: float | None = None
    updates_per_second: float | None = None
    attempts: int = 0
    message: str = ""

    @property
    def share_done(self) -> float:
        return self.steps_done / self.steps_in_all if self.steps_in_all else 0.0


def task_of_case(sweep: Sweep, case: Case, attempts: Sequence[dict[str, Any]]) -> str:
    """The task that runs a case or is to run it: the last that was submitted for it, or that follows one of these."""
    given = next((job for job in reversed(sweep.jobs) if case.index in job.cases), None)
    task = submitted = scheduler_of(sweep.profile.scheduler).task_of(given.id, case.index, sweep) if given else ""
    for line in attempts:
        if line.get("event") == "submitted":  # noted before there is an id, but in a local queue
            task = str(line.get("job") or submitted)
        elif line.get("event") == "ended" and line.get("next"):
            task = str(line["next"])
    return task


def _last_line(path: Path) -> str:
    try:
        with path.open("rb") as file:
            file.seek(0, 2)
            file.seek(max(0, file.tell() - LOG_END))
            text = file.read().decode("utf-8", errors="replace").replace("\r", "\n")
    except OSError:
        return ""
    lines = [line.strip() for line in text.split("\n") if line.strip()]
    return printable(lines[-1], LONGEST_MESSAGE) if lines else ""


def case_status(sweep: Sweep, case: Case, queue: Mapping[str, str]) -> CaseStatus:
    """Of a case, `queue` being what waits and runs: the task that its attempts tell, or one of a local queue."""
    folder = sweep.case_folder(case)
    attempts = read_attempts(folder)
    task = task_of_case(sweep, case, attempts)
    if task not in queue and local_task(case.index) in queue:
        task = local_task(case.index)
    began = [line for line in attempts if line.get("event") == "began"]
    last = attempts[-1] if attempts else {}
    facts: dict[str, Any] = {"task": task, "attempts": len(began), "message": _last_line(folder / "job.log")}
    completed = False
    try:
        with Run(folder / RESULTS) as run:
            completed = run.status == "completed"
            facts |= {"steps_done": run.steps_done, "steps_in_all": run.steps_in_all}
            if run.wall_time > 0.0 and run.steps_done > 0:
                rate = run.steps_done / run.wall_time
                facts["updates_per_second"] = rate * run.particles
                facts["seconds_left"] = max(0, run.steps_in_all - run.steps_done) / rate
            if run.message and task not in queue:
                facts["message"] = printable(run.message, LONGEST_MESSAGE)
            elif completed and run.state_hash:
                facts["message"] = f"completed, state hash {run.state_hash}"
    except ResultsError:
        pass
    if task in queue:
        state = queue[task]
    elif completed or last.get("then") == "done":
        state = "done"
    elif last.get("event") == "cancelled":
        state = "stopped"
    elif last.get("event") == "ended":
        state = "lost" if last.get("then") == "goes on" else str(last.get("then", "failed"))
    elif began and last.get("event") == "began":
        state = "lost"
    else:
        state = "new" if not task else "lost"
    if state not in (RUNNING, WAITING):
        facts["seconds_left"] = 0.0 if state == "done" else facts.get("seconds_left")
    return CaseStatus(case.index, case.label, state, **facts)


def _left(status: CaseStatus) -> str:
    if status.state == "done":
        return "-"
    return "?" if status.seconds_left is None or not math.isfinite(status.seconds_left) else time_text(status.seconds_left)


def _rate(status: CaseStatus) -> str:
    value = status.updates_per_second
    if value is None:
        return "?"
    for unit, size in (("G", 1e9), ("M", 1e6), ("k", 1e3)):
        if value >= size:
            return f"{value / size:.3g} {unit}/s"
    return f"{value:.3g} /s"


def status_text(statuses: Sequence[CaseStatus], counted: Sequence[CaseStatus] | None = None) -> str:
    """A table for a terminal, and how many cases are in each state: of these, or of `counted`."""
    rows = [("case", "state", "done", "left", "rate", "job", "values", "last message")]
    rows += [(f"{one.index:04d}", one.state, f"{100.0 * one.share_done:.0f} %", _left(one), _rate(one), one.task or "-",
              printable(one.label, 40), one.message) for one in statuses]
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]) - 1)]
    lines = ["  ".join([*(text.ljust(width) for text, width in zip(row, widths, strict=False)), row[-1]]).rstrip() for row in rows]
    states = [one.state for one in (statuses if counted is None else counted)]
    lines.append(", ".join(f"{states.count(state)} {state}" for state in dict.fromkeys(states)))
    return "\n".join(lines)


def status_json(statuses: Sequence[CaseStatus]) -> str:
    return json.dumps({"format": "mpcflow sweep status", "format_version": 1,
                       "cases": [asdict(one) | {"share_done": one.share_done} for one in statuses]}, allow_nan=False)

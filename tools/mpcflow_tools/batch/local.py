"""The queue of this machine: a sweep's cases side by side, as many as it has processors and GPUs for, with a table that lives."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TextIO

from mpcflow_tools.batch.folder import Sweep, local_task, note_attempt, read_attempts
from mpcflow_tools.batch.local_queues import QueueFile
from mpcflow_tools.batch.lock import LockedError, is_locked, take_lock
from mpcflow_tools.batch.schedulers import RUNNING, WAITING
from mpcflow_tools.batch.status import CaseStatus, case_status, status_text
from mpcflow_tools.batch.worker import DONE, ENVIRONMENT, STOPPED, Then, fruitless_in_a_row, steps_of, what_follows
from mpcflow_tools.errors import ResultsError

LOOK_EVERY = 0.2  # seconds
SHOW_EVERY = 2.0
# What ends a queue, and how that is told. SIGTERM is what `mpcflow-submit cancel` sends.
_STOP_SIGNALS = {signal.SIGINT: "stopped", signal.SIGTERM: "cancelled", signal.SIGHUP: "stopped, as the terminal has gone"}


def gpus_here() -> list[str]:
    """What CUDA_VISIBLE_DEVICES may name: those that it names already, or all that nvidia-smi lists."""
    given = os.environ.get("CUDA_VISIBLE_DEVICES")
    if given is not None:
        return [name for name in given.split(",") if name and name != "-1"]
    try:
        listed = subprocess.run(["nvidia-smi", "--list-gpus"], capture_output=True, text=True, timeout=60.0)
    except (OSError, subprocess.TimeoutExpired):
        return []
    return [str(number) for number, _ in enumerate(listed.stdout.splitlines())] if listed.returncode == 0 else []


def held_tasks(sweep: Sweep) -> dict[str, str]:
    """The cases that somebody runs, as tasks of a local queue, which may be in another terminal. Not for the queue itself."""
    return {local_task(case.index): RUNNING for case in sweep.cases if is_locked(sweep.case_folder(case))}


@dataclass
class _Child:
    case: int
    process: subprocess.Popen[bytes]
    gpus: list[str]
    first_step: int
    lock: int


@dataclass
class LocalQueue:
    """Runs cases of a sweep until each is done, has failed, or somebody stops it."""

    sweep: Sweep
    stream: TextIO = field(default_factory=lambda: sys.stderr)
    _waiting: list[int] = field(default_factory=list)
    _children: list[_Child] = field(default_factory=list)
    _ended_cases: dict[int, CaseStatus] = field(default_factory=dict)
    _asked_by: int | None = None
    _is_ending: bool = False
    _lines_shown: int = 0

    def run(self, cases: Sequence[int]) -> int:
        """Returns 0 when all are done, 85 when it was stopped, or what the first that failed ended with."""
        profile = self.sweep.profile
        free_gpus = gpus_here()
        if profile.gpus_here > len(free_gpus):
            raise ResultsError(f"a case needs {profile.gpus_here} GPUs (gpus in the profile), and there are {len(free_gpus)} here")
        places = max(1, len(os.sched_getaffinity(0)) // profile.cpus)
        places = min(places, profile.at_once or places, len(free_gpus) // profile.gpus_here if profile.gpus_here else places)
        self._waiting = list(cases)
        begun: set[int] = set()
        worst = DONE
        stopped = False
        before = {number: signal.signal(number, self._stop) for number in _STOP_SIGNALS
                  if number is not signal.SIGHUP or signal.getsignal(number) is not signal.SIG_IGN}  # as nohup has it
        file = QueueFile(self.sweep)
        try:
            shown = 0.0
            self._write(file)
            while self._waiting or self._children:
                while self._waiting and len(self._children) < places and self._asked_by is None:
                    case = self._waiting.pop(0)
                    try:
                        lock = take_lock(self._folder(case))
                    except LockedError as error:
                        self._say(str(error))
                        self._ended_cases[case] = case_status(self.sweep, self.sweep.cases[case], {local_task(case): RUNNING})
                        worst = worst or ENVIRONMENT
                        continue
                    if case not in begun:
                        note_attempt(self._folder(case), event="submitted", job=local_task(case))
                        begun.add(case)
                    taken = [free_gpus.pop(0) for _ in range(profile.gpus_here)]
                    self._children.append(self._start(case, taken, lock))
                    if self._asked_by is not None:  # while there was no child yet
                        self._stop(self._asked_by)
                for child in [one for one in self._children if one.process.poll() is not None]:
                    self._children.remove(child)
                    free_gpus += child.gpus
                    then, status = self._ended(child)
                    if then is Then.GO_ON:
                        self._waiting.append(child.case)
                        continue
                    stopped = stopped or then is Then.STOPPED
                    self._ended_cases[child.case] = case_status(self.sweep, self.sweep.cases[child.case], {})
                    if then is Then.FAILED and worst == DONE:
                        worst = status
                if self._asked_by is not None:
                    stopped = stopped or bool(self._waiting)
                    self._drop_waiting(signal.Signals(self._asked_by))
                self._write(file)
                if time.monotonic() - shown >= SHOW_EVERY:
                    self._show()
                    shown = time.monotonic()
                time.sleep(LOOK_EVERY)
        finally:
            self._end_all()
            file.remove()
            for number, handler in before.items():
                signal.signal(number, handler)
        self._show(is_last=True)
        return STOPPED if stopped else worst

    def _end_all(self) -> None:
        """Where an error ends the queue, runs end with it: nobody would look after them."""
        if self._children:
            self._stop(signal.SIGTERM)
        for child in self._children:
            child.process.wait()
            with contextlib.suppress(OSError):
                self._ended(child)
        self._children.clear()

    def _write(self, file: QueueFile) -> None:
        file.write([child.case for child in self._children], self._waiting)

    def _drop_waiting(self, asked_by: signal.Signals) -> None:
        """What waits is not begun; where the queue was cancelled that is noted, as of jobs of a cluster that were."""
        if not self._is_ending:
            self._say(f"{_STOP_SIGNALS[asked_by]} ({asked_by.name}): what runs saves first, "
                      f"{len(self._waiting)} of {len(self.sweep.cases)} cases are not begun")
            self._is_ending = True
        if asked_by is signal.SIGTERM:
            for case in self._waiting:
                note_attempt(self._folder(case), event="ended", then=Then.STOPPED.value, job=local_task(case))
        self._waiting.clear()

    def _say(self, line: str) -> None:
        """Above the table, which is drawn again below."""
        self._clear_table()
        self.stream.write(line + "\n")

    def _clear_table(self) -> None:
        if self._lines_shown:
            self.stream.write(f"\r\x1b[{self._lines_shown}A\x1b[J")
        self._lines_shown = 0

    def _stop(self, number: int, _frame: object = None) -> None:
        self._asked_by = number
        for child in self._children:
            if child.process.poll() is None:
                child.process.send_signal(number)

    def _folder(self, case: int) -> Path:
        return self.sweep.case_folder(self.sweep.cases[case])

    def _start(self, case: int, gpus: list[str], lock: int) -> _Child:
        folder = self._folder(case)
        environment = os.environ | {"CUDA_VISIBLE_DEVICES": ",".join(gpus)}  # none where it asks for none
        first = steps_of(folder)
        task = local_task(case)
        note_attempt(folder, event="began", step=first, job=task, node=os.uname().nodename)
        with (folder / "job.log").open("ab") as log:
            words = [*self.sweep.program, "run", "input.yaml", "--threads", str(self.sweep.profile.cpus)]
            if self.sweep.profile.setup:
                words = ["bash", "-c", self.sweep.profile.setup + '\nexec "$@"', "mpcflow-submit", *words]
            process = subprocess.Popen(words, cwd=folder, stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=environment,
                                       start_new_session=True)  # a Ctrl-C of the terminal is passed on by _stop alone
        return _Child(case, process, gpus, first, lock)

    def _ended(self, child: _Child) -> tuple[Then, int]:
        folder = self._folder(child.case)
        code = child.process.returncode
        status = code if code >= 0 else 128 - code
        last = steps_of(folder)
        fruitless = 0 if last > child.first_step else fruitless_in_a_row(read_attempts(folder)[:-1], child.first_step) + 1
        then = what_follows(status, self._asked_by, fruitless, self.sweep.profile.failures)
        note_attempt(folder, event="ended", status=status, step=last, then=then.value, job=local_task(child.case), node=os.uname().nodename)
        os.close(child.lock)
        return then, status

    def statuses(self) -> list[CaseStatus]:
        queue = {local_task(case): WAITING for case in self._waiting} | {local_task(child.case): RUNNING for child in self._children}
        return [self._ended_cases.get(case.index) or case_status(self.sweep, case, queue) for case in self.sweep.cases]

    def _show(self, is_last: bool = False) -> None:
        """The table; on a terminal in the place of the one before, and of what runs alone where there is no room for all."""
        statuses = self.statuses()
        if not self.stream.isatty():
            if is_last:
                self.stream.write(status_text(statuses) + "\n")
            return
        width, height = shutil.get_terminal_size()
        room = max(1, height - 4)
        shown = statuses if len(statuses) <= room else [one for one in statuses if one.state == RUNNING][:room]
        lines = [line[: width - 1] for line in status_text(shown, statuses).split("\n")]
        self._clear_table()
        self.stream.write("\n".join(lines) + "\n")
        self.stream.flush()
        self._lines_shown = len(lines)

"""What runs in a job: one case's mpcflow, from where it was to its end or to the job's, and what follows.

The scheduler signals before the time is over; mpcflow saves and ends with status 85, and the job goes on anew (requeued, or by a
successor where that is forbidden). The chain ends when the run is complete, when mpcflow refuses its input, when somebody
cancels it, or when it has failed several times in a row without a step done. The lock of the case's folder sees to it that
two jobs never run one.
"""

from __future__ import annotations

import os
import shlex
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Sequence
from enum import Enum
from pathlib import Path
from typing import Any

from mpcflow_tools.batch.folder import RESULTS, Sweep, note_attempt, read_attempts, read_sweep
from mpcflow_tools.batch.lock import take_lock
from mpcflow_tools.batch.profile import Profile
from mpcflow_tools.batch.schedulers import Scheduler, scheduler_of
from mpcflow_tools.batch.script import JOB_SECONDS
from mpcflow_tools.command import complain, say
from mpcflow_tools.errors import ResultsError

DONE, BAD_INPUT, ENVIRONMENT, STOPPED = 0, 2, 3, 85  # statuses of mpcflow
GIVEN_UP = 1  # of a job whose chain ends here: 85 alone may mean that it goes on, and let a cluster begin it anew (RequeueExit)
CANNOT_RUN = 127  # as of shells
# What asks a job to end. USR1 is the scheduler's that its time is nearly over; the others are somebody's who wants it to end.
_SIGNALS = (signal.SIGUSR1, signal.SIGUSR2, signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGXCPU)
_TIME_IS_OVER = (signal.SIGUSR1, signal.SIGXCPU)
REQUEUE_PATIENCE = 300.0  # seconds after which a requeued job that is still there gives up waiting for its end
# Seconds for the job before: on one of an array of PBS none can depend, and of a node that failed NFS keeps locks for a while.
LOCK_PATIENCE = 180.0


class Then(Enum):
    """What follows an attempt."""

    DONE = "done"
    GO_ON = "goes on"
    STOPPED = "stopped"
    FAILED = "failed"


def steps_of(folder: Path) -> int:
    """Steps that the newest checkpoint of a case has; 0 where there is none, or none that can be read."""
    from mpcflow_tools.files import open_file  # h5py takes a while

    best = 0
    for name in ("checkpoint.h5", "checkpoint.previous.h5"):
        try:
            opened = open_file(folder / RESULTS / name)
            with opened.file as file:
                best = max(best, int(file["run"].attrs["step"]))
        except (ResultsError, OSError, KeyError, ValueError, TypeError):
            continue
    return best


def fruitless_in_a_row(attempts: Sequence[dict[str, Any]], step: int) -> int:
    """How many of the last attempts, after which the case is at `step`, ended without a step more than they began with."""
    count = 0
    began: dict[str, Any] | None = None
    for line in attempts:
        if line.get("event") == "began":
            if began is not None:  # killed with all that ran in it
                count = 0 if line.get("step", 0) > began.get("step", 0) else count + 1
            began = line
        elif line.get("event") == "ended" and began is not None:
            count = 0 if line.get("step", 0) > began.get("step", 0) else count + 1
            began = None
        elif line.get("event") == "submitted":  # somebody tries again
            count, began = 0, None
    if began is not None:  # its node failed, say
        count = 0 if step > began.get("step", 0) else count + 1
    return count


def is_cancelled(attempts: Sequence[dict[str, Any]]) -> bool:
    """Whether `mpcflow-submit cancel` has met the last attempt."""
    return any(line.get("event") == "cancelled" for line in attempts[-1:])


def what_follows(status: int, asked_by: int | None, fruitless: int, most_failures: int) -> Then:
    """Of an attempt that ended with `status` after the signal `asked_by`, as one of `fruitless` in a row that did no step."""
    if status == DONE:
        return Then.DONE
    if status == BAD_INPUT:
        return Then.FAILED
    if asked_by is not None and asked_by not in _TIME_IS_OVER:
        return Then.STOPPED
    return Then.FAILED if fruitless >= most_failures else Then.GO_ON


class _Run:
    """mpcflow as a child that gets the signals of this process."""

    def __init__(self, words: Sequence[str], folder: Path) -> None:
        self.asked_by: int | None = None
        self._child: subprocess.Popen[bytes] | None = None
        for number in _SIGNALS:
            signal.signal(number, self._pass_on)
        self._child = subprocess.Popen(words, cwd=folder, stdin=subprocess.DEVNULL)
        if self.asked_by is not None:  # before there was a child
            self._child.send_signal(self.asked_by)

    def _pass_on(self, number: int, _frame: object) -> None:
        if self.asked_by is None:  # when the time is over, further signals come while the run still saves
            self.asked_by = number
        if self._child is not None and self._child.poll() is None:
            self._child.send_signal(number)

    def wait(self) -> int:
        """Its exit status, as a shell tells it: 128 and the signal's number where one killed it."""
        assert self._child is not None
        status = self._child.wait()
        return status if status >= 0 else 128 - status


def _launcher(profile: Profile) -> list[str]:
    """What starts the ranks of a case; nothing where there is one."""
    if profile.ranks == 1:
        return []
    os.environ.setdefault("SRUN_CPUS_PER_TASK", str(profile.cpus))  # since Slurm 22.05 srun does not ask for what its job has
    return shlex.split(profile.launcher)


def _time_option(sweep: Sweep) -> list[str]:
    """For schedulers that do not signal before the time is over. It is the job's own limit: the sweep's may be another by now."""
    limit = os.environ.get(JOB_SECONDS, "")
    return ["--max-wall-time", str(max(1, int(limit) - sweep.profile.margin))] if limit.isdigit() else []


def _go_on(sweep: Sweep, scheduler: Scheduler, case: int, folder: Path, task: str, facts: dict[str, Any]) -> int:
    """Sees to the next attempt: this very job again, or another one after it."""
    if sweep.profile.requeue and sweep.profile.scheduler == "slurm":
        # Written first: Slurm ends this job at once.
        note_attempt(folder, **facts, then=Then.GO_ON.value, next=task)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        try:
            scheduler.requeue(task)
            time.sleep(REQUEUE_PATIENCE)
            return int(facts["status"])
        except ResultsError as error:
            say(f"cannot be requeued ({error}); another job follows")
    try:
        following = scheduler.submit(sweep, [case], after=task)
    except ResultsError:
        note_attempt(folder, **facts, then=Then.STOPPED.value)
        raise
    note_attempt(folder, **facts, then=Then.GO_ON.value, next=scheduler.task_of(following, case, sweep))
    return DONE  # of this job: the other goes on


def run_case(sweep: Sweep, case: int) -> int:
    """Runs a case in this job. Returns the exit status for it."""
    if not 0 <= case < len(sweep.cases):
        raise ResultsError(f"{sweep.folder}: has no case {case}, only 0 to {len(sweep.cases) - 1}")
    scheduler = scheduler_of(sweep.profile.scheduler)
    folder = sweep.case_folder(sweep.cases[case])
    task = scheduler.own_task(os.environ)
    earlier = read_attempts(folder)
    is_back = any(line.get("event") == "began" and line.get("job") == task for line in earlier[-1:])  # its node failed
    take_lock(folder, LOCK_PATIENCE if is_back or sweep.profile.scheduler == "pbs" else 0.0)
    facts: dict[str, Any] = {"job": task, "node": socket.gethostname()}
    first = steps_of(folder)
    before = fruitless_in_a_row(read_attempts(folder), first)
    if before >= sweep.profile.failures:
        note_attempt(folder, event="ended", status=GIVEN_UP, step=first, then=Then.FAILED.value, **facts)
        raise ResultsError(f"{folder}: {before} jobs in a row ended without a step more, the last of them with all that ran in it; "
                           "given up: `mpcflow-submit resubmit` tries again")
    note_attempt(folder, event="began", step=first, **facts)
    try:
        run = _Run([*_launcher(sweep.profile), *sweep.program, "run", "input.yaml", *_time_option(sweep)], folder)
    except OSError as error:
        note_attempt(folder, event="ended", status=CANNOT_RUN, step=first, then=Then.FAILED.value, **facts)
        raise ResultsError(f"{sweep.program[0]}: cannot be run ({error.strerror}): name it as `program` in the profile, or let "
                           "`setup` bring it") from error
    status = run.wait()
    for number in _SIGNALS:  # from here on what is to be written is written
        signal.signal(number, signal.SIG_IGN)
    last = steps_of(folder)
    asked_by = signal.SIGTERM if is_cancelled(read_attempts(folder)) else run.asked_by
    then = what_follows(status, asked_by, 0 if last > first else before + 1, sweep.profile.failures)
    facts |= {"event": "ended", "status": status, "step": last}
    if then is Then.GO_ON and task is not None:
        return _go_on(sweep, scheduler, case, folder, task, facts)
    note_attempt(folder, **facts, then=then.value)
    return GIVEN_UP if status == STOPPED else status


def main(argv: Sequence[str] | None = None) -> int:
    """run FOLDER CASE, or collect FOLDER: called by the scripts of sweeps alone."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    try:
        if len(arguments) == 3 and arguments[0] == "run" and arguments[2].isdigit():
            return run_case(read_sweep(Path(arguments[1])), int(arguments[2]))
        if len(arguments) == 2 and arguments[0] == "collect":
            from mpcflow_tools.batch.collect import collect_when_done

            return collect_when_done(read_sweep(Path(arguments[1])))
        complain("the worker is called by the scripts of mpcflow-submit: run FOLDER CASE, or collect FOLDER")
        return BAD_INPUT
    except ResultsError as error:
        complain(f"mpcflow-submit: {error}")
        return error.status


if __name__ == "__main__":
    sys.exit(main())

"""What a sweep asks of a batch system. Each is a few calls of its commands; nothing else knows which one it is."""

from __future__ import annotations

import json
import re
import subprocess
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from pathlib import Path

from mpcflow_tools.batch.folder import SCRIPT_FILE, Sweep, ranges
from mpcflow_tools.batch.script import job_name, worker_words
from mpcflow_tools.errors import ResultsError

LONGEST_ANSWER = 120.0  # seconds
WAITING, RUNNING = "waiting", "running"


def call(words: Sequence[str], folder: Path | None = None, script: str | None = None) -> str:
    """What a command of the scheduler prints. Raises ResultsError with what it complains of."""
    try:
        done = subprocess.run(words, cwd=folder, capture_output=True, text=True, errors="replace", timeout=LONGEST_ANSWER,
                              input=script if script is not None else "")
    except OSError as error:
        raise ResultsError(f"{words[0]}: cannot be run ({error.strerror}): is this a machine of the cluster?") from error
    except subprocess.TimeoutExpired as error:
        raise ResultsError(f"{words[0]}: has not answered for {LONGEST_ANSWER:.0f} s") from error
    if done.returncode != 0:
        said = "; ".join((done.stderr or done.stdout).strip().splitlines()) or f"ended with status {done.returncode}"
        raise ResultsError(f"{words[0]}: {said}")
    return done.stdout.strip()


class Queue(ABC):
    """What waits and runs. A task is a job for one case: in an array it has the array's id and its own number."""

    @abstractmethod
    def tasks(self) -> dict[str, str]:
        """The user's tasks that have not ended, WAITING or RUNNING."""

    @abstractmethod
    def cancel(self, tasks: Sequence[str]) -> None:
        """Ends tasks: those that run get a signal first."""


class Scheduler(Queue):
    """A batch system, which is given jobs and runs them somewhere."""

    @abstractmethod
    def submit(self, sweep: Sweep, cases: Sequence[int], after: str | None = None) -> str:
        """Gives it the sweep's script for these cases, to begin when the task `after` has ended. Returns the id. Raises ResultsError."""

    @abstractmethod
    def submit_collecting(self, sweep: Sweep, after: Sequence[str]) -> str:
        """The same of the analysis of the sweep, when these jobs have ended."""

    @abstractmethod
    def task_of(self, job: str, case: int, sweep: Sweep) -> str:
        """The task of a case in a job that submit() gave."""

    @abstractmethod
    def own_task(self, environment: Mapping[str, str]) -> str | None:
        """The task that this process runs in."""

    @abstractmethod
    def requeue(self, task: str) -> None:
        """Lets the caller's own task begin anew, with its number. Raises ResultsError where that is forbidden."""


class Slurm(Scheduler):
    def submit(self, sweep: Sweep, cases: Sequence[int], after: str | None = None) -> str:
        words = ["sbatch", "--parsable"]
        if sweep.is_array:
            most = f"%{sweep.profile.at_once}" if sweep.profile.at_once else ""
            words.append(f"--array={ranges(cases)}{most}")
        if after is not None:
            words.append(f"--dependency=afterany:{after}")
        return call([*words, SCRIPT_FILE], sweep.folder).split(";")[0]

    def submit_collecting(self, sweep: Sweep, after: Sequence[str]) -> str:
        asked = {"job-name": f"{job_name(sweep)}-collect", "partition": sweep.profile.partition, "account": sweep.profile.account,
                 "qos": sweep.profile.qos, "ntasks": "1", "output": "collect.log", "open-mode": "append",
                 "dependency": "afterany:" + ":".join(after)}
        lines = [f"#SBATCH --{key}={value}" for key, value in asked.items() if value is not None]
        setup = sweep.profile.setup.strip("\n")
        script = "\n".join(["#!/bin/bash", *lines, *([setup] if setup else []), f"exec {worker_words('collect', '.')}", ""])
        return call(["sbatch", "--parsable"], sweep.folder, script).split(";")[0]

    def tasks(self) -> dict[str, str]:
        listed = call(["squeue", "--me", "--noheader", "--array", "--format=%i|%T"])
        found = dict(line.split("|", 1) for line in listed.splitlines() if "|" in line)
        return {task: RUNNING if state in ("RUNNING", "COMPLETING", "STOPPED", "SUSPENDED", "SIGNALING") else WAITING
                for task, state in found.items()}

    def cancel(self, tasks: Sequence[str]) -> None:
        if tasks:
            call(["scancel", *tasks])

    def task_of(self, job: str, case: int, sweep: Sweep) -> str:
        return f"{job}_{case}" if sweep.is_array else job

    def own_task(self, environment: Mapping[str, str]) -> str | None:
        array, number = environment.get("SLURM_ARRAY_JOB_ID"), environment.get("SLURM_ARRAY_TASK_ID")
        return f"{array}_{number}" if array and number else environment.get("SLURM_JOB_ID")

    def requeue(self, task: str) -> None:
        call(["scontrol", "requeue", task])


class Pbs(Scheduler):
    """PBS Pro and OpenPBS. Jobs may not begin themselves anew there: another one follows."""

    def submit(self, sweep: Sweep, cases: Sequence[int], after: str | None = None) -> str:
        words = ["qsub"]
        if len(cases) > 1:
            # An array is a range there: cases that are done already end at once.
            words += ["-J", f"{min(cases)}-{max(cases)}" + (f"%{sweep.profile.at_once}" if sweep.profile.at_once else "")]
        else:
            words += ["-v", f"MPCFLOW_CASE={cases[0]}"]
        if after is not None and "[" not in after:
            # Nothing can depend on one job of an array; its successor waits for the lock of the case.
            words += ["-W", f"depend=afterany:{after}"]
        return call([*words, SCRIPT_FILE], sweep.folder)

    def submit_collecting(self, sweep: Sweep, after: Sequence[str]) -> str:
        profile = sweep.profile
        # On the whole of an array, as nothing can depend on one job of it.
        jobs = dict.fromkeys(re.sub(r"\[\d+\]", "[]", task) for task in after)
        lines = ["#PBS -l select=1:ncpus=1", "#PBS -j oe", *([f"#PBS -q {profile.partition}"] if profile.partition else []),
                 *([f"#PBS -A {profile.account}"] if profile.account else [])]
        setup = profile.setup.strip("\n")
        place = ['cd "$PBS_O_WORKDIR" || exit 3', "exec >>collect.log 2>&1 || exit 3"]
        script = "\n".join(["#!/bin/bash", *lines, *place, *([setup] if setup else []),
                            f"exec {worker_words('collect', '.')}", ""])
        return call(["qsub", "-W", "depend=afterany:" + ":".join(jobs)], sweep.folder, script)

    def tasks(self) -> dict[str, str]:
        listed = json.loads(call(["qstat", "-t", "-f", "-F", "json"]) or "{}")
        jobs = listed.get("Jobs", {}) if isinstance(listed, dict) else {}
        return {task: RUNNING if about.get("job_state") in ("R", "E", "S") else WAITING
                for task, about in jobs.items() if about.get("job_state") not in ("F", "X", "B")}

    def cancel(self, tasks: Sequence[str]) -> None:
        if tasks:
            call(["qdel", *tasks])

    def task_of(self, job: str, case: int, sweep: Sweep) -> str:
        return job.replace("[]", f"[{case}]")

    def own_task(self, environment: Mapping[str, str]) -> str | None:
        return environment.get("PBS_JOBID")

    def requeue(self, task: str) -> None:
        raise ResultsError("PBS: a job cannot requeue itself")


def scheduler_of(name: str) -> Scheduler:
    """By a profile's `scheduler`; queues of this machine (local.py, local_queues.py) are none."""
    found = {"slurm": Slurm, "pbs": Pbs}.get(name)
    if found is None:
        raise ResultsError(f"{name}: has no jobs")
    return found()

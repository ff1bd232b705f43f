"""The script that a scheduler runs: what the job asks for, the profile's set-up, and the worker."""

from __future__ import annotations

import os
import re
import shlex
import sys
from pathlib import Path

import mpcflow_tools
from mpcflow_tools.batch.folder import Sweep
from mpcflow_tools.batch.profile import Profile
from mpcflow_tools.batch.times import hours_text, seconds_of
from mpcflow_tools.command import BadArgument

LONGEST_NAME = 40


def job_name(sweep: Sweep) -> str:
    """Of the input's file, of characters that every scheduler takes."""
    return re.sub(r"[^A-Za-z0-9_.-]+", "_", Path(sweep.input_file).stem)[:LONGEST_NAME].strip("_") or "mpcflow"


JOB_SECONDS = "MPCFLOW_JOB_SECONDS"  # the variable by which a worker knows the limit of a job of PBS


def _python_path() -> str:
    """The package's folder, what the job has on the path already, by `setup` for example, and what the shell
    that submits it has there: PBS hands on no environment."""
    package = Path(mpcflow_tools.__file__).resolve().parents[1]
    here = [Path(entry).absolute() for entry in os.environ.get("PYTHONPATH", "").split(os.pathsep) if entry]
    behind = "".join(f":{folder}" for folder in here if folder.resolve() != package)
    return (f'PYTHONPATH={shlex.quote(str(package))}"${{PYTHONPATH:+:$PYTHONPATH}}"'
            + (shlex.quote(behind) if behind else ""))


def worker_words(*arguments: str) -> str:
    """How a job calls a part of this package, with the Python and from the folder that it has here. Words
    with a $ are the shell's."""
    words = ["env", _python_path(), shlex.quote(sys.executable), "-m", "mpcflow_tools.batch.worker"]
    return " ".join([*words, *(f'"{word}"' if "$" in word else shlex.quote(word) for word in arguments)])


def _slurm_lines(sweep: Sweep, profile: Profile) -> list[str]:
    gpu = f"{profile.gpu_type}:{profile.gpus_here}" if profile.gpu_type else str(profile.gpus_here)
    asked = {
        "job-name": job_name(sweep),
        "partition": profile.partition,
        "account": profile.account,
        "qos": profile.qos,
        "time": sweep.time,
        "signal": f"B:USR1@{profile.margin}",
        "nodes": str(profile.nodes) if profile.ranks > 1 else None,
        "ntasks-per-node": str(profile.ranks_here) if profile.ranks > 1 else None,
        "ntasks": "1" if profile.ranks == 1 else None,
        "cpus-per-task": str(profile.cpus),
        "mem": profile.memory,
        "gres": f"gpu:{gpu}" if profile.gpus_here else None,
        "output": "case-%4a/job.log" if sweep.is_array else "case-0000/job.log",
        "open-mode": "append",
    }
    lines = [f"#SBATCH --{key}={value}" for key, value in asked.items() if value is not None]
    return [*lines, f"#SBATCH --{'requeue' if profile.requeue else 'no-requeue'}", *(f"#SBATCH {option}" for option in profile.options)]


def _pbs_lines(sweep: Sweep, profile: Profile) -> list[str]:
    select = f"select=1:ncpus={profile.cpus}"
    if profile.memory:
        select += f":mem={profile.memory.lower()}b"
    if profile.gpus_here:
        select += f":ngpus={profile.gpus_here}" + (f":gpu_type={profile.gpu_type}" if profile.gpu_type else "")
    lines = [f"#PBS -N {job_name(sweep)[:15]}", f"#PBS -l {select}", "#PBS -j oe", f"#PBS -r {'y' if profile.requeue else 'n'}"]
    limit = seconds_of(sweep.time) if sweep.time is not None else None
    if limit is None:
        raise BadArgument("PBS tells no job that its time is nearly over, so mpcflow has to know when: set "
                          "time_limit in the profile, or give --time, --rate or --measure")
    asked = {"-q": profile.partition, "-A": profile.account, "-l": f"walltime={hours_text(limit)}"}
    return [*lines, *(f"#PBS {key} {value}" for key, value in asked.items() if value is not None),
            *(f"#PBS {option}" for option in profile.options)]


def script_text(sweep: Sweep) -> str:
    """The script for the sweep's scheduler; shellcheck finds nothing in it but what `setup` brings. Raises
    BadArgument where PBS is given no time."""
    profile = sweep.profile
    if profile.scheduler == "pbs":
        lines, index = _pbs_lines(sweep, profile), "$number"
        # PBS cannot put an array's output into the folders of its cases, nor show it before a job's end.
        place = ['cd "$PBS_O_WORKDIR" || exit 3', "number=${MPCFLOW_CASE:-${PBS_ARRAY_INDEX:-0}}",
                 """exec >>"$(printf 'case-%04d/job.log' "$number")" 2>&1 || exit 3""",
                 f"export {JOB_SECONDS}={seconds_of(sweep.time or '')}  # as walltime above, before which the run saves"]
    else:
        lines, index = _slurm_lines(sweep, profile), "${SLURM_ARRAY_TASK_ID:-0}"
        place = ['cd "$SLURM_SUBMIT_DIR" || exit 3']
    note = ["# Written by mpcflow-submit. The worker runs the case's mpcflow, tells it to save before the time is over,",
            "# and sees to what follows."]
    setup = profile.setup.strip("\n").split("\n") if profile.setup.strip() else []
    return "\n".join(["#!/bin/bash", *lines, *note, *place, *setup, f"exec {worker_words('run', '.', index)}", ""])

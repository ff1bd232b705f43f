"""The time that a job asks for."""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence

from mpcflow_tools.batch.profile import Profile
from mpcflow_tools.batch.program import Program
from mpcflow_tools.batch.sweep import Case
from mpcflow_tools.batch.times import seconds_of, time_text
from mpcflow_tools.command import BadArgument

# What a run takes more than its steps: starting, writing, and that the next machine is slower.
TIME_FACTOR, TIME_MORE = 1.25, 120.0


def refuse_times(arguments: argparse.Namespace) -> None:
    """Of the local queue, in which jobs have no limit."""
    if any(getattr(arguments, name, None) for name in ("time", "rate", "measure")):
        raise BadArgument("--time, --rate and --measure: jobs of the local queue have no time limit")


def asked_time(text: str, profile: Profile) -> str:
    """What --time asks for, as it is told to a scheduler."""
    # One number alone is minutes to sbatch, and seconds elsewhere.
    wanted = seconds_of(text) if ":" in text else None
    if not wanted:
        raise BadArgument(f"--time {text}: is not a time such as 4:00:00 or 1-00:00:00; with colons, as 0:04:00 for four minutes")
    if wanted <= profile.margin:
        raise BadArgument(f"--time {text}: leaves nothing of the profile's margin of {profile.margin} s, at which runs are told to save")
    return time_text(wanted)


def job_time(arguments: argparse.Namespace, profile: Profile, program: Program, sweep: Sequence[Case],
             changes: dict[str, str]) -> str | None:
    """What a job asks for: --time, or what the longest case takes at --rate or as it is measured here, up to the profile's limit."""
    if profile.scheduler == "local":
        refuse_times(arguments)
        return None
    if arguments.time is not None:
        return asked_time(arguments.time, profile)
    if arguments.rate is None and not arguments.measure:
        return profile.time_limit
    speed = ["--rate", arguments.rate]
    if arguments.measure:
        if profile.ranks > 1:
            raise BadArgument(f"--measure: measures one process, and a case has {profile.ranks} ranks: give --rate, of all of them")
        # As a job runs it: on its own few processors, and on a GPU only where it asks for one. More threads than there are
        # processors here would wait for each other.
        speed = ["--measure", "--threads", str(min(profile.cpus, len(os.sched_getaffinity(0))))]
        if profile.gpus_here == 0:
            program = program.without_gpus()
    longest = 0.0
    for case in sweep:
        sets = [word for key, value in (changes | case.values).items() for word in ("--set", f"{key}={value}")]
        longest = max(longest, float(program.check_input(arguments.input, *speed, *sets)["time"]["seconds"]))
    asked = 60.0 * -(-(TIME_FACTOR * longest + TIME_MORE + profile.margin) // 60.0)
    limit = profile.limit_seconds
    return profile.time_limit if limit is not None and asked > limit else time_text(asked)

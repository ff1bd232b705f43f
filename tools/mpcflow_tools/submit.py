"""Submits runs and sweeps to a batch system, looks after them, and collects what came out.

  mpcflow-submit INPUT.yaml                               one run, which goes on by itself when its time is over
  mpcflow-submit INPUT.yaml --sweep collision.angle=60:150:10 --repeat 4
  mpcflow-submit INPUT.yaml --sweep fluid.density=5,10,20 --scheduler local
  mpcflow-submit status [DIR]                             how far the cases are
  mpcflow-submit collect [DIR]                            results.csv, results.h5 and results.png of all cases
  mpcflow-submit cancel [DIR]                             ends its jobs, or its queue on this machine; runs save first
  mpcflow-submit resubmit [DIR]                           begins again what failed, was stopped or lost
  mpcflow-submit schema                                   the JSON Schema of cluster profiles

docs/cluster.md goes from a login to a collected sweep.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import os
import shlex
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from mpcflow_tools import __version__
from mpcflow_tools.batch.folder import RESULTS, SCRIPT_FILE, SWEEP_FILE, Job, Sweep, note_attempt, now_text, read_sweep
from mpcflow_tools.batch.job_time import asked_time, job_time, refuse_times
from mpcflow_tools.batch.local import LocalQueue, held_tasks
from mpcflow_tools.batch.local_queues import LocalQueues
from mpcflow_tools.batch.profile import ONE_PROCESS, SCHEDULERS, Profile, read_profile, schema
from mpcflow_tools.batch.program import Program, find_program
from mpcflow_tools.batch.schedulers import RUNNING, WAITING, Scheduler, scheduler_of
from mpcflow_tools.batch.script import script_text
from mpcflow_tools.batch.status import CaseStatus, case_status, status_json, status_text
from mpcflow_tools.batch.sweep import Case, make_cases, parse_swept
from mpcflow_tools.batch.worker import STOPPED, Then
from mpcflow_tools.command import BadArgument, exit_status, say
from mpcflow_tools.errors import ManyErrors, ResultsError
from mpcflow_tools.input_text import parse_input

MOST_ERRORS = 10  # of a sweep's inputs, shown
AGAIN = ("failed", "stopped", "lost", "new")


# -- submitting

def _base_seed(program: Program, file: Path, changes: dict[str, str]) -> int:
    found = parse_input(file, program.resolved_input(file, changes))
    return int(found["seed"])


def _resolve(program: Program, ranks: int, file: Path, cases: Sequence[Case], changes: dict[str, str]) -> list[str]:
    """The input of each case, which is to run on so many ranks. Raises BadArgument with what is wrong with any of them."""
    texts: list[str] = []
    errors: dict[str, str] = {}
    for case in cases:
        try:
            texts.append(program.resolved_input(file, changes | case.values | {"output.directory": RESULTS}, ranks))
        except BadArgument as error:
            errors.setdefault(str(error), case.label)
    if errors:
        told = [f"{line}  (case {label})" for text, label in list(errors.items())[:MOST_ERRORS] for line in text.splitlines()]
        more = [f"and {len(errors) - MOST_ERRORS} more"] if len(errors) > MOST_ERRORS else []
        raise ManyErrors(["mpcflow-submit: not every case is a valid input:", *told, *more])
    return texts


def _changes(pairs: Sequence[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if not equals:
            raise BadArgument(f"--set {pair}: is not key=value")
        found[key] = value
    return found


def _with_scheduler(profile: Profile, wanted: str | None) -> Profile:
    if wanted is None:
        return profile
    if wanted != "slurm" and profile.ranks > 1:
        raise BadArgument(f"--scheduler {wanted}: the profile has " + ONE_PROCESS.format(wanted))
    return dataclasses.replace(profile, scheduler=wanted)


def _write_folder(sweep: Sweep, given: bytes, texts: Sequence[str]) -> None:
    """Makes the sweep's folder, which must not be there."""
    try:
        sweep.folder.mkdir(parents=True)
    except FileExistsError as error:
        raise ResultsError(f"{sweep.folder}: exists already: `mpcflow-submit resubmit` goes on with a sweep, --output puts this one "
                           "elsewhere") from error
    (sweep.folder / "input.yaml").write_bytes(given)
    for case, text in zip(sweep.cases, texts, strict=True):
        folder = sweep.case_folder(case)
        folder.mkdir()
        (folder / "input.yaml").write_text(text, encoding="utf-8", errors="surrogateescape")
    _write_script(sweep)
    sweep.save()


def _write_script(sweep: Sweep) -> None:
    if sweep.profile.scheduler == "local":
        return
    script = sweep.folder / SCRIPT_FILE
    script.write_text(script_text(sweep), encoding="utf-8", errors="surrogateescape")
    script.chmod(0o755)


def _hand_over(sweep: Sweep, scheduler: Scheduler, cases: list[int]) -> str:
    """Submits cases and keeps the job's id."""
    for index in cases:  # before: a short job is over before sbatch has answered
        note_attempt(sweep.case_folder(sweep.cases[index]), event="submitted")
    job = scheduler.submit(sweep, cases)
    sweep.jobs.append(Job(job, cases, now_text()))
    sweep.save()
    return job


def _collect_after(sweep: Sweep, scheduler: Scheduler, job: str) -> None:
    """Adds a job that collects the results, where none is there for it."""
    queue = scheduler.tasks() if any(one.is_collecting for one in sweep.jobs) else {}
    collecting = next((one.id for one in sweep.jobs if one.is_collecting and queue.get(one.id) == WAITING), None)
    if collecting is None:
        collecting = scheduler.submit_collecting(sweep, [job])
        sweep.jobs.append(Job(collecting, [], now_text(), is_collecting=True))
        sweep.save()
    say(f"job {collecting}: collects their results afterwards")


def _run_here(arguments: argparse.Namespace, sweep: Sweep, cases: list[int]) -> int:
    status = LocalQueue(sweep).run(cases)
    if arguments.collect and status != STOPPED:  # where a case failed, too, as a job that collects does
        _collect(arguments, sweep)
    return status


def _submit(arguments: argparse.Namespace) -> int:
    profile = _with_scheduler(read_profile(arguments.profile), arguments.scheduler)
    program = find_program(profile)
    file = Path(arguments.input)
    changes = _changes(arguments.set)
    swept = [parse_swept(text) for text in arguments.sweep]
    seed = _base_seed(program, file, changes) if arguments.repeat > 1 else 0
    cases = make_cases(swept, arguments.zip, arguments.repeat, seed)
    texts = _resolve(program, profile.ranks, file, cases, changes)
    folder = Path(arguments.output) if arguments.output is not None else Path("sweeps") / file.stem
    keys = [one.key for one in swept] + (["seed"] if arguments.repeat > 1 else [])
    sweep = Sweep(folder.absolute(), str(file.absolute()), profile, program.words, keys, cases)
    sweep.time = job_time(arguments, profile, program, cases, changes)
    script = script_text(sweep) if profile.scheduler != "local" else "# no script: the local queue needs none"
    if arguments.dry_run:
        say(script.rstrip("\n"))
        for case in cases:
            say(f"# case {case.index:04d}  {case.label}")
        return 0
    _write_folder(sweep, file.read_bytes(), texts)
    if profile.scheduler == "local":
        say(f"{len(cases)} cases in {sweep.folder}")
        return _run_here(arguments, sweep, [case.index for case in cases])
    scheduler = scheduler_of(profile.scheduler)
    try:
        job = _hand_over(sweep, scheduler, [case.index for case in cases])
    except ResultsError as error:
        raise ResultsError(f"{error} (the cases are in {sweep.folder}: `mpcflow-submit resubmit` there tries again)") from error
    say(f"job {job}: {len(cases)} case{'s' if len(cases) > 1 else ''} in {sweep.folder}"
        + (f", {sweep.time} each" if sweep.time else ""))
    if arguments.collect:
        _collect_after(sweep, scheduler, job)
    say(f"to follow them: mpcflow-submit status {shlex.quote(str(folder))}")
    return 0


# -- looking after a sweep

def _queue(sweep: Sweep) -> dict[str, str]:
    """What waits and runs of it: in its scheduler, and in local queues, which may have taken cases over."""
    tasks = scheduler_of(sweep.profile.scheduler).tasks() if sweep.jobs else {}
    return tasks | _queue_here(sweep)


def _queue_here(sweep: Sweep) -> dict[str, str]:
    return LocalQueues(sweep).tasks() | held_tasks(sweep)


def _statuses(sweep: Sweep, queue: dict[str, str] | None = None) -> list[CaseStatus]:
    queue = _queue(sweep) if queue is None else queue
    return [case_status(sweep, case, queue) for case in sweep.cases]


def _status(arguments: argparse.Namespace) -> int:
    found = _statuses(read_sweep(arguments.folder))
    say(status_json(found) if arguments.json else status_text(found))
    return 0


def _collect(arguments: argparse.Namespace, sweep: Sweep | None = None) -> int:
    from mpcflow_tools.batch.collect import collect  # matplotlib takes a while

    for line in collect(sweep or read_sweep(arguments.folder)):
        say(line)
    return 0


def _say_cancelled(sweep: Sweep, tasks: Sequence[str]) -> None:
    say(f"{len(tasks)} of {len(sweep.cases)} cases were in the queue, and are cancelled; runs save before they end")


def _cancel(arguments: argparse.Namespace) -> int:
    sweep = read_sweep(arguments.folder)
    here = LocalQueues(sweep)
    tasks = list(here.tasks())
    here.cancel(tasks)  # first: a cluster's commands need not be on this machine
    if tasks or not sweep.jobs:
        _say_cancelled(sweep, tasks)
    if not sweep.jobs:
        return 0
    scheduler = scheduler_of(sweep.profile.scheduler)
    queue = scheduler.tasks()
    collecting = [job.id for job in sweep.jobs if job.is_collecting and job.id in queue]
    found = [one for one in _statuses(sweep, queue) if one.task in queue]
    for one in found:
        folder = sweep.case_folder(sweep.cases[one.index])
        if one.state == RUNNING:
            note_attempt(folder, event="cancelled", job=one.task)  # its worker notes the end
        else:
            note_attempt(folder, event="ended", then=Then.STOPPED.value, job=one.task)
    tasks = [one.task for one in found]
    scheduler.cancel(collecting + tasks)
    _say_cancelled(sweep, tasks)
    return 0


def _again(sweep: Sweep, scheduler: str) -> list[int]:
    """The cases that are neither done nor in the queue, for a scheduler that may be another than the one before."""
    old = sweep.profile.scheduler
    try:
        found = _statuses(sweep)
    except ResultsError as error:
        if scheduler != "local":
            raise
        say(f"{error}: only cases whose last job has ended begin again here")
        return [one.index for one in _statuses(sweep, _queue_here(sweep)) if one.state in ("failed", "stopped")]
    if scheduler not in (old, "local") and any(one.state not in (*AGAIN, "done") for one in found):
        raise BadArgument(f"--scheduler {scheduler}: cases of this sweep are still in the queue ({old}): end them first, with "
                          "`mpcflow-submit cancel`")
    return [one.index for one in found if one.state in AGAIN]


def _resubmit(arguments: argparse.Namespace) -> int:
    sweep = read_sweep(arguments.folder)
    profile = sweep.profile if arguments.profile is None else read_profile(arguments.profile)
    if arguments.profile is None or arguments.scheduler is not None:
        profile = _with_scheduler(profile, arguments.scheduler)
    if arguments.profile is not None:
        sweep.program = find_program(profile).words
    again = _again(sweep, profile.scheduler)
    if not again:
        say("nothing to begin again: every case is done, or in the queue")
        return 0
    if profile.scheduler == "local":
        refuse_times(arguments)
        # Not kept: jobs of the sweep that are in a cluster's queue stay there, and are looked for there.
        profile = _with_scheduler(profile, sweep.profile.scheduler)
        return _run_here(arguments, dataclasses.replace(sweep, profile=profile), again)
    if profile != sweep.profile or arguments.time is not None:  # or job.sh stays, which may have been changed by hand
        sweep.time = profile.time_limit if arguments.time is None else asked_time(arguments.time, profile)
        sweep.profile = profile
        _write_script(sweep)
        sweep.save()
    scheduler = scheduler_of(profile.scheduler)
    job = _hand_over(sweep, scheduler, again)
    say(f"job {job}: {len(again)} of {len(sweep.cases)} cases go on" + (f", {sweep.time} each" if sweep.time else ""))
    if arguments.collect:
        _collect_after(sweep, scheduler, job)
    return 0


def _schema(_arguments: argparse.Namespace) -> int:
    say(json.dumps(schema(), indent=2))
    return 0


# -- the command line

def _whole_from_1(text: str) -> int:
    if not text.isascii() or not text.isdigit() or not 1 <= int(text) <= 10_000:
        raise argparse.ArgumentTypeError(f"{text} is no whole number from 1 to 10000")
    return int(text)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="mpcflow-submit", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--version", action="version", version=f"mpcflow-submit {__version__}")
    parser.add_argument("input", type=Path, metavar="INPUT.yaml", help="the input; ./status is a file, status the command")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="changes a key in all cases")
    parser.add_argument("--sweep", action="append", default=[], metavar="KEY=VALUES",
                        help="a case for each value: a,b,c or first:last:step; several sweeps are combined")
    parser.add_argument("--zip", action="append", default=[], metavar="KEY,KEY", help="swept keys that change together")
    parser.add_argument("--repeat", type=_whole_from_1, default=1, metavar="N", help="each case with N seeds, from the input's on")
    parser.add_argument("--profile", metavar="NAME", help="~/.config/mpcflow/clusters/NAME.yaml, or a file; without, default")
    parser.add_argument("--scheduler", choices=SCHEDULERS, help="in place of the profile's; local is this machine")
    parser.add_argument("--output", metavar="DIR", help="the sweep's folder; without, sweeps/INPUT")
    time = parser.add_mutually_exclusive_group()
    time.add_argument("--time", metavar="H:M:S", help="of a job; without, the profile's limit")
    time.add_argument("--rate", metavar="R", help="tells the time from so many particle updates a second, for example 21.5G")
    time.add_argument("--measure", action="store_true", help="tells the time from what is measured here")
    parser.add_argument("--collect", action="store_true", help="adds a job that collects the results afterwards")
    parser.add_argument("--dry-run", action="store_true", help="prints the script and the cases, and does nothing")
    return parser


COMMANDS: dict[str, tuple[Callable[[argparse.Namespace], int], str]] = {
    "status": (_status, "how far the cases of a sweep are"),
    "collect": (_collect, "writes results.csv, results.h5 and results.png of all cases"),
    "cancel": (_cancel, "ends the jobs of a sweep, or its queue on this machine, which may be in another terminal; runs save first"),
    "resubmit": (_resubmit, "begins again what failed, was stopped or lost"),
    "schema": (_schema, "prints the JSON Schema of cluster profiles"),
}


def _read(argv: Sequence[str]) -> tuple[Callable[[argparse.Namespace], int], argparse.Namespace, Path]:
    if argv and argv[0] in COMMANDS:
        body, about = COMMANDS[argv[0]]
        parser = argparse.ArgumentParser(prog=f"mpcflow-submit {argv[0]}", description=about)
        if argv[0] != "schema":
            parser.add_argument("folder", nargs="?", type=Path, default=Path(), metavar="DIR", help=f"with its {SWEEP_FILE}; without, here")
        if argv[0] == "resubmit":
            parser.add_argument("--scheduler", choices=SCHEDULERS, help="in place of the one that it was submitted to")
            parser.add_argument("--profile", metavar="NAME", help="in place of the one that it was submitted with")
            parser.add_argument("--time", metavar="H:M:S", help="of a job, in place of the one before")
            parser.add_argument("--collect", action="store_true", help="adds a job that collects the results afterwards")
        if argv[0] == "status":
            parser.add_argument("--json", action="store_true", help="as JSON")
        arguments = parser.parse_args(argv[1:])
        return body, arguments, getattr(arguments, "folder", Path())
    parser = _parser()
    if not argv:
        parser.print_help(sys.stderr)
        raise SystemExit(BadArgument.status)
    arguments = parser.parse_args(argv)
    return _submit, arguments, arguments.input


def main(argv: Sequence[str] | None = None) -> int:
    body, arguments, place = _read(list(sys.argv[1:] if argv is None else argv))
    status = 0

    def call() -> None:
        nonlocal status
        status = body(arguments)

    failed = exit_status("mpcflow-submit", place, call)
    return failed or status


if __name__ == "__main__":
    sys.exit(main())

"""Measures mpcflow against theory and published values by runs of the program, and makes the page of it.

    tools/validate.sh --mpcflow build/app/mpcflow                  measures all subjects; results go to out/validation
    tools/validate.sh --mpcflow build/app/mpcflow --subject pipe   measures one; --list names them
    tools/validate.sh --page-only                                  docs/validation_tables.md of the results that are there
    tools/validate.sh --mpcflow build/app/mpcflow --light          small runs of some subjects, half a minute on a core

A run whose result is there, of the same input, is not done again, so a command that was cut goes on where it is given again.

Exit status: 0 all inside its limits, as far as errors allow; 1 something is outside; 2 bad arguments; 3 a run or a file fails; 4 time ran
out (--most-seconds) before all was measured.
"""

from __future__ import annotations

import argparse
import math
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from mpcflow_tools.command import BadArgument, complain, say
from mpcflow_tools.errors import ResultsError
from mpcflow_tools.validation.cases import Case, Results, Runner, Sizes, Store
from mpcflow_tools.validation.subjects import SUBJECTS, Subject
from mpcflow_tools.validation.tables import SIGMAS, failures

ROOT = Path(__file__).resolve().parents[3]
# A test decides once a commit, not once a page: it takes 4.5 standard errors, one chance in a hundred thousand.
LIGHT_SIGMAS = 4.5
NOT_FINISHED = 4


def _arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="validate.sh", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mpcflow", type=Path, metavar="PROGRAM", help="the program; without it nothing is run")
    parser.add_argument("--device", default="auto", help="auto, cpu or cuda (default: auto)")
    parser.add_argument("--threads", default="auto", metavar="N", help="of each run (default: all)")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="runs at a time (default: 1)")
    parser.add_argument("--scale", type=float, default=1.0, metavar="F", help="runs F times as long (default: 1)")
    parser.add_argument("--light", action="store_true", help="small runs, of the subjects that have them")
    parser.add_argument("--subject", action="append", default=[], metavar="NAME", help="only this one; may be repeated")
    parser.add_argument("--output", type=Path, default=ROOT / "out/validation", metavar="DIR", help="of the results (default: out/validation)")
    parser.add_argument("--anew", action="store_true", help="measure again what is there")
    parser.add_argument("--most-seconds", type=float, default=math.inf, metavar="S", help="begin no run after so long")
    parser.add_argument("--write", action="store_true", help="make the pages in docs/ and pictures; of subjects that have fewer results now, or none, they stay")
    parser.add_argument("--page-only", action="store_true", help="the same of the results that are there, whatever their lengths; run nothing")
    parser.add_argument("--list", action="store_true", help="name the subjects and their runs")
    return parser.parse_args(argv)


def chosen_subjects(names: Sequence[str], light: bool) -> list[Subject]:
    """Raises BadArgument where there is none of a name."""
    there = [subject for subject in SUBJECTS if subject.is_light or not light]
    for name in names:
        if name not in [subject.name for subject in there]:
            raise BadArgument(f"{name}: is no subject{' that has light runs' if light else ''}; there are {', '.join(one.name for one in there)}")
    return [subject for subject in there if not names or subject.name in names]


def results_of(store: Store, subject: Subject, cases: Sequence[Case], of_any_length: bool) -> Results:
    """Those that are there. Raises BadArgument of files that are no results."""
    found = [(case, store.read(subject.name, case, of_any_length)) for case in cases]
    return [(case, result) for case, result in found if result is not None]


def report(subject: Subject, results: Results, sigmas: float) -> int:
    """Says the tables; returns how many rows are outside."""
    tables = subject.tables(results)
    say(f"\n{subject.title}")
    for table in tables:
        say("\n".join(([table.title] if table.title else []) + table.lines()))
    outside = failures(tables, sigmas)
    for table, row in outside:
        say(f"OUTSIDE: {subject.name}: {' '.join(row.cells)}: {table.measured} {row.measured}, beyond its limit by {row.sigmas_beyond:.1f} "
            f"of its standard errors, more than {sigmas:g}")
    return len(outside)


def validate(arguments: argparse.Namespace) -> int:
    """Returns the exit status. Raises ResultsError."""
    if not 0.0 < arguments.scale < math.inf or arguments.jobs < 1:
        raise BadArgument("--scale and --jobs must be above 0")
    if arguments.light and (arguments.write or arguments.page_only):
        raise BadArgument("--light: its runs are too small for a page; leave out --write and --page-only")
    sizes, store = Sizes(arguments.scale, arguments.light), Store(arguments.output / "light" if arguments.light else arguments.output)
    subjects = chosen_subjects(arguments.subject, arguments.light)
    cases = {subject.name: subject.cases(sizes) for subject in subjects}
    if arguments.list:
        for subject in subjects:
            say(f"{subject.name}: {subject.title}, {len(cases[subject.name])} runs")
        return 0
    finished = True
    if arguments.mpcflow is not None and not arguments.page_only:
        if not arguments.mpcflow.is_file():
            raise BadArgument(f"{arguments.mpcflow}: is no program")
        runner = Runner(arguments.mpcflow, arguments.device, arguments.threads, arguments.jobs, arguments.most_seconds, arguments.anew)
        began = time.monotonic()
        finished = runner.fill(store, [(subject.name, case) for subject in subjects for case in cases[subject.name]],
                               lambda text: print(text, file=sys.stderr, flush=True))
        say(f"measured in {time.monotonic() - began:.0f} s")
    found = {subject.name: results_of(store, subject, cases[subject.name], arguments.page_only) for subject in subjects}
    outside = sum(report(subject, found[subject.name], LIGHT_SIGMAS if arguments.light else SIGMAS) for subject in subjects if found[subject.name])
    missing = sum(len(cases[name]) - len(there) for name, there in found.items())
    if (arguments.write or arguments.page_only) and not arguments.light:
        from mpcflow_tools.validation.page import make_page  # needs matplotlib

        for path in make_page(ROOT, [(subject, found[subject.name], len(cases[subject.name])) for subject in subjects]):
            say(str(path.relative_to(ROOT)))
    say(f"\n{outside} outside, {missing} not measured")
    if outside:
        return 1
    if not finished:
        return NOT_FINISHED
    if missing and arguments.mpcflow is None:
        raise BadArgument(f"{arguments.output}: lacks {missing} results; --mpcflow says what makes them")
    return 0


def main(argv: Sequence[str] | None = None) -> int:
    arguments = _arguments(argv)
    try:
        return validate(arguments)
    except ResultsError as error:
        complain(f"validate.sh: {error}")
        return error.status
    except OSError as error:
        complain(f"validate.sh: {error.filename or arguments.output}: {error.strerror or error}")
        return 3
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main())

"""The pages docs/validation_tables.md and docs/validation_flows.md, and their pictures."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from pathlib import Path

from mpcflow_tools.command import whole_file
from mpcflow_tools.style import save_small
from mpcflow_tools.validation.cases import Result, Results
from mpcflow_tools.validation.pictures import FIGURES
from mpcflow_tools.validation.subjects import Subject
from mpcflow_tools.validation.tables import Row, Table

COLUMNS = 110
DOTS_PER_INCH, COLOURS = 110, 64
FIRST_PAGE, SECOND_PAGE = "validation_tables.md", "validation_flows.md"
ON_FIRST_PAGE = ("viscosity", "diffusion", "waves", "green_kubo")  # transport coefficients; flows and ensembles are on the second

HEAD = """\
# Measured against theory and published values

This page is made from runs by

    tools/validate.sh --mpcflow build/app/mpcflow --write

and not written by hand; [validation.md](validation.md) says what else mpcflow is checked against. Units are
*a*, *m* and *kT*. Behind ± is one standard error. "Formula" is what `mpcflow check` prints
([physics.md](physics.md#what-theory-says)). "Measured elsewhere" is without mpcflow: ν in sine-force flow,
*D* from the mean square displacement, each with its own standard error where there is one.

"Inside" is what is no farther from its reference than the limit that the section names. What is farther says
so: as its error allows where it is beyond the limit by no more than three standard errors of the difference,
and otherwise **outside**. Limits were chosen before anything was measured.
"""
SECOND_HEAD = """\
# Flows and ensembles against theory

[validation_tables.md](validation_tables.md) says what the columns are, how the page is made, and how many
rows are inside their limits.
"""


def wrapped(text: str) -> str:
    return "\n".join(textwrap.wrap(text, COLUMNS, break_long_words=False, break_on_hyphens=False))


def what_ran(results: Sequence[Result]) -> str:
    """A sentence on devices and work."""
    devices = sorted({str(one.about["device"]) for one in results})
    updates = sum(float(one.about["particles"]) * float(one.about["steps"]) for one in results)
    seconds = sum(float(one.about["wall_time"]) for one in results)
    return (f"{len(results)} runs, {updates:.2g} particle updates, {seconds:,.0f} s on {' and '.join(devices)}.")


def summary(found: Sequence[tuple[Subject, list[Table]]]) -> list[str]:
    """How many rows of each subject are inside, and all that are not."""
    lines = ["| subject | rows with a limit | inside | outside, as errors allow | outside |", "|---|---|---|---|---|"]
    far: list[str] = []
    for subject, tables in found:
        rows = [(table, row) for table in tables for row in table.rows if row.verdict]
        kinds = [row.verdict.split(",")[0].split(" by")[0] for _, row in rows]
        page = "" if page_of(subject) == FIRST_PAGE else page_of(subject)
        lines.append(f"| [{subject.title}]({page}#{anchor(subject.title)}) | {len(rows)} | {kinds.count('inside')} | {kinds.count('outside')} | "
                     f"{kinds.count('**outside**')} |")
        far += [_told(subject, table, row) for table, row in rows if row.verdict.startswith("**")]
    return lines + (["", "Outside are:", "", *far] if far else ["", wrapped("No row is outside by more than its error allows.")])


def _told(subject: Subject, table: Table, row: Row) -> str:
    name = table.title or subject.title
    text = f"{' '.join(row.cells)}: {table.measured} {str(row.measured).replace('+-', '±')} ({name}), {row.verdict}"
    return "\n".join(textwrap.wrap(f"- {text}", COLUMNS, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False))


def page_of(subject: Subject) -> str:
    return FIRST_PAGE if subject.name in ON_FIRST_PAGE else SECOND_PAGE


def anchor(title: str) -> str:
    return "".join(letter for letter in title.lower().replace(" ", "-") if letter.isalnum() or letter == "-")


def subject_text(subject: Subject, results: Results, tables: Sequence[Table], wanted: int) -> str:
    lines = [f"## {subject.title}", "", wrapped(subject.sentence), "", wrapped(f"Wanted: {subject.wanted[0].lower() + subject.wanted[1:]}"
             if not subject.wanted.startswith("*") else f"Wanted: {subject.wanted}"), ""]
    lines += [wrapped(what_ran([result for _, result in results])), ""]
    if len(results) < wanted:
        lines += [f"**{wanted - len(results)} of {wanted} runs are missing here.**", ""]
    if subject.name in FIGURES:
        lines += [f"![{subject.title}](images/validation-{subject.name}.png)", ""]
    for table in tables:
        lines += ([wrapped(table.title + ":"), ""] if table.title else []) + table.lines() + [""]
    return "\n".join(lines)


def make_page(root: Path, found: Sequence[tuple[Subject, Results, int]]) -> list[Path]:
    """Writes the pages of the subjects that have results, and their pictures; `found` has the number of runs that there should be. Returns
    what was written. Raises ResultsError, OSError."""
    there = [(subject, results, wanted, subject.tables(results)) for subject, results, wanted in found if results]
    everything = what_ran([result for _, results, _, _ in there for _, result in results])
    texts = {FIRST_PAGE: [HEAD, wrapped(everything), "", *summary([(subject, tables) for subject, _, _, tables in there]), ""],
             SECOND_PAGE: [SECOND_HEAD]}
    written = []
    for subject, results, wanted, tables in there:
        if subject.name in FIGURES:
            path = root / "docs/images" / f"validation-{subject.name}.png"
            save_small(FIGURES[subject.name](results), path, overwrite=True, dots_per_inch=DOTS_PER_INCH, colours=COLOURS)
            written.append(path)
        texts[page_of(subject)].append(subject_text(subject, results, tables, wanted))
    for name, text in texts.items():
        if text == [SECOND_HEAD]:
            continue
        path = root / "docs" / name
        with whole_file(path, overwrite=True) as aside:
            aside.write_text("\n".join(text).rstrip() + "\n", encoding="utf-8")
        written.append(path)
    return written

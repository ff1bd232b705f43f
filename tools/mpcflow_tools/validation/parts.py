"""What the pages say of one subject: made of its results, or read from pages that were made before."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from mpcflow_tools.errors import ResultsError
from mpcflow_tools.validation.cases import Result, Results
from mpcflow_tools.validation.pictures import FIGURES
from mpcflow_tools.validation.subjects import Subject
from mpcflow_tools.validation.tables import Row, Table

COLUMNS = 110
FIRST_PAGE, SECOND_PAGE = "validation_tables.md", "validation_flows.md"
ON_FIRST_PAGE = ("viscosity", "diffusion", "waves", "green_kubo")  # transport coefficients; flows and ensembles are on the second


@dataclass(frozen=True)
class Work:
    """What ran."""

    runs: int
    updates: float
    seconds: float
    devices: frozenset[str]

    @staticmethod
    def of(results: Sequence[Result]) -> Work:
        return Work(len(results), sum(float(one.about["particles"]) * float(one.about["steps"]) for one in results),
                    sum(float(one.about["wall_time"]) for one in results), frozenset(str(one.about["device"]) for one in results))

    def __add__(self, other: Work) -> Work:
        return Work(self.runs + other.runs, self.updates + other.updates, self.seconds + other.seconds, self.devices | other.devices)

    def sentence(self) -> str:
        return f"{self.runs} runs, {self.updates:.2g} particle updates, {self.seconds:,.0f} s on {' and '.join(sorted(self.devices))}."

    @staticmethod
    def read(text: str) -> Work | None:
        """Of a paragraph that is such a sentence."""
        found = re.fullmatch(r"(\d+) runs, ([\d.e+]+) particle updates, ([\d,]+) s on (.*)\.", " ".join(text.split()))
        if found is None:
            return None
        return Work(int(found[1]), float(found[2]), float(found[3].replace(",", "")), frozenset(found[4].split(" and ")))


@dataclass(frozen=True)
class Part:
    """`text` with its heading; `row` of the table of all subjects; `far` an item for each row that is outside by more than its error allows."""

    text: str
    row: str
    far: list[str]
    work: Work


def wrapped(text: str) -> str:
    return "\n".join(textwrap.wrap(text, COLUMNS, break_long_words=False, break_on_hyphens=False))


def page_of(subject: Subject) -> str:
    return FIRST_PAGE if subject.name in ON_FIRST_PAGE else SECOND_PAGE


def anchor(title: str) -> str:
    return "".join(letter for letter in title.lower().replace(" ", "-") if letter.isalnum() or letter == "-")


def _link(subject: Subject) -> str:
    page = "" if page_of(subject) == FIRST_PAGE else page_of(subject)
    return f"[{subject.title}]({page}#{anchor(subject.title)})"


def _told(subject: Subject, table: Table, row: Row) -> str:
    of_table = f" ({table.title})" if table.title else ""
    text = f"{' '.join(row.cells)}: {table.measured} {str(row.measured).replace('+-', '±')}{of_table}, {row.verdict}"
    return "\n".join(textwrap.wrap(f"- {subject.title}: {text}", COLUMNS, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False))


def _text(subject: Subject, work: Work, tables: Sequence[Table], wanted: int) -> str:
    limits = subject.wanted if subject.wanted.startswith("*") else f"{subject.wanted[0].lower()}{subject.wanted[1:]}"
    lines = [f"## {subject.title}", "", wrapped(subject.sentence), "", wrapped(f"Wanted: {limits}"), "", wrapped(work.sentence()), ""]
    if work.runs < wanted:
        lines += [f"**{wanted - work.runs} of {wanted} runs are missing here.**", ""]
    if subject.name in FIGURES:
        lines += [f"![{subject.title}](images/validation-{subject.name}.png)", ""]
    for table in tables:
        lines += ([wrapped(table.title + ":"), ""] if table.title else []) + table.lines() + [""]
    return "\n".join(lines).rstrip()


def part_of(subject: Subject, results: Results, wanted: int) -> Part:
    """`wanted`: how many results there should be. Raises ResultsError."""
    tables = subject.tables(results)
    rows = [(table, row) for table in tables for row in table.rows if row.verdict]
    kinds = [row.verdict.split(",")[0].split(" by")[0] for _, row in rows]
    work = Work.of([result for _, result in results])
    row = f"| {_link(subject)} | {len(rows)} | {kinds.count('inside')} | {kinds.count('outside')} | {kinds.count('**outside**')} |"
    return Part(_text(subject, work, tables, wanted), row, [_told(subject, table, row) for table, row in rows if row.verdict.startswith("**")], work)


def part_from_pages(subject: Subject, folder: Path) -> Part | None:
    """As the pages in `folder` have it, if they do. Raises ResultsError where it can't be read, OSError."""
    paths = folder / FIRST_PAGE, folder / page_of(subject)
    if not all(path.is_file() for path in paths):
        return None
    first, own = (path.read_text(encoding="utf-8", errors="replace") for path in paths)
    sections = [section for section in own.split("\n## ")[1:] if section.startswith(subject.title + "\n")]
    rows = [line for line in first.splitlines() if line.startswith(f"| {_link(subject)} |")]
    if not sections and not rows:
        return None
    text = f"## {sections[0].rstrip()}" if sections else ""
    work = next((work for paragraph in text.split("\n\n") if (work := Work.read(paragraph)) is not None), None)
    items = re.findall(r"^- .*(?:\n  .*)*", first.partition("\nOutside are:\n")[2].partition("\n## ")[0], flags=re.MULTILINE)
    far = [item for item in items if item.startswith(f"- {subject.title}: ")]
    if len(rows) != 1 or work is None or not rows[0].endswith(f" {len(far)} |"):
        raise ResultsError(f"{paths[1]}: what it says of '{subject.title}', and {FIRST_PAGE} beside it, can't be read: take both pages from "
                           "the repository again, or measure this subject, too")
    return Part(text, rows[0], far, work)

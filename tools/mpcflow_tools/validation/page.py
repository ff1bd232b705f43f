"""The pages docs/validation_tables.md and docs/validation_flows.md, and their pictures."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from operator import add
from pathlib import Path

from mpcflow_tools.command import whole_file
from mpcflow_tools.style import save_small
from mpcflow_tools.validation.cases import Results
from mpcflow_tools.validation.parts import FIRST_PAGE, SECOND_PAGE, Part, page_of, part_from_pages, part_of, wrapped
from mpcflow_tools.validation.pictures import FIGURES
from mpcflow_tools.validation.subjects import SUBJECTS, Subject

DOTS_PER_INCH, COLOURS = 110, 64

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
and otherwise **outside**. Limits were chosen before anything was measured. A subject that is not measured
anew with others keeps what an earlier program gave.
"""
SECOND_HEAD = """\
# Flows and ensembles against theory

[validation_tables.md](validation_tables.md) says what the columns are, how the page is made, and how many
rows are inside their limits.
"""


def summary(parts: Sequence[Part]) -> list[str]:
    """How many rows of each subject are inside, and all that are not."""
    lines = ["| subject | rows with a limit | inside | outside, as errors allow | outside |", "|---|---|---|---|---|", *(part.row for part in parts)]
    far = [item for part in parts for item in part.far]
    return lines + (["", "Outside are:", "", *far] if far else ["", wrapped("No row is outside by more than its error allows.")])


def make_page(root: Path, found: Sequence[tuple[Subject, Results, int]]) -> list[Path]:
    """Writes the pages, and pictures; `found` has the number of runs that there should be. What the pages say of other subjects stays, and of
    those of which they tell more runs than there are now. Returns what was written. Raises ResultsError, OSError."""
    old = {subject.name: part for subject in SUBJECTS if (part := part_from_pages(subject, root / "docs")) is not None}
    new = {subject.name: part_of(subject, results, wanted) for subject, results, wanted in found if results}
    new = {name: part for name, part in new.items() if name not in old or old[name].work.runs <= part.work.runs}
    if not new:
        return []
    parts = [(subject, part) for subject in SUBJECTS if (part := new.get(subject.name) or old.get(subject.name)) is not None]
    written = []
    for subject, results, _ in found:
        if subject.name in new and subject.name in FIGURES:
            path = root / "docs/images" / f"validation-{subject.name}.png"
            save_small(FIGURES[subject.name](results), path, overwrite=True, dots_per_inch=DOTS_PER_INCH, colours=COLOURS)
            written.append(path)
    everything = reduce(add, (part.work for _, part in parts))
    heads = {FIRST_PAGE: "\n".join([HEAD, wrapped(everything.sentence()), "", *summary([part for _, part in parts])]), SECOND_PAGE: SECOND_HEAD.rstrip()}
    for name, head in heads.items():
        texts = [part.text for subject, part in parts if page_of(subject) == name]
        if not texts and name != FIRST_PAGE:
            continue
        path = root / "docs" / name
        with whole_file(path, overwrite=True) as aside:
            aside.write_text("\n\n".join([head, *texts]) + "\n", encoding="utf-8")
        written.append(path)
    return written

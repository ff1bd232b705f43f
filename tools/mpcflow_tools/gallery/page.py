"""The page of the gallery: runs are made where they are not there yet, each becomes a picture and an entry."""

from __future__ import annotations

import subprocess
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import matplotlib

from mpcflow_tools.command import BadArgument, whole_file
from mpcflow_tools.gallery.entries import Entry
from mpcflow_tools.run import Run
from mpcflow_tools.style import STYLE, save_small

COLUMNS = 110
DOTS_PER_INCH = 110

HEAD = """\
# Gallery

Flows that the inputs in [examples/](../examples/) make, each beside what theory says. Pictures and numbers
are those of the runs; this page is made anew, runs included, by

    tools/make_gallery.py --program build/app/mpcflow

in five minutes on two cores. Units are *a*, *m* and *kT*. Behind ± is one standard error; in brackets is
how far a number is from the expected one, in per cent and in standard errors, σ. Viscosities of theory are
formulas, right to 2 or 3 % ([docs/physics.md](physics.md#what-theory-says)), and runs as short as these have
their chance; [docs/validation.md](validation.md) has longer ones. The same input gives the same bits on any
machine, so the same state hash.
"""


@dataclass(frozen=True)
class Places:
    """Where things are in a tree of the sources, and where runs go."""

    root: Path
    runs: Path

    def example(self, name: str) -> Path:
        return self.root / "examples" / f"{name}.yaml"

    @property
    def page(self) -> Path:
        return self.root / "docs" / "gallery.md"

    def picture(self, name: str) -> Path:
        return self.root / "docs" / "images" / f"gallery-{name}.png"


def finished_run(entry: Entry, places: Places, program: Path | None, threads: int) -> Path:
    """The folder of the entry's run, which is made now where it is not there. Raises BadArgument where there is one of another input, or
    one that did not end; ResultsError; CalledProcessError where the program fails."""
    folder, given = places.runs / entry.name, places.example(entry.name)
    if not (folder / "run.h5").is_file():
        if program is None:
            raise BadArgument(f"{folder}: holds no run of {given.name}; --program says what makes one")
        subprocess.run([program.absolute(), "run", given, "--device", "cpu", "--threads", str(threads), "--output", folder, "--quiet"], check=True)
    with Run(folder) as run:
        if run.given_input_text != given.read_text(encoding="utf-8"):
            raise BadArgument(f"{folder}: is a run of another input than {given.name} is now: remove it")
        if run.status != "completed":
            raise BadArgument(f"{folder}: {run.status}: let it end, or remove it")
    return folder


def _wrapped(text: str) -> str:
    return "\n".join(textwrap.wrap(text, COLUMNS, break_long_words=False, break_on_hyphens=False))


def entry_text(entry: Entry, run: Run) -> str:
    """The part of the page on one flow. Raises ResultsError; ValueError where a run is too short for its numbers."""
    threads = int(run.machine.get("threads", 1))
    about = (f"[examples/{entry.name}.yaml](../examples/{entry.name}.yaml): {run.particles:,} particles, {run.steps_done:,} steps, "
             f"{run.wall_time:.0f} s on {threads} thread{'s' if threads > 1 else ''}; state hash {run.state_hash}.")
    look = entry.look.replace("RUN", f"out/{entry.name}")
    lines = [f"## {entry.title}", "", _wrapped(entry.sentence), "", _wrapped(about), "",
             f"    mpcflow run examples/{entry.name}.yaml --output out/{entry.name}", f"    {look}", "",
             f"![{entry.title}, measured and by theory](images/gallery-{entry.name}.png)", "",
             "| | measured | expected |", "|---|---|---|"]
    return "\n".join(lines + ["| " + " | ".join(row.cells()) + " |" for row in entry.rows(run)]) + "\n"


def make_gallery(entries: Sequence[Entry], places: Places, program: Path | None, threads: int) -> list[Path]:
    """Writes the pictures and the page, which has these entries alone. Returns what was written. Raises as finished_run and entry_text."""
    texts, written = [], []
    for entry in entries:
        with Run(finished_run(entry, places, program, threads)) as run:
            texts.append(entry_text(entry, run))
            with matplotlib.rc_context(STYLE):
                save_small(entry.figure(run), places.picture(entry.name), overwrite=True, dots_per_inch=DOTS_PER_INCH, colours=256)
            written.append(places.picture(entry.name))
    with whole_file(places.page, overwrite=True) as aside:
        aside.write_text("\n".join([HEAD, *texts]), encoding="utf-8")
    return [*written, places.page]

"""Says what a run measured: temperature, viscosity, diffusion, structure, pressure, profiles, each with its error and theory.

  mpcflow-analyze RUN                      as text
  mpcflow-analyze RUN viscosity diffusion  some subjects only
  mpcflow-analyze RUN --json               as JSON, with the curves behind the numbers

What the run did not write is named, with the key of the input that makes it.
"""

from __future__ import annotations

import json
import sys
import textwrap
from collections.abc import Callable, Sequence
from typing import Any

from mpcflow_tools.command import BadArgument, Parser, exit_status, say
from mpcflow_tools.diffusion_analysis import diffusion_section
from mpcflow_tools.estimates import Section
from mpcflow_tools.mode_analysis import modes_section
from mpcflow_tools.profile_analysis import profiles_section, temperature_section, viscosity_section
from mpcflow_tools.run import Run
from mpcflow_tools.stress_analysis import pressure_section, walls_section
from mpcflow_tools.structure_analysis import structure_section

SUBJECTS: dict[str, Callable[[Run], Section]] = {
    "temperature": temperature_section,
    "viscosity": viscosity_section,
    "diffusion": diffusion_section,
    "pressure": pressure_section,
    "walls": walls_section,
    "structure": structure_section,
    "modes": modes_section,
    "profiles": profiles_section,
}
WIDTH = 118


def analyze(run: Run, subjects: Sequence[str] = tuple(SUBJECTS)) -> list[Section]:
    """What the run says of each subject. Raises ResultsError."""
    return [SUBJECTS[name](run) for name in subjects]


def _told(words: str, mark: str) -> list[str]:
    return textwrap.wrap(words, WIDTH, initial_indent=f"  {mark} ", subsequent_indent="    ")


def section_text(section: Section) -> list[str]:
    """A section for a terminal."""
    lines = [section.name]
    names = max((len(found.name) for found in section.estimates), default=0)
    numbers = max((len(str(found)) for found in section.estimates), default=0)
    for found in section.estimates:
        unit = "" if found.unit == "1" else f" {found.unit}"
        lines.append(f"  {found.name:<{names}}  {str(found):<{numbers}}{unit}   {found.beside_theory()}".rstrip())
        if found.how and len(section.estimates) <= 4:
            lines += _told(found.how, " ")
    for note in section.notes:
        lines += _told(note, "-")
    for missing in section.missing:
        lines += _told(missing, "x")
    return lines


def as_text(run: Run, sections: list[Section]) -> str:
    """The whole analysis for a terminal."""
    box = " x ".join(str(n) for n in run.box)
    lines = [run.title or "A run without title",
             f"{run.path}: {run.particles:,} particles in {box}, step {run.steps_done:,} of {run.steps_in_all:,}, {run.status}"]
    if run.status != "completed":
        lines.append("numbers are those so far")
    for section in sections:
        lines += ["", *section_text(section)]
    return "\n".join(lines + ["", "Errors are one standard error."])


def as_json(run: Run, sections: list[Section]) -> dict[str, Any]:
    """The whole analysis for other programs."""
    return {"format": "mpcflow analysis", "format_version": 1, "file": str(run.path), "title": run.title, "status": run.status,
            "steps_done": run.steps_done, "state_hash": run.state_hash, "sections": {section.name: section.as_json() for section in sections}}


def main(argv: Sequence[str] | None = None) -> int:
    parser = Parser("mpcflow-analyze", __doc__)
    parser.add_argument("subjects", nargs="*", metavar="SUBJECT", help=f"{', '.join(SUBJECTS)} (default: all)")
    parser.add_argument("--json", action="store_true", help="as JSON, with the curves behind the numbers")
    arguments = parser.read(argv)

    def body() -> None:
        for name in arguments.subjects:
            if name not in SUBJECTS:
                raise BadArgument(f"'{name}' is no subject, only {', '.join(SUBJECTS)}")
        with Run(arguments.run) as run:
            sections = analyze(run, arguments.subjects or list(SUBJECTS))
            say(json.dumps(as_json(run, sections), allow_nan=False) if arguments.json else as_text(run, sections))

    return exit_status("mpcflow-analyze", arguments.run, body)


if __name__ == "__main__":
    sys.exit(main())

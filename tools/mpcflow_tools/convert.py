"""Writes results as files of other programs.

  mpcflow-convert RUN particles FILE   frames of trajectory.h5: .xyz (extended XYZ), .lammpstrj (LAMMPS dump), .csv, .npz
  mpcflow-convert RUN fields FILE      averages of run.h5: .vti (VTK image data), .csv, .npz
  mpcflow-convert RUN series FILE      numbers against time: .csv, .npz

RUN is the output directory of a run. Memory does not grow with the number of frames. Numbers keep their bits.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TypeVar

from mpcflow_tools.command import BadArgument, exit_status, whole_file
from mpcflow_tools.particle_files import WRITERS as PARTICLE_WRITERS
from mpcflow_tools.particle_files import Frames
from mpcflow_tools.run import Run
from mpcflow_tools.table_files import FIELD_WRITERS, SERIES_WRITERS
from mpcflow_tools.trajectory import Trajectory

Writer = TypeVar("Writer")


def chosen_frames(text: str, count: int) -> range:
    """The frames of START:STOP:STEP, as Python slices a list, or of one number. Raises BadArgument."""
    try:
        numbers = [int(entry) if entry else None for entry in text.split(":")]
        if len(numbers) == 1 and numbers[0] is not None:
            chosen = range(count)[numbers[0]]
            return range(chosen, chosen + 1)
        chosen_range = range(count)[slice(*numbers)]
    except (ValueError, TypeError, IndexError) as error:
        raise BadArgument(f"--frames {text}: neither one of the {count} frames, nor START:STOP:STEP of them") from error
    if len(numbers) > 3 or not chosen_range:
        raise BadArgument(f"--frames {text}: none of the {count} frames")
    return chosen_range


def _writer(writers: dict[str, Writer], subject: str, file: Path) -> Writer:
    if file.suffix not in writers:
        raise BadArgument(f"{file}: {subject} can be written as {', '.join(writers)}")
    return writers[file.suffix]


def convert(arguments: argparse.Namespace) -> None:
    subject, file = arguments.subject, arguments.file
    if subject == "particles":
        write = _writer(PARTICLE_WRITERS, subject, file)
        with Trajectory(arguments.run) as trajectory, whole_file(file, arguments.overwrite) as aside:
            write(Frames(trajectory, chosen_frames(arguments.frames, len(trajectory)), arguments.unwrap), aside)
        return
    if arguments.unwrap or arguments.frames != ":":
        raise BadArgument("--frames and --unwrap are for particles")
    write_table = _writer(FIELD_WRITERS if subject == "fields" else SERIES_WRITERS, subject, file)
    with Run(arguments.run) as run, whole_file(file, arguments.overwrite) as aside:
        write_table(run, aside)


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="mpcflow-convert", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run", type=Path, metavar="RUN", help="the output directory of a run")
    parser.add_argument("subject", choices=["particles", "fields", "series"])
    parser.add_argument("file", type=Path, metavar="FILE", help="what is written; its ending says the format")
    parser.add_argument("--frames", default=":", metavar="START:STOP:STEP",
                        help="some of the frames, as Python slices: 10, -1:, ::5 (default: all)")
    parser.add_argument("--unwrap", action="store_true", help="positions followed through the periodic boundaries")
    parser.add_argument("--overwrite", action="store_true", help="replaces FILE if it is there")
    arguments = parser.parse_args(argv)
    return exit_status("mpcflow-convert", lambda: convert(arguments))


if __name__ == "__main__":
    sys.exit(main())

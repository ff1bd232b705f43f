"""Writes results as files of other programs.

  mpcflow-convert RUN particles FILE    frames of trajectory.h5: .xyz (extended XYZ), .lammpstrj (LAMMPS dump), .pvd (ParaView, with a folder of
                                        .vtp), .vtp (one of them), .csv, .npz
  mpcflow-convert RUN fields FILE       averages of run.h5: .vti (VTK image data), .csv, .npz
  mpcflow-convert RUN windows FILE      averages over windows of time, of fields.h5: .pvd (ParaView, with a folder of .vti), .csv, .npz
  mpcflow-convert RUN series FILE       numbers against time: .csv, .npz
  mpcflow-convert RUN OBSERVABLE FILE   modes, diffusion, radial_distribution, structure_factor, stress, walls,
                                        histograms: .csv, .npz

RUN is the output directory of a run. Memory does not grow with the number of frames or windows. Numbers keep their bits.

Names are those of docs/output.md; beside each NAME of a .npz file that is a number, other than of particles, stands NAME_unit.

Of an observable, .npz has everything; .csv has one table, of the arrays with the same axes (times, waves, walls ...): one line a place, first
the columns that say where, then each array with its error and what theory expects, units in the header. --quantity takes the table
that has this array; without it that is the first one, and the command tells of the others. --quantity numbers: all that is a single number.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from mpcflow_tools import observable_files
from mpcflow_tools.command import BadArgument, Parser, exit_status, say, whole_file
from mpcflow_tools.field_files import WRITERS as FIELD_WRITERS
from mpcflow_tools.particle_files import WRITERS as PARTICLE_WRITERS
from mpcflow_tools.particle_files import Frames, write_pvd
from mpcflow_tools.run import Run
from mpcflow_tools.series_files import WRITERS as SERIES_WRITERS
from mpcflow_tools.trajectory import Trajectory
from mpcflow_tools.window_files import WRITERS as WINDOW_WRITERS


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


def _check_ending(endings: Iterable[str], subject: str, file: Path) -> None:
    if file.suffix not in endings:
        raise BadArgument(f"{file}: {subject} can be written as {', '.join(endings)}")


def convert_particles(arguments: argparse.Namespace) -> None:
    file = arguments.file
    _check_ending([*PARTICLE_WRITERS, ".pvd"], "particles", file)
    with Trajectory(arguments.run) as trajectory:
        frames = Frames(trajectory, chosen_frames(arguments.frames, len(trajectory)), arguments.unwrap)
        if file.suffix == ".pvd":
            write_pvd(frames, file, arguments.overwrite)
            return
        with whole_file(file, arguments.overwrite) as aside:
            PARTICLE_WRITERS[file.suffix](frames, aside)


def convert_table(arguments: argparse.Namespace) -> None:
    """Fields or series."""
    file = arguments.file
    writers = FIELD_WRITERS if arguments.subject == "fields" else SERIES_WRITERS
    _check_ending(writers, arguments.subject, file)
    with Run(arguments.run) as run, whole_file(file, arguments.overwrite) as aside:
        writers[file.suffix](run, aside)


def convert_windows(arguments: argparse.Namespace) -> None:
    file = arguments.file
    _check_ending(WINDOW_WRITERS, "windows", file)
    with Run(arguments.run) as run:
        WINDOW_WRITERS[file.suffix](run, file, arguments.overwrite)


def convert_observable(arguments: argparse.Namespace) -> None:
    subject, file = arguments.subject, arguments.file
    _check_ending(observable_files.ENDINGS, subject, file)
    with Run(arguments.run) as run:
        found = observable_files.Observable(run, subject)
        with whole_file(file, arguments.overwrite) as aside:
            if file.suffix == ".npz":
                observable_files.write_npz(found, aside)
                return
            first, *others = found.choices()
            observable_files.write_csv(found, first if arguments.quantity is None else arguments.quantity, aside)
    if arguments.quantity is None:
        say(f"{file}: the table of {first}; the others of {subject}: {', '.join(f'--quantity {name}' for name in others)}")


def convert(arguments: argparse.Namespace) -> None:
    subject = arguments.subject
    if subject != "particles" and (arguments.unwrap or arguments.frames != ":"):
        raise BadArgument("--frames and --unwrap are for particles")
    if arguments.quantity is not None and (subject not in observable_files.TABLES or arguments.file.suffix != ".csv"):
        raise BadArgument(f"--quantity is for .csv files of {', '.join(observable_files.TABLES)}")
    if subject in observable_files.TABLES:
        convert_observable(arguments)
    else:
        {"particles": convert_particles, "fields": convert_table, "series": convert_table, "windows": convert_windows}[subject](arguments)


def main(argv: Sequence[str] | None = None) -> int:
    parser = Parser("mpcflow-convert", __doc__)
    parser.add_argument("subject", choices=["particles", "fields", "windows", "series", *observable_files.TABLES], metavar="SUBJECT",
                        help="what of the run: particles, fields, windows, series, or an observable")
    parser.add_argument("file", type=Path, metavar="FILE", help="what is written; its ending says the format")
    parser.add_argument("--frames", default=":", metavar="START:STOP:STEP",
                        help="some of the frames, as Python slices: 10, -1:, ::5 (default: all)")
    parser.add_argument("--unwrap", action="store_true", help="positions followed through the periodic boundaries")
    parser.add_argument("--quantity", metavar="NAME", help="the table of an observable that has this array (.csv)")
    parser.add_argument("--overwrite", action="store_true", help="replaces FILE if it is there")
    arguments = parser.read(argv)
    return exit_status("mpcflow-convert", arguments.run, lambda: convert(arguments))


if __name__ == "__main__":
    sys.exit(main())

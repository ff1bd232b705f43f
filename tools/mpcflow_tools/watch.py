"""Watches a run as it goes: progress, rate, temperature, drift, disk and notes, until it ends.

  mpcflow-watch RUN                     the output directory of a run; Ctrl-C ends the watching, not the run
  mpcflow-watch RUN --series momentum   another series as the line below
  mpcflow-watch RUN --wait              waits for a run that has not begun, and for one that was stopped to go on
  mpcflow-watch RUN --once              says how it is and ends

In a pipe or a file: a line for each change. Exit status as that of the run: 0 completed, 85 interrupted, 1 failed or killed;
with --once always 0.
"""

from __future__ import annotations

import argparse
import os
import shutil
import signal
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from types import FrameType

from mpcflow_tools.command import BadArgument, Parser, exit_status, say
from mpcflow_tools.live import LiveRun, Look, disk_of
from mpcflow_tools.results import ResultsError
from mpcflow_tools.screen import NARROWEST, Pen, ending, log_line, screen
from mpcflow_tools.texts import printable

STATUSES = {"completed": 0, "interrupted": 85, "failed": 1, "killed": 1}
# Looks that may fail in a row, on a file system that shows a file before its bytes.
MOST_FAILURES = 5


def _stop(number: int, frame: FrameType | None) -> None:
    raise KeyboardInterrupt


@contextmanager
def _other_screen() -> Iterator[None]:
    """The terminal's other screen, without a cursor; what was on the terminal comes back whatever ends the watching."""
    before = signal.signal(signal.SIGTERM, _stop)
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGWINCH])  # taken by _rest
    sys.stdout.write("\x1b[?1049h\x1b[?25l")
    try:
        yield
    finally:
        sys.stdout.write("\x1b[?25h\x1b[?1049l")
        sys.stdout.flush()
        signal.signal(signal.SIGTERM, before)


def _rest(seconds: float) -> None:
    """Until the time is over or the terminal has another size."""
    signal.sigtimedwait([signal.SIGWINCH], seconds)


class View:
    """How looks are shown: drawn over one another in a terminal, or as lines."""

    def __init__(self, is_live: bool, shows_colour: bool) -> None:
        self._is_live = is_live
        self._shows_colour = shows_colour
        self._unicode = "utf" in (sys.stdout.encoding or "").lower()
        self._step = -1
        self._notes = 0

    def lines(self, run: LiveRun, look: Look) -> list[str]:
        width = max(shutil.get_terminal_size((80, 24)).columns - 1, NARROWEST)
        return screen(look, run.steps_per_second, disk_of(look.folder), Pen(min(width, 120), self._unicode, self._shows_colour))

    def show(self, run: LiveRun, look: Look) -> None:
        if self._is_live:
            rows = max(shutil.get_terminal_size((80, 24)).lines - 1, 1)
            text = "".join(f"{line}\x1b[K\n" for line in self.lines(run, look)[:rows])
            sys.stdout.write(f"\x1b[H{text}\x1b[J")
        else:
            for note in look.notes[self._notes:]:
                say(f"note: {note}")
            self._notes = len(look.notes)
            if look.steps_done != self._step:
                say(log_line(look, run.steps_per_second))
            self._step = look.steps_done
        sys.stdout.flush()

    def say(self, text: str) -> None:
        """What there is to tell while there is nothing to show."""
        text = printable(text)
        sys.stdout.write(f"\x1b[H{text[:shutil.get_terminal_size((80, 24)).columns - 1]}\x1b[K\x1b[J" if self._is_live else f"{text}\n")
        sys.stdout.flush()


def _is_over(look: Look, waits: bool) -> bool:
    return look.status in (("completed", "failed") if waits else STATUSES)


def _follow(run: LiveRun, view: View, arguments: argparse.Namespace, rest: Callable[[float], None]) -> Look:
    """Shows look after look until the run is over; returns the last. Raises ResultsError."""
    failures, last = 0, ""
    while True:
        try:
            look = run.look()
            failures = 0
            view.show(run, look)
            if _is_over(look, arguments.wait):
                return look
            said = ending(look)
        except (ResultsError, OSError) as error:
            failures += 1
            is_there = (arguments.run if arguments.run.is_file() else arguments.run / "run.h5").exists()
            if not (arguments.wait and not is_there) and (failures == MOST_FAILURES or not is_there or getattr(error, "status", 3) == 2):
                raise
            said = f"waiting for {arguments.run}"
        if said and said != last:
            view.say(said)
        last = said
        rest(arguments.every)


def watch(arguments: argparse.Namespace) -> Look:
    run = LiveRun(arguments.run, arguments.series)
    is_terminal = sys.stdout.isatty() and os.environ.get("TERM", "dumb") != "dumb"
    if arguments.every <= 0.0:
        raise BadArgument("--every: a number of seconds above 0")
    if not is_terminal and not arguments.once:
        look = _follow(run, View(False, False), arguments, time.sleep)
        say(ending(look))
        return look
    view = View(is_terminal, is_terminal and "NO_COLOR" not in os.environ)
    if arguments.once:
        look = run.look()
    else:
        with _other_screen():
            look = _follow(run, view, arguments, _rest)
    print("\n".join(view.lines(run, look)))  # stays on the terminal
    return look


def main(argv: Sequence[str] | None = None) -> int:
    parser = Parser("mpcflow-watch", __doc__)
    parser.add_argument("--series", default="temperature", metavar="NAME", help="which series is drawn (default: temperature)")
    parser.add_argument("--every", type=float, default=1.0, metavar="SECONDS", help="time between looks (default: 1)")
    parser.add_argument("--wait", action="store_true", help="waits for a run that has not begun or was stopped, until it is completed or fails")
    parser.add_argument("--once", action="store_true", help="says how the run is, and ends")
    arguments = parser.read(argv)
    last: list[Look] = []
    status = exit_status("mpcflow-watch", arguments.run, lambda: last.append(watch(arguments)))
    return status if status or arguments.once or not last else STATUSES[last[0].status]


if __name__ == "__main__":
    sys.exit(main())

"""What the commands of the package share: messages and exit statuses, and files that are whole or not there."""

from __future__ import annotations

import argparse
import os
import secrets
import shutil
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from mpcflow_tools import __version__
from mpcflow_tools.errors import ManyErrors, ResultsError
from mpcflow_tools.texts import printable, printable_lines

# What arithmetic does to numbers that no run has, where nothing has refused them before. With MPCFLOW_TRACEBACK it is shown where.
HOSTILE = (ArithmeticError, AttributeError, LookupError, MemoryError, TypeError, ValueError, RecursionError)


class BadArgument(ResultsError):
    """The arguments ask for what cannot be; says why."""

    status = 2


class Parser(argparse.ArgumentParser):
    """The arguments of a command: a run first. Without any it says all that the command does."""

    def __init__(self, name: str, description: str | None) -> None:
        super().__init__(prog=name, description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
        self.add_argument("run", type=Path, metavar="RUN", help="the output directory of a run, or its run.h5")
        self.add_argument("--version", action="version", version=f"{name} {__version__}")

    def read(self, argv: Sequence[str] | None) -> argparse.Namespace:
        """Of `argv`, or of the program."""
        given = sys.argv[1:] if argv is None else argv
        if not given:
            self.print_help(sys.stderr)
            raise SystemExit(BadArgument.status)
        return self.parse_args(given)


def say(text: str, file: Any = None) -> None:
    """Prints lines of text. What a terminal would take for a command is escaped, whoever wrote it."""
    print(printable_lines(text), file=file)


def complain(text: str) -> None:
    """Prints a message, on one line."""
    print(printable(text), file=sys.stderr)


def exit_status(name: str, run: Path, body: Callable[[], None]) -> int:
    """Runs a command on the results `run`. Statuses are those of the program: 0 done, 2 bad arguments, 3 the environment, 130 Ctrl-C."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # a terminal may know fewer characters than titles have
            stream.reconfigure(errors="backslashreplace")
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")  # what numbers are not, the results say
            body()
    except ManyErrors as error:
        for line in error.lines:
            complain(line)
        return error.status
    except ResultsError as error:
        complain(f"{name}: {error}")
        return error.status
    except BrokenPipeError:  # what read the output wanted no more
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        complain(f"{name}: {error.filename or run}: {error.strerror or error}")
        return 3
    except HOSTILE as error:
        if "MPCFLOW_TRACEBACK" in os.environ:
            raise
        reason = str(error).split("\n", 1)[0]
        complain(f"{name}: {run}: holds numbers with which nothing can be done ({type(error).__name__}: {reason[:200]}): it is damaged, or no "
                 "result of mpcflow; if mpcflow wrote it, please report this with what MPCFLOW_TRACEBACK=1 shows")
        return 3
    except KeyboardInterrupt:
        return 130
    return 0


def check_free(path: Path, overwrite: bool) -> None:
    """Raises ResultsError where there is a file of this name that is to stay."""
    if not overwrite and os.path.lexists(path):
        raise ResultsError(f"{path}: exists already (--overwrite replaces it)")


@contextmanager
def whole_file(path: Path, overwrite: bool) -> Iterator[Path]:
    """Yields a path beside `path` to write to, where an empty file is; the file gets its name when the block has ended well, and goes if
    not. Without `overwrite` a file that is there stays, also where it came in the meantime. Raises ResultsError."""
    check_free(path, overwrite)
    path.parent.mkdir(parents=True, exist_ok=True)
    aside = path.with_name(f".{path.stem}.{os.getpid()}-{secrets.token_hex(4)}{path.suffix}")
    os.close(os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o666))  # no link of another's
    try:
        yield aside
        _give_name(aside, path, overwrite)
    finally:
        aside.unlink(missing_ok=True)


def _give_name(aside: Path, path: Path, overwrite: bool) -> None:
    if not overwrite:
        try:
            os.link(aside, path)
            return
        except FileExistsError as error:
            raise ResultsError(f"{path}: exists already (--overwrite replaces it)") from error
        except OSError:  # a file system without hard links
            check_free(path, overwrite)
    os.replace(aside, path)


@contextmanager
def whole_folder(path: Path, ending: str, overwrite: bool) -> Iterator[Path]:
    """Yields a folder beside `path` to fill; it gets its name when the block has ended well, and goes if not: then what is
    there stays. It is replaced only if it is a folder of files with this ending and of nothing else."""
    if path.is_symlink() or path.exists():
        if not overwrite:
            raise ResultsError(f"{path}: exists already (--overwrite replaces it)")
        if path.is_symlink() or not path.is_dir() or not all(entry.is_file() and entry.suffix == ending for entry in path.iterdir()):
            raise ResultsError(f"{path}: is not replaced, as it is no folder of {ending} files alone: move it away")
    aside = path.with_name(f".{path.name}.{os.getpid()}")
    old = path.with_name(f"{aside.name}.old")
    aside.mkdir(parents=True)
    try:
        yield aside
        if path.exists():
            os.replace(path, old)
        os.replace(aside, path)
    finally:
        if old.exists() and not path.exists():
            os.replace(old, path)
        for folder in (aside, old):
            shutil.rmtree(folder, ignore_errors=True)

"""What the commands of the package share: messages and exit statuses, and files that are whole or not there."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from mpcflow_tools.results import ResultsError


class BadArgument(ResultsError):
    """The arguments ask for what cannot be; says why."""

    status = 2


def exit_status(name: str, body: Callable[[], None]) -> int:
    """Runs a command. Statuses are those of the program: 0 done, 2 bad arguments, 3 the environment, 130 Ctrl-C."""
    try:
        body()
    except ResultsError as error:
        print(f"{name}: {error}", file=sys.stderr)
        return error.status
    except BrokenPipeError:  # what read the output wanted no more
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        print(f"{name}: {error.filename or ''}: {error.strerror or error}", file=sys.stderr)
        return 3
    except KeyboardInterrupt:
        return 130
    return 0


@contextmanager
def whole_file(path: Path, overwrite: bool = True) -> Iterator[Path]:
    """Yields a path beside `path` to write to; the file gets its name when the block has ended well, and goes if not."""
    if path.exists() and not overwrite:
        raise ResultsError(f"{path}: exists already (--overwrite replaces it)")
    path.parent.mkdir(parents=True, exist_ok=True)
    aside = path.with_name(f".{path.stem}.{os.getpid()}{path.suffix}")
    try:
        yield aside
        os.replace(aside, path)
    finally:
        aside.unlink(missing_ok=True)


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

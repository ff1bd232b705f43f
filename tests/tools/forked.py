"""Commands of the package, forked from a test: their libraries, whose loading takes longer than most commands, are loaded once a
test program. What Python itself reads of the environment (PYTHONPATH and the like) has no effect on them, and nothing runs at exit."""

from __future__ import annotations

import importlib
import os
import signal
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NoReturn

LONGEST = 120  # seconds


def _run_and_exit(main: Callable[[list[str]], int], argv: list[str], folder: Path, out: int, err: int,
                  environment: Mapping[str, str]) -> NoReturn:
    """The child's part: whatever happens, it does not return into the test."""
    status = 1
    try:
        os.dup2(out, 1)
        os.dup2(err, 2)
        sys.stdout = open(1, "w", encoding="utf-8", closefd=False)
        sys.stderr = open(2, "w", buffering=1, encoding="utf-8", errors="backslashreplace", closefd=False)
        try:
            os.chdir(folder)
            os.environ.clear()
            os.environ.update(environment)
            signal.alarm(LONGEST)
            sys.exit(main(argv))
        except SystemExit as stop:
            if isinstance(stop.code, str):
                print(stop.code, file=sys.stderr)
            status = stop.code if isinstance(stop.code, int) else 0 if stop.code is None else 1
        except BaseException:
            traceback.print_exc()
        sys.stdout.flush()
        sys.stderr.flush()
    finally:
        os._exit(status)


def forked(module: str, argv: list[str], folder: Path, environment: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
    """What `python -m mpcflow_tools.MODULE ARGV` in the folder ends with and says."""
    main = importlib.import_module(f"mpcflow_tools.{module}").main
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        child = os.fork()
        if child == 0:
            _run_and_exit(main, argv, folder, out.fileno(), err.fileno(), environment)
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        said = []
        for stream in (out, err):
            stream.seek(0)
            said.append(stream.read().decode())
    return subprocess.CompletedProcess([module, *argv], code, *said)

"""What the tests of the packages share: an installed tree that was moved, and commands in it."""

from __future__ import annotations

import functools
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ["MPCFLOW_BUILD"])
CMAKE = os.environ.get("CMAKE", "cmake")
CPACK = os.environ.get("CPACK", "cpack")
# Nothing of the tree: only where a shell and Python are. PYTHON is what runs these tests.
BARE = {
    "PATH": "/usr/bin:/bin",
    "HOME": "/nonexistent",
    "PYTHON": sys.executable,
    "MPLCONFIGDIR": tempfile.gettempdir(),
    "LC_ALL": "C.UTF-8",
}
TOOLS = sorted(path.name for path in (ROOT / "tools").glob("mpcflow-*"))

SMALL = [
    "--set",
    "box.size=[6, 6, 6]",
    "--set",
    "output.fields.bins=[1, 1, 6]",
    "--set",
    "run.equilibration=20",
    "--set",
    "run.steps=200",
    "--set",
    "output.trajectory.every=100",
    "--device",
    "cpu",
    "--quiet",
]


def check(command: list[object], status: int = 0, **options: object) -> subprocess.CompletedProcess[str]:
    """Runs a command without the environment of the tree. Fails unless it ends with `status`."""
    options.setdefault("env", BARE)
    done: subprocess.CompletedProcess[str] = subprocess.run(
        [str(word) for word in command], capture_output=True, text=True, timeout=240, **options
    )  # type: ignore[call-overload]
    if done.returncode != status:
        raise AssertionError(f"{command}: exit status {done.returncode}\n{done.stdout}{done.stderr}")
    return done


def temporary(prefix: str = "mpcflow-packages-") -> Path:
    folder = Path(tempfile.mkdtemp(prefix=prefix))
    unittest.addModuleCleanup(shutil.rmtree, folder, ignore_errors=True)
    return folder


@functools.cache
def moved_tree() -> Path:
    """The tree, installed into a folder with spaces and letters of other lands, and moved to another."""
    folder = temporary()
    first, then = folder / "erst hier", folder / "Prüfstand 2" / "dann dort"
    check([CMAKE, "--install", BUILD, "--prefix", first], env={**os.environ})
    then.parent.mkdir()
    first.rename(then)
    return then


def require(*commands: str) -> None:
    """Skips a test where a command is not there."""
    missing = [command for command in commands if shutil.which(command) is None]
    if missing:
        raise unittest.SkipTest(f"not here: {', '.join(missing)} (tools/install_dependencies.sh --packages)")

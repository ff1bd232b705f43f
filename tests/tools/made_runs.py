"""Runs that the program makes for the tests of the tools: small ones, each made once."""

from __future__ import annotations

import atexit
import csv
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from forked import forked

TOOLS = Path(__file__).resolve().parents[2] / "tools"
sys.path.append(str(Path(__file__).resolve().parents[1] / "support"))

FLOW = """\
title: A small flow
seed: 3
box: {size: [4, 3, 10]}
fluid: {density: 10, temperature: 1.5, mass: 2.0}
collision: {rule: srd, angle: 130, time_step: 0.1}
thermostat: {kind: maxwell_boltzmann}
boundaries: {x: periodic, y: periodic, z: no_slip}
forces: [{uniform: [0.02, 0, 0]}]
run: {equilibration: 100, steps: 400}
output:
  trajectory: {every: 100, quantities: [position, velocity]}
  fields: {every: 4, quantities: [density, velocity, temperature], bins: [2, 1, 10]}
  histograms: {every: 20}
  series: {every: 10}
"""

# Frames with a number of particles that varies, in single precision.
REGION = """\
title: A part of a box
seed: 5
box: {size: [6, 6, 6]}
fluid: {density: 5}
collision: {rule: srd, angle: 90, time_step: 0.2}
thermostat: {kind: none}
boundaries: {x: periodic, y: periodic, z: periodic}
run: {steps: 60}
output:
  trajectory: {every: 20, quantities: [position], region: {lower: [1, 1, 1], upper: [4, 4, 5]}}
execution: {precision: mixed}
"""

# Frames of every third particle, half as precise as the run.
THINNED = REGION.replace("region: {lower: [1, 1, 1], upper: [4, 4, 5]}", "every_nth_id: 3, precision: single").replace(
    "mixed", "double")
EVERYTHING = THINNED.replace(", every_nth_id: 3, precision: single", "")

AT_REST = """\
title: A fluid at rest
seed: 11
box: {size: [8, 8, 8]}
fluid: {density: 10}
collision: {rule: srd, angle: 130, time_step: 0.1}
thermostat: {kind: maxwell_boltzmann}
boundaries: {x: periodic, y: periodic, z: periodic}
"""

# All that is measured of a fluid at rest.
REST = AT_REST + """\
run: {equilibration: 50, steps: 1500}
output:
  series: {every: 10}
  stress: {every: 1, burst: 1}
  diffusion: {every: 3, tracers: 1000}
  modes: {every: 2, count: 2}
  radial_distribution: {every: 100, range: 2, bins: 20, centres: 1000}
  structure_factor: {every: 10, count: 2}
"""

# A flow whose walls are asked.
WALLS = FLOW.replace("steps: 400", "steps: 3000").replace("  histograms: {every: 20}\n", "  walls: {every: 3}\n  stress: {every: 50, burst: 5}\n")


@cache
def _folder() -> Path:
    folder = Path(tempfile.mkdtemp(prefix="mpcflow tools "))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


@cache
def made(text: str) -> Path:
    """The output directory of a run of the input `text`, on the CPU. Its files are not to be changed."""
    folder = _folder() / f"run {len(list(_folder().iterdir()))}"
    folder.mkdir()
    (folder / "input.yaml").write_text(text)
    done = subprocess.run([os.environ["MPCFLOW"], "run", "input.yaml", "--device", "cpu", "--threads", "1", "--output", "out"],
                          cwd=folder, check=False, capture_output=True, text=True, timeout=120)
    if done.returncode != 0:
        raise RuntimeError(f"the run failed:\n{done.stderr}")
    return folder / "out"


def read_csv(path: Path) -> tuple[dict[str, list[str]], dict[str, str]]:
    """Columns of texts by their names, and the units of those that have one."""
    with path.open(newline="") as file:
        header, *rows = list(csv.reader(file))
    assert all(len(row) == len(header) for row in rows) and len(set(header)) == len(header)
    names = [title.partition(" [")[0] for title in header]
    units = {name: title.partition(" [")[2].removesuffix("]") for name, title in zip(names, header) if " [" in title}
    return {name: [row[i] for row in rows] for i, name in enumerate(names)}, units


def read_numbers(path: Path) -> tuple[dict[str, NDArray[np.float64]], dict[str, str]]:
    """The same of columns of numbers alone."""
    columns, units = read_csv(path)
    return {name: np.array(column, dtype=np.float64) for name, column in columns.items()}, units


class ToolTest(unittest.TestCase):
    """A test with an empty folder of its own, `self.folder`."""

    def setUp(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="mpcflow test "))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def copy_of(self, text: str) -> Path:
        """A run whose files may be changed."""
        return Path(shutil.copytree(made(text), self.folder / "copy"))

    def python(self, *arguments: object, status: int = 0) -> subprocess.CompletedProcess[str]:
        """Runs Python and checks its exit status; a failure has something to say, not a trace."""
        done = subprocess.run([sys.executable, *map(str, arguments)], cwd=self.folder, capture_output=True, text=True,
                              timeout=120, check=False,
                              env={"PYTHONPATH": str(TOOLS), "PYTHONDONTWRITEBYTECODE": "1", "HOME": str(self.folder),
                                   "PYTHONIOENCODING": "utf-8"})
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        self.assertNotIn("Traceback", done.stderr)
        return done

    def command(self, module: str, *arguments: object, status: int = 0) -> subprocess.CompletedProcess[str]:
        """Runs a command of the package as python() would, but forked from here."""
        unset = ("COLUMNS", "LINES", "NO_COLOR", "MPLCONFIGDIR")
        environment = {name: value for name, value in os.environ.items() if name not in unset} | {"HOME": str(self.folder)}
        done = forked(module, list(map(str, arguments)), self.folder, environment)
        self.assertEqual(done.returncode, status, f"{done.args}\n{done.stdout}{done.stderr}")
        self.assertNotIn("Traceback", done.stderr)
        return done

"""What the tests of the program share: running it in a folder of its own."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1] / "support"))

MPCFLOW = os.environ.get("MPCFLOW", "mpcflow")
NOBODY = 65534


def program_for(user: int, folder: Path) -> str:
    """The program where `user` may run it: a copy in `folder` if it is closed to others, as in root's home."""
    path = Path(shutil.which(MPCFLOW) or MPCFLOW).resolve()
    if user == os.geteuid() or all(part.stat().st_mode & 0o001 for part in (path, *path.parents)):
        return MPCFLOW
    copy = folder / "program"
    if not copy.exists():
        shutil.copy(path, copy)
        copy.chmod(0o755)
    return str(copy)


# One thread: two take twice the time of processors for so few particles. Tests of threads ask for more.
INPUT = """\
title: A small flow
seed: 3
box: {{size: [6, 6, 6]}}
fluid: {{density: 10}}
collision: {{rule: srd, angle: 130, time_step: 0.1}}
thermostat: {{kind: maxwell_boltzmann}}
boundaries: {{x: periodic, y: periodic, z: no_slip}}
forces: [{{uniform: [0.01, 0, 0]}}]
run: {{equilibration: {equilibration}, steps: {steps}}}
execution: {{threads: 1, device: cpu}}
output:
  directory: out
{outputs}
"""

ALL_OUTPUTS = """\
  trajectory: {every: 4, quantities: [position, velocity]}
  fields: {every: 4, quantities: [density, velocity, temperature, pressure_tensor], bins: [1, 2, 3]}
  histograms: {every: 8, speed_bins: 20, largest_speed: 5}
  diffusion: {every: 2, tracers: 100}
  modes: {every: 2, count: 2}
  stress: {every: 10, burst: 4}
  radial_distribution: {every: 10, range: 2.5, bins: 20, centres: 500}
  walls: {every: 6}
  series: {every: 5}
"""


def input_text(equilibration: int = 20, steps: int = 100, outputs: str = ALL_OUTPUTS) -> str:
    return INPUT.format(equilibration=equilibration, steps=steps, outputs=outputs)


class ProgramTest(unittest.TestCase):
    """A test with an empty working folder, `self.folder`."""

    def setUp(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="mpcflow-test-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def write_input(self, text: str | None = None, name: str = "flow.yaml") -> str:
        (self.folder / name).write_text(input_text() if text is None else text)
        return name

    @classmethod
    def run_once(cls, text: str, *arguments: str) -> tuple[Path, str]:
        """For setUpClass: runs the input flow.yaml in a folder that is there until the class is done; the folder, and what the
        run said."""
        folder = Path(tempfile.mkdtemp(prefix="mpcflow-once-"))
        cls.addClassCleanup(shutil.rmtree, folder, ignore_errors=True)
        (folder / "flow.yaml").write_text(text)
        done = subprocess.run([MPCFLOW, "run", "flow.yaml", *arguments], cwd=folder, capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, done.stdout + done.stderr
        return folder, done.stdout

    def mpcflow(self, *arguments: str, status: int | None = 0, **options) -> subprocess.CompletedProcess:
        """Runs the program in the folder and checks its exit status."""
        done = subprocess.run([MPCFLOW, *arguments], cwd=self.folder, capture_output=True, text=True,
                              timeout=120, **options)
        if status is not None:
            self.assertEqual(done.returncode, status, f"mpcflow {' '.join(arguments)}\n{done.stdout}{done.stderr}")
        return done

    def start(self, *arguments: str, **options) -> subprocess.Popen:
        program = program_for(options.get("user", os.geteuid()), self.folder)
        process = subprocess.Popen([program, *arguments], cwd=self.folder, text=True,
                                   stdout=options.pop("stdout", subprocess.PIPE),
                                   stderr=options.pop("stderr", subprocess.PIPE), **options)

        def clean_up() -> None:
            if process.poll() is None:
                process.kill()
            process.communicate()

        self.addCleanup(clean_up)
        return process

    def small_disk(self, megabytes: int) -> Path:
        """A file system of this size, the folder "disk". Skips the test where none may be mounted."""
        disk = self.folder / "disk"
        disk.mkdir()
        mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={megabytes}m", "mpcflow-test", disk], capture_output=True)
        if mounted.returncode != 0:
            self.skipTest("may not mount a small file system here")
        self.addCleanup(subprocess.run, ["umount", disk])
        return disk

    def has_gpu(self) -> bool:
        return bool(json.loads(self.mpcflow("devices", "--json").stdout)["cuda"])

    def require_gpu(self) -> None:
        """Skips the test where there is no GPU; with MPCFLOW_REQUIRE_GPU=1 fails it."""
        if self.has_gpu():
            return
        if os.environ.get("MPCFLOW_REQUIRE_GPU") == "1":
            self.fail("there is no GPU, and MPCFLOW_REQUIRE_GPU is 1")
        self.skipTest("no GPU")

    def skip_with_gpu(self) -> None:
        if self.has_gpu():
            self.skipTest("there is a GPU")

    def files(self) -> list[str]:
        """All files and folders, relative to the working folder."""
        return sorted(str(path.relative_to(self.folder)) for path in self.folder.rglob("*"))

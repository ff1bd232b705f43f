"""What tests of `mpcflow verify` share: runs that ended or were killed, and what it says of them."""

from __future__ import annotations

import json
import shutil
import tempfile
import time
import unittest
from pathlib import Path

import h5py

from restarting import RestartTest, flow

STEPS = 240
EVERY = 60
RUNNING = 60_000  # steps of a run that is killed


def flip(path: Path, at: int, bit: int = 2) -> None:
    data = bytearray(path.read_bytes())
    data[at] ^= 1 << bit
    path.write_bytes(data)


def place_of(path: Path, dataset: str, row: int) -> int:
    """Where in the file the numbers of a row begin."""
    with h5py.File(path) as f:
        shape = f[dataset].shape
        return int(f[dataset].id.get_chunk_info_by_coord((row, *[0] * (len(shape) - 1))).byte_offset)


class VerifyTest(RestartTest):
    made: dict[tuple[str, ...], Path] = {}  # folders that runs have made, by what they were told

    def setUp(self) -> None:
        super().setUp()
        self.name = self.write_input(flow(STEPS, f"{{every: {EVERY}}}"))

    def run_whole(self, folder: str = "out", *more: str, anew: bool = False) -> Path:
        """The folder of a run that ended: a copy of one, which is run once; `anew` it is a run of its own."""
        out = self.folder / folder
        arguments = ("run", self.name, "--quiet", "--threads", "1", *more)
        if not anew and arguments not in self.made:
            kept = Path(tempfile.mkdtemp(prefix="mpcflow-whole-"))
            unittest.addModuleCleanup(shutil.rmtree, kept, ignore_errors=True)
            unittest.addModuleCleanup(self.made.clear)
            self.mpcflow(*arguments, "--output", str(kept / "out"))
            self.made[arguments] = kept / "out"
        if anew:
            self.mpcflow(*arguments, "--output", folder)
        else:
            shutil.copytree(self.made[arguments], out)
        return out

    def run_killed(self, after: int, steps: int = RUNNING, folder: str = "out") -> Path:
        """A run that is killed when it has more than so many frames beyond those of its last checkpoint but one."""
        process = self.start("run", self.name, "--output", folder, "--quiet", "--threads", "1", "--set", f"run.steps={steps}")
        self.wait_for(f"{folder}/checkpoint.previous.h5")
        deadline = time.monotonic() + 60
        while not (self.folder / folder / "trajectory.h5.journal").exists() or self.frames(folder) < after:
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.01)
        process.kill()
        process.communicate()
        return self.folder / folder

    def frames(self, folder: str) -> int:
        try:
            with h5py.File(self.folder / folder / "trajectory.h5") as f:
                return len(f["particles/all/box/edges/step"])
        except OSError:
            return 0  # just being written

    def verify(self, path: str | Path, *options: str, status: int | None = None) -> dict:
        """What it says as JSON; its exit status is that of what it says."""
        done = self.mpcflow("verify", str(path), "--json", *options, status=None)
        self.assertIn(done.returncode, (0, 3), done.stderr)
        found = json.loads(done.stdout)
        self.assertEqual(done.returncode, 0 if found["whole"] and not found.get("not_repaired") else 3, done.stdout)
        if status is not None:
            self.assertEqual(done.returncode, status, done.stdout)
        return found

    def file(self, found: dict, name: str) -> dict:
        return next(file for file in found["files"] if file["name"] == name)

    def text(self, *arguments: str, status: int) -> str:
        return self.mpcflow("verify", *arguments, status=status).stdout

    def check_goes_on_to(self, expected: dict, folder: str = "out") -> None:
        """A restart gives the numbers of the run that was never disturbed."""
        self.mpcflow("run", self.name, "--output", folder, "--quiet", "--set", f"run.steps={STEPS}")
        self.check_same(self.results(folder), expected)
        self.verify(folder, status=0)

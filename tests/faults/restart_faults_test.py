"""Restarts after more than one thing went wrong: a kill and another one, two calls that fail for one cause, files that go
missing where others were moved aside before."""

from __future__ import annotations

import errno
import shutil
import tempfile
import unittest
from pathlib import Path

from faulty import CHANGING, Fault, damage_trajectory, folder_fault, last_frames_fault, make_killed_folder, numbers, run, run_with


class RestartFaults(unittest.TestCase):
    def setUp(self) -> None:
        self.root = Path(tempfile.mkdtemp(prefix="mpcflow-restarts-"))
        self.addCleanup(shutil.rmtree, self.root, ignore_errors=True)
        for name in ("reference", "case"):
            (self.root / name).mkdir()
        self.assertEqual(run(self.root / "reference", "--quiet").returncode, 0)
        self.expected = numbers(self.root / "reference/out")
        self.folder = self.root / "case"
        self.out = self.folder / "out"

    def test_a_kill_after_an_older_checkpoint_was_chosen(self) -> None:
        make_killed_folder(self.folder)
        # Frames and windows of after the older one are dropped by then, and not written again.
        killed = run_with(Fault("open", 1, "kill", path="run.h5.tmp"), self.folder, "--quiet", "--restart",
                          "out/checkpoint.previous.h5")
        self.assertEqual(killed.status, -9, killed.err)
        done = run(self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("going on from out/checkpoint.previous.h5, step 20", done.stderr)
        self.assertEqual(folder_fault(self.out, self.expected), "")
        self.assertEqual(sorted(path.name for path in self.out.glob("*.damaged*")), ["checkpoint.damaged.h5"])

    def test_a_file_is_missing_where_another_was_moved_aside_before(self) -> None:
        make_killed_folder(self.folder)
        damage_trajectory(self.folder)
        done = run(self.folder, "--set=run.steps=50")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue((self.out / "trajectory.damaged.h5").exists())
        (self.out / "trajectory.h5").rename(self.folder / "kept.h5")
        before = {path.name: path.read_bytes() for path in self.out.iterdir()}
        done = run(self.folder, "--set=run.steps=60")
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn("trajectory.h5: no such file", done.stderr)
        self.assertEqual({path.name: path.read_bytes() for path in self.out.iterdir()}, before)
        (self.folder / "kept.h5").rename(self.out / "trajectory.h5")
        self.assertEqual(run(self.folder, "--set=run.steps=60").returncode, 0)

    def test_a_restart_that_is_killed_once_a_file_was_moved_aside(self) -> None:
        make_killed_folder(self.folder)
        damage_trajectory(self.folder)
        killed = run_with(Fault("open", 1, "kill", path="checkpoint.h5.tmp"), self.folder, "--quiet")
        self.assertEqual(killed.status, -9, killed.err)
        self.assertTrue((self.out / "trajectory.damaged.h5").exists())
        done = run(self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("trajectory.damaged.h5 already", done.stderr)
        self.assertEqual(last_frames_fault(self.out, self.expected), "")

    def test_a_complete_run_that_is_made_longer_is_killed(self) -> None:
        """Its last frame is dropped by then: it is complete no more."""
        killed = 0
        for call in range(1, 80, 3):
            shutil.rmtree(self.out, ignore_errors=True)
            shutil.copytree(self.root / "reference/out", self.out)
            fault = Fault(CHANGING, call, "kill", path="/out")
            killed += run_with(fault, self.folder, "--quiet", "--set=run.steps=60").status == -9
            done = run(self.folder, "--quiet")
            self.assertEqual(done.returncode, 0, f"{fault}: {done.stderr}")
            self.assertEqual(folder_fault(self.out, self.expected), "", fault)
        self.assertGreater(killed, 10)

    def test_a_checkpoint_that_can_neither_be_forced_to_the_disk_nor_removed(self) -> None:
        failed = 0
        for call in range(1, 12):
            shutil.rmtree(self.out, ignore_errors=True)
            fault = Fault("sync,unlink", call, "always", errno.EIO, path="checkpoint.h5.tmp")
            outcome = run_with(fault, self.folder, "--quiet")
            if not outcome.fault.startswith("sync"):
                continue
            failed += 1
            self.assertEqual(outcome.status, 3, f"{fault}: {outcome.err}")
            self.assertIn("cannot force it to the disk", outcome.err)
        self.assertEqual(failed, 4)


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
"""`mpcflow verify` after a kill or lost power, while a run writes, and while it repairs itself."""

from __future__ import annotations

import itertools
import os
import random
import shutil
import signal
import struct
import subprocess
import unittest
from pathlib import Path

import h5py

from checksums import words_checksum, write_journal
from faulty import Fault, preload_options
from program import MPCFLOW
from verifying import flip, place_of, STEPS, VerifyTest


class Killed(VerifyTest):
    def setUp(self) -> None:
        super().setUp()
        self.run_whole("reference")
        self.expected = self.results("reference")

    def test_what_a_killed_run_leaves(self) -> None:
        out = self.run_killed(9)
        (out / "run.h5.tmp").write_bytes(b"half of it")
        (out / "trajectory.h5.tmp").write_bytes(b"")
        found = self.verify("out", status=0)
        with h5py.File(out / "checkpoint.h5") as f:
            step, frames = int(f["run"].attrs["step"]), int(f["run"].attrs["frames"])
        self.assertEqual(found["restart"], {"checkpoint": "checkpoint.h5", "step": step})
        self.assertEqual(self.file(found, "trajectory.h5.journal")["rows"], frames)
        self.assertEqual(self.verify(out / "trajectory.h5.journal", status=0)["files"][1]["rows"], frames)
        found = self.verify("out", "--repair", status=0)
        self.assertEqual(found["repaired"], ["removed run.h5.tmp", "removed trajectory.h5.tmp"])
        self.assertTrue((out / "trajectory.h5.journal").exists())  # of which a restart has need
        if step <= STEPS:
            self.check_goes_on_to(self.expected)

    def lose_pages(self, path: Path, chance: random.Random) -> None:
        """The machine lost power: pages of the file that were overwritten since the checkpoint are not what they should be."""
        journal = path.with_name(path.name + ".journal").read_bytes()
        if len(journal) < 32:
            return  # it never began
        mark, salt, guarded, _ = struct.unpack_from("<4Q", journal)
        data, at = bytearray(path.read_bytes()), 32
        while at + 32 < len(journal):
            page_salt, offset, count, _ = struct.unpack_from("<4Q", journal, at)
            if page_salt != salt or at + 32 + count > len(journal):
                break  # one that was not written whole was never overwritten, either
            if chance.random() < 0.6:
                data[offset:offset + count] = bytes(count)
            at += 32 + count
        end = guarded + (len(data) - guarded) // 2
        path.write_bytes(data[:end])

    def test_lost_power(self) -> None:
        chance = random.Random(11)
        damaged = 0
        for number in range(3):
            out = self.run_killed(8 + number)
            for name in ("trajectory.h5", "fields.h5"):
                self.lose_pages(out / name, chance)
            found = self.verify("out")
            damaged += not found["whole"]
            with h5py.File(out / "checkpoint.h5") as f:
                step, frames = int(f["run"].attrs["step"]), int(f["run"].attrs["frames"])
            self.assertEqual(found["restart"]["step"], step)
            shutil.copytree(out, self.folder / "unrepaired")
            found = self.verify("out", "--repair", status=0)
            if not found["whole"]:  # (what was being written when it was killed goes, too)
                self.assertIn("by its journal", str(found["repaired"]))
            self.assertEqual(self.verify("out", "--repair", status=0)["repaired"], [])
            self.assertGreaterEqual(self.frames("out"), frames)
            if step <= STEPS:
                self.check_goes_on_to(self.expected)
                self.check_goes_on_to(self.expected, "unrepaired")
            shutil.rmtree(self.folder / "unrepaired")
            shutil.rmtree(out)
        self.assertGreater(damaged, 0)

    def test_a_frame_beyond_the_checkpoint_is_damaged(self) -> None:
        out = self.run_killed(9)
        with h5py.File(out / "checkpoint.h5") as f:
            step, frames = int(f["run"].attrs["step"]), int(f["run"].attrs["frames"])
        listed = self.frames("out")
        if listed == frames:
            self.skipTest("killed just after a checkpoint")
        flip(out / "trajectory.h5", place_of(out / "trajectory.h5", "particles/all/position/value", listed - 1) + 40)
        found = self.verify("out", status=3)
        self.assertIn("--repair rolls trajectory.h5 back to", str(found["conclusions"]))
        self.verify("out", "--repair", status=0)
        self.assertEqual(self.frames("out"), frames)
        if step <= STEPS:
            self.check_goes_on_to(self.expected)

    def test_a_journal_of_another_file(self) -> None:
        killed = self.run_killed(9, folder="killed")
        out = self.folder / "reference"
        shutil.copy(killed / "trajectory.h5.journal", out)
        (out / "fields.h5.journal").write_bytes(b"never began")
        before = (out / "trajectory.h5").read_bytes()
        found = self.verify("reference", status=0)
        self.assertIn("is not of trajectory.h5", str(self.file(found, "trajectory.h5.journal")["remarks"]))
        found = self.verify("reference", "--repair", status=0)
        self.assertEqual(len(found["repaired"]), 2)
        self.assertEqual(list(out.glob("*.journal")), [])
        self.assertEqual((out / "trajectory.h5").read_bytes(), before)

    def test_a_journal_of_an_earlier_moment(self) -> None:
        """Its pages and the length that it tells make whole rows of the file, but not the file of any moment."""
        out = self.folder / "reference"
        path = out / "trajectory.h5"
        before = path.read_bytes()
        with h5py.File(path) as f:
            steps = len(f["particles/all/box/edges/step"])
        # It was begun when a row more had been made in one dataset than are listed, and no page was changed since.
        with h5py.File(path, "r+") as f:
            f["particles/all/position/value"].resize(steps + 1, axis=0)
        uneven = path.read_bytes()
        pages = {at: uneven[at:at + 4096] for at in range(0, min(len(before), len(uneven)), 4096)
                 if uneven[at:at + 4096] != before[at:at + 4096]}
        path.write_bytes(before)
        write_journal(path.with_name("trajectory.h5.journal"), len(uneven), pages)
        found = self.verify(path, status=0)
        self.assertIn("is not of trajectory.h5", str(found["files"][1]["remarks"]))
        flip(path, place_of(path, "particles/all/position/value", 7) + 100)
        found = self.verify(path, "--repair", status=0)
        self.assertEqual(found["repaired"], ["cut trajectory.h5 back to its first 7 frames, of 18"])

    def test_a_repair_that_is_killed(self) -> None:
        """At each of its writes: doing it once more does the rest."""
        out = self.folder / "reference"
        path = out / "trajectory.h5"
        flip(path, place_of(path, "particles/all/position/value", 7) + 100)
        damaged = path.read_bytes()
        kills = losses = 0
        chance = random.Random(5)
        for call in itertools.count(1):
            fault = Fault("write,truncate,sync,rename", call, "kill", path="trajectory.h5")
            environment = dict(os.environ, **fault.environment(self.folder / "report"), **preload_options(self.folder))
            done = subprocess.run([MPCFLOW, "verify", "--repair", str(path)], env=environment, capture_output=True, timeout=120)
            if done.returncode != -signal.SIGKILL:
                self.assertEqual(done.returncode, 0, done.stderr)
                break
            kills += 1
            killed = path.read_bytes()
            journal = path.with_name("trajectory.h5.journal")
            kept = journal.read_bytes() if journal.exists() else None
            self.verify(path, "--repair", status=0)
            self.assertEqual(self.frames("reference"), 7)
            if kept is not None and call % 3 == 0:
                # And the machine loses power at the same time: none of the pages that the journal has is what it should be.
                path.write_bytes(killed)
                journal.write_bytes(kept)
                self.lose_pages(path, chance)
                self.verify(path, "--repair", status=0)
                self.assertEqual(self.frames("reference"), 7)
                losses += 1
            self.verify(path, status=0)
            path.write_bytes(damaged)
            path.with_name("trajectory.h5.journal").unlink(missing_ok=True)
        self.assertGreater(kills, 10)
        self.assertGreater(losses, 5)
        print(f"{kills} kills in repairs and {losses} losses of power, each of which the next one finished")


class BeingWritten(VerifyTest):
    def test_while_a_run_writes(self) -> None:
        self.run_whole("reference", "--set", "run.steps=1500")
        expected = self.results("reference")
        process = self.start("run", self.name, "--quiet", "--threads", "1", "--set", "run.steps=1500")
        self.wait_for("out/checkpoint.previous.h5")
        seen = refused = 0
        while process.poll() is None:
            found = self.verify("out", status=0)
            if found["being_written"]:
                self.assertIn("a run is writing here", found["conclusions"][0])
                seen += 1
            if not refused:
                done = self.mpcflow("verify", "out", "--repair", status=None)
                refused += done.returncode == 3 and "a run is writing to it: nothing is repaired" in done.stderr
        process.communicate()
        self.assertEqual(process.returncode, 0)
        self.assertGreater(seen, 3)
        self.assertEqual(refused, 1)
        self.check_same(self.results("out"), expected)
        print(f"{seen} times verified while the run went on")

    def test_runs_start_while_it_reads(self) -> None:
        """It takes no lock: none of these is refused the directory."""
        self.run_whole()
        for _ in range(8):
            reader = self.start("verify", "out")
            self.mpcflow("run", self.name, "--quiet", "--overwrite", "--set", "run.steps=30")
            reader.communicate()


class Chains(unittest.TestCase):
    def test_the_forger_of_these_tests_sums_as_the_document_says(self) -> None:
        self.assertNotEqual(words_checksum(1, 2), words_checksum(2, 1))
        self.assertEqual(words_checksum(5), words_checksum(5))


if __name__ == "__main__":
    unittest.main()

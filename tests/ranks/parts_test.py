"""Checkpoints in parts: what is in the directory, which is whole after whatever happened, and what is told of damage."""

import json
import os
import resource
import shutil
import signal
import time
import unittest
from pathlib import Path

import h5py

from on_ranks import RanksTest
from forging import forged
from program import input_text
from restarting import flow

EVERY = "{every: 40}"


class Parts(RanksTest):
    def parts(self, folder: str = "out") -> list[Path]:
        return sorted((self.folder / folder).glob("checkpoint.*.part*.h5"))

    def named(self, name: str = "out/checkpoint.h5") -> list[str]:
        with h5py.File(self.folder / name) as f:
            token = f["parts"].attrs["token"].decode()
            return [f"checkpoint.{token}.part{i}.h5" for i in range(len(f["parts/particles"]))]

    def flip(self, path: Path) -> None:
        bits = bytearray(path.read_bytes())
        bits[len(bits) // 2] ^= 4
        path.write_bytes(bits)

    def stopped(self, ranks: int = 3) -> tuple[str, dict]:
        """A run of 200 steps that was made as one of 120 steps on these ranks, and what the longer run gives."""
        text = flow(200, EVERY)
        expected = self.reference(text)
        self.on_ranks(ranks, "run", self.write_input(flow(120, EVERY)), "--quiet")
        return self.write_input(text), expected

    def test_hold_each_particle_once_and_the_last_two_are_kept(self):
        name, expected = self.stopped()
        both = self.named() + self.named("out/checkpoint.previous.h5")
        self.assertEqual(len(set(both)), 6)
        self.assertEqual({path.name for path in self.parts()}, set(both))
        ids = []
        for part in self.named():
            with h5py.File(self.folder / "out" / part) as f:
                ids += list(f["particles/id"])
                self.assertEqual(f["particles/position"].shape, (len(f["particles/id"]), 3))
        self.assertEqual(sorted(ids), list(range(len(ids))))
        with h5py.File(self.folder / "out/checkpoint.h5") as f:
            self.assertEqual(f["run"].attrs["particles"], len(ids))
            self.assertNotIn("particles", f)
        self.assertRegex(self.mpcflow("info", "out/checkpoint.h5").stdout, r"parts +3\n")
        self.assertRegex(self.mpcflow("info", f"out/{self.named()[1]}").stdout, "part of a checkpoint")
        self.assertRegex(self.mpcflow("verify", "out").stdout, "checkpoint.h5 +whole: step .*in 3 parts, .*all whole")
        self.mpcflow("verify", f"out/{self.named()[2]}")
        self.check_forged()
        left = self.folder / "out/checkpoint.7-00c0ffee.part1.h5"  # of a checkpoint that was never done
        left.write_bytes(b"half")
        self.assertIn("left by a run that was killed", self.mpcflow("verify", "out").stdout)
        self.assertIn(f"removed {left.name}", self.mpcflow("verify", "--repair", "out").stdout)
        left.write_bytes(b"half")
        self.mpcflow("run", name, "--quiet")  # on one process: checkpoints without parts
        self.check_same(self.results("out"), expected)
        self.assertEqual(self.parts(), [])

    def check_forged(self) -> None:
        """Files that are whole, and hold what mpcflow never wrote, are refused; no fault of the program."""
        part = self.folder / "forged.h5"
        shutil.copy(self.folder / "out" / self.named()[1], part)
        with forged(part) as f:
            del f["particles/id"]
            f["particles/id"] = 7
        self.assertIn("is a single number, where rows should be", self.mpcflow("info", "forged.h5", status=3).stderr)
        for name, value in (("particles", 7), ("particles", [-1, 2, 3]), ("bytes", [[1]]), ("checksum", [1.5])):
            with self.subTest(name=name, value=value):
                shutil.copytree(self.folder / "out", self.folder / "forged")
                with forged(self.folder / "forged/checkpoint.h5") as f:
                    del f[f"parts/{name}"]
                    f[f"parts/{name}"] = value
                done = self.mpcflow("run", "flow.yaml", "--output", "forged", "--quiet", status=None)
                self.assertIn(done.returncode, (0, 3), done.stderr)  # from the one before, or not at all
                self.assertNotIn("a fault of the program", done.stderr)
                shutil.rmtree(self.folder / "forged")

    def test_a_part_that_is_damaged_or_missing_is_passed_over_with_its_checkpoint(self):
        name, expected = self.stopped()
        shutil.copytree(self.folder / "out", self.folder / "kept")
        for harm, said in ((self.flip, "its checksum is wrong"), (Path.unlink, "no such file"),
                           (lambda path: shutil.copy(self.folder / "kept" / self.named("kept/checkpoint.previous.h5")[1], path),
                            "the part of another checkpoint")):
            with self.subTest(said):
                shutil.rmtree(self.folder / "out")
                shutil.copytree(self.folder / "kept", self.folder / "out")
                harm(self.folder / "out" / self.named()[1])
                verified = self.mpcflow("verify", "out", "--json", status=3)
                found = {file["name"]: file for file in json.loads(verified.stdout)["files"]}
                self.assertEqual(found["checkpoint.h5"]["condition"], "damaged")
                self.assertIn(said, found["checkpoint.h5"]["why"])
                self.assertEqual(found["checkpoint.previous.h5"]["condition"], "whole")
                done = self.on_ranks(2, "run", name)
                self.assertIn(said, done.stderr)
                self.assertIn("going on from out/checkpoint.previous.h5", done.stderr)
                self.check_same(self.results("out"), expected)

    def test_from_another_directory(self):
        name, _ = self.stopped()
        self.on_ranks(2, "run", name, "--quiet", "--restart", "out/checkpoint.h5", "--output", "elsewhere")
        with h5py.File(self.folder / "elsewhere/run.h5") as f, h5py.File(self.folder / "reference/run.h5") as g:
            self.assertEqual(f["run"].attrs["state_hash"], g["run"].attrs["state_hash"])

    def test_that_one_rank_cannot_write_leave_those_that_are_there(self):
        endless = input_text(steps=10**8, outputs="  series: {every: 10}\n") + "checkpoint: {every: 50}\n"
        name = self.write_input(endless)
        process = self.start_ranks(self.command(2, "run", name))
        self.wait_for("out/checkpoint.previous.h5")
        pids = self.ranks_of(process)
        resource.prlimit(pids[1], resource.RLIMIT_FSIZE, (20_000, resource.RLIM_INFINITY))  # its disk is full now
        time.sleep(1.0)
        # Of what no list names nothing may be left; while attempts fail it comes and goes.
        lists = ["checkpoint.h5", "checkpoint.previous.h5"]
        whole = [*lists, *(part for name_of_list in lists for part in self.named(f"out/{name_of_list}"))]
        before = {name_of_file: (self.folder / "out" / name_of_file).read_bytes() for name_of_file in whole}
        os.kill(pids[0], signal.SIGUSR1)
        _, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 3, err)
        self.check_all_gone(pids)
        messages = self.messages(err)
        self.assertEqual(len(messages), 1, err)
        self.assertRegex(messages[0], r"stopped by SIGUSR1 at step \d+; no checkpoint could be written: rank 1: out/checkpoint.*part1.h5")
        self.assertEqual({path.name: path.read_bytes() for path in (self.folder / "out").glob("checkpoint*")}, before)
        self.mpcflow("verify", "out")
        said = self.on_ranks(3, "run", name, "--max-wall-time", "2", status=85)
        self.assertIn("going on from out/checkpoint.h5", said.stderr)


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
"""`mpcflow verify`: what it says of files that are whole, damaged, mixed up or being written, and what --repair makes of them."""

from __future__ import annotations

import itertools
import json
import os
import random
import shutil
import signal
import struct
import subprocess
import time
import unittest
from pathlib import Path

import h5py
import numpy as np

from checksums import frame_checksum, seal, words_checksum
from faulty import Fault, preload_options
from program import MPCFLOW
from restarting import RestartTest, contents, flow

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


def everything(path: Path) -> dict[str, bytes]:
    """All numbers, texts and attributes of a file."""
    found = {}

    def collect(name: str, item: h5py.Group | h5py.Dataset) -> None:
        if isinstance(item, h5py.Dataset):
            found[name] = np.asarray(item[()]).tobytes()
        if isinstance(item, h5py.Dataset) and item.dims:
            found[f"{name}, axes"] = repr([[scale.name for scale in axis.values()] for axis in item.dims]).encode()
        for attribute in set(item.attrs) - {"DIMENSION_LIST", "REFERENCE_LIST"}:  # references differ from file to file
            found[f"{name}@{attribute}"] = np.asarray(item.attrs[attribute]).tobytes()

    with h5py.File(path) as f:
        for attribute in f.attrs:
            found[f"@{attribute}"] = np.asarray(f.attrs[attribute]).tobytes()
        f.visititems(collect)
    return found


class VerifyTest(RestartTest):
    def setUp(self) -> None:
        super().setUp()
        self.name = self.write_input(flow(STEPS, f"{{every: {EVERY}}}"))

    def run_whole(self, folder: str = "out", *more: str) -> Path:
        self.mpcflow("run", self.name, "--output", folder, "--quiet", "--threads", "1", *more)
        return self.folder / folder

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


class Whole(VerifyTest):
    def test_a_run_that_ended(self) -> None:
        out = self.run_whole()
        before = {path.name: (path.read_bytes(), path.stat().st_mtime_ns) for path in out.iterdir()}
        text = self.text("out", status=0)
        self.assertRegex(text, r"trajectory.h5 +whole: 18 frames, up to step 255\n")
        self.assertRegex(text, r"run.h5 +whole: step 260, completed\n")
        self.assertIn("the run is complete, with 260 steps\nevery file can be read with every tool\n", text)
        found = self.verify("out", status=0)
        self.assertEqual({file["name"] for file in found["files"]}, set(before))
        self.assertEqual({file["condition"] for file in found["files"]}, {"whole"})
        self.assertEqual(found["restart"], {"checkpoint": "checkpoint.h5", "step": 260})
        self.assertEqual(len({file["run_id"] for file in found["files"] if "run_id" in file}), 1)
        self.assertFalse(found["being_written"])
        for name in before:
            self.assertEqual(self.verify(out / name, status=0)["files"][0]["name"], name)
        # Nothing is touched, by --repair neither.
        self.verify("out", "--repair", status=0)
        self.assertEqual(before, {path.name: (path.read_bytes(), path.stat().st_mtime_ns) for path in out.iterdir()})

    def test_files_of_the_format_before(self) -> None:
        out = self.run_whole()
        with h5py.File(out / "run.h5", "r+") as f:
            f.attrs["format_version"] = 1
            del f["run"].attrs["id"]
            f["run"].attrs.modify("status", np.bytes_(b"\x1b[31mred\xc2\x9b"))
        with h5py.File(out / "fields.h5", "r+") as f:
            f.attrs["format_version"] = 1
            del f.attrs["run_id"], f.attrs["header_checksum"], f["fields/checksum"]
        with h5py.File(out / "trajectory.h5", "r+") as f:
            own = f["parameters/mpcflow"]
            del own.attrs["run_id"], own.attrs["header_checksum"], own.attrs["format_version"], own["checksum"]
        with h5py.File(out / "checkpoint.h5", "r+") as f:
            f.attrs["format_version"] = 3
            del f["run"].attrs["id"]
        found = self.verify("out", status=0)
        for name in ("run.h5", "trajectory.h5", "fields.h5", "checkpoint.h5"):
            self.assertFalse(self.file(found, name)["has_checksums"], name)
        self.assertNotIn("restart", found)
        text = self.text("out", status=0)
        self.assertRegex(text, "trajectory.h5 +whole: 18 frames, up to step 255, has no checksums")
        self.assertIn("red", text)
        self.assertNotIn("\x1b", text)
        for name, shape in (("id", (18, 2160, 3)), ("position", (18, 2160)), ("velocity", ())):
            forged = self.folder / f"forged-{name}.h5"
            shutil.copy(out / "trajectory.h5", forged)
            with h5py.File(forged, "r+") as f:
                del f[f"particles/all/{name}/value"]
                f[f"particles/all/{name}/value"] = np.zeros(shape)
            self.assertIn("shape", self.verify(forged, status=3)["files"][0]["why"], name)
        # HDF5's own checksums of numbers are all that they have.
        flip(out / "trajectory.h5", place_of(out / "trajectory.h5", "particles/all/velocity/value", 4) + 80)
        self.assertEqual(self.file(self.verify("out", status=3), "trajectory.h5")["whole_rows"], 4)
        flip(out / "run.h5", place_of(out / "run.h5", "series/momentum", 0) + 80)
        self.assertEqual(self.file(self.verify("out", status=3), "run.h5")["condition"], "damaged")

    def test_a_frame_that_was_not_finished(self) -> None:
        out = self.run_whole()
        with h5py.File(out / "trajectory.h5", "r+") as f:
            f["particles/all/position/value"].resize(19, axis=0)
        self.assertIn("part of a frame", str(self.file(self.verify("out", status=0), "trajectory.h5")["remarks"]))

    def test_a_full_disk(self) -> None:
        disk = self.small_disk(10)
        self.mpcflow("run", self.name, "--output", "disk/out", "--quiet", "--set", "run.steps=3000", status=3)
        found = self.verify(disk / "out", status=0)
        self.assertEqual(self.file(found, "run.h5")["status"], "failed")
        self.assertIn("restart", found)


class Damaged(VerifyTest):
    def test_flipped_bits_anywhere(self) -> None:
        """Each is found, or in a place that means nothing."""
        out = self.run_whole()
        chance = random.Random(4)
        for name in ("run.h5", "checkpoint.h5", "checkpoint.previous.h5", "trajectory.h5", "fields.h5"):
            whole, original, found = everything(out / name), (out / name).read_bytes(), 0
            tries = 24 if name.endswith(("run.h5", "fields.h5", "trajectory.h5")) else 6
            for _ in range(tries):
                # Half of them near the beginning, where structure and texts lie.
                at = chance.randrange(len(original) if chance.random() < 0.5 else 20_000)
                flip(out / name, at, chance.randrange(8))
                done = self.mpcflow("verify", str(out / name), status=None)
                self.assertIn(done.returncode, (0, 3), f"{name} {at}: {done.stdout}{done.stderr}")
                if done.returncode == 0:
                    self.assertIn(name, ("trajectory.h5", "fields.h5"), f"{at}: its seal covers all")
                    try:
                        self.assertEqual(everything(out / name), whole, f"{name} {at}")
                    except RuntimeError as error:
                        # The last key of a chunk index's node, which means nothing to the HDF5 of the program, is looked at
                        # by later ones: they refuse the file, and say so.
                        self.assertIn("bad coordinate offset", str(error), f"{name} {at}")
                        self.assertGreater(h5py.version.hdf5_version_tuple, (1, 10, 99))
                found += done.returncode == 3
                (out / name).write_bytes(original)
            self.assertGreater(found, tries // 8, name)
        self.verify("out", status=0)

    def test_a_damaged_frame_is_cut_off(self) -> None:
        out = self.run_whole()
        expected = self.results("out")
        path = out / "trajectory.h5"
        flip(path, place_of(path, "particles/all/position/value", 7) + 100)
        text = self.text("out", status=3)
        self.assertRegex(text, r"trajectory.h5 +damaged: the numbers of step 105.*; can be used up to step 90 \(7 of 18 frames\)\n")
        self.assertIn("--repair cuts trajectory.h5 back to its first 7 frames, of 18", text)
        self.assertIn("it moves trajectory.h5 aside", text)
        found = self.verify("out", "--repair", status=3)  # the last checkpoint counts on more
        self.assertEqual(found["repaired"], ["cut trajectory.h5 back to its first 7 frames, of 18"])
        self.assertEqual(self.file(found, "trajectory.h5")["condition"], "whole")
        self.assertEqual(found["misfits"], ["checkpoint.h5 counts on 18 frames of trajectory.h5, which has 7"])
        self.verify(path, status=0)
        for name, value in contents(path).items():
            reference = expected[f"trajectory.h5:{name}"]
            rows = 7 if np.shape(reference)[:1] == (18,) else None
            self.assertEqual(np.asarray(value).tobytes(), np.asarray(reference[:rows] if rows else reference).tobytes(), name)
        self.assertFalse((out / "trajectory.h5.journal").exists())
        whole = path.read_bytes()
        self.assertEqual(self.verify("out", "--repair", status=3)["repaired"], [])
        self.assertEqual(path.read_bytes(), whole)
        # A longer run moves it aside, as was said, and all else goes on.
        self.mpcflow("run", self.name, "--output", "out", "--quiet", "--set", f"run.steps={STEPS + 60}")
        found = self.verify("out", status=0)
        self.assertIn("trajectory.damaged.h5", [file["name"] for file in found["files"]])

    def test_a_damaged_window_is_cut_off(self) -> None:
        out = self.run_whole()
        path = out / "fields.h5"
        with h5py.File(path) as f:
            rows = f["fields/density"].chunks[0]
        self.assertGreater(rows, 1)  # windows of few bins share a chunk, and fall with it
        with h5py.File(path, "r+") as f:
            f["fields/temperature"][5] += 1e-9
        found = self.verify("out", "--repair", status=3)
        self.assertEqual(found["repaired"], ["cut fields.h5 back to its first 5 windows, of 10"])
        self.verify(path, status=0)
        with h5py.File(path) as f:
            self.assertEqual({len(f["fields"][name]) for name in ("last_step", "checksum", "density", "velocity", "pressure_tensor")}, {5})

    def test_a_damaged_header_cannot_be_repaired(self) -> None:
        longer = f"run.steps={STEPS + 60}"
        self.run_whole("reference", "--set", longer)
        expected = self.results("reference")
        path = self.run_whole() / "trajectory.h5"
        flip(path, path.read_bytes().index(b"A small flow"), 0)
        text = self.text("out", "--repair", status=3)
        self.assertIn("what it says of itself is not what was written", text)
        self.assertIn("trajectory.h5 cannot be repaired", text)
        self.assertIn("there was nothing to repair", text)
        flip(self.folder / "out/run.h5", 4000)
        self.assertIn("run.h5 cannot be repaired: the restart writes it anew", self.text("out", status=3))
        self.mpcflow("run", self.name, "--output", "out", "--quiet", "--set", longer)
        self.check_same({name: value for name, value in self.results("out").items() if not name.startswith("trajectory")},
                        {name: value for name, value in expected.items() if not name.startswith("trajectory")})
        found = self.verify("out", status=3)
        aside = self.file(found, "trajectory.damaged.h5")
        self.assertEqual(aside["condition"], "damaged")
        self.assertIn("was moved aside", str(aside["remarks"]))
        os.remove(self.folder / "out/trajectory.damaged.h5")
        self.verify("out", status=0)

    def test_files_that_are_cut_short(self) -> None:
        out = self.run_whole()
        for name in ("run.h5", "checkpoint.h5", "trajectory.h5", "fields.h5", "fields.xdmf"):
            whole = (out / name).read_bytes()
            for length in (0, 5, 100, len(whole) // 2, len(whole) - 2):
                (out / name).write_bytes(whole[:length])
                found = self.verify("out", status=3)
                self.assertEqual(self.file(found, name)["condition"], "damaged", (name, length))
                self.verify("out", "--repair", status=3)
            (out / name).write_bytes(whole)
        self.verify("out", status=0)

    def test_a_bad_checkpoint_and_a_good_one_before_it(self) -> None:
        self.run_whole("reference")
        expected = self.results("reference")
        out = self.run_killed(12)
        flip(out / "checkpoint.h5", 30_000)
        text = self.text("out", "--repair", status=3)
        with h5py.File(out / "checkpoint.previous.h5") as f:
            step = f["run"].attrs["step"]
        self.assertIn(f"a restart goes on from checkpoint.previous.h5, step {step}\nit passes checkpoint.h5 over, and removes it\n", text)
        self.assertTrue((out / "checkpoint.h5").exists())
        flip(out / "checkpoint.previous.h5", 30_000)
        self.assertIn("a restart stops: no checkpoint is good", self.text("out", status=3))
        flip(out / "checkpoint.previous.h5", 30_000)
        if step <= STEPS:
            self.check_goes_on_to(expected)

    def test_a_checkpoint_that_is_sealed_but_forged(self) -> None:
        out = self.run_whole()
        with h5py.File(out / "checkpoint.h5", "r+") as f:
            f["particles/velocity"][3, 1] += 1e-9
        seal(out / "checkpoint.h5")
        found = self.verify("out", status=3)
        self.assertIn("do not have its state hash", self.file(found, "checkpoint.h5")["why"])
        self.assertIn("a restart stops: checkpoint.h5 cannot be used", str(found["conclusions"]))
        with h5py.File(out / "checkpoint.previous.h5", "r+") as f:
            f["run"].attrs["frames_checksum"] = np.uint64(1)
        seal(out / "checkpoint.previous.h5")
        os.remove(out / "checkpoint.h5")
        found = self.verify("out", status=3)
        self.assertIn("of trajectory.h5, which has others", found["misfits"][0])

    def test_a_state_hash_that_is_not_that_of_the_particles(self) -> None:
        out = self.run_whole()
        with h5py.File(out / "trajectory.h5", "r+") as f:
            own = f["parameters/mpcflow"]
            for row in range(len(own["checksum"])):
                self.assertEqual(frame_checksum(f, row), own["checksum"][row])  # as the document says
            own["state_hash"][3] += np.uint64(1)
            own["checksum"][3] = frame_checksum(f, 3)
        found = self.verify(out / "trajectory.h5", status=3)
        self.assertEqual(found["files"][0]["why"], "the particles of step 45 do not have its state hash")
        self.assertEqual(found["files"][0]["whole_rows"], 3)

    def test_what_xdmf_files_refer_to(self) -> None:
        out = self.run_whole()
        windows = (out / "fields_in_time.xdmf").read_text()
        (out / "fields_in_time.xdmf").write_text(windows.replace("fields/density|9 ", "fields/density|12 "))
        self.assertIn("lists 13 windows, but fields.h5 has 10", str(self.file(self.verify("out", status=0), "fields_in_time.xdmf")["remarks"]))
        text = (out / "fields.xdmf").read_text()
        for old, new, why in (("/fields/density<", "/fields/none<", "refers to run.h5:/fields/none, which is not there"),
                              ("run.h5:", "more.h5:", "refers to more.h5, which is not there"),
                              ("run.h5:", "../run.h5:", "refers to a file elsewhere, ../run.h5")):
            self.assertIn(old, text)
            (out / "fields.xdmf").write_text(text.replace(old, new))
            self.assertEqual(self.file(self.verify("out", status=3), "fields.xdmf")["why"], why)


class Mixed(VerifyTest):
    def test_files_of_two_runs(self) -> None:
        """Each file of another run of the same input is found."""
        self.run_whole("a")
        self.run_whole("b")
        for name in ("run.h5", "checkpoint.h5", "checkpoint.previous.h5", "trajectory.h5", "fields.h5"):
            shutil.copytree(self.folder / "a", self.folder / "mixed")
            shutil.copy(self.folder / "b" / name, self.folder / "mixed" / name)
            found = self.verify("mixed", status=3)
            self.assertEqual({file["condition"] for file in found["files"]}, {"whole"})
            self.assertIn(name, " ".join(found["misfits"]))
            self.assertIn("another run's", found["misfits"][0])
            shutil.rmtree(self.folder / "mixed")

    def test_files_in_each_others_places(self) -> None:
        out = self.run_whole()
        names = ("run.h5", "checkpoint.h5", "trajectory.h5", "fields.h5")
        for name, other in itertools.permutations(names, 2):
            whole = (out / name).read_bytes()
            shutil.copy(out / other, out / name)
            self.assertEqual(self.file(self.verify("out", status=3), name)["condition"], "damaged", (name, other))
            (out / name).write_bytes(whole)

    def test_an_older_run_file_of_another_state(self) -> None:
        out = self.run_whole()
        with h5py.File(out / "run.h5", "r+") as f:
            f["run"].attrs["state_hash"] = np.uint64(77)
        seal(out / "run.h5")
        self.assertEqual(self.verify("out", status=3)["misfits"], ["checkpoint.h5 and run.h5 have different state hashes at step 260"])

    def test_a_file_that_is_missing(self) -> None:
        out = self.run_whole()
        os.remove(out / "trajectory.h5")
        found = self.verify("out", status=3)
        self.assertEqual(found["misfits"], ["checkpoint.h5 counts on 18 frames of trajectory.h5, which is not there"])
        self.assertIn("a restart stops: put trajectory.h5 back", str(found["conclusions"]))
        self.assertNotIn("restart", found)

    def test_things_that_are_no_files(self) -> None:
        out = self.run_whole()
        os.mkfifo(self.folder / "pipe.h5")
        (self.folder / "link.h5").symlink_to(out / "trajectory.h5")
        (self.folder / "nowhere.h5").symlink_to("none.h5")
        (self.folder / "empty").mkdir()
        (self.folder / "notes.txt").write_text("trajectory\n")
        for name, message in (("pipe.h5", "this is a FIFO, not a file"), ("/dev/null", "this is a device, not a file"),
                              ("none.h5", "no such file or directory"), ("nowhere.h5", "no such file"),
                              ("empty", "holds no results of mpcflow"), ("notes.txt", "not a file that mpcflow wrote")):
            self.assertIn(message, self.mpcflow("verify", name, status=3).stderr)
        self.verify("link.h5", status=0)  # one that a user names is followed, one in a run's directory is not
        for make, message in ((os.mkfifo, "this is a FIFO"), (os.mkdir, "this is a directory"),
                              (lambda path: path.symlink_to("fields.h5"), "this is a link")):
            (out / "trajectory.h5").rename(self.folder / "kept.h5")
            make(out / "trajectory.h5")
            for options in ([], ["--repair"]):
                self.assertIn(message, self.file(self.verify("out", *options, status=3), "trajectory.h5")["why"])
            (out / "trajectory.h5").rmdir() if (out / "trajectory.h5").is_dir() else (out / "trajectory.h5").unlink()
            (self.folder / "kept.h5").rename(out / "trajectory.h5")
        self.verify("out", status=0)
        os.mkfifo(out / "trajectory.h5.journal")
        found = self.verify("out", "--repair", status=3)
        self.assertEqual(self.file(found, "trajectory.h5.journal")["why"], "this is a FIFO, not a file")
        self.assertIn("a restart stops", str(found["conclusions"]))


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
            if not found["whole"] or found["repaired"]:
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
        self.run_whole("reference", "--set", "run.steps=2400")
        expected = self.results("reference")
        process = self.start("run", self.name, "--quiet", "--threads", "1", "--set", "run.steps=2400")
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

#!/usr/bin/env python3
"""`mpcflow verify`: what it says of files that are whole, damaged or mixed up, and what --repair makes of them."""

from __future__ import annotations

import itertools
import os
import random
import shutil
import unittest

import h5py
import numpy as np

from checksums import frame_checksum, seal
from faulty import everything
from restarting import contents
from verifying import flip, place_of, STEPS, VerifyTest


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

    def test_a_checkpoint_of_a_forged_series(self) -> None:
        out = self.run_whole()
        with h5py.File(out / "checkpoint.h5", "r+") as f:
            f["observables/series/arrays/step"][1] = -1
        seal(out / "checkpoint.h5")
        found = self.verify("out", status=3)
        self.assertIn("rows that there cannot be", self.file(found, "checkpoint.h5")["why"])

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
        self.run_whole("b", anew=True)
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

    def test_an_older_run_file_beside_a_newer_checkpoint(self) -> None:
        out = self.run_whole()
        with h5py.File(out / "run.h5", "r+") as f:
            f.attrs["format_version"] = 1
            del f["run"].attrs["id"]
        found = self.verify("out", status=3)
        self.assertRegex(found["misfits"][0], r"^run.h5 is another run's \(of an earlier mpcflow\) than checkpoint.h5")
        self.assertNotIn("restart", found)
        longer = f"run.steps={STEPS + 60}"
        self.assertIn("another run's", self.mpcflow("run", self.name, "--output", "out", "--set", longer, status=3).stderr)

    def test_a_file_that_was_moved_aside_before_a_restart_was_interrupted(self) -> None:
        out = self.run_whole()
        (out / "trajectory.h5").rename(out / "trajectory.damaged.h5")
        found = self.verify("out", status=3)
        self.assertEqual(found["misfits"], ["checkpoint.h5 counts on 18 frames of trajectory.h5, which is not there"])
        self.assertEqual(found["restart"], {"checkpoint": "checkpoint.h5", "step": 260})
        self.assertIn("it goes on into a new trajectory.h5, as that is trajectory.damaged.h5 already", found["conclusions"])
        self.mpcflow("run", self.name, "--output", "out", "--quiet", "--set", f"run.steps={STEPS + 60}")
        self.verify("out", status=0)

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


if __name__ == "__main__":
    unittest.main()

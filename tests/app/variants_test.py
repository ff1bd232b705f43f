#!/usr/bin/env python3
"""Runs of other kinds than that of results_test.py, and what they leave and say."""

import json
import os
import re
import subprocess
import sys
import time
import unittest

import h5py
import numpy as np

from program import MPCFLOW, ProgramTest, input_text


def text(value) -> str:
    return value.decode() if isinstance(value, bytes) else str(value)


class Variants(ProgramTest):
    def test_info_shows_nothing_that_a_terminal_obeys(self):
        self.mpcflow("run", self.write_input(input_text(steps=20)), "--quiet")
        hostile = "\x1b[2J\x07 \u009b31m \u202e \x7f\nsecond"
        with h5py.File(self.folder / "out/run.h5", "r+") as f:
            f.attrs["title"] = np.bytes_(hostile.encode())
            f["run"].attrs["message"] = np.bytes_(hostile.encode() + b"\xff")
            del f["input/resolved"]
            f["input"].create_dataset("resolved", data=np.bytes_(hostile.encode()))
        name = "out/\x1b]0;x\x07.h5"
        os.rename(self.folder / "out/run.h5", self.folder / name)
        for options in ((), ("--json",)):
            done = self.mpcflow("info", name, *options, status=None)  # or it says that somebody wrote into the file
            shown = done.stdout + done.stderr
            for character in shown:
                self.assertFalse((ord(character) < 32 and character not in "\n\t") or 0x7F <= ord(character) < 0xA0
                                 or character == "\u202e", repr(shown))
            if done.returncode == 0 and options:
                self.assertEqual(json.loads(done.stdout)["title"], hostile)
            elif done.returncode == 0:
                self.assertIn("\nsecond", done.stdout)
                self.assertIn("\\x1B[2J\\x07 \\u009B31m \\u202E \\x7F", done.stdout)

    def test_quiet_and_minimal(self):
        name = self.write_input(input_text(outputs=""))
        done = self.mpcflow("run", name, "--quiet")
        self.assertEqual(done.stdout + done.stderr, "")
        with h5py.File(self.folder / "out/run.h5") as f:
            self.assertNotIn("series", f)
            self.assertNotIn("fields", f)
            self.assertEqual(text(f["run"].attrs["status"]), "completed")
        self.assertEqual(os.listdir(self.folder / "out"), ["run.h5"])

    def test_frames_of_a_region(self):
        everything = "  trajectory: {every: 8, quantities: [position, velocity]}\n"
        self.mpcflow("run", self.write_input(input_text(outputs=everything)), "--output", "everything")
        region = "region: {lower: [1, 0, 4.5], upper: [3.5, 6, 6]}"
        name = self.write_input(input_text(outputs=everything.replace("velocity]", f"velocity], {region}")))
        checked = self.mpcflow("check", name).stdout
        # 225 particles of 64 bytes in chunks that have room for some more.
        frame = float(re.search(r"16 frames of ([0-9.]+) KiB", checked).group(1))
        self.assertTrue(225 * 64 / 1024 < frame < 2 * 225 * 64 / 1024, checked)
        self.mpcflow("run", name, "--output", "part")
        with h5py.File(self.folder / "everything/trajectory.h5") as f, h5py.File(self.folder / "part/trajectory.h5") as g:
            self.assertEqual(list(g["particles"]), ["region"])
            whole, part = f["particles/all"], g["particles/region"]
            np.testing.assert_array_equal(part.attrs["lower"], [1, 0, 4.5])
            np.testing.assert_array_equal(part.attrs["upper"], [3.5, 6, 6])
            counts = g["parameters/mpcflow/particles"][()]
            self.assertEqual(len(counts), 16)
            self.assertGreater(len(set(counts)), 5)
            for element in ("position", "velocity", "image", "id"):
                self.assertEqual(part[element]["value"].shape[:2], (16, counts.max()))
                np.testing.assert_array_equal(part[element]["step"], 8 * np.arange(16))
            self.assertEqual(part["species"].shape, (counts.max(),))
            np.testing.assert_array_equal(part["mass"], np.ones(counts.max()))
            self.assertEqual(part["id/value"].fillvalue, -1, "H5MD: no particle has the fill value as its id")
            for frame, count in enumerate(counts):
                x = whole["position/value"][frame]
                ids = np.flatnonzero(((x >= [1, 0, 4.5]) & (x < [3.5, 6, 6.1])).all(axis=1))
                self.assertEqual(count, len(ids))
                np.testing.assert_array_equal(part["id/value"][frame, :count], ids)
                self.assertTrue((part["id/value"][frame, count:] == -1).all())
                self.assertTrue(np.isnan(part["position/value"][frame, count:]).all())
                for element in ("position", "velocity", "image"):
                    np.testing.assert_array_equal(part[element]["value"][frame, :count], whole[element]["value"][frame][ids])
            np.testing.assert_array_equal(f["parameters/mpcflow/state_hash"], g["parameters/mpcflow/state_hash"])
            self.assertIn(f"most particles        {counts.max()}", self.mpcflow("info", "part/trajectory.h5").stdout)

    def test_frames_of_every_nth_id_in_single_precision(self):
        everything = "  trajectory: {every: 8, quantities: [position, velocity]}\n"
        self.mpcflow("run", self.write_input(input_text(outputs=everything)), "--output", "everything")
        thinned = everything.replace("velocity]", "velocity], every_nth_id: 7, precision: single")
        name = self.write_input(input_text(outputs=thinned))
        checked = self.mpcflow("check", name).stdout
        # ceil(2160 / 7) particles of 40 bytes, and at most a page more in each of four chunks.
        frame = float(re.search(r"16 frames of ([0-9.]+) KiB", checked).group(1))
        self.assertTrue(309 * 40 / 1024 < frame < 309 * 40 / 1024 + 4 * 4.2, checked)
        self.mpcflow("run", name, "--output", "part")
        with h5py.File(self.folder / "everything/trajectory.h5") as f, h5py.File(self.folder / "part/trajectory.h5") as g:
            self.assertEqual(list(g["particles"]), ["selection"])
            whole, part = f["particles/all"], g["particles/selection"]
            self.assertEqual(part.attrs["every_nth_id"], 7)
            for element in ("position", "velocity", "image", "id"):
                every = whole[element]["value"][:, ::7]
                self.assertEqual(part[element]["value"].shape, every.shape)
                np.testing.assert_array_equal(part[element]["value"][()], every.astype(part[element]["value"].dtype))
                self.assertEqual(part[element]["value"].dtype.itemsize, 4)
                np.testing.assert_array_equal(part[element]["step"], 8 * np.arange(16))
            self.assertEqual((part["species"].shape, part["mass"].shape), ((309,), (309,)))
            np.testing.assert_array_equal(f["parameters/mpcflow/state_hash"], g["parameters/mpcflow/state_hash"])
        told = self.mpcflow("info", "part/trajectory.h5").stdout
        self.assertRegex(told, r"particles +309\n")
        self.assertRegex(told, r"every nth id +7\n")
        both = thinned.replace("every_nth_id", "region: {lower: [0, 0, 0], upper: [6, 3, 6]}, every_nth_id")
        self.mpcflow("run", self.write_input(input_text(outputs=both)), "--output", "both")
        with h5py.File(self.folder / "everything/trajectory.h5") as f, h5py.File(self.folder / "both/trajectory.h5") as g:
            part, counts = g["particles/region"], g["parameters/mpcflow/particles"][()]
            self.assertEqual(part.attrs["every_nth_id"], 7)
            for frame, count in enumerate(counts):
                ids = 7 * np.flatnonzero(f["particles/all/position/value"][frame, ::7, 1] < 3)
                np.testing.assert_array_equal(part["id/value"][frame, :count], ids)
                np.testing.assert_array_equal(part["position/value"][frame, :count],
                                              f["particles/all/position/value"][frame][ids].astype(np.float32))

    def test_steps_with_a_fast_particle_are_told(self):
        name = self.write_input(input_text(outputs="  series: {every: 1}"))
        # 2160 particles; the mean free path is half a cell, so 2 thermal speeds are enough.
        ordinary = self.mpcflow("run", name, "--set", "collision.time_step=0.5", "--output", "long_steps").stdout
        self.assertRegex(ordinary, r"fast steps   120 of 120 .*explains \(120 expected\); .*results are right\n")
        # At the usual step it takes ten, which a strong force gives and the thermostat takes.
        driven = self.mpcflow("run", name, "--set", "forces=[{uniform: [1.5, 0, 0]}]", "--set", "boundaries.z=periodic",
                              "--set", "run.equilibration=0", "--output", "driven").stdout
        self.assertRegex(driven, r"fast steps   \d+ of 100 .*does not explain .*driven or heated too strongly\?\n")
        with h5py.File(self.folder / "driven/run.h5") as f:
            fast = f["series/maximum_speed"][1:] * 0.1 > 1.0
            self.assertEqual(f["run"].attrs["fast_steps"], fast.sum())
            self.assertTrue(0 < fast.sum() < 100)
        self.assertIn("maximum speed", self.mpcflow("info", "driven/run.h5").stdout)

    def test_auto_says_what_it_took_and_why(self):
        name = self.write_input(input_text(outputs=""))
        automatic = json.loads(self.mpcflow("devices", "--json").stdout)["auto"]
        log = self.mpcflow("run", name, "--device", "auto").stderr
        self.assertIn("on CPU" if automatic == "cpu" else "CUDA device", log)
        with h5py.File(self.folder / "out/run.h5") as f:
            reason = text(f["machine"].attrs["device_reason"])
            self.assertIn(reason, log)
            self.assertIn("device: auto", text(f["input/resolved"][()]))

    def test_a_simulation_that_fails(self):
        # A force that makes particles faster than the sums' grids allow.
        name = self.write_input(input_text(outputs="  series: {every: 1}"))
        done = self.mpcflow("run", name, "--set", "forces=[{uniform: [50, 0, 0]}]", status=1)
        self.assertIn("the simulation failed", done.stderr)
        with h5py.File(self.folder / "out/run.h5") as f:
            self.assertEqual(text(f["run"].attrs["status"]), "failed")
            self.assertTrue(text(f["run"].attrs["message"]))
            self.assertNotIn("state_hash", f["run"].attrs)

    def test_mixed_precision_and_single_quantities(self):
        name = self.write_input(input_text(outputs="""\
  trajectory: {every: 60, quantities: [velocity]}
  fields: {every: 10, quantities: [density], bins: [6, 6, 6]}
"""))
        self.mpcflow("run", name, "--set", "execution.precision=mixed")
        with h5py.File(self.folder / "out/trajectory.h5") as f:
            self.assertEqual(f["particles/all/velocity/value"].dtype, np.float32)
            self.assertNotIn("position", f["particles/all"])
            self.assertEqual(list(f["particles/all/velocity/step"]), [0, 60, 120])
        with h5py.File(self.folder / "out/run.h5") as f:
            self.assertEqual(f["fields/density"].shape, (6, 6, 6))
            self.assertNotIn("velocity", f["fields"])
            np.testing.assert_allclose(f["fields/density"][()].mean(), 10.0)

    def test_the_bits_do_not_depend_on_outputs_or_threads(self):
        hashes = set()
        variants = [("", "cpu", "1"), ("  series: {every: 1}", "cpu", "2"), ("  trajectory: {every: 7}", "cpu", "1")]
        devices = json.loads(self.mpcflow("devices", "--json").stdout)
        if devices["cuda"]:
            variants.append(("  series: {every: 3}", "cuda", "1"))
        for i, (outputs, device, threads) in enumerate(variants):
            name = self.write_input(input_text(outputs=outputs))
            self.mpcflow("run", name, "--device", device, "--threads", threads, "--output", f"out{i}")
            with h5py.File(self.folder / f"out{i}/run.h5") as f:
                hashes.add(int(f["run"].attrs["state_hash"]))
        self.assertEqual(len(hashes), 1)

    def test_odd_names_of_folders(self):
        name = self.write_input(input_text(outputs=""))
        for folder in ("with space", "colon: here", "hash #1", 'quote"d', "deep/er/still", "123", "true", "null"):
            self.mpcflow("run", name, "--output", folder)
            self.assertTrue((self.folder / folder / "run.h5").is_file(), folder)
        # Not folded into "two lines", as YAML does.
        told = self.mpcflow("run", name, "--output", "two\nlines", status=2)
        self.assertIn("more than one line", told.stderr)

    def test_foreign_and_damaged_files(self):
        name = self.write_input()
        self.mpcflow("run", name, "--quiet")
        whole = (self.folder / "out/run.h5").read_bytes()
        (self.folder / "cut.h5").write_bytes(whole[: len(whole) // 2])
        (self.folder / "text.h5").write_text("no HDF5 at all")
        (self.folder / "empty.h5").write_bytes(b"")
        with h5py.File(self.folder / "foreign.h5", "w") as f:
            f["x"] = np.arange(3)
        with h5py.File(self.folder / "other_h5md.h5", "w") as f:
            f.create_group("h5md/creator").attrs["name"] = "another"
        with h5py.File(self.folder / "hollow.h5", "w") as f:
            f.attrs["format"] = np.bytes_("mpcflow run")
        (self.folder / "later.h5").write_bytes(whole)
        with h5py.File(self.folder / "later.h5", "r+") as f:
            f.attrs["format_version"] = 99
        for file, words in (("missing.h5", "no such file"), ("text.h5", "not an HDF5 file"), ("empty.h5", "empty"),
                            ("cut.h5", "cut short"), ("foreign.h5", "not one that mpcflow wrote"), (".", "directory"),
                            ("other_h5md.h5", "not one that mpcflow wrote"), ("hollow.h5", "format_version"),
                            ("later.h5", "format 99")):
            done = self.mpcflow("info", file, status=3)
            self.assertIn(words, done.stderr, file)
            self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
            self.assertNotIn("HDF5-DIAG", done.stderr)

    def test_reading_while_the_run_goes_on(self):
        name = self.write_input(input_text(steps=10**8, outputs="  trajectory: {every: 200}\n  series: {every: 20}"))
        process = self.start("run", name, stderr=subprocess.DEVNULL)
        path = self.folder / "out/trajectory.h5"
        # Another process, so that it sees what is on the disk, with HDF5's file locking as it is by default.
        # What the run adds after the file was opened may lie beyond the end that the reader knows, or be
        # half written while it reads: it opens the file again.
        reader = """
import h5py, numpy as np, sys
for attempt in range(10):
    try:
        with h5py.File(sys.argv[1]) as f:
            n = len(f["particles/all/position/step"])
            x = f["particles/all/position/value"][:n]
            steps = f["particles/all/position/step"][:n]
        break
    except OSError:
        if attempt == 9:
            raise
assert np.isfinite(x).all() and (x[1:] != x[:-1]).any(axis=(1, 2)).all()
assert (steps == 200 * np.arange(n)).all()
print(n, h5py.File(sys.argv[2])["run"].attrs["status"].decode())
"""
        lengths = []
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline and (len(set(lengths)) < 3):
            if path.exists():
                seen = subprocess.run([sys.executable, "-c", reader, path, self.folder / "out/run.h5"],
                                      capture_output=True, text=True)
                self.assertEqual(seen.returncode, 0, seen.stderr)
                count, status = seen.stdout.split()
                self.assertEqual(status, "running")
                lengths.append(int(count))
        self.assertEqual(lengths, sorted(lengths))
        self.assertGreaterEqual(len(set(lengths)), 3, "the file grows under the reader's eyes")
        # No second run may write to the same place meanwhile.
        done = subprocess.run([MPCFLOW, "run", name, "--overwrite"], cwd=self.folder, capture_output=True, text=True)
        self.assertEqual(done.returncode, 3)
        self.assertIn("another run", done.stderr)
        process.terminate()
        self.assertEqual(process.wait(timeout=30), 85)


if __name__ == "__main__":
    unittest.main()

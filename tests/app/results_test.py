"""Result files: what is in them, read with h5py as a user would."""

import json
import os
import re
import subprocess
import sys
import time
import unittest
import xml.etree.ElementTree

import h5py
import numpy as np

from program import MPCFLOW, ProgramTest, input_text


def text(value) -> str:
    return value.decode() if isinstance(value, bytes) else str(value)


class Results(ProgramTest):
    """One run with all outputs, and what its files say."""

    def setUp(self):
        super().setUp()
        self.name = self.write_input()
        self.summary = self.mpcflow("run", self.name, "--threads", "2", "--set", "seed=5").stdout
        self.run_file = h5py.File(self.folder / "out/run.h5")
        self.trajectory = h5py.File(self.folder / "out/trajectory.h5")
        self.addCleanup(self.run_file.close)
        self.addCleanup(self.trajectory.close)

    def test_summary(self):
        for what in ("steps        120\n", "wall time", "particle updates", "state hash", "out/run.h5", "out/trajectory.h5"):
            self.assertIn(what, self.summary)
        self.assertEqual(self.files(), ["flow.yaml", "out", "out/fields.xdmf", "out/run.h5", "out/trajectory.h5"])

    def test_how_it_was_made(self):
        f = self.run_file
        self.assertEqual(text(f.attrs["title"]), "A small flow")
        self.assertEqual(text(f["input/given"][()]), input_text())
        self.assertEqual(text(f["input/overrides"][()]), "seed=5\nexecution.threads=2\n")
        self.assertIn("seed: 5", text(f["input/resolved"][()]))
        run = f["run"].attrs
        self.assertEqual(run["seed"], 5)
        self.assertEqual(text(run["precision"]), "double")
        self.assertEqual(text(run["status"]), "completed")
        self.assertEqual(run["steps_done"], 120)
        self.assertEqual(run["particles"], 2160)
        self.assertGreater(run["wall_time"], 0)
        self.assertRegex(text(run["start_time"]), r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$")
        self.assertIn(text(run["state_hash_hex"]), self.summary)
        self.assertEqual(f"{run['state_hash']:016x}", text(run["state_hash_hex"]))
        self.assertTrue(text(f["machine"].attrs["hostname"]))
        self.assertIn("CPU", text(f["machine"].attrs["device"]))
        self.assertTrue(text(f["program"].attrs["commit"]))
        self.assertAlmostEqual(f["theory"].attrs["predicted_viscosity"], 0.87, delta=0.01)

    def test_the_resolved_input_gives_the_same_run(self):
        (self.folder / "again.yaml").write_bytes(self.run_file["input/resolved"][()])
        self.mpcflow("run", "again.yaml", "--output", "again")
        with h5py.File(self.folder / "again/run.h5") as again:
            self.assertEqual(again["run"].attrs["state_hash"], self.run_file["run"].attrs["state_hash"])

    def test_series(self):
        series = self.run_file["series"]
        np.testing.assert_array_equal(series["step"], np.arange(0, 121, 5))
        np.testing.assert_allclose(series["time"], 0.1 * np.arange(0, 121, 5))
        self.assertEqual(series["momentum"].shape, (25, 3))
        # 4.5 sigma of sqrt(2 / 3N)
        np.testing.assert_allclose(series["temperature"], 1.0, atol=4.5 * np.sqrt(2 / (3 * 2160)) + 0.01)
        frames = dict(zip(self.trajectory["particles/all/velocity/step"], self.trajectory["particles/all/velocity/value"]))
        for step, energy, momentum in zip(series["step"], series["kinetic_energy"], series["momentum"]):
            if step in frames:
                np.testing.assert_allclose(0.5 * (frames[step] ** 2).sum(), energy, rtol=1e-12)
                np.testing.assert_allclose(frames[step].sum(axis=0), momentum, atol=1e-8)

    def test_series_of_extremes(self):
        series = self.run_file["series"]
        velocity = dict(zip(self.trajectory["particles/all/velocity/step"], self.trajectory["particles/all/velocity/value"]))
        compared = 0
        for step, speed in zip(series["step"], series["maximum_speed"]):
            if step in velocity:
                self.assertEqual(speed, np.sqrt((velocity[step] ** 2).sum(axis=1)).max())
                compared += 1
        self.assertGreater(compared, 3)
        least, most = series["minimum_occupancy"][()], series["maximum_occupancy"][()]
        self.assertEqual(least.dtype.kind, "i")
        # 10 particles a cell in 180 whole cells: Poisson beyond 4.5 sigma is 40 and -8.
        self.assertTrue(((0 <= least) & (least < 10) & (most > 10) & (most < 40)).all(), (least, most))
        self.assertEqual(self.run_file["run"].attrs["fast_steps"], 0)
        self.assertNotIn("fast steps", self.summary)

    def test_histograms_are_those_of_the_frames(self):
        histograms = self.run_file["histograms"]
        self.assertEqual(dict(histograms.attrs), {"every": 8, "samples": 12, "first_step": 28, "last_step": 116})
        speed, occupancy = histograms["speed"], histograms["occupancy"]
        edges = speed["edges"][()]
        np.testing.assert_allclose(edges[:-1], 0.25 * np.arange(21))
        self.assertEqual(edges[-1], np.inf)
        frames = dict(zip(self.trajectory["particles/all/velocity/step"], self.trajectory["particles/all/velocity/value"]))
        speeds = np.concatenate([np.sqrt((frames[step] ** 2).sum(axis=1)) for step in range(28, 117, 8)])
        np.testing.assert_array_equal(speed["counts"], np.histogram(speeds, edges)[0])
        self.assertEqual(speed["counts"].dtype, np.uint64)
        self.assertAlmostEqual(speed["expected"][()].sum(), 12 * 2160, places=6)
        # Between the walls there are five whole layers of 36 cells.
        np.testing.assert_array_equal(occupancy["particles"], np.arange(45))
        self.assertEqual(occupancy["counts"][()].sum(), 12 * 5 * 36)
        self.assertAlmostEqual(occupancy["expected"][()].sum(), 12 * 5 * 36, places=6)
        self.assertEqual(occupancy.attrs["mean"], 10.0)
        mean = (occupancy["particles"][()] * occupancy["counts"][()]).sum() / occupancy["counts"][()].sum()
        self.assertAlmostEqual(mean, 10.0, delta=0.5)
        self.assertIn("histograms of 12 samples", self.summary)
        self.assertEqual(json.loads(self.mpcflow("info", "out/run.h5", "--json").stdout)["histograms_samples"], 12)

    def test_modes_are_those_of_the_frames(self):
        modes = self.run_file["modes"]
        box = self.run_file["run"].attrs["box"]
        self.assertEqual(modes.attrs["samples"], 50)
        # Walls normal to z: waves along x and y.
        expected = np.zeros((4, 3))
        expected[[0, 1], 0] = 2 * np.pi * np.arange(1, 3) / box[0]
        expected[[2, 3], 1] = 2 * np.pi * np.arange(1, 3) / box[1]
        np.testing.assert_allclose(modes["wave_vector"], expected)
        np.testing.assert_array_equal(modes["lag"][:25], np.arange(0, 50, 2))
        np.testing.assert_allclose(modes["time"], 0.1 * modes["lag"][()])
        # Every second sample is that of a frame: the frames' own correlation at lag 0 is close, and of all samples exact.
        self.mpcflow("run", self.name, "--set", "seed=5", "--set", "output.trajectory.every=2", "--output", "frames", "--quiet")
        with h5py.File(self.folder / "frames/trajectory.h5") as trajectory:
            step = trajectory["particles/all/position/step"][()]
            x = trajectory["particles/all/position/value"][step > 20]
            v = trajectory["particles/all/velocity/value"][step > 20]
        for wave, k in enumerate(expected):
            u = np.einsum("tnc,tn->tc", v, np.exp(-1j * (x @ k))) / x.shape[1]
            axis = int(np.argmax(k))
            across = [i for i in range(3) if i != axis]
            for lag in (0, 1, 7):
                product = np.real(np.conj(u[: len(u) - lag]) * u[lag:]).mean(axis=0)
                # Rounded velocities and waves: 1e-7 of amplitudes of 2e-2.
                np.testing.assert_allclose(modes["transverse"][wave, lag], product[across].mean(), atol=1e-8)
                np.testing.assert_allclose(modes["longitudinal"][wave, lag], product[axis], atol=1e-8)
        self.assertIn("modes of 50 samples", self.summary)

    def test_structure_factor_is_that_of_the_frames(self):
        output = "  trajectory: {every: 5, quantities: [position]}\n  structure_factor: {every: 5, count: 2}\n"
        self.write_input(input_text(outputs=output), "structure.yaml")
        summary = self.mpcflow("run", "structure.yaml", "--output", "structure").stdout
        self.assertIn("structure factor of 20 samples", summary)
        with h5py.File(self.folder / "structure/run.h5") as file, h5py.File(self.folder / "structure/trajectory.h5") as trajectory:
            group = file["structure_factor"]
            x = trajectory["particles/all/position/value"][trajectory["particles/all/position/step"][()] > 20]
            self.assertEqual(group["wave_vector"].shape, (4, 3))  # walls normal to z
            for wave, k in enumerate(group["wave_vector"][()]):
                rho = np.exp(-1j * (x @ k)).sum(axis=1)
                # Rounded waves: 1e-4 of amplitudes of 46, in a mean of 20.
                self.assertAlmostEqual(group["S"][wave], (np.abs(rho) ** 2).mean() / x.shape[1], delta=1e-5)
                self.assertAlmostEqual(group["correlation"][wave, 3], np.real(np.conj(rho[:-3]) * rho[3:]).mean() / x.shape[1], delta=1e-5)
            np.testing.assert_array_equal(group["lag"][:4], [0, 5, 10, 15])
            np.testing.assert_array_equal(group["expected_S"], np.ones(4))

    def test_every_dataset_says_what_it_is(self):
        def check(name, item):
            if isinstance(item, h5py.Dataset):
                self.assertIn("description", item.attrs, name)
                if item.dtype.kind in "fiu":
                    self.assertIn("unit", item.attrs, name)
        self.run_file.visititems(check)

    def test_fields_are_the_averages_of_the_frames(self):
        fields = self.run_file["fields"]
        self.assertEqual(list(fields.attrs["bins"]), [1, 2, 3])
        self.assertEqual(fields.attrs["samples"], 25)
        self.assertEqual(fields.attrs["first_step"], 24)
        self.assertEqual(fields.attrs["last_step"], 120)
        np.testing.assert_allclose(fields["z_edges"], [0, 2, 4, 6])
        np.testing.assert_allclose(fields["y_centres"], [1.5, 4.5])
        self.assertEqual(fields["density"].shape, (3, 2, 1))
        self.assertEqual(fields["velocity"].shape, (3, 2, 1, 3))

        count, momentum, energy, freedoms = [], [], [], []
        all_particles = self.trajectory["particles/all"]
        for step, x, v in zip(all_particles["position/step"], all_particles["position/value"],
                              all_particles["velocity/value"]):
            if step <= 20:
                continue
            index = np.ravel_multi_index(((x[:, 2] // 2).astype(int), (x[:, 1] // 3).astype(int)), (3, 2))
            n = np.bincount(index, minlength=6)
            p = np.stack([np.bincount(index, v[:, axis], 6) for axis in range(3)], axis=1)
            count.append(n)
            momentum.append(p)
            energy.append(np.bincount(index, (v ** 2).sum(axis=1), 6) - (p ** 2).sum(axis=1) / n)
            freedoms.append(3 * (n - 1))
        count, momentum, energy, freedoms = map(np.array, (count, momentum, energy, freedoms))
        samples = len(count)

        def error(numerator, denominator):
            ratio = numerator.sum(axis=0) / denominator.sum(axis=0)
            squares = ((numerator - ratio * denominator) ** 2).sum(axis=0)
            return np.sqrt(samples / (samples - 1) * squares) / denominator.sum(axis=0)

        volume = 6 * 3 * 2
        np.testing.assert_allclose(fields["density"][()].ravel(), count.mean(axis=0) / volume)
        np.testing.assert_allclose(fields["velocity"][()].reshape(6, 3),
                                   momentum.sum(axis=0) / count.sum(axis=0)[:, None], atol=1e-9)
        np.testing.assert_allclose(fields["temperature"][()].ravel(), energy.sum(axis=0) / freedoms.sum(axis=0), rtol=1e-9)
        # 25 samples are 25 blocks of one.
        self.assertEqual(fields.attrs["blocks"], 25)
        np.testing.assert_allclose(fields["density_error"][()].ravel(), count.std(axis=0, ddof=1) / np.sqrt(samples) / volume)
        np.testing.assert_allclose(fields["velocity_error"][()].reshape(6, 3), error(momentum, count[:, :, None]), rtol=1e-7)
        np.testing.assert_allclose(fields["temperature_error"][()].ravel(), error(energy, freedoms), rtol=1e-7)

    def test_trajectory_is_h5md(self):
        f = self.trajectory
        np.testing.assert_array_equal(f["h5md"].attrs["version"], [1, 1])
        self.assertTrue(text(f["h5md/author"].attrs["name"]))
        self.assertEqual(text(f["h5md/creator"].attrs["name"]), "mpcflow")
        self.assertIn("version", f["h5md/creator"].attrs)
        everything = f["particles/all"]
        self.assertEqual(everything["box"].attrs["dimension"], 3)
        self.assertEqual([text(b) for b in everything["box"].attrs["boundary"]], ["periodic", "periodic", "none"])
        frames = 31
        np.testing.assert_array_equal(everything["box/edges/value"], np.broadcast_to(np.diag([6.0] * 3), (frames, 3, 3)))
        for name, shape, kind in (("position", (frames, 2160, 3), "f"), ("velocity", (frames, 2160, 3), "f"),
                                  ("image", (frames, 2160, 3), "i"), ("id", (frames, 2160), "i")):
            element = everything[name]
            self.assertEqual(element["value"].shape, shape)
            self.assertEqual(element["value"].dtype.kind, kind)
            np.testing.assert_array_equal(element["step"], np.arange(0, 121, 4))
            np.testing.assert_allclose(element["time"], 0.1 * np.arange(0, 121, 4))
            self.assertEqual(element["step"], everything["box/edges/step"], "hard links to one dataset")
        np.testing.assert_array_equal(everything["id/value"][5], np.arange(2160))
        np.testing.assert_array_equal(everything["species"], np.zeros(2160))
        np.testing.assert_array_equal(everything["mass"], np.ones(2160))
        position = everything["position/value"][()]
        self.assertTrue(((position >= 0) & (position < 6)).all())
        self.assertEqual(f["parameters/mpcflow/state_hash"][-1], self.run_file["run"].attrs["state_hash"])
        self.assertEqual(f["parameters/mpcflow/input"][()], self.run_file["input/resolved"][()])

    def test_images_unwrap(self):
        everything = self.trajectory["particles/all"]
        unwrapped = everything["position/value"][()] + 6.0 * everything["image/value"][()]
        # In 4 steps of 0.1 nobody gets far: 8 thermal speeds.
        self.assertLess(np.abs(np.diff(unwrapped, axis=0)).max(), 8 * 0.4)
        self.assertTrue((everything["image/value"][()][:, :, 2] == 0).all(), "walls are not crossed")

    def test_checksums_and_chunks(self):
        for dataset in (self.run_file["series/step"], self.run_file["fields/velocity"],
                        self.trajectory["particles/all/position/value"], self.trajectory["particles/all/image/step"]):
            self.assertTrue(dataset.fletcher32, dataset.name)
            self.assertIsNone(dataset.compression)
            self.assertLessEqual(np.prod(dataset.chunks) * dataset.dtype.itemsize, 1 << 20)

    def test_axes_have_names(self):
        """Every one, as xarray wants it."""
        names = {name: [axis[0].name for axis in dataset.dims if len(axis)] for group in ("series", "fields")
                 for name, dataset in self.run_file[group].items() if dataset.attrs.get("CLASS") != b"DIMENSION_SCALE"}
        places = [f"/fields/{axis}_centres" for axis in "zyx"]
        self.assertEqual(names, {
            **{name: ["/series/time"] for name in self.run_file["series"] if name not in ("time", "momentum")},
            "momentum": ["/series/time", "/component"],
            **{name + error: places + components for error in ("", "_error") for name, components in
               (("density", []), ("temperature", []), ("velocity", ["/component"]), ("pressure_tensor", ["/a", "/b"]))}})
        self.assertEqual(self.run_file["component"][:].tolist(), [0, 1, 2])

    def test_info(self):
        for file in ("run.h5", "trajectory.h5"):
            shown = self.mpcflow("info", f"out/{file}").stdout
            report = json.loads(self.mpcflow("info", f"out/{file}", "--json").stdout)
            self.assertEqual(report["state_hash"], text(self.run_file["run"].attrs["state_hash_hex"]))
            self.assertIn(report["state_hash"], shown)
            self.assertEqual(report["particles"], 2160)
            self.assertEqual(report["seed"], 5)
            self.assertIn("seed: 5", report["resolved_input"])
        self.assertEqual(self.mpcflow("info", "out").stdout, self.mpcflow("info", "out/run.h5").stdout)
        (self.folder / "empty").mkdir()
        self.assertIn("empty: this directory has no run.h5", self.mpcflow("info", "empty", status=3).stderr)

    def test_xdmf_describes_the_fields_that_are_there(self):
        grid = xml.etree.ElementTree.parse(self.folder / "out/fields.xdmf").find("Domain/Grid")
        origin, spacing = ([float(number) for number in item.text.split()] for item in grid.findall("Geometry/DataItem"))
        self.assertEqual(origin, [0, 0, 0])
        # z y x, as the arrays are.
        for number, axis, points in zip(spacing, "zyx", grid.find("Topology").get("Dimensions").split()):
            edges = self.run_file[f"fields/{axis}_edges"][:]
            self.assertEqual(len(edges), int(points))
            np.testing.assert_allclose(np.diff(edges), number)
        found = {}
        for attribute in grid.findall("Attribute"):
            item = attribute.find("DataItem")
            file, dataset = item.text.split(":")
            self.assertEqual(file, "run.h5")
            found[attribute.get("Name")] = dataset
            shape = self.run_file[dataset].shape
            # The two axes of a tensor are one to readers.
            self.assertEqual(tuple(map(int, item.get("Dimensions").split())), (*shape[:3], 9) if len(shape) == 5 else shape)
            self.assertEqual(attribute.get("AttributeType"), {3: "Scalar", 4: "Vector", 5: "Tensor"}[len(shape)])
        self.assertEqual(found, {name: f"/fields/{name}" for quantity in ("density", "velocity", "temperature", "pressure_tensor")
                                 for name in (quantity, quantity + "_error")})

    def test_results_are_not_overwritten_unless_asked(self):
        before = {name: (self.folder / "out" / name).read_bytes() for name in ("run.h5", "trajectory.h5")}
        done = self.mpcflow("run", self.name, status=3)
        self.assertIn("--overwrite", done.stderr)
        for name, content in before.items():
            self.assertEqual((self.folder / "out" / name).read_bytes(), content)
        (self.folder / "out/notes.txt").write_text("mine")
        short = self.write_input(input_text(steps=10, outputs="  series: {every: 10}"), "short.yaml")
        self.mpcflow("run", short, "--overwrite")
        self.assertEqual(sorted(os.listdir(self.folder / "out")), ["notes.txt", "run.h5"],
                         "what the new run does not write is gone, what is not ours stays")


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

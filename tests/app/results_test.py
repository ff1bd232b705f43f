"""Result files: what is in them, read with h5py as a user would."""

import json
import os
import shutil
import sys
import unittest
import xml.etree.ElementTree
from pathlib import Path

import h5py
import numpy as np

from program import ProgramTest, input_text

sys.path.append(str(Path(__file__).resolve().parents[2] / "tools"))

from mpcflow_tools.estimates import variance_of_sum


def text(value) -> str:
    return value.decode() if isinstance(value, bytes) else str(value)


class Results(ProgramTest):
    """One run with all outputs, and what its files say. Each test has a copy of them."""

    name = "flow.yaml"

    @classmethod
    def setUpClass(cls):
        cls.made, cls.summary = cls.run_once(input_text(), "--threads", "2", "--set", "seed=5")

    def setUp(self):
        super().setUp()
        shutil.copytree(self.made, self.folder, dirs_exist_ok=True)
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
        summary = self.mpcflow("run", "structure.yaml", "--threads", "2", "--output", "structure").stdout
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

        def error(numerator, denominator):
            ratio = numerator.sum(axis=0) / denominator.sum(axis=0)
            variances = np.apply_along_axis(variance_of_sum, 0, numerator - ratio * denominator)
            return np.sqrt(variances) / denominator.sum(axis=0)

        volume = 6 * 3 * 2
        np.testing.assert_allclose(fields["density"][()].ravel(), count.mean(axis=0) / volume)
        np.testing.assert_allclose(fields["velocity"][()].reshape(6, 3),
                                   momentum.sum(axis=0) / count.sum(axis=0)[:, None], atol=1e-9)
        np.testing.assert_allclose(fields["temperature"][()].ravel(), energy.sum(axis=0) / freedoms.sum(axis=0), rtol=1e-9)
        # 25 samples are 25 blocks of one.
        self.assertEqual(fields.attrs["blocks"], 25)
        np.testing.assert_allclose(fields["density_error"][()].ravel(), error(count, np.full_like(count, volume)), rtol=1e-7)
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


if __name__ == "__main__":
    unittest.main()

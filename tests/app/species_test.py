#!/usr/bin/env python3
"""Mixtures from end to end: what files tell of each species, and restarts to the bit."""

from __future__ import annotations

import json
import shutil
import unittest

import h5py
import numpy as np

from restarting import OUTPUTS, RestartTest, flow

FLUID = "{temperature: 1.5, species: [{name: light, mass: 2, density: 6}, {name: heavy-1, mass: 8, density: 2.3}]}"
COUNTS = (1296, 497)  # of 216 cells


def mixture(steps: int, checkpoint: str = "", outputs: str = OUTPUTS) -> str:
    text = flow(steps, checkpoint, outputs)
    assert "fluid: {density: 10}" in text
    return text.replace("fluid: {density: 10}", f"fluid: {FLUID}")


class Restarts(RestartTest):
    def test_go_on_to_the_bit(self):
        for precision in ("double", "mixed"):
            with self.subTest(precision):
                text = mixture(150, "{every: 40}").replace("device: cpu}", f"device: cpu, precision: {precision}}}")
                expected = self.reference(text)
                name = self.write_input(text)
                self.mpcflow("run", name, "--quiet", "--output", precision, "--set", "run.steps=90", "--threads", "2")
                self.mpcflow("run", name, "--quiet", "--output", precision)
                self.check_same(self.results(precision), expected)
                self.mpcflow("verify", precision)
                shutil.rmtree(self.folder / "reference")

    def test_refuse_another_mixture(self):
        text = mixture(60, "{every: 30}", "")
        name = self.write_input(text)
        self.mpcflow("run", name, "--quiet")
        for change in ("fluid.species.1.mass=4", "fluid.species.0.name=other", "fluid.species.0.density=6.1"):
            done = self.mpcflow("run", name, "--quiet", "--set", change, "--set", "run.steps=90", status=3)
            self.assertIn("is of another input", done.stderr)
            self.assertIn(change.partition("=")[0], done.stderr)


class Files(RestartTest):
    def frames(self, trajectory: str):
        outputs = f"  trajectory: {{every: 20, quantities: [position, velocity], {trajectory}}}\n".replace(", }", "}")
        self.mpcflow("run", self.write_input(mixture(40, "", outputs)), "--quiet", "--overwrite")
        self.mpcflow("verify", "out")
        file = h5py.File(self.folder / "out/trajectory.h5")
        self.addCleanup(file.close)
        group = next(iter(file["particles"].values()))
        self.assertEqual(group.attrs["species_names"].tolist(), [b"light", b"heavy-1"])
        self.assertEqual(group.attrs["species_masses"].tolist(), [2.0, 8.0])
        return file, group

    def test_frames_of_all_tell_the_species_once(self):
        for selection, stride in (("", 1), ("every_nth_id: 5", 5)):
            _, group = self.frames(selection)
            expected = (np.arange(0, sum(COUNTS), stride) >= COUNTS[0]).astype(int)
            np.testing.assert_array_equal(group["species"][:], expected)
            np.testing.assert_array_equal(group["mass"][:], np.array([2.0, 8.0])[expected])
            self.assertEqual(group["id/value"].shape, (4, len(expected)))

    def test_frames_of_a_region_tell_it_of_each_of_their_particles(self):
        file, group = self.frames("region: {lower: [0, 0, 0], upper: [3, 6, 6]}")
        counts = file["parameters/mpcflow/particles"][:]
        self.assertGreater(len(set(counts.tolist())), 1)
        for frame, count in enumerate(counts):
            ids = group["id/value"][frame]
            expected = np.where(ids < 0, -1, (ids >= COUNTS[0]).astype(int))
            np.testing.assert_array_equal(group["species/value"][frame], expected)
            np.testing.assert_array_equal(group["mass/value"][frame][:count], np.array([2.0, 8.0])[expected[:count]])
            self.assertTrue(np.all(np.isnan(group["mass/value"][frame][count:])))
        # The same steps and times as those of places.
        self.assertEqual(group["species/step"], group["position/step"])

    def test_series_fields_and_diffusion_are_those_of_each(self):
        outputs = OUTPUTS.replace("  trajectory: {every: 15, quantities: [position, velocity]}\n",
                                  "  trajectory: {every: 10, quantities: [position, velocity]}\n")
        self.mpcflow("run", self.write_input(mixture(120, "", outputs)), "--quiet")
        with h5py.File(self.folder / "out/run.h5") as f, h5py.File(self.folder / "out/trajectory.h5") as t:
            velocities, species = t["particles/all/velocity/value"], t["particles/all/species"][:]
            temperatures = f["series/species_temperature"][:]
            self.assertEqual(temperatures.shape, (len(f["series/step"]), 2))
            for row, velocity in enumerate(velocities):
                for number, mass in enumerate((2.0, 8.0)):
                    own = velocity[species == number]
                    own = own - own.mean(axis=0)
                    self.assertAlmostEqual(temperatures[row, number], mass * (own**2).sum() / (3 * len(own) - 3), 9)
            density = f["fields/species_density"][:]
            self.assertEqual(density.shape, (3, 2, 1, 2))
            np.testing.assert_allclose(density.sum(axis=3), f["fields/density"][:], rtol=1e-12)
            np.testing.assert_allclose(density.mean(axis=(0, 1, 2)), np.array(COUNTS) / 216, rtol=1e-12)
            # The momentum of all is that of both.
            both = (f["fields/species_velocity"][:] * density[..., None] * np.array([2.0, 8.0])[:, None]).sum(axis=3)
            mass = (density * np.array([2.0, 8.0])).sum(axis=3)
            np.testing.assert_allclose(both / mass[..., None], f["fields/velocity"][:], atol=1e-12)
            for name, first, count in zip(("light", "heavy-1"), (0, COUNTS[0]), COUNTS):
                found = f[f"diffusion/{name}"]
                stride = -(-count // 100)
                tracers = sum(number % stride == 0 for number in range(first, first + count))
                self.assertEqual((found.attrs["tracers"], found.attrs["every_nth_id"]), (tracers, stride))
                # At lag 0 the mean square velocity, 3 kT / m within a fifth: of some hundred tracers a few per cent.
                expected = 4.5 / (2.0 if name == "light" else 8.0)
                self.assertAlmostEqual(found["velocity_autocorrelation"][0] / expected, 1.0, delta=0.2)
                self.assertEqual(found["lag"].dims[0].keys(), [])
                self.assertEqual(found["mean_square_displacement"].dims[0].keys(), ["lag"])
        with h5py.File(self.folder / "out/fields.h5") as f:
            self.assertEqual(f["fields/species_temperature"].shape[1:], (3, 2, 1, 2))

    def test_check_tells_theory_of_each_where_there_is_any(self):
        name = self.write_input(mixture(10, "", ""))
        said = self.mpcflow("check", name).stdout
        self.assertRegex(said, r"species light +1296 particles of mass 2, mean free path [\d.]+ a, diffusion [\d.]+, Schmidt number")
        found = json.loads(self.mpcflow("check", name, "--json").stdout)
        self.assertIn("diffusion_of_heavy-1", json.dumps(found))
        said = self.mpcflow("check", name, "--set", "collision.conserve_angular_momentum=true").stdout
        self.assertIn("no formula is known for several species with conserve_angular_momentum", said)


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
"""Runs with surfaces in the box: what check says of them, what is measured on them, and restarts."""

import json
import unittest

import h5py
import numpy as np

from program import ProgramTest

INPUT = """\
box: {size: [8, 8, 6]}
thermostat: {kind: maxwell_boltzmann}
surfaces:
  - {cylinder: {axis: z, centre: [4, 4], radius: 3.5}, fluid: inside, kind: no_slip, angular_velocity: 0.05}
  - {sphere: {centre: [4, 4, 3], radius: 1}, fluid: outside, kind: thermal, temperature: 1.5}
forces: [{uniform: [0, 0, 0.02]}]
run: {steps: 100}
checkpoint: {every: 40}
output: {walls: {every: 1}, series: {every: 10}}
execution: {device: cpu}
"""
VOLUME = np.pi * (3.5**2 * 6 - 4 / 3)


class Surfaces(ProgramTest):
    def test_check_tells_the_volume_and_shows_a_slice(self):
        name = self.write_input(INPUT)
        shown = self.mpcflow("check", name).stdout
        self.assertIn("of 384 cells", shown)
        lines = shown.splitlines()
        first = next(i for i, line in enumerate(lines) if line.startswith("layer 3 along z"))
        # Rows 6, 4, 2 and 0: letters are twice as high as they are wide.
        self.assertEqual(lines[first + 1 : first + 5], ["#++..++#", "+..++..+", "++....++", "##++++##"])
        found = json.loads(self.mpcflow("check", name, "--json").stdout)
        self.assertAlmostEqual(found["fluid_volume"] / VOLUME, 1.0, delta=0.002)
        self.assertEqual(found["particles"], round(10 * found["fluid_volume"]))
        pipe = INPUT.replace("  - {sphere: {centre: [4, 4, 3], radius: 1}, fluid: outside, kind: thermal, temperature: 1.5}\n", "")
        self.assertIn("flow in a pipe along z, radius 3.5", self.mpcflow("check", self.write_input(pipe)).stdout)

    def test_forces_and_torques_are_measured(self):
        self.mpcflow("run", self.write_input(INPUT.replace("steps: 100", "steps: 400")), "--output", "out", "--quiet")
        with h5py.File(self.folder / "out/run.h5") as f:
            walls = f["walls"]
            self.assertNotIn("stress", walls)
            self.assertEqual([name.decode() if isinstance(name, bytes) else name for name in walls.attrs["surfaces"]], ["0 cylinder", "1 sphere"])
            force, error = walls["force"][()], walls["force_error"][()]
            self.assertEqual(force.shape, (2, 3))
            self.assertEqual(walls["torque"].shape, (2, 3))
            self.assertEqual(walls["surface_heat"].shape, (2,))
            driven = 0.02 * f["run"].attrs["particles"]
            # Both together take what drives the fluid, within the errors of each; of 400 steps the first ones speed it up.
            self.assertAlmostEqual(force[:, 2].sum(), driven, delta=4.5 * np.sqrt((error[:, 2] ** 2).sum()) + 0.3 * driven)
            self.assertTrue(np.all(error > 0))

    def test_restarts_end_as_the_run_that_never_stopped_and_take_no_other_surfaces(self):
        name = self.write_input(INPUT)
        self.mpcflow("run", name, "--output", "whole", "--quiet")
        self.mpcflow("run", name, "--output", "out", "--quiet", "--set", "run.steps=50", "--threads", "2")
        refused = self.mpcflow("run", name, "--output", "out", "--set", "surfaces.1.sphere.radius=1.25", status=3).stderr
        self.assertIn("surfaces.1.sphere.radius was 1.0, is 1.25", refused)
        self.mpcflow("run", name, "--output", "out", "--quiet")
        with h5py.File(self.folder / "whole/run.h5") as f, h5py.File(self.folder / "out/run.h5") as g:
            self.assertEqual(g["run"].attrs["state_hash"], f["run"].attrs["state_hash"])
            for array in ("force", "torque", "surface_heat"):
                np.testing.assert_array_equal(g["walls"][array][()], f["walls"][array][()])


if __name__ == "__main__":
    unittest.main()

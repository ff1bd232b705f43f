#!/usr/bin/env python3
"""output.radial_distribution from end to end: against the frames of the same run."""

from __future__ import annotations

import unittest

import h5py
import numpy as np

from program import ProgramTest

INPUT = """\
seed: 6
box: {size: [5, 4, 8]}
fluid: {density: 4}
collision: {time_step: 0.3}
boundaries: {z: no_slip}
run: {equilibration: 20, steps: 100}
execution: {device: cpu, precision: mixed}
output:
  radial_distribution: {every: 10, range: 2, bins: 16, centres: 300}
  trajectory: {every: 10}
"""


class RadialDistribution(ProgramTest):
    def test_it_is_that_of_the_frames(self) -> None:
        done = self.mpcflow("run", self.write_input(INPUT), "--output", "out")
        self.assertIn("radial distribution of 10 samples", done.stdout)
        size, pairs, centres = np.array([5.0, 4.0, 8.0]), np.zeros(16, dtype=np.uint64), 0
        with h5py.File(self.folder / "out/trajectory.h5") as file:
            for frame in file["particles/all/position/value"][3:].astype(np.float64):
                chosen = frame[::3][(frame[::3, 2] >= 2) & (frame[::3, 2] <= 6)]  # 640 / 3 of them, far from the walls
                apart = chosen[:, None] - frame[None]
                apart[..., :2] -= size[:2] * np.rint(apart[..., :2] / size[:2])
                distances = np.sqrt((apart ** 2).sum(axis=2))
                pairs += np.histogram(distances[(distances > 0) & (distances < 2)], np.linspace(0, 2, 17))[0].astype(np.uint64)
                centres += len(chosen)
        with h5py.File(self.folder / "out/run.h5") as file:
            found = file["radial_distribution"]
            self.assertEqual((found.attrs["samples"], found.attrs["first_step"], found.attrs["last_step"]), (10, 30, 120))
            self.assertEqual((found.attrs["every_nth_id"], found.attrs["centres"]), (3, centres))
            self.assertEqual({found[name].dims[0][0].name for name in ("pairs", "g", "g_error")}, {"/radial_distribution/radius"})
            np.testing.assert_array_equal(found["pairs"], pairs)
            np.testing.assert_allclose(found["radius"], 0.0625 + 0.125 * np.arange(16))
            shell = 4 / 3 * np.pi * np.diff(np.linspace(0, 2, 17) ** 3)
            np.testing.assert_allclose(found["g"], pairs / (centres * 639 / 160 * shell))
            self.assertTrue((found["g_error"][:] > 0).all())


if __name__ == "__main__":
    unittest.main()

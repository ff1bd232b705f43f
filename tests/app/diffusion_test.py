#!/usr/bin/env python3
"""output.diffusion from end to end: against the trajectory of the same run, by numpy and by MDAnalysis."""

from __future__ import annotations

import shutil
import unittest

import h5py
import numpy as np

from program import ProgramTest

INPUT = """\
seed: 6
box: {size: [5, 4, 6]}
fluid: {density: 8, temperature: 2.0, mass: 0.5}
collision: {time_step: 0.3}
thermostat: {kind: maxwell_boltzmann}
run: {equilibration: 20, steps: 6400}
execution: {device: cpu}
output:
  diffusion: {every: 4, tracers: 100}
  trajectory: {every: 4, quantities: [position, velocity], every_nth_id: 10}
"""


class Diffusion(ProgramTest):
    @classmethod
    def setUpClass(cls) -> None:
        cls.made, cls.told = cls.run_once(INPUT, "--output", "out")

    def setUp(self) -> None:
        super().setUp()
        shutil.copytree(self.made, self.folder, dirs_exist_ok=True)
        with h5py.File(self.folder / "out/run.h5") as file:
            self.attributes = dict(file["diffusion"].attrs)
            self.found = {name: values[()] for name, values in file["diffusion"].items()}
            self.axes = {name: [axis[0].name for axis in values.dims] for name, values in file["diffusion"].items() if name != "lag"}
        with h5py.File(self.folder / "out/trajectory.h5") as file:
            part = file["particles/selection"]
            first = int(np.searchsorted(part["position/step"], 24))
            unwrapped = part["position/value"][()] + part["image/value"][()] * np.array([5, 4, 6])
            self.positions = unwrapped[first:]
            self.velocities = part["velocity/value"][first:]

    def brute_force(self, lag: int) -> tuple[np.ndarray, np.ndarray]:
        """Mean square displacement and velocity autocorrelation along x, y, z over all pairs of frames."""
        n = len(self.positions) - lag
        moved = self.positions[lag:] - self.positions[:n]
        return (moved ** 2).mean(axis=(0, 1)), (self.velocities[lag:] * self.velocities[:n]).mean(axis=(0, 1))

    def test_it_is_that_of_the_trajectory(self) -> None:
        self.assertEqual((self.attributes["samples"], self.attributes["first_step"], self.attributes["last_step"]), (1600, 24, 6420))
        self.assertEqual((self.attributes["tracers"], self.attributes["every_nth_id"]), (96, 10))
        self.assertEqual(self.positions.shape, (1600, 96, 3))
        for name, axes in self.axes.items():
            self.assertEqual(axes, ["/diffusion/lag", "/component"][:self.found[name].ndim], name)
        lags = self.found["lag"] // 4
        np.testing.assert_array_equal(lags[:17], [*range(16), 16])
        for i, lag in enumerate(lags):
            for name, exact in zip(("mean_square_displacement", "velocity_autocorrelation"), self.brute_force(lag)):
                axes, error = self.found[f"{name}_xyz"][i], self.found[f"{name}_xyz_error"][i]
                if lag < 16:  # of all pairs
                    np.testing.assert_allclose(axes, exact, rtol=0, atol=1e-12 * max(1.0, np.abs(self.positions).max() ** 2))
                elif lag <= 40:  # of a part of them; the errors are of 20 blocks at least
                    self.assertTrue((np.abs(axes - exact) < 4.5 * error).all(), f"{name} at lag {lag}: {axes}, {exact}, {error}")
                # Relative to the terms: correlations of both signs nearly cancel.
                np.testing.assert_allclose(self.found[name][i], axes.sum(), rtol=0, atol=1e-14 * np.abs(axes).sum())
        self.assertGreater(np.isfinite(self.found["mean_square_displacement_error"]).sum(), 50)
        np.testing.assert_allclose(self.found["time"], 0.3 * self.found["lag"])
        np.testing.assert_allclose(self.found["diffusion_by_displacement"][1:],
                                   self.found["mean_square_displacement"][1:] / (6 * self.found["time"][1:]))
        self.assertIn("diffusion of 1600 samples", self.told)
        self.assertRegex(self.mpcflow("info", "out/run.h5").stdout, r"diffusion samples +1600\n")
        self.assertIn("diffusion of 1600 samples", self.mpcflow("check", "flow.yaml").stdout)

    def test_it_is_that_of_mdanalysis(self) -> None:
        try:
            import MDAnalysis
            from MDAnalysis.analysis.msd import EinsteinMSD
        except ImportError:
            self.skipTest("MDAnalysis is not installed")
        universe = MDAnalysis.Universe.empty(96)
        universe.load_new(str(self.folder / "out/trajectory.h5"), format="H5MD", convert_units=False)
        with h5py.File(self.folder / "out/trajectory.h5") as file:
            for frame in universe.trajectory[::100]:
                np.testing.assert_array_equal(frame.positions, file["particles/selection/position/value"][frame.frame].astype("f4"))
        universe.load_new(self.positions.astype(np.float32), order="fac")
        for kind, columns in (("xyz", slice(None)), ("y", 1)):
            analysis = EinsteinMSD(universe, msd_type=kind, fft=False).run()
            expected = analysis.results.timeseries
            ours = self.found["mean_square_displacement_xyz"][:, columns].reshape(len(self.found["lag"]), -1).sum(axis=1)
            error = self.found["mean_square_displacement_xyz_error"][:, columns].reshape(len(ours), -1).sum(axis=1)
            lags = self.found["lag"] // 4
            # MDAnalysis has places in single precision.
            rounding = 4 * np.abs(self.positions).max() * 6e-8 * np.sqrt(expected[lags])
            for i, lag in enumerate(lags):
                if lag < 16:
                    self.assertLess(abs(ours[i] - expected[lag]), rounding[i] + 1e-10, lag)
                elif lag <= 40:
                    self.assertLess(abs(ours[i] - expected[lag]), 4.5 * error[i], lag)


if __name__ == "__main__":
    unittest.main()

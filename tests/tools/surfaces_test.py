"""The tools on a run with surfaces in the box: what is measured on them is told and converted, and theory without them is not."""

from __future__ import annotations

import unittest

import h5py
import numpy as np

from made_runs import FLOW, ToolTest, made, read_csv
from mpcflow_tools import Run
from mpcflow_tools.analyze import analyze
from mpcflow_tools.conservation import broken_by
from mpcflow_tools.expected import expected_profile, expected_series
from mpcflow_tools.flow_run import NotAFlow, read_flow, slit_of
from mpcflow_tools.labelled import labelled

SURFACES = FLOW.replace("size: [4, 3, 10]", "size: [8, 8, 4]").replace("z: no_slip", "z: periodic").replace("bins: [2, 1, 10]", "bins: [4, 4, 2]").replace(
    "  histograms: {every: 20}\n", "  walls: {every: 2}\n").replace("forces: [{uniform: [0.02, 0, 0]}]", """\
surfaces:
  - {cylinder: {axis: z, centre: [4, 4], radius: 3.5}, fluid: inside}
  - {sphere: {centre: [4, 4, 2], radius: 1}, fluid: outside, kind: slip}
forces: [{uniform: [0, 0, 0.02]}]""")
PIPE = SURFACES.replace("  - {sphere: {centre: [4, 4, 2], radius: 1}, fluid: outside, kind: slip}\n", "")


class Surfaces(ToolTest):
    def test_forces_and_torques_are_told(self) -> None:
        with Run(made(SURFACES)) as run:
            found = {estimate.name: estimate for section in analyze(run) if section.name == "walls" for estimate in section.estimates}
            force = run.walls["force"].values
        self.assertEqual(found["force on surface 1 (sphere), z"].value, force[1, 2])
        self.assertIsNone(found["force on surface 1 (sphere), z"].theory)
        self.assertIn("torque on surface 0 (cylinder), z", found)
        self.assertIn("heat into surface 1", found)
        with Run(made(PIPE)) as run:
            found = {estimate.name: estimate for section in analyze(run) if section.name == "walls" for estimate in section.estimates}
            self.assertAlmostEqual(found["force on surface 0 (cylinder), z"].theory or 0.0, 0.02 * run.particles)

    def test_they_are_converted(self) -> None:
        self.command("convert", made(SURFACES), "walls", "a.csv")
        columns, units = read_csv(self.folder / "a.csv")
        self.assertEqual(columns["surfaces"], ["0 cylinder", "1 sphere"])
        self.assertEqual(units["torque_x"], "energy")
        with h5py.File(made(SURFACES) / "run.h5") as file:
            np.testing.assert_array_equal(np.array([float(text) for text in columns["force_y"]]), file["walls/force"][:, 1])
        with Run(made(SURFACES)) as run:
            arrays, places = labelled(run, "walls")
        self.assertEqual(arrays["torque"][0], ("surface", "component"))
        self.assertEqual(places["surface"][1].tolist(), ["0 cylinder", "1 sphere"])
        self.assertNotIn("face", places)

    def test_theory_without_them_says_nothing(self) -> None:
        with Run(made(SURFACES)) as run:
            self.assertIsNone(slit_of(run))
            self.assertIsNone(expected_profile(run, "velocity", 0, "z"))
            self.assertEqual(expected_series(run, "momentum"), [])
            self.assertEqual(broken_by(run)[1], "a force works on it; walls exchange it")
            self.assertIn("surfaces exchange it", broken_by(run)[0])
            with self.assertRaises(NotAFlow):
                read_flow(run)


if __name__ == "__main__":
    unittest.main()

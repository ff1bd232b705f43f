"""Reading the flow of run files, made here with the layout of docs/output.md; and mpcflow-plot RUN flow from end to end."""

from __future__ import annotations

import unittest
from pathlib import Path
from typing import Any

import h5py
import numpy as np

from forging import edited
from made_runs import ToolTest
from mpcflow_tools import ResultsError, Run
from mpcflow_tools.flow import Slit, velocity_average
from mpcflow_tools.flow_run import NotAFlow, flow_axes, read_flow

RESOLVED = """
title: "Made up"
fluid: {{density: 10.0, temperature: 1.5, mass: 2.0}}
boundaries: {{x: {x}, y: {y}, z: {z}}}
forces:
{forces}
"""


def write_run(path: Path, walls: int = 2, flow: int = 0, force: str = "0.004", bins: tuple[int, int, int] = (1, 1, 8),
              slip: float = 0.0) -> None:
    """A run file of exact Poiseuille flow in a box 6 x 8 x 16, with viscosity 0.9 where 1.0 is predicted."""
    box = [6, 8, 16]
    kinds = ["no_slip" if axis == walls else "periodic" for axis in range(3)]
    vector = ["0.0"] * 3
    vector[flow] = force
    slit = Slit(float(force) / 2.0, float(box[walls]), 1.0)
    shape = bins[::-1]
    with h5py.File(path, "w") as file:
        file.attrs.update(format="mpcflow run", format_version=1, title="Made up")
        file["input/resolved"] = RESOLVED.format(x=kinds[0], y=kinds[1], z=kinds[2],
                                                 forces=f"  - uniform: [{', '.join(vector)}]")
        file.create_group("run").attrs.update(box=np.array(box, dtype=np.int32), time_step=0.1)
        file.create_group("theory").attrs.update(predicted_viscosity=1.0)
        fields = file.create_group("fields")
        fields.attrs.update(samples=100, first_step=1010, last_step=2000, every=10)
        for axis, name in enumerate("xyz"):
            fields[f"{name}_edges"] = np.linspace(0.0, box[axis], bins[axis] + 1)
        profile = velocity_average(fields["xyz"[walls] + "_edges"][()], slit, slip, 0.9)
        along = [1, 1, 1]
        along[2 - walls] = len(profile)
        velocity = np.zeros(shape + (3,))
        velocity[..., flow] = profile.reshape(along)
        fields["velocity"] = velocity
        fields["velocity_error"] = np.full(shape + (3,), 1e-4)
        fields["density"] = np.full(shape, 10.0)
        fields["density_error"] = np.full(shape, 0.01)
        fields["temperature"] = np.full(shape, 1.4998)
        fields["temperature_error"] = np.full(shape, 0.001)


class RunFiles(ToolTest):
    def setUp(self) -> None:
        super().setUp()
        self.file = self.folder / "run.h5"

    def edit(self, change: Any) -> None:
        with edited(self.file) as file:
            change(file)


class Reading(RunFiles):
    def test_every_pair_of_axes(self) -> None:
        for walls in range(3):
            for flow in range(3):
                if walls != flow:
                    bins = tuple(4 if axis == walls else 1 for axis in range(3))
                    write_run(self.file, walls, flow, "0.004", bins, 0.2)
                    run = read_flow(Run(self.file))
                    self.assertEqual((run.wall_axis, run.flow_axis), ("xyz"[walls], "xyz"[flow]))
                    self.assertEqual(run.slit, Slit(0.002, float([6, 8, 16][walls]), 1.0))
                    expected = velocity_average(run.profile.edges, run.slit, 0.2, 0.9)
                    np.testing.assert_allclose(run.profile.velocity, expected)
                    np.testing.assert_allclose(run.profile.velocity_error, 1e-4)

    def test_numbers_that_go_with_the_profile(self) -> None:
        write_run(self.file)
        run = read_flow(Run(self.folder))  # the folder does as well as the file
        self.assertEqual(run.title, "Made up")
        self.assertEqual(run.steps, 1000)
        self.assertEqual(run.temperature_set, 1.5)
        self.assertAlmostEqual(run.temperature.value, 1.4998)
        self.assertAlmostEqual(run.temperature.error, 0.001 / np.sqrt(8.0))

    def test_bins_along_the_walls_are_averaged(self) -> None:
        write_run(self.file, bins=(3, 2, 8))

        def disturb(file: h5py.File) -> None:
            velocity, density = file["fields/velocity"][()], file["fields/density"][()]
            velocity[0, 0, :, 0] += [0.1, -0.3, 0.0]
            density[0, 0, :] = [15.0, 5.0, 10.0]
            velocity[0, 1, 1] = np.nan  # a bin that never held a particle
            density[0, 1, 1] = 0.0
            file["fields/velocity"][...] = velocity
            file["fields/density"][...] = density

        self.edit(disturb)
        run = read_flow(Run(self.file))
        expected = velocity_average(run.profile.edges, run.slit, 0.0, 0.9)
        np.testing.assert_allclose(run.profile.velocity, expected, atol=1e-12)
        np.testing.assert_allclose(run.profile.velocity_error[1:], 1e-4 / np.sqrt(6.0))

    def test_numbers_that_yaml_takes_for_text(self) -> None:
        write_run(self.file, force="4e-03")
        self.assertAlmostEqual(read_flow(Run(self.file)).slit.acceleration, 0.002)

    def test_what_is_no_flow(self) -> None:
        def axes(x: str, y: str, z: Any, *forces: list[float]) -> None:
            flow_axes({"boundaries": {"x": x, "y": y, "z": z}, "forces": [{"uniform": f} for f in forces]})

        faces = {"lower": "no_slip", "upper": "no_slip"}
        axes("periodic", "periodic", faces, [0.0, 0.1, 0.0])
        axes("periodic", "periodic", "no_slip", [0.1, 0.1, 0.0], [0.1, -0.1, 0.0])
        for bad in (("periodic", "periodic", "periodic", [0.1, 0.0, 0.0]),
                    ("no_slip", "periodic", "no_slip", [0.0, 0.1, 0.0]),
                    ("periodic", "periodic", "no_slip"),
                    ("periodic", "periodic", "no_slip", [0.0, 0.0, 0.1]),
                    ("periodic", "periodic", "no_slip", [0.1, 0.1, 0.0])):
            with self.subTest(bad), self.assertRaisesRegex(NotAFlow, "no plane Poiseuille flow"):
                axes(*bad)

    def test_files_that_hold_nothing_to_compare(self) -> None:
        with self.assertRaisesRegex(ResultsError, "no such file"):
            read_flow(Run(self.folder))
        self.file.write_text("this is not HDF5")
        with self.assertRaisesRegex(ResultsError, "cannot be read"):
            read_flow(Run(self.file))
        with h5py.File(self.file, "w") as file:
            file.attrs["format"] = "something else"
        with self.assertRaisesRegex(ResultsError, "no run file"):
            read_flow(Run(self.file))
        write_run(self.file)
        self.edit(lambda file: file["fields"].attrs.update(samples=0))
        with self.assertRaisesRegex(NotAFlow, "no velocity field"):
            read_flow(Run(self.file))


class Command(RunFiles):
    def test_prints_a_table_and_makes_a_picture(self) -> None:
        write_run(self.file, slip=0.05)
        done = self.command("plot", self.folder, "flow")
        self.assertIn("fitted 0.9000 +- ", done.stdout)
        self.assertIn("predicted 1.0000   (-10.0 %)", done.stdout)
        self.assertIn("slip length  fitted 0.0500", done.stdout)
        self.assertIn(f"picture      {self.folder / 'flow.png'}", done.stdout)
        self.assertEqual((self.folder / "flow.png").read_bytes()[:4], b"\x89PNG")

    def test_the_output_may_be_elsewhere(self) -> None:
        write_run(self.file)
        self.command("plot", self.file, "flow", "--output", self.folder / "new" / "picture.svg")
        self.assertTrue((self.folder / "new" / "picture.svg").is_file())
        self.assertFalse((self.folder / "flow.png").exists())

    def test_errors_are_one_line(self) -> None:
        done = self.command("plot", self.folder / "nothing", "flow", status=3)
        self.assertEqual(done.stderr.count("\n"), 1)
        self.assertIn("no such file", done.stderr)
        write_run(self.file, force="0.0")
        self.assertIn("no plane Poiseuille flow", self.command("plot", self.folder, "flow", status=2).stderr)


if __name__ == "__main__":
    unittest.main()

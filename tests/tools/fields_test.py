"""Fields: read in parts as whole, tensors, and windows of time beside theory of a flow from rest."""

from __future__ import annotations

import unittest
from unittest import mock

import h5py
import numpy as np

from made_runs import FLOW, ToolTest, made, read_numbers
from mpcflow_tools import MissingResult, ResultsError, Run, Windows, fields, plot
from mpcflow_tools.expected import expected_profile, expected_window
from mpcflow_tools.layers import layer_at, layer_profile, mean_of
from mpcflow_tools.report import report_page

TENSOR = FLOW.replace("steps: 400", "steps: 8000").replace("temperature], bins: [2, 1, 10]", "temperature, pressure_tensor], bins: [2, 3, 10]")
WINDOWS = (FLOW.replace("[4, 3, 10]", "[10, 10, 10]").replace("equilibration: 100, steps: 400", "equilibration: 0, steps: 640")
           .replace("uniform: [0.02", "uniform: [0.1").replace("bins: [2, 1, 10]", "bins: [2, 1, 10], time_window: 80"))


class Parts(unittest.TestCase):
    def test_parts_are_the_whole(self) -> None:
        for most in (1, 2, 5, 6, 12, 1 << 16):  # bins that are read at a time: rows, layers, several of them
            with mock.patch.object(fields, "BLOCK_BINS", most), Run(made(TENSOR)) as run:
                found, density = run.fields, run.fields["density"].values
                for name in ("density", "velocity", "pressure_tensor"):
                    whole = found[name]
                    self.assertEqual(sum(found.block(name, block).size for block in found.blocks()), whole.values.size)
                    for number, component in enumerate(found.components(name)):
                        values = whole.values.reshape(10, 3, 2, -1)[..., number]
                        errors = whole.known_error().reshape(10, 3, 2, -1)[..., number]
                        weights = density if name == "velocity" else np.ones_like(density)
                        for axis in range(3):
                            along = tuple(2 - other for other in range(3) if other != axis)
                            mean, error = layer_profile(found, name, component, axis)
                            np.testing.assert_allclose(mean, (values * weights).sum(axis=along) / weights.sum(axis=along), rtol=1e-12, atol=1e-14)
                            np.testing.assert_allclose(error, np.sqrt(((errors * weights) ** 2).sum(axis=along)) / weights.sum(axis=along), rtol=1e-12)
                            np.testing.assert_array_equal(layer_at(found, name, component, axis, 1), np.take(values, 1, axis=2 - axis))
                        self.assertAlmostEqual(mean_of(found, name, component).value, (values * weights).sum() / weights.sum())


class Tensors(ToolTest):
    def test_components(self) -> None:
        with Run(made(TENSOR)) as run:
            self.assertEqual(run.fields.components("pressure_tensor"), ["xx", "xy", "xz", "yx", "yy", "yz", "zx", "zy", "zz"])
            self.assertEqual((run.fields.components("density"), run.fields.components("velocity")), ([""], ["x", "y", "z"]))

    def test_beside_theory(self) -> None:
        # Bins of one cell's height; 8000 steps in a box 4 x 3 wide, from which the flow's first 100 are left out.
        with Run(made(TENSOR)) as run:
            places = run.fields.centres("z")
            for component in ("xz", "yy", "yz"):
                mean, error = layer_profile(run.fields, "pressure_tensor", component, 2)
                curve = expected_profile(run, "pressure_tensor", 2, component)
                assert curve is not None
                np.testing.assert_array_less(np.abs(mean - curve.at(places)), 4.5 * error + 0.02 * 15.0, component)

    def test_pictures_and_other_programs(self) -> None:
        for arguments in (["fields/pressure_tensor"], ["fields/pressure_tensor", "--component", "zz", "--across", "y"]):
            path = self.folder / "a.png"
            self.assertEqual(plot.main([str(made(TENSOR)), *arguments, "--output", str(path), "--overwrite"]), 0)
            self.assertGreater(path.stat().st_size, 10_000)
        for ending in ("csv", "vti", "npz"):
            self.command("convert", made(TENSOR), "fields", f"a.{ending}")
        with Run(made(TENSOR)) as run, np.load(self.folder / "a.npz") as arrays:
            tensor = run.fields["pressure_tensor"]
            table, _ = read_numbers(self.folder / "a.csv")
            np.testing.assert_array_equal(table["pressure_tensor_xz"], tensor.values[..., 0, 2].ravel())
            np.testing.assert_array_equal(table["pressure_tensor_error_zy"], tensor.known_error()[..., 2, 1].ravel())
            np.testing.assert_array_equal(arrays["pressure_tensor"], tensor.values)
        self.assertIn(b'Name="pressure_tensor" NumberOfComponents="9"', (self.folder / "a.vti").read_bytes())


class InWindows(ToolTest):
    def test_windows_are_what_the_file_has(self) -> None:
        with Run(made(WINDOWS)) as run, h5py.File(made(WINDOWS) / "fields.h5") as file:
            windows = run.windows
            self.assertEqual((len(windows), windows.every, sorted(windows.quantities)), (8, 4, ["density", "temperature", "velocity"]))
            for index, window in enumerate(windows):
                self.assertEqual((window.first_step, window.last_step, window.samples), (80 * index + 4, 80 * index + 80, 20))
                self.assertAlmostEqual(window.time, 8.0 * (index + 1))
                for name in window:
                    np.testing.assert_array_equal(window[name].values, file["fields"][name][index])
                    self.assertEqual(window[name].unit, run.fields.unit(name))
                    np.testing.assert_array_equal(window.rows(name, 2, 4), file["fields"][name][index, 2:4])
                    np.testing.assert_array_equal(window.layer(name, 0, 1), file["fields"][name][index, :, :, 1])
                np.testing.assert_array_equal(window.edges("z"), run.fields.edges("z"))
            np.testing.assert_allclose(np.mean([window["density"].values for window in windows], axis=0), run.fields["density"].values)
            self.assertEqual([window.index for window in windows[-2:]], [6, 7])
            self.assertRaises(IndexError, windows.__getitem__, 8)
            self.assertIn("windows     8 windows, steps 4 ... 640", repr(run))

    def test_a_flow_from_rest_is_beside_theory(self) -> None:
        # A window's mean of a bin has the error sqrt(kT / (m n)) of n particles, about 2000 times the few samples that
        # are independent: 0.02 at most, and the modes of the box less.
        with Run(made(WINDOWS)) as run:
            for window in run.windows:
                mean, error = layer_profile(window, "velocity", "x", 2)
                self.assertTrue(np.all(np.isnan(error)))
                times = 0.1 * np.arange(window.first_step, window.last_step + 1, 4)
                curve = expected_window(run, "velocity", 2, "x", times)
                assert curve is not None
                np.testing.assert_array_less(np.abs(mean - curve.at(run.fields.centres("z"))), 4.5 * 0.02)

    def test_pictures_and_the_page(self) -> None:
        listed = self.command("plot", made(WINDOWS)).stdout.split()
        self.assertIn("windows/velocity", listed)
        for subject in ("windows/velocity", "windows/density"):
            path = self.folder / "a.png"
            self.assertEqual(plot.main([str(made(WINDOWS)), subject, "--output", str(path), "--overwrite"]), 0)
            self.assertGreater(path.stat().st_size, 10_000)
        for arguments, words in ((["windows/pressure"], "windows have no 'pressure', only density"),
                                 (["windows/density", "--along", "y"], "only one bin along y"),
                                 (["windows/density", "--at", "1"], "for fields")):
            self.assertIn(words, self.command("plot", made(WINDOWS), *arguments, status=2).stderr)
        with Run(made(WINDOWS)) as run:
            self.assertIn(">Fields over time</h2>", report_page(run))

    def test_what_is_not_there(self) -> None:
        with Run(made(FLOW)) as run:
            self.assertFalse(run.has_windows)
            self.assertRaisesRegex(MissingResult, "output.fields.time_window", lambda: run.windows)
            self.assertNotIn("Fields over time", report_page(run))
        (self.folder / "fields.h5").write_bytes((made(FLOW) / "run.h5").read_bytes())
        self.assertRaisesRegex(ResultsError, "no file of fields", Windows, self.folder)
        (self.folder / "fields.h5").write_bytes((made(WINDOWS) / "fields.h5").read_bytes()[:5000])
        self.assertRaises(ResultsError, Windows, self.folder)


if __name__ == "__main__":
    unittest.main()

"""Fields: read in parts as whole, and tensors."""

from __future__ import annotations

import unittest
from unittest import mock

import numpy as np

from made_runs import FLOW, ToolTest, made
from mpcflow_tools import Run, fields, plot
from mpcflow_tools.expected import expected_profile
from mpcflow_tools.layers import layer_at, layer_profile, mean_of

TENSOR = FLOW.replace("steps: 400", "steps: 8000").replace("temperature], bins: [2, 1, 10]", "temperature, pressure_tensor], bins: [2, 3, 10]")


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
            self.assertEqual(plot.main([str(made(TENSOR)), *arguments, "--output", str(path)]), 0)
            self.assertGreater(path.stat().st_size, 10_000)
        for ending in ("csv", "vti", "npz"):
            self.command("convert", made(TENSOR), "fields", f"a.{ending}")
        with Run(made(TENSOR)) as run, np.load(self.folder / "a.npz") as arrays:
            tensor = run.fields["pressure_tensor"]
            table = np.genfromtxt(self.folder / "a.csv", delimiter=",", names=True)
            np.testing.assert_array_equal(table["pressure_tensor_xz"], tensor.values[..., 0, 2].ravel())
            np.testing.assert_array_equal(table["pressure_tensor_error_zy"], tensor.known_error()[..., 2, 1].ravel())
            np.testing.assert_array_equal(arrays["pressure_tensor"], tensor.values)
        self.assertIn(b'Name="pressure_tensor" NumberOfComponents="9"', (self.folder / "a.vti").read_bytes())


if __name__ == "__main__":
    unittest.main()

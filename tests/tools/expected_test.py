"""Theory of stress, held against what they must fulfil."""

from __future__ import annotations

import unittest

import numpy as np

from made_runs import FLOW, made
from mpcflow_tools import Run
from mpcflow_tools.expected import expected_profile


class Theory(unittest.TestCase):
    def test_the_pressure_tensor_of_a_flow(self) -> None:
        with Run(made(FLOW)) as run:
            places = np.array([0.0, 5.0, 10.0])
            found = {a + b: expected_profile(run, "pressure_tensor", 2, a + b) for a in "xyz" for b in "xyz"}
            # The force density 0.02 x 10 over half of the width leaves through each wall, upwards through the upper one.
            np.testing.assert_allclose(found["xz"].at(places), [-1.0, 0.0, 1.0], atol=1e-15)
            np.testing.assert_array_equal(found["yy"].at(places), 15.0)
            np.testing.assert_array_equal(found["xy"].at(places), 0.0)
            self.assertIsNone(found["zx"])  # without conservation of angular momentum the stress is not symmetric
            lying = expected_profile(run, "pressure_tensor", 0, "xz")
            np.testing.assert_array_equal(lying.at(places), 0.0)
        with Run(made(FLOW.replace("time_step: 0.1", "time_step: 0.1, conserve_angular_momentum: true"))) as run:
            np.testing.assert_allclose(expected_profile(run, "pressure_tensor", 2, "zx").at(places), [-1.0, 0.0, 1.0], atol=1e-15)


if __name__ == "__main__":
    unittest.main()

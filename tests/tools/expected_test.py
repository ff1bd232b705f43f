"""Theory of flows that change with time, and of stress, held against what they must fulfil."""

from __future__ import annotations

import unittest

import numpy as np

from made_runs import FLOW, made
from mpcflow_tools import Run
from mpcflow_tools.expected import expected_profile, expected_window


class Theory(unittest.TestCase):
    def test_a_flow_from_rest(self) -> None:
        with Run(made(FLOW)) as run:
            places, late = np.linspace(0.0, 10.0, 101), np.array([1e4])
            steady = expected_profile(run, "velocity", 2, "x")
            viscosity, acceleration = float(run.theory["predicted_viscosity"]), 0.01

            def at(time: float) -> np.ndarray:
                curve = expected_window(run, "velocity", 2, "x", np.array([time]))
                assert curve is not None
                return curve.at(places)

            assert steady is not None
            np.testing.assert_allclose(at(1e4), steady.at(places), atol=1e-12)
            np.testing.assert_allclose(at(0.0), 0.0, atol=2e-5)  # 100 terms of the series are left
            # du/dt = g + nu d2u/dy2, by differences.
            rate = (at(3.01) - at(2.99)) / 0.02
            bend = np.gradient(np.gradient(at(3.0), places), places)
            np.testing.assert_allclose(rate[3:-3], (acceleration + viscosity * bend)[3:-3], rtol=0.02, atol=1e-4)
            # Averages over several times are averages.
            both = expected_window(run, "velocity", 2, "x", np.array([1.0, 4.0]))
            assert both is not None
            np.testing.assert_allclose(both.at(places), 0.5 * (at(1.0) + at(4.0)), atol=1e-14)
            across = expected_window(run, "velocity", 2, "y", late)
            assert across is not None
            self.assertEqual(across.at(places)[50], 0.0)

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

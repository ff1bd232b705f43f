"""Theory of flows that change with time, and of stress, held against what they must fulfil."""

from __future__ import annotations

import unittest

import numpy as np

from made_runs import AT_REST, FLOW, made
from mpcflow_tools import Run
from mpcflow_tools.expected import expected_profile, expected_series, expected_window, fluid_of
from mpcflow_tools.flow import Slit
from mpcflow_tools.profile_analysis import viscosity_section
from mpcflow_tools.stress_analysis import expected_wall_stress


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

    def test_moving_walls(self) -> None:
        moving = FLOW.replace("z: no_slip", "z: {lower: {kind: no_slip, velocity: [-0.1, 0, 0]}, upper: {kind: no_slip, velocity: [0.3, 0, 0]}}")
        self.assertNotEqual(moving, FLOW)
        places = np.linspace(0.0, 10.0, 101)
        with Run(made(FLOW)) as run:
            of_force = expected_profile(run, "velocity", 2, "x").at(places)
        with Run(made(moving)) as run:
            steady = expected_profile(run, "velocity", 2, "x")
            np.testing.assert_allclose(steady.at(places), of_force - 0.1 + 0.04 * places, atol=1e-12)
            np.testing.assert_allclose(expected_window(run, "velocity", 2, "x", np.array([1e4])).at(places), steady.at(places), atol=1e-12)
            # Up to the 200 terms of the series, at rest before, but for the walls.
            start = expected_window(run, "velocity", 2, "x", np.array([0.0])).at(places)
            np.testing.assert_allclose(start[10:-10], 0.0, atol=0.01)
            self.assertAlmostEqual(float(run.theory["flow_lower_shear_rate"]), float(np.diff(steady.at(np.array([0.0, 1e-6])))[0]) * 1e6, 5)
            # The stress that the flow carries is that on the walls: upwards what the lower one gives.
            stress = expected_profile(run, "pressure_tensor", 2, "xz").at(np.array([0.0, 10.0]))
            np.testing.assert_allclose(expected_wall_stress(run, "z lower")[0], -stress[0], atol=1e-12)
            np.testing.assert_allclose(expected_wall_stress(run, "z upper")[0], stress[1], atol=1e-12)
        for speed in (0.1, 0.2, 0.3, 0.7):
            self.assertEqual(Slit(0.0, 12.0, 0.87, -speed, speed).mean(1), 0.0)  # not what rounding leaves of it

    def test_waves_of_force(self) -> None:
        at_rest = AT_REST + "run: {equilibration: 100, steps: 3000}\noutput:\n  fields: {every: 5, quantities: [velocity], bins: [1, 1, 8]}\n"
        places = np.linspace(0.0, 8.0, 81)
        for shape, largest in (("sine", 1.0), ("opposed_blocks", np.pi**2 / 8.0)):
            force = f"forces: [{{{shape}: {{amplitude: [0, 0.2, 0], along: z}}}}]\n"
            with Run(made(at_rest.replace("run:", force + "run:"))) as run:
                viscosity, k = float(run.theory["predicted_viscosity"]), 2.0 * np.pi / 8.0
                curve = expected_profile(run, "velocity", 2, "y").at(places)
                self.assertAlmostEqual(np.max(curve), largest * 0.2 / (viscosity * k**2))
                self.assertAlmostEqual(float(run.theory["flow_maximum_velocity"]), np.max(curve))
                np.testing.assert_allclose(curve[41:], -curve[1:41], atol=1e-12)
                bend = np.diff(curve, 2) / 0.1**2
                np.testing.assert_allclose(viscosity * bend[2:38], -0.2 * (np.sin(k * places[3:39]) if shape == "sine" else 1.0), atol=1e-3)
                self.assertEqual(np.max(np.abs(expected_profile(run, "velocity", 2, "x").at(places))), 0.0)
                found = {one.name: one for one in viscosity_section(run).estimates}["wave"]
                self.assertLess(abs(found.value / viscosity - 1.0), 0.04, f"{found}")  # waves of 8 cells: 2 % more than theory
        with Run(made(at_rest.replace("run:", "forces: [{uniform: [0.01, 0, 0], period: 50}]\nrun:"))) as run:
            self.assertIsNone(expected_profile(run, "velocity", 2, "x"))

    def test_a_face_of_slip_is_a_mirror(self) -> None:
        places = np.linspace(0.0, 10.0, 101)
        for side, flipped in (("upper", places), ("lower", 10.0 - places)):
            faces = {"lower": "no_slip", "upper": "no_slip", side: "slip"}
            with Run(made(FLOW.replace("z: no_slip", f"z: {{lower: {faces['lower']}, upper: {faces['upper']}}}"))) as run:
                profile = expected_profile(run, "velocity", 2, "x").at(places)
                viscosity = float(run.theory["predicted_viscosity"])
                np.testing.assert_allclose(profile, 0.01 / (2.0 * viscosity) * flipped * (20.0 - flipped), atol=1e-12)
                self.assertAlmostEqual(float(run.theory["flow_maximum_velocity"]), float(np.max(profile)), 12)
                self.assertAlmostEqual(float(run.theory["flow_mean_velocity"]), fluid_of(run).mean_velocity(), 12)
                self.assertEqual(expected_wall_stress(run, f"z {side}")[0], 0.0)

    def test_walls_of_two_temperatures(self) -> None:
        warm = FLOW.replace("z: no_slip", "z: {lower: no_slip, upper: {kind: no_slip, temperature: 2.0}}")
        warm = warm.replace("kind: maxwell_boltzmann", "kind: none").replace("0.02, 0, 0", "0, 0, 0")
        with Run(made(warm)) as run:
            kT = fluid_of(run).temperature
            profile = expected_profile(run, "temperature", 2, "").at(np.array([0.0, 5.0, 10.0]))
            np.testing.assert_allclose(profile, [kT, 0.5 * (kT + 2.0), 2.0])
            self.assertIsNone(expected_profile(run, "density", 2, ""))

    def test_a_temperature_that_changes(self) -> None:
        schedule = "temperature_schedule: [{step: 10, temperature: 1}, {step: 30, temperature: 2}, {step: 40, temperature: 0.5}]"
        text = AT_REST.replace("density: 10", f"density: 10, {schedule}") + "run: {equilibration: 40, steps: 20}\noutput:\n  series: {every: 5}\n"
        text += "  fields: {every: 5, quantities: [temperature], bins: [1, 1, 8]}\n"
        with Run(made(text)) as run:
            self.assertEqual(fluid_of(run).temperature, 0.5)
            # After n steps there is what the collision of step n - 1 left.
            curve = expected_series(run, "temperature")[0].at(np.array([0.0, 0.1, 1.1, 2.1, 3.1, 3.6, 4.1, 6.0]))
            np.testing.assert_allclose(curve, [1.0, 1.0, 1.0, 1.5, 2.0, 1.25, 0.5, 0.5], rtol=1e-12)
            energy = expected_series(run, "kinetic_energy")[0].at(np.array([2.1]))
            np.testing.assert_allclose(energy, 1.5 * 5119 * 1.5)
            # 4.5 standard deviations of 15360 freedoms, and the fluid is 0.11 steps behind ramps of up to 0.15 a step.
            series = run.series["temperature"].values
            wanted = expected_series(run, "temperature")[0].at(run.series["time"].values)
            self.assertLess(np.max(np.abs(series / wanted - 1.0)), 4.5 * np.sqrt(2.0 / 15360) + 0.11 * 0.15 / 0.5)
            np.testing.assert_array_equal(expected_profile(run, "temperature", 2, "").at(np.array([1.0])), 0.5)
        with Run(made(text.replace("equilibration: 40, steps: 20", "equilibration: 20, steps: 40"))) as run:
            self.assertIsNone(expected_profile(run, "temperature", 2, ""))  # of several


if __name__ == "__main__":
    unittest.main()

"""A cylinder in a stream: what its measurements find in numbers that are known, and in a small run."""

from __future__ import annotations

import unittest

import numpy as np

from made_runs import AT_REST, ToolTest, made
from mpcflow_tools import Run
from mpcflow_tools.analyze import analyze
from mpcflow_tools.errors import MissingResult
from mpcflow_tools.obstacle import drag_coefficient, frequency, mean_velocity, obstacle_of, strouhal_number, turning_point, velocity_behind, wake_length

IN_A_STREAM = AT_REST.replace("size: [8, 8, 8]", "size: [40, 20, 2]").replace("y: periodic", "y: no_slip").replace("A fluid at rest", "A stream").replace("time_step: 0.1", "time_step: 0.4") + """\
surfaces: [{cylinder: {axis: z, centre: [14, 10], radius: 3}, fluid: outside}]
stream: {axis: x, to: 5, velocity: [0.2, 0, 0], profile: parabolic}
run: {equilibration: 300, steps: 1200}
output:
  fields: {every: 5, bins: [20, 10, 1], time_window: 50}
  walls: {every: 5}
"""


class Numbers(unittest.TestCase):
    def test_a_frequency_is_found_in_noise(self) -> None:
        # Of a wave of the amplitude 1 in noise of the width 1, 400 values: the error of its frequency is (6 / 400^3)^(1/2) / pi in cycles per
        # value (Rife and Boorstyn, IEEE Trans. Inf. Theory 20 (1974) 591), and Hann's window makes it half as large again.
        random, times = np.random.default_rng(2), 0.5 * np.arange(400.0)
        for wanted in (0.02, 0.0531, 0.11):
            values = np.sin(2.0 * np.pi * wanted * times + 0.7) + random.normal(size=400) + 3.0
            found = frequency(times, values)
            self.assertAlmostEqual(found.value, wanted, delta=4.5 * 1.5 * np.sqrt(6.0 / 400**3) / np.pi / 0.5)
            self.assertLess(found.error, 0.05 * wanted)
        with self.assertRaises(ValueError):
            frequency(times, np.sin(2.0 * np.pi * 0.01 * times))

    def test_the_end_of_the_eddies(self) -> None:
        # A velocity that falls to -0.05 and rises through 0 at 25.4 in a straight line, in noise of the width 0.02: of means over 6 values the
        # error is 0.02 / 6^(1/2) over the slope of 0.005, 1.6; the seed is one of those within 4.5 of them, as are all but seven in a million.
        places = np.arange(60.0) + 0.5
        line = np.maximum(0.005 * (places - 25.4), -0.05 * np.minimum(places / 5.0, 1.0))
        exact = turning_point(places, line, np.full(60, 0.02), 6)
        self.assertAlmostEqual(exact.value, 25.4, places=10)
        self.assertAlmostEqual(exact.error, 0.02 / np.sqrt(6.0) / 0.005, places=6)
        random, errors = np.random.default_rng(8), []
        for _ in range(200):
            found = turning_point(places, line + random.normal(0.0, 0.02, 60), np.full(60, 0.02), 6)
            errors.append((found.value - 25.4) / exact.error)
        self.assertLess(max(map(abs, errors)), 4.5)
        # The scatter of 200 is known to a twentieth; the first of several crossings comes earlier, which makes it somewhat wider.
        self.assertAlmostEqual(float(np.std(errors)), 1.0, delta=0.3)
        for values in (np.abs(line), -np.abs(line) - 0.1):
            with self.assertRaises(ValueError):
                turning_point(places, values, np.full(60, 0.01), 6)


class InAStream(ToolTest):
    def test_a_small_run(self) -> None:
        with Run(made(IN_A_STREAM)) as run:
            cylinder = obstacle_of(run)
            self.assertEqual((cylinder.along, cylinder.axis, cylinder.across, cylinder.diameter, cylinder.length), (0, 2, 1, 6.0, 2.0))
            self.assertEqual(cylinder.centre, {0: 14.0, 1: 10.0})
            velocity, drag = mean_velocity(run, cylinder), drag_coefficient(run, cylinder)
            self.assertAlmostEqual(velocity.value, 0.2, delta=0.04)  # as the density varies, the flow rate is less
            force = run.walls["force"].values[0, 0]
            fluid = run.input["fluid"]
            self.assertAlmostEqual(drag.value, force / (0.5 * fluid["density"] * fluid["mass"] * velocity.value**2 * 12.0), places=10)
            self.assertGreater(drag.value, 2.0)
            times, values = velocity_behind(run, cylinder)
            self.assertEqual(times.shape, (24,))
            window = run.windows[3]["velocity"].values
            inside = np.abs(run.fields.centres("x") - 23.0) <= 1.5, np.abs(run.fields.centres("y") - 10.0) <= 1.5
            self.assertAlmostEqual(values[3], float(window[0][np.ix_(inside[1], inside[0])][..., 1].mean()), places=12)
            self.assertGreater(strouhal_number(run, cylinder).error, 0.0)
            found = {one.name: one for section in analyze(run, ["walls"]) for one in section.estimates}
            self.assertEqual(found["drag coefficient of surface 0 (cylinder)"].value, drag.value)
            self.assertEqual({one.theory for name, one in found.items() if name.startswith(("force", "stress"))}, {None})

    def test_the_eddies_are_measured_on_the_line_through_the_middle(self) -> None:
        with Run(made(IN_A_STREAM)) as run:
            cylinder, fields = obstacle_of(run), run.fields
            rows = fields["velocity"].values[0, 4:6, :, 0].mean(axis=0)  # y = 10 is between two rows of bins
            if np.any(rows[9:] < 0.0):
                end = turning_point(fields.centres("x")[9:], rows[9:], np.ones(11), 1)
                self.assertAlmostEqual(wake_length(run, cylinder).value, (end.value - 17.0) / 6.0, places=12)
            else:
                with self.assertRaises(ValueError):
                    wake_length(run, cylinder)

    def test_others_have_no_obstacle(self) -> None:
        along = IN_A_STREAM.replace("axis: z, centre: [14, 10]", "axis: x, centre: [10, 1]").replace("steps: 1200", "steps: 100").replace(
            "equilibration: 300", "equilibration: 0")
        for text in (AT_REST + "run: {steps: 10}\n", along):
            with Run(made(text)) as run, \
                    self.assertRaises(MissingResult):
                obstacle_of(run)


if __name__ == "__main__":
    unittest.main()

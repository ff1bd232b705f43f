#!/usr/bin/env python3
"""A temperature that follows a schedule, from end to end: restarts to the bit, and what `check` and run.h5 say."""

from __future__ import annotations

import json
import unittest

import h5py
import numpy as np

from restarting import OUTPUTS, RestartTest, flow

POINTS = [{"step": 20, "temperature": 1.5}, {"step": 110, "temperature": 0.5}]
FLUID = "{density: 10, temperature_schedule: [{step: 20, temperature: 1.5}, {step: 110, temperature: 0.5}]}"


def cooling(steps: int, checkpoint: str = "", outputs: str = OUTPUTS) -> str:
    text = flow(steps, checkpoint, outputs)
    assert "fluid: {density: 10}" in text
    return text.replace("fluid: {density: 10}", f"fluid: {FLUID}")


class Schedule(RestartTest):
    def test_a_run_goes_on_to_the_bit(self):
        text = cooling(150, "{every: 40}")
        expected = self.reference(text)
        name = self.write_input(text)
        self.mpcflow("run", name, "--quiet", "--output", "parts", "--set", "run.steps=60", "--threads", "2")
        self.mpcflow("run", name, "--quiet", "--output", "parts")
        self.check_same(self.results("parts"), expected)
        self.mpcflow("verify", "parts")

    def test_another_schedule_is_another_input(self):
        name = self.write_input(cooling(60, "{every: 30}", ""))
        self.mpcflow("run", name, "--quiet")
        done = self.mpcflow("run", name, "--quiet", "--set", "fluid.temperature_schedule.1.step=100",
                            "--set", "run.steps=90", status=3)
        self.assertIn("is of another input", done.stderr)
        self.assertIn("fluid.temperature_schedule.1.step", done.stderr)

    def test_what_is_said_of_it(self):
        name = self.write_input(cooling(20, "", "  series: {every: 5}\n"))
        said = self.mpcflow("check", name).stdout
        self.assertIn("temperature          1.5 in step 20, 0.5 in step 110; what theory says is of 0.5, the last\n", said)
        found = json.loads(self.mpcflow("check", name, "--json").stdout)
        self.assertEqual(found["temperature_schedule"], POINTS)
        self.assertEqual(found["theory"]["temperature"], 0.5)
        self.mpcflow("run", name, "--quiet")
        with h5py.File(self.folder / "out/run.h5") as file:
            self.assertEqual(file["theory"].attrs["temperature"], 0.5)
            steady = json.loads(self.mpcflow("check", name, "--json", "--set", "fluid={temperature: 0.5}").stdout)
            self.assertNotIn("temperature_schedule", steady)
            self.assertEqual({**steady["theory"], "temperature": 0.5}, found["theory"])
            # Up to step 20 at 1.5, to 4.5 standard deviations of 6480 freedoms; the flow has next to nothing of it.
            measured = np.asarray(file["series/temperature"])[np.asarray(file["series/step"]) <= 20]
            self.assertEqual(len(measured), 5)
            self.assertLess(np.max(np.abs(measured / 1.5 - 1.0)), 4.5 * np.sqrt(2.0 / 6480) + 0.01)


if __name__ == "__main__":
    unittest.main()

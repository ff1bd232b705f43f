"""`mpcflow bench outputs` from outside, on the CPU."""

import json
import unittest

from program import ProgramTest, input_text

OUTPUTS = """\
  fields: {every: 4, bins: [1, 2, 3]}
  stress: {every: 10, burst: 5}
  series: {every: 5}
"""


class BenchOutputs(ProgramTest):
    def test_json_has_a_cost_for_each_output(self):
        name = self.write_input(input_text(outputs=OUTPUTS))
        result = json.loads(self.mpcflow("bench", "outputs", name, "--threads", "1", "--json").stdout)
        self.assertEqual(result["particles"], 2160)
        self.assertGreater(result["step_seconds"], 0)
        outputs = {output["name"]: output for output in result["outputs"]}
        self.assertEqual({name: output["samples_a_step"] for name, output in outputs.items()},
                         {"series": 0.2, "fields": 0.25, "stress": 0.5})
        for name, output in outputs.items():
            with self.subTest(name):
                self.assertGreater(output["sample_seconds"], 0)
                self.assertAlmostEqual(output["share"],
                                       output["sample_seconds"] * output["samples_a_step"] / result["step_seconds"], places=12)
        self.assertEqual(self.files(), ["flow.yaml"])

    def test_the_table_names_them_and_their_sum(self):
        name = self.write_input(input_text(outputs=OUTPUTS))
        text = self.mpcflow("bench", "outputs", name, "--set", "output.series.every=50").stdout
        rows = {line.split()[0]: line.split() for line in text.splitlines() if line}
        self.assertEqual(rows["series"][1], "0.02")
        self.assertAlmostEqual(float(rows["all"][1]),
                               sum(float(rows[row][4]) for row in ("series", "fields", "stress")), delta=0.03)
        self.assertEqual(self.files(), ["flow.yaml"])

    def test_an_input_without_outputs_is_told_so(self):
        name = self.write_input(input_text(outputs=""))
        self.assertIn("no output", self.mpcflow("bench", "outputs", name).stdout)

    def test_bad_input_exits_with_2(self):
        name = self.write_input(input_text().replace("srd", "sdr"))
        self.assertIn("flow.yaml:5:19", self.mpcflow("bench", "outputs", name, status=2).stderr)


if __name__ == "__main__":
    unittest.main()

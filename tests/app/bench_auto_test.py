"""`mpcflow bench auto` from outside, and a run that leaves to the solver how it is executed. What needs a GPU runs where
there is one; with MPCFLOW_REQUIRE_GPU=1 there must be one."""

import json
import unittest

import h5py

from program import ProgramTest, input_text


class Arguments(ProgramTest):
    def test_bad_arguments_exit_with_2(self):
        for arguments in (["--device", "cpu"], ["--summation", "auto"], ["--summation", "peers", "fast"], ["--reorder", "0"],
                          ["--density", "0"], ["--particles", "0"], ["--law", "dpd"], ["--precision", "single"], ["extra"]):
            with self.subTest(arguments=arguments):
                done = self.mpcflow("bench", "auto", *arguments, status=2)
                self.assertTrue(done.stderr)
                self.assertEqual(done.stdout, "")
        self.mpcflow("bench", "step", "--summation", "fast", status=2)

    def test_help_names_the_ways(self):
        for command in ("auto", "step"):
            text = self.mpcflow("bench", command, "--help").stdout
            self.assertIn("--summation", text)
            self.assertIn("match", text)
            self.assertNotIn("->", text)

    def test_without_a_gpu_exits_with_3(self):
        self.skip_with_gpu()
        done = self.mpcflow("bench", "auto", "--law", "srd+a", "--precision", "mixed", status=3)
        self.assertRegex(done.stderr, r"^mpcflow: bench auto: .*\n$")


class Choices(ProgramTest):
    def test_json_has_the_choice_and_the_best_fixed_ones(self):
        self.require_gpu()
        small = ["bench", "auto", "--particles", "20000", "--density", "10", "--summation", "tile", "direct",
                 "--reorder", "4", "16"]
        results = json.loads(self.mpcflow(*small, "--json").stdout)
        self.assertEqual(len(results), 8)  # four laws, two precisions
        for result in results:
            # The two ways at their best intervals, which were timed in turns with auto's choice.
            self.assertEqual({fixed["summation"] for fixed in result["fixed"]}, {"tile", "direct"})
            self.assertLessEqual({fixed["reorder"] for fixed in result["fixed"]}, {4, 16})
            seconds = [fixed["step_seconds"] for fixed in result["fixed"]]
            self.assertEqual(seconds, sorted(seconds))
            self.assertAlmostEqual(result["loss"], result["auto"]["step_seconds"] / seconds[0] - 1, places=9)
            self.assertNotEqual(result["auto"]["summation"], "auto")
        text = self.mpcflow(*small, "--law", "srd+a", "--precision", "mixed").stdout
        self.assertIn("at worst auto takes", text)
        kinds = [line.split()[:2] for line in text.splitlines() if line.startswith("srd")]
        self.assertEqual(kinds, [["srd+a", "mixed"]])

    def test_a_run_tells_and_keeps_what_was_chosen(self):
        self.require_gpu()
        name = self.write_input(input_text(steps=12000))
        done = self.mpcflow("run", name, "--device", "cuda")
        self.assertRegex(done.stderr, r"(?m)^step \d+: summation \w+, re-ordered every \d+ steps")
        with h5py.File(self.folder / "out" / "run.h5") as file:
            notes = [note.decode() if isinstance(note, bytes) else note for note in file["run"].attrs["notes"]]
            summation = file["machine"].attrs["summation"]
            summation = summation.decode() if isinstance(summation, bytes) else summation
            interval = file["machine"].attrs["reorder_interval"]
        self.assertIn(f"summation {summation}, re-ordered every {interval} steps", notes[-1])


if __name__ == "__main__":
    unittest.main()

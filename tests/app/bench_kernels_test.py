"""`mpcflow bench kernels` from outside. Its measurements run where there is a GPU; with MPCFLOW_REQUIRE_GPU=1 there
must be one."""

import json
import unittest

from program import ProgramTest

PARTS = "abcdefg"


class Arguments(ProgramTest):
    def test_bad_arguments_exit_with_2(self):
        for arguments in (["--part", "z"], ["--part", ""], ["--part", "a;b"], ["--size", "huge"], ["--device", "cpu"],
                          ["--device", "gpu"], ["--repeats", "3"], ["extra"]):
            with self.subTest(arguments=arguments):
                done = self.mpcflow("bench", "kernels", *arguments, status=2)
                self.assertTrue(done.stderr)
                self.assertEqual(done.stdout, "")

    def test_help_names_the_options(self):
        text = self.mpcflow("bench", "kernels", "--help").stdout
        for option in ("--part", "--device", "--size", "--json"):
            self.assertIn(option, text)


class Measurements(ProgramTest):
    def test_without_a_gpu_exits_with_3(self):
        self.skip_with_gpu()
        for arguments in ([], ["--device", "cuda:0"], ["--part", "a", "--size", "small", "--json"]):
            done = self.mpcflow("bench", "kernels", *arguments, status=3)
            self.assertRegex(done.stderr, r"^mpcflow: bench kernels needs a CUDA device: \S.*\n$")
            self.assertEqual(done.stdout, "")

    def test_json(self):
        self.require_gpu()
        result = json.loads(self.mpcflow("bench", "kernels", "--size", "small", "--json").stdout)
        self.assertEqual(result["size"], "small")
        self.assertGreater(result["copy_bytes_per_second"], 0)
        for key in ("machine", "device", "cuda", "version", "commit", "date"):
            self.assertTrue(result[key], key)
        tables = result["tables"]
        self.assertEqual("".join(sorted({table["part"] for table in tables})), PARTS)
        self.assertEqual(len({table["name"] for table in tables}), len(tables))
        for table in tables:
            with self.subTest(table=table["name"]):
                self.assertGreater(len(table["rows"]), 1)
                self.assertGreater(table["items"], 0)
                for row in table["rows"]:
                    self.assertEqual(len(row["values"]), len(table["columns"]))
                    self.assertTrue(all(value is None or value > 0 for value in row["values"]), row)
                # Every way was measured somewhere.
                for i, column in enumerate(table["columns"]):
                    self.assertTrue(any(row["values"][i] is not None for row in table["rows"]), column)

    def test_tables_of_one_part_fit_a_terminal(self):
        self.require_gpu()
        text = self.mpcflow("bench", "kernels", "--size", "small", "--part", "a").stdout
        self.assertIn("peers", text)
        self.assertLessEqual(max(map(len, text.splitlines())), 120)


if __name__ == "__main__":
    unittest.main()

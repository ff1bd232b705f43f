"""Runs that go on on another device end as the run that never stopped; needs a GPU."""

import unittest

from restarting import RestartTest, flow


class OtherDevices(RestartTest):
    def test_from_cpu_to_gpu_and_back(self):
        self.require_gpu()
        for angular in ("false", "true"):
            for precision in ("double", "mixed"):
                with self.subTest(conserve_angular_momentum=angular, precision=precision):
                    folder = f"{precision}-{angular}"
                    text = flow(880, "{every: 300}").replace("device: cpu", f"device: cpu, precision: {precision}")
                    text = text.replace("time_step: 0.1", f"time_step: 0.1, conserve_angular_momentum: {angular}")
                    expected = self.reference(text)
                    name = self.write_input(text)
                    for steps, device in ((281, "cpu"), (580, "cuda"), (880, "cpu")):
                        done = self.mpcflow("run", name, "--device", device, "--output", folder,
                                            "--set", f"run.steps={steps}")
                        self.assertEqual("going on from" in done.stderr, steps > 281, done.stderr)
                    self.check_same(self.results(folder), expected)
                    self.mpcflow("run", name, "--device", "cuda", "--output", f"{folder}-cuda")
                    self.check_same(self.results(f"{folder}-cuda"), expected)

    def reference(self, text: str) -> dict:
        self.mpcflow("run", self.write_input(text, "reference.yaml"), "--output", "reference", "--overwrite", "--quiet")
        return self.results("reference")


if __name__ == "__main__":
    unittest.main()

"""mpcflow-submit with cases of several ranks, without a batch system: what jobs ask for, and what is refused."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from mpcflow_tools.batch.profile import ProfileError, parse_profile

PROGRAM = json.dumps(shlex.quote(os.environ.get("MPCFLOW", "mpcflow")))
INPUT = "box: {size: [6, 6, 6]}\nrun: {steps: 10}\nexecution: {device: cpu}\n"


class Ranks(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        (self.folder / "box.yaml").write_text(INPUT)
        (self.folder / "four.yaml").write_text(f"program: {PROGRAM}\nnodes: 2\nranks_per_node: 2\ncpus: 8\nmemory: 4G\n")

    def submit(self, *arguments: str, status: int = 0) -> str:
        done = subprocess.run([sys.executable, "-m", "mpcflow_tools.submit", "box.yaml", "--profile", "four.yaml", *arguments],
                              cwd=self.folder, capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done.stdout if status == 0 else done.stderr

    def test_a_job_asks_for_its_nodes_and_ranks(self):
        lines = self.submit("--dry-run").splitlines()
        for line in ("--nodes=2", "--ntasks-per-node=2", "--cpus-per-task=8", "--mem=4G"):
            self.assertIn(f"#SBATCH {line}", lines)
        self.assertFalse([line for line in lines if "--ntasks=" in line])

    def test_a_rank_is_a_gpu(self):
        (self.folder / "four.yaml").write_text(f"program: {PROGRAM}\nnodes: 3\ngpus_per_node: 2\ngpu_type: a100\n")
        lines = self.submit("--dry-run").splitlines()
        for line in ("--nodes=3", "--ntasks-per-node=2", "--gres=gpu:a100:2"):
            self.assertIn(f"#SBATCH {line}", lines)

    def test_an_input_that_cannot_be_cut_never_waits_in_a_queue(self):
        self.assertIn("box.size: cannot be cut along cell planes into 4 domains", self.submit("--set", "box.size=[1,1,3]", "--dry-run", status=2))

    def test_what_ranks_cannot_is_refused(self):
        for scheduler in ("local", "pbs"):
            self.assertIn(f"--scheduler {scheduler}: the profile has nodes, ranks_per_node, gpus_per_node: with {scheduler} a case is one process",
                          self.submit("--scheduler", scheduler, "--dry-run", status=2))
        self.assertIn("a case has 4 ranks: give --rate", self.submit("--measure", "--dry-run", status=2))
        for text, start in (("gpus: 1\nnodes: 2\n", "p.yaml:1:7: gpus: is of a case that is one process"),
                            ("gpus_per_node: 2\nranks_per_node: 4\n", "p.yaml:2:17: ranks_per_node: a rank is a GPU, of which there are 2"),
                            ("gpu_type: a100\n", "p.yaml:1:11: gpu_type: needs gpus or gpus_per_node"),
                            ("scheduler: pbs\nranks_per_node: 3\n", "p.yaml:2:17: nodes, ranks_per_node, gpus_per_node: with pbs"),
                            ("scheduler: local\ngpus_per_node: 2\n", "p.yaml:2:16: nodes, ranks_per_node, gpus_per_node: with local"),
                            ("launcher: \"mpirun '\"\n", "p.yaml:1:11: launcher:"), ("nodes: 0\n", "p.yaml:1:8: nodes: 0")):
            with self.assertRaises(ProfileError, msg=text) as caught:
                parse_profile(Path("p.yaml"), text)
            self.assertTrue(caught.exception.lines[0].startswith(start), caught.exception.lines)


if __name__ == "__main__":
    unittest.main()

"""Limits on memory: a run that would be killed for want of it is refused before, one that fits is not."""

import json
import os
import resource
import subprocess
import time
import unittest
from pathlib import Path

from program import ProgramTest

INPUT = """\
seed: 3
box: {{size: [{edge}, {edge}, {edge}]}}
fluid: {{density: 10}}
collision: {{rule: srd, angle: 130, time_step: 0.1}}
run: {{equilibration: 2, steps: 20}}
execution: {{device: cpu, threads: {threads}}}
output: {{directory: out, {outputs}}}
"""
MEBI = 1 << 20


def at_most(address_space: int):
    return lambda: resource.setrlimit(resource.RLIMIT_AS, (address_space, address_space))


class Memory(ProgramTest):
    def setUp(self) -> None:
        super().setUp()
        if self.mpcflow("--version", status=None, preexec_fn=at_most(256 * MEBI)).returncode != 0:
            self.skipTest("a sanitizer takes memory and terabytes of address space for itself")

    def write_box(self, edge: int, threads: int = 2, outputs: str = "series: {every: 5}") -> str:
        return self.write_input(INPUT.format(edge=edge, threads=threads, outputs=outputs), "box.yaml")

    def need(self, name: str) -> dict[str, int]:
        return json.loads(self.mpcflow("check", name, "--json").stdout)["memory"]

    def check_refused(self, name: str, whose: str, **options) -> None:
        done = self.mpcflow("run", name, status=3, **options)
        self.assertRegex(done.stderr, r"^mpcflow: memory: the run needs about [\d.]+ [MG]iB.*, but .*" + whose)
        self.assertEqual(len(done.stderr.splitlines()), 1)
        self.assertEqual(self.files(), [name], "nothing was written")
        report = json.loads(self.mpcflow("check", name, "--json", **options).stdout)
        self.assertTrue(any(whose in warning for warning in report["warnings"]), report["warnings"])

    def test_more_than_the_machine_has(self):
        name = self.write_box(20)
        if os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") > 200 << 30:
            self.skipTest("this machine has memory for the most particles that are possible")
        done = self.mpcflow("run", name, "--set", "box.size=[1000, 1000, 1000]", "--set", "fluid.density=2", status=3)
        self.assertRegex(done.stderr, "memory: the run needs about .* GiB, but")
        self.assertEqual(self.files(), [name])

    def least_to_start(self) -> int:
        """What the program takes to start at all: its libraries, which differ from machine to machine."""
        for limit in range(32 * MEBI, 1024 * MEBI, 16 * MEBI):
            if self.mpcflow("--version", status=None, preexec_fn=at_most(limit)).returncode == 0:
                return limit
        self.fail("does not start within a GiB")

    def test_a_limit_on_address_space(self):
        least = self.least_to_start()
        edge = next(edge for edge in (32, 48, 64) if self.need(self.write_box(edge, 1))["host_address_space"] > least)
        for threads in (1, 2, 8):
            # Of larger boxes a second copy for frames is left out where there is little memory: less is needed then.
            for outputs in ("series: {every: 5}", "trajectory: {every: 5, quantities: [position]}")[:2 if edge == 32 else 1]:
                with self.subTest(threads=threads, outputs=outputs):
                    name = self.write_box(edge, threads, outputs)
                    need = self.need(name)
                    self.assertGreater(need["host_address_space"] - need["host_bytes"], (threads - 1) * MEBI)
                    self.check_refused(name, "limit on address space", preexec_fn=at_most(need["host_address_space"]))
                    # What the program has mapped when it begins comes on top of that.
                    self.mpcflow("run", name, preexec_fn=at_most(need["host_address_space"] + least + 32 * MEBI))
                    subprocess.run(["rm", "-r", self.folder / "out"], check=True)

    def test_the_least_address_space_for_which_a_run_is_not_refused_is_enough(self):
        name = self.write_box(40, 4)
        least = self.least_to_start()  # below it, not even the program starts
        refused, granted = least, 1024 * MEBI
        while granted - refused > MEBI:
            middle = (refused + granted) // 2
            done = self.mpcflow("run", name, "--overwrite", "--quiet", status=None, preexec_fn=at_most(middle))
            self.assertIn(done.returncode, (0, 3), done.stderr)
            if done.returncode == 0:
                granted = middle
            else:
                refused = middle
                self.assertRegex(done.stderr, "memory: the run needs about", f"{middle / MEBI} MiB")
        self.assertGreater(refused, least, "no limit was refused")

    def control_group(self, limit: int) -> tuple[Path, str]:
        """A group of this limit, of whichever version is here; and the name of the file that has it. Skips the test where
        none may be made."""
        for folder, name in (("/sys/fs/cgroup/memory", "memory.limit_in_bytes"), ("/sys/fs/cgroup", "memory.max")):
            group = Path(folder) / f"mpcflow-test-{os.getpid()}"
            try:
                group.mkdir()
            except OSError:
                continue
            self.addCleanup(group.rmdir)
            try:
                (group / name).write_text(str(limit))
                return group, name
            except OSError:
                continue
        self.skipTest("may not make a control group here")

    def joining(self, group: Path):
        return lambda: (group / "cgroup.procs").write_text(str(os.getpid()))

    def test_a_limit_of_the_control_group(self):
        name = self.write_box(32)
        need = self.need(name)["host_bytes"]
        group, file = self.control_group(need - 2 * MEBI)
        self.check_refused(name, str(group), preexec_fn=self.joining(group))
        (group / file).write_text(str(need + 24 * MEBI))
        self.mpcflow("run", name, preexec_fn=self.joining(group))
        time.sleep(0.1)  # until the group is empty


if __name__ == "__main__":
    unittest.main()

"""What tools/gpu_check.sh says where compute-sanitizer finds something, or never comes to an end, with a sanitizer and a
program that only say that they ran."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

SCRIPT = Path(__file__).resolve().parents[2] / "tools/gpu_check.sh"
WANTED = "racecheck, examples/pipe, mixed"
# Of its arguments: --tool TOOL ... COMMAND...
OF_ONE = 'if [[ $2 == racecheck && "$*" == *examples/pipe.yaml* && "$*" == *"precision: mixed"* ]]; then {}; fi\n'


class Sanitizers(unittest.TestCase):
    def check(self, sanitizer: str) -> tuple[int, str]:
        folder = Path(tempfile.mkdtemp(prefix="mpcflow gpu_check "))
        self.addCleanup(shutil.rmtree, folder, ignore_errors=True)

        def write(name: str, script: str) -> None:
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(f"#!/bin/bash\n{script}")
            path.chmod(0o755)

        write("bin/compute-sanitizer", sanitizer)
        write("build/app/mpcflow", "exit 0\n")
        done = subprocess.run([SCRIPT, "--no-build", "--no-tests", "--no-bench", "--sanitizer", "--build-dir", folder / "build"],
                              env=os.environ | {"PATH": f"{folder}/bin:{os.environ['PATH']}"},
                              text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=120, check=False)
        return done.returncode, done.stdout

    def check_told(self, sanitizer: str) -> str:
        status, said = self.check(OF_ONE.format(sanitizer))
        self.assertEqual(status, 1, said)
        self.assertIn(f"FAILED compute-sanitizer {WANTED}\n", said)
        self.assertIn("FAIL gpu_check, 1 failed, in", said)
        return said

    def test_that_find_nothing_pass(self):
        status, said = self.check("exit 0\n")
        self.assertEqual(status, 0, said)
        self.assertIn("PASS gpu_check, without its tests and the comparison of bits, in", said.splitlines()[-1])

    def test_findings_are_told_and_shown(self):
        self.assertIn("========= a race", self.check_told("echo ========= a race; exit 9"))

    def test_a_run_that_is_killed_is_a_finding(self):
        self.check_told("kill -9 $$")

    def test_so_is_one_whose_shell_is_killed(self):
        self.check_told("kill -9 $PPID")

    def test_a_tool_that_fails_itself_may_try_once_more(self):
        fails = "echo Internal Sanitizer Error; exit 9"
        status, said = self.check(OF_ONE.format(f'if [[ ! -e $0.tried ]]; then : >"$0.tried"; {fails}; fi'))
        self.assertEqual(status, 0, said)
        self.check_told(fails)

    def test_so_are_tests_of_which_none_was_chosen(self):
        self.check_told("echo '[  PASSED  ] 0 tests.'")


if __name__ == "__main__":
    unittest.main()

"""mpcflow-submit on PBS, whose commands are stand-ins: arrays, and chains of jobs."""

from __future__ import annotations

import json
import shlex
import subprocess
import time
import unittest

import h5py

from submit_test import MPCFLOW, InAFolder

QSUB = """\
#!/usr/bin/env python3
# Takes a job as PBS does, and runs it at once: one task after the other.
import os, re, subprocess, sys
script = sys.argv[-1] if not sys.argv[-1].startswith("-") and os.path.exists(sys.argv[-1]) else None
text = open(script).read() if script else sys.stdin.read()
assert "#PBS" in text
for refused in (r"depend=\\w+:.*\\[\\d+\\]", r"walltime=(?!(\\d+:)?(\\d+:)?\\d+$)"):  # as OpenPBS does
    if re.search(refused, text + "\\n" + " ".join(sys.argv), re.MULTILINE):
        sys.exit("qsub: illegally formed job identifier or value")
number = len(os.listdir(os.environ["JOBS"])) + 1
options = dict(zip(sys.argv[1:-1:2], sys.argv[2:-1:2]))
first, last = map(int, re.match(r"(\\d+)-(\\d+)", options["-J"]).groups()) if "-J" in options else (0, 0)
open(os.path.join(os.environ["JOBS"], str(number)), "w").write(repr(sys.argv[1:]))
name = f"{number}[].server" if "-J" in options else f"{number}.server"
print(name, flush=True)
for task in range(first, last + 1):
    variables = {**os.environ, "PBS_O_WORKDIR": os.getcwd(), "PBS_JOBID": name.replace("[]", f"[{task}]")}
    if "-J" in options:
        variables["PBS_ARRAY_INDEX"] = str(task)
    elif "-v" in options:
        key, value = options["-v"].split("=")
        variables[key] = value
    subprocess.Popen(["bash", "-c", text], env=variables, stdin=subprocess.DEVNULL, start_new_session=True,
                     stdout=open("pbs.log", "ab"), stderr=subprocess.STDOUT)
"""


STOPPED_ONCE = """\
#!/bin/bash
# The program, whose first run of a case is stopped by a signal when it has saved: no limit of time does that
# as surely on a machine that is idle and on one with much to do.
[[ $1 == run && ! -e called ]] || exec {program} "$@"
echo "$@" >called
{program} "$@" &
until [[ -e results/checkpoint.h5 ]]; do sleep 0.01; done
kill -USR1 $!
wait $!
"""


class WithPbs(InAFolder):
    """The commands of PBS by a stand-in that runs jobs at once. No real PBS is in Debian."""

    def setUp(self) -> None:
        super().setUp()
        stopped_once = self.folder / "stopped_once"
        stopped_once.write_text(STOPPED_ONCE.format(program=shlex.quote(MPCFLOW)))
        stopped_once.chmod(0o755)
        self.profile("chain", f"program: {json.dumps(shlex.quote(str(stopped_once)))}\nscheduler: pbs\ntime_limit: 1:00:00\nmargin: 1")
        commands = self.folder / "bin"
        commands.mkdir()
        (commands / "qsub").write_text(QSUB)
        (commands / "qstat").write_text("#!/bin/bash\necho '{\"Jobs\": {}}'\n")
        for command in commands.iterdir():
            command.chmod(0o755)
        self.jobs = self.folder / "jobs"
        self.jobs.mkdir()
        self.environment |= {"PATH": f"{commands}:{self.environment['PATH']}", "JOBS": str(self.jobs)}

    def wait_until_done(self, seconds: float = 60.0) -> list[dict]:
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            cases = json.loads(self.submit("status", "sweeps/flow", "--json"))["cases"]
            if all(case["state"] == "done" for case in cases):
                return cases
            time.sleep(0.3)
        self.fail(f"{cases}\n{(self.folder / 'sweeps/flow/pbs.log').read_text()}")


class OnPbs(WithPbs):
    """What the commands are given, and that chains go on."""

    def test_an_array_runs_its_cases(self):
        self.submit("flow.yaml", "--sweep", "collision.angle=90,120", "--scheduler", "pbs", "--time", "1:00:00")
        self.wait_until_done()
        self.assertIn("'-J', '0-1'", (self.jobs / "1").read_text())

    def test_a_run_goes_on_in_a_further_job_when_its_time_is_over(self):
        self.write_input(20_000)
        self.submit("flow.yaml", "--profile", "chain")
        self.assertEqual([case["attempts"] for case in self.wait_until_done()], [2])
        self.assertEqual(len(list(self.jobs.iterdir())), 2)
        self.assertIn("--max-wall-time 3599", (self.folder / "sweeps/flow/case-0000/called").read_text())
        self.assertIn("depend=afterany:1.server", (self.jobs / "2").read_text())
        whole = self.folder / "whole"
        subprocess.run([MPCFLOW, "run", "flow.yaml", "--output", whole, "--quiet", "--threads", "1"], cwd=self.folder, check=True)
        hashes = []
        for results in (whole, self.folder / "sweeps/flow/case-0000/results"):
            with h5py.File(results / "run.h5") as file:
                hashes.append(file["run"].attrs["state_hash_hex"])
        self.assertEqual(*hashes)


if __name__ == "__main__":
    unittest.main()

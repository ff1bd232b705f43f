"""What must never happen to a sweep: two jobs on one case, a chain without an end, a run without an owner, a state that is not so."""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import sys
import time
import unittest
from pathlib import Path

import submit_test
from mpcflow_tools.batch.lock import LockedError, is_locked, take_lock
from mpcflow_tools.batch.worker import is_cancelled

SQUEUE = """\
#!/bin/bash
cat "$JOBS/queue"
"""
SBATCH = """\
#!/bin/bash
# Takes a job, and runs it before it answers where JOBS/at_once is there. What collects comes without a file.
if [[ ${!#} != job.sh ]]; then cat >>"$JOBS/collecting.sh"; echo 8; exit; fi
cp job.sh "$JOBS/last.sh"
if [[ -e $JOBS/at_once ]]; then SLURM_JOB_ID=7 bash job.sh; fi
echo 7
"""


class Locks(unittest.TestCase):
    def test_a_case_belongs_to_one_process(self):
        folder = Path(self.enterContext(submit_test.tempfile.TemporaryDirectory()))
        self.assertFalse(is_locked(folder))
        holder = subprocess.Popen([sys.executable, "-c", "import sys, pathlib\nfrom mpcflow_tools.batch.lock import take_lock\n"
                                   "take_lock(pathlib.Path(sys.argv[1]))\nprint('has it', flush=True)\nsys.stdin.read()", folder],
                                  stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.addCleanup(holder.communicate)
        assert holder.stdout
        holder.stdout.readline()
        self.assertTrue(is_locked(folder))
        with self.assertRaises(LockedError):
            take_lock(folder)
        self.assertTrue(is_locked(folder), "to ask takes nothing")
        holder.kill()
        holder.wait()
        self.assertFalse(is_locked(folder))
        os.close(take_lock(folder))


class Sweeps(submit_test.InAFolder):
    """With stand-ins for the commands of Slurm; what they say is in files of `jobs`."""

    def setUp(self) -> None:
        super().setUp()
        self.jobs = self.folder / "jobs"
        commands = self.folder / "bin"
        for folder in (self.jobs, commands):
            folder.mkdir()
        for name, text in (("sbatch", SBATCH), ("squeue", SQUEUE), ("scancel", "#!/bin/bash\n")):
            (commands / name).write_text(text)
            (commands / name).chmod(0o755)
        (self.jobs / "queue").write_text("")
        self.environment |= {"PATH": f"{commands}:{self.environment['PATH']}", "JOBS": str(self.jobs)}
        self.sweep = self.folder / "sweeps/flow"
        self.case = self.sweep / "case-0000"

    def states(self) -> list[str]:
        return [case["state"] for case in json.loads(self.submit("status", self.sweep, "--json"))["cases"]]

    def attempts(self) -> list[dict]:
        return [json.loads(line) for line in (self.case / "attempts.jsonl").read_text().splitlines()]

    def note(self, *lines: dict) -> None:
        with (self.case / "attempts.jsonl").open("a") as file:
            file.writelines(json.dumps(line) + "\n" for line in lines)

    def work(self) -> subprocess.CompletedProcess:
        return subprocess.run([sys.executable, "-m", "mpcflow_tools.batch.worker", "run", self.sweep, "0"], text=True,
                              capture_output=True, timeout=60, env=self.environment | {"SLURM_JOB_ID": "7"})

    def program(self, body: str) -> str:
        """A profile's line: mpcflow, but for `run`, which is this shell script."""
        path = self.folder / "program"
        path.write_text(f"#!/bin/bash\n[[ $1 == run ]] || exec {shlex.quote(submit_test.MPCFLOW)} \"$@\"\n{body}\n")
        path.chmod(0o755)
        return f"program: {json.dumps(shlex.quote(str(path)))}"

    def until(self, condition, seconds: float = 30.0) -> None:
        deadline = time.monotonic() + seconds
        while not condition():
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.05)

    # -- chains

    def test_a_case_that_takes_its_node_along_is_given_up(self):
        self.submit("flow.yaml")
        self.note(*[{"event": "began", "step": 0, "job": "7"}] * 3)  # and never an end
        done = self.work()
        self.assertEqual(done.returncode, 3)
        self.assertIn("3 jobs in a row", done.stderr)
        self.assertFalse((self.case / "results").exists(), "the program was not begun")
        self.assertEqual(self.states(), ["failed"])

    def test_a_job_whose_chain_ends_does_not_ask_to_be_requeued(self):
        self.profile("default", self.program("exit 85") + "\nfailures: 1")
        self.submit("flow.yaml")
        self.assertEqual(self.work().returncode, 1)
        self.assertEqual(self.attempts()[-1]["then"], "failed")
        self.assertEqual(self.attempts()[-1]["status"], 85)

    def test_a_signal_after_that_of_the_limit_is_the_limits(self):
        self.profile("default", self.program("trap 'kill -9 $!; sleep 0.3; exit 85' USR1\ntrap '' TERM\ntouch began\nsleep 60 & wait")
                     + "\nrequeue: false")
        self.submit("flow.yaml")
        worker = subprocess.Popen([sys.executable, "-m", "mpcflow_tools.batch.worker", "run", self.sweep, "0"],
                                  env=self.environment | {"SLURM_JOB_ID": "7"}, stderr=subprocess.DEVNULL)
        self.until((self.case / "began").exists)
        worker.send_signal(signal.SIGUSR1)
        time.sleep(0.1)
        worker.send_signal(signal.SIGTERM)
        self.assertEqual(worker.wait(timeout=30), 0)
        self.assertEqual([self.attempts()[-1][key] for key in ("then", "next")], ["goes on", "7"])

    def test_what_was_cancelled_is_stopped(self):
        self.submit("flow.yaml", "--repeat", "2")
        (self.jobs / "queue").write_text("7_0|RUNNING\n7_1|PENDING\n")
        self.assertEqual(self.states(), ["running", "waiting"])
        self.submit("cancel", self.sweep)
        self.assertTrue(is_cancelled(self.attempts()))
        (self.jobs / "queue").write_text("")
        self.assertEqual(self.states(), ["stopped", "stopped"])

    # -- the order of things

    def test_a_job_may_end_before_it_has_an_id(self):
        (self.jobs / "at_once").touch()
        self.submit("flow.yaml")
        self.assertEqual([line["event"] for line in self.attempts()], ["submitted", "began", "ended"])
        self.assertEqual(self.states(), ["done"])
        self.assertIn("nothing to begin again", self.submit("resubmit", self.sweep))

    # -- resubmit

    def test_what_is_in_the_queue_stays_the_queues(self):
        self.submit("flow.yaml", "--repeat", "2")
        (self.jobs / "queue").write_text("7_0|PENDING\n")  # and 7_1 is lost
        self.assertIn("still in the queue (slurm)", self.submit("resubmit", self.sweep, "--scheduler", "pbs", status=2))
        self.submit("resubmit", self.sweep, "--scheduler", "local")
        self.assertEqual(self.states(), ["waiting", "done"])
        self.assertEqual(json.loads((self.sweep / "sweep.json").read_text())["profile"].get("scheduler", "slurm"), "slurm")
        self.assertIn("1 of 2 cases were in the queue", self.submit("cancel", self.sweep))

    def test_a_script_that_was_changed_stays_unless_more_is_asked_for(self):
        self.profile("default", f"program: {submit_test.PROGRAM}\ntime_limit: '1:00:00'")
        self.submit("flow.yaml")
        script = self.sweep / "job.sh"
        script.write_text(script.read_text() + "# by hand\n")
        self.submit("resubmit", self.sweep)
        self.assertIn("# by hand", (self.jobs / "last.sh").read_text())
        self.submit("resubmit", self.sweep, "--time", "4:00:00")
        self.assertIn("--time=4:00:00", (self.jobs / "last.sh").read_text())
        self.profile("large", self.program("exit 0") + "\ntime_limit: '2:00:00'\nmemory: 64G")
        self.submit("resubmit", self.sweep, "--profile", "large")
        self.assertRegex((self.jobs / "last.sh").read_text(), r"(?s)--time=2:00:00.*--mem=64G|--mem=64G.*--time=2:00:00")
        self.assertEqual(json.loads((self.sweep / "sweep.json").read_text())["program"], [str(self.folder / "program")])

    def test_what_is_resubmitted_is_collected_once(self):
        self.submit("flow.yaml")
        for queue, jobs in (("", 1), ("8|PENDING\n", 1), ("8|RUNNING\n", 2)):  # one that runs may have looked already
            (self.jobs / "queue").write_text(queue)
            self.assertIn("job 8: collects their results afterwards", self.submit("resubmit", self.sweep, "--collect"))
            collecting = (self.jobs / "collecting.sh").read_text()
            self.assertEqual(collecting.count("#SBATCH --dependency=afterany:7\n"), jobs, queue)
        self.assertEqual(self.submit("resubmit", self.sweep).count("collects"), 0, "not asked for")

    # -- the local queue

    def test_a_case_that_another_queue_runs_is_left_alone(self):
        self.profile("default", self.program("touch began\nexec sleep 60") + "\nscheduler: local")
        queue = subprocess.Popen([sys.executable, "-m", "mpcflow_tools.submit", "flow.yaml"], cwd=self.folder, env=self.environment,
                                 stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.until((self.case / "began").exists)
        self.assertEqual(self.states(), ["running"])
        self.assertIn("nothing to begin again", self.submit("resubmit", self.sweep))
        self.assertEqual(self.work().returncode, 3)
        queue.send_signal(signal.SIGTERM)
        self.assertEqual(queue.wait(timeout=30), 85)
        self.assertEqual(len([line for line in self.attempts() if line["event"] == "began"]), 1)
        self.assertEqual(self.states(), ["stopped"])

    def test_an_error_of_the_queue_ends_its_runs(self):
        self.profile("default", self.program("touch began\nexec sleep 60") + "\nscheduler: local\nat_once: 2\ncpus: 1")
        (self.folder / "hook").mkdir()
        # The second case's folder goes while the first is being started, as a disk may.
        (self.folder / "hook/sitecustomize.py").write_text(
            "import os, shutil, subprocess\nreal = subprocess.Popen\n"
            "class Popen(real):\n"
            "    def __init__(self, words, *rest, **more):\n"
            "        super().__init__(words, *rest, **more)\n"
            "        if 'run' in words:\n"
            "            shutil.rmtree(os.path.join(more['cwd'], '..', 'case-0001'), ignore_errors=True)\n"
            "            open(os.path.join(more['cwd'], 'pid'), 'w').write(str(self.pid))\n"
            "subprocess.Popen = Popen\n")
        self.environment["PYTHONPATH"] = f"{self.folder / 'hook'}:{self.environment.get('PYTHONPATH', '')}"
        words = [sys.executable, "-m", "mpcflow_tools.submit", "flow.yaml", "--repeat", "2"]
        done = subprocess.run(words, cwd=self.folder, env=self.environment, capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertNotIn("Traceback", done.stderr)
        with self.assertRaises(ProcessLookupError):
            os.kill(int((self.case / "pid").read_text()), 0)
        self.assertEqual(self.attempts()[-1]["event"], "ended")


if __name__ == "__main__":
    unittest.main()

"""Queues of this machine as other terminals have to do with them: who has a case, and how a queue is ended."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
import unittest
from pathlib import Path

import h5py
import submit_test  # not its classes by name: unittest would run their tests twice

from mpcflow_tools.batch.folder import note_attempt
from mpcflow_tools.batch.local_queues import beginning_of
from mpcflow_tools.batch.lock import take_lock

STEPS = 20_000  # some seconds of work on a busy machine; a case that is held takes longer


class Cancelling(submit_test.InAFolder):
    def setUp(self) -> None:
        super().setUp()
        self.sweep = self.folder / "sweeps/flow"
        self.profile("default", f"program: {submit_test.PROGRAM}\nscheduler: local\nat_once: 1")
        self.write_input(STEPS)

    def begin(self, *arguments: str, through: tuple[str, ...] = ()) -> subprocess.Popen[str]:
        queue = subprocess.Popen([*through, sys.executable, "-m", "mpcflow_tools.submit", *arguments], cwd=self.folder, env=self.environment,
                                 stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.addCleanup(queue.stdout.close)
        self.addCleanup(queue.wait)
        self.addCleanup(queue.terminate)
        return queue

    def until(self, is_so, what: str) -> None:
        deadline = time.monotonic() + 60.0
        while not is_so():
            self.assertLess(time.monotonic(), deadline, what)
            time.sleep(0.05)

    def until_saved(self, case: int = 0) -> None:
        self.until((self.sweep / f"case-{case:04d}/results/checkpoint.h5").exists, "a checkpoint")

    def until_held(self) -> None:
        """Until the first case has saved. It stands still then, until go_on(), so that what is asked meanwhile may take any time."""
        self.until_saved()
        self.addCleanup(self.go_on)  # a queue waits for what it has begun
        self.send(signal.SIGSTOP)

    def go_on(self) -> None:
        self.send(signal.SIGCONT)

    def send(self, number: signal.Signals, case: int = 0) -> None:
        """Sends the run of a case a signal."""
        folder = os.path.realpath(self.sweep / f"case-{case:04d}")
        for entry in Path("/proc").iterdir():
            try:
                if entry.name.isdigit() and os.readlink(entry / "cwd") == folder:
                    os.kill(int(entry.name), number)
            except OSError:
                continue

    def cases(self) -> list[dict]:
        return json.loads(self.submit("status", self.sweep, "--json"))["cases"]

    def states(self) -> list[str]:
        return [case["state"] for case in self.cases()]

    def attempts(self, case: int) -> list[dict]:
        return [json.loads(line) for line in (self.sweep / f"case-{case:04d}/attempts.jsonl").read_text().splitlines()]

    def queue_files(self) -> list[Path]:
        return list(self.sweep.glob("queue-*"))

    def write_queue_file(self, **facts: object) -> Path:
        content = {"format": "mpcflow local queue", "format_version": 1, "running": [0], "waiting": [], **facts}
        path = self.sweep / f"queue-{facts['node']}-{facts['process']}.json"
        path.write_text(json.dumps(content))
        return path

    def hash_of(self, results: Path) -> str:
        with h5py.File(results / "run.h5") as file:
            self.assertEqual(file["run"].attrs["status"].decode(), "completed")
            return file["run"].attrs["state_hash_hex"].decode()

    def assert_uncut(self, case: int) -> None:
        uncut = self.folder / f"uncut-{case}"
        subprocess.run([submit_test.MPCFLOW, "run", self.sweep / f"case-{case:04d}/input.yaml", "--output", uncut, "--quiet",
                        "--threads", "1"], check=True)
        self.assertEqual(self.hash_of(self.sweep / f"case-{case:04d}/results"), self.hash_of(uncut))

    def test_from_another_terminal_a_queue_is_ended_and_what_it_had_goes_on_to_the_same_bits(self):
        queue = self.begin("flow.yaml", "--sweep", f"run.steps={STEPS},1000", "--collect")
        self.until_held()
        self.assertEqual(self.states(), ["running", "waiting"])
        self.assertIn("nothing to begin again", self.submit("resubmit", self.sweep), "what waits is the queue's")
        self.assertIn("2 of 2 cases were in the queue, and are cancelled", self.submit("cancel", self.sweep))
        self.go_on()
        said = queue.communicate(timeout=60)[0]
        self.assertEqual(queue.returncode, 85, said)
        self.assertIn("cancelled (SIGTERM): what runs saves first, 1 of 2 cases are not begun", said)
        self.assertIn("2 stopped", said)
        found = self.cases()
        self.assertEqual([case["state"] for case in found], ["stopped", "stopped"])
        self.assertIn("stopped by SIGTERM", found[0]["message"])
        self.assertGreater(found[0]["steps_done"], 0)
        self.assertLess(found[0]["steps_done"], STEPS)
        self.assertEqual([self.attempts(0)[-1][key] for key in ("event", "status", "then")], ["ended", 85, "stopped"])
        self.assertEqual([line["event"] for line in self.attempts(1)], ["ended"], "never begun")
        self.assertFalse((self.sweep / "case-0001/results").exists())
        self.assertFalse((self.sweep / "results.csv").exists(), "what is cancelled is not collected")
        self.assertEqual(self.queue_files(), [])
        self.assertIn("0 of 2 cases were in the queue", self.submit("cancel", self.sweep))
        self.assertIn("2 of 2 cases are complete", self.submit("resubmit", self.sweep, "--collect"))
        self.assertTrue((self.sweep / "results.csv").exists())
        found = self.cases()
        self.assertEqual([(case["state"], case["attempts"]) for case in found], [("done", 2), ("done", 1)])
        for case in range(2):
            self.assert_uncut(case)

    def test_a_queue_that_took_a_sweep_over_is_ended_where_the_clusters_commands_are_not(self):
        self.environment["PATH"] = "/nowhere"
        self.assertIn("sbatch: cannot be run", self.submit("flow.yaml", "--scheduler", "slurm", status=3))
        queue = self.begin("resubmit", str(self.sweep), "--scheduler", "local")
        self.until_held()
        self.assertIn("1 of 1 cases were in the queue", self.submit("cancel", self.sweep))
        self.go_on()
        self.assertEqual(queue.wait(timeout=60), 85)
        self.assertEqual(self.states(), ["stopped"])

    def test_a_queue_that_stays_when_its_terminal_goes_is_ended_by_cancel(self):
        queue = self.begin("flow.yaml", through=("nohup",))
        self.until_held()
        queue.send_signal(signal.SIGHUP)
        time.sleep(0.5)
        self.assertEqual(self.states(), ["running"])
        self.submit("cancel", self.sweep)
        self.go_on()
        said = queue.communicate(timeout=60)[0]
        self.assertEqual(queue.returncode, 85, said)
        self.assertIn("cancelled (SIGTERM)", said)
        self.assertNotIn("terminal has gone", said)
        self.assertEqual(self.states(), ["stopped"])

    def test_a_process_that_has_the_number_of_a_queue_that_was_killed_is_left_alone(self):
        self.write_input(10)
        self.submit("flow.yaml")
        other = subprocess.Popen(["sleep", "60"])
        self.addCleanup(other.wait)
        self.addCleanup(other.kill)
        self.assertTrue(beginning_of(other.pid))
        boot, ticks = beginning_of(other.pid).split()
        node = os.uname().nodename
        for began in (f"{boot} {int(ticks) - 1}", f"00000000-0000-0000-0000-000000000000 {ticks}", ""):
            self.write_queue_file(node=node, process=other.pid, began=began)
            self.assertEqual(self.states(), ["done"])
            self.assertIn("0 of 1 cases were in the queue", self.submit("cancel", self.sweep))
            self.assertIsNone(other.poll(), began)
        for text in ("", "[1]", "{}", '{"format": "mpcflow local queue", "format_version": 1}'):
            (self.sweep / "queue-x-1.json").write_text(text)
            self.assertIn("0 of 1 cases were in the queue", self.submit("cancel", self.sweep), "no file of a queue")

    def test_what_a_queue_that_was_killed_left_is_cleared_away_by_the_next(self):
        self.write_input(10)  # what takes long is a program of its own
        pid = self.folder / "pid"
        slow = self.folder / "slow"
        slow.write_text(f"#!/bin/bash\n[[ $1 == run ]] || exec {submit_test.shlex.quote(submit_test.MPCFLOW)} \"$@\"\n"
                        f"echo $$ >{submit_test.shlex.quote(str(pid))}\nexec sleep 60\n")
        slow.chmod(0o755)
        self.profile("default", f"program: {json.dumps(submit_test.shlex.quote(str(slow)))}\nscheduler: local\nat_once: 1")
        queue = self.begin("flow.yaml", "--repeat", "2")
        self.until(lambda: pid.exists() and pid.read_text(), "its run")
        self.until(lambda: len(self.queue_files()) == 1, "its file")
        queue.kill()
        queue.wait()
        os.kill(int(pid.read_text()), signal.SIGKILL)
        self.assertEqual(self.states(), ["lost", "new"])
        self.assertIn("0 of 2 cases were in the queue", self.submit("cancel", self.sweep))
        self.profile("default", f"program: {submit_test.PROGRAM}\nscheduler: local")
        self.submit("resubmit", self.sweep, "--profile", "default")
        self.assertEqual(self.states(), ["done", "done"])
        self.assertEqual(self.queue_files(), [])

    def test_a_queue_of_another_node_is_named_and_not_ended_here(self):
        self.write_input(10)
        self.submit("flow.yaml", "--repeat", "2")
        (self.sweep / "case-0001/attempts.jsonl").unlink()
        other = subprocess.Popen(["sleep", "60"])
        self.addCleanup(other.wait)
        self.addCleanup(other.kill)
        self.write_queue_file(node="elsewhere", process=other.pid, began=beginning_of(other.pid))
        self.assertIn("0 of 2 cases were in the queue", self.submit("cancel", self.sweep), "it runs none, so it has ended")
        lock = take_lock(self.sweep / "case-0000")
        self.addCleanup(os.close, lock)
        note_attempt(self.sweep / "case-0000", event="began", job="7_0", node="elsewhere")
        self.assertIn("0 of 2 cases were in the queue", self.submit("cancel", self.sweep), "a cluster's job runs it by now")
        note_attempt(self.sweep / "case-0000", event="began", job="local-0", node="elsewhere")
        self.assertEqual(self.states()[0], "running")
        self.assertRegex(self.submit("cancel", self.sweep, status=3), rf"node elsewhere runs cases of it \(process {other.pid}\)")
        self.assertIsNone(other.poll())


if __name__ == "__main__":
    unittest.main()

"""mpcflow-submit against a real Slurm: sweeps, chains over time limits, and all that ends jobs before their end."""

from __future__ import annotations

import csv
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import h5py

from slurm_cluster import SlurmCluster, missing_parts

MPCFLOW = os.environ.get("MPCFLOW", "mpcflow")
PROGRAM = json.dumps(shlex.quote(MPCFLOW))  # words of a shell, as a text of YAML
LONG = "MPCFLOW_SLURM_LONG" in os.environ  # as tools/test.sh --all has it: the limit alone cuts the chain
SUBMIT = [sys.executable, "-m", "mpcflow_tools.submit"]
INPUT = """\
title: A flow for a queue
seed: 11
box: {{size: [8, 8, 8]}}
fluid: {{density: 10}}
collision: {{rule: srd, angle: 130, time_step: 0.1}}
thermostat: {{kind: maxwell_boltzmann}}
boundaries: {{x: periodic, y: periodic, z: no_slip}}
forces: [{{uniform: [0.01, 0, 0]}}]
run: {{equilibration: 100, steps: {steps}}}
checkpoint: {{every: 500}}
execution: {{device: cpu}}
output:
  fields: {{every: 10, quantities: [velocity], bins: [1, 1, 8]}}
  series: {{every: 50}}
"""
# A program that does little in a minute, without a processor's being busy for it: but for its beginning it stands still most of
# the time, until it is told to save, and it does so for three jobs.
SLOW = f"""\
#!{sys.executable}
import os, signal, subprocess, sys, time
words = [{MPCFLOW!r}, *sys.argv[1:]]
jobs = open("attempts.jsonl").read().count('"began"') if os.path.exists("attempts.jsonl") else 9
if jobs > 3:
    os.execv(words[0], words)
asked = []
signal.signal(signal.SIGUSR1, lambda *_: asked.append(True))
child = subprocess.Popen(words)
time.sleep(0.3)
while child.poll() is None and not asked:
    child.send_signal(signal.SIGSTOP)
    time.sleep(0.49)
    child.send_signal(signal.SIGCONT)
    time.sleep(0.01)
if asked:
    child.send_signal(signal.SIGUSR1)
sys.exit(child.wait())
"""


@unittest.skipIf(missing_parts(), f"no Slurm here: {', '.join(missing_parts())}")
class OnSlurm(unittest.TestCase):
    cluster: SlurmCluster
    folder: Path
    chain: Future[Path]
    uncut: dict[str, str] = {}  # state hashes of runs that nothing disturbed, by their inputs

    @classmethod
    def setUpClass(cls) -> None:
        cls.folder = Path(tempfile.mkdtemp(prefix="mpcflow submit ü'test "))
        cls.addClassCleanup(shutil.rmtree, cls.folder, ignore_errors=True)
        cls.cluster = SlurmCluster(cpus=4)
        cls.addClassCleanup(cls.cluster.stop)
        cls.environment = cls.cluster.environment | {"XDG_CONFIG_HOME": str(cls.folder / "config")}
        profiles = cls.folder / "config/mpcflow/clusters"
        profiles.mkdir(parents=True)
        (profiles / "default.yaml").write_text(f"partition: main\nprogram: {PROGRAM}\nmargin: 40\n")
        (profiles / "no_requeue.yaml").write_text(f"partition: main\nprogram: {PROGRAM}\nrequeue: false\n")
        beside = ThreadPoolExecutor(1)
        cls.addClassCleanup(beside.shutdown)
        cls.chain = beside.submit(cls.cut_chain)

    # -- what the tests share

    def write_input(self, name: str, steps: int) -> Path:
        path = self.folder / name
        path.write_text(INPUT.format(steps=steps))
        return path

    def submit(self, *arguments: object, status: int = 0) -> str:
        done = subprocess.run([*SUBMIT, *map(str, arguments)], cwd=self.folder, env=self.environment, capture_output=True, text=True,
                              timeout=120)
        self.assertEqual(done.returncode, status, f"{arguments}\n{done.stdout}{done.stderr}")
        return done.stdout if status == 0 else done.stderr

    def cases(self, sweep: Path) -> list[dict]:
        return json.loads(self.submit("status", sweep, "--json"))["cases"]

    def wait_for(self, sweep: Path, wanted: set[str], seconds: float = 120.0) -> list[dict]:
        """Waits until every case is in one of these states. It asks where attempts were noted, and every two seconds, for what is
        lost notes none: to ask takes more of a processor than all else that happens."""
        deadline = time.monotonic() + seconds
        noted: list[int] | None = None
        while True:
            asked = time.monotonic()
            while noted == (noted := [path.stat().st_size for path in sorted(sweep.glob("case-*/attempts.jsonl"))]) and (
                    time.monotonic() < asked + 2.0):
                time.sleep(0.2)
            found = self.cases(sweep)
            if all(case["state"] in wanted for case in found):
                return found
            if time.monotonic() > deadline:
                logs = "\n".join(path.read_text(errors="replace")[-1500:] for path in sorted(sweep.glob("case-*/job.log")))
                attempts = "\n".join(path.read_text() for path in sorted(sweep.glob("case-*/attempts.jsonl")))
                self.fail(f"{found}\n{self.cluster.call('squeue', check=False)}\n{attempts}\n{logs}")
            time.sleep(0.2)

    def wait_for_steps(self, sweep: Path, steps: int, case: int = 0, seconds: float = 60.0) -> None:
        """Waits until a case's checkpoint has so many steps."""
        deadline = time.monotonic() + seconds
        path = sweep / f"case-{case:04d}/results/checkpoint.h5"
        while time.monotonic() < deadline:
            try:
                with h5py.File(path, locking=False) as file:
                    if file["run"].attrs["step"] >= steps:
                        return
            except (OSError, KeyError):
                pass
            time.sleep(0.05)
        self.fail(f"{path}: has not come to step {steps}: {self.cases(sweep)}")

    def processes_of(self, sweep: Path, word: str) -> list[int]:
        """Of the sweep's jobs on this machine, those whose command line has `word` as a word of its own."""
        found = []
        for entry in Path("/proc").iterdir():
            try:
                if entry.name.isdigit() and word.encode() in (entry / "cmdline").read_bytes().split(b"\0") and os.path.realpath(
                        entry / "cwd").startswith(os.path.realpath(sweep)):
                    found.append(int(entry.name))
            except OSError:
                continue
        return found

    def attempts(self, sweep: Path, case: int = 0) -> list[dict]:
        return [json.loads(line) for line in (sweep / f"case-{case:04d}/attempts.jsonl").read_text().splitlines()]

    def wait_for_line(self, sweep: Path, is_wanted, newest: bool = False, seconds: float = 90.0) -> dict:
        """Waits for such a line among the attempts of the first case: any, or that which is the last."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            lines = self.attempts(sweep)[-1:] if newest else self.attempts(sweep)
            for line in lines:
                if is_wanted(line):
                    return line
            time.sleep(0.1)
        self.fail(f"{self.attempts(sweep)}")

    def wait_for_table(self, sweep: Path, last: str = "results.png") -> None:
        """Waits until the job that collects has written its last file."""
        deadline = time.monotonic() + 90.0
        while not (sweep / last).exists() and time.monotonic() < deadline:
            time.sleep(0.5)
        self.assertTrue((sweep / last).exists(), (sweep / "collect.log").read_text(errors="replace"))

    def hash_of(self, results: Path) -> str:
        with h5py.File(results / "run.h5") as file:
            self.assertEqual(file["run"].attrs["status"].decode(), "completed")
            return file["run"].attrs["state_hash_hex"].decode()

    def uncut_hash(self, sweep: Path, case: int = 0) -> str:
        """Of the same input, run here at once. That of several tests is run once."""
        text = (sweep / f"case-{case:04d}/input.yaml").read_text()
        if text not in self.uncut:
            results = self.folder / f"uncut-{len(self.uncut)}"
            subprocess.run([MPCFLOW, "run", sweep / f"case-{case:04d}/input.yaml", "--output", results, "--quiet", "--threads", "1"],
                           check=True, timeout=300, cwd=self.folder)
            self.uncut[text] = self.hash_of(results)
        return self.uncut[text]

    def assert_uncut(self, sweep: Path, case: int = 0) -> None:
        self.assertEqual(self.hash_of(sweep / f"case-{case:04d}/results"), self.uncut_hash(sweep, case))

    # -- sweeps

    def test_a_sweep_is_an_array_and_becomes_a_table(self):
        flow = self.write_input("flow.yaml", 2000)
        sweep = self.folder / "a 'sweep' of ümläuts"
        said = self.submit(flow, "--sweep", "collision.angle=90,120,150", "--repeat", 2, "--output", sweep, "--time", "0:05:00", "--collect")
        self.assertRegex(said, r"job \d+: 6 cases in .*, 0:05:00 each")
        words = shlex.split(said.splitlines()[-1].removeprefix("to follow them: mpcflow-submit "))  # as a shell would read it
        counts = self.submit(*words).splitlines()[-1]  # "4 running, 2 waiting"
        self.assertEqual(sum(int(part.split()[0]) for part in counts.split(", ")), 6, counts)
        found = self.wait_for(sweep, {"done"})
        self.assertEqual([case["label"] for case in found][:3], ["angle=90 seed=11", "angle=90 seed=12", "angle=120 seed=11"])
        self.assertEqual({case["share_done"] for case in found}, {1.0})
        self.assertEqual(len({self.hash_of(sweep / f"case-{case:04d}/results") for case in range(6)}), 6)
        with h5py.File(sweep / "case-0003/results/run.h5") as file:
            self.assertEqual(file["machine"].attrs["scheduler"].decode(), "slurm")
            self.assertRegex(file["machine"].attrs["job_id"].decode(), r"^\d+_3$")
            self.assertEqual(file["machine"].attrs["device"].decode(), "CPU, 1 thread")
        self.assert_uncut(sweep, 3)
        self.wait_for_table(sweep)
        with (sweep / "results.csv").open(newline="") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual([row["collision.angle"] for row in rows], ["90", "90", "120", "120", "150", "150"])
        self.assertEqual([row["seed"] for row in rows], ["11", "12"] * 3)
        self.assertEqual({row["status"] for row in rows}, {"completed"})
        with h5py.File(sweep / "results.h5") as file:
            self.assertEqual(file["keys/collision.angle"][()].tolist(), [90, 90, 120, 120, 150, 150])
            for value in file["results/temperature/kT"]["value"][()]:
                self.assertAlmostEqual(value, 1.0, delta=0.1)

    # -- chains

    @classmethod
    def cut_chain(cls) -> Path:
        """A run of one-minute jobs, to its end. Begun before the tests: it mostly waits, for Slurm looks at limits twice a minute."""
        self = cls("test_y_a_run_that_its_limit_cuts_goes_on_to_the_same_bits")
        sweep = self.folder / "chain"
        if LONG:
            rate = json.loads(subprocess.run([MPCFLOW, "check", self.write_input("rate.yaml", 1000), "--measure", "--json", "--threads", "1"],
                                             capture_output=True, check=True).stdout)["time"]["seconds"] / 1100
            self.submit(self.write_input("long.yaml", int(80.0 / rate)), "--output", sweep, "--time", "0:01:00",
                        "--set", "checkpoint.every=5000")
        else:
            slow = self.folder / "slow mpcflow"
            slow.write_text(SLOW)
            slow.chmod(0o755)
            profile = self.folder / "slow.yaml"
            profile.write_text(f"partition: main\nprogram: {json.dumps(shlex.quote(str(slow)))}\nmargin: 50\n")
            self.submit(self.write_input("long.yaml", 30_000), "--output", sweep, "--time", "0:01:00", "--profile", profile)
            # The limit cuts it once, and the signal that Slurm sends then twice more.
            self.wait_for_line(sweep, lambda line: line["event"] == "ended")
            for _ in range(2):
                began = self.wait_for_line(sweep, lambda line: line["event"] == "began", newest=True)
                self.wait_for_steps(sweep, began["step"] + 1)
                self.cluster.call("scancel", "--batch", "--signal=USR1", self.cases(sweep)[0]["task"])
                self.wait_for_line(sweep, lambda line: line["event"] == "ended", newest=True)
        self.wait_for(sweep, {"done"}, 300.0)
        return sweep

    def test_y_a_run_that_its_limit_cuts_goes_on_to_the_same_bits(self):
        sweep = self.chain.result()
        lines = self.attempts(sweep)
        cut = [line for line in lines if line["event"] == "ended" and line["status"] == 85]
        self.assertGreaterEqual(len(cut), 3, lines)
        self.assertEqual({line["then"] for line in cut}, {"goes on"})
        self.assertEqual(len({line["job"] for line in lines if line["event"] != "submitted"}), 1, "requeued under its number")
        steps_at = [line["step"] for line in cut]
        self.assertEqual(steps_at, sorted(set(steps_at)))
        with h5py.File(sweep / "case-0000/results/run.h5") as file:
            parts = [note.decode() for note in file["run"].attrs["notes"] if b" on " in note and b"slurm job" in note]
        self.assertEqual(len(parts), len(cut) + 1, parts)
        self.assertRegex(parts[-1], rf"^step {steps_at[-1]}: went on \S+ on {re.escape(self.cluster.host)}, CPU, 1 thread, slurm job \d+$")
        self.assert_uncut(sweep)

    @unittest.skipUnless(LONG, "with --all alone (cluster.slurm_limits): tools.chain asks the worker without Slurm")
    def test_where_requeue_is_forbidden_another_job_follows(self):
        sweep = self.folder / "successors"
        self.submit(self.write_input("no_requeue.yaml", 200_000), "--profile", "no_requeue", "--output", sweep, "--time", "0:10:00")
        for cut in range(3):
            self.wait_for_steps(sweep, 500 + (self.attempts(sweep)[-1].get("step") or 0))
            task = self.cases(sweep)[0]["task"]
            self.cluster.call("scancel", "--batch", "--signal=USR1", task)
            deadline = time.monotonic() + 60.0
            while self.cases(sweep)[0]["task"] == task and time.monotonic() < deadline:
                time.sleep(0.2)
        jobs = [line["job"] for line in self.attempts(sweep) if line["event"] == "ended"]
        self.assertEqual(len(set(jobs)), 3, self.attempts(sweep))
        self.submit("cancel", sweep)
        self.wait_for(sweep, {"stopped", "lost"})

    # -- what ends jobs

    def test_tasks_of_an_array_go_on_by_themselves_where_the_program_is_killed_or_time_is_over(self):
        sweep = self.folder / "killed"
        self.submit(self.write_input("killed.yaml", 20_000), "--repeat", 2, "--output", sweep, "--time", "0:10:00")
        self.wait_for_steps(sweep, 1000, 0)
        for process in self.processes_of(sweep / "case-0000", MPCFLOW):
            os.kill(process, signal.SIGKILL)
        task = self.cases(sweep)[1]["task"]  # before the wait: to ask takes as long as many steps
        self.wait_for_steps(sweep, 1000, 1)
        self.cluster.call("scancel", "--batch", "--signal=USR1", task)
        self.wait_for(sweep, {"done"})
        for case, statuses in enumerate(([137, 0], [85, 0])):
            ended = [line for line in self.attempts(sweep, case) if line["event"] == "ended"]
            self.assertEqual([line["status"] for line in ended], statuses)
            self.assertEqual(len({line["job"] for line in ended}), 1, "requeued under its number")
            self.assert_uncut(sweep, case)

    def test_a_case_of_several_ranks_goes_on_when_one_is_killed_or_time_is_over(self):
        if not json.loads(subprocess.run([MPCFLOW, "devices", "--json"], capture_output=True, check=True).stdout)["mpi"]:
            self.skipTest("this mpcflow has no MPI")
        if "pmix" not in self.cluster.call("srun", "--mpi=list"):
            self.skipTest("this Slurm has no PMIx")
        profile = self.folder / "of two ranks.yaml"
        profile.write_text(f"partition: main\nprogram: {PROGRAM}\nmargin: 40\nranks_per_node: 2\n")
        sweep = self.folder / "ranks"
        self.submit(self.write_input("ranks.yaml", 8000), "--profile", profile, "--output", sweep, "--time", "0:10:00")
        self.wait_for_steps(sweep, 1000)
        ranks = [process for process in self.processes_of(sweep, "run")
                 if os.readlink(f"/proc/{process}/exe") == os.path.realpath(MPCFLOW)]
        self.assertEqual(len(ranks), 2)
        os.kill(ranks[1], signal.SIGKILL)
        began = self.wait_for_line(sweep, lambda line: line["event"] == "began" and line["step"] > 0)
        task = self.cases(sweep)[0]["task"]
        self.wait_for_steps(sweep, began["step"] + 500)
        self.cluster.call("scancel", "--batch", "--signal=USR1", task)
        self.wait_for(sweep, {"done"})
        ended = [line["status"] for line in self.attempts(sweep) if line["event"] == "ended"]
        self.assertEqual(ended[1:], [85, 0], self.attempts(sweep))
        self.assertNotIn(ended[0], (0, 2, 85))
        with h5py.File(sweep / "case-0000/results/run.h5") as file:
            self.assertEqual(file["machine"].attrs["device"].decode().split(", 1 x")[0], "CPU, 1 thread, on each of 2 ranks")
        self.assert_uncut(sweep)

    def test_a_cancelled_run_saves_and_is_resubmitted(self):
        sweep = self.folder / "cancelled"
        self.submit(self.write_input("cancelled.yaml", 15_000), "--output", sweep, "--time", "0:10:00")
        self.wait_for_steps(sweep, 1000)
        self.assertIn("1 of 1 cases were in the queue", self.submit("cancel", sweep))
        found = self.wait_for(sweep, {"stopped"})
        self.assertIn("stopped by SIGTERM", found[0]["message"])
        self.assertEqual(self.attempts(sweep)[-1]["status"], 85)
        said = self.submit("resubmit", sweep, "--collect")
        self.assertIn("1 of 1 cases go on", said)
        self.assertIn("collects their results afterwards", said)
        self.wait_for(sweep, {"done"})
        self.assert_uncut(sweep)
        self.wait_for_table(sweep, "results.h5")  # without a figure, as of one case nothing changes
        self.assertIn("nothing to begin again", self.submit("resubmit", sweep))

    def test_a_job_that_is_killed_whole_is_lost_and_resubmitted(self):
        sweep = self.folder / "lost"
        self.submit(self.write_input("lost.yaml", 15_000), "--output", sweep, "--time", "0:10:00")
        self.wait_for_steps(sweep, 1000)
        for word in ("mpcflow_tools.batch.worker", MPCFLOW):
            for process in self.processes_of(sweep, word):
                os.kill(process, signal.SIGKILL)
        self.wait_for(sweep, {"lost"})
        self.submit("resubmit", sweep)
        self.wait_for(sweep, {"done"})
        self.assert_uncut(sweep)

    def test_z_a_node_that_fails_gives_its_jobs_back(self):
        sweep = self.folder / "node failure"
        self.submit(self.write_input("node.yaml", 15_000), "--output", sweep, "--time", "0:10:00")
        self.wait_for_steps(sweep, 1000)
        self.cluster.fail_node()
        self.cluster.call("scontrol", "update", f"NodeName={self.cluster.host}", "State=DOWN", "Reason=test")
        self.cluster.start_node_again()
        self.wait_for(sweep, {"done"})
        began = [line for line in self.attempts(sweep) if line["event"] == "began"]
        self.assertEqual(len(began), 2)
        self.assertGreaterEqual(began[1]["step"], 1000)
        self.assert_uncut(sweep)

    def test_a_case_that_always_fails_is_given_up(self):
        broken = self.folder / "broken mpcflow"
        broken.write_text(f"#!/bin/bash\n[[ $1 == check ]] && exec {shlex.quote(MPCFLOW)} \"$@\"\necho the disk is on fire >&2\nexit 3\n")
        broken.chmod(0o755)
        profile = self.folder / "broken.yaml"
        profile.write_text(f"program: {json.dumps(shlex.quote(str(broken)))}\npartition: main\nfailures: 2\n")
        sweep = self.folder / "failing"
        self.submit(self.write_input("failing.yaml", 1000), "--profile", profile, "--output", sweep, "--time", "0:10:00")
        found = self.wait_for(sweep, {"failed"})
        self.assertIn("the disk is on fire", found[0]["message"])
        self.assertEqual([line["then"] for line in self.attempts(sweep) if line["event"] == "ended"], ["goes on", "failed"])

    @unittest.skipUnless(LONG, "with --all alone (cluster.slurm_limits): tools.chain asks the worker without Slurm")
    def test_two_jobs_never_run_one_case(self):
        sweep = self.folder / "twice"
        self.submit(self.write_input("twice.yaml", 15_000), "--output", sweep, "--time", "0:10:00")
        self.wait_for_steps(sweep, 1000)
        subprocess.run(["sbatch", "--parsable", "--output=second.log", "job.sh"], cwd=sweep, env=self.environment, check=True,
                       capture_output=True)
        deadline = time.monotonic() + 60.0
        second = sweep / "second.log"
        while (not second.exists() or not second.read_text()) and time.monotonic() < deadline:
            time.sleep(0.2)
        self.assertIn("another job runs this case", second.read_text())
        self.wait_for(sweep, {"done"})
        self.assertEqual(len([line for line in self.attempts(sweep) if line["event"] == "began"]), 1)


if __name__ == "__main__":
    unittest.main()

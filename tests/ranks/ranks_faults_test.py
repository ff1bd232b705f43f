"""What ends a run on several ranks before its end: one message, the right exit status, nobody left over."""

import os
import signal
import subprocess
import time
import unittest
from pathlib import Path

import h5py

from on_ranks import MPCFLOW, MPIRUN, RanksTest
from program import input_text

ENDLESS = 10**8
OUTPUTS = "  series: {every: 10}\n"
WITHIN = 30.0  # seconds, on a busy machine


class Faults(RanksTest):
    def endless(self, ranks: int, checkpoint: str = "checkpoint: {every: 50}\n") -> tuple[subprocess.Popen, list[int]]:
        name = self.write_input(input_text(steps=ENDLESS, outputs=OUTPUTS) + checkpoint)
        process = self.start_ranks(self.command(ranks, "run", name))
        self.wait_for("out/checkpoint.previous.h5")
        pids = self.ranks_of(process)
        self.assertEqual(len(pids), ranks)
        return process, pids

    def end_of(self, process: subprocess.Popen, pids: list[int]) -> tuple[str, str]:
        begin = time.monotonic()
        out, err = self.what_was_said(process, WITHIN)
        self.check_all_gone(pids)
        self.assertLess(time.monotonic() - begin, WITHIN)
        return out, err

    def check_stopped(self, process: subprocess.Popen, pids: list[int], by: str) -> None:
        out, err = self.end_of(process, pids)
        self.assertEqual(process.returncode, 85, out + err)
        self.assertEqual(out.count(f"(stopped by {by})"), 1, out)
        step = int(out.split("steps        ")[1].split()[0])
        with h5py.File(self.folder / "out/checkpoint.h5") as f:
            self.assertEqual(f["run"].attrs["step"], step)

    def wait_for_another(self, path: Path, written: int) -> None:
        deadline = time.monotonic() + WITHIN
        while not path.exists() or path.stat().st_mtime_ns == written:
            self.assertLess(time.monotonic(), deadline, f"{path} stays the same")
            time.sleep(0.05)

    def test_a_signal_to_one_rank_stops_all(self):
        process, pids = self.endless(3)
        os.kill(pids[2], signal.SIGTERM)
        self.check_stopped(process, pids, "SIGTERM")

    def test_a_signal_to_all_ranks_stops_all_and_the_run_goes_on(self):
        process, pids = self.endless(2)
        for pid in pids:
            os.kill(pid, signal.SIGUSR1)
        self.check_stopped(process, pids, "SIGUSR1")
        stopped = (self.folder / "out/checkpoint.previous.h5").stat().st_mtime_ns
        process = self.start_ranks(self.command(3, "run", "flow.yaml"))
        self.wait_for_another(self.folder / "out/checkpoint.previous.h5", stopped)  # it goes on
        for pid in self.ranks_of(process):  # not every mpirun passes it on (docs/scaling.md)
            os.kill(pid, signal.SIGUSR1)
        out, err = self.what_was_said(process, WITHIN)
        self.assertEqual(process.returncode, 85, out + err)
        self.assertIn("going on from out/checkpoint.h5", err)

    def test_a_rank_that_is_killed_ends_all(self):
        for victim in (0, 1):
            with self.subTest(victim=victim):
                process, pids = self.endless(2)
                os.kill(pids[victim], signal.SIGKILL)
                self.end_of(process, pids)
                self.assertNotIn(process.returncode, (0, 85))
                self.mpcflow("info", "out/checkpoint.previous.h5")
                subprocess.run(["rm", "-r", self.folder / "out"], check=True)

    def test_a_rank_that_is_killed_ends_all_where_the_launcher_does_not(self):
        name = self.write_input(input_text(steps=ENDLESS, outputs=OUTPUTS) + "checkpoint: {every: 50}\n")
        process = self.start_ranks([MPIRUN, "--enable-recovery", "-n", "3", MPCFLOW, "run", name])
        self.wait_for("out/checkpoint.previous.h5")
        pids = self.ranks_of(process)
        os.kill(pids[1], signal.SIGKILL)
        _, err = self.end_of(process, pids)
        # The exit status is that of this mpirun, which takes no notice.
        self.assertEqual(len(self.messages(err)), 1, err)
        with h5py.File(self.folder / "out/run.h5") as f:
            self.assertEqual(f["run"].attrs["status"], b"failed")
        self.assertIn(f"rank 1 (process {pids[1]}) has ended without a word", self.messages(err)[0])

    def test_a_full_disk_ends_all(self):
        self.small_disk(2)
        name = self.write_input(input_text(steps=ENDLESS, outputs="  trajectory: {every: 10}\n"))
        done = self.on_ranks(2, "run", name, "--output", "disk/out", status=3)
        self.assertEqual(len(self.messages(done.stderr)), 1, done.stderr)
        self.assertIn("disk full", self.messages(done.stderr)[0])

    def test_a_fault_of_the_simulation_has_one_message(self):
        # The force heats the fluid until particles are faster than any may be.
        text = input_text(steps=ENDLESS, outputs=OUTPUTS).replace("[0.01, 0, 0]", "[5, 0, 0]")
        name = self.write_input(text.replace("thermostat: {kind: maxwell_boltzmann}\n", ""))
        done = self.on_ranks(3, "run", name, status=1)
        messages = self.messages(done.stderr)
        self.assertEqual(len(messages), 1, done.stderr)
        self.assertIn("a particle was faster than 32", messages[0])
        with h5py.File(self.folder / "out/run.h5") as f:
            self.assertEqual(f["run"].attrs["status"], b"failed")

    def test_a_rank_that_cannot_go_on_ends_all(self):
        name = self.write_input(input_text(steps=ENDLESS, outputs=OUTPUTS))
        limited = ["sh", "-c", f'ulimit -v 300000; exec "{MPCFLOW}" run {name} --set "box.size=[100,100,30]"']
        free = [MPCFLOW, "run", name, "--set", "box.size=[100,100,30]"]
        begin = time.monotonic()
        done = self.launch([MPIRUN, "-n", "1", *free, ":", "-n", "1", *limited], status=None)
        self.assertLess(time.monotonic() - begin, WITHIN)
        self.assertEqual(done.returncode, 3, done.stderr)
        messages = self.messages(done.stderr)
        self.assertEqual(len(messages), 1, done.stderr)
        self.assertIn("mpcflow: rank 1: ", messages[0])


class Starts(RanksTest):
    """What is found before anything is written."""

    def check_refused(self, done: subprocess.CompletedProcess, expected: str) -> None:
        self.assertEqual(done.stderr.count(expected), 1, done.stderr)
        self.assertEqual(done.stdout, "")
        self.assertFalse((self.folder / "out").exists())

    def test_more_ranks_than_cells_and_domains_that_are_not_as_many_as_ranks(self):
        name = self.write_input(input_text(outputs=OUTPUTS))
        self.check_refused(self.on_ranks(5, "run", name, "--set", "box.size=[4,4,4]", status=2),
                           "box.size: cannot be cut along cell planes into 5 domains, one for each rank; start 4 ranks")
        self.check_refused(self.on_ranks(3, "run", name, "--set", "execution.domains=[2,1,1]", status=2),
                           "execution.domains: [2, 1, 1] are 2 domains, one for each rank, and there are 3 ranks")
        self.check_refused(self.mpcflow("run", name, "--set", "execution.domains=[2,1,1]", status=2),
                           "execution.domains: [2, 1, 1] are 2 domains, one for each rank, and there is 1 rank")

    def test_an_error_of_the_input_is_told_once(self):
        name = self.write_input(input_text().replace("angle: 130", "angle: 200"))
        self.check_refused(self.on_ranks(2, "run", name, status=2), "collision.angle: 200 is out of range (0, 180]")

    def test_ranks_of_different_inputs(self):
        self.write_input(input_text(outputs=OUTPUTS), "a.yaml")
        self.write_input(input_text(outputs=OUTPUTS).replace("seed: 3", "seed: 4"), "b.yaml")

        def start(other: str) -> subprocess.CompletedProcess:
            return self.launch([MPIRUN, "-n", "1", MPCFLOW, "run", "a.yaml", ":", "-n", "1", MPCFLOW, "run", other], 3)

        self.check_refused(start("b.yaml"), "has another input: seed is 4 there and 3 on rank 0; start all ranks with")
        self.check_refused(start("c.yaml"), "cannot read the input that others read: c.yaml: cannot be read")

    def test_ranks_of_different_programs(self):
        name = self.write_input(input_text(outputs=OUTPUTS))
        # Of a short text the compiler may make two numbers, the first one of eight letters.
        commit = self.mpcflow("--version").stdout.split("(commit ")[1].split(",")[0].split("-")[0].encode()[:8]
        program = Path(MPCFLOW).read_bytes()
        self.assertIn(commit, program)
        other = self.folder / "other"
        other.write_bytes(program.replace(commit, b"0" * len(commit)))
        other.chmod(0o755)
        done = self.launch([MPIRUN, "-n", "2", MPCFLOW, "run", name, ":", "-n", "1", str(other), "run", name], 3)
        self.check_refused(done, "start one and the same program on all ranks")
        self.assertIn("mpcflow: rank 2 on ", done.stderr)

    def test_processes_that_do_not_know_of_each_other(self):
        name = self.write_input(input_text(outputs=OUTPUTS))
        done = self.mpcflow("run", name, status=3, env={**os.environ, "SLURM_STEP_NUM_TASKS": "4"})
        self.check_refused(done, "started as 4 processes that do not know of each other")


if __name__ == "__main__":
    unittest.main()

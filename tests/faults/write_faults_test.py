"""Runs that are killed inside their writes, or whose disk is full: nothing is lost, and restarted they end as the run that
never stopped."""

import errno
import os
import resource
import shutil
import signal
import subprocess
import unittest

from faulty import Fault, preload_options
from stopped import small_flow

from restarting import RestartTest, flow


class WriteFaults(RestartTest):
    def run_at(self, fault: Fault, *arguments: str) -> subprocess.CompletedProcess:
        environment = fault.environment(self.folder / "report") | preload_options(self.folder)
        return self.mpcflow("run", *arguments, status=None, env=dict(os.environ, **environment))

    def killed_at(self, call: int, path: str, *arguments: str) -> subprocess.CompletedProcess:
        return self.run_at(Fault("write,truncate,sync,rename", call, "kill", path=path), *arguments)

    def full_at(self, call: int, path: str, *arguments: str) -> subprocess.CompletedProcess:
        return self.run_at(Fault("write,truncate,rename", call, "always", errno.ENOSPC, path=path), *arguments)

    def test_killed_at_every_kind_of_write(self):
        """Inside the writing of checkpoints, of run.h5 and of the trajectory, and while a restart drops frames."""
        text = small_flow(40, checkpoint="{every: 20}")  # as many writes as of a larger one
        expected = self.reference(text)
        name = self.write_input(text)
        for path in ("checkpoint", "run.h5", "trajectory", "fields.h5"):
            killed = 0
            call = 1
            while True:
                done = self.killed_at(call, path, name, "--quiet")
                if done.returncode == 0:
                    break
                self.assertEqual(done.returncode, -signal.SIGKILL, done.stderr)
                # Killed again on the way, now with frames to drop.
                again = self.killed_at(1 + call % 7, "trajectory", name, "--quiet")
                self.assertIn(again.returncode, (0, -signal.SIGKILL), again.stderr)
                self.mpcflow("run", name, "--quiet")
                self.check_same(self.results("out"), expected)
                shutil.rmtree(self.folder / "out")
                killed += 1
                call += 1 + call // 6
            self.assertGreater(killed, 8, path)
            shutil.rmtree(self.folder / "out")

    def test_a_full_disk_for_checkpoints(self):
        text = flow(100, "{every: 20}")
        expected = self.reference(text)
        name = self.write_input(text)
        # At the start it is the user's to know at once.
        done = self.full_at(1, "checkpoint", name)
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn("disk full", done.stderr)
        self.assertEqual(os.listdir(self.folder / "out"), [])
        # Later the run goes on without; the checkpoints that are there stay good.
        self.mpcflow("run", name, "--quiet", "--set=run.steps=40")
        good = (self.folder / "out/checkpoint.h5").read_bytes()
        for call in (1, 5, 12):
            kept = self.folder / "kept"
            shutil.copytree(self.folder / "out", kept)
            done = self.full_at(call, "checkpoint.h5.tmp", name)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("no checkpoint", done.stderr)
            self.assertIn("disk full", done.stderr)
            self.assertEqual((self.folder / "out/checkpoint.h5").read_bytes(), good)
            self.assertFalse((self.folder / "out/checkpoint.h5.tmp").exists())
            self.check_same(self.results("out"), expected)
            shutil.rmtree(self.folder / "out")
            kept.rename(self.folder / "out")

    def test_a_signal_on_a_full_disk(self):
        name = self.write_input(flow(10**8, outputs="  series: {every: 10}\n"))
        limit = 200_000  # bytes of a file: run.h5 fits, 2160 particles do not
        process = self.start("run", name, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
        self.wait_for("out/run.h5")
        process.terminate()
        _, err = process.communicate(timeout=30)
        self.assertEqual(process.returncode, 3, err)
        self.assertIn("no checkpoint could be written", err)
        self.assertIn("no checkpoint could be written", self.status_message())


if __name__ == "__main__":
    unittest.main()

"""Runs that are killed at random moments: restarted, they end as the run that never stopped."""

import os
import random
import shutil
import signal
import subprocess
import time
import unittest

import h5py

from restarting import RestartTest, flow

KILLS = int(os.environ.get("MPCFLOW_KILLS", "15"))


class Kills(RestartTest):
    def test_killed_at_random_moments(self):
        text = flow(1500, "{every: 40}")
        begin = time.monotonic()
        expected = self.reference(text)
        duration = time.monotonic() - begin
        name = self.write_input(text)
        chance = random.Random(9)
        kills = runs = restarts = 0
        while kills < KILLS:
            for _ in range(chance.choice([1, 1, 1, 2, 3])):
                kills += self.kill_once(name, chance, duration)
            # Whatever the kills left goes on to the end, and that is the end of the run that was never killed.
            self.mpcflow("run", name, "--quiet")
            self.check_same(self.results("out"), expected)
            with h5py.File(self.folder / "out/run.h5") as f:
                restarts += int(f["run"].attrs["restarts"])
            shutil.rmtree(self.folder / "out")
            runs += 1
        print(f"{kills} kills of {runs} runs, each of which then went on to its end, {restarts} times from a checkpoint")

    def kill_once(self, name: str, chance: random.Random, duration: float) -> int:
        """Runs and kills at a random moment after there is a checkpoint; 0 where the run had ended by then."""
        process = self.start("run", name, "--quiet", "--threads", str(chance.choice([1, 2, 3])))
        self.wait_for("out/checkpoint.h5")
        try:
            process.wait(timeout=duration * chance.random())
        except subprocess.TimeoutExpired:
            process.kill()
        _, err = process.communicate()
        self.assertIn(process.returncode, (0, -signal.SIGKILL), err)
        return int(process.returncode != 0)


if __name__ == "__main__":
    unittest.main()

"""All threads of several ranks, those that compute and the one that writes, under the thread sanitizer, which ends a
process in which two of them race with a status of its own. The files are those of one process all the same."""

import os
import shutil
import signal
import unittest

from on_ranks import LONGEST, RanksTest
from restarting import flow


class Races(RanksTest):
    def run_on(self, ranks: int, name: str) -> None:
        done = self.on_ranks(ranks, "run", name, "--quiet", "--threads", "2")
        self.assertNotIn("ThreadSanitizer", done.stdout + done.stderr)

    def test_are_none_in_runs(self):
        text = flow(40, "{every: 15}")
        expected = self.reference(text)
        name = self.write_input(text)
        for ranks in (2, 3):
            self.run_on(ranks, name)
            self.check_same(self.results("out"), expected)
            shutil.rmtree(self.folder / "out")

    def test_are_none_where_a_signal_stops_a_run_and_it_goes_on(self):
        text = flow(600, "{every: 15}", outputs="  series: {every: 10}\n")
        expected = self.reference(text)
        name = self.write_input(text)
        process = self.start_ranks(self.command(2, "run", name, "--quiet", "--threads", "2"))
        self.wait_for("out/checkpoint.h5")
        os.kill(self.ranks_of(process)[1], signal.SIGUSR1)
        out, err = self.what_was_said(process, LONGEST)
        self.assertEqual(process.returncode, 85, out + err)
        self.assertNotIn("ThreadSanitizer", out + err)
        self.run_on(3, name)
        self.check_same(self.results("out"), expected)


if __name__ == "__main__":
    unittest.main()

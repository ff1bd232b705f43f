"""Files that are whole, but cannot be read just now: a restart says why and changes nothing; read again, they serve."""

import os
import resource
import shutil
import subprocess
import unittest

from stopped import HDF5_FILES, bytes_of, find_difference, kill_in_the_middle, results, run, small_flow

from program import MPCFLOW, NOBODY, ProgramTest


class UnreadableFiles(ProgramTest):
    def setUp(self):
        super().setUp()
        (self.folder / "flow.yaml").write_text(small_flow())
        self.assertEqual(run(self.folder, "flow.yaml", "--quiet", "--threads", "1").returncode, 0)
        self.expected = results(self.folder / "out")
        shutil.rmtree(self.folder / "out")
        kill_in_the_middle(self.folder, small_flow())
        self.out = self.folder / "out"
        self.before = bytes_of(self.out)

    def check_refused(self, done: subprocess.CompletedProcess, words: str) -> None:
        last = done.stderr.rstrip("\n").rpartition("\n")[2]
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertTrue(last.startswith("mpcflow: "), done.stderr)
        self.assertIn(words, last)
        self.assertEqual({name: data for name, data in bytes_of(self.out).items() if not name.endswith(".tmp")}, self.before)

    def check_goes_on(self) -> None:
        done = run(self.folder, "flow.yaml", "--threads", "1")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(find_difference(results(self.out), self.expected), "")

    def test_permission_denied(self):
        user = os.geteuid() or NOBODY  # permissions do not stop root
        self.folder.chmod(0o777)
        self.out.chmod(0o777)
        for path in self.out.iterdir():
            os.chown(path, user, -1)
        for name in HDF5_FILES:
            with self.subTest(name=name):
                (self.out / name).chmod(0o000)
                done = run(self.folder, "flow.yaml", "--threads", "1", user=user)
                (self.out / name).chmod(0o644)
                self.check_refused(done, f"out/{name}")
                self.assertIn("ermission denied", done.stderr)
        self.check_goes_on()

    def test_too_many_open_files(self):
        refused = 0
        # Fewer than these are not enough to load the program with.
        for limit in range(5, 40):
            done = run(self.folder, "flow.yaml", "--threads", "1", "--set=run.steps=46",
                       preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit)))
            if done.returncode != 3:
                break
            refused += 1
            if "going on from" not in done.stderr:  # else it opened all that it read, and then had none to write with
                self.check_refused(done, "oo many open files")
        else:
            self.fail("is refused whatever the limit is")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertGreater(refused, 1)
        self.check_goes_on()

    def test_the_disk_fails_to_read(self):
        strace = shutil.which("strace")
        if strace is None or subprocess.run([strace, "-f", "true"], capture_output=True).returncode != 0:
            self.skipTest("no strace, or it may not trace")
        for call, error in (("pread64", "EIO"), ("openat", "EIO"), ("openat", "EMFILE"), ("openat", "ENFILE"), ("openat", "ENOMEM")):
            for name in ("checkpoint.h5", "checkpoint.previous.h5", "trajectory.h5", "fields.h5"):
                with self.subTest(call=call, error=error, name=name):
                    command = [strace, "-f", "-o", "/dev/null", "-P", str(self.out / name), "-P", name, "-e", f"trace={call}",
                               "-e", f"inject={call}:error={error}:when=1+", MPCFLOW, "run", "flow.yaml", "--threads", "1"]
                    done = subprocess.run(command, cwd=self.folder, capture_output=True, text=True, timeout=120)
                    self.check_refused(done, f"out/{name}")
        self.check_goes_on()


if __name__ == "__main__":
    unittest.main()

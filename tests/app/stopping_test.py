"""How runs end before their end: signals, kills, full disks; and what the terminal shows."""

import os
import pty
import random
import re
import resource
import select
import shutil
import signal
import struct
import subprocess
import termios
import time
import unittest
from fcntl import ioctl

import h5py
import numpy as np

from program import MPCFLOW, ProgramTest, input_text

FRAMES = "  trajectory: {every: 2, quantities: [position, velocity]}\n  series: {every: 10}\n"
ENDLESS = 10**8


def wait_until(condition, seconds: float = 30.0) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            raise TimeoutError
        time.sleep(0.01)


class Reference:
    """The frames that a run of the test input gives, from a run that nobody disturbed."""

    def __init__(self, path):
        with h5py.File(path) as f:
            self.position = f["particles/all/position/value"][()]
            self.velocity = f["particles/all/velocity/value"][()]

    def check(self, test: unittest.TestCase, path) -> int:
        """Checks that the file's frames are the reference's first ones; returns how many there are."""
        with h5py.File(path) as f:
            everything = f["particles/all"]
            steps = everything["position/step"][()]
            frames = len(steps)
            np.testing.assert_array_equal(steps, 2 * np.arange(frames))
            compared = min(frames, len(self.position))
            for name, values in (("position", self.position), ("velocity", self.velocity)):
                test.assertGreaterEqual(everything[name]["value"].shape[0], frames)
                np.testing.assert_array_equal(everything[name]["value"][:compared], values[:compared])
            # All chunks have a checksum: reading is checking.
            test.assertTrue(np.isfinite(everything["position/value"][:frames]).all())
            test.assertEqual(everything["image/value"][:frames].shape[0], frames)
        return frames


class Stopping(ProgramTest):
    def reference(self) -> Reference:
        name = self.write_input(input_text(steps=400, outputs=FRAMES), "reference.yaml")
        self.mpcflow("run", name, "--output", "reference", "--quiet")
        return Reference(self.folder / "reference/trajectory.h5")

    def wait_for_size(self, size: int) -> None:
        """Waits until the trajectory has that many bytes."""
        path = self.folder / "out/trajectory.h5"
        wait_until(lambda: path.exists() and path.stat().st_size >= size)

    def test_signals_stop_a_run_in_order(self):
        reference = self.reference()
        name = self.write_input(input_text(steps=ENDLESS, outputs=FRAMES + "  fields: {every: 3, bins: [1, 1, 3]}\n"))
        signals = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1, signal.SIGUSR2, signal.SIGXCPU)
        for number, threads in zip(signals, "121212"):
            shutil.rmtree(self.folder / "out", ignore_errors=True)
            process = self.start("run", name, "--threads", threads)
            self.wait_for_size(5_000_000)
            sent = time.monotonic()
            process.send_signal(number)
            out, err = process.communicate(timeout=30)
            self.assertLess(time.monotonic() - sent, 5.0)
            self.assertEqual(process.returncode, 85, err)
            self.assertIn("stopped by SIG", out)
            self.assertIn("out/trajectory.h5", out)
            reference.check(self, self.folder / "out/trajectory.h5")
            with h5py.File(self.folder / "out/run.h5") as f:
                run = f["run"].attrs
                steps = int(run["steps_done"])
                self.assertEqual(run["status"].decode(), "interrupted")
                self.assertIn(str(steps), run["message"].decode())
                self.assertIn(f" {steps} of", out)
                self.assertEqual(f["series/step"][-1], steps // 10 * 10)
                self.assertEqual(f["fields"].attrs["samples"], max(0, (steps - 20) // 3))
                self.assertIn(run["state_hash_hex"].decode(), out)

    def test_a_run_stops_when_its_time_is_over_and_goes_on(self):
        name = self.write_input(input_text(steps=ENDLESS, outputs=""))
        began = time.monotonic()
        stopped = self.mpcflow("run", name, "--max-wall-time", "0:02", status=85)
        self.assertLess(abs(time.monotonic() - began - 2.0), 1.0)
        self.assertIn("(stopped by --max-wall-time 0:02)", stopped.stdout)
        with h5py.File(self.folder / "out/run.h5") as f:
            message = f["run"].attrs["message"].decode()
            self.assertIn("stopped by --max-wall-time 0:02 at step", message)
        # Whatever time it is given, it gets on.
        steps = []
        for _ in range(3):
            self.mpcflow("run", name, "--quiet", "--max-wall-time", "1", status=85)
            with h5py.File(self.folder / "out/run.h5") as f:
                steps.append(int(f["run"].attrs["steps_done"]))
        self.assertEqual(steps, sorted(set(steps)))

    def test_times_that_are_none_are_refused(self):
        name = self.write_input()
        for text in ("", "0", "0:00", "-1", "1:60", "1:2:3:4", "4h", "1-2:3", "1.5", "9999999999999999999", ":30"):
            done = self.mpcflow("run", name, f"--max-wall-time={text}", status=2)
            self.assertIn("--max-wall-time", done.stderr, text)
        self.assertFalse((self.folder / "out").exists())

    def test_quiet_is_quiet_when_a_signal_comes(self):
        name = self.write_input(input_text(steps=ENDLESS, outputs=FRAMES))
        process = self.start("run", name, "--quiet")
        self.wait_for_size(1_000_000)
        process.terminate()
        out, err = process.communicate(timeout=30)
        self.assertEqual((process.returncode, out, err), (85, "", ""))

    def test_a_signal_that_is_ignored_stays_ignored(self):
        # As under nohup.
        name = self.write_input(input_text(steps=ENDLESS, outputs=""))
        process = self.start("run", name, preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
        wait_until((self.folder / "out/run.h5").exists)
        process.send_signal(signal.SIGHUP)
        time.sleep(0.5)
        self.assertIsNone(process.poll())
        process.terminate()
        process.communicate(timeout=30)
        self.assertEqual(process.returncode, 85)

    def test_kills_leave_whole_frames(self):
        reference = self.reference()
        name = self.write_input(input_text(steps=ENDLESS, outputs=FRAMES + "  fields: {every: 3, bins: [1, 1, 3]}\n"))
        chance = random.Random(1)
        frames = []
        for kill in range(20):
            process = self.start("run", name, "--overwrite", "--quiet", "--threads", str(1 + kill % 2))
            # From the very start, when not even the first frame may be there, to a hundred frames.
            if kill >= 5:
                self.wait_for_size(chance.randrange(20_000_000))
            time.sleep(0.05 * chance.random())
            process.kill()
            process.communicate()
            path = self.folder / "out/trajectory.h5"
            if path.exists():
                frames.append(reference.check(self, path))
            if (self.folder / "out/run.h5").exists():
                with h5py.File(self.folder / "out/run.h5") as f:
                    self.assertEqual(f["run"].attrs["status"].decode(), "running")
            shutil.rmtree(self.folder / "out", ignore_errors=True)
        self.assertGreaterEqual(len(frames), 15)
        self.assertGreater(max(frames), 20)
        self.assertTrue(all(count > 0 for count in frames))

    def test_kills_leave_whole_frames_of_a_region(self):
        frames = FRAMES.replace("velocity]", "velocity], region: {lower: [0, 0, 0], upper: [3, 6, 2]}")
        self.mpcflow("run", self.write_input(input_text(steps=400, outputs=frames), "reference.yaml"),
                     "--output", "reference", "--quiet")
        name = self.write_input(input_text(steps=ENDLESS, outputs=frames))
        chance = random.Random(2)
        with h5py.File(self.folder / "reference/trajectory.h5") as reference:
            all_counts = reference["parameters/mpcflow/particles"][()]
            for _ in range(8):
                process = self.start("run", name, "--overwrite", "--quiet")
                self.wait_for_size(chance.randrange(1_000_000, 6_000_000))
                time.sleep(0.02 * chance.random())
                process.kill()
                process.communicate()
                with h5py.File(self.folder / "out/trajectory.h5") as f:
                    steps = f["particles/region/position/step"][()]
                    np.testing.assert_array_equal(steps, 2 * np.arange(len(steps)))
                    self.assertGreater(len(steps), 10)
                    counts = f["parameters/mpcflow/particles"][:len(steps)]
                    compared = min(len(steps), len(all_counts))
                    np.testing.assert_array_equal(counts[:compared], all_counts[:compared])
                    for element in ("position", "velocity", "image", "id"):
                        values = f[f"particles/region/{element}/value"][:len(steps)]  # reading is checking the sums
                        expected = reference[f"particles/region/{element}/value"]
                        for frame in range(compared):
                            n = counts[frame]
                            np.testing.assert_array_equal(values[frame, :n], expected[frame, :n])
                shutil.rmtree(self.folder / "out")

    def check_full_disk(self, folder, done, reference):
        self.assertEqual(done.returncode, 3, done.stderr)
        last = done.stderr.strip().splitlines()[-1]
        self.assertRegex(last, r"trajectory\.h5: (disk full|file size limit)")
        self.assertIn("output.directory", last)
        self.assertNotIn("HDF5", done.stderr)
        kept = int(re.search(r"frames up to step (\d+) are intact", last).group(1))
        frames = reference.check(self, folder / "trajectory.h5")
        self.assertEqual(kept, 2 * (frames - 1))
        self.assertGreater(frames, 3)
        with h5py.File(folder / "run.h5") as f:
            self.assertEqual(f["run"].attrs["status"].decode(), "failed")
            self.assertIn(f"step {kept} are intact", f["run"].attrs["message"].decode())
        self.assertEqual(sorted(set(os.listdir(folder)) - {"fields.xdmf"}), ["run.h5", "trajectory.h5"])
        self.mpcflow("info", str(folder / "trajectory.h5"))

    def test_a_full_disk(self):
        reference = self.reference()
        disk = self.small_disk(4)
        name = self.write_input(input_text(steps=ENDLESS, outputs=FRAMES))
        done = self.mpcflow("run", name, "--output", "disk/out", status=None)
        self.check_full_disk(disk / "out", done, reference)
        # The disk was full to the brim before the run: nothing can be begun.
        with open(disk / "filler", "wb", buffering=0) as filler:
            try:
                while True:
                    filler.write(b"x" * 4096)
            except OSError:
                pass
        done = self.mpcflow("run", name, "--output", "disk/second", status=3)
        self.assertIn("disk full", done.stderr)
        self.assertEqual(os.listdir(disk / "second"), [], "nothing half done is left")

    def test_a_limit_on_file_sizes(self):
        reference = self.reference()
        name = self.write_input(input_text(steps=ENDLESS, outputs=FRAMES))
        limit = 3_000_000
        done = self.mpcflow("run", name, status=None,
                            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
        self.check_full_disk(self.folder / "out", done, reference)

    def test_a_reader_of_the_log_that_goes_away_does_not_end_the_run(self):
        name = self.write_input(input_text(steps=2000))
        process = self.start("run", name)
        process.stderr.close()
        process.stdout.close()
        self.assertEqual(process.wait(timeout=60), 0)


class Progress(ProgramTest):
    def run_in_terminal(self, columns: int) -> str:
        """Runs for a good second in a terminal of that many columns; returns all that it showed."""
        name = self.write_input(input_text(steps=ENDLESS, outputs="  series: {every: 10}"))
        main, terminal = pty.openpty()
        ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        environment = dict(os.environ, TERM="xterm")
        process = subprocess.Popen([MPCFLOW, "run", name, "--overwrite", "--threads", "1"], cwd=self.folder, stdout=terminal, stderr=terminal,
                                   env=environment)
        os.close(terminal)
        shown = b""
        # From the first line on: how long a program takes to start is not this test's matter.
        stop_at = time.monotonic() + 60
        is_shown = False
        while True:
            if not is_shown and b"\rstep" in shown:
                is_shown = True
                stop_at = time.monotonic() + 1.5
            if time.monotonic() > stop_at and process.poll() is None:
                process.send_signal(signal.SIGINT)
                stop_at = time.monotonic() + 60
            if select.select([main], [], [], 0.05)[0]:
                try:
                    shown += os.read(main, 65536)
                except OSError:
                    break  # the last writer has gone
        os.close(main)
        process.wait(timeout=30)
        return shown.decode()

    def test_a_terminal_shows_one_live_line(self):
        shown = self.run_in_terminal(100)
        lines = re.findall(r"\r(step [^\r\x1b]*)\x1b\[K", shown)
        self.assertGreaterEqual(len(lines), 4)
        self.assertLessEqual(len(lines), 12, "five times a second at most")
        for what in ("%", "left", "/s", r"T [01]\."):
            self.assertRegex(lines[-1], what)
        self.assertNotIn("drift", shown, "walls and forces take and give momentum")
        steps = [int(re.match(r"step (\d+)/", line).group(1)) for line in lines]
        self.assertEqual(steps, sorted(steps))
        # The line is cleared before the summary begins.
        self.assertRegex(shown, r"\r\x1b\[Ksteps  ")

    def test_the_line_fits_a_narrow_terminal(self):
        lines = re.findall(r"\r(step [^\r\x1b]*)\x1b\[K", self.run_in_terminal(40))
        self.assertTrue(lines)
        self.assertLess(max(map(len, lines)), 40)

    def test_a_log_gets_plain_lines(self):
        name = self.write_input(input_text(steps=ENDLESS, outputs=""))
        process = self.start("run", name)
        time.sleep(1.0)
        process.terminate()
        out, err = process.communicate(timeout=30)
        self.assertNotIn("\r", out + err)
        self.assertNotIn("\x1b", out + err)
        self.assertIn("CPU", err)


if __name__ == "__main__":
    unittest.main()

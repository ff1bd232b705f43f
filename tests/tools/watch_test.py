"""mpcflow-watch: what it shows is what run.h5 says, in terminals of any width, while the file is replaced, after kills, until the end."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import shutil
import signal
import struct
import subprocess
import sys
import termios
import threading
import time
import unittest
from pathlib import Path

import h5py
import numpy as np

from forging import edited
from made_runs import FLOW, REGION, TOOLS, ToolTest, made
from mpcflow_tools.live import LiveRun, Look, disk_of, is_written_to
from mpcflow_tools.screen import Pen, bar, columns, duration, log_line, rate, screen, size, sparkline

LONG = FLOW.replace("steps: 400", "steps: 40000000").replace("  trajectory: {every: 100, quantities: [position, velocity]}\n", "")
REST = FLOW.replace("z: no_slip", "z: periodic").replace("forces: [{uniform: [0.02, 0, 0]}]\n", "")


def with_status(look: Look, **changed: object) -> Look:
    return Look(**(vars(look) | changed))


class Drawing(ToolTest):
    def test_no_line_is_wider_than_the_terminal(self) -> None:
        look = LiveRun(made(FLOW)).look()
        looks = [look, with_status(look, status="running", steps_done=17, wall_time=3.0), with_status(look, status="killed"),
                 with_status(look, title="水の流れ" * 20 + "\x1b[31m", notes=["a note of many words " * 9] * 9)]
        for shown in looks:
            for width in (20, 31, 47, 80, 120):
                for unicode in (True, False):
                    for line in screen(shown, 123.0, disk_of(look.folder), Pen(width, unicode, False)):
                        self.assertLessEqual(columns(line), width, line)
                        self.assertTrue(line.isprintable(), line)
                        self.assertTrue(unicode or line.isascii(), line)

    def test_colour_changes_nothing_else(self) -> None:
        look = LiveRun(made(FLOW)).look()
        plain, painted = (screen(look, None, disk_of(look.folder), Pen(80, True, colour)) for colour in (False, True))
        self.assertEqual([re.sub(r"\x1b\[\d+m", "", line) for line in painted], plain)

    def test_numbers_are_those_of_the_run(self) -> None:
        look = LiveRun(made(REST), "momentum").look()
        text = "\n".join(screen(look, None, disk_of(look.folder), Pen(100, True, False)))
        with h5py.File(made(REST) / "run.h5") as file:
            temperature = file["series/temperature"][-1]
            momentum = file["series/momentum"][:]
        self.assertIn(f"temperature {temperature:.5g}, wanted 1.5", text)
        self.assertIn("step 500 of 500", text)
        self.assertIn("drift of momentum x", text)
        self.assertNotIn("drift of energy", text)  # the thermostat
        self.assertIn("momentum, 51 rows", text)
        np.testing.assert_allclose(look.history, np.linalg.norm(momentum, axis=1))
        drift = {drift.name: drift.value for drift in look.drifts}
        self.assertAlmostEqual(drift["momentum y"], (momentum[-1, 1] - momentum[0, 1]) / (1200 * np.sqrt(3.0)))

    def test_a_disk_that_will_not_do(self) -> None:
        look = with_status(LiveRun(made(FLOW)).look(), status="running", steps_done=100)
        disk = type(disk_of(look.folder))({"trajectory.h5": 1000}, 3999)
        self.assertIn("may not suffice: at this pace 3.91 KiB", " ".join(screen(look, 1.0, disk, Pen(90, True, False))))
        self.assertNotIn("suffice", " ".join(screen(look, 1.0, type(disk)({"trajectory.h5": 1000}, 4001), Pen(90, True, False))))

    def test_bars_and_lines(self) -> None:
        self.assertEqual(bar(0.5, 8, True), "████····")
        self.assertEqual(bar(1.0, 6, False), "[====]")
        for share in np.linspace(0.0, 1.0, 40):
            self.assertEqual((len(bar(share, 11, True)), len(bar(share, 11, False))), (11, 11))
        self.assertEqual(sparkline(np.array([0.0, 1.0, np.nan, 2.0]), 10, True), "▁▅█")
        self.assertEqual(sparkline(np.arange(10_000.0), 8, True), "▁▂▃▄▅▆▇█")
        self.assertEqual(sparkline(np.ones(3), 8, False), "~~~")
        self.assertEqual(sparkline(np.empty(0), 8, True), "")
        self.assertEqual([duration(s) for s in (0.2, 61, 3700, 90000)], ["0:01", "1:01", "1:01:40", "1 d 01:00:00"])
        self.assertEqual((rate(43.07e6), rate(12.0), size(3 << 20)), ("43.1 M", "12", "3.00 MiB"))


class Looking(ToolTest):
    def test_a_file_that_is_replaced_all_the_time(self) -> None:
        folder = self.copy_of(FLOW)
        texts = [(folder / "run.h5").read_bytes(), (made(REST) / "run.h5").read_bytes()]
        over = threading.Event()

        def replace() -> None:
            number = 0
            while not over.is_set():
                (folder / "new").write_bytes(texts[number % 2])
                os.replace(folder / "new", folder / "run.h5")
                number += 1

        thread = threading.Thread(target=replace)
        thread.start()
        run, seen = LiveRun(folder), 0
        try:
            until = time.monotonic() + 2.0
            while time.monotonic() < until or seen < 20:
                self.assertEqual(run.look().steps_done, 500)
                seen += 1
        finally:
            over.set()
            thread.join()

    def test_rows_are_read_on_and_cut_back_after_a_restart(self) -> None:
        folder = self.copy_of(FLOW)
        run = LiveRun(folder)
        whole = run.look().history
        self.assertEqual(len(whole), 51)

        def cut(rows: int, restarts: int) -> None:
            with edited(folder / "run.h5") as file:
                for name in list(file["series"]):
                    kept = file["series"][name][:rows]
                    del file["series"][name]
                    file["series"][name] = kept
                file["run"].attrs["restarts"] = restarts
                file["series/temperature"][...] += restarts

        cut(30, 1)
        np.testing.assert_array_equal(run.look().history, whole[:30] + 1)

    def test_rates(self) -> None:
        folder = self.copy_of(FLOW)

        def set_to(steps: int, seconds: float) -> None:
            with edited(folder / "run.h5") as file:
                file["run"].attrs["steps_done"] = steps
                file["run"].attrs["wall_time"] = seconds

        run = LiveRun(folder)
        for steps, seconds, expected in ((100, 10.0, 10.0), (200, 15.0, 20.0), (200, 15.0, 20.0), (40, 4.0, 10.0)):
            set_to(steps, seconds)
            run.look()
            self.assertEqual(run.steps_per_second, expected)

    def test_a_run_that_was_killed(self) -> None:
        folder = self.copy_of(FLOW)
        with edited(folder / "run.h5") as file:
            file["run"].attrs["status"] = np.bytes_("running")
        run = LiveRun(folder)
        self.assertEqual(run.look().status, "running")  # young enough
        os.utime(folder / "run.h5", (1e9, 1e9))
        descriptor = os.open(folder, os.O_RDONLY)
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        self.assertTrue(is_written_to(folder))
        self.assertEqual(LiveRun(folder).look().status, "running")  # a run holds its folder
        os.close(descriptor)
        self.assertFalse(is_written_to(folder))
        self.assertEqual(LiveRun(folder).look().status, "killed")
        self.assertIn("killed: nobody writes", self.command("watch", folder, status=1).stdout)


class Command(ToolTest):
    def start_run(self, folder: Path) -> subprocess.Popen[bytes]:
        (self.folder / "long.yaml").write_text(LONG)
        run = subprocess.Popen([os.environ["MPCFLOW"], "run", "long.yaml", "--quiet", "--device", "cpu", "--threads", "1", "--output",
                                str(folder)], cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(run.wait)
        self.addCleanup(run.kill)
        while not (folder / "run.h5").exists():
            self.assertIsNone(run.poll(), "the run ended")
            time.sleep(0.02)
        return run

    def start_watch(self, *arguments: object, **options: object) -> subprocess.Popen[str]:
        environment = {**os.environ, "PYTHONPATH": str(TOOLS), "PYTHONIOENCODING": "utf-8", "TERM": "xterm"}
        watch = subprocess.Popen([sys.executable, "-m", "mpcflow_tools.watch", *map(str, arguments)], text=True, env=environment,
                                 **{"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **options})  # type: ignore[call-overload]
        self.addCleanup(watch.wait)
        self.addCleanup(watch.kill)
        return watch

    def test_from_before_the_start_to_the_end(self) -> None:
        watch = self.start_watch(self.folder / "out", "--wait", "--every", 0.1)
        assert watch.stdout
        self.assertEqual(watch.stdout.readline(), f"waiting for {self.folder / 'out'}\n")
        first = self.start_run(self.folder / "out")
        self.assertRegex(watch.stdout.readline(), r"^note: step 0: began \S+ on \S+, CPU, 1 thread$")
        self.assertRegex(watch.stdout.readline(), r"^step \d+ of 40000100 \(0 %\)")
        first.send_signal(signal.SIGTERM)
        self.assertEqual(first.wait(60), 85)
        while "interrupted (" not in (line := watch.stdout.readline()):
            self.assertRegex(line, "^step")
        second = self.start_run(self.folder / "out")  # goes on
        self.assertRegex(watch.stdout.readline(), r"^note: step \d+: went on \S+ on \S+, CPU, 1 thread$")
        self.assertRegex(watch.stdout.readline(), "^step")
        watch.send_signal(signal.SIGINT)
        _, errors = watch.communicate(timeout=60)
        self.assertEqual((watch.returncode, errors), (130, ""))
        self.assertIsNone(second.poll())  # the run itself goes on
        without = self.start_watch(self.folder / "out", "--every", 0.1)
        second.send_signal(signal.SIGTERM)
        text, errors = without.communicate(timeout=60)
        self.assertEqual((without.returncode, errors), (85, ""))
        self.assertIn("interrupted (", text.splitlines()[-1])

    def test_in_a_terminal(self) -> None:
        self.start_run(self.folder / "out")
        ours, theirs = pty.openpty()
        self.addCleanup(os.close, ours)
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 60, 0, 0))
        watch = self.start_watch(self.folder / "out", stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True)
        os.close(theirs)
        shown = self.until(ours, b"", b"fields.xdmf")
        self.assertTrue(shown.startswith(b"\x1b[?1049h\x1b[?25l\x1b[H"), shown[:80])
        fcntl.ioctl(ours, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 33, 0, 0))
        watch.send_signal(signal.SIGWINCH)  # as the kernel sends it to who sits at the terminal
        shown = self.until(ours, b"", b"\x1b[J")
        for line in re.sub(rb"\x1b\[[?\d]*\w", b"", shown).decode().split("\r\n"):
            self.assertLessEqual(len(line), 32)
        watch.send_signal(signal.SIGTERM)
        self.assertTrue(self.until(ours, b"", b"\x1b[?1049l").endswith(b"\x1b[?25h\x1b[?1049l"))
        self.assertEqual(watch.wait(60), 130)

    def until(self, descriptor: int, text: bytes, end: bytes) -> bytes:
        """Reads the terminal until `end` comes."""
        limit = time.monotonic() + 60.0
        while end not in text:
            self.assertLess(time.monotonic(), limit, text)
            if select.select([descriptor], [], [], 1.0)[0]:
                text += os.read(descriptor, 65536)
        return text

    def test_runs_that_are_over(self) -> None:
        done = self.command("watch", made(FLOW))
        self.assertRegex(done.stdout, r"^note: step 0: began .*\nstep 500 of 500 \(100 %\), temperature .*\ncompleted in 0:\d\d\n$")
        once = self.command("watch", made(FLOW), "--once").stdout
        self.assertIn("fields 100, histograms 20", once)
        self.assertIn("completed in", once)
        self.assertNotIn("\x1b", once)
        without_series = self.command("watch", made(REGION))
        self.assertRegex(without_series.stdout, r"^note: .*\nstep 60 of 60 \(100 %\)\ncompleted")
        self.command("watch", made(REGION), "--once")

    def test_log_lines(self) -> None:
        look = with_status(LiveRun(made(REST)).look(), status="running", steps_done=250)
        self.assertRegex(log_line(look, 10.0), r"^step 250 of 500 \(50 %\), 0:25 left, 12.0 k particle updates/s, temperature 1.\d+, "
                                               r"momentum drift \d.\de-\d+$")

    def test_wrong_questions(self) -> None:
        self.assertIn("no such file", self.command("watch", self.folder / "nowhere", status=3).stderr)
        self.assertIn("no 'pressure', only kinetic_energy", self.command("watch", made(FLOW), "--series", "pressure", status=2).stderr)
        self.assertIn("--every", self.command("watch", made(FLOW), "--every", "0", status=2).stderr)
        folder = self.copy_of(FLOW)
        (folder / "run.h5").write_bytes(b"not HDF5")
        self.assertIn("is no HDF5 file", self.command("watch", folder, "--every", 0.01, status=3).stderr)
        shutil.rmtree(folder)


if __name__ == "__main__":
    unittest.main()

"""Runs that are stopped by signals, refused or restarted elsewhere: restarted, they end as the run that never stopped."""

import os
import random
import re
import shutil
import signal
import subprocess
import threading
import time
import unittest

import h5py
import numpy as np

from program import NOBODY
from restarting import OUTPUTS, RestartTest, flow

STOPPED = 85


class Signals(RestartTest):
    def test_signals_write_a_checkpoint_and_the_run_goes_on(self):
        text = flow(2000)
        expected = self.reference(text)
        name = self.write_input(text)
        chance = random.Random(3)
        for number in (signal.SIGTERM, signal.SIGUSR1, signal.SIGINT, signal.SIGHUP):
            shutil.rmtree(self.folder / "out", ignore_errors=True)
            stops = too_early = 0
            while True:
                process = self.start("run", name, "--threads", str(chance.choice([1, 2, 3])))
                if stops < 3:
                    time.sleep(0.05 + 0.15 * chance.random() + 0.05 * too_early)
                    process.send_signal(number)
                out, err = process.communicate(timeout=60)
                if process.returncode == 0:
                    break
                if process.returncode == -number:  # before it listened to signals
                    too_early += 1
                    continue
                self.assertEqual(process.returncode, STOPPED, err)
                self.assertIn("stopped by SIG", out)
                self.assertIn("run the same command again (from out/checkpoint.h5)", out)
                self.assertEqual("going on from out/checkpoint.h5" in err, stops > 0, err)
                stops += 1
            self.assertGreaterEqual(stops, 1)
            self.check_same(self.results("out"), expected)
            with h5py.File(self.folder / "out/run.h5") as f:
                self.assertGreaterEqual(f["run"].attrs["restarts"], stops)

    def test_a_complete_run_is_left_alone_and_a_longer_one_goes_on(self):
        long = flow(200, "{every: 1000}")
        expected = self.reference(long)
        name = self.write_input(flow(80, "{every: 1000}"))
        self.mpcflow("run", name, "--quiet", "--threads", "2")
        before = {path.name: path.read_bytes() for path in (self.folder / "out").iterdir()}
        done = self.mpcflow("run", name)
        self.assertIn("complete", done.stderr)
        self.assertEqual({path.name: path.read_bytes() for path in (self.folder / "out").iterdir()}, before)
        done = self.mpcflow("run", name, "--set", "run.steps=200")
        self.assertIn("going on from out/checkpoint.h5, step 100", done.stderr)
        self.check_same(self.results("out"), expected)
        done = self.mpcflow("run", name, status=3)  # shorter than what is done
        self.assertIn("raise run.steps", done.stderr)

    def test_cadence_device_and_title_may_change(self):
        name = self.write_input(flow(80, "{every: 50}"))
        self.mpcflow("run", name, "--quiet")
        changes = ["title=Another", "run.steps=180", "output.series.every=4", "output.trajectory.every=8", "output.fields.every=2",
                   "output.histograms.every=5", "checkpoint.every=30", "execution.threads=3", "execution.reorder=3"]
        self.mpcflow("run", name, *(f"--set={change}" for change in changes))
        with h5py.File(self.folder / "out/run.h5") as f, h5py.File(self.folder / "out/trajectory.h5") as t:
            series = list(range(0, 100, 10)) + list(range(100, 201, 4))
            np.testing.assert_array_equal(f["series/step"], series)
            np.testing.assert_array_equal(t["particles/all/position/step"], list(range(0, 100, 15)) + list(range(104, 201, 8)))
            self.assertEqual(f["fields"].attrs["first_step"], 23)
            self.assertEqual(f["fields"].attrs["last_step"], 200)
            # 23, 26 ... 98, then 100, 102 ... 200.
            self.assertEqual(f["fields"].attrs["samples"], 26 + 51)
            self.assertEqual(f["histograms"].attrs["samples"], 11 + 21)
            self.assertEqual(f["histograms"].attrs["last_step"], 200)
            hashes = t["parameters/mpcflow/state_hash"][()]
            self.assertEqual(hashes[-1], f["run"].attrs["state_hash"])
            self.assertEqual(f["run"].attrs["state_hash"], self.reference(flow(180))["run.h5:run@state_hash"])

    def test_observables_begin_anew_where_they_must(self):
        name = self.write_input(flow(80, "{every: 50}"))
        self.mpcflow("run", name, "--quiet")
        kept = self.folder / "kept"
        shutil.copytree(self.folder / "out", kept)
        hash_of_all = self.reference(flow(180))["run.h5:run@state_hash"]
        dropped = "step 100: output.histograms begins anew, and its 11 samples of before are dropped: "
        without = flow(180, "{every: 50}", OUTPUTS.replace("  histograms: {every: 7, speed_bins: 20, largest_speed: 5}\n", ""))
        cases = [
            (flow(180, outputs=OUTPUTS.replace("speed_bins: 20", "speed_bins: 30")), dropped + "speed_bins was 20, is 30"),
            (flow(180, outputs=OUTPUTS.replace("largest_speed: 5", "largest_speed: 4, occupancy_bins: 12")),
             dropped + "occupancy_bins was 45, is 12, largest_speed was 5, is 4"),
            (flow(180, outputs=OUTPUTS.replace("count: 2", "count: 3")),
             "step 100: output.modes begins anew, and its 26 samples of before are dropped: count was 2, is 3"),
            (without, "step 100: output.histograms is not asked for any more, and its 11 samples are dropped"),
        ]
        for text, words in cases:
            with self.subTest(words=words):
                shutil.rmtree(self.folder / "out")
                shutil.copytree(kept, self.folder / "out")
                done = self.mpcflow("run", self.write_input(text))
                self.assertIn("warning: " + words, done.stderr)
                with h5py.File(self.folder / "out/run.h5") as f:
                    self.assertIn(words.encode(), list(f["run"].attrs["notes"]))
                    self.assertEqual(f["run"].attrs["state_hash"], hash_of_all)
                    self.assertEqual("histograms" in f, text != without)
                    for observable in ("histograms", "modes"):
                        if observable not in f:
                            continue
                        # Histograms at 104, 111 ... 195, modes at 101, 104 ... 200; step 100 has none.
                        is_new, attributes = f"output.{observable}" in words, f[observable].attrs
                        found = [attributes[name] for name in ("samples", "first_step", "last_step")]
                        whole, new = {"histograms": ([25, 27, 195], [14, 104, 195]), "modes": ([60, 23, 200], [34, 101, 200])}[observable]
                        self.assertEqual(found, new if is_new else whole)
                    if "histograms" in f:
                        self.assertEqual(f["histograms/speed/counts"][()].sum(), f["histograms"].attrs["samples"] * 2160)
        # The last one had none: asked for again, they begin where it goes on.
        done = self.mpcflow("run", self.write_input(flow(240)))
        self.assertIn("warning: step 200: output.histograms begins here; the run had none before", done.stderr)
        with h5py.File(self.folder / "out/run.h5") as f:
            self.assertEqual(f["histograms"].attrs["first_step"], 202)

    def test_a_checkpoint_starts_a_run_elsewhere(self):
        expected = self.reference(flow(150))
        name = self.write_input(flow(30, "{every: 40}"))
        self.mpcflow("run", name, "--quiet")
        done = self.mpcflow("run", name, "--set=run.steps=150", "--output", "other", "--restart", "out/checkpoint.h5")
        self.assertIn("going on from out/checkpoint.h5, step 50", done.stderr)
        found = self.results("other")
        for key in ("run@state_hash", "series/momentum", "fields/velocity_error", "histograms/speed/counts"):
            self.assertEqual(found[f"run.h5:{key}"].tobytes(), expected[f"run.h5:{key}"].tobytes(), key)
        np.testing.assert_array_equal(found["trajectory.h5:particles/all/box/edges/step"], range(60, 171, 15))
        # By its name it serves in its own folder, too.
        self.mpcflow("run", name, "--set=run.steps=150", "--restart", "out/checkpoint.previous.h5")
        self.check_same(self.results("out"), expected)

    def test_mixed_precision_and_regions(self):
        region = "velocity], region: {lower: [0, 0, 0], upper: [3, 6, 2]}"
        text = flow(100, "{every: 17}", OUTPUTS.replace("velocity]", region)) .replace("device: cpu}", "device: cpu, precision: mixed}")
        expected = self.reference(text)
        name = self.write_input(text)
        self.mpcflow("run", name, "--quiet", "--set=run.steps=60")
        self.mpcflow("run", name, "--quiet")
        self.check_same(self.results("out"), expected)

    def test_every_nth_id_in_single_precision(self):
        text = flow(100, "{every: 17}", OUTPUTS.replace("velocity]", "velocity], every_nth_id: 7, precision: single"))
        expected = self.reference(text)
        name = self.write_input(text)
        self.mpcflow("run", name, "--quiet", "--set=run.steps=60")
        done = self.mpcflow("run", name, "--set=output.trajectory.every_nth_id=6", status=3)
        self.assertIn("output.trajectory.every_nth_id was 7, is 6", done.stderr)
        self.mpcflow("run", name, "--quiet")
        self.check_same(self.results("out"), expected)


class Refusals(RestartTest):
    def setUp(self):
        super().setUp()
        self.name = self.write_input(flow(60, "{every: 25}"))
        self.mpcflow("run", self.name, "--quiet")
        self.newest = self.folder / "out/checkpoint.h5"
        self.previous = self.folder / "out/checkpoint.previous.h5"

    def longer(self, *arguments: str, status: int = 0):
        return self.mpcflow("run", self.name, "--set=run.steps=120", *arguments, status=status)

    def test_another_input_is_refused_and_the_difference_named(self):
        before = self.newest.read_bytes()
        for change, words in (("collision.angle=90", "collision.angle was 130.0, is 90.0"), ("seed=4", "seed was 3, is 4"),
                              ("execution.precision=mixed", "execution.precision was double, is mixed"),
                              ("output.fields.bins.1=3", "output.fields.bins.1 was 2, is 3"),
                              ("run.equilibration=10", "run.equilibration was 20, is 10"),
                              ("output.trajectory.quantities=[position]", "output.trajectory.quantities.1 was velocity"),
                              ("output.trajectory.every_nth_id=2", "output.trajectory.every_nth_id was 1, is 2"),
                              ("output.trajectory.precision=single", "output.trajectory.precision was auto, is single"),
                              ("output.fields.time_window=12", "output.fields.time_window was 24, is 12")):
            done = self.longer("--set", change, status=3)
            self.assertIn(words, done.stderr)
            self.assertIn("--overwrite", done.stderr)
        text = (self.folder / self.name).read_text()
        for section in ("fields", "trajectory"):
            without = self.write_input(re.sub(rf"\n  {section}:.*", "", text), "without.yaml")
            done = self.mpcflow("run", without, "--set=run.steps=120", status=3)
            self.assertRegex(done.stderr, rf"output\.{section}\.quantities\.0 was \w+, is not given")
        self.assertEqual(self.newest.read_bytes(), before)

    def test_a_damaged_checkpoint_is_passed_over(self):
        expected = self.reference(flow(120))
        whole = self.newest.read_bytes()
        chance = random.Random(5)
        kept = self.folder / "kept"
        shutil.copytree(self.folder / "out", kept)
        places = [0, 8, 100, len(whole) - 1, len(whole) - 20] + [chance.randrange(len(whole)) for _ in range(12)]
        harms = [("cut", n) for n in (0, 10, 1000, len(whole) // 2, len(whole) - 1)] + [("bit", n) for n in places]
        for harm, place in harms:
            with self.subTest(harm=harm, place=place):
                shutil.rmtree(self.folder / "out")
                shutil.copytree(kept, self.folder / "out")
                damaged = bytearray(whole)
                if harm == "cut":
                    del damaged[place:]
                else:
                    damaged[place] ^= 1 << chance.randrange(8)
                self.newest.write_bytes(damaged)
                done = self.longer()
                self.assertRegex(done.stderr, r"warning: out/checkpoint\.h5: (cut short|damaged).* going on from the one before it")
                self.assertIn("going on from out/checkpoint.previous.h5, step 75", done.stderr)
                self.assertEqual(self.results("out")["run.h5:run@state_hash"], expected["run.h5:run@state_hash"])
        self.check_same(self.results("out"), expected)

    def test_without_a_good_one_nothing_is_touched(self):
        self.newest.write_bytes(self.newest.read_bytes()[:5000])
        self.previous.write_text("not HDF5 at all")
        before = {path.name: path.read_bytes() for path in (self.folder / "out").iterdir()}
        done = self.longer(status=3)
        for words in ("no checkpoint is good", "checkpoint.h5: cut short", "checkpoint.previous.h5", "--overwrite"):
            self.assertIn(words, done.stderr)
        self.assertEqual({path.name: path.read_bytes() for path in (self.folder / "out").iterdir()}, before)
        self.longer("--overwrite")

    def test_foreign_files_and_formats(self):
        shutil.copy(self.folder / "out/run.h5", self.newest)
        self.assertIn("going on from the one before it", self.longer().stderr)
        for file, words in (("missing.h5", "no such file"), ("out/run.h5", "not a checkpoint"), ("out", "this is a directory")):
            self.assertIn(words, self.longer("--restart", file, "--output", "elsewhere", status=3).stderr)

    def test_restart_never_and_overwrite(self):
        self.assertIn("holds results already", self.longer("--restart", "never", status=3).stderr)
        self.assertIn("--restart auto", self.longer("--restart", "auto", "--overwrite", status=2).stderr)
        done = self.longer("--overwrite")
        self.assertNotIn("going on", done.stderr)

    def test_results_without_a_checkpoint_are_refused(self):
        self.newest.unlink()
        self.previous.unlink()
        self.assertIn("holds results already", self.longer(status=3).stderr)

    def test_a_trajectory_that_does_not_belong(self):
        trajectory = self.folder / "out/trajectory.h5"
        before = (self.folder / "out/run.h5").read_bytes()
        trajectory.rename(self.folder / "mine.h5")
        missing = self.longer(status=3).stderr
        self.assertRegex(missing, r"out/trajectory\.h5: no such file, but the checkpoint tells of 6 frames in it; put it back, or")
        # What it advises does.
        self.longer("--restart", "out/checkpoint.h5", "--output", "without")
        with h5py.File(self.folder / "without/trajectory.h5") as f:
            np.testing.assert_array_equal(f["particles/all/position/step"], range(90, 141, 15))
        self.mpcflow("run", self.write_input(flow(10), "short.yaml"), "--output", "short", "--quiet")
        shutil.copy(self.folder / "short/trajectory.h5", trajectory)
        self.assertIn("put back the file", self.longer(status=3).stderr)
        self.assertEqual((self.folder / "out/run.h5").read_bytes(), before)
        (self.folder / "mine.h5").rename(trajectory)
        self.longer()

    def test_info(self):
        shown = self.mpcflow("info", "out/checkpoint.h5").stdout
        self.assertRegex(shown, r"step +80\n")
        with h5py.File(self.folder / "out/run.h5") as f:
            self.assertIn(f["run"].attrs["state_hash_hex"].decode(), shown)

    def test_two_runs_on_one_directory(self):
        name = self.write_input(flow(10**8, "{every: 200}"), "endless.yaml")
        process = self.start("run", name, "--output", "endless", stderr=subprocess.DEVNULL)
        self.wait_for("endless/checkpoint.previous.h5")
        self.assertIn("another run", self.mpcflow("run", name, "--output", "endless", status=3).stderr)
        process.terminate()
        self.assertEqual(process.wait(timeout=30), STOPPED)


class LostPermission(RestartTest):
    """The right to write to the folder is taken away while the run goes on."""

    def start_as_nobody(self, text: str) -> subprocess.Popen:
        if os.geteuid() != 0:
            user = os.geteuid()
        else:  # permissions do not stop root
            user = NOBODY
            self.folder.chmod(0o777)
        (self.folder / "out").mkdir()
        os.chown(self.folder / "out", user, -1)
        os.chmod(self.folder / "out", 0o777)
        # Real and effective user both: a process with two may not be traced, which the leak sanitizer does to itself.
        return self.start("run", self.write_input(text), user=user)

    def take_away(self) -> None:
        os.chmod(self.folder / "out", 0o555)
        self.addCleanup(os.chmod, self.folder / "out", 0o777)

    def test_ends_the_run_and_says_how_it_goes_on(self):
        text = flow(10**8, "{every: 2000}", outputs="  series: {every: 1000}\n")
        process = self.start_as_nobody(text)
        self.wait_for("out/checkpoint.previous.h5")
        self.take_away()
        _, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 3, err)
        last = err.strip().splitlines()[-1]
        for words in ("out/run.h5.tmp: cannot create it: permission denied", "run the same command again", "out/checkpoint.h5"):
            self.assertIn(words, last)
        self.assertNotIn("HDF5", err)
        with h5py.File(self.folder / "out/run.h5") as f:
            self.assertEqual(f["run"].attrs["status"].decode(), "failed")
            self.assertIn("permission denied", f["run"].attrs["message"].decode())
        os.chmod(self.folder / "out", 0o777)
        with h5py.File(self.folder / "out/checkpoint.h5") as f:
            steps = int(f["run"].attrs["step"])
        self.assertGreaterEqual(steps, 2000)
        done = self.mpcflow("run", "flow.yaml", f"--set=run.steps={steps + 500}")
        self.assertIn(f"going on from out/checkpoint.h5, step {steps}", done.stderr)
        with h5py.File(self.folder / "out/run.h5") as f:
            np.testing.assert_array_equal(f["series/step"], range(0, steps + 521, 1000))

    def test_for_a_while_costs_no_more_than_checkpoints(self):
        # Frames go on: their file is open. run.h5, which is replaced every two seconds, would end the run: on a busy
        # machine that comes in between, and the test begins again.
        text = flow(4000, "{every: 20}", outputs="  trajectory: {every: 200}\n")
        expected = self.reference(text)
        for _ in range(20):
            process = self.start_as_nobody(text)
            deadline = threading.Timer(60, process.kill)
            deadline.start()
            self.addCleanup(deadline.cancel)
            self.wait_for("out/checkpoint.previous.h5")
            self.take_away()
            told = ""
            while "no checkpoint" not in told and (line := process.stderr.readline()):
                told += line
            os.chmod(self.folder / "out", 0o777)
            _, err = process.communicate(timeout=60)
            if process.returncode != 3 or "run.h5.tmp" not in told + err:
                break
            shutil.rmtree(self.folder / "out")
        self.assertRegex(told, "step [0-9]+: no checkpoint: .*permission denied; the one before it stays")
        self.assertEqual(process.returncode, 0, told + err)
        self.check_same(self.results("out"), expected)


if __name__ == "__main__":
    unittest.main()

"""Runs on several ranks: their files are those of one process, to the last bit; restarts on other numbers."""

import json
import os
import random
import shutil
import signal
import subprocess
import time
import unittest

import h5py

from on_ranks import LONGEST, RanksTest
from restarting import OUTPUTS, flow

ROUNDS = int(os.environ.get("MPCFLOW_ROUNDS", "1"))


class Files(RanksTest):
    def check_ranks(self, text: str, ranks: int, *arguments: str) -> None:
        expected = self.reference(text)
        name = self.write_input(text)
        self.on_ranks(ranks, "run", name, "--quiet", *arguments)
        self.check_same(self.results("out"), expected)
        for folder in ("out", "reference"):
            shutil.rmtree(self.folder / folder)

    def test_are_those_of_one_process(self):
        text = flow(100)
        self.check_ranks(text, 4)
        with self.subTest("three domains along x, of sizes that differ, on two threads each"):
            odd = text.replace("size: [6, 6, 6]", "size: [7, 6, 9]")
            self.check_ranks(odd, 3, "--set", "execution.domains=[3,1,1]", "--threads", "2")

    def test_are_those_of_one_process_with_walls_all_around(self):
        text = flow(100, outputs=OUTPUTS.replace("  modes: {every: 3, count: 2}\n", ""))
        walls = "boundaries: {x: no_slip, y: {lower: slip, upper: {kind: no_slip, velocity: [0.2, 0, 0.1]}}, z: no_slip}"
        for given, wanted in (("boundaries: {x: periodic, y: periodic, z: no_slip}", walls),
                              ("device: cpu}", "device: cpu, precision: mixed}"),
                              ("angle: 130", "angle: 130, conserve_angular_momentum: true")):
            self.assertIn(given, text)
            text = text.replace(given, wanted)
        self.check_ranks(text, 5)

    def test_of_a_mixture_are_those_of_one_process_also_over_a_restart(self):
        text = flow(100, "{every: 30}").replace(
            "fluid: {density: 10}", "fluid: {species: [{name: light, mass: 1, density: 7}, {name: heavy, mass: 5, density: 3}]}")
        self.assertIn("heavy", text)
        expected = self.reference(text)
        name = self.write_input(text)
        self.on_ranks(3, "run", name, "--quiet", "--set", "run.steps=70")
        self.on_ranks(2, "run", name, "--quiet")
        self.check_same(self.results("out"), expected)

    def test_say_on_how_many_ranks_they_were_made(self):
        name = self.write_input(flow(50, "{every: 20}").replace("threads: 1, ", ""))  # as many as there are for each
        done = self.on_ranks(3, "run", name)
        self.assertIn("on each of 3 ranks, 1 x 1 x 3 domains", done.stderr)
        self.assertRegex(done.stdout, r"exchange     [\d.]+ % of the time of the steps ranks waited for each other")
        self.assertEqual(done.stdout.count("state hash"), 1)
        with h5py.File(self.folder / "out/run.h5") as f:
            self.assertEqual(f["machine"].attrs["ranks"], 3)
            self.assertEqual(list(f["machine"].attrs["domains"]), [1, 1, 3])
            self.assertGreater(f["run"].attrs["exchange_wait"], 0.0)
        again = self.on_ranks(2, "run", name)
        self.assertIn("this run is complete", again.stderr)


class OnGpus(RanksTest):
    """Where there are fewer GPUs than ranks, several are on one."""

    def test_files_are_those_of_one_process_on_the_cpu(self):
        self.require_gpu()
        text = flow(100)
        expected = self.reference(text)
        name = self.write_input(text)
        for ranks in (2, 3):
            done = self.on_ranks(ranks, "run", name, "--device", "cuda")
            self.assertIn(f"on each of {ranks} ranks", done.stderr)
            self.check_same(self.results("out"), expected)
            shutil.rmtree(self.folder / "out")

    def test_a_run_goes_on_on_other_ranks_and_devices(self):
        self.require_gpu()
        text = flow(100, "{every: 30}")
        expected = self.reference(text)
        name = self.write_input(text)
        self.on_ranks(3, "run", name, "--device", "cuda", "--set", "run.steps=37")
        self.on_ranks(2, "run", name, "--device", "cpu", "--set", "run.steps=61")
        self.mpcflow("run", name, "--device", "cuda", "--set", "run.steps=80")
        self.on_ranks(2, "run", name, "--device", "cuda")
        self.check_same(self.results("out"), expected)

    def test_the_step_is_measured(self):
        self.require_gpu()
        options = ("bench", "step", "--law", "srd", "--cells", "32", "--steps", "20", "--json")
        for measured in json.loads(self.on_ranks(2, *options).stdout):
            self.assertEqual((measured["ranks"], measured["summation"]), (2, "tile"))
            self.assertGreater(measured["updates_per_second"], 0)

    def test_other_ways_of_summing_are_refused(self):
        self.require_gpu()
        name = self.write_input(flow(50))
        refused = self.on_ranks(2, "run", name, "--device", "cuda", "--set", "execution.summation=peers", status=3)
        self.assertIn("peers is a way of one GPU alone; on several ranks use auto or tile", refused.stderr)


class Planning(RanksTest):
    def test_check_tells_how_the_box_is_cut(self):
        name = self.write_input(flow(50).replace("size: [6, 6, 6]", "size: [24, 16, 9]"))
        said = self.mpcflow("check", name, "--ranks", "4").stdout
        self.assertIn("ranks                4, of 4 x 1 x 1 domains", said)
        self.assertRegex(said, r"  fullest rank       864 cells and 416 of neighbours, about 8640 particles, [\d.]+ MiB of memory")
        self.assertRegex(said, r"  it sends           about [\d.]+ KiB a step to 3 neighbours, in 3 messages")
        told = json.loads(self.mpcflow("check", name, "--ranks", "4", "--json").stdout)["ranks"]
        self.assertEqual((told["count"], told["domains"], told["cells"], told["neighbours"]), (4, [4, 1, 1], 864, 3))
        # The layers of cells that both have, two on each side, of srd: four sums of doubles each; particles besides.
        sums = 2 * 2 * 16 * 10 * 4 * 8
        self.assertGreater(told["step_bytes"], sums)
        self.assertLess(told["step_bytes"], 4 * sums)
        # Two of the three neighbours are beyond a face, the third has corners of cells alone.
        self.assertGreater(told["link_bytes"], told["step_bytes"] / 3)
        self.assertLess(told["link_bytes"], told["step_bytes"])
        self.assertRegex(said, r"  slowest link       about [\d.]+ KiB a step each way")
        self.assertRegex(said, r"  efficiency         \d+ % at most, by a model: 60.0 M particle updates/s a rank, 9.31 GiB/s and 10 us a message")
        fast = json.loads(self.mpcflow("check", name, "--ranks", "4", "--rate", "4G", "--json").stdout)["ranks"]
        self.assertLess(0.0, fast["efficiency"])
        self.assertLess(fast["efficiency"], told["efficiency"])  # the faster ranks are, the more their messages cost
        self.assertLess(told["efficiency"], 1.0)
        self.assertNotIn("ranks ", self.mpcflow("check", name).stdout)
        for ranks, message in (("0", "--ranks"), ("37", "box.size: cannot be cut along cell planes into 37 domains")):
            self.assertIn(message, self.mpcflow("check", name, "--ranks", ranks, status=2).stderr)

    def test_check_tells_of_gpus_what_hides_the_exchange(self):
        name = self.write_input(flow(50).replace("size: [6, 6, 6]", "size: [6, 200, 6]"))
        asked = ("check", name, "--ranks", "2", "--device", "cuda", "--rate", "60G")  # of a machine that is elsewhere
        said = self.mpcflow(*asked).stdout
        # Of 100 layers of cells 68 are deep: no flight of two steps gets from there to the other domain.
        self.assertIn("  exchange           hidden behind the work on 68 % of its tiles", said)
        self.assertRegex(said, r"  efficiency         \d+ % at most, by a model: 30.0 G particle updates/s a rank, 233 GiB/s and 12 us a message")
        short = json.loads(self.mpcflow(*asked, "--json").stdout)["ranks"]
        self.assertAlmostEqual(short["deep_share"], 0.68, 12)
        long_flights = (*asked, "--set", "collision.time_step=1")
        self.assertIn("hidden behind nothing: flights are too long, or domains too small", self.mpcflow(*long_flights).stdout)
        far = json.loads(self.mpcflow(*long_flights, "--json").stdout)["ranks"]
        self.assertEqual(far["deep_share"], 0)
        self.assertLess(far["efficiency"], short["efficiency"])
        on_cpus = ("check", name, "--ranks", "2", "--device", "cpu")
        self.assertNotIn("hidden behind", self.mpcflow(*on_cpus).stdout)
        self.assertNotIn("deep_share", json.loads(self.mpcflow(*on_cpus, "--json").stdout)["ranks"])

    def test_the_step_is_measured_on_ranks(self):
        options = ("bench", "step", "--law", "srd", "--cells", "12", "--steps", "20", "--device", "cpu")
        for measured in json.loads(self.on_ranks(3, *options, "--json").stdout):
            self.assertEqual(measured["ranks"], 3)
            self.assertGreater(measured["updates_per_second"], 0)
            self.assertLess(0.0, measured["waiting"])
            self.assertLessEqual(measured["waiting"], measured["largest_waiting"])
            self.assertLess(measured["largest_waiting"], 1.0)
        self.assertIn(" 2 ranks, ", self.on_ranks(2, *options).stdout)

    def test_without_a_gpu_none_is_taken(self):
        self.skip_with_gpu()
        name = self.write_input(flow(50))
        for command in (("bench", "step", "--device", "cuda"), ("run", name, "--device", "cuda")):
            refused = self.on_ranks(2, *command, status=3)
            self.assertIn("execution.device: rank 0 has no GPU that can be used", refused.stderr)
        self.assertNotIn("out", self.files())


class Restarts(RanksTest):
    def test_on_other_numbers_of_ranks_after_kills_of_single_ranks(self):
        text = flow(1400, "{every: 40}")
        expected = self.reference(text)
        name = self.write_input(text)
        chance = random.Random(16)
        kills = restarts = 0
        for _ in range(ROUNDS):
            for ranks in (4, 3, 1, 2):
                kills += self.kill_one(name, ranks, chance)
            self.on_ranks(2, "run", name, "--quiet")
            self.check_same(self.results("out"), expected)
            with h5py.File(self.folder / "out/run.h5") as f:
                restarts += int(f["run"].attrs["restarts"])
            shutil.rmtree(self.folder / "out")
        print(f"{kills} kills of single ranks of {ROUNDS} runs, which went on {restarts} times from a checkpoint to the same end")
        self.assertGreater(kills, ROUNDS)
        self.assertGreater(restarts, ROUNDS)

    def kill_one(self, name: str, ranks: int, chance: random.Random) -> int:
        """Runs on so many ranks and kills one of them some checkpoints later, however fast the machine is; 0 where the run
        had ended by then."""
        alone = ranks == 1
        command = ("run", name, "--quiet")
        process = self.start(*command) if alone else self.start_ranks(self.command(ranks, *command))
        written = [self.wait_for_another(process) for _ in range(chance.randint(2, 5))]
        # At any time until a little after the next one, also while its parts are being written.
        time.sleep(1.2 * (written[-1] - written[-2]) * chance.random())
        pids = [process.pid] if alone else self.ranks_of(process)
        is_running = process.poll() is None and bool(pids)
        if is_running:
            os.kill(chance.choice(pids), signal.SIGKILL)
        process.communicate(timeout=30)
        return int(is_running)

    def wait_for_another(self, process: subprocess.Popen) -> float:
        """Until the run has written its next checkpoint, or has ended; when that was."""
        def written() -> int:
            try:
                return (self.folder / "out/checkpoint.h5").stat().st_mtime_ns
            except FileNotFoundError:  # also while one takes the place of the one before
                return 0

        before = written()
        deadline = time.monotonic() + LONGEST
        while written() in (0, before) and process.poll() is None:
            self.assertLess(time.monotonic(), deadline, "no checkpoint comes")
            time.sleep(0.002)
        return time.monotonic()


if __name__ == "__main__":
    unittest.main()

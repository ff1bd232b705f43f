"""mpcflow-submit without a batch system: sweeps, profiles, scripts, what follows an attempt, the queue of this machine."""

from __future__ import annotations

import csv
import dataclasses
import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

import h5py

from forked import forked
from mpcflow_tools.batch.folder import ranges
from mpcflow_tools.batch.profile import Profile, ProfileError, parse_profile, profile_as_json, profile_from_json, read_profile, schema
from mpcflow_tools.batch.sweep import make_cases, parse_swept
from mpcflow_tools.batch.times import seconds_of, time_text
from mpcflow_tools.batch.worker import Then, fruitless_in_a_row, what_follows
from mpcflow_tools.command import BadArgument

MPCFLOW = os.environ.get("MPCFLOW", "mpcflow")
PROGRAM = json.dumps(shlex.quote(MPCFLOW))  # words of a shell, as a text of YAML
INPUT = """\
seed: 5
box: {{size: [6, 6, 6]}}
fluid: {{density: 10}}
collision: {{rule: srd, angle: 130, time_step: 0.1}}
boundaries: {{x: periodic, y: periodic, z: no_slip}}
run: {{steps: {steps}}}
checkpoint: {{every: 200}}
execution: {{device: cpu}}
output: {{series: {{every: 10}}}}
"""


class Sweeps(unittest.TestCase):
    def values(self, *sweeps: str, together: tuple[str, ...] = (), repeats: int = 1) -> list[dict[str, str]]:
        return [case.values for case in make_cases([parse_swept(text) for text in sweeps], together, repeats, 7)]

    def test_values_are_combined(self):
        self.assertEqual(self.values("a=1,2", "b=x,y"), [{"a": "1", "b": "x"}, {"a": "1", "b": "y"}, {"a": "2", "b": "x"}, {"a": "2", "b": "y"}])
        self.assertEqual(self.values("a=1,2", "b=x,y", together=("a,b",)), [{"a": "1", "b": "x"}, {"a": "2", "b": "y"}])
        self.assertEqual(self.values("a=1", repeats=2), [{"a": "1", "seed": "7"}, {"a": "1", "seed": "8"}])
        self.assertEqual(self.values(), [{}])

    def test_ranges_are_exact_and_hold_both_ends(self):
        self.assertEqual(parse_swept("a=0.1:0.5:0.1").values, ("0.1", "0.2", "0.3", "0.4", "0.5"))
        self.assertEqual(parse_swept("a=60:150:30").values, ("60", "90", "120", "150"))
        self.assertEqual(parse_swept("a=3:1:-1").values, ("3", "2", "1"))
        self.assertEqual(parse_swept("a=100:200:100").values, ("100", "200"), "not 1E+2")
        self.assertEqual(parse_swept("a=1:2:3,4").values, ("1:2:3", "4"), "a list")
        self.assertEqual(parse_swept("box.size=[8,8,8],[9,9,{a: 1,b: 2}]").values, ("[8,8,8]", "[9,9,{a: 1,b: 2}]"), "lists of YAML")

    def test_what_is_no_sweep_is_refused(self):
        for text in ("a", "=1", "a=", "a=1,,2", "a=1,1", "a=1:0:1", "a=1:2:0", "a=1:2:nan", "a=0:1:1e-9", "A b=1", "output.directory=x"):
            with self.assertRaises(BadArgument, msg=text):
                parse_swept(text)
        for sweeps, together, repeats in ((("a=1", "a=2"), (), 1), (("a=1,2", "b=1"), ("a,b",), 1), (("a=1",), ("a,c",), 1), (("a=1",), ("a",), 1),
                                          (("a=1,2", "b=1,2", "c=1,2"), ("a,b", "b,c"), 1), (("seed=1,2",), (), 2),
                                          (("a=1:200:1", "b=1:200:1"), (), 1)):
            with self.assertRaises(BadArgument, msg=f"{sweeps} {together}"):
                self.values(*sweeps, together=together, repeats=repeats)

    def test_times_and_ranges_of_numbers(self):
        for text, seconds in (("300", 300), ("0:07", 7), ("90:00", 5400), ("3:55:00", 14100), ("1-12:00:30", 129630), ("", None), ("1:60", None),
                              ("1-2:3", None), ("4h", None), ("-1", None), ("1:2:3:4", None)):
            self.assertEqual(seconds_of(text), seconds, text)
        self.assertEqual([time_text(seconds) for seconds in (0.2, 3661, 90061)], ["0:00:01", "1:01:01", "1-1:01:01"])
        self.assertEqual(ranges([8, 1, 3, 2, 9]), "1-3,8-9")


class Profiles(unittest.TestCase):
    def test_every_error_is_told_with_its_place(self):
        with self.assertRaises(ProfileError) as caught:
            parse_profile(Path("p.yaml"), "partiton: gpu\ngpus: yes\ncpus: 0\nmemory: 8 G\noptions: [a]\ncpus: 1\ntime_limit: soon\nsetup: {a: b}\n")
        said = caught.exception.lines
        for line, start in zip(said, ("p.yaml:1:1: partiton: is not a key; did you mean partition?", "p.yaml:2:7: gpus: yes is not a whole number",
                                      "p.yaml:3:7: cpus: 0", "p.yaml:4:9: memory: 8 G", "p.yaml:5:10: options", "p.yaml:6:1: cpus: is given twice",
                                      "p.yaml:7:13: time_limit", "p.yaml:8:8: setup"), strict=True):
            self.assertTrue(line.startswith(start), line)
        for text in ("[1]", "a: [", "a: &x 1", "gpu_type: a100", 'time_limit: "0:01:00"', "partition: a b", "program: ''", "x" * 70000, "\x00"):
            with self.assertRaises(ProfileError, msg=text[:20]):
                parse_profile(Path("p.yaml"), text)
        for text, start in (("cpus: 2\nmargin: 60\ntime_limit: '0:01:00'\n", "p.yaml:2:9: margin: 60 s leave nothing"),
                            ("\ntime_limit: '0:01:00'\n", "p.yaml:2:13: margin: 120 s"), ("cpus: 1\ngpu_type: a100\n", "p.yaml:2:11: gpu_type:"),
                            ("cpus: 1\nprogram: a\x07b\n", "p.yaml:2:11: is no YAML: has the character U+0007"),
                            ("cpus: 1\nqos: &x a\n", "p.yaml:2:6: anchors")):
            with self.assertRaises(ProfileError, msg=text) as caught:
                parse_profile(Path("p.yaml"), text)
            self.assertTrue(caught.exception.lines[0].startswith(start), caught.exception.lines)

    def test_a_file_that_is_no_text_is_told_with_its_place(self):
        folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        path = folder / "p.yaml"
        path.write_bytes("cpus: 1\npartition: ü".encode() + b"\xff\n")
        with self.assertRaises(ProfileError) as caught:
            read_profile(str(path))
        self.assertEqual(caught.exception.lines, [f"{path}:2:13: is not UTF-8"])
        with self.assertRaisesRegex(ProfileError, "cannot be read"):
            read_profile(f"{folder}/")

    def test_what_is_kept_with_a_sweep_is_the_profile(self):
        text = ('partition: gpu,big\naccount: p1\nqos: high\ntime_limit: 4:00:00\nmargin: 60\ncpus: 4\nmemory: 8G\ngpus: 1\ngpu_type: a100\n'
                'at_once: 5\nrequeue: false\nfailures: 2\nsetup: |\n  module load cuda\nprogram: /opt/my mpcflow\ncontainer: x.sif\n'
                'options: ["--exclusive"]\nscheduler: pbs\n')
        profile = parse_profile(Path("p.yaml"), text)
        self.assertEqual(profile.limit_seconds, 14400)
        profile = dataclasses.replace(profile, nodes=2, ranks_per_node=3, gpus_per_node=3, launcher="mpirun")  # which none on PBS may have
        self.assertEqual(profile_from_json(Path("s"), json.loads(json.dumps(profile_as_json(profile)))), profile)
        self.assertEqual(set(profile_as_json(profile)), set(schema()["properties"]), "no key keeps its default above")
        self.assertEqual(parse_profile(Path("p.yaml"), ""), Profile())


class Chains(unittest.TestCase):
    def test_what_follows_an_attempt(self):
        usr1, term = signal.SIGUSR1, signal.SIGTERM
        for status, asked_by, fruitless, then in ((0, None, 0, Then.DONE), (0, term, 5, Then.DONE), (85, usr1, 0, Then.GO_ON), (85, None, 0, Then.GO_ON),
                                                  (85, usr1, 3, Then.FAILED), (85, term, 0, Then.STOPPED), (143, term, 1, Then.STOPPED),
                                                  (137, None, 0, Then.GO_ON), (137, None, 1, Then.GO_ON), (137, None, 3, Then.FAILED),
                                                  (3, None, 1, Then.GO_ON), (3, None, 3, Then.FAILED), (2, None, 0, Then.FAILED)):
            self.assertEqual(what_follows(status, asked_by, fruitless, 3), then, (status, asked_by, fruitless))

    def test_fruitless_attempts_are_counted_from_the_last_step_forward(self):
        def attempts(*steps: tuple[int, int | None]) -> list[dict]:
            lines = []
            for first, last in steps:
                lines.append({"event": "began", "step": first})
                if last is not None:
                    lines.append({"event": "ended", "step": last})
            return lines

        self.assertEqual(fruitless_in_a_row([], 0), 0)
        self.assertEqual(fruitless_in_a_row(attempts((0, 0), (0, 0)), 0), 2)
        self.assertEqual(fruitless_in_a_row(attempts((0, 0), (0, 5)), 5), 0)
        self.assertEqual(fruitless_in_a_row(attempts((0, 5), (5, 5)), 5), 1)
        self.assertEqual(fruitless_in_a_row(attempts((0, None), (0, None), (0, 0)), 0), 3, "killed with all that ran in them")
        self.assertEqual(fruitless_in_a_row(attempts((0, None), (7, 7)), 7), 1)
        self.assertEqual(fruitless_in_a_row(attempts((0, None), (0, None)), 0), 2, "each with its node")
        self.assertEqual(fruitless_in_a_row(attempts((0, None), (0, None)), 3), 0)
        self.assertEqual(fruitless_in_a_row(attempts((0, 0), (0, 0)) + [{"event": "submitted"}], 0), 0, "somebody tries again")


class InAFolder(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="mpcflow submit ü' "))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.environment = {key: value for key, value in os.environ.items() if not key.startswith(("SLURM_", "PBS_"))}
        self.environment["XDG_CONFIG_HOME"] = str(self.folder / "config")
        self.profile("default", f"program: {PROGRAM}")
        self.write_input(1000)

    def profile(self, name: str, text: str) -> None:
        path = self.folder / f"config/mpcflow/clusters/{name}.yaml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text + "\n")

    def write_input(self, steps: int) -> None:
        (self.folder / "flow.yaml").write_text(INPUT.format(steps=steps))

    def submit(self, *arguments: object, status: int = 0) -> str:
        done = forked("submit", list(map(str, arguments)), self.folder, self.environment)
        self.assertEqual(done.returncode, status, f"{arguments}\n{done.stdout}{done.stderr}")
        self.assertNotIn("Traceback", done.stderr)
        return done.stdout if status == 0 else done.stderr


class Submitting(InAFolder):
    def test_a_dry_run_prints_a_script_that_shellcheck_likes_and_does_nothing(self):
        self.profile("big", f"program: {PROGRAM}\npartition: gpu\naccount: p1\ntime_limit: 4:00:00\ngpus: 2\n"
                            "gpu_type: a100\nmemory: 8G\nat_once: 3\nsetup: |\n  export A=1\n  module load cuda\noptions: [--exclusive]")
        for scheduler, line in (("slurm", "#SBATCH --gres=gpu:a100:2"), ("pbs", "#PBS -l walltime=4:00:00")):
            said = self.submit("flow.yaml", "--sweep", "collision.angle=90,120", "--profile", "big", "--scheduler", scheduler, "--dry-run")
            self.assertIn(line, said)
            self.assertIn("\nmodule load cuda\n", said)
            self.assertIn("# case 0001  angle=120", said)
            if shutil.which("shellcheck"):
                done = subprocess.run(["shellcheck", "--shell=bash", "-"], input=said, capture_output=True, text=True)
                self.assertEqual((done.returncode, done.stdout), (0, ""))
        self.assertFalse((self.folder / "sweeps").exists())

    def test_what_is_wrong_is_told_before_anything_is_there(self):
        said = self.submit("flow.yaml", "--sweep", "collision.angle=90,200", "--sweep", "fluid.densty=1", status=2)
        self.assertIn("collision.angle: 200 is out of range", said)
        self.assertIn("fluid.densty", said)
        self.profile("default", "partiton: x")
        self.assertRegex(self.submit("flow.yaml", status=2), r"^/.*default.yaml:1:1: partiton: is not a key")
        self.assertIn("no such profile", self.submit("flow.yaml", "--profile", "none", status=2))
        self.profile("default", "program: /nowhere/mpcflow")
        self.assertIn("/nowhere/mpcflow: no such program", self.submit("flow.yaml", status=3))
        self.assertIn("no such file", self.submit("status", status=3))
        self.assertFalse((self.folder / "sweeps").exists())

    def test_a_scheduler_that_is_not_here_leaves_a_sweep_that_can_be_resubmitted(self):
        self.environment["PATH"] = "/nowhere"
        said = self.submit("flow.yaml", status=3)
        self.assertIn("sbatch: cannot be run", said)
        self.assertIn("resubmit", said)
        self.assertIn("exists already", self.submit("flow.yaml", status=3))
        said = self.submit("resubmit", "sweeps/flow", "--scheduler", "local")
        with h5py.File(self.folder / "sweeps/flow/case-0000/results/run.h5") as file:
            self.assertEqual(file["run"].attrs["status"].decode(), "completed")

    def test_the_time_follows_from_a_rate(self):
        # 2160 particles, 1000 steps at 21600 updates a second: 100 s, a quarter and some minutes more.
        said = self.submit("flow.yaml", "--rate", "21600", "--dry-run")
        self.assertIn("#SBATCH --time=0:07:00", said)
        self.assertIn("#SBATCH --signal=B:USR1@120", said)
        self.submit("flow.yaml", "--time", "soon", "--dry-run", status=2)

    def test_what_is_measured_is_what_a_job_has(self):
        asked = self.folder / "asked"
        spy = self.folder / "spy"
        told = shlex.quote(str(self.folder / "told"))  # by the program, once: to measure takes it seconds
        spy.write_text(f'#!/bin/bash\necho "${{CUDA_VISIBLE_DEVICES-all}} $*" >>{shlex.quote(str(asked))}\n'
                       f'[[ " $* " == *" --measure "* ]] || exec {shlex.quote(MPCFLOW)} "$@"\n'
                       f'[[ -s {told} ]] || {shlex.quote(MPCFLOW)} "$@" >{told} || exit\ncat {told}\n')
        spy.chmod(0o755)
        for resources, expected in (("cpus: 1", r"^ check .*--measure --threads 1( |$)"),
                                    ("cpus: 1\ngpus: 1", r"^all check .*--measure --threads 1( |$)"),
                                    ("cpus: 4096", rf"^ check .*--threads {len(os.sched_getaffinity(0))}( |$)")):
            asked.write_text("")
            self.profile("spied", f"program: {json.dumps(shlex.quote(str(spy)))}\n{resources}")
            self.assertRegex(self.submit("flow.yaml", "--measure", "--dry-run", "--profile", "spied"), r"--time=\d+:\d\d:00")
            measured = [line for line in asked.read_text().splitlines() if "--measure" in line]
            self.assertEqual(len(measured), 1)
            self.assertRegex(measured[0], expected)

    def test_times_that_jobs_cannot_have(self):
        self.assertIn("margin of 120 s", self.submit("flow.yaml", "--time", "0:02:00", "--dry-run", status=2))
        self.assertIn("have no time limit", self.submit("flow.yaml", "--time", "1:00:00", "--scheduler", "local", status=2))


class LocalSweep(InAFolder):
    def test_runs_all_cases_and_collects_them(self):
        said = self.submit("flow.yaml", "--sweep", "collision.angle=90,120", "--repeat", 2, "--scheduler", "local", "--output", "out put",
                           "--collect")
        self.assertIn("4 cases in", said)
        self.assertIn("4 of 4 cases are complete", said)
        sweep = self.folder / "out put"
        cases = json.loads(self.submit("status", sweep, "--json"))["cases"]
        self.assertEqual([case["state"] for case in cases], ["done"] * 4)
        self.assertIn("4 done", self.submit("status", sweep))
        self.assertIn("4 of 4 cases are complete", self.submit("collect", sweep))
        with (sweep / "results.csv").open(newline="") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual([(row["collision.angle"], row["seed"]) for row in rows], [("90", "5"), ("90", "6"), ("120", "5"), ("120", "6")])
        self.assertEqual(len({row["state_hash"] for row in rows}), 4)
        with h5py.File(sweep / "results.h5") as file:
            self.assertEqual(file["keys/collision.angle"][()].tolist(), [90.0, 90.0, 120.0, 120.0])
            self.assertEqual(file["keys/seed"][()].tolist(), [5, 6, 5, 6])
            self.assertIn("temperature", file["results"])
        self.assertTrue((sweep / "results.png").read_bytes().startswith(b"\x89PNG"))
        self.assertIn("nothing to begin again", self.submit("resubmit", sweep))

    def test_a_terminal_shows_a_table_and_what_is_stopped_goes_on(self):
        self.write_input(30_000)
        self.profile("one", f"program: {PROGRAM}\nscheduler: local\nat_once: 1")
        terminal, theirs = os.openpty()
        process = subprocess.Popen([sys.executable, "-m", "mpcflow_tools.submit", "flow.yaml", "--repeat", "2", "--profile", "one"],
                                   cwd=self.folder, env=self.environment, stdout=subprocess.DEVNULL, stderr=theirs)
        os.close(theirs)
        first = self.folder / "sweeps/flow/case-0000/results/checkpoint.h5"
        deadline = time.monotonic() + 60.0
        while not first.exists() and time.monotonic() < deadline:
            time.sleep(0.05)
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        said = b""
        while True:
            try:
                said += os.read(terminal, 65536)
            except OSError:  # the last writer has gone
                break
        os.close(terminal)
        self.assertEqual(process.wait(timeout=60), 85, said)
        tables = said.decode().replace("\r\n", "\n").split("\x1b[J")
        self.assertGreaterEqual(len(tables), 2, "drawn again in its place")
        self.assertTrue(any("1 running, 1 waiting" in table for table in tables), tables)
        self.assertIn("1 stopped, 1 new", tables[-1])
        self.assertTrue(any(table.startswith("stopped (SIGINT): what runs saves first, 1 of 2 cases") for table in tables), tables)
        cases = json.loads(self.submit("status", "sweeps/flow", "--json"))["cases"]
        self.assertEqual([case["state"] for case in cases], ["stopped", "new"])
        self.submit("resubmit", "sweeps/flow")
        cases = json.loads(self.submit("status", "sweeps/flow", "--json"))["cases"]
        self.assertEqual([case["state"] for case in cases], ["done", "done"])
        self.assertEqual([case["attempts"] for case in cases], [2, 1])

    def test_what_the_set_up_brings_is_there_when_the_program_runs(self):
        asks = self.folder / "asks"
        asks.write_text(f"#!/bin/bash\n[[ $1 == check || $BROUGHT == 'two words' ]] || exit 3\nexec {shlex.quote(MPCFLOW)} \"$@\"\n")
        asks.chmod(0o755)
        self.profile("set_up", f"program: {json.dumps(shlex.quote(str(asks)))}\nscheduler: local\nfailures: 1\n"
                     "setup: |\n  # comes with the cluster\n  export BROUGHT='two words'\n")
        self.submit("flow.yaml", "--profile", "set_up")
        self.assertEqual(json.loads(self.submit("status", "sweeps/flow", "--json"))["cases"][0]["state"], "done")

    def test_a_case_that_fails_is_tried_again_and_given_up(self):
        broken = self.folder / "broken"
        broken.write_text(f"#!/bin/bash\n[[ $1 == check ]] && exec {shlex.quote(MPCFLOW)} \"$@\"\necho out of luck >&2\nexit 3\n")
        broken.chmod(0o755)
        self.profile("broken", f"program: {json.dumps(shlex.quote(str(broken)))}\nfailures: 2\nscheduler: local")
        done = subprocess.run([sys.executable, "-m", "mpcflow_tools.submit", "flow.yaml", "--profile", "broken"], cwd=self.folder,
                              env=self.environment, capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 3)
        case = json.loads(self.submit("status", "sweeps/flow", "--json"))["cases"][0]
        self.assertEqual((case["state"], case["attempts"], case["message"]), ("failed", 2, "out of luck"))


if __name__ == "__main__":
    unittest.main()

"""What mpcflow-submit writes for batch systems, how it checks what it is given, and what it collects."""

from __future__ import annotations

import csv
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import pbs_test
import submit_test  # not its classes by name: unittest would run their tests twice
import yaml

from mpcflow_tools.batch.collect import Measured, Row, draw_sweep
from mpcflow_tools.batch.folder import Sweep
from mpcflow_tools.batch.profile import (
    Profile,
    ProfileError,
    parse_profile,
    profile_as_json,
    profile_from_json,
    schema,
)
from mpcflow_tools.batch.schedulers import Pbs
from mpcflow_tools.batch.script import worker_words
from mpcflow_tools.batch.sweep import make_cases, parse_swept


class Paths(unittest.TestCase):
    def test_a_job_finds_the_package_what_set_up_brings_and_what_the_submitting_shell_had(self):
        folder = Path(tempfile.mkdtemp(prefix="mpcflow path ü' \" "))
        self.addCleanup(shutil.rmtree, folder, ignore_errors=True)
        package = Path(sys.modules["mpcflow_tools"].__file__).resolve().parents[1]
        asks = folder / "python3"
        asks.write_text("#!/bin/bash\nprintf '%s' \"$PYTHONPATH\"\n")
        asks.chmod(0o755)
        with mock.patch.object(sys, "executable", str(asks)):
            for submitting, setup, told in (
                ("", "", []),
                (f"{package}:{folder}/a::/b", "", [f"{folder}/a", "/b"]),
                ("/b", "export PYTHONPATH=/of/a/module:/c", ["/of/a/module", "/c", "/b"]),
            ):
                with mock.patch.dict(os.environ, {"PYTHONPATH": submitting}):
                    script = f"#!/bin/bash\n{setup}\nexec {worker_words('run', '.', '$INDEX')}\n"
                done = subprocess.run(
                    ["bash", "-u", "-c", script],
                    env={"PATH": os.environ["PATH"], "INDEX": "0"},
                    capture_output=True,
                    text=True,
                )
                self.assertEqual(done.stdout, ":".join([str(package), *told]), done.stderr)
                if shutil.which("shellcheck"):
                    liked = subprocess.run(["shellcheck", "-"], input=script, capture_output=True, text=True)
                    self.assertEqual((liked.returncode, liked.stdout), (0, ""))


class Profiles(unittest.TestCase):
    def parsed(self, key: str, value: object) -> bool:
        try:
            parse_profile(Path("p.yaml"), yaml.safe_dump({key: value, "margin": 1}))
        except ProfileError as error:
            self.assertRegex(error.lines[0], rf"^p\.yaml:\d+:\d+: {key}: ")
            return False
        return True

    def in_schema(self, key: str, value: object) -> bool:
        rule = schema()["properties"][key]
        kinds = {"string": str, "array": list, "integer": int, "boolean": bool}
        return type(value) is kinds[rule["type"]] and all(
            re.search(one["pattern"].removesuffix("$") + r"\Z", part) is not None
            for one, parts in ((rule, [value]), (rule.get("items", {}), value))
            if "pattern" in one
            for part in parts
        )

    def test_the_schema_takes_what_is_read(self):
        for key, values in {
            "time_limit": (
                "4:00:00",
                "100:00:00",
                "1-00:00:00",
                "0-0:00:02",
                "0:00:00",
                "0-0:00:00",
                "99:99:99",
                "1:60:00",
                "1234567:00:00",
                "4:00",
                "240",
                "4:00:00\n",
            ),
            "program": ("mpcflow", "a b 'c d'", " x", "   ", "", "a\tb", "a\nb"),
            "container": ("x.sif", "a\tb", ""),
            "setup": ("a\nb\t\U0001f600", "a\0"),
            "options": (["-a", "--b=c d"], ["-a\tb"], ["a"]),
        }.items():
            for value in values:
                self.assertEqual(self.in_schema(key, value), self.parsed(key, value), f"{key}: {value!r}")

    def test_a_program_that_no_shell_can_call_is_told_with_its_line(self):
        for program in ('"mpcflow \'x"', "'   '", "\"''\""):
            with self.assertRaises(ProfileError, msg=program) as caught:
                parse_profile(Path("p.yaml"), f"cpus: 1\nprogram: {program}\n")
            self.assertRegex(
                caught.exception.lines[0], r"^p\.yaml:2:10: program: .* is not how a shell calls it"
            )

    def test_the_examples_are_what_any_reader_takes_them_for(self):
        for path in (Path(__file__).parents[2] / "examples/clusters").glob("*.yaml"):
            parse_profile(path, path.read_text())
            for key, value in yaml.safe_load(path.read_text()).items():
                self.assertTrue(
                    "enum" in schema()["properties"][key] or self.in_schema(key, value),
                    f"{path}: {key}: {value!r}",
                )

    def test_all_letters_come_back_from_a_sweep(self):
        profile = Profile(setup="export A='\U0001f600 \x85 \u2028 \x7f'\n", container="\U0001f600.sif")
        kept = json.loads(json.dumps(profile_as_json(profile)))
        self.assertEqual(profile_from_json(Path("s"), kept), profile)
        self.assertEqual(
            parse_profile(Path("p.yaml"), '{"setup": "\\ud83d\\ude00"}').setup, "\U0001f600", "a file of JSON"
        )
        for wrong in ([], {"partiton": "x"}, {"cpus": 0}):
            with self.assertRaises(ProfileError):
                profile_from_json(Path("s"), wrong)


class Times(submit_test.InAFolder):
    def test_a_time_has_colons_and_is_written_out(self):
        for number in ("240", "100"):
            said = self.submit("flow.yaml", "--time", number, "--dry-run", status=2)
            self.assertIn(f"--time {number}: is not a time", said)
            self.assertIn("0:04:00 for four minutes", said)
        self.assertIn("#SBATCH --time=1:30:00\n", self.submit("flow.yaml", "--time", "90:00", "--dry-run"))


class InAContainer(submit_test.InAFolder):
    """With a stand-in for apptainer, which notes what it is called with and runs that without any container."""

    def test_the_program_is_called_in_the_image(self):
        commands = self.folder / "bin"
        commands.mkdir()
        (commands / "apptainer").write_text(
            '#!/bin/bash\nprintf "%s\\n" "$*" >>"$CALLS"\n[[ $1 == exec ]] || exit 9\nshift\n[[ $1 == --nv ]] && shift\n'
            '[[ -f $1 || $1 == docker://* ]] || exit 9\nexec "${@:2}"\n'
        )
        (commands / "apptainer").chmod(0o755)
        calls = self.folder / "calls"
        self.environment |= {"PATH": f"{commands}:{self.environment['PATH']}", "CALLS": str(calls)}
        image = self.folder / "an image.sif"
        image.touch()
        program = {"program": shlex.quote(submit_test.MPCFLOW), "container": str(image)}
        self.profile("contained", json.dumps({**program, "scheduler": "local"}))
        self.submit("flow.yaml", "--profile", "contained")
        found = json.loads(self.submit("status", "sweeps/flow", "--json"))["cases"]
        self.assertEqual([case["state"] for case in found], ["done"])
        called = calls.read_text().splitlines()
        self.assertTrue(called[0].startswith(f"exec {image} {submit_test.MPCFLOW} check "), called)
        self.assertEqual(called[-1], f"exec {image} {submit_test.MPCFLOW} run input.yaml --threads 1")
        self.profile("gpu", json.dumps({**program, "container": "docker://mpcflow", "gpus": 1}))
        self.submit("flow.yaml", "--profile", "gpu", "--dry-run")
        self.assertIn(f"exec --nv docker://mpcflow {submit_test.MPCFLOW} check ", calls.read_text())


class OnPbs(pbs_test.WithPbs):
    def test_the_chain_of_an_array_goes_on_and_its_logs_are_where_they_are_looked_for(self):
        self.write_input(15_000)
        self.submit("flow.yaml", "--profile", "chain", "--sweep", "collision.angle=90,120", "--collect")
        self.assertEqual([case["attempts"] for case in self.wait_until_done()], [2, 2])
        jobs = [path.read_text() for path in self.jobs.iterdir()]
        self.assertTrue(any("depend=afterany:1[].server" in job for job in jobs), "one collects")
        successors = [job for job in jobs if "MPCFLOW_CASE" in job]
        self.assertGreaterEqual(
            len([job for job in successors if "depend" not in job]), 2, "of jobs of the array"
        )
        for number in range(2):
            folder = self.folder / f"sweeps/flow/case-000{number}"
            self.assertRegex((folder / "job.log").read_text(), r"\nsteps +15000\n")
            self.assertNotIn("another job", (folder / "job.log").read_text())

    def test_a_job_keeps_its_limit_whatever_the_sweeps_is_by_then(self):
        (self.folder / "bin/qsub").write_text("#!/bin/bash\ncp job.sh \"$JOBS/$(ls \"$JOBS\" | wc -l)\"\necho 1.server\n")
        shows = self.folder / "shows"
        shows.write_text(f'#!/bin/bash\n[[ $1 == run ]] && exec echo "$@"\nexec {shlex.quote(submit_test.MPCFLOW)} "$@"\n')
        shows.chmod(0o755)
        self.profile("shows", json.dumps({"program": shlex.quote(str(shows)), "scheduler": "pbs"}))
        self.submit("flow.yaml", "--profile", "shows", "--time", "1:00:00")
        self.submit("resubmit", "sweeps/flow", "--time", "8:00:00")
        subprocess.run(["bash", str(self.jobs / "0")], timeout=60, check=True,
                       env={**self.environment, "PBS_O_WORKDIR": str(self.folder / "sweeps/flow"), "PBS_JOBID": "1.server"})
        self.assertIn("--max-wall-time 3480", (self.folder / "sweeps/flow/case-0000/job.log").read_text())

    def test_a_job_that_begins_before_the_one_before_it_has_ended_waits(self):
        (self.folder / "bin/qsub").write_text("#!/bin/bash\necho 1.server\n")
        slow = self.folder / "slow"
        slow.write_text(
            f'#!/bin/bash\n[[ $1 == run ]] && sleep 0.7\nexec {shlex.quote(submit_test.MPCFLOW)} "$@"\n'
        )
        slow.chmod(0o755)
        self.profile("slow", json.dumps({"program": shlex.quote(str(slow)), "scheduler": "pbs"}))
        self.write_input(50)
        self.submit("flow.yaml", "--profile", "slow", "--time", "1:00:00")
        sweep = self.folder / "sweeps/flow"
        variables = self.environment | {"PBS_O_WORKDIR": str(sweep), "PBS_JOBID": "1[0].server"}
        jobs = [subprocess.Popen(["bash", sweep / "job.sh"], env=variables) for _ in range(2)]
        self.assertEqual([job.wait(timeout=60) for job in jobs], [0, 0])

    def test_what_collects_depends_on_whole_arrays(self):
        sweep = Sweep(self.folder, "flow.yaml", Profile(scheduler="pbs"), [], [], [])
        with mock.patch("mpcflow_tools.batch.schedulers.call") as call:
            Pbs().submit_collecting(sweep, ["7[0].server", "7[2].server", "9.server"])
        self.assertIn("depend=afterany:7[].server:9.server", call.call_args.args[0])

    def test_a_job_has_a_time_limit_in_hours(self):
        self.assertIn(
            "set time_limit in the profile", self.submit("flow.yaml", "--scheduler", "pbs", status=2)
        )
        self.assertFalse((self.folder / "sweeps").exists())
        said = self.submit("flow.yaml", "--scheduler", "pbs", "--time", "1-12:00:30", "--dry-run")
        self.assertIn("#PBS -l walltime=36:00:30\n", said)


class Collecting(submit_test.InAFolder):
    def test_what_is_there_is_collected_where_a_case_failed_and_none_has_a_number(self):
        text = submit_test.INPUT.format(steps=50).replace("output: {series: {every: 10}}\n", "")
        (self.folder / "flow.yaml").write_text(text)
        fails = self.folder / "fails"
        fails.write_text(
            "#!/bin/bash\n[[ $1 == run ]] && grep -q 'angle: 110' input.yaml && exit 3\n"
            f'exec {shlex.quote(submit_test.MPCFLOW)} "$@"\n'
        )
        fails.chmod(0o755)
        self.profile(
            "fails", f"program: {json.dumps(shlex.quote(str(fails)))}\nscheduler: local\nfailures: 1"
        )
        words = ["flow.yaml", "--profile", "fails", "--sweep", "collision.angle=90,110,120", "--collect"]
        done = subprocess.run(
            [sys.executable, "-m", "mpcflow_tools.submit", *words],
            cwd=self.folder,
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=60,
        )
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn("2 of 3 cases are complete, 0 numbers of each", done.stdout, done.stderr)
        with (self.folder / "sweeps/flow/results.csv").open(newline="") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual([row["status"] for row in rows], ["completed", "no results", "completed"])
        self.assertEqual([len(row["state_hash"]) for row in rows], [16, 0, 16])

    def test_keys_that_change_together_are_one_colour_with_a_line_of_theory(self):
        swept = [parse_swept(text) for text in ("a=1,2,3", "b=10,20,30", "c=x,y")]
        for together, keys, groups in (
            (("a,b",), swept, 2),
            ((), swept[:2], 3),
            (("a,b",), swept[:2], 1),
            ((), swept[2:], 2),
        ):
            cases = make_cases(keys, together, 1, 1)
            sweep = Sweep(self.folder, "flow.yaml", Profile(), [], [one.key for one in keys], cases)
            rows = [
                Row(
                    case,
                    "completed",
                    1,
                    "",
                    {"fluid: kT": Measured(case.index + 1.0, 0.1, case.index + 1.5, "1")},
                )
                for case in cases
            ]
            figure = draw_sweep(sweep, rows, ["fluid: kT"])
            theory = [
                line
                for line in figure.axes[0].lines
                if line.get_linestyle() == "-" and len(line.get_xdata()) > 0
            ]
            self.assertEqual(len(figure.axes[0].containers), groups, together)
            if keys[0].key == "a":
                self.assertEqual([len(line.get_xdata()) for line in theory], [3] * groups, together)


class SetUp(submit_test.InAFolder):
    def test_what_the_set_up_brings_checks_the_input_and_runs_it(self):
        brought = self.folder / "brought"
        brought.mkdir()
        (brought / "mpcflow-of-module").write_text(
            '#!/bin/bash\n[[ $1 == run ]] && echo "GPUs [$CUDA_VISIBLE_DEVICES] letters $LETTERS"\n'
            f'exec {shlex.quote(submit_test.MPCFLOW)} "$@"\n'
        )
        (brought / "mpcflow-of-module").chmod(0o755)
        setup = (
            f"echo loading; echo noise >&2; export PATH={shlex.quote(str(brought))}:$PATH LETTERS='\U0001f600 a\nb'\n"
            "cd / # as some do"
        )
        self.profile("module", json.dumps({"program": "mpcflow-of-module", "setup": setup, "failures": 1}))
        self.environment["CUDA_VISIBLE_DEVICES"] = "0,1"
        self.write_input(50)
        said = self.submit(
            "flow.yaml", "--profile", "module", "--rate", "21600", "--repeat", "2", "--dry-run"
        )
        self.assertIn("#SBATCH --time=0:0", said)
        self.environment["PATH"] += f":{brought}"  # another of the name, here alone
        self.profile(
            "local",
            json.dumps(
                {
                    "program": "mpcflow-of-module",
                    "setup": setup.replace("cd /", ""),
                    "failures": 1,
                    "scheduler": "local",
                }
            ),
        )
        self.submit("flow.yaml", "--profile", "local")
        self.assertIn(
            "\nGPUs [] letters \U0001f600 a\nb\n", (self.folder / "sweeps/flow/case-0000/job.log").read_text()
        )
        self.assertEqual(
            json.loads((self.folder / "sweeps/flow/sweep.json").read_text())["program"], ["mpcflow-of-module"]
        )

    def test_what_it_does_not_bring_is_told(self):
        for setup, told in (
            ("true", "mpcflow-of-module: no such program: let the profile's `setup` bring it, here too"),
            ("echo no module >&2; exit 1", "no module"),
            (
                "exit 4",
                "setup of the profile, which is run here to check the input: bash: ended with status 4",
            ),
        ):
            self.profile("none", json.dumps({"program": "mpcflow-of-module", "setup": setup}))
            self.assertIn(told, self.submit("flow.yaml", "--profile", "none", status=3))


if __name__ == "__main__":
    unittest.main()

"""The command line from outside: exit statuses, messages, and that nothing is written without need."""

import json
import os
import subprocess
import time
import unittest

import h5py

from program import MPCFLOW, ProgramTest, input_text

# Changes that make an input invalid, and what the message must name.
BAD_CHANGES = [
    ("collision.angle=200", "collision.angle"),
    ("collision.angle=nan", "collision.angle"),
    ("collision.angel=90", "angle"),
    ("fluid.density=-1", "fluid.density"),
    ("fluid.mass=0", "fluid.mass"),
    ("fluid.temperature=inf", "fluid.temperature"),
    ("box.size=[4, 4]", "box.size"),
    ("box.size=[4, 4, 4.5]", "box.size"),
    ("run.steps=-3", "run.steps"),
    ("run.steps=many", "run.steps"),
    ("output.fields.bins=[1, 1, 5]", "bins"),
    ("output.series.every=0", "output.series.every"),
    ("execution.device=gpu", "execution.device"),
    ("execution.threads=0x", "execution.threads"),
    ("execution.precision=half", "execution.precision"),
    ("nonsense=1", "nonsense"),
    ("no equals sign", "no equals sign"),
]


class Arguments(ProgramTest):
    def test_version_and_help(self):
        self.assertRegex(self.mpcflow("--version").stdout, r"^mpcflow \d+\.\d+\.\d+ \(commit [^\s,)]+(, [^,)]+)?\)\n$")
        for arguments in (["--help"], ["run", "--help"], ["bench", "step", "--help"]):
            self.assertIn("--", self.mpcflow(*arguments).stdout)

    def test_bad_arguments_exit_with_2(self):
        for arguments in ([], ["fly"], ["run"], ["run", "a.yaml", "--colour"], ["run", "a.yaml", "b.yaml"],
                          ["info"], ["bench"], ["bench", "nothing"], ["bench", "step", "--law", "dpd"],
                          ["bench", "step", "--device", "gpu"], ["bench", "step", "--cells", "0"],
                          ["bench", "step", "--cells", "8", "8"], ["bench", "step", "--cells", "8", "8", "8", "8"], ["run", "--set"]):
            done = self.mpcflow(*arguments, status=2)
            self.assertTrue(done.stderr, arguments)
        self.assertEqual(self.files(), [])

    def test_misspelt_commands_and_options_name_the_nearest(self):
        for arguments, named in ((["rn", "a.yaml"], "no command is called rn; did you mean run?"),
                                 (["run", "a.yaml", "--ouput", "x"], "no option is called --ouput; did you mean --output?"),
                                 (["run", "--ouput=x"], "no option is called --ouput; did you mean --output?"),
                                 (["bench", "stp"], "no command is called stp; did you mean step?"),
                                 (["bench", "step", "--presicion", "double"], "did you mean --precision?"),
                                 (["help", "chek"], "did you mean check?"),
                                 (["fly"], "no command is called fly; there are run, check, schema, info, verify, devices, bench")):
            with self.subTest(arguments=arguments):
                done = self.mpcflow(*arguments, status=2)
                self.assertIn(named, done.stderr)
                self.assertEqual(len(done.stderr.splitlines()), 1)

    def test_check_tells_how_long_a_run_takes(self):
        name = self.write_input(input_text(equilibration=1000, steps=9000))  # of 2160 particles
        self.assertNotIn("\ntime ", self.mpcflow("check", name).stdout)
        self.assertNotIn("time", json.loads(self.mpcflow("check", name, "--json").stdout))
        given = self.mpcflow("check", name, "--rate", "2.16M").stdout
        self.assertIn("time                 about 0:10, at 2.16 M particle updates/s (given)", given)
        of_a_gpu = self.mpcflow("check", name, "--rate", "20G", "--set", "execution.device=cuda:63")  # which is not here
        self.assertIn("20.0 G", of_a_gpu.stdout)
        exact = json.loads(self.mpcflow("check", name, "--rate", "2160000", "--json").stdout)["time"]
        self.assertAlmostEqual(exact["seconds"], 10.0)
        for rate in ("0", "-1", "fast", "1T", "nan"):
            self.assertIn("--rate", self.mpcflow("check", name, "--rate", rate, status=2).stderr)
        self.mpcflow("check", name, "--rate", "1M", "--measure", status=2)

    def test_check_measures_how_long_a_run_takes(self):
        # One thread: of several, each step waits for the last, which on a machine full of tests takes any time.
        name = self.write_input(input_text(equilibration=2000, steps=8000))
        foretold = json.loads(self.mpcflow("check", name, "--measure", "--json").stdout)["time"]
        self.assertIn("measured on CPU", foretold["source"])
        self.assertEqual(self.files(), [name])
        self.mpcflow("run", name, "--quiet")
        with h5py.File(self.folder / "out/run.h5") as f:
            took = float(f["run"].attrs["wall_time"])
        # Files are written beside; the machine may be busy with other tests at one time and idle at the other.
        self.assertLess(foretold["seconds"] / 4.0, took)
        self.assertLess(took, 4.0 * foretold["seconds"] + 2.0)

    def test_check_prints_the_resolved_input(self):
        name = self.write_input()
        resolved = self.mpcflow("check", name, "--resolved", "--set", "collision.angle=90").stdout
        (self.folder / "resolved.yaml").write_text(resolved)
        self.assertIn("angle: 90", resolved)
        self.assertEqual(self.mpcflow("check", "resolved.yaml", "--resolved").stdout, resolved)

    def test_runs_know_their_batch_job(self):
        name = self.write_input(input_text(steps=10, outputs="").replace("threads: 1, ", ""))
        for variables, scheduler, job in (({"SLURM_JOB_ID": "71", "SLURM_ARRAY_JOB_ID": "70", "SLURM_ARRAY_TASK_ID": "1",
                                            "SLURM_CPUS_PER_TASK": "1"}, "slurm", "70_1"),
                                          ({"PBS_JOBID": "12.server"}, "pbs", "12.server")):
            self.mpcflow("run", name, "--quiet", "--overwrite", env={**os.environ, **variables})
            with h5py.File(self.folder / "out/run.h5") as f:
                machine = f["machine"].attrs
                self.assertEqual((machine["scheduler"].decode(), machine["job_id"].decode()), (scheduler, job))
                if "SLURM_CPUS_PER_TASK" in variables:
                    self.assertEqual(machine["device"].decode(), "CPU, 1 thread")
            told = json.loads(self.mpcflow("info", "out/run.h5", "--json").stdout)
            self.assertEqual(told["job"], f"{scheduler} {job}")

    def test_help_is_a_command(self):
        self.assertEqual(self.mpcflow("help").stdout, self.mpcflow("--help").stdout)
        self.assertEqual(self.mpcflow("help", "bench", "step").stdout, self.mpcflow("bench", "step", "--help").stdout)

    def test_devices(self):
        self.assertIn("cpu", self.mpcflow("devices").stdout)
        devices = json.loads(self.mpcflow("devices", "--json").stdout)
        self.assertGreater(devices["cpu"]["threads"], 0)
        self.assertTrue(devices["cuda"] or devices["no_cuda_reason"])
        # What is in is told alike by both.
        mpi = devices["mpi"]
        self.assertIn(f"mpi      {mpi}: " if mpi else "mpi      none: ", self.mpcflow("devices").stdout)
        nccl = devices["nccl"]
        if devices["cuda"]:
            self.assertIn(f"nccl     {nccl}: " if nccl else "nccl     none: ", self.mpcflow("devices").stdout)
        self.assertIn(f", {mpi})" if mpi else ")", self.mpcflow("--version").stdout)

    def test_schema(self):
        schema = json.loads(self.mpcflow("schema").stdout)
        self.assertIn("collision", schema["properties"])

    def test_bench_step(self):
        small = ["bench", "step", "--device", "cpu", "--cells", "8", "--steps", "5"]
        table = self.mpcflow(*small).stdout
        self.assertIn("srd+a", table)
        all_kinds = [(law, precision) for law in ("srd", "srd+a", "at", "at+a") for precision in ("double", "mixed")]
        for options, kinds in (([], all_kinds), (["--law", "srd+a"], all_kinds[2:4]), (["--precision", "double"], all_kinds[::2]),
                               (["--law", "srd", "--precision", "mixed"], all_kinds[1:2])):
            with self.subTest(options=options):
                results = json.loads(self.mpcflow(*small, *options, "--json").stdout)
                self.assertEqual([(result["law"], result["precision"]) for result in results], kinds)
                for result in results:
                    self.assertGreater(result["updates_per_second"], 0)
                    self.assertEqual(result["particles"], 5120)
                    self.assertEqual(result["density"], 10)
        long = self.mpcflow(*small[:4], "--cells", "2", "8", "16", "--law", "srd", "--steps", "5", "--json").stdout
        self.assertEqual([(result["particles"], result["cells"]) for result in json.loads(long)], [(2560, [2, 8, 16])] * 2)


class BadInput(ProgramTest):
    def test_every_error_exits_with_2_and_writes_nothing(self):
        name = self.write_input()
        for change, named in BAD_CHANGES:
            for command in ("run", "check"):
                with self.subTest(change=change, command=command):
                    done = self.mpcflow(command, name, "--set", change, status=2)
                    self.assertIn(named, done.stderr)
                    self.assertEqual(done.stdout, "")
        self.assertEqual(self.files(), [name])

    def test_errors_say_where_and_come_all_at_once(self):
        name = self.write_input(input_text().replace("angle: 130", "angle: 200").replace("density: 10", "densty: 10"))
        done = self.mpcflow("run", name, status=2)
        self.assertRegex(done.stderr, r"(?m)^flow\.yaml:5:\d+: collision\.angle: ")
        self.assertRegex(done.stderr, r"(?m)^flow\.yaml:4:\d+: .*densty")

    def test_files_that_are_no_input(self):
        self.mpcflow("run", "missing.yaml", status=2)
        self.mpcflow("run", ".", status=2)
        (self.folder / "binary.yaml").write_bytes(bytes(range(256)) * 40)
        self.mpcflow("run", "binary.yaml", status=2)
        (self.folder / "empty.yaml").write_text("")
        self.mpcflow("check", "empty.yaml", status=2)
        self.assertEqual(self.files(), ["binary.yaml", "empty.yaml"])

    def test_options_given_empty_exit_with_2(self):
        name = self.write_input()
        for option in ("--threads", "--device", "--output", "--set"):
            for command in ("run", "check"):
                with self.subTest(option=option, command=command):
                    done = self.mpcflow(command, name, option, "", status=2)
                    self.assertTrue(done.stderr)
        self.assertIn("--restart", self.mpcflow("run", name, "--restart", "", status=2).stderr)
        for option in ("--device", "--threads", "--law", "--precision", "--summation", "--thermostat"):
            with self.subTest(option=option):
                self.mpcflow("bench", "step", "--cells", "4", "--steps", "1", option, "", status=2)
        self.assertEqual(self.files(), [name])

    def test_an_input_may_come_through_a_pipe_that_has_a_writer(self):
        text = input_text()
        done = subprocess.run([MPCFLOW, "check", "/dev/stdin"], input=text, cwd=self.folder, capture_output=True, text=True,
                              timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("particles            2160", done.stdout)
        # A writer that takes its time, and one that ends without a word.
        self.write_input(text)
        slow = "(head -n 3 flow.yaml; sleep 0.5; tail -n +4 flow.yaml)"
        done = subprocess.run(["bash", "-c", f'"$0" check <({slow})', MPCFLOW], cwd=self.folder, capture_output=True,
                              text=True, timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr)
        done = subprocess.run(["bash", "-c", '"$0" check <(true)', MPCFLOW], cwd=self.folder, capture_output=True, text=True,
                              timeout=60)
        self.assertEqual(done.returncode, 2, done.stdout)

    def test_pipes_without_a_writer_and_devices_are_refused_at_once(self):
        os.mkfifo(self.folder / "pipe.yaml")
        for name, what in (("pipe.yaml", "pipe to which nobody writes"), ("/dev/zero", "not a regular file"),
                           ("/dev/null", "not a regular file"),
                           (".", "directory")):
            with self.subTest(name=name):
                began = time.monotonic()
                done = self.mpcflow("check", name, status=2)
                self.assertLess(time.monotonic() - began, 10)
                self.assertIn(what, done.stderr)
                self.assertEqual(len(done.stderr.splitlines()), 1)
        endless = subprocess.run(["bash", "-c", '"$0" check <(yes "a: 1")', MPCFLOW], cwd=self.folder, capture_output=True,
                                 text=True, timeout=60)
        self.assertEqual(endless.returncode, 2)
        self.assertIn("more than 4194304 bytes", endless.stderr)

    def test_shorthands_are_checked_like_settings(self):
        name = self.write_input()
        self.mpcflow("run", name, "--device", "gpu", status=2)
        self.mpcflow("run", name, "--threads", "-2", status=2)
        self.mpcflow("run", name, "--threads", "two", status=2)
        self.assertEqual(self.files(), [name])


class Check(ProgramTest):
    def test_text_has_what_a_user_looks_for(self):
        text = self.mpcflow("check", self.write_input()).stdout
        for what in ("particles", "2160", "mean free path", "kinetic viscosity", "collisional", "diffusion",
                     "Schmidt", "Poiseuille", "Mach", "development time", "memory", "trajectory.h5", "run.h5",
                     "rounding grids", "2^-"):
            self.assertIn(what, text)
        self.assertEqual(self.files(), ["flow.yaml"])

    def test_json(self):
        report = json.loads(self.mpcflow("check", self.write_input(), "--json", "--set", "run.steps=200").stdout)
        self.assertEqual(report["particles"], 2160)
        self.assertEqual(report["total_steps"], 220)
        theory = report["theory"]
        self.assertAlmostEqual(theory["mean_free_path"], 0.1)
        self.assertAlmostEqual(theory["predicted_viscosity"], 0.870, delta=0.001)
        flow = theory["poiseuille_maximum_velocity"]
        self.assertAlmostEqual(flow, 0.01 * 36 / (8 * theory["predicted_viscosity"]))
        self.assertEqual([file["name"] for file in report["files"]], ["run.h5", "trajectory.h5"])
        self.assertGreater(report["rounding_grid_exponents"]["velocity"], 20)

    def test_grids_are_those_of_the_law_and_the_precision(self):
        def exponents(*settings):
            arguments = [word for setting in settings for word in ("--set", setting)]
            report = json.loads(self.mpcflow("check", self.write_input(), "--json", *arguments).stdout)
            return report["rounding_grid_exponents"]

        angular = "collision.conserve_angular_momentum=true"
        self.assertEqual(exponents(), exponents("execution.precision=mixed"))
        self.assertEqual(exponents(), exponents(angular))
        self.assertEqual(exponents(angular, "execution.precision=mixed")["velocity"], 29)

    def test_both_viscosities_with_angular_momentum(self):
        name = self.write_input()
        text = self.mpcflow("check", name, "--set", "collision.conserve_angular_momentum=true").stdout
        self.assertIn("as published", text)
        self.assertIn("from the expansion", text)

    def test_warnings_are_no_errors(self):
        name = self.write_input()
        report = json.loads(self.mpcflow("check", name, "--json", "--set", "forces=[{uniform: [0.5, 0, 0]}]").stdout)
        self.assertTrue(any("Mach" in warning for warning in report["warnings"]))
        self.assertTrue(any("run.equilibration" in warning for warning in report["warnings"]))

    def test_a_device_that_is_not_there(self):
        name = self.write_input()
        for device in ("cuda:63", *(() if self.has_gpu() else ("cuda",))):
            for options in ((), ("--json",)):
                with self.subTest(device=device, options=options):
                    done = self.mpcflow("check", name, "--device", device, *options, status=3)
                    self.assertIn("execution.device: no device cuda:", done.stderr)
                    self.assertEqual(done.stdout, "")
                    self.assertIn(done.stderr, self.mpcflow("run", name, "--device", device, status=3).stderr)
        self.mpcflow("check", name, "--device", "auto")

    def test_disk_estimate_is_near_the_truth(self):
        name = self.write_input()
        report = json.loads(self.mpcflow("check", name, "--json").stdout)
        self.mpcflow("run", name, "--quiet")
        for file in report["files"]:
            size = os.path.getsize(self.folder / "out" / file["name"])
            self.assertLess(size, file["bytes"] + (300 << 10), file["name"])
            self.assertGreater(size, file["bytes"] / 4, file["name"])


class Environment(ProgramTest):
    def test_a_device_that_is_not_there(self):
        name = self.write_input()
        done = self.mpcflow("run", name, "--device", "cuda:63", status=3)
        self.assertIn("cuda:63", done.stderr)
        self.assertEqual(self.files(), [name])

    def test_output_that_cannot_be_written(self):
        name = self.write_input()
        self.assertIn("is not a directory", self.mpcflow("run", name, "--output", "flow.yaml/out", status=3).stderr)
        # Root may write to any folder; /proc takes no folders from anybody.
        if os.geteuid() == 0:
            self.mpcflow("run", name, "--output", "/proc/out", status=3)
        else:
            (self.folder / "locked").mkdir(mode=0o555)
            self.assertIn("permission denied", self.mpcflow("run", name, "--output", "locked/out", status=3).stderr)
            (self.folder / "locked").rmdir()
        self.assertEqual(self.files(), [name])


if __name__ == "__main__":
    unittest.main()

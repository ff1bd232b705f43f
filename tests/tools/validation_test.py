"""The measurements of tools/validate.sh on data that are known, how they are kept and judged, and small runs of the program."""

from __future__ import annotations

import contextlib
import dataclasses
import io
import json
import math
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import numpy as np

from made_runs import TOOLS
from mpcflow_tools.errors import ResultsError
from mpcflow_tools.flow_report import Quantity
from mpcflow_tools.validation.cases import Case, Measurement, Results, Runner, Sizes, Store, collisional_viscosity
from mpcflow_tools.validation.cylinders import whole_cells
from mpcflow_tools.validation.diffusion import endless_tail, tail_of_theory
from mpcflow_tools.validation.ensembles import moments
from mpcflow_tools.validation.kolmogorov import kolmogorov_input, mean_of_windows, measure_kolmogorov, wave_amplitudes
from mpcflow_tools.validation.page import make_page
from mpcflow_tools.validation.parts import FIRST_PAGE, SECOND_PAGE, Work, anchor, part_from_pages
from mpcflow_tools.validation.points import KNOWN, LAWS, Point
from mpcflow_tools.validation.row import main as row_of_cylinders
from mpcflow_tools.validation.sphere import images
from mpcflow_tools.validation.subjects import SUBJECTS, Subject
from mpcflow_tools.validation.tables import Comparison, Row, Table, combined, failures
from mpcflow_tools.validation.viscosity import of_a_wave, points
from mpcflow_tools.validation.waves import fit_sound

ROOT = TOOLS.parent
PROGRAM = Path(os.environ["MPCFLOW"])


class Measurements(unittest.TestCase):
    def test_a_wave_averaged_over_bins(self) -> None:
        edges, k = np.linspace(0.0, 16.0, 17), 2.0 * math.pi / 16.0
        fine = (np.arange(16_000) + 0.5) / 1000.0
        profile = (0.3 * np.sin(k * fine) + 0.1 * np.cos(k * fine) + 0.05).reshape(16, 1000).mean(axis=1)
        np.testing.assert_allclose(wave_amplitudes(edges, profile[None, :], k), [0.3], rtol=1e-6)

    def test_the_error_of_windows_is_that_of_their_mean(self) -> None:
        # A process that forgets as exp(-t), in 400 records of 16 windows of the length 4 each. The scatter of the 400 means is known to
        # 1/(2 * 400)^(1/2) = 3.5 %, and the root mean square of their reported errors, of 15 freedoms each, to 1/(2 * 15 * 400)^(1/2) = 1 %.
        random, dt = np.random.default_rng(5), 0.05
        memory, steps = math.exp(-dt), round(64 / dt)
        value, record = random.normal(size=400), np.empty((400, steps))
        for i in range(steps):
            value = memory * value + math.sqrt(1.0 - memory**2) * random.normal(size=400)
            record[:, i] = value
        found = [mean_of_windows(row.reshape(16, -1).mean(axis=1), 4.0) for row in record]
        scatter = float(np.std([one.value for one in found], ddof=1))
        told = math.sqrt(float(np.mean([one.error**2 for one in found])))
        self.assertAlmostEqual(told / scatter, 1.0, delta=4.5 * math.hypot(0.035, 0.01))

    def test_sound(self) -> None:
        times, k, speed, damping = np.arange(0.0, 200.0), 2.0 * math.pi / 32.0, 1.29, 0.7
        rate = 0.5 * damping * k * k
        turning = math.sqrt((speed * k) ** 2 - rate**2)
        correlation = 3.0 * np.exp(-rate * times) * (np.cos(turning * times) - rate / turning * np.sin(turning * times))
        found = fit_sound(times, correlation, k, 1.25, 0.9)
        self.assertAlmostEqual(found.speed.value, speed, places=6)
        self.assertAlmostEqual(found.damping.value, damping, places=6)

    def test_the_tail_of_a_large_box_is_that_of_an_endless_fluid(self) -> None:
        times = np.array([6.0, 12.0])
        whole, transverse = tail_of_theory(times, 40, 5.0, 0.5, 0.1, 0.5, 1.0)
        endless = endless_tail(times, 5.0, 0.5, 0.1)
        np.testing.assert_allclose(transverse + 2.0 / (5.0 * 40**3), endless, rtol=1e-6)  # k = 0 is not among the waves
        self.assertTrue(np.all(whole < transverse))  # sound has gone by the place where it was

    def test_whole_cells_of_a_disc(self) -> None:
        # Of grids with 4000 random shifts; the scatter of their mean is 0.02 %.
        random, radius = np.random.default_rng(1), 5.0
        lower = np.arange(-7.0, 7.0)
        counts = []
        for shift in random.uniform(0.0, 1.0, (4000, 2)):
            far = [np.maximum(np.abs(lower + part), np.abs(lower + part + 1.0)) for part in shift]
            counts.append(np.count_nonzero(far[0][:, None] ** 2 + far[1][None, :] ** 2 <= radius**2))
        error = float(np.std(counts)) / math.sqrt(4000) / (math.pi * radius**2)
        self.assertAlmostEqual(float(np.mean(counts)) / (math.pi * radius**2), whole_cells(radius), delta=4.5 * error)
        self.assertAlmostEqual(whole_cells(1000.0), 1.0, delta=0.0014)

    def test_moments(self) -> None:
        # Of 300,000 Gaussian numbers: the variance to (2/N)^(1/2), the kurtosis over 3 to (24/N)^(1/2) / 3.
        velocities = np.random.default_rng(2).normal(0.0, 0.5, (100_000, 3)).astype(np.float32)
        temperature, kurtosis = moments(velocities, 4.0)
        self.assertAlmostEqual(temperature, 1.0, delta=4.5 * math.sqrt(2.0 / 300_000))
        self.assertAlmostEqual(kurtosis, 1.0, delta=4.5 * math.sqrt(24.0 / 300_000) / 3.0)
        self.assertAlmostEqual(moments(np.full((10, 3), 2.0), 1.0)[1], 1.0 / 3.0)

    def test_waves_that_are_long_against_a_cell(self) -> None:
        self.assertAlmostEqual(of_a_wave(0.1), 1.0 - 0.01 / 30.0, places=6)
        self.assertAlmostEqual(images(0.0), 1.0)

    def test_means_of_runs(self) -> None:
        found = combined([Quantity(1.0, 0.5), Quantity(2.0, 0.5), Quantity(3.0, 0.5)])
        self.assertAlmostEqual(found.value, 2.0)
        self.assertAlmostEqual(found.error, 1.0 / math.sqrt(3.0))


class Judgement(unittest.TestCase):
    def verdict(self, value: float, error: float, comparison: Comparison) -> str:
        return Row(("a",), Quantity(value, error), (None, comparison)).verdict

    def test_of_limits(self) -> None:
        limit = Comparison(2.0, 0.0, 0.01)
        self.assertEqual(self.verdict(2.019, 1e-6, limit), "inside")
        self.assertEqual(self.verdict(2.03, 0.005, limit), "outside, as its error allows (2.0 σ)")
        self.assertEqual(self.verdict(2.04, 0.005, limit), "**outside** by 4.0 σ")
        self.assertEqual(self.verdict(1.96, 0.005, limit), "**outside** by 4.0 σ")
        self.assertEqual(self.verdict(2.04, 0.005, Comparison(2.0)), "")
        self.assertEqual(self.verdict(2.04, 0.0, limit), "**outside** by inf σ")
        self.assertEqual(self.verdict(math.nan, 0.1, limit), "**outside** by inf σ")

    def test_the_reference_has_an_error_too(self) -> None:
        self.assertEqual(self.verdict(2.04, 0.003, Comparison(2.0, 0.004, 0.01)), "**outside** by 4.0 σ")

    def test_absolute_limits(self) -> None:
        limit = Comparison(0.0, limit=0.05, absolute=True)
        self.assertEqual(self.verdict(-0.04, 0.001, limit), "inside")
        self.assertEqual(self.verdict(-0.06, 0.001, limit), "**outside** by 10.0 σ")

    def test_failures_and_lines(self) -> None:
        table = Table("", ("law",), "ν", ("formula", "elsewhere"))
        table.add(("SRD",), Quantity(1.1, 0.01), Comparison(1.0, limit=0.025), None)
        table.add(("AT",), Quantity(1.01, 0.01), Comparison(1.0, limit=0.025), None)
        self.assertEqual([row.cells for _, row in failures([table])], [("SRD",)])
        self.assertEqual(failures([table], 8.0), [])
        self.assertEqual(table.lines()[2], "| SRD | 1.100 ± 0.010 | 1 | +10.0 % |  |  | **outside** by 7.5 σ |")


class TheSubjects(unittest.TestCase):
    def test_cases_have_names_of_their_own(self) -> None:
        for light in (False, True):
            for subject in SUBJECTS:
                if subject.is_light or not light:
                    cases = subject.cases(Sizes(light=light))
                    self.assertEqual(len({case.name for case in cases}), len(cases), subject.name)
                    self.assertEqual(subject.tables([]), [])
        self.assertEqual(len({subject.name for subject in SUBJECTS}), len(SUBJECTS))

    def test_viscosities_have_forty_points_and_all_that_are_known(self) -> None:
        self.assertGreaterEqual(len(points()), 40)
        self.assertLessEqual(set(KNOWN), set(points()))

    def test_every_input_is_one(self) -> None:
        # Of each subject the first; that all are would take the program two hundred starts.
        with tempfile.TemporaryDirectory() as folder:
            for subject in SUBJECTS:
                given = Path(folder) / f"{subject.name}.yaml"
                given.write_text(json.dumps(subject.cases(Sizes())[0].input))
                done = subprocess.run([PROGRAM, "check", given], capture_output=True, text=True)
                self.assertEqual(done.returncode, 0, f"{subject.name}: {done.stderr}")


class RowOfCylinders(unittest.TestCase):
    def test_a_coarse_cylinder_has_the_drag_and_the_eddies_of_a_fine_one(self):
        # Of 16 nodes a diameter: 2.24 and 0.92. Six are that much coarser; thermal noise changes little here.
        with contextlib.redirect_stdout(io.StringIO()) as said:
            self.assertEqual(row_of_cylinders(["--reynolds", "20", "--diameter", "6", "--time", "30", "--fluctuates", "1"]), 0)
        drag, eddies = (float(number) for number in re.findall(r"[\d.]+", said.getvalue().splitlines()[-1]))
        self.assertLess(abs(drag / 2.24 - 1.0), 0.06)
        self.assertLess(abs(eddies / 0.92 - 1.0), 0.12)

    def test_eddies_are_looked_for_as_far_as_the_box_goes(self):
        # Behind the cylinder it ends sooner at Re = 10 than eddies are looked for; at first there are none.
        with contextlib.redirect_stdout(io.StringIO()) as said:
            self.assertEqual(row_of_cylinders(["--reynolds", "10", "--diameter", "4", "--time", "10"]), 0)
        self.assertRegex(said.getvalue(), r"drag coefficient \d.*eddies")


class Runs(unittest.TestCase):
    def setUp(self) -> None:
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)
        self.store = Store(self.folder / "results")

    def small(self, point: Point) -> Case:
        """A run of a thousand particles and some hundred steps."""
        return Case(point.name, kolmogorov_input(point, Sizes(0.2), (3, 3, 12)), measure_kolmogorov, (point, 1))

    def test_what_is_there_is_not_done_again(self) -> None:
        case = self.small(LAWS[0])
        told: list[str] = []
        self.assertTrue(Runner(PROGRAM, "cpu", "1").fill(self.store, [("viscosity", case)], told.append))
        self.assertEqual(len(told), 1)
        found = self.store.read("viscosity", case)
        assert found is not None
        self.assertGreater(found.numbers["viscosity"].error, 0.0)
        # Eight windows of four memories in 108 cells: the thermal wave leaves an error of 5 % or so, known itself to a quarter.
        self.assertAlmostEqual(found.numbers["viscosity"].value, KNOWN[LAWS[0]][0].value, delta=4.5 * 0.06)
        nothing = Runner(Path("/bin/false"))
        self.assertTrue(nothing.fill(self.store, [("viscosity", case)], told.append))
        self.assertEqual(len(told), 1)
        other = dataclasses.replace(case, input=case.input | {"seed": 2})
        with self.assertRaisesRegex(ResultsError, "status 1"):
            nothing.fill(self.store, [("viscosity", other)], told.append)
        self.assertIsNone(self.store.read("viscosity", other))
        self.assertIsNotNone(self.store.read("viscosity", other, of_any_length=True))

    def test_time_that_runs_out(self) -> None:
        runner = Runner(Path("/bin/false"), most_seconds=0.0)
        self.assertFalse(runner.fill(self.store, [("viscosity", self.small(LAWS[0]))], str))

    def test_the_formulas_are_the_programs(self) -> None:
        # All angles, h and M of one law and one place, and what the program says of theory: a run of a step.
        for point in (Point("srd", 0.1, 3, 90.0), Point("srd+a", 0.2, 3), Point("at", 1.0, 5), Point("at+a", 0.1, 3)):
            given = {"seed": 1, "box": {"size": [4, 4, 4]}, **point.input(), "run": {"steps": 1}}
            found = Runner(PROGRAM, "cpu", "1").measured(Case(point.name, given, lambda run: Measurement()))["theory"]
            self.assertAlmostEqual(collisional_viscosity(found), point.collisional_viscosity, places=9)
            self.assertAlmostEqual(found["kinetic_viscosity"], point.kinetic_viscosity, places=9)

    def test_a_page(self) -> None:
        cases = [self.small(point) for point in LAWS[:1]]
        Runner(PROGRAM, "cpu", "1").fill(self.store, [("viscosity", case) for case in cases], str)
        results = [(case, result) for case in cases if (result := self.store.read("viscosity", case)) is not None]
        subject = next(subject for subject in SUBJECTS if subject.name == "viscosity")
        (self.folder / "docs/images").mkdir(parents=True)
        written = make_page(self.folder, [(subject, results, 3), (SUBJECTS[1], [], 2)])
        self.assertEqual([path.name for path in written], ["validation-viscosity.png", "validation_tables.md"])
        text = written[-1].read_text(encoding="utf-8")
        for words in ("## Shear viscosity", "| SRD 130 | 0.1, 10 |", "**2 of 3 runs are missing here.**", "](images/validation-viscosity.png)",
                      "](#shear-viscosity)"):
            self.assertIn(words, text)
        self.assertTrue(all(len(line) <= 110 for line in text.splitlines() if not line.startswith(("|", "    ", "!"))))
        self.assertEqual(anchor("Lees-Edwards shear"), "lees-edwards-shear")
        self.assertEqual(make_page(self.folder, [(SUBJECTS[1], [], 2)]), [])
        written[-1].write_text(text.replace("1 runs,", "1 run,"), encoding="utf-8")
        with self.assertRaisesRegex(ResultsError, "validation_tables.md: what it says of 'Shear viscosity'"):
            make_page(self.folder, [(SUBJECTS[1], [], 2)])
        self.keeps_the_rest(subject, results)

    def keeps_the_rest(self, subject: Subject, results: Results) -> None:
        """One subject anew into the pages as they are committed."""

        def sections(name: str) -> dict[str, str]:
            head, *others = (self.folder / "docs" / name).read_text(encoding="utf-8").split("\n## ")
            return {"": head} | {other.partition("\n")[0]: other.rstrip() for other in others}

        pages = (FIRST_PAGE, SECOND_PAGE)
        for name in pages:
            shutil.copy(ROOT / "docs" / name, self.folder / "docs" / name)
        self.assertEqual(make_page(self.folder, [(subject, results, 3)]), [])  # they tell more runs
        first = self.folder / "docs" / FIRST_PAGE
        there = part_from_pages(subject, ROOT / "docs")
        assert there is not None
        first.write_text(first.read_text(encoding="utf-8").replace(f"\n{there.work.runs} runs,", "\n1 runs,"), encoding="utf-8")
        before = {title: text for name in pages for title, text in sections(name).items()}
        make_page(self.folder, [(subject, results, 3)])
        after = {title: text for name in pages for title, text in sections(name).items()}
        self.assertEqual(list(after), list(before))
        self.assertEqual([title for title in after if after[title] != before[title]], [subject.title])
        heads = [(folder / "docs" / FIRST_PAGE).read_text(encoding="utf-8").partition("\n## ")[0] for folder in (ROOT, self.folder)]
        rows = [[line for line in head.splitlines() if line.startswith(("| [", "- ", "  "))] for head in heads]
        of_others = [[line for line in lines if subject.title not in line] for lines in rows]
        self.assertEqual(*of_others)
        self.assertEqual(len([line for line in rows[1] if line.startswith("| [")]), len(SUBJECTS))
        works = [next(work for paragraph in head.split("\n\n") if (work := Work.read(paragraph)) is not None) for head in heads]
        self.assertEqual(works[1].runs, works[0].runs - there.work.runs + len(results))
        self.assertGreater(works[1].devices, works[0].devices)

    def test_statuses(self) -> None:
        def status(*arguments: str) -> int:
            command = [sys.executable, "-m", "mpcflow_tools.validation.command", "--output", str(self.folder), *arguments]
            return subprocess.run(command, env=os.environ | {"PYTHONPATH": str(TOOLS)}, capture_output=True).returncode

        self.assertEqual(status("--list"), 0)
        self.assertEqual(status("--subject", "nothing"), 2)
        self.assertEqual(status("--subject", "pipe"), 2)  # no results, and no program
        self.assertEqual(status("--subject", "couette", "--mpcflow", "/bin/false"), 3)
        self.assertEqual(status("--subject", "couette", "--mpcflow", "/bin/false", "--most-seconds", "0"), 4)


if __name__ == "__main__":
    unittest.main()

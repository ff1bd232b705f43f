"""Observables in Python: their numbers are beside theory within their errors, their pictures draw them, and the page has them."""

from __future__ import annotations

import unittest

import h5py
import numpy as np

from made_runs import FLOW, REST, WALLS, ToolTest, made
from mpcflow_tools import MissingResult, Run, plot
from mpcflow_tools.analyze import analyze
from mpcflow_tools.mode_analysis import wave_names
from mpcflow_tools.observable_plot import FIGURES
from mpcflow_tools.report import report_page
from mpcflow_tools.stress_analysis import expected_wall_stress, settled_lag, settling_steps


class Numbers(ToolTest):
    def test_a_run_gives_what_the_file_has(self) -> None:
        with Run(made(REST)) as run, h5py.File(made(REST) / "run.h5") as file:
            self.assertEqual(set(run.observables), {name for name in FIGURES if name in file})
            for name, found in run.observables.items():
                self.assertEqual(found.samples, file[name].attrs["samples"])
                for dataset in found:
                    np.testing.assert_array_equal(found[dataset].values, file[name][dataset][()])
                    error = found[dataset].error
                    if error is not None:
                        np.testing.assert_array_equal(error, file[name][f"{dataset}_error"][()])
            self.assertEqual(run.diffusion.about("free_axes"), "xyz")
            self.assertIn("stress      1500 samples", repr(run))
            self.assertRaisesRegex(MissingResult, "holds no walls", run.walls.check_samples)

    def test_theory_is_within_the_errors(self) -> None:
        # Formulas are good to 3 % here (docs/physics.md), and diffusion lies above its own: it is compared elsewhere.
        for text in (REST, WALLS):
            with Run(made(text)) as run:
                for section in analyze(run, ["viscosity", "pressure", "walls", "structure", "modes"]):
                    for found in section.estimates:
                        if found.theory is not None and "slip" not in found.name and np.isfinite(found.error):
                            self.assertLess(abs(found.value - found.theory), 4.5 * found.error + 0.03 * abs(found.theory),
                                            f"{section.name}, {found.name}: {found} {found.beside_theory()}")

    def test_viscosity_is_read_where_correlations_are_over(self) -> None:
        with Run(made(REST)) as run:
            at = settled_lag(run, run.stress["lag"].values)
            found = {one.name: one for one in analyze(run, ["viscosity"])[0].estimates}
            self.assertEqual(found["Green-Kubo"].value, run.stress["viscosity"].values[at])
            self.assertEqual(found["Green-Kubo"].error, run.stress["viscosity"].known_error()[at])
            # Here momentum has diffused by a cell, 2 nu t = 1, after the kinetic part is forgotten.
            diffused = 2.0 * float(run.theory["predicted_viscosity"]) * run.stress["time"].values
            self.assertTrue(diffused[at - 1] < 1.0 <= diffused[at], at)
            self.assertEqual(settled_lag(run, np.arange(2)), 1)
        # SRD at h = 1: 1 / (0.486 + 0.5) = 1.014 of the stress is forgotten in a step, 7 / -ln 0.0142 = 1.6 steps; 2 nu t = 1 after 0.9. The
        # kinetic part of a dilute fluid, which keeps half, takes 7 / ln 2 = 10.1 steps, and momentum 0.1.
        self.assertAlmostEqual(settling_steps(0.486, 0.568, 1.0, 1.0), 1.646, places=2)
        self.assertAlmostEqual(settling_steps(1.5, 5.0, 1.0, 1.0), 10.099, places=3)
        self.assertAlmostEqual(settling_steps(0.0486, 0.87, 0.1, 0.1), 5.747, places=3)
        with Run(made(WALLS)) as run:
            self.assertIn("fluid at rest without walls only", " ".join(analyze(run, ["viscosity"])[0].notes))

    def test_decays_of_modes(self) -> None:
        with Run(made(REST)) as run:
            section = analyze(run, ["modes"])[0]
            found = {one.name: one for one in section.estimates}
            self.assertEqual(wave_names(run.modes["wave_vector"].values, np.array([8.0, 8.0, 8.0])), ["x 1", "x 2", "y 1", "y 2", "z 1", "z 2"])
            for name in ("x 1", "z 2"):
                self.assertEqual(found[f"transverse size, {name}"].theory, 1.0)
                self.assertLess(abs(found[f"viscosity, {name}"].sigmas or 0.0), 4.5)
            self.assertEqual(list(section.tables), ["x 1", "x 2", "y 1", "y 2", "z 1", "z 2"])
            viscosity = {one.name: one for one in analyze(run, ["viscosity"])[0].estimates}["mode decay"]
            longest = [found[f"viscosity, {axis} 1"] for axis in "xyz"]
            self.assertAlmostEqual(viscosity.value, np.average([one.value for one in longest], weights=[one.error**-2 for one in longest]))

    def test_what_walls_should_feel(self) -> None:
        with Run(made(WALLS)) as run:
            self.assertEqual(expected_wall_stress(run, "z lower"), [0.5 * 0.02 * 10.0 * 10.0, 0.0, -15.0])
            self.assertEqual(expected_wall_stress(run, "z upper"), [1.0, 0.0, 15.0])
            rates = {one.name: one for one in analyze(run, ["walls"])[0].estimates}
            self.assertAlmostEqual(rates["flow rate, x"].theory, float(run.theory["poiseuille_mean_velocity"]) * 3.0 * 10.0)


class Pictures(ToolTest):
    def test_each_observable_has_a_picture(self) -> None:
        drawn = set()
        for text in (REST, WALLS):
            with Run(made(text)) as run:
                for name in run.observables:
                    path = self.folder / f"{name}.png"
                    self.assertEqual(plot.main([str(made(text)), name, "--output", str(path), "--overwrite"]), 0)
                    self.assertGreater(path.stat().st_size, 10_000)
                    drawn.add(name)
                self.assertIn(next(iter(run.observables)), self.command("plot", made(text)).stdout.split())
        self.assertEqual(drawn, set(FIGURES))

    def test_pictures_draw_the_numbers(self) -> None:
        with Run(made(REST)) as run:
            points = FIGURES["diffusion"](run).axes[0].lines[0]
            np.testing.assert_array_equal(points.get_ydata(), run.diffusion["mean_square_displacement"].values[1:])
            sums = FIGURES["stress"](run).axes[1].lines[0]
            np.testing.assert_array_equal(sums.get_ydata(), run.stress["viscosity"].values[:len(sums.get_ydata())])

    def test_modes_are_drawn_beside_theory(self) -> None:
        with Run(made(REST)) as run:
            axes = FIGURES["modes"](run).axes[0]
            expected = run.modes.expected("transverse")
            assert expected is not None
            curve = next(line for line in axes.lines if line.get_linestyle() == "--" and len(line.get_ydata()) > 0)
            drawn = np.asarray(curve.get_ydata())
            np.testing.assert_allclose(drawn, expected[0][:len(drawn)] / float(run.modes.about("equipartition")))
            self.assertAlmostEqual(drawn[0], 1.0)

    def test_the_legends_of_walls_stand_off_the_points(self) -> None:
        with Run(made(WALLS)) as run:
            figure = FIGURES["walls"](run)
        figure.canvas.draw()
        for axes in figure.axes:
            self.assertGreaterEqual(axes.get_legend().get_window_extent().y0, axes.bbox.y1 - 1.0)

    def test_what_is_not_there(self) -> None:
        for name in FIGURES:
            self.assertIn(f"holds no {name} (output.{name}", self.command("plot", made(FLOW), name, status=2).stderr)

    def test_the_page_has_them(self) -> None:
        with Run(made(REST)) as run:
            page = report_page(run)
            found = {one.name: one for section in analyze(run, ["viscosity", "pressure"]) for one in section.estimates}
        self.assertIn(">Observables</h2>", page)
        for name in ("Green-Kubo", "pressure"):
            self.assertIn(str(found[name]).replace("+-", "±"), page)
        self.assertIn('aria-label="correlations of the stress', page)
        with Run(made(FLOW)) as run:
            self.assertIn("viscosity: flow", report_page(run))


if __name__ == "__main__":
    unittest.main()

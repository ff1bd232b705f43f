"""mpcflow-plot: what is drawn is what the run and theory say, every picture comes to be, and wrong questions are answered."""

from __future__ import annotations

import unittest

import numpy as np

from forging import edited
from made_runs import FLOW, REGION, ToolTest, made
from mpcflow_tools import Run, plot
from mpcflow_tools.command import BadArgument
from mpcflow_tools.expected import default_axis, default_component, expected_profile, expected_series
from mpcflow_tools.pictures import MOST_POINTS, profile_figure, series_figure, slice_figure, thinned
from mpcflow_tools.style import unit_label
from mpcflow_tools.vorticity import vorticity, vorticity_layer

REST = FLOW.replace("z: no_slip", "z: periodic").replace("forces: [{uniform: [0.02, 0, 0]}]\n", "")
FALLING = FLOW.replace("z: no_slip", "z: periodic")


class Theory(unittest.TestCase):
    """Curves of theory pass through what short runs measured, within what chance explains."""

    def test_a_flow(self) -> None:
        with Run(made(FLOW.replace("steps: 400", "steps: 4000"))) as run:
            late = run.series["time"].values > 60.0
            times = run.series["time"].values[late]
            momentum = expected_series(run, "momentum")
            self.assertEqual(len(momentum), 3)
            flow = run.series["momentum"].values[late, 0].mean()
            self.assertLess(abs(flow / momentum[0].at(times)[0] - 1.0), 0.15)  # a box 3 wide fluctuates
            for name in ("temperature", "kinetic_energy"):
                ratio = run.series[name].values[late].mean() / expected_series(run, name)[0].at(times)[0]
                self.assertLess(abs(ratio - 1.0), 0.01, name)
            curve = expected_profile(run, "velocity", 2, "x")
            assert curve is not None
            largest = float(run.theory["poiseuille_maximum_velocity"])
            np.testing.assert_allclose(curve.at(np.array([0.0, 5.0, 10.0])), [0.0, largest, 0.0])
            mean = expected_profile(run, "velocity", 0, "x")
            assert mean is not None
            np.testing.assert_allclose(mean.at(np.zeros(1)), float(run.theory["poiseuille_mean_velocity"]))
            for component, value in (("y", 0.0), ("z", 0.0)):
                across = expected_profile(run, "velocity", 2, component)
                assert across is not None
                self.assertEqual(across.at(np.ones(1))[0], value)
            self.assertEqual((default_axis(run), default_component(run, "velocity")), (2, "x"))

    def test_a_fluid_at_rest(self) -> None:
        with Run(made(REST)) as run:
            times = run.series["time"].values
            np.testing.assert_allclose(expected_series(run, "temperature")[0].at(times), 1.5)
            ratio = run.series["kinetic_energy"].values.mean() / expected_series(run, "kinetic_energy")[0].at(times)[0]
            self.assertLess(abs(ratio - 1.0), 0.03)
            self.assertEqual(expected_series(run, "maximum_speed"), [])

    def test_a_force_without_walls(self) -> None:
        with Run(made(FALLING)) as run:
            times, momentum = run.series["time"].values, run.series["momentum"].values
            for axis, curve in enumerate(expected_series(run, "momentum")):
                np.testing.assert_allclose(momentum[:, axis], curve.at(times), atol=1e-9 * 1200)
            self.assertIsNone(expected_profile(run, "velocity", 2, "x"))


class Figures(unittest.TestCase):
    def test_a_profile_draws_the_means_of_layers(self) -> None:
        with Run(made(FLOW)) as run:
            figure = profile_figure(run, "velocity", 2, "x")
            drawn = next(line for line in figure.axes[0].lines if line.get_marker() == "o")
            velocity, density = run.fields["velocity"].values[..., 0], run.fields["density"].values
            np.testing.assert_allclose(drawn.get_ydata(), (velocity * density).sum(axis=(1, 2)) / density.sum(axis=(1, 2)))
            np.testing.assert_allclose(drawn.get_xdata(), run.fields.centres("z"))

    def test_a_map_draws_the_layer(self) -> None:
        with Run(made(FLOW)) as run:
            figure = slice_figure(run, "velocity", 2, 3.0, "y")
            image = figure.axes[0].collections[0]
            np.testing.assert_array_equal(np.asarray(image.get_array()).ravel(), run.fields["velocity"].values[3, :, :, 1].ravel())
            lying = slice_figure(run, "density", 1, None, "").axes[0].collections[0]  # z, the longer axis, lies
            np.testing.assert_array_equal(np.asarray(lying.get_array()).reshape(2, 10), run.fields["density"].values[:, 0, :].T)
            self.assertIn("9 ≤ z < 10", [text.get_text() for text in slice_figure(run, "density", 2, 10.0, "").axes[0].texts][0])

    def test_long_series_keep_their_peaks(self) -> None:
        times = np.arange(100_000.0)
        values = np.sin(times / 7000.0)
        values[77_777] = 9.0
        values[33_333] = -9.0
        few_times, few = thinned(times, values)
        self.assertLessEqual(len(few), MOST_POINTS)
        self.assertEqual((few.max(), few.min()), (9.0, -9.0))
        np.testing.assert_array_equal(values[few_times.astype(int)], few)

    def test_two_series_in_one_picture(self) -> None:
        with Run(made(FLOW)) as run:
            axes = series_figure(run, ["minimum_occupancy", "maximum_occupancy"]).axes[0]
            self.assertEqual(axes.get_ylabel(), "occupancy")

    def test_ticks_are_the_numbers_themselves(self) -> None:
        with Run(made(FLOW)) as run:
            figure = profile_figure(run, "density", 2, "")
            figure.draw_without_rendering()
            self.assertEqual(figure.axes[0].yaxis.get_offset_text().get_text(), "")

    def test_units_are_raised(self) -> None:
        self.assertEqual(unit_label("maximum_speed", "(energy/mass)^(1/2)"), "maximum speed [(energy/mass)$^{1/2}$]")
        self.assertEqual(unit_label("density", "a^-3"), "density [a$^{-3}$]")
        self.assertEqual(unit_label("step", "1"), "step")


class Vorticity(unittest.TestCase):
    def test_of_known_fields(self) -> None:
        """Waves that fit the box, by what central differences make of them: sin(k s) / s in place of k; and a flow that turns as a body."""
        bins, spacings = (12, 10, 8), (0.5, 1.0, 2.0)
        z, y, x = np.meshgrid(*(spacings[a] * (np.arange(bins[a]) + 0.5) for a in (2, 1, 0)), indexing="ij")
        k = [2.0 * np.pi / (count * spacing) for count, spacing in zip(bins, spacings)]
        slope = [np.sin(k[a] * spacings[a]) / spacings[a] for a in range(3)]
        waves = np.stack([np.sin(k[1] * y) + np.cos(k[2] * z), np.sin(k[2] * z) - np.cos(k[0] * x), np.cos(k[0] * x) + np.sin(k[1] * y)], axis=-1)
        expected = (slope[1] * np.cos(k[1] * y) - slope[2] * np.cos(k[2] * z),
                    -slope[2] * np.sin(k[2] * z) + slope[0] * np.sin(k[0] * x),
                    slope[0] * np.sin(k[0] * x) - slope[1] * np.cos(k[1] * y))
        turning = np.stack([0.2 * z - 0.3 * y, 0.3 * x - 0.1 * z, 0.1 * y - 0.2 * x], axis=-1)
        for component in range(3):
            np.testing.assert_allclose(vorticity(waves, spacings, (True,) * 3, component), expected[component], atol=1e-12)
            # Twice the angular velocity, up to ends that are not periodic.
            np.testing.assert_allclose(vorticity(turning, spacings, (False,) * 3, component), 2.0 * (0.1, 0.2, 0.3)[component], atol=1e-12)

    def test_layers_are_those_of_the_whole(self) -> None:
        with Run(made(FLOW)) as run:  # bins 2 x 1 x 10 of 2 x 3 x 1 cells, walls across z
            for component in range(3):
                whole = vorticity(run.fields["velocity"].values, (2.0, 3.0, 1.0), (True, True, False), component)
                for axis, layers in enumerate(run.fields.bins):
                    for layer in range(layers):
                        np.testing.assert_allclose(vorticity_layer(run, axis, layer, component), np.take(whole, layer, axis=2 - axis), atol=1e-14)
        with Run(made(FLOW.replace("[2, 1, 10]", "[4, 3, 1]"))) as run:
            self.assertTrue(np.isfinite(vorticity_layer(run, 2, 0, 2)).all())
            with self.assertRaisesRegex(BadArgument, "one bin along z"):
                vorticity_layer(run, 2, 0, 0)

    def test_it_is_drawn(self) -> None:
        with Run(made(FLOW)) as run:
            image = slice_figure(run, "vorticity", 1, None, "y").axes[0].collections[0]
            np.testing.assert_array_equal(np.asarray(image.get_array()).reshape(2, 10), vorticity_layer(run, 1, 0, 1).T)


class Command(ToolTest):
    def test_everything_that_is_listed_can_be_drawn(self) -> None:
        listed = self.command("plot", made(FLOW)).stdout.split()
        self.assertEqual(len(listed), 12)
        for subject in listed:
            path = self.folder / (subject.replace("/", "_") + ".png")
            self.assertEqual(plot.main([str(made(FLOW)), subject, "--output", str(path)]), 0, subject)
            self.assertEqual(path.read_bytes()[:4], b"\x89PNG")
            self.assertGreater(path.stat().st_size, 10_000)

    def test_formats_and_the_same_bytes_again(self) -> None:
        for name, head in (("a.svg", b"<?xml"), ("a.pdf", b"%PDF"), ("a.png", b"\x89PNG")):
            for path in (self.folder / name, self.folder / f"again_{name}"):
                self.assertEqual(plot.main([str(made(FLOW)), "fields/density", "--across", "y", "--output", str(path)]), 0)
            self.assertTrue((self.folder / name).read_bytes().startswith(head))
            self.assertEqual((self.folder / name).read_bytes(), (self.folder / f"again_{name}").read_bytes())

    def test_what_is_there_stays(self) -> None:
        folder = self.copy_of(FLOW)
        for arguments in ((), ("--output", "a.svg")):
            path = self.folder / "a.svg" if arguments else folder / "flow.png"
            path.write_text("mine")
            self.assertIn(f"{path.name}: exists already (--overwrite", self.command("plot", folder, "flow", *arguments, status=3).stderr)
            self.assertEqual(path.read_text(), "mine")
            self.command("plot", folder, "flow", *arguments, "--overwrite")
            self.assertGreater(path.stat().st_size, 10_000)
        (self.folder / "link.png").symlink_to(folder / "run.h5")
        self.command("plot", folder, "flow", "--output", "link.png", status=3)
        self.command("plot", folder, "flow", "--output", "link.png", "--overwrite")  # the link goes, not what it leads to
        self.assertFalse((self.folder / "link.png").is_symlink())
        self.assertEqual((folder / "run.h5").read_bytes()[:4], b"\x89HDF")
        self.assertEqual([path.name for path in self.folder.iterdir() if path.name.startswith(".")], [])

    def test_the_picture_is_beside_the_run(self) -> None:
        folder = self.copy_of(FLOW)
        done = self.command("plot", folder, "fields/velocity", "--component", "y", "--along", "x")
        self.assertIn(f"picture      {folder / 'velocity_y_along_x.png'}", done.stdout)
        self.assertTrue((folder / "velocity_y_along_x.png").is_file())

    def test_wrong_questions(self) -> None:
        for arguments, words in ((("series/temprature",), "only kinetic_energy"),
                                 (("fields/pressure",), "only density"),
                                 (("pressure",), "cannot be drawn, only series/kinetic_energy"),
                                 (("fields/density", "--along", "y"), "one bin along y"),
                                 (("fields/density", "--along", "z", "--across", "x"), "one of them"),
                                 (("fields/density", "--at", "3"), "--across"),
                                 (("vorticity", "--along", "z"), "as a map"),
                                 (("vorticity", "--component", "w"), "only x, y, z"),
                                 (("fields/density", "--across", "z", "--at", "11"), "from 0 to 10"),
                                 (("series/temperature", "--along", "z"), "are for fields"),
                                 (("series/temperature", "--output", "a.jpg"), ".png, .svg, .pdf"),
                                 (("fields/density", "--component", "x"), "density has none"),
                                 (("fields/velocity", "--component", "xy"), "only x, y, z"),
                                 (("fields/density", "--along", "w"), "invalid choice")):
            with self.subTest(arguments):
                self.assertIn(words, self.command("plot", made(FLOW), *arguments, status=2).stderr)
        for subject, words in (("histograms", "holds no histograms"), ("flow", "no plane Poiseuille flow")):
            self.assertIn(words, self.command("plot", made(REGION), subject, status=2).stderr)

    def test_a_title_is_no_formula(self) -> None:
        run = made(FLOW.replace("A small flow", "a $x^{2$ b"))
        for number, arguments in enumerate((["series/momentum"], ["fields/density"], ["fields/density", "--across", "y"], ["flow"],
                                            ["histograms"])):
            self.assertEqual(plot.main([str(run), *arguments, "--output", str(self.folder / f"{number}.png")]), 0)

    def test_runs_that_are_not_whole(self) -> None:
        folder = self.copy_of(FLOW)
        with edited(folder / "run.h5") as file:
            del file["theory"]
            file["fields"].attrs["samples"] = 0
        self.assertNotIn("fields", self.command("plot", folder).stdout)
        self.command("plot", folder, "series/momentum")
        with edited(folder / "run.h5") as file:
            del file["run"]
        self.assertIn("has no attribute", self.command("plot", folder, "series/momentum", status=3).stderr)


if __name__ == "__main__":
    unittest.main()

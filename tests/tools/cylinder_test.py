"""Flow in pipes and between cylinders: theory against its equations, profiles and fits against what is known."""

from __future__ import annotations

import unittest
from dataclasses import replace

import numpy as np

from made_runs import AT_REST, ToolTest, made
from mpcflow_tools import Run
from mpcflow_tools.analyze import analyze
from mpcflow_tools.cylinder_flow import CylinderFlow, RadialProfile, cylinder_flow_of, fit_cylinder_flow, radial_profile

PIPE = CylinderFlow(2, (9.0, 9.0), 8.0, 0.0, 8.0, 0.02, 0.87, 10.0, 1.0)
ANNULUS = replace(PIPE, inner_radius=4.0, outer_radius=9.0, inner_turning=0.1, outer_turning=-0.03, inner_sliding=0.2, outer_sliding=-0.1)
OUTPUT = "run: {equilibration: 100, steps: 400}\noutput:\n  fields: {every: 4, bins: [12, 4, 12]}\n  walls: {every: 4}\n"
BOX = AT_REST.replace("size: [8, 8, 8]", "size: [12, 4, 12]")
IN_A_PIPE = BOX.replace("title: A fluid at rest", "title: A pipe") + """\
surfaces: [{cylinder: {axis: y, centre: [6, 6], radius: 5.8}, fluid: inside}]
forces: [{uniform: [0, 0.05, 0]}]
""" + OUTPUT
BETWEEN = BOX + """\
surfaces:
  - {cylinder: {axis: y, centre: [6, 6], radius: 1.7}, fluid: outside, angular_velocity: 0.3}
  - {cylinder: {axis: y, centre: [6, 6], radius: 5.9}, fluid: inside}
""" + OUTPUT


class Theory(unittest.TestCase):
    def test_fulfils_its_equations(self) -> None:
        r = np.linspace(4.0, 9.0, 2001)
        middle = slice(3, -3)
        along, about = ANNULUS.velocity("along", r), ANNULUS.velocity("about", r)
        bend = np.gradient(r * np.gradient(along, r), r) / r
        np.testing.assert_allclose(ANNULUS.viscosity * bend[middle], -0.02, rtol=1e-3)  # nu laplacian(u) = -g
        bend = np.gradient(np.gradient(r * about, r) / r, r)
        np.testing.assert_allclose(bend[middle], 0.0, atol=1e-4)
        np.testing.assert_allclose(along[[0, -1]], [0.2, -0.1], atol=1e-14)
        np.testing.assert_allclose(about[[0, -1]], [0.4, -0.27], atol=1e-14)
        # Torque is r^2 times the stress, over the cylinder: -2 pi l eta r^3 d(u/r)/dr.
        turning = -2.0 * np.pi * 8.0 * 8.7 * r**3 * np.gradient(about / r, r)
        np.testing.assert_allclose(turning[middle], ANNULUS.torque, rtol=1e-4)
        self.assertAlmostEqual(ANNULUS.flow_rate, float(np.sum((along * r)[:-1] + (along * r)[1:]) * np.pi * (r[1] - r[0])), 4)
        self.assertAlmostEqual(PIPE.flow_rate, np.pi * 8.0**4 * 0.02 / (8.0 * 0.87), 10)
        self.assertAlmostEqual(float(PIPE.velocity("along", np.zeros(1))[0]), 0.02 * 64.0 / (4.0 * 0.87), 12)

    def test_noise_is_greens_function(self) -> None:
        """The operator, by differences, turns each column into a delta function: 1 / (2 pi r dr) at its place."""
        for flow, low in ((PIPE, 0.02), (ANNULUS, 4.0)):
            r = np.linspace(low, flow.outer_radius, 401)
            step = r[1] - r[0]
            for direction in ("along", "about"):
                # kT = rho nu l time = 1, but for the factor 2 of a variance.
                unit = replace(flow, mass_density=1.0 / flow.viscosity, length=1.0)
                columns = unit.noise_covariance(direction, r, 2.0)
                bend = ((r[1:-1] + 0.5 * step)[:, None] * (columns[2:] - columns[1:-1]) - (r[1:-1] - 0.5 * step)[:, None] * (columns[1:-1] - columns[:-2]))
                applied = -bend / (r[1:-1, None] * step**2) + (columns[1:-1] / r[1:-1, None] ** 2 if direction == "about" else 0.0)
                delta = applied[100:-100, 101:-101] * (2.0 * np.pi * r[101:-101] * step)
                np.testing.assert_allclose(delta, np.eye(len(delta)), atol=2e-3, err_msg=f"{direction} {flow.inner_radius}")


class Fits(unittest.TestCase):
    def test_finds_viscosity_and_slip(self) -> None:
        r = np.arange(0.5, 8.0)
        for viscosity, slip in ((0.87, 0.0), (0.4, 0.3), (1.3, -0.1)):
            velocity = 0.02 / (4.0 * viscosity) * (64.0 - r**2 + 2.0 * slip * 8.0)
            fit = fit_cylinder_flow(RadialProfile(r, velocity, np.ones(8)), PIPE, "along", 1e3)
            np.testing.assert_allclose(fit.values, [viscosity, slip], atol=1e-12)
        # What is next to the wall is left out.
        velocity[-1] *= 2.0
        np.testing.assert_allclose(fit_cylinder_flow(RadialProfile(r, velocity, np.ones(8)), PIPE, "along", 1e3).values, [1.3, -0.1], atol=1e-12)
        with self.assertRaisesRegex(ValueError, "more bins"):
            fit_cylinder_flow(RadialProfile(r[:2], velocity[:2], np.ones(2)), PIPE, "along", 1e3)
        with self.assertRaisesRegex(ValueError, "no flow"):
            fit_cylinder_flow(RadialProfile(r, -velocity, np.ones(8)), PIPE, "along", 1e3)

    def test_finds_a_part_of_theory(self) -> None:
        r = np.arange(4.5, 9.0)
        for direction in ("along", "about"):
            profile = RadialProfile(r, 0.93 * ANNULUS.velocity(direction, r), np.ones(5))
            np.testing.assert_allclose(fit_cylinder_flow(profile, ANNULUS, direction, 1e3).values, [0.93])

    def test_scatter_of_many_fits(self) -> None:
        random, r = np.random.default_rng(20261125), np.arange(0.7, 8.0)
        truth, covariance = PIPE.velocity("along", r), PIPE.noise_covariance("along", r, 1500.0)
        fits = [fit_cylinder_flow(RadialProfile(r, truth + noise, np.ones(len(r))), PIPE, "along", 1500.0)
                for noise in random.multivariate_normal(np.zeros(len(r)), covariance, 2000)]
        # The scatter of 2000 samples is known to 1.6 % (one standard error); 4.5 of them.
        np.testing.assert_allclose(np.std([fit.values for fit in fits], axis=0) / fits[0].errors, 1.0, atol=0.072)


class Runs(ToolTest):
    def test_the_flow_is_recognised(self) -> None:
        with Run(made(IN_A_PIPE)) as run:
            flow = cylinder_flow_of(run)
            assert flow is not None
            self.assertEqual((flow.axis, flow.centre, flow.length, flow.inner_radius, flow.outer_radius, flow.acceleration, flow.directions),
                             (1, (6.0, 6.0), 4.0, 0.0, 5.8, 0.05, ["along"]))
        with Run(made(BETWEEN)) as run:
            flow = cylinder_flow_of(run)
            assert flow is not None
            self.assertEqual((flow.inner_radius, flow.outer_radius, flow.inner_turning, flow.directions), (1.7, 5.9, 0.3, ["about"]))
        for other in (AT_REST + OUTPUT.replace("  walls: {every: 4}\n", "").replace("[12, 4, 12]", "[8, 8, 8]"),
                      IN_A_PIPE.replace("[0, 0.05, 0]", "[0, 0, 0]"), IN_A_PIPE.replace("[0, 0.05, 0]", "[0.01, 0.05, 0]"),
                      IN_A_PIPE.replace("fluid: inside", "fluid: inside, kind: slip")):
            with Run(made(other)) as run:
                self.assertIsNone(cylinder_flow_of(run))

    def test_rings_are_means_of_their_bins(self) -> None:
        """Against a loop over the bins, one by one."""
        for text, direction in ((IN_A_PIPE, "along"), (BETWEEN, "about")):
            with Run(made(text)) as run:
                flow = cylinder_flow_of(run)
                assert flow is not None
                profile = radial_profile(run, flow, direction)
                velocity, error, density = run.fields["velocity"].values, run.fields["velocity"].known_error(), run.fields["density"].values
                rings: dict[int, list[tuple[float, float, float, float]]] = {}
                for k, j, i in np.ndindex(density.shape):
                    x, z = i - 5.5, k - 5.5
                    corners = [np.hypot(x + a, z + b) for a in (-0.5, 0.5) for b in (-0.5, 0.5)]
                    if max(corners) > flow.outer_radius or np.hypot(abs(x) - 0.5, abs(z) - 0.5) < flow.inner_radius:
                        continue
                    r = np.hypot(x, z)
                    # About y, the direction of a right-handed turn: y x r.
                    about = (z * velocity[k, j, i, 0] - x * velocity[k, j, i, 2]) / r
                    spread = np.hypot(z * error[k, j, i, 0], x * error[k, j, i, 2]) / r
                    rings.setdefault(int(r - flow.inner_radius), []).append(
                        (density[k, j, i], r**2 + 1.0 / 6.0, velocity[k, j, i, 1] if direction == "along" else about,
                         error[k, j, i, 1] if direction == "along" else spread))
                self.assertEqual(len(profile.r), len(rings))
                for place, (_, bins) in enumerate(sorted(rings.items())):
                    weight, squared, u, e = np.array(bins).T
                    np.testing.assert_allclose([profile.r[place] ** 2, profile.velocity[place], profile.error[place]],
                                               [np.average(squared, weights=weight), np.average(u, weights=weight),
                                                np.sqrt(((weight * e) ** 2).sum()) / weight.sum()])

    def test_analysis_and_pictures(self) -> None:
        with Run(made(IN_A_PIPE)) as run:
            sections = {section.name: section for section in analyze(run)}
            found = {one.name: one for section in sections.values() for one in section.estimates}
            self.assertLess(abs(found["pipe"].sigmas or 9.0), 4.5)
            self.assertAlmostEqual(found["flow rate, y"].theory or 0.0, np.pi * 5.8**4 * 0.05 / (8.0 * found["pipe"].theory))
            self.assertEqual(sections["viscosity"].missing[0][:9], "no stress")
            self.assertEqual([*sections["profiles"].tables["velocity along y"]], ["r", "velocity", "error", "theory"])
        with Run(made(BETWEEN)) as run:
            found = {one.name: one for section in analyze(run) for one in section.estimates}
            self.assertAlmostEqual(found["torque on surface 1 (cylinder), y"].theory, -(found["torque on surface 0 (cylinder), y"].theory or 0.0))
            self.assertLess(abs(found["velocity about y over theory"].sigmas or 9.0), 6.0)  # slip at so small an inner cylinder is some of it
        for text in (IN_A_PIPE, BETWEEN):
            self.assertIn("flow", self.command("plot", made(text)).stdout.split())
            self.assertIn("theory", self.command("plot", made(text), "flow", "--output", f"{len(text)}.png").stdout)
        self.command("report", made(BETWEEN), "--output", "a.html")
        self.assertIn("distance from the cylinders", (self.folder / "a.html").read_text())


if __name__ == "__main__":
    unittest.main()

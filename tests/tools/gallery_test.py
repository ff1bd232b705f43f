"""The gallery: its own analysis on waves that are known, every entry on a short run of its example, and the page as it is committed."""

from __future__ import annotations

import re
import shutil
import unittest
from dataclasses import replace

import numpy as np

from made_runs import TOOLS, ToolTest, made
from mpcflow_tools import Run
from mpcflow_tools.command import BadArgument
from mpcflow_tools.estimates import Estimate
from mpcflow_tools.gallery.entries import ENTRIES
from mpcflow_tools.gallery.numbers import Row
from mpcflow_tools.gallery.page import Places, make_gallery
from mpcflow_tools.gallery.pictures import gas_density
from mpcflow_tools.gallery.sound import Wave, decay_from_rest, density_wave, expected_wave, fit_wave

ROOT = TOOLS.parent


def shortened(name: str) -> str:
    """The example of a flow, with a twentieth of its steps or less and boxes that are half as wide where that changes no flow."""
    text = (ROOT / "examples" / f"{name}.yaml").read_text(encoding="utf-8")
    at_rest = "{equilibration: 50, steps: 1500}"
    steps = {"sound": "{equilibration: 2500, steps: 600}", "transport": at_rest, "mixture": at_rest}.get(name, "{equilibration: 100, steps: 400}")
    text = re.sub(r"run: \{.*\}", f"run: {steps}", text)
    for size, less in (("[32, 16, 16]", "[32, 4, 4]"), ("[24, 24, 24]", "[6, 6, 6]"), ("[16, 16, 16]", "[8, 8, 16]" if name == "poiseuille" else "[8, 8, 8]"),
                       ("[18, 18, 8]", "[18, 18, 2]"), ("[20, 20, 8]", "[20, 20, 2]"), ("[12, 12, 12]", "[12, 12, 12]" if name == "sphere" else "[6, 6, 6]"),
                       ("[240, 123, 3]", "[80, 41, 2]"), ("[75, 60], radius: 15", "[25, 20], radius: 5"), ("to: 15", "to: 5"),
                       ("bins: [1, 16, 1]", "bins: [1, 8, 1]" if name == "lees_edwards" else "bins: [1, 16, 1]"), ("every: 10000", "every: 1000")):
        text = text.replace(size, less)
    return text


class Sound(unittest.TestCase):
    """The fit of a wave that decays."""

    wave = Wave(np.arange(0.5, 150.0), np.zeros(150), 0.005, 2.0 * np.pi / 32.0)

    def test_from_rest(self) -> None:
        decay = decay_from_rest(0.2, 1.0, 0.9, 0.1)
        at = decay.at(np.array([0.0, 1e-5, 2e-5]))
        self.assertAlmostEqual(at[0], 0.1, 12)
        self.assertAlmostEqual((at[1] - at[0]) / 1e-5, 0.0, 6)  # at rest
        # u'' + G k^2 u' + c^2 k^2 u = 0, by differences.
        times = np.linspace(0.0, 60.0, 6001)
        u = decay.at(times)
        rest = np.diff(u, 2) / 1e-4 + 0.9 * 0.04 * (u[2:] - u[:-2]) / 0.02 + 0.04 * u[1:-1]
        np.testing.assert_allclose(rest, 0.0, atol=1e-7)

    def test_finds_speed_and_damping(self) -> None:
        for speed, damping, amplitude in ((1.0, 0.886, 0.1), (1.29, 0.5, 0.07), (0.9, 1.5, -0.2)):
            truth = decay_from_rest(self.wave.wave_number, speed, damping, amplitude)
            found = fit_wave(replace(self.wave, amplitudes=truth.at(self.wave.times)),
                             decay_from_rest(self.wave.wave_number, 1.03 * speed, 0.9 * damping, 1.1 * amplitude))
            self.assertAlmostEqual(found.speed.value, speed, 8)
            self.assertAlmostEqual(found.damping.value, damping, 8)

    def test_scatter_of_many_fits(self) -> None:
        random, truth = np.random.default_rng(20261126), decay_from_rest(self.wave.wave_number, 1.0, 0.886, 0.1)
        apart = np.abs(np.subtract.outer(self.wave.times, self.wave.times))
        noise = random.multivariate_normal(np.zeros(150), 0.005**2 * np.exp(-truth.rate * apart) * np.cos(truth.frequency * apart), 1000)
        fits = [fit_wave(replace(self.wave, amplitudes=truth.at(self.wave.times) + one), truth) for one in noise]
        exact = fit_wave(replace(self.wave, amplitudes=truth.at(self.wave.times)), truth)
        scatter = np.std([(fit.speed.value, fit.damping.value) for fit in fits], axis=0)
        # Known to 2.2 % of 1000 samples; 4.5 of these, and a few per cent for what a fit that is not linear adds.
        np.testing.assert_allclose(scatter / [exact.speed.error, exact.damping.error], 1.0, atol=0.13)

    def test_noise_alone_is_no_wave(self) -> None:
        growing = np.exp(0.05 * self.wave.times)
        with self.assertRaisesRegex(ValueError, "no wave"):
            fit_wave(replace(self.wave, amplitudes=growing), decay_from_rest(self.wave.wave_number, 1.0, 0.9, 0.1))

    def test_the_wave_of_a_run(self) -> None:
        with Run(made(shortened("sound"))) as run:
            wave = density_wave(run)
            self.assertEqual(len(wave.times), 60)
            self.assertAlmostEqual(wave.times[0], 0.55)  # steps 1 to 10 after the force
            self.assertAlmostEqual(wave.noise, np.sqrt(2.0 / 5120))
            # Each point within 4.5 standard errors of theory, and what nonlinear terms of a tenth make of the amplitude.
            off = np.abs(wave.amplitudes - expected_wave(run, wave).at(wave.times))
            self.assertLess(off.max(), 4.5 * wave.noise + 0.005)
            self.assertGreater(np.abs(wave.amplitudes).max(), 0.07)


class Entries(ToolTest):
    def test_every_example_has_one(self) -> None:
        inputs = {path.stem for path in (ROOT / "examples").glob("*.yaml")}
        self.assertEqual({entry.name for entry in ENTRIES}, inputs)

    def test_the_page_shows_each(self) -> None:
        page = (ROOT / "docs/gallery.md").read_text(encoding="utf-8")
        for entry in ENTRIES:
            self.assertIn(f"\n## {entry.title}\n", page)
            picture = ROOT / f"docs/images/gallery-{entry.name}.png"
            self.assertIn(f"(images/{picture.name})", page)
            self.assertLess(picture.stat().st_size, 60_000)

    def test_each_has_a_picture_and_numbers(self) -> None:
        for entry in ENTRIES:
            with self.subTest(entry.name), Run(made(shortened(entry.name))) as run:
                rows = entry.rows(run)
                self.assertGreaterEqual(len(rows), 2)
                for row in rows:
                    self.assertTrue(np.isfinite(row.estimate.value), row.label)
                    self.assertTrue(all(row.cells()), row)
                self.assertGreaterEqual(len(entry.figure(run).axes), 1)

    def test_a_row(self) -> None:
        self.assertEqual(Row("a", Estimate("b", 1.02, 0.01, "", theory=1.0)).cells(), ["a", "1.020 ± 0.010", "1 (+2.0 %, +2.0 σ)"])
        self.assertEqual(Row("a", Estimate("b", 1.02, 0.01, ""), "small").cells(), ["a", "1.020 ± 0.010", "small"])

    def test_an_ideal_gas_of_one_pressure(self) -> None:
        temperature = np.linspace(0.8, 1.2, 101)
        density = gas_density(temperature, 10.0)
        self.assertAlmostEqual(density.mean(), 10.0)
        np.testing.assert_allclose(density * temperature, density[0] * 0.8)

    def test_a_page(self) -> None:
        places = Places(self.folder, self.folder / "runs")
        entry = next(entry for entry in ENTRIES if entry.name == "couette")
        places.example("couette").parent.mkdir()
        places.example("couette").write_text(shortened("couette"))
        (self.folder / "docs/images").mkdir(parents=True)
        with self.assertRaisesRegex(BadArgument, "--program"):
            make_gallery([entry], places, None, 1)
        shutil.copytree(made(shortened("couette")), places.runs / "couette")
        written = make_gallery([entry], places, None, 1)
        self.assertEqual([path.name for path in written], ["gallery-couette.png", "gallery.md"])
        text = places.page.read_text(encoding="utf-8")
        for words in ("](../examples/couette.yaml)", "    mpcflow run examples/couette.yaml --output out/couette", "](images/gallery-couette.png)",
                      "| stress on the lower plate, along x |"):
            self.assertIn(words, text)
        with Run(places.runs / "couette") as run:
            self.assertIn(str(run.state_hash), text)
        self.assertTrue(all(len(line) <= 110 for line in text.splitlines() if not line.startswith(("|", "    ", "!"))))
        places.example("couette").write_text(shortened("couette") + "\n")
        with self.assertRaisesRegex(BadArgument, "another input"):
            make_gallery([entry], places, None, 1)


if __name__ == "__main__":
    unittest.main()

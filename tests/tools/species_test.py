"""The tools and a mixture: what they read of each species, and what other programs are given."""

from __future__ import annotations

import unittest

import h5py
import numpy as np

from convert_test import read_lammps, read_xyz
from made_runs import AT_REST, ToolTest, made, read_numbers
from mpcflow_tools import Run
from mpcflow_tools.mixtures import species_names, tracers_of

MIXTURE = AT_REST.replace("fluid: {density: 10}", "fluid: {species: [{name: light, mass: 1, density: 4}, {name: heavy, mass: 3, density: 2}]}")
REST = MIXTURE + """\
run: {equilibration: 20, steps: 600}
output:
  trajectory: {every: 300, quantities: [position, velocity]}
  fields: {every: 10, quantities: [density, velocity, temperature], bins: [1, 1, 4]}
  series: {every: 10}
  stress: {every: 1, burst: 1}
  modes: {every: 2, count: 1}
  diffusion: {every: 3, tracers: 400}
"""
REGION = MIXTURE + """\
run: {steps: 20}
output:
  trajectory: {every: 20, quantities: [position], region: {lower: [0, 0, 0], upper: [4, 8, 8]}}
"""
ANGULAR = REST.replace("time_step: 0.1", "time_step: 0.1, conserve_angular_momentum: true")


class Species(ToolTest):
    def test_a_run_knows_them(self) -> None:
        with Run(made(REST)) as run:
            self.assertEqual(species_names(run), ["light", "heavy"])
            self.assertEqual((run.input["fluid"]["density"], run.input["fluid"]["mass"]), (6.0, 10.0 / 6.0))
            self.assertEqual(run.fields.of_species("density").values.shape, (4, 1, 1, 2))
            self.assertNotIn("species_density", run.fields)
            self.assertEqual([*tracers_of(run)], ["light", "heavy"])
            frame = run.trajectory[-1]
            np.testing.assert_array_equal(frame.species, frame.ids >= 2048)
            np.testing.assert_array_equal(frame.masses, np.where(frame.species == 0, 1.0, 3.0))

    def test_analysis_tells_each(self) -> None:
        said = self.command("analyze", made(REST)).stdout
        for words in ("diffusion of light", "diffusion of heavy", "Green-Kubo", "theory"):
            self.assertIn(words, said)
        self.command("report", made(REST), "--output", "page.html")
        self.assertIn("species heavy", (self.folder / "page.html").read_text())

    def test_analysis_goes_without_theory_where_there_is_none(self) -> None:
        said = self.command("analyze", made(ANGULAR)).stdout
        self.assertIn("diffusion of heavy", said)

    def test_particles_have_types(self) -> None:
        for text in (REST, REGION):
            run = Run(made(text))
            frame = run.trajectory[-1]
            self.command("convert", made(text), "particles", "a.xyz", "--overwrite")
            found = read_xyz(self.folder / "a.xyz")[-1]
            self.assertEqual(found["species"][:, 0].tolist(), np.array(["light", "heavy"])[frame.species].tolist())
            np.testing.assert_array_equal(found["id"][:, 0], frame.ids)
            np.testing.assert_array_equal(found["pos"], frame.positions)
            self.command("convert", made(text), "particles", "a.lammpstrj", "--overwrite")
            np.testing.assert_array_equal(read_lammps(self.folder / "a.lammpstrj")[-1]["type"], frame.species + 1)
            self.command("convert", made(text), "particles", "a.npz", "--overwrite")
            with np.load(self.folder / "a.npz") as arrays:
                np.testing.assert_array_equal(arrays["species"][-1][:len(frame)], frame.species)
            run.close()

    def test_tables_are_of_each(self) -> None:
        self.command("convert", made(REST), "series", "s.csv")
        columns, _ = read_numbers(self.folder / "s.csv")
        with h5py.File(made(REST) / "run.h5") as f:
            np.testing.assert_array_equal(columns["species_temperature_heavy"], f["series/species_temperature"][:, 1])
            self.command("convert", made(REST), "diffusion", "d.csv", "--quantity", "heavy/mean_square_displacement")
            columns, _ = read_numbers(self.folder / "d.csv")
            np.testing.assert_array_equal(columns["mean_square_displacement"], f["diffusion/heavy/mean_square_displacement"][:])


if __name__ == "__main__":
    unittest.main()

"""Runs on several ranks that begin on a lattice or as a file says: their files are those of one process."""

import unittest

import h5py
import numpy as np

from on_ranks import RanksTest
from restarting import flow

FRAMES = "  trajectory: {every: 20, quantities: [position, velocity]}\n"
MIXTURE = "fluid: {species: [{name: light, mass: 1, density: 7}, {name: heavy, mass: 5, density: 3}]}"


class Starts(RanksTest):
    def mixture(self, start: str, steps: int = 40, checkpoint: str = "", size: str = "[6, 6, 6]") -> str:
        text = flow(steps, checkpoint, FRAMES).replace("fluid: {density: 10}", MIXTURE).replace("size: [6, 6, 6]", f"size: {size}")
        return text + (f"start: {start}\n" if start else "")

    def check_ranks(self, text: str, ranks: int) -> None:
        expected = self.reference(text)
        self.on_ranks(ranks, "run", self.write_input(text), "--quiet", "--overwrite")
        self.check_same(self.results("out"), expected)

    def test_lattice_is_that_of_one_process(self):
        self.check_ranks(self.mixture("lattice"), 3)

    def test_checkpoint_in_parts_and_its_frame_repeated_are_those_of_one_process(self):
        self.on_ranks(3, "run", self.write_input(self.mixture("", 20, "{every: 20}"), "seed.yaml"), "--quiet", "--output", "seed")
        self.assertTrue(list((self.folder / "seed").glob("*.part2.h5")))
        hashes = set()
        for file in ("checkpoint.h5", "trajectory.h5"):
            text = self.mixture(f"{{from: seed/{file}}}", size="[12, 6, 6]")
            expected = self.reference(text)
            self.on_ranks(4, "run", self.write_input(text), "--quiet", "--output", file.partition(".")[0])
            self.check_same(self.results(file.partition(".")[0]), expected)
            hashes.add(int(expected["run.h5:run@state_hash"]))
            (self.folder / "reference").rename(self.folder / f"reference-{file}")
        self.assertEqual(len(hashes), 1)

    def test_arrays_are_those_of_one_process_and_bad_ones_end_all(self):
        generator = np.random.default_rng(3)
        with h5py.File(self.folder / "mine.h5", "w") as f:
            f["position"] = generator.uniform(0, 6, (2160, 3))
            f["velocity"] = generator.normal(size=(2160, 3))
            f["species"] = generator.permutation(np.repeat([0, 1], (1512, 648)))
        text = self.mixture("{arrays: mine.h5}")
        self.check_ranks(text, 3)
        with h5py.File(self.folder / "mine.h5", "r+") as f:
            f["position"][2000, 2] = 7
        said = self.on_ranks(3, "run", self.write_input(text), "--quiet", "--output", "refused", status=None)
        self.assertEqual(said.returncode, 2, said.stderr)
        self.assertEqual(said.stderr.count("row 2000, that is outside of the box"), 1)


if __name__ == "__main__":
    unittest.main()

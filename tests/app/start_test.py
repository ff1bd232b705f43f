#!/usr/bin/env python3
"""How particles begin: on a lattice, as a file of ours says, as arrays say; and files that will not do."""

from __future__ import annotations

import json
import shutil
import unittest
from pathlib import Path

import h5py
import numpy as np

from restarting import RestartTest, flow

FRAMES = "  trajectory: {every: 10, quantities: [position, velocity]}\n"
FLUID = "fluid: {density: 10}"
MIXTURE = "fluid: {species: [{name: light, mass: 1, density: 7}, {name: heavy, mass: 5, density: 3}]}"
COUNT = 2160  # of 216 cells


def with_start(start: str, steps: int = 40, checkpoint: str = "", outputs: str = FRAMES) -> str:
    return flow(steps, checkpoint, outputs) + f"start: {start}\n"


class StartTest(RestartTest):
    def run_text(self, text: str, out: str, *arguments: str, status: int = 0):
        return self.mpcflow("run", self.write_input(text, f"{out}.yaml"), "--quiet", "--output", out, *arguments, status=status)

    def frame(self, out: str, number: int) -> tuple[np.ndarray, np.ndarray]:
        with h5py.File(self.folder / out / "trajectory.h5") as f:
            group = f["particles/all"]
            # All begin in their first images.
            if number == 0:
                self.assertFalse(np.any(group["image/value"][0]))
            np.testing.assert_array_equal(group["id/value"][number], np.arange(group["id/value"].shape[1]))
            return group["position/value"][number], group["velocity/value"][number]

    def state_hash(self, out: str) -> int:
        with h5py.File(self.folder / out / "run.h5") as f:
            return int(f["run"].attrs["state_hash"])

    def write_arrays(self, name: str = "mine.h5", **arrays) -> None:
        with h5py.File(self.folder / name, "w") as f:
            for array, numbers in arrays.items():
                f[array] = numbers


class Lattice(StartTest):
    def test_of_eight_particles_a_cell_is_cubic_and_the_same_however_it_runs(self):
        text = with_start("lattice").replace(FLUID, "fluid: {density: 8}")
        self.run_text(text, "one", "--threads", "1")
        self.run_text(text, "two", "--threads", "2", "--set", "execution.reorder=3")
        self.assertEqual(self.state_hash("one"), self.state_hash("two"))
        place, velocity = self.frame("one", 0)
        self.assertEqual(len(place), 1728)
        self.assertEqual(len(np.unique(place, axis=0)), 1728)
        np.testing.assert_array_equal(np.unique(place), np.arange(12) / 2 + 0.25)
        # Velocities are those of a random start of the same seed.
        self.run_text(text.replace("lattice", "random"), "random")
        np.testing.assert_array_equal(self.frame("random", 0)[1], velocity)
        self.assertNotEqual(self.state_hash("random"), self.state_hash("one"))
        with h5py.File(self.folder / "one/run.h5") as f:
            self.assertIn("start: lattice", f["input/resolved"][()].decode())


class FromFiles(StartTest):
    def test_the_checkpoint_of_the_first_step_begins_the_same_run(self):
        # It is the one before that of step 1.
        for fluid, precision in ((FLUID, "double"), (MIXTURE, "mixed")):
            with self.subTest(precision):
                setting = ("--set", f"execution.precision={precision}")
                text = flow(40, "", FRAMES).replace(FLUID, fluid)
                self.run_text(text, "whole", *setting)
                self.run_text(flow(1, "{every: 1}", "").replace(FLUID, fluid), "seed", *setting, "--set", "run.equilibration=0")
                self.run_text(with_start("{from: seed/checkpoint.previous.h5}").replace(FLUID, fluid), "again", *setting)
                self.check_same(self.results("again"), self.results("whole"))
                for out in ("whole", "seed", "again"):
                    shutil.rmtree(self.folder / out)

    def test_a_later_checkpoint_and_a_frame_begin_where_they_were(self):
        self.run_text(flow(20, "{every: 10}", FRAMES), "seed")
        with h5py.File(self.folder / "seed/checkpoint.h5") as f:
            expected = f["particles/position"][:], f["particles/velocity"][:]
        done = self.mpcflow("run", self.write_input(with_start("{from: seed/checkpoint.h5}")), "--output", "checkpoint")
        self.assertIn("starting from seed/checkpoint.h5, step 40\n", done.stderr)
        for out, start in (("last", "{from: seed/trajectory.h5}"), ("fourth", "{from: seed/trajectory.h5, frame: 4}")):
            self.run_text(with_start(start), out)
            self.assertEqual(self.state_hash(out), self.state_hash("checkpoint"))
        for out in ("checkpoint", "last"):
            np.testing.assert_array_equal(self.frame(out, 0), expected)
        self.run_text(with_start("{from: seed/trajectory.h5, frame: -3}"), "third")
        np.testing.assert_array_equal(self.frame("third", 0), self.frame("seed", 2))
        # Places of a trajectory of a run in single precision are in the box of one in double, and the other way.
        self.run_text(with_start("{from: seed/trajectory.h5}"), "single", "--set", "execution.precision=mixed")
        place = self.frame("single", 0)[0]
        np.testing.assert_array_equal(place, expected[0].astype(np.float32) % 6)
        self.run_text(with_start("{from: single/trajectory.h5, frame: 0}"), "double")
        np.testing.assert_array_equal(self.frame("double", 0)[0], place)

    def check_repeated(self, fluid: str, counts: tuple[int, ...]) -> None:
        self.run_text(flow(20, "{every: 20}", FRAMES).replace(FLUID, fluid), "seed")
        place, velocity = self.frame("seed", 4)
        text = with_start("{from: seed/checkpoint.h5}").replace(FLUID, fluid).replace("size: [6, 6, 6]", "size: [12, 6, 12]")
        done = self.mpcflow("check", self.write_input(text))
        self.assertIn("start                seed/checkpoint.h5, step 40, 2 x 1 x 2 times", done.stdout)
        self.run_text(text, "large")
        found = self.frame("large", 0)
        self.assertEqual(len(found[0]), 4 * sum(counts))
        first, first_large = 0, 0
        for count in counts:
            for copy, shift in enumerate(([0, 0, 0], [6, 0, 0], [0, 0, 6], [6, 0, 6])):
                there = slice(first_large + copy * count, first_large + (copy + 1) * count)
                np.testing.assert_array_equal(found[0][there], place[first : first + count] + shift)
                np.testing.assert_array_equal(found[1][there], velocity[first : first + count])
            first, first_large = first + count, first_large + 4 * count
        self.mpcflow("verify", "large")
        # From the frame of the same step the same.
        self.run_text(text.replace("checkpoint.h5", "trajectory.h5"), "again")
        self.assertEqual(self.state_hash("again"), self.state_hash("large"))

    def test_a_box_is_repeated_in_a_larger_one(self):
        self.check_repeated(FLUID, (COUNT,))

    def test_a_mixture_is_repeated_species_by_species(self):
        self.check_repeated(MIXTURE, (1512, 648))

    def test_a_run_goes_on_from_its_own_checkpoint_when_the_file_is_gone(self):
        self.run_text(flow(20, "", FRAMES), "seed")
        text = with_start("{from: seed/trajectory.h5}", 80, "{every: 30}")
        self.run_text(text, "whole")
        self.run_text(text, "out", "--set", "run.steps=50")
        shutil.rmtree(self.folder / "seed")
        self.run_text(text, "out")
        self.check_same(self.results("out"), self.results("whole"))
        refused = self.run_text(text.replace("seed/", "other/"), "out", "--set", "run.steps=99", status=3).stderr
        self.assertIn("start.from was seed/trajectory.h5, is other/trajectory.h5", refused)
        self.assertIn("no such file", self.run_text(text, "new", status=3).stderr.lower())
        self.assertFalse((self.folder / "new").exists())

    def test_among_surfaces_rounding_puts_no_particle_into_the_solid(self):
        surfaces = "surfaces: [{sphere: {centre: [3, 3, 3], radius: 2}, fluid: outside}]\n"
        self.run_text(flow(20, "", FRAMES.replace("10", "1")) + surfaces, "seed")
        place = np.concatenate([self.frame("seed", n)[0] for n in range(40)])
        # So near to the surface that single precision has no place for all.
        self.assertLess(np.abs(np.linalg.norm(place - 3, axis=1) - 2).min(), 1e-3)
        self.run_text(with_start("{from: seed/trajectory.h5}") + surfaces, "single", "--set", "execution.precision=mixed")
        near = self.frame("seed", -1)
        direction = near[0][0] - 3
        near[0][0] = 3 + direction / np.linalg.norm(direction) * np.float64(2) * (1 + 1e-15)
        self.write_arrays(position=near[0], velocity=near[1])
        self.run_text(with_start("{arrays: mine.h5}") + surfaces, "arrays", "--set", "execution.precision=mixed")
        self.assertGreaterEqual(np.linalg.norm(self.frame("arrays", 0)[0][0].astype(np.float64) - 3), 2.0)
        near[0][0] = 3 + direction * 0.1
        self.write_arrays(position=near[0], velocity=near[1])
        self.check_refused(with_start("{arrays: mine.h5}") + surfaces, 2, "has a particle, row 0, that is behind a surface")

    def check_refused(self, text: str, status: int, *words: str) -> None:
        name = self.write_input(text)
        for command in (("check", name), ("run", name, "--output", "refused")):
            said = self.mpcflow(*command, status=status).stderr
            self.assertNotIn("a fault of the program", said)
            for word in words:
                self.assertIn(word, said)
        self.assertFalse((self.folder / "refused").exists())

    def test_what_does_not_fit_the_input_is_told_with_its_place(self):
        self.run_text(flow(20, "{every: 20}", FRAMES), "seed")
        text = with_start("{from: seed/checkpoint.h5}")
        line = text.splitlines().index("start: {from: seed/checkpoint.h5}") + 1
        place = f"flow.yaml:{line}:15: start.from: seed/checkpoint.h5 "
        for old, new, words in (
            ("size: [6, 6, 6]", "size: [6, 9, 6]", "is of a box of 6 x 6 x 6 cells, of which the 6 x 9 x 6 cells of this input are no multiple along y"),
            ("size: [6, 6, 6]", "size: [3, 6, 6]", "is of a box of 6 x 6 x 6 cells, of which the 3 x 6 x 6 cells of this input are no multiple along x"),
            ("density: 10", "density: 9", "has 2160 particles, and this input has 1944; a density of 10 would fit"),
            ("density: 10", "density: 10, mass: 2", "has particles of mass 1, where this input has those of mass 2"),
            (FLUID, MIXTURE, "has 1 species, and this input 2"),
            ("h5}", "h5, frame: 0}", "is no trajectory, and has no frames"),
        ):
            with self.subTest(new):
                self.check_refused(text.replace(old, new), 2, place + words)
        sheared = text.replace("z: no_slip", "z: {kind: lees_edwards, shear_rate: 0.1, along: x}").replace("6, 6, 6]", "6, 6, 12]")
        self.check_refused(sheared.replace("forces: [{uniform: [0.01, 0, 0]}]\n", ""), 2, ": start.from: seed/checkpoint.h5 is of a box", "cannot be repeated along z")
        self.check_refused(text.replace("seed/checkpoint.h5", "seed/trajectory.h5, frame: 9"), 3, "has no frame 9: it has 5, of steps 0 to 40")
        self.check_refused(text.replace("seed/checkpoint.h5", "seed/trajectory.h5, frame: -6"), 3, "has no frame -6")
        mixture = flow(20, "{every: 20}", "").replace(FLUID, MIXTURE)
        self.run_text(mixture, "mixture")
        other = with_start("{from: mixture/checkpoint.h5}").replace(FLUID, MIXTURE)
        self.check_refused(other.replace("heavy", "large"), 2, "has a species heavy, where this input has large")
        self.check_refused(other.replace("density: 3", "density: 4"), 2, "has 648 particles of heavy, and this input has 864; a density of 3 would fit")
        # What would be lost is refused.
        said = self.run_text(text, "seed", "--overwrite", status=2).stderr
        self.assertIn("lies in the output directory, whose results are to be overwritten", said)
        self.mpcflow("verify", "seed")

    def test_files_that_are_none_or_damaged_are_told(self):
        self.run_text(flow(20, "{every: 20}", FRAMES), "seed")
        outputs = "  trajectory: {every: 10, quantities: [%s]%s}\n"
        self.run_text(flow(20, "", outputs % ("position", "")), "places")
        self.run_text(flow(20, "", outputs % ("position, velocity", ", every_nth_id: 2")), "some")
        whole = {name: (self.folder / "seed" / name).read_bytes() for name in ("checkpoint.h5", "trajectory.h5")}
        (self.folder / "text.h5").write_text("no HDF5")
        (self.folder / "empty.h5").write_bytes(b"")
        (self.folder / "cut.h5").write_bytes(whole["checkpoint.h5"][:-30])
        (self.folder / "half.h5").write_bytes(whole["checkpoint.h5"][: len(whole["checkpoint.h5"]) // 2])
        flipped = bytearray(whole["checkpoint.h5"])
        flipped[len(flipped) // 2] ^= 1
        (self.folder / "flipped.h5").write_bytes(flipped)
        (self.folder / "short.h5").write_bytes(whole["trajectory.h5"][: len(whole["trajectory.h5"]) // 2])
        with h5py.File(self.folder / "foreign.h5", "w") as f:
            f["position"] = np.zeros((5, 3))
        shutil.copy(self.folder / "seed/trajectory.h5", self.folder / "changed.h5")
        with h5py.File(self.folder / "changed.h5", "r+") as f:
            f["particles/all/velocity/value"][-1, 7, 1] += 1e-9
        for file, words in (
            ("missing.h5", "o such file"), ("seed", "seed"), ("text.h5", "not an HDF5 file"), ("empty.h5", "empty"),
            ("cut.h5", "cut.h5"), ("half.h5", "half.h5"), ("flipped.h5", "its checksum is wrong"), ("short.h5", "short.h5"),
            ("foreign.h5", "is neither a checkpoint nor a trajectory of mpcflow"), ("seed/run.h5", "not a checkpoint of mpcflow"),
            ("changed.h5", "its frame 4 is damaged"), ("places/trajectory.h5", "its frames have no velocity"),
            ("some/trajectory.h5", "hold some of the particles only"),
        ):
            with self.subTest(file):
                self.check_refused(with_start(f"{{from: {file}}}"), 3, words)
        # A frame before the one that was changed is whole.
        self.run_text(with_start("{from: changed.h5, frame: 3}"), "before")


class Arrays(StartTest):
    def setUp(self) -> None:
        super().setUp()
        self.random = np.random.default_rng(7)
        self.place = self.random.uniform(0, 6, (COUNT, 3))
        self.velocity = self.random.normal(size=(COUNT, 3))

    def check_refused(self, status: int, words: str, fluid: str = FLUID, **arrays) -> None:
        self.write_arrays(**arrays)
        text = with_start("{arrays: mine.h5}").replace(FLUID, fluid)
        line = text.splitlines().index("start: {arrays: mine.h5}") + 1
        place = f"flow.yaml:{line}:17: start.arrays: mine.h5 " if status == 2 else "mpcflow: mine.h5"
        name = self.write_input(text)
        for command in (("check", name), ("run", name, "--output", "refused")):
            said = self.mpcflow(*command, status=status).stderr
            self.assertIn(place, said)
            self.assertIn(words, said)
        self.assertFalse((self.folder / "refused").exists())

    def test_begin_as_they_say(self):
        self.write_arrays(position=self.place, velocity=self.velocity)
        self.run_text(with_start("{arrays: mine.h5}"), "out")
        found = self.frame("out", 0)
        np.testing.assert_array_equal(found[0], self.place)
        np.testing.assert_array_equal(found[1], self.velocity)  # its mean is not taken away
        # In another order with ids, in chunks and compressed, big-endian, the same run; so of its first frame.
        order = self.random.permutation(COUNT)
        with h5py.File(self.folder / "mine.h5", "w") as f:
            f.create_dataset("position", data=self.place[order].astype(">f8"), chunks=(100, 3), compression="gzip")
            f["velocity"] = self.velocity[order]
            f["id"] = order.astype(np.int32)
            f.attrs["by"] = "a test"
        self.run_text(with_start("{arrays: mine.h5}"), "ids")
        self.run_text(with_start("{from: out/trajectory.h5, frame: 0}"), "frame")
        for out in ("ids", "frame"):
            self.assertEqual(self.state_hash(out), self.state_hash("out"))
        single = self.place.astype(np.float32), self.velocity.astype(np.float32)
        self.write_arrays(position=single[0], velocity=single[1], species=np.zeros(COUNT, np.int8))
        self.run_text(with_start("{arrays: mine.h5}"), "single")
        np.testing.assert_array_equal(self.frame("single", 0), (single[0] % 6, single[1]))

    def test_of_a_mixture_have_species_or_ids(self):
        species = np.repeat([0, 1], (1512, 648))
        order = self.random.permutation(COUNT)
        place, velocity = self.place[order], self.velocity[order]
        text = with_start("{arrays: mine.h5}").replace(FLUID, MIXTURE)
        self.write_arrays(position=place, velocity=velocity, species=species[order], id=order)
        self.run_text(text, "both")
        self.write_arrays(position=place, velocity=velocity, id=order)
        self.run_text(text, "ids")
        self.assertEqual(self.state_hash("ids"), self.state_hash("both"))
        np.testing.assert_array_equal(self.frame("ids", 0), (self.place, self.velocity))
        # Without ids those of a species are in the order of the rows.
        self.write_arrays(position=place, velocity=velocity, species=species[order])
        self.run_text(text, "species")
        rows = np.argsort(species[order], kind="stable")
        np.testing.assert_array_equal(self.frame("species", 0), (place[rows], velocity[rows]))
        good = {"position": place, "velocity": velocity}
        self.check_refused(2, "has no species, and this input has several", MIXTURE, **good)
        self.check_refused(2, "has 1080 particles of light, and this input has 1512; a density of 5 would fit", MIXTURE,
                           **good, species=np.repeat([0, 1], (1080, 1080)))
        self.check_refused(3, "its row 3 is of species 2, and there are species 0 to 1", MIXTURE,
                           **good, species=np.where(np.arange(COUNT) == 3, 2, 0))
        self.check_refused(2, "ids go species by species", MIXTURE, **good, species=species, id=order)

    def test_that_will_not_do_are_told(self):
        good = {"position": self.place, "velocity": self.velocity}

        def changed(name: str, row: int, value: float) -> dict:
            numbers = good[name].copy()
            numbers[row, 1] = value
            return good | {name: numbers}

        ids = np.arange(COUNT)
        few = {name: numbers[:1080] for name, numbers in good.items()}
        self.check_refused(2, "has 1080 particles, and this input has 2160; a density of 5 would fit", **few)
        self.check_refused(2, "row 17, that is outside of the box of 6 x 6 x 6 cells, at 6.5 along y", **changed("position", 17, 6.5))
        self.check_refused(2, "row 0, that is outside of the box", **changed("position", 0, -1e-300))
        self.check_refused(2, "row 2159, that has no place: it is not finite", **changed("position", 2159, np.nan))
        self.check_refused(2, "row 5, that has no velocity: it is not finite", **changed("velocity", 5, np.inf))
        self.check_refused(2, "row 5, that has a speed of 33", **changed("velocity", 5, 33))
        self.check_refused(2, "row 4, that has the id 2160; those of 2160 particles are 0 to 2159", **good, id=np.where(ids == 4, 2160, ids))
        self.check_refused(2, "row 4, that has the id -1", **good, id=np.where(ids == 4, -1, ids))
        self.check_refused(2, "row 9, that has the id 4, which another one has, too", **good, id=np.where(ids == 9, 4, ids))
        self.check_refused(3, "has no velocity", position=self.place)
        self.check_refused(3, 'has "ids", which is none of position, velocity, id and species', **good, ids=ids)
        self.check_refused(3, "where [2160, 3] should be", position=self.place, velocity=self.velocity[:-1])
        self.check_refused(3, "where [2160, 3] should be", position=self.place, velocity=self.velocity[:, :2])
        self.check_refused(3, "where [2160, 3] should be", position=self.place.ravel()[:2160], velocity=self.velocity)
        self.check_refused(3, "where [2160] should be", **good, id=ids[:-1])
        self.check_refused(3, "not of the kind", **good, id=ids.astype(float))
        self.check_refused(3, "not of the kind", position=self.place.astype(int), velocity=self.velocity)
        self.check_refused(3, "is a single number", position=1.0, velocity=self.velocity)
        self.check_refused(3, "its row 0 is of species 1, and there is one species, 0", **good, species=np.ones(COUNT, int))
        (self.folder / "mine.h5").write_bytes((self.folder / "mine.h5").read_bytes()[:2000])
        said = self.mpcflow("check", self.write_input(with_start("{arrays: mine.h5}")), status=3).stderr
        self.assertIn("mine.h5", said)
        self.write_arrays("other.h5", **good)
        with h5py.File(self.folder / "mine.h5", "w") as f:
            f["velocity"] = self.velocity
            f["position"] = h5py.ExternalLink("other.h5", "position")
        said = self.mpcflow("check", self.write_input(with_start("{arrays: mine.h5}")), status=3).stderr
        self.assertIn("link to elsewhere", said)
        self.run_text(flow(1, "{every: 1}", ""), "ours")
        said = self.mpcflow("check", self.write_input(with_start("{arrays: ours/checkpoint.h5}")), status=3).stderr
        self.assertIn("files of mpcflow go to start.from", said)

    def test_check_tells_where_a_run_starts(self):
        self.write_arrays(position=self.place, velocity=self.velocity)
        name = self.write_input(with_start("{arrays: mine.h5}"))
        self.assertIn("start                the arrays of mine.h5\n", self.mpcflow("check", name).stdout)
        self.assertEqual(json.loads(self.mpcflow("check", name, "--json").stdout)["start"], "the arrays of mine.h5")
        self.mpcflow("run", name, "--quiet")
        with h5py.File(Path(self.folder) / "out/run.h5") as f:
            self.assertIn('start:\n  arrays: "mine.h5"\n', f["input/resolved"][()].decode())


if __name__ == "__main__":
    unittest.main()

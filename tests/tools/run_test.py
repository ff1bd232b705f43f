"""Run and Trajectory on files that the program made, and on files that are not what they should be."""

from __future__ import annotations

import tracemalloc
import unittest
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import h5py
import numpy as np

from forging import edited, set_attribute
from fields_test import WINDOWS
from made_runs import EVERYTHING, FLOW, REGION, REST, THINNED, TOOLS, WALLS, ToolTest, made
from mpcflow_tools import MissingResult, ResultsError, Run, Trajectory, Values
from mpcflow_tools.input_text import DEEPEST_NODE, LONGEST_TEXT, MOST_NODES
from mpcflow_tools.labelled import labelled
from mpcflow_tools.results import parse_input


class WholeRun(unittest.TestCase):
    def setUp(self) -> None:
        self.run_ = Run(made(FLOW))
        self.addCleanup(self.run_.close)

    def test_series_have_values_and_units(self) -> None:
        series = self.run_.series
        self.assertEqual(len(series["time"]), 51)
        self.assertEqual(series["temperature"].unit, "energy")
        np.testing.assert_allclose(series["time"].values, 0.1 * series["step"].values)
        self.assertEqual(series["momentum"].values.shape, (51, 3))
        np.testing.assert_array_equal(np.asarray(series["momentum"]), series["momentum"].values)
        self.assertLess(abs(float(np.mean(series["temperature"].values[10:])) - 1.5), 0.15)

    def test_fields_have_errors_and_places(self) -> None:
        fields = self.run_.fields
        self.assertEqual(list(fields), ["density", "temperature", "velocity"])
        self.assertEqual(fields.bins, (2, 1, 10))
        self.assertEqual((fields.samples, fields.every, fields.first_step, fields.last_step), (100, 4, 104, 500))
        velocity = fields["velocity"]
        self.assertEqual(velocity.values.shape, (10, 1, 2, 3))
        self.assertEqual(velocity.known_error().shape, velocity.values.shape)
        np.testing.assert_allclose(fields.edges("z"), np.arange(11))
        np.testing.assert_allclose(fields.centres("x"), [1.0, 3.0])
        np.testing.assert_array_equal(fields.rows("density", 3, 5), fields["density"].values[3:5])
        self.assertAlmostEqual(float(np.mean(fields["density"].values)), 10.0, places=6)

    def test_histograms_hold_every_particle(self) -> None:
        speed = self.run_.histograms["speed"]
        self.assertEqual(len(speed.edges), len(speed.counts))
        self.assertEqual(speed.counts.sum(), self.run_.particles * self.run_.histograms.samples)
        self.assertEqual(self.run_.histograms.mean_occupancy, 10.0)
        self.assertEqual(self.run_.histograms["occupancy"].edges[3], 3.0)

    def test_theory_input_and_provenance(self) -> None:
        run = self.run_
        slit = float(run.theory["poiseuille_maximum_velocity"])
        self.assertAlmostEqual(slit, (0.02 / 2.0) * 100.0 / (8.0 * float(run.theory["predicted_viscosity"])))
        self.assertEqual(run.theory["viscosity"].unit, "a (energy/mass)^(1/2)")
        self.assertEqual(run.theory["schmidt_number"].unit, "1")
        self.assertEqual(run.input["forces"], [{"uniform": [0.02, 0.0, 0.0]}])
        self.assertIn("title: A small flow", run.given_input_text)
        self.assertEqual(run.box.tolist(), [4, 3, 10])
        self.assertEqual((run.status, run.message, run.steps_done, run.steps_in_all), ("completed", "", 500, 500))
        self.assertEqual(run.machine["device"], "CPU, 1 thread")
        self.assertEqual(run.program["name"], "mpcflow")
        self.assertRegex(run.state_hash or "", "^[0-9a-f]{16}$")

    def test_its_repr_tells_what_is_there(self) -> None:
        for words in ("A small flow", "1200 particles in a box 4 x 3 x 10", "completed", self.run_.state_hash or "-",
                      "51 rows", "100 samples in 2 x 1 x 10 bins", "20 samples: occupancy, speed", "6 frames of 1200"):
            self.assertIn(words, repr(self.run_))
        self.assertRegex(repr(self.run_.series["temperature"]), r"temperature: 51, 1\.\S+ \.\.\. 1\.\S+ energy")
        self.assertEqual(repr(Values("x", np.asarray(2.5), "a", "")), "x = 2.5 a")

    def test_notebooks_show_the_same(self) -> None:
        shown = Run(made(FLOW.replace("A small flow", "1 < 2")))._repr_html_()
        for words in ("1 &lt; 2", "<th>fields</th><td>100 samples in 2 x 1 x 10 bins", "<th>trajectory</th>"):
            self.assertIn(words, shown)

    def test_values_are_indexed_and_multiplied_with_their_errors(self) -> None:
        velocity = self.run_.fields["velocity"]
        values, errors = velocity.values, velocity.known_error()
        for found, factor in ((velocity[3, 0, :, 0], 1.0), (-2.0 * velocity[3, 0, :, 0], -2.0), (velocity[3, 0, :, 0] / 4, 0.25), (-velocity[3, 0, :, 0], -1.0),
                              (np.float64(3.0) * velocity[3, 0, :, 0], 3.0), (np.array([1.0, -5.0]) * velocity[3, 0, :, 0], np.array([1.0, -5.0]))):
            self.assertIsInstance(found, Values)
            np.testing.assert_array_equal(found.values, factor * values[3, 0, :, 0])
            np.testing.assert_array_equal(found.known_error(), np.abs(factor) * errors[3, 0, :, 0])
            self.assertEqual(found.unit, velocity.unit)
        self.assertIsNone(self.run_.series["temperature"][-1].error)
        self.assertEqual(float(self.run_.series["temperature"][-1]), self.run_.series["temperature"].values[-1])
        self.assertEqual(repr(Values("x", np.asarray(2.5), "a", "", np.asarray(0.25))), "x = 2.5 +- 0.25 a")
        with self.assertRaises(TypeError):
            velocity * velocity

    def test_numbers_that_yaml_takes_for_text(self) -> None:
        found = parse_input(Path("x"), "{a: 1e-05, b: [2E3, -1e+2], c: 1.5e-3, d: e5, e: 12}")
        self.assertEqual(found, {"a": 1e-5, "b": [2e3, -100.0], "c": 1.5e-3, "d": "e5", "e": 12})


class OtherLibraries(unittest.TestCase):
    def test_every_array_has_its_axes_named(self) -> None:
        runs = {text: Run(made(text)) for text in (FLOW, REST, WALLS, WINDOWS)}
        for text, part, name, axes in ((FLOW, "fields", "velocity", ("z", "y", "x", "component")), (FLOW, "series", "momentum", ("time", "component")),
                                       (FLOW, "histograms", "speed_counts", ("speed",)), (REST, "stress", "pressure_tensor", ("a", "b")),
                                       (REST, "modes", "transverse", ("wave", "lag")), (REST, "radial_distribution", "g", ("radius",)),
                                       (REST, "diffusion", "mean_square_displacement_xyz", ("lag", "component")),
                                       (WALLS, "walls", "stress", ("face", "component")), (WINDOWS, "windows", "density", ("time", "z", "y", "x"))):
            arrays, places = labelled(runs[text], part)
            self.assertEqual(arrays[name][0], axes)
            sizes: dict[str, int] = {}
            for names, values, _ in (arrays | places).values():
                self.assertEqual(len(names), values.ndim)
                for axis, size in zip(names, values.shape):
                    self.assertEqual(sizes.setdefault(axis, size), size)
            if part in ("fields", "stress", "modes", "walls"):
                self.assertEqual(arrays[f"{name}_error"][0], axes)
                np.testing.assert_array_equal(arrays[name][1], getattr(runs[text], part)[name].values)
        self.assertEqual(arrays[name][1].shape[0], len(runs[WINDOWS].windows))
        np.testing.assert_array_equal(labelled(runs[FLOW], "fields")[1]["z"][1], runs[FLOW].fields.centres("z"))
        np.testing.assert_array_equal(labelled(runs[REST], "modes")[0]["expected_transverse"][1], runs[REST].modes.expected("transverse"))
        for part, words in (("walls", "holds no walls"), ("windows", "wrote no windows"), ("nonsense", "is no part of a run, only fields,")):
            with self.assertRaisesRegex(MissingResult, words):
                labelled(runs[FLOW], part)

    @unittest.skipUnless(find_spec("xarray") and find_spec("pandas"), "xarray and pandas are not installed")
    def test_they_take_them(self) -> None:
        run = Run(made(FLOW))
        fields = run.to_xarray()
        np.testing.assert_array_equal(fields.velocity.sel(z=2.5, component="x").values, run.fields["velocity"].values[2, :, :, 0])
        self.assertEqual(fields.velocity.attrs["unit"], "(energy/mass)^(1/2)")
        self.assertEqual(set(run.to_xarray("series").dims), {"time", "component"})
        frame = run.to_dataframe()
        np.testing.assert_array_equal(frame["momentum_y"], run.series["momentum"].values[:, 1])
        np.testing.assert_array_equal(frame.index, run.series["time"].values)
        self.assertEqual((frame.attrs["units"]["momentum_y"], frame.attrs["units"]["temperature"]), ("(mass energy)^(1/2)", "energy"))


class Frames(unittest.TestCase):
    def test_the_end_of_the_trajectory_is_that_of_the_run(self) -> None:
        with Run(made(FLOW)) as run:
            frames = run.trajectory
            self.assertEqual(frames.steps.tolist(), [0, 100, 200, 300, 400, 500])
            self.assertEqual(frames.periodic, (True, True, False))
            last = frames[-1]
            self.assertEqual(last.state_hash, run.state_hash)
            self.assertEqual(last.ids.tolist(), list(range(1200)))
            energy = 0.5 * float((last.masses[:, None] * last.velocities**2).sum())
            self.assertAlmostEqual(energy / run.series["kinetic_energy"].values[-1], 1.0, places=6)
            self.assertEqual([frame.step for frame in frames[::2]], [0, 200, 400])
            with self.assertRaises(IndexError):
                frames[6]

    def test_unwrapped_positions_move_as_velocities_say(self) -> None:
        # With one frame a step, positions go on by v h but where a wall turned a particle back.
        text = FLOW.replace("{every: 100, quan", "{every: 1, quan").replace("z: no_slip", "z: periodic").replace(
            "forces: [{uniform: [0.02, 0, 0]}]\n", "").replace("steps: 400", "steps: 40")
        with Trajectory(made(text)) as frames:
            crossed = 0
            for before, after in zip(frames[:-1], frames[1:]):
                np.testing.assert_allclose(after.unwrapped_positions - before.unwrapped_positions, 0.1 * after.velocities,
                                           atol=1e-12)
                crossed += int(np.any(after.images != before.images))
            self.assertGreater(crossed, 10)

    def test_every_nth_id(self) -> None:
        with Trajectory(made(THINNED)) as some, Trajectory(made(EVERYTHING)) as all_of_them:
            self.assertEqual((some.every_nth_id, all_of_them.every_nth_id, some.region), (3, 1, None))
            self.assertIn("360 particles, one id in 3", some.summary())
            for few, everyone in zip(some, all_of_them):
                np.testing.assert_array_equal(few.ids, everyone.ids[::3])
                np.testing.assert_array_equal(few.positions, everyone.positions[::3].astype(np.float32))
                self.assertEqual((few.state_hash, few.positions.dtype), (everyone.state_hash, np.float32))
                self.assertEqual(len(few.masses), 360)

    def test_a_region_holds_real_particles_alone(self) -> None:
        with Trajectory(made(REGION)) as frames:
            self.assertEqual(frames.quantities, ["position"])
            counts = [len(frame) for frame in frames]
            self.assertGreater(len(set(counts)), 1)
            self.assertEqual(counts, frames.particle_counts.tolist())
            for frame in frames:
                self.assertEqual(frame.positions.dtype, np.float32)
                self.assertEqual(len(frame.positions), len(frame))
                self.assertTrue(np.all((frame.positions >= [1, 1, 1]) & (frame.positions < [4, 4, 5])))
                self.assertTrue(np.all(np.diff(frame.ids) > 0) and frame.ids[0] >= 0)
            with self.assertRaisesRegex(MissingResult, "no velocity .output.trajectory.quantities"):
                _ = frames[0].velocities
            self.assertIn("in [1.0, 1.0, 1.0] ... [4.0, 4.0, 5.0]", repr(frames))

    def test_parts_make_up_the_frame(self) -> None:
        with Trajectory(made(FLOW)) as frames:
            parts = list(frames[2].parts(1))
            self.assertEqual(sum(map(len, parts)), len(frames[2]))
            np.testing.assert_array_equal(np.concatenate([part.positions for part in parts]), frames[2].positions)

    def test_one_frame_in_memory_at_a_time(self) -> None:
        with Trajectory(made(FLOW.replace("{every: 100, quan", "{every: 2, quan"))) as frames:
            frame_bytes = len(frames[0]) * 3 * 8
            tracemalloc.start()
            self.addCleanup(tracemalloc.stop)
            total = sum(float(frame.positions.sum()) for frame in frames)
            self.assertLess(tracemalloc.get_traced_memory()[1], 8 * frame_bytes)
            self.assertGreater(len(frames), 200)
            self.assertGreater(total, 0.0)


class Example(ToolTest):
    def test_it_runs(self) -> None:
        done = self.python(TOOLS.parent / "examples" / "read_a_run.py", made(FLOW))
        self.assertIn("theory expects 0.1457", done.stdout)
        self.assertRegex(done.stdout, r"\n +50  \d+\.\d+\n")
        done = self.python(TOOLS.parent / "examples" / "read_a_run.py", self.folder, status=1)
        self.assertIn("run.h5: no such file", done.stderr)


class Hostile(ToolTest):
    def edit(self, file: Path, change: Any) -> None:
        with edited(file) as opened:
            change(opened)

    def test_no_file_and_no_hdf5(self) -> None:
        with self.assertRaisesRegex(ResultsError, "run.h5: no such file"):
            Run(self.folder)
        (self.folder / "run.h5").write_text("hello")
        with self.assertRaisesRegex(ResultsError, "no HDF5 file"):
            Run(self.folder)
        with h5py.File(self.folder / "run.h5", "w") as file:
            file["x"] = 1
        with self.assertRaisesRegex(ResultsError, "no run file of mpcflow"):
            Run(self.folder)
        with self.assertRaisesRegex(ResultsError, "no trajectory of mpcflow"):
            Trajectory(self.folder / "run.h5")

    def test_a_later_format_is_refused(self) -> None:
        folder = self.copy_of(FLOW)
        self.edit(folder / "run.h5", lambda file: file.attrs.modify("format_version", 3))
        with self.assertRaisesRegex(ResultsError, "format version 3"):
            Run(folder)

    def test_what_a_run_did_not_write(self) -> None:
        folder = self.copy_of(FLOW)

        def bare(file: h5py.File) -> None:
            for name in ("series", "fields", "histograms", "machine", "theory", "run"):
                del file[name]

        self.edit(folder / "run.h5", bare)
        (folder / "trajectory.h5").unlink()
        run = Run(folder)
        for look, words in ((lambda: run.series["temperature"], "holds no series"), (lambda: run.fields["density"], "holds no fields"),
                            (lambda: run.histograms["speed"], "holds no histograms"), (lambda: run.trajectory, "wrote no trajectory")):
            with self.assertRaisesRegex(MissingResult, words):
                look()
        with self.assertRaisesRegex(ResultsError, "/run has no attribute particles"):
            _ = run.particles
        self.assertEqual((run.machine, run.theory, run.fields.samples), ({}, {}, 0))
        self.assertIn("no attribute", repr(run))

    def test_unknown_names_are_told_the_known_ones(self) -> None:
        with Run(made(FLOW)) as run:
            with self.assertRaisesRegex(MissingResult, "'temprature', only kinetic_energy"):
                run.series["temprature"]
            with self.assertRaisesRegex(MissingResult, "only occupancy, speed"):
                run.histograms["size"]

    def test_counts_that_lie(self) -> None:
        folder = self.copy_of(REGION)
        self.edit(folder / "trajectory.h5", lambda file: file["parameters/mpcflow/particles"].__setitem__(1, 10**6))
        with self.assertRaisesRegex(ResultsError, "damaged"):
            Trajectory(folder)

    def test_an_input_without_what_it_must_have(self) -> None:
        folder = self.copy_of(FLOW)

        def strip(file: h5py.File) -> None:
            del file["input/resolved"]
            file["input/resolved"] = b"{fluid: {density: 10}, forces: []}"

        self.edit(folder / "run.h5", strip)
        self.assertEqual(Run(folder).input, {"fluid": {"density": 10}, "forces": []})
        with self.assertRaisesRegex(MissingResult, "run.h5: its input has no fluid.mass"):
            Run(folder).input["fluid"]["mass"]
        for command in (("plot", folder, "flow"), ("plot", folder, "series/temperature"), ("report", folder)):
            self.assertIn("its input has no", self.command(*command, status=2).stderr)

    def test_histograms_of_which_half_is_missing(self) -> None:
        folder = self.copy_of(FLOW)
        self.edit(folder / "run.h5", lambda file: file["histograms"].pop("occupancy"))
        with self.assertRaisesRegex(ResultsError, "run.h5: cannot be read"):
            _ = Run(folder).histograms.mean_occupancy
        self.assertIn("occupancy", self.command("plot", folder, "histograms", status=3).stderr)

    def look_at_everything(self, folder: Path) -> None:
        """Reads all there is; nothing but ResultsError may come of it."""
        with Run(folder) as run:
            repr(run)
            for table in (run.series, run.fields):
                for name in table:
                    repr(table[name])
            for histogram in run.histograms.values():
                histogram.counts.sum()
            _ = run.input, run.theory, run.machine, run.notes
            for frame in run.trajectory:
                _ = frame.unwrapped_positions, frame.velocities, frame.masses

    def test_files_cut_short(self) -> None:
        folder = self.copy_of(FLOW)
        for name in ("run.h5", "trajectory.h5"):
            whole = (folder / name).read_bytes()
            for part in (0, 1, 7, 100, 3000, len(whole) // 2, len(whole) - 1):
                (folder / name).write_bytes(whole[:part])
                with self.subTest(name, part=part), self.assertRaisesRegex(ResultsError, name):
                    self.look_at_everything(folder)
            (folder / name).write_bytes(whole)
        self.look_at_everything(folder)

    def test_a_flipped_bit_in_the_numbers_is_found(self) -> None:
        # Of numbers alone, which have checksums: damaged metadata can crash the HDF5 library itself. HDF5 1.14 does not
        # say that it was the checksum, only that a filter failed.
        folder = self.copy_of(FLOW)
        for name, dataset in (("run.h5", "series/temperature"), ("run.h5", "fields/velocity_error"),
                              ("trajectory.h5", "particles/all/velocity/value")):
            whole = (folder / name).read_bytes()
            with h5py.File(folder / name) as file:
                chunk = file[dataset].id.get_chunk_info(0)
            damaged = bytearray(whole)
            damaged[chunk.byte_offset + chunk.size // 2] ^= 4
            (folder / name).write_bytes(damaged)
            with self.subTest(dataset), self.assertRaisesRegex(ResultsError, f"{name}: (cannot be read|is damaged).*(checksum|filter)"):
                self.look_at_everything(folder)
            (folder / name).write_bytes(whole)

    def test_takes_as_much_as_the_program(self) -> None:
        limits = (Path(__file__).parents[2] / "input" / "yaml_tree.hpp").read_text(encoding="utf-8")
        self.assertIn(f"longest_text = std::size_t{{{LONGEST_TEXT >> 20}}} << 20;", limits)
        self.assertIn(f"deepest_node = {DEEPEST_NODE};", limits)
        self.assertIn(f"most_nodes = {MOST_NODES // 1000}'000;", limits)

    def test_inputs_that_the_program_would_not_take(self) -> None:
        for text in ("a: &x 1", "a: &x [1]\nb: *x", "a: !!int 3", "a: 1\na: 2", "[" * 17 + "]" * 17, "a: " + "9" * 401, "a: 1e400", "a: 18446744073709551616",
                     "a: 1\n---\nb: 2", "{[1]: 2}", "a: \x07", "a: [" + "1," * 400_000 + "1]", "a: " + "b" * (4 << 20), "fluid: 3", "fluid: {mass: -1}",
                     "forces: [{uniform: [1, 2]}]", "thermostat: {kind: [none]}"):
            with self.subTest(text[:40]), self.assertRaisesRegex(ResultsError, "x: its input has .* which mpcflow does not write"):
                parse_input(Path("x"), text)
        for text in ("[1]", "a", ""):
            with self.assertRaisesRegex(ResultsError, "no YAML mapping"):
                parse_input(Path("x"), text)
        with self.assertRaisesRegex(ResultsError, "no YAML"):
            parse_input(Path("x"), "{a: 1")
        self.assertEqual(parse_input(Path("x"), "{a: 18446744073709551615, b: \"1\", c: on, d: 007, e: true, f: , g: 1:30, h: .5, i: '~'}"),
                         {"a": 2**64 - 1, "b": "1", "c": "on", "d": "007", "e": True, "f": None, "g": "1:30", "h": 0.5, "i": "~"})

    def test_texts_are_fit_for_a_terminal(self) -> None:
        folder = self.copy_of(FLOW)

        def lie(file: h5py.File) -> None:
            set_attribute(file, "title", np.bytes_("a\x1b[31m\x9b\u202eb\x7f\n水".encode() + b"\xff"))
            set_attribute(file["series/temperature"], "unit", np.bytes_("\x1b$x^{2,\n"))
            file["run"].attrs["notes"] = np.array([b"one\x07", b"two\r\n"])

        self.edit(folder / "run.h5", lie)
        with Run(folder) as run:
            self.assertEqual(run.title, "a\\x1b[31m\\x9b\\u202eb\\x7f\\x0a水\ufffd")
            self.assertEqual(run.notes, ["one\\x07", "two\\x0d\\x0a"])
            self.assertEqual(run.series["temperature"].unit, "?x1b?x^?2??x0a")
        self.assertIn("a\\x1b[31m", self.command("analyze", folder).stdout)

    def test_sizes_beyond_any_memory(self) -> None:
        folder = self.copy_of(FLOW)

        def grow(file: h5py.File) -> None:
            del file["series/temperature"]
            file.create_dataset("series/temperature", shape=(1 << 45,), chunks=(1024,), dtype="f8")

        self.edit(folder / "run.h5", grow)
        with self.assertRaisesRegex(ResultsError, "run.h5: cannot be read"):
            _ = Run(folder).series["temperature"]


if __name__ == "__main__":
    unittest.main()

"""mpcflow-convert: what it writes is read back, by readers of its own that forgive nothing, and is the run to the bit."""

from __future__ import annotations

import csv
import re
import tracemalloc
import unittest
import xml.etree.ElementTree as xml
from pathlib import Path
from typing import Any

import h5py
import numpy as np

from forging import edited
from made_runs import FLOW, REGION, THINNED, ToolTest, made, read_numbers
from mpcflow_tools import Run, Trajectory, convert
from mpcflow_tools.trajectory import PART_ROWS


def read_xyz(path: Path) -> list[dict[str, Any]]:
    """Frames of an extended XYZ file, arrays by the names of Properties."""
    lines, frames = path.read_text().splitlines(), []
    while lines:
        count = int(lines[0])
        header = dict(re.findall(r'(\w+)=("[^"]*"|\S+)', lines[1]))
        kinds = header["Properties"].split(":")
        rows = [line.split(" ") for line in lines[2:2 + count]]
        frame: dict[str, Any] = {"header": header}
        column = 0
        for name, kind, width in zip(kinds[::3], kinds[1::3], map(int, kinds[2::3])):
            cells = [row[column:column + width] for row in rows]
            frame[name] = np.array(cells, dtype={"S": str, "R": float, "I": int}[kind]).reshape(count, width)
            column += width
        assert {len(row) for row in rows} == {column}
        frames.append(frame)
        lines = lines[2 + count:]
    return frames


def read_lammps(path: Path) -> list[dict[str, Any]]:
    """Frames of a LAMMPS dump, columns by name."""
    lines, frames = path.read_text().splitlines(), []
    while lines:
        assert (lines[0], lines[2], lines[4][:16]) == ("ITEM: TIMESTEP", "ITEM: NUMBER OF ATOMS", "ITEM: BOX BOUNDS")
        count, names = int(lines[3]), lines[8].removeprefix("ITEM: ATOMS ").split(" ")
        table = np.array([line.split(" ") for line in lines[9:9 + count]], dtype=float)
        frames.append({"step": int(lines[1]), "bounds": lines[4][17:], "box": [line.split(" ") for line in lines[5:8]],
                       **{name: table[:, i] for i, name in enumerate(names)}})
        lines = lines[9 + count:]
    return frames


def read_vti(path: Path) -> tuple[dict[str, str], dict[str, np.ndarray]]:
    """Attributes of the image, and its cell data [z][y][x], components last, by name."""
    raw = path.read_bytes()
    start = raw.index(b"_", raw.index(b'<AppendedData encoding="raw">')) + 1
    end = raw.rindex(b"\n  </AppendedData>")
    root = xml.fromstring(raw[:start - 1] + raw[end:])
    assert (root.get("type"), root.get("byte_order"), root.get("header_type")) == ("ImageData", "LittleEndian", "UInt64")
    image = root.find("ImageData")
    assert image is not None
    extent = [int(number) for number in image.attrib["WholeExtent"].split()]
    arrays, place = {}, 0
    for entry in image.iter("DataArray"):
        shape = (extent[5], extent[3], extent[1]) + {"1": (), "3": (3,), "9": (3, 3)}[entry.attrib["NumberOfComponents"]]
        assert (entry.get("type"), int(entry.attrib["offset"])) == ("Float64", place)
        size = int(np.frombuffer(raw, "<u8", 1, start + place)[0])
        assert size == 8 * int(np.prod(shape))
        arrays[entry.attrib["Name"]] = np.frombuffer(raw, "<f8", size // 8, start + place + 8).reshape(shape)
        place += 8 + size
    assert start + place == end
    return image.attrib, arrays


class Particles(ToolTest):
    def test_xyz(self) -> None:
        for text in (FLOW, REGION, THINNED):
            self.command("convert", made(text), "particles", "a.xyz", "--overwrite")
            with Trajectory(made(text)) as frames:
                found = read_xyz(self.folder / "a.xyz")
                self.assertEqual(len(found), len(frames))
                for there, frame in zip(found, frames):
                    np.testing.assert_array_equal(there["pos"].astype(frame.positions.dtype), frame.positions)
                    np.testing.assert_array_equal(there["id"][:, 0], frame.ids)
                    self.assertEqual((there["header"]["Step"], float(there["header"]["Time"])), (str(frame.step), frame.time))
                    if text == FLOW:
                        np.testing.assert_array_equal(there["velo"], frame.velocities)
                        self.assertEqual(there["header"]["pbc"], '"T T F"')
                        self.assertEqual(there["header"]["Lattice"], '"4 0 0 0 3 0 0 0 10"')

    def test_lammps(self) -> None:
        self.command("convert", made(FLOW), "particles", "a.lammpstrj", "--frames", "1::2")
        self.command("convert", made(FLOW), "particles", "b.dump", "--unwrap", "--frames=-1")
        with Trajectory(made(FLOW)) as frames:
            found = read_lammps(self.folder / "a.lammpstrj")
            self.assertEqual([there["step"] for there in found], [100, 300, 500])
            for there, frame in zip(found, frames[1::2]):
                self.assertEqual((there["bounds"], there["box"][2]), ("pp pp ff", ["0", "10"]))
                np.testing.assert_array_equal(np.column_stack([there[n] for n in "xyz"]), frame.positions)
                np.testing.assert_array_equal(np.column_stack([there["i" + n] for n in "xyz"]), frame.images)
                np.testing.assert_array_equal(np.column_stack([there["v" + n] for n in "xyz"]), frame.velocities)
                np.testing.assert_array_equal(there["id"], frame.ids + 1)
                self.assertEqual(set(there["type"]), {1.0})
            last = read_lammps(self.folder / "b.dump")
            self.assertEqual(len(last), 1)
            np.testing.assert_array_equal(np.column_stack([last[0][n + "u"] for n in "xyz"]), frames[-1].unwrapped_positions)

    def test_csv(self) -> None:
        self.command("convert", made(FLOW), "particles", "a.csv", "--frames", ":2")
        with (self.folder / "a.csv").open() as file:
            rows = list(csv.DictReader(file))
        with Trajectory(made(FLOW)) as frames:
            self.assertEqual(len(rows), 2 * 1200)
            self.assertEqual({row["step"] for row in rows}, {"0", "100"})
            for names, values in ((("x", "y", "z"), frames[1].positions), (("image_x", "image_y", "image_z"), frames[1].images),
                                  (("vx", "vy", "vz"), frames[1].velocities)):
                np.testing.assert_array_equal([[float(row[n]) for n in names] for row in rows[1200:]], values)

    def test_npz(self) -> None:
        self.command("convert", made(REGION), "particles", "a.npz")
        self.command("convert", made(REGION), "particles", "b.npz", "--unwrap")
        whole, unwrapped = np.load(self.folder / "a.npz"), np.load(self.folder / "b.npz")
        self.assertEqual(sorted(whole), ["box", "id", "image", "particles", "position", "step", "time"])
        with Trajectory(made(REGION)) as frames:
            for i, frame in enumerate(frames):
                n = len(frame)
                self.assertEqual(whole["particles"][i], n)
                np.testing.assert_array_equal(whole["position"][i, :n], frame.positions)
                np.testing.assert_array_equal(unwrapped["unwrapped_position"][i, :n], frame.unwrapped_positions)
                self.assertTrue(np.all(np.isnan(whole["position"][i, n:])) and np.all(whole["id"][i, n:] == -1))
            self.assertEqual(whole["position"].dtype, np.float32)

    def test_memory_does_not_grow_with_a_frame(self) -> None:
        particles = 6 * PART_ROWS + 17
        folder = self.copy_of(FLOW)
        with edited(folder / "trajectory.h5") as file:
            group = file["particles/all"]
            random = np.random.default_rng(1)
            for name, shape, kind in (("position", (2, particles, 3), "f8"), ("velocity", (2, particles, 3), "f8"),
                                      ("image", (2, particles, 3), "i4"), ("id", (2, particles), "i4")):
                del group[name]["value"]
                dataset = group[name].create_dataset("value", shape, kind, chunks=(1, 16384, 3)[:len(shape)])
                for frame in range(2):
                    dataset[frame] = np.arange(particles) if name == "id" else random.integers(0, 9, shape[1:])
            for name in ("step", "time", "value"):
                values = group["box/edges"][name][:2]
                del group["box/edges"][name]
                group["box/edges"][name] = values
            for name, values in (("mass", np.ones(particles)), ("species", np.zeros(particles, dtype=np.int32))):
                del group[name]
                group[name] = values
        size = (folder / "trajectory.h5").stat().st_size
        self.assertGreater(size, 50e6)
        tracemalloc.start()
        self.addCleanup(tracemalloc.stop)
        for name, limit in (("a.npz", 8e6), ("a.vtp", 8e6), ("a.lammpstrj", 120e6)):
            tracemalloc.reset_peak()
            file_name = str(self.folder / name)
            frames = [] if name == "a.npz" else ["--frames", "0"]
            self.assertEqual(convert.main([str(folder), "particles", file_name, *frames]), 0)
            # Text is made in memory for a part: 10 numbers as Python's own and as digits. It must not depend on the frame.
            self.assertLess(tracemalloc.get_traced_memory()[1], limit, name)
        tracemalloc.stop()
        with Trajectory(folder) as trajectory, np.load(self.folder / "a.npz") as found:
            np.testing.assert_array_equal(found["velocity"][1], trajectory[1].velocities)
            np.testing.assert_array_equal(found["id"][1], np.arange(particles))


class Tables(ToolTest):
    def test_fields_as_vtk_image(self) -> None:
        self.command("convert", made(FLOW), "fields", "a.vti")
        image, arrays = read_vti(self.folder / "a.vti")
        self.assertEqual((image["WholeExtent"], image["Origin"], image["Spacing"]), ("0 2 0 1 0 10", "0 0 0", "2 3 1"))
        with Run(made(FLOW)) as run:
            self.assertEqual(sorted(arrays), sorted([*run.fields, *(f"{name}_error" for name in run.fields)]))
            for name in run.fields:
                np.testing.assert_array_equal(arrays[name], run.fields[name].values)
                np.testing.assert_array_equal(arrays[f"{name}_error"], run.fields[name].known_error())

    def test_fields_as_csv_and_npz(self) -> None:
        self.command("convert", made(FLOW), "fields", "a.csv")
        self.command("convert", made(FLOW), "fields", "a.npz")
        table, units = read_numbers(self.folder / "a.csv")
        with Run(made(FLOW)) as run, np.load(self.folder / "a.npz") as arrays:
            self.assertEqual(units, {"x": "a", "y": "a", "z": "a"} | {name: run.fields.unit(name.partition("_")[0]) for name in table
                                                                      if name not in "xyz"})
            velocity = run.fields["velocity"]
            np.testing.assert_array_equal(table["velocity_x"], velocity.values[..., 0].ravel())
            np.testing.assert_array_equal(table["velocity_error_z"], velocity.known_error()[..., 2].ravel())
            np.testing.assert_array_equal(table["z"].reshape(10, 1, 2)[:, 0, 1], run.fields.centres("z"))
            np.testing.assert_array_equal(table["x"][:2], run.fields.centres("x"))
            np.testing.assert_array_equal(arrays["velocity"], velocity.values)
            np.testing.assert_array_equal(arrays["z_edges"], run.fields.edges("z"))
            self.assertEqual([str(arrays[f"{name}_unit"]) for name in ("z_edges", "velocity", "velocity_error")], ["a", velocity.unit, velocity.unit])

    def test_series(self) -> None:
        self.command("convert", made(FLOW), "series", "a.csv")
        self.command("convert", made(FLOW), "series", "a.npz")
        table, units = read_numbers(self.folder / "a.csv")
        self.assertEqual(list(table)[:2], ["step", "time"])
        with Run(made(FLOW)) as run, np.load(self.folder / "a.npz") as arrays:
            self.assertEqual(sorted(arrays), sorted([*run.series, *(f"{name}_unit" for name in run.series)]))
            for name in run.series:
                np.testing.assert_array_equal(arrays[name], run.series[name].values)
                self.assertEqual(str(arrays[f"{name}_unit"]), run.series[name].unit)
            self.assertEqual(units, {name: unit for name in table
                                     if (unit := run.series.unit("momentum" if name.startswith("momentum_") else name)) != "1"})
            np.testing.assert_array_equal(table["temperature"], run.series["temperature"].values)
            np.testing.assert_array_equal(table["momentum_y"], run.series["momentum"].values[:, 1])


class Refusals(ToolTest):
    def test_bad_arguments(self) -> None:
        for arguments, words in ((("particles", "a.vti"), "particles can be written as .xyz"),
                                 (("fields", "a.xyz"), "fields can be written as .vti"),
                                 (("particles", "a.xyz", "--frames", "5:2"), "none of the 6 frames"),
                                 (("particles", "a.xyz", "--frames", "6"), "neither one of the 6 frames"),
                                 (("particles", "a.xyz", "--frames", "a:b"), "START:STOP:STEP"),
                                 (("particles", "a.xyz", "--frames", "1:2:3:4"), "START:STOP:STEP"),
                                 (("fields", "a.vti", "--unwrap"), "are for particles"),
                                 (("everything", "a.csv"), "invalid choice")):
            with self.subTest(arguments):
                done = self.command("convert", made(FLOW), *arguments, status=2)
                self.assertIn(words, done.stderr)
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_what_the_run_did_not_write(self) -> None:
        for subject, words in (("fields", "holds no fields"), ("series", "holds no series")):
            self.assertIn(words, self.command("convert", made(REGION), subject, "a.csv", status=2).stderr)
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_files_that_cannot_be_read_or_written(self) -> None:
        self.assertIn("no such file", self.command("convert", self.folder, "particles", "a.xyz", status=3).stderr)
        (self.folder / "kept.xyz").write_text("mine")
        done = self.command("convert", made(FLOW), "particles", "kept.xyz", status=3)
        self.assertIn("exists already", done.stderr)
        self.assertEqual((self.folder / "kept.xyz").read_text(), "mine")
        self.command("convert", made(FLOW), "particles", "kept.xyz", "--overwrite")
        self.assertGreater((self.folder / "kept.xyz").stat().st_size, 1000)
        done = self.command("convert", made(FLOW), "series", "/proc/nowhere/a.csv", status=3)
        self.assertIn("/proc/nowhere", done.stderr)

    def test_a_damaged_frame_leaves_no_file(self) -> None:
        folder = self.copy_of(FLOW)
        raw = bytearray((folder / "trajectory.h5").read_bytes())
        with h5py.File(folder / "trajectory.h5") as file:
            chunk = file["particles/all/position/value"].id.get_chunk_info(3)
        raw[chunk.byte_offset + 100] ^= 1
        (folder / "trajectory.h5").write_bytes(raw)
        message = self.command("convert", folder, "particles", "a.xyz", status=3).stderr
        self.assertRegex(message, "checksum|filter")  # the latter by HDF5 1.14
        self.assertEqual([path.name for path in self.folder.iterdir()], ["copy"])


if __name__ == "__main__":
    unittest.main()

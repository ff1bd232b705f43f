"""mpcflow-convert of fields in windows of time: read back by a reader of its own and by ParaView, to the bit, without growing memory."""

from __future__ import annotations

import contextlib
import errno
import io
import json
import os
import shutil
import tracemalloc
import unittest
import xml.etree.ElementTree as xml
from pathlib import Path
from unittest import mock

import h5py
import numpy as np
from matplotlib.image import imread

from convert_test import read_vti
from fields_test import WINDOWS
from forging import edited
from made_runs import FLOW, REGION, ToolTest, made, read_numbers
from mpcflow_tools import Trajectory, convert
from pvpython import pvpython_command, run_pvpython

TENSORS = WINDOWS.replace("temperature], bins: [2, 1, 10]", "temperature, pressure_tensor], bins: [2, 5, 10]")
FIELDS = ("density", "velocity", "temperature", "pressure_tensor")

LOOK = """
import json, sys
from paraview import servermanager
from paraview.simple import *
reader = PVDReader(FileName=sys.argv[1])
reader.UpdatePipelineInformation()
report = []
for time in list(reader.TimestepValues):
    reader.UpdatePipeline(time)
    image = servermanager.Fetch(reader)
    cells = image.GetPointData() if image.IsA("vtkPolyData") else image.GetCellData()
    arrays = [cells.GetArray(i) for i in range(cells.GetNumberOfArrays())]
    report.append([time, image.GetBounds(), {a.GetName(): [a.GetTuple(k) for k in range(a.GetNumberOfTuples())] for a in arrays}])
with open(sys.argv[2], "w") as file:
    json.dump(report, file)
"""

DRAW = """
import json, sys
from paraview import servermanager
from paraview.simple import *
reader = OpenDataFile(sys.argv[1])
reader.UpdatePipeline()
points = servermanager.Fetch(reader)
with open(sys.argv[2], "w") as file:
    json.dump([points.GetNumberOfVerts(), [points.GetPoint(i) for i in range(points.GetNumberOfPoints())]], file)
view = CreateView("RenderView")
view.ViewSize = [300, 300]
view.OrientationAxesVisibility = 0
Show(reader, view)
view.ResetCamera()
Render(view)
SaveScreenshot(sys.argv[3], view)
"""


def read_pvd(path: Path) -> list[tuple[float, Path]]:
    """Times and files of a ParaView collection."""
    root = xml.parse(path).getroot()
    assert (root.tag, root.get("type"), [child.tag for child in root]) == ("VTKFile", "Collection", ["Collection"])
    return [(float(entry.attrib["timestep"]), path.parent / entry.attrib["file"]) for entry in root.iter("DataSet")]


class WindowFiles(ToolTest):
    def test_npz(self) -> None:
        self.command("convert", made(TENSORS), "windows", "a.npz")
        with np.load(self.folder / "a.npz") as found, h5py.File(made(TENSORS) / "fields.h5") as file:
            wanted = {name for name in file["fields"] if not name.endswith("_centres") and name != "checksum"}
            self.assertEqual(set(found), wanted | {f"{name}_unit" for name in wanted})
            for name in wanted:
                dataset = file["fields"][name]
                self.assertEqual(found[name].dtype, dataset.dtype)
                np.testing.assert_array_equal(found[name], dataset[()], err_msg=name)
                self.assertEqual(str(found[f"{name}_unit"]), dataset.attrs["unit"].decode())

    def test_csv(self) -> None:
        self.command("convert", made(TENSORS), "windows", "a.csv")
        table, units = read_numbers(self.folder / "a.csv")
        self.assertEqual(list(table)[:8], ["window", "first_step", "last_step", "samples", "time", "x", "y", "z"])
        with h5py.File(made(TENSORS) / "fields.h5") as file:
            fields = file["fields"]
            count, bins = fields["density"].shape[0], fields["density"][0].size
            self.assertEqual(len(table["time"]), count * bins)
            for column, name in (("time", "time"), ("x", "x_centres"), ("density", "density"), ("pressure_tensor_xz", "pressure_tensor")):
                self.assertEqual(units[column], fields[name].attrs["unit"].decode())
            self.assertTrue(units.keys().isdisjoint({"window", "first_step", "last_step", "samples"}))
            np.testing.assert_array_equal(table["window"], np.repeat(np.arange(count), bins))
            for name in ("first_step", "last_step", "samples", "time"):
                np.testing.assert_array_equal(table[name], np.repeat(fields[name][()], bins))
            for name, axis in zip("zyx", np.meshgrid(*(fields[f"{axis}_centres"][()] for axis in "zyx"), indexing="ij")):
                np.testing.assert_allclose(table[name], np.tile(axis.ravel(), count), rtol=1e-15)
            for name in ("density", "temperature"):
                np.testing.assert_array_equal(table[name], fields[name][()].ravel())
            np.testing.assert_array_equal(table["velocity_y"], fields["velocity"][..., 1].ravel())
            np.testing.assert_array_equal(table["pressure_tensor_xz"], fields["pressure_tensor"][..., 0, 2].ravel())

    def test_a_collection_of_vtk_images(self) -> None:
        path = self.folder / "a & \"b\".pvd"
        self.command("convert", made(TENSORS), "windows", path)
        listed = read_pvd(path)
        self.assertEqual(sorted(file for _, file in listed), sorted((self.folder / "a & \"b\"_windows").iterdir()))
        with h5py.File(made(TENSORS) / "fields.h5") as found:
            fields = found["fields"]
            self.assertEqual([time for time, _ in listed], fields["time"][()].tolist())
            for index, (_, file) in enumerate(listed):
                image, arrays = read_vti(file)
                self.assertEqual((image["WholeExtent"], image["Origin"]), ("0 2 0 5 0 10", "0 0 0"))
                self.assertEqual(set(arrays), set(FIELDS))
                for name in FIELDS:
                    np.testing.assert_array_equal(arrays[name], fields[name][index])

    def test_paraview_plays_the_collection(self) -> None:
        pvpython = pvpython_command(self)
        self.command("convert", made(TENSORS), "windows", "a film.pvd")
        run_pvpython(self, pvpython, self.folder, LOOK, "a film.pvd", "report.json")
        report = json.loads((self.folder / "report.json").read_text())
        with h5py.File(made(TENSORS) / "fields.h5") as file:
            fields = file["fields"]
            self.assertEqual([time for time, _, _ in report], fields["time"][()].tolist())
            for index, (_, bounds, arrays) in enumerate(report):
                np.testing.assert_allclose(bounds, [0, 10, 0, 10, 0, 10], rtol=1e-12)
                for name in FIELDS:
                    np.testing.assert_array_equal(np.array(arrays[name]), fields[name][index].reshape(100, -1), err_msg=name)


class ParticleFiles(ToolTest):
    def test_paraview_plays_particles(self) -> None:
        """As it opens them: each is a point and a vertex, at its place, with its id and velocity; also of a region, in single precision."""
        pvpython = pvpython_command(self)
        for text, options in ((FLOW, []), (FLOW, ["--unwrap", "--frames", "1:3"]), (REGION, [])):
            self.command("convert", made(text), "particles", "film.pvd", "--overwrite", *options)
            run_pvpython(self, pvpython, self.folder, LOOK, "film.pvd", "report.json")
            report = json.loads((self.folder / "report.json").read_text())
            with Trajectory(made(text)) as trajectory:
                frames = trajectory[1:3] if options else list(trajectory)
                self.assertEqual([time for time, _, _ in report], [frame.time for frame in frames])
                for (_, bounds, arrays), frame in zip(report, frames):
                    places = frame.unwrapped_positions if options else frame.positions
                    np.testing.assert_array_equal(bounds, np.column_stack([places.min(axis=0), places.max(axis=0)]).ravel())
                    np.testing.assert_array_equal(np.array(arrays["id"])[:, 0], frame.ids)
                    self.assertEqual(set(arrays), {"id", "species", *(["velocity"] if text == FLOW else [])})
                    if text == FLOW:
                        np.testing.assert_array_equal(arrays["velocity"], frame.velocities)

    def test_paraview_draws_a_frame(self) -> None:
        pvpython = pvpython_command(self)
        self.command("convert", made(FLOW), "particles", "last.vtp", "--frames=-1")
        run_pvpython(self, pvpython, self.folder, DRAW, "last.vtp", "report.json", "picture.png")
        cells, places = json.loads((self.folder / "report.json").read_text())
        with Trajectory(made(FLOW)) as trajectory:
            np.testing.assert_array_equal(places, trajectory[-1].positions)
            self.assertEqual(cells, len(trajectory[-1]))
        picture = imread(self.folder / "picture.png")
        self.assertGreater(np.mean(np.any(picture[..., :3] != picture[0, 0, :3], axis=-1)), 0.01)
        self.assertIn(".vtp holds one frame: choose it by --frames, or write them all as .pvd",
                      self.command("convert", made(FLOW), "particles", "all.vtp", status=2).stderr)


class Replacing(ToolTest):
    def test_images_are_replaced_as_a_whole(self) -> None:
        self.command("convert", made(WINDOWS), "windows", "a.pvd")
        images = self.folder / "a_windows"
        (images / "a_0099.vti").write_text("of an earlier, longer run")
        self.assertIn("exists already", self.command("convert", made(WINDOWS), "windows", "a.pvd", status=3).stderr)
        self.assertEqual(len(list(images.iterdir())), 9)
        self.command("convert", made(WINDOWS), "windows", "a.pvd", "--overwrite")
        self.assertEqual(sorted(path.name for path in images.iterdir()), [f"a_{i:04}.vti" for i in range(8)])
        (self.folder / "a.pvd").unlink()
        self.assertIn("a_windows: exists already", self.command("convert", made(WINDOWS), "windows", "a.pvd", status=3).stderr)
        self.assertEqual([path.name for path in self.folder.iterdir()], ["a_windows"])

    def test_what_is_no_folder_of_images_is_not_replaced(self) -> None:
        images = self.folder / "a_windows"
        for name in ("notes.txt", "more.vti"):  # a file with another ending, a folder
            images.mkdir()
            (images / "a_0000.vti").write_text("old")
            (images / name).mkdir() if name == "more.vti" else (images / name).write_text("mine")
            done = self.command("convert", made(WINDOWS), "windows", "a.pvd", "--overwrite", status=3)
            self.assertIn("move it away", done.stderr)
            self.assertEqual(sorted(path.name for path in images.iterdir()), sorted(["a_0000.vti", name]))
            shutil.rmtree(images)
        elsewhere = self.folder / "elsewhere"
        elsewhere.mkdir()
        images.symlink_to(elsewhere)
        self.assertIn("move it away", self.command("convert", made(WINDOWS), "windows", "a.pvd", "--overwrite", status=3).stderr)
        self.assertEqual(sorted(path.name for path in self.folder.iterdir()), ["a_windows", "elsewhere"])

    def test_a_damaged_window_leaves_what_was_there(self) -> None:
        folder = Path(shutil.copytree(made(WINDOWS), self.folder / "copy"))
        for name in ("a.pvd", "a.csv", "a.npz"):
            self.command("convert", folder, "windows", name)
        before = {path: path.read_bytes() for path in self.folder.rglob("a*") if path.is_file()}
        with h5py.File(folder / "fields.h5") as file:
            dataset = file["fields/velocity"].id
            place = dataset.get_chunk_info(dataset.get_num_chunks() - 1).byte_offset
        raw = bytearray((folder / "fields.h5").read_bytes())
        raw[place + 100] ^= 1
        (folder / "fields.h5").write_bytes(raw)
        for name in ("a.pvd", "a.csv", "a.npz"):
            self.assertIn("fields.h5", self.command("convert", folder, "windows", name, "--overwrite", status=3).stderr)
        self.assertEqual({path: path.read_bytes() for path in self.folder.rglob("a*") if path.is_file()}, before)
        self.assertEqual(sorted(path.name for path in self.folder.iterdir()), ["a.csv", "a.npz", "a.pvd", "a_windows", "copy"])

    def test_a_rename_that_fails_leaves_what_was_there(self) -> None:
        self.command("convert", made(WINDOWS), "windows", "a.pvd")
        before = {path: path.read_bytes() for path in self.folder.rglob("*") if path.is_file()}
        renames = []

        def rename(source: Path, target: Path) -> None:
            renames.append(target)
            if len(renames) == 2:  # the new folder, when the old one has gone
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(target))
            os.rename(source, target)

        with mock.patch("os.replace", rename), contextlib.redirect_stderr(io.StringIO()) as told:
            self.assertEqual(convert.main([str(made(WINDOWS)), "windows", str(self.folder / "a.pvd"), "--overwrite"]), 3)
        self.assertIn("No space left", told.getvalue())
        self.assertEqual([path.name for path in renames], [renames[0].name, "a_windows", "a_windows"])
        self.assertEqual({path: path.read_bytes() for path in self.folder.rglob("*") if path.is_file()}, before)

    def test_a_name_that_is_not_text_is_refused(self) -> None:
        name = os.fsdecode(b"a\xff.pvd")
        self.assertIn("take another", self.command("convert", made(WINDOWS), "windows", name, status=2).stderr)
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_what_the_run_did_not_write(self) -> None:
        self.assertIn("output.fields.time_window in the input", self.command("convert", made(FLOW), "windows", "a.pvd", status=2).stderr)
        self.assertIn("windows can be written as .pvd, .csv, .npz", self.command("convert", made(WINDOWS), "windows", "a.vti", status=2).stderr)
        folder = Path(shutil.copytree(made(WINDOWS), self.folder / "copy"))
        with edited(folder / "fields.h5") as file:
            file["fields/last_step"].resize(0, axis=0)
        for name in ("a.pvd", "a.csv", "a.npz"):
            self.assertIn("holds no windows", self.command("convert", folder, "windows", name, status=2).stderr)
        self.assertEqual([path.name for path in self.folder.iterdir()], ["copy"])


class Memory(ToolTest):
    def test_it_does_not_grow_with_the_windows(self) -> None:
        # 80 windows of 1,500 bins take 4.8 MB; what may be in memory is a block of bins, here one window of 60 kB, as numbers and as text.
        folder = Path(shutil.copytree(made(WINDOWS), self.folder / "copy"))
        count, bins = 80, (10, 10, 15)
        random = np.random.default_rng(1)
        with edited(folder / "fields.h5") as file:
            group = file["fields"]
            for name in ("first_step", "last_step", "samples", "time"):
                values = np.arange(count).astype(group[name].dtype)
                del group[name]
                group[name] = values
                group[name].attrs["unit"] = np.bytes_("1")
            if "checksum" in group:
                group["checksum"].resize((count,))
            for name, length in zip("zyx", bins):
                del group[f"{name}_edges"]
                group[f"{name}_edges"] = np.linspace(0.0, 10.0, length + 1)
            for name in ("density", "velocity", "temperature"):
                unit = group[name].attrs["unit"]
                shape = (count, *bins, 3) if name == "velocity" else (count, *bins)
                del group[name]
                dataset = group.create_dataset(name, shape, "f8", chunks=(1, *shape[1:]))
                dataset.attrs["unit"] = unit
                for window in range(count):
                    dataset[window] = random.random(shape[1:])
        self.assertGreater((folder / "fields.h5").stat().st_size, 4.8e6)
        tracemalloc.start()
        self.addCleanup(tracemalloc.stop)
        for name in ("a.pvd", "a.npz", "a.csv"):
            tracemalloc.reset_peak()
            self.assertEqual(convert.main([str(folder), "windows", str(self.folder / name)]), 0)
            self.assertLess(tracemalloc.get_traced_memory()[1], 2e6, name)
        tracemalloc.stop()
        with h5py.File(folder / "fields.h5") as file, np.load(self.folder / "a.npz") as found:
            np.testing.assert_array_equal(found["velocity"][-1], file["fields/velocity"][-1])
            self.assertEqual(len(read_pvd(self.folder / "a.pvd")), count)


if __name__ == "__main__":
    unittest.main()

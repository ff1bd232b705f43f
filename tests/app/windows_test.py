"""fields.h5: averages over one window of time after the other, in a run that is stopped on its way, too."""

import json
import os
import re
import resource
import shutil
import subprocess
import unittest
import xml.etree.ElementTree

import h5py
import numpy as np

from program import ProgramTest, input_text
from pvpython import pvpython_command, run_pvpython

QUANTITIES = ("density", "velocity", "temperature", "pressure_tensor")
FIELDS = ("  fields: {every: 3, bins: [1, 2, 3], quantities: [density, velocity, temperature, pressure_tensor], "
          "time_window: 21}\n")
LOOK = """
import json, sys
from paraview import servermanager
from paraview.simple import *
if sys.argv[3] == "default":
    reader = OpenDataFile(sys.argv[1])
else:
    reader = XDMFReader(FileNames=[sys.argv[1]])
reader.UpdatePipelineInformation()
report = []
for time in list(reader.TimestepValues):
    reader.UpdatePipeline(time)
    data = servermanager.Fetch(reader)
    cells = data.GetCellData()
    arrays = [cells.GetArray(i) for i in range(cells.GetNumberOfArrays())]
    report.append([time, data.GetBounds(), {a.GetName(): [a.GetTuple(k) for k in range(a.GetNumberOfTuples())] for a in arrays}])
with open(sys.argv[2], "w") as file:
    json.dump([reader.GetXMLName(), report], file)
"""


class Windows(ProgramTest):
    def run_flow(self, *arguments: str, steps: int = 100, checkpoint: str = "", status: int = 0) -> subprocess.CompletedProcess:
        text = input_text(equilibration=20, steps=steps, outputs=FIELDS) + (f"checkpoint: {checkpoint}\n" if checkpoint else "")
        return self.mpcflow("run", self.write_input(text), *arguments, status=status)

    def fields(self, folder: str = "out") -> dict:
        with h5py.File(self.folder / folder / "fields.h5") as f:
            return {name: values[()] for name, values in f["fields"].items()}

    def test_each_is_the_average_of_its_samples(self):
        self.run_flow(steps=105)
        found = self.fields()
        np.testing.assert_array_equal(found["first_step"], [23, 44, 65, 86, 107])
        np.testing.assert_array_equal(found["last_step"], [41, 62, 83, 104, 125])
        np.testing.assert_array_equal(found["samples"], [7] * 5)
        np.testing.assert_allclose(found["time"], 0.1 * found["last_step"], rtol=1e-15)
        with h5py.File(self.folder / "out/fields.h5") as f:
            self.assertEqual([axis[0].name for axis in f["fields/velocity"].dims],
                             ["/fields/time", "/fields/z_centres", "/fields/y_centres", "/fields/x_centres", "/component"])
            self.assertEqual({f[f"fields/{name}"].dims[0][0].name for name in ("first_step", "last_step", "samples", "checksum")}, {"/fields/time"})
        # One window as a run of its own has it: the state at its beginning, as equilibration.
        self.mpcflow("run", self.write_input(input_text(equilibration=62, steps=21, outputs=FIELDS), "third.yaml"), "--output", "third")
        with h5py.File(self.folder / "third/run.h5") as f:
            for name in QUANTITIES:
                # Fluxes are summed up in other parts, all else is exact.
                rounding = 1e-12 if name == "pressure_tensor" else 0
                for window in (found[name][2], self.fields("third")[name][0]):
                    np.testing.assert_allclose(window, f[f"fields/{name}"][()], rtol=0, atol=rounding, err_msg=name)
        # All together make the average of the run.
        with h5py.File(self.folder / "out/run.h5") as f:
            self.assertEqual(f["fields"].attrs["samples"], 35)
            np.testing.assert_allclose(found["density"].mean(axis=0), f["fields/density"][()], rtol=1e-12)
            particles = found["density"][..., np.newaxis]
            np.testing.assert_allclose((found["velocity"] * particles).sum(axis=0) / particles.sum(axis=0), f["fields/velocity"][()],
                                       rtol=1e-9, atol=1e-12)

    def test_a_window_that_has_not_ended_waits_for_a_longer_run(self):
        self.run_flow("--output", "whole", steps=210)
        self.run_flow(steps=90, checkpoint="{every: 1000}")
        self.assertEqual(len(self.fields()["time"]), 4, "84 steps of 90")
        before = self.fields()
        self.run_flow(steps=210, checkpoint="{every: 1000}")
        found, expected = self.fields(), self.fields("whole")
        self.assertEqual(sorted(found), sorted(expected))
        self.assertEqual(len(found["time"]), 10)
        for name, values in expected.items():
            self.assertEqual(found[name].tobytes(), values.tobytes(), name)
            if len(values) == 10:
                self.assertEqual(found[name][:4].tobytes(), before[name].tobytes(), name)
        shown = self.mpcflow("info", "out/fields.h5").stdout
        self.assertRegex(shown, r"windows +10\n")
        self.assertRegex(shown, r"last step +230\n")

    def test_a_restart_needs_the_file(self):
        self.run_flow(steps=90, checkpoint="{every: 1000}")
        (self.folder / "out/fields.h5").rename(self.folder / "mine.h5")
        run_file = (self.folder / "out/run.h5").read_bytes()
        done = self.run_flow(steps=210, checkpoint="{every: 1000}", status=3)
        self.assertIn("out/fields.h5: no such file, but the checkpoint tells of 4 windows in it; put it back, or go on", done.stderr)
        self.run_flow("--output", "short", steps=50)
        shutil.copy(self.folder / "short/fields.h5", self.folder / "out/fields.h5")
        done = self.run_flow(steps=210, checkpoint="{every: 1000}", status=3)
        self.assertIn("out/fields.h5: is another run's; put back", done.stderr)
        self.assertEqual((self.folder / "out/run.h5").read_bytes(), run_file)
        self.run_flow("--restart", "out/checkpoint.h5", "--output", "without", steps=210, checkpoint="{every: 1000}")
        np.testing.assert_array_equal(self.fields("without")["last_step"], 41 + 21 * np.arange(4, 10))

    def test_a_restart_that_lacks_another_file_drops_no_window(self):
        outputs = FIELDS + "  trajectory: {every: 50}\n"
        text = input_text(equilibration=20, steps=100, outputs=outputs) + "checkpoint: {every: 70}\n"
        self.mpcflow("run", self.write_input(text))
        # The checkpoint before the last one, of step 70, is of two windows; the file has four.
        os.replace(self.folder / "out/checkpoint.previous.h5", self.folder / "out/checkpoint.h5")
        (self.folder / "out/trajectory.h5").rename(self.folder / "mine.h5")
        files = {name: (self.folder / "out" / name).read_bytes() for name in ("fields.h5", "fields_in_time.xdmf", "run.h5")}
        again = self.write_input(text.replace("steps: 100", "steps: 101"))
        done = self.mpcflow("run", again, status=3)
        self.assertIn("out/trajectory.h5: no such file", done.stderr)
        for name, contents in files.items():
            self.assertEqual((self.folder / "out" / name).read_bytes(), contents, name)
        (self.folder / "mine.h5").rename(self.folder / "out/trajectory.h5")
        self.mpcflow("run", again)
        np.testing.assert_array_equal(self.fields()["last_step"], [41, 62, 83, 104])

    def test_a_restart_of_before_the_windows_leaves_none_of_them(self):
        self.run_flow(steps=15, checkpoint="{every: 1000}")
        shutil.copy(self.folder / "out/checkpoint.h5", self.folder / "out/early.h5")
        self.run_flow(steps=70, checkpoint="{every: 1000}")
        shutil.copy(self.folder / "out/checkpoint.h5", self.folder / "out/late.h5")
        self.run_flow(steps=100, checkpoint="{every: 1000}")
        listed = lambda: [float(time.get("Value")) for time in xml.etree.ElementTree.parse(
            self.folder / "out/fields_in_time.xdmf").findall("Domain/Grid/Grid/Time")]
        self.assertEqual(len(listed()), 4)
        self.run_flow("--restart", "out/late.h5", steps=71, checkpoint="{every: 1000}")
        self.assertEqual(listed(), list(self.fields()["time"]))
        self.assertEqual(len(listed()), 3)
        self.run_flow("--restart", "out/early.h5", steps=16, checkpoint="{every: 1000}")
        self.assertFalse({"fields.h5", "fields_in_time.xdmf"} & set(os.listdir(self.folder / "out")))

    def check_full_disk(self, folder, **options):
        """A window takes 1 MB, run.h5 twice that: what one window leaves free is not enough for it."""
        outputs = "  fields: {every: 1, bins: [32, 32, 24], time_window: 5}\n"
        text = input_text(equilibration=0, steps=100_000, outputs=outputs)
        text = text.replace("size: [6, 6, 6]", "size: [32, 32, 24]").replace("density: 10", "density: 2")
        done = self.mpcflow("run", self.write_input(text), "--output", str(folder), status=3, **options)
        self.assertRegex(done.stderr, r"fields\.h5: cannot write it: (disk full|file size limit)")
        first, last = map(int, re.search(r"the window of steps (\d+) to (\d+) is lost, earlier", done.stderr).groups())
        self.assertEqual((first % 5, last), (1, first + 4))
        windows = first // 5
        self.assertGreater(windows, 3)
        with h5py.File(folder / "fields.h5") as f:
            np.testing.assert_array_equal(f["fields/last_step"][()], 5 * np.arange(1, windows + 1))
            np.testing.assert_allclose(f["fields/density"][()].mean(axis=(1, 2, 3)), 2, rtol=1e-12)
        with h5py.File(folder / "run.h5") as f:
            self.assertEqual(f["run"].attrs["status"].decode(), "failed")
            self.assertIn(f"the window of steps {first} to {last} is lost", f["run"].attrs["message"].decode())
            self.assertGreaterEqual(f["fields"].attrs["samples"], 5 * windows, "with all that there is until then")
            self.assertAlmostEqual(f["fields/density"][()].mean(), 2)
        self.assertEqual(sorted(os.listdir(folder)), ["fields.h5", "fields.xdmf", "fields_in_time.xdmf", "run.h5"])

    def test_a_full_disk(self):
        disk = self.small_disk(12)
        self.check_full_disk(disk / "out")

    def test_a_limit_on_file_sizes(self):
        limit = 8_000_000
        self.check_full_disk(self.folder / "out",
                             preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))

    def test_no_window_no_file(self):
        self.run_flow(steps=20)
        self.assertEqual(sorted(os.listdir(self.folder / "out")), ["fields.xdmf", "run.h5"])

    def check_xdmf(self, folder: str = "out") -> None:
        """Each grid says where its window is, in both ways, and how long the datasets were when it was the last."""
        found = self.fields(folder)
        grids = xml.etree.ElementTree.parse(self.folder / folder / "fields_in_time.xdmf").findall("Domain/Grid/Grid")
        self.assertEqual([float(grid.find("Time").get("Value")) for grid in grids], list(found["time"]))
        for row, grid in enumerate(grids):
            self.assertEqual([attribute.get("Name") for attribute in grid.findall("Attribute")], list(QUANTITIES))
            for attribute in grid.findall("Attribute"):
                name = attribute.get("Name")
                values = found[name]
                start, one, extent = [row] + [0] * (values.ndim - 1), (1, *values.shape[1:]), (row + 1, *values.shape[1:])
                item = attribute.find("DataItem")
                np.testing.assert_array_equal(np.array(item[0].text.split(), int).reshape(3, -1), [start, [1] * values.ndim, one])
                self.assertEqual(item[1].text, f"fields.h5:/fields/{name}")
                self.assertEqual(tuple(map(int, item[1].get("Dimensions").split())), extent)
                # For readers of version 3, which take the first array.
                self.assertEqual([child.tag for child in attribute], ["Attribute", "DataItem"])
                inner = attribute[0]
                self.assertEqual(dict(inner.items()), dict(attribute.items()))
                where = ":".join(" ".join(map(str, numbers)) for numbers in (start, [1] * values.ndim, one, extent))
                self.assertEqual([child.text for child in inner], [f"fields.h5:/fields/{name}|{where}"])
                self.assertEqual(tuple(map(int, inner[0].get("Dimensions").split())), one)

    def test_xdmf_has_a_grid_a_window(self):
        self.run_flow()
        self.check_xdmf()

    def test_xdmf_grows_where_the_run_goes_on(self):
        self.run_flow(steps=50, checkpoint="{every: 1000}")
        self.check_xdmf()
        before = (self.folder / "out/fields_in_time.xdmf").read_text()
        self.run_flow(steps=100, checkpoint="{every: 1000}")
        self.check_xdmf()
        after = (self.folder / "out/fields_in_time.xdmf").read_text()
        end = before.rindex("    </Grid>\n  </Domain>")
        self.assertEqual(before[:end], after[:end])

    def check_paraview(self, reader: str, name: str) -> None:
        pvpython = pvpython_command(self)
        self.run_flow()
        run_pvpython(self, pvpython, self.folder, LOOK, "out/fields_in_time.xdmf", "report.json", reader)
        used, report = json.loads((self.folder / "report.json").read_text())
        self.assertEqual(used, name)
        found = self.fields()
        self.assertEqual(len(report), len(found["time"]))
        for row, (time, bounds, arrays) in enumerate(report):
            self.assertAlmostEqual(time, found["time"][row])
            self.assertEqual(bounds, [0, 6, 0, 6, 0, 6])
            self.assertEqual(sorted(arrays), sorted(QUANTITIES))
            for name in QUANTITIES:
                np.testing.assert_allclose(np.array(arrays[name]), found[name][row].reshape(6, -1), rtol=1e-12, err_msg=name)

    def test_paraview_shows_them_one_after_the_other(self):
        """In the reader that it takes for .xdmf unless told otherwise."""
        self.check_paraview("default", "Xdmf3ReaderS")

    def test_paraviews_reader_of_version_2_shows_them_too(self):
        self.check_paraview("version 2", "XdmfReader")


if __name__ == "__main__":
    unittest.main()

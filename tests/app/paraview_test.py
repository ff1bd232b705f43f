"""fields.xdmf in a real ParaView, without a screen: it reads the grid and the numbers that h5py reads, and renders them.
Skipped where ParaView (pvpython) is not installed."""

import json
import os
import unittest

import h5py
import numpy as np

from program import ProgramTest
from pvpython import pvpython_command, run_pvpython

SCRIPT = """
import json, sys
from paraview import servermanager
from paraview.simple import *
if sys.argv[4] == "default":
    reader = OpenDataFile(sys.argv[1])
else:
    reader = XDMFReader(FileNames=[sys.argv[1]])
reader.UpdatePipeline()
data = servermanager.Fetch(reader)
report = {"reader": reader.GetXMLName(), "bounds": data.GetBounds(), "cells": data.GetNumberOfCells(), "arrays": {}}
cells = data.GetCellData()
for i in range(cells.GetNumberOfArrays()):
    array = cells.GetArray(i)
    values = [array.GetTuple(k) for k in range(array.GetNumberOfTuples())]
    report["arrays"][array.GetName()] = values
view = CreateView("RenderView")
view.ViewSize = [600, 500]
display = Show(reader, view)
display.SetRepresentationType("Surface")
ColorBy(display, ("CELLS", "velocity", "X"))
display.RescaleTransferFunctionToDataRange(True)
display.SetScalarBarVisibility(view, True)
view.CameraPosition, view.CameraFocalPoint, view.CameraViewUp = [25, -30, 14], [3, 3, 3], [0, 0, 1]
view.ResetCamera()
Render(view)
SaveScreenshot(sys.argv[2], view)
with open(sys.argv[3], "w") as file:
    json.dump(report, file)
"""


class ParaView(ProgramTest):
    def check(self, reader: str, name: str) -> None:
        pvpython = pvpython_command(self)
        self.mpcflow("run", self.write_input())
        picture = os.environ.get("MPCFLOW_PICTURE", str(self.folder / "picture.png"))
        run_pvpython(self, pvpython, self.folder, SCRIPT, "out/fields.xdmf", picture, "report.json", reader)
        report = json.loads((self.folder / "report.json").read_text())
        self.assertEqual(report["reader"], name)
        with h5py.File(self.folder / "out/run.h5") as run:
            fields = run["fields"]
            self.assertEqual(report["bounds"], [0, 6, 0, 6, 0, 6])
            self.assertEqual(report["cells"], fields["density"].size)
            for name in ("density", "velocity", "temperature", "velocity_error", "pressure_tensor"):
                expected = fields[name][:]
                expected = expected.reshape(report["cells"], -1)  # x is the fastest, in both
                np.testing.assert_allclose(np.array(report["arrays"][name]), expected, rtol=1e-12, err_msg=name)
        with open(picture, "rb") as file:
            self.assertEqual(file.read(8), b"\x89PNG\r\n\x1a\n")

    def test_reads_and_renders_the_fields(self):
        """In the reader that ParaView takes for .xdmf unless told otherwise."""
        self.check("default", "Xdmf3ReaderS")

    def test_the_reader_of_version_2_does_so_too(self):
        self.check("version 2", "XdmfReader")


if __name__ == "__main__":
    unittest.main()

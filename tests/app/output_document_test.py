#!/usr/bin/env python3
"""Everything in the files of a run is in the tables of docs/output.md, with its shape, type and unit, and the reverse."""

from __future__ import annotations

import os
import shutil
import unittest
from pathlib import Path

import h5py
import numpy as np

from output_document import FILES, Comparison, Document
from program import ALL_OUTPUTS, ProgramTest, input_text

DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "output.md"
CHECKPOINTS = "checkpoint: {every: 30}\n"

# Runs that make everything of which the document tells, by name.
REST = {"forces: [{uniform: [0.01, 0, 0]}]\n": "", "z: no_slip": "z: periodic", "  walls: {every: 6}\n": ""}
MIXED = {"device: cpu}": "device: cpu, precision: mixed}"}


def changed(text: str, *changes: dict[str, str]) -> str:
    for change in changes:
        for old, new in change.items():
            assert old in text, old
            text = text.replace(old, new)
    return text


WHOLE = input_text(outputs=ALL_OUTPUTS + CHECKPOINTS)
INPUTS = {
    "flow": WHOLE,
    "rest": changed(WHOLE, REST, MIXED, {"time_step: 0.1": "time_step: 0.1, conserve_angular_momentum: true"}),
    "region": changed(WHOLE, {"quantities: [position, velocity]": "quantities: [position], region: {lower: [1, 1, 1], upper: [3, 4, 5]}"}),
    "selection": changed(WHOLE, {"quantities: [position, velocity]": "quantities: [velocity], every_nth_id: 7, precision: single"}),
    "selection of a region": changed(WHOLE, {"quantities: [position, velocity]": "quantities: [position], every_nth_id: 3, "
                                             "region: {lower: [1, 1, 1], upper: [3, 4, 5]}"}),
    "moving walls": changed(WHOLE, {"z: no_slip": "z: {lower: slip, upper: {kind: no_slip, velocity: [0.1, 0, 0]}}"}),
    "surfaces": changed(WHOLE, {"z: no_slip}": "z: periodic}\nsurfaces: [{sphere: {centre: [3, 3, 3], radius: 1}, fluid: outside}]",
                                "  radial_distribution: {every: 10, range: 2.5": "  radial_distribution: {every: 10, range: 1.5"}),
    "sheared": changed(WHOLE, REST, {"y: periodic": "y: {kind: lees_edwards, shear_rate: 0.1, along: x}",
                                     "  radial_distribution: {every: 10, range: 2.5, bins: 20, centres: 500}\n": ""}),
    "windows": changed(WHOLE, {"every: 4, quantities: [density": "every: 4, time_window: 28, quantities: [density"}),
    "mixture": changed(WHOLE, {"fluid: {density: 10}": "fluid: {species: [{name: one, mass: 1, density: 6}, {name: two, mass: 3, density: 4}]}",
                               "every: 4, quantities: [density": "every: 4, time_window: 28, quantities: [density"}),
    "mixture in a region": changed(
        input_text(outputs="  trajectory: {every: 4, quantities: [position], region: {lower: [1, 1, 1], upper: [3, 4, 5]}}\n"),
        {"fluid: {density: 10}": "fluid: {species: [{name: one, mass: 1, density: 6}, {name: two, mass: 3, density: 4}]}"}),
    "structure": input_text(outputs="  structure_factor: {every: 2, count: 2}\n"),
    "least": input_text(outputs=""),
    "open block": input_text(steps=68, outputs="  fields: {every: 1, quantities: [density, pressure_tensor], bins: [1, 2, 3]}\n" + CHECKPOINTS),
}


class OutputDocument(ProgramTest):
    def make_runs(self) -> list[Path]:
        """All files of all inputs, one as if in a batch job, and of a run that went on with another histogram, which is noted."""
        folders = []
        for name, text in INPUTS.items():
            self.write_input(text, f"{name}.yaml")
            job = {"SLURM_JOB_ID": "1234"} if name == "least" else {}
            self.mpcflow("run", f"{name}.yaml", "--output", name, "--quiet", env={**os.environ, **job})
            folders.append(self.folder / name)
        self.mpcflow("run", "flow.yaml", "--output", "flow", "--quiet", "--set", "run.steps=120", "--set", "output.histograms.speed_bins=30")
        return sorted(path for folder in folders for path in folder.glob("*.h5"))

    def compare(self, text: str, paths: list[Path]) -> list[str]:
        """All that is wrong between the document's text and the files."""
        document, complaints = Document(text), []
        for kind in FILES:
            comparison = Comparison(document.entries[kind])
            for path in paths:
                if path.name.replace(".previous", "") == kind:
                    comparison.take(path)
            complaints += comparison.complaints + comparison.missing()
        return complaints

    def test_files_and_document_say_the_same(self) -> None:
        text, paths = DOCUMENT.read_text(encoding="utf-8"), self.make_runs()
        complaints = self.compare(text, paths)
        self.assertEqual(complaints, [], "\n" + "\n".join(complaints))
        self.assertGreater(sum(len(entries) for entries in Document(text).entries.values()), 150)
        self.whatever_is_wrong_is_found(text, self.folder / "flow" / "run.h5")

    def whatever_is_wrong_is_found(self, text: str, path: Path) -> None:
        """Each change of the document or of a file alone leads to a complaint."""
        def complaints_after(old: str, new: str) -> str:
            self.assertIn(old, text)
            comparison = Comparison(Document(text.replace(old, new, 1)).entries["run.h5"])
            comparison.take(path)
            return "\n".join(comparison.complaints + [entry for entry in comparison.missing() if "invented" in entry])

        def complaints_about(change: str, make: object) -> str:
            copy = Path(shutil.copy(path, self.folder / "run.h5"))
            with h5py.File(copy, "r+") as file:
                make(file)  # type: ignore[operator]
            comparison = Comparison(Document(text).entries["run.h5"])
            comparison.take(copy)
            self.assertEqual(len(comparison.complaints), 1, (change, comparison.complaints))
            return comparison.complaints[0]

        self.assertEqual(complaints_after("| `time` |", "| `time` |"), "")
        self.assertIn("/series/kinetic_energy is not in", complaints_after("| `kinetic_energy` |", "| `kinetic_enrgy` |"))
        self.assertIn("/run attribute seed is not in", complaints_after("| `seed` |", "| `seeed` |"))
        self.assertIn("/series/momentum has the length 3", complaints_after("| `momentum` | [rows][3]", "| `momentum` | [rows][2]"))
        self.assertIn("has the unit 'energy'", complaints_after("| `temperature` | [rows] | float64 | energy", "| `temperature` | [rows] | float64 | kT"))
        self.assertIn("float32", complaints_after("| `temperature` | [rows] | float64", "| `temperature` | [rows] | float32"))
        self.assertIn("/invented: no file", complaints_after("| `seed` |", "| `invented`, `seed` |").replace(" attribute ", "/"))
        self.assertIn("group /new", complaints_about("group", lambda file: file.create_group("new")))
        self.assertIn("/run attribute new", complaints_about("attribute", lambda file: file["run"].attrs.create("new", 1)))
        self.assertIn("/fields/new", complaints_about("dataset", lambda file: file.copy("fields/density", "fields/new")))

        def longer(file: h5py.File) -> None:
            attributes = dict(file["series/time"].attrs)
            del file["series/time"]
            file["series/time"] = np.zeros(len(file["series/step"]) + 1)
            file["series/time"].attrs.update(attributes)

        self.assertIn("with rows", complaints_about("length", longer))
        self.assertIn("/series/time lacks", complaints_about("unit", lambda file: file["series/time"].attrs.pop("description")))


if __name__ == "__main__":
    unittest.main()

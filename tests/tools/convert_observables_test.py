"""mpcflow-convert of observables: every dataset and attribute of the file is in .npz and in a table of .csv, to the bit, with its unit."""

from __future__ import annotations

import shutil
import unittest

import h5py
import numpy as np

from forging import edited
from made_runs import FLOW, REGION, REST, WALLS, ToolTest, made, read_csv
from mpcflow_tools import Run
from mpcflow_tools.observable_files import NUMBERS, TABLES, Observable

RUNS = {"modes": REST, "diffusion": REST, "radial_distribution": REST, "structure_factor": REST, "stress": REST, "walls": WALLS, "histograms": FLOW}


def datasets_of(group: h5py.Group) -> dict[str, h5py.Dataset]:
    found: dict[str, h5py.Dataset] = {}
    group.visititems(lambda name, entry: found.update({name: entry}) if isinstance(entry, h5py.Dataset) else None)
    return found


def attributes_of(group: h5py.Group) -> dict[str, object]:
    found = dict(group.attrs)
    group.visititems(lambda name, entry: found.update({f"{name}/{key}": value for key, value in entry.attrs.items()})
                     if isinstance(entry, h5py.Group) else None)
    return found


class Observables(ToolTest):
    def table(self, name: str, quantity: str | None = None) -> tuple[dict[str, list[str]], dict[str, str]]:
        arguments = [] if quantity is None else ["--quantity", quantity]
        self.command("convert", made(RUNS[name]), name, "a.csv", "--overwrite", *arguments)
        return read_csv(self.folder / "a.csv")

    def assert_column(self, texts: list[str], values: np.ndarray) -> None:
        """The same numbers: whole ones without a point, others so that reading gives the same bits."""
        self.assertEqual(values.ndim, 1)
        if values.dtype.kind in "iu":
            self.assertEqual([int(text) for text in texts], values.tolist())
        else:
            np.testing.assert_array_equal(np.array([float(text) for text in texts]), values)

    def test_npz_has_every_dataset_and_attribute(self) -> None:
        for name, text in RUNS.items():
            self.command("convert", made(text), name, f"{name}.npz")
            with np.load(self.folder / f"{name}.npz") as found, h5py.File(made(text) / "run.h5") as file:
                datasets, attributes = datasets_of(file[name]), attributes_of(file[name])
                self.assertEqual({key for key in found if not key.endswith("_unit")}, {*datasets, *attributes})
                for key, dataset in datasets.items():
                    self.assertEqual(found[key].dtype, dataset.dtype)
                    np.testing.assert_array_equal(found[key], dataset[()], err_msg=key)
                    self.assertEqual(str(found[f"{key}_unit"]), dataset.attrs["unit"].decode())
                for key, value in attributes.items():
                    kind = np.asarray(value).dtype.kind
                    if kind in "SO":
                        texts = [entry.decode() for entry in np.atleast_1d(np.asarray(value)).tolist()]
                        self.assertEqual(np.atleast_1d(found[key]).tolist(), texts)
                        self.assertNotIn(f"{key}_unit", found)
                    else:
                        np.testing.assert_array_equal(found[key], value)
                        # What is no count and no mean of counts has a unit.
                        self.assertEqual(str(found[f"{key}_unit"]) != "1", kind == "f" and key != "occupancy/mean", key)

    def test_each_dataset_is_in_a_table_and_says_its_unit(self) -> None:
        for name, text in RUNS.items():
            with Run(made(text)) as run, h5py.File(made(text) / "run.h5") as file:
                seen = set()
                datasets = datasets_of(file[name])
                for table, names in Observable(run, name).tables():
                    if not names:
                        continue  # of surfaces in the box: surfaces_test.py
                    columns, units = self.table(name, names[-1])
                    lines = len(next(iter(columns.values())))
                    coordinates = [one for axis in table.axes for one in axis if one in datasets]
                    for one in names + coordinates:
                        short = one.rpartition("/")[2]
                        wanted = datasets[one].attrs["unit"].decode()
                        mine = [column for column in columns
                                if column in (short, *(f"{short}_{end}" for end in ("x", "y", "z", "xy", "xz", "yx", "yz", "zx", "zy")))]
                        if short == "edges":
                            mine = ["lower_edge", "upper_edge"]
                        self.assertTrue(mine, one)
                        self.assertEqual({units.get(column, "1") for column in mine}, {wanted}, one)
                        if one in names:
                            array = datasets[one][()].reshape(lines, len(mine))
                            for number, column in enumerate(mine):
                                self.assert_column(columns[column], array[:, number])
                    seen.update(names + coordinates)
                self.assertEqual(seen, set(datasets))

    def test_a_line_says_where_it_is(self) -> None:
        with h5py.File(made(REST) / "run.h5") as file:
            modes, stress = file["modes"], file["stress"]
            columns, _ = self.table("modes")
            waves, lags = modes["transverse"].shape
            for i, axis in enumerate("xyz"):
                self.assert_column(columns[f"wave_vector_{axis}"], np.repeat(modes["wave_vector"][:, i], lags))
            for name in ("lag", "time", "pairs"):
                self.assert_column(columns[name], np.tile(modes[name][()], waves))
            self.assertEqual(list(columns)[6:9], ["transverse", "transverse_error", "expected_transverse"])
            columns, _ = self.table("modes", "viscosity")
            self.assertEqual(list(columns), ["wave_vector_x", "wave_vector_y", "wave_vector_z", "viscosity", "viscosity_error",
                                             "expected_decay_rate"])
            columns, _ = self.table("stress", "kinetic_pressure_tensor")
            self.assertEqual("".join(columns["a"]), "xxxyyyzzz")
            self.assertEqual("".join(columns["b"]), "xyzxyzxyz")
            self.assert_column(columns["pressure_tensor"], stress["pressure_tensor"][()].ravel())
            columns, _ = self.table("stress")
            for i, component in enumerate(("xy", "xz", "yx", "yz", "zx", "zy")):
                self.assert_column(columns[f"component_correlation_{component}"], stress["component_correlation"][:, i])
        with h5py.File(made(WALLS) / "run.h5") as file:
            columns, units = self.table("walls")
            self.assertEqual(columns["faces"], ["z lower", "z upper"])
            self.assert_column(columns["stress_error_z"], file["walls/stress_error"][:, 2])
            self.assertEqual(units["stress_x"], "energy/a^3")
            self.assertEqual(self.table("walls", "flow_rate")[0]["axis"], ["x", "y", "z"])
        with h5py.File(made(FLOW) / "run.h5") as file:
            columns, _ = self.table("histograms", "speed")
            self.assert_column(columns["lower_edge"], file["histograms/speed/edges"][:-1])
            self.assert_column(columns["upper_edge"], file["histograms/speed/edges"][1:])
            self.assertEqual(columns["upper_edge"][-1], "inf")
            self.assertEqual(sum(map(int, columns["counts"])), 1200 * 20)

    def test_single_numbers(self) -> None:
        with h5py.File(made(REST) / "run.h5") as file:
            for quantity in (NUMBERS, "diffusion", "diffusion_error"):
                columns, _ = self.table("diffusion", quantity)
                rows = {name: (value, unit) for name, value, unit in zip(columns["name"], columns["value"], columns["unit"])}
                self.assertEqual(set(rows), set(file["diffusion"].attrs))
                self.assertEqual(float(rows["diffusion"][0]), file["diffusion"].attrs["diffusion"])
                self.assertEqual(rows["diffusion_error"][1], "a (energy/mass)^(1/2)")
                self.assertEqual((rows["free_axes"], rows["samples"]), (("xyz", ""), ("500", "1")))
        rows = dict(zip(*list(self.table("walls", NUMBERS)[0].values())[:2]))
        self.assertEqual(rows["faces"], "z lower; z upper")

    def test_the_first_table_is_the_default_and_tells_of_the_others(self) -> None:
        for name, text in RUNS.items():
            said = self.command("convert", made(text), name, f"{name}.csv").stdout
            for table in TABLES[name][1:]:
                # There are no surfaces in the box here.
                check = self.assertNotIn if "surfaces" in table.axes[0] else self.assertIn
                check(f"--quantity {table.quantities[0]}", said)
            self.assertIn("--quantity numbers", said)
            self.assertEqual(self.command("convert", made(text), name, "b.csv", "--overwrite", "--quantity", TABLES[name][0].quantities[0]).stdout, "")
            self.assertEqual((self.folder / f"{name}.csv").read_bytes(), (self.folder / "b.csv").read_bytes())

    def test_refusals(self) -> None:
        for name in RUNS:
            for ending in (".csv", ".npz"):
                self.assertIn(f"holds no {name} (output.{name} in the input)", self.command("convert", made(REGION), name, f"a{ending}", status=2).stderr)
        for arguments, words in ((("modes", "a.vti"), "modes can be written as .csv, .npz"),
                                 (("modes", "a.csv", "--quantity", "density"), "modes has no 'density', only transverse, transverse_error"),
                                 (("modes", "a.csv", "--quantity", ""), "modes has no '', only transverse"),
                                 (("modes", "a.npz", "--quantity", "viscosity"), "--quantity is for .csv files of modes, diffusion"),
                                 (("series", "a.csv", "--quantity", "time"), "--quantity is for .csv files of modes, diffusion"),
                                 (("modes", "a.csv", "--unwrap"), "are for particles")):
            with self.subTest(arguments):
                self.assertIn(words, self.command("convert", made(REST), *arguments, status=2).stderr)
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_a_file_that_lacks_a_part_is_damaged(self) -> None:
        for run, name, dataset, quantity in ((REST, "modes", "lag", "transverse"), (REST, "radial_distribution", "radius", "g"),
                                             (FLOW, "histograms", "speed/edges", "speed"), (FLOW, "histograms", "occupancy/particles", "occupancy")):
            folder = self.copy_of(run)
            with edited(folder / "run.h5") as file:
                values = file[name][dataset][:3]
                del file[name][dataset]
            arguments = (folder, name, "a.csv", "--quantity", quantity)
            self.assertIn(f"has no dataset {name}/{dataset}", self.command("convert", *arguments, status=3).stderr)
            with edited(folder / "run.h5") as file:
                file[name][dataset] = values
            self.assertIn("the file is damaged", self.command("convert", *arguments, status=3).stderr)
            shutil.rmtree(folder)
        self.assertEqual(list(self.folder.iterdir()), [])


if __name__ == "__main__":
    unittest.main()

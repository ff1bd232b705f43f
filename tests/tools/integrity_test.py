"""Checksums of result files: they are what docs/output.md says, and what is not as it was written is refused."""

from __future__ import annotations

import os
import random
import shutil
import struct
import unittest
from collections.abc import Callable
from pathlib import Path
from typing import Any

import h5py
import numpy as np

from forging import edited, has_seal, renew, set_attribute, slow_checksum, slow_seal
from made_runs import FLOW, ToolTest, made
from mpcflow_tools import DamagedFile, ResultsError, Run, Trajectory, Windows
from mpcflow_tools.files import open_file
from mpcflow_tools.integrity import BLOCK_BYTES, Checksum, check_seal, checksum, header_checksum, reseal_file, seal_file, words_checksum

WINDOWS = FLOW.replace("bins: [2, 1, 10]", "bins: [2, 1, 10], time_window: 100")


class Sums(unittest.TestCase):
    def test_they_are_those_of_the_definition(self) -> None:
        pick = random.Random(1)
        for length in (0, 1, 7, 8, 9, 63, 64, 1000, 4096, BLOCK_BYTES - 3, BLOCK_BYTES, BLOCK_BYTES + 13):
            data = pick.randbytes(length)
            self.assertEqual(checksum(data), slow_checksum(data), length)
        self.assertEqual(checksum(b"\xff" * 4099), slow_checksum(b"\xff" * 4099))
        self.assertEqual(words_checksum([1, 2**64 - 1]), slow_checksum(struct.pack("<2Q", 1, 2**64 - 1)))

    def test_pieces_make_up_the_whole(self) -> None:
        pick = random.Random(2)
        data = pick.randbytes(3 * BLOCK_BYTES + 5)
        for longest in (3, 17, 1000, 2 * BLOCK_BYTES):
            found, place = Checksum(), 0
            while place < len(data) and (longest > 3 or place < 5000):
                length = pick.randrange(1, longest + 1)
                found.update(data[place:place + length])
                place = min(place + length, len(data))
            self.assertEqual(found.value(), checksum(data[:place]))

    def test_each_bit_changes_them(self) -> None:
        data = bytearray(random.Random(3).randbytes(200))
        before = checksum(data)
        for bit in range(8 * len(data)):
            data[bit // 8] ^= 1 << bit % 8
            self.assertNotEqual(checksum(data), before)
            data[bit // 8] ^= 1 << bit % 8
        swapped = data[8:16] + data[:8] + data[16:]
        self.assertNotEqual(checksum(swapped), before)
        self.assertNotEqual(checksum(data + b"\0"), before)


class Files(ToolTest):
    def run_with_windows(self) -> Path:
        folder = Path(shutil.copytree(made(WINDOWS), self.folder / "run"))
        return folder

    def test_seals(self) -> None:
        path = self.folder / "file"
        path.write_bytes(b"some bytes")
        seal_file(path)
        self.assertEqual(path.read_bytes(), b"some bytes" + slow_seal(b"some bytes"))
        check_seal(path)
        path.write_bytes(b"other bytes" + path.read_bytes()[-24:])
        with self.assertRaisesRegex(DamagedFile, "file: is damaged"):
            check_seal(path)
        reseal_file(path)
        self.assertEqual(path.read_bytes(), b"other bytes" + slow_seal(b"other bytes"))
        path.write_bytes(b"none")
        with self.assertRaisesRegex(DamagedFile, "seal"):
            check_seal(path)

    def test_a_sealed_run_is_read(self) -> None:
        folder = self.run_with_windows()
        self.assertTrue(has_seal(folder / "run.h5"))
        with Run(folder) as run:
            self.assertRegex(str(run.id), "^[0-9a-f]{32}$")
            self.assertEqual((run.windows.run_id, run.trajectory.run_id), (run.id, run.id))
            self.assertEqual([window.samples for window in run.windows], [25] * 4)
            self.assertEqual(len(run.trajectory), 6)
        with Run(made(WINDOWS)) as old:  # of version 1 where the program still writes that
            self.assertEqual(old.windows.quantities, ["density", "temperature", "velocity"])

    def test_any_flipped_bit_of_a_run_is_found(self) -> None:
        folder = self.run_with_windows()
        path, whole, pick = folder / "run.h5", (folder / "run.h5").read_bytes(), random.Random(4)
        places = [pick.randrange(8 * len(whole)) for _ in range(300)] + list(range(8 * len(whole) - 24 * 8, 8 * len(whole)))
        for place in places:
            damaged = bytearray(whole)
            damaged[place // 8] ^= 1 << place % 8
            path.write_bytes(damaged)
            with self.subTest(place=place), self.assertRaisesRegex(ResultsError, r"run\.h5: (is damaged, .*: take another copy|cannot be read: is no HDF5)"):
                Run(folder)
        for length in (len(whole) - 1, len(whole) - 24, len(whole) // 2):
            path.write_bytes(whole[:length])
            with self.subTest(length=length), self.assertRaisesRegex(ResultsError, "damaged"):
                Run(folder)
        path.write_bytes(whole + b"\0")
        with self.assertRaisesRegex(DamagedFile, "damaged"):
            Run(folder)
        path.write_bytes(whole)
        Run(folder).close()
        path.write_bytes(bytes([*whole[:1000], whole[1000] ^ 1, *whole[1001:]]))
        for command in (("analyze", folder), ("watch", folder, "--once"), ("plot", folder), ("report", folder), ("convert", folder, "series", "a.csv")):
            err = self.command(*command, status=3).stderr
            self.assertRegex(err, r"^mpcflow-\w+: .*run\.h5: is damaged, its checksum is not that of its bytes: take another copy .*\n$")

    def test_what_is_checked_is_what_is_read(self) -> None:
        """Also where another file takes the name in between, as it does in the middle of a run."""
        folder = self.run_with_windows()
        opened = open_file(folder / "run.h5")
        (folder / "other").write_bytes(b"no HDF5")
        os.replace(folder / "other", folder / "run.h5")
        self.assertEqual(opened.file["series/step"][-1], 500)
        self.assertEqual(opened.file["fields/density"].shape, (10, 1, 2))
        opened.file.close()

    def test_files_of_another_run(self) -> None:
        folder = self.run_with_windows()
        for name, holder in (("fields.h5", "/"), ("trajectory.h5", "parameters/mpcflow")):
            for other in ("f" * 32, None):
                whole = (folder / name).read_bytes()
                with edited(folder / name) as file:
                    del file[holder].attrs["run_id"]
                    if other:
                        file[holder].attrs["run_id"] = np.bytes_(other)
                with Run(folder) as run, self.assertRaisesRegex(ResultsError, f"{name}: is of another run than run.h5"):
                    _ = run.windows if name == "fields.h5" else run.trajectory
                subject = "windows" if name == "fields.h5" else "particles"
                self.command("watch", folder, "--once")
                self.assertEqual(len((Windows if name == "fields.h5" else Trajectory)(folder)), 4 if name == "fields.h5" else 6)
                if subject == "windows":
                    self.assertIn("another run", self.command("convert", folder, subject, "a.npz", status=3).stderr)
                (folder / name).write_bytes(whole)

    def test_windows_are_checked_when_they_are_used(self) -> None:
        folder = self.run_with_windows()
        whole = (folder / "fields.h5").read_bytes()

        def spoil(dataset: str, place: tuple[int, ...]) -> None:
            (folder / "fields.h5").write_bytes(whole)
            with h5py.File(folder / "fields.h5", "r+") as file:
                values = file["fields"][dataset][()]
                bits = values.view(np.uint64)
                bits[place] ^= np.uint64(1)
                file["fields"][dataset][...] = values

        for dataset, place in (("density", (2, 9, 0, 1)), ("velocity", (2, 0, 0, 0, 2)), ("temperature", (2, 3, 0, 0)), ("time", (2,)), ("samples", (2,)),
                               ("first_step", (2,)), ("last_step", (2,)), ("checksum", (2,))):
            spoil(dataset, place)
            with self.subTest(dataset), Windows(folder) as windows:
                self.assertEqual(windows[1]["density"].values.shape, (10, 1, 2))
                for look in (lambda one: one["velocity"], lambda one: one.rows("density", 0), lambda one: one.layer("density", 2, 1), lambda one: one.time,
                             lambda one: one.samples, repr):
                    with self.assertRaisesRegex(DamagedFile, r"fields\.h5: is damaged, window 2 is not what was written"):
                        look(windows[2])
                _ = windows[3].last_step
        self.assertIn("window 2", self.command("convert", folder, "windows", "a.csv", status=3).stderr)
        self.assertFalse((self.folder / "a.csv").exists())

    def test_heads_are_checked_when_files_are_opened(self) -> None:
        folder = self.run_with_windows()
        changes: tuple[Callable[[Any], Any], ...] = (
                   lambda file: file["fields"].attrs.modify("every", np.int64(5)), lambda file: file["fields/x_edges"].__setitem__(1, 1.5),
                   lambda file: file.attrs.modify("format_version", np.int64(1)), lambda file: file["fields/density"].attrs.modify("unit", np.bytes_("b^-3")),
                   lambda file: set_attribute(file, "new", 1), lambda file: file.move("fields/temperature", "fields/enthalpy"),
                   lambda file: file.attrs.__delitem__("header_checksum"))
        for number, change in enumerate(changes):
            whole = (folder / "fields.h5").read_bytes()
            with h5py.File(folder / "fields.h5", "r+") as file:
                change(file)
            with self.subTest(number), self.assertRaisesRegex(DamagedFile, r"fields\.h5: is damaged, its header"):
                Windows(folder)
            (folder / "fields.h5").write_bytes(whole)
        with h5py.File(folder / "trajectory.h5", "r+") as file:
            file["particles/all/box"].attrs.modify("dimension", np.int64(2))
        with self.assertRaisesRegex(DamagedFile, r"trajectory\.h5: is damaged, its header"):
            Trajectory(folder)

    def test_attributes_that_cannot_be_decoded(self) -> None:
        """HDF5 1.10 ends Python when it lists them."""
        path = self.run_with_windows() / "fields.h5"
        data = path.read_bytes()
        name = data.index(b"header_checksum\0")
        for place in (name - 8, name - 6, name - 4):
            path.write_bytes(data[:place] + bytes([data[place] ^ 0x10]) + data[place + 1:])
            with self.assertRaises(ResultsError):
                Windows(path)

    def test_rows_that_are_being_added_are_no_damage(self) -> None:
        """Values, checksum and all else of a window come before last_step lists it."""
        folder = self.run_with_windows()
        with h5py.File(folder / "fields.h5", "r+") as file:
            for name in ("density", "velocity", "checksum", "time", "first_step"):
                file["fields"][name].resize(len(file["fields"][name]) + 1, axis=0)
        with Windows(folder) as windows:
            self.assertEqual([window.samples for window in windows], [25] * 4)

    def test_the_header_is_that_of_the_definition(self) -> None:
        path = self.folder / "a.h5"
        with h5py.File(path, "w") as file:
            file.attrs["header_checksum"] = np.uint64(7)
            file.attrs["b"] = np.bytes_("ab")
            file.attrs["B"] = np.array([1, 2], dtype="<i4")
            group = file.create_group("z")
            group["scalar"] = np.bytes_("x\0\0y")
            group.create_dataset("grows", (3, 2), "<f4", maxshape=(None, 2), chunks=(1, 2)).attrs["u"] = np.float64(0.5)
            group.create_dataset("never", (5,), "<f8")
            group.create_dataset("none", (0,), "<i8")
            group["values"] = np.arange(6, dtype="<u8").reshape(2, 3)
            file["a"] = group["values"]
            values = np.arange(6, dtype="<u8").tobytes()
            expected = (b"G /\nA B int32 2\n" + struct.pack("<2i", 1, 2) + b"\nA b text2 \nab\n"
                        + b"D /a uint64 2 3\n" + values + b"\n"
                        + b"G /z\nD /z/grows float32 * 2\nA u float64 \n" + struct.pack("<d", 0.5) + b"\n"
                        + b"D /z/never float64 5\nF\nD /z/none int64 0\nF\nD /z/scalar text4 \nx\0\0y\n"
                        + b"D /z/values uint64 2 3\n" + values + b"\n")
            self.assertEqual(header_checksum(file), slow_checksum(expected))
            renew_only = file.create_group("fields")
            for name in ("checksum", "last_step"):
                renew_only.create_dataset(name, (0,), "<u8", maxshape=(None,), chunks=(1,))
            renew(file)
            self.assertEqual(int(file.attrs["header_checksum"]), header_checksum(file))


if __name__ == "__main__":
    unittest.main()

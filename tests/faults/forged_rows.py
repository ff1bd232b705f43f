"""Growing files and journals that are forged, with checksums that are right."""

import struct
from collections.abc import Callable
from pathlib import Path

import h5py
import numpy as np

from forging import JOURNAL_MARK, Forgery, checksum, forged, open_to_change, renew_rows, replace, sum_of_words


def forge_journal(name: str, words: list[int], pages: list[tuple[int, int, bytes]]) -> Callable[[Path], None]:
    """A journal with this salt and guarded size, and pages of these offsets, sizes and contents, with the right checksums."""
    def forge(out: Path) -> None:
        salt, guarded = words
        journal = struct.pack("<4Q", JOURNAL_MARK, salt, guarded, sum_of_words(JOURNAL_MARK, salt, guarded))
        end = 64 + sum(32 + len(data) for _, _, data in pages)
        journal += struct.pack("<4Q", salt, end, sum_of_words(salt, end), 0)
        for offset, size, data in pages:
            journal += struct.pack("<4Q", salt, offset, size, sum_of_words(salt, offset, size, checksum(data))) + data
        (out / f"{name}.journal").write_bytes(journal)
    return forge


PAGE = bytes(range(256)) * 16
JOURNALS = [
    ("guards nothing", [1, 0], []),
    ("guards far more than there is", [1, 1 << 62], []),
    ("guards all there can be", [1, 2**64 - 1], [(0, 4096, PAGE)]),
    ("a page far beyond", [1, 1 << 40], [(1 << 39, 4096, PAGE)]),
    ("a page of no bytes", [1, 1 << 20], [(0, 0, b"")]),
    ("pages twice and unsorted", [1, 1 << 20], [(8192, 4096, PAGE), (0, 4096, PAGE), (8192, 4096, bytes(4096)), (0, 4096, bytes(4096))]),
    ("an odd offset", [1, 1 << 20], [(100, 4096, PAGE)]),
    ("a huge page", [1, 1 << 62], [(0, 1 << 60, PAGE)]),
    ("zeros for the superblock", [1, 1 << 20], [(0, 4096, bytes(4096))]),
]


def change_rows(file: str, edit: Callable[[h5py.File], None]) -> Callable[[Path], None]:
    """A growing file with checksums that are right again, which the checkpoint tells, too."""
    def forge(out: Path) -> None:
        with open_to_change(out / file) as f:
            edit(f)
        chain = renew_rows(out / file)
        with forged(out / "checkpoint.h5") as f:
            rows = "frames" if file == "trajectory.h5" else "windows"
            run = f["run"].attrs
            run[f"{rows}_checksum"] = np.uint64(chain[min(int(run[rows]), len(chain) - 1)])
        (out / f"{file}.journal").unlink(missing_ok=True)
    return forge


def other_dataset(name: str, **options) -> Callable[[h5py.File], None]:
    return lambda f: replace(f, name, lambda group, leaf: group.create_dataset(leaf, **options))


def resize(name: str, shape: tuple) -> Callable[[h5py.File], None]:
    return lambda f: f[name].resize(shape)


POSITION, STEPS = "particles/all/position/value", "particles/all/box/edges/step"
ROW_FORGERIES = [
    ("trajectory.h5", "more particles", other_dataset(POSITION, data=np.zeros((5, 481, 3)), maxshape=(None, 481, 3))),
    ("trajectory.h5", "fewer particles", other_dataset(POSITION, data=np.zeros((5, 479, 3)), maxshape=(None, 479, 3))),
    ("trajectory.h5", "a wrong rank", other_dataset(POSITION, data=np.zeros((5, 480)), maxshape=(None, 480))),
    ("trajectory.h5", "single precision", other_dataset(POSITION, data=np.zeros((5, 480, 3), "f4"), maxshape=(None, 480, 3))),
    ("trajectory.h5", "positions of a fixed number of frames", other_dataset(POSITION, data=np.zeros((5, 480, 3)))),
    ("trajectory.h5", "no position", lambda f: f.__delitem__("particles/all/position")),
    ("trajectory.h5", "another group", lambda f: f.move("particles/all", "particles/selection")),
    ("trajectory.h5", "other masses", other_dataset("particles/all/mass", data=np.full(480, 2.0))),
    ("trajectory.h5", "steps that do not ascend", lambda f: f[STEPS].__setitem__(slice(0, 3), [0, 30, 15])),
    ("trajectory.h5", "steps behind the checkpoint", lambda f: f[STEPS].__setitem__(slice(0, 5), [0, 15, 30, 45, 2**62])),
    ("fields.h5", "a bin more", other_dataset("fields/density", data=np.zeros((2, 3, 2, 2)), maxshape=(None, 3, 2, 2))),
    ("fields.h5", "a wrong rank", other_dataset("fields/velocity", data=np.zeros((2, 3)), maxshape=(None, 3))),
    ("fields.h5", "no velocity", lambda f: f.__delitem__("fields/velocity")),
    ("fields.h5", "last steps behind the checkpoint", lambda f: f["fields/last_step"].__setitem__(0, 2**62)),
]
HUGE_ROWS = [("trajectory.h5", POSITION, (1 << 40, 480, 3)), ("trajectory.h5", STEPS, (1 << 40,)), ("fields.h5", "fields/last_step", (1 << 50,)),
             ("fields.h5", "fields/density", (1 << 50, 3, 2, 1))]


def forgeries_of_growing_files() -> list[Forgery]:
    found = [(f"{file}: journal {words}", forge_journal(file, numbers, pages)) for file in ("trajectory.h5", "fields.h5")
             for words, numbers, pages in JOURNALS]
    found += [(f"{file}: {words}", change_rows(file, edit)) for file, words, edit in ROW_FORGERIES]

    def grow(file: str, name: str, shape: tuple) -> Callable[[Path], None]:
        def forge(out: Path) -> None:
            with open_to_change(out / file) as f:
                f[name].resize(shape)
            (out / f"{file}.journal").unlink(missing_ok=True)
        return forge

    found += [(f"{file}: {name} of {shape}", grow(file, name, shape)) for file, name, shape in HUGE_ROWS]
    return found

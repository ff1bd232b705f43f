"""Whether the bytes of a file are those that were written: seals of whole files, checksums of parts (docs/output.md).

A sealed file (run.h5 from format version 2 on, checkpoints) ends with 24 bytes: a mark, the number of bytes before it, and
their checksum. fields.h5, which grows, has a checksum of its header, and one of each window.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import h5py
import numpy as np
from numpy.typing import NDArray

from mpcflow_tools.errors import DamagedFile
from mpcflow_tools.texts import printable

SEAL_MARK = 0x4C41455346435032
SEAL_BYTES = 24
BLOCK_BYTES = 1 << 17  # read at a time: what is made of them stays in the cache of a core

_MASK = (1 << 64) - 1
_STEP = 0x9E3779B97F4A7C15
_LOW_HALF, _HALF = np.uint64(0xFFFFFFFF), np.uint64(32)
_KEYS: NDArray[np.uint64] = np.arange(1, BLOCK_BYTES // 8 + 1, dtype=np.uint64) * np.uint64(_STEP)

# Depth and number of the objects of a file: far more than any has, and few enough to go through.
DEEPEST_MEMBER = 12
MOST_MEMBERS = 2000

_TYPES = {"<f4": "float32", "<f8": "float64", "<i4": "int32", "<i8": "int64", "<u8": "uint64"}


def _mixed(word: int) -> int:
    word ^= word >> 33
    word = word * 0xFF51AFD7ED558CCD & _MASK
    word ^= word >> 33
    word = word * 0xC4CEB9FE1A85EC53 & _MASK
    return word ^ word >> 33


class Checksum:
    """The checksum S of bytes that come in pieces of any length.

    Of n bytes as words w_i of eight, the last one filled up with zeros, with x_i = w_i + (i + 1) 0x9e3779b97f4a7c15:
    S = f(S1 + f(S2 + f(n))), S1 the sum of the products of both halves of x_i, S2 that of w_i, f the mixer of MurmurHash3.
    """

    def __init__(self) -> None:
        self._bytes = 0
        self._words = 0
        self._products = 0  # S1
        self._sum = 0  # S2
        self._rest = b""  # bytes that make no whole word yet

    def update(self, data: bytes | bytearray | memoryview) -> Checksum:
        view = memoryview(data).cast("B")
        self._bytes += len(view)
        if self._rest:
            needed = min(8 - len(self._rest), len(view))
            self._rest += bytes(view[:needed])
            view = view[needed:]
            if len(self._rest) < 8:
                return self
            self._add(np.frombuffer(self._rest, dtype="<u8"))
            self._rest = b""
        whole = len(view) // 8 * 8
        for first in range(0, whole, BLOCK_BYTES):
            self._add(np.frombuffer(view[first:min(first + BLOCK_BYTES, whole)], dtype="<u8"))
        self._rest = bytes(view[whole:])
        return self

    def _add(self, words: NDArray[np.uint64]) -> None:
        mixed = words + _KEYS[:len(words)]
        mixed += np.uint64(self._words * _STEP & _MASK)
        self._sum += int(words.sum(dtype=np.uint64))
        lower = mixed & _LOW_HALF
        mixed >>= _HALF
        lower *= mixed
        self._products += int(lower.sum(dtype=np.uint64))
        self._words += len(words)

    def value(self) -> int:
        products, total = self._products, self._sum
        if self._rest:
            word = int.from_bytes(self._rest, "little")
            mixed = word + (self._words + 1) * _STEP & _MASK
            products, total = products + (mixed & 0xFFFFFFFF) * (mixed >> 32), total + word
        return _mixed(products + _mixed(total + _mixed(self._bytes) & _MASK) & _MASK)


def checksum(data: bytes | bytearray | memoryview) -> int:
    """The checksum S of `data`."""
    return Checksum().update(data).value()


def words_checksum(words: Iterable[int]) -> int:
    """The checksum S of words of 64 bits."""
    return checksum(b"".join(struct.pack("<Q", word & _MASK) for word in words))


# -- seals of whole files


def _pieces(descriptor: int, size: int) -> Iterator[bytes]:
    place = 0
    while place < size:
        piece = os.pread(descriptor, min(BLOCK_BYTES, size - place), place)
        if not piece:
            return
        yield piece
        place += len(piece)


def file_checksum(descriptor: int, size: int) -> int:
    """Of the first `size` bytes of an open file."""
    found = Checksum()
    for piece in _pieces(descriptor, size):
        found.update(piece)
    return found.value()


def is_sealed(descriptor: int) -> bool:
    """Whether an open file ends with the mark of a seal, be it right or not."""
    size = os.fstat(descriptor).st_size
    return size >= SEAL_BYTES and os.pread(descriptor, 8, size - SEAL_BYTES) == struct.pack("<Q", SEAL_MARK)


def seal_fault(descriptor: int) -> str | None:
    """What is wrong with an open file that is sealed; None where all is well."""
    size = os.fstat(descriptor).st_size - SEAL_BYTES
    seal = os.pread(descriptor, SEAL_BYTES, max(size, 0))
    if size < 0 or len(seal) != SEAL_BYTES or struct.unpack("<Q", seal[:8])[0] != SEAL_MARK:
        return "the seal at its end is not there"
    _, length, expected = struct.unpack("<3Q", seal)
    if length != size:
        return f"it has {size} bytes, and had {length} when it was sealed"
    return None if file_checksum(descriptor, size) == expected else "its checksum is not that of its bytes"


def check_seal(path: str | Path) -> None:
    """Raises DamagedFile where the sealed file `path` is not as it was sealed."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        fault = seal_fault(descriptor)
    finally:
        os.close(descriptor)
    if fault:
        raise damaged(path, fault)


def damaged(path: str | Path, fault: str) -> DamagedFile:
    """The error that says so."""
    return DamagedFile(f"{path}: is damaged, {fault}: take another copy of it, or let mpcflow run write it anew from a checkpoint")


def seal_file(path: str | Path) -> None:
    """Puts a seal at the end of a file that has none. For tests and repairs: the program seals what it writes itself."""
    with open(path, "r+b") as file:
        size = file.seek(0, os.SEEK_END)
        file.write(struct.pack("<3Q", SEAL_MARK, size, file_checksum(file.fileno(), size)))


def reseal_file(path: str | Path) -> None:
    """The same of a file that was changed after it was sealed; HDF5 cuts the seal off when it closes a file that it has written to,
    other writers leave the old one."""
    with open(path, "r+b") as file:
        if is_sealed(file.fileno()):
            file.truncate(os.fstat(file.fileno()).st_size - SEAL_BYTES)
    seal_file(path)


# -- checksums of parts of files that grow


def type_name(dtype: np.dtype[Any]) -> str:
    """Of numbers and texts as HDF5 keeps them. Raises ValueError for what no file of mpcflow has."""
    if dtype.kind == "S":
        return f"text{dtype.itemsize}"
    found = _TYPES.get(dtype.newbyteorder("<").str if dtype.byteorder in "=<" else dtype.str)
    if found is None:
        raise ValueError(f"the type {dtype} is none of mpcflow's")
    return found


def require_attributes(member: h5py.h5g.GroupID | h5py.h5d.DatasetID) -> None:
    """Raises what h5py raises where an attribute cannot be decoded. To list them ends Python then, with HDF5 1.10; to look for one that
    is not there decodes them all, and fails as it should."""
    h5py.h5a.exists(member, b"-")


class _Header:
    """Goes through a file and adds up what does not grow."""

    def __init__(self, skipped: tuple[str, str]) -> None:
        self._skipped = skipped  # the object and its attribute that holds the checksum
        self._left = MOST_MEMBERS
        self.sum = Checksum()

    def line(self, text: str) -> None:
        self.sum.update(text.encode("utf-8", errors="surrogateescape") + b"\n")

    def group(self, group: h5py.Group, path: str, depth: int) -> None:
        self.line(f"G {path}")
        self.attributes(group, path)
        for name in sorted(group, key=lambda entry: entry.encode("utf-8", errors="surrogateescape")):
            self._left -= 1
            if self._left < 0 or depth > DEEPEST_MEMBER:
                raise ValueError("it has more groups than any file of mpcflow")
            member, place = group[name], f"{path.rstrip('/')}/{name}"
            if isinstance(member, h5py.Group):
                self.group(member, place, depth + 1)
            else:
                self.dataset(member, place)

    def attributes(self, member: Any, path: str) -> None:
        require_attributes(member.id)
        for name in sorted(member.attrs, key=lambda entry: entry.encode("utf-8", errors="surrogateescape")):
            if (path, name) == self._skipped or name in AXES_BY_REFERENCE:
                continue
            found = member.attrs.get_id(name)
            self.line(f"A {name} {type_name(found.dtype)} {' '.join(map(str, found.shape))}")
            values = np.empty(found.shape, dtype=found.dtype)
            found.read(values)
            self.sum.update(values.tobytes())
            self.line("")

    def dataset(self, dataset: h5py.Dataset, path: str) -> None:
        grows = [length is None for length in dataset.maxshape]
        lengths = ["*" if free else str(length) for free, length in zip(grows, dataset.shape)]
        self.line(f"D {path} {type_name(dataset.dtype)} {' '.join(lengths)}")
        self.attributes(dataset, path)
        if any(grows):
            return
        if dataset.size == 0 or dataset.id.get_storage_size() == 0:
            self.line("F")
            return
        if dataset.nbytes > dataset.file.id.get_filesize():
            raise ValueError(f"{path} is larger than the file")
        for part in _parts(dataset):
            self.sum.update(part)
        self.line("")


# Which dimension scales an axis has, and of which axes one is; HDF5 keeps references to them.
AXES_BY_REFERENCE = ("DIMENSION_LIST", "REFERENCE_LIST")


def _parts(dataset: h5py.Dataset) -> Iterator[bytes]:
    """The raw bytes of a dataset, some at a time."""
    # Whole along the last axes, as many as fit into a block; some at a time along the one before; one by one along the first.
    axis, size = dataset.ndim, int(dataset.dtype.itemsize)
    while axis > 0 and size * dataset.shape[axis - 1] <= BLOCK_BYTES:
        axis -= 1
        size *= dataset.shape[axis]
    if axis == 0:
        values = np.empty(dataset.shape, dtype=dataset.dtype)
        dataset.read_direct(values)
        yield values.tobytes()
        return
    some = max(1, BLOCK_BYTES // size)
    for place in np.ndindex(*dataset.shape[:axis - 1]):
        for first in range(0, dataset.shape[axis - 1], some):
            selection = (*place, slice(first, first + some))
            yield np.ascontiguousarray(dataset[selection]).tobytes()


def header_checksum(file: h5py.File, holder: str = "/") -> int:
    """Of an open file: the names, types, lengths and attributes of all that is in it, and the numbers of what does not grow. The
    attribute header_checksum of `holder` alone is left out. Raises ValueError, and what h5py raises."""
    header = _Header((holder, "header_checksum"))
    header.group(file["/"], "/", 0)
    return header.sum.value()


def float_bits(value: float) -> int:
    """The bits of a float64 as a word."""
    return int(struct.unpack("<Q", struct.pack("<d", value))[0])


def window_checksum(index: int, steps: tuple[int, int], time: float, samples: int, sums: Iterable[int]) -> int:
    """Of a window of fields.h5; `sums` are the checksums of its values: density, velocity, temperature, pressure_tensor, as far as
    they are there."""
    return words_checksum([index, *steps, float_bits(time), samples, *sums])


def frame_checksum(index: int, step: int, time: float, state_hash: int, particles: int, sums: Iterable[int]) -> int:
    """Of a frame of trajectory.h5; `sums` are the checksums of the edges of its box and, of its particles alone, of position, velocity,
    image, id, as far as they are there."""
    return words_checksum([index, step, float_bits(time), state_hash, particles, *sums])


def check_header(path: str | Path, file: h5py.File, holder: str = "/") -> int:
    """The header's checksum. Raises DamagedFile where it is another than the one that the file was given."""
    try:
        expected = int(file[holder].attrs["header_checksum"])
        found = header_checksum(file, holder)
    except (OSError, RuntimeError, LookupError, ValueError, TypeError, AttributeError, OverflowError, MemoryError) as error:
        raise damaged(path, f"its header cannot be read ({printable(str(error), 200)})") from error
    if found != expected:
        raise damaged(path, "its header is not the one that was written")
    return found


__all__ = ["AXES_BY_REFERENCE", "Checksum", "DamagedFile", "check_header", "check_seal", "checksum", "damaged", "file_checksum", "float_bits",
           "frame_checksum", "header_checksum", "is_sealed", "reseal_file", "seal_fault", "seal_file", "window_checksum", "words_checksum"]

"""Result files that are changed, and made anew as of the formats with checksums; and these checksums in plain Python."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path
from typing import Any

import h5py
import numpy as np

from mpcflow_tools.integrity import SEAL_BYTES, SEAL_MARK, checksum, header_checksum, reseal_file, window_checksum

SUMMED = ("density", "velocity", "temperature", "pressure_tensor")
_MASK = (1 << 64) - 1


def slow_checksum(data: bytes) -> int:
    """The checksum S word by word, as it is defined (docs/output.md); nothing of the package is used."""
    def mixed(h: int) -> int:
        h ^= h >> 33
        h = h * 0xFF51AFD7ED558CCD & _MASK
        h ^= h >> 33
        h = h * 0xC4CEB9FE1A85EC53 & _MASK
        return h ^ h >> 33

    padded = data + bytes(-len(data) % 8)
    products = total = 0
    for i in range(len(padded) // 8):
        (word,) = struct.unpack_from("<Q", padded, 8 * i)
        x = (word + (i + 1) * 0x9E3779B97F4A7C15) & _MASK
        products += (x & 0xFFFFFFFF) * (x >> 32)
        total += word
    return mixed((products + mixed((total + mixed(len(data))) & _MASK)) & _MASK)


def slow_seal(data: bytes) -> bytes:
    return struct.pack("<3Q", 0x4C41455346435032, len(data), slow_checksum(data))


def has_seal(path: Path) -> bool:
    return path.read_bytes()[-SEAL_BYTES:][:8] == struct.pack("<Q", SEAL_MARK)


def renew(file: h5py.File) -> None:
    """Gives an open file of fields or of a trajectory the checksums of what it now holds, if it has any."""
    for holder in ("/", "/parameters/mpcflow"):
        if isinstance(file.get(holder), h5py.Group) and "header_checksum" in file[holder].attrs:
            header = header_checksum(file, holder)
            file[holder].attrs.modify("header_checksum", np.uint64(header))
            if holder == "/":
                _renew_windows(file["fields"])


def _renew_windows(group: h5py.Group) -> None:
    for index in range(min(len(group["checksum"]), len(group["last_step"]))):
        group["checksum"][index] = window_sum(group, index)


def window_sum(group: h5py.Group, index: int) -> np.uint64:
    sums = [checksum(np.ascontiguousarray(group[name][index]).tobytes()) for name in SUMMED if name in group]
    steps = int(group["first_step"][index]), int(group["last_step"][index])
    return np.uint64(window_checksum(index, steps, float(group["time"][index]), int(group["samples"][index]), sums))


@contextmanager
def edited(path: Path, anything: bool = False) -> Iterator[h5py.File]:
    """A result file to be changed. What is sealed or has checksums gets new ones, as a forger would give it; with `anything` checksums
    of what none can be made of stay as they are."""
    sealed = has_seal(path)
    with h5py.File(path, "r+") as file:
        yield file
        with suppress(Exception) if anything else nullcontext():
            renew(file)
    if sealed:
        reseal_file(path)


def set_attribute(member: Any, name: str, value: Any) -> None:
    if name in member.attrs:
        del member.attrs[name]
    member.attrs[name] = value

"""The checksum of docs/output.md, and what is made of it: for tests that forge files."""

from __future__ import annotations

import struct
from pathlib import Path

import h5py
import numpy as np

ALL = (1 << 64) - 1
SEAL_MARK = 0x4C41455346435032


def _mixed(h: int) -> int:
    h ^= h >> 33
    h = h * 0xFF51AFD7ED558CCD & ALL
    h ^= h >> 33
    h = h * 0xC4CEB9FE1A85EC53 & ALL
    return h ^ h >> 33


def checksum(data: bytes) -> int:
    words = np.frombuffer(data + bytes(-len(data) % 8), "<u8")
    with np.errstate(over="ignore"):
        x = words + np.arange(1, len(words) + 1, dtype="u8") * np.uint64(0x9E3779B97F4A7C15)
        products = int(((x & np.uint64(0xFFFFFFFF)) * (x >> np.uint64(32))).sum(dtype="u8"))
        total = int(words.sum(dtype="u8"))
    return _mixed(products + _mixed(total + _mixed(len(data)) & ALL) & ALL)


def words_checksum(*words: int) -> int:
    return checksum(struct.pack(f"<{len(words)}Q", *(word & ALL for word in words)))


def seal(path: Path) -> None:
    """Makes what is in a file be what was sealed; h5py cuts an old seal off."""
    data = path.read_bytes()
    path.write_bytes(data + struct.pack("<3Q", SEAL_MARK, len(data), checksum(data)))


def write_journal(path: Path, guarded: int, pages: dict[int, bytes]) -> None:
    """A rollback journal that is whole (app/storage/journal.hpp)."""
    def words(*numbers: int) -> bytes:
        return struct.pack(f"<{len(numbers)}Q", *numbers)

    mark, salt = 0x4C4E524A46435031, 77
    data = b""
    for offset, page in pages.items():
        page = page[:guarded - offset]
        data += words(salt, offset, len(page), words_checksum(salt, offset, len(page), checksum(page))) + page
    end = 64 + len(data)
    path.write_bytes(words(mark, salt, guarded, words_checksum(mark, salt, guarded)) +
                     words(salt, end, words_checksum(salt, end), 0) + data)


def frame_checksum(file: h5py.File, row: int) -> int:
    """Of a frame of all particles with positions and velocities."""
    own, every = file["parameters/mpcflow"], file["particles/all"]
    edges = every["box/edges"]
    values = [checksum(np.ascontiguousarray(every[name]["value"][row]).tobytes()) for name in ("position", "velocity", "image", "id") if name in every]
    return words_checksum(row, int(edges["step"][row]), int(np.float64(edges["time"][row]).view("u8")), int(own["state_hash"][row]),
                          every["id/value"].shape[1], checksum(edges["value"][row].tobytes()), *values)

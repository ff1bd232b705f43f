"""Seals and sums of result files put right after a change, as a forger would."""

from __future__ import annotations

import struct
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import h5py
import numpy as np

from checksums import SEAL_MARK, checksum
from checksums import words_checksum as sum_of_words

Forgery = tuple[str, Callable[[Path], None]]  # words, and what is done to the folder of the results

SEAL_BYTES = 24
JOURNAL_MARK = 0x4C4E524A46435031


def reseal(path: Path) -> None:
    """Gives a file, which had a seal or lost it when HDF5 closed it, the seal of what it now holds."""
    data = path.read_bytes()
    if data[-SEAL_BYTES:][:8] == struct.pack("<Q", SEAL_MARK):
        data = data[:-SEAL_BYTES]
    path.write_bytes(data + struct.pack("<3Q", SEAL_MARK, len(data), checksum(data)))


def open_to_change(path: Path) -> h5py.File:
    """A process that another thread starts holds the lock of a file that is open here for a moment longer than here."""
    for _ in range(100):
        try:
            return h5py.File(path, "r+")
        except BlockingIOError:
            time.sleep(0.1)
    return h5py.File(path, "r+")


@contextmanager
def forged(path: Path) -> Iterator[h5py.File]:
    """A sealed file to be changed."""
    with open_to_change(path) as f:
        yield f
    reseal(path)


def type_name(dtype: np.dtype) -> str:
    return f"text{dtype.itemsize}" if dtype.kind == "S" else dtype.name


def raw(of: h5py.AttributeManager, name: str) -> np.ndarray:
    found = of.get_id(name)
    values = np.empty(found.shape, dtype=found.dtype)
    found.read(values)
    return values


def header_checksum(f: h5py.File, holder: str) -> int:
    text = bytearray()

    def add(item: h5py.Group | h5py.Dataset, path: str) -> None:
        is_group = isinstance(item, h5py.Group)
        grows = not is_group and None in item.maxshape
        if is_group:
            text.extend(f"G {path}\n".encode())
        else:
            lengths = " ".join("*" if most is None else str(most) for most in item.maxshape)
            text.extend(f"D {path} {type_name(item.dtype)} {lengths}\n".encode())
        for name in sorted(item.attrs):
            if (path, name) != (holder, "header_checksum") and name not in ("DIMENSION_LIST", "REFERENCE_LIST"):
                values = raw(item.attrs, name)
                text.extend(f"A {name} {type_name(values.dtype)} {' '.join(map(str, values.shape))}\n".encode())
                text.extend(values.tobytes() + b"\n")
        if is_group:
            for name in sorted(item):
                add(item[name], f"{path.rstrip('/')}/{name}")
        elif not grows:
            is_written = item.size > 0 and item.id.get_storage_size() > 0
            text.extend(np.asarray(item[()]).tobytes() + b"\n" if is_written else b"F\n")

    add(f["/"], "/")
    return checksum(bytes(text))


def bits(number: float) -> int:
    return struct.unpack("<Q", struct.pack("<d", number))[0]


def frame_checksums(f: h5py.File) -> list[int]:
    parameters = f["parameters/mpcflow"]
    particles = next(iter(f["particles"].values()))
    edges = particles["box/edges"]
    sums = []
    for i, step in enumerate(edges["step"][()]):
        n = int(parameters["particles"][i]) if "particles" in parameters else particles["id/value"].shape[1]
        values = [checksum(particles[f"{name}/value"][i, :n].tobytes()) for name in ("position", "velocity", "image", "id") if name in particles]
        sums.append(sum_of_words(i, int(step), bits(edges["time"][i]), int(parameters["state_hash"][i]), n,
                                 checksum(edges["value"][i].tobytes()), *values))
    return sums


def window_checksums(f: h5py.File) -> list[int]:
    fields = f["fields"]
    sums = []
    for i, last in enumerate(fields["last_step"][()]):
        values = [checksum(fields[name][i].tobytes()) for name in ("density", "velocity", "temperature", "pressure_tensor") if name in fields]
        sums.append(sum_of_words(i, int(fields["first_step"][i]), int(last), bits(fields["time"][i]), int(fields["samples"][i]), *values))
    return sums


def renew_rows(path: Path) -> list[int]:
    """Gives a trajectory or fields.h5 the checksums of what it now holds. Returns the chain of them, C_0 first."""
    with open_to_change(path) as f:
        is_trajectory = "particles" in f
        holder = "/parameters/mpcflow" if is_trajectory else "/"
        sums = frame_checksums(f) if is_trajectory else window_checksums(f)
        rows = f["parameters/mpcflow/checksum" if is_trajectory else "fields/checksum"]
        rows[:len(sums)] = np.array(sums[:len(rows)], dtype=np.uint64)
        chain = [header_checksum(f, holder)]
        f[holder].attrs.modify("header_checksum", np.uint64(chain[0]))
        for row in sums:
            chain.append(sum_of_words(chain[-1], row))
        return chain


def state_hash(position: np.ndarray, velocity: np.ndarray, image: np.ndarray) -> np.uint64:
    """Of a run in double precision (physics/particle.hpp)."""
    def mix(h: np.ndarray) -> np.ndarray:
        for _ in range(2):
            h = (h ^ h >> np.uint64(32)) * np.uint64(0xD6E8FEB86659FD93)
        return h ^ h >> np.uint64(32)

    h = mix(np.arange(len(position), dtype=np.uint64) + np.uint64(0x9E3779B97F4A7C15))
    for axis in range(3):
        for numbers in (position[:, axis], velocity[:, axis]):
            h = mix(h ^ np.ascontiguousarray(numbers, dtype="f8").view(np.uint64))
        h = mix(h ^ image[:, axis].astype(np.int64).view(np.uint64))
    return h.sum(dtype=np.uint64)


def replace(f: h5py.File, name: str, make: Callable[[h5py.Group, str], None]) -> None:
    parent, _, leaf = name.rpartition("/")
    group = f[parent] if parent else f
    del group[leaf]
    make(group, leaf)

"""What a forger may do to a result file, one thing at a time."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import h5py
import numpy as np

# Commands of terminals, C1 controls, directions of writing, bytes that are not UTF-8, markup, formulas, and more than a line.
TEXTS = [b"\x1b[31mred\x1b]0;title\x07", "\x9b31m\x85\u202egnp.exe\u2066\u2028".encode(), b"\xff\xfe\x80bytes", b"a\nb\rc\td", b"<script>&\"'</script>",
         b"$x^{2$ \\frac{", b"../../../x", b"", b"x" * 30_000, "\u200f\ufeff\u00ad水🙂".encode(), b"%s%n{0}{x}"]
NAMES = ["../../x", "a b", "\x1b[31m", "x\n", "'\"<>&", ".", "水", "x" * 200, "con\u202etxt"]
NUMBERS: list[Any] = [np.int64(-1), np.int64(0), np.int64(2**63 - 1), np.uint64(2**64 - 1), np.float64("nan"), np.float64("inf"), np.float64(-1e308),
                      np.float64(5e-324), np.int64(10**15), np.float64(1e300)]

BOMB = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{name}: &{name} [{', '.join(['*' + before] * 9)}]\n" for before, name in zip("abcdefgh", "bcdefghi"))
INPUTS = [
    BOMB, BOMB + "fluid: *i\n", "{" * 3000, "[" * 100_000, "- " * 50_000, "fluid: {density: " + "9" * 10_000 + "}",
    "fluid: {density: 1" + "0" * 10_000 + ".5}", "fluid: {density: 1e999999999}", "fluid: !!python/object/apply:os.system [true]",
    "a: 1\na: 2\n", "fluid: &x {density: 10}", "fluid: [1, 2]", "", "---\na: 1\n---\nb: 2\n",
    "fluid: {density: nan, temperature: .inf, mass: -1}", "fluid: {density: ten}", "forces: {uniform: 3}", "forces: [{uniform: [1, 2]}]", "forces: [3]",
    "boundaries: {x: [1], y: {}, z: null}", "boundaries: periodic", "thermostat: {kind: [none]}", "collision: {angle: 130", "? [a, b]\n: c\n", "{[a]: 1}",
    "\x1b[31m: \x07", "a: \"\\x1b[31m\"", "fluid: {density: 1:30, mass: 0x10, temperature: 0o17}", "<<: {a: 1}",
    "x: " + "y" * 1_200_000, "a: [" + "1, " * 20_000 + "1]",
    "collision: {rule: \"\\x1b[31m\\u202e\", angle: 130, time_step: 1e-7}"]

Change = Callable[[h5py.Group, str, random.Random], None]


def _replace(group: h5py.Group, name: str, values: Any, **options: Any) -> None:
    """Another dataset in place of one, which keeps its attributes."""
    kept = dict(group[name].attrs)
    del group[name]
    made = group.create_dataset(name, data=values, **options)
    for key, value in kept.items():
        made.attrs[key] = value


def _filled(value: float) -> Change:
    def change(group: h5py.Group, name: str, pick: random.Random) -> None:
        values = np.array(group[name][()])
        if values.dtype.kind not in "iuf" or values.size == 0:
            values = np.zeros(3)
        if values.dtype.kind in "iu" and not (np.isfinite(value) and abs(value) < 2**31):
            values = values.astype(np.float64)
        if values.dtype.kind == "u" and value < 0:
            values = values.astype(np.int64)
        flat = values.reshape(-1)
        flat[pick.randrange(flat.size) if pick.random() < 0.5 else slice(None)] = value
        _replace(group, name, values, maxshape=group[name].maxshape if group[name].chunks else None)
    return change


def _shaped(shape: Callable[[tuple[int, ...]], tuple[int, ...]]) -> Change:
    def change(group: h5py.Group, name: str, pick: random.Random) -> None:
        old = group[name]
        dtype = old.dtype if old.dtype.kind in "iuf" else np.dtype(np.float64)
        _replace(group, name, np.ones(shape(old.shape), dtype=dtype))
    return change


def _typed(dtype: Any) -> Change:
    def change(group: h5py.Group, name: str, pick: random.Random) -> None:
        _replace(group, name, np.zeros(group[name].shape, dtype=dtype))
    return change


def _huge(lengths: Callable[[tuple[int, ...]], tuple[int, ...]]) -> Change:
    def change(group: h5py.Group, name: str, pick: random.Random) -> None:
        shape = lengths(group[name].shape)
        dtype = group[name].dtype if group[name].dtype.kind in "iuf" else np.float64
        kept = dict(group[name].attrs)
        del group[name]
        made = group.create_dataset(name, shape=shape, dtype=dtype, chunks=tuple(min(length, 16) for length in shape), maxshape=(None,) * len(shape))
        for key, value in kept.items():
            made.attrs[key] = value
    return change


def _virtual(group: h5py.Group, name: str, pick: random.Random) -> None:
    layout = h5py.VirtualLayout(shape=(4,), dtype="f8")
    layout[:] = h5py.VirtualSource("/etc/passwd", "x", shape=(4,))
    del group[name]
    group.create_virtual_dataset(name, layout)


def _external(group: h5py.Group, name: str, pick: random.Random) -> None:
    shape = group[name].shape or (4,)
    del group[name]
    group.create_dataset(name, shape=shape, dtype="f8", external=[("/etc/passwd", 0, h5py.h5f.UNLIMITED)])


def _linked(link: Any) -> Change:
    def change(group: h5py.Group, name: str, pick: random.Random) -> None:
        del group[name]
        group[name] = link
    return change


def _cycle(group: h5py.Group, name: str, pick: random.Random) -> None:
    del group[name]
    group[name] = group.file["/"]


def _turned(group: h5py.Group, name: str, pick: random.Random) -> None:
    """A group for a dataset, a dataset for a group."""
    is_group = isinstance(group[name], h5py.Group)
    del group[name]
    if is_group:
        group[name] = 1.0
    else:
        group.create_group(name)


def _named(group: h5py.Group, name: str, pick: random.Random) -> None:
    """A copy with a name that is none; of an attribute, too."""
    new = pick.choice(NAMES)
    if pick.random() < 0.5 or "/" in new or new == ".":
        owner = group[name] if isinstance(group[name], h5py.Group) and pick.random() < 0.5 else group
        owner.attrs[new] = pick.choice([1.5, np.bytes_(pick.choice(TEXTS[:5]))])
    else:
        group[new] = group[name]


def _removed(group: h5py.Group, name: str, pick: random.Random) -> None:
    del group[name]


def _crowded(group: h5py.Group, name: str, pick: random.Random) -> None:
    for number in range(3000):
        group.create_group(f"n{number}")


# By what they do.
CHANGES: dict[str, Change] = {
    "scalar": _shaped(lambda shape: ()), "one axis more": _shaped(lambda shape: (*shape, 2)), "one axis less": _shaped(lambda shape: shape[1:]),
    "empty": _shaped(lambda shape: (0, *shape[1:])), "shorter": _shaped(lambda shape: (max(shape[0] - 1, 0), *shape[1:]) if shape else (1,)),
    "longer": _shaped(lambda shape: (shape[0] + 3, *shape[1:]) if shape else (3,)), "one": _shaped(lambda shape: (1,) * max(len(shape), 1)),
    "no components": _shaped(lambda shape: (*shape[:-1], 0)), "five axes": _shaped(lambda shape: (2, 2, 2, 2, 2)),
    "text": _typed("S7"), "float32": _typed("f4"), "int8": _typed("i1"), "complex": _typed("c16"), "compound": _typed([("a", "f8"), ("b", "S3")]),
    "boolean": _typed("?"), "long double": _typed(np.longdouble), "unlimited text": _typed(h5py.string_dtype()), "references": _typed(h5py.ref_dtype),
    "NaN": _filled(float("nan")), "inf": _filled(float("inf")), "-inf": _filled(float("-inf")), "-1": _filled(-1.0), "0": _filled(0.0),
    "1e308": _filled(1e308), "1e15": _filled(1e15), "5e-324": _filled(5e-324), "huge": _huge(lambda shape: (1 << 50,) + shape[1:]),
    "huge within": _huge(lambda shape: (2,) + (1 << 20,) * max(len(shape) - 1, 1)), "virtual": _virtual, "external storage": _external,
    "soft link to nothing": _linked(h5py.SoftLink("/nowhere")), "soft link to all": _linked(h5py.SoftLink("/")),
    "external link": _linked(h5py.ExternalLink("/etc/passwd", "/")), "external link to itself": _linked(h5py.ExternalLink("run.h5", "/run")),
    "cycle": _cycle, "turned": _turned,
    "named": _named, "removed": _removed, "crowded": _crowded,
}
ATTRIBUTE_CHANGES: list[tuple[str, Callable[[Any, random.Random], Any]]] = [
    ("text", lambda old, pick: np.bytes_(pick.choice(TEXTS))), ("text", lambda old, pick: np.bytes_(pick.choice(TEXTS))),
    ("unlimited text", lambda old, pick: pick.choice(TEXTS[:5]).decode("utf-8", errors="replace")),
    ("number", lambda old, pick: pick.choice(NUMBERS)), ("number", lambda old, pick: pick.choice(NUMBERS)),
    ("array", lambda old, pick: np.array([old, old]) if np.ndim(old) == 0 else np.concatenate([old, old])),
    ("array", lambda old, pick: np.zeros((2, 3))), ("empty", lambda old, pick: np.empty(0)), ("none", lambda old, pick: h5py.Empty("f8")),
    ("texts", lambda old, pick: np.array(TEXTS[:6])), ("negative", lambda old, pick: -np.asarray(old, dtype=np.float64) if np.asarray(old).dtype.kind in "iuf" else b"-"),
    ("complex", lambda old, pick: 1j), ("removed", lambda old, pick: None)]


def forge(file: h5py.File, pick: random.Random) -> tuple[str, str]:
    """Changes one thing in an open file; says in which group, and what."""
    places: list[str] = []
    file.visit(places.append)
    kind = pick.random()
    if kind < 0.12 and "input/resolved" in file:
        del file["input/resolved"]
        file["input/resolved"] = np.bytes_(pick.choice(INPUTS).encode("utf-8", errors="surrogateescape"))
        return "input", f"input {bytes(file['input/resolved'][()])[:60]!r}"
    if kind < 0.45:
        holders = [place for place in ["/", *places] if len(file[place].attrs)]
        place = pick.choice([holder for holder in holders if isinstance(file[holder], h5py.Group)] if pick.random() < 0.7 else holders)
        name = pick.choice([entry for entry in file[place].attrs if entry not in ("header_checksum", "format")] or list(file[place].attrs))
        words, change = pick.choice(ATTRIBUTE_CHANGES)
        value = change(file[place].attrs[name], pick)
        del file[place].attrs[name]
        if value is not None:
            file[place].attrs[name] = value
        return place.strip("/"), f"attribute {name} of {place}: {words} {str(value)[:60]!r}"
    place = pick.choice([entry for entry in places if not entry.startswith("h5md")])
    holder, _, name = place.rpartition("/")
    words = pick.choice(sorted(CHANGES))
    if isinstance(file[place], h5py.Group) and words not in ("cycle", "turned", "named", "removed", "crowded") and "link" not in words:
        words = pick.choice(["cycle", "turned", "named", "removed", "soft link to all"])
    CHANGES[words](file[holder or "/"], name, pick)
    return place, f"{place}: {words}"

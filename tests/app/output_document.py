"""What docs/output.md says of the files, read from its tables, and HDF5 files held against it.

A table stands under the heading of a file (`## run.h5`) and, where its names are not absolute, of a group (`### /run`). Its
first column has the names, `kind` says whether they are datasets, groups, or which attributes of theirs are meant (`attrs`);
`shape`, `type` and `unit` say the rest. Letters in a shape stand for one number each in a group.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import h5py
import numpy as np

FILES = ("run.h5", "fields.h5", "trajectory.h5", "checkpoint.h5")
ALIAS = re.compile("/particles/(region|selection)")
OF_SPECIES = re.compile("^/diffusion/[^/]+(?=/|$)")
WORD = re.compile(r"`([^`]+)`")
TYPES = re.compile(r"text\[\]|text|u?int\d+(?:\[\d+\])?|float\d+(?:\[\d+\])?")


@dataclass(frozen=True)
class Entry:
    """One dataset, group or attribute that the document lists."""

    path: str  # of the dataset or group, absolute; NAME stands for any name
    attribute: str  # empty: the dataset or group itself
    kind: str  # dataset, datasets (any below path), group, attr, attrs (any of path)
    shape: str
    types: tuple[str, ...]
    unit: str | None  # None: the table does not say
    line: int

    def __str__(self) -> str:
        return f"docs/output.md:{self.line}: {self.path}{' attribute ' + self.attribute if self.attribute else ''}"

    def is_of(self, path: str, attribute: str) -> bool:
        pattern = "[^/]+".join(re.escape(part) for part in self.path.split("NAME"))
        if self.kind == "datasets":
            return not attribute and re.fullmatch(pattern + "/.+", path) is not None
        if re.fullmatch(pattern, path) is None:
            return False
        if self.kind == "attrs":
            return bool(attribute)
        return re.fullmatch("[^/]+".join(re.escape(part) for part in self.attribute.split("NAME")), attribute) is not None


@dataclass(frozen=True)
class _Place:
    """What a row says of all its names."""

    line: int
    shape: str
    types: tuple[str, ...]
    each_its_own: bool
    unit: str | None


def _tables(lines: list[str]) -> list[tuple[int, list[str], list[list[str]]]]:
    """(line number of the first row, head, rows) of each table."""
    found, number = [], 0
    while number < len(lines):
        first = number
        while number < len(lines) and lines[number].startswith("|"):
            number += 1
        if number - first > 2:
            cells = [[cell.strip() for cell in line.strip().strip("|").split("|")] for line in lines[first:number]]
            found.append((first + 3, cells[0], cells[2:]))
        number += 1
    return found


def _join(group: str, name: str) -> str:
    return name if name.startswith("/") else f"{group.rstrip('/')}/{name}"


class Document:
    """The entries of each file."""

    def __init__(self, text: str) -> None:
        self.entries: dict[str, list[Entry]] = {name: [] for name in FILES}
        lines = text.splitlines()
        heads = [(number, line) for number, line in enumerate(lines) if line.startswith("#")]
        for first, head, rows in _tables(lines):
            above = [line for number, line in heads if number < first]
            file = next((line.strip("# `") for line in reversed(above) if line.strip("# `") in FILES or line.startswith("## ")), "")
            group = re.match(r"### `?(/[\w/]*)`?", above[-1]) if above else None
            if file in FILES and head[0] in ("name", "attr", "dataset"):
                self._read_table(file, group[1] if group else "/", first, head, rows)

    def _read_table(self, file: str, group: str, first: int, head: list[str], rows: list[list[str]]) -> None:
        paths: list[str] = []
        types: tuple[str, ...] = ()
        for number, row in enumerate(rows):
            cells = dict(zip((name.split(",")[0] for name in head), row))
            kind = cells.get("kind", head[0])
            names = WORD.findall(cells[head[0]])
            each_its_own = ";" not in cells.get("type", "")  # a type a name, or types that each of them may have
            types = types if cells.get("type") == "the same" else tuple(TYPES.findall(cells.get("type", "")))
            unit = cells["unit"].split("; ")[0] if "unit" in cells else None
            place = _Place(first + number, cells.get("shape", ""), types, each_its_own, unit)
            if kind.startswith("attr"):
                owner = re.search(r"of `?(/[\w/]*)`?", kind)
                attributes = WORD.findall(kind.split(" of ")[0])
                if attributes and names:
                    paths = [_join(group, name) for name in names]
                if attributes or (kind == "attrs" and names):
                    of = [owner[1]] if owner else [_join(group, name) for name in names] or paths[:1]
                    self._add(file, [(path, name) for path in of for name in attributes or ["*"]], "attr" if attributes else "attrs", place)
                else:
                    self._add(file, [(owner[1] if owner else group, name) for name in names], "attr", place)
                continue
            if not names:
                raise ValueError(f"docs/output.md:{first + number}: a row of {file} without a name")
            if "beside each `value`" in cells[head[0]]:
                values = {entry.path for entry in self.entries[file] if entry.path.endswith("/value")}
                for path in sorted(values):
                    self._add(file, [(path.replace("/value", f"/{name}"), "") for name in names if name != "value"], "dataset", place)
                continue
            parent = _join(group, names[0]).rsplit("/", 1)[0]
            paths = [_join(group, names[0]), *(_join(parent, name) for name in names[1:])]
            self._add(file, [(path, "") for path in paths], kind.split(",")[0], place)

    def _add(self, file: str, names: list[tuple[str, str]], kind: str, place: _Place) -> None:
        for number, (path, attribute) in enumerate(names):
            own = (place.types[number],) if place.each_its_own and len(place.types) == len(names) else place.types
            self.entries[file].append(Entry(path or "/", attribute, kind, place.shape, own, place.unit, place.line))


def _type_of(value: object) -> str:
    kind = np.asarray(value).dtype if not isinstance(value, h5py.Dataset) else value.dtype
    return "text" if kind.kind in "SO" else str(kind)


class Comparison:
    """Files of one kind held against their part of the document."""

    def __init__(self, entries: list[Entry]) -> None:
        self._entries = entries
        self._seen: set[Entry] = set()
        self.complaints: list[str] = []

    def take(self, path: Path) -> None:
        """Looks at everything in a file."""
        symbols: dict[tuple[str, str], int] = {}
        with h5py.File(path, "r") as file:
            # Lone letters of shapes come first: b is known before b + 1 is asked for.
            for wants_sum in (False, True):
                self._node(path.name, "/", file, symbols, wants_sum)

                def visit(name: str, node: h5py.Group | h5py.Dataset) -> None:
                    self._node(path.name, f"/{name}", node, symbols, wants_sum)

                visited: list[str] = []
                file.visit(visited.append)  # visititems leaves out second names of one dataset
                for name in visited:
                    visit(name, file[name])
                for group in [file, *(file[name] for name in visited if isinstance(file[name], h5py.Group))]:
                    for name in group:
                        full = f"{group.name.rstrip('/')}/{name}"
                        if full[1:] not in visited:
                            visit(full[1:], group[name])

    def missing(self) -> list[str]:
        """What the document lists and no file had."""
        return [f"{entry}: no file has it" for entry in self._entries if entry not in self._seen]

    def _node(self, file: str, path: str, node: h5py.Group | h5py.Dataset, symbols: dict[tuple[str, str], int], wants_sum: bool) -> None:
        if isinstance(node, h5py.Dataset):
            entry = self._find(file, path, "")
            if entry is not None:
                self._check(f"{file}: {path}", entry, _type_of(node), node.shape, symbols, wants_sum)
                self._check_unit(f"{file}: {path}", entry, node)
            described = set(node.attrs) - {"CLASS", "NAME", "DIMENSION_LIST", "REFERENCE_LIST"}  # names of axes
            unknown = described - {"unit", "description"}
            if unknown:
                self._complain(f"{file}: {path} has the attributes {unknown}")
            if file in ("run.h5", "fields.h5") and _type_of(node) != "text" and described != {"unit", "description"}:
                self._complain(f"{file}: {path} lacks its unit or description")
            return
        self._find_group(file, path)
        for name, value in node.attrs.items():
            entry = self._find(file, path, name)
            if entry is not None:
                self._check(f"{file}: {path} attribute {name}", entry, _type_of(value), np.shape(value), symbols, wants_sum)

    def _complain(self, text: str) -> None:
        if text not in self.complaints:
            self.complaints.append(text)

    def _find_group(self, file: str, path: str) -> None:
        alias = OF_SPECIES.sub("/diffusion", ALIAS.sub("/particles/all", path))
        found = [entry for entry in self._entries if entry.is_of(path, "") and entry.kind == "group"]
        self._seen |= set(found)
        parts = [re.sub("NAME", "[^/]+", entry.path) for entry in self._entries]
        if path != "/" and not found and not any(re.match(part + "(/|$)", alias) or re.match(re.escape(alias) + "(/|$)", entry.path)
                                                 for part, entry in zip(parts, self._entries)):
            self._complain(f"{file}: group {path} is not in the document")

    def _find(self, file: str, path: str, attribute: str) -> Entry | None:
        """What is said of /particles/all holds for those that take its place, too, and what is of /diffusion for each species."""
        for name in (path, ALIAS.sub("/particles/all", path), OF_SPECIES.sub("/diffusion", path)):
            for entry in self._entries:
                if entry.kind != "group" and entry.is_of(name, attribute):
                    self._seen.add(entry)
                    return entry
        self._complain(f"{file}: {path}{' attribute ' + attribute if attribute else ''} is not in the document")
        return None

    def _check(self, what: str, entry: Entry, kind: str, shape: tuple[int, ...], symbols: dict[tuple[str, str], int],
               wants_sum: bool) -> None:
        if entry.types:
            types = {re.sub(r"\[.*", "", found) for found in entry.types}
            if kind not in types:
                self._complain(f"{what} is {kind}, by {entry} {', '.join(sorted(types))}")
        if entry.kind in ("datasets", "attrs"):
            return
        said = re.findall(r"\[([^\]]*)\]", entry.shape or (entry.types[0] if entry.types else ""))
        if len(said) != len(shape):
            self._complain(f"{what} has the shape {shape}, by {entry} '{entry.shape}'")
            return
        scope = entry.path.rsplit("/", 1)[0] if "particles/all" not in entry.path else "particles"
        for letter, length in zip(said, shape):
            self._check_length(what, entry, scope, letter, length, symbols, wants_sum)

    def _check_length(self, what: str, entry: Entry, scope: str, said: str, length: int, symbols: dict[tuple[str, str], int],
                      wants_sum: bool) -> None:
        if not said or (said.isdigit() and int(said) == length):
            return
        match = re.fullmatch(r"([A-Za-z_]\w*)(?: ([+-]) (\d+))?", said)
        if match is None:
            self._complain(f"{what} has the length {length}, by {entry} '{said}'")
            return
        letter = match[1] + entry.path.rsplit("/", 1)[1][0] if match[1] == "b" else match[1]  # bx, by, bz by the name of the axis
        more = int((match[2] or "+") + (match[3] or "0"))
        if match[2] and not wants_sum:
            return
        if symbols.setdefault((scope, letter), length - more) != length - more:
            self._complain(f"{what} has the length {length}, by {entry} '{said}' with {letter} = {symbols[scope, letter]}")

    def _check_unit(self, what: str, entry: Entry, node: h5py.Dataset) -> None:
        if entry.kind != "datasets" and "unit" in node.attrs and entry.unit != node.attrs["unit"].decode():
            self._complain(f"{what} has the unit '{node.attrs['unit'].decode()}', by {entry} '{entry.unit}'")

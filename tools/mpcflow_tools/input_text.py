"""The input that a result file keeps, read as strictly as the program reads inputs (input/yaml_tree.cpp, input/numbers.cpp).

The plain part of YAML 1.2: maps with words as keys, lists, scalars. No anchors, aliases, tags, or keys given twice; bounded
depth, size and numbers, so that time and memory are bounded too.
"""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import Any

import yaml

from mpcflow_tools.errors import MissingResult, ResultsError
from mpcflow_tools.texts import printable

LONGEST_TEXT = 4 << 20  # bytes; these three are the program's (input/yaml_tree.hpp)
DEEPEST_NODE = 16
MOST_NODES = 400_000
LONGEST_NUMBER = 400  # digits; the longest float64 that is written out has 309 before its point

_NUMBER = re.compile(r"[-+]?(?:(?:0|[1-9][0-9]*)(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?")
_WORDS = {"true": True, "false": False, "null": None, "~": None, "": None}
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class _Mapping(dict[str, Any]):
    """A mapping of an input that says which file has no such key."""

    def __init__(self, path: Path, name: str, found: dict[str, Any]) -> None:
        super().__init__((key, _Mapping(path, f"{name}{key}.", value) if isinstance(value, dict) else value)
                         for key, value in found.items())
        self._place = f"{path}: its input has no {name}"

    def __missing__(self, key: str) -> Any:
        raise MissingResult(self._place + key)


class _Fault(Exception):
    """What the program would refuse, too."""


def _scalar(event: yaml.ScalarEvent) -> Any:
    text = str(event.value)
    if event.style:  # in quotes, or a block of text
        return text
    if text in _WORDS:
        return _WORDS[text]
    if len(text) > LONGEST_NUMBER and text[:LONGEST_NUMBER].lstrip("-+").isdigit():
        raise _Fault(f"a number of {len(text)} digits")
    if not _NUMBER.fullmatch(text):
        return text
    if text.lstrip("-+").isdigit():
        number = int(text)
        if not -2**63 <= number < 2**64:
            raise _Fault(f"too large a number, {printable(text, 30)}")
        return number
    value = float(text)
    if not math.isfinite(value):
        raise _Fault(f"too large a number, {printable(text, 30)}")
    return value


class _Tree:
    """Builds dicts and lists from the events of the parser, which are as many as the text is long."""

    def __init__(self) -> None:
        self.root: Any = None
        self._open: list[Any] = []
        self._keys: list[str | None] = []  # of the maps among them: the key that waits for its value
        self._nodes = 0
        self._documents = 0

    def take(self, event: Any) -> None:
        if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None) is not None:
            raise _Fault("an anchor or an alias")
        if isinstance(event, yaml.DocumentStartEvent):
            self._documents += 1
            if self._documents > 1:
                raise _Fault("a second document")
        elif isinstance(event, (yaml.CollectionStartEvent, yaml.ScalarEvent)):
            self._begin(event)
        elif isinstance(event, yaml.CollectionEndEvent):
            node = self._open.pop()
            self._keys.pop()
            self._attach(node)

    def _begin(self, event: Any) -> None:
        self._nodes += 1
        if self._nodes > MOST_NODES:
            raise _Fault(f"more than {MOST_NODES} values")
        if event.tag not in (None, "!"):
            raise _Fault(f"the tag {printable(str(event.tag), 60)}")
        if isinstance(event, yaml.ScalarEvent):
            is_key = bool(self._open) and isinstance(self._open[-1], dict) and self._keys[-1] is None
            self._attach(str(event.value) if is_key else _scalar(event))
            return
        if len(self._open) == DEEPEST_NODE:
            raise _Fault(f"maps and lists more than {DEEPEST_NODE} deep")
        self._open.append({} if isinstance(event, yaml.MappingStartEvent) else [])
        self._keys.append(None)

    def _attach(self, node: Any) -> None:
        if not self._open:
            self.root = node
            return
        holder, key = self._open[-1], self._keys[-1]
        if isinstance(holder, list):
            holder.append(node)
        elif key is None:
            if not isinstance(node, str):
                raise _Fault("a key that is no word")
            if node in holder:
                raise _Fault(f"the key {printable(node, 60)} twice")
            self._keys[-1] = node
        else:
            holder[key] = node
            self._keys[-1] = None


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _is_vector(value: Any) -> bool:
    return isinstance(value, list) and len(value) == 3 and all(_is_number(entry) and abs(entry) <= 1e6 for entry in value)


def _is_wave(value: Any) -> bool:
    waves = value.get("waves", 1) if isinstance(value, dict) else 0
    return isinstance(waves, int) and 1 <= waves <= 1 << 16 and value.get("along") in ("x", "y", "z") and _is_vector(value.get("amplitude"))


def _is_force(value: Any) -> bool:
    if not isinstance(value, dict):
        return False
    known = [_is_vector(value[name]) for name in ("uniform", "gravity") if name in value]
    known += [_is_wave(value[name]) for name in ("sine", "opposed_blocks") if name in value]
    return known == [True]


def _is_shear(axis: str, faces: Any) -> bool:
    """Also where there is none."""
    if not isinstance(faces, dict) or faces.get("kind") != "lees_edwards":
        return True
    rate = faces.get("shear_rate")
    return faces.get("along") in ("x", "y", "z") and faces["along"] != axis and _is_number(rate) and abs(rate) <= 1e6


# Numbers that the tools work with, and what the program takes for them (input/keys.cpp).
_RANGES = {
    "fluid.density": (1e-300, 1e4),
    "fluid.temperature": (1e-6, 1e6),
    "fluid.mass": (1e-6, 1e6),
    "collision.angle": (1e-300, 180.0),
    "collision.time_step": (1e-6, 1e3),
    "run.steps": (0, 2**62),
    "run.equilibration": (0, 2**62),
}


def _check_species(fluid: dict[str, Any]) -> None:
    """Of a mixture the fluid as a whole is added to its species: its density, and as its mass the mean of a particle."""
    species = fluid.get("species") or []
    if not isinstance(species, list) or not all(isinstance(one, dict) and isinstance(one.get("name"), str) and all(
            _is_number(one.get(key)) and 0.0 < one[key] <= 1e6 for key in ("mass", "density")) for one in species):
        raise _Fault("no list of names, masses and densities as fluid.species")
    if species:
        fluid["density"] = float(sum(one["density"] for one in species))
        fluid["mass"] = float(sum(one["mass"] * one["density"] for one in species)) / fluid["density"]


def _check_schedule(fluid: dict[str, Any]) -> None:
    """Of a temperature that follows a schedule the last one is added as that of the fluid, as theory takes it."""
    points = fluid.get("temperature_schedule") or []
    if not isinstance(points, list) or not all(isinstance(point, dict) and _is_number(point.get("step")) and point["step"] >= 0
                                               and _is_number(point.get("temperature")) and 1e-6 <= point["temperature"] <= 1e6
                                               for point in points):
        raise _Fault("no list of steps and temperatures as fluid.temperature_schedule")
    if any(after["step"] <= before["step"] for before, after in zip(points, points[1:])):
        raise _Fault("steps that do not ascend in fluid.temperature_schedule")
    if points:
        fluid["temperature"] = float(points[-1]["temperature"])


def _check(found: dict[str, Any]) -> None:
    """What the tools use of an input is what they take it for, as far as it is there."""
    for section in ("fluid", "collision", "thermostat", "boundaries", "box", "run"):
        if section in found and not isinstance(found[section], dict):
            raise _Fault(f"no keys in {section}")
    for place, (least, most) in _RANGES.items():
        section, key = place.split(".")
        value = found.get(section, {}).get(key, most)
        if not _is_number(value) or not least <= value <= most:
            raise _Fault(f"no number from {least:g} to {most:g} as {place}")
    for place in ("collision.rule", "thermostat.kind"):
        section, key = place.split(".")
        if not isinstance(found.get(section, {}).get(key, ""), str):
            raise _Fault(f"no word as {place}")
    if not all(_is_shear(axis, found.get("boundaries", {}).get(axis)) for axis in ("x", "y", "z")):
        raise _Fault("no rate and axis of the shear as boundaries")
    _check_species(found.get("fluid", {}))
    _check_schedule(found.get("fluid", {}))
    forces = found.get("forces")
    if forces is not None and not (isinstance(forces, list) and all(_is_force(entry) for entry in forces)):
        raise _Fault("no list of forces of three numbers each as forces")


def parse_input(path: Path, text: str) -> dict[str, Any]:
    """The YAML of an input file; a key that is not there raises MissingResult. Raises ResultsError."""
    try:
        if len(text.encode("utf-8", errors="surrogateescape")) > LONGEST_TEXT:
            raise _Fault(f"more than {LONGEST_TEXT} bytes")
        if _CONTROL.search(text):
            raise _Fault("control characters")
        tree = _Tree()
        for event in yaml.parse(text, Loader=_Loader):
            tree.take(event)
        found = tree.root
        if not isinstance(found, dict):
            raise ResultsError(f"{path}: its input is no YAML mapping")
        _check(found)
    except _Fault as fault:
        raise ResultsError(f"{path}: its input has {fault}, which mpcflow does not write: the file is damaged") from fault
    except (yaml.YAMLError, UnicodeError) as error:
        raise ResultsError(f"{path}: its input is no YAML ({printable(str(error).splitlines()[0], 200)})") from error
    return _Mapping(path, "", found)

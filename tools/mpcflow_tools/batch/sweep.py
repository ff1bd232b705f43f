"""The cases of a sweep: values for keys of the input, each combined with each, some of them side by side."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation

from mpcflow_tools.command import BadArgument

MOST_CASES = 10_000
_KEY = re.compile(r"[a-z_]+(?:\.(?:[a-z_]+|\d+))*", re.ASCII)


@dataclass(frozen=True)
class Swept:
    """A key of the input and the values that it is given, as they are written."""

    key: str
    values: tuple[str, ...]


@dataclass(frozen=True)
class Case:
    """One run of a sweep."""

    index: int
    values: dict[str, str] = field(default_factory=dict)  # by key, as they are written; "seed" among them where it is repeated

    @property
    def folder(self) -> str:
        """Of the case, in that of the sweep: Slurm writes %4a alike."""
        return f"case-{self.index:04d}"

    @property
    def label(self) -> str:
        """ "angle=90 density=5": the last words of the keys, which is what people call them."""
        return " ".join(f"{key.rsplit('.', 1)[-1]}={value}" for key, value in self.values.items()) or "the run"


def _steps(key: str, text: str) -> tuple[str, ...]:
    """ "60:150:10" counted up, both ends included."""
    try:
        first, last, step = (Decimal(part) for part in text.split(":"))
        if not all(number.is_finite() for number in (first, last, step)) or step == 0 or (last - first) / step < 0:
            raise ValueError
        count = int((last - first) / step)
    except (ValueError, InvalidOperation) as error:
        raise BadArgument(f"--sweep {key}={text}: is no range first:last:step that leads from the first to the last") from error
    if count >= MOST_CASES:
        raise BadArgument(f"--sweep {key}={text}: has more than {MOST_CASES} values")
    return tuple(f"{(first + i * step).normalize():f}" for i in range(count + 1))


def _values(text: str) -> tuple[str, ...]:
    """ "a,b" and "[8,8,8],[9,9,9]" at the commas that no bracket encloses."""
    parts, depth = [""], 0
    for character in text:
        depth += (character in "[{") - (character in "]}")
        if character == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += character
    return tuple(parts)


def parse_swept(text: str) -> Swept:
    """ "collision.angle=60:150:10" or "fluid.density=5,10,20". Raises BadArgument."""
    key, equals, values = text.partition("=")
    if not equals or not _KEY.fullmatch(key):
        raise BadArgument(f"--sweep {text}: is not key=values, for example collision.angle=60:150:10 or fluid.density=5,10,20")
    if key.split(".")[0] == "output" and key.split(".")[1:2] == ["directory"]:
        raise BadArgument(f"--sweep {text}: each case has a directory of its own already")
    found = _steps(key, values) if values.count(":") == 2 and "," not in values else _values(values)
    if any(not value.strip() for value in found):
        raise BadArgument(f"--sweep {text}: has an empty value")
    if len(set(found)) < len(found):
        raise BadArgument(f"--sweep {text}: has a value twice (--repeat runs cases again with other seeds)")
    return Swept(key, found)


def _groups(swept: Sequence[Swept], together: Sequence[str]) -> list[list[Swept]]:
    """Keys that change together, in the order in which they were first given. Raises BadArgument."""
    by_key = {one.key: one for one in swept}
    if len(by_key) < len(swept):
        raise BadArgument("--sweep: a key is given twice")
    groups: dict[str, list[Swept]] = {}
    leader = {key: key for key in by_key}
    for text in together:
        keys = text.split(",")
        for key in keys:
            if key not in by_key:
                raise BadArgument(f"--zip {text}: '{key}' is not swept, only {', '.join(by_key) or 'nothing'}")
            if leader[key] != key or (key in groups and len(groups[key]) > 1):
                raise BadArgument(f"--zip {text}: '{key}' is in another --zip, too")
        if len(keys) < 2 or len(set(keys)) < len(keys):
            raise BadArgument(f"--zip {text}: two or more keys are needed, each once")
        if len({len(by_key[key].values) for key in keys}) > 1:
            counts = ", ".join(f"{key} has {len(by_key[key].values)}" for key in keys)
            raise BadArgument(f"--zip {text}: keys that change together have as many values: {counts}")
        for key in keys:
            leader[key] = keys[0]
        groups[keys[0]] = [by_key[key] for key in keys]
    return [groups.get(key, [one]) for key, one in by_key.items() if leader[key] == key]


def make_cases(swept: Sequence[Swept], together: Sequence[str], repeats: int, seed: int) -> list[Case]:
    """All cases: the last key changes fastest. `repeats` gives each as many seeds, from `seed` on. Raises BadArgument."""
    groups = _groups(swept, together)
    if repeats > 1 and any(one.key == "seed" for one in swept):
        raise BadArgument("--repeat: changes the seed, which is swept already")
    count = math.prod(len(group[0].values) for group in groups) * repeats
    if count > MOST_CASES:
        raise BadArgument(f"the sweep has {count} cases, and {MOST_CASES} are the most")
    cases: list[Case] = []
    for choice in itertools.product(*(range(len(group[0].values)) for group in groups)):
        values = {one.key: one.values[i] for group, i in zip(groups, choice, strict=True) for one in group}
        for repeat in range(repeats):
            again = {"seed": str(seed + repeat)} if repeats > 1 else {}
            cases.append(Case(len(cases), values | again))
    return cases

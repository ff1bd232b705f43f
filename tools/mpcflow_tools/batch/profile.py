"""A cluster's profile: what its jobs ask for, from ~/.config/mpcflow/clusters/NAME.yaml. docs/cluster.md has the keys."""

from __future__ import annotations

import difflib
import os
import re
import shlex
from collections.abc import Callable
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import yaml

from mpcflow_tools.batch.times import seconds_of
from mpcflow_tools.errors import ManyErrors
from mpcflow_tools.texts import printable

SCHEDULERS = ("slurm", "pbs", "local")
LONGEST_FILE = 1 << 16
ONE_PROCESS = "nodes, ranks_per_node, gpus_per_node: with {} a case is one process; several ranks are for slurm"


class ProfileError(ManyErrors):
    """A profile has errors; a line for each, with file, line and column."""


@dataclass(frozen=True)
class Profile:
    """What a job asks for. Each key is one of the file."""

    scheduler: str = "slurm"
    partition: str | None = None
    account: str | None = None
    qos: str | None = None
    time_limit: str | None = None  # of one job
    margin: int = 120  # seconds before the limit at which a run is told to save and stop
    nodes: int = 1
    ranks_per_node: int | None = None
    gpus_per_node: int = 0  # of several ranks: a rank is a GPU
    launcher: str = "srun --mpi=pmix --kill-on-bad-exit=1"  # of several ranks, in a job
    cpus: int = 1  # of a rank
    memory: str | None = None
    gpus: int = 0  # of one process
    gpu_type: str | None = None
    at_once: int | None = None  # jobs of a sweep
    requeue: bool = True
    failures: int = 3  # in a row, without a step done, after which a case is given up
    setup: str = ""  # shell lines before the run
    program: str = "mpcflow"
    container: str | None = None
    options: tuple[str, ...] = ()  # further options of sbatch or qsub

    @property
    def limit_seconds(self) -> int | None:
        return None if self.time_limit is None else seconds_of(self.time_limit)

    @property
    def ranks(self) -> int:
        """Processes of a case."""
        return self.nodes * self.ranks_here

    @property
    def ranks_here(self) -> int:
        """Of these, on each node."""
        return self.ranks_per_node or self.gpus_per_node or 1

    @property
    def gpus_here(self) -> int:
        """GPUs of a case on each node."""
        return self.gpus or self.gpus_per_node


# -- what a key may be: its JSON Schema, and the same in words

_WORD = r"[A-Za-z0-9_.:/@+-]+"


@dataclass(frozen=True)
class _Kind:
    words: str
    schema: dict[str, Any]
    accepts: Callable[[Any], bool]


def _text(pattern: str, words: str) -> _Kind:
    return _Kind(words, {"type": "string", "pattern": f"^(?:{pattern})$"},
                 lambda value: isinstance(value, str) and re.fullmatch(pattern, value, re.ASCII) is not None)


def _whole(least: int, most: int) -> _Kind:
    return _Kind(f"a whole number from {least} to {most}", {"type": "integer", "minimum": least, "maximum": most},
                 lambda value: type(value) is int and least <= value <= most)


_IN_LINE = r"[^\u0000-\u001f\u007f]"
_ANY_LINE = _text(f"{_IN_LINE}+", "a text of one line")
_TIME = r"(?=.*[1-9])(?:\d{1,6}-)?\d{1,6}:[0-5]\d:[0-5]\d"


def _is_command(value: Any) -> bool:
    """Whether a shell finds words in it; the schema cannot tell whether quotes are closed."""
    try:
        return _ANY_LINE.accepts(value) and any(shlex.split(value)[:1])
    except ValueError:
        return False


_COMMAND = _Kind("how a shell calls it, with quotes that are closed",
                 {"type": "string", "pattern": f"^{_IN_LINE}*(?! ){_IN_LINE}+$"}, _is_command)

_KINDS: dict[str, _Kind] = {
    "scheduler": _Kind(f"one of {', '.join(SCHEDULERS)}", {"enum": list(SCHEDULERS)},
                       lambda value: isinstance(value, str) and value in SCHEDULERS),
    "partition": _text(_WORD + "(?:," + _WORD + ")*", "the name of a partition (PBS: a queue), or several with commas"),
    "account": _text(_WORD, "the name of an account"),
    "qos": _text(_WORD, "the name of a quality of service"),
    "time_limit": _text(_TIME, 'a time in quotes such as "4:00:00" or "1-00:00:00"'),
    "margin": _whole(1, 3600),
    "nodes": _whole(1, 4096),
    "ranks_per_node": _whole(1, 1024),
    "gpus_per_node": _whole(1, 64),
    "launcher": _COMMAND,
    "cpus": _whole(1, 4096),
    "memory": _text(r"[1-9]\d*[KMGT]", "a size such as 8G"),
    "gpus": _whole(0, 64),
    "gpu_type": _text(_WORD, "the name of a type of GPU"),
    "at_once": _whole(1, 10_000),
    "requeue": _Kind("true or false", {"type": "boolean"}, lambda value: isinstance(value, bool)),
    "failures": _whole(1, 100),
    "setup": _text(r"[^\u0000]*", "shell lines"),
    "program": _COMMAND,
    "container": _ANY_LINE,
    "options": _Kind("a list of texts that begin with -",
                     {"type": "array", "items": {"type": "string", "pattern": f"^-{_IN_LINE}*$"}},
                     lambda value: isinstance(value, list) and all(_ANY_LINE.accepts(one) and one.startswith("-") for one in value)),
}
assert set(_KINDS) == {one.name for one in fields(Profile)}


def schema() -> dict[str, Any]:
    """The JSON Schema of profiles, for editors."""
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "A cluster's profile of mpcflow-submit",
            "type": "object", "additionalProperties": False,
            "properties": {key: kind.schema | {"description": kind.words} for key, kind in _KINDS.items()}}


# -- reading

def _value(node: yaml.Node) -> Any:
    """Of a scalar or a list of scalars, by YAML 1.2's words alone: no dates, no sexagesimal numbers, no yes."""
    if isinstance(node, yaml.SequenceNode):
        return [_value(one) for one in node.value]
    if not isinstance(node, yaml.ScalarNode):
        return node
    # JSON, which is YAML, may write a letter as two surrogates.
    text = str(node.value).encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if node.style:
        return text
    if text in ("true", "false"):
        return text == "true"
    if re.fullmatch(r"-?\d{1,18}", text, re.ASCII):
        return int(text)
    return None if text in ("", "~", "null") else text


def _told(path: Path, node: yaml.Node, text: str) -> str:
    return f"{path}:{node.start_mark.line + 1}:{node.start_mark.column + 1}: {text}"


def _place(path: Path, before: str) -> str:
    """That of the character which follows `before`, the beginning of the file."""
    lines = before.splitlines() if not before.endswith("\n") else [*before.splitlines(), ""]
    return f"{path}:{max(1, len(lines))}:{len(lines[-1]) + 1 if lines else 1}"


def _profile(found: dict[str, Any]) -> Profile:
    values: dict[str, Any] = {key: tuple(value) if isinstance(value, list) else value for key, value in found.items()}
    return Profile(**values)


def parse_profile(path: Path, text: str) -> Profile:
    """The profile in `text`, which is that of the file `path`. Raises ProfileError with all that is wrong."""
    if len(text) > LONGEST_FILE:
        raise ProfileError([f"{path}: is longer than {LONGEST_FILE} characters, as no profile is"])
    try:
        for event in yaml.parse(text, Loader=yaml.SafeLoader):
            if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None) is not None:
                raise ProfileError([f"{path}:{event.start_mark.line + 1}:{event.start_mark.column + 1}: anchors and aliases have no "
                                    "place in a profile"])
        root = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        where = f":{mark.line + 1}:{mark.column + 1}" if mark else ""
        raise ProfileError([f"{path}{where}: is no YAML: {error.problem}"]) from error
    except yaml.reader.ReaderError as error:
        raise ProfileError([f"{_place(path, text[:error.position])}: is no YAML: has the character U+{error.character:04X}"]) from error
    except (yaml.YAMLError, RecursionError) as error:
        raise ProfileError([f"{path}: is no YAML: {printable(str(error).splitlines()[0], 200)}"]) from error
    if root is None:
        return Profile()
    if not isinstance(root, yaml.MappingNode):
        raise ProfileError([_told(path, root, "a profile is a map of keys")])
    found: dict[str, Any] = {}
    nodes: dict[str, yaml.Node] = {}
    errors: list[str] = []
    for key_node, value_node in root.value:
        key = str(key_node.value) if isinstance(key_node, yaml.ScalarNode) else ""
        kind = _KINDS.get(key)
        if kind is None:
            near = difflib.get_close_matches(key, _KINDS, 1)
            hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(_KINDS)}"
            errors.append(_told(path, key_node, f"{printable(key, 60) or 'this'}: is not a key; {hint}"))
        elif key in found:
            errors.append(_told(path, key_node, f"{key}: is given twice"))
        else:
            found[key] = _value(value_node)
            nodes[key] = value_node
            if not kind.accepts(found[key]):
                shown = printable(str(found[key]), 60) if not isinstance(found[key], yaml.Node) else "a map"
                errors.append(_told(path, value_node, f"{key}: {shown} is not {kind.words}"))
    if not errors:
        profile = _profile(found)
        if profile.limit_seconds is not None and profile.limit_seconds <= profile.margin:
            errors.append(_told(path, nodes.get("margin", nodes["time_limit"]),
                                f"margin: {profile.margin} s leave nothing of the time_limit {profile.time_limit}"))
        if profile.gpu_type is not None and profile.gpus_here == 0:
            errors.append(_told(path, nodes["gpu_type"], "gpu_type: needs gpus or gpus_per_node: 1 or more"))
        if profile.gpus > 0 and (profile.ranks > 1 or profile.gpus_per_node > 0):
            errors.append(_told(path, nodes["gpus"], "gpus: is of a case that is one process; one of several ranks has gpus_per_node"))
        if profile.gpus_per_node not in (0, profile.ranks_here):
            errors.append(_told(path, nodes["ranks_per_node"], f"ranks_per_node: a rank is a GPU, of which there are "
                                f"{profile.gpus_per_node}: leave it out"))
        if profile.ranks > 1 and profile.scheduler != "slurm":
            place = next(nodes[key] for key in ("nodes", "ranks_per_node", "gpus_per_node") if key in nodes)
            errors.append(_told(path, place, ONE_PROCESS.format(profile.scheduler)))
    if errors:
        raise ProfileError(errors)
    return profile


def profile_folder() -> Path:
    """Where profiles lie."""
    base = os.environ.get("XDG_CONFIG_HOME", "")
    return (Path(base) if os.path.isabs(base) else Path.home() / ".config") / "mpcflow" / "clusters"


def read_profile(name: str | None) -> Profile:
    """The profile of that name, or in the file of that name where it has a slash or ends in .yaml; without a name "default", or what
    Profile() says where there is none. Raises ProfileError."""
    folder = profile_folder()
    path = Path(name) if name is not None and ("/" in name or name.endswith(".yaml")) else folder / f"{name or 'default'}.yaml"
    try:
        content = path.read_bytes()
        text = content.decode("utf-8")
    except FileNotFoundError as error:
        if name is None:
            return Profile()
        there = sorted(one.stem for one in folder.glob("*.yaml")) if folder.is_dir() else []
        raise ProfileError([f"{path}: no such profile; {folder} has {', '.join(there) or 'none'}"]) from error
    except UnicodeDecodeError as error:
        raise ProfileError([f"{_place(path, content[:error.start].decode('utf-8'))}: is not UTF-8"]) from error
    except OSError as error:
        raise ProfileError([f"{path}: cannot be read ({error.strerror})"]) from error
    return parse_profile(path, text)


def profile_as_json(profile: Profile) -> dict[str, Any]:
    """What differs from the default, to be kept with a sweep."""
    return {one.name: (list(value) if isinstance(value, tuple) else value) for one in fields(Profile)
            if (value := getattr(profile, one.name)) != one.default}


def profile_from_json(path: Path, found: Any) -> Profile:
    """Of profile_as_json. Raises ProfileError."""
    if not isinstance(found, dict):
        raise ProfileError([f"{path}: profile: is not what mpcflow-submit writes"])
    wrong = [key for key, value in found.items() if key not in _KINDS or not _KINDS[key].accepts(value)]
    if wrong:
        raise ProfileError([f"{path}: profile: {printable(key, 60)}: is not what mpcflow-submit writes"
                            for key in wrong])
    return _profile(found)

"""Completions for bash, zsh and fish: commands, options, their values, and files by their endings."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from help_text import Entry, Page

FILES = re.compile(r"(?:FILE|DIR|RUN|INPUT)(?:\.(\w+))?$")
ENDINGS = {"yaml": ["yaml", "yml"]}


@dataclass(frozen=True)
class Values:
    """What may stand in a place: words, and files with these endings ("*": any) beside folders."""

    words: tuple[str, ...] = ()
    endings: tuple[str, ...] = ()

    @property
    def glob(self) -> str:
        return "*" if "*" in self.endings else f"*.({'|'.join(self.endings)})"


def input_keys(schema: str) -> tuple[str, ...]:
    """The keys that --set knows, from the JSON Schema of the input: "box.size=" ..."""

    def walk(node: object, path: str) -> Iterator[str]:
        properties = node.get("properties") if isinstance(node, dict) else None
        if not isinstance(properties, dict):
            yield f"{path}="
            return
        for name, below in properties.items():
            yield from walk(below, f"{path}.{name}" if path else name)

    return tuple(walk(json.loads(schema), ""))


def values(argument: str, keys: tuple[str, ...]) -> Values:
    """What the text of an argument allows: FILE.yaml, auto|never|FILE, {x,y,z}, path=value."""
    choices = re.search(r"\{([^}]*)\}", argument)
    if choices:
        return Values(tuple(choices[1].split(",")))
    if re.match(r"(path=value|KEY=VALUES?)\b", argument):
        return Values(keys)
    words: list[str] = []
    endings: list[str] = []
    for part in argument.strip("[]").split()[0].split("|") if argument.strip("[]") else []:
        files = FILES.match(part)
        if files:
            endings += ENDINGS.get(files[1], [files[1]]) if files[1] else ([] if part == "DIR" else ["*"])
            endings += [""] if part == "DIR" else []
        elif "|" in argument and re.fullmatch(r"[a-z]+", part):
            words.append(part)
    return Values(tuple(words), tuple(endings))


def _place(page: Page, keys: tuple[str, ...]) -> Values:
    """What the first argument of a command may be: the others are names of what is in its files."""
    return values(page.arguments[0].argument or page.arguments[0].name, keys) if page.arguments else Values()


def _options(page: Page) -> list[str]:
    return [
        name
        for entry in page.options
        for name in entry.names
        if name.startswith("--") or len(entry.names) == 1
    ]


# -- bash

BASH = r"""# bash completion of mpcflow and its tools, made from their --help when mpcflow was built.

# _mpcflow_place PLACE: the place is a command, or a command and its option; sets what may stand there.
_mpcflow_place() {
    commands='' options='' words='' endings=''
    case $1 in
@PLACES@
        *) return 1 ;;
    esac
}

_mpcflow_files() {
    local ending kinds=(-d)
    compopt -o filenames 2>/dev/null
    for ending in $endings; do
        case $ending in
            any) kinds=(-f) && break ;;
            folders) ;;
            *) mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -f -X "!*.$ending" -- "$current") ;;
        esac
    done
    mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen "${kinds[@]}" -- "$current")
}

_mpcflow() {
    local current=$2 before=$3 place=${1##*/} commands options words endings i given=0
    COMPREPLY=()
    for ((i = 1; i < COMP_CWORD; i++)); do
        _mpcflow_place "$place"
        if [[ " $commands " == *" ${COMP_WORDS[i]} "* && ${COMP_WORDS[i]} != help ]]; then
            place+=" ${COMP_WORDS[i]}"
            given=0
        elif _mpcflow_place "$place ${COMP_WORDS[i]}"; then
            [[ ${COMP_WORDS[i + 1]} == = ]] && ((i++))
            ((i++))
        elif [[ ${COMP_WORDS[i]} != -* && ${COMP_WORDS[i]} != help ]]; then
            given=1
        fi
    done
    # --option=value is three words.
    [[ $current == = ]] && current=''
    [[ $before == = ]] && before=${COMP_WORDS[COMP_CWORD - 2]}
    [[ ${COMP_WORDS[COMP_CWORD]} == = ]] && before=${COMP_WORDS[COMP_CWORD - 1]}
    if ! _mpcflow_place "$place $before"; then
        _mpcflow_place "$place"
        if [[ $current == -* ]]; then
            words=$options endings=''
        elif ((given)); then
            words='' endings=''
        else
            words="$commands $words"
        fi
    fi
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
    [[ ${COMPREPLY[0]} == *= ]] && compopt -o nospace 2>/dev/null
    [[ -z $endings ]] || _mpcflow_files
}
"""


def _bash_place(place: str, commands: Sequence[str], options: Sequence[str], found: Values) -> str:
    endings = ["any" if ending == "*" else ending or "folders" for ending in found.endings]
    parts = [
        f"{name}='{' '.join(content)}'"
        for name, content in (
            ("commands", commands),
            ("options", options),
            ("words", found.words),
            ("endings", endings),
        )
        if content
    ]
    return f"        '{place}') {' '.join(parts) or ':'} ;;"


def bash(roots: Sequence[Page], keys: tuple[str, ...]) -> str:
    lines = []
    for root in roots:
        for page in root.all():
            words = " ".join(page.words)
            commands = [entry.name for entry in page.commands] + (
                ["help"] if page.words == ("mpcflow",) else []
            )
            lines.append(_bash_place(words, commands, _options(page), _place(page, keys)))
            for entry in page.options:
                for name in entry.names if entry.argument else []:
                    lines.append(_bash_place(f"{words} {name}", (), (), values(entry.argument, keys)))
    return (
        BASH.replace("@PLACES@", "\n".join(lines))
        + f"complete -F _mpcflow {' '.join(root.name for root in roots)}\n"
    )


# -- zsh


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"


def _zsh_about(text: str) -> str:
    return re.sub(r"([\[\]:\\])", r"\\\1", text)


def _zsh_action(found: Values) -> str:
    actions = [f"({' '.join(word for word in found.words)})"] if found.words else []
    if found.endings:
        actions = [f'_files -g "{found.glob}"' if any(found.endings) else "_files -/"]
    return actions[0] if actions else " "


def _zsh_function(page: Page, keys: tuple[str, ...]) -> str:
    specs = []
    for entry in page.options:
        names = [name for name in entry.names if name.startswith("-")]
        many = "*" if "..." in entry.argument or "KEY" in entry.argument else ""
        action = (
            f":{_zsh_about(entry.argument)}:{_zsh_action(values(entry.argument, keys))}"
            if entry.argument
            else ""
        )
        specs += [_quoted(f"{many}{name}[{_zsh_about(entry.about)}]{action}") for name in names]
    lines = [f"_page_{page.name}() {{"]
    if page.pages:
        listed = " ".join(_quoted(f"{entry.name}:{_zsh_about(entry.about)}") for entry in page.commands)
        branches = " ".join(f"{each.words[-1]}) _page_{each.name} ;;" for each in page.pages)
        first = f'_files -g "{_place(page, keys).glob}"; ' if page.arguments else ""
        lines += [
            "  local curcontext=$curcontext state line",
            f"  local -a commands=({listed})",
            f"  _arguments -C {' '.join(specs)} '1:command:->first' '*::argument:->rest'",
            "  case $state in",
            f"    first) {first}_describe command commands ;;",
            f"    rest) case $line[1] in {branches} *) _files ;; esac ;;",
            "  esac",
        ]
    else:
        place = _place(page, keys)
        argument = (
            [
                _quoted(
                    f"1:{_zsh_about(page.arguments[0].argument or page.arguments[0].name)}"
                    f":{_zsh_action(place)}"
                )
            ]
            if page.arguments
            else []
        )
        lines.append(f"  _arguments {' '.join(specs + argument)}")
    return "\n".join([*lines, "}"])


def zsh(roots: Sequence[Page], keys: tuple[str, ...]) -> str:
    functions = [_zsh_function(page, keys) for root in roots for page in root.all()]
    return "\n".join(
        [
            f"#compdef {' '.join(root.name for root in roots)}",
            "# Made from --help by packaging/pages when mpcflow was built.",
            *functions,
            "_page_${service}",
            "",
        ]
    )


# -- fish


def _fish_option(command: str, condition: str, entry: Entry, keys: tuple[str, ...]) -> str:
    parts = [f"complete -c {command} -n {_quoted(condition)}"]
    for name in entry.names:
        parts.append(f"-l {name[2:]}" if name.startswith("--") else f"-s {name[1:]}")
    if entry.argument:
        found = values(entry.argument, keys)
        parts.append("-r" if found.endings else "-x")
        parts += [f"-a {_quoted(' '.join(found.words))}"] if found.words else []
    return " ".join([*parts, f"-d {_quoted(entry.about)}"])


def fish(root: Page, keys: tuple[str, ...]) -> str:
    lines = ["# Made from --help by packaging/pages when mpcflow was built."]
    for page in root.all():
        chosen = [f"__fish_seen_subcommand_from {word}" for word in page.words[1:]]
        below = (
            [f"not __fish_seen_subcommand_from {' '.join(entry.name for entry in page.commands)}"]
            if page.commands
            else []
        )
        condition = "; and ".join(chosen + below) or "true"
        lines += [
            f"complete -c {root.name} -n {_quoted(condition)} "
            f"{'-f ' if not page.arguments else ''}-a {entry.name} "
            f"-d {_quoted(entry.about)}"
            for entry in page.commands
        ]
        lines += [_fish_option(root.name, condition, entry, keys) for entry in page.options]
    return "\n".join(lines) + "\n"

"""What `--help` of a command says, as parts: the one source of its manual page and of its completion."""

from __future__ import annotations

import os
import re
import subprocess
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

SECTIONS = {
    "positionals": "arguments",
    "positional arguments": "arguments",
    "options": "options",
    "subcommands": "commands",
}


@dataclass
class Entry:
    """A line of a list: `name` is "-h,--help", "file" or a command, `argument` what follows it."""

    name: str
    argument: str
    about: str

    @property
    def names(self) -> list[str]:
        return [name.strip() for name in self.name.split(",")]


@dataclass
class Page:
    """The help of one command: its words, such as mpcflow bench step, and what it says."""

    words: tuple[str, ...]
    usage: str = ""
    text: list[str] = field(
        default_factory=list
    )  # lines before the lists, the first says what the command is
    after: list[str] = field(default_factory=list)  # lines after them
    arguments: list[Entry] = field(default_factory=list)
    options: list[Entry] = field(default_factory=list)
    commands: list[Entry] = field(default_factory=list)
    pages: list[Page] = field(default_factory=list)  # of the commands

    @property
    def name(self) -> str:
        return "-".join(self.words)

    def all(self) -> Iterator[Page]:
        yield self
        for page in self.pages:
            yield from page.all()


def columns(lines: Sequence[str]) -> list[tuple[str, str]]:
    """The two columns of a list; lines that begin where the second one does go on with it.

    An option whose name ends just before the second column has one space behind it, all others have two.
    """
    starts = Counter(match.end() for line in lines if (match := re.match(r" +\S.*?(?<!,) {2,}(?=\S)", line)))
    starts.update(len(line) - len(line.lstrip()) for line in lines if re.match(r" {8,}\S", line))
    column = starts.most_common(1)[0][0] if starts else 0
    found: list[tuple[str, str]] = []
    for line in lines:
        indent = len(line) - len(line.lstrip())
        if found and indent >= 8:
            found[-1] = (found[-1][0], f"{found[-1][1]} {line.strip()}".strip())
        elif (
            line.strip().startswith("-")
            and column > indent
            and line[column - 1 : column] == " "
            and line[column : column + 1].strip()
        ):
            found.append((line[:column].strip(), line[column:].strip()))
        else:
            left, _, right = re.sub(r"(?<!,) {2,}", "\0", line.strip(), count=1).partition("\0")
            found.append((left, right))
    return found


def _entry(left: str, right: str) -> Entry:
    """-h,--help, --set path=value ..., --frames START:STOP, -h, --help, file FILE.yaml, [SUBJECT]"""
    match = re.match(r"(-[^\s,]+(?:,\s*-[^\s,]+)*|\S+)\s*(.*)", left)
    assert match, left
    return Entry(re.sub(r",\s*", ", ", match[1]), match[2], right)


def parse(words: tuple[str, ...], text: str) -> Page:
    """The page of a command from what its --help prints (CLI11's and argparse's ways of writing it)."""
    page = Page(words)
    listed: dict[str, list[str]] = {}
    section = ""
    for line in text.splitlines():
        title = SECTIONS.get(line.rstrip(":").lower()) if line.endswith(":") else None
        if title:
            section = title
            listed[section] = []
        elif line.lower().startswith("usage: "):
            page.usage = line.split(": ", 1)[1].removeprefix(" ".join(words)).strip()
        elif section and (not line or line.startswith(" ")):
            listed[section] += [line] if line else []
        elif listed:
            section = ""
            page.after.append(line)
        elif line or page.text:
            page.text.append(line)
    for name, lines in listed.items():
        setattr(page, name, [_entry(left, right) for left, right in columns(lines)])
    if not page.usage and not page.options:
        raise SystemExit(f"{' '.join(words)} --help: is no help that make_pages.py can read:\n{text[:400]}")
    return page


def read(words: tuple[str, ...], command: Sequence[str], environment: Mapping[str, str]) -> Page:
    """The page of a command, and those of its commands."""
    done = subprocess.run(
        [*command, *words[1:], "--help"],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **environment, "COLUMNS": "1000", "NO_COLOR": "1", "LC_ALL": "C.UTF-8"},
    )
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(words)} --help: exit status {done.returncode}\n{done.stderr}")
    page = parse(words, done.stdout)
    if not page.commands and len(words) == 1:  # argparse: those that the description shows
        shown = re.findall(rf"^ +{re.escape(words[0])} ([a-z]+)\b(.*)$", "\n".join(page.text), re.M)
        page.commands = [Entry(name, "", columns([f"  {name}{rest}"])[0][1]) for name, rest in shown]
    page.pages = [read((*words, entry.name), command, environment) for entry in page.commands]
    return page

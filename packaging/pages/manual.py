"""Manual pages, in the macros of man(7)."""

from __future__ import annotations

import re
from collections.abc import Sequence

from help_text import Entry, Page, columns


def escaped(text: str) -> str:
    text = text.replace("\\", "\\e").replace("-", "\\-")
    text = "".join(letter if letter.isascii() else f"\\[u{ord(letter):04X}]" for letter in text)
    return re.sub(r"^([.'])", r"\\&\1", text)


def bold(text: str) -> str:
    return f"\\fB{escaped(text)}\\fR".replace("\\fB\\&", "\\&\\fB") if text else ""


def _items(pairs: Sequence[tuple[str, str]]) -> list[str]:
    lines = []
    for left, right in pairs:
        lines += [".TP", left, escaped(right)] if right else [".TP", left, "\\&"]
    return lines


def _entries(entries: Sequence[Entry]) -> list[str]:
    return _items(
        [
            (
                ", ".join(map(bold, entry.names)) + (f" {escaped(entry.argument)}" if entry.argument else ""),
                entry.about,
            )
            for entry in entries
        ]
    )


def _prose(lines: Sequence[str]) -> list[str]:
    """Paragraphs, and lists where lines are indented."""
    found: list[str] = []
    for block in re.split(r"\n\s*\n", "\n".join(lines).strip("\n")):
        parts = block.splitlines()
        if not parts:
            continue
        if all(part.startswith(" ") for part in parts):
            found += _items([(bold(left), right) for left, right in columns(parts)])
        else:
            found += [".PP", *map(escaped, map(str.strip, parts))]
    return found


def _commands(page: Page) -> list[str]:
    """Commands with pages of their own by reference; those of a tool with all that they say."""
    if page.words[0] == "mpcflow":
        return _items(
            [
                (f"{bold(each.name)}(1)", entry.about)
                for each, entry in zip(page.pages, page.commands, strict=True)
            ]
        )
    lines = []
    for each in page.pages:
        lines += [
            f".SS {escaped(' '.join(each.words))} {escaped(each.usage)}",
            escaped(" ".join(filter(None, each.text))),
        ]
        lines += _entries([*each.arguments, *each.options])
    return lines


def manual(page: Page, others: Sequence[str], version: str, date: str) -> str:
    """The manual page of a command; `others` are the pages to see also."""
    about = page.text[0] if page.text else ""
    about = about.removeprefix(f"{page.name}: ").rstrip(".")
    after = "\n".join(page.after)
    closing, _, status = after.partition("Exit status: ")
    lines = [
        f'.TH {escaped(page.name.upper())} 1 {date} "mpcflow {version}" "mpcflow"',
        ".SH NAME",
        f"{escaped(page.name)} \\- {escaped(about)}",
        ".SH SYNOPSIS",
        f"{bold(' '.join(page.words))} {escaped(page.usage)}",
    ]
    description = _prose([*page.text[1:], "", *closing.splitlines()])
    if description:
        lines += [".SH DESCRIPTION", *description[1 if description[0] == ".PP" else 0 :]]
    for title, content in (
        ("ARGUMENTS", _entries(page.arguments)),
        ("OPTIONS", _entries(page.options)),
        ("COMMANDS", _commands(page)),
    ):
        if content:
            lines += [f".SH {title}", *content]
    if status:
        lines += [".SH EXIT STATUS", *map(escaped, status.strip().splitlines())]
    seen = [name for name in others if name != page.name]
    lines += [
        ".SH SEE ALSO",
        ",\n".join(f"{bold(name)}(1)" for name in seen),
        ".PP",
        "The guide is in share/doc/mpcflow of the installation.",
    ]
    return "\n".join(lines) + "\n"

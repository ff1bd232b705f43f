"""Texts that others wrote, made fit for a terminal, a table and a name of a file: the one place where that is done."""

from __future__ import annotations

import re
import unicodedata

# Controls of C0 and C1, halves of surrogate pairs (bytes that are not UTF-8, too), line separators, and formats: these turn
# the direction of writing or cannot be seen. The joiners among the formats are parts of words.
_HIDDEN = frozenset(("Cc", "Cs", "Cf", "Zl", "Zp"))
_JOINERS = "\u200c\u200d"

_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}")
_NOT_IN_UNITS = re.compile(r"[^A-Za-z0-9 ()^/*+._-]")
LONGEST_UNIT = 100


def _is_hidden(character: str) -> bool:
    return unicodedata.category(character) in _HIDDEN and character not in _JOINERS


def _escape(character: str) -> str:
    code = ord(character)
    if 0xDC80 <= code <= 0xDCFF:  # how Python keeps a byte that is not UTF-8
        code -= 0xDC00
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def printable(text: str, longest: int | None = None) -> str:
    """`text` on one line, whatever a terminal would have taken for a command or not shown as escapes: \\x1b, \\u202e. At most
    `longest` characters of it."""
    if longest is not None and len(text) > longest:
        text = text[:longest] + "..."
    if text.isascii() and text.isprintable():
        return text
    return "".join(_escape(character) if _is_hidden(character) else character for character in text)


def printable_lines(text: str) -> str:
    """The same of a text of several lines, with the tabs in them."""
    return "\n".join("\t".join(printable(part) for part in line.split("\t")) for line in text.replace("\r\n", "\n").split("\n"))


def is_name(text: str) -> bool:
    """Whether `text` can be the name of a column, of an array in an archive, and of an attribute of XML: no path, no markup."""
    return _NAME.fullmatch(text) is not None


def plain_unit(text: str) -> str:
    """A unit as mpcflow writes them: letters, digits, powers and fractions; what is anything else becomes "?"."""
    return _NOT_IN_UNITS.sub("?", text[:LONGEST_UNIT])

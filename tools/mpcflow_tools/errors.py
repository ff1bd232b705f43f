"""What goes wrong with result files."""

from __future__ import annotations

from collections.abc import Sequence


class ResultsError(Exception):
    """A result file cannot be read; says which and why."""

    status = 3  # exit status of a command that ends with it: the environment


class MissingResult(ResultsError, KeyError):
    """The results do not hold what was asked for; says what they hold."""

    status = 2  # the arguments

    __str__ = Exception.__str__  # KeyError would print quotes


class ManyErrors(ResultsError):
    """All that is wrong with what a user wrote, a line each."""

    status = 2

    def __init__(self, lines: Sequence[str]) -> None:
        super().__init__("; ".join(lines))
        self.lines = list(lines)


class DamagedFile(ResultsError):
    """The bytes of a file are not those that were written; says what to do."""

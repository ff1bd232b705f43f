"""Measured numbers beside what they should be, and whether they are inside the limits that are wanted.

A number is inside where it is no farther from its reference than the limit. One that is farther is told so; whether its own standard error,
and that of the reference, allow for that decides the exit status: it is a failure where it is beyond the limit by more than so many
of them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from mpcflow_tools.flow_report import Quantity

# By how many standard errors beyond its limit a number fails: of the hundred and more of the page, chance puts none so far.
SIGMAS = 3.0


@dataclass(frozen=True)
class Comparison:
    """A reference, and how far from it a number may be: `limit` in parts of the reference, or, where it is absolute, in the number's unit.
    Without a limit it stands beside the number, no more."""

    reference: float
    error: float = 0.0
    limit: float | None = None
    absolute: bool = False

    def off(self, measured: Quantity) -> float:
        """In the terms of the limit."""
        difference = measured.value - self.reference
        return difference if self.absolute else difference / abs(self.reference)

    def sigmas_beyond(self, measured: Quantity) -> float:
        """By how many standard errors, of both together, the number is beyond its limit; below 0 where it is inside."""
        if self.limit is None:
            return -math.inf
        spread = math.hypot(measured.error, self.error) / (1.0 if self.absolute else abs(self.reference))
        beyond = abs(self.off(measured)) - self.limit
        return math.inf if not math.isfinite(beyond) or not spread > 0.0 else beyond / spread

    def words(self, measured: Quantity) -> str:
        off = self.off(measured)
        return f"{off:+.2g}" if self.absolute else f"{100.0 * off:+.1f} %"


@dataclass(frozen=True)
class Row:
    cells: tuple[str, ...]  # that say of what it is
    measured: Quantity
    beside: tuple[Comparison | None, ...]  # in the order of the table's references

    @property
    def sigmas_beyond(self) -> float:
        return max((one.sigmas_beyond(self.measured) for one in self.beside if one), default=-math.inf)

    @property
    def verdict(self) -> str:
        if not any(one and one.limit is not None for one in self.beside):
            return ""
        beyond = self.sigmas_beyond
        if beyond <= 0.0:
            return "inside"
        return f"outside, as its error allows ({beyond:.1f} σ)" if beyond <= SIGMAS else f"**outside** by {beyond:.1f} σ"


@dataclass
class Table:
    """`headings` of the cells of its rows, what is measured, and the `references`, each with the limit that is wanted, in words."""

    title: str
    headings: tuple[str, ...]
    measured: str
    references: tuple[str, ...]
    rows: list[Row] = field(default_factory=list)

    def add(self, cells: Sequence[str], measured: Quantity, *beside: Comparison | None) -> None:
        self.rows.append(Row(tuple(cells), measured, beside))

    def lines(self) -> list[str]:
        """As Markdown."""
        head = [*self.headings, self.measured]
        for name in self.references:
            head += [name, "off"]
        judged = any(row.verdict for row in self.rows)
        head += ["verdict"] if judged else []
        found = [f"| {' | '.join(head)} |", "|" + "---|" * len(head)]
        for row in self.rows:
            cells = [*row.cells, str(row.measured).replace("+-", "±")]
            for one in row.beside:
                cells += ["", ""] if one is None else [_reference(one), one.words(row.measured)]
            found.append(f"| {' | '.join(cells + ([row.verdict] if judged else []))} |")
        return found


def _reference(one: Comparison) -> str:
    return f"{one.reference:.4g}" if not one.error else str(Quantity(one.reference, one.error)).replace("+-", "±")


def combined(found: Sequence[Quantity]) -> Quantity:
    """The mean of measurements of equal weight that are independent, with the standard error of their scatter."""
    values = [one.value for one in found]
    mean = sum(values) / len(values)
    if len(values) < 2:
        return Quantity(mean, found[0].error)
    return Quantity(mean, math.sqrt(sum((value - mean) ** 2 for value in values) / (len(values) - 1) / len(values)))


def failures(tables: Sequence[Table], sigmas: float = SIGMAS) -> list[tuple[Table, Row]]:
    """Rows that are beyond a limit by more than so many of their standard errors."""
    return [(table, row) for table in tables for row in table.rows if row.sigmas_beyond > sigmas]

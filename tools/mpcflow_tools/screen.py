"""A running run as lines of text, as wide as the terminal is."""

from __future__ import annotations

import textwrap
import time
import unicodedata
from dataclasses import dataclass

import numpy as np

from mpcflow_tools.flow import Array
from mpcflow_tools.live import Disk, Look
from mpcflow_tools.texts import printable

NARROWEST = 20
MOST_NOTES = 6
COLOURS = {"completed": 32, "running": 36, "interrupted": 33, "failed": 31, "killed": 31}


@dataclass(frozen=True)
class Pen:
    """What lines are drawn with."""

    width: int
    unicode: bool
    colour: bool

    def paint(self, text: str, code: int) -> str:
        return f"\x1b[{code}m{text}\x1b[0m" if self.colour and text else text

    def dim(self, text: str) -> str:
        return self.paint(text, 2)

    def cut(self, text: str) -> str:
        """`text` no wider than the terminal."""
        dots = "…" if self.unicode else "~"
        text = "".join(c if c.isprintable() and (self.unicode or c.isascii()) else "?" for c in printable(text))
        if columns(text) <= self.width:
            return text
        while text and columns(text) > self.width - 1:
            text = text[:-1]
        return text + dots


def columns(text: str) -> int:
    """Columns that `text` takes in a terminal."""
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def duration(seconds: float) -> str:
    """As the program says it: 0:42, 1:02:03, 2 d 03:04:05."""
    whole = int(np.ceil(max(seconds, 0.0)))
    days, hours, minutes = whole // 86400, whole // 3600 % 24, whole // 60 % 60
    if days:
        return f"{days} d {hours:02}:{minutes:02}:{whole % 60:02}"
    return f"{hours}:{minutes:02}:{whole % 60:02}" if hours else f"{minutes}:{whole % 60:02}"


def scaled(value: float, base: float, units: list[str]) -> str:
    """Three digits and a unit: 43.1 M."""
    unit = 0
    while value >= 0.9995 * base and unit + 1 < len(units):
        value, unit = value / base, unit + 1
    digits = 0 if unit == 0 or value >= 99.95 else 1 if value >= 9.995 else 2
    return f"{value:.{digits}f} {units[unit]}"


def size(count: float) -> str:
    return scaled(count, 1024.0, ["B", "KiB", "MiB", "GiB", "TiB", "PiB"])


def rate(per_second: float) -> str:
    return scaled(per_second, 1e3, ["", "k", "M", "G", "T"]).rstrip()


def bar(share: float, width: int, unicode: bool) -> str:
    """A bar of `width` columns, `share` of which is full."""
    share = min(max(share, 0.0), 1.0)
    if not unicode:
        full = int(share * (width - 2))
        return "[" + "=" * full + " " * (width - 2 - full) + "]"
    eighths = int(share * width * 8)
    text = "█" * (eighths // 8) + (" ▏▎▍▌▋▊▉"[eighths % 8] if eighths % 8 else "")
    return text + "·" * (width - len(text))


def sparkline(values: Array, width: int, unicode: bool) -> str:
    """A line of `width` columns at most: each the mean of its part of `values`, between the lowest and the highest mean."""
    marks = "▁▂▃▄▅▆▇█" if unicode else "_.-~=*^"
    values = values[np.isfinite(values)]
    if not len(values) or width < 1:
        return ""
    means = np.array([part.mean() for part in np.array_split(values, min(width, len(values)))])
    low, high = means.min(), means.max()
    level = (means - low) / (high - low) if high > low else np.full(len(means), 0.5)
    return "".join(marks[min(int(height * len(marks)), len(marks) - 1)] for height in level)


def _pairs(pen: Pen, entries: list[tuple[str, str]]) -> list[str]:
    """Names and values, as many in a line as it holds; what is longer than a line is broken."""
    lines: list[str] = []
    used = 0
    for name, value in ((printable(name), printable(value)) for name, value in entries):
        wide = columns(name) + 1 + columns(value)
        if wide > pen.width:
            lines += [pen.cut(line) for line in textwrap.wrap(f"{name} {value}", pen.width)]
            used = pen.width
            continue
        text = f"{pen.dim(name)} {value}"
        if lines and used + 3 + wide <= pen.width:
            lines[-1] += f"   {text}"
            used += 3 + wide
        else:
            lines.append(text)
            used = wide
    return lines


def _progress(look: Look, steps_per_second: float | None, pen: Pen) -> list[str]:
    share = look.steps_done / look.steps_in_all if look.steps_in_all else 1.0
    percent = f" {100.0 * share:5.1f} %"
    lines = [pen.paint(bar(share, max(pen.width - len(percent), 4), pen.unicode), COLOURS[look.status]) + percent]
    phase = " equilibrating" if look.steps_done < look.equilibration else ""
    entries = [("step", f"{look.steps_done:,} of {look.steps_in_all:,}{phase}")]
    mean = look.steps_done / look.wall_time if look.wall_time > 0.0 else 0.0
    if look.status == "running" and steps_per_second:
        left = (look.steps_in_all - look.steps_done) / steps_per_second
        entries += [("left", duration(left)), ("rate", f"{rate(look.particles * steps_per_second)} particle updates/s")]
    if mean > 0.0:
        entries.append(("on average", rate(look.particles * mean) + "/s"))
    entries.append(("ran", duration(look.wall_time) + (f", {look.restarts} restarts" if look.restarts else "")))
    return lines + _pairs(pen, entries)


def _physics(look: Look, pen: Pen) -> list[str]:
    entries = []
    if "temperature" in look.series:
        measured, wanted = look.series["temperature"], look.wanted_temperature
        off = f" ({100.0 * (measured / wanted - 1.0):+.2f} %)" if wanted else ""
        entries.append(("temperature", f"{measured:.5g}, wanted {wanted:g}{off}"))
    entries += [(f"drift of {drift.name}", f"{drift.value:+.1e}") for drift in look.drifts if not drift.why_not]
    reasons = {drift.why_not for drift in look.drifts if drift.why_not}
    if reasons and all(drift.why_not for drift in look.drifts):
        entries.append(("not conserved", "energy, momentum: " + min(reasons, key=len)))
    if "maximum_speed" in look.series:
        entries.append(("fastest", f"{look.series['maximum_speed']:.3g}"))
    if "maximum_occupancy" in look.series:
        entries.append(("in a cell", f"{look.series['minimum_occupancy']:.0f} to {look.series['maximum_occupancy']:.0f}"))
    lines = _pairs(pen, entries)
    if len(look.history):
        low, high = f"{look.history.min():.4g}", f"{look.history.max():.4g}"
        lines.append(pen.cut(f"{look.history_name.replace('_', ' ')}, {len(look.history):,} rows, {low} to {high}"))
        lines.append(pen.paint(sparkline(look.history, pen.width, pen.unicode), 36))
    return lines


def _disk(look: Look, disk: Disk, pen: Pen) -> list[str]:
    entries = [(name, size(bytes_)) for name, bytes_ in disk.sizes.items()]
    entries.append(("free", size(disk.free)))
    lines = _pairs(pen, entries)
    if look.status == "running" and 0 < look.steps_done < look.steps_in_all:
        needed = disk.total * (look.steps_in_all / look.steps_done - 1.0)
        if needed > disk.free:
            lines.append(pen.paint(pen.cut(f"the disk may not suffice: at this pace {size(needed)} more are needed"), 33))
    return lines


def _notes(look: Look, pen: Pen) -> list[str]:
    lines = []
    for note in look.notes[-MOST_NOTES:]:
        wrapped = textwrap.wrap(note, max(pen.width - 2, NARROWEST)) or [""]
        lines += [pen.cut(("- " if i == 0 else "  ") + line) for i, line in enumerate(wrapped)]
    hidden = len(look.notes) - MOST_NOTES
    return ([pen.dim(pen.cut(f"{hidden} earlier notes: mpcflow info"))] if hidden > 0 else []) + lines


def ending(look: Look) -> str:
    """How a run ended, and what to do about it; empty while it goes on."""
    again = "the same command again goes on from the last checkpoint, if there is one"
    return {"running": "", "completed": f"completed in {duration(look.wall_time)}",
            "interrupted": f"interrupted ({look.message}): {again}", "failed": f"failed: {look.message}",
            "killed": f"killed: nobody writes to {printable(str(look.folder))} any more; {again}"}[look.status]


def screen(look: Look, steps_per_second: float | None, disk: Disk, pen: Pen) -> list[str]:
    """The whole view, none of its lines wider than the terminal."""
    age = time.time() - look.modified
    status = look.status + (f", {duration(age)} ago" if look.status == "running" and age > 10.0 else "")
    title = Pen(max(pen.width - len(status) - 2, 1), pen.unicode, False).cut(look.title)
    lines = [pen.paint(title, 1) + " " * max(pen.width - columns(title) - len(status), 2) + pen.paint(status, COLOURS[look.status])]
    if pen.width < 2 * len(status):
        lines = [pen.paint(pen.cut(look.title), 1), pen.paint(pen.cut(status), COLOURS[look.status])]
    box = " x ".join(str(n) for n in look.box)
    lines += [pen.dim(pen.cut(f"{look.particles:,} particles in {box}, {look.device}")), ""]
    lines += _progress(look, steps_per_second, pen)
    samples = [("samples", ", ".join(f"{name} {count:,}" for name, count in look.samples.items()))] if look.samples else []
    for part in (_physics(look, pen) + _pairs(pen, samples), _disk(look, disk, pen), _notes(look, pen)):
        lines += ["", *part] if part else []
    if ending(look):
        lines += ["", *(pen.paint(line, COLOURS[look.status]) for line in textwrap.wrap(ending(look), pen.width))]
    return lines


def log_line(look: Look, steps_per_second: float | None) -> str:
    """The view in a line, for a log."""
    share = 100.0 * look.steps_done / look.steps_in_all if look.steps_in_all else 100.0
    text = f"step {look.steps_done} of {look.steps_in_all} ({share:.0f} %)"
    if look.status == "running" and steps_per_second:
        left = (look.steps_in_all - look.steps_done) / steps_per_second
        text += f", {duration(left)} left, {rate(look.particles * steps_per_second)} particle updates/s"
    if "temperature" in look.series:
        text += f", temperature {look.series['temperature']:.4f}"
    kept = [abs(drift.value) for drift in look.drifts if not drift.why_not and drift.name != "energy"]
    return text + (f", momentum drift {max(kept):.1e}" if kept else "")

"""How pictures of kernel measurements look: one style for each way, axes, and names at the ends of lines."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import matplotlib

matplotlib.use("Agg")  # no display is needed

import numpy as np  # noqa: E402  (after the choice of backend)
from matplotlib.axes import Axes  # noqa: E402
from matplotlib.axis import XAxis, YAxis  # noqa: E402
from matplotlib.ticker import FuncFormatter, NullFormatter, NullLocator  # noqa: E402

from mpcflow_tools.kernel_results import Column  # noqa: E402

GREY = "#7a808a"
FAINT = "#d9dce1"


@dataclass(frozen=True)
class Style:
    color: str
    marker: str
    line: str | tuple[float, tuple[float, ...]] = "-"
    width: float = 1.6


# A way looks the same in all pictures. Colours after Okabe and Ito, which the colour-blind can tell apart;
# related ways share a colour and differ in line and marker.
BLUE, SKY, GREEN, RED, ORANGE, PINK, BROWN, BLACK = (
    "#0072b2", "#3fa0d8", "#009e73", "#d55e00", "#e69f00", "#b5568f", "#8c510a", "#222222")
DASHED, DOTTED = (0, (4, 1.6)), (0, (1.2, 1.4))
STYLES = {
    "tile": Style(GREEN, "D", width=2.4),
    "peers": Style(BLUE, "o", width=2.4), "votes": Style(BLUE, "o", width=2.4), "warp": Style(BLUE, "o", width=2.4),
    "loop": Style(SKY, "v", DASHED), "hash": Style(SKY, "s", DOTTED), "match": Style(SKY, "^"),
    "groups": Style(SKY, "^"), "unstaged": Style(BLUE, "x", DOTTED), "compiler": Style(SKY, "v", DASHED),
    "sorted": Style(GREEN, "D"), "segmented": Style(GREEN, "s", DASHED),
    "two_stage": Style(PINK, "P"), "block": Style(PINK, "P"), "shared": Style(PINK, "P"),
    "two_float": Style(ORANGE, "h", DASHED), "direct_2f": Style(ORANGE, "s"),
    "peers_cas": Style(BROWN, "o", DASHED), "westphal": Style(SKY, "D"), "westphal_cas": Style(BROWN, "D", DOTTED),
    "lanes": Style(PINK, "x", DOTTED), "then one": Style(PINK, "D", DASHED),
    "one, 512": Style(PINK, "x", DOTTED), "two, 512": Style(ORANGE, "D", DOTTED),
    "direct": Style(RED, "s", width=2.0), "global": Style(RED, "s", width=2.0), "cas": Style(BROWN, "X"),
    "one word": Style(RED, "s", width=2.0), "plain grid": Style(RED, "s", width=2.0),
    "four-level": Style(BLUE, "o", width=2.4), "no block": Style(SKY, "^"), "regions": Style(PINK, "P"),
    "down": Style(BLUE, "o", width=2.4), "butterfly": Style(SKY, "^"),
    "one hash": Style(PINK, "P"), "two hashes": Style(ORANGE, "h", DASHED),
    "queue": Style(BLUE, "o", width=2.4), "shares": Style(ORANGE, "h", DASHED),
    "cub": Style(BLACK, "d", DASHED, 2.0), "cub 32x1": Style(BLACK, "d", DASHED, 2.0),
    "cub 8x4": Style(GREY, "D", DASHED), "cub, all": Style(GREY, "D", DOTTED), "thrust": Style(GREY, "d", DOTTED),
    "warps": Style(SKY, "^"), "blocks": Style(PINK, "P"), "cub, blocks": Style(GREY, "d", DASHED),
    "grid": Style(BLUE, "o", width=2.4), "cub, grid": Style(BLACK, "d", DASHED, 2.0),
    "count": Style(BLUE, "o"), "count, w": Style(BLUE, "x", DOTTED), "any": Style(GREEN, "D"),
    "any, w": Style(GREEN, "s", DOTTED), "all": Style(RED, "P"), "all, w": Style(RED, "v", DOTTED),
    # Blocks a multiprocessor: the more, the darker.
    "1": Style("#9ecae1", "o"), "2": Style("#6baed6", "v"), "4": Style("#4292c6", "^"), "8": Style("#2171b5", "s", width=2.4),
    "16": Style("#08519c", "D"), "32": Style("#06305e", "P"), "an item": Style(RED, "x", DASHED),
}
SPARE_STYLE = Style(GREEN, "D")

RC: Any = {
    "font.size": 10.5,
    "axes.titlesize": 11.5,
    "axes.labelsize": 10.5,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": "#444444",
    "axes.linewidth": 0.8,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": FAINT,
    "grid.linewidth": 0.6,
    "mathtext.fontset": "dejavusans",
}


def style_of(way: str) -> Style:
    return STYLES.get(way, SPARE_STYLE)


def spread(wanted: Sequence[float], distance: float) -> np.ndarray:
    """Places as near as can be (in squares) to those wanted, in their order, at least `distance` apart."""
    order = np.argsort(wanted, kind="stable")
    # The places less rank x distance must not fall: pool neighbours that do (isotonic regression).
    groups: list[list[float]] = []
    for rank, i in enumerate(order):
        groups.append([wanted[i] - rank * distance])
        while len(groups) > 1 and np.mean(groups[-2]) > np.mean(groups[-1]):
            groups[-2:] = [groups[-2] + groups[-1]]
    flat = np.concatenate([np.full(len(group), np.mean(group)) for group in groups])
    places = np.empty(len(order))
    places[order] = flat + distance * np.arange(len(order))
    return places


def label_ends(axes: Axes, ends: list[tuple[float, float, str, Style]], size: float = 9.0) -> None:
    """Names lines to the right of the axes, at the height of their ends, moved apart where they would overlap."""
    figure = axes.figure
    figure.canvas.draw()
    box = axes.get_window_extent()
    scale = figure.dpi / 72.0
    heights = [axes.transData.transform((x, y))[1] for x, y, _, _ in ends]
    for (x, y, name, style), height in zip(ends, spread(heights, 1.22 * size * scale)):
        start = axes.transData.transform((x, y))
        at = (box.x1 + 16.0 * scale, height)
        to_axes = axes.transAxes.inverted()
        line = [to_axes.transform(point) for point in ((start[0] + 4.0 * scale, start[1]), (box.x1 + 4.0 * scale, start[1]),
                                                       (at[0] - 3.0 * scale, height))]
        axes.plot(*zip(*line), color=style.color, linewidth=0.6, alpha=0.75, transform=axes.transAxes, clip_on=False)
        x, y = to_axes.transform(at)
        axes.text(x, y, name, color=style.color, fontsize=size, va="center", ha="left",
                  transform=axes.transAxes)


def draw_ways(axes: Axes, x: np.ndarray, ways: Sequence[Column]) -> None:
    for column in ways:
        style = style_of(column.name)
        axes.plot(x, column.values, color=style.color, linestyle=style.line, marker=style.marker, markersize=4.6,
                  linewidth=style.width, markeredgewidth=1.4 if style.marker == "x" else 0.0)


def ends_of(x: np.ndarray, ways: Sequence[Column]) -> list[tuple[float, float, str, Style]]:
    ends = []
    for column in ways:
        there = np.flatnonzero(np.isfinite(column.values))
        if len(there) > 0:
            ends.append((x[there[-1]], column.values[there[-1]], column.name, style_of(column.name)))
    return ends


def plain_number(value: float, _position: object = None) -> str:
    """Short: 0.5, 512, 4 Ki, 10 k, 10 M, 64 Mi."""
    for name, step in (("Mi", 2**20), ("Ki", 2**10)):
        if value >= step and value % step == 0.0:
            return f"{value / step:g} {name}"
    if value >= 1e6:
        return f"{value / 1e6:.3g} M"
    if value >= 1e4:
        return f"{value / 1e3:g} k"
    return f"{value:g}"


def log_axis(axis: XAxis | YAxis, ticks: Sequence[float] | None = None) -> None:
    """Logarithmic, with numbers as one reads them; of the ticks those that are not too close to the one before, to be read,
    and some at 1, 2, 5 or so where none are given."""
    axes = axis.axes
    (axes.set_xscale if axis.axis_name == "x" else axes.set_yscale)("log")
    low, high = axis.get_view_interval()
    if ticks is None:
        decades = range(int(np.floor(np.log10(low))), int(np.ceil(np.log10(high))) + 1)
        span = np.log10(high / low)
        digits = (1, 2, 3, 4, 5, 7) if span < 1.0 else (1, 2, 3, 5) if span < 1.5 else (1, 2, 5) if span < 2.2 else (1,)
        ticks = [digit * 10.0**decade for decade in decades for digit in digits]
    kept: list[float] = []
    for tick in ticks:
        if low <= tick <= high and (not kept or np.log(tick / kept[-1]) > 0.14 * np.log(high / low)):
            kept.append(tick)
    axis.set_ticks(kept)
    axis.set_minor_locator(NullLocator())
    axis.set_minor_formatter(NullFormatter())
    axis.set_major_formatter(FuncFormatter(plain_number))


def count_text(items: int) -> str:
    return f"{items / 1e6:g} M" if items >= 1_000_000 else f"{items:,}".replace(",", " ")


def age_axis(axes: Axes, ages: np.ndarray) -> None:
    """Linear up to 1, then logarithmic, with a tick where something was measured."""
    axes.set_xscale("symlog", linthresh=1.0, linscale=0.45)
    axes.set_xticks(ages)
    axes.xaxis.set_major_formatter(FuncFormatter(plain_number))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.set_xlabel("steps since the particles were re-ordered")


def draw_copy_rate(axes: Axes, rate: float) -> None:
    axes.axhline(rate, color=GREY, linewidth=1.1, linestyle=DASHED)
    axes.annotate("copy", (0.01, rate), xycoords=axes.get_yaxis_transform(), xytext=(0.0, 2.0), textcoords="offset points",
                  color=GREY, fontsize=8.5, va="bottom", ha="left")
    axes.set_ylim(top=max(axes.get_ylim()[1], (2.2 if axes.get_yscale() == "log" else 1.12) * rate))

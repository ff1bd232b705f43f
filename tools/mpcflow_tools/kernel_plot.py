"""The measurements of `mpcflow bench kernels` as pictures, one for each part."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")  # no display is needed

import matplotlib.pyplot as plt  # noqa: E402  (after the choice of backend)
import numpy as np  # noqa: E402
from matplotlib.axes import Axes  # noqa: E402
from matplotlib.axis import XAxis, YAxis  # noqa: E402
from matplotlib.figure import Figure  # noqa: E402
from matplotlib.ticker import FuncFormatter, NullFormatter, NullLocator  # noqa: E402
from PIL import Image  # noqa: E402  (comes with matplotlib)

from mpcflow_tools.command import check_free, whole_file
from mpcflow_tools.kernel_results import Column, KernelResults, Table  # noqa: E402

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


def _label_ends(axes: Axes, ends: list[tuple[float, float, str, Style]], size: float = 9.0) -> None:
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


def _draw_ways(axes: Axes, x: np.ndarray, ways: Sequence[Column]) -> None:
    for column in ways:
        style = style_of(column.name)
        axes.plot(x, column.values, color=style.color, linestyle=style.line, marker=style.marker, markersize=4.6,
                  linewidth=style.width, markeredgewidth=1.4 if style.marker == "x" else 0.0)


def _ends(x: np.ndarray, ways: Sequence[Column]) -> list[tuple[float, float, str, Style]]:
    ends = []
    for column in ways:
        there = np.flatnonzero(np.isfinite(column.values))
        if len(there) > 0:
            ends.append((x[there[-1]], column.values[there[-1]], column.name, style_of(column.name)))
    return ends


def plain_number(value: float, _position: object = None) -> str:
    """Short: 0.5, 512, 4 Ki, 10 M, 64 Mi."""
    for name, step in (("Mi", 2**20), ("Ki", 2**10)):
        if value >= step and value % step == 0.0:
            return f"{value / step:g} {name}"
    if value >= 1e6:
        return f"{value / 1e6:.3g} M"
    return f"{value:g}"


def _log_axis(axis: XAxis | YAxis, ticks: Sequence[float] | None = None) -> None:
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


def _count(items: int) -> str:
    return f"{items / 1e6:g} M" if items >= 1_000_000 else f"{items:,}".replace(",", " ")


def _age_axis(axes: Axes, ages: np.ndarray) -> None:
    """Linear up to 1, then logarithmic, with a tick where something was measured."""
    axes.set_xscale("symlog", linthresh=1.0, linscale=0.45)
    axes.set_xticks(ages)
    axes.xaxis.set_major_formatter(FuncFormatter(plain_number))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.set_xlabel("steps since the particles were re-ordered")


def _draw_copy_rate(axes: Axes, rate: float) -> None:
    axes.axhline(rate, color=GREY, linewidth=1.1, linestyle=DASHED)
    axes.annotate("copy", (0.01, rate), xycoords=axes.get_yaxis_transform(), xytext=(0.0, 2.0), textcoords="offset points",
                  color=GREY, fontsize=8.5, va="bottom", ha="left")
    axes.set_ylim(top=max(axes.get_ylim()[1], (2.2 if axes.get_yscale() == "log" else 1.12) * rate))


def _draw_sums(results: KernelResults, table: Table) -> Figure:
    figure, (top, bottom) = plt.subplots(2, 1, figsize=(7.6, 6.6), sharex=True,
                                         gridspec_kw={"height_ratios": [4.0, 1.0], "hspace": 0.1})
    ways = table.ways("ms")
    _draw_ways(top, table.x.values, ways)
    _log_axis(top.yaxis)
    top.set_ylabel("ms")
    top.set_title(f"Nine double sums a particle into its cell, {_count(table.items)} particles, ten in a cell", loc="left")
    bottom.plot(table.x.values, table.column("distinct").values, color=GREY, marker="o", markersize=4.0, linewidth=1.4)
    bottom.set_ylabel("cells\nin a warp")
    bottom.set_ylim(0.0, 34.0)
    bottom.set_yticks([0, 16, 32])
    _age_axis(bottom, table.x.values)
    figure.align_ylabels()
    _label_ends(top, _ends(table.x.values, ways))
    return figure


def _draw_atomics(results: KernelResults, atomics: Table, times: Table) -> Figure:
    figure, axes = plt.subplots(figsize=(7.6, 5.4))
    ends = []
    for column in times.ways("ms"):
        style = style_of(column.name)
        number = atomics.column(column.name).values
        axes.plot(number, column.values, color=style.color, linestyle=style.line, marker=style.marker, markersize=4.6,
                  linewidth=0.8 * style.width, markeredgewidth=1.4 if style.marker == "x" else 0.0)
        ends.append((number[-1], column.values[-1], column.name, style))
    _log_axis(axes.yaxis)
    _log_axis(axes.xaxis)
    (left, right), (low, high) = axes.get_xlim(), axes.get_ylim()
    # What a constant rate of atomics would take.
    for rate in (25e9, 50e9, 100e9, 200e9):
        x = np.array([left, right])
        y = 1e3 * x * times.items / rate
        axes.plot(x, y, color=GREY, linewidth=0.7, linestyle=DOTTED, zorder=1)
        at = max(left, low * rate / (1e3 * times.items)) * 1.04
        angle = np.degrees(np.arctan2(*np.diff(axes.transData.transform(np.column_stack([x, y])), axis=0)[0][::-1]))
        axes.text(at, 1e3 * at * times.items / rate, f"{rate / 1e9:g} G/s", color=GREY, fontsize=8.0, rotation=angle,
                  rotation_mode="anchor", ha="left", va="bottom")
    axes.set_xlim(left, right)
    axes.set_ylim(low, high)
    axes.set_xlabel("atomics a particle")
    axes.set_ylabel("ms")
    axes.set_title(f"Nine double sums, {_count(times.items)} particles: time against atomics,\n"
                   "from just after re-ordering (left end) on", loc="left")
    _label_ends(axes, ends)
    return figure


def _draw_components(results: KernelResults, tables: Sequence[Table]) -> Figure:
    figure, panels = plt.subplots(1, len(tables), figsize=(9.6, 4.6), sharey=True, squeeze=False,
                                  gridspec_kw={"wspace": 0.42})
    for axes, table in zip(panels[0], tables):
        _draw_ways(axes, table.x.values, table.ways("ms"))
        axes.set_xticks([1, 2, 4, 6, 8, 9, 12, 16])
        axes.set_xlabel("double sums a particle")
        age = table.name.rsplit("_", 1)[-1]
        axes.set_title("just re-ordered" if age == "0" else f"{age} steps later", loc="left")
    _log_axis(panels[0][0].yaxis)
    panels[0][0].set_ylabel("ms")
    for axes, table in zip(panels[0], tables):
        axes.tick_params(labelleft=True)
        _label_ends(axes, _ends(table.x.values, table.ways("ms")))
    figure.suptitle(f"One to sixteen sums, {_count(tables[0].items)} particles, ten in a cell", x=0.125, ha="left",
                    y=1.0, fontsize=11.5)
    return figure


def _draw_peers(results: KernelResults, tables: Sequence[Table]) -> Figure:
    figure, panels = plt.subplots(1, len(tables), figsize=(4.0 + 3.2 * len(tables), 4.6), squeeze=False,
                                  gridspec_kw={"wspace": 0.55})
    for axes, table in zip(panels[0], tables):
        ways = table.ways("ms")
        _draw_ways(axes, table.x.values, ways)
        axes.set_ylim(0.0, None)
        axes.set_xlim(0.0, 532.0)
        axes.set_xticks([0, 128, 256, 384, 512])
        axes.set_xlabel("distinct keys in a block of 512")
        axes.set_ylabel("ms")
        axes.set_title(table.title.split(",")[0], loc="left")
        _label_ends(axes, _ends(table.x.values, ways))
    figure.suptitle(f"{_count(tables[0].items)} keys, ten of each", x=0.125, ha="left", y=1.0, fontsize=11.5)
    return figure


def _draw_filters(results: KernelResults, table: Table) -> Figure:
    figure, axes = plt.subplots(figsize=(7.6, 5.0))
    ways = table.ways("GiB/s")
    _draw_ways(axes, table.x.values, ways)
    axes.set_yscale("log")
    _draw_copy_rate(axes, results.copy_bytes_per_second / 2.0**30)
    _log_axis(axes.yaxis)
    axes.set_xticks(table.x.values)
    axes.set_xlabel("kept, %")
    axes.set_ylabel("GiB/s, read and written")
    axes.set_title(f"Filtering {_count(table.items)} elements of 4 bytes", loc="left")
    _label_ends(axes, _ends(table.x.values, ways))
    return figure


def _draw_primitives(results: KernelResults, tables: Sequence[Table]) -> Figure:
    columns = min(3, len(tables))
    rows = -(-len(tables) // columns)
    figure, panels = plt.subplots(rows, columns, figsize=(5.0 * columns, 3.4 * rows), squeeze=False,
                                  gridspec_kw={"wspace": 0.62, "hspace": 0.5})
    for axes in panels.flat[len(tables):]:
        axes.set_visible(False)
    for axes, table in zip(panels.flat, tables):
        unit = table.columns[-1].unit
        ways = table.ways(unit)
        _draw_ways(axes, table.x.values, ways)
        values = np.array([way.values for way in ways])
        if np.nanmax(values) > 20.0 * np.nanmin(values):
            _log_axis(axes.yaxis)
        else:
            axes.set_ylim(0.0, None)
        if table.x.values.min() > 0.0 and table.x.values.max() > 8.0 * table.x.values.min():
            _log_axis(axes.xaxis, table.x.values.tolist())
        slow = "item" if table.name == "work_queue_lanes" else "warp"
        axes.set_xlabel(f"spread: one {slow} in n takes n times the mean" if table.x.name == "spread" else table.x.name)
        axes.set_ylabel(unit)
        axes.set_title(table.title.split(":")[0], loc="left", fontsize=10.5)
        copy = results.copy_bytes_per_second / 2.0**30
        if unit == "GiB/s" and 2.0 * np.nanmax(values) > copy:
            _draw_copy_rate(axes, copy)
    for axes, table in zip(panels.flat, tables):
        _label_ends(axes, _ends(table.x.values, table.ways(table.columns[-1].unit)), size=8.5)
    return figure


# Part -> what its picture is called and who draws it.
PICTURES: dict[str, tuple[str, Callable[[KernelResults, list[Table]], Figure]]] = {
    "a": ("kernels_sums.png", lambda results, tables: _draw_sums(results, tables[0])),
    "b": ("kernels_atomics.png", lambda results, tables: _draw_atomics(results, tables[0], tables[1])),
    "c": ("kernels_components.png", _draw_components),
    "d": ("kernels_peers.png", _draw_peers),
    "e": ("kernels_filters.png", lambda results, tables: _draw_filters(results, tables[0])),
    "f": ("kernels_primitives.png", _draw_primitives),
}


def _save(figure: Figure, source: str, path: Path, overwrite: bool) -> None:
    """As PNG with a palette, a third as large as with full colours; `source` in small print at the foot."""
    box = figure.get_tightbbox()  # inches
    width, height = figure.get_size_inches()
    figure.text(box.x1 / width, (box.y0 - 0.08) / height, source, ha="right", va="top", fontsize=8.0, color=GREY)
    drawn = io.BytesIO()
    figure.savefig(drawn, format="png", dpi=150, bbox_inches="tight", facecolor="white")
    with whole_file(path, overwrite) as aside:
        Image.open(drawn).convert("RGB").quantize(128).save(aside, format="PNG", optimize=True)


def plot_kernels(results: KernelResults, folder: Path, overwrite: bool = False) -> list[Path]:
    """Writes a picture for each part into `folder`, which exists; returns their paths. Raises ResultsError where there is one and it is
    not to be replaced: then none is written."""
    paths: list[Path] = []
    for part in results.parts:
        check_free(folder / PICTURES[part][0], overwrite)
    for part in results.parts:
        name, draw = PICTURES[part]
        with plt.rc_context(RC):
            figure = draw(results, results.part(part))
            size = "" if results.size == "full" else f", size {results.size}"
            paths.append(folder / name)
            _save(figure, f"{results.device}, CUDA {results.cuda}, commit {results.commit}{size}", paths[-1], overwrite)
            plt.close(figure)
    return paths

"""The measurements of `mpcflow bench kernels` as pictures."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from mpcflow_tools.kernel_axes import (  # before pyplot: it chooses the backend
    DOTTED, GREY, RC, age_axis, count_text, draw_copy_rate, draw_ways, ends_of, label_ends, log_axis, style_of)

import matplotlib.pyplot as plt  # noqa: E402
import numpy as np
from matplotlib.figure import Figure

from mpcflow_tools.command import check_free
from mpcflow_tools.kernel_results import Column, KernelResults, NotABenchmark, StepRate, Table
from mpcflow_tools.style import save_small


def _draw_sums(results: KernelResults, table: Table) -> Figure:
    figure, (top, bottom) = plt.subplots(2, 1, figsize=(7.6, 6.6), sharex=True,
                                         gridspec_kw={"height_ratios": [4.0, 1.0], "hspace": 0.1})
    ways = table.ways("ms")
    draw_ways(top, table.x.values, ways)
    log_axis(top.yaxis)
    top.set_ylabel("ms")
    top.set_title(f"Nine double sums a particle into its cell, {count_text(table.items)} particles, ten in a cell", loc="left")
    bottom.plot(table.x.values, table.column("distinct").values, color=GREY, marker="o", markersize=4.0, linewidth=1.4)
    bottom.set_ylabel("cells\nin a warp")
    bottom.set_ylim(0.0, 34.0)
    bottom.set_yticks([0, 16, 32])
    age_axis(bottom, table.x.values)
    figure.align_ylabels()
    label_ends(top, ends_of(table.x.values, ways))
    return figure


# What a cause is: who adds, and by which atomics.
CAUSES = {
    "direct": "each particle, additions of doubles", "direct_2f": "each particle, two floats",
    "cas": "each particle, compare-and-swap", "peers": "peers, staged, additions",
    "two_float": "peers, staged, two floats", "peers_cas": "peers, staged, compare-and-swap",
    "westphal": "loop, unstaged, additions", "westphal_cas": "loop, unstaged, compare-and-swap"}


def _draw_causes(results: KernelResults, table: Table) -> Figure:
    """A bar for each way, a panel for each age: what matters is how many times longer one is than another."""
    ages = table.x.values
    ways = table.ways("ms")
    figure, panels = plt.subplots(1, len(ages), figsize=(3.3 * len(ages), 3.6), sharex=True, sharey=True, squeeze=False,
                                  gridspec_kw={"wspace": 0.08})
    places = np.arange(len(ways))[::-1]
    longest = max(float(np.max(way.values)) for way in ways)
    for row, (axes, age) in enumerate(zip(panels[0], ages)):
        for place, way in zip(places, ways):
            axes.barh(place, way.values[row], height=0.72, color=style_of(way.name).color)
            axes.text(way.values[row] + 0.015 * longest, place, f"{way.values[row]:.2f}", va="center", fontsize=8.5)
        axes.set_xlim(0.0, 1.16 * longest)
        axes.grid(axis="y", visible=False)
        axes.set_xlabel("ms")
        axes.set_title("just re-ordered" if age == 0 else f"{age:g} steps later", loc="left", fontsize=10.5)
    panels[0][0].set_yticks(places, [CAUSES.get(way.name, way.name) for way in ways])
    figure.suptitle(f"Nine double sums, {count_text(table.items)} particles, ten in a cell: what peers gain, and what "
                    "atomics do", x=0.125, ha="left", y=1.02, fontsize=11.5)
    return figure


def _draw_ordered_and_not(tables: Sequence[Table], size: tuple[float, float], gap: float, along: str, ordered: str,
                          unordered: str) -> tuple[Figure, Sequence[plt.Axes]]:
    """Times of particles in order and of others side by side, with `size` of a panel; what is along x, and what
    the order is called."""
    figure, panels = plt.subplots(1, len(tables), figsize=(size[0] * len(tables), size[1]), sharey=True, squeeze=False,
                                  gridspec_kw={"wspace": gap})
    for axes, table in zip(panels[0], tables):
        draw_ways(axes, table.x.values, table.ways("ms"))
        axes.set_xlabel(along)
        axes.set_title(unordered if table.name.endswith("unordered") else ordered, loc="left")
        log_axis(axes.xaxis, table.x.values.tolist())
        axes.tick_params(labelleft=True)
    panels[0][0].set_ylabel("ms")
    return figure, panels[0]


def _label_ends_of(panels: Sequence[plt.Axes], tables: Sequence[Table]) -> None:
    """When the axes have their limits."""
    for axes, table in zip(panels, tables):
        label_ends(axes, ends_of(table.x.values, table.ways("ms")))


def _draw_densities(results: KernelResults, tables: Sequence[Table]) -> Figure:
    figure, panels = _draw_ordered_and_not(tables, (4.8, 4.6), 0.42, "particles a cell", "just re-ordered",
                                           "never in order")
    log_axis(panels[0].yaxis)
    _label_ends_of(panels, tables)
    figure.suptitle(f"Nine double sums, some {count_text(round(tables[0].items, -6) or tables[0].items)} particles",
                    x=0.125, ha="left", y=1.0, fontsize=11.5)
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
    log_axis(axes.yaxis)
    log_axis(axes.xaxis)
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
    axes.set_title(f"Nine double sums, {count_text(times.items)} particles: time against atomics,\n"
                   "from just after re-ordering (left end) on", loc="left")
    label_ends(axes, ends)
    return figure


def _draw_components(results: KernelResults, tables: Sequence[Table]) -> Figure:
    figure, panels = plt.subplots(1, len(tables), figsize=(9.6, 4.6), sharey=True, squeeze=False,
                                  gridspec_kw={"wspace": 0.42})
    for axes, table in zip(panels[0], tables):
        draw_ways(axes, table.x.values, table.ways("ms"))
        axes.set_xticks([1, 2, 4, 6, 8, 9, 12, 16])
        axes.set_xlabel("double sums a particle")
        age = table.name.rsplit("_", 1)[-1]
        axes.set_title("just re-ordered" if age == "0" else f"{age} steps later", loc="left")
    log_axis(panels[0][0].yaxis)
    panels[0][0].set_ylabel("ms")
    for axes, table in zip(panels[0], tables):
        axes.tick_params(labelleft=True)
        label_ends(axes, ends_of(table.x.values, table.ways("ms")))
    figure.suptitle(f"One to sixteen sums, {count_text(tables[0].items)} particles, ten in a cell", x=0.125, ha="left",
                    y=1.0, fontsize=11.5)
    return figure


def _draw_peers(results: KernelResults, tables: Sequence[Table]) -> Figure:
    figure, panels = plt.subplots(1, len(tables), figsize=(4.0 + 3.2 * len(tables), 4.6), squeeze=False,
                                  gridspec_kw={"wspace": 0.55})
    for axes, table in zip(panels[0], tables):
        ways = table.ways("ms")
        draw_ways(axes, table.x.values, ways)
        axes.set_ylim(0.0, None)
        axes.set_xlim(0.0, 532.0)
        axes.set_xticks([0, 128, 256, 384, 512])
        axes.set_xlabel("distinct keys in a block of 512")
        axes.set_ylabel("ms")
        axes.set_title(table.title.split(",")[0], loc="left")
        label_ends(axes, ends_of(table.x.values, ways))
    figure.suptitle(f"{count_text(tables[0].items)} keys, ten of each", x=0.125, ha="left", y=1.0, fontsize=11.5)
    return figure


def _draw_filters(results: KernelResults, table: Table) -> Figure:
    figure, axes = plt.subplots(figsize=(7.6, 5.0))
    ways = table.ways("GiB/s")
    draw_ways(axes, table.x.values, ways)
    axes.set_yscale("log")
    draw_copy_rate(axes, results.copy_bytes_per_second / 2.0**30)
    log_axis(axes.yaxis)
    axes.set_xticks(table.x.values)
    axes.set_xlabel("kept, %")
    axes.set_ylabel("GiB/s, read and written")
    axes.set_title(f"Filtering {count_text(table.items)} elements of 4 bytes", loc="left")
    label_ends(axes, ends_of(table.x.values, ways))
    return figure


def _draw_selection(results: KernelResults, tables: Sequence[Table]) -> Figure:
    figure, panels = _draw_ordered_and_not(tables, (4.6, 4.0), 0.3, "particles in the region, %",
                                           "cell by cell in memory", "in no order")
    for axes in panels:
        axes.set_ylim(0.0, None)
    _label_ends_of(panels, tables)
    figure.suptitle(f"Collecting the particles of a region, of {count_text(tables[0].items)}", x=0.125, ha="left", y=1.0,
                    fontsize=11.5)
    return figure


def _draw_launches(results: KernelResults, tables: Sequence[Table]) -> Figure:
    """A line for each number of blocks a multiprocessor, against the size of the block."""
    titles = {"launches_of_sums": "nine sums by match", "launches_of_reductions": "sum of an array",
              "launches_of_histograms": "histogram in shared memory"}
    figure, panels = plt.subplots(1, len(tables), figsize=(4.6 * len(tables), 4.2), squeeze=False,
                                  gridspec_kw={"wspace": 0.5})
    for axes, table in zip(panels[0], tables):
        unit = table.columns[0].unit
        ways = table.ways(unit)
        draw_ways(axes, table.x.values, ways)
        values = np.array([way.values for way in ways])
        if np.max(values) > 5.0 * np.min(values):  # few small blocks do not fill the card
            log_axis(axes.yaxis)
        else:
            axes.set_ylim(0.0, None)
        log_axis(axes.xaxis, table.x.values.tolist())
        axes.set_xlabel("threads in a block")
        axes.set_ylabel(unit)
        axes.set_title(titles.get(table.name, table.name), loc="left")
    for axes, table in zip(panels[0], tables):
        label_ends(axes, ends_of(table.x.values, table.ways(table.columns[0].unit)))
    figure.suptitle("Lines: blocks a multiprocessor, or as many as give each item a thread", x=0.125, ha="left", y=1.02,
                    fontsize=11.5)
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
        draw_ways(axes, table.x.values, ways)
        values = np.array([way.values for way in ways])
        if np.nanmax(values) > 20.0 * np.nanmin(values):
            log_axis(axes.yaxis)
        else:
            axes.set_ylim(0.0, None)
        if table.x.values.min() > 0.0 and table.x.values.max() > 8.0 * table.x.values.min():
            log_axis(axes.xaxis, table.x.values.tolist())
        slow = "item" if table.name == "work_queue_lanes" else "warp"
        labels = {"spread": f"spread: one {slow} in n takes n times the mean", "length": "items in a segment",
                  "threads": "threads in a block"}
        axes.set_xlabel(labels.get(table.x.name, table.x.name))
        axes.set_ylabel(unit)
        axes.set_title(table.title.split(":")[0], loc="left", fontsize=10.5)
        copy = results.copy_bytes_per_second / 2.0**30
        if unit == "GiB/s" and 2.0 * np.nanmax(values) > copy:
            draw_copy_rate(axes, copy)
    for axes, table in zip(panels.flat, tables):
        label_ends(axes, ends_of(table.x.values, table.ways(table.columns[-1].unit)), size=8.5)
    return figure


@dataclass(frozen=True)
class Picture:
    file: str
    part: str
    tables: tuple[str, ...]  # how the names of those that it shows begin; they come in the order of the results
    draw: Callable[[KernelResults, list[Table]], Figure]

    def tables_of(self, results: KernelResults) -> list[Table]:
        return [table for table in results.part(self.part) if table.name.startswith(self.tables)]


def _draw_sums_and_atomics(results: KernelResults, tables: Sequence[Table]) -> Figure:
    if len(tables) != 2:
        raise NotABenchmark("atomics_by_age and atomics_time_by_age belong together")
    return _draw_atomics(results, tables[0], tables[1])


PICTURES = (
    Picture("kernels_sums.png", "a", ("sums_by_age",), lambda results, tables: _draw_sums(results, tables[0])),
    Picture("kernels_causes.png", "a", ("sums_by_cause",), lambda results, tables: _draw_causes(results, tables[0])),
    Picture("kernels_densities.png", "a", ("sums_by_density",), _draw_densities),
    Picture("kernels_atomics.png", "b", ("atomics_",), _draw_sums_and_atomics),
    Picture("kernels_components.png", "c", ("sums_by_components",), _draw_components),
    Picture("kernels_peers.png", "d", ("",), _draw_peers),
    Picture("kernels_filters.png", "e", ("filters",), lambda results, tables: _draw_filters(results, tables[0])),
    Picture("kernels_selection.png", "e", ("selection_",), _draw_selection),
    Picture("kernels_primitives.png", "f", ("",), _draw_primitives),
    Picture("kernels_launches.png", "g", ("launches_",), _draw_launches),
)


def _save(figure: Figure, source: str, path: Path, overwrite: bool) -> None:
    """As PNG with a palette, a third as large as with full colours; `source` in small print at the foot."""
    box = figure.get_tightbbox()  # inches
    width, height = figure.get_size_inches()
    figure.text(box.x1 / width, (box.y0 - 0.08) / height, source, ha="right", va="top", fontsize=8.0, color=GREY)
    save_small(figure, path, overwrite)


def plot_kernels(results: KernelResults, folder: Path, overwrite: bool = False) -> list[Path]:
    """Writes each picture of which something was measured into `folder`, which exists; returns their paths. Raises
    ResultsError where there is one and it is not to be replaced: then none is written."""
    pictures = [picture for picture in PICTURES if picture.tables_of(results)]
    for picture in pictures:
        check_free(folder / picture.file, overwrite)
    for picture in pictures:
        with plt.rc_context(RC):
            figure = picture.draw(results, picture.tables_of(results))
            size = "" if results.size == "full" else f", size {results.size}"
            _save(figure, f"{results.device}, CUDA {results.cuda}, commit {results.commit}{size}", folder / picture.file,
                  overwrite)
            plt.close(figure)
    return [folder / picture.file for picture in pictures]


STEP_PICTURE = "steps_by_way.png"


def _draw_steps(rates: Sequence[StepRate]) -> Figure:
    """A panel for each kind of step, a line for each way."""
    kinds = list(dict.fromkeys((rate.law, rate.precision) for rate in rates))
    columns = min(2, len(kinds))
    rows = -(-len(kinds) // columns)
    figure, panels = plt.subplots(rows, columns, figsize=(4.6 * columns, 4.2 * rows), squeeze=False,
                                  gridspec_kw={"wspace": 0.4, "hspace": 0.4})
    for axes in panels.flat[len(kinds):]:
        axes.set_visible(False)
    ends = []
    for axes, kind in zip(panels.flat, kinds):
        of_kind = [rate for rate in rates if (rate.law, rate.precision) == kind]
        densities = sorted({rate.density for rate in of_kind})
        ways = []
        for way in dict.fromkeys(rate.way for rate in of_kind):
            of_way = {rate.density: 1e-9 * rate.updates_per_second for rate in of_kind if rate.way == way}
            ways.append(Column(way, "G/s", np.array([of_way.get(density, np.nan) for density in densities])))
        x = np.array(densities)
        draw_ways(axes, x, ways)
        axes.set_ylim(0.0, None)
        log_axis(axes.xaxis, densities)
        axes.set_xlabel("particles a cell")
        axes.set_ylabel("G updates/s")
        axes.set_title(f"{kind[0].upper().replace('+A', '+a')}, {kind[1]}", loc="left")
        ends.append(ends_of(x, ways))
    for axes, names in zip(panels.flat, ends):
        label_ends(axes, names)
    figure.suptitle("Whole steps by way of summing", x=0.125, ha="left", y=0.88 + 0.14 / rows, fontsize=11.5)
    return figure


def plot_steps(rates: Sequence[StepRate], folder: Path, overwrite: bool = False) -> Path:
    """The same of whole steps, as a picture of its own. Raises NotABenchmark where one was measured twice."""
    measured = {(rate.law, rate.precision, rate.way, rate.density) for rate in rates}
    if len(measured) != len(rates):
        raise NotABenchmark("a law was measured twice with the same precision, way and density")
    check_free(folder / STEP_PICTURE, overwrite)
    with plt.rc_context(RC):
        figure = _draw_steps(rates)
        _save(figure, ", ".join(sorted({rate.device for rate in rates})), folder / STEP_PICTURE, overwrite)
        plt.close(figure)
    return folder / STEP_PICTURE

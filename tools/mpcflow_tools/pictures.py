"""Series against time, and fields as profiles and slices, each with theory beside it where there is theory."""

from __future__ import annotations

import numpy as np
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from mpcflow_tools.command import BadArgument
from mpcflow_tools.expected import component_name, expected_profile, expected_series, expected_window
from mpcflow_tools.flow import Array
from mpcflow_tools.flow_run import walled_axes
from mpcflow_tools.layers import layer_at, layer_profile
from mpcflow_tools.run import AXES, Run
from mpcflow_tools.style import (BAND, COMPONENTS, DASHED, FITTED, GREY, MEASURED, THEORY, grid, shade_walls, styled,
                                 unit_label)
from mpcflow_tools.vorticity import UNIT as VORTICITY_UNIT
from mpcflow_tools.vorticity import vorticity_layer

# More points than a picture has columns are drawn as the lowest and highest of each column.
MOST_POINTS = 3000
# Windows of time in one picture.
MOST_WINDOWS = 8


def thinned(times: Array, values: Array) -> tuple[Array, Array]:
    """At most MOST_POINTS points with the same outline: the lowest and the highest of neighbours."""
    if len(values) <= MOST_POINTS:
        return times, values
    parts = np.array_split(np.arange(len(values)), MOST_POINTS // 2)
    kept = np.unique([part[choose(values[part])] for part in parts for choose in (np.argmin, np.argmax)])
    return times[kept], values[kept]


def _title(axes: Axes, title: str) -> None:
    """The title, and between it and the axes what the lines are."""
    axes.set_title(title, loc="left", pad=26, parse_math=False)
    axes.legend(loc="lower left", bbox_to_anchor=(-0.012, 0.99), ncols=6, fontsize=9, handlelength=1.6, columnspacing=1.5)


def _draw_series(axes: Axes, run: Run, name: str, colour: str, label: str) -> None:
    times, found = run.series["time"].values, run.series[name].values
    for component, values in enumerate(np.atleast_2d(found.T)):
        key = AXES[component]
        axes.plot(*thinned(times, values), color=COMPONENTS[key] if found.ndim == 2 else colour, linewidth=1.1,
                  label=f"{key}" if found.ndim == 2 else label, drawstyle="steps-post" if found.dtype.kind in "iu" else "default")


def _draw_expected(axes: Axes, run: Run, name: str) -> None:
    times = run.series["time"].values
    ends = np.array([times.min(initial=0.0), times.max(initial=0.0)])
    curves = expected_series(run, name)
    for component, curve in enumerate(curves):
        colour = COMPONENTS[AXES[component]] if len(curves) > 1 else THEORY
        line = DASHED if len(curves) > 1 else "-"
        axes.plot(ends, curve.at(ends), color=colour, linewidth=1.3, linestyle=line, zorder=2.5,
                  label=curve.label if len(curves) == 1 else None)
    if len(curves) > 1:
        axes.plot([], [], color=GREY, linestyle=DASHED, linewidth=1.3, label=curves[0].label)


@styled
def series_figure(run: Run, names: list[str]) -> Figure:
    """Series of one unit against time, the equilibration shaded. Raises ResultsError, BadArgument."""
    found = [run.series[name] for name in names]
    if any(len(values) == 0 for values in found):
        raise BadArgument(f"{run.path}: the series has no rows yet")
    figure = Figure(figsize=(7.2, 3.3))
    axes = figure.subplots()
    equilibrated = run.time_step * run.equilibration
    if equilibrated > 0.0:
        axes.axvspan(0.0, min(equilibrated, float(run.series["time"].values[-1])), color=BAND, zorder=0, label="equilibration")
    for name, colour in zip(names, (MEASURED, FITTED)):
        _draw_series(axes, run, name, colour, name.replace("_", " ") if len(names) > 1 else "measured")
    for name in names:
        _draw_expected(axes, run, name)
    axes.set_xlabel(unit_label("time", run.series["time"].unit))
    axes.set_ylabel(unit_label(names[0] if len(names) == 1 else names[0].split("_", 1)[1], found[0].unit))
    axes.margins(x=0.015)
    grid(axes)
    _title(axes, run.title)
    return figure


@styled
def profile_figure(run: Run, name: str, axis: int, component: str) -> Figure:
    """A field along one axis, averaged over the other two by the number of particles. Raises ResultsError, BadArgument."""
    if run.fields.bins[axis] == 1:
        raise BadArgument(f"{run.path}: fields have one bin along {AXES[axis]}: there is no profile (output.fields.bins in the input)")
    mean, error = layer_profile(run.fields, name, component, axis)
    edges, centres, width = run.fields.edges(AXES[axis]), run.fields.centres(AXES[axis]), float(run.box[axis])

    figure = Figure(figsize=(7.2, 3.9))
    axes = figure.subplots()
    curve = expected_profile(run, name, axis, component)
    if curve is not None:
        fine = np.linspace(edges[0], edges[-1], 401)
        axes.plot(fine, curve.at(fine), color=THEORY, linewidth=1.8, label=curve.label)
    axes.errorbar(centres, mean, yerr=error, fmt="o", color=MEASURED, markersize=4.2, markeredgewidth=0.0, elinewidth=1.0,
                  label="measured", zorder=3)
    if axis in walled_axes(run.input):
        shade_walls(axes, width)
    else:
        axes.set_xlim(0.0, width)
    axes.set_xlabel(rf"${AXES[axis]}\,/\,a$")
    axes.set_ylabel(unit_label(component_name(name, component), run.fields.unit(name)))
    grid(axes)
    _title(axes, run.title)
    return figure


def _sample_steps(first: int, last: int, every: int) -> Array:
    """The steps of the samples from `first` to `last`; MOST_POINTS of them, evenly spread, where there are more."""
    count = (last - first) // every + 1
    return np.linspace(first, first + (count - 1) * every, min(count, MOST_POINTS))


@styled
def windows_figure(run: Run, name: str, axis: int, component: str) -> Figure:
    """A field along one axis in up to MOST_WINDOWS windows of time, evenly chosen, each beside theory of its time. Raises
    ResultsError, BadArgument."""
    windows = run.windows
    if len(windows) == 0 or windows[0].bins[axis] == 1:
        raise BadArgument(f"{windows.path}: there is no window yet, or only one bin along {AXES[axis]}")
    figure = Figure(figsize=(7.2, 4.2))
    axes = figure.subplots()
    chosen = np.unique(np.linspace(0, len(windows) - 1, min(len(windows), MOST_WINDOWS)).round().astype(int))
    has_theory = False
    for index, colour in zip(chosen, colormaps["viridis"](np.linspace(0.0, 0.85, len(chosen)))):
        window = windows[int(index)]
        mean, _ = layer_profile(window, name, component, axis)
        edges = window.edges(AXES[axis])
        fine = np.linspace(edges[0], edges[-1], 401)
        times = run.time_step * _sample_steps(window.first_step, window.last_step, windows.every)
        curve = expected_window(run, name, axis, component, times)
        if curve is not None:
            axes.plot(fine, curve.at(fine), color=colour, linewidth=1.2, linestyle=DASHED)
            has_theory = True
        axes.plot(window.centres(AXES[axis]), mean, "o", color=colour, markersize=3.8, markeredgewidth=0.0,
                  label=f"t = {times[0]:.4g} to {times[-1]:.4g}")
    if has_theory:
        axes.plot([], [], color=GREY, linestyle=DASHED, linewidth=1.2, label="theory")
    if axis in walled_axes(run.input):
        shade_walls(axes, float(run.box[axis]))
    axes.set_xlabel(rf"${AXES[axis]}\,/\,a$")
    axes.set_ylabel(unit_label(component_name(name, component), windows[0].unit(name)))
    axes.set_title(run.title, loc="left", pad=10, parse_math=False)
    axes.legend(loc="center left", bbox_to_anchor=(1.01, 0.5), fontsize=8.5)
    grid(axes)
    return figure


@styled
def slice_figure(run: Run, name: str, axis: int, place: float | None, component: str) -> Figure:
    """A field, or "vorticity", in the layer of bins across `axis` at `place` (the middle where it is None), as a map.

    Raises ResultsError, BadArgument.
    """
    edges = run.fields.edges(AXES[axis])
    place = 0.5 * float(edges[0] + edges[-1]) if place is None else place
    if not edges[0] <= place <= edges[-1]:
        raise BadArgument(f"--at {place:g}: the box reaches from {edges[0]:g} to {edges[-1]:g} along {AXES[axis]}")
    layer = min(int(np.searchsorted(edges, place, side="right")) - 1, len(edges) - 2)
    across, along = (other for other in range(3) if other != axis)
    is_curl = name == "vorticity"
    plane = vorticity_layer(run, axis, layer, AXES.index(component)) if is_curl else layer_at(run.fields, name, component, axis, layer)
    sizes = run.box[across], run.box[along]
    if sizes[0] < sizes[1]:
        across, along, plane = along, across, plane.T  # the longer side lies

    lying, standing = run.fields.edges(AXES[across]), run.fields.edges(AXES[along])
    shape = (standing[-1] - standing[0]) / (lying[-1] - lying[0])
    figure = Figure(figsize=(7.2, 1.6 + 5.2 * min(max(float(shape), 0.2), 1.5)))
    axes = figure.subplots()
    signed = bool(component) and np.nanmin(plane) < 0.0 < np.nanmax(plane)
    reach = float(np.nanmax(np.abs(plane))) if np.any(np.isfinite(plane)) else 1.0
    limits = {"vmin": -reach, "vmax": reach, "cmap": "RdBu_r"} if signed else {"cmap": "viridis"}
    image = axes.pcolormesh(lying, standing, plane, rasterized=plane.size > 10_000, **limits)
    axes.set_aspect("equal")
    bar = figure.colorbar(image, ax=axes, shrink=0.9, pad=0.03)
    bar.set_label(unit_label(component_name(name, component), VORTICITY_UNIT if is_curl else run.fields.unit(name)))
    bar.outline.set_linewidth(0.0)
    axes.set_xlabel(rf"${AXES[across]}\,/\,a$")
    axes.set_ylabel(rf"${AXES[along]}\,/\,a$")
    axes.set_title(f"{run.title}\n", loc="left", pad=4, parse_math=False)
    axes.text(0.0, 1.03, f"{edges[layer]:g} ≤ {AXES[axis]} < {edges[layer + 1]:g}, mean of {run.fields.samples} samples",
              transform=axes.transAxes, fontsize=9, color=GREY)
    return figure

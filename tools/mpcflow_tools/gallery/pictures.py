"""Pictures of the gallery that mpcflow-plot does not draw: heat and density, the flow past a sphere and a cylinder, two species, sound."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Circle

from mpcflow_tools.expected import expected_profile, fluid_of
from mpcflow_tools.flow import Array
from mpcflow_tools.gallery.sound import density_wave, expected_wave, fit_wave
from mpcflow_tools.layers import layer_at, layer_profile
from mpcflow_tools.mixtures import species_names, tracers_of
from mpcflow_tools.run import Run
from mpcflow_tools.style import COMPONENTS, DASHED, FITTED, GREY, MEASURED, THEORY, grid, shade_walls, styled, unit_label
from mpcflow_tools.vorticity import UNIT as VORTICITY_UNIT
from mpcflow_tools.vorticity import vorticity_layer

TIME = r"time $t\;\,[a\,(m/kT)^{1/2}]$"


def _points(axes: Axes, places: Array, values: Array, errors: Array, label: str, colour: str = MEASURED) -> None:
    axes.errorbar(places, values, yerr=errors, fmt="o", color=colour, markersize=4.0, markeredgewidth=0.0, elinewidth=1.0, label=label, zorder=3)


def _two_panels(title: str, apart: float = 0.28) -> tuple[Figure, Axes, Axes]:
    figure = Figure(figsize=(9.6, 3.7))
    left, right = figure.subplots(1, 2, gridspec_kw={"wspace": apart})
    left.set_title(title, loc="left", pad=10, parse_math=False)
    return figure, left, right


def gas_density(temperature: Array, mean: float) -> Array:
    """Of an ideal gas at one pressure with `temperature` at evenly spaced places: mean (1/T) / <1/T>."""
    return np.asarray(mean / temperature / np.mean(1.0 / temperature))


@styled
def heat_figure(run: Run) -> Figure:
    """Temperature and density between two plates across z. Raises ResultsError."""
    figure, left, right = _two_panels(run.title)
    fluid, centres, width = fluid_of(run), run.fields.centres("z"), float(run.box[2])
    curve = expected_profile(run, "temperature", 2, "")
    assert curve is not None
    fine = np.linspace(0.0, width, 401)
    left.plot(fine, curve.at(fine), color=THEORY, linewidth=1.8, label=curve.label)
    right.plot(fine, gas_density(curve.at(fine), fluid.density), color=THEORY, linewidth=1.8, label="ideal gas of one pressure")
    for axes, name in ((left, "temperature"), (right, "density")):
        _points(axes, centres, *layer_profile(run.fields, name, "", 2), "measured")
        shade_walls(axes, width)
        axes.set_xlabel(r"$z\,/\,a$")
        axes.set_ylabel(unit_label(name, run.fields.unit(name)))
        axes.legend(loc="lower right" if name == "temperature" else "upper right", fontsize=9)
        grid(axes)
    return figure


@styled
def sphere_figure(run: Run) -> Figure:
    """Velocity along x with its streamlines, and vorticity, in a layer through the middle of a sphere. Raises ResultsError."""
    surface = run.input["surfaces"][0]["sphere"]
    x, y, z = surface["centre"]
    layer = int(np.searchsorted(run.fields.edges("y"), y, side="right")) - 1
    figure, left, right = _two_panels(run.title, apart=0.5)
    _flow_past(run, (left, right), Slice(1, layer, "z"), Circle((x, z), surface["radius"]))
    return figure


@styled
def past_cylinder_figure(run: Run) -> Figure:
    """The same of a cylinder along z, one panel above the other. Raises ResultsError."""
    surface = run.input["surfaces"][0]["cylinder"]
    figure = Figure(figsize=(8.4, 7.4))
    upper, lower = figure.subplots(2, 1, gridspec_kw={"hspace": 0.32})
    upper.set_title(run.title, loc="left", pad=10, parse_math=False)
    _flow_past(run, (upper, lower), Slice(2, 0, "y"), Circle(surface["centre"], surface["radius"]))
    return figure


@dataclass(frozen=True)
class Slice:
    """A layer of bins across an axis, drawn over x and another one."""

    axis: int
    layer: int
    up: str


def _flow_past(run: Run, panels: tuple[Axes, Axes], at: Slice, obstacle: Circle) -> None:
    edges = {axis: run.fields.edges(axis) for axis in ("x", at.up)}
    along, up = (layer_at(run.fields, "velocity", component, at.axis, at.layer) for component in ("x", at.up))
    turning = vorticity_layer(run, at.axis, at.layer, at.axis)
    # Where few particles are, next to the obstacle, noise would be the greatest.
    reach = float(np.nanquantile(np.abs(turning), 0.998))
    across = "xyz"[at.axis]
    for axes, plane, limits, label in (
            (panels[0], along, {"cmap": "viridis"}, unit_label("velocity_x", run.fields.unit("velocity"))),
            (panels[1], turning, {"cmap": "RdBu_r", "vmin": -reach, "vmax": reach}, unit_label(f"vorticity_{across}", VORTICITY_UNIT))):
        image = axes.pcolormesh(edges["x"], edges[at.up], plane, **limits)
        bar = panels[0].figure.colorbar(image, ax=axes, pad=0.03, fraction=0.047)
        bar.set_label(label)
        bar.outline.set_linewidth(0.0)
        axes.add_patch(Circle(obstacle.center, obstacle.radius, facecolor="#e9eaec", edgecolor="#444444", linewidth=1.0, zorder=4))
        axes.set_aspect("equal")
        axes.set_xlabel(r"$x\,/\,a$")
        axes.set_ylabel(rf"${at.up}\,/\,a$")
    panels[0].streamplot(run.fields.centres("x"), run.fields.centres(at.up), np.nan_to_num(along), np.nan_to_num(up), color="white",
                         linewidth=0.7, density=0.7, arrowsize=0.7)
    panels[0].set_xlim(0.0, edges["x"][-1])
    panels[0].set_ylim(0.0, edges[at.up][-1])


@styled
def mixture_figure(run: Run) -> Figure:
    """How far the tracers of each species get, and the diffusion coefficient that each lag gives. Raises ResultsError."""
    figure, left, right = _two_panels(run.title, apart=0.32)
    colours = (MEASURED, COMPONENTS["y"], FITTED)
    names = species_names(run)
    for name, colour in zip(names, colours):
        tracers = tracers_of(run)[name]
        times, moved = tracers["time"].values, tracers["mean_square_displacement"]
        by_lag = tracers["diffusion_by_displacement"]
        expected = float(run.theory[f"diffusion_of_{name}"])
        shown = (times > 0.0) & (times < 60.0) & np.isfinite(by_lag.values)
        _points(left, times[shown], moved.values[shown], moved.known_error()[shown], name, colour)
        left.plot(times[shown], 6.0 * expected * times[shown], color=colour, linewidth=1.3, linestyle=DASHED)
        _points(right, times[shown], by_lag.values[shown], by_lag.known_error()[shown], name, colour)
        right.axhline(expected, color=colour, linewidth=1.3, linestyle=DASHED)
    for axes, words in ((left, "mean square displacement [a$^2$]"), (right, unit_label("diffusion", "a (energy/mass)^(1/2)"))):
        axes.plot([], [], color=GREY, linewidth=1.3, linestyle=DASHED, label="theory, without correlations")
        axes.set_xscale("log")
        axes.set_xlabel(TIME)
        axes.set_ylabel(words)
        grid(axes)
    left.set_yscale("log")
    left.legend(loc="upper left")
    return figure


@styled
def sound_figure(run: Run) -> Figure:
    """The first wave of the density against time. Raises ResultsError."""
    wave = density_wave(run)
    theory = expected_wave(run, wave)
    found = fit_wave(wave, theory)
    figure = Figure(figsize=(7.2, 3.7))
    axes = figure.subplots()
    fine = np.linspace(0.0, float(wave.times[-1]), 600)
    axes.axhline(0.0, color=GREY, linewidth=0.8)
    axes.plot(fine, theory.at(fine), color=THEORY, linewidth=1.8,
              label=rf"theory, $c = {theory.speed.value:.3f}$, $\Gamma = {theory.damping.value:.2f}$")
    axes.plot(fine, found.at(fine), color=FITTED, linewidth=1.3, linestyle=DASHED,
              label=rf"fit, $c = {found.speed.value:.3f}$, $\Gamma = {found.damping.value:.2f}$")
    _points(axes, wave.times, wave.amplitudes, np.full_like(wave.times, wave.noise), "measured")
    axes.set_xlabel(r"time since the force ended $t\;\,[a\,(m/kT)^{1/2}]$")
    axes.set_ylabel("wave of the density / mean density")
    axes.margins(x=0.015)
    grid(axes)
    axes.set_title(run.title, loc="left", pad=26, parse_math=False)
    axes.legend(loc="lower left", bbox_to_anchor=(-0.012, 0.99), ncols=3, fontsize=9, handlelength=1.6, columnspacing=1.5)
    return figure

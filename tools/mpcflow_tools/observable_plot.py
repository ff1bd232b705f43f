"""Observables as pictures: diffusion, velocity modes, stress, radial distribution, walls; each with theory beside it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from mpcflow_tools.command import BadArgument
from mpcflow_tools.flow import Array
from mpcflow_tools.mixtures import predicted_viscosity, species_names
from mpcflow_tools.mode_analysis import wave_names
from mpcflow_tools.run import AXES, Run
from mpcflow_tools.stress_analysis import expected_wall_stress, settled_lag
from mpcflow_tools.style import COMPONENTS, DASHED, FITTED, GREY, MEASURED, THEORY, grid, styled, unit_label

# Correlations of the stress are over after a few steps; what comes later is noise.
MOST_STRESS_LAGS = 40

TIME = r"time $t\;\,[a\,(m/kT)^{1/2}]$"


def _two_panels(title: str) -> tuple[Figure, Axes, Axes]:
    figure = Figure(figsize=(10.0, 3.9))
    left, right = figure.subplots(1, 2, gridspec_kw={"wspace": 0.28})
    left.set_title(title, loc="left", pad=10, parse_math=False)
    return figure, left, right


def _points(axes: Axes, places: Array, values: Array, errors: Array, label: str, colour: str = MEASURED) -> None:
    axes.errorbar(places, values, yerr=np.where(np.isfinite(errors), errors, 0.0), fmt="o", color=colour, markersize=3.4,
                  markeredgewidth=0.0, elinewidth=1.0, label=label, zorder=3)


def _need(run: Run, found: bool, name: str) -> None:
    if not found:
        raise BadArgument(f"{run.path}: too few samples of {name} for a picture")


@styled
def diffusion_figure(run: Run) -> Figure:
    """Mean square displacement over time, and the coefficient that each lag gives, beside theory. Raises ResultsError, BadArgument."""
    if len(species_names(run)) > 1:
        raise BadArgument(f"{run.path}: of several species there is no picture of diffusion; mpcflow-analyze and mpcflow-convert have the numbers")
    tracers, expected = run.diffusion, float(run.theory["diffusion"])
    times = tracers["time"].values
    _need(run, len(times) > 2, "diffusion")
    figure, left, right = _two_panels(run.title)
    moved, by_lag = tracers["mean_square_displacement"], tracers["diffusion_by_displacement"]
    later = times > 0.0
    free = len(tracers.free_axes)
    _points(left, times[later], moved.values[later], moved.known_error()[later], "measured, all axes")
    left.plot(times[later], 6.0 * expected * times[later], color=THEORY, linewidth=1.6, label=f"6 D t, D = {expected:.4g} by theory")
    left.set_xscale("log")
    left.set_yscale("log")
    left.set_xlabel(TIME)
    left.set_ylabel("mean square displacement [a²]")
    left.legend(loc="upper left")
    known = later & np.isfinite(by_lag.values) & np.isfinite(by_lag.known_error())
    _points(right, times[known], by_lag.values[known], by_lag.known_error()[known], f"displacement / ({2 * free} t), {tracers.free_axes}")
    right.axhline(expected, color=THEORY, linewidth=1.6, label="theory")
    if np.isfinite(tracers.number("diffusion")):
        value, ends = tracers.number("diffusion"), [tracers.number(f"diffusion_{end}_time") for end in ("from", "to")]
        right.plot(ends, [value, value], color=FITTED, linewidth=2.0, label=f"growth in between, {value:.4g}")
    right.set_xscale("log")
    right.set_xlabel(TIME)
    right.set_ylabel(unit_label("diffusion", by_lag.unit))
    low, high = right.get_ylim()
    right.set_ylim(low - 0.45 * (high - low), high)
    right.legend(loc="lower right")
    for axes in (left, right):
        grid(axes)
    return figure


@styled
def modes_figure(run: Run) -> Figure:
    """How transverse waves decay, in parts of equipartition, beside theory; and sound. Raises ResultsError, BadArgument."""
    modes, times = run.modes, run.modes["time"].values
    _need(run, len(times) > 2 and len(modes["wave_vector"].values) > 0, "modes")
    if predicted_viscosity(run) is None:
        raise BadArgument(f"{run.path}: no theory says how waves of this fluid decay, by which they are drawn; mpcflow-analyze has the numbers")
    figure, left, right = _two_panels(run.title)
    equipartition = modes.positive("equipartition")
    vectors = modes["wave_vector"].values
    names, lengths = wave_names(vectors, run.box.astype(np.float64)), np.linalg.norm(vectors, axis=1)
    shown = np.flatnonzero(np.argmax(np.abs(vectors), axis=1) == np.argmax(np.abs(vectors[0])))[:6]  # waves along one axis
    colours = colormaps["viridis"](np.linspace(0.0, 0.8, len(shown)))
    expected = modes.expected("transverse")
    for number, colour in zip(shown, colours):
        rate = float(run.theory["predicted_viscosity"]) * lengths[number] ** 2
        early = times <= 4.0 / rate
        for axes, kind in ((left, "transverse"), (right, "longitudinal")):
            values = modes[kind].values[number][early] / equipartition
            errors = modes[kind].known_error()[number][early] / equipartition
            _points(axes, times[early], values, errors, f"{names[number]}, k = {lengths[number]:.3g}", colour)
        if expected is not None:
            left.plot(times[early], expected[number][early] / equipartition, color=colour, linewidth=1.2, linestyle=DASHED)
    left.plot([], [], color=GREY, linestyle=DASHED, linewidth=1.2, label=r"theory, $e^{-\nu k^2 t}$")
    longest = 3.0 / (float(run.theory["predicted_viscosity"]) * lengths[shown].min() ** 2)
    for axes, words in ((left, "transverse"), (right, "longitudinal")):
        axes.axhline(0.0, color=GREY, linewidth=0.8)
        axes.set_xlim(-0.02 * longest, longest)
        axes.set_xlabel(TIME)
        axes.set_ylabel(words + r" $\langle u^*(0)\,u(t)\rangle$  [kT / mN]")
        grid(axes)
    left.legend(loc="upper right", fontsize=8.5)
    return figure


@styled
def stress_figure(run: Run) -> Figure:
    """Correlations of the off-diagonal stress, and the viscosity that their sum gives. Raises ResultsError, BadArgument."""
    stress = run.stress
    times, lags = stress["time"].values, stress["lag"].values
    figure, left, right = _two_panels(run.title)
    parts = [("", "whole", MEASURED), ("kinetic_", "kinetic", FITTED), ("collisional_", "collisional", COMPONENTS["y"])]
    known = np.isfinite(stress["correlation"].values) & (np.arange(len(lags)) < max(MOST_STRESS_LAGS, 2 * settled_lag(run, lags)))
    _need(run, known.sum() > 2, "stress")
    for prefix, words, colour in parts:
        found, sums = stress[f"{prefix}correlation"], stress[f"{prefix}viscosity"]
        _points(left, times[known], found.values[known] / stress["correlation"].values[0], found.known_error()[known] / stress["correlation"].values[0],
                words, colour)
        _points(right, times[known], sums.values[known], sums.known_error()[known], words, colour)
        right.axhline(stress.number(f"expected_{prefix}viscosity"), color=colour, linewidth=1.2, linestyle=DASHED)
    right.plot([], [], color=GREY, linestyle=DASHED, linewidth=1.2, label="theory")
    right.axvline(times[settled_lag(run, lags)], color=GREY, linewidth=0.8, label="where it is read")
    left.axhline(0.0, color=GREY, linewidth=0.8)
    left.set_ylabel(r"stress correlation, in parts of $\langle P_{ab}^2\rangle$")
    right.set_ylabel(unit_label("viscosity, sum up to t", stress["viscosity"].unit))
    for axes in (left, right):
        axes.set_xlabel(TIME)
        axes.legend(loc="best", fontsize=8.5)
        grid(axes)
    return figure


@styled
def radial_figure(run: Run) -> Figure:
    """The radial distribution beside that of an ideal fluid. Raises ResultsError, BadArgument."""
    pairs = run.radial_distribution
    found, radius = pairs["g"], pairs["radius"].values
    _need(run, bool(np.isfinite(found.values).any()), "radial_distribution")
    figure = Figure(figsize=(7.2, 3.6))
    axes = figure.subplots()
    axes.axhline(1.0, color=THEORY, linewidth=1.6, label="theory: ideal fluid")
    _points(axes, radius, found.values, found.known_error(), "measured")
    axes.set_xlabel(r"$r\,/\,a$")
    axes.set_ylabel("g(r)")
    axes.set_title(run.title, loc="left", pad=10, parse_math=False)
    axes.legend(loc="best")
    grid(axes)
    return figure


@styled
def structure_factor_figure(run: Run) -> Figure:
    """The structure factor by wave number beside that of an ideal fluid, and how long its longest waves last. Raises ResultsError,
    BadArgument."""
    found = run.structure_factor
    S, correlation, times = found["S"], found["correlation"], found["time"].values
    _need(run, bool(np.isfinite(S.values).any()), "structure_factor")
    figure, left, right = _two_panels(run.title)
    vectors = found["wave_vector"].values
    lengths = np.linalg.norm(vectors, axis=1)
    left.axhline(1.0, color=THEORY, linewidth=1.6, label="theory: ideal fluid")
    _points(left, lengths, S.values, S.known_error(), "measured")
    left.set_xlabel(r"$k\,a$")
    left.set_ylabel("S(k)")
    left.legend(loc="best")
    names = wave_names(vectors, run.box.astype(np.float64))
    shown = np.flatnonzero(np.argmax(np.abs(vectors), axis=1) == np.argmax(np.abs(vectors[0])))[:4]  # waves along one axis
    # Sound of the longest wave has run through the box a few times.
    early = times <= 6.0 * np.pi / (float(run.theory["speed_of_sound"]) * lengths[shown].min())
    for number, colour in zip(shown, colormaps["viridis"](np.linspace(0.0, 0.8, len(shown)))):
        _points(right, times[early], correlation.values[number][early], correlation.known_error()[number][early],
                f"{names[number]}, k = {lengths[number]:.3g}", colour)
    right.axhline(0.0, color=GREY, linewidth=0.8)
    right.set_xlabel(TIME)
    right.set_ylabel(r"$\langle\rho^*(0)\,\rho(t)\rangle\,/\,N$")
    right.legend(loc="upper right", fontsize=8.5)
    for axes in (left, right):
        grid(axes)
    return figure


@styled
def walls_figure(run: Run) -> Figure:
    """The force on each wall over its area, by component, beside theory. Raises ResultsError, BadArgument."""
    _need(run, "stress" in run.walls, "walls")
    stress, faces = run.walls["stress"], list(run.walls.about("faces"))
    figure, across, along = _two_panels(run.title)
    errors = stress.known_error()
    for number, face in enumerate(faces):
        theory = expected_wall_stress(run, face)
        for component, name in enumerate(AXES):
            axes = across if name == face[0] else along
            place = number + (0.0 if axes is across else 0.15 * (component - 1))
            _points(axes, np.array([place]), stress.values[number, [component]], errors[number, [component]], f"along {name}", COMPONENTS[name])
            expected = theory[component]
            if expected is not None:
                axes.plot([place - 0.12, place + 0.12], [expected, expected], color=THEORY, linewidth=1.8, label="theory")
    for axes, words in ((across, "normal"), (along, "shear")):
        axes.set_xticks(range(len(faces)), faces)
        axes.set_xlim(-0.5, len(faces) - 0.5)
        axes.set_ylabel(unit_label(f"{words} stress", stress.unit))
        handles, labels = axes.get_legend_handles_labels()
        firsts = [labels.index(label) for label in dict.fromkeys(labels)]
        axes.legend([handles[i] for i in firsts], [labels[i] for i in firsts], loc="lower left", bbox_to_anchor=(-0.02, 0.99), ncols=3, fontsize=9)
        grid(axes)
    across.set_title(run.title, loc="left", pad=26, parse_math=False)
    return figure


FIGURES: dict[str, Callable[[Run], Figure]] = {"diffusion": diffusion_figure, "modes": modes_figure, "stress": stress_figure,
                                               "radial_distribution": radial_figure,
                                               "structure_factor": structure_factor_figure, "walls": walls_figure}
WORDS = {
    "diffusion": "mean square displacement of tracers over time, and the diffusion coefficient that each lag gives, beside theory",
    "modes": "decay of transverse and longitudinal velocity waves beside theory",
    "stress": "correlations of the stress, and the viscosity that their sum gives, beside theory",
    "radial_distribution": "radial distribution beside that of an ideal fluid",
    "structure_factor": "structure factor beside that of an ideal fluid, and how density waves decay",
    "walls": "force on each wall over its area beside theory",
}

"""A picture of a subject's results, where one tells more than its tables."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from mpcflow_tools.style import COMPONENTS, DASHED, FITTED, GREY, MEASURED, THEORY, grid, styled
from mpcflow_tools.validation.cases import Result, Results
from mpcflow_tools.validation.diffusion import tail_curves
from mpcflow_tools.validation.points import KNOWN, Point
from mpcflow_tools.validation.waves import by_fluid

COLOURS = {"srd": MEASURED, "srd+a": COMPONENTS["y"], "at": FITTED, "at+a": THEORY}
LAW_NAMES = {"srd": "SRD", "srd+a": "SRD+a", "at": "AT", "at+a": "AT+a"}


def _panels(count: int, title: str) -> tuple[Figure, list[Axes]]:
    figure = Figure(figsize=(4.0 * count + 1.0, 3.7))
    panels = list(np.atleast_1d(figure.subplots(1, count, gridspec_kw={"wspace": 0.32})))
    panels[0].set_title(title, loc="left", pad=10)
    return figure, panels


def _sweep(axes: Axes, results: dict[Point, Result], law: str, chosen: Callable[[Point], float | None]) -> None:
    """Viscosities of one law against what `chosen` gives of a point, with theory as a line and what is known elsewhere as crosses."""
    of_law = sorted((x, point) for point, x in ((point, chosen(point)) for point in results if point.law == law) if x is not None)
    if not of_law:
        return
    places = [x for x, _ in of_law]
    nu = [results[point].numbers["viscosity"] for _, point in of_law]
    axes.plot(places, [results[point].theory["predicted_viscosity"] for _, point in of_law], color=COLOURS[law], linewidth=1.2, linestyle=DASHED)
    axes.errorbar(places, [one.value for one in nu], yerr=[one.error for one in nu], fmt="o", color=COLOURS[law], markersize=4.0,
                  markeredgewidth=0.0, elinewidth=1.0, label=LAW_NAMES[law], zorder=3)
    known = [(x, KNOWN[point][0].value) for x, point in of_law if point in KNOWN]
    axes.plot([x for x, _ in known], [value for _, value in known], "x", color="black", markersize=6.5, zorder=4)


@styled
def viscosity_figure(results: Results) -> Figure:
    """ν over h, M and the angle."""
    found = {case.subject[0]: result for case, result in results if case.subject[1] == 1}
    figure, panels = _panels(3, "Viscosity: measured (dots), formulas (dashed), elsewhere (crosses)")
    ways: list[tuple[str, Callable[[Point], float | None]]] = [
        ("$h$ ($M$ = 10)", lambda p: p.time_step if p.density == 10 and p.angle == 130 else None),
        ("$M$ ($h$ = 0.1)", lambda p: p.density if p.time_step == 0.1 and p.angle == 130 else None),
        ("angle ($h$ = 0.1, $M$ = 10)", lambda p: p.angle if p.time_step == 0.1 and p.density == 10 and p.is_srd else None)]
    for axes, (label, chosen) in zip(panels, ways):
        for law in COLOURS:
            _sweep(axes, found, law, chosen)
        axes.set_xlabel(label)
        grid(axes)
    panels[0].set_xscale("log")
    panels[0].set_yscale("log")
    panels[0].set_ylabel(r"$\nu\;[a\,(kT/m)^{1/2}]$")
    panels[0].legend(loc="upper right", fontsize=9)
    return figure


@styled
def tail_figure(results: Results) -> Figure:
    """The tail of the velocity autocorrelation."""
    found, whole, endless = tail_curves(next(result for case, result in results if case.name == "tail"))
    figure, (axes,) = _panels(1, "Tail of the velocity autocorrelation")
    figure.set_size_inches(7.2, 3.7)
    times = found["time"]
    axes.errorbar(times, found["value"], yerr=found["error"], fmt="o", color=MEASURED, markersize=3.6, markeredgewidth=0.0, elinewidth=1.0,
                  label="measured", zorder=3)
    axes.plot(times, whole, color=THEORY, linewidth=1.6, label="waves of the box, with sound")
    axes.plot(times, endless, color=GREY, linewidth=1.3, linestyle=DASHED, label=r"$2\,(kT/\rho)\,[4\pi(\nu+D)t]^{-3/2}$")
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_ylim(0.3 * float(whole.min()), 3.0 * float(whole.max()))
    axes.set_xlabel(r"$t\;[a\,(m/kT)^{1/2}]$")
    axes.set_ylabel(r"$\langle v(t)\cdot v(0)\rangle\;[kT/m]$")
    axes.legend(loc="upper right", fontsize=9)
    grid(axes)
    return figure


@styled
def waves_figure(results: Results) -> Figure:
    """Transverse and longitudinal waves, means over axes and seeds."""
    figure, (left, right) = _panels(2, "Correlation of the longest waves")
    k = 2.0 * math.pi / 32.0
    for (point, kept), found in by_fluid(results).items():
        curves = [result.curve(f"waves_{axis}") for result in found for axis in "xyz"]
        times = curves[0]["time"]
        mean = {name: np.mean([curve[name] for curve in curves], axis=0) for name in ("transverse", "longitudinal")}
        colour = COLOURS[point.law] if kept else GREY
        if kept:
            left.plot(times, mean["transverse"], "o", color=colour, markersize=3.0, markeredgewidth=0.0, label=LAW_NAMES[point.law])
            left.plot(times, np.exp(-found[0].theory["predicted_viscosity"] * k * k * times), color=colour, linewidth=1.2, linestyle=DASHED)
        if point.law == "srd":
            right.plot(times, mean["longitudinal"], color=colour, linewidth=1.4, label=f"SRD, {'thermostat' if kept else 'no thermostat'}")
    left.set_ylabel("of the transverse velocity")
    right.set_ylabel("of the longitudinal velocity")
    for axes in (left, right):
        axes.set_xlabel(r"$t\;[a\,(m/kT)^{1/2}]$")
        axes.legend(loc="upper right", fontsize=9)
        grid(axes)
    return figure


@styled
def strong_shear_figure(results: Results) -> Figure:
    """Temperature across a strong shear."""
    figure, panels = _panels(2, "Temperature across strong shear")
    styles = {"maxwell_boltzmann": "-", "monte_carlo": DASHED, "simple": ":", "": "-"}
    for case, result in results:
        point, kind = case.subject
        curve = result.curve("profile")
        panels[int(point.is_angular)].plot(curve["y"], curve["temperature"], color=COLOURS[point.law], linewidth=1.5, linestyle=styles[kind],
                                           label=f"{LAW_NAMES[point.law]}{f', {kind}' if kind else ''}")
    for axes in panels:
        axes.axhline(1.0, color=GREY, linewidth=0.8)
        axes.set_xlabel(r"$y\,/\,a$")
        low, high = axes.get_ylim()
        axes.set_ylim(low, high + 0.4 * (high - low))  # room for the legend
        axes.legend(fontsize=8, loc="upper right")
        grid(axes)
    panels[0].set_ylabel("$kT$ / that wanted")
    return figure


@styled
def cylinders_figure(results: Results) -> Figure:
    """Velocity against the distance from the axis."""
    figure, (axes,) = _panels(1, "Velocity against the distance from the axis (line: theory)")
    figure.set_size_inches(7.2, 3.7)
    for case, result in results:
        point, radius = case.subject
        curve = result.curve("profile")
        name = ", ".join(f"{one}" for one in (radius if isinstance(radius, tuple) else (radius,)))
        axes.errorbar(curve["r"], curve["velocity"], yerr=curve["error"], fmt="o", markersize=3.4, markeredgewidth=0.0, elinewidth=1.0,
                      color=COLOURS[point.law], label=f"{LAW_NAMES[point.law]}, R = {name}")
        axes.plot(curve["r"], curve["theory"], color=COLOURS[point.law], linewidth=1.0)
    axes.set_xlabel(r"$r\,/\,a$")
    axes.set_ylabel(r"velocity $[(kT/m)^{1/2}]$")
    axes.legend(fontsize=8)
    grid(axes)
    return figure


# By subject. One whose results are not there has no picture.
FIGURES: dict[str, Callable[[Results], Figure]] = {
    "viscosity": viscosity_figure, "diffusion": tail_figure, "waves": waves_figure, "strong_shear": strong_shear_figure, "pipe": cylinders_figure,
    "taylor_couette": cylinders_figure}

"""A flow and its fit as a picture."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from mpcflow_tools.flow import Array, Fit, fitted_bins, velocity_at, velocity_average
from mpcflow_tools.flow_report import FlowRun, Quantity
from mpcflow_tools.style import DASHED, FITTED, GREY, MEASURED, THEORY, grid, shade_walls, styled


def _points(axes: Axes, places: Array, values: Array, errors: Array, fitted: NDArray[np.bool_], size: float) -> None:
    """Measured points with their errors; hollow where the fit left them out."""
    axes.errorbar(places[fitted], values[fitted], yerr=errors[fitted], fmt="o", color=MEASURED, markersize=size, markeredgewidth=0.0,
                  elinewidth=1.0, capsize=0.0, label="measured", zorder=3)
    if not fitted.all():
        axes.errorbar(places[~fitted], values[~fitted], yerr=errors[~fitted], fmt="o", color=MEASURED, markerfacecolor="white",
                      markersize=size, markeredgewidth=0.9, elinewidth=1.0, capsize=0.0, label="measured, not fitted", zorder=3)


@styled
def flow_figure(run: FlowRun, fit: Fit) -> Figure:
    """The profile above, its difference from theory below."""
    slit, profile = run.slit, run.profile
    fine = np.linspace(0.0, slit.width, 401)
    expected = velocity_average(profile.edges, slit)
    scale = np.max(np.abs(velocity_at(fine, slit)))
    fitted_only = np.zeros(len(profile.velocity), dtype=bool)
    fitted_only[fitted_bins(profile.edges, slit.width)] = True
    figure = Figure(figsize=(7.2, 5.6))
    top, bottom = figure.subplots(2, 1, sharex=True, gridspec_kw={"height_ratios": [3.2, 1.0], "hspace": 0.09})

    top.plot(fine, velocity_at(fine, slit), color=THEORY, linewidth=1.8,
             label=rf"theory, $\nu = {slit.viscosity:.3f}$")
    fitted = Quantity(fit.viscosity, fit.viscosity_error)
    top.plot(fine, velocity_at(fine, slit, fit.slip_length, fit.viscosity), color=FITTED, linewidth=1.3,
             linestyle=DASHED, label=rf"fit, $\nu = {str(fitted).replace('+-', chr(92) + 'pm')}$")
    _points(top, profile.centres, profile.velocity, profile.velocity_error, fitted_only, 4.2)
    top.set_ylabel(rf"velocity $u_{run.flow_axis}$")
    top.set_title(run.title, loc="left", pad=10, parse_math=False)
    low, high = sorted((0.0, np.sign(slit.acceleration) * scale))
    top.set_ylim(low - 0.03 * scale, high + 0.08 * scale)
    handles, labels = top.get_legend_handles_labels()
    order = sorted(range(len(labels)), key=lambda i: not labels[i].startswith("measured"))
    top.legend([handles[i] for i in order], [labels[i] for i in order],
               loc="lower center" if slit.acceleration > 0.0 else "upper center")

    percent = 100.0 / scale
    bottom.axhline(0.0, color=THEORY, linewidth=1.4)
    bottom.plot(fine, percent * (velocity_at(fine, slit, fit.slip_length, fit.viscosity)
                                 - velocity_at(fine, slit)),
                color=FITTED, linewidth=1.3, linestyle=DASHED)
    _points(bottom, profile.centres, percent * (profile.velocity - expected), percent * profile.velocity_error, fitted_only, 3.4)
    reach = 1.25 * np.max(percent * (np.abs(profile.velocity - expected) + profile.velocity_error))
    bottom.set_ylim(-max(reach, 0.5), max(reach, 0.5))
    bottom.set_ylabel("difference\n" + r"[% of $u_{\mathrm{max}}$]")
    bottom.set_xlabel(rf"${run.wall_axis}\,/\,a$")
    for axes in (top, bottom):
        shade_walls(axes, slit.width)
        grid(axes)
    figure.align_ylabels()
    slip = str(Quantity(fit.slip_length, fit.slip_length_error)).replace("+-", "±")
    bottom.text(1.0, -0.66, f"slip length {slip} a;  kT = {str(run.temperature).replace('+-', '±')};  "
                f"{run.steps} steps sampled", transform=bottom.transAxes, ha="right", va="bottom",
                fontsize=8.5, color=GREY)
    return figure

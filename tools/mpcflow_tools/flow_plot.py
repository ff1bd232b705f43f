"""A flow and its fit as a picture."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")  # no display is needed

import matplotlib.pyplot as plt  # noqa: E402  (after the choice of backend)
import numpy as np  # noqa: E402
from matplotlib.axes import Axes  # noqa: E402

from mpcflow_tools.flow import Fit, velocity_at, velocity_average  # noqa: E402
from mpcflow_tools.flow_report import FlowRun, Quantity  # noqa: E402

MEASURED = "#1f4e79"
THEORY = "#c8553d"
FITTED = "#5b8c5a"
GREY = "#8a8f98"

STYLE: Any = {
    "font.size": 10.5,
    "axes.titlesize": 12,
    "axes.labelsize": 10.5,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": "#444444",
    "axes.linewidth": 0.8,
    "legend.frameon": False,
    "mathtext.fontset": "dejavusans",
}


def _shade_walls(axes: Axes, width: float) -> None:
    for lower, upper in ((-0.035 * width, 0.0), (width, 1.035 * width)):
        axes.axvspan(lower, upper, facecolor="#e9eaec", hatch="////", edgecolor="#b9bdc4", linewidth=0.0, zorder=0)
    axes.set_xlim(-0.035 * width, 1.035 * width)


def plot_flow(run: FlowRun, fit: Fit, path: Path) -> None:
    """Writes a picture (PNG, PDF or SVG by the suffix): profile above, difference from theory below."""
    slit, profile = run.slit, run.profile
    fine = np.linspace(0.0, slit.width, 401)
    expected = velocity_average(profile.edges, slit)
    scale = np.max(np.abs(velocity_at(fine, slit)))

    with plt.rc_context(STYLE):
        figure, (top, bottom) = plt.subplots(
            2, 1, figsize=(7.2, 5.6), sharex=True, gridspec_kw={"height_ratios": [3.2, 1.0], "hspace": 0.09})

        top.plot(fine, velocity_at(fine, slit), color=THEORY, linewidth=1.8,
                 label=rf"theory, $\nu = {slit.viscosity:.3f}$")
        fitted = Quantity(fit.viscosity, fit.viscosity_error)
        top.plot(fine, velocity_at(fine, slit, fit.slip_length, fit.viscosity), color=FITTED, linewidth=1.3,
                 linestyle=(0, (4, 2)), label=rf"fit, $\nu = {str(fitted).replace('+-', chr(92) + 'pm')}$")
        top.errorbar(profile.centres, profile.velocity, yerr=profile.velocity_error, fmt="o", color=MEASURED,
                     markersize=4.2, markeredgewidth=0.0, elinewidth=1.0, capsize=0.0, label="measured", zorder=3)
        top.set_ylabel(rf"velocity $u_{run.flow_axis}$")
        top.set_title(run.title, loc="left", pad=10)
        low, high = sorted((0.0, np.sign(slit.acceleration) * scale))
        top.set_ylim(low - 0.03 * scale, high + 0.08 * scale)
        handles, labels = top.get_legend_handles_labels()
        order = [labels.index("measured")] + [i for i, label in enumerate(labels) if label != "measured"]
        top.legend([handles[i] for i in order], [labels[i] for i in order],
                   loc="lower center" if slit.acceleration > 0.0 else "upper center")

        percent = 100.0 / scale
        bottom.axhline(0.0, color=THEORY, linewidth=1.4)
        bottom.plot(fine, percent * (velocity_at(fine, slit, fit.slip_length, fit.viscosity)
                                     - velocity_at(fine, slit)),
                    color=FITTED, linewidth=1.3, linestyle=(0, (4, 2)))
        bottom.errorbar(profile.centres, percent * (profile.velocity - expected),
                        yerr=percent * profile.velocity_error, fmt="o", color=MEASURED, markersize=3.4,
                        markeredgewidth=0.0, elinewidth=1.0)
        reach = 1.25 * np.max(percent * (np.abs(profile.velocity - expected) + profile.velocity_error))
        bottom.set_ylim(-max(reach, 0.5), max(reach, 0.5))
        bottom.set_ylabel("difference\n" + r"[% of $u_{\mathrm{max}}$]")
        bottom.set_xlabel(rf"${run.wall_axis}\,/\,a$")
        for axes in (top, bottom):
            _shade_walls(axes, slit.width)
            axes.grid(axis="y", color="#d9dce1", linewidth=0.6)
            axes.set_axisbelow(True)
        figure.align_ylabels()
        slip = str(Quantity(fit.slip_length, fit.slip_length_error)).replace("+-", "±")
        bottom.text(1.0, -0.66, f"slip length {slip} a     kT = {str(run.temperature).replace('+-', '±')}     "
                    f"{run.steps} steps sampled", transform=bottom.transAxes, ha="right", va="bottom",
                    fontsize=8.5, color=GREY)
        figure.savefig(path, dpi=160, bbox_inches="tight", facecolor="white", metadata={"Software": None}
                       if path.suffix == ".png" else None)
        plt.close(figure)

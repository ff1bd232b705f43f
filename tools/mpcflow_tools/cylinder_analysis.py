"""What a flow in a pipe or between cylinders gives: viscosity, slip, velocity against theory, and its picture."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from mpcflow_tools.cylinder_flow import CylinderFit, CylinderFlow, RadialProfile, cylinder_flow_of, fit_cylinder_flow, radial_profile
from mpcflow_tools.estimates import VISCOSITY_UNIT, Estimate
from mpcflow_tools.flow_report import EXPECTED_SLIP
from mpcflow_tools.results import MissingResult
from mpcflow_tools.run import AXES, Run
from mpcflow_tools.style import DASHED, FITTED, MEASURED, THEORY, WALL, WALL_EDGE, grid, styled, unit_label


def driven_cylinders(run: Run) -> CylinderFlow | None:
    """The flow where there is one, and averages of its velocity. Raises ResultsError."""
    flow = cylinder_flow_of(run)
    return flow if flow is not None and "velocity" in run.fields and run.fields.samples > 0 else None


def sampled_time(run: Run) -> float:
    """Over which fields are averages."""
    return run.time_step * (run.fields.last_step - run.fields.first_step + run.fields.every)


def fits(run: Run, flow: CylinderFlow) -> dict[str, tuple[RadialProfile, CylinderFit | None]]:
    """By direction of the flow its profile, and the fit where there are bins enough for one. Raises ResultsError."""
    found: dict[str, tuple[RadialProfile, CylinderFit | None]] = {}
    for direction in flow.directions:
        profile = radial_profile(run, flow, direction)
        try:
            found[direction] = profile, fit_cylinder_flow(profile, flow, direction, sampled_time(run))
        except ValueError:
            found[direction] = profile, None
    return found


def flow_estimates(run: Run, flow: CylinderFlow) -> list[Estimate]:
    """What the profiles give: of a pipe that a force drives viscosity and slip length, of others the velocity over that of theory.
    Raises ResultsError."""
    estimates: list[Estimate] = []
    for direction, (profile, fit) in fits(run, flow).items():
        how = f"{len(profile.r)} rings of bins around {AXES[flow.axis]}, over a time of {sampled_time(run):g}, but for those near a surface"
        if fit is None:
            continue
        if len(fit.values) == 2:
            estimates += [Estimate("pipe", float(fit.values[0]), float(fit.errors[0]), VISCOSITY_UNIT, f"parabola fitted to {how}", flow.viscosity),
                          Estimate("slip length", float(fit.values[1]), float(fit.errors[1]), "a", f"of the same fit; {EXPECTED_SLIP} (docs/physics.md)")]
        else:
            estimates.append(Estimate(f"velocity {direction} {AXES[flow.axis]} over theory", float(fit.values[0]), float(fit.errors[0]), "1",
                                      f"least squares, of {how}", 1.0))
    return estimates + torque_viscosity(run, flow)


def torque_viscosity(run: Run, flow: CylinderFlow) -> list[Estimate]:
    """Between cylinders that turn by their torques, taken as independent: nu = G / (4 pi rho B l). Raises ResultsError."""
    if not flow.torque or "torque" not in run.walls or run.walls.samples == 0:
        return []
    torque = run.walls["torque"]
    signs = np.array([1.0 if surface["fluid"] == "inside" else -1.0 for surface in run.input["surfaces"]])
    mean = float((signs * torque.values[:, flow.axis]).mean())
    error = float(np.sqrt((torque.known_error()[:, flow.axis] ** 2).sum())) / len(signs)
    scale = flow.viscosity / flow.torque
    return [Estimate("torque", scale * mean, abs(scale) * error, VISCOSITY_UNIT, "half of the difference of the torques on the two cylinders",
                     flow.viscosity)]


def flow_report(run: Run, flow: CylinderFlow) -> str:
    """The profiles beside theory, and what they give, as text for a terminal. Raises ResultsError."""
    lines = [run.title or "Flow in a cylinder"]
    for direction, (profile, _) in fits(run, flow).items():
        lines += ["", f"       r / a   velocity {direction} {AXES[flow.axis]}        theory"]
        lines += [f"  {r:10.3f}   {u:10.5f} +- {error:.5f}   {theory:10.5f}"
                  for r, u, error, theory in zip(profile.r, profile.velocity, profile.error, flow.velocity(direction, profile.r))]
    estimates = flow_estimates(run, flow)
    return "\n".join([*lines, "", *(f"{found.name}  {found}{'' if found.unit == '1' else ' ' + found.unit}   {found.beside_theory()}".rstrip()
                                    for found in estimates)])


def _draw(axes: Axes, run: Run, flow: CylinderFlow, direction: str, profile: RadialProfile, fit: CylinderFit | None) -> None:
    fine = np.linspace(flow.inner_radius, flow.outer_radius, 301)
    axes.plot(fine, flow.velocity(direction, fine), color=THEORY, linewidth=1.8,
              label="theory" if direction == "about" else rf"theory, $\nu = {flow.viscosity:.3f}$")
    if fit is not None and len(fit.values) == 2:
        axes.plot(fit.curve_r, fit.curve, color=FITTED, linewidth=1.3, linestyle=DASHED,
                  label=rf"fit, $\nu = {fit.values[0]:.3f} \pm {fit.errors[0]:.3f}$")
    axes.errorbar(profile.r, profile.velocity, yerr=profile.error, fmt="o", color=MEASURED, markersize=4.2, markeredgewidth=0.0,
                  elinewidth=1.0, label="measured", zorder=3)
    margin = 0.05 * flow.outer_radius
    low = flow.inner_radius - margin if flow.inner_radius else 0.0
    for lower, upper in ((low, flow.inner_radius), (flow.outer_radius, flow.outer_radius + margin)):
        axes.axvspan(lower, upper, facecolor=WALL, hatch="////", edgecolor=WALL_EDGE, linewidth=0.0, zorder=0)
    axes.set_xlim(low, flow.outer_radius + margin)
    axes.set_xlabel(r"$r\,/\,a$, from the axis")
    axes.set_ylabel(unit_label(f"velocity {direction} {AXES[flow.axis]}", run.fields.unit("velocity")))
    grid(axes)


@styled
def cylinder_figure(run: Run, flow: CylinderFlow) -> Figure:
    """Velocity against the distance from the axis, a panel for each direction of the flow. Raises ResultsError."""
    found = fits(run, flow)
    if not any(len(profile.r) for profile, _ in found.values()):
        raise MissingResult(f"{run.path}: no bin of the fields lies in the fluid as a whole (output.fields.bins in the input)")
    figure = Figure(figsize=(7.2, 3.9 * len(found)))
    panels = np.atleast_1d(figure.subplots(len(found), 1))
    for axes, (direction, (profile, fit)) in zip(panels, found.items()):
        _draw(axes, run, flow, direction, profile, fit)
        axes.legend(loc="lower left", bbox_to_anchor=(-0.012, 0.99), ncols=4, fontsize=9, handlelength=1.6, columnspacing=1.5)
    panels[0].set_title(run.title, loc="left", pad=26, parse_math=False)
    return figure

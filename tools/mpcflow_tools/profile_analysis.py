"""Fields of a run as profiles beside theory, the temperature, and the viscosity that follows from a flow."""

from __future__ import annotations

import numpy as np

from mpcflow_tools.cylinder_analysis import driven_cylinders, fits, flow_estimates
from mpcflow_tools.estimates import VISCOSITY_UNIT, Estimate, Section, blocked_mean, lacks
from mpcflow_tools.expected import (component_name, default_axis, default_component, expected_profile, expected_series, fluid_of,
                                    holds_temperature)
from mpcflow_tools.flow import fit_profile
from mpcflow_tools.flow_report import EXPECTED_SLIP, fitted_of_all
from mpcflow_tools.flow_run import NotAFlow, has_stream, has_surfaces, read_flow
from mpcflow_tools.layers import layer_profile
from mpcflow_tools.mode_analysis import mode_viscosity
from mpcflow_tools.run import AXES, Run
from mpcflow_tools.stress_analysis import green_kubo_viscosities, shear_viscosity


def temperature_section(run: Run) -> Section:
    """Of the series, after the equilibration. Raises ResultsError."""
    section = Section("temperature")
    if "temperature" not in run.series:
        section.missing.append(lacks("series"))
        return section
    settled = run.series["step"].values >= run.equilibration
    found = blocked_mean(run.series["temperature"].values[settled])
    times = run.series["time"].values[settled]
    curves = expected_series(run, "temperature")
    wanted = curves[0].at(times) if curves and len(times) else None
    theory = None if wanted is None else float(wanted[0] if np.ptp(wanted) == 0.0 else np.mean(wanted))
    if not holds_temperature(run):
        section.notes.append("without a thermostat the stream alone holds the temperature, where it is made" if has_stream(run.input) else
                             "without a thermostat the temperature is that of the start, which chance sets")
        theory = None
    section.estimates.append(Estimate("kT", found.value, found.error, "energy", f"mean of {settled.sum():,} rows of the series, a flow included",
                                      theory))
    return section


def shear_rate(run: Run) -> list[Estimate]:
    """Of a box with sheared faces, as measured. Raises ResultsError."""
    if not fluid_of(run).is_sheared or not np.isfinite(run.fields.number("measured_shear_rate")):
        return []
    return [Estimate("shear rate", run.fields.number("measured_shear_rate"), run.fields.number("measured_shear_rate_error"),
                     "(energy/mass)^(1/2)/a", "slope of the velocity by least squares",
                     None if has_surfaces(run.input) else float(run.theory["shear_rate"]))]


def profiles_section(run: Run) -> Section:
    """Each field along the axis that tells the most, and how far it is from theory. Raises ResultsError."""
    section = Section("profiles")
    if not len(run.fields) or run.fields.samples == 0:
        section.missing.append(lacks("fields"))
        return section
    section.estimates += shear_rate(run)
    axis = default_axis(run)
    centres = run.fields.centres(AXES[axis])
    for name in run.fields:
        for component in run.fields.components(name):
            mean, error = layer_profile(run.fields, name, component, axis)
            title = component_name(name, component)
            table = {AXES[axis]: centres, title: mean, "error": error}
            curve = expected_profile(run, name, axis, component)
            if curve is not None:
                table["theory"] = curve.at(centres)
                used = np.isfinite(mean) & (error > 0.0)
                if used.any() and component == default_component(run, name):
                    off = np.abs(mean - table["theory"])[used]
                    worst = int(np.argmax(off))
                    section.notes.append(f"{title}: at most {off[worst]:.2g} from theory at bin centres, at {AXES[axis]} = "
                                         f"{centres[used][worst]:g}, where one standard error is {error[used][worst]:.2g}")
            section.tables[title] = table
    _add_cylinders(run, section)
    return section


def _add_cylinders(run: Run, section: Section) -> None:
    """Of a flow in a pipe or between cylinders the velocity against the distance from their axis."""
    flow = driven_cylinders(run)
    if flow is None:
        return
    for direction, (profile, _) in fits(run, flow).items():
        theory = flow.velocity(direction, profile.r)
        title = f"velocity {direction} {AXES[flow.axis]}"
        section.tables[title] = {"r": profile.r, "velocity": profile.velocity, "error": profile.error, "theory": theory}
        if len(profile.r):
            off = np.abs(profile.velocity - theory)
            worst = int(np.argmax(off))
            section.notes.append(f"{title}: at most {off[worst]:.2g} from theory in rings of bins, at r = {profile.r[worst]:.3g}, where one "
                                 f"standard error is {profile.error[worst]:.2g}")


def flow_viscosity(run: Run) -> list[Estimate]:
    """Viscosity and slip length by the fit of a plane Poiseuille flow. Raises NotAFlow, ResultsError; ValueError where the
    profile allows no fit."""
    flow = read_flow(run)
    fit = fit_profile(flow.profile, flow.slit)
    how = f"parabola fitted to the velocity in {fitted_of_all(flow)}, {flow.steps:,} steps"
    return [Estimate("flow", fit.viscosity, fit.viscosity_error, VISCOSITY_UNIT, how, flow.slit.viscosity),
            Estimate("slip length", fit.slip_length, fit.slip_length_error, "a", f"of the same fit; {EXPECTED_SLIP} (docs/physics.md)")]


def wave_viscosity(run: Run) -> Estimate | None:
    """By the amplitude of the velocity's first wave, of a flow that a force makes which is a wave of the place: nu = g / (k^2 u). None of
    another. Raises ResultsError."""
    wave = fluid_of(run).wave
    if wave is None or "velocity" not in run.fields or run.fields.samples == 0:
        return None
    edges = run.fields.edges(AXES[wave.wave_axis])
    velocity, _ = layer_profile(run.fields, "velocity", AXES[wave.flow_axis], wave.wave_axis)
    k = wave.wave_number
    # A bin has the mean of the sine over it.
    sine = (np.cos(k * edges[:-1]) - np.cos(k * edges[1:])) / (k * np.diff(edges))
    squares = float((sine**2).sum())
    if len(velocity) < 4 or not squares > 1.0:
        return None
    amplitude = float((sine * velocity).sum()) / squares
    # The thermal wave has the mean square 2 kT / (rho V) and is forgotten at the rate nu k^2.
    fluid, time = fluid_of(run), run.time_step * (run.fields.last_step - run.fields.first_step + run.fields.every)
    mean_square = 2.0 * fluid.temperature / (fluid.density * fluid.mass * float(np.prod(run.box)))
    spread = float(np.sqrt(mean_square * 2.0 / (wave.viscosity * k**2 * time)))
    first = wave.acceleration * (1.0 if wave.is_sine else 4.0 / np.pi)
    return Estimate("wave", first / (k**2 * amplitude), abs(first / (k**2 * amplitude**2)) * spread, VISCOSITY_UNIT,
                    "amplitude of the wave in the velocity; its error is that of a thermal wave, averaged over the time", wave.viscosity)


def viscosity_section(run: Run) -> Section:
    """By each way that the run allows. Raises ResultsError."""
    section = Section("viscosity")
    cylinders = driven_cylinders(run)
    section.estimates += [] if cylinders is None else flow_estimates(run, cylinders)
    try:
        section.estimates += flow_viscosity(run)
    except NotAFlow as error:
        section.missing += [] if cylinders else [str(error).removeprefix(f"{run.path}: ")]
    except ValueError as error:
        section.notes.append(f"flow: {error}")
    of_wave = wave_viscosity(run)
    section.estimates += [] if of_wave is None else [of_wave]
    if len(run.stress) and run.stress.samples > 0 and fluid_of(run).is_sheared:
        section.estimates.append(shear_viscosity(run))
    elif len(run.stress) and run.stress.samples > 0:
        try:
            section.estimates += green_kubo_viscosities(run)
        except ValueError as error:
            section.notes.append(f"Green-Kubo: {error}")
    else:
        section.missing.append(lacks("stress"))
    if len(run.modes) and run.modes.samples > 0:
        try:
            section.estimates.append(mode_viscosity(run))
        except ValueError as error:
            section.notes.append(f"mode decay: {error}")
    else:
        section.missing.append(lacks("modes"))
    return section

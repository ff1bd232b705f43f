"""Velocity modes of a fluid at rest: how they decay, which gives the viscosity, and how large they are."""

from __future__ import annotations

import numpy as np

from mpcflow_tools.decay import fit_decay
from mpcflow_tools.estimates import VISCOSITY_UNIT, Estimate, Section, lacks, weighted_mean
from mpcflow_tools.flow import Array
from mpcflow_tools.flow_report import Quantity
from mpcflow_tools.mixtures import predicted_viscosity
from mpcflow_tools.run import AXES, Run

# Waves of up to this k, in 1/a, follow hydrodynamics to about a percent: twelve cells and more.
HYDRODYNAMIC = 0.53


def wave_names(vectors: Array, box: Array) -> list[str]:
    """ "x 1", "x 2" ...: the axis of each wave vector [K][3] and how many waves the box holds."""
    axes = np.argmax(np.abs(vectors), axis=1)
    return [f"{AXES[axis]} {round(float(vector[axis]) * float(box[axis]) / (2.0 * np.pi))}" for vector, axis in zip(vectors, axes)]


def decay_viscosities(run: Run) -> tuple[list[Quantity | str], Array]:
    """The kinematic viscosity from the decay exp(-nu k^2 t) of each transverse mode, or why there is none; and the wave
    numbers k. Raises ResultsError."""
    modes = run.modes
    transverse, times = modes["transverse"], modes["time"].values
    wave_numbers: Array = np.linalg.norm(modes["wave_vector"].values, axis=1)
    known = modes["viscosity"].values
    measured = float(np.median(known[np.isfinite(known)])) if np.any(np.isfinite(known)) else np.nan
    expected = predicted_viscosity(run) or measured  # from which the fit starts
    if not expected > 0.0:
        return ["the run is too short, and there is no theory that says how long it should be"] * len(wave_numbers), wave_numbers
    found: list[Quantity | str] = []
    for values, errors, k in zip(transverse.values, transverse.known_error(), wave_numbers):
        try:
            decay = fit_decay(times, values, errors, expected * k**2)
            found.append(Quantity(decay.rate / k**2, decay.rate_error / k**2))
        except ValueError as error:
            found.append(str(error))
    return found, wave_numbers


def longest_waves(found: list[Quantity | str], wave_numbers: Array) -> list[Quantity]:
    """Viscosities of the waves that are long against a cell, or else of the longest: shorter ones decay otherwise."""
    longest = max(HYDRODYNAMIC, 1.01 * wave_numbers.min(initial=np.inf))
    return [one for one, k in zip(found, wave_numbers) if isinstance(one, Quantity) and k <= longest]


def mode_viscosity(run: Run) -> Estimate:
    """Of the longest waves together. Raises ResultsError; ValueError where none could be fitted."""
    found, wave_numbers = decay_viscosities(run)
    longest = longest_waves(found, wave_numbers)
    if not longest:
        raise ValueError(next((one for one in found if isinstance(one, str)), "there are no modes: no axis is periodic"))
    mean, _ = weighted_mean(longest)
    return Estimate("mode decay", mean.value, mean.error, VISCOSITY_UNIT,
                    f"exp(-nu k^2 t) fitted to the {len(longest)} longest transverse modes",
                    predicted_viscosity(run))


def modes_section(run: Run) -> Section:
    """Viscosity and equipartition of each mode. Raises ResultsError."""
    section = Section("modes")
    if not len(run.modes):
        section.missing.append(lacks("modes"))
        return section
    modes = run.modes
    transverse, longitudinal, times = modes["transverse"], modes["longitudinal"], modes["time"].values
    if not len(times):
        section.notes.append("no sample yet")
        return section
    names = wave_names(modes["wave_vector"].values, run.box.astype(np.float64))
    found, wave_numbers = decay_viscosities(run)
    equipartition = modes.positive("equipartition")
    expected = predicted_viscosity(run)
    for number, name in enumerate(names):
        decay = found[number]
        if isinstance(decay, Quantity):
            section.estimates.append(Estimate(f"viscosity, {name}", decay.value, decay.error, VISCOSITY_UNIT,
                                              f"k = {wave_numbers[number]:.4g}", expected))
        else:
            section.notes.append(f"mode {name}: {decay}")
        for kind, of in (("transverse", transverse), ("longitudinal", longitudinal)):
            section.estimates.append(Estimate(f"{kind} size, {name}", float(of.values[number, 0]) / equipartition,
                                              float(of.known_error()[number, 0]) / equipartition, "kT/(m N)", "equipartition is 1", 1.0))
        table = {"time": times, "transverse": transverse.values[number], "transverse_error": transverse.known_error()[number],
                 "longitudinal": longitudinal.values[number], "longitudinal_error": longitudinal.known_error()[number]}
        theory = modes.expected("transverse")
        section.tables[name] = table | ({} if theory is None else {"expected_transverse": theory[number]})
    longest = longest_waves(found, wave_numbers)
    if len(longest) > 1:
        mean, chi_square = weighted_mean(longest)
        section.notes.append(f"the {len(longest)} longest waves together: viscosity {mean}, chi-square {chi_square:.2f} a degree of freedom")
    if np.any(np.isnan(transverse.known_error()[:, 0])):
        section.notes.append("the run is too short for errors of the modes")
    return section

"""What the gallery says of each flow: a few numbers, each with its error beside what is expected."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from mpcflow_tools.analyze import analyze
from mpcflow_tools.conservation import drifts
from mpcflow_tools.estimates import Estimate, blocked_mean
from mpcflow_tools.expected import fluid_of
from mpcflow_tools.flow_run import total_force
from mpcflow_tools.gallery.sound import density_wave, expected_wave, fit_wave
from mpcflow_tools.histograms import ChiSquare, compare, read_histograms
from mpcflow_tools.layers import layer_profile, mean_of
from mpcflow_tools.mixtures import species_names
from mpcflow_tools.obstacle import drag_coefficient, mean_velocity, obstacle_of
from mpcflow_tools.run import Run
from mpcflow_tools.validation.cylinder import VISCOSITY

Rows = list["Row"]


@dataclass(frozen=True)
class Row:
    """A line of a table. `expected` are words in the place of theory."""

    label: str
    estimate: Estimate
    expected: str = ""

    def cells(self) -> list[str]:
        found = self.estimate
        beside = found.beside_theory().removeprefix("theory ").replace("sigma", "σ")
        return [self.label, str(found).replace("+-", "±"), self.expected or beside]


def analyzed(*wanted: tuple[str, str, str], with_temperature: bool = False, **words: str) -> Callable[[Run], Rows]:
    """Of (subject, name of the estimate, label) what mpcflow-analyze has of it; `words` by the estimate's name are expected of those
    without theory. With the temperature relative to the flow, where that is wanted."""
    def rows(run: Run) -> Rows:
        subjects = list(dict.fromkeys(subject for subject, _, _ in wanted))
        found = {(section.name, one.name): one for section in analyze(run, subjects) for one in section.estimates}
        told = [Row(label, found[subject, name], words.get(name.replace(" ", "_"), "")) for subject, name, label in wanted]
        return told + ([temperature_row(run)] if with_temperature else [])
    return rows


def temperature_row(run: Run) -> Row:
    """The mean of that of the bins, each relative to its own velocity. Raises ResultsError."""
    found = mean_of(run.fields, "temperature")
    return Row("temperature, relative to the flow", Estimate("temperature", found.value, found.error, "", theory=fluid_of(run).temperature))


def sphere_rows(run: Run) -> Rows:
    """The force on a sphere of a cubic lattice, and the mean velocity that Stokes' drag with the correction for its images says (Sangani and
    Acrivos, Int. J. Multiphase Flow 8 (1982) 343): F = 6 pi eta R U K. Raises ResultsError."""
    rows = analyzed(("walls", "force on surface 0 (sphere), x", "force on the sphere"))(run)
    rate, box = run.walls["flow_rate"], run.box.astype(np.float64)
    area, radius = float(box[1] * box[2]), float(run.input["surfaces"][0]["sphere"]["radius"])
    solid = 4.0 / 3.0 * math.pi * radius**3 / float(np.prod(box))
    images = 1.0 / (1.0 - 1.76 * solid ** (1.0 / 3.0) + solid - 1.56 * solid**2)
    fluid = fluid_of(run)
    eta = fluid.density * fluid.mass * float(run.theory["predicted_viscosity"])
    force = float(total_force(run.input)[0]) * run.particles
    velocity = Estimate("velocity", float(rate.values[0]) / area, float(rate.known_error()[0]) / area, "",
                        theory=force / (6.0 * math.pi * eta * radius * images))
    return [*rows, Row("mean velocity through the box", velocity)]


def cylinder_rows(run: Run) -> Rows:
    """The drag of the cylinder beside Schaefer and Turek's benchmark 2D-1. Raises ResultsError."""
    cylinder = obstacle_of(run)
    velocity, drag = mean_velocity(run, cylinder), drag_coefficient(run, cylinder)
    reynolds = cylinder.diameter / VISCOSITY
    wanted = float(run.input["stream"]["velocity"][cylinder.along])
    return [Row("mean velocity through the box", Estimate("velocity", velocity.value, velocity.error, "", theory=wanted)),
            Row(f"Reynolds number, at ν = {VISCOSITY}, as measured", Estimate("Reynolds", reynolds * velocity.value, reynolds * velocity.error, ""), "20"),
            Row("drag coefficient", Estimate("drag", drag.value, drag.error, ""), "5.58 at constant density")]


def heat_rows(run: Run) -> Rows:
    """Heat into the plates, and a line through the temperature of the layers that are not next to a plate. Raises ResultsError."""
    heat, errors = run.walls["heat"].values, run.walls["heat"].known_error()
    lower, upper = fluid_of(run).wall_temperatures or (math.nan, math.nan)
    centres, width = run.fields.centres("z"), float(run.box[2])
    temperature, error = layer_profile(run.fields, "temperature", "", 2)
    inside = slice(1, -1)
    design = np.column_stack([np.ones_like(centres), centres - 0.5 * width])[inside]
    solve = np.linalg.pinv(design)
    middle, slope = solve @ temperature[inside]
    spread = np.sqrt((solve**2) @ error[inside] ** 2)
    both = Estimate("sum", float(heat.sum()), float(np.hypot(*errors)), "", theory=0.0)
    return [Row("heat into the cold plate", Estimate("heat", float(heat[0]), float(errors[0]), ""), "as much as out of the warm one"),
            Row("heat into both together", both),
            Row("temperature in the middle", Estimate("middle", float(middle), float(spread[0]), "", theory=0.5 * (lower + upper))),
            Row("jump of the temperature at each plate",
                Estimate("jump", 0.5 * (upper - lower - float(slope) * width), 0.5 * width * float(spread[1]), ""), "small")]


def mixture_rows(run: Run) -> Rows:
    """Raises ResultsError."""
    settled = run.series["step"].values >= run.equilibration
    temperatures = run.series["species_temperature"].values[settled]
    names = species_names(run)
    rows = [Row(f"temperature of the {name} ones", Estimate(name, found.value, found.error, "", theory=fluid_of(run).temperature))
            for name, found in zip(names, (blocked_mean(column) for column in temperatures.T))]
    return rows + analyzed(*(("diffusion", f"diffusion of {name}", f"diffusion of the {name} ones") for name in names),
                           ("viscosity", "Green-Kubo", "viscosity by the stress"))(run)


def _of_chi_square(label: str, found: ChiSquare) -> Row:
    expected = f"{found.freedoms} ± {math.sqrt(2.0 * found.freedoms):.0f} ({found.sigmas:+.1f} σ)"
    return Row(label, Estimate("chi-square", round(found.value, 1), math.nan, ""), expected)


def equilibrium_rows(run: Run) -> Rows:
    """Distributions against Poisson and Maxwell, and what is conserved. Raises ResultsError."""
    found = compare(read_histograms(run))
    largest = max(abs(drift.largest) for drift in drifts(run) if drift.name.startswith("momentum"))
    energy = next(drift.largest for drift in drifts(run) if drift.name == "energy")
    return [_of_chi_square("chi-square of the occupancy", found.occupancy), _of_chi_square("chi-square of the speeds", found.speed),
            Row("energy strayed at most by", Estimate("energy", float(f"{energy:.1e}"), math.nan, ""), "rounding, in parts of the energy"),
            Row("momentum strayed at most by", Estimate("momentum", float(f"{largest:.1e}"), math.nan, ""), "rounding, in thermal momenta a particle")]


def sound_rows(run: Run) -> Rows:
    """Raises ResultsError."""
    wave = density_wave(run)
    theory = expected_wave(run, wave)
    found = fit_wave(wave, theory)
    return [Row(label, Estimate(label, value.value, value.error, "", theory=expected))
            for label, value, expected in (("speed of sound *c*", found.speed, theory.speed.value), ("damping *Γ*", found.damping, theory.damping.value))]

"""How waves of a fluid at rest are forgotten: transverse ones as exp(-nu k^2 t), longitudinal ones as sound.

Of sound the velocity's correlation is exp(-g t) (A cos(w t) + B sin(w t)) with g = G k^2 / 2 and w^2 = c^2 k^2 - g^2. c is (kT/m)^(1/2) where
the temperature is kept, and (5 kT / (3 m))^(1/2) where it is not. In a law without angular momentum conservation the collisional stress
is that of each gradient by itself, and G = nu_col + (4/3) nu_kin (Ihle, Tuezel and Kroll, Phys. Rev. E 72 (2005) 046707). With it the
stress is of the symmetric gradient, (1/2) A a^2 / (12 h) of each order, and G = 2 nu_col + (4/3) nu_kin. Heat that is conducted damps
sound, too, where the temperature is not kept: of that there is no formula here.

The waves along x, y and z are independent; errors are of the scatter over them and over runs with several seeds.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from mpcflow_tools.decay import fit_decay
from mpcflow_tools.flow import Array
from mpcflow_tools.flow_report import Quantity
from mpcflow_tools.gallery.sound import Decay, Wave, decay_from_rest, fit_wave
from mpcflow_tools.run import AXES, Run
from mpcflow_tools.validation.cases import Case, Measurement, Result, Results, Sizes, collisional_viscosity
from mpcflow_tools.validation.points import LAWS, Point, best_viscosity
from mpcflow_tools.validation.tables import Comparison, Table, combined

OF_TABLE = 0.015  # wanted, of viscosities
OF_SPEED, OF_DAMPING = 0.01, 0.05  # our own
SEEDS = (1, 2, 3, 4)
BOX = 32


def waves_input(point: Point, seed: int, steps: int, thermostat: str = "maxwell_boltzmann") -> dict[str, Any]:
    return {"seed": seed, "box": {"size": [BOX] * 3}, **point.input(thermostat), "run": {"equilibration": 1000, "steps": steps},
            "output": {"modes": {"every": max(1, round(1.0 / point.time_step)), "count": 1}}}


def cases(sizes: Sizes) -> list[Case]:
    steps = sizes.count(100_000, 20_000)
    found = [Case(f"{point.name}_seed{seed}", waves_input(point, seed, steps), measure_waves, (point, True)) for point in LAWS for seed in SEEDS]
    return found + [Case(f"{LAWS[0].name}_no_thermostat_seed{seed}", waves_input(LAWS[0], seed, steps, "none"), measure_waves, (LAWS[0], False))
                    for seed in SEEDS]


def damping(theory: dict[str, float], is_angular: bool) -> float:
    """G of theory, of a fluid whose temperature is kept."""
    return (2.0 if is_angular else 1.0) * collisional_viscosity(theory) + 4.0 / 3.0 * theory["kinetic_viscosity"]


def fit_sound(times: Array, correlation: Array, k: float, speed: float, damping: float) -> Decay:
    """To the lags up to twice the time in which theory's wave falls to 1/e. Raises ValueError."""
    used = times <= 4.0 / (damping * k * k)
    return fit_wave(Wave(times[used], correlation[used] / correlation[0], 0.0, k), decay_from_rest(k, speed, damping, 1.0))


def measure_waves(run: Run) -> Measurement:
    """Raises ResultsError; ValueError where no wave can be fitted."""
    modes, found = run.modes, Measurement()
    times, vectors = modes["time"].values, modes["wave_vector"].values
    nu, speed = float(run.theory["predicted_viscosity"]), float(run.theory["speed_of_sound"])
    expected = damping({name: float(value) for name, value in run.theory.items()}, bool(run.input["collision"]["conserve_angular_momentum"]))
    for axis, vector, across, error, along in zip(AXES, vectors, modes["transverse"].values, modes["transverse"].known_error(),
                                                  modes["longitudinal"].values):
        k = float(np.linalg.norm(vector))
        decay = fit_decay(times, across, error, nu * k * k)
        found.numbers[f"viscosity_{axis}"] = Quantity(decay.rate / (k * k), decay.rate_error / (k * k))
        sound = fit_sound(times, along, k, speed, expected)
        found.numbers[f"speed_{axis}"], found.numbers[f"damping_{axis}"] = Quantity(sound.speed.value, np.nan), Quantity(sound.damping.value, np.nan)
        used = times <= 120.0
        found.curve(f"waves_{axis}", time=times[used], transverse=across[used] / modes.positive("equipartition"),
                    longitudinal=along[used] / modes.positive("equipartition"))
    return found


def of_all(results: list[Result], name: str) -> Quantity:
    return combined([result.numbers[f"{name}_{axis}"] for result in results for axis in AXES])


def by_fluid(results: Results) -> dict[tuple[Point, bool], list[Result]]:
    """Runs with all seeds, by the fluid and whether its temperature is kept."""
    found: dict[tuple[Point, bool], list[Result]] = {}
    for case, result in results:
        found.setdefault(case.subject, []).append(result)
    return found


def tables(results: Results) -> list[Table]:
    headings = ("law", "*h*, *M*")
    transverse = Table("Transverse waves", headings, "ν", ("formula", "measured elsewhere"))
    speeds = Table("Speed of sound", headings, "*c*", ("formula",))
    dampings = Table("Damping of sound", headings, "*Γ*", ("formula",))
    for (point, kept), found in by_fluid(results).items():
        theory = found[0].theory
        cells = (point.title + ("" if kept else ", no thermostat"), point.cells[1])
        known = best_viscosity(point)
        if kept:
            transverse.add(cells, of_all(found, "viscosity"), Comparison(theory["predicted_viscosity"]),
                           None if known is None else Comparison(known.value, known.error, OF_TABLE))
        speeds.add(cells, of_all(found, "speed"), Comparison(theory["speed_of_sound"], limit=OF_SPEED))
        dampings.add(cells, of_all(found, "damping"), Comparison(damping(theory, point.is_angular), limit=OF_DAMPING) if kept else None)
    return [table for table in (transverse, speeds, dampings) if table.rows]

"""Velocities of a fluid at rest: temperature and kurtosis by law and thermostat, and of each species of a mixture.

In the canonical ensemble every component of the velocity is Gaussian, of the variance kT / m: its kurtosis <v^4> / <v^2>^2 is 3.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from mpcflow_tools.flow import Array
from mpcflow_tools.flow_report import Quantity
from mpcflow_tools.mixtures import species_names
from mpcflow_tools.run import Run
from mpcflow_tools.validation.cases import Case, Measurement, Results, Sizes
from mpcflow_tools.validation.points import LAWS, Point
from mpcflow_tools.validation.shear import THERMOSTATS
from mpcflow_tools.validation.tables import Comparison, Table

OF_TEMPERATURE, OF_KURTOSIS = 0.005, 0.01  # our own, of the thermostats that are to give the canonical ensemble
SPECIES = [{"name": "light", "mass": 1, "density": 8}, {"name": "heavy", "mass": 4, "density": 2}]
FRAMES = 64
BETWEEN_FRAMES = 50  # steps; velocities are forgotten in a few


def ensemble_input(point: Point, box: int, frames: int, thermostat: str, fluid: dict[str, Any] | None = None) -> dict[str, Any]:
    found = {"seed": 1, "box": {"size": [box] * 3}, **point.input(thermostat), "run": {"equilibration": 500, "steps": BETWEEN_FRAMES * frames},
             "output": {"trajectory": {"every": BETWEEN_FRAMES, "quantities": ["velocity"], "precision": "single"}}}
    return found | ({} if fluid is None else {"fluid": fluid})


def cases(sizes: Sizes) -> list[Case]:
    kinds = [(replace(law, density=m), kind) for law in LAWS for kind in (THERMOSTATS if law.is_srd else ("",)) for m in (3, 10)]
    return [Case("_".join(filter(None, (point.name, kind))), ensemble_input(point, 16, sizes.count(FRAMES, 16), kind), measure_ensemble, (point, kind))
            for point, kind in kinds]


def mixture_cases(sizes: Sizes) -> list[Case]:
    box, frames, laws = (8, 24, LAWS[:1]) if sizes.light else (16, sizes.count(FRAMES, 16), LAWS)
    fluid = {"temperature": 1.0, "species": SPECIES}
    return [Case(point.name, ensemble_input(point, box, frames, "maxwell_boltzmann", fluid), measure_ensemble, point) for point in laws]


def moments(velocities: Array, mass: float) -> tuple[float, float]:
    """kT by the mean square of the velocities [N][3], and the kurtosis of their components over 3."""
    squares = velocities.astype(np.float64) ** 2
    mean = float(squares.mean())
    return mass * mean, float((squares**2).mean()) / (3.0 * mean**2)


def of_frames(values: list[float]) -> Quantity:
    return Quantity(float(np.mean(values)), float(np.std(values, ddof=1)) / len(values) ** 0.5)


def measure_ensemble(run: Run) -> Measurement:
    """Of the frames after the equilibration, each taken as independent. Raises ResultsError."""
    names = species_names(run)
    found: dict[str, list[tuple[float, float]]] = {name: [] for name in names}
    for frame in run.trajectory:
        if frame.step < run.equilibration:
            continue
        velocities, masses, species = frame.velocities, frame.masses, frame.species
        for number, name in enumerate(names):
            chosen = species == number if name else slice(None)
            mass = masses[chosen][0] if name else float(run.input["fluid"]["mass"])
            found[name].append(moments(velocities[chosen], float(mass)))
    measured = Measurement()
    for name, values in found.items():
        suffix = f"_of_{name}" if name else ""
        measured.numbers |= {f"temperature{suffix}": of_frames([one for one, _ in values]), f"kurtosis{suffix}": of_frames([one for _, one in values])}
    return measured


def tables(results: Results) -> list[Table]:
    headings = ("law", "*h*, *M*", "thermostat")
    temperature = Table("Temperature", headings, "*kT*", ("expected",))
    kurtosis = Table("Kurtosis of velocities, over 3", headings, "kurtosis / 3", ("expected",))
    for case, result in results:
        point, kind = case.subject
        cells = (*point.cells, f"`{kind}`" if kind else "the law itself")
        judged = kind in ("", "maxwell_boltzmann")
        temperature.add(cells, result.numbers["temperature"], Comparison(1.0, limit=OF_TEMPERATURE if judged else None))
        kurtosis.add(cells, result.numbers["kurtosis"], Comparison(1.0, limit=OF_KURTOSIS if judged else None))
    return [table for table in (temperature, kurtosis) if table.rows]


def mixture_tables(results: Results) -> list[Table]:
    headings = ("law", "species")
    temperature = Table("Temperature of each species", headings, "*kT*", ("expected",))
    kurtosis = Table("Kurtosis of its velocities, over 3", headings, "kurtosis / 3", ("expected",))
    for case, result in results:
        for name in (str(one["name"]) for one in SPECIES):
            cells = (case.subject.title, name)
            temperature.add(cells, result.numbers[f"temperature_of_{name}"], Comparison(1.0, limit=OF_TEMPERATURE))
            kurtosis.add(cells, result.numbers[f"kurtosis_of_{name}"], Comparison(1.0, limit=OF_KURTOSIS))
    return [table for table in (temperature, kurtosis) if table.rows]

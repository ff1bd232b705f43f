"""Diffusion of tracers, and the long-time tail of how velocities are forgotten.

A particle's velocity is handed on to the waves of the fluid around it, and from them comes back (Alder and Wainwright, Phys. Rev. A 1 (1970) 18;
Ernst, Hauge and van Leeuwen, Phys. Rev. Lett. 25 (1970) 1254): for long times t

    <v(t).v(0)> = (kT / (rho V)) sum over k != 0 of exp(-D k^2 t) [2 exp(-nu k^2 t) + exp(-G k^2 t / 2) cos(c k t)],

the sum over the waves of the box; of an endless fluid, and as sound dies out, 2 (kT / rho) [4 pi (nu + D) t]^(-3/2).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from mpcflow_tools.flow import Array
from mpcflow_tools.flow_report import Quantity
from mpcflow_tools.run import Run
from mpcflow_tools.validation.cases import Case, Measurement, Result, Results, Sizes
from mpcflow_tools.validation.points import KNOWN, Point
from mpcflow_tools.validation.tables import Comparison, Table

OF_TABLE = 0.02  # our own; those who wanted limits named none for D
OF_TAIL = 0.10
# The program takes D from the growth between a quarter of a twentieth of the run and a twentieth: from 6 to 24 with this length.
LENGTH = 490.0
TAIL = Point("srd", 0.1, 5)
TAIL_FROM, TAIL_TO = 4.0, 16.0


def points() -> list[Point]:
    return [*KNOWN, *(Point("srd", h, 10) for h in (0.05, 0.2, 0.5)), *(Point("srd", 0.1, m) for m in (3, 20)), Point("srd+a", 1.0, 10),
            Point("at", 1.0, 10), Point("at+a", 1.0, 10)]


def diffusion_input(point: Point, box: int, tracers: int) -> dict[str, Any]:
    every = max(1, round(1.0 / point.time_step))
    return {"seed": 1, "box": {"size": [box] * 3}, **point.input(), "run": {"equilibration": 10 * every, "steps": round(LENGTH) * every},
            "output": {"diffusion": {"every": every, "tracers": tracers}}}


def tail_input(sizes: Sizes) -> dict[str, Any]:
    return {"seed": 1, "box": {"size": [48] * 3}, **TAIL.input(), "run": {"equilibration": 500, "steps": sizes.count(12000, 1000)},
            "output": {"diffusion": {"every": 4, "tracers": 100_000}}}


def cases(sizes: Sizes) -> list[Case]:
    found = [Case(point.name, diffusion_input(point, 24, sizes.count(20_000)), measure_diffusion, point) for point in points()]
    return found + [Case("tail", tail_input(sizes), measure_tail)]


def measure_diffusion(run: Run) -> Measurement:
    """Raises ResultsError."""
    tracers = run.diffusion
    return Measurement({"diffusion": Quantity(tracers.number("diffusion"), tracers.number("diffusion_error")),
                        "from": Quantity(tracers.number("diffusion_from_time"), 0.0), "to": Quantity(tracers.number("diffusion_to_time"), 0.0)})


def measure_tail(run: Run) -> Measurement:
    """Raises ResultsError."""
    tracers = run.diffusion
    times, found = tracers["time"].values, tracers["velocity_autocorrelation"]
    used = (times >= 1.0) & (times <= 2.0 * TAIL_TO)
    measured = Measurement({"diffusion": Quantity(tracers.number("diffusion"), tracers.number("diffusion_error"))})
    measured.curve("autocorrelation", time=times[used], value=found.values[used], error=found.known_error()[used])
    return measured


def tail_of_theory(times: Array, box: int, density: float, viscosity: float, diffusion: float, damping: float, speed: float) -> tuple[Array, Array]:
    """The sum over the waves of a cubic box, with sound and without, m = kT = 1."""
    n = np.fft.fftfreq(2 * box, 1.0 / (2 * box))  # waves of a cell and more: shorter ones are forgotten long before
    squares = (n[:, None, None] ** 2 + n[None, :, None] ** 2 + n[None, None, :] ** 2).ravel()
    sizes, counts = np.unique(squares[squares > 0.0], return_counts=True)
    k = 2.0 * np.pi / box * np.sqrt(sizes)
    scale = 1.0 / (density * float(box) ** 3)
    transverse = np.array([2.0 * (counts * np.exp(-(viscosity + diffusion) * k * k * t)).sum() for t in times])
    sound = np.array([(counts * np.exp(-(0.5 * damping + diffusion) * k * k * t) * np.cos(speed * k * t)).sum() for t in times])
    return scale * (transverse + sound), scale * transverse


def endless_tail(times: Array, density: float, viscosity: float, diffusion: float) -> Array:
    """2 (kT / rho) [4 pi (nu + D) t]^(-3/2), m = kT = 1."""
    return np.asarray(2.0 / density * (4.0 * np.pi * (viscosity + diffusion) * times) ** -1.5)


def tail_curves(result: Result) -> tuple[dict[str, Array], Array, Array]:
    """What was measured, and theory of the box and of an endless fluid at the same times."""
    found, theory, box = result.curve("autocorrelation"), result.theory, int(result.input["box"]["size"][0])
    density = float(result.input["fluid"]["density"])
    nu, d = theory["predicted_viscosity"], result.numbers["diffusion"].value
    damping = result.collisional_viscosity + 4.0 / 3.0 * theory["kinetic_viscosity"]
    whole, _ = tail_of_theory(found["time"], box, density, nu, d, damping, theory["speed_of_sound"])
    return found, whole, endless_tail(found["time"], density, nu, d)


def tail_ratio(result: Result) -> Quantity:
    """Measured over theory, the mean of the lags from TAIL_FROM to TAIL_TO by their errors, which are taken as independent: what
    tracers do not share outweighs what they do."""
    found, whole, _ = tail_curves(result)
    used = (found["time"] >= TAIL_FROM) & (found["time"] <= TAIL_TO)
    weights = (whole[used] / found["error"][used]) ** 2
    return Quantity(float((weights * found["value"][used] / whole[used]).sum() / weights.sum()), float(weights.sum() ** -0.5))


def tables(results: Results) -> list[Table]:
    spread = Table("", ("law", "*h*, *M*"), "*D*", ("formula", "measured elsewhere"))
    tail = Table("The tail of the velocity autocorrelation, from *t* = 4 to 16", ("law", "*h*, *M*"), "measured / theory", ("expected",))
    for case, result in results:
        if case.name == "tail":
            tail.add(TAIL.cells, tail_ratio(result), Comparison(1.0, limit=OF_TAIL))
            continue
        point = case.subject
        spread.add(point.cells, result.numbers["diffusion"], Comparison(result.theory["diffusion"]),
                   Comparison(KNOWN[point][1], limit=OF_TABLE) if point in KNOWN else None)
    return [table for table in (spread, tail) if table.rows]

"""What a run should have conserved, and how far it strayed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mpcflow_tools.expected import fluid_of
from mpcflow_tools.flow_run import has_stream, moves_walls, other_forces, shear_of, slip_faces, walled_axes
from mpcflow_tools.run import AXES, Run


@dataclass(frozen=True)
class Drift:
    """How far a sum over all particles strayed from what it was at the start."""

    name: str
    at_end: float
    largest: float
    unit: str
    is_conserved: bool  # by the laws of this run
    why: str  # or why not


def broken_by(run: Run) -> tuple[str, str]:
    """Why the laws of this run keep neither its energy nor its momentum; empty for what they keep. Raises ResultsError."""
    fluid = fluid_of(run)
    reasons = ["a stream works on it"] if has_stream(run.input) else []
    has_forces = np.any(fluid.force) or any("stream" not in entry for entry in other_forces(run.input))
    reasons += ["a force works on it"] if has_forces else []
    reasons += ["a moving wall works on it"] if moves_walls(run.input) else []
    momentum_reasons = "; ".join(reasons + (["walls exchange it"] if fluid.has_walls else []))
    reasons += ["the shear works on it"] if shear_of(run.input) else []
    # Faces of slip turn velocities, but keep the energy.
    reasons += ["walls exchange it"] if any(len(slip_faces(run.input, axis)) < 2 for axis in walled_axes(run.input)) else []
    reasons += ["surfaces exchange it"] if any(surface["kind"] != "slip" for surface in run.input.get("surfaces") or []) else []
    if fluid.holds_temperature:
        reasons.append("the thermostat holds the temperature")
    elif run.input["collision"].get("conserve_angular_momentum"):
        reasons.append("collisions with angular momentum do not keep it")
    return "; ".join(reasons), momentum_reasons


def drifts(run: Run) -> list[Drift]:
    """Of energy, relative to that of the start, and of each component of momentum, in thermal momenta (m kT)^(1/2) a
    particle. Empty where the run has no series. Raises ResultsError."""
    if "kinetic_energy" not in run.series or not len(run.series["kinetic_energy"]):
        return []
    fluid = fluid_of(run)
    energy_reasons, momentum_reasons = broken_by(run)
    energy = run.series["kinetic_energy"].values
    change = (energy - energy[0]) / energy[0] if energy[0] != 0.0 else energy
    found = [Drift("energy", float(change[-1]), float(np.max(np.abs(change))), "of the start", not energy_reasons, energy_reasons)]
    momentum = run.series["momentum"].values
    scale = fluid.particles * np.sqrt(fluid.mass * fluid.temperature)
    for axis, name in enumerate(AXES):
        change = (momentum[:, axis] - momentum[0, axis]) / scale
        found.append(Drift(f"momentum {name}", float(change[-1]), float(np.max(np.abs(change))), "thermal, a particle",
                           not momentum_reasons, momentum_reasons))
    return found

"""What a run of several species has of each."""

from __future__ import annotations

from mpcflow_tools.measured import Measured
from mpcflow_tools.run import Run


def species_names(run: Run) -> list[str]:
    """In the order of their numbers; of a fluid of one species [""]. Raises ResultsError."""
    found = run.input["fluid"].get("species") or []
    return [str(one["name"]) for one in found] if len(found) > 1 else [""]


def tracers_of(run: Run) -> dict[str, Measured]:
    """The diffusion (output.diffusion) of each species by its name; of a fluid of one species {"": run.diffusion}."""
    return {name: Measured(run.part(f"diffusion/{name}")) if name else run.diffusion for name in species_names(run)}


def predicted_viscosity(run: Run) -> float | None:
    """None where there is no formula: for several species with angular momentum."""
    return float(run.theory["predicted_viscosity"]) if "predicted_viscosity" in run.theory else None

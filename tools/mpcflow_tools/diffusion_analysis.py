"""Diffusion: of the tracers that a run followed, or of the particles of its trajectory."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mpcflow_tools.estimates import VISCOSITY_UNIT, Estimate, Section, lacks
from mpcflow_tools.flow import Array
from mpcflow_tools.flow_run import driven_axes, has_surfaces, shear_of, walled_axes
from mpcflow_tools.mixtures import species_names, tracers_of
from mpcflow_tools.results import ResultsError
from mpcflow_tools.run import AXES, Run
from mpcflow_tools.trajectory import Trajectory

# Numbers of positions that are kept while a trajectory is gone through: 64 MB.
KEPT_NUMBERS = 8 << 20
# Groups of particles from whose scatter errors follow.
GROUPS = 32
MOST_LAGS = 40


@dataclass(frozen=True)
class Displacement:
    """Mean square displacement along the free axes, of all of them together."""

    times: Array  # [n]
    values: Array  # [n]; a^2
    errors: Array  # [n]
    groups: Array  # [GROUPS][n], of each group of particles
    axes: list[int]
    particles: int


def free_axes(run: Run) -> list[int]:
    """Axes along which particles are neither stopped by a wall or a surface nor driven, nor carried by a shear."""
    driven, shear = driven_axes(run.input), shear_of(run.input)
    if has_surfaces(run.input):
        return []
    return [axis for axis in range(3) if axis not in walled_axes(run.input) and axis not in driven and (shear is None or shear.along != axis)]


def _even_frames(trajectory: Trajectory, equilibration: int) -> range:
    """The last frames that are evenly apart, after the equilibration."""
    steps = trajectory.steps
    first = len(steps) - 1
    while first > 0 and steps[first - 1] >= equilibration and steps[first] - steps[first - 1] == steps[-1] - steps[-2]:
        first -= 1
    return range(max(first, 0), len(steps))


def _followed(trajectory: Trajectory, frames: range, axes: list[int]) -> Array:
    """Unwrapped positions [frame][particle][axis] of evenly spread particles, so many as KEPT_NUMBERS allow."""
    count = trajectory.most_particles
    stride = max(1, -(-count * len(frames) * len(axes) // KEPT_NUMBERS))
    kept = np.empty((len(frames), -(-count // stride), len(axes)))
    for row, index in enumerate(frames):
        frame, place, offset = trajectory[index], 0, 0
        for part in frame.parts():
            chosen = part.unwrapped_positions[offset::stride][:, axes]
            kept[row, place:place + len(chosen)] = chosen
            place += len(chosen)
            offset = (offset - len(part)) % stride
    return kept


def displacement(trajectory: Trajectory, equilibration: int, axes: list[int]) -> Displacement:
    """Mean square displacement of a trajectory's particles, over all pairs of frames, at up to MOST_LAGS lags.

    Errors are those of the mean over groups of particles, taken as independent. Frames are read one after the other, in
    parts. Raises ResultsError; ValueError where particles cannot be followed.
    """
    if trajectory.region is not None:
        raise ValueError("its frames hold the particles of a region only, which cannot be followed")
    if "position" not in trajectory.quantities:
        raise ValueError("it has no positions (output.trajectory.quantities in the input)")
    frames = _even_frames(trajectory, equilibration) if len(trajectory) > 1 else range(0)
    if len(frames) < 3:
        raise ValueError("it has fewer than 3 evenly spaced frames after the equilibration")
    kept = _followed(trajectory, frames, axes)
    if kept.shape[1] < 2 * GROUPS:
        raise ValueError(f"it has fewer than {2 * GROUPS} particles")
    lags = np.unique(np.geomspace(1, len(frames) - 1, MOST_LAGS).round().astype(np.int64))
    squares = np.zeros((kept.shape[1], len(lags)))
    for column, lag in enumerate(lags):
        for first in range(len(frames) - lag):
            squares[:, column] += ((kept[first + lag] - kept[first]) ** 2).sum(axis=1)
        squares[:, column] /= len(frames) - lag
    groups = np.array([squares[number::GROUPS].mean(axis=0) for number in range(GROUPS)])
    times = (trajectory.times[frames[1]] - trajectory.times[frames[0]]) * lags
    return Displacement(times, squares.mean(axis=0), groups.std(axis=0, ddof=1) / np.sqrt(GROUPS), groups, axes, kept.shape[1])


def growth(found: Displacement) -> tuple[float, float, float, float]:
    """The diffusion coefficient by the growth of the mean square displacement between two lags, its standard error, and
    the times of these lags: a quarter of the record and a sixteenth of it, as long as that leaves two lags."""
    last = int(np.searchsorted(found.times, 0.25 * found.times[-1], side="right")) - 1
    last = max(last, 1)
    first = min(int(np.searchsorted(found.times, 0.25 * found.times[last])), last - 1)
    span = 2.0 * len(found.axes) * (found.times[last] - found.times[first])
    slopes = (found.groups[:, last] - found.groups[:, first]) / span
    return (float((found.values[last] - found.values[first]) / span), float(slopes.std(ddof=1) / np.sqrt(GROUPS)),
            float(found.times[first]), float(found.times[last]))


def _theory(run: Run, species: str) -> float | None:
    """None where there is no formula: for several species with angular momentum."""
    name = f"diffusion_of_{species}" if species else "diffusion"
    return float(run.theory[name]) if name in run.theory else None


def _from_tracers(run: Run, section: Section, species: str) -> None:
    tracers = tracers_of(run)[species]
    theory = _theory(run, species)
    suffix = f" of {species}" if species else ""
    count, axes = tracers.count("tracers"), tracers.free_axes
    if not axes:
        section.notes.append("each axis has walls, surfaces or a force: tracers do not diffuse freely along any")
    elif np.isfinite(tracers.number("diffusion")):
        how = (f"growth of the mean square displacement of {count:,} tracers along {axes}, t = {tracers.number('diffusion_from_time'):.4g} "
               f"to {tracers.number('diffusion_to_time'):.4g}")
        section.estimates.append(Estimate("diffusion" + suffix, tracers.number("diffusion"), tracers.number("diffusion_error"),
                                          VISCOSITY_UNIT, how, theory))
        velocity = tracers["diffusion_by_velocity"]
        known = np.flatnonzero(np.isfinite(velocity.known_error()))
        if len(known) > 1 and run.diffusion.every == 1:  # the trapezoidal rule needs every collision
            section.estimates.append(Estimate(
                "by velocities" + suffix, float(velocity.values[known[-1]]), float(velocity.known_error()[known[-1]]), VISCOSITY_UNIT,
                f"integral of the velocity autocorrelation up to t = {tracers['time'].values[known[-1]]:.4g}", theory))
    else:
        section.notes.append("the run is too short for a diffusion coefficient")
    for name in ("mean_square_displacement", "velocity_autocorrelation"):
        found = tracers[name]
        section.tables[f"{name}_of_{species}" if species else name] = {
            "time": tracers["time"].values, name: found.values, "error": found.known_error()}


def _from_trajectory(run: Run, section: Section) -> None:
    axes = free_axes(run)
    if len(species_names(run)) > 1:
        section.notes.append("trajectory.h5 is not gone through for several species; output.diffusion follows each")
        return
    if not axes:
        section.notes.append("each axis has walls, surfaces or a force: particles do not diffuse freely along any")
        return
    try:
        found = displacement(run.trajectory, run.equilibration, axes)
    except ValueError as error:
        section.notes.append(f"trajectory.h5: {error}")
        return
    except ResultsError as error:  # what run.h5 says is no worse for it
        section.notes.append(str(error))
        return
    value, spread, begin, end = growth(found)
    names = "".join(AXES[axis] for axis in axes)
    how = f"growth of the mean square displacement of {found.particles:,} particles of trajectory.h5 along {names}, t = {begin:.4g} to {end:.4g}"
    section.estimates.append(Estimate("diffusion", value, spread, VISCOSITY_UNIT, how, float(run.theory["diffusion"])))
    section.tables["mean_square_displacement"] = {"time": found.times, "mean_square_displacement": found.values, "error": found.errors}


def diffusion_section(run: Run) -> Section:
    """Raises ResultsError."""
    section = Section("diffusion")
    if run.diffusion.samples > 1:
        for name in species_names(run):
            _from_tracers(run, section, name)
    else:
        section.missing.append(lacks("diffusion"))
        if run.has_trajectory:
            _from_trajectory(run, section)
        else:
            section.missing.append("no trajectory.h5 (output.trajectory in the input makes it)")
    if section.estimates and section.estimates[0].theory and "mean_free_path" in run.theory:
        section.notes.append("the formula leaves correlations between collisions out: where the mean free path is short, diffusion is faster "
                             f"(docs/physics.md); here it is {float(run.theory['mean_free_path']):.3g} a")
    return section

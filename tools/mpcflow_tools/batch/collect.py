"""A sweep's results in one table, with the swept keys as columns, and a figure of them."""

from __future__ import annotations

import csv
import math
import re
import statistics
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import h5py
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from mpcflow_tools.analyze import analyze
from mpcflow_tools.batch.folder import RESULTS, Job, Sweep, now_text, read_attempts, read_sweep
from mpcflow_tools.batch.schedulers import scheduler_of
from mpcflow_tools.batch.status import task_of_case
from mpcflow_tools.batch.sweep import Case
from mpcflow_tools.command import say, whole_file
from mpcflow_tools.errors import ResultsError
from mpcflow_tools.run import Run
from mpcflow_tools.style import grid, save, styled, unit_label

TABLE, ARRAYS, FIGURE = "results.csv", "results.h5", "results.png"
NO_RESULTS = "no results"
MOST_PANELS = 12
COLLECT_PATIENCE = 20.0  # seconds between looks at the queue


@dataclass(frozen=True)
class Measured:
    """A number of one case: what an analysis calls it, with one standard error and theory beside it, NaN where there is none."""

    value: float
    error: float
    theory: float
    unit: str


@dataclass(frozen=True)
class Row:
    """A case and what it gave: no numbers where it has no results yet."""

    case: Case
    status: str
    steps_done: int
    state_hash: str
    numbers: dict[str, Measured]  # by "subject: name"
    problem: str = ""


def _number(value: float | None) -> float:
    return math.nan if value is None else float(value)


def read_row(sweep: Sweep, case: Case) -> Row:
    """What a case gave so far."""
    try:
        with Run(sweep.case_folder(case) / RESULTS) as run:
            numbers = {f"{section.name}: {found.name}": Measured(found.value, _number(found.error), _number(found.theory), found.unit)
                       for section in analyze(run) for found in section.estimates}
            return Row(case, run.status, run.steps_done, run.state_hash or "", numbers)
    except ResultsError as error:
        return Row(case, NO_RESULTS, 0, "", {}, str(error))


def names_of(rows: Sequence[Row]) -> list[str]:
    """All that some case measured, in the order of the analysis."""
    return list(dict.fromkeys(name for row in rows for name in row.numbers))


def write_table(path: Path, sweep: Sweep, rows: Sequence[Row]) -> None:
    """A line a case: its number, the swept keys, how it ended, and each number with its error and theory."""
    names = names_of(rows)
    units = {name: row.numbers[name].unit for row in rows for name in row.numbers}
    head = ["case", *sweep.swept, "status", "steps_done", "state_hash"]
    for name in names:
        unit = "" if units[name] == "1" else f" [{units[name]}]"
        head += [name + unit, f"{name} error", f"{name} theory"]
    with whole_file(path, overwrite=True) as aside, aside.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(head)
        for row in rows:
            line: list[Any] = [row.case.index, *(row.case.values.get(key, "") for key in sweep.swept), row.status, row.steps_done,
                               row.state_hash]
            for name in names:
                found = row.numbers.get(name)
                line += ["", "", ""] if found is None else ["" if math.isnan(number) else repr(number)
                                                            for number in (found.value, found.error, found.theory)]
            writer.writerow(line)


def _as_numbers(texts: Sequence[str]) -> list[float] | None:
    """None where one is no number."""
    try:
        found = [float(text) for text in texts]
    except ValueError:
        return None
    return found if all(math.isfinite(value) for value in found) else None


def write_arrays(path: Path, sweep: Sweep, rows: Sequence[Row]) -> None:
    """The same as HDF5: keys/KEY[cases], and results/SUBJECT/NAME/{value, error, theory}[cases], NaN where a case has none."""
    text = h5py.string_dtype("utf-8")
    with whole_file(path, overwrite=True) as aside, h5py.File(aside, "w") as file:
        file.attrs["format"], file.attrs["format_version"] = "mpcflow sweep results", 1
        file.attrs["input"] = sweep.input_file
        file["case"] = np.array([row.case.index for row in rows], dtype=np.int64)
        file["steps_done"] = np.array([row.steps_done for row in rows], dtype=np.int64)
        file.create_dataset("status", data=[row.status for row in rows], dtype=text)
        file.create_dataset("state_hash", data=[row.state_hash for row in rows], dtype=text)
        keys = file.create_group("keys")
        for key in sweep.swept:
            texts = [row.case.values.get(key, "") for row in rows]
            numbers = _as_numbers(texts)
            if numbers is None:
                keys.create_dataset(key, data=texts, dtype=text)
            else:
                keys.create_dataset(key, data=np.array(numbers))
        results = file.create_group("results")
        for name in names_of(rows):
            subject, _, quantity = name.partition(": ")
            group = results.require_group(subject).create_group(re.sub(r"/", " per ", quantity))
            found = [row.numbers.get(name) for row in rows]
            for part in ("value", "error", "theory"):
                group[part] = np.array([math.nan if one is None else getattr(one, part) for one in found])
            group.attrs["unit"] = next(one.unit for one in found if one is not None)


def _axis(sweep: Sweep, rows: Sequence[Row]) -> tuple[str, list[float]]:
    """What the figure has along x: the first key whose values are numbers, or the number of the case."""
    for key in sweep.swept:
        numbers = _as_numbers([row.case.values.get(key, "") for row in rows])
        if key != "seed" and numbers is not None and len(set(numbers)) > 1:
            return key, numbers
    return "case", [float(row.case.index) for row in rows]


def _follows(key: str, axis: str, rows: Sequence[Row]) -> bool:
    """Whether the key along x tells this one's value, as with --zip."""
    if axis == "case":
        return False
    pairs = {(row.case.values.get(axis), row.case.values.get(key)) for row in rows}
    return len(pairs) == len({place for place, _ in pairs})


def _panel_names(rows: Sequence[Row]) -> list[str]:
    """The numbers that change over the sweep."""
    return [name for name in names_of(rows)
            if len({row.numbers[name].value for row in rows if name in row.numbers and math.isfinite(row.numbers[name].value)}) > 1]


def _draw_group(axes: Axes, points: Sequence[tuple[float, Measured]], colour: str, label: str) -> None:
    """Numbers with their errors, and theory as a line through the means of what it says at each place."""
    errors = [0.0 if math.isnan(one.error) else one.error for _, one in points]
    axes.errorbar([place for place, _ in points], [one.value for _, one in points], errors, fmt="o", markersize=4, capsize=2,
                  color=colour, label=label)
    theory: dict[float, list[float]] = {}
    for place, one in points:
        if math.isfinite(one.theory):
            theory.setdefault(place, []).append(one.theory)
    if theory:
        axes.plot(sorted(theory), [statistics.fmean(theory[place]) for place in sorted(theory)], "-", linewidth=1, color=colour)


@styled
def draw_sweep(sweep: Sweep, rows: Sequence[Row], names: Sequence[str]) -> Figure:
    """A panel for each of the numbers: cases with their errors, a colour for each choice of the keys that are not along x."""
    axis, places = _axis(sweep, rows)
    others = [key for key in sweep.swept if key not in (axis, "seed") and not _follows(key, axis, rows)]
    groups = list(dict.fromkeys(tuple(row.case.values.get(key, "") for key in others) for row in rows))
    columns = min(3, len(names))
    lines = math.ceil(len(names) / columns)
    figure = Figure(figsize=(4.8 * columns, 3.6 * lines + 0.5), layout="constrained")
    for panel, name in enumerate(names):
        axes = figure.add_subplot(lines, columns, panel + 1)
        for number, group in enumerate(groups):
            points = [(place, row.numbers[name]) for place, row in zip(places, rows, strict=True)
                      if name in row.numbers and tuple(row.case.values.get(key, "") for key in others) == group]
            label = ", ".join(f"{key.rsplit('.', 1)[-1]} {value}" for key, value in zip(others, group, strict=True))
            if points:
                _draw_group(axes, points, f"C{number % 10}", label or "measured")
        unit = next(row.numbers[name].unit for row in rows if name in row.numbers)
        axes.set_title(name, loc="left", fontsize="medium")
        axes.set_xlabel(axis)
        axes.set_ylabel(unit_label(name.partition(": ")[2], unit))
        grid(axes)
        if panel == 0 and others:
            axes.legend(fontsize="small")
    figure.suptitle(f"{Path(sweep.input_file).name}: measured, with one standard error; lines are theory")
    return figure


def collect(sweep: Sweep) -> list[str]:
    """Writes table, arrays and figure of the sweep into its folder. Returns what there is to say, a line each."""
    rows = [read_row(sweep, case) for case in sweep.cases]
    complete = sum(row.status == "completed" for row in rows)
    if all(row.status == NO_RESULTS for row in rows):
        raise ResultsError(f"{sweep.folder}: no case has results yet: {rows[0].problem}")
    write_table(sweep.folder / TABLE, sweep, rows)
    write_arrays(sweep.folder / ARRAYS, sweep, rows)
    names = _panel_names(rows)
    if names:
        save(draw_sweep(sweep, rows, names[:MOST_PANELS]), sweep.folder / FIGURE, overwrite=True)
    left_out = names[MOST_PANELS:]
    said = [f"{complete} of {len(rows)} cases are complete, {len(names_of(rows))} numbers of each",
            *(f"wrote        {sweep.folder / name}" for name in (TABLE, ARRAYS, FIGURE) if (sweep.folder / name).exists())]
    said += [f"case {row.case.index:04d}: {row.problem}" for row in rows if row.problem]
    return said + ([f"not in the figure, for want of room: {', '.join(left_out)}"] if left_out else [])


def collect_when_done(sweep: Sweep) -> int:
    """Collects as the job that follows a sweep's. Where cases go on in other jobs, a further one follows these."""
    scheduler = scheduler_of(sweep.profile.scheduler)
    queue = scheduler.tasks()
    tasks = {task_of_case(sweep, case, read_attempts(sweep.case_folder(case))) for case in sweep.cases}
    still_there = sorted(task for task in tasks if task in queue)
    if still_there:
        time.sleep(COLLECT_PATIENCE)  # of a job that only just began
        following = scheduler.submit_collecting(sweep, still_there)
        sweep = read_sweep(sweep.folder)  # to which somebody may have submitted more by now
        sweep.jobs.append(Job(following, [], now_text(), is_collecting=True))
        sweep.save()
        say(f"{len(still_there)} cases go on: job {following} collects after them")
        return 0
    for line in collect(sweep):
        say(line)
    return 0

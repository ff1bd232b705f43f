"""Writes a run as one HTML page that needs nothing beside it: what was run, on what, how it went, and what came out.

  mpcflow-report RUN                       report.html beside run.h5
  mpcflow-report RUN --output page.html

A page that is there is replaced with --overwrite alone. It is readable in light and dark, and printable.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import Any

from mpcflow_tools.analyze import analyze
from mpcflow_tools.command import BadArgument, Parser, check_free, exit_status, say, whole_file
from mpcflow_tools.conservation import drifts
from mpcflow_tools.cylinder_analysis import cylinder_figure, driven_cylinders
from mpcflow_tools.expected import component_name, default_axis, default_component
from mpcflow_tools.flow import fit_profile
from mpcflow_tools.flow_plot import flow_figure
from mpcflow_tools.flow_report import summary
from mpcflow_tools.flow_run import NotAFlow, read_flow
from mpcflow_tools.histogram_plot import histogram_figure
from mpcflow_tools.histograms import compare, read_histograms
from mpcflow_tools.observable_plot import FIGURES, WORDS
from mpcflow_tools.page import Page
from mpcflow_tools.pictures import profile_figure, series_figure, windows_figure
from mpcflow_tools.results import ResultsError
from mpcflow_tools.run import AXES, Run
from mpcflow_tools.texts import printable


def _duration(seconds: float) -> str:
    if seconds < 60.0:
        return f"{seconds:.2f} s"
    minutes, hours = int(seconds / 60.0) % 60, int(seconds / 3600.0)
    return f"{hours} h {minutes:02d} min" if hours else f"{minutes} min {seconds % 60.0:02.0f} s"


def _size(count: float) -> str:
    unit = 0
    while count >= 1024.0 and unit < 4:
        count, unit = count / 1024.0, unit + 1
    return f"{count:.4g} {('bytes', 'KiB', 'MiB', 'GiB', 'TiB')[unit]}"


def _head(page: Page, run: Run) -> None:
    size = " × ".join(str(n) for n in run.box)
    page.add(f"<h1>{escape(run.title or run.path.parent.name)}</h1>")
    page.add(f'<p class="lead"><span class="status {escape(run.status)}">{escape(run.status)}</span> '
             f"{run.particles:,} particles in {size} cells, step {run.steps_done:,} of {run.steps_in_all:,}</p>")
    if run.message:
        page.paragraph(run.message, "warning")


def _temperature(fluid: dict[str, Any]) -> str:
    points = fluid.get("temperature_schedule") or []
    return ", ".join(f"{point['temperature']:g} in step {point['step']}" for point in points) or f"{fluid['temperature']:g}"


def _setup(page: Page, run: Run) -> None:
    fluid, collision = run.input["fluid"], run.input["collision"]
    page.heading("What was run")
    page.facts([
        ("seed, precision", f"{run.about('seed')}, {run.about('precision')}"),
        ("fluid", f"{fluid['density']:g} particles a cell, kT = {_temperature(fluid)}, mass {fluid['mass']:g}"
         + (" (the mean)" if fluid.get("species") else "")),
        *((f"species {one['name']}", f"{one['density']:g} particles a cell, mass {one['mass']:g}") for one in fluid.get("species") or []),
        ("collisions", collision["rule"] + (f", angle {collision['angle']:g}" if "angle" in collision else "")
         + f", every {collision['time_step']:g}"
         + (", with angular momentum" if collision.get("conserve_angular_momentum") else "")),
        ("thermostat", str(run.input["thermostat"]["kind"])),
        ("boundaries", ", ".join(f"{axis} {run.input['boundaries'][axis]}" for axis in AXES)),
        ("force", ", ".join(str(force["uniform"]) for force in run.input.get("forces") or []) or "none"),
        ("steps", f"{run.equilibration:,} to equilibrate, {run.steps_in_all - run.equilibration:,} after it"),
        ("started", str(run.about("start_time"))),
        ("program", " ".join(str(run.program.get(name, "")) for name in ("name", "version", "commit"))),
    ])


def _performance(page: Page, run: Run) -> None:
    page.heading("Machine and performance")
    machine = run.machine
    page.facts([
        ("device", f"{machine.get('device', '')} ({machine.get('device_reason', '')})"),
        ("host", f"{machine.get('hostname', '')}: {machine.get('cpu', '')}, {machine.get('hardware_threads', '?')} threads, "
                 f"{machine.get('operating_system', '')}"),
        ("memory", _size(float(machine["memory_bytes"])) + " of particles and cells" if "memory_bytes" in machine else ""),
        ("summation, re-ordering", f"{machine.get('summation', '?')}, every {machine.get('reorder_interval', '?')} steps"),
        ("fast steps", f"{run.fast_steps:,} in which some particle crossed more than a cell"),
    ])
    if run.notes:
        page.folded(f"{len(run.notes)} notes of the solver", "\n".join(run.notes))


def _conservation(page: Page, run: Run) -> None:
    page.heading("Conservation")
    page.table(["quantity", "at the end", "at most", "unit", "conserved"],
               [[drift.name, f"{drift.at_end:+.2e}", f"{drift.largest:.2e}", drift.unit,
                 "yes" if drift.is_conserved else f"no: {drift.why}"] for drift in drifts(run)])
    page.pictures([(series_figure(run, [name]), f"{name.replace('_', ' ')} against time") for name in ("kinetic_energy", "momentum")])


def _series(page: Page, run: Run) -> None:
    page.heading("Temperature and extremes")
    names = [["temperature"], ["maximum_speed"], ["minimum_occupancy", "maximum_occupancy"]]
    page.pictures([(series_figure(run, group), f"{' and '.join(group).replace('_', ' ')} against time")
                   for group in names if all(name in run.series for name in group)])


def _fields(page: Page, run: Run) -> None:
    fields = run.fields
    page.heading("Fields")
    page.paragraph(f"{fields.samples:,} samples, one every {fields.every} steps, from step {fields.first_step:,} to "
                   f"{fields.last_step:,}, in {' × '.join(str(n) for n in fields.bins)} bins. Bars are one standard error.")
    axis = default_axis(run)
    try:
        flow = read_flow(run)
        fit = fit_profile(flow.profile, flow.slit)
        page.add(f"<pre tabindex=\"0\">{escape(chr(10).join(summary(flow, fit)).replace('+-', '±'))}</pre>")
        page.picture(flow_figure(flow, fit), "velocity between the walls, measured, fitted and by theory")
        drawn = ["velocity"]
    except (NotAFlow, ValueError):
        drawn = []
        cylinders = driven_cylinders(run)
        if cylinders is not None:
            page.picture(cylinder_figure(run, cylinders), "velocity against the distance from the cylinders' axis, measured and by theory")
    if fields.bins[axis] > 1:
        shown = [(name, default_component(run, name)) for name in fields if name not in drawn]
        page.pictures([(profile_figure(run, name, axis, component), f"{component_name(name, component)} along {AXES[axis]}")
                       for name, component in shown])


def _windows(page: Page, run: Run) -> None:
    """How fields changed with time."""
    page.heading("Fields over time")
    try:
        windows, axis = run.windows, default_axis(run)
        page.paragraph(windows.summary())
        if len(windows) and windows[0].bins[axis] > 1:
            page.pictures([(windows_figure(run, name, axis, default_component(run, name)), f"{name} along {AXES[axis]} in windows of time")
                           for name in windows.quantities])
    except ResultsError as error:
        page.paragraph(str(error))


def _histograms(page: Page, run: Run) -> None:
    page.heading("Distributions")
    histograms = read_histograms(run)
    try:
        comparison = compare(histograms)
    except ValueError as error:
        page.paragraph(f"No picture: {error}.")
        return
    page.picture(histogram_figure(histograms, comparison), "occupancy of cells and speed of particles beside Poisson and Maxwell")


def _summary(page: Page, run: Run) -> None:
    rate = run.particles * run.steps_done / run.wall_time / 1e6 if run.wall_time > 0.0 else 0.0
    page.facts([("ran", f"{_duration(run.wall_time)} on {run.machine.get('device', '')}, {rate:.4g} million particle updates a second"),
                ("state hash", run.state_hash or "not yet: the run goes on, or was killed")])
    _numbers(page, run, ["temperature", "viscosity", "diffusion", "structure"])


def _numbers(page: Page, run: Run, subjects: list[str]) -> None:
    """Each number that was measured, with its error, beside theory."""
    sections = [section for section in analyze(run, subjects if run.theory else []) if section.estimates]
    if not sections:
        return
    page.table(["measured", "value", "unit", "beside"],
               [[f"{section.name}: {found.name}", str(found).replace("+-", "±"), found.unit if found.unit != "1" else "",
                 found.beside_theory().replace("sigma", "σ")] for section in sections for found in section.estimates])
    for section in sections:
        for note in section.notes:
            page.paragraph(f"{section.name}: {note}")
    page.folded("How these were found", "\n".join(f"{section.name}: {found.name}: {found.how}" for section in sections
                                                  for found in section.estimates if found.how))


def _observables(page: Page, run: Run) -> None:
    page.heading("Observables")
    _numbers(page, run, ["pressure", "walls"])
    for name in run.observables:
        try:
            page.picture(FIGURES[name](run), WORDS[name])
        except BadArgument as error:
            page.paragraph(f"No picture: {error}.")


def _files(page: Page, run: Run) -> None:
    page.heading("Files")
    rows = [("run.h5", f"{run.path.resolve()}, {_size(run.path.stat().st_size)}")]
    if run.has_trajectory:
        try:
            rows.append(("trajectory.h5", f"{run.trajectory.summary()}, {_size(run.trajectory.path.stat().st_size)}"))
        except ResultsError as error:
            rows.append(("trajectory.h5", str(error)))
    page.facts(rows)
    page.folded("The input as it was given", run.given_input_text)
    page.folded("The input as it was run: runs again to the same bits", run.input_text)


def report_page(run: Run) -> str:
    """The page as HTML. What the run did not write is left out. Raises ResultsError."""
    page = Page(run.title or "A run of mpcflow")
    _head(page, run)
    page.contents()
    _summary(page, run)
    if len(run.fields) and run.fields.samples > 0:
        _fields(page, run)
    if run.has_windows and len(run.fields):
        _windows(page, run)
    if run.observables and run.theory:
        _observables(page, run)
    if len(run.histograms):
        _histograms(page, run)
    if len(run.series) and len(run.series["step"]):
        _series(page, run)
        _conservation(page, run)
    if run.theory:
        page.heading("Theory")
        page.facts([(name.replace("_", " "), f"{float(value):.6g}" + ("" if value.unit == "1" else f" {value.unit}"))
                    for name, value in run.theory.items()])
    _setup(page, run)
    _performance(page, run)
    _files(page, run)
    return page.html()


def main(argv: Sequence[str] | None = None) -> int:
    parser = Parser("mpcflow-report", __doc__)
    parser.add_argument("--output", type=Path, metavar="FILE.html", help="the page (default: report.html beside run.h5)")
    parser.add_argument("--overwrite", action="store_true", help="replaces the page if it is there")
    arguments = parser.read(argv)

    def body() -> None:
        if arguments.output and arguments.output.suffix not in (".html", ".htm"):
            raise BadArgument(f"{arguments.output}: a page ends in .html")
        with Run(arguments.run) as run:
            path = arguments.output or run.path.parent / "report.html"
            check_free(path, arguments.overwrite)
            text = report_page(run)
            with whole_file(path, arguments.overwrite) as aside:
                aside.write_text(text, encoding="utf-8")
            say(printable(str(path)))

    return exit_status("mpcflow-report", arguments.run, body)


if __name__ == "__main__":
    sys.exit(main())

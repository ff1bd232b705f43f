"""Draws what a run wrote, beside theory where there is theory.

  mpcflow-plot RUN                      says what there is to draw
  mpcflow-plot RUN series/temperature   any series against time
  mpcflow-plot RUN fields/velocity      any field as a profile: --along z, --component x
  mpcflow-plot RUN fields/velocity --across y --at 8      or as a map of one layer of bins
  mpcflow-plot RUN vorticity            the curl of the velocity as a map of one layer: --across z, --component z
  mpcflow-plot RUN windows/velocity     a field in windows of time, beside theory of a flow from rest
  mpcflow-plot RUN histograms           occupancy and speed beside Poisson and Maxwell, with chi-square
  mpcflow-plot RUN diffusion            an observable beside theory: diffusion, modes, stress, radial_distribution,
                                       structure_factor, walls
  mpcflow-plot RUN flow                 plane Poiseuille flow, in a pipe, between cylinders: fit, table and picture

Pictures are PNG, SVG or PDF by the ending of FILE. One that is there is replaced with --overwrite alone.
"""

from __future__ import annotations

import argparse
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from mpcflow_tools.command import BadArgument, Parser, check_free, complain, exit_status, say
from mpcflow_tools.cylinder_analysis import cylinder_figure, driven_cylinders, flow_report
from mpcflow_tools.expected import component_name, default_axis, default_component
from mpcflow_tools.flow import fit_profile
from mpcflow_tools.flow_plot import flow_figure
from mpcflow_tools.flow_report import ASCII_MARKS, UNICODE_MARKS, report
from mpcflow_tools.flow_run import NotAFlow, flow_axes, read_flow
from mpcflow_tools.histogram_plot import histogram_figure
from mpcflow_tools.histograms import compare, read_histograms
from mpcflow_tools.histograms import report as histogram_report
from mpcflow_tools.observable_plot import FIGURES
from mpcflow_tools.pictures import profile_figure, series_figure, slice_figure, windows_figure
from mpcflow_tools.results import ResultsError
from mpcflow_tools.run import AXES, Run
from mpcflow_tools.style import check_suffix, save
from mpcflow_tools.texts import printable

FIELD_OPTIONS = ("along", "across", "at", "component")


def subjects(run: Run) -> list[str]:
    """Everything of a run that can be drawn."""
    found = [f"series/{name}" for name in run.series if name not in ("step", "time")]
    if len(run.fields) and run.fields.samples > 0:
        found += [f"fields/{name}" for name in run.fields]
        found += ["vorticity"] if "velocity" in run.fields and sum(count > 1 for count in run.fields.bins) > 1 else []
        try:
            flow_axes(run.input)
            found += ["flow"] if "velocity" in run.fields else []
        except NotAFlow:
            found += ["flow"] if driven_cylinders(run) else []
    try:
        if run.has_windows and len(run.windows):
            found += [f"windows/{name}" for name in run.windows.quantities]
    except ResultsError as error:  # what run.h5 has is no worse for it
        complain(f"mpcflow-plot: {error}")
    return found + (["histograms"] if len(run.histograms) else []) + list(run.observables)


def _chosen_component(run: Run, name: str, wanted: str | None) -> str:
    """Raises BadArgument where the field has no such component, MissingResult where there is no such field."""
    components = run.fields.components(name)
    component = wanted or default_component(run, name)
    if component not in components:
        raise BadArgument(f"--component {component}: {name} has " + (f"only {', '.join(components)}" if len(components) > 1 else "none"))
    return component


def _field(run: Run, name: str, arguments: argparse.Namespace) -> tuple[Figure, str]:
    if arguments.along and arguments.across:
        raise BadArgument("--along is for a profile, --across for a map: one of them")
    if arguments.at is not None and not arguments.across:
        raise BadArgument("--at says where the layer --across an axis is")
    component = _chosen_component(run, name, arguments.component)
    if arguments.across:
        axis = AXES.index(arguments.across)
        return (slice_figure(run, name, axis, arguments.at, component),
                f"{component_name(name, component)}_across_{AXES[axis]}")
    axis = AXES.index(arguments.along) if arguments.along else default_axis(run)
    return profile_figure(run, name, axis, component), f"{component_name(name, component)}_along_{AXES[axis]}"


def _vorticity(run: Run, arguments: argparse.Namespace) -> tuple[Figure, str]:
    """Across the axis with the fewest bins unless another is asked for, of the component along it."""
    if arguments.along:
        raise BadArgument("--along is for a profile; vorticity is drawn as a map, --across an axis")
    axis = AXES.index(arguments.across) if arguments.across else 2 - int(np.argmin(run.fields.bins[::-1]))
    component = _chosen_component(run, "velocity", arguments.component or AXES[axis])
    return slice_figure(run, "vorticity", axis, arguments.at, component), f"vorticity_{component}_across_{AXES[axis]}"


def _windows(run: Run, name: str, arguments: argparse.Namespace) -> tuple[Figure, str]:
    if arguments.across or arguments.at is not None:
        raise BadArgument("--across and --at are for fields")
    if name not in run.windows.quantities:
        raise BadArgument(f"{run.windows.path}: windows have no '{name}', only {', '.join(run.windows.quantities)}")
    axis = AXES.index(arguments.along) if arguments.along else default_axis(run)
    component = _chosen_component(run, name, arguments.component)
    return windows_figure(run, name, axis, component), f"windows_{component_name(name, component)}"


def _flow(run: Run) -> tuple[Figure, str]:
    cylinders = driven_cylinders(run)
    if cylinders is not None:
        figure = cylinder_figure(run, cylinders)
        say(flow_report(run, cylinders))
        return figure, "flow"
    flow = read_flow(run)
    try:
        fit = fit_profile(flow.profile, flow.slit)
    except ValueError as error:
        raise BadArgument(f"{run.path}: {error}") from error
    utf8 = "utf" in (sys.stdout.encoding or "").lower()
    width = min(max(shutil.get_terminal_size((80, 24)).columns, 64), 120)
    say(report(flow, fit, UNICODE_MARKS if utf8 else ASCII_MARKS, width))
    return flow_figure(flow, fit), "flow"


def _histograms(run: Run) -> tuple[Figure, str]:
    histograms = read_histograms(run)
    try:
        comparison = compare(histograms)
    except ValueError as error:
        raise BadArgument(f"{run.path}: {error}") from error
    say(histogram_report(histograms, comparison))
    return histogram_figure(histograms, comparison), "histograms"


def plot(arguments: argparse.Namespace) -> None:
    with Run(arguments.run) as run:
        if arguments.subject is None:
            say("\n".join(subjects(run)))
            return
        kind, _, name = arguments.subject.partition("/")
        if kind not in ("fields", "vorticity", "windows") and any(getattr(arguments, option) is not None for option in FIELD_OPTIONS):
            raise BadArgument("--along, --across, --at and --component are for fields")
        if arguments.output:
            check_suffix(arguments.output)
            check_free(arguments.output, arguments.overwrite)
        if kind == "series" and name:
            figure, stem = series_figure(run, [name]), f"series_{name}"
        elif kind == "fields" and name:
            figure, stem = _field(run, name, arguments)
        elif arguments.subject == "vorticity":
            figure, stem = _vorticity(run, arguments)
        elif kind == "windows" and name:
            figure, stem = _windows(run, name, arguments)
        elif arguments.subject == "histograms":
            figure, stem = _histograms(run)
        elif arguments.subject in FIGURES:
            getattr(run, arguments.subject).check_samples()
            figure, stem = FIGURES[arguments.subject](run), arguments.subject
        elif arguments.subject == "flow":
            figure, stem = _flow(run)
        else:
            raise BadArgument(f"'{arguments.subject}' cannot be drawn, only {', '.join(subjects(run))}")
        path = arguments.output or run.path.parent / f"{stem}.png"
        save(figure, path, arguments.overwrite)
        say(f"picture      {printable(str(path))}")


def main(argv: Sequence[str] | None = None) -> int:
    parser = Parser("mpcflow-plot", __doc__)
    parser.add_argument("subject", nargs="?", metavar="SUBJECT", help="what is drawn; without it: what there is")
    parser.add_argument("--output", type=Path, metavar="FILE", help="the picture (default: a PNG beside run.h5)")
    parser.add_argument("--overwrite", action="store_true", help="replaces the picture if it is there")
    parser.add_argument("--along", choices=AXES, help="axis of a profile (default: across the walls, or the one with most bins)")
    parser.add_argument("--across", choices=AXES, help="a map of one layer of bins across this axis")
    parser.add_argument("--at", type=float, metavar="PLACE", help="where that layer is, in cell edges (default: the middle)")
    parser.add_argument("--component", metavar="NAME", help="x, y, z of a vector, xx, xy ... of a tensor (default: along the force, or x)")
    arguments = parser.read(argv)
    return exit_status("mpcflow-plot", arguments.run, lambda: plot(arguments))


if __name__ == "__main__":
    sys.exit(main())

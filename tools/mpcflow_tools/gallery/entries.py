"""The flows of the gallery, in the order of its page."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from matplotlib.figure import Figure

from mpcflow_tools.cylinder_analysis import cylinder_figure, driven_cylinders
from mpcflow_tools.errors import MissingResult
from mpcflow_tools.expected import default_axis, default_component
from mpcflow_tools.flow import fit_profile
from mpcflow_tools.flow_plot import flow_figure
from mpcflow_tools.flow_report import LARGEST_SLIP
from mpcflow_tools.flow_run import read_flow
from mpcflow_tools.gallery.numbers import Rows, analyzed, cylinder_rows, equilibrium_rows, heat_rows, mixture_rows, sound_rows, sphere_rows
from mpcflow_tools.gallery.pictures import heat_figure, mixture_figure, past_cylinder_figure, sound_figure, sphere_figure
from mpcflow_tools.histogram_plot import histogram_figure
from mpcflow_tools.histograms import compare, read_histograms
from mpcflow_tools.observable_plot import modes_figure
from mpcflow_tools.pictures import profile_figure
from mpcflow_tools.run import Run


@dataclass(frozen=True)
class Entry:
    """A flow: the input examples/NAME.yaml, what the page says of it, its picture, and its numbers."""

    name: str
    title: str
    sentence: str
    look: str  # commands of the tools that show the same, RUN in place of the run
    figure: Callable[[Run], Figure]
    rows: Callable[[Run], Rows]


def _poiseuille(run: Run) -> Figure:
    flow = read_flow(run)
    return flow_figure(flow, fit_profile(flow.profile, flow.slit))


def _profile(run: Run) -> Figure:
    return profile_figure(run, "velocity", default_axis(run), default_component(run, "velocity"))


def _cylinders(run: Run) -> Figure:
    flow = driven_cylinders(run)
    if flow is None:
        raise MissingResult(f"{run.path}: is no flow in a pipe or between cylinders")
    return cylinder_figure(run, flow)


def _histograms(run: Run) -> Figure:
    found = read_histograms(run)
    return histogram_figure(found, compare(found))


_SLIP = f"within {LARGEST_SLIP} of 0"

ENTRIES = (
    Entry("poiseuille", "Between two plates (Poiseuille)",
          "A force drives the fluid along two plates at rest, and it flows as a parabola: *u* = *g z* (*L* − *z*)/(2ν).",
          "mpcflow-plot RUN flow", _poiseuille,
          analyzed(("viscosity", "flow", "viscosity ν, of the parabola"), ("viscosity", "slip length", "slip length"), with_temperature=True,
                   slip_length=_SLIP)),
    Entry("couette", "Between plates that move (Couette)",
          "Two plates move in opposite directions and drag the fluid along: the velocity is linear, and the stress on the plates is viscosity "
          "times shear rate.",
          "mpcflow-plot RUN fields/velocity", _profile,
          analyzed(("walls", "stress on z lower, x", "stress on the lower plate, along x"), ("walls", "stress on z upper, x", "on the upper one"),
                   with_temperature=True)),
    Entry("pipe", "In a pipe",
          "A force drives the fluid along a cylinder: *u* = *g* (*R*² − *r*²)/(4ν).",
          "mpcflow-plot RUN flow", _cylinders,
          analyzed(("viscosity", "pipe", "viscosity ν, of the parabola"), ("viscosity", "slip length", "slip length"),
                   ("walls", "force on surface 0 (cylinder), z", "force on the pipe"), ("walls", "flow rate, z", "flow rate"), slip_length=_SLIP)),
    Entry("taylor_couette", "Between cylinders (Taylor and Couette)",
          "The inner cylinder turns, the outer one is at rest: *u* = *A r* + *B*/*r* about the axis. Collisions conserve angular momentum, "
          "without which torques would be wrong.",
          "mpcflow-plot RUN flow", _cylinders,
          analyzed(("viscosity", "velocity about z over theory", "velocity over theory"),
                   ("walls", "torque on surface 0 (cylinder), z", "torque on the outer cylinder"),
                   ("walls", "torque on surface 1 (cylinder), z", "torque on the inner one"))),
    Entry("lees_edwards", "Shear without walls (Lees and Edwards)",
          "The images of the box above and below slide along x, which shears the fluid without any wall.",
          "mpcflow-plot RUN fields/velocity", _profile,
          analyzed(("profiles", "shear rate", "shear rate"), ("viscosity", "shear", "viscosity ν, stress over rate"), with_temperature=True)),
    Entry("kolmogorov", "Under a force that is a wave (Kolmogorov)",
          "A force along x that is a sine of z drives a flow that is one, too; its amplitude *g*/(ν*k*²) tells the viscosity.",
          "mpcflow-plot RUN fields/velocity", _profile, analyzed(("viscosity", "wave", "viscosity ν, of the amplitude"), with_temperature=True)),
    Entry("sphere", "Past spheres",
          "A force drives the fluid past a sphere and its periodic images. The force on the sphere is that on all of the fluid, the mean "
          "velocity follows from Stokes' drag, corrected for the images (Sangani and Acrivos). To the right the vorticity, twice the rate at "
          "which the fluid turns.",
          "mpcflow-plot RUN vorticity --across y", sphere_figure, sphere_rows),
    Entry("sphere_in_shear", "A sphere in shear",
          "The images of the box above and below slide along x, and the fluid turns past a sphere that is held. The torque on it is "
          "8π*ηR*³ times half of the vorticity far away (Jeffery).",
          "mpcflow-plot RUN vorticity --across y", sphere_figure,
          analyzed(("walls", "torque on surface 0 (sphere), y", "torque on the sphere, about y"),
                   ("walls", "torque on surface 0 (sphere), x", "about x"), ("walls", "force on surface 0 (sphere), z", "force across the shear"))),
    Entry("cylinder", "Past a cylinder",
          "A stream, made anew in a slab at the left, flows past a cylinder between two plates, at the Reynolds number 20: behind it the fluid "
          "turns back in two eddies at rest. Beside Schaefer and Turek's benchmark, which is of a fluid of constant density; how long the eddies are "
          "takes a longer run to tell (docs/validation_flows.md).",
          "mpcflow-plot RUN vorticity --across z", past_cylinder_figure, cylinder_rows),
    Entry("heat", "Heat between two plates",
          "One plate is cold, the other warm: the temperature is linear in between, but for a jump at each plate, and the density that of an "
          "ideal gas of one pressure.",
          "mpcflow-plot RUN fields/temperature", heat_figure, heat_rows),
    Entry("sound", "A standing wave of sound",
          "A force has pressed the fluid together in half of the box and lets go: the wave of the density swings with the speed of sound and "
          "dies away. The line of theory has nothing fitted.",
          "mpcflow-plot RUN windows/density", sound_figure, sound_rows),
    Entry("equilibrium", "At rest: chance",
          "Nothing but fluctuations: as many particles are in a cell as Poisson says, speeds are Maxwell's, energy and momentum stay what they "
          "are.",
          "mpcflow-plot RUN histograms", _histograms, equilibrium_rows),
    Entry("transport", "At rest: waves, stress, tracers",
          "The fluctuations of a fluid at rest tell its transport coefficients: waves of the velocity decay as exp(−ν*k*²*t*), correlations "
          "of the stress add up to the viscosity, tracers diffuse. The formula for diffusion leaves correlations out, which add a tenth and more.",
          "mpcflow-plot RUN modes", modes_figure,
          analyzed(("viscosity", "Green-Kubo", "viscosity ν by the stress"), ("viscosity", "mode decay", "viscosity ν by waves"),
                   ("diffusion", "diffusion", "diffusion"))),
    Entry("mixture", "A mixture",
          "A light solvent, and fewer particles of four times the mass, at one temperature. The formulas for diffusion leave correlations out, "
          "which matter more for the heavy ones.",
          "mpcflow-analyze RUN", mixture_figure, mixture_rows),
)

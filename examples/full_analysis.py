#!/usr/bin/env python3
"""A whole analysis of a run: every transport coefficient by every way that the run allows, and a picture of the evidence.

    mpcflow run examples/transport.yaml --output out/transport
    pip install ./tools                                   # or: export PYTHONPATH=$PWD/tools
    python3 examples/full_analysis.py out/transport       # the table, and out/transport/analysis.png (--overwrite replaces it)

Goes through the steps one by one, so that they can be changed; `mpcflow-analyze` does the same in one command.
"""

import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")  # no display is needed
import matplotlib.pyplot as plt
import numpy as np

from mpcflow_tools import MissingResult, ResultsError, Run
from mpcflow_tools.analyze import analyze
from mpcflow_tools.command import whole_file
from mpcflow_tools.decay import fit_decay


def print_table(run):
    """What the package says of every subject: each number with its error and theory beside it."""
    for section in analyze(run):
        for found in section.estimates:
            print(f"{section.name:<12} {found.name:<30} {str(found):<22} {found.unit:<24} {found.beside_theory()}")


def draw_temperature(axes, run):
    """A series against time, the equilibration left out, and what is wanted."""
    settled = run.series["step"].values >= run.input["run"]["equilibration"]
    time, temperature = run.series["time"].values[settled], run.series["temperature"].values[settled]
    axes.plot(time, temperature, linewidth=0.6)
    axes.axhline(run.input["fluid"]["temperature"], color="C3")
    axes.set(xlabel="time", ylabel=f"temperature [{run.series['temperature'].unit}]")


def draw_decay(axes, run):
    """The longest wave of the velocity, and our own fit of exp(-nu k^2 t) to it."""
    modes = run.modes
    modes.check_samples()
    wave = 0
    k = np.linalg.norm(modes["wave_vector"].values[wave])
    time, transverse = modes["time"].values, modes["transverse"]
    decay = fit_decay(time, transverse.values[wave], transverse.error[wave], float(run.theory["predicted_viscosity"]) * k**2)
    shown = time < 3.0 / decay.rate
    axes.errorbar(time[shown], transverse.values[wave][shown], transverse.error[wave][shown], fmt=".")
    axes.plot(time[shown], decay.amplitude * np.exp(-decay.rate * time[shown]),
              label=f"nu = {decay.rate / k**2:.3f} +- {decay.rate_error / k**2:.3f}")
    axes.plot(time[shown], modes.expected("transverse")[wave][shown], color="C3", label="theory")
    axes.set(xlabel="time", ylabel=f"<u*(0) u(t)> of k = {k:.3f} [{transverse.unit}]")
    axes.legend()


def draw_viscosity(axes, run):
    """The sum of Green and Kubo as it grows with the lag."""
    run.stress.check_samples()
    viscosity = run.stress["viscosity"]
    axes.errorbar(run.stress["time"].values, viscosity.values, viscosity.error, fmt=".")
    axes.axhline(float(run.theory["predicted_viscosity"]), color="C3")
    axes.set(xlabel="time", ylabel=f"viscosity [{viscosity.unit}]", ylim=(0.0, None))


def draw_diffusion(axes, run):
    """How far tracers get, over what a constant diffusion coefficient makes of it."""
    run.diffusion.check_samples()
    found = run.diffusion["diffusion_by_displacement"]
    known = np.isfinite(found.error) & (run.diffusion["time"].values > 0.0)
    axes.errorbar(run.diffusion["time"].values[known], found.values[known], found.error[known], fmt=".")
    axes.axhline(float(run.theory["diffusion"]), color="C3", label="formula")
    axes.set(xlabel="time", ylabel=f"displacement / 6 t [{found.unit}]", xscale="log")
    axes.legend()


def main(path, overwrite=False):
    with Run(path) as run:
        print(run)
        print()
        print_table(run)
        figure, panels = plt.subplots(2, 2, figsize=(11, 7), layout="constrained")
        figure.suptitle(run.title)
        for axes, draw in zip(panels.flat, (draw_temperature, draw_decay, draw_viscosity, draw_diffusion)):
            try:
                draw(axes, run)
            except (MissingResult, ValueError) as error:  # what the run did not write, or too little of it
                axes.text(0.5, 0.5, str(error).removeprefix(f"{run.path}: "), ha="center", va="center", wrap=True, fontsize=8)
                axes.set_axis_off()
        picture = Path(run.path).parent / "analysis.png"
        with whole_file(picture, overwrite) as aside:  # one that is there stays, unless it is to be replaced
            figure.savefig(aside, dpi=130)
        print(f"\npicture      {picture}")


if __name__ == "__main__":
    try:
        paths = [argument for argument in sys.argv[1:] if argument != "--overwrite"]
        main(paths[0] if paths else "out/transport", "--overwrite" in sys.argv)
    except ResultsError as error:
        sys.exit(f"full_analysis.py: {error}")

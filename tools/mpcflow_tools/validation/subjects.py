"""The subjects, in the order of the page."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from mpcflow_tools.validation import cylinder, cylinders, diffusion, ensembles, frames, green_kubo, shear, slits, sphere, viscosity, waves
from mpcflow_tools.validation.cases import Case, Results, Sizes
from mpcflow_tools.validation.tables import Table


@dataclass(frozen=True)
class Subject:
    """`wanted` says the limits that the rows are held to, and whose they are."""

    name: str
    title: str
    sentence: str
    wanted: str
    cases: Callable[[Sizes], list[Case]]
    tables: Callable[[Results], list[Table]]
    is_light: bool = False  # whether a test measures it, with small runs


SUBJECTS = [
    Subject("viscosity", "Shear viscosity",
            "Kolmogorov flow in 32³ cells: a force that is a sine of *z* drives a flow whose amplitude is *g*/(ν*k*²), "
            "0.2 thermal speeds at most. Errors are those of the scatter of windows of four times 1/(ν*k*²). "
            "These are viscosities at *k* = 2π/32. A collision sees no more than a cell's mean, so without angular momentum "
            "conservation the collisional part of a wave is 12 (1 − sinc²(*k*/2))/*k*² ≈ 1 − *k*²/30 of that of long waves, 0.1 % less at this "
            "*k*; the second table has shorter waves.",
            "Within 1.5 % of what was measured elsewhere, and without angular momentum conservation within 2.5 % of the formula where *M* ≥ 10. "
            "What was measured elsewhere of SRD+a is of the law before it was canonical, whose viscosity is less by some 2 % there.",
            viscosity.cases, viscosity.tables, is_light=True),
    Subject("diffusion", "Diffusion and the memory of velocities",
            "*D* by the growth of the mean square displacement from *t* = 6 to 24, in 24³ cells. The formula leaves out that particles which met "
            "meet again. The tail of the velocity autocorrelation (48³ cells) is set beside the sum over the box's waves, "
            "(*kT*/ρ*V*) Σ exp(−*D k*² *t*) [2 exp(−ν*k*² *t*) + exp(−*Γk*² *t*/2) cos *ckt*], which goes over into 2 (*kT*/ρ) [4π(ν + *D*) *t*]^(−3/2).",
            "*D* within 2 % of what was measured elsewhere, the tail within 10 % (limits of this page).",
            diffusion.cases, diffusion.tables),
    Subject("waves", "Waves of a fluid at rest",
            "The decay of the longest waves of 32³ cells, *k* = 2π/32: transverse ones as exp(−ν*k*² *t*), longitudinal ones as sound, with "
            "*c* = 1 where the temperature is kept and (5/3)^½ where it is not, and *Γ* = ν_col + (4/3) ν_kin, with angular momentum "
            "conserved 2 ν_col + (4/3) ν_kin. Of the damping by the conduction of heat, without thermostat, there is no formula here. Errors are "
            "of the scatter over three axes and four seeds.",
            "ν within 1.5 % of what was measured elsewhere; *c* within 1 %, *Γ* within 5 % (limits of this page).",
            waves.cases, waves.tables),
    Subject("green_kubo", "Viscosity by Green and Kubo",
            "The fluctuating stress of 12³ cells at rest, sampled every step, its correlations summed up until momentum has diffused by a cell.",
            "ν within 1.5 % of what was measured elsewhere.",
            green_kubo.cases, green_kubo.tables),
    Subject("poiseuille", "Plane Poiseuille flow and slip",
            "24 × 24 × 16 cells between two plates, at most 0.3 thermal speeds. The parabola with the slip length *b* is fitted to the layers "
            "that are not next to a plate.",
            "ν within 2 % of what was measured elsewhere, *b* within 0.02 *a*.",
            slits.poiseuille_cases, slits.poiseuille_tables),
    Subject("couette", "Couette flow",
            "Plates 16 cells apart that move at ±0.3 thermal speeds.",
            "Linear to 1 %, the stress on the plates within 2 %.",
            slits.couette_cases, slits.couette_tables, is_light=True),
    Subject("lees_edwards", "Lees-Edwards shear",
            "32³ cells at the rate 0.05.",
            "Linear to 1 %, the viscosity within 1.5 % of what was measured elsewhere.",
            shear.cases, shear.tables),
    Subject("strong_shear", "Temperature under strong shear",
            "16³ cells at the rate 0.2, a change of 3.2 thermal speeds over the box, with each thermostat. `monte_carlo` follows its wanted "
            "temperature in some 25 collisions, and lags behind the heat of such a shear.",
            "With `maxwell_boltzmann` and by the laws AT within 1 % of that wanted; every layer within 1 % of the mean (limits of this page).",
            shear.strong_cases, shear.strong_tables),
    Subject("pipe", "Flow in a pipe",
            "A force along cylinders of the radius *R*, 16 cells long.",
            "ν within 2 % of what was measured elsewhere, *b* below 0.05 *a*.",
            cylinders.pipe_cases, cylinders.pipe_tables),
    Subject("taylor_couette", "Taylor-Couette flow",
            "The inner of two cylinders turns, its surface at 0.4 thermal speeds. Laws that conserve angular momentum.",
            "The flow within 2 %, torques within 5 %.",
            cylinders.pair_cases, cylinders.pair_tables),
    Subject("rotation", "A fluid that turns with its container",
            "As a solid body, without shear. Without angular momentum conservation the container feels 4π*R*²*l* (η_col/2) *Ω* against its turning, "
            "with it nothing. That is the formula of a continuum. Of cells that the container cuts, `output.walls` counts all that changes as the "
            "container's, so that the torque is of the cells that lie in the fluid as a whole: less by 1.3 *a*/*R*, and so 16 % at *R* = 8.",
            "Torques within 5 %: of the cells' at each radius, of the continuum's at *R* = 32. The flow within 2 %.",
            cylinders.container_cases, cylinders.container_tables, is_light=True),
    Subject("sphere", "Drag of a sphere",
            "A sphere of the radius *R* in a periodic box of five radii, 2*RU*/ν = 1, beside Stokes' drag with the correction for the images "
            "(Sangani and Acrivos). Laws that conserve angular momentum.",
            "Within 5 %.",
            sphere.cases, sphere.tables),
    Subject("cylinder", "A cylinder in a stream",
            "Between plates beside Schaefer and Turek's benchmark, which is of a fluid of constant density: plates 4.1 diameters *D* apart, the "
            "cylinder 2 *D* behind a parabola. In an open stream, in a box 16 *D* wide (32 *D* at *Re* = 10), beside Dennis and Chang's numbers of "
            "an unbounded one. SRD at 90 degrees, without a thermostat. Drag and Strouhal number by the mean velocity that was measured. The "
            "published drag of *Re* = 100 is the greatest, 1 % above the mean.",
            "Between plates within 5 %; in the open stream within 10 % (a limit of this page).",
            cylinder.cases, cylinder.tables),
    Subject("ensembles", "Velocities at rest",
            "16³ cells, *h* = 0.1, 64 frames that are independent.",
            "With `maxwell_boltzmann` and by the laws AT the temperature within 0.5 %, the kurtosis within 1 % (limits of this page).",
            ensembles.cases, ensembles.tables),
    Subject("mixture", "A mixture",
            "8 light particles in a cell, and 2 of four times the mass; 16³ cells, *h* = 0.1, 64 frames that are independent.",
            "The temperature within 0.5 %, the kurtosis within 1 % (limits of this page).",
            ensembles.mixture_cases, ensembles.mixture_tables, is_light=True),
    Subject("frames", "Galilean invariance",
            "Kolmogorov flow in a fluid that moves along the flow as a whole, with the random shift of the grid, and without, "
            "where particles remember which cell they share.",
            "With the shift within 1 % of the fluid at rest (a limit of this page).",
            frames.cases, frames.tables),
]

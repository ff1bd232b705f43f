"""A cylinder in a stream: drag, the eddies behind it, and the street of those that it sheds.

Between plates Schaefer and Turek's benchmark (Notes on Numerical Fluid Mechanics 52 (1996) 547): plates 4.1 D apart, the middle of the
cylinder 2 D behind the inflow, which is a parabola, and 2 D above the lower plate. In an open stream, the sides of whose box are periodic,
Dennis and Chang (J. Fluid Mech. 42 (1970) 471).

Errors of the force are those of output.walls. The viscosity of the fluid is measured beside, for the Reynolds numbers hang on it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial
from typing import Any

from mpcflow_tools.flow_report import Quantity
from mpcflow_tools.obstacle import drag_coefficient, mean_velocity, obstacle_of, strouhal_number, wake_length
from mpcflow_tools.run import Run
from mpcflow_tools.validation.cases import Case, Measurement, Results, Sizes
from mpcflow_tools.validation.kolmogorov import kolmogorov_input, measure_kolmogorov
from mpcflow_tools.validation.points import Point
from mpcflow_tools.validation.tables import Comparison, Table

OF_CHANNEL, OF_STROUHAL, OF_OPEN = 0.05, 0.05, 0.1  # of a benchmark, and where the box takes a part
# Of small viscosity, so that Reynolds numbers need few cells: 0.341 as measured here, where the formula has 0.316.
FLUID = Point("srd", 0.35, 5, 90.0)
VISCOSITY = 0.341


@dataclass(frozen=True)
class Flow:
    """`length` is that of the cylinder, `bins` are cells along an edge of a bin; times are in D / U."""

    reynolds: int
    diameter: int
    length: int
    is_channel: bool
    before: int  # of the cylinder's middle, diameters of fluid; as many are on either side of it in an open stream
    behind: float  # of the cylinder's middle
    bins: int
    develops: float
    lasts: float

    @property
    def slab(self) -> int:
        """Cells of the box in which the stream is driven, along it."""
        return self.diameter // 2

    @property
    def width(self) -> float:
        """Of the box, in diameters."""
        return 4.1 if self.is_channel else 2.0 * self.before

    @property
    def velocity(self) -> float:
        return self.reynolds * VISCOSITY / self.diameter

    @property
    def is_shedding(self) -> bool:
        return self.reynolds > 50

    @property
    def published(self) -> dict[str, float]:
        return (CHANNEL if self.is_channel else OPEN)[self.reynolds]

    @property
    def name(self) -> str:
        return f"{'channel' if self.is_channel else 'open'}_Re{self.reynolds}"


FLOWS = [Flow(20, 30, 16, True, 2, 6.0, 1, 25.0, 150.0), Flow(100, 160, 4, True, 2, 8.0, 16, 50.0, 50.0),
         Flow(10, 16, 12, False, 16, 8.0, 1, 40.0, 160.0), Flow(20, 25, 12, False, 8, 12.0, 1, 40.0, 100.0),
         Flow(40, 50, 6, False, 8, 16.0, 2, 50.0, 60.0)]
# Of the benchmark the middle of the intervals that its authors give. The drag of Re = 100 swings: that is its greatest value, the mean is
# 1 % less.
CHANNEL = {20: {"drag": 5.58, "wake": 0.847}, 100: {"drag": 3.23, "strouhal": 0.300}}
OPEN = {10: {"drag": 2.846, "wake": 0.265}, 20: {"drag": 2.045, "wake": 0.94}, 40: {"drag": 1.522, "wake": 2.345}}


def flow_input(flow: Flow, sizes: Sizes) -> dict[str, Any]:
    d, slab, width = flow.diameter, flow.slab, round(flow.width * flow.diameter)
    centre = slab + flow.before * d
    box = [math.ceil((centre + flow.behind * d) / flow.bins) * flow.bins, width, flow.length]
    steps_of_time = d / flow.velocity / FLUID.time_step
    window = 4 * max(1, round(steps_of_time / 100))
    every = window // 4 if flow.is_shedding else 20
    steps = sizes.count(flow.lasts * steps_of_time / window) * window
    fields: dict[str, Any] = {"every": every, "quantities": ["density", "velocity"], "bins": [box[0] // flow.bins, width // flow.bins, 1]}
    if flow.is_shedding:
        fields["time_window"] = window
    profile, faces = ("parabolic", {"y": "no_slip"}) if flow.is_channel else ("uniform", {})
    return {"seed": 1, "box": {"size": box}, **FLUID.input("none"), "boundaries": faces,
            "surfaces": [{"cylinder": {"axis": "z", "centre": [centre, flow.before * d], "radius": d / 2}, "fluid": "outside"}],
            "stream": {"axis": "x", "from": 0, "to": slab, "velocity": [flow.velocity, 0, 0], "profile": profile},
            "run": {"equilibration": math.ceil(flow.develops * steps_of_time), "steps": steps},
            "output": {"fields": fields, "walls": {"every": 2 if flow.diameter < 50 else 20}}, "execution": {"precision": "mixed"}}


def cases(sizes: Sizes) -> list[Case]:
    viscosity = kolmogorov_input(FLUID, sizes, windows=60)
    flows = [Case(flow.name, flow_input(flow, sizes), partial(measure_flow, flow), flow) for flow in FLOWS]
    return [Case("viscosity", viscosity, measure_kolmogorov), *flows]


def measure_flow(flow: Flow, run: Run) -> Measurement:
    """Of the quantities that there is something published of. Raises ResultsError; ValueError where the flow is not what it should be."""
    cylinder = obstacle_of(run)
    found = Measurement({"velocity": mean_velocity(run, cylinder), "drag": drag_coefficient(run, cylinder)})
    if "strouhal" in flow.published:
        found.numbers["strouhal"] = strouhal_number(run, cylinder)
    if "wake" in flow.published:
        found.numbers["wake"] = wake_length(run, cylinder)
    return found


def tables(results: Results) -> list[Table]:
    nu = next((result.numbers["viscosity"] for case, result in results if case.subject is None), Quantity(VISCOSITY, 0.0))
    headings = ("stream", "*D*", "*Re* measured")
    wanted = {"drag": Table("Drag coefficient", headings, "*C*", ("published",)),
              "wake": Table("Length of the eddies, over *D*", headings, "*l*", ("published",)),
              "strouhal": Table("Strouhal number", headings, "*St*", ("published",))}
    viscosity = Table("Viscosity of the fluid", ("law", "*h*, *M*"), "ν", ("formula",))
    for case, result in results:
        if case.subject is None:
            viscosity.add(FLUID.cells, result.numbers["viscosity"], Comparison(result.theory["predicted_viscosity"]))
            continue
        flow, velocity = case.subject, result.numbers["velocity"]
        reynolds = velocity.value * flow.diameter / nu.value
        cells = (f"{'between plates' if flow.is_channel else 'open'}, *Re* = {flow.reynolds}", str(flow.diameter), f"{reynolds:.1f}")
        for name, reference in flow.published.items():
            limit = OF_OPEN if not flow.is_channel else (OF_STROUHAL if name == "strouhal" else OF_CHANNEL)
            wanted[name].add(cells, result.numbers[name], Comparison(reference, limit=limit))
    return [table for table in (viscosity, *wanted.values()) if table.rows]

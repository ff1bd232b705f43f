"""The open streams of cylinder.py by the equations of a fluid, in the same box, so that what its sides do is in both: the lattice Boltzmann
equation in two dimensions, with nine velocities and one relaxation time (Qian, d'Humieres and Lallemand, Europhys. Lett. 17 (1992) 479), and
the cylinder's surface between nodes by Bouzidi, Firdaouss and Lallemand (Phys. Fluids 13 (2001) 3452). The Mach number is that of the runs.
With `--fluctuates` the fluid has the thermal noise of the runs' layer, whose fluctuations shake the eddies: each number is given a random
part as by Gross, Cates, Varnik and Adhikari (J. Stat. Mech. (2011) P03030), which takes neither mass nor momentum.

    python3 -m mpcflow_tools.validation.row --reynolds 40        (in the folder tools/; some minutes)
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mpcflow_tools.obstacle import NoEddies, turning_point
from mpcflow_tools.validation.cylinder import FLOWS, FLUID, Flow

Floats = NDArray[np.float32]
VELOCITIES = np.array([(0, 0), (1, 0), (0, 1), (-1, 0), (0, -1), (1, 1), (-1, 1), (-1, -1), (1, -1)])
OPPOSITE = np.array([0, 3, 4, 1, 2, 7, 8, 5, 6])
WEIGHTS = np.array([4 / 9] + 4 * [1 / 9] + 4 * [1 / 36], dtype=np.float32)
SOUND = math.sqrt(5.0 / 3.0)  # of the fluid of cylinder.py, in thermal speeds


@dataclass(frozen=True)
class Links:
    """From nodes of the fluid into the cylinder: `share` of a link is outside."""

    node: NDArray[np.intp]
    before: NDArray[np.intp]  # the node on the other side of it
    direction: NDArray[np.intp]
    share: Floats


class Row:
    """A cylinder of `diameter` nodes and its images, in a box that is a `flow` of cylinder.py; with a `seed` it fluctuates."""

    def __init__(self, flow: Flow, diameter: int, seed: int | None = None) -> None:
        self.diameter, self.slab = diameter, round(flow.slab / flow.diameter * diameter)
        self.velocity = flow.velocity / SOUND / math.sqrt(3.0)
        self.relaxation = 1.0 / (3.0 * self.velocity * diameter / flow.reynolds + 0.5)
        centre = self.slab + flow.before * diameter
        self.shape = (round(flow.width * diameter), math.ceil(centre + flow.behind * diameter))
        self.centre = (centre - 0.5, flow.before * diameter - 0.5)  # nodes are in the middles of cells
        y, x = np.indices(self.shape)
        self.offset = x - self.centre[0], y - self.centre[1]
        self.solid = np.hypot(*self.offset) < diameter / 2
        self.links = self._links()
        self.random = None if seed is None else np.random.default_rng(seed)
        particles = FLUID.density * (flow.diameter / diameter) ** 2 * flow.length  # of a node
        variance = (self.velocity / flow.velocity) ** 2 / particles  # of a node's velocity
        forgets = 1.0 - (1.0 - self.relaxation) ** 2
        self.noise = np.sqrt(3.0 * variance * forgets * WEIGHTS).astype(np.float32)
        still = np.where(self.solid, 0.0, self.velocity).astype(np.float32)
        self.numbers = equilibrium(np.ones(self.shape, np.float32), still, np.zeros_like(still))

    def _links(self) -> Links:
        found: list[tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.intp], Floats]] = []
        index = np.arange(self.solid.size).reshape(self.shape)
        for i, (cx, cy) in enumerate(VELOCITIES):
            into = ~self.solid & np.roll(self.solid, (-cy, -cx), (0, 1))
            dx, dy = (part[into] for part in self.offset)
            a, b = cx * cx + cy * cy, dx * cx + dy * cy
            share = (-b - np.sqrt(b * b - a * (dx * dx + dy * dy - self.diameter**2 / 4))) / a if a else dx
            found.append((index[into], np.roll(index, (cy, cx), (0, 1))[into], np.full(len(dx), i), share.astype(np.float32)))
        return Links(*(np.concatenate(column) for column in zip(*found)))

    def step(self) -> float:
        """One step; returns the force on the cylinder along the stream."""
        density, x, y = self.moments()
        x[:, :self.slab], y[:, :self.slab] = self.velocity, 0.0
        rested = equilibrium(density, x, y)
        rested[:, :, self.slab:] *= self.relaxation
        rested[:, :, self.slab:] += (1.0 - self.relaxation) * self.numbers[:, :, self.slab:]
        if self.random is not None:
            rested[:, :, self.slab:] += self._random_parts()
        for i, (cx, cy) in enumerate(VELOCITIES):
            self.numbers[i] = np.roll(rested[i], (cy, cx), (0, 1))
        links, flat = self.links, rested.reshape(9, -1)
        leaving, back = flat[links.direction, links.node], OPPOSITE[links.direction]
        near = 2.0 * links.share * leaving + (1.0 - 2.0 * links.share) * flat[links.direction, links.before]
        far = (leaving + (2.0 * links.share - 1.0) * flat[back, links.node]) / (2.0 * links.share)
        returned = np.where(links.share < 0.5, near, far)
        self.numbers.reshape(9, -1)[back, links.node] = returned
        return float(VELOCITIES[links.direction, 0] @ (leaving + returned))

    def _random_parts(self) -> Floats:
        """Of the numbers outside of the slab."""
        assert self.random is not None
        parts = self.random.standard_normal((9, self.shape[0], self.shape[1] - self.slab), dtype=np.float32)
        parts *= self.noise[:, None, None]
        mass, momentum = parts.sum(axis=0), np.tensordot(VELOCITIES.T.astype(np.float32), parts, 1)
        parts -= WEIGHTS[:, None, None] * (mass + 3.0 * np.tensordot(VELOCITIES.astype(np.float32), momentum, 1))
        return parts

    def moments(self) -> tuple[Floats, Floats, Floats]:
        """Density, and the velocity along the stream and across, [y][x]; in the cylinder they mean nothing."""
        density = self.numbers.sum(axis=0)
        x, y = (np.tensordot(VELOCITIES[:, axis].astype(np.float32), self.numbers, 1) / density for axis in (0, 1))
        return density, x, y

    def drag_coefficient(self, force: float) -> float:
        """By the mean velocity and density, as obstacle.drag_coefficient()."""
        density, x, _ = self.moments()
        mean_density = float(density[~self.solid].mean(dtype=np.float64))
        mean_velocity = float((density * x)[~self.solid].sum(dtype=np.float64)) / self.solid.size / mean_density
        return 2.0 * force / (mean_density * mean_velocity**2 * self.diameter)

    def middle_line(self) -> NDArray[np.float64]:
        """The velocity along the stream on the line through the cylinder's middle."""
        middle = self.shape[0] // 2
        rows = self.numbers[:, middle - 1:middle + 1]
        along = np.tensordot(VELOCITIES[:, 0].astype(np.float32), rows, 1) / rows.sum(axis=0)
        return np.asarray(along.mean(axis=0, dtype=np.float64))

    def wake_length(self, line: NDArray[np.float64]) -> float:
        """Of the eddies, over the diameter, as obstacle.wake_length()."""
        rear = self.centre[0] + self.diameter / 2
        first = math.ceil(rear)
        line = line[first:math.floor(rear + 8 * self.diameter)]  # or to the end of the box
        end = turning_point(first + np.arange(len(line), dtype=np.float64), line, np.zeros_like(line), 1)
        return (end.value - rear) / self.diameter


def equilibrium(density: Floats, x: Floats, y: Floats) -> Floats:
    """[direction][y][x]"""
    along = np.tensordot(VELOCITIES.astype(np.float32), np.stack((x, y)), 1)
    return np.asarray(WEIGHTS[:, None, None] * density * (1.0 + 3.0 * along + 4.5 * along**2 - 1.5 * (x * x + y * y)), dtype=np.float32)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python3 -m mpcflow_tools.validation.row", description=__doc__.split(":")[0] + ".")
    opens = {flow.reynolds: flow for flow in FLOWS if not flow.is_channel}
    parser.add_argument("--reynolds", type=int, choices=sorted(opens), required=True)
    parser.add_argument("--diameter", type=int, default=16, help="nodes in a diameter (16)")
    parser.add_argument("--time", type=float, default=110.0, help="until when, in diameters over the velocity (110)")
    parser.add_argument("--fluctuates", type=int, metavar="SEED", help="with thermal noise")
    options = parser.parse_args(arguments)
    row = Row(opens[options.reynolds], options.diameter, options.fluctuates)
    turn = round(10 * options.diameter / row.velocity)  # steps of ten diameters over the velocity
    forces, lines = [], []
    for turns in range(1, max(1, round(options.time / 10)) + 1):
        force, line = 0.0, np.zeros(row.shape[1])
        for _ in range(turn):
            force += row.step() / turn
            line += row.middle_line() / turn
        forces.append(force)
        lines.append(line)
        print(f"time {10 * turns:4d}   {_told(row, force, line)}", flush=True)
    later = len(lines) // 2  # when the flow has developed
    print(f"second half: {_told(row, float(np.mean(forces[later:])), np.mean(lines[later:], axis=0))}")
    return 0


def _told(row: Row, force: float, line: NDArray[np.float64]) -> str:
    try:
        eddies = f"eddies {row.wake_length(line):.3f} diameters"
    except NoEddies:  # yet
        eddies = "no eddies"
    return f"drag coefficient {row.drag_coefficient(force):.3f}   {eddies}"


if __name__ == "__main__":
    raise SystemExit(main())

#!/usr/bin/env python3
"""Measures the viscosity of two fluids in three ways that have nothing in common but the fluid: by the flow between two
plates, by the decay of transverse velocity modes at rest, and by Green and Kubo from the fluctuating stress at rest.
As in docs/validation.md.

    tests/flows/viscosity_three_ways.py MPCFLOW [--device cpu|cuda] [--size L] [--scale F] [--keep DIR]

MPCFLOW is the program; boxes are L cells wide, runs F times as long as by default. A mode of the wave number k decays
more slowly than the viscosity says, by about k^2/12 of the collisional part: 0.3 % at L = 32, 1.3 % at 16. Ends with 1 if two of the three differ by more than
3.5 of their standard errors.
"""

from __future__ import annotations

import argparse
import itertools
import json
import math
import subprocess
import sys
import tempfile
from pathlib import Path

ANALYZE = Path(__file__).resolve().parents[2] / "tools" / "mpcflow-analyze"
WAYS = {"flow": "flow", "mode decay": "rest", "Green-Kubo": "rest"}
MOST_SIGMA = 3.5

COMMON = """\
seed: {seed}
fluid: {{density: 10}}
collision: {{rule: srd, angle: 130, time_step: 0.1, conserve_angular_momentum: {angular}}}
thermostat: {{kind: maxwell_boltzmann}}
execution: {{device: {device}}}
"""
RUNS = {
    "flow": """\
box: {{size: [{size}, {size}, 16]}}
boundaries: {{z: no_slip}}
forces: [{{uniform: [{force}, 0, 0]}}]
run: {{equilibration: 5000, steps: {steps}}}
output:
  fields: {{every: 10, quantities: [density, velocity, temperature], bins: [1, 1, 16]}}
""",
    "rest": """\
box: {{size: [{size}, {size}, {size}]}}
run: {{equilibration: 2000, steps: {steps}}}
output:
  modes: {{every: 10}}
  stress: {{every: 1, burst: 1}}
""",
}


def viscosities(mpcflow: str, settings: dict[str, str | int], folder: Path) -> tuple[dict[str, tuple[float, float]], float]:
    """The viscosity and its error by each way, and theory's."""
    angular = settings["angular"]
    found: dict[str, tuple[float, float]] = {}
    theory = math.nan
    for name, text in RUNS.items():
        path = folder / f"{name}-{angular}.yaml"
        # At most a third of the thermal speed in the middle of the plates, whatever the viscosity.
        force = 0.006 if angular == "false" else 0.003
        path.write_text((COMMON + text).format(seed=7, force=force, **settings))
        output = folder / f"{name}-{angular}"
        subprocess.run([mpcflow, "run", str(path), "--output", str(output), "--quiet"], check=True)
        done = subprocess.run([str(ANALYZE), str(output), "viscosity", "--json"], check=True, stdout=subprocess.PIPE, text=True)
        for estimate in json.loads(done.stdout)["sections"]["viscosity"]["estimates"]:
            if WAYS.get(estimate["name"]) == name:
                found[estimate["name"]] = (estimate["value"], estimate["error"])
                theory = estimate["theory"]
    return found, theory


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("mpcflow", metavar="MPCFLOW")
    parser.add_argument("--device", default="auto")
    parser.add_argument("--size", type=int, default=32, metavar="L")
    parser.add_argument("--scale", type=float, default=1.0, metavar="F")
    parser.add_argument("--keep", type=Path, metavar="DIR", help="keep the runs there")
    arguments = parser.parse_args()
    worst = 0.0
    with tempfile.TemporaryDirectory() as scratch:
        folder = arguments.keep or Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        for name, angular in (("SRD 130", "false"), ("SRD+a 130", "true")):
            settings = {"angular": angular, "device": arguments.device, "size": arguments.size,
                        "steps": round(200_000 * arguments.scale)}
            found, theory = viscosities(arguments.mpcflow, settings, folder)
            if sorted(found) != sorted(WAYS):
                print(f"viscosity_three_ways.py: only {', '.join(found)} of {', '.join(WAYS)} came out", file=sys.stderr)
                return 1
            print(f"{name}, h = 0.1, M = 10 (theory {theory:.4f})")
            for way, (value, error) in found.items():
                print(f"  {way:12} {value:.4f} +- {error:.4f}")
            for (a, (x, dx)), (b, (y, dy)) in itertools.combinations(found.items(), 2):
                sigma = abs(x - y) / math.hypot(dx, dy)
                worst = max(worst, sigma)
                print(f"  {a} and {b} differ by {100 * abs(x - y) / y:.1f} %, {sigma:.1f} sigma")
            sys.stdout.flush()
    print(f"at most {worst:.1f} sigma apart: {'PASS' if worst <= MOST_SIGMA else 'FAIL'}")
    return 0 if worst <= MOST_SIGMA else 1


if __name__ == "__main__":
    sys.exit(main())

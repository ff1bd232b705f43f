#!/usr/bin/env python3
"""What a run says, with numpy: temperature, flow beside theory, and how far particles have moved.

    mpcflow run examples/poiseuille.yaml --output out/poiseuille
    pip install ./tools                                   # or: export PYTHONPATH=$PWD/tools
    python3 examples/read_a_run.py out/poiseuille
"""

import sys

import numpy as np

from mpcflow_tools import ResultsError, Run


def main(path: str) -> None:
    run = Run(path)
    print(run)

    # Series: numbers against time, here without the first fifth.
    temperature = run.series["temperature"]
    settled = temperature.values[len(temperature) // 5:]
    print(f"\n{temperature.description}: {settled.mean():.4f} {temperature.unit}, wanted {run.input['fluid']['temperature']}")

    # Fields: [z][y][x], velocities with their components last. Here the mean of each layer along z.
    if "velocity" in run.fields:
        velocity = run.fields["velocity"]
        profile = velocity.values[..., 0].mean(axis=(1, 2))
        print(f"largest velocity along x: {profile.max():.4f} {velocity.unit} at z = {run.fields.centres('z')[profile.argmax()]:g}")
        if "poiseuille_maximum_velocity" in run.theory:
            print(f"theory expects {float(run.theory['poiseuille_maximum_velocity']):.4f}")

    # Frames: positions, velocities and ids of the particles; one frame in memory at a time.
    if run.has_trajectory and run.trajectory.region is None:
        start = run.trajectory[0].unwrapped_positions
        print("\n    time  mean square displacement across the flow [a^2]")
        for frame in run.trajectory:
            moved = frame.unwrapped_positions - start
            print(f"{frame.time:8g}  {np.mean(moved[:, 1] ** 2):.4f}")


if __name__ == "__main__":
    try:
        main(sys.argv[1] if len(sys.argv) > 1 else "out/poiseuille")
    except ResultsError as error:
        sys.exit(f"read_a_run.py: {error}")

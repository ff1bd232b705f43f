#!/usr/bin/env python3
"""Peak memory of every tool on large files: how much they take of the machine, whatever the size of the files.

    MPCFLOW=build/app/mpcflow python3 tests/tools/memory_bench.py --gigabytes 10 --folder /somewhere/with/30/GB

makes a run with a trajectory.h5 and fields that large, goes through each tool, prints its peak memory (the kernel's maximum resident
set size), its time and what it wrote, and removes all files again. Exit status 1 if one takes more than --limit megabytes.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

TOOLS = Path(__file__).resolve().parents[2] / "tools"

# Frames of 64 bytes a particle: positions, velocities, images and ids.
FRAMES = 16
BYTES_OF_PARTICLE = 64

INPUT = """\
title: A large box
box: {{size: [{size}, {size}, {size}]}}
fluid: {{density: 10}}
collision: {{rule: srd, angle: 130, time_step: 0.1}}
thermostat: {{kind: maxwell_boltzmann}}
boundaries: {{x: periodic, y: periodic, z: no_slip}}
# The flow has hardly begun in so few steps, but stands out of the noise also in the small box of memory_test.py.
forces: [{{uniform: [1, 0, 0]}}]
run: {{steps: 15}}
output:
  trajectory: {{every: 1, quantities: [position, velocity]}}
  fields: {{every: 3, quantities: [density, velocity, temperature], bins: [{bins}, {bins}, {size}], time_window: 3}}
  series: {{every: 1}}
"""


@dataclass(frozen=True)
class Usage:
    """What a command took."""

    megabytes: float
    seconds: float
    status: int


def usage_of(command: list[str], folder: Path) -> Usage:
    """Runs a command and asks the kernel for the peak memory of that one process."""
    environment = {**os.environ, "PYTHONPATH": str(TOOLS), "PYTHONDONTWRITEBYTECODE": "1"}
    began = time.monotonic()
    process = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, env=environment)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return Usage(used.ru_maxrss / 1024.0, time.monotonic() - began, process.returncode)


def make_run(folder: Path, size: int, bins: int) -> Path:
    """A run in a cube of size^3 cells, 10 particles each, with bins^2 x size bins. Raises CalledProcessError."""
    (folder / "large.yaml").write_text(INPUT.format(size=size, bins=bins))
    subprocess.run([os.environ.get("MPCFLOW", "mpcflow"), "run", "large.yaml", "--device", "cpu", "--quiet", "--overwrite", "--restart", "never",
                    "--output", "out"], cwd=folder, check=True)
    return folder / "out"


def commands(run: Path) -> dict[str, list[str]]:
    """Every tool, by what it does, with its arguments; files go to the folder it is started in."""
    def tool(module: str, *arguments: str) -> list[str]:
        return [sys.executable, "-m", f"mpcflow_tools.{module}", *arguments]

    found = {"analyze": tool("analyze", str(run), "--json"), "report": tool("report", str(run), "--output", "page.html"),
             "watch": tool("watch", str(run), "--once")}
    for subject in ("series/temperature", "fields/density", "fields/velocity", "flow"):
        found[f"plot {subject}"] = tool("plot", str(run), subject, "--output", "picture.png", "--overwrite")
    found["plot fields/velocity --across x"] = tool("plot", str(run), "fields/velocity", "--across", "x", "--output", "map.png")
    found["convert particles, all frames, .npz"] = tool("convert", str(run), "particles", "all.npz")
    for ending in (".xyz", ".lammpstrj", ".csv"):
        found[f"convert particles, one frame, {ending}"] = tool("convert", str(run), "particles", f"last{ending}", "--frames=-1", "--unwrap")
    for ending in (".vti", ".csv", ".npz"):
        found[f"convert fields, {ending}"] = tool("convert", str(run), "fields", f"fields{ending}")
    for ending in (".pvd", ".csv", ".npz"):
        found[f"convert windows, {ending}"] = tool("convert", str(run), "windows", f"windows{ending}")
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gigabytes", type=float, default=10.0, help="size of trajectory.h5 (default: 10)")
    parser.add_argument("--folder", type=Path, help="where the files are made (default: the system's folder for temporary files)")
    parser.add_argument("--limit", type=float, default=1000.0, metavar="MB", help="most memory that a tool may take (default: 1000)")
    arguments = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="mpcflow-memory-", dir=arguments.folder))
    size = round((arguments.gigabytes * 1e9 / (FRAMES * BYTES_OF_PARTICLE * 10)) ** (1.0 / 3.0) + 0.5)
    worst = 0.0
    try:
        bins = size // 2
        run = make_run(folder, size, bins)
        print(f"{FRAMES} frames of {10 * size**3:,} particles, {bins**2 * size:,} bins")
        for name in ("trajectory.h5", "run.h5", "fields.h5"):
            print(f"{name}: {(run / name).stat().st_size / 1e9:.2f} GB")
        print(f"{'':<42} {'peak MB':>8} {'seconds':>8} {'wrote GB':>9}")
        for name, command in commands(run).items():
            scratch = folder / "scratch"
            scratch.mkdir()
            used = usage_of(command, scratch)
            wrote = sum(path.stat().st_size for path in scratch.rglob("*") if path.is_file()) / 1e9
            shutil.rmtree(scratch)
            print(f"{name:<42} {used.megabytes:8.0f} {used.seconds:8.1f} {wrote:9.3f}" + ("" if used.status == 0 else f"   status {used.status}"), flush=True)
            worst = max(worst, used.megabytes if used.status == 0 else float("inf"))
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    print(f"the most: {worst:.0f} MB of {arguments.limit:.0f}")
    return 0 if worst <= arguments.limit else 1


if __name__ == "__main__":
    sys.exit(main())

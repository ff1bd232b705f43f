"""Folders of runs that were killed, small and always the same, for tests that harm their files."""

from __future__ import annotations

import os
import signal
import subprocess
from pathlib import Path

import h5py
import numpy as np

from faulty import Fault, preload_options

from program import MPCFLOW, program_for
from restarting import OUTPUTS, contents, flow

CHANGES = "write,truncate,sync,rename"
HDF5_FILES = ("run.h5", "fields.h5", "trajectory.h5", "checkpoint.h5", "checkpoint.previous.h5")
JOURNALS = ("fields.h5.journal", "trajectory.h5.journal")
STEPS = 100


def small_flow(steps: int = STEPS, outputs: str = OUTPUTS, checkpoint: str = "{every: 22}") -> str:
    """A flow of some hundred particles with all outputs."""
    return flow(steps, checkpoint, outputs).replace("size: [6, 6, 6]", "size: [4, 4, 6]").replace("density: 10", "density: 5")


def run(folder: Path, *arguments: str, timeout: float = 120, **options) -> subprocess.CompletedProcess:
    program = program_for(options.get("user", os.geteuid()), folder)
    return subprocess.run([program, "run", *arguments], cwd=folder, capture_output=True, text=True, errors="replace",
                          timeout=timeout, **options)


def info(path: Path) -> tuple[int, str, str]:
    done = subprocess.run([MPCFLOW, "info", path.name], cwd=path.parent, capture_output=True, text=True, errors="replace", timeout=120)
    return done.returncode, done.stdout, done.stderr


def kill_in_the_middle(folder: Path, text: str, call: int = 300, path: str = "trajectory.h5") -> None:
    """Runs `text`, flow.yaml, until it is killed in its so manyth change of a file with this path, with frames and windows behind
    the last checkpoint."""
    (folder / "flow.yaml").write_text(text)
    environment = Fault(CHANGES, call, "kill", path=path).environment(folder / "report") | preload_options(folder)
    environment = dict(os.environ, **environment)
    done = run(folder, "flow.yaml", "--quiet", "--threads", "1", env=environment)
    if done.returncode != -signal.SIGKILL:
        raise AssertionError(f"was not killed, but ended with {done.returncode}: {done.stderr}")


def results(folder: Path) -> dict[str, np.ndarray]:
    """As RestartTest.results()."""
    return {f"{file}:{name}": np.asarray(value) for file in ("run.h5", "fields.h5", "trajectory.h5") if (folder / file).exists()
            for name, value in contents(folder / file).items()}


def bytes_of(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


def find_difference(found: dict, expected: dict) -> str:
    """The first name of which the bits differ; empty if none do."""
    if sorted(found) != sorted(expected):
        return f"not the same names: {sorted(set(found) ^ set(expected))[:3]}"
    for name, value in expected.items():
        # Bits, so that NaNs and signs of zeros count.
        if found[name].shape != value.shape or found[name].tobytes() != value.tobytes():
            return name
    return ""


def find_part_difference(path: Path, expected: dict, restart_step: int) -> str:
    """How a file that a run went on into differs from the same rows of the reference's; empty if it does not."""
    with h5py.File(path) as f:
        group = "fields" if path.name == "fields.h5" else "particles/" + next(iter(f["particles"]))
        steps = f[f"{group}/last_step" if path.name == "fields.h5" else f"{group}/box/edges/step"]
        grows = {name for name in expected if name.startswith(path.name) and isinstance(f.get(name.split(":")[1]), h5py.Dataset)
                 and f[name.split(":")[1]].maxshape[:1] == (None,)}
        steps_name, steps = steps.name.lstrip("/"), steps[()]
    all_steps = expected[f"{path.name}:{steps_name}"]
    first = len(all_steps) - len(steps)
    if first < 0 or steps.tobytes() != all_steps[first:].tobytes() or (all_steps > restart_step).sum() > len(steps):
        return f"{steps_name}: {steps}"
    found = {f"{path.name}:{name}": np.asarray(value) for name, value in contents(path).items()}
    for name in sorted(name for name in set(found) | set(expected) if name.startswith(path.name)):
        if name not in found or name not in expected:
            return name
        if name.rsplit("/", 1)[-1] == "checksum":
            continue  # the index of a row counts in it
        whole = expected[name]
        part = whole[first:] if name in grows and len(whole) == len(all_steps) else whole
        if name in grows and found[name].shape != part.shape:  # of a region: as wide as its fullest frame
            widths = tuple(slice(min(lengths)) for lengths in zip(found[name].shape, part.shape))
            found[name], part = found[name][widths], part[widths]
        if found[name].tobytes() != part.tobytes():
            return name
    return ""

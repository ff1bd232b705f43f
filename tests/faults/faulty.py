"""What the tests of failing calls and lost power share: a small run with all outputs, how it is run while its calls fail or
are recorded, and what its folder then holds."""

from __future__ import annotations

import os
import shutil
import struct
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import h5py
import numpy as np

sys.path.append(str(Path(__file__).resolve().parents[1] / "app"))

from program import MPCFLOW
from restarting import contents

FAIL_LIBRARY = os.environ.get("MPCFLOW_FAIL_LIBRARY", "")
RECORD_LIBRARY = os.environ.get("MPCFLOW_RECORD_LIBRARY", "")

# As in fail_call.cpp, in its order.
KINDS = ("open", "read", "write", "sync", "truncate", "allocate", "rename", "unlink", "close", "mkdir", "map", "memory",
         "library_memory", "thread")
# Kills count over these together.
CHANGING = "open,write,sync,truncate,allocate,rename,unlink,close,mkdir"
# What a run may take. Some hundred times what it does take.
LIMIT_SECONDS = 60

# Frames at 0, 15, 30, 45, 60; windows that end at 32, 44, 56; checkpoints at 0, 20, 40, 60.
INPUT = """\
title: Faults
seed: 3
box: {size: [4, 4, 6]}
fluid: {density: 5}
collision: {rule: srd, angle: 130, time_step: 0.1}
thermostat: {kind: maxwell_boltzmann}
boundaries: {x: periodic, y: periodic, z: no_slip}
forces: [{uniform: [0.01, 0, 0]}]
run: {equilibration: 20, steps: 40}
execution: {device: cpu, threads: 1}
checkpoint: {every: 20}
output:
  directory: out
  trajectory: {every: 15, quantities: [position, velocity]}
  fields: {every: 3, time_window: 12, quantities: [density, velocity, temperature, pressure_tensor], bins: [1, 2, 3]}
  histograms: {every: 7, speed_bins: 20, largest_speed: 5}
  diffusion: {every: 3, tracers: 50}
  modes: {every: 3, count: 1}
  stress: {every: 10, burst: 4}
  walls: {every: 6}
  series: {every: 10}
"""
INPUT_FILE = "flow.yaml"
RESULT_FILES = ("run.h5", "trajectory.h5", "fields.h5")
# How the datasets are called that hold the steps, or the first steps of the windows, of a file's frames.
FRAME_STEPS = {"trajectory.h5": "/step", "fields.h5": "/first_step"}


@dataclass(frozen=True)
class Fault:
    """The `call`-th call of `kinds` on files whose path contains `path` fails in the way of `mode` (fail_call.cpp)."""
    kinds: str
    call: int
    mode: str = "once"
    error: int = 0
    smallest: int = 0
    path: str = "/out"

    def environment(self, report: Path) -> dict[str, str]:
        return {"LD_PRELOAD": preloadable(FAIL_LIBRARY), "FAULT_PATH": self.path, "FAULT_KINDS": self.kinds,
                "FAULT_CALL": str(self.call), "FAULT_MODE": self.mode, "FAULT_ERRNO": str(self.error),
                "FAULT_BYTES": str(self.smallest), "FAULT_REPORT": str(report)}

    def __str__(self) -> str:
        error = f" {os.strerror(self.error)}" if self.error else ""
        size = f" of {self.smallest} bytes or more" if self.smallest else ""
        return f"{self.kinds} {self.call} {self.mode}{error}{size}"


@dataclass(frozen=True)
class Outcome:
    """How a run ended, and what the library counted in it."""
    status: int
    err: str
    calls: dict[str, int]
    faults: int
    fault: str  # kind and path of the first call that failed; empty where none did


_copies: dict[str, str] = {}


def preloadable(library: str) -> str:
    """A path of the library that may stand in LD_PRELOAD: a list, in which spaces separate, too."""
    if library not in _copies:
        if " " not in library and ":" not in library:
            _copies[library] = library
        else:
            folder = tempfile.mkdtemp(prefix="mpcflow-preload-")
            _copies[library] = shutil.copy(library, folder)
    return _copies[library]


def preload_options(folder: Path) -> dict[str, str]:
    """What a sanitizer needs to be told where a library is preloaded."""
    # HDF5 1.10 itself loses two kilobytes where it cannot write the first block of a file.
    leaks = folder / "leaks"
    leaks.write_text("leak:libhdf5\n")
    return {"ASAN_OPTIONS": "verify_asan_link_order=0", "LSAN_OPTIONS": f"suppressions={leaks}:print_suppressions=0"}


def run(folder: Path, *arguments: str, environment: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    """`mpcflow run` of the input in a folder. Throws TimeoutExpired for one that hangs."""
    if not (folder / INPUT_FILE).exists():
        (folder / INPUT_FILE).write_text(INPUT)
    return subprocess.run([MPCFLOW, "run", INPUT_FILE, *arguments], cwd=folder, capture_output=True, text=True, errors="replace",
                          timeout=LIMIT_SECONDS, env=dict(os.environ, **(environment or {})))


def run_with(fault: Fault, folder: Path, *arguments: str) -> Outcome:
    """The same, while calls fail."""
    report = folder / "report"
    done = run(folder, *arguments, environment=fault.environment(report) | preload_options(folder))
    return Outcome(done.returncode, done.stderr, *read_report(report))


def read_report(path: Path) -> tuple[dict[str, int], int, str]:
    data = path.read_bytes()
    numbers = struct.unpack_from(f"<{len(KINDS) + 2}q", data)
    faults, kind = numbers[len(KINDS):]
    where = data[8 * len(numbers):].split(b"\0")[0].decode(errors="replace")
    return dict(zip(KINDS, numbers)), faults, f"{KINDS[kind]} {where}" if faults else ""


def numbers(folder: Path) -> dict[str, np.ndarray]:
    """All numbers of a folder's results that a run with the same input has again. The checksums are over the run's id, too."""
    found = {}
    for file in RESULT_FILES:
        if not (folder / file).exists():
            continue
        for name, value in contents(folder / file).items():
            if name.split("/")[-1] != "checksum" and not name.endswith(("@header_checksum", "@run_id", "@id")):
                found[f"{file}:{name}"] = value
    for path in sorted(folder.glob("*.xdmf")):
        found[path.name] = np.frombuffer(path.read_bytes(), dtype=np.uint8)
    return found


def folder_fault(folder: Path, expected: dict[str, np.ndarray]) -> str:
    """How a folder's results differ from what they should be; empty: not at all."""
    try:
        return difference(numbers(folder), expected)
    except (OSError, RuntimeError, KeyError, ValueError) as error:
        return f"results that cannot be read: {error}"


def difference(found: dict[str, np.ndarray], expected: dict[str, np.ndarray]) -> str:
    """The first number that is not the expected one, bit by bit (so that NaNs and signs of zeros count); empty: none."""
    for name in sorted(found.keys() | expected.keys()):
        if name not in found:
            return f"{name} is missing"
        if name not in expected:
            return f"{name} is not of this run"
        a, b = np.asarray(found[name]), np.asarray(expected[name])
        if a.shape != b.shape or a.dtype != b.dtype or a.tobytes() != b.tobytes():
            return f"{name} has other numbers"
    return ""


def moved_aside_fault(out: Path, err: str, reference: dict[str, np.ndarray]) -> str:
    """What is wrong with a run that moved a damaged file aside and went on into a new one; empty: nothing. All else is as
    it should be, and so are the frames that are there: the last ones."""
    with h5py.File(out / "run.h5") as f:
        notes = b" ".join(f["run"].attrs.get("notes", [])).decode()
    if "damaged" not in err or "damaged" not in notes:
        return "a file was moved aside, and neither told nor noted"
    return last_frames_fault(out, reference)


def last_frames_fault(out: Path, reference: dict[str, np.ndarray]) -> str:
    """How results differ from what they should be, but that the first frames and windows may be missing; empty: not at all."""
    try:
        found, expected = numbers(out), dict(reference)
    except (OSError, RuntimeError, KeyError, ValueError) as error:
        return f"results that cannot be read: {error}"
    for file, steps in FRAME_STEPS.items():
        name = next(key for key in sorted(expected) if key.startswith(file) and key.endswith(steps))
        frames, kept = len(expected[name]), len(found.get(name, ()))
        if kept == frames:
            continue
        for key, value in expected.items():
            if key.startswith(file + ":") and np.shape(value)[:1] == (frames,) and len(found.get(key, value)) == kept:
                expected[key] = value[frames - kept:]
    if "fields_in_time.xdmf" in found:  # it counts windows from the first that is there
        found["fields_in_time.xdmf"] = expected["fields_in_time.xdmf"]
    return difference(found, expected)


def message_fault(err: str) -> str:
    """What is wrong with what a run of --quiet says where it ends with status 3; empty: nothing."""
    lines = [line for line in err.splitlines() if line.strip() and not line.startswith("warning: ")]
    if not lines:
        return "no message"
    if len(lines) > 1:
        return f"{len(lines)} lines of message"
    if "fault of the program" in err or "HDF5-DIAG" in err or "terminate called" in err:
        return "a message of a fault of the program"
    return ""


def make_killed_folder(folder: Path) -> None:
    """Leaves in `folder` what a run left that was killed while it wrote its last checkpoint: the newest is of step 40, and
    frames and windows after that are to be dropped."""
    counted = run_with(Fault("write", 0, path="/out/checkpoint"), folder, "--quiet")
    assert counted.status == 0, counted.err
    shutil.rmtree(folder / "out")
    killed = run_with(Fault("write", counted.calls["write"] - 2, "kill", path="/out/checkpoint"), folder, "--quiet")
    assert killed.status == -9, killed


def damage_trajectory(folder: Path) -> None:
    """Flips a bit of the first frame of what make_killed_folder() left."""
    path = folder / "out/trajectory.h5"
    with h5py.File(path) as f:
        place = f["particles/all/velocity/value"].id.get_chunk_info(0).byte_offset
    content = bytearray(path.read_bytes())
    content[place + 100] ^= 4
    path.write_bytes(content)


def everything(path: Path) -> dict[str, bytes]:
    """All numbers, texts and attributes of a file."""
    found = {}

    def collect(name: str, item: h5py.Group | h5py.Dataset) -> None:
        if isinstance(item, h5py.Dataset):
            found[name] = np.asarray(item[()]).tobytes()
        if isinstance(item, h5py.Dataset) and item.dims:
            found[f"{name}, axes"] = repr([[scale.name for scale in axis.values()] for axis in item.dims]).encode()
        for attribute in set(item.attrs) - {"DIMENSION_LIST", "REFERENCE_LIST"}:  # references differ from file to file
            found[f"{name}@{attribute}"] = np.asarray(item.attrs[attribute]).tobytes()

    with h5py.File(path) as f:
        for attribute in f.attrs:
            found[f"@{attribute}"] = np.asarray(f.attrs[attribute]).tobytes()
        f.visititems(collect)
    return found

"""What tests of restarts have in common: runs with all outputs, and that files hold the same bits."""

import time
from pathlib import Path

import h5py
import numpy as np

from program import ProgramTest, input_text

OUTPUTS = """\
  trajectory: {every: 15, quantities: [position, velocity]}
  fields: {every: 3, time_window: 24, quantities: [density, velocity, temperature, pressure_tensor], bins: [1, 2, 3]}
  histograms: {every: 7, speed_bins: 20, largest_speed: 5}
  diffusion: {every: 3, tracers: 100}
  modes: {every: 3, count: 2}
  stress: {every: 10, burst: 4}
  radial_distribution: {every: 9, range: 2, bins: 20, centres: 500}
  walls: {every: 6}
  series: {every: 10}
"""


def flow(steps: int, checkpoint: str = "", outputs: str = OUTPUTS) -> str:
    return input_text(steps=steps, outputs=outputs) + (f"checkpoint: {checkpoint}\n" if checkpoint else "")


def contents(path: Path) -> dict:
    """All numbers of a result file by their names, but for those of when, where and by whom it was made."""
    found = {}

    def collect(name, item):
        top = name.split("/")[0]
        if top in ("machine", "program", "input", "theory", "run") or name.startswith(("parameters/mpcflow/input", "h5md/author")):
            return
        if isinstance(item, h5py.Dataset):
            found[name] = item[()]
        elif top != "parameters":
            for attribute, value in item.attrs.items():
                found[f"{name}@{attribute}"] = value

    with h5py.File(path) as f:
        f.visititems(collect)
        if "run" in f:
            for attribute in ("steps_done", "fast_steps", "state_hash", "status"):
                found[f"run@{attribute}"] = f["run"].attrs[attribute]
    return found


class RestartTest(ProgramTest):
    def reference(self, text: str) -> dict:
        """What the files of an undisturbed run hold."""
        name = self.write_input(text, "reference.yaml")
        self.mpcflow("run", name, "--output", "reference", "--quiet", "--threads", "1")
        return self.results("reference")

    def results(self, folder: str) -> dict:
        found = {f"run.h5:{name}": value for name, value in contents(self.folder / folder / "run.h5").items()}
        for file in ("trajectory.h5", "fields.h5"):
            if (self.folder / folder / file).exists():
                found |= {f"{file}:{name}": value for name, value in contents(self.folder / folder / file).items()}
        return found

    def check_same(self, found: dict, expected: dict) -> None:
        self.assertEqual(sorted(found), sorted(expected))
        self.assertGreater(len(expected), 10)
        for name, value in expected.items():
            # Bits, so that NaNs and signs of zeros count.
            self.assertEqual(np.shape(found[name]), np.shape(value), name)
            self.assertEqual(np.asarray(found[name]).tobytes(), np.asarray(value).tobytes(), name)

    def wait_for(self, name: str) -> None:
        deadline = time.monotonic() + 30
        while not (self.folder / name).exists():
            self.assertLess(time.monotonic(), deadline, f"{name} does not come")
            time.sleep(0.01)

    def status_message(self) -> str:
        with h5py.File(self.folder / "out/run.h5") as f:
            return f["run"].attrs["message"].decode()

"""What a run keeps in memory does not grow with the frames and windows that it has written. MPCFLOW_MEMORY_FRAMES=N takes more of
them than the 9,000 of a quick test."""

import os
import subprocess
import sys
import unittest

import h5py

from program import MPCFLOW, ProgramTest

FRAMES = int(os.environ.get("MPCFLOW_MEMORY_FRAMES", "9000"))
INPUT = """\
seed: 3
box: {{size: [8, 8, 8]}}
fluid: {{density: 1}}
collision: {{rule: srd, angle: 130, time_step: 0.1}}
thermostat: {{kind: maxwell_boltzmann}}
boundaries: {{x: periodic, y: periodic, z: periodic}}
run: {{equilibration: 0, steps: {steps}}}
execution: {{device: cpu, threads: 1}}
output:
  directory: {folder}
  {output}
"""
# Of more than half a page each, and no whole number of them.
FRAME = "trajectory: {every: 1, every_nth_id: 2, quantities: [position], precision: single}"
WINDOW = "fields: {every: 1, bins: [8, 8, 6], quantities: [density], time_window: 1}"
SMALL_WINDOW = "fields: {every: 1, bins: [1, 1, 1], quantities: [density], time_window: 1}"

# A process begins with the peak of the one that it was forked from: this one is smaller than the program.
MEASURE = """
import os, resource, sys
child = os.posix_spawnp(sys.argv[1], sys.argv[1:], os.environ)
status = os.waitpid(child, 0)[1]
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
sys.exit(os.waitstatus_to_exitcode(status))
"""


class Memory(ProgramTest):
    def peak(self, output: str, steps: int) -> int:
        """KiB of memory that the run had at most."""
        folder = f"out{steps}"
        text = INPUT.format(steps=steps, folder=folder, output=output)
        if "[8, 8, 6]" in output:
            text = text.replace("[8, 8, 8]", "[8, 8, 6]")
        done = subprocess.run([sys.executable, "-S", "-E", "-c", MEASURE, MPCFLOW, "run", self.write_input(text), "--quiet"],
                              cwd=self.folder, capture_output=True, text=True, timeout=1200, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return int(done.stdout)

    def check(self, output: str, most_bytes: float) -> None:
        few = FRAMES // 3
        more = FRAMES - few
        first, second = self.peak(output, few), self.peak(output, FRAMES)
        print(f"{output}: {first} KiB at {few}, {second} KiB at {FRAMES}: {1024 * (second - first) / more:.0f} bytes each")
        # What HDF5 keeps of chunks fills up to 1 MiB for each dataset that grows.
        filled = 2 << 20
        self.assertLess(1024 * (second - first), filled + most_bytes * more)

    def test_frames(self) -> None:
        self.check(FRAME, 60)
        with h5py.File(self.folder / f"out{FRAMES}/trajectory.h5") as f:
            self.assertEqual(f["particles/selection/position/value"].shape, (FRAMES + 1, 256, 3))

    def test_windows(self) -> None:
        self.check(WINDOW, 60)
        with h5py.File(self.folder / f"out{FRAMES}/fields.h5") as f:
            self.assertEqual(f["fields/density"].shape, (FRAMES, 6, 8, 8))

    def test_small_windows(self) -> None:
        self.check(SMALL_WINDOW, 60)


if __name__ == "__main__":
    unittest.main()

"""No tool takes more memory for larger files: the same run with an eighth of the particles and bins takes nearly as much.

tests/tools/memory_bench.py does the same with files of 10 GB.
"""

from __future__ import annotations

import unittest

from made_runs import ToolTest
from memory_bench import commands, make_run, usage_of


class Memory(ToolTest):
    def test_memory_does_not_grow_with_the_files(self) -> None:
        # 18 and 142 million bytes of frames. What is kept of a trajectory for displacements (by analyze, and so by report), and what a
        # map of a layer takes, may grow: up to 64 MB of positions as double, and twice as much while they are worked on.
        used = {}
        for size in (12, 24):
            folder = self.folder / f"of {size}"
            folder.mkdir()
            run = make_run(folder, size, size)
            self.assertGreater((run / "trajectory.h5").stat().st_size, 16 * 64 * 10 * size**3)
            for name, command in commands(run).items():
                taken = usage_of(command, folder)
                self.assertEqual(taken.status, 0, name)
                used[name, size] = taken.megabytes
        for name in {name for name, _ in used}:
            allowed = 150.0 if name in ("analyze", "report", "plot fields/velocity --across x") else 30.0
            with self.subTest(name):
                self.assertLess(used[name, 24] - used[name, 12], allowed)
                self.assertLess(used[name, 24], 400.0)


if __name__ == "__main__":
    unittest.main()

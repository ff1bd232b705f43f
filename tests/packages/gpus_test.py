"""Which GPUs a build is for (cmake/MpcflowGpus.cmake), with an nvcc and an nvidia-smi of the tests'."""

from __future__ import annotations

import subprocess
import unittest
from pathlib import Path

from installed import BARE, CMAKE, ROOT, temporary

CUDA_12 = [50, 52, 53, 60, 61, 62, 70, 72, 75, 80, 86, 87, 89, 90]
CUDA_13 = [75, 80, 86, 87, 88, 89, 90, 100, 110, 103, 120, 121]


class Gpus(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = temporary()

    def program(self, name: str, lines: list[str]) -> Path:
        path = self.folder / name
        path.write_text("#!/bin/sh\n" + "".join(f"echo '{line}'\n" for line in lines))
        path.chmod(0o755)
        return path

    def configure(
        self, *options: str, known: list[int] = CUDA_13, here: list[str] | None = None, **environment: str
    ) -> subprocess.CompletedProcess[str]:
        nvcc = self.program("nvcc", [f"compute_{each}" for each in known])
        self.program("nvidia-smi", here or [])
        script = self.folder / "choose.cmake"
        script.write_text(
            f'include("{ROOT}/cmake/MpcflowGpus.cmake")\nmpcflow_choose_gpus("{nvcc}")\n'
            'message("GPUs ${CMAKE_CUDA_ARCHITECTURES}")\n'
        )
        return subprocess.run(
            [CMAKE, *options, "-P", script],
            capture_output=True,
            text=True,
            env={**BARE, "PATH": f"{self.folder}:/usr/bin:/bin", **environment},
        )

    def chosen(self, *options: str, **given: object) -> str:
        done = self.configure(*options, **given)  # type: ignore[arg-type]
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stderr.strip().splitlines()[-1].removeprefix("GPUs").strip()

    def refused(self, *options: str, **given: object) -> str:
        done = self.configure(*options, **given)  # type: ignore[arg-type]
        self.assertNotEqual(done.returncode, 0)
        return " ".join(done.stderr.split())

    def test_all_are_what_the_compiler_knows_from_70_to_90_with_ptx(self) -> None:
        self.assertEqual(
            self.chosen("-DMPCFLOW_GPUS=all", known=CUDA_12), "70-real;75-real;80-real;86-real;89-real;90"
        )
        self.assertEqual(
            self.chosen("-DMPCFLOW_GPUS=all", known=CUDA_13), "75-real;80-real;86-real;89-real;90"
        )
        self.assertIn(
            "does not know compute capability 9.0", self.refused("-DMPCFLOW_GPUS=all", known=[70, 80, 86])
        )

    def test_native_are_those_here(self) -> None:
        self.assertEqual(self.chosen("-DMPCFLOW_GPUS=native", here=["8.6", "9.0", "8.6"]), "86;90")
        self.assertIn(
            "nvidia-smi shows no GPU here",
            self.refused("-DMPCFLOW_GPUS=native", here=["No devices were found"]),
        )

    def test_without_a_word_those_here_or_a_short_list(self) -> None:
        self.assertEqual(self.chosen(here=["12.0"]), "120")
        self.assertEqual(self.chosen(), "80-real;90")

    def test_what_the_user_names_goes_first(self) -> None:
        self.assertEqual(
            self.chosen("-DCMAKE_CUDA_ARCHITECTURES=87", "-DMPCFLOW_GPUS=all", here=["9.0"]), "87"
        )
        self.assertEqual(
            self.chosen("-DMPCFLOW_GPUS=all", CUDAARCHS="87"), ""
        )  # CMake itself reads CUDAARCHS

    def test_another_word_is_refused(self) -> None:
        self.assertIn("MPCFLOW_GPUS is none: use auto, native or all", self.refused("-DMPCFLOW_GPUS=none"))


if __name__ == "__main__":
    unittest.main()

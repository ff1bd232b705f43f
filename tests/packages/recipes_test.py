"""Recipes and module files: what they name is there. Module files are loaded where that can be done."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
import types
import unittest
from pathlib import Path
from unittest import mock

from installed import BARE, BUILD, ROOT, check, moved_tree

MODULES = Path("/usr/share/modules/init/bash")
LMOD = Path("/usr/share/lmod/lmod/init/bash")


class ModuleFiles(unittest.TestCase):
    def load(self, init: Path) -> None:
        if not init.is_file():
            self.skipTest(f"not here: {init}")
        tree = moved_tree()
        words = (
            "command -v mpcflow",
            "command -v mpcflow-plot",
            'echo "$PYTHONPATH"',
            'echo "$CMAKE_PREFIX_PATH"',
            'echo "$MPCFLOW_EXAMPLES"',
            "mpcflow --version",
            "module unload mpcflow",
            "command -v mpcflow || echo gone",
        )
        modules = shlex.quote(str(tree / "share/mpcflow/modulefiles"))
        script = f"source {init}; module use {modules}; module load mpcflow; {'; '.join(words)}"
        said = check(["bash", "-c", script], env={**BARE, "PATH": "/usr/bin:/bin"}).stdout.splitlines()
        self.assertEqual(
            said[:5],
            [
                str(tree / place)
                for place in (
                    "bin/mpcflow",
                    "bin/mpcflow-plot",
                    "lib/python3/dist-packages",
                    "",
                    "share/mpcflow/examples",
                )
            ],
        )
        self.assertTrue(said[5].startswith("mpcflow "))
        self.assertEqual(said[6:], ["gone"])

    def test_environment_modules_load_it(self) -> None:
        self.load(MODULES)

    def test_lmod_loads_it(self) -> None:
        self.load(LMOD)


class Spack(unittest.TestCase):
    """Spack is not asked: stand-ins for its classes run what the recipe says."""

    def recipe(self) -> types.SimpleNamespace:
        path = ROOT / "packaging/spack/spack_repo/mpcflow/packages/mpcflow/package.py"
        said: list[tuple[str, tuple[object, ...]]] = []
        names = ("license", "version", "variant", "depends_on", "conflicts")
        package = types.ModuleType("spack.package")
        for name in names:
            setattr(package, name, lambda *words, _name=name, **_: said.append((_name, words)))
        setattr(package, "which", None)
        cmake, cuda = types.ModuleType("cmake"), types.ModuleType("cuda")
        package_class = type(
            "CMakePackage",
            (),
            {
                "define": staticmethod(lambda key, value: f"-D{key}={value}"),
                "define_from_variant": lambda self, key, variant: (
                    f"-D{key}={self.spec.satisfies('+' + variant)}"
                ),
            },
        )
        setattr(cmake, "CMakePackage", package_class)
        setattr(cuda, "CudaPackage", type("CudaPackage", (), {}))
        prefix = "spack_repo.builtin.build_systems"
        stands = {
            "spack": types.ModuleType("spack"),
            "spack.package": package,
            f"{prefix}.cmake": cmake,
            f"{prefix}.cuda": cuda,
        }
        for parent in ("spack_repo", "spack_repo.builtin", prefix):
            stands[parent] = types.ModuleType(parent)
        space: dict[str, object] = {"__file__": str(path), "__name__": "recipe"}
        with mock.patch.dict(sys.modules, stands):
            exec(compile(path.read_text(), str(path), "exec"), space)
        return types.SimpleNamespace(recipe=space["Mpcflow"], said=said)

    def test_it_builds_this_tree_with_options_that_there_are(self) -> None:
        found = self.recipe()
        self.assertEqual(found.recipe.git, str(ROOT))
        cache = (BUILD / "CMakeCache.txt").read_text()
        text = "".join(path.read_text() for path in (ROOT / "cmake").glob("*.cmake"))
        for variants, architectures, expected in (
            (("",), ("none",), "-DMPCFLOW_CUDA=False"),
            (("",), ("none",), "-DMPCFLOW_MPI=False"),
            (("+mpi",), ("none",), "-DMPCFLOW_MPI=True"),
            (("+cuda",), ("none",), "-DMPCFLOW_GPUS=all"),
            (("+cuda",), ("80", "90"), "-DCMAKE_CUDA_ARCHITECTURES=('80', '90')"),
        ):
            package = found.recipe()
            package.spec = types.SimpleNamespace(
                satisfies=lambda wanted, has=variants: wanted in has,
                variants={"cuda_arch": types.SimpleNamespace(value=architectures)},
            )
            arguments = package.cmake_args()
            self.assertIn(expected, arguments)
            for argument in arguments:
                key = argument[2:].split("=")[0]
                self.assertTrue(f"\n{key}:" in cache or key in text, key)

    def test_it_depends_on_what_the_tree_looks_for(self) -> None:
        named = " ".join(str(words[0]) for name, words in self.recipe().said if name == "depends_on").lower()
        listings = "".join((ROOT / folder / "CMakeLists.txt").read_text() for folder in ("app", "input"))
        for package in re.findall(r"find_package\(([\w-]+)", listings):
            self.assertIn(package.lower(), named)
        self.assertIn("cmake@3.25:", named)


class Container(unittest.TestCase):
    def test_it_takes_along_all_that_a_build_needs(self) -> None:
        text = (ROOT / "packaging/apptainer/mpcflow.def").read_text()
        files = re.findall(r"^    (\S+) /src/(\S+)$", text, re.M)
        self.assertTrue(files)
        for here, there in files:
            self.assertEqual(here, there)
            self.assertTrue((ROOT / here).exists(), here)
        listing = (ROOT / "CMakeLists.txt").read_text()
        for folder in set(re.findall(r"add_subdirectory\((\w+)\)", listing)) - {"tests"} | {
            "cmake",
            "tools",
            "docs",
            "examples",
        }:
            self.assertIn(folder, [here for here, _ in files])

    def test_its_scripts_are_scripts(self) -> None:
        text = (ROOT / "packaging/apptainer/mpcflow.def").read_text()
        scripts = re.findall(r"^%(?:post|test|runscript)\n((?:    .*\n|\n)+)", text, re.M)
        self.assertEqual(len(scripts), 4)
        for script in scripts:
            self.assertEqual(
                subprocess.run(["sh", "-n"], input=script, capture_output=True, text=True).stderr, ""
            )


if __name__ == "__main__":
    unittest.main()

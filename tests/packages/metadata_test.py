"""The files that say what mpcflow is agree, and a wheel of the tools holds what it must."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import unittest
import zipfile

import yaml

from installed import ROOT, TOOLS, temporary


def text(name: str) -> str:
    return (ROOT / name).read_text()


class Metadata(unittest.TestCase):
    def test_there_is_one_version(self) -> None:
        project = re.search(r"^project\(mpcflow VERSION (\S+)", text("CMakeLists.txt"), re.M)
        package = re.search(r'^__version__ = "(.+)"', text("tools/mpcflow_tools/__init__.py"), re.M)
        assert project and package
        self.assertEqual(package[1], project[1])
        self.assertEqual(str(yaml.safe_load(text("CITATION.cff"))["version"]), project[1])

    def test_the_citation_has_what_the_format_wants(self) -> None:
        said = yaml.safe_load(text("CITATION.cff"))
        self.assertLessEqual(
            {"cff-version", "message", "title", "authors", "license", "version", "type"}, said.keys()
        )
        self.assertEqual(said["cff-version"], "1.2.0")
        self.assertEqual(said["type"], "software")

    def test_all_name_the_holder_of_the_licence(self) -> None:
        holder = re.search(r"Copyright \(c\) \d+, (.+)", text("LICENSE"))
        assert holder
        self.assertEqual(
            [author["name"] for author in yaml.safe_load(text("CITATION.cff"))["authors"]], [holder[1]]
        )
        self.assertIn(f'authors = [{{name = "{holder[1]}"}}]', text("tools/pyproject.toml"))
        self.assertIn(f'CPACK_PACKAGE_VENDOR "{holder[1]}"', text("packaging/archives.cmake"))
        for name in (
            "CITATION.cff",
            "tools/pyproject.toml",
            "packaging/spack/spack_repo/mpcflow/packages/mpcflow/package.py",
        ):
            self.assertIn("BSD-3-Clause", text(name))
        self.assertEqual((ROOT / "tools/LICENSE").read_text(), text("LICENSE"))

    def test_a_wheel_has_all_modules_the_licence_and_the_commands(self) -> None:
        pip = next(
            (
                words
                for words in ([sys.executable, "-m", "pip"], ["pip3"])
                if shutil.which(words[0])
                and subprocess.run([*words, "--version"], capture_output=True).returncode == 0
            ),
            None,
        )
        if pip is None:
            self.skipTest("no pip is here")
        folder = temporary()
        done = subprocess.run(
            [*pip, "wheel", "--no-deps", "--wheel-dir", folder, ROOT / "tools"],
            capture_output=True,
            text=True,
        )
        if "No matching distribution" in done.stderr + done.stdout:
            self.skipTest("pip cannot fetch flit_core")
        self.assertEqual(done.returncode, 0, done.stderr)
        (path,) = folder.iterdir()
        with zipfile.ZipFile(path) as wheel:
            names = wheel.namelist()
            entry = wheel.read(next(name for name in names if name.endswith("entry_points.txt"))).decode()
        modules = {
            path.relative_to(ROOT / "tools").as_posix()
            for path in (ROOT / "tools/mpcflow_tools").rglob("*.py")
        }
        self.assertLessEqual(modules | {"mpcflow_tools/py.typed"}, set(names))
        self.assertTrue(any(name.endswith("licenses/LICENSE") for name in names))
        self.assertEqual(sorted(re.findall(r"^(mpcflow-\w+)\s*=", entry, re.M)), TOOLS)


if __name__ == "__main__":
    unittest.main()

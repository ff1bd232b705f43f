"""The installed tree: it runs wherever it lies, and others build on it."""

from __future__ import annotations

import json
import os
import re
import shutil
import unittest
from pathlib import Path

from installed import BARE, BUILD, CMAKE, ROOT, SMALL, TOOLS, check, moved_tree, require, temporary


class InstalledTree(unittest.TestCase):
    tree: Path
    share: Path

    @classmethod
    def setUpClass(cls) -> None:
        cls.tree = moved_tree()
        cls.share = cls.tree / "share" / "mpcflow"

    def test_it_runs_an_example_and_the_tools_look_at_it(self) -> None:
        folder = temporary()
        out = folder / "out"
        check(
            [
                self.tree / "bin/mpcflow",
                "run",
                self.share / "examples/poiseuille.yaml",
                "--output",
                out,
                *SMALL,
            ],
            cwd=folder,
        )
        self.assertIn("the run is complete", check([self.tree / "bin/mpcflow", "verify", out]).stdout)
        check(
            [self.tree / "bin/mpcflow-plot", out, "fields/velocity", "--output", folder / "v.png"], cwd=folder
        )
        self.assertGreater((folder / "v.png").stat().st_size, 1000)
        self.assertIn("completed", check([self.tree / "bin/mpcflow-watch", out, "--once"]).stdout)
        said = check(
            ["bash", "-c", '"$PYTHON" -c "from mpcflow_tools import Run; print(Run(\\"out\\").status)"'],
            cwd=folder,
            env={**BARE, "PYTHONPATH": str(self.tree / "lib/python3/dist-packages")},
        ).stdout
        self.assertEqual(said, "completed\n")

    def test_each_tool_starts_from_any_folder_and_by_a_link(self) -> None:
        folder = temporary()
        (folder / "yaml.py").write_text("raise SystemExit('a file of the working directory was imported')\n")
        for name in TOOLS:
            link = folder / name
            link.symlink_to(self.tree / "bin" / name)
            self.assertRegex(check([link, "--version"], cwd=folder).stdout, rf"^{name} \d+\.\d+\.\d+\n$")

    def test_a_tool_says_which_modules_are_missing(self) -> None:
        folder = temporary()
        for name in ("bash", "dirname", "readlink"):
            (folder / name).symlink_to(shutil.which(name) or name)
        script = self.tree / "bin/none-plot"  # which does not find the system's Python
        script.write_text(
            (self.tree / "bin/mpcflow-plot").read_text().replace("/usr/bin/python3", "/nonexistent/python3")
        )
        script.chmod(0o755)
        self.addCleanup(script.unlink)
        done = check([script, "--version"], status=3, env={"PATH": str(folder)})
        self.assertIn("no python3 with h5py, numpy and PyYAML is here", done.stderr)

    def test_nothing_in_it_names_where_it_was_built_or_installed(self) -> None:
        """But for the line numbers of device code, which profilers read: in them nvcc names its sources."""
        # Not of another path that begins alike.
        told = re.compile(b"|".join(re.escape(str(path).encode()) + rb"(?![\w-])" for path in (ROOT, BUILD)))
        with_cuda = "-cuda" in (BUILD / "CPackConfig.cmake").read_text()
        for path in filter(Path.is_file, self.tree.rglob("*")):
            content = path.read_bytes()
            self.assertNotIn(b"erst hier", content, path)
            if not (with_cuda and path == self.tree / "bin/mpcflow"):
                self.assertIsNone(told.search(content), path)

    def test_the_program_looks_for_libraries_beside_itself(self) -> None:
        require("readelf")
        paths = re.findall(
            r"\((?:RPATH|RUNPATH)\).*\[(.*)\]", check(["readelf", "-d", self.tree / "bin/mpcflow"]).stdout
        )
        self.assertEqual(len(paths), 1)
        self.assertTrue(paths[0].startswith("$ORIGIN/"), paths[0])

    def test_the_schema_is_that_of_the_program(self) -> None:
        said = check([self.tree / "bin/mpcflow", "schema"]).stdout
        self.assertEqual((self.share / "schema/input.schema.json").read_text(), said)
        self.assertIn(
            "scheduler", json.loads((self.share / "schema/cluster.schema.json").read_text())["properties"]
        )

    def test_links_of_the_guide_lead_somewhere(self) -> None:
        doc = self.tree / "share/doc/mpcflow"
        lost = []
        for page in [doc / "README.md", *sorted((doc / "docs").rglob("*.md"))]:
            for link in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text()):
                place = os.path.normpath(page.parent / link)
                source = ROOT / os.path.relpath(place, doc)
                if source.parts[len(ROOT.parts)] in ("docs", "examples") and not Path(place).exists():
                    lost.append(f"{page.name}: {link}")
        self.assertEqual(lost, [])
        self.assertTrue((doc / "examples/poiseuille.yaml").is_file())

    def test_find_package_gives_the_library_and_the_program(self) -> None:
        build = temporary()
        source = self.share / "examples/library"
        check(
            [
                CMAKE,
                "-S",
                source,
                "-B",
                build,
                f"-DCMAKE_PREFIX_PATH={self.tree}",
                f"-DCMAKE_CXX_COMPILER={os.environ.get('CXX', 'c++')}",
            ],
            env=os.environ,
        )
        check([CMAKE, "--build", build], env=os.environ)
        library = check([build / "channel"]).stdout
        program = check(
            [self.tree / "bin/mpcflow", "run", source / "channel.yaml", "--output", build / "out"]
        ).stdout
        hashes = [re.findall(r"state hash +([0-9a-f]{16})", text) for text in (library, program)]
        self.assertEqual(len(hashes[0]), 1)
        self.assertEqual(*hashes)
        ctest = Path(CMAKE).with_name("ctest")
        self.assertIn("Passed", check([ctest, "--test-dir", build], env=os.environ).stdout)


if __name__ == "__main__":
    unittest.main()

"""The package of the tools: what an installation needs, and what type checkers are told."""

from __future__ import annotations

import importlib
import re
import unittest

import mpcflow_tools
from made_runs import TOOLS, ToolTest


class Package(ToolTest):
    def setUp(self) -> None:
        super().setUp()
        self.text = (TOOLS / "pyproject.toml").read_text()

    def test_it_has_the_version_of_the_program(self) -> None:
        project = re.search(r"project\(mpcflow VERSION (\S+)", (TOOLS.parent / "CMakeLists.txt").read_text())
        assert project
        self.assertEqual(mpcflow_tools.__version__, project[1])
        self.assertIn('dynamic = ["version"]', self.text)  # which is that of the package

    def test_each_command_tells_its_version_and_without_arguments_what_it_does(self) -> None:
        for name in (path.name for path in TOOLS.glob("mpcflow-*")):
            module = name.removeprefix("mpcflow-")
            self.assertEqual(self.command(module, "--version").stdout, f"{name} {mpcflow_tools.__version__}\n")
            self.assertEqual(self.command(module, status=2).stderr, self.command(module, "--help").stdout)

    def test_each_command_has_an_entry_and_a_script_in_the_tree(self) -> None:
        commands = re.findall(r'^(mpcflow-\w+) = "([\w.]+):(\w+)"', self.text, re.M)
        scripts = sorted(path.name for path in TOOLS.glob("mpcflow-*"))
        self.assertEqual(sorted(name for name, _, _ in commands), scripts)
        for _, module, function in commands:
            self.assertTrue(callable(getattr(importlib.import_module(module), function)))

    def test_it_is_typed(self) -> None:
        self.assertTrue((TOOLS / "mpcflow_tools" / "py.typed").is_file())


if __name__ == "__main__":
    unittest.main()

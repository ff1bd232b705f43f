"""The package of the tools: what an installation needs, and what type checkers are told."""

from __future__ import annotations

import importlib
import re
import unittest

from made_runs import TOOLS


class Package(unittest.TestCase):
    def setUp(self) -> None:
        self.text = (TOOLS / "pyproject.toml").read_text()

    def test_it_has_the_version_of_the_program(self) -> None:
        project = re.search(r"project\(mpcflow VERSION (\S+)", (TOOLS.parent / "CMakeLists.txt").read_text())
        version = re.search(r'^version = "(\S+)"', self.text, re.M)
        assert project and version
        self.assertEqual(version[1], project[1])

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

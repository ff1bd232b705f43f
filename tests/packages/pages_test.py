"""Manual pages: each command and option of --help is in them, and formatters find no fault."""

from __future__ import annotations

import re
import shutil
import subprocess
import unittest
from pathlib import Path

from installed import TOOLS, check, moved_tree, require


def plain(page: Path) -> str:
    """A page as a reader sees it, on one line, without hyphenation."""
    done = subprocess.run(
        ["groff", "-man", "-Tascii", "-P-cbou", "-rLL=500n", "-rHY=0", str(page)],
        capture_output=True,
        text=True,
        check=True,
    )
    return re.sub(r"\s+", " ", done.stdout)


def helped(command: list[object]) -> str:
    return check([*command, "--help"]).stdout


def options_of(text: str) -> list[str]:
    return re.findall(r"^ +(?:-\w,? ?)?(--[\w-]+)", text, re.M)


class ManualPages(unittest.TestCase):
    tree: Path
    pages: Path

    @classmethod
    def setUpClass(cls) -> None:
        require("groff")
        cls.tree = moved_tree()
        cls.pages = cls.tree / "share/man/man1"

    def programs(self, words: tuple[str, ...] = ()) -> list[tuple[str, ...]]:
        """The words of all commands, from --help of the program, here and now."""
        text = helped([self.tree / "bin/mpcflow", *words])
        listed = text.partition("Subcommands:\n")[2].partition("\n\n")[0]
        below = re.findall(r"^  (\w+)", listed, re.M)
        return [words, *(found for name in below for found in self.programs((*words, name)))]

    def test_each_command_has_a_page_with_all_of_its_options(self) -> None:
        commands = self.programs()
        self.assertGreater(len(commands), 10)
        for words in commands:
            page = plain(self.pages / f"{'-'.join(('mpcflow', *words))}.1")
            text = helped([self.tree / "bin/mpcflow", *words])
            options = options_of(text)
            self.assertIn("--help", options)
            for option in options:
                self.assertRegex(page, rf"(?<!\S){option}(?!\S)", f"{words}: {option}")
            self.assertIn(" ".join(("mpcflow", *words)), page)
            self.assertIn("disk full", page)
        self.assertEqual(
            sorted(path.name for path in self.pages.iterdir()),
            sorted(
                [f"{'-'.join(('mpcflow', *words))}.1" for words in commands] + [f"{name}.1" for name in TOOLS]
            ),
        )

    def test_each_tool_has_a_page_with_all_of_its_options_and_arguments(self) -> None:
        for name in TOOLS:
            text, page = helped([self.tree / "bin" / name]), plain(self.pages / f"{name}.1")
            for option in options_of(text):
                self.assertRegex(page, rf"(?<!\S){option}(?!\S)", f"{name}: {option}")
            for line in re.findall(rf"^  ({name} \S+)", text, re.M):
                self.assertIn(line, page)
        commands = plain(self.pages / "mpcflow-submit.1").partition(" COMMANDS ")[2]
        for command in ("status", "collect", "cancel", "resubmit"):
            for option in options_of(helped([self.tree / "bin/mpcflow-submit", command])):
                self.assertIn(option, commands.partition(f"mpcflow-submit {command} ")[2])

    def test_what_is_said_of_an_option_stands_beside_it(self) -> None:
        page = plain(self.pages / "mpcflow-run.1")
        self.assertIn("--overwrite Replace results that are there already", page)
        self.assertIn("--max-wall-time [[D-]H:]M:S After this time save a checkpoint", page)

    def test_groff_has_no_warnings(self) -> None:
        for page in sorted(self.pages.iterdir()):
            done = subprocess.run(
                ["groff", "-man", "-ww", "-Tutf8", "-z", str(page)],
                capture_output=True,
                text=True,
                check=True,
            )
            self.assertEqual(done.stderr, "", page.name)

    def test_mandoc_has_no_warnings(self) -> None:
        if shutil.which("mandoc") is None:
            self.skipTest("no mandoc is here")
        done = subprocess.run(
            ["mandoc", "-Tlint", "-W", "warning", *map(str, sorted(self.pages.iterdir()))],
            capture_output=True,
            text=True,
        )
        self.assertEqual(done.stdout, "")

    def test_man_shows_them(self) -> None:
        require("man")
        shown = check(["man", "-l", self.pages / "mpcflow.1"]).stdout
        if "This system has been minimized" not in shown:
            self.assertIn("mpcflow-bench(1)", shown)


if __name__ == "__main__":
    unittest.main()

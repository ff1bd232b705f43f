"""Completions: what a bash offers, asked and typed at a terminal; that fish and zsh read theirs."""

from __future__ import annotations

import os
import pty
import re
import select
import shlex
import shutil
import subprocess
import time
import unittest
from pathlib import Path

from installed import BARE, check, moved_tree, temporary

ASK = """
source "$1"; shift
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
function=$(complete -p "${1##*/}") && function=${function#*-F } && function=${function%% *}
"$function" "$1" "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
((${#COMPREPLY[@]} == 0)) || printf '%s\\n' "${COMPREPLY[@]}"
"""


class Completion(unittest.TestCase):
    tree: Path
    completions: Path

    @classmethod
    def setUpClass(cls) -> None:
        cls.tree = moved_tree()
        cls.completions = cls.tree / "share/bash-completion/completions"

    def setUp(self) -> None:
        self.folder = temporary()
        for name in ("a flow.yaml", "other.yml", "notes.txt", "run.h5"):
            (self.folder / name).touch()
        (self.folder / "out").mkdir()

    def offered(self, line: str) -> list[str]:
        """What follows the words of a line; it ends with a space where a new word begins."""
        words = shlex.split(line) + ([""] if line.endswith(" ") else [])
        file = self.completions / words[0]
        return sorted(check(["bash", "-c", ASK, "bash", file, *words], cwd=self.folder).stdout.splitlines())

    def test_commands(self) -> None:
        self.assertEqual(
            self.offered("mpcflow "), ["bench", "check", "devices", "help", "info", "run", "schema", "verify"]
        )
        self.assertEqual(self.offered("mpcflow bench "), ["auto", "kernels", "outputs", "step"])
        self.assertEqual(self.offered("mpcflow help be"), ["bench"])
        self.assertEqual(self.offered("mpcflow-submit re"), ["resubmit"])

    def test_every_option_of_help(self) -> None:
        for words in (
            ["mpcflow", "run"],
            ["mpcflow", "bench", "step"],
            ["mpcflow", "check"],
            ["mpcflow-plot"],
            ["mpcflow-submit", "status"],
        ):
            text = check([self.tree / "bin" / words[0], *words[1:], "--help"]).stdout
            options = sorted(re.findall(r"^ +(?:-\w,? ?)?(--[\w-]+)", text, re.M))
            self.assertEqual(self.offered(f"{' '.join(words)} --"), options)
        self.assertEqual(self.offered("mpcflow run --output run --ov"), ["--overwrite"])

    def test_values(self) -> None:
        self.assertEqual(self.offered("mpcflow bench step --precision "), ["double", "mixed"])
        self.assertEqual(
            self.offered("mpcflow bench step --precision = m"), ["mixed"]
        )  # as bash splits --precision=m
        self.assertEqual(self.offered("mpcflow-plot --along "), ["x", "y", "z"])
        self.assertEqual(self.offered("mpcflow run --set box."), ["box.size="])
        self.assertEqual(self.offered("mpcflow run --threads "), [])
        self.assertEqual(self.offered("mpcflow run --restart n"), ["never", "notes.txt"])

    def test_files_by_their_endings(self) -> None:
        self.assertEqual(self.offered("mpcflow run "), ["a flow.yaml", "other.yml", "out"])
        self.assertEqual(self.offered("mpcflow run --quiet a"), ["a flow.yaml"])
        self.assertEqual(self.offered("mpcflow info "), ["out", "run.h5"])
        self.assertEqual(self.offered("mpcflow run --output "), ["out"])
        self.assertEqual(self.offered("mpcflow run other.yml "), [])
        self.assertEqual(self.offered("mpcflow-watch o"), ["other.yml", "out"])

    def test_the_tab_key_in_a_terminal(self) -> None:
        """The line that bash makes of keys; a function in the program's place tells its words."""
        lines = {
            "mpcflow ben\tke\t": "bench|kernels",
            "mpcflow run a\t--quie\t": "run|a flow.yaml|--quiet",
            "mpcflow run --set collision.an\t90": "run|--set|collision.angle=90",
        }
        pid, terminal = pty.fork()
        if pid == 0:
            os.chdir(self.folder)
            os.execve(
                shutil.which("bash") or "/bin/bash",
                ["bash", "--norc", "--noprofile", "-i"],
                {**BARE, "TERM": "dumb", "PS1": "> "},
            )
        self.addCleanup(os.close, terminal)

        def read_until(mark: str) -> str:
            text, end = "", time.monotonic() + 20
            while mark not in text and time.monotonic() < end:
                if select.select([terminal], [], [], 0.2)[0]:
                    text += os.read(terminal, 65536).decode()
            return text

        os.write(terminal, f"source {shlex.quote(str(self.completions / 'mpcflow'))}\n".encode())
        os.write(terminal, b'mpcflow() { local IFS=\'|\'; echo "<<$*>>"; }; echo rea""dy\n')
        self.assertIn("ready", read_until("ready"))
        for keys, words in lines.items():
            os.write(terminal, keys.encode() + b"\n")
            self.assertIn(f"<<{words}>>", read_until(">>"))
        os.write(terminal, b"exit\n")
        os.waitpid(pid, 0)

    def test_fish(self) -> None:
        if shutil.which("fish") is None:
            self.skipTest("no fish is here")
        folder = self.tree / "share/fish/vendor_completions.d"
        script = f"for f in {shlex.quote(str(folder))}/*; source $f; end; "
        script += "complete -C 'mpcflow bench '; complete -C 'mpcflow-plot --along '"
        done = check(["fish", "-c", script], env={**BARE, "HOME": str(self.folder)})
        self.assertEqual(done.stderr, "")
        self.assertEqual(
            [line.split("\t")[0] for line in done.stdout.splitlines()],
            ["auto", "kernels", "outputs", "step", "x", "y", "z"],
        )

    def test_zsh(self) -> None:
        if shutil.which("zsh") is None:
            self.skipTest("no zsh is here")
        done = subprocess.run(
            ["zsh", "-n", self.tree / "share/zsh/site-functions/_mpcflow"], capture_output=True, text=True
        )
        self.assertEqual((done.returncode, done.stderr), (0, ""))


if __name__ == "__main__":
    unittest.main()

"""The launcher of the tools: which Python it takes."""

from __future__ import annotations

import shlex
import subprocess
import unittest
from pathlib import Path

from installed import BARE, ROOT, check, temporary

# Says of each module that it is there, and then that it was taken.
CLAIMS = '#!/bin/bash\n[[ " $* " == *" h5py "* ]] || echo taken\n'
WITHOUT_MODULES = '#!/bin/bash\nexec /usr/bin/python3 -S -E "$@"\n'


class Launcher(unittest.TestCase):
    def setUp(self) -> None:
        debians = ["/usr/bin/python3", "-c", "import h5py, numpy, yaml"]
        if subprocess.run(debians, env=BARE, capture_output=True).returncode != 0:
            self.skipTest("/usr/bin/python3 has no h5py, numpy and yaml")
        self.folder = temporary("mpcflow launcher ü' ")
        (self.folder / "bin").mkdir()
        (self.folder / "package").symlink_to(ROOT / "tools")
        self.text = (ROOT / "packaging/tool.in").read_text()
        self.text = self.text.replace("@NAME@", "plot").replace("@PACKAGE_FROM_BIN@", "../package")
        self.environment = {key: value for key, value in BARE.items() if key != "PYTHON"}
        self.environment["PATH"] = f"{self.folder / 'first'}:{self.environment['PATH']}"

    def script(self, name: str, text: str) -> Path:
        path = self.folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
        path.chmod(0o755)
        return path

    def says(self) -> str:
        launcher = self.script("bin/mpcflow-plot", self.text)
        return check([launcher, "--version"], env=self.environment, cwd=self.folder).stdout

    def test_among_debians_modules_it_takes_debians_python(self) -> None:
        self.script("first/python3", CLAIMS)
        self.assertEqual(self.says(), "taken\n", "elsewhere it is the first on the PATH")
        self.text = self.text.replace(
            "/usr/lib/python3/dist-packages", shlex.quote(str(ROOT / "tools"))
        )
        self.assertRegex(self.says(), r"^mpcflow-plot \d")

    def test_files_of_the_working_directory_are_no_modules(self) -> None:
        self.script("first/python3", WITHOUT_MODULES)
        for name in ("h5py", "numpy", "yaml", "matplotlib"):
            (self.folder / f"{name}.py").write_text("")
        self.assertRegex(self.says(), r"^mpcflow-plot \d")


if __name__ == "__main__":
    unittest.main()

"""The examples' scripts run on what their inputs make, and say what the package says."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import unittest

from made_runs import FLOW, REGION, TOOLS, ToolTest, made
from mpcflow_tools import Run
from mpcflow_tools.analyze import analyze

EXAMPLES = TOOLS.parent / "examples"
# The example as it is, but for its length.
TRANSPORT = re.sub(r"run: \{.*\}", "run: {equilibration: 50, steps: 1500}", (EXAMPLES / "transport.yaml").read_text().replace("[16, 16, 16]", "[8, 8, 8]"))


class Examples(ToolTest):
    def test_a_full_analysis(self) -> None:
        for text in (TRANSPORT, FLOW, REGION):
            folder = self.folder / str(len(text))
            folder.symlink_to(made(text))
            done = self.python(EXAMPLES / "full_analysis.py", folder)
            with Run(made(text)) as run:
                for section in analyze(run):
                    for found in section.estimates:
                        self.assertRegex(done.stdout, rf"(?m)^{section.name} +{re.escape(found.name)} +{re.escape(str(found))} ")
            picture = made(text) / "analysis.png"
            self.assertGreater(picture.stat().st_size, 20_000)
            picture.unlink()

    def test_reading_a_run(self) -> None:
        done = self.python(EXAMPLES / "read_a_run.py", made(FLOW))
        self.assertIn("theory expects", done.stdout)
        self.assertIn("mean square displacement across the flow", done.stdout)

    def test_what_is_not_there(self) -> None:
        for name in ("full_analysis", "read_a_run"):
            self.assertIn(f"{name}.py: nowhere", self.python(EXAMPLES / f"{name}.py", "nowhere", status=1).stderr)

    def test_the_commands_of_the_readme_leave_files_in_out_alone(self) -> None:
        """All but those that build, as they stand; of inputs that are shorter."""
        blocks = re.findall(r"```sh\n(.*?)```", (TOOLS.parent / "README.md").read_text(), re.S)
        lines = [line for block in blocks for line in block.splitlines() if not line.startswith(("cmake ", "./tools/quickstart", "./tools/test"))]
        snippet = re.findall(r"```python\n(.*?)```", (TOOLS.parent / "README.md").read_text(), re.S)[0]
        (self.folder / "build/app").mkdir(parents=True)
        (self.folder / "build/app/mpcflow").symlink_to(os.environ["MPCFLOW"])
        (self.folder / "tools").symlink_to(TOOLS)
        (self.folder / "examples").mkdir()
        (self.folder / "examples/transport.yaml").write_text(TRANSPORT)
        poiseuille = (EXAMPLES / "poiseuille.yaml").read_text().replace("[16, 16, 16]", "[4, 4, 16]").replace("every: 10000", "every: 600")
        (self.folder / "examples/poiseuille.yaml").write_text(poiseuille.replace("equilibration: 4000, steps: 48000", "equilibration: 300, steps: 900"))
        before = sorted(self.folder.rglob("*"))
        script = "\n".join(["set -e", *lines, "export PYTHONPATH=$PWD/tools", f'"$PYTHON" - <<"END"\n{snippet}END'])
        done = subprocess.run(["bash", "-c", script], cwd=self.folder, capture_output=True, text=True, timeout=280, check=False,
                              env={**os.environ, "PYTHON": sys.executable, "HOME": str(self.folder / "out")})
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual([path for path in sorted(self.folder.rglob("*")) if path not in before and self.folder / "out" not in
                          (path, *path.parents)], [])


if __name__ == "__main__":
    unittest.main()

"""The examples' scripts run on what their inputs make, and say what the package says."""

from __future__ import annotations

import re
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


if __name__ == "__main__":
    unittest.main()

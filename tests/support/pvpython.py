"""ParaView's Python in tests, without a screen."""

from __future__ import annotations

import os
import shutil
import subprocess
import unittest
from pathlib import Path


def pvpython_command(test: unittest.TestCase) -> list[str]:
    """The command that runs a script. Skips the test where ParaView is not installed."""
    pvpython = shutil.which("pvpython")
    if pvpython is None:
        test.skipTest("ParaView (pvpython) is not installed")
    if os.environ.get("DISPLAY"):
        return [pvpython]
    xvfb = shutil.which("xvfb-run")
    if xvfb is None:
        test.skipTest("neither a display nor xvfb-run is here")
    # It looks for a free number from this one on, and takes it a moment later: two that begin at one number at a time may
    # take the same. Without -noreset the server begins anew whenever its last client goes, as ParaView does when it has
    # asked what the server can, and may not answer the next one.
    return [xvfb, "--auto-servernum", f"--server-num={100 + os.getpid() % 50000}", "--server-args=-screen 0 1280x1024x24 -noreset",
            pvpython]


def run_pvpython(test: unittest.TestCase, command: list[str], folder: Path, script: str, *arguments: str) -> None:
    """Runs a script in a folder and checks that it ends well."""
    (folder / "look.py").write_text(script)
    done = subprocess.run([*command, "look.py", *arguments], cwd=folder, capture_output=True, text=True, timeout=240, check=False)
    test.assertEqual(done.returncode, 0, done.stdout + done.stderr)

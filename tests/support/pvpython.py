"""ParaView's Python in tests, without a screen."""

from __future__ import annotations

import os
import shutil
import subprocess
import unittest
from pathlib import Path


def run_pvpython(test: unittest.TestCase, folder: Path, script: str, *arguments: str) -> None:
    """Runs a script in a folder and checks that it ends well. Skips the test where ParaView is not installed."""
    pvpython = shutil.which("pvpython")
    if pvpython is None:
        test.skipTest("ParaView (pvpython) is not installed")
    screen: list[str] = []
    if not os.environ.get("DISPLAY"):
        xvfb = shutil.which("xvfb-run")
        if xvfb is None:
            test.skipTest("neither a display nor xvfb-run is here")
        # It looks for a free number from this one on, and takes it a moment later: two that begin at one number at a
        # time may take the same.
        screen = [xvfb, "--auto-servernum", f"--server-num={100 + os.getpid() % 50000}"]
    (folder / "look.py").write_text(script)
    done = subprocess.run([*screen, pvpython, "look.py", *arguments], cwd=folder, capture_output=True, text=True, timeout=240,
                          check=False)
    test.assertEqual(done.returncode, 0, done.stdout + done.stderr)

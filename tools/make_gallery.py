#!/usr/bin/env python3
"""Makes docs/gallery.md and its pictures, docs/images/gallery-*.png, from runs of the inputs in examples/.

    tools/make_gallery.py --program build/app/mpcflow              runs what is not in out/gallery yet
    tools/make_gallery.py --runs out/gallery                       of runs that are all there

Runs that are there are taken as they are if their input is the example's; the page and the pictures are replaced.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tools"))

try:
    from mpcflow_tools.command import complain, say
    from mpcflow_tools.errors import ResultsError
    from mpcflow_tools.gallery.entries import ENTRIES
    from mpcflow_tools.gallery.page import Places, make_gallery
except ModuleNotFoundError as error:
    sys.exit(f"make_gallery.py: {sys.executable} has no module {error.name}; it needs h5py, matplotlib, numpy and PyYAML "
             "(tools/install_dependencies.sh installs them for /usr/bin/python3)")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", type=Path, metavar="FILE", help="mpcflow, for runs that are not there")
    parser.add_argument("--runs", type=Path, metavar="DIR", default=ROOT / "out/gallery",
                        help="where a folder NAME of each run is (default: out/gallery)")
    parser.add_argument("--threads", type=int, default=2, metavar="N", help="of each run (default: 2)")
    arguments = parser.parse_args()
    try:
        for path in make_gallery(ENTRIES, Places(ROOT, arguments.runs), arguments.program, arguments.threads):
            say(str(path.relative_to(ROOT)))
    except (ResultsError, ValueError, OSError, subprocess.CalledProcessError) as error:
        complain(f"make_gallery.py: {error}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Compares a run of plane Poiseuille flow with theory: a table in the terminal, a fit, and a picture.

Fits u = (g / 2 nu) [y (L - y) + b L] to the measured profile, and prints the viscosity nu beside the predicted
one, the slip length b and the temperature.
"""

from __future__ import annotations

import argparse
import shutil
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

try:
    from mpcflow_tools.flow import fit_profile
    from mpcflow_tools.flow_plot import plot_flow
    from mpcflow_tools.flow_report import ASCII_MARKS, UNICODE_MARKS, report
    from mpcflow_tools.flow_run import read_flow
    from mpcflow_tools.results import ResultsError
    from mpcflow_tools.run import Run
except ModuleNotFoundError as error:
    sys.exit(f"plot_flow.py: {sys.executable} has no module {error.name}; it needs h5py, matplotlib, numpy and yaml "
             "(tools/install_dependencies.sh installs them for /usr/bin/python3)")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run", type=Path, metavar="RUN", help="the output directory of a run, or its run.h5")
    parser.add_argument("--output", type=Path, metavar="FILE",
                        help="where the picture goes: .png, .pdf or .svg (default: flow.png beside run.h5)")
    parser.add_argument("--no-plot", action="store_true", help="the table alone")
    arguments = parser.parse_args()
    try:
        run = read_flow(Run(arguments.run))
        fit = fit_profile(run.profile, run.slit)
        utf8 = "utf" in (sys.stdout.encoding or "").lower()
        width = min(max(shutil.get_terminal_size((80, 24)).columns, 64), 120)
        print(report(run, fit, UNICODE_MARKS if utf8 else ASCII_MARKS, width))
        if not arguments.no_plot:
            path = arguments.output or Path(run.source).parent / "flow.png"
            path.parent.mkdir(parents=True, exist_ok=True)
            plot_flow(run, fit, path)
            print(f"picture      {path}")
    except (ResultsError, ValueError, OSError) as error:
        print(f"plot_flow.py: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Compares the histograms of a run with theory: chi-square in the terminal, and a picture.

The occupancy of cells is set beside Poisson's distribution, the speed of particles beside Maxwell's, at the wanted
temperature and at the one that describes the speeds best.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

try:
    from mpcflow_tools.histogram_plot import plot_histograms
    from mpcflow_tools.histograms import compare, read_histograms, report
    from mpcflow_tools.results import ResultsError
    from mpcflow_tools.run import Run
except ModuleNotFoundError as error:
    sys.exit(f"plot_histograms.py: {sys.executable} has no module {error.name}; it needs h5py, matplotlib, numpy and yaml "
             "(tools/install_dependencies.sh installs them for /usr/bin/python3)")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run", type=Path, metavar="RUN", help="the output directory of a run, or its run.h5")
    parser.add_argument("--output", type=Path, metavar="FILE",
                        help="where the picture goes: .png, .pdf or .svg (default: histograms.png beside run.h5)")
    parser.add_argument("--no-plot", action="store_true", help="the numbers alone")
    arguments = parser.parse_args()
    try:
        results = Run(arguments.run)
        run = read_histograms(results)
        comparison = compare(run)
        print(report(run, comparison))
        if not arguments.no_plot:
            path = arguments.output or results.path.parent / "histograms.png"
            path.parent.mkdir(parents=True, exist_ok=True)
            plot_histograms(run, comparison, path)
            print(f"picture      {path}")
    except (ResultsError, ValueError, OSError) as error:
        print(f"plot_histograms.py: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Draws what `mpcflow bench kernels --json` measured, and whole steps by way of summing.

    mpcflow bench kernels --json > kernels.json
    for way in tile match peers; do for density in 3 10 30; do
        mpcflow bench step --summation $way --density $density --precision double --reorder 16 --json
    done; done > steps.json
    tools/plot_kernels.py kernels.json --steps steps.json --output docs/images

Pictures that are there are replaced with --overwrite alone.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

try:
    from mpcflow_tools.command import complain, say
    from mpcflow_tools.errors import ResultsError
    from mpcflow_tools.kernel_plot import plot_kernels, plot_steps
    from mpcflow_tools.kernel_results import NotABenchmark, read_kernel_results, read_step_rates
except ModuleNotFoundError as error:
    sys.exit(f"plot_kernels.py: {sys.executable} has no module {error.name}; it needs matplotlib and numpy "
             "(tools/install_dependencies.sh installs them for /usr/bin/python3)")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", type=Path, metavar="FILE.json", help="what mpcflow bench kernels --json printed")
    parser.add_argument("--steps", type=Path, metavar="FILE.json",
                        help="what runs of mpcflow bench step --json printed, one after the other: one picture more")
    parser.add_argument("--output", type=Path, metavar="DIR",
                        help="where the pictures go, kernels_*.png and steps_by_way.png (default: beside the file)")
    parser.add_argument("--overwrite", action="store_true", help="replaces pictures that are there")
    arguments = parser.parse_args()
    try:
        folder = arguments.output or arguments.results.parent
        results = read_kernel_results(arguments.results)
        rates = read_step_rates(arguments.steps) if arguments.steps else []
        folder.mkdir(parents=True, exist_ok=True)
        for path in plot_kernels(results, folder, arguments.overwrite):
            say(str(path))
        if rates:
            say(str(plot_steps(rates, folder, arguments.overwrite)))
    except (NotABenchmark, ResultsError, OSError) as error:
        complain(f"plot_kernels.py: {error}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())

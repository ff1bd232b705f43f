"""How pictures look, and how they become files."""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any, ParamSpec

import matplotlib
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from PIL import Image  # comes with matplotlib

from mpcflow_tools.command import BadArgument, whole_file

MEASURED = "#1f4e79"
THEORY = "#c8553d"
FITTED = "#5b8c5a"
GREY = "#8a8f98"
INK = "#333333"
GRID = "#d9dce1"
BAND = "#eef0f3"
WALL, WALL_EDGE = "#e9eaec", "#b9bdc4"
COMPONENTS = {"x": MEASURED, "y": "#d98c1f", "z": FITTED}
DASHED = (0, (4, 2))

STYLE: Any = {
    "font.size": 10.5,
    "axes.titlesize": 12,
    "axes.labelsize": 10.5,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": "#444444",
    "axes.linewidth": 0.8,
    "axes.labelcolor": INK,
    "axes.formatter.useoffset": False,  # "+1" above the axis is missed, and legends stand there
    "text.color": INK,
    "xtick.color": "#444444",
    "ytick.color": "#444444",
    "legend.frameon": False,
    "mathtext.fontset": "dejavusans",
    "svg.fonttype": "none",  # text stays text: it can be searched, selected and read aloud
    "svg.hashsalt": "mpcflow",  # the same picture gives the same file
}

SUFFIXES = (".png", ".svg", ".pdf")

Arguments = ParamSpec("Arguments")


def styled(draw: Callable[Arguments, Figure]) -> Callable[Arguments, Figure]:
    """A function that makes a figure makes it in this style. No display and no state of pyplot is needed."""
    @wraps(draw)
    def drawn(*arguments: Arguments.args, **options: Arguments.kwargs) -> Figure:
        with matplotlib.rc_context(STYLE):
            return draw(*arguments, **options)
    return drawn


def check_suffix(path: Path) -> None:
    """Raises BadArgument where no picture can be written with such a name."""
    if path.suffix not in SUFFIXES:
        raise BadArgument(f"{path}: pictures can be written as {', '.join(SUFFIXES)}")


def save(figure: Figure, path: Path, overwrite: bool = False) -> None:
    """Writes a picture, PNG, SVG or PDF by the suffix. Raises BadArgument, OSError; ResultsError where there is
    one and it is not to be replaced."""
    check_suffix(path)
    metadata = {".png": {"Software": None}, ".svg": {"Date": None}, ".pdf": {"CreationDate": None}}[path.suffix]
    with matplotlib.rc_context(STYLE), whole_file(path, overwrite) as aside:
        figure.savefig(aside, dpi=160, bbox_inches="tight", facecolor="white", metadata=metadata)


def save_small(figure: Figure, path: Path, overwrite: bool = False, dots_per_inch: int = 150, colours: int = 128) -> None:
    """Writes a PNG with a palette, a third as large as with full colours, in the style that is set. Raises OSError; ResultsError where there is one and it is not to
    be replaced."""
    drawn = io.BytesIO()
    figure.savefig(drawn, format="png", dpi=dots_per_inch, bbox_inches="tight", facecolor="white")
    with whole_file(path, overwrite) as aside:
        Image.open(drawn).convert("RGB").quantize(colours).save(aside, format="PNG", optimize=True)


def unit_label(name: str, unit: str) -> str:
    """`name [unit]` for an axis, powers raised."""
    words = name.replace("_", " ")
    raised = re.sub(r"\^(?:[(]([-/0-9]+)[)]|(-?[0-9]+))", _raised, unit)
    return words if unit == "1" else f"{words} [{raised}]"


def _raised(power: re.Match[str]) -> str:
    return f"$^{{{power[1] or power[2]}}}$"


def grid(axes: Axes) -> None:
    axes.grid(axis="y", color=GRID, linewidth=0.6)
    axes.set_axisbelow(True)


def shade_walls(axes: Axes, width: float) -> None:
    """Draws walls at 0 and at `width` of the horizontal axis."""
    for lower, upper in ((-0.035 * width, 0.0), (width, 1.035 * width)):
        axes.axvspan(lower, upper, facecolor=WALL, hatch="////", edgecolor=WALL_EDGE, linewidth=0.0, zorder=0)
    axes.set_xlim(-0.035 * width, 1.035 * width)

"""An HTML page without anything outside it: text, tables, and pictures as SVG that follow light and dark."""

from __future__ import annotations

import io
import re
from html import escape

import matplotlib
from matplotlib.figure import Figure

from mpcflow_tools import style
from mpcflow_tools.texts import printable_lines

# The colours of pictures as names of the page's style sheet.
NAMES = {
    style.MEASURED: "measured", style.THEORY: "theory", style.FITTED: "fitted", style.COMPONENTS["y"]: "second",
    style.GREY: "grey", style.INK: "ink", "#444444": "ink", style.GRID: "grid", style.BAND: "band", style.WALL: "band",
    style.WALL_EDGE: "grey", "#ffffff": "paper",
}

CSS = """
:root { color-scheme: light dark; --paper: #ffffff; --ink: #24292f; --grey: #5d646f; --grid: #d9dce1; --band: #eef0f3;
  --measured: #1f4e79; --theory: #bc4a32; --fitted: #467545; --second: #c97f14; }
@media (prefers-color-scheme: dark) { :root { --paper: #16191d; --ink: #dfe3e8; --grey: #979fab; --grid: #343a43;
  --band: #22272e; --measured: #7db4e6; --theory: #f0876e; --fitted: #8fca8d; --second: #f0b252; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 76rem; padding: 2rem 1.25rem 4rem; background: var(--paper); color: var(--ink);
  font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif; }
h1 { font-size: 1.9rem; line-height: 1.2; margin: 0 0 .4rem; overflow-wrap: anywhere; }
h2 { font-size: 1.2rem; margin: 2.6rem 0 .8rem; padding-bottom: .3rem; border-bottom: 1px solid var(--grid); }
p { max-width: 62rem; } p.lead { margin: 0; color: var(--grey); }
nav { margin: 1.2rem 0; } nav ul { display: flex; flex-wrap: wrap; gap: .2rem 1.4rem; list-style: none; margin: 0; padding: 0; }
a { color: var(--measured); display: inline-block; padding: .15rem 0; }
.status { display: inline-block; padding: .1rem .6rem; border-radius: 1rem; border: 1px solid currentColor; font-size: .9rem; }
.completed { color: var(--fitted); } .running { color: var(--measured); } .failed, .interrupted, .warning { color: var(--theory); }
table { border-collapse: collapse; width: 100%; font-size: .93rem; }
th, td { text-align: left; vertical-align: top; padding: .3rem .8rem .3rem 0; border-bottom: 1px solid var(--grid);
  overflow-wrap: break-word; }
table.facts td { overflow-wrap: anywhere; }
div.wide { overflow-x: auto; }
th { font-weight: 500; color: var(--grey); white-space: nowrap; }
table.facts th { width: 13rem; }
td.number { font-variant-numeric: tabular-nums; white-space: nowrap; }
code, pre { font-family: ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace; font-size: .87rem; }
pre { background: var(--band); padding: .8rem 1rem; overflow-x: auto; border-radius: .4rem; }
figure { margin: 1.2rem 0; } figure svg { display: block; width: 100%; height: auto; min-width: 30rem; }
figcaption { color: var(--grey); font-size: .88rem; }
.pair { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(34rem, 100%), 1fr)); gap: 0 1.5rem; }
summary { cursor: pointer; color: var(--measured); margin: .4rem 0; }
footer { margin-top: 3rem; color: var(--grey); font-size: .85rem; }
@media (max-width: 40rem) { th, td.number { white-space: normal; padding-right: .5rem; } table { font-size: .8rem; }
  table.facts th { width: 7rem; } pre { white-space: pre-wrap; } }
@media print { :root { --paper: #fff; --ink: #000; --grey: #555; --grid: #ccc; --band: #f2f2f2; --measured: #1f4e79;
  --theory: #bc4a32; --fitted: #467545; --second: #c97f14; } body { max-width: none; padding: 0; font-size: 11pt; }
  .pair { grid-template-columns: 1fr 1fr; } figure svg { min-width: 0; }
  figure, tr { break-inside: avoid; } h2 { break-after: avoid; } pre { white-space: pre-wrap; } }
"""

# What stands for them until all headings are known; no text of a run, which are escaped.
CONTENTS = "<!-- contents -->"


def _named_colour(match: re.Match[str]) -> str:
    name = NAMES.get(match[0].lower())
    return f"var(--{name})" if name else match[0]


class Page:
    """The body of a page, piece after piece. All text is escaped here."""

    def __init__(self, title: str) -> None:
        self._title = title
        self._pieces: list[str] = []
        self._headings: list[str] = []
        self._pictures = 0

    def add(self, html: str) -> None:
        """HTML as it is."""
        self._pieces.append(html)

    def heading(self, text: str) -> None:
        """A section, which contents() lists."""
        self._headings.append(text)
        self.add(f'<h2 id="s{len(self._headings)}">{escape(text)}</h2>')

    def contents(self) -> None:
        """Here links to all sections stand."""
        self.add(CONTENTS)

    def paragraph(self, text: str, kind: str = "") -> None:
        self.add(f'<p class="{kind}">{escape(text)}</p>' if kind else f"<p>{escape(text)}</p>")

    def facts(self, rows: list[tuple[str, str]]) -> None:
        """A table of names and what they are; what is empty is left out."""
        cells = "".join(f'<tr><th scope="row">{escape(name)}</th><td>{escape(value)}</td></tr>' for name, value in rows if value)
        self.add(f'<table class="facts">{cells}</table>')

    def table(self, head: list[str], rows: list[list[str]]) -> None:
        """Rows of numbers, with words in the last column."""
        top = "".join(f'<th scope="col">{escape(name)}</th>' for name in head)
        body = "".join("<tr>" + "".join(f'<td class="number">{escape(cell)}</td>' for cell in row[:-1]) + f"<td>{escape(row[-1])}</td>" + "</tr>" for row in rows)
        self.add(f'<div class="wide" tabindex="0"><table><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table></div>')

    def folded(self, summary: str, text: str) -> None:
        """Text that opens on a click."""
        self.add(f'<details><summary>{escape(summary)}</summary><pre tabindex="0">{escape(printable_lines(text))}</pre></details>')

    def picture(self, figure: Figure, words: str) -> None:
        """A figure as SVG; `words` say what it shows to who cannot see it."""
        self.add(self._figure(figure, words))

    def pictures(self, figures: list[tuple[Figure, str]]) -> None:
        """Figures two in a row where there is room."""
        self.add('<div class="pair">' + "".join(self._figure(figure, words) for figure, words in figures) + "</div>")

    def _figure(self, figure: Figure, words: str) -> str:
        self._pictures += 1
        for axes in figure.axes:
            axes.set_title("", loc="left")  # the page has it
        text = io.StringIO()
        with matplotlib.rc_context(style.STYLE):
            figure.savefig(text, format="svg", bbox_inches="tight", transparent=True, metadata={"Date": None})
        svg = text.getvalue()
        svg = svg[svg.index("<svg"):]
        svg = re.sub(r"<metadata>.*?</metadata>", "", svg, flags=re.S)
        # Names within one page are of one picture.
        mark = f"p{self._pictures}-"
        svg = re.sub(r'\bid="', f'id="{mark}', svg)
        svg = re.sub(r'(href="#|url\(#)', rf"\g<1>{mark}", svg)
        svg = re.sub(r"#[0-9a-fA-F]{6}\b", _named_colour, svg)
        svg = re.sub(r'(fill|stroke)="(var\([^"]*\))"', r'style="\1: \2"', svg)
        # No larger than it is meant to be: letters are then those of the page.
        width = f'style="max-width: {figure.get_size_inches()[0] * 6.0:g}rem"'
        svg = re.sub(r'<svg [^>]*?(viewBox="[^"]*")[^>]*>', rf'<svg \1 {width} role="img" aria-label="{escape(words)}">', svg, count=1)
        return f'<figure><div class="wide" tabindex="0">{svg}</div><figcaption aria-hidden="true">{escape(words)}</figcaption></figure>'

    def html(self) -> str:
        links = "".join(f'<li><a href="#s{number}">{escape(text)}</a></li>' for number, text in enumerate(self._headings, 1))
        body = "\n".join(self._pieces).replace(CONTENTS, f'<nav aria-label="Contents"><ul>{links}</ul></nav>')
        return ('<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
                '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
                f'<title>{escape(self._title)}</title>\n<style>{CSS}</style>\n</head>\n<body>\n<main>\n{body}\n</main>\n'
                "<footer>mpcflow-report. Formulas: docs/physics.md; every number: docs/output.md.</footer>\n</body>\n</html>\n")

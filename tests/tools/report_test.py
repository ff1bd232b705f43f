"""mpcflow-report: a page that stands alone, is well formed, and says what the run says."""

from __future__ import annotations

import re
import unittest
from html.parser import HTMLParser

import numpy as np

from forging import edited
from made_runs import FLOW, REGION, ToolTest, made
from mpcflow_tools import Run
from mpcflow_tools.conservation import drifts
from mpcflow_tools.page import CSS
from mpcflow_tools.report import report_page

REST = FLOW.replace("z: no_slip", "z: periodic").replace("forces: [{uniform: [0.02, 0, 0]}]\n", "").replace(
    "kind: maxwell_boltzmann", "kind: none")
VOID = {"meta", "br", "link", "img", "hr", "input"}


class Reader(HTMLParser):
    """Holds a page to balanced tags and to names that are there once; gathers text and what is referred to."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.names: list[str] = []
        self.referred: set[str] = set()
        self.tags: set[str] = set()
        self.text = ""
        self.feed(html)
        self.close()
        assert self.open == [], self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        if tag not in VOID:
            self.open.append(tag)
        self.look_at(attrs)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.look_at(attrs)

    def look_at(self, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            assert name not in ("src", "srcset", "onload", "onclick"), name
            if name == "id":
                self.names.append(value or "")
            if name.endswith("href"):
                assert value is not None and value.startswith("#"), value
                self.referred.add(value[1:])
            self.referred |= set(re.findall(r"url\(#([^)]*)\)", value or ""))

    def handle_endtag(self, tag: str) -> None:
        assert self.open and self.open[-1] == tag, (tag, self.open)
        self.open.pop()

    def handle_data(self, data: str) -> None:
        self.text += data


class Pages(ToolTest):
    def read(self, html: str) -> Reader:
        reader = Reader(html)
        self.assertEqual(len(reader.names), len(set(reader.names)), "a name is there twice")
        self.assertLessEqual(reader.referred, set(reader.names))
        self.assertEqual(reader.tags & {"script", "link", "img", "iframe", "object", "base"}, set())
        self.assertEqual(re.findall(r"https?:|url\((?!#)|@import", html), [])
        return reader

    def test_a_whole_run(self) -> None:
        folder = self.copy_of(FLOW)
        done = self.command("report", folder)
        self.assertEqual(done.stdout.strip(), str(folder / "report.html"))
        html = (folder / "report.html").read_text(encoding="utf-8")
        reader = self.read(html)
        with Run(folder) as run:
            for words in ("A small flow", "completed", run.state_hash or "-", "1,200 particles", "CPU, 1 thread", "million particle updates",
                          "Conservation", "no: a force works on it; walls exchange it", "predicted 0.8579", "slip length",
                          "Distributions", "schmidt number", "6 frames of 1200 particles", "virtual_particles: true"):
                self.assertIn(words, reader.text)
        self.assertGreaterEqual(html.count("<svg "), 9)
        self.assertGreaterEqual(html.count('aria-label="'), 9)
        # The numbers and the contents come first, what was run and where after what came of it.
        places = [html.index(words) for words in ('<main>', "million particle updates", "viscosity: flow", '<h2 id="s1">Fields', ">Distributions</h2>",
                                                  ">What was run</h2>", ">Machine and performance</h2>", "</main>", "<footer>")]
        self.assertEqual(places, sorted(places))
        self.assertLess(html.index('<a href="#s1">Fields</a>'), places[3])
        # Text of pictures is text, not paths.
        self.assertRegex(html, r"<text [^>]*>particles in a cell</text>")
        self.assertNotIn("DejaVuSans-", html)
        # Every colour but those that are nobody's follows light and dark.
        self.assertEqual(re.findall(r"(?:fill|stroke): #[0-9a-f]{6}", html), [])

    def test_texts_stand_out_from_the_paper(self) -> None:
        """As WCAG 2 wants it (AA: 4.5 to 1), in light, in dark and on paper."""
        def luminance(colour: str) -> float:
            colour = "".join(2 * digit for digit in colour) if len(colour) == 3 else colour
            parts = np.array([int(colour[i:i + 2], 16) / 255.0 for i in (0, 2, 4)])
            return float(np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4) @ (0.2126, 0.7152, 0.0722))

        themes = [dict(re.findall(r"--(\w+): #(\w+)", theme)) for theme in re.findall(r":root \{([^}]*)\}", CSS)]
        self.assertEqual(len(themes), 3)
        for theme in themes:
            for name in ("ink", "grey", "measured", "theory", "fitted"):
                for paper in ("paper", "band") if name == "ink" else ("paper",):
                    dark, light = sorted((luminance(theme[name]), luminance(theme[paper])))
                    self.assertGreaterEqual((light + 0.05) / (dark + 0.05), 4.5, (name, theme))

    def test_what_was_not_written_is_left_out(self) -> None:
        with Run(made(REGION)) as run:
            reader = self.read(report_page(run))
        for words in ("Conservation", "Fields", "Distributions"):
            self.assertNotIn(words, reader.text)
        self.assertIn("4 frames of", reader.text)

    def test_a_law_that_holds_the_temperature_itself(self) -> None:
        text = FLOW.replace("rule: srd, angle: 130", "rule: at").replace("thermostat: {kind: maxwell_boltzmann}\n", "")
        with Run(made(text)) as run:
            self.assertIn("at, every 0.1", Reader(report_page(run)).text)
            self.assertIn("holds the temperature", drifts(run)[0].why)

    def test_texts_of_the_run_are_not_markup(self) -> None:
        title = "<script>alert(1)</script> & \\\"quotes\\\" $x^{2$"
        html = self.command("report", made(FLOW.replace("A small flow", f'"{title}"')), "--output", "a.html") and (
            self.folder / "a.html").read_text(encoding="utf-8")
        reader = self.read(html)
        self.assertIn("<script>alert(1)</script> &", reader.text)

    def test_interrupted_and_damaged_runs(self) -> None:
        folder = self.copy_of(FLOW)
        with edited(folder / "run.h5") as file:
            file["run"].attrs["status"] = "failed"
            file["run"].attrs["message"] = "the disk is full"
            del file["run"].attrs["state_hash_hex"]
            file["run"].attrs["notes"] = np.array([b"one", b"<two>"])
            del file["fields"], file["histograms"]
        (folder / "trajectory.h5").write_bytes((folder / "trajectory.h5").read_bytes()[:5000])
        self.command("report", folder)
        reader = self.read((folder / "report.html").read_text(encoding="utf-8"))
        for words in ("failed", "the disk is full", "not yet", "2 notes of the solver", "<two>", "trajectory.h5: cannot be read"):
            self.assertIn(words, reader.text)

    def test_what_is_there_stays(self) -> None:
        folder = self.copy_of(FLOW)
        (folder / "report.html").write_text("mine")
        self.assertIn("report.html: exists already (--overwrite", self.command("report", folder, status=3).stderr)
        self.assertEqual((folder / "report.html").read_text(), "mine")
        self.command("report", folder, "--overwrite")
        self.read((folder / "report.html").read_text(encoding="utf-8"))

    def test_refusals(self) -> None:
        self.assertIn("no such file", self.command("report", self.folder, status=3).stderr)
        self.assertIn("ends in .html", self.command("report", made(FLOW), "--output", "a.pdf", status=2).stderr)
        folder = self.copy_of(FLOW)
        with edited(folder / "run.h5") as file:
            del file["run"].attrs["wall_time"]
        self.assertIn("/run has no attribute wall_time", self.command("report", folder, status=3).stderr)
        self.assertFalse((folder / "report.html").exists())


class Conservation(unittest.TestCase):
    def test_a_fluid_at_rest_conserves(self) -> None:
        with Run(made(REST)) as run:
            found = drifts(run)
        self.assertEqual([drift.is_conserved for drift in found], [True] * 4)
        for drift in found:
            self.assertLess(drift.largest, 1e-10, drift.name)
            self.assertLessEqual(abs(drift.at_end), drift.largest)

    def test_why_not(self) -> None:
        with Run(made(FLOW)) as run:
            energy, momentum, *_ = drifts(run)
        self.assertFalse(energy.is_conserved or momentum.is_conserved)
        self.assertIn("thermostat", energy.why)
        self.assertNotIn("thermostat", momentum.why)
        self.assertGreater(momentum.largest, 0.05)


if __name__ == "__main__":
    unittest.main()

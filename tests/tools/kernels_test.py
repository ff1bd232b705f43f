"""The pictures of kernel measurements, on made-up results."""

from __future__ import annotations

import json
import tempfile
import unittest
from pathlib import Path

import numpy as np

from mpcflow_tools.kernel_axes import plain_number, spread, style_of
from mpcflow_tools.kernel_plot import PICTURES, plot_kernels, plot_steps
from mpcflow_tools.kernel_results import NotABenchmark, read_kernel_results, read_step_rates

SUM_WAYS = {"loop": 0.5, "peers": 0.45, "hash": 0.52, "match": 0.46, "sorted": 0.7, "segmented": 0.6,
            "two_stage": 0.4, "unstaged": 0.75, "two_float": 0.8, "direct": 1.05, "cas": 3.2}
DENSITY_WAYS = {"match": 0.23, "peers": 0.31, "loop": 0.33, "unstaged": 0.5, "direct": 1.0, "cas": 3.0}
AGES = [0, 1, 2, 5, 10, 20, 50, 100, 200]


def table(part: str, name: str, x: tuple[str, str], columns: list[tuple[str, str]], rows: list, **other) -> dict:
    return {"part": part, "name": name, "title": other.get("title", name), "note": "",
            "items": other.get("items", 10_000_000), "x": {"name": x[0], "unit": x[1]},
            "columns": [{"name": column, "unit": unit} for column, unit in columns],
            "rows": [{"x": row[0], "values": row[1]} for row in rows]}


def by_x(part: str, name: str, x: tuple[str, str], unit: str, places: list[float], ways: dict, **other) -> dict:
    """A table of ways, each a function of x."""
    return table(part, name, x, [(way, unit) for way in ways], [(p, [ways[way](p) for way in ways]) for p in places],
                 **other)


def made_up_results() -> dict:
    """With the shapes and rough sizes of real ones."""
    def distinct(age: int) -> float:
        return 32.0 - 18.0 * 0.9**age

    sums = [(age, [distinct(age)] + [ms + (0.018 * (distinct(age) - 14.0) if ms < 0.9 else 0.0)
                                     for ms in SUM_WAYS.values()]) for age in AGES]
    per_particle = {way: (9.0 if way in ("direct", "cas") else None) for way in SUM_WAYS}
    atomics = [(age, [per_particle[way] or (18.0 if way == "two_float" else 9.0) * distinct(age) / 32.0
                      * (0.55 if way == "two_stage" else 1.0) for way in SUM_WAYS]) for age in AGES]
    components = {"peers": lambda k: 0.2 + 0.03 * k, "match": lambda k: 0.2 + 0.031 * k, "sorted": lambda k: 0.4 + 0.04 * k,
                  "two_stage": lambda k: 0.3 + 0.02 * k, "direct": lambda k: 0.12 * k, "cas": lambda k: 0.36 * k}
    keys = [52.0, 70.0, 110.0, 180.0, 260.0, 340.0, 400.0, 440.0, 470.0, 490.0]
    kept = [5.0, 10.0, 25.0, 50.0, 75.0, 90.0, 95.0]
    sizes = [1e6, 1e7, 1e8]
    bins = [16.0, 256.0, 4096.0, 65536.0]
    tables = [
        table("a", "sums_by_age", ("age", "steps"), [("distinct", "cells a warp")] + [(way, "ms") for way in SUM_WAYS], sums),
        by_x("a", "sums_by_cause", ("age", "steps"), "ms", [0, 20, 200],
             {way: lambda age, ms=ms: ms + age / 400 for way, ms in
              {"direct": 1.0, "direct_2f": 1.8, "cas": 3.0, "peers": 0.3, "two_float": 0.4, "peers_cas": 0.5,
               "westphal": 0.32, "westphal_cas": 1.0}.items()}),
        *(table("a", name, ("density", "1/cell"), [("distinct", "in a warp")] + [(way, "ms") for way in DENSITY_WAYS],
                [(density, [12.0] + [ms * (1.0 + 1.0 / density) for ms in DENSITY_WAYS.values()])
                 for density in (1, 2, 3, 5, 10, 30, 100)], items=9_998_999)
          for name in ("sums_by_density", "sums_by_density_unordered")),
        table("b", "atomics_by_age", ("age", "steps"), [(way, "1/particle") for way in SUM_WAYS], atomics),
        table("b", "atomics_time_by_age", ("age", "steps"), [(way, "ms") for way in SUM_WAYS],
              [(age, values[1:]) for age, values in sums]),
        by_x("c", "sums_by_components_age_0", ("components", ""), "ms", [1, 2, 3, 4, 6, 8, 9, 12, 16], components),
        by_x("c", "sums_by_components_age_20", ("components", ""), "ms", [1, 2, 3, 4, 6, 8, 9, 12, 16], components),
        by_x("d", "peers", ("distinct", "in 512"), "ms", keys,
             {"loop": lambda x: 0.02 + x / 3000, "votes": lambda x: 0.04 + x / 9000, "hash": lambda x: 0.09 - x / 2e4,
              "match": lambda x: 0.03 + x / 4000}, title="Finding peers in warps, 10000000 keys"),
        by_x("d", "unique_keys", ("distinct", "in 512"), "ms", keys,
             {"one hash": lambda x: 0.05 + x / 4000, "two hashes": lambda x: 0.06 + x / 5000,
              "one, 512": lambda x: 0.05 + x / 3000, "two, 512": lambda x: 0.06 + x / 4000, "warp": lambda x: 0.03},
             title="Counting distinct keys in blocks of 512, the same keys"),
        by_x("e", "filters", ("kept", "%"), "GiB/s", kept,
             {"global": lambda x: 30.0 + 100.0 / x, "compiler": lambda x: 2500 + x, "block": lambda x: 1200 + 3 * x,
              "lanes": lambda x: 900 + x,
              "warp": lambda x: 2550 + x, "groups": lambda x: 2400 + x, "thrust": lambda x: 1500 + x,
              "cub": lambda x: 3000 - x}, items=100_000_000),
        *(by_x("e", name, ("selected", "%"), "ms", [0.1, 1.0, 10.0, 50.0, 100.0],
               {"warp": lambda x: 0.12 + 0.004 * x, "cub": lambda x: 0.15 + 0.003 * x})
          for name in ("selection_ordered", "selection_unordered")),
        by_x("f", "sums", ("numbers", ""), "GiB/s", sizes,
             {"four-level": lambda n: 3000 * n / (n + 5e6), "no block": lambda n: 2900 * n / (n + 5e6),
              "cub": lambda n: 3100 * n / (n + 5e6)}, title="Sum of doubles: GiB/s read"),
        by_x("f", "histograms_uniform", ("bins", ""), "GiB/s", bins,
             {"global": lambda n: 20 + n / 100, "shared": lambda n: 900.0 if n < 1e4 else None, "warp": lambda n: 400.0,
              "cub": lambda n: 1000.0}, title="Histogram of uniform keys: GiB/s read"),
        by_x("f", "maxima", ("numbers", ""), "GiB/s", sizes,
             {"one word": lambda n: 10.0, "regions": lambda n: 900.0, "then one": lambda n: 950.0, "four-level": lambda n: 2900 * n / (n + 5e6),
              "cub": lambda n: 3100 * n / (n + 5e6)}, title="Maximum of doubles: GiB/s read"),
        by_x("f", "warp_sorts", ("elements", ""), "GiB/s", sizes,
             {"warp": lambda n: 1500.0, "cub 32x1": lambda n: 900.0, "cub 8x4": lambda n: 1700.0},
             title="Sorting each 32 keys of 4 bytes: GiB/s"),
        by_x("f", "warp_scans", ("elements", ""), "GiB/s", sizes,
             {"warp": lambda n: 3500.0, "cub": lambda n: 3450.0, "cub, all": lambda n: 3000.0},
             title="Inclusive sums over each 32 numbers: GiB/s"),
        by_x("f", "warp_sums", ("elements", ""), "GiB/s", sizes,
             {"down": lambda n: 3100.0, "butterfly": lambda n: 3050.0, "cub": lambda n: 3000.0},
             title="Sum of each 32 numbers: GiB/s"),
        by_x("f", "segmented_scans", ("length", ""), "GiB/s", [1.0, 10.0, 100.0, 1e3, 1e4, 1e6],
             {"warps": lambda n: 3400.0, "blocks": lambda n: 3000.0, "cub, blocks": lambda n: 2000.0,
              "grid": lambda n: 2900.0 - 100.0 * np.log10(n), "cub, grid": lambda n: 2600.0},
             title="Sums from the head of each segment on: GiB/s"),
        by_x("f", "block_votes", ("threads", "in a block"), "G/s", [32.0, 64.0, 128.0, 256.0, 512.0, 1024.0],
             {"count": lambda n: 900.0 + n, "count, w": lambda n: 300.0 + n / 10, "any": lambda n: 950.0 + n,
              "any, w": lambda n: 500.0, "all": lambda n: 930.0 + n, "all, w": lambda n: 520.0},
             title="Votes of blocks: G votes of threads a second"),
        by_x("f", "work_queue", ("spread", ""), "ms", [1.0, 2.0, 4.0, 8.0, 16.0],
             {"plain grid": lambda n: 1.1 + n / 20, "shares": lambda n: 1 + n / 10, "queue": lambda n: 1 + n / 40},
             title="Uneven items: ms for 4000000"),
        by_x("f", "work_queue_lanes", ("spread", ""), "ms", [1.0, 2.0, 4.0, 8.0, 16.0],
             {"plain grid": lambda n: 1.1 + n, "shares": lambda n: 1 + n / 2, "queue": lambda n: 1 + n / 3},
             title="Uneven items, also within a warp: ms for 4000000"),
        *(by_x("g", name, ("threads", "in a block"), unit, [64.0, 128.0, 256.0, 512.0, 1024.0],
               {way: lambda n, rank=rank: (3.0 if unit == "ms" else 300.0) * (1 + rank) * (1 + n / 2000)
                for rank, way in enumerate(("1", "2", "4", "8", "16", "32", "an item"))})
          for name, unit in (("launches_of_sums", "ms"), ("launches_of_reductions", "GiB/s"),
                             ("launches_of_histograms", "GiB/s"))),
    ]
    return {"machine": {"cpu": "a CPU", "operating_system": "an OS"}, "device": {"name": "NVIDIA H200"},
            "cuda": "13.0, driver 13.0", "version": "0.1.0", "commit": "0123abc", "date": "2026-01-01T00:00:00Z",
            "size": "full", "copy_bytes_per_second": 4.2e12, "tables": tables}


def made_up_steps(way: str, density: float) -> list[dict]:
    """What one run of `bench step --json` prints."""
    return [{"device": "NVIDIA H200", "law": law, "precision": "double", "particles": 10_000_000, "density": density,
             "summation": way, "reorder": 16, "updates_per_second": rate * (1.0 + 0.1 * len(way)) * density**0.2,
             "step_seconds": 1e-3, "bytes_per_particle": 100.0} for law, rate in (("srd", 15e9), ("srd+a", 8e9))]


class FileTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def write(self, results: object) -> Path:
        path = self.folder / "kernels.json"
        path.write_text(json.dumps(results))
        return path


class Reading(FileTest):
    def test_tables_become_columns(self) -> None:
        results = read_kernel_results(self.write(made_up_results()))
        self.assertEqual(results.parts, list("abcdefg"))
        self.assertEqual(len(results.part("b")), 2)
        sums = results.part("a")[0]
        self.assertEqual(list(sums.x.values), AGES)
        self.assertEqual([way.name for way in sums.ways("ms")], list(SUM_WAYS))
        self.assertEqual(sums.column("cas").values[3], 3.2)

    def test_what_does_not_apply_is_nan(self) -> None:
        tables = read_kernel_results(self.write(made_up_results())).part("f")
        histogram = next(table for table in tables if table.name == "histograms_uniform")
        self.assertTrue(np.isnan(histogram.column("shared").values[-1]))
        self.assertFalse(np.isnan(histogram.column("cub").values).any())

    def test_other_files_are_refused(self) -> None:
        short_row = made_up_results()
        short_row["tables"][3]["rows"][0]["values"].pop()
        empty = made_up_results()
        empty["tables"][0]["rows"] = []
        for wrong in ({}, [], {"tables": []}, short_row, empty):
            with self.assertRaises(NotABenchmark):
                read_kernel_results(self.write(wrong))
        path = self.folder / "text.json"
        path.write_text("not JSON")
        with self.assertRaises(NotABenchmark):
            read_kernel_results(path)


class Pictures(FileTest):
    def test_every_picture(self) -> None:
        paths = plot_kernels(read_kernel_results(self.write(made_up_results())), self.folder)
        self.assertEqual([path.name for path in paths], [picture.file for picture in PICTURES])
        for path in paths:
            self.assertEqual(path.read_bytes()[:8], b"\x89PNG\r\n\x1a\n")
            self.assertGreater(path.stat().st_size, 10_000)
            self.assertLess(path.stat().st_size, 250_000)

    def test_only_of_parts_that_were_measured(self) -> None:
        results = made_up_results()
        results["tables"] = [entry for entry in results["tables"] if entry["part"] in "be"]
        paths = plot_kernels(read_kernel_results(self.write(results)), self.folder)
        self.assertEqual([path.name for path in paths],
                         ["kernels_atomics.png", "kernels_filters.png", "kernels_selection.png"])

    def test_each_table_is_in_one_picture(self) -> None:
        results = read_kernel_results(self.write(made_up_results()))
        shown = [table.name for picture in PICTURES for table in picture.tables_of(results)]
        self.assertEqual(sorted(shown), sorted(table.name for table in results.tables))

    def test_steps_of_many_runs(self) -> None:
        path = self.folder / "steps.json"
        runs = [made_up_steps(way, density) for way in ("tile", "match", "cas") for density in (3.0, 10.0, 30.0)]
        path.write_text("\n".join(json.dumps(run) for run in runs) + "\n")
        rates = read_step_rates(path)
        self.assertEqual(len(rates), 18)
        self.assertEqual((rates[2].law, rates[2].way, rates[2].density), ("srd", "tile", 10.0))
        picture = plot_steps(rates, self.folder)
        self.assertEqual(picture.name, "steps_by_way.png")
        self.assertGreater(picture.stat().st_size, 10_000)
        with self.assertRaises(NotABenchmark):
            plot_steps(rates + rates[:1], self.folder, overwrite=True)
        for wrong in ("", "[]", "[1]", '[{"law": "srd"}]', json.dumps(runs[0]) + " x", json.dumps(made_up_results())):
            path.write_text(wrong)
            with self.assertRaises(NotABenchmark, msg=wrong[:40]):
                read_step_rates(path)

    def test_the_ways_of_a_table_can_be_told_apart(self) -> None:
        for entry in made_up_results()["tables"]:
            ways = [column["name"] for column in entry["columns"] if column["name"] != "distinct"]
            looks = {(style.color, style.marker, str(style.line)) for style in map(style_of, ways)}
            self.assertEqual(len(looks), len(ways), entry["name"])

    def test_numbers_are_short(self) -> None:
        shown = {0.5: "0.5", 8: "8", 512: "512", 4096: "4 Ki", 262144: "256 Ki", 1e4: "10 k", 1e7: "10 M", 67108864: "64 Mi"}
        for number, text in shown.items():
            self.assertEqual(plain_number(number), text)

    def test_labels_are_moved_apart_as_little_as_can_be(self) -> None:
        np.testing.assert_allclose(spread([10.0, 0.0, 5.0], 2.0), [10.0, 0.0, 5.0])
        np.testing.assert_allclose(spread([5.0, 5.0], 2.0), [4.0, 6.0])
        np.testing.assert_allclose(spread([0.0, 1.0, 9.0, 1.5], 3.0), [-13.0 / 6.0, 5.0 / 6.0, 9.0, 23.0 / 6.0])
        random = np.random.default_rng(1)
        wanted = random.uniform(0.0, 50.0, 12)
        places = spread(wanted, 4.0)
        self.assertGreaterEqual(np.min(np.diff(np.sort(places))), 4.0 - 1e-9)
        self.assertEqual(list(np.argsort(places)), list(np.argsort(wanted)))


if __name__ == "__main__":
    unittest.main()

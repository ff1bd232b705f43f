"""Files of one run in the folder of another: a restart refuses them and names them, or goes on to its own numbers where they do not
matter; no file of another run is overwritten or removed."""

import collections
import concurrent.futures
import itertools
import os
import random
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from stopped import JOURNALS, bytes_of, find_difference, find_part_difference, kill_in_the_middle, results, run, small_flow

from program import ProgramTest
from restarting import OUTPUTS

SWAPS = int(os.environ.get("MPCFLOW_SWAPS", "70"))  # of some 500; 0: all
FILES = ("run.h5", "fields.h5", "trajectory.h5", "checkpoint.h5", "checkpoint.previous.h5")
REGION = "velocity], region: {lower: [0, 0, 0], upper: [3, 4, 2]}"

TEXTS = {
    "first": small_flow(),
    "again": small_flow(),  # the same bits, but another run
    "seed": small_flow().replace("seed: 3", "seed: 4"),
    "title": small_flow().replace("A small flow", "Another title"),
    "bins": small_flow(outputs=OUTPUTS.replace("bins: [1, 2, 3]", "bins: [2, 1, 3]")),
    "region": small_flow(outputs=OUTPUTS.replace("velocity]", REGION)),
    "quantities": small_flow(outputs=OUTPUTS.replace("[density, velocity, temperature, pressure_tensor]", "[density]")
                             .replace("[position, velocity]", "[position]")),
    "mixed": small_flow().replace("device: cpu}", "device: cpu, precision: mixed}"),
    "longer": small_flow(160),
    "beginning": small_flow(),  # killed before its first frame is in a checkpoint
}


def swaps(folder: Path) -> list[tuple[str, str, str, str]]:
    """Whose file goes where, which, and how the journals of trajectory.h5 and fields.h5 go with it."""
    found = []
    for source, target in itertools.permutations(TEXTS, 2):
        for name in (name for name in FILES if (folder / source / "out" / name).exists()):
            if name + ".journal" in JOURNALS:
                found += [(source, target, name, journal) for journal in ("its own", "the other's", "none")]
            else:
                found.append((source, target, name, ""))
    return found


def judge(folder: Path, swap: tuple[str, str, str, str], expected: dict) -> tuple[str, str]:
    """How the restart ended, and what is wrong with that."""
    source, target, name, journal = swap
    work = Path(tempfile.mkdtemp(prefix="mpcflow-swap-", dir=folder))
    try:
        shutil.copytree(folder / target, work, dirs_exist_ok=True)
        out = work / "out"
        shutil.copy(folder / source / "out" / name, out)
        if journal in ("its own", "none"):
            (out / f"{name}.journal").unlink(missing_ok=True)
        if journal == "its own" and (folder / source / "out" / f"{name}.journal").exists():
            shutil.copy(folder / source / "out" / f"{name}.journal", out)
        before = bytes_of(out)
        done = run(work, "flow.yaml", "--threads", "1")
        after = bytes_of(out)
        words = f"{name} of {source} in {target}, journal: {journal or '-'}: "
        last = done.stderr.rstrip("\n").rpartition("\n")[2]
        if done.returncode == 3:
            changed = [file for file in before if after.get(file) != before[file] and not file.endswith(".tmp")]
            if changed:
                return "refused", words + f"changed {changed}: {last}"
            is_told = last.startswith("mpcflow: ") and (f"out/{name}" in last or "another run's than the checkpoint" in last)
            return "refused", "" if is_told else words + last
        if done.returncode != 0:
            return "failed", words + f"status {done.returncode}: {done.stderr}"
        if before[name] not in after.values():
            return "overwritten", words + done.stderr
        difference = find_difference(results(out), expected)
        return "goes on", words + difference if difference else ""
    except subprocess.TimeoutExpired:
        return "hangs", str(swap)
    finally:
        shutil.rmtree(work)


class SwappedFiles(ProgramTest):
    def make_runs(self) -> dict[str, dict]:
        """A folder of each run, killed on its way; returns what they would have ended with."""
        expected = {}
        for name, text in TEXTS.items():
            folder = self.folder / name
            folder.mkdir()
            (folder / "flow.yaml").write_text(text)
            self.assertEqual(run(folder, "flow.yaml", "--quiet", "--threads", "1").returncode, 0)
            expected[name] = results(folder / "out")
            shutil.rmtree(folder / "out")
            if name == "beginning":
                kill_in_the_middle(folder, text, 1)
            else:
                kill_in_the_middle(folder, text)
        return expected

    def test_all_pairs(self):
        expected = self.make_runs()
        all_swaps = swaps(self.folder)
        chosen = all_swaps if SWAPS == 0 else random.Random(29).sample(all_swaps, SWAPS)
        outcomes = collections.Counter()
        faults = []
        with concurrent.futures.ProcessPoolExecutor(os.cpu_count()) as pool:
            for outcome, fault in pool.map(judge, [self.folder] * len(chosen), chosen, [expected[swap[1]] for swap in chosen]):
                outcomes[outcome] += 1
                if fault:
                    faults.append(f"{outcome}: {fault}")
        print(f"{outcomes.total()} swaps: " + ", ".join(f"{count} {outcome}" for outcome, count in outcomes.most_common()))
        self.assertEqual(faults, [], "\n".join(faults))

    def test_own_files_of_other_moments(self):
        """A trajectory or fields.h5 of before or after the checkpoint is gone on with, or moved aside: never are its numbers wrong."""
        text = small_flow()
        moments = {}
        (self.folder / "flow.yaml").write_text(text)
        self.assertEqual(run(self.folder, "flow.yaml", "--quiet", "--threads", "1").returncode, 0)
        expected = results(self.folder / "out")
        shutil.rmtree(self.folder / "out")
        # One run with its id, killed again and again: the folder of each moment.
        for call in (200, 140, 100):
            kill_in_the_middle(self.folder, text, call)
            moments[len(moments)] = shutil.copytree(self.folder / "out", self.folder / f"moment-{len(moments)}")
        moved = 0
        for here, there in itertools.permutations(moments, 2):
            for name in ("trajectory.h5", "fields.h5"):
                for takes_journal in (False, True):
                    with self.subTest(here=here, there=there, name=name, takes_journal=takes_journal):
                        moved += self.go_on_with(moments[here], moments[there], name, takes_journal, expected)
        self.assertGreater(moved, 0)

    def go_on_with(self, here: Path, there: Path, name: str, takes_journal: bool, expected: dict) -> bool:
        out = self.folder / "out"
        shutil.rmtree(out)
        shutil.copytree(here, out)
        shutil.copy(there / name, out)
        if takes_journal and (there / f"{name}.journal").exists():
            shutil.copy(there / f"{name}.journal", out)
        harmed = (out / name).read_bytes()
        done = run(self.folder, "flow.yaml", "--threads", "1")
        self.assertEqual(done.returncode, 0, done.stderr)
        aside = out / name.replace(".h5", ".damaged.h5")
        if not aside.exists():
            self.assertEqual(find_difference(results(out), expected), "")
            return False
        self.assertEqual(aside.read_bytes(), harmed)
        self.assertIn(f"out/{name} is damaged", done.stderr)
        step = int(done.stderr.partition(", step ")[2].split("\n")[0])
        self.assertEqual(find_part_difference(out / name, expected, step), "")
        others = [{key: value for key, value in of.items() if not key.startswith(name)} for of in (results(out), expected)]
        self.assertEqual(find_difference(*others), "")
        return True


if __name__ == "__main__":
    unittest.main()

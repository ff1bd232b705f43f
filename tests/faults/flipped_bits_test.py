"""Files of a killed run in which bits flipped, sectors went or pages were swapped: a restart ends with the numbers of the run that
was never harmed, or says what is damaged; `info` says so, too. Never are there other numbers in silence."""

import collections
import concurrent.futures
import os
import random
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

import h5py

from stopped import (HDF5_FILES, JOURNALS, bytes_of, find_difference, find_part_difference, info, kill_in_the_middle,
                     results, run, small_flow)

from program import ProgramTest
from restarting import OUTPUTS

FLIPS = int(os.environ.get("MPCFLOW_FLIPS", "64"))
SEED = int(os.environ.get("MPCFLOW_FLIPS_SEED", "17"))
REGION = "velocity], region: {lower: [0, 0, 0], upper: [3, 4, 2]}"

Harm = tuple[str, str, list[tuple[int, bytes]]]  # the file, words, and what is at which offsets


def raw_ranges(path: Path) -> list[tuple[int, int]]:
    """Where the numbers of datasets lie; the rest says how they are found."""
    ranges = []

    def collect(_, item):
        if not isinstance(item, h5py.Dataset):
            return
        if item.chunks:
            chunks = [item.id.get_chunk_info(i) for i in range(item.id.get_num_chunks())]
            ranges.extend((chunk.byte_offset, chunk.byte_offset + chunk.size) for chunk in chunks)
        elif item.id.get_offset() is not None:
            ranges.append((item.id.get_offset(), item.id.get_offset() + item.id.get_storage_size()))

    with h5py.File(path) as f:
        f.visititems(collect)
    return ranges


class Harms:
    """Draws harms. Half of them are where a file says how its numbers are found, which is a small part of it."""

    def __init__(self, folder: Path, chance: random.Random):
        self.chance = chance
        self.files = {name: (folder / name).read_bytes() for name in (*HDF5_FILES, *JOURNALS)}
        self.structure = {}
        for name, data in self.files.items():
            inside = bytearray(len(data))
            if name in HDF5_FILES:
                for begin, end in raw_ranges(folder / name):
                    inside[begin:end] = b"\1" * (end - begin)
            self.structure[name] = [i for i, is_raw in enumerate(inside) if not is_raw and (data[i] or self.chance.random() < 0.2)]

    def draw(self) -> Harm:
        # What grows is changed in place, and has no seal.
        name = self.chance.choice([*self.files, "trajectory.h5", "fields.h5", "trajectory.h5"])
        data = self.files[name]
        places = self.structure[name]
        place = self.chance.choice(places) if places and self.chance.random() < 0.5 else self.chance.randrange(len(data))
        kind = self.chance.choice(["bit"] * 5 + ["sector", "pages"])
        changes = []
        if kind == "bit":
            bit = self.chance.randrange(8)
            changes = [(place, bytes([data[place] ^ 1 << bit]))]
            kind = f"bit {bit}"
        elif kind == "sector":
            place -= place % 512
            changes = [(place, bytes(len(data[place:place + 512])))]
        elif len(data) >= 8192:
            first = place // 4096 * 4096
            second = self.chance.randrange(len(data) // 4096) * 4096
            length = min(4096, len(data) - first)
            changes = [(first, data[second:second + length]), (second, data[first:first + length])]
        if all(data[at:at + len(new)] == new for at, new in changes):
            return self.draw()
        return name, f"{name}: {kind} at {place}", changes


def is_one_line(text: str) -> bool:
    return text.startswith("mpcflow: ") and text.count("\n") == 1 and len(text) < 2000


def judge_info(path: Path, expected: tuple[int, str, str]) -> str:
    """What is wrong with what `info` says of a harmed file; empty if nothing is."""
    status, out, err = info(path)
    if status == 3:
        return "" if is_one_line(err) else f"info: {err}"
    # Of a trajectory it does not look at checksums, which would be to read all of it.
    is_shown_as_before = status == 0 and (out == expected[1] or path.name == "trajectory.h5")
    return "" if is_shown_as_before else f"info: status {status}: {err or out}"


def judge_restart(folder: Path, expected: dict) -> tuple[str, str]:
    """How a restart ended, and what is wrong with that."""
    out = folder / "out"
    before = bytes_of(out)
    done = run(folder, "flow.yaml", "--threads", "1")
    last = done.stderr.rstrip("\n").rpartition("\n")[2] + "\n"
    if done.returncode == 3:
        if not is_one_line(last):
            return "refused", f"not one line: {done.stderr}"
        changed = [name for name, data in before.items() if name != "run.h5" and
                   (not (out / name).exists() or (out / name).read_bytes() != data)]
        return "refused", f"changed {changed}, and said {last}" if changed else ""
    if done.returncode != 0:
        return "failed", f"status {done.returncode}: {done.stderr}"
    found = results(out)
    moved = [name for name in ("trajectory.h5", "fields.h5") if (out / name.replace(".h5", ".damaged.h5")).exists()]
    for name in moved:
        if f"{name} is damaged" not in done.stderr:
            return "moved aside", f"in silence: {done.stderr}"
        if (out / name.replace(".h5", ".damaged.h5")).read_bytes() != before[name]:
            return "moved aside", "and changed"
        step = int(done.stderr.partition(", step ")[2].split("\n")[0])
        if difference := find_part_difference(out / name, expected, step):
            return "moved aside", difference
    others = [{key: value for key, value in of.items() if key.split(":")[0] not in moved} for of in (found, expected)]
    if difference := find_difference(*others):
        return "other numbers", difference
    for name in ("run.h5", "trajectory.h5", "fields.h5", "checkpoint.h5"):
        status, _, err = info(out / name)
        if status != 0:
            return "damaged at the end", err
    return "moved aside" if moved else "one before it" if "the one before it" in done.stderr else "as if whole", ""


def judge(base: Path, harm: Harm, expected: dict, shown: tuple[int, str, str] | None) -> tuple[str, str]:
    name, words, changes = harm
    folder = Path(tempfile.mkdtemp(prefix="mpcflow-flip-", dir=base.parent))
    try:
        shutil.copytree(base, folder, dirs_exist_ok=True)
        with open(folder / "out" / name, "r+b") as file:
            for place, data in changes:
                file.seek(place)
                file.write(data)
        fault = judge_info(folder / "out" / name, shown) if shown else ""
        outcome, fault_of_restart = judge_restart(folder, expected)
        fault = fault or fault_of_restart
        return outcome, f"{words}: {fault}" if fault else ""
    except subprocess.TimeoutExpired:
        return "hangs", f"{words}: hangs"
    except RuntimeError as error:
        # h5py may have a newer HDF5 than the program: it looks at keys of an index of chunks that nothing uses.
        is_unused_key = "bad coordinate offset" in str(error) and h5py.version.hdf5_version_tuple >= (1, 14, 0)
        return "unreadable", "" if is_unused_key else f"{words}: {error!r}"
    except Exception as error:  # of h5py, which reads what the program has left
        return "unreadable", f"{words}: {error!r}"
    finally:
        shutil.rmtree(folder)


class FlippedBits(ProgramTest):
    def stopped_run(self, name: str, text: str) -> tuple[Path, dict]:
        """A folder of a run that was killed, with its input, and what the files of the undisturbed run hold."""
        folder = self.folder / name
        folder.mkdir()
        (folder / "flow.yaml").write_text(text)
        self.assertEqual(run(folder, "flow.yaml", "--quiet", "--threads", "1").returncode, 0)
        expected = results(folder / "out")
        shutil.rmtree(folder / "out")
        kill_in_the_middle(folder, text)
        for file in (*HDF5_FILES, *JOURNALS):
            self.assertTrue((folder / "out" / file).exists(), file)
        with h5py.File(folder / "out/checkpoint.h5") as f:
            self.assertGreater(f["run"].attrs["frames"], 1)
            self.assertGreater(f["run"].attrs["windows"], 0)
        return folder, expected

    def test_nothing_is_lost_in_silence(self):
        chance = random.Random(SEED)
        outcomes = collections.Counter()
        faults = []
        runs = {"all": small_flow(), "region": small_flow(outputs=OUTPUTS.replace("velocity]", REGION))}
        for name, text in runs.items():
            base, expected = self.stopped_run(name, text)
            whole = judge(base, ("run.h5", "unharmed", []), expected, info(base / "out/run.h5"))
            self.assertEqual(whole, ("as if whole", ""))
            shown = {file: info(base / "out" / file) for file in HDF5_FILES}
            harms = Harms(base / "out", chance)
            drawn = [harms.draw() for _ in range(FLIPS // len(runs))]
            with concurrent.futures.ProcessPoolExecutor(os.cpu_count()) as pool:
                for outcome, fault in pool.map(judge, [base] * len(drawn), drawn, [expected] * len(drawn),
                                               [shown.get(harm[0]) for harm in drawn]):
                    outcomes[outcome] += 1
                    if fault:
                        faults.append(f"{name}: {outcome}: {fault}")
        print(f"{outcomes.total()} harms: " + ", ".join(f"{count} {outcome}" for outcome, count in outcomes.most_common()))
        self.assertEqual(faults, [], "\n".join(faults))


if __name__ == "__main__":
    unittest.main()

"""Lost power: what runs leave on the disk if it goes at any moment. They go on from there, or say why not."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import tempfile
import unittest
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from faulty import RECORD_LIBRARY, damage_trajectory, difference, folder_fault, last_frames_fault, make_killed_folder, message_fault
from faulty import moved_aside_fault, numbers, preload_options, preloadable, run
from replay import DIRECTORY_SYNCED, MADE, PAGE, RENAMED, SECTOR, SIZED, SYNCED, WRITTEN
from replay import Disk, Event, cut, events_of, read_log, replay

STATES = int(os.environ.get("MPCFLOW_POWER_STATES", "400"))
CHECKPOINTS = ("checkpoint.h5", "checkpoint.previous.h5")
MOVING_ASIDE = "moving aside"
# A run of so many frames and windows that the indices of its files grow by levels.
MANY_FRAMES = ("--set=run.steps=160", "--set=checkpoint.every=45", "--set=output.trajectory.every=1",
               "--set=output.trajectory.quantities=[position]", "--set=output.fields.every=1", "--set=output.fields.time_window=2",
               "--set=output.fields.quantities=[density]")


@dataclass(frozen=True)
class Recording:
    """All changes of a folder by a run, after the first `before`, which made what was there."""
    name: str
    arguments: tuple[str, ...]
    before: int
    events: list[Event]
    expected: dict[str, np.ndarray]  # of the run that was not disturbed


@dataclass(frozen=True)
class Setting:
    root: Path
    recordings: list[Recording]


@dataclass(frozen=True)
class Verdict:
    state: str
    end: str
    wrong: str = ""  # why it is not as it should; empty: it is


_setting: Setting


def set_setting(setting: Setting) -> None:
    global _setting
    _setting = setting


def record(folder: Path, *arguments: str) -> list[Event]:
    """What an undisturbed run changes in a folder; it goes on where that holds a checkpoint."""
    out = (folder / "out").resolve()
    log = folder / "log"
    log.unlink(missing_ok=True)
    environment = {"LD_PRELOAD": preloadable(RECORD_LIBRARY), "RECORD_PATH": str(out), "RECORD_LOG": str(log)}
    done = run(folder, "--quiet", *arguments, environment=environment | preload_options(folder))
    assert done.returncode == 0, done.stderr
    return read_log(log, out)


def write_folder(folder: Path, contents: dict[str, bytes]) -> None:
    folder.mkdir()
    for name, content in contents.items():
        (folder / name).write_bytes(content)


def lose_power(recording: Recording, seed: str) -> tuple[str, Disk, dict[str, bytes]]:
    """A state after a loss of power at a random moment of a run."""
    chance = random.Random(seed)
    at = chance.randint(recording.before + 1, len(recording.events))
    disk = replay(cut(recording.events, at, chance))
    return f"{recording.name} {seed}, after {at} of {len(recording.events)} changes", disk, disk.after_power_loss(chance)


def judge(seed: int) -> Verdict:
    """Makes a state and runs on from it."""
    recording = _setting.recordings[seed % len(_setting.recordings)]
    state, disk, contents = lose_power(recording, str(seed))
    with tempfile.TemporaryDirectory(prefix="state-", dir=_setting.root) as name:
        folder = Path(name)
        write_folder(folder / "out", contents)
        try:
            done = run(folder, *recording.arguments)
        except subprocess.TimeoutExpired:
            return Verdict(state, "hung", "hangs")
        error = done.stderr.strip().splitlines()[-1:]
        told = f" ({' '.join(error)})"
        if done.returncode == 3:
            if any(name in disk.durable_names for name in CHECKPOINTS):
                return Verdict(state, "refused", "refused, though a checkpoint was on the disk" + told)
            if found := message_fault("".join(error)):
                return Verdict(state, "refused", found + told)
            return Verdict(state, "refused with reason")
        if done.returncode != 0:
            return Verdict(state, "failed", f"status {done.returncode}" + told)
        if recording.name == MOVING_ASIDE:
            found = last_frames_fault(folder / "out", recording.expected)
            return Verdict(state, "wrong numbers" if found else "moved a file aside", found + told if found else "")
        if any("damaged" in path.name for path in (folder / "out").iterdir()):
            found = moved_aside_fault(folder / "out", done.stderr, recording.expected)
            return Verdict(state, "wrong numbers" if found else "moved a file aside", found + told if found else "")
        if found := folder_fault(folder / "out", recording.expected):
            return Verdict(state, "wrong numbers", found + told)
        return Verdict(state, "complete before" if "is complete" in done.stderr else
                       "went on" if "going on from" in done.stderr else "began anew")


def record_in(folder: Path, name: str, *arguments: str) -> Recording:
    """A run in a folder with what may be there, and that what is replayed with nothing missing is the folder, bit by bit."""
    out = folder / "out"
    before = events_of(out) if out.exists() else []
    events = before + record(folder, *arguments)
    replayed = replay(events).contents()
    there = {path.name: path.read_bytes() for path in out.iterdir()}
    assert sorted(replayed) == sorted(there), f"{sorted(replayed)} for {sorted(there)}"
    for file, content in there.items():
        assert replayed[file] == content, f"{name}: {file} is not what was recorded of it"
    return Recording(name, arguments, len(before), events, numbers(out))


class LostPower(unittest.TestCase):
    def setUp(self) -> None:
        self.root = Path(tempfile.mkdtemp(prefix="mpcflow-power-"))
        self.addCleanup(shutil.rmtree, self.root, ignore_errors=True)

    def folder(self, name: str) -> Path:
        (self.root / name).mkdir()
        return self.root / name

    def recordings(self) -> list[Recording]:
        """Runs from the beginning, one that goes on where one was killed, one where the power was lost, and
        one that moves a damaged trajectory aside."""
        found = [record_in(self.folder("anew"), "anew"), record_in(self.folder("many"), "many frames", *MANY_FRAMES)]
        killed = self.folder("killed")
        make_killed_folder(killed)
        found.append(record_in(killed, "after a kill"))
        for seed in range(20):
            lost = self.folder(f"lost{seed}")
            contents = lose_power(found[0], f"first {seed}")[2]
            if any(name in contents for name in CHECKPOINTS):
                write_folder(lost / "out", contents)
                if goes_on(lost):
                    shutil.rmtree(lost / "out")
                    write_folder(lost / "out", contents)
                    found.append(record_in(lost, "after lost power"))
                    break
        for recording in found[2:]:
            self.assertEqual(difference(recording.expected, found[0].expected), "")
        damaged = self.folder("damaged")
        make_killed_folder(damaged)
        damage_trajectory(damaged)
        moving = record_in(damaged, MOVING_ASIDE)
        self.assertEqual(last_frames_fault(damaged / "out", found[0].expected), "")
        return [*found, replace(moving, expected=found[0].expected)]

    def test_whatever_is_left_the_run_goes_on_or_says_why_not(self) -> None:
        recordings = self.recordings()
        self.assertEqual(len(recordings), 5)
        self.assertGreater(len(recordings[0].expected), 100)
        set_setting(Setting(self.root, recordings))
        with ProcessPoolExecutor(os.cpu_count(), initializer=set_setting, initargs=(_setting,)) as pool:
            verdicts = list(pool.map(judge, range(STATES), chunksize=4))
        ends = Counter(v.end for v in verdicts)
        wrong = [v for v in verdicts if v.wrong]
        print(f"{STATES} losses of power: {', '.join(f'{count} {end}' for end, count in sorted(ends.items()))}; "
              f"not as they should: {len(wrong)}, of these silently wrong: {ends['wrong numbers']}", flush=True)
        if path := os.environ.get("MPCFLOW_POWER_LIST"):
            Path(path).write_text("".join(f"{v.state}: {v.end}: {v.wrong}\n" for v in wrong))
        self.assertGreater(ends["went on"], STATES // 3)
        listed = "\n".join(f"{v.state}: {v.end}: {v.wrong}" for v in wrong[:20])
        self.assertEqual(len(wrong), 0, f"of {STATES} states:\n{listed}")


def goes_on(folder: Path) -> bool:
    done = run(folder, "--quiet")
    return done.returncode == 0 and not any("damaged" in path.name for path in (folder / "out").iterdir())


class Replay(unittest.TestCase):
    """What is lost and what is not, of records made by hand."""

    def states(self, events: list[Event], count: int = 300) -> list[dict[str, bytes]]:
        disk = replay(events)
        return [disk.after_power_loss(random.Random(seed)) for seed in range(count)]

    def test_what_was_forced_to_the_disk_is_there(self) -> None:
        events = [Event(MADE, "a", inode=1), Event(WRITTEN, inode=1, data=b"x" * 9000), Event(SYNCED, inode=1),
                  Event(DIRECTORY_SYNCED)]
        for state in self.states(events):
            self.assertEqual(state, {"a": b"x" * 9000})

    def test_a_name_that_was_not_may_be_missing(self) -> None:
        events = [Event(MADE, "a", inode=1), Event(WRITTEN, inode=1, data=b"x"), Event(SYNCED, inode=1),
                  Event(RENAMED, "a", "b")]
        states = self.states(events)
        for state in ({}, {"a": b"x"}, {"b": b"x"}):
            self.assertIn(state, states)

    def test_names_keep_their_order_but_for_a_few(self) -> None:
        events = [Event(MADE, name, inode=i) for i, name in enumerate("abc")]
        states = self.states(events)
        in_order = [state for state in states if sorted(state) in ([], ["a"], ["a", "b"], ["a", "b", "c"])]
        self.assertGreater(len(in_order), 0.9 * len(states))
        self.assertLess(len(in_order), len(states))

    def test_pages_come_one_by_one_and_torn(self) -> None:
        old, new = b"o" * 3 * PAGE, b"n" * 3 * PAGE
        events = [Event(MADE, "a", inode=1), Event(WRITTEN, inode=1, data=old), Event(SYNCED, inode=1), Event(DIRECTORY_SYNCED),
                  Event(WRITTEN, inode=1, data=new)]
        seen, torn = set(), 0
        for state in self.states(events):
            pages = [state["a"][i * PAGE:(i + 1) * PAGE] for i in range(3)]
            for page in pages:
                count = page.count(b"n")
                self.assertEqual(count % SECTOR, 0)
                self.assertEqual(page, b"n" * count + b"o" * (PAGE - count))
                torn += 0 < count < PAGE
            seen.add(tuple(page[:1] for page in pages))
        self.assertEqual(len(seen), 8)
        self.assertGreater(torn, 10)

    def test_a_longer_file_may_be_short_or_hold_zeros(self) -> None:
        events = [Event(MADE, "a", inode=1), Event(DIRECTORY_SYNCED), Event(WRITTEN, inode=1, data=b"x" * PAGE)]
        states = [state["a"] for state in self.states(events)]
        for content in (b"", bytes(PAGE), b"x" * PAGE):
            self.assertIn(content, states)

    def test_what_was_cut_off_does_not_come_back_behind_a_new_end(self) -> None:
        events = [Event(MADE, "a", inode=1), Event(WRITTEN, inode=1, data=b"x" * 2 * PAGE), Event(SYNCED, inode=1),
                  Event(DIRECTORY_SYNCED), Event(SIZED, inode=1, number=PAGE), Event(SIZED, inode=1, number=3 * PAGE)]
        states = {state["a"] for state in self.states(events)}
        self.assertEqual(states, {b"x" * 2 * PAGE, b"x" * PAGE, b"x" * PAGE + bytes(2 * PAGE)})

    def test_a_file_that_was_replaced_stays_until_the_names_are_on_the_disk(self) -> None:
        events = [Event(MADE, "a", inode=1), Event(WRITTEN, inode=1, data=b"old"), Event(SYNCED, inode=1), Event(DIRECTORY_SYNCED),
                  Event(MADE, "b", inode=2), Event(WRITTEN, inode=2, data=b"new"), Event(SYNCED, inode=2), Event(RENAMED, "b", "a")]
        self.assertEqual({state["a"] for state in self.states(events)}, {b"old", b"new"})
        self.assertEqual({state["a"] for state in self.states(events + [Event(DIRECTORY_SYNCED)])}, {b"new"})


if __name__ == "__main__":
    unittest.main()

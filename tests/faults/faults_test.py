"""Each call of a run on its files fails in turn: the run ends well, or with a message and files from which it goes on."""

from __future__ import annotations

import errno
import os
import random
import shutil
import signal
import subprocess
import tempfile
import unittest
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from faulty import CHANGING, KINDS, Fault, damage_trajectory, folder_fault, last_frames_fault, make_killed_folder, message_fault, numbers
from faulty import run, run_with

# From the beginning; in the folder of a run that was killed; in such a one whose trajectory has a wrong bit, so that the run
# moves it aside and goes on into a new one.
STARTS = ("anew", "again", "damaged")
# How many cases; "all" for every one.
CASES = os.environ.get("MPCFLOW_FAULTS", "800")
FOREVER = 2**62
# Of calls that are too many to fail each in turn: so many of each mode, spread by chance.
MOST_OF_MEMORY = 2000

# What each kind of call may fail with.
ERRORS = {
    "open": (errno.EIO, errno.EACCES, errno.EMFILE, errno.ENOSPC, errno.EDQUOT),
    "read": (errno.EIO,),
    "write": (errno.EIO, errno.ENOSPC, errno.EDQUOT),
    "sync": (errno.EIO, errno.ENOSPC, errno.EDQUOT, errno.EROFS),
    "truncate": (errno.EIO, errno.ENOSPC),
    "allocate": (errno.EIO, errno.ENOSPC, errno.EDQUOT, errno.EOPNOTSUPP),
    "rename": (errno.EIO, errno.ENOSPC, errno.EACCES),
    "unlink": (errno.EIO, errno.EACCES),
    "close": (errno.EIO, errno.ENOSPC, errno.EDQUOT),
    "mkdir": (errno.EIO, errno.ENOSPC, errno.EACCES),
    "map": (errno.ENOMEM,),
    "memory": (errno.ENOMEM,),
    "library_memory": (errno.ENOMEM,),
    "thread": (errno.EAGAIN,),
}
INTERRUPTED = ("open", "read", "write", "sync", "truncate", "allocate", "close")
HALVED = ("read", "write")
# Those that a run always makes: what is shown of them is shown of failures that there were.
ALWAYS_MADE = ("open", "read", "write", "sync", "truncate", "allocate", "rename", "unlink", "close", "thread")


@dataclass(frozen=True)
class Case:
    start: str  # of STARTS
    fault: Fault


@dataclass(frozen=True)
class Setting:
    """Folders that cases are run from and held against; `expected` is of the reference."""
    root: Path
    expected: dict[str, np.ndarray]
    names: frozenset[str]


@dataclass(frozen=True)
class Verdict:
    case: Case
    failure: str
    status: int
    faults: int
    fault: str


_setting: Setting


def set_setting(setting: Setting) -> None:
    global _setting
    _setting = setting


def faults_of(kind: str) -> list[Fault]:
    """The ways in which a call of this kind fails, all of its first call."""
    found = [Fault(kind, 1, mode, error) for error in ERRORS[kind] for mode in ("once", "always")]
    if kind.endswith("memory"):  # always: of large blocks alone, so that there is memory for a message
        found = [Fault(kind, 1, "once", errno.ENOMEM), Fault(kind, 1, "always", errno.ENOMEM, 16384)]
    if kind in INTERRUPTED:
        found.append(Fault(kind, 1, "once", errno.EINTR))
    if kind in HALVED:
        found.append(Fault(kind, 1, "short"))
    return found


def is_harmless(fault: Fault) -> bool:
    """What a run must not even notice."""
    return fault.mode == "short" or fault.error in (errno.EINTR, errno.EOPNOTSUPP)


def judge(case: Case) -> Verdict:
    """Runs a case in a folder of its own."""
    with tempfile.TemporaryDirectory(prefix="case-", dir=_setting.root) as name:
        folder = Path(name)
        if case.start != "anew":
            shutil.copytree(_setting.root / case.start / "out", folder / "out")
        try:
            outcome = run_with(case.fault, folder, "--quiet")
            failure = find_failure(case, outcome.status, outcome.err, outcome.faults, folder)
        except subprocess.TimeoutExpired:
            return Verdict(case, "hangs", -1, 1, "")
        return Verdict(case, failure, outcome.status, outcome.faults, outcome.fault)


def find_failure(case: Case, status: int, err: str, faults: int, folder: Path) -> str:
    """What is wrong with how a run ended, and with how it goes on from there; empty: nothing."""
    told = f" (status {status}: {err.strip()})"
    fault = case.fault
    compare = last_frames_fault if case.start == "damaged" else folder_fault
    if status == 0:
        if fault.mode == "kill" and faults:
            return "survived a kill"
        if fault.kinds == "sync" and faults and not is_harmless(fault):
            return "a failed fsync was passed over"
        if found := compare(folder / "out", _setting.expected):
            return "status 0, but " + found + told
        left = {path.name for path in (folder / "out").iterdir() if "damaged" not in path.name} - _setting.names
        return f"left {', '.join(sorted(left))}" if left and fault.kinds not in ("unlink", "rename") else ""
    if is_harmless(fault) or not faults:
        return "ended though nothing was wrong" + told
    if fault.mode == "kill":
        if status != -9:
            return "not killed" + told
    elif fault.kinds == "library_memory":
        # HDF5 1.10 reads through null pointers then, or ends the process itself with exit(-1): no more is lost than by a kill.
        if status not in (3, 255, -signal.SIGSEGV, -signal.SIGBUS, -signal.SIGABRT):
            return "wrong status" + told
    elif status != 3:
        return "wrong status" + told
    elif found := message_fault(err):
        return found + told
    done = run(folder, "--quiet")
    if done.returncode != 0:
        return f"does not go on: status {done.returncode}: {done.stderr.strip()}; at first" + told
    if found := compare(folder / "out", _setting.expected):
        return "goes on to other numbers: " + found + told
    return ""


class Faults(unittest.TestCase):
    def setUp(self) -> None:
        self.root = Path(tempfile.mkdtemp(prefix="mpcflow-faults-"))
        self.addCleanup(shutil.rmtree, self.root, ignore_errors=True)
        for name in ("reference", "again", "damaged", "counted"):
            (self.root / name).mkdir()
        done = run(self.root / "reference", "--quiet")
        self.assertEqual(done.returncode, 0, done.stderr)
        make_killed_folder(self.root / "again")
        shutil.copytree(self.root / "again/out", self.root / "damaged/out")
        damage_trajectory(self.root / "damaged")
        expected = numbers(self.root / "reference/out")
        self.assertGreater(len(expected), 100)
        names = frozenset(path.name for path in (self.root / "reference/out").iterdir())
        set_setting(Setting(self.root, expected, names))

    def counts(self, start: str, smallest: int) -> dict[str, int]:
        """How many calls of each kind an undisturbed run makes, of memory such of so many bytes; it must end as the reference."""
        folder = self.root / "counted"
        shutil.rmtree(folder / "out", ignore_errors=True)
        if start != "anew":
            shutil.copytree(self.root / start / "out", folder / "out")
        outcome = run_with(Fault("open", FOREVER, smallest=smallest), folder, "--quiet")
        self.assertEqual((outcome.status, outcome.faults), (0, 0), outcome.err)
        compare = last_frames_fault if start == "damaged" else folder_fault
        self.assertEqual(compare(folder / "out", _setting.expected), "")
        return {kind: max(0, calls) for kind, calls in outcome.calls.items()}

    def cases(self, chance: random.Random) -> list[Case]:
        """Of every kind and way, every call and one beyond the last."""
        found = []
        for start in STARTS:
            sizes = {fault.smallest for kind in KINDS for fault in faults_of(kind)}
            counts = {smallest: self.counts(start, smallest) for smallest in sizes}
            for kind in KINDS:
                for fault in faults_of(kind):
                    calls = list(range(1, counts[fault.smallest][kind] + 2))
                    if kind.endswith("memory"):
                        calls = chance.sample(calls, min(len(calls), MOST_OF_MEMORY))
                    if len(calls) > 1:  # else there is none to fail
                        found += [Case(start, Fault(kind, n, fault.mode, fault.error, fault.smallest)) for n in calls]
            changes = sum(counts[0][kind] for kind in CHANGING.split(","))
            found += [Case(start, Fault(CHANGING, n, "kill")) for n in range(1, changes + 2)]
        return found

    def test_each_call_fails_in_turn(self) -> None:
        chance = random.Random(12)
        cases = self.cases(chance)
        if CASES != "all":
            cases = sample(cases, int(CASES), chance)
        with ProcessPoolExecutor(os.cpu_count(), initializer=set_setting, initargs=(_setting,)) as pool:
            verdicts = list(pool.map(judge, cases, chunksize=4))
        injected = Counter(label(v.case.fault) for v in verdicts if v.faults)
        ends = Counter("to the end" if v.status == 0 else "killed" if v.status == -9 else "told" if v.status == 3 else
                       "ended by a library" if label(v.case.fault) == "library_memory" else "wrong"
                       for v in verdicts if v.faults)
        wrong = [v for v in verdicts if v.failure]
        print(f"{len(cases)} runs, calls made to fail: {counted(injected)}; {sum(not v.faults for v in verdicts)} runs "
              f"untouched; ended: {counted(ends)}; not as they should: {len(wrong)}: "
              f"{counted(Counter(label(v.case.fault) for v in wrong))}", flush=True)
        if path := os.environ.get("MPCFLOW_FAULTS_LIST"):
            Path(path).write_text("".join(f"{v.case.start}: {v.case.fault} [{v.fault}]: {v.failure}\n" for v in wrong))
        for kind in ALWAYS_MADE + ("kill",):
            self.assertGreater(injected[kind], 0, f"no {kind} was made to fail")
        listed = "\n".join(f"{v.case.start}: {v.case.fault} [{v.fault}]: {v.failure}" for v in wrong[:20])
        self.assertEqual(len(wrong), 0, f"of {len(cases)} cases:\n{listed}")


def label(fault: Fault) -> str:
    return "kill" if fault.mode == "kill" else fault.kinds


def counted(counts: Counter[str]) -> str:
    return ", ".join(f"{count} {name}" for name, count in sorted(counts.items())) or "none"


def sample(cases: list[Case], size: int, chance: random.Random) -> list[Case]:
    """Some of them, the same number of each kind and start as far as there are so many."""
    groups: dict[tuple[str, str], list[Case]] = {}
    for case in cases:
        groups.setdefault((case.start, label(case.fault)), []).append(case)
    for group in groups.values():
        chance.shuffle(group)
    found: list[Case] = []
    while len(found) < size and any(groups.values()):
        found += [group.pop() for group in groups.values() if group]
    return found[:size]


if __name__ == "__main__":
    unittest.main()

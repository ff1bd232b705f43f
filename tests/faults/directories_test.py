"""Others at a run's folder: it is moved or removed, or holds links, pipes, devices and folders where files should be."""

from __future__ import annotations

import itertools
import os
import shutil
import socket
import stat
import subprocess
import tempfile
import time
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from faulty import INPUT, INPUT_FILE, folder_fault, make_killed_folder, message_fault, moved_aside_fault, numbers
from faulty import run as run_input

from program import MPCFLOW, ProgramTest

# Every name that a run writes.
NAMES = ("run.h5", "run.h5.tmp", "trajectory.h5", "trajectory.h5.tmp", "trajectory.h5.journal", "fields.h5", "fields.h5.tmp",
         "fields.h5.journal", "checkpoint.h5", "checkpoint.h5.tmp", "checkpoint.previous.h5", "fields.xdmf", "fields.xdmf.tmp",
         "fields_in_time.xdmf", "fields_in_time.xdmf.tmp")
# Those that are there at the end.
RESULTS = ("run.h5", "trajectory.h5", "fields.h5", "checkpoint.h5", "fields.xdmf", "fields_in_time.xdmf")
KINDS = ("link", "dangling link", "link to a folder", "pipe", "device", "folder", "socket")
STARTS = ("anew", "overwrite", "again")
LIMIT_SECONDS = 20
# Which of the cases; "all" for every one.
OBSTACLES = os.environ.get("MPCFLOW_OBSTACLES", "some")


def make_obstacle(kind: str, path: Path, target: Path) -> None:
    """Puts something that is no file at `path`; links lead to `target`."""
    if kind in ("link", "dangling link", "link to a folder"):
        path.symlink_to(target)
    elif kind == "pipe":
        os.mkfifo(path)
    elif kind == "device":
        os.mknod(path, stat.S_IFCHR | 0o666, os.makedev(1, 7))  # /dev/full
    elif kind == "folder":
        path.mkdir()
        (path / "kept").write_text("precious")
    else:
        here = os.open(path.parent, os.O_RDONLY)
        try:  # the path of a socket may not be long
            with socket.socket(socket.AF_UNIX) as end:
                end.bind(f"/proc/self/fd/{here}/{path.name}")
        finally:
            os.close(here)


def may_make_devices(folder: Path) -> bool:
    try:
        os.mknod(folder / "device", stat.S_IFCHR | 0o666, os.makedev(1, 7))
        (folder / "device").unlink()
        return True
    except OSError:
        return False


def state_of(path: Path, told_as: Path | None = None) -> dict[str, str | bytes]:
    """What a path and all below it are, links not followed; perhaps as if it had another name."""
    found: dict[str, str | bytes] = {}
    for each in [path, *path.rglob("*")] if path.is_dir() and not path.is_symlink() else [path]:
        name = str((told_as or path) / each.relative_to(path))
        if each.is_symlink():
            found[name] = os.readlink(each)
        elif each.is_file():
            found[name] = each.read_bytes()
        elif each.exists():
            found[name] = oct(each.stat().st_mode)
    return found


class Moved(ProgramTest):
    """A run whose folder is moved or removed while it goes on."""

    references: dict[str, Path] = {}  # folders of runs that nobody disturbed, each run once

    def setUp(self) -> None:
        super().setUp()
        for name, seed, steps in (("one", 3, 2000), ("two", 4, 100)):
            text = INPUT.replace("Faults", name).replace("seed: 3", f"seed: {seed}").replace("steps: 40", f"steps: {steps}")
            (self.folder / f"{name}.yaml").write_text(text)

    def reference(self, name: str) -> Path:
        if name not in self.references:
            folder = Path(tempfile.mkdtemp(prefix="mpcflow-reference-"))
            self.addClassCleanup(shutil.rmtree, folder, ignore_errors=True)
            self.addClassCleanup(self.references.clear)
            self.mpcflow("run", f"{name}.yaml", "--quiet", "--output", str(folder / name))
            self.references[name] = folder / name
        return self.references[name]

    def start_one(self) -> subprocess.Popen[str]:
        process = self.start("run", "one.yaml", "--quiet", "--output", "d")
        deadline = time.monotonic() + LIMIT_SECONDS
        while not (self.folder / "d/fields.h5").exists():
            self.assertLess(time.monotonic(), deadline, "no results come")
            self.assertIsNone(process.poll(), "it ended")
            time.sleep(0.002)
        return process

    def check(self, folder: str, name: str) -> None:
        self.assertEqual(folder_fault(self.folder / folder, numbers(self.reference(name))), "", folder)
        self.assertEqual(sorted(os.listdir(self.folder / folder)), sorted(os.listdir(self.reference(name))), folder)

    def test_two_runs_of_one_name_each_stay_in_their_own_folder(self) -> None:
        process = self.start_one()
        (self.folder / "d").rename(self.folder / "d_old")
        self.assertIsNone(process.poll(), "ended before its folder was moved")
        self.mpcflow("run", "two.yaml", "--quiet", "--output", "d")
        _, err = process.communicate(timeout=LIMIT_SECONDS)
        self.assertEqual(process.returncode, 0, err)
        self.check("d_old", "one")
        self.check("d", "two")

    def test_a_run_in_a_folder_that_was_moved_is_still_alone_there(self) -> None:
        process = self.start_one()
        (self.folder / "d").rename(self.folder / "d_old")
        done = self.mpcflow("run", "two.yaml", "--quiet", "--output", "d_old", "--overwrite", status=3)
        self.assertIsNone(process.poll(), "ended before the other began")
        self.assertIn("another run is writing to it", done.stderr)
        _, err = process.communicate(timeout=LIMIT_SECONDS)
        self.assertEqual(process.returncode, 0, err)
        self.check("d_old", "one")

    def test_tasks_of_an_array_are_told_to_have_folders_of_their_own(self) -> None:
        process = self.start_one()
        task = dict(os.environ, SLURM_JOB_ID="1240", SLURM_ARRAY_JOB_ID="1234", SLURM_ARRAY_TASK_ID="7")
        done = self.mpcflow("run", "two.yaml", "--quiet", "--output", "d", "--overwrite", status=3, env=task)
        self.assertIsNone(process.poll(), "ended before the other began")
        self.assertIn("each task of an array needs one, here d-7", done.stderr)
        process.kill()
        process.communicate(timeout=LIMIT_SECONDS)

    def test_a_folder_that_is_removed(self) -> None:
        for is_made_again in (False, True):
            process = self.start_one()
            (self.folder / "d").rename(self.folder / "going")
            if is_made_again:
                (self.folder / "d").mkdir()
            before = sorted(os.listdir(self.folder))
            # The run makes new files while it is removed.
            deadline = time.monotonic() + 30
            while (self.folder / "going").exists() and time.monotonic() < deadline:
                shutil.rmtree(self.folder / "going", ignore_errors=True)
            _, err = process.communicate(timeout=LIMIT_SECONDS)
            self.assertEqual(process.returncode, 3, err)
            self.assertEqual(message_fault(err), "", err)
            before.remove("going")
            self.assertEqual(sorted(os.listdir(self.folder)), before)
            if is_made_again:
                self.assertEqual(os.listdir(self.folder / "d"), [])


class Obstacles(ProgramTest):
    """Things that are no files where a run writes, or reads."""

    def obstacles(self) -> list[str]:
        return [kind for kind in KINDS if kind != "device" or may_make_devices(self.folder)]

    def fault_of(self, start: str, name: str, kind: str) -> str:
        """Runs with an obstacle; what is wrong with what came of it, empty for nothing."""
        folder = self.folder / f"{start} {name} {kind}".replace(" ", "_")
        out = folder / "out"
        elsewhere = folder / "elsewhere"
        elsewhere.mkdir(parents=True)
        if start == "again":
            shutil.copytree(self.folder / "killed/out", out)
        elif start == "overwrite":
            shutil.copytree(self.folder / "reference/out", out)
        else:
            out.mkdir()
        target = elsewhere / ("missing" if kind == "dangling link" else "folder" if kind == "link to a folder" else "file")
        path = out / name
        if kind == "link":  # to what would be right there
            target.write_bytes(path.read_bytes() if path.exists() else b"precious")
        elif kind == "link to a folder":
            target.mkdir()
            (target / "kept").write_text("precious")
        path.unlink(missing_ok=True)
        make_obstacle(kind, path, target)
        before, itself = state_of(elsewhere), state_of(path)
        (folder / INPUT_FILE).write_text(INPUT)
        arguments = [MPCFLOW, "run", INPUT_FILE, "--quiet", *(["--overwrite"] if start == "overwrite" else [])]
        try:
            done = subprocess.run(arguments, cwd=folder, capture_output=True, text=True, timeout=LIMIT_SECONDS)
        except subprocess.TimeoutExpired:
            return "hangs"
        told = f" (status {done.returncode}: {done.stderr.strip()})"
        if state_of(elsewhere) != before:
            return "changed the target of a link" + told
        aside = [each for each in out.iterdir() if "damaged" in each.name]
        if kind == "folder" and itself not in [state_of(each, path) for each in [path, *aside]]:
            return "changed a folder" + told
        if done.returncode == 3:
            return (message_fault(done.stderr) or "") and message_fault(done.stderr) + told
        if done.returncode != 0:
            return "wrong status" + told
        if name in RESULTS and (path.is_symlink() or not path.is_file()):
            return "ended well without a file there" + told
        found = moved_aside_fault(out, done.stderr, self.expected) if aside else folder_fault(out, self.expected)
        return found + told if found else ""

    def test_where_a_run_writes(self) -> None:
        for name in ("reference", "killed"):
            (self.folder / name).mkdir()
        self.assertEqual(run_input(self.folder / "reference", "--quiet").returncode, 0)
        self.expected = numbers(self.folder / "reference/out")
        make_killed_folder(self.folder / "killed")
        # Each kind of obstacle at each name, at each start each name and each kind; with "all" all three of each other.
        places = itertools.product(enumerate(STARTS), enumerate(NAMES), enumerate(self.obstacles()))
        cases = [(start, name, kind) for (i, start), (j, name), (k, kind) in places
                 if OBSTACLES == "all" or (i + j + k) % len(STARTS) == 0]
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            faults = list(pool.map(lambda case: self.fault_of(*case), cases))
        wrong = [f"{start}: {name} is a {kind}: {fault}" for (start, name, kind), fault in zip(cases, faults) if fault]
        print(f"{len(cases)} runs with something else where a file should be, {len(wrong)} not as they should")
        listed = "\n".join(wrong)
        self.assertEqual(len(wrong), 0, f"\n{listed}")

    def test_a_link_that_comes_while_the_run_goes_on(self) -> None:
        """run.h5 is written anew every few seconds, and at the end."""
        (self.folder / INPUT_FILE).write_text(INPUT.replace("steps: 40", "steps: 3000"))
        (self.folder / "precious").write_text("precious")
        process = self.start("run", INPUT_FILE, "--quiet")
        deadline = time.monotonic() + LIMIT_SECONDS
        while not (self.folder / "out/fields.h5").exists():
            self.assertLess(time.monotonic(), deadline, "no results come")
            time.sleep(0.002)
        for name in ("run.h5.tmp", "checkpoint.h5.tmp", "fields.xdmf.tmp", "fields_in_time.xdmf.tmp"):
            try:
                (self.folder / "out" / name).symlink_to(self.folder / "precious")
            except FileExistsError:
                continue  # it is being written
        self.assertIsNone(process.poll(), "ended before there was a link")
        _, err = process.communicate(timeout=LIMIT_SECONDS)
        self.assertIn(process.returncode, (0, 3), err)
        self.assertEqual((self.folder / "precious").read_text(), "precious")
        self.assertFalse((self.folder / "out/run.h5").is_symlink())

    def test_where_a_file_is_read(self) -> None:
        (self.folder / INPUT_FILE).write_text(INPUT)
        for kind in self.obstacles():
            path = self.folder / kind.replace(" ", "_")
            target = self.folder / "missing"
            if kind == "link to a folder":
                target = self.folder / "folder_of_link"
                target.mkdir()
            if kind == "link":
                continue  # those of whom one reads may be where they like
            make_obstacle(kind, path, target)
            for arguments in (["info", path.name], ["info", "--json", path.name],
                              ["run", INPUT_FILE, "--quiet", "--restart", path.name]):
                with self.subTest(kind=kind, arguments=arguments):
                    done = subprocess.run([MPCFLOW, *arguments], cwd=self.folder, capture_output=True, text=True,
                                          timeout=LIMIT_SECONDS)
                    self.assertEqual(done.returncode, 3, done.stderr)
                    self.assertEqual(message_fault(done.stderr), "", done.stderr)
                    self.assertIn(path.name, done.stderr)
                    self.assertFalse((self.folder / "out/run.h5").exists())


if __name__ == "__main__":
    unittest.main()

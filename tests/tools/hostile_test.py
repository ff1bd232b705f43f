"""Result files that someone forged: whatever is in them, no command hangs, shows a traceback, or sends a terminal commands.

Each case takes the files of a real run, changes something (mutations.py), gives them the seals and checksums that a forger would give
them, and runs commands on them in this process. MPCFLOW_HOSTILE_CASES says how many cases (default: 300).
"""

from __future__ import annotations

import contextlib
import importlib
import io
import os
import random
import resource
import shutil
import signal
import socket
import time
import traceback
import unicodedata
import unittest
import xml.etree.ElementTree as xml
import zipfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from types import FrameType

from forging import edited
from made_runs import FLOW, REGION, REST, WALLS, ToolTest, made
from mpcflow_tools.texts import is_name
from mutations import forge

CASES = int(os.environ.get("MPCFLOW_HOSTILE_CASES", "300"))
LIMIT = 10.0  # seconds of a processor for a command
PATIENCE = 60.0  # seconds by the clock, for one that waits: others run beside it
OBSERVABLES = ("modes", "diffusion", "radial_distribution", "structure_factor", "stress", "walls", "histograms")
RUNS = (FLOW.replace("bins: [2, 1, 10]", "bins: [2, 1, 10], time_window: 40").replace("every: 100, quan", "every: 125, quan"),
        REST.replace("steps: 1500", "steps: 150").replace("size: [8, 8, 8]", "size: [4, 4, 4]"),
        WALLS.replace("steps: 3000", "steps: 300"), REGION)


class Hang(BaseException):
    """A command has taken too long."""


def _on_alarm(number: int, frame: FrameType | None) -> None:
    raise Hang


@contextlib.contextmanager
def in_folder(folder: Path) -> Iterator[None]:
    before = os.getcwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


class Hostile(ToolTest):
    def setUp(self) -> None:
        super().setUp()
        self.statuses: Counter[int | str] = Counter()

    def say_of(self, module: str, *arguments: object) -> tuple[int | str, str, str]:
        """Exit status (or what came instead), stdout and stderr of a command that is run in this process."""
        streams = [io.TextIOWrapper(io.BytesIO(), encoding="utf-8", errors="strict", newline="\n") for _ in range(2)]
        main = importlib.import_module(f"mpcflow_tools.{module}").main
        timers = {signal.ITIMER_PROF: (signal.SIGPROF, LIMIT), signal.ITIMER_REAL: (signal.SIGALRM, PATIENCE)}
        before = {number: signal.signal(number, _on_alarm) for number, _ in timers.values()}
        for timer, (_, seconds) in timers.items():
            signal.setitimer(timer, seconds)
        status: int | str
        try:
            with contextlib.redirect_stdout(streams[0]), contextlib.redirect_stderr(streams[1]):
                status = main([str(argument) for argument in arguments])
        except Hang:
            status = "hangs: " + traceback.format_exc(limit=-6)
        except (Exception, SystemExit):
            status = traceback.format_exc(limit=-6)
        finally:
            for timer, (number, _) in timers.items():
                signal.setitimer(timer, 0.0)
                signal.signal(number, before[number])
        texts = []
        for stream in streams:
            stream.flush()
            texts.append(stream.buffer.getvalue().decode("utf-8", errors="surrogateescape"))
        return status, texts[0], texts[1]

    def fault_of(self, module: str, *arguments: object) -> str:
        """What is wrong with the behaviour of a command; empty where nothing is."""
        status, out, err = self.say_of(module, *arguments)
        self.statuses[status] += 1
        if status not in (0, 2, 3):
            return f"status {status}"
        for character in out + err:
            if character != "\n" and unicodedata.category(character) in ("Cc", "Cs", "Cf", "Zl", "Zp"):
                return f"prints {character!r}"
        if err.count("\n") != (1 if status else err.count("\n") and 1) or (err and not err.endswith("\n")):
            return f"says with status {status}: {err!r}"
        return ""

    def commands(self, folder: Path, pick: random.Random, part: str) -> list[tuple[object, ...]]:
        """Some that read `part` of the files, and the two that read nearly everything."""
        picture, page = ("--output", folder / "a.png", "--overwrite"), ("--output", folder / "a.html", "--overwrite")
        chosen: list[tuple[object, ...]] = [("analyze", folder, *(["--json"] if pick.random() < 0.3 else [])), ("watch", folder, "--once")]
        group = part.split("/")[0]
        converts = {"fields": (".vti", ".csv", ".npz"), "windows": (".pvd", ".csv", ".npz"), "series": (".csv", ".npz"),
                    "particles": (".xyz", ".lammpstrj", ".csv", ".npz")} | {name: (".csv", ".npz") for name in OBSERVABLES}
        subject = group if group in converts else pick.choice(sorted(converts))
        options = (["--unwrap"] if subject == "particles" and pick.random() < 0.5 else
                   ["--quantity", "numbers"] if subject in OBSERVABLES and pick.random() < 0.3 else [])
        ending = pick.choice(converts[subject])
        chosen.append(("convert", folder, subject, folder / f"a{ending}", "--overwrite", *(options if ending == ".csv" or subject == "particles" else [])))
        drawn = {"series": ["series/temperature", "series/momentum"], "fields": ["fields/velocity", "fields/density", "flow"],
                 "windows": ["windows/velocity", "windows/density"], "histograms": ["histograms"]} | {name: [name] for name in OBSERVABLES}
        if pick.random() < 0.25:
            subjects = drawn.get(group) or [pick.choice(["flow", "series/temperature", "fields/velocity", "diffusion", "stress", "histograms"])]
            across = ["--across", pick.choice("xyz")] if subjects[0].startswith("fields") and pick.random() < 0.4 else []
            subject = pick.choice(subjects)
            chosen.append(("plot", folder, subject, *(across if subject.startswith("fields") else []), *picture))
        if pick.random() < 0.25:
            chosen.append(("plot", folder))
        if pick.random() < 0.04:
            chosen.append(("report", folder, *page))
        return chosen

    def written_fault(self, folder: Path) -> str:
        """What is wrong with the files that commands wrote."""
        for path in folder.rglob("a*.npz"):
            if not all(is_name(name) for name in zipfile.ZipFile(path).namelist() if "/" not in name) or any(
                    name.startswith(("/", "..")) or name.count("/") > 1 for name in zipfile.ZipFile(path).namelist()):
                return f"names in {path.name}: {zipfile.ZipFile(path).namelist()}"
        for path in folder.rglob("*.vti"):
            head = path.read_bytes().partition(b'<AppendedData encoding="raw">')[0]
            xml.fromstring(head + b"</VTKFile>")
        return ""

    def test_forged_files(self) -> None:
        runs = [made(text) for text in RUNS]
        begun = time.monotonic()
        for case in range(CASES):
            pick = random.Random(case)
            folder = Path(shutil.copytree(pick.choice(runs), self.folder / "forged"))
            target = pick.choice([name for name in ("run.h5", "run.h5", "run.h5", "fields.h5", "trajectory.h5") if (folder / name).exists()])
            with edited(folder / target, anything=True) as file:
                try:
                    part, what = forge(file, pick)
                except (OSError, RuntimeError, TypeError, ValueError) as error:  # what h5py writes for nobody; half of it may be there
                    part, what = "", f"nothing ({error})"
            part = {"fields.h5": "windows", "trajectory.h5": "particles"}.get(target, part)
            for command in self.commands(folder, pick, part):
                with self.subTest(case=case, forged=f"{target}: {what}", command=[str(word) for word in command]):
                    self.assertEqual(self.fault_of(str(command[0]), *command[1:]), "")
            with self.subTest(case=case, forged=f"{target}: {what}"):
                self.assertEqual(self.written_fault(folder), "")
            shutil.rmtree(folder)
        self.assertLess(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, 700_000)  # KiB, with matplotlib
        print(f"{CASES} cases, {time.monotonic() - begun:.0f} s, commands by exit status: {dict(self.statuses)}")

    def test_what_is_forged_is_whole_before(self) -> None:
        for number, text in enumerate(RUNS):
            folder = Path(shutil.copytree(made(text), self.folder / str(number)))
            report: tuple[object, ...] = ("report", "--output", self.folder / "a.html", "--overwrite")
            for module, *arguments in (("analyze",), ("watch", "--once"), ("plot",), *([report] if number == 0 else [])):
                self.assertEqual(self.say_of(str(module), folder, *arguments)[::2], (0, ""), (module, number))

    def test_no_regular_files(self) -> None:
        """What is a FIFO, a folder, a device, a socket or a link to nowhere in place of a result file is refused at once."""
        names = {"run.h5": "fields", "fields.h5": "windows", "trajectory.h5": "particles"}
        for name, subject in names.items():
            folder = Path(shutil.copytree(made(RUNS[0]), self.folder / f"{name} is none"))
            path = folder / name
            for kind in ("fifo", "folder", "device", "zero", "socket", "link", "empty"):
                path.unlink()
                if kind == "fifo":
                    os.mkfifo(path)
                elif kind == "folder":
                    path.mkdir()
                elif kind in ("device", "zero"):
                    path.symlink_to("/dev/tty" if kind == "device" else "/dev/zero")
                elif kind == "socket":
                    with in_folder(folder):  # as names of sockets are short
                        with contextlib.closing(socket.socket(socket.AF_UNIX)) as made_socket:
                            made_socket.bind(name)
                elif kind == "link":
                    path.symlink_to("nowhere")
                else:
                    path.write_bytes(b"")
                with self.subTest(name=name, kind=kind):
                    begun = time.monotonic()
                    status, _, err = self.say_of("convert", folder, subject, folder / "a.npz")
                    self.assertEqual((status, err.count("\n")), (3, 1), err)
                    for module, *arguments in (("analyze",), ("watch", "--once"), ("plot",)):
                        self.assertEqual(self.fault_of(module, folder, *arguments), "")
                    self.assertLess(time.monotonic() - begun, 5.0)
                if path.is_dir() and not path.is_symlink():
                    path.rmdir()
                    path.write_bytes(b"")


if __name__ == "__main__":
    unittest.main()

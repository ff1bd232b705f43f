"""What tests of runs on several ranks have in common: mpirun, and finding the processes that it started."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

for room in ("app", "faults"):
    sys.path.append(str(Path(__file__).resolve().parents[1] / room))

from program import MPCFLOW  # noqa: E402
from restarting import RestartTest  # noqa: E402

MPIRUN = os.environ.get("MPIRUN", "mpirun")
LONGEST = 120  # seconds that any of these may take, on a machine with much else to do


class RanksTest(RestartTest):
    def command(self, ranks: int, *arguments: str) -> list[str]:
        return [MPIRUN, "-n", str(ranks), MPCFLOW, *arguments]

    def on_ranks(self, ranks: int, *arguments: str, status: int | None = 0) -> subprocess.CompletedProcess:
        """Runs the program on several ranks in the folder and checks the exit status."""
        return self.launch(self.command(ranks, *arguments), status)

    def launch(self, command: list[str], status: int | None = 0) -> subprocess.CompletedProcess:
        process = self.start_ranks(command)
        out, err = self.what_was_said(process, LONGEST)
        if status is not None:
            self.assertEqual(process.returncode, status, f"{' '.join(command)}\n{out}{err}")
        return subprocess.CompletedProcess(command, process.returncode, out, err)

    def start_ranks(self, command: list[str]) -> subprocess.Popen:
        # Open MPI makes a folder of the machine and the user, and removes it with the last of them: of two that begin
        # and end at once one finds no way. So each has its own.
        own_place = Path(tempfile.mkdtemp(prefix="ranks-"))
        self.addCleanup(shutil.rmtree, own_place, ignore_errors=True)
        process = subprocess.Popen(command, cwd=self.folder, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   start_new_session=True, env={**os.environ, "TMPDIR": str(own_place)})

        def clean_up() -> None:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
            process.communicate()

        self.addCleanup(clean_up)
        return process

    def what_was_said(self, process: subprocess.Popen, seconds: float) -> tuple[str, str]:
        """By an mpirun until its end, which must come within so many seconds."""
        try:
            return process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            for pid in [process.pid, *self.ranks_of(process)]:
                os.kill(pid, signal.SIGKILL)
            out, err = process.communicate()
            raise AssertionError(f"not at its end after {seconds} s\n{out}{err}") from None

    def ranks_of(self, process: subprocess.Popen) -> list[int]:
        """The process ids of the ranks that an mpirun has started, in the order of the ranks."""
        found = {}
        for entry in Path("/proc").iterdir():
            if not entry.name.isdigit():
                continue
            try:
                parent = int((entry / "stat").read_text().rsplit(")", 1)[1].split()[1])
                environment = (entry / "environ").read_bytes().split(b"\0")
            except (OSError, IndexError):
                continue
            rank = [word.split(b"=")[1] for word in environment if word.startswith(b"OMPI_COMM_WORLD_RANK=")]
            if parent == process.pid and rank:
                found[int(rank[0])] = int(entry.name)
        return [found[rank] for rank in sorted(found)]

    def check_all_gone(self, pids: list[int], seconds: float = 5.0) -> None:
        deadline = time.monotonic() + seconds
        while any(Path(f"/proc/{pid}").exists() for pid in pids):
            self.assertLess(time.monotonic(), deadline, "some ranks are still there")
            time.sleep(0.02)

    def messages(self, text: str) -> list[str]:
        """What mpcflow itself says of an error; what mpirun adds is its own."""
        return [line for line in text.splitlines() if line.startswith("mpcflow: ")]

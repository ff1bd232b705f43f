"""The local queues of a sweep as other processes see them: what each has of it, and how it is ended.

While a queue runs, a file in the sweep's folder tells its process and its cases: queue-NODE-PROCESS.json. The number of a process
is given to others when it has ended; it is the queue's where that process began when the file says, in the boot that it says.
"""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mpcflow_tools.batch.folder import Sweep, local_task, read_attempts
from mpcflow_tools.batch.lock import is_locked
from mpcflow_tools.batch.schedulers import RUNNING, WAITING, Queue
from mpcflow_tools.command import whole_file
from mpcflow_tools.errors import ResultsError

_FORMAT = {"format": "mpcflow local queue", "format_version": 1}
_PATTERN = "queue-*.json"


def beginning_of(process: int) -> str:
    """When a process of this machine began, as no other of its number did; empty where it has ended."""
    try:
        # After the name, which may hold anything: the state, and 19 fields on the ticks from the boot to its beginning.
        fields = Path(f"/proc/{process}/stat").read_text(errors="replace").rpartition(")")[2].split()
        boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
        return "" if fields[0] in "ZX" else f"{boot} {fields[19]}"
    except (OSError, IndexError):
        return ""


@dataclass(frozen=True)
class _Found:
    """What the file of a queue tells."""

    path: Path
    node: str
    process: int
    began: str
    running: list[int]
    waiting: list[int]

    @property
    def is_here(self) -> bool:
        return self.node == os.uname().nodename

    def is_alive(self, sweep: Sweep) -> bool:
        """Of another node nothing tells but the locks of the cases that it runs, if it is who began them last."""
        if self.is_here:
            return beginning_of(self.process) == self.began
        return any(self._began(case, sweep) and is_locked(sweep.case_folder(sweep.cases[case])) for case in self.running)

    def _began(self, case: int, sweep: Sweep) -> bool:
        began = [line for line in read_attempts(sweep.case_folder(sweep.cases[case])) if line.get("event") == "began"]
        return [(line.get("job"), line.get("node")) for line in began[-1:]] == [(local_task(case), self.node)]

    def end(self) -> None:
        """Sends it SIGTERM; a process that has taken over its number gets none."""
        try:
            # Of the process, not of its number: what is looked at is what gets the signal.
            process = os.pidfd_open(self.process)
        except ProcessLookupError:
            return
        except OSError:  # a kernel before 5.3
            if beginning_of(self.process) == self.began:
                os.kill(self.process, signal.SIGTERM)
            return
        try:
            if beginning_of(self.process) == self.began:
                signal.pidfd_send_signal(process, signal.SIGTERM)
        except ProcessLookupError:
            pass
        finally:
            os.close(process)


def _cases(found: Any, sweep: Sweep) -> list[int]:
    return [case for case in map(int, found) if 0 <= case < len(sweep.cases)]


def _files(sweep: Sweep) -> list[_Found]:
    found = []
    for path in sorted(sweep.folder.glob(_PATTERN)):
        try:
            facts = json.loads(path.read_text(encoding="utf-8"))
            if {key: facts.get(key) for key in _FORMAT} == _FORMAT and facts["began"] and int(facts["process"]) > 1:
                found.append(_Found(path, str(facts["node"]), int(facts["process"]), str(facts["began"]), _cases(facts["running"], sweep),
                                    _cases(facts["waiting"], sweep)))
        except (OSError, ValueError, TypeError, KeyError, AttributeError):  # it has ended by now, or is another's file
            continue
    return found


class QueueFile:
    """The file of the queue that this process is."""

    def __init__(self, sweep: Sweep) -> None:
        for one in _files(sweep):  # of queues that were killed
            if one.is_here and not one.is_alive(sweep):
                one.path.unlink(missing_ok=True)
        node, process = os.uname().nodename, os.getpid()
        self._path = sweep.folder / f"queue-{node}-{process}.json"
        self._process = _FORMAT | {"node": node, "process": process, "began": beginning_of(process)}
        self._written: Any = None

    def write(self, running: Sequence[int], waiting: Sequence[int]) -> None:
        """The whole of it, where it has changed."""
        cases = {"running": list(running), "waiting": list(waiting)}
        if cases != self._written:
            with whole_file(self._path, overwrite=True) as path:
                path.write_text(json.dumps(self._process | cases) + "\n", encoding="utf-8")
            self._written = cases

    def remove(self) -> None:
        self._path.unlink(missing_ok=True)


class LocalQueues(Queue):
    """Those that run cases of a sweep, in whichever terminals."""

    def __init__(self, sweep: Sweep) -> None:
        self._sweep = sweep

    def _alive(self) -> list[_Found]:
        return [one for one in _files(self._sweep) if one.is_alive(self._sweep)]

    def tasks(self) -> dict[str, str]:
        queues = self._alive()
        waiting = {local_task(case): WAITING for one in queues for case in one.waiting}
        return waiting | {local_task(case): RUNNING for one in queues for case in one.running}

    def cancel(self, tasks: Sequence[str]) -> None:
        """Ends the queues that have any of these tasks, whole. Each notes the end of its cases itself."""
        asked = [one for one in self._alive() if not set(tasks).isdisjoint(map(local_task, one.running + one.waiting))]
        for one in asked:
            if not one.is_here:
                raise ResultsError(f"{self._sweep.folder}: a local queue of node {one.node} runs cases of it (process {one.process}): "
                                   "call `mpcflow-submit cancel` there")
        for one in asked:
            one.end()

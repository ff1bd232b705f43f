"""The lock of a case: of all workers and local queues one at a time runs it, on whichever nodes they are."""

from __future__ import annotations

import errno
import fcntl
import os
import struct
import time
from pathlib import Path

from mpcflow_tools.command import complain
from mpcflow_tools.errors import ResultsError

LOCK_FILE = "lock"


class LockedError(ResultsError):
    """Another process has the lock."""


def take_lock(folder: Path, patience: float = 0.0) -> int:
    """Takes the lock of a case, waiting so many seconds at most; it is held until the descriptor that is returned is closed, or the
    process ends. Raises LockedError. Where a file system has no locks, it says so and goes on.

    It is a lock on bytes of a file (fcntl), which NFS passes on to all nodes; one on a folder (flock) it keeps to the node.
    """
    path = folder / LOCK_FILE
    lock = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
    until = time.monotonic() + patience
    while True:
        try:
            fcntl.lockf(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return lock
        except OSError as error:
            if error.errno not in (errno.EAGAIN, errno.EACCES):
                complain(f"mpcflow-submit: {path}: cannot be locked ({error.strerror}): nothing but you prevents two jobs in "
                         "this folder")
                return lock
            if time.monotonic() >= until:
                os.close(lock)
                raise LockedError(f"{folder}: another job runs this case; this one leaves it alone") from error
        time.sleep(1.0)


def is_locked(folder: Path) -> bool:
    """Whether another process has the lock. Not for a process that has it itself: to close any descriptor of the file frees it."""
    try:
        file = os.open(folder / LOCK_FILE, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        # Asks, and takes nothing, so that a job that begins now is not turned away: struct flock of 64-bit Linux.
        layout = "hhqqi4x"
        asked = struct.pack(layout, fcntl.F_WRLCK, os.SEEK_SET, 0, 0, 0)
        return bool(struct.unpack(layout, fcntl.fcntl(file, fcntl.F_GETLK, asked))[0] != fcntl.F_UNLCK)
    except OSError:
        return False
    finally:
        os.close(file)

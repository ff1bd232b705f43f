"""What a disk may hold after the power was lost, from a record of all changes of a folder (record_calls.cpp).

What was forced to the disk is there. Of what came after:
- of a file's bytes, each page of 4 KiB as it was at any moment since, also torn: its first sectors newer than the others;
- of its sizes any since; what is not there reads as zeros;
- of the names that were made, changed and removed in the folder some first ones, as file systems keep their order, and now
  and then any of them, as some do not.
"""

from __future__ import annotations

import os
import random
import struct
from dataclasses import dataclass, field
from pathlib import Path

PAGE = 4096
SECTOR = 512
HEADER = struct.Struct("<iiiiqqq")
MADE, WRITTEN, SIZED, RENAMED, UNLINKED, SYNCED, DIRECTORY_SYNCED = range(1, 8)


@dataclass(frozen=True)
class Event:
    kind: int
    name: str = ""  # in the folder
    second_name: str = ""
    inode: int = 0
    number: int = 0
    data: bytes = b""


def read_log(path: Path, folder: Path) -> list[Event]:
    """The record of the changes of `folder`."""
    log = path.read_bytes()
    events = []
    at = 0
    while at < len(log):
        kind, first, second, _, inode, number, count = HEADER.unpack_from(log, at)
        at += HEADER.size
        parts = []
        for length in (first, second, count):
            parts.append(log[at:at + length])
            at += length
        names = [os.path.relpath(os.path.normpath(part.decode()), folder) if part else "" for part in parts[:2]]
        assert all("/" not in name for name in names), names
        events.append(Event(kind, names[0], names[1], inode, number, parts[2]))
    return events


def events_of(folder: Path) -> list[Event]:
    """What makes a folder as it is, all of it on the disk."""
    events = []
    for path in sorted(folder.iterdir()):
        inode = path.stat().st_ino
        events += [Event(MADE, path.name, inode=inode), Event(WRITTEN, inode=inode, data=path.read_bytes()),
                   Event(SYNCED, inode=inode)]
    return events + [Event(DIRECTORY_SYNCED)]


@dataclass
class StoredFile:
    """A file of which all changes are known: as it was last forced to the disk, and what was done since."""
    durable: bytes = b""
    now: bytearray = field(default_factory=bytearray)
    since: list[Event] = field(default_factory=list)

    def change(self, event: Event) -> None:
        apply(event, self.now)
        self.since.append(event)

    def sync(self) -> None:
        self.durable = bytes(self.now)
        self.since = []

    def after_power_loss(self, chance: random.Random) -> bytes:
        """What may be there of it."""
        if not self.since:
            return self.durable
        pages, sizes = self.versions()
        newest = chance.choice((0.0, 0.1, 0.5, 0.9, 1.0))
        # How many changes of its size are there, all before them included.
        last = len(sizes) - 1 if chance.random() < newest else chance.randrange(len(sizes))
        moment, size = sizes[last]
        found = bytearray(size)
        for page in range((size + PAGE - 1) // PAGE):
            begin = page * PAGE
            if page in pages:
                content = chosen_page(pages[page], moment, newest, chance)
            else:
                content = self.durable[begin:begin + PAGE]
            content = content[:size - begin]
            found[begin:begin + len(content)] = content
        return bytes(found)

    def versions(self) -> tuple[dict[int, list[tuple[int, bytes | None]]], list[tuple[int, int]]]:
        """Of each changed page its contents by when they came, None for cut off; and all sizes by when they came."""
        content = bytearray(self.durable)
        pages: dict[int, list[tuple[int, bytes | None]]] = {}
        sizes = [(-1, len(content))]

        def add(page: int, when: int, version: bytes | None) -> None:
            begin = page * PAGE
            pages.setdefault(page, [(-1, self.durable[begin:begin + PAGE].ljust(PAGE, b"\0"))]).append((when, version))

        for when, event in enumerate(self.since):
            before = len(content)
            apply(event, content)
            if event.kind == WRITTEN:
                for page in range(event.number // PAGE, (event.number + len(event.data) - 1) // PAGE + 1):
                    add(page, when, bytes(content[page * PAGE:(page + 1) * PAGE]).ljust(PAGE, b"\0"))
            elif len(content) < before:
                whole = (len(content) + PAGE - 1) // PAGE
                if len(content) % PAGE:
                    add(whole - 1, when, bytes(content[(whole - 1) * PAGE:]).ljust(PAGE, b"\0"))
                for page in range(whole, (before + PAGE - 1) // PAGE):
                    add(page, when, None)
            if len(content) != before:
                sizes.append((when, len(content)))
        return pages, sizes


def apply(event: Event, content: bytearray) -> None:
    if event.kind == WRITTEN:
        if len(content) < event.number:
            content.extend(bytes(event.number - len(content)))
        content[event.number:event.number + len(event.data)] = event.data
    elif event.kind == SIZED:
        del content[event.number:]
        content.extend(bytes(event.number - len(content)))


def chosen_page(versions: list[tuple[int, bytes | None]], moment: int, newest: float, chance: random.Random) -> bytes:
    """One of a page's contents, or the beginning of one and the rest of an older one. What was cut off by `moment`, when
    the size is of, does not come back."""
    cuts = [i for i, (when, content) in enumerate(versions) if content is None and when <= moment]
    left = versions[cuts[-1] + 1:] if cuts else versions
    contents = [content for _, content in left if content is not None]
    if cuts:
        contents.insert(0, bytes(PAGE))
    at = len(contents) - 1 if chance.random() < newest else chance.randrange(len(contents))
    if at > 0 and chance.random() < 0.1:
        torn = SECTOR * chance.randrange(1, PAGE // SECTOR)
        return contents[at][:torn] + contents[chance.randrange(at)][torn:]
    return contents[at]


class Disk:
    """A folder whose changes are replayed, at first empty."""

    def __init__(self) -> None:
        self.names: dict[str, StoredFile] = {}
        self.inodes: dict[int, StoredFile] = {}
        self.durable_names: dict[str, StoredFile] = {}
        self.renamings: list[tuple[Event, StoredFile]] = []

    def replay(self, event: Event) -> None:
        if event.kind == MADE:
            self.inodes[event.inode] = StoredFile()
        if event.kind in (MADE, RENAMED, UNLINKED):
            file = self.inodes[event.inode] if event.kind == MADE else self.names[event.name]
            self.renamings.append((event, file))
            change_names(self.names, event, file)
        elif event.kind == DIRECTORY_SYNCED:
            self.durable_names = dict(self.names)
            self.renamings = []
        elif event.kind == SYNCED:
            self.inodes[event.inode].sync()
        else:
            self.inodes[event.inode].change(event)

    def contents(self) -> dict[str, bytes]:
        """As all see it while there is power."""
        return {name: bytes(file.now) for name, file in self.names.items()}

    def after_power_loss(self, chance: random.Random) -> dict[str, bytes]:
        """What may be there; which files are there without a name nobody knows."""
        names = dict(self.durable_names)
        kind = chance.random()
        if kind < 0.1:
            kept = [entry for entry in self.renamings if chance.random() < 0.5]
        else:
            count = len(self.renamings)
            kept = self.renamings[:count if kind < 0.4 else chance.randint(0, count)]
        for event, file in kept:
            change_names(names, event, file)
        return {name: file.after_power_loss(chance) for name, file in names.items()}


def change_names(names: dict[str, StoredFile], event: Event, file: StoredFile) -> None:
    if event.kind == MADE:
        names[event.name] = file
    elif event.kind == RENAMED:
        if names.get(event.name) is file:
            del names[event.name]
        names[event.second_name] = file
    elif event.kind == UNLINKED:
        names.pop(event.name, None)


def cut(events: list[Event], at: int, chance: random.Random) -> list[Event]:
    """The first events, the last of them perhaps a write that was not done to its end."""
    first = events[:at]
    if first and first[-1].kind == WRITTEN and len(first[-1].data) > 1 and chance.random() < 0.5:
        last = first[-1]
        first[-1] = Event(WRITTEN, inode=last.inode, number=last.number, data=last.data[:chance.randrange(1, len(last.data))])
    return first


def replay(events: list[Event]) -> Disk:
    disk = Disk()
    for event in events:
        disk.replay(event)
    return disk

"""Opening result files, of which nothing is believed: what is no regular file, no HDF5, or is not what was sealed is refused,
and so is what no file of mpcflow has, such as links into other files."""

from __future__ import annotations

import errno
import io
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import h5py
from h5py import h5a, h5d, h5g, h5l, h5o, h5s, h5t
import numpy as np
from numpy.typing import NDArray

from mpcflow_tools.errors import ResultsError
from mpcflow_tools.integrity import AXES_BY_REFERENCE, DEEPEST_MEMBER, MOST_MEMBERS, damaged, is_sealed, require_attributes, seal_fault
from mpcflow_tools.texts import printable

SIGNATURE = b"\x89HDF\r\n\x1a\n"
# Bytes that may be read at once of a file that is smaller than that, where nothing was written and zeros are read.
LEAST_READ = 1 << 20
# Bytes of an attribute, of which the longest are notes.
LONGEST_ATTRIBUTE = 1 << 24


@contextmanager
def reading(path: Path) -> Iterator[None]:
    """Turns whatever h5py raises at a damaged file into a ResultsError that names it."""
    try:
        yield
    except ResultsError:
        raise
    except (OSError, RuntimeError, LookupError, ValueError, TypeError, AttributeError, ArithmeticError, MemoryError,
            SystemError) as error:
        text = error.strerror if isinstance(error, OSError) and error.strerror else str(error.args[0] if error.args else error)
        reason = printable(text.split("\n", 1)[0], 300)
        raise ResultsError(f"{path}: cannot be read ({reason}): the file is damaged, or was just being written") from error


def result_file(path: Path, name: str) -> Path:
    """`path` itself, or the file `name` in it if it is a folder. Raises ResultsError where it is not."""
    with reading(path):
        file = path / name if path.is_dir() else path
        if not file.exists():
            raise ResultsError(f"{file}: no such file")
        return file


def open_regular(path: Path) -> int:
    """The descriptor of a regular file, to read. A FIFO that nobody writes to would be waited for for ever. Raises ResultsError."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
    except OSError as error:
        if error.errno == errno.ENXIO:  # a socket
            raise ResultsError(f"{path}: is no regular file") from error
        raise ResultsError(f"{path}: cannot be opened ({error.strerror})") from error
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise ResultsError(f"{path}: is no regular file")
    return descriptor


class _Reader(io.RawIOBase):
    """The file of a descriptor, for HDF5 to read: by its name it could be another one by now. HDF5 sets no lock on it, either, which
    would stand in the way of the run that writes it."""

    def __init__(self, descriptor: int) -> None:
        super().__init__()
        self._descriptor = descriptor
        self._place = 0

    def seekable(self) -> bool:
        return True

    def readable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        self._place = offset + (os.fstat(self._descriptor).st_size if whence == os.SEEK_END else self._place if whence == os.SEEK_CUR else 0)
        return self._place

    def tell(self) -> int:
        return self._place

    def readinto(self, buffer: Any) -> int:
        view, count = memoryview(buffer).cast("B"), 0
        while count < len(view):
            got = os.preadv(self._descriptor, [view[count:]], self._place + count)
            if got == 0:
                break
            count += got
        self._place += count
        return count

    def close(self) -> None:
        if not self.closed:
            os.close(self._descriptor)
        super().close()


class Opened:
    """An open result file: what was looked at is what is read, even where another takes its name meanwhile."""

    def __init__(self, file: h5py.File, status: os.stat_result, sealed: bool) -> None:
        self.file = file
        self.status = status
        self.sealed = sealed  # and as it was sealed


def open_file(path: Path) -> Opened:
    """Opens a result file; a run that is writing it is not disturbed. Raises ResultsError: DamagedFile where it is sealed and not
    as it was sealed."""
    descriptor = open_regular(path)
    reader = _Reader(descriptor)
    with reading(path):
        if os.pread(descriptor, len(SIGNATURE), 0) != SIGNATURE:
            raise ResultsError(f"{path}: cannot be read: is no HDF5 file, or was cut short at its head")
        sealed = is_sealed(descriptor)
        fault = seal_fault(descriptor) if sealed else None
        if fault:
            raise damaged(path, fault)
        opened = Opened(h5py.File(reader, "r"), os.fstat(descriptor), sealed)
        try:
            _Members(path).check_group(opened.file["/"].id, "", 0)
        except BaseException:
            opened.file.close()
            raise
    return opened


class _Members:
    """Goes through the objects of a file. Raises ResultsError at what mpcflow does not write."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._left = MOST_MEMBERS

    def refuse(self, name: str, what: str) -> ResultsError:
        return ResultsError(f"{self._path}: {printable(name, 200) or '/'} {what}: this is not what mpcflow writes")

    def check_group(self, group: h5g.GroupID, place: str, depth: int) -> None:
        self.check_attributes(group, place)
        self._left -= group.get_num_objs()
        if self._left < 0 or depth > DEEPEST_MEMBER:
            raise self.refuse(place, "holds more groups and datasets than any run has")
        for name in group:
            inner = f"{place}/{name.decode('utf-8', errors='replace')}"
            if group.links.get_info(name).type != h5l.TYPE_HARD:
                raise self.refuse(inner, "is a link to somewhere else")
            member = h5o.open(group, name)
            if isinstance(member, h5g.GroupID):
                self.check_group(member, inner, depth + 1)
            elif isinstance(member, h5d.DatasetID):
                self.check_dataset(member, inner)
            else:
                raise self.refuse(inner, "is neither a group nor a dataset")

    def check_dataset(self, dataset: h5d.DatasetID, place: str) -> None:
        made = dataset.get_create_plist()
        if made.get_layout() not in (h5d.COMPACT, h5d.CONTIGUOUS, h5d.CHUNKED) or made.get_external_count():
            raise self.refuse(place, "has its numbers in another file or dataset")
        self.check_type(dataset, place)
        self.check_attributes(dataset, place)

    def check_attributes(self, member: Any, place: str) -> None:
        require_attributes(member)
        if h5a.get_num_attrs(member) > MOST_MEMBERS:
            raise self.refuse(place, "has more attributes than any run has")
        for index in range(h5a.get_num_attrs(member)):
            attribute = h5a.open(member, index=index)
            if attribute.get_storage_size() > LONGEST_ATTRIBUTE:
                raise self.refuse(place, "has an attribute longer than any run has")
            name = attribute.name.decode("utf-8", errors="replace")
            if isinstance(member, h5d.DatasetID) and name in AXES_BY_REFERENCE:
                continue  # which nothing here reads
            self.check_type(attribute, f"{place}, attribute {name},")

    def check_type(self, found: Any, place: str) -> None:
        kind = found.get_type()
        if kind.get_class() not in (h5t.INTEGER, h5t.FLOAT, h5t.STRING) or (kind.get_class() != h5t.STRING and kind.get_size() > 8):
            raise self.refuse(place, "holds neither numbers nor text")
        if found.get_space().get_simple_extent_type() not in (h5s.SCALAR, h5s.SIMPLE):
            raise self.refuse(place, "has no dimensions")



def _lengths(shape: tuple[int, ...], selection: tuple[int | slice, ...]) -> list[int]:
    chosen = [len(range(*entry.indices(length))) for entry, length in zip(selection, shape) if isinstance(entry, slice)]
    return chosen + list(shape[len(selection):])


def read_numbers(path: Path, dataset: h5py.Dataset, selection: tuple[int | slice, ...] = ()) -> NDArray[Any]:
    """The numbers of a dataset, or some of them as numpy takes them. Raises ResultsError, before any memory is taken where a
    dataset claims to be larger than its file."""
    with reading(path):
        name = printable(dataset.name or "", 200)
        if dataset.dtype.kind not in "iuf":
            raise ResultsError(f"{path}: {name} holds no numbers: this is not what mpcflow writes")
        if len(selection) > dataset.ndim:
            raise ResultsError(f"{path}: {name} has {dataset.ndim} axes, too few: this is not what mpcflow writes")
        size = dataset.dtype.itemsize
        for length in _lengths(dataset.shape, selection):
            size *= length
        if size > max(LEAST_READ, dataset.file.id.get_filesize()):
            raise ResultsError(f"{path}: cannot be read: {name} claims {size:,} bytes, more than the file has: it is damaged")
        return np.asarray(dataset[selection])


def read_text(path: Path, dataset: h5py.Dataset) -> str:
    """A text as it was written, lines and all. Raises ResultsError."""
    with reading(path):
        if dataset.shape != () or dataset.dtype.kind not in "SO" or dataset.dtype.itemsize > max(LEAST_READ, dataset.file.id.get_filesize()):
            raise ResultsError(f"{path}: {printable(dataset.name or '', 200)} is no text: this is not what mpcflow writes")
        value = dataset[()]
        return value.decode("utf-8", errors="replace") if isinstance(value, bytes) else str(value)

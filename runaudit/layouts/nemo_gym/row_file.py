"""Reads one file of rows in one pass, hash included; a large plain file by byte range in several processes.

The result is the same with one process and with many: ranges are joined in file order, a line belongs to the range
that holds its first byte.
"""

import os
from collections.abc import Callable, Iterator

import msgspec

from runaudit.layouts.nemo_gym.harvest import Harvest
from runaudit.layouts.nemo_gym.row_reader import TASK_ID_KEY, RowReader
from runaudit.model.digest import Algorithm
from runaudit.model.finding import Finding
from runaudit.model.trouble import Trouble
from runaudit.read.blocks import Gzip, Plain, Source
from runaudit.read.documents import unreadable
from runaudit.read.explain import encoding_of
from runaudit.read.forking import may_fork
from runaudit.read.lines import Block, Line, blocks_of
from runaudit.read.places import Sight, open_plain
from runaudit.read.workers import LostWorkerError, Workers

_PARALLEL_ABOVE = 16 << 20
_RANGE = 16 << 20
_LOOK = 1 << 16
_FIRST_ROW = 4 << 20


class RowFile(msgspec.Struct, frozen=True):
    """A file of rows to read: where it is, what to call it, how to read its lines."""

    sight: Sight
    path: str
    reader: Callable[[], RowReader]
    most: int
    algorithm: Algorithm | None
    workers: int = 1


def read_rows(file: RowFile, meanwhile: Callable[[], None] | None = None) -> Harvest | Trouble:
    """All rows of the file; a Trouble when it cannot be opened or read.

    `meanwhile` is called while other processes read, and not at all when none do.
    """
    if file.sight.kind != "file":
        return file.sight.trouble("file") or Trouble(id="document-unreadable", message="it is not there")
    try:
        descriptor = open_plain(file.sight.real)
    except OSError as error:
        return unreadable(error)
    try:
        return _read(file, descriptor, meanwhile)
    except OSError as error:
        return unreadable(error)
    finally:
        os.close(descriptor)


def _read(file: RowFile, descriptor: int, meanwhile: Callable[[], None] | None) -> Harvest:
    # what is written behind that meanwhile belongs to no summary that states this size
    size = file.sight.size
    if file.path.endswith(".gz"):
        source: Source = Gzip(descriptor, file.algorithm or "xxh3")
        harvest = _take_all(file, blocks_of(source, file.most))
    elif in_parallel(file.workers, size) and _is_text(descriptor):
        source = Plain(descriptor, file.algorithm, stop=size)
        harvest = _in_ranges(file, descriptor, size, source, meanwhile)
    else:
        source = Plain(descriptor, file.algorithm, stop=size)
        harvest = _take_all(file, blocks_of(source, file.most))
    harvest.settle(last=True)
    harvest.digest, trouble = source.end()
    if trouble is not None:
        harvest.findings.append(msgspec.structs.replace(trouble, line=harvest.lines).at(file.path))
    harvest.findings += _notes(harvest, file.path)
    return harvest


def in_parallel(workers: int, size: int) -> bool:
    """Whether a plain file of `size` bytes is read by several processes."""
    return workers > 1 and size > _PARALLEL_ABOVE and may_fork()


def _take_all(file: RowFile, pieces: Iterator[Block | Line]) -> Harvest:
    reader = file.reader()
    for piece in pieces:
        if isinstance(piece, Block):
            reader.take_block(piece)
        else:
            reader.take(piece)
    return reader.harvest


def _in_ranges(
    file: RowFile, descriptor: int, size: int, source: Source, meanwhile: Callable[[], None] | None
) -> Harvest:
    """Ranges in processes of their own, while this one hashes the whole file."""

    def harvest_of(start: int) -> Harvest:
        harvest = _take_all(file, _lines_in(descriptor, file.most, start, min(start + _RANGE, size), size))
        return msgspec.structs.replace(harvest, table=harvest.table.packed())

    try:
        with Workers(file.workers, harvest_of, range(0, size, _RANGE), hold=True) as workers:
            if meanwhile is not None:
                meanwhile()
            _hash_all(source)
            parts = list(workers.results())
    except LostWorkerError:
        _hash_all(source)
        return _take_all(file, blocks_of(Plain(descriptor, None, stop=size), file.most))
    whole = Harvest()
    for part in parts:
        whole.join(part)
    return whole


def _hash_all(source: Source) -> None:
    buffer = memoryview(bytearray(1 << 20))
    while source.fill(buffer):
        pass


def states_task_ids(file: RowFile) -> bool:
    """Whether the first row of a plain file states its task's id; False where that cannot be seen at once."""
    if file.sight.kind != "file" or file.path.endswith(".gz"):
        return False
    try:
        descriptor = open_plain(file.sight.real)
    except OSError:
        return False
    try:
        first, _, _ = os.pread(descriptor, _FIRST_ROW, 0).partition(b"\n")
    except OSError:
        return False
    finally:
        os.close(descriptor)
    return TASK_ID_KEY in first


def _is_text(descriptor: int) -> bool:
    """Whether lines can be told apart by their bytes alone, wherever one begins to read."""
    return encoding_of(os.pread(descriptor, 4, 0)) is None


def _lines_in(descriptor: int, most: int, start: int, stop: int, size: int) -> Iterator[Block | Line]:
    """The lines whose first byte lies in the range, numbered from 1, with offsets in the whole file of `size` bytes."""
    first = _first_line(descriptor, start, stop)
    if first is None:
        return
    for piece in blocks_of(Plain(descriptor, None, start=first, stop=size), most, first_offset=first):
        if piece.offset >= stop:
            return
        yield piece.before(stop) if isinstance(piece, Block) else piece


def _first_line(descriptor: int, start: int, stop: int) -> int | None:
    """Where the first line begins that begins in the range; None when none does."""
    at = start - 1
    while start and at < stop:
        data = os.pread(descriptor, _LOOK, at)
        cut = data.find(b"\n")
        if cut >= 0 or not data:
            return at + cut + 1 if data and at + cut + 1 < stop else None
        at += len(data)
    return None if start else 0


_NOTED = {
    "crlf": ("odd-encoding", "{} lines end in CR LF"),
    "bom": ("odd-encoding", "the file starts with a byte order mark"),
    "bad-utf8": ("odd-encoding", "{} lines hold bytes that are no UTF-8, outside the fields that are read"),
    "non-finite": ("non-finite-elsewhere", "{} lines hold NaN or Infinity outside the fields that are read"),
}


def _notes(harvest: Harvest, path: str) -> list[Finding]:
    return [
        Finding(
            id=_NOTED[what][0],
            message=_NOTED[what][1].format(noted.count),
            path=path,
            line=noted.line,
            offset=noted.offset,
            level="note",
        )
        for what, noted in sorted(harvest.notes.items())
    ]

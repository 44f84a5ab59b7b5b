"""Reads one file of rows in one pass, hash included; a large plain file by byte range in several processes.

The result is the same with one process and with many: ranges are joined in file order, a line belongs to the range
that holds its first byte.
"""

import os
from collections.abc import Callable, Iterator
from typing import Any

import msgspec

from runaudit.layouts.nemo_gym.harvest import Harvest
from runaudit.layouts.nemo_gym.row_reader import RowReader
from runaudit.model.digest import Algorithm
from runaudit.model.finding import Finding
from runaudit.model.trouble import Trouble
from runaudit.read.blocks import Gzip, Plain, Source
from runaudit.read.documents import unreadable
from runaudit.read.explain import encoding_of
from runaudit.read.lines import Line, lines_of
from runaudit.read.places import Sight, open_plain

_PARALLEL_ABOVE = 96 << 20
_RANGE = 48 << 20


class RowFile(msgspec.Struct, frozen=True):
    """A file of rows to read: where it is, what to call it, how to read its lines."""

    sight: Sight
    path: str
    reader: Callable[[], RowReader]
    most: int
    algorithm: Algorithm | None
    workers: int = 1


def read_rows(file: RowFile) -> Harvest | Trouble:
    """All rows of the file; a Trouble when it cannot be opened or read."""
    if file.sight.kind != "file":
        return file.sight.trouble("file") or Trouble(id="document-unreadable", message="it is not there")
    try:
        descriptor = open_plain(file.sight.real)
    except OSError as error:
        return unreadable(error)
    try:
        return _read(file, descriptor)
    except OSError as error:
        return unreadable(error)
    finally:
        os.close(descriptor)


def _read(file: RowFile, descriptor: int) -> Harvest:
    size = os.fstat(descriptor).st_size
    if file.path.endswith(".gz"):
        source: Source = Gzip(descriptor, file.algorithm or "xxh3")
        harvest = _take_all(file, lines_of(source, file.most))
    elif file.workers > 1 and size > _PARALLEL_ABOVE and hasattr(os, "fork") and _is_text(descriptor):
        source = Plain(descriptor, file.algorithm)
        harvest = _in_ranges(file, size, source)
    else:
        source = Plain(descriptor, file.algorithm)
        harvest = _take_all(file, lines_of(source, file.most))
    harvest.settle(last=True)
    harvest.digest, trouble = source.end()
    harvest.size = size
    if trouble is not None:
        harvest.findings.append(msgspec.structs.replace(trouble, line=harvest.lines).at(file.path))
    harvest.findings += _notes(harvest, file.path)
    return harvest


def _take_all(file: RowFile, lines: Iterator[Line]) -> Harvest:
    reader = file.reader()
    for line in lines:
        reader.take(line)
    return reader.harvest


def _in_ranges(file: RowFile, size: int, source: Source) -> Harvest:
    """Ranges in worker processes, while this one hashes the whole file."""
    # fork: the reader closures need no pickling, and the command line runs no threads. Libraries pass workers=1.
    import multiprocessing  # noqa: PLC0415  # only large files need it, and it takes longer than a small run

    context = multiprocessing.get_context("fork")
    starts = range(0, size, _RANGE)
    with context.Pool(file.workers, initializer=_adopt, initargs=(file,)) as pool:
        parts = pool.imap(_range_of, [(start, min(start + _RANGE, size)) for start in starts])
        buffer = memoryview(bytearray(1 << 20))
        while source.fill(buffer):
            pass
        whole = Harvest()
        for columns, rest in parts:
            whole.join(Harvest.unpack(columns, rest))
    return whole


def _is_text(descriptor: int) -> bool:
    """Whether lines can be told apart by their bytes alone, wherever one begins to read."""
    return encoding_of(os.pread(descriptor, 4, 0)) is None


_ADOPTED: list[RowFile] = []


def _adopt(file: RowFile) -> None:
    _ADOPTED[:] = [file]


def _range_of(span: tuple[int, int]) -> tuple[list[tuple[Any, ...]], Harvest]:
    file = _ADOPTED[0]
    descriptor = open_plain(file.sight.real)
    try:
        return _take_all(file, _lines_in(descriptor, span, file.most)).pack()
    finally:
        os.close(descriptor)


def _lines_in(descriptor: int, span: tuple[int, int], most: int) -> Iterator[Line]:
    """The lines whose first byte lies in the range, numbered from 1, with offsets in the whole file."""
    start, stop = span
    begin = max(0, start - 1)
    number = 0
    for line in lines_of(Plain(descriptor, None, start=begin), most, first_offset=begin):
        if line.offset >= stop:
            return
        if line.offset < start:
            # The tail of the line that the range before owns, or the LF just in front of this range.
            continue
        number += 1
        line.number = number
        yield line


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

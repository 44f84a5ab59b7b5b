"""Splits blocks into lines at LF bytes only, without copying: each line is a view into one reused buffer.

A view is valid until the next block or line is asked for. A line longer than the buffer gets a buffer of its own, grown
in steps so that the peak stays near the line's size; one over `most` is skipped, counted and reported by length only.
"""

from collections.abc import Iterator
from typing import NamedTuple

import msgspec

from runaudit.read.blocks import Source

BLOCK = 1 << 20


class Line(msgspec.Struct):
    """One line without its LF: 1-based number, byte offset of its start, and its bytes.

    `data` is None when the line is longer than the limit; `length` says how long. `ended` is False for a last line
    without LF. `ascii` is True when the whole block is ASCII: then no line of it can hold bad UTF-8.
    """

    number: int
    offset: int
    data: memoryview | None
    length: int
    ended: bool
    ascii: bool


class Block(NamedTuple):
    """Whole lines that lie side by side in one buffer, none of them over the limit.

    `number` and `offset` are the first line's; `spans` are the starts and stops of the lines in `view`, without LF.
    """

    number: int
    offset: int
    view: memoryview
    spans: list[tuple[int, int]]
    ascii: bool

    def lines(self) -> Iterator[Line]:
        """The lines one by one."""
        first = self.spans[0][0]
        for number, (start, stop) in enumerate(self.spans, self.number):
            offset = self.offset + start - first
            yield Line(number, offset, self.view[start:stop], stop - start, ended=True, ascii=self.ascii)

    def before(self, stop: int) -> "Block":
        """The lines that begin before the offset `stop`, of which there must be one."""
        last = self.spans[0][0] + stop - self.offset
        return self if self.spans[-1][0] < last else self._replace(spans=[s for s in self.spans if s[0] < last])


def lines_of(source: Source, most: int, *, first_offset: int = 0) -> Iterator[Line]:
    """The lines of a source, in order. Raises OSError."""
    for piece in blocks_of(source, most, first_offset=first_offset):
        if isinstance(piece, Block):
            yield from piece.lines()
        else:
            yield piece


def blocks_of(source: Source, most: int, *, first_offset: int = 0) -> Iterator[Block | Line]:
    """The lines of a source, in order and as many at once as one block holds. Raises OSError.

    A line longer than a block or than `most`, with its neighbours, and a last one without LF come alone.
    """
    buffer = bytearray(BLOCK)
    view = memoryview(buffer)
    number, offset, held = 0, first_offset, 0
    while True:
        got = source.fill(view[held:])
        have = held + got
        plain = buffer.isascii()
        spans = _spans(buffer, have)
        begin = spans[-1][1] + 1 if spans else 0
        if spans:
            yield from _whole_lines(Block(number + 1, offset, view, spans, plain), most)
            number += len(spans)
            offset += begin
        if not got:
            if have > begin:
                data = view[begin:have] if have - begin <= most else None
                yield Line(number + 1, offset, data, have - begin, ended=False, ascii=plain)
            return
        held = have - begin
        if begin:
            # Moving the rest to the front keeps one buffer; slices of a memoryview may overlap, bytes() may not.
            buffer[:held] = buffer[begin:have]
        elif held == len(buffer):
            number += 1
            long = _long_line(source, buffer, most)
            yield Line(number, offset, long.data, long.length, ended=long.ended, ascii=False)
            offset += long.length + long.ended
            held = len(long.rest)
            buffer[:held] = long.rest
            long = None  # type: ignore[assignment]  # its memory must be free before the next block is read


def _spans(buffer: bytearray, have: int) -> list[tuple[int, int]]:
    spans = []
    begin, find = 0, buffer.find
    while (cut := find(b"\n", begin, have)) >= 0:
        spans.append((begin, cut))
        begin = cut + 1
    return spans


def _whole_lines(block: Block, most: int) -> Iterator[Block | Line]:
    if all(stop - start <= most for start, stop in block.spans):
        yield block
        return
    for line in block.lines():
        if line.length > most:
            line.data = None
        yield line


class _Long(msgspec.Struct):
    data: memoryview | None
    length: int
    ended: bool
    rest: bytes


def _long_line(source: Source, start: bytearray, most: int) -> _Long:
    """Reads on until the line that fills the whole buffer ends."""
    whole: bytearray | None = bytearray(start) if len(start) <= most else None
    length = len(start)
    piece = memoryview(bytearray(1 << 20))
    while True:
        got = source.fill(piece)
        cut = bytes(piece[:got]).find(b"\n")
        take = cut if cut >= 0 else got
        length += take
        if whole is not None:
            if length > most:
                whole = None
            else:
                whole += piece[:take]
        if cut >= 0 or not got:
            rest = bytes(piece[cut + 1 : got]) if cut >= 0 else b""
            return _Long(memoryview(whole) if whole is not None else None, length, cut >= 0, rest)

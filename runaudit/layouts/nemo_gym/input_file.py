"""Reads one file of owed rows line by line; damaged lines become findings and never hide the others."""

import os

import msgspec
import orjson

from runaudit.layouts.nemo_gym.input_keys import keys_stated_twice
from runaudit.layouts.nemo_gym.input_repeats import repeat_after, repeat_in
from runaudit.layouts.nemo_gym.inputs import InputReader
from runaudit.model.digest import Digest
from runaudit.model.finding import Finding
from runaudit.model.trouble import Trouble
from runaudit.read.blocks import Gzip, Plain, Source
from runaudit.read.documents import unreadable
from runaudit.read.explain import encoding_of, explain, without_mark
from runaudit.read.lines import Line, lines_of
from runaudit.read.places import Sight, open_plain
from runaudit.read.values import MOST_DEPTH, is_deep

_PADDING = b"\0 \t\r\f\v"


def read_inputs(
    sight: Sight, path: str, most: int, reader: InputReader, findings: list[Finding]
) -> Digest | Trouble | None:
    """Feeds every row of the file to the reader. Returns the file's digest, or why it cannot be read."""
    try:
        descriptor = open_plain(sight.real)
    except OSError as error:
        return unreadable(error)
    try:
        source = Gzip(descriptor, "xxh3") if path.endswith(".gz") else Plain(descriptor, "xxh3", stop=sight.size)
        return _InputFile(path, reader, findings).read(source, most)
    except OSError as error:
        return unreadable(error)
    finally:
        os.close(descriptor)


class _InputFile:
    def __init__(self, path: str, reader: InputReader, findings: list[Finding]) -> None:
        self._path = path
        self._reader = reader
        self._findings = findings
        self._held: Finding | None = None
        self._before: tuple[bytes, bytes] | None = None

    def read(self, source: Source, most: int) -> Digest | None:
        for line in lines_of(source, most):
            if line.data is None:
                self._release(last=False)
                self._tell("row-too-large", f"{line.length} bytes, over the limit", line)
                continue
            data = bytes(line.data)
            if line.number == 1:
                if encoding := encoding_of(data[:4]):
                    message = f"the file is {encoding}, not UTF-8; no row of it was read"
                    self._tell("odd-encoding", message, line, level="error")
                    while source.fill(memoryview(bytearray(1 << 20))):
                        pass
                    break
                data = without_mark(data)
            if data.strip(_PADDING):
                self._release(last=False)
                self._row(data, line)
            else:
                troubles = explain(data, number=line.number, offset=line.offset).troubles
                self._findings += [trouble.at(self._path) for trouble in troubles]
        self._release(last=True)
        digest, trouble = source.end()
        if trouble is not None:
            self._findings.append(trouble.at(self._path))
        return digest

    def _release(self, *, last: bool) -> None:
        """A cut line is milder when it is the last one."""
        if self._held is not None:
            torn = msgspec.structs.replace(self._held, id="torn-last-line")
            self._findings.append(torn if last else self._held)
            self._held = None

    def _row(self, data: bytes, line: Line) -> None:
        if self._before is not None and (again := repeat_after(data, self._before)) is not None:
            self._reader.take_again(again)
            return
        self._before = None
        try:
            value = orjson.loads(data)
        except orjson.JSONDecodeError:
            self._explain(data, line)
            return
        if is_deep(value, data):
            self._tell("nested-too-deep", f"nested deeper than {MOST_DEPTH} levels; the row was not read", line)
        elif isinstance(value, dict):
            doubled = keys_stated_twice(data, value)
            for name, values in doubled.items():
                self._tell("duplicate-key", f"{name} is stated {len(values)} times; the last one was read", line)
            placed = self._reader.take(value)
            repeat, around = repeat_in(data)
            if placed and not doubled and value["_ng_rollout_index"] == repeat:
                self._before = around
        else:
            self._tell("not-an-object", "the line holds no object", line)

    def _explain(self, data: bytes, line: Line) -> None:
        explained = explain(data, number=line.number, offset=line.offset)
        for trouble in explained.troubles:
            if trouble.id == "corrupt-line" and explained.cut and not explained.objects:
                self._held = trouble.at(self._path)
            else:
                self._findings.append(trouble.at(self._path))
        if explained.bad_text:
            level = "note" if explained.objects else "error"
            self._tell("odd-encoding", "bytes that are no UTF-8", line, level=level)
        for row in explained.objects:
            if is_deep(row, data):
                self._tell("nested-too-deep", f"nested deeper than {MOST_DEPTH} levels; the row was not read", line)
            else:
                self._reader.take(row)

    def _tell(self, finding: str, message: str, line: Line, **more: object) -> None:
        self._findings.append(
            Finding(id=finding, message=message, path=self._path, line=line.number, offset=line.offset, **more)  # type: ignore[arg-type]  # level only
        )

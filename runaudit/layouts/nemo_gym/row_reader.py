"""Reads the lines of a rollouts or failures file into rows: fast where it can be, explaining where it must be."""

from collections import Counter
from itertools import repeat
from typing import Any

import msgspec

from runaudit.layouts.nemo_gym.fields import Misfit, Taker, kind_of, shown
from runaudit.layouts.nemo_gym.harvest import MOST_REQUEST_VALUES, Harvest
from runaudit.layouts.nemo_gym.prompts import Prompts, flattened
from runaudit.layouts.nemo_gym.row import REQUEST_VALUES, Head, RequestHead, Row, decode_head
from runaudit.layouts.nemo_gym.row_batch import Batch, Unlike, take_together
from runaudit.layouts.nemo_gym.row_build import add_failure, careful_row, plain_row
from runaudit.layouts.nemo_gym.saved_row import doubled_fields, drop_damaged_text, head_of
from runaudit.model.finding import Finding
from runaudit.read import hashing
from runaudit.read.explain import encoding_of, explain, without_mark
from runaudit.read.lines import Block, Line
from runaudit.read.utf8 import is_utf8
from runaudit.read.values import DECODER, MOST_DEPTH, holds_non_finite, is_deep

TASK_ID_KEY = b'"_ng_task_id"'
_CARRIAGE_RETURN = 13
_BLANK = 32
_PADDING = b"\0 \t\r\f\v"
# doubled with different values, these leave nothing that could be trusted of the row
_DECISIVE = ("reward", "mask_sample", "_ng_task_id")
_PLACING = ("_ng_task_index", "_ng_rollout_index", "stage_index", "_ng_environment_server")


class RowReader:
    """Collects one file's rows. `prompts` is consulted where a row carries no task id."""

    def __init__(self, path: str, *, prompts: Prompts, messages: bool, failures: bool, keep_metadata: bool) -> None:
        self.harvest = Harvest()
        self._path = path
        self._prompts = prompts
        self._messages = messages
        self._failures = failures
        self._keep_metadata = keep_metadata
        self._unreadable = False

    def take(self, line: Line) -> None:
        """Reads one line. The file's very first one may carry a byte order mark."""
        harvest = self.harvest
        harvest.lines = line.number
        data = line.data
        if data is None:
            self._count(line)
            self._tell("row-too-large", f"{line.length} bytes, over the limit", line)
            return
        if not line.offset and not (data := self._start(line, data)):
            return
        if self._unreadable:
            return
        if not len(data) or (data[0] <= _BLANK and not bytes(data).strip(_PADDING)):
            self._pass_over(line, data)
            return
        self._count(line)
        if data[-1] == _CARRIAGE_RETURN:
            harvest.note("crlf", line.number, line.offset)
        self._read(line, data)

    def _count(self, line: Line) -> None:
        self.harvest.lines = line.number
        self.harvest.records += 1
        if self.harvest.held is not None:
            self.harvest.settle(last=False)

    def take_block(self, block: Block) -> None:
        """Reads the lines of a block: together when they are alike, else one by one."""
        together = self._together(block)
        if isinstance(together, Batch):
            self._keep_batch(block, together)
        elif together is None:
            for line in block.lines():
                self.take(line)
        else:
            self._take_heads(block, together.heads)

    def _together(self, block: Block) -> Batch | Unlike | None:
        if self._failures or self._keep_metadata or self._unreadable:
            return None
        if not block.offset and _has_odd_start(bytes(block.view[:4])):
            return None
        return take_together(block, ids=bool(self._prompts))

    def _take_heads(self, block: Block, heads: list[Head]) -> None:
        for line, head in zip(block.lines(), heads, strict=True):
            data = line.data
            if data is None or _may_state_id_twice(head, data):
                self.take(line)
            else:
                self._count(line)
                self._take_head(line, data, head)

    def _keep_batch(self, block: Block, batch: Batch) -> None:
        harvest = self.harvest
        size = len(block.spans)
        harvest.lines = block.number + size - 1
        harvest.records += size
        if harvest.held is not None:
            harvest.settle(last=False)
        for name, values in batch.requests.items():
            for value in values:
                self._note_request(name, value)
        fields = batch.columns.fields
        indices = zip(fields.get("task_index", repeat(None, size)), fields.get("repeat", repeat(None)), strict=False)
        harvest.unplaced += sum(None in pair for pair in indices)
        harvest.unnamed += 0 if "task_id" in fields else size
        for source, count in Counter(fields.get("task_source", ())).items():
            if source is not None:
                harvest.task_sources[source] = harvest.task_sources.get(source, 0) + count
        harvest.table.extend(batch.columns)

    def _pass_over(self, line: Line, data: memoryview) -> None:
        """A blank line; NUL bytes in it are damage, and neither makes a cut line before it a middle one."""
        for trouble in explain(bytes(data), number=line.number, offset=line.offset).troubles:
            self.harvest.findings.append(trouble.at(self._path))

    def _start(self, line: Line, data: memoryview) -> memoryview:
        start = bytes(data[:4])
        if encoding := encoding_of(start):
            self._unreadable = True
            self.harvest.records += 1
            self._tell("odd-encoding", f"the file is {encoding}, not UTF-8; no row of it was read", line, level="error")
            return data[:0]
        if without_mark(start) != start:
            self.harvest.note("bom", line.number, line.offset)
            return data[3:]
        return data

    def _read(self, line: Line, data: memoryview) -> None:
        try:
            head, twice = decode_head(data)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            self._explain(line, bytes(data))
            return
        if twice or _may_state_id_twice(head, data):
            self._explain(line, bytes(data))
            return
        if not line.ascii and not is_utf8(data):
            self.harvest.note("bad-utf8", line.number, line.offset)
        self._take_head(line, data, head)

    def _take_head(self, line: Line, data: memoryview, head: Head) -> None:
        if head.omitted is True:
            self.harvest.omitted += 1
            return
        fingerprint = hashing.short(data)
        row = plain_row(head, line.number, line.offset, fingerprint)
        if row is None or self._failures or head.failure_class is not msgspec.UNSET:
            self._add(head, line, fingerprint, [], None)
        else:
            self._keep(row, head)

    def _explain(self, line: Line, data: bytes) -> None:
        explained = explain(data, number=line.number, offset=line.offset)
        for trouble in explained.troubles:
            finding = trouble.at(self._path)
            if trouble.id == "corrupt-line" and explained.cut and not explained.objects:
                self.harvest.held = finding
            else:
                self.harvest.findings.append(finding)
        for value in explained.objects:
            if is_deep(value, data):
                self._tell("nested-too-deep", f"nested deeper than {MOST_DEPTH} levels; the row was not read", line)
                continue
            if explained.bad_text:
                self._bad_text(value, line)
            head, misfits = head_of(value)
            if holds_non_finite({key: inner for key, inner in value.items() if key != "reward"}):
                self.harvest.note("non-finite", line.number, line.offset)
            self._add(head, line, hashing.short(data), misfits, doubled_fields(value))

    def _bad_text(self, value: dict[str, Any], line: Line) -> None:
        bad = drop_damaged_text(value)
        for name in bad:
            self._tell("odd-encoding", f"{name} is no UTF-8 text", line, level="error")
        if not bad:
            self.harvest.note("bad-utf8", line.number, line.offset)

    def _add(
        self, head: Head, line: Line, fingerprint: int, misfits: list[Misfit], doubled: dict[str, list[Any]] | None
    ) -> None:
        if head.omitted is True:
            self.harvest.omitted += 1
            return
        taker = Taker()
        taker.misfits = misfits
        row = careful_row(head, line.number, line.offset, fingerprint, taker)
        if self._failures or head.failure_class is not msgspec.UNSET:
            add_failure(row, head, taker, messages=self._messages)
        for misfit in taker.misfits:
            self._tell(
                misfit.id, f"{misfit.field} is {misfit.found}", line, row, expected=misfit.expected, found=misfit.found
            )
        if doubled:
            self._judge_doubled(doubled, row, line)
        self._keep(row, head)

    def _keep(self, row: Row, head: Head) -> None:
        harvest = self.harvest
        if head.responses_create_params is not None:
            self._request(row, head.responses_create_params)
        if row.task_index is None or row.repeat is None:
            harvest.unplaced += 1
        if row.task_id is None:
            harvest.unnamed += 1
        if row.task_source is not None:
            counts = harvest.task_sources
            counts[row.task_source] = counts.get(row.task_source, 0) + 1
        harvest.table.add(row)

    def _request(self, row: Row, request: RequestHead) -> None:
        for name in REQUEST_VALUES:
            if len(value := getattr(request, name)):
                self._note_request(name, value)
        if self._keep_metadata and len(request.metadata) > len("null"):
            row.metadata = _object_in(bytes(request.metadata))
        if row.task_id is None and row.task_index is not None and self._prompts:
            prompt = flattened(_value_in(bytes(request.input)))
            row.answers = self._prompts.other_task(row.task_index, prompt)
            row.prompt = self._prompts.which(row.task_index, prompt)

    def _note_request(self, name: str, value: bytes | msgspec.Raw) -> None:
        values = self.harvest.requests.get(name, [])
        if len(values) >= MOST_REQUEST_VALUES:
            return
        text = bytes(value).decode("utf-8", "replace")
        if text not in values and text != "null":
            self.harvest.requests[name] = [*values, text]

    def _judge_doubled(self, doubled: dict[str, list[Any]], row: Row, line: Line) -> None:
        for name, values in doubled.items():
            differs = any(kind_of(v) != kind_of(values[0]) or v != values[0] for v in values[1:])
            told = " and ".join(shown(value) for value in values)
            self._tell("duplicate-key", f"{name} is stated {len(values)} times: {told}", line, row, found=told)
            if differs and name.startswith(_DECISIVE):
                row.contradicts = f"states {name} twice: {told}"
            elif differs and name in _PLACING:
                row.task_index = None

    def _tell(self, finding: str, message: str, line: Line, row: Row | None = None, **more: Any) -> None:
        self.harvest.findings.append(
            Finding(
                id=finding,
                message=message,
                path=self._path,
                line=line.number,
                offset=line.offset,
                task_index=row.task_index if row else None,
                repeat=row.repeat if row else None,
                task_id=row.task_id if row else None,
                **more,
            )
        )


def _has_odd_start(start: bytes) -> bool:
    return encoding_of(start) is not None or without_mark(start) != start


def _may_state_id_twice(head: Head, data: memoryview) -> bool:
    # a plain text is not counted when it is decoded
    return head.task_id.__class__ is str and bytes(data).count(TASK_ID_KEY) > 1


def _value_in(data: bytes) -> Any:
    """The value, or None where it cannot be read or nests so deep that nothing downstream could hold it."""
    try:
        value = msgspec.json.decode(data)
        return None if is_deep(value, data) else value
    except (ValueError, RecursionError):
        pass
    try:
        return DECODER.decode(data.decode("utf-8", "surrogateescape"))
    except (ValueError, RecursionError):
        return None


def _object_in(data: bytes) -> dict[str, Any] | None:
    value = _value_in(data)
    return value if isinstance(value, dict) else None

"""Reads the lines of a rollouts or failures file into rows: fast where it can be, explaining where it must be."""

import sys
from typing import Any

import msgspec

from runaudit.layouts.nemo_gym.fields import Misfit, Taker, kind_of, shown
from runaudit.layouts.nemo_gym.harvest import Harvest
from runaudit.layouts.nemo_gym.prompts import Prompts, flattened
from runaudit.layouts.nemo_gym.row import (
    ABSENT,
    DECODE_HEAD,
    TALLY,
    Head,
    RequestHead,
    ResponseHead,
    Row,
    TaskIdHead,
    cells_of,
)
from runaudit.layouts.nemo_gym.saved_row import doubled_fields, drop_damaged_text, head_of
from runaudit.model.finding import Finding
from runaudit.read import hashing
from runaudit.read.explain import encoding_of, explain, without_mark
from runaudit.read.lines import Line
from runaudit.read.values import DECODER, holds_non_finite

_MESSAGE = 200
# an empty list, or null, with some blanks; anything longer holds an item
_LONGEST_EMPTY = 16
_TASK_ID_KEY = b'"_ng_task_id"'
_CARRIAGE_RETURN = 13
_BLANK = 32
_PADDING = b"\0 \t\r\f\v"
_REQUEST_NAMES = ("temperature", "top_p", "max_output_tokens")
_MOST_REQUEST_VALUES = 16
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

    def take(self, line: Line, *, first: bool) -> None:
        """Reads one line. `first` marks the file's very first one, which may carry a byte order mark."""
        harvest = self.harvest
        harvest.lines = line.number
        data = line.data
        if data is None:
            harvest.records += 1
            self._tell("row-too-large", f"{line.length} bytes, over the limit", line)
            return
        if first and not (data := self._start(line, data)):
            return
        if self._unreadable:
            return
        if not len(data) or (data[0] <= _BLANK and not bytes(data).strip(_PADDING)):
            self._pass_over(line, data)
            return
        harvest.records += 1
        harvest.settle(last=False)
        if data[-1] == _CARRIAGE_RETURN:
            harvest.note("crlf", line.number, line.offset)
        self._read(line, data)

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
        TALLY.cells = 0
        try:
            head = DECODE_HEAD(data)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            self._explain(line, bytes(data))
            return
        twice = isinstance(head.task_id, str) and bytes(data).count(_TASK_ID_KEY) > 1
        if twice or TALLY.cells != cells_of(head):
            self._explain(line, bytes(data))
            return
        if not line.ascii and not _is_utf8(data):
            self.harvest.note("bad-utf8", line.number, line.offset)
        self._add(head, line, hashing.short(data), [], None)

    def _explain(self, line: Line, data: bytes) -> None:
        explained = explain(data, number=line.number, offset=line.offset)
        for trouble in explained.troubles:
            finding = trouble.at(self._path)
            if trouble.id == "corrupt-line" and explained.cut and not explained.objects:
                self.harvest.held = finding
            else:
                self.harvest.findings.append(finding)
        for value in explained.objects:
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
        if head.omitted is not ABSENT and head.omitted.value is True:
            self.harvest.omitted += 1
            return
        taker = Taker()
        taker.misfits = misfits
        row = self._row(head, line, fingerprint, taker)
        for misfit in taker.misfits:
            self._tell(
                misfit.id, f"{misfit.field} is {misfit.found}", line, row, expected=misfit.expected, found=misfit.found
            )
        if doubled:
            self._judge_doubled(doubled, row, line)
        if row.task_index is None or row.repeat is None:
            self.harvest.unplaced += 1
        if row.task_source is not None:
            counts = self.harvest.task_sources
            counts[row.task_source] = counts.get(row.task_source, 0) + 1
        self.harvest.rows.append(row)

    def _row(self, head: Head, line: Line, fingerprint: int, taker: Taker) -> Row:
        row = Row(line=line.number, offset=line.offset, fingerprint=fingerprint)
        row.task_index = taker.index("_ng_task_index", head.task_index.value)
        row.repeat = taker.index("_ng_rollout_index", head.repeat.value)
        row.attempt = taker.index("_ng_attempt_index", head.attempt.value)
        row.stage = taker.stage("stage_index", head.stage_index.value)
        row.server = _interned(taker.text("_ng_environment_server", head.server.value))
        row.agent = _interned(taker.text("agent_ref.name", head.agent_ref.name.value)) if head.agent_ref else None
        row.task_source = _interned(taker.text("task_source", head.task_source.value))
        row.taskset, row.task_id = _task_id(head.task_id, taker)
        row.reward, row.recorded = taker.reward(head.reward.value)
        row.masked = taker.flag("mask_sample", head.mask_sample.value, absent=False)
        row.failure_kind = _interned(taker.text("failure_kind", head.failure_kind.value))
        row.invalid_judge = head.invalid_judge_response.value is True
        row.logs = taker.text("verifier_logs_dir", head.verifier_logs_dir.value) or None
        row.verifier_seconds = taker.seconds("verifier_seconds", head.verifier_seconds.value)
        row.seconds = taker.seconds("elapsed_seconds", head.elapsed_seconds.value)
        if self._failures or head.failure_class is not ABSENT:
            self._failure(row, head, taker)
        if head.response is not None:
            _response(row, head.response, taker)
        if head.responses_create_params is not None:
            self._request(row, head.responses_create_params)
        return row

    def _failure(self, row: Row, head: Head, taker: Taker) -> None:
        row.failure_class = _interned(taker.text("_ng_failure_class", head.failure_class.value))
        row.failure_stage = _interned(taker.text("_ng_failure_stage", head.failure_stage.value))
        row.failure_terminal = taker.flag("_ng_failure_terminal", head.failure_terminal.value, absent=None)
        message = head.failure_message.value
        if self._messages and isinstance(message, str):
            row.failure_message = message[:_MESSAGE]

    def _request(self, row: Row, request: RequestHead) -> None:
        requests = self.harvest.requests
        for name in _REQUEST_NAMES:
            text = bytes(getattr(request, name)).decode("utf-8", "replace")
            if text and text != "null":
                values = requests.setdefault(name, [])
                if text not in values and len(values) < _MOST_REQUEST_VALUES:
                    values.append(text)
        if self._keep_metadata and len(request.metadata) > len("null"):
            row.metadata = _object_in(bytes(request.metadata))
        if row.task_id is None and row.task_index is not None and self._prompts:
            prompt = flattened(_value_in(bytes(request.input)))
            row.answers = self._prompts.other_task(row.task_index, prompt)
            row.prompt = self._prompts.which(row.task_index, prompt)

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


def _is_utf8(data: memoryview) -> bool:
    try:
        str(data, "utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _interned(text: str | None) -> str | None:
    return None if text is None else sys.intern(text)


def _task_id(value: TaskIdHead | str | None, taker: Taker) -> tuple[str | None, str | None]:
    """The task set and id that a row names: an object with both, or a plain text (both spellings are read)."""
    if isinstance(value, TaskIdHead):
        taskset = taker.text("_ng_task_id.taskset", value.taskset.value)
        return _interned(taskset), taker.text("_ng_task_id.task_id", value.task_id.value)
    return None, value


def _response(row: Row, response: ResponseHead, taker: Taker) -> None:
    row.model = _interned(taker.text("response.model", response.model.value))
    row.empty_output = len(response.output) < _LONGEST_EMPTY and bytes(response.output).strip(b" \t\r[]") in (
        b"",
        b"null",
    )
    if response.usage is not None:
        row.input_tokens = taker.count(response.usage.input_tokens.value)
        row.output_tokens = taker.count(response.usage.output_tokens.value)
        row.total_tokens = taker.count(response.usage.total_tokens.value)


def _value_in(data: bytes) -> Any:
    try:
        return msgspec.json.decode(data)
    except (ValueError, RecursionError):
        pass
    try:
        return DECODER.decode(data.decode("utf-8", "surrogateescape"))
    except (ValueError, RecursionError):
        return None


def _object_in(data: bytes) -> dict[str, Any] | None:
    value = _value_in(data)
    return value if isinstance(value, dict) else None

"""One row of a rollouts or failures file, partially decoded: the fields that are read, everything else skipped.

The fast decoder sees each field that is read as a `Cell`, so that the number of cells made tells whether a key was
stated twice (no fast parser says so), and so that a field of another type is data and not an exception.
"""

from typing import Any

import msgspec


class Cell:
    """The value of one field, whatever its type."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value


ABSENT = Cell(msgspec.UNSET)


class _Tally:
    """Counts the cells made since it was last asked."""

    cells = 0


TALLY = _Tally()


def _cell(_: type, value: Any) -> Cell:
    TALLY.cells += 1
    return Cell(value)


class TaskIdHead(msgspec.Struct):
    """A task's own id within its task set."""

    taskset: Cell = ABSENT
    task_id: Cell = ABSENT


class AgentHead(msgspec.Struct):
    """The agent that a row names."""

    name: Cell = ABSENT


class UsageHead(msgspec.Struct):
    """Token counts of a response."""

    input_tokens: Cell = ABSENT
    output_tokens: Cell = ABSENT
    total_tokens: Cell = ABSENT


class ResponseHead(msgspec.Struct):
    """What is read of a row's `response`. Its output is looked at only for being empty."""

    model: Cell = ABSENT
    usage: UsageHead | None = None
    output: msgspec.Raw = msgspec.Raw(b"")


class RequestHead(msgspec.Struct):
    """What is read of a row's `responses_create_params`."""

    input: msgspec.Raw = msgspec.Raw(b"")
    metadata: msgspec.Raw = msgspec.Raw(b"")
    temperature: msgspec.Raw = msgspec.Raw(b"")
    top_p: msgspec.Raw = msgspec.Raw(b"")
    max_output_tokens: msgspec.Raw = msgspec.Raw(b"")


NAMES = {
    "task_index": "_ng_task_index",
    "repeat": "_ng_rollout_index",
    "attempt": "_ng_attempt_index",
    "task_id": "_ng_task_id",
    "server": "_ng_environment_server",
    "omitted": "_ng_omitted_rollout",
    "failure_class": "_ng_failure_class",
    "failure_stage": "_ng_failure_stage",
    "failure_terminal": "_ng_failure_terminal",
    "failure_message": "_ng_failure_message",
}


class Head(msgspec.Struct, rename=NAMES):
    """The fields of a row that are read. `response` and `responses_create_params` are the bulk of a row."""

    task_index: Cell = ABSENT
    repeat: Cell = ABSENT
    attempt: Cell = ABSENT
    server: Cell = ABSENT
    task_source: Cell = ABSENT
    stage_index: Cell = ABSENT
    omitted: Cell = ABSENT
    reward: Cell = ABSENT
    mask_sample: Cell = ABSENT
    failure_kind: Cell = ABSENT
    invalid_judge_response: Cell = ABSENT
    verifier_logs_dir: Cell = ABSENT
    verifier_seconds: Cell = ABSENT
    elapsed_seconds: Cell = ABSENT
    failure_class: Cell = ABSENT
    failure_stage: Cell = ABSENT
    failure_terminal: Cell = ABSENT
    failure_message: Cell = ABSENT
    task_id: TaskIdHead | str | None = None
    agent_ref: AgentHead | None = None
    response: ResponseHead | None = None
    responses_create_params: RequestHead | None = None


# the cells, which come before the four fields that have an inside
HEAD_FIELDS: tuple[str, ...] = Head.__struct_fields__[:-4]
FOREIGN_NAMES = {name: NAMES.get(name, name) for name in Head.__struct_fields__}
DECODE_HEAD = msgspec.json.Decoder(Head, dec_hook=_cell).decode


def cells_of(head: Head) -> int:
    """How many cells the decoder must have made for this head, were no key stated twice."""
    count = len(HEAD_FIELDS) - msgspec.structs.astuple(head)[: len(HEAD_FIELDS)].count(ABSENT)
    if isinstance(head.task_id, TaskIdHead):
        count += (head.task_id.taskset is not ABSENT) + (head.task_id.task_id is not ABSENT)
    if head.agent_ref is not None:
        count += head.agent_ref.name is not ABSENT
    if head.response is not None:
        count += head.response.model is not ABSENT
        if (usage := head.response.usage) is not None:
            count += 3 - msgspec.structs.astuple(usage).count(ABSENT)
    return count


class Row(msgspec.Struct, kw_only=True, gc=False):
    """One row as it is judged. Everything foreign has been looked at by now; nothing of the bulk is kept."""

    line: int
    offset: int
    fingerprint: int
    task_index: int | None = None
    repeat: int | None = None
    attempt: int | None = None
    stage: int | str | None = None
    server: str | None = None
    agent: str | None = None
    model: str | None = None
    task_id: str | None = None
    taskset: str | None = None
    task_source: str | None = None
    reward: float | None = None
    recorded: Any = msgspec.UNSET
    masked: bool | None = False
    failure_kind: str | None = None
    invalid_judge: bool = False
    contradicts: str | None = None
    answers: str | None = None
    prompt: int | None = None
    logs: str | None = None
    verifier_seconds: float | None = None
    seconds: float | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    total_tokens: int | None = None
    empty_output: bool | None = None
    metadata: dict[str, Any] | None = None
    failure_class: str | None = None
    failure_stage: str | None = None
    failure_terminal: bool | None = None
    failure_message: str | None = None

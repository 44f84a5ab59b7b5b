"""One row of a rollouts or failures file, partially decoded: the fields that are read, everything else skipped.

The fast decoder takes each field that is read as a `Value`: any JSON value, counted on the way. So a field of another
type is data and not an exception, and the count tells whether a key was stated twice (no fast parser says so).
"""

import itertools
from collections.abc import Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import msgspec

UNSET = msgspec.UNSET
_SEEN = itertools.count(1)

if TYPE_CHECKING:
    Value = Any

    class _Counted(msgspec.Struct):
        pass

else:

    class _Counting(type):
        # The decoder asks of every value whether it is an instance: always yes, and the counter moves on by one.
        # A partial of two built-ins, because a Python function here would cost more than decoding the row.
        __instancecheck__ = staticmethod(partial(next, _SEEN))

    class Value(metaclass=_Counting):
        """A value of any JSON type, counted when it is decoded."""

    class _Counted(msgspec.Struct):
        """An object that is read into: each one counts as well, so that one stated twice is noticed."""

        __post_init__ = staticmethod(partial(next, _SEEN))


class TaskIdHead(_Counted):
    """A task's own id within its task set."""

    taskset: Value = UNSET
    task_id: Value = UNSET


class AgentHead(_Counted):
    """The agent that a row names."""

    name: Value = UNSET


class UsageHead(_Counted):
    """Token counts of a response."""

    input_tokens: Value = UNSET
    output_tokens: Value = UNSET
    total_tokens: Value = UNSET


class ResponseHead(_Counted):
    """What is read of a row's `response`. Its output is looked at only for being empty."""

    model: Value = UNSET
    usage: UsageHead | None = None
    output: msgspec.Raw = msgspec.Raw(b"")


class RequestHead(_Counted):
    """What is read of a row's `responses_create_params`."""

    input: msgspec.Raw = msgspec.Raw(b"")
    metadata: msgspec.Raw = msgspec.Raw(b"")
    temperature: msgspec.Raw = msgspec.Raw(b"")
    top_p: msgspec.Raw = msgspec.Raw(b"")
    max_output_tokens: msgspec.Raw = msgspec.Raw(b"")


# of a request, what one run sets and its rows repeat
REQUEST_VALUES = ("temperature", "top_p", "max_output_tokens")

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

    task_index: Value = UNSET
    repeat: Value = UNSET
    attempt: Value = UNSET
    server: Value = UNSET
    task_source: Value = UNSET
    stage_index: Value = UNSET
    omitted: Value = UNSET
    reward: Value = UNSET
    mask_sample: Value = UNSET
    failure_kind: Value = UNSET
    invalid_judge_response: Value = UNSET
    verifier_logs_dir: Value = UNSET
    verifier_seconds: Value = UNSET
    elapsed_seconds: Value = UNSET
    failure_class: Value = UNSET
    failure_stage: Value = UNSET
    failure_terminal: Value = UNSET
    failure_message: Value = UNSET
    task_id: TaskIdHead | str | None = None
    agent_ref: AgentHead | None = None
    response: ResponseHead | None = None
    responses_create_params: RequestHead | None = None


# the plain values, which come before the four fields that have an inside
HEAD_FIELDS: tuple[str, ...] = Head.__struct_fields__[:-4]
_PLAIN = len(HEAD_FIELDS)
FOREIGN_NAMES = {name: NAMES.get(name, name) for name in Head.__struct_fields__}
_DECODE = msgspec.json.Decoder(Head).decode


def decode_head(data: memoryview) -> tuple[Head, bool]:
    """The head of a row, and whether a key that is read may have been stated twice.

    Raises msgspec.DecodeError, UnicodeDecodeError and RecursionError.
    """
    before = next(_SEEN)
    head = _DECODE(data)
    return head, next(_SEEN) - before - 1 != _values_of(head)


def decode_heads(lines: Sequence[memoryview]) -> list[Head] | None:
    """The heads of many rows; None when one cannot be decoded, or may state a key twice that is read."""
    before = next(_SEEN)
    try:
        heads = list(map(_DECODE, lines))
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    return heads if next(_SEEN) - before - 1 == _values_in(heads) else None


def _values_in(heads: Sequence[Head]) -> int:
    """What `_values_of` says of each, in sum."""
    table = list(zip(*map(msgspec.structs.astuple, heads), strict=True))
    count = sum(len(column) - column.count(UNSET) for column in table[:_PLAIN])
    task_ids, agents, responses, requests = table[_PLAIN:]
    given = [response for response in responses if response is not None]
    inner: tuple[Iterable[Any], ...] = (
        (task_id for task_id in task_ids if task_id.__class__ is TaskIdHead),
        filter(None, agents),
        filter(None, [response.usage for response in given]),
    )
    for objects in inner:
        values = [value for each in objects for value in (None, *msgspec.structs.astuple(each))]
        count += len(values) - values.count(UNSET)
    count += len(given) + sum(response.model is not UNSET for response in given)
    return count + len(requests) - requests.count(None)


def _values_of(head: Head) -> int:
    """How many values the decoder must have made for this head, were no key stated twice."""
    values = msgspec.structs.astuple(head)
    count = _PLAIN - values.count(UNSET)
    task_id, agent, response, request = values[_PLAIN:]
    if task_id.__class__ is TaskIdHead:
        count += 1 + (task_id.taskset is not UNSET) + (task_id.task_id is not UNSET)
    if agent is not None:
        count += 1 + (agent.name is not UNSET)
    if response is not None:
        count += 1 + (response.model is not UNSET)
        if (usage := response.usage) is not None:
            count += 4 - msgspec.structs.astuple(usage).count(UNSET)
    if request is not None:
        count += 1
    return count


class Row(msgspec.Struct, gc=False):
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

"""Makes a row from its decoded head: at once where every field has a type that it may have, else field by field.

Both ways give the same row; which one is taken depends on the types of the fields only, which most rows of a file
have in common.
"""

import sys
from typing import Any

import msgspec

from runaudit.layouts.nemo_gym.fields import Taker, is_index
from runaudit.layouts.nemo_gym.row import HEAD_FIELDS, UNSET, Head, ResponseHead, Row, TaskIdHead

_MESSAGE = 200
# an empty list, or null, with some blanks; anything longer holds an item
_LONGEST_EMPTY = 16
_NOTHING = (type(UNSET), type(None))
_NUMBER, _TEXT, _FLAG = (int, float), (str,), (bool,)
_ANY_TYPE = (bool, int, float, str, list, dict)
_MAY_BE: dict[str, tuple[type, ...]] = {
    "task_index": (int,),
    "repeat": (int,),
    "attempt": (int,),
    "server": _TEXT,
    "task_source": _TEXT,
    "stage_index": (int, str),
    "omitted": _ANY_TYPE,
    "reward": _NUMBER,
    "mask_sample": _FLAG,
    "failure_kind": _TEXT,
    "invalid_judge_response": _ANY_TYPE,
    "verifier_logs_dir": _TEXT,
    "verifier_seconds": _NUMBER,
    "elapsed_seconds": _NUMBER,
    "failure_class": _ANY_TYPE,
    "failure_stage": _ANY_TYPE,
    "failure_terminal": _ANY_TYPE,
    "failure_message": _ANY_TYPE,
}
FIELD_TYPES = {name: frozenset((*_MAY_BE[name], *_NOTHING)) for name in HEAD_FIELDS}
# the types of whole heads that were looked at, and whether each field may have its type
_SHAPES: dict[tuple[type, ...], bool] = {}
_MOST_SHAPES = 4096
_PLAIN = len(HEAD_FIELDS)


def plain_row(head: Head, line: int, offset: int, fingerprint: int) -> Row | None:
    """The row, when every field has a type that it may have; None when one has not."""
    values: tuple[Any, ...] = msgspec.structs.astuple(head)
    shape = tuple(map(type, values[:_PLAIN]))
    sound = _SHAPES.get(shape)
    if sound is None:
        sound = _remembered(shape)
    if not sound:
        return None
    given = [None if value is UNSET else value for value in values[:_PLAIN]]
    index, repeat, attempt, server, source, stage, _, reward, masked, kind, judge, logs, checking, took = given[:14]
    for number in (index, repeat, attempt, stage):
        if number.__class__ is int and not is_index(number):
            return None
    taskset = task_id = None
    if (told := values[_PLAIN]).__class__ is TaskIdHead:
        taskset, task_id = told.taskset, told.task_id
        if taskset.__class__ is not str or task_id.__class__ is not str:
            return None
    elif told is not None:
        task_id = told
    agent, response = values[_PLAIN + 1], values[_PLAIN + 2]
    model = None if response is None or response.model is UNSET else response.model
    name = None if agent is None or agent.name is UNSET else agent.name
    doubles = _doubles(reward, checking, took)
    if (
        (model is not None and model.__class__ is not str)
        or (name is not None and name.__class__ is not str)
        or doubles is None
    ):
        return None
    scored, checked, lasted = doubles
    row = Row(
        line=line,
        offset=offset,
        fingerprint=fingerprint,
        task_index=index,
        repeat=repeat,
        attempt=attempt,
        stage=stage,
        server=server and _intern(server),
        agent=name and _intern(name),
        model=model and _intern(model),
        task_id=task_id,
        taskset=taskset and _intern(taskset),
        task_source=source and _intern(source),
        reward=scored,
        recorded=head.reward,
        masked=masked or False,
        failure_kind=kind and _intern(kind),
        invalid_judge=judge is True,
        logs=logs or None,
        verifier_seconds=checked,
        seconds=lasted,
    )
    if response is not None:
        _add_response(row, response)
    return row


def _doubles(*numbers: float | None) -> list[float | None] | None:
    """The numbers as doubles; None where one is a whole number that no double holds."""
    try:
        return [None if number is None else float(number) for number in numbers]
    except OverflowError:
        return None


def _remembered(shape: tuple[type, ...]) -> bool:
    sound = all(kind in allowed for kind, allowed in zip(shape, FIELD_TYPES.values(), strict=True))
    if len(_SHAPES) < _MOST_SHAPES:
        _SHAPES[shape] = sound
    return sound


def careful_row(head: Head, line: int, offset: int, fingerprint: int, taker: Taker) -> Row:
    """The row, with every field that cannot be what it says told to the taker and left out."""
    row = Row(line=line, offset=offset, fingerprint=fingerprint)
    row.task_index = taker.index("_ng_task_index", head.task_index)
    row.repeat = taker.index("_ng_rollout_index", head.repeat)
    row.attempt = taker.index("_ng_attempt_index", head.attempt)
    row.stage = taker.stage("stage_index", head.stage_index)
    row.server = _interned(taker.text("_ng_environment_server", head.server))
    row.agent = _interned(taker.text("agent_ref.name", head.agent_ref.name)) if head.agent_ref else None
    row.task_source = _interned(taker.text("task_source", head.task_source))
    row.taskset, row.task_id = _task_id(head.task_id, taker)
    row.reward, row.recorded = taker.reward(head.reward)
    row.masked = taker.flag("mask_sample", head.mask_sample, absent=False)
    row.failure_kind = _interned(taker.text("failure_kind", head.failure_kind))
    row.invalid_judge = head.invalid_judge_response is True
    row.logs = taker.text("verifier_logs_dir", head.verifier_logs_dir) or None
    row.verifier_seconds = taker.seconds("verifier_seconds", head.verifier_seconds)
    row.seconds = taker.seconds("elapsed_seconds", head.elapsed_seconds)
    if head.response is not None:
        row.model = _interned(taker.text("response.model", head.response.model))
        _add_response(row, head.response)
    return row


def add_failure(row: Row, head: Head, taker: Taker, *, messages: bool) -> None:
    """Adds what a failures row says of its failure; its message only with `messages`, and bounded."""
    row.failure_class = _interned(taker.text("_ng_failure_class", head.failure_class))
    row.failure_stage = _interned(taker.text("_ng_failure_stage", head.failure_stage))
    row.failure_terminal = taker.flag("_ng_failure_terminal", head.failure_terminal, absent=None)
    message = head.failure_message
    if messages and isinstance(message, str):
        row.failure_message = message[:_MESSAGE]


def _add_response(row: Row, response: ResponseHead) -> None:
    row.empty_output = empty_output(response.output)
    usage = response.usage
    if usage is not None:
        row.input_tokens = token_count(usage.input_tokens)
        row.output_tokens = token_count(usage.output_tokens)
        row.total_tokens = token_count(usage.total_tokens)


def empty_output(output: msgspec.Raw) -> bool:
    """Whether a response's output is an empty list, null, or not there."""
    return len(output) < _LONGEST_EMPTY and bytes(output).strip(b" \t\r[]") in (b"", b"null")


def token_count(value: Any) -> int | None:
    """A token count: anything else is left out without a word, nothing is judged by it."""
    return value if value.__class__ is int else None


_intern = sys.intern


def _interned(text: str | None) -> str | None:
    return None if text is None else _intern(text)


def _task_id(value: TaskIdHead | str | None, taker: Taker) -> tuple[str | None, str | None]:
    """The task set and id that a row names: an object with both, or a plain text (both spellings are read)."""
    if isinstance(value, TaskIdHead):
        taskset = taker.text("_ng_task_id.taskset", value.taskset)
        return _interned(taskset), taker.text("_ng_task_id.task_id", value.task_id)
    return None, value

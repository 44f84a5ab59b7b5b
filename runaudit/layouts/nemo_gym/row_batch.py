"""Takes the lines of a block together: decodes them all, then looks at each field of all rows at once.

Most rows of a file are alike. Where all rows of a block are, what is asked of each field (may it have this type, is it
an index, is it stated at all) is asked of the whole column, which costs a fraction of asking row by row. A block in
which anything is out of the ordinary is left to the ways that look at rows singly; all give the same rows.
"""

import sys
from collections.abc import Sequence
from operator import attrgetter
from typing import Any

import msgspec

from runaudit.layouts.nemo_gym.fields import is_index
from runaudit.layouts.nemo_gym.row import (
    HEAD_FIELDS,
    REQUEST_VALUES,
    UNSET,
    Head,
    ResponseHead,
    TaskIdHead,
    decode_heads,
)
from runaudit.layouts.nemo_gym.row_build import FIELD_TYPES, empty_output, token_count
from runaudit.layouts.nemo_gym.row_table import Columns
from runaudit.read import hashing
from runaudit.read.lines import Block
from runaudit.read.utf8 import is_utf8

_INDICES = ("task_index", "repeat", "attempt", "stage_index")
_CARRIAGE_RETURN = 13
_TEXT = frozenset((str,))
_UNSET = type(UNSET)
_NOTHING = frozenset((type(None), _UNSET))
_TEXT_IF_ANY = _TEXT | _NOTHING

Column = Sequence[Any]


class Batch(msgspec.Struct):
    """The rows of one block, and what they state of their requests: each value once, in the order of the file."""

    columns: Columns
    requests: dict[str, list[bytes]]


class Unlike(msgspec.Struct):
    """The decoded heads of a block whose rows are not alike. None of them states a key twice that is read."""

    heads: list[Head]


def take_together(block: Block, *, ids: bool) -> Batch | Unlike | None:
    """The rows of a block, its heads where they are not alike, None where a line needs more than decoding.

    With `ids`, rows that state no task id are not alike.
    """
    views = [block.view[start:stop] for start, stop in block.spans]
    if any(len(view) and view[-1] == _CARRIAGE_RETURN for view in views):
        return None
    if not block.ascii and not all(map(is_utf8, views)):
        return None
    heads = decode_heads(views)
    if heads is None:
        return None
    try:
        return _Alike(block, views, heads, ids=ids).batch()
    except (_NotAlikeError, OverflowError):
        # overflow: a whole number of hundreds of digits, which no double holds
        return Unlike(heads)


class _NotAlikeError(Exception):
    pass


class _Alike:
    """The columns of one block's rows. Raises _NotAlikeError at the first that does not fit."""

    def __init__(self, block: Block, views: list[memoryview], heads: list[Head], *, ids: bool) -> None:
        self._block = block
        self._views = views
        self._heads = heads
        self._ids = ids
        self._plain = dict(zip(HEAD_FIELDS, zip(*map(msgspec.structs.astuple, heads), strict=True), strict=False))

    def batch(self) -> Batch:
        self._check_types()
        fields = self._places() | self._identity() | self._outcome() | self._response()
        return Batch(Columns({name: column for name, column in fields.items() if column is not None}), self._requests())

    def _check_types(self) -> None:
        plain = self._plain
        for name, column in plain.items():
            _expect(set(map(type, column)) <= FIELD_TYPES[name])
        for name in ("omitted", "failure_class"):
            _expect(plain[name].count(UNSET) == len(plain[name]))
        for name in _INDICES:
            _expect(all(is_index(number) for number in _extremes(plain[name])))

    def _places(self) -> dict[str, list[Any] | None]:
        block = self._block
        shift = block.offset - block.spans[0][0]
        return {
            "line": list(range(block.number, block.number + len(self._heads))),
            "offset": [start + shift for start, _ in block.spans],
            "fingerprint": list(map(hashing.short, self._views)),
        }

    def _identity(self) -> dict[str, list[Any] | None]:
        plain = self._plain
        taskset = task_id = None
        task_ids = [head.task_id for head in self._heads]
        kinds = set(map(type, task_ids))
        if kinds == {TaskIdHead}:
            taskset = [told.taskset for told in task_ids]  # type: ignore[union-attr]  # all of one class
            task_id = [told.task_id for told in task_ids]  # type: ignore[union-attr]  # all of one class
            _expect(set(map(type, taskset)) == set(map(type, task_id)) == _TEXT)
            taskset = list(map(sys.intern, taskset))
        else:
            _expect(kinds == {type(None)} and not self._ids)
        agents = [None if head.agent_ref is None else head.agent_ref.name for head in self._heads]
        _expect(set(map(type, agents)) <= _TEXT_IF_ANY)
        return {
            "task_index": _stated(plain["task_index"]),
            "repeat": _stated(plain["repeat"]),
            "attempt": _stated(plain["attempt"]),
            "stage": _stated(plain["stage_index"]),
            "server": _shared(plain["server"]),
            "agent": _shared(agents),
            "task_id": task_id,
            "taskset": taskset,
            "task_source": _shared(plain["task_source"]),
        }

    def _outcome(self) -> dict[str, list[Any] | None]:
        plain = self._plain
        kinds = set(map(type, plain["reward"]))
        masked, judge, logs = plain["mask_sample"], plain["invalid_judge_response"], plain["verifier_logs_dir"]
        return {
            "reward": _floats(plain["reward"]),
            "recorded": None if kinds == {_UNSET} else list(plain["reward"]),
            "masked": [flag is True for flag in masked] if True in masked else None,
            "failure_kind": _shared(plain["failure_kind"]),
            "invalid_judge": [value is True for value in judge] if _stated(judge) else None,
            "logs": [path or None for path in stated] if (stated := _stated(logs)) else None,
            "verifier_seconds": _floats(plain["verifier_seconds"]),
            "seconds": _floats(plain["elapsed_seconds"]),
        }

    def _response(self) -> dict[str, list[Any] | None]:
        responses = [head.response for head in self._heads]
        _expect(set(map(type, responses)) == {ResponseHead})
        models = [response.model for response in responses]  # type: ignore[union-attr]  # all of one class
        _expect(set(map(type, models)) <= _TEXT_IF_ANY)
        usages = [response.usage for response in responses]  # type: ignore[union-attr]  # all of one class
        return {
            "model": _shared(models),
            "empty_output": [empty_output(response.output) for response in responses],  # type: ignore[union-attr]
            "input_tokens": [None if usage is None else token_count(usage.input_tokens) for usage in usages],
            "output_tokens": [None if usage is None else token_count(usage.output_tokens) for usage in usages],
            "total_tokens": [None if usage is None else token_count(usage.total_tokens) for usage in usages],
        }

    def _requests(self) -> dict[str, list[bytes]]:
        requests = [request for head in self._heads if (request := head.responses_create_params) is not None]
        said = {name: dict.fromkeys(map(bytes, map(attrgetter(name), requests))) for name in REQUEST_VALUES}
        return {name: list(filter(None, values)) for name, values in said.items()}


def _expect(fits: bool) -> None:
    if not fits:
        raise _NotAlikeError


def _extremes(column: Column) -> list[int]:
    """The smallest and the largest whole number in a column."""
    numbers = [value for value in column if value.__class__ is int]
    return [min(numbers), max(numbers)] if numbers else []


def _stated(column: Column) -> list[Any] | None:
    """The column with None where nothing is stated; None where nothing is stated at all."""
    kinds = set(map(type, column))
    if kinds <= _NOTHING:
        return None
    return [None if value is UNSET else value for value in column] if _UNSET in kinds else list(column)


def _shared(column: Column) -> list[str | None] | None:
    """As stated, with texts that many rows have in common kept once."""
    stated = _stated(column)
    if stated is None or None not in stated:
        return stated and list(map(sys.intern, stated))
    return [None if text is None else sys.intern(text) for text in stated]


def _floats(column: Column) -> list[float | None] | None:
    stated = _stated(column)
    return stated and [None if value is None else float(value) for value in stated]

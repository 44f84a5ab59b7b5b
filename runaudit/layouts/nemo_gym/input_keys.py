"""Keys that an input row states twice. Fast parsers keep the last value without a word, as the producer's does.

A key's bytes are counted first: only a row that holds a key more often than its known places do is parsed again.
"""

import re
from collections.abc import Iterator
from typing import Any

import orjson

from runaudit.read.values import DECODER, Doubled

_READ = (
    "_ng_task_index",
    "_ng_rollout_index",
    "_ng_task_id",
    "_ng_environment_server",
    "task_source",
    "stage_index",
    "agent_ref",
    "task_id",
    "taskset",
    "task_input",
    "turns",
    "responses_create_params",
)
# how JSON may spell a letter, digit or underscore of a key in another way
_ESCAPED_LETTER = re.compile(rb"\\u00[3-7][0-9A-Fa-f]")
_TOKENS = {name: f'"{name}"'.encode() for name in _READ}


def keys_stated_twice(data: bytes, row: dict[str, Any]) -> dict[str, list[Any]]:
    """The keys that are read and stated twice, with every value; empty for nearly every row."""
    if orjson.dumps(row) == data:
        # Written back it is the same bytes, as with most writers of such files: nothing was dropped.
        return {}
    often = [(name, count) for name, token in _TOKENS.items() if (count := data.count(token)) > 1]
    spelled_otherwise = _ESCAPED_LETTER.search(data) is not None
    if not often and not spelled_otherwise:
        return {}
    objects = list(_read_objects(row))
    if not spelled_otherwise and all(count <= sum(name in inner for inner in objects) for name, count in often):
        return {}
    try:
        whole = DECODER.decode(data.decode("utf-8"))
    except (ValueError, RecursionError):
        return {}
    return {
        key: values
        for inner in _read_objects(whole)
        if isinstance(inner, Doubled)
        for key, values in inner.values_of.items()
        if key in (*_READ, "name")
    }


def _read_objects(row: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The row, and the objects in it that are read into."""
    holder = row.get("task_input")
    inner = [row.get("task_id"), row.get("_ng_task_id"), row.get("agent_ref"), holder]
    if isinstance(holder, dict):
        inner += [holder.get("task_data"), holder.get("responses_create_params"), *_turns(holder)]
    inner += [row.get("responses_create_params"), *_turns(row)]
    yield row
    yield from (one for one in inner if isinstance(one, dict))


def _turns(holder: dict[str, Any]) -> list[Any]:
    turns = holder.get("turns")
    return turns if isinstance(turns, list) else []

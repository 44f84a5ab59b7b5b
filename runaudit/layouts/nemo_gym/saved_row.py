"""Takes a row apart that only the explaining parser could read: its head, keys stated twice, text that is no UTF-8.

The same fields are looked at as by the fast decoder, also inside the objects that are read into.
"""

from collections.abc import Iterator
from typing import Any

import msgspec

from runaudit.layouts.nemo_gym.fields import Misfit, kind_of
from runaudit.layouts.nemo_gym.row import (
    FOREIGN_NAMES,
    HEAD_FIELDS,
    UNSET,
    AgentHead,
    Head,
    RequestHead,
    ResponseHead,
    TaskIdHead,
    UsageHead,
)
from runaudit.read.values import Doubled

# the keys that are read, by the dotted path of the object that holds them
READ_KEYS: dict[str, tuple[str, ...]] = {
    "": tuple(FOREIGN_NAMES.values()),
    "_ng_task_id": TaskIdHead.__struct_fields__,
    "agent_ref": AgentHead.__struct_fields__,
    "response": ResponseHead.__struct_fields__,
    "response.usage": UsageHead.__struct_fields__,
    "responses_create_params": RequestHead.__struct_fields__,
}


def head_of(value: dict[str, Any]) -> tuple[Head, list[Misfit]]:
    """The head of a row, and the objects in it that are none."""
    misfits: list[Misfit] = []
    head = Head()
    for name in HEAD_FIELDS:
        if FOREIGN_NAMES[name] in value:
            setattr(head, name, value[FOREIGN_NAMES[name]])
    task_id = value.get("_ng_task_id")
    if isinstance(task_id, str):
        head.task_id = task_id
    elif (task := _inner(value, "_ng_task_id", misfits)) is not None:
        head.task_id = TaskIdHead(taskset=task.get("taskset", UNSET), task_id=task.get("task_id", UNSET))
    if (agent := _inner(value, "agent_ref", misfits)) is not None:
        head.agent_ref = AgentHead(name=agent.get("name", UNSET))
    response = _inner(value, "response", misfits)
    if response is not None:
        usage = _inner(response, "usage", [])
        head.response = ResponseHead(
            model=response.get("model", UNSET),
            usage=None if usage is None else UsageHead(*(usage.get(n, UNSET) for n in UsageHead.__struct_fields__)),
            output=msgspec.Raw(b"[]" if response.get("output") in (None, [], "") else b"[{}, {}, {}, {}, {}]"),
        )
    request = _inner(value, "responses_create_params", misfits)
    if request is not None:
        head.responses_create_params = RequestHead(
            **{name: _raw(request[name]) for name in RequestHead.__struct_fields__ if name in request}
        )
    return head, misfits


def _inner(value: dict[str, Any], name: str, misfits: list[Misfit]) -> dict[str, Any] | None:
    inner = value.get(name)
    if inner is None or isinstance(inner, dict):
        return inner
    misfits.append(Misfit("wrong-type", name, "an object", kind_of(inner)))
    return None


def _raw(value: Any) -> msgspec.Raw:
    return msgspec.Raw(msgspec.json.encode(value))


def _read_objects(value: dict[str, Any]) -> Iterator[tuple[str, tuple[str, ...], dict[str, Any]]]:
    """The objects of a row that are read into: dotted path, the keys read there, the object."""
    for path, keys in READ_KEYS.items():
        inner: Any = value
        for name in path.split(".") if path else ():
            inner = inner.get(name) if isinstance(inner, dict) else None
        if isinstance(inner, dict):
            yield path, keys, inner


def doubled_fields(value: dict[str, Any]) -> dict[str, list[Any]]:
    """The keys that are read and stated twice, by their dotted names, with every value."""
    return {
        f"{path}.{key}".lstrip("."): values
        for path, keys, inner in _read_objects(value)
        if isinstance(inner, Doubled)
        for key, values in inner.values_of.items()
        if key in keys
    }


def drop_damaged_text(value: dict[str, Any]) -> list[str]:
    """Takes texts that are no UTF-8 out of the fields that are read; their dotted names."""
    found = []
    for path, keys, inner in _read_objects(value):
        for key in keys:
            if isinstance(inner.get(key), str) and _damaged(inner[key]):
                inner[key] = None
                found.append(f"{path}.{key}".lstrip("."))
    return found


def _damaged(text: str) -> bool:
    return any("\udc80" <= c <= "\udcff" for c in text)

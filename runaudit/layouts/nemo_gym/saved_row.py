"""Heads of rows that the explaining parser saved, for lines that the fast decoder refused."""

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

_USAGE = UsageHead.__struct_fields__


def head_of(value: dict[str, Any]) -> tuple[Head, list[Misfit]]:
    """A head from an object that the explaining parser saved."""
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
            usage=None if usage is None else UsageHead(*(usage.get(name, UNSET) for name in _USAGE)),
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


def doubled_of(value: dict[str, Any]) -> dict[str, list[Any]]:
    """The doubled keys among those that are read, also inside the task id and the usage."""
    found: dict[str, list[Any]] = {}
    if isinstance(value, Doubled):
        found.update({k: v for k, v in value.values_of.items() if k in FOREIGN_NAMES.values()})
    for outer in ("_ng_task_id", "agent_ref", "response"):
        inner = value.get(outer)
        if isinstance(inner, Doubled):
            read = ("task_id", "taskset", "name", "model", "usage", "output")
            found.update({f"{outer}.{key}": values for key, values in inner.values_of.items() if key in read})
    return found

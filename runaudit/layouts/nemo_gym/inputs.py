"""Reads what the run owed: materialized inputs, or rows that were told. One row is one task and repeat.

Rows are flat (`responses_create_params` at the top) or native (`task_id`, `task_input` with `task_data`, perhaps
`turns`). Inputs of a task's repeats are equal and are kept once.
"""

import sys
from collections.abc import Iterable, Mapping
from typing import Any

import msgspec
import orjson

from runaudit.layouts.nemo_gym.fields import is_index
from runaudit.layouts.nemo_gym.prompts import Prompts, flattened
from runaudit.layouts.nemo_gym.slot import Owed
from runaudit.model.finding import Finding
from runaudit.read import hashing
from runaudit.read.values import NonFinite

# Fields that say where a row stands in a schedule, not what the task is.
_NOT_THE_TASK = ("agent_ref", "task_source", "num_repeats", "skills_ref")
_OF_THE_REQUEST = ("input", "tools", "metadata")
_REQUEST_NAMES = ("temperature", "top_p", "max_output_tokens", "model")
_MOST_REQUEST_VALUES = 16
# asked in this order: nearly every object is a dict, and the abstract class is slow to ask
_OBJECT = (dict, Mapping)


class Inputs(msgspec.Struct):
    """Everything that was owed. `requests` holds the distinct request parameters, `task_sources` the labels."""

    owed: list[Owed] = msgspec.field(default_factory=list)
    findings: list[Finding] = msgspec.field(default_factory=list)
    prompts: Prompts = msgspec.field(default_factory=Prompts)
    task_sources: dict[str, int] = msgspec.field(default_factory=dict)
    requests: dict[str, list[Any]] = msgspec.field(default_factory=dict)
    unplaced: int = 0


class InputReader:
    """Collects owed rows; `path` names the file in findings, `shard` the shard whose inventory it is."""

    def __init__(self, path: str, *, shard: str | None = None, into: Inputs | None = None) -> None:
        self.inputs = into if into is not None else Inputs()
        self._path = path
        self._shard = shard
        self._known: dict[str, dict[str, Any]] = {}

    def take(self, row: Mapping[str, Any]) -> bool:
        """Notes one owed row. Returns whether it has a place."""
        inputs = self.inputs
        task_index, repeat = _index(row.get("_ng_task_index")), _index(row.get("_ng_rollout_index"))
        source = row.get("task_source")
        if isinstance(source, str):
            inputs.task_sources[source] = inputs.task_sources.get(source, 0) + 1
        if task_index is None or repeat is None:
            inputs.unplaced += 1
            return False
        taskset, task_id = _task_id(row)
        request, turns = _requests(row)
        prompt = flattened(request.get("input"))
        inputs.prompts.add(task_index, prompt, task_id or f"index {task_index}")
        self._note_request(request)
        agent = row.get("agent_ref")
        inputs.owed.append(
            Owed(
                task_index=task_index,
                repeat=repeat,
                stage=_stage(row.get("stage_index")),
                server=_name(row.get("_ng_environment_server")),
                agent=_name(agent.get("name")) if isinstance(agent, _OBJECT) else None,
                task_id=task_id,
                taskset=taskset,
                task_source=_name(source),
                shard=self._shard,
                input=self._input_of(row, request, turns),
                prompt=hashing.short(prompt) if prompt else None,
                several_turns=len(turns) > 1,
            )
        )
        return True

    def take_again(self, repeat: int) -> None:
        """Notes one owed row that is the one before in everything but its repeat."""
        owed = self.inputs.owed
        last = owed[-1]
        owed.append(msgspec.structs.replace(last, repeat=repeat))
        if last.task_source is not None:
            self.inputs.task_sources[last.task_source] += 1

    def finish(self) -> Inputs:
        """What was collected, with one finding for rows that state no place."""
        if self.inputs.unplaced:
            self.inputs.findings.append(
                Finding(
                    id="inputs-unreadable",
                    message=f"{self.inputs.unplaced} rows carry no task and repeat index",
                    path=self._path,
                )
            )
        return self.inputs

    def _note_request(self, request: Mapping[str, Any]) -> None:
        for name in _REQUEST_NAMES:
            value = request.get(name)
            if isinstance(value, (str, int, float)):
                values = self.inputs.requests.setdefault(name, [])
                if value not in values and len(values) < _MOST_REQUEST_VALUES:
                    values.append(value)

    def _input_of(
        self, row: Mapping[str, Any], request: Mapping[str, Any], turns: list[tuple[str | None, Mapping[str, Any]]]
    ) -> dict[str, Any]:
        digest = hashing.sha256_text(_canonical(row))
        known = self._known.get(digest)
        if known is None:
            known = self._known[digest] = {
                "digest": digest,
                "digests": _digests(row),
                "metadata": _plain(request.get("metadata")),
                "turns": [{"name": name, "metadata": _plain(turn.get("metadata"))} for name, turn in turns],
            }
        return known


def read_told(rows: Iterable[Mapping[str, Any]], path: str) -> Inputs:
    """Owed rows that a caller hands over as values."""
    reader = InputReader(path)
    for row in rows:
        reader.take(row)
    return reader.finish()


def read_recorded(entries: Iterable[Mapping[str, Any]]) -> Inputs:
    """What a run owed, from the entries of its summary: for a rebuild when the rows themselves were told."""
    inputs = Inputs()
    for entry in entries:
        task_index, repeat = _index(entry.get("task_index")), _index(entry.get("repeat"))
        if task_index is not None and repeat is not None:
            inputs.owed.append(
                Owed(
                    task_index=task_index,
                    repeat=repeat,
                    stage=_stage(entry.get("stage")),
                    server=_text(entry.get("server")),
                    agent=_text(entry.get("agent")),
                    task_id=_text(entry.get("task_id")),
                    taskset=_text(entry.get("taskset")),
                )
            )
    return inputs


def _index(value: Any) -> int | None:
    return value if is_index(value) else None


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def _name(value: Any) -> str | None:
    """A text that many rows have in common, kept once."""
    return sys.intern(value) if value.__class__ is str else None


def _stage(value: Any) -> int | str | None:
    return value if isinstance(value, str) else _index(value)


def _task_id(row: Mapping[str, Any]) -> tuple[str | None, str | None]:
    """The task set and id of an input: `_ng_task_id` or `task_id`, as an object or a plain text."""
    for key in ("_ng_task_id", "task_id"):
        value = row.get(key)
        if isinstance(value, _OBJECT):
            return _name(value.get("taskset")), _text(value.get("task_id"))
        if isinstance(value, str):
            return None, value
    return None, None


def _requests(row: Mapping[str, Any]) -> tuple[Mapping[str, Any], list[tuple[str | None, Mapping[str, Any]]]]:
    """The request of the task (of its first turn) and its turns by name."""
    holder = row.get("task_input") if isinstance(row.get("task_input"), _OBJECT) else row
    turns = [
        (_text(turn.get("name")), turn["responses_create_params"])
        for turn in _listed(holder.get("turns") if isinstance(holder, _OBJECT) else None)
        if isinstance(turn, _OBJECT) and isinstance(turn.get("responses_create_params"), _OBJECT)
    ]
    request = holder.get("responses_create_params") if isinstance(holder, _OBJECT) else None
    if isinstance(request, _OBJECT):
        return request, turns
    return (turns[0][1] if turns else {}), turns


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _digests(row: Mapping[str, Any]) -> dict[str, str]:
    """Digests that the producer put into the row, under their own names without the reserved prefix."""
    holder = row.get("task_input")
    data = holder.get("task_data") if isinstance(holder, _OBJECT) else None
    found = {}
    for place in (row, holder, data):
        if isinstance(place, _OBJECT):
            for key in place:
                if "digest" in key and isinstance(value := place[key], str):
                    found[_digest_name(key)] = value
    return found


def _digest_name(key: str) -> str:
    name = key.removeprefix("_ng_").removesuffix("digest").rstrip("_")
    return name or "task"


def _canonical(row: Mapping[str, Any]) -> bytes:
    """The bytes that our own input digest is taken over: what the task is, without its place in a schedule."""
    kept = {key: value for key, value in row.items() if not key.startswith("_ng_") and key not in _NOT_THE_TASK}
    _narrow(kept)
    holder = kept.get("task_input")
    if isinstance(holder, _OBJECT):
        kept["task_input"] = dict(holder)
        _narrow(kept["task_input"])
    try:
        return orjson.dumps(kept, option=orjson.OPT_SORT_KEYS)
    except TypeError:
        return orjson.dumps(_plain(kept), option=orjson.OPT_SORT_KEYS)


def _narrow(holder: dict[str, Any]) -> None:
    """Leaves of a request what the task is: sampling parameters are a difference of the set-up, not another task."""
    request = holder.get("responses_create_params")
    if isinstance(request, _OBJECT):
        holder["responses_create_params"] = {key: request[key] for key in _OF_THE_REQUEST if key in request}


def _plain(value: Any) -> Any:
    """A value that strict JSON can hold: numbers that are not finite and broken text become text."""
    if isinstance(value, _OBJECT):
        return {str(_plain(key)): _plain(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_plain(inner) for inner in value]
    if isinstance(value, NonFinite):
        return value.text
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode()
    if isinstance(value, int) and not -(1 << 63) <= value < 1 << 64:
        return str(value)
    return value

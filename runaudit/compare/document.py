"""The parts of a run summary that are compared, as compact typed values.

Unknown keys are ignored, missing ones mean unknown; a value of the wrong type, another kind of document and a newer
major version are refused by name. Decoding goes straight from bytes into these values: a hundred thousand entries
are never held as dictionaries.
"""

from typing import Any

import msgspec

from runaudit.errors import InputError
from runaudit.model.finding import Level
from runaudit.model.summary import KIND, VERSION
from runaudit.model.task import Outcome, Usage


class InputFacts(msgspec.Struct, frozen=True, gc=False):
    """What identifies a task's input: our digest, and the producer's own by name."""

    digest: str | None = None
    digests: dict[str, Any] | None = None


class Attempt(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """One entry of `tasks`: one selected task and repeat."""

    task_id: str | None = None
    taskset: str | None = None
    task_index: int | None = None
    stage: int | str | None = None
    shard: str | None = None
    server: str | None = None
    agent: str | None = None
    model: str | None = None
    outcome: Outcome
    reward: float | None = None
    passed: bool | None = None
    input: InputFacts | None = None
    usage: Usage | None = None
    cost_usd: float | None = None
    seconds: float | None = None


class FindingCount(msgspec.Struct, frozen=True):
    """A group of findings of the run, without its places."""

    id: str
    level: Level
    title: str = ""
    count: int = 1


class RunDocument(msgspec.Struct, frozen=True, kw_only=True):
    """A run summary, as far as it is compared."""

    kind: Any = None
    version: Any = None
    layout: str | None = None
    producer: dict[str, Any] | None = None
    options: dict[str, Any] = {}
    run: dict[str, Any] = {}
    evidence: dict[str, Any] = {}
    tasks: list[Attempt] = []
    findings: list[FindingCount] = []

    @property
    def taskset(self) -> str | None:
        """The run's taskset, where it is known as one text."""
        told = self.run.get("taskset")
        return told if isinstance(told, str) and told else None


class _Head(msgspec.Struct):
    kind: Any = None
    version: Any = None


_DECODER = msgspec.json.Decoder(RunDocument)
_HEAD = msgspec.json.Decoder(_Head)


def decode(data: bytes, source: str) -> RunDocument:
    """The run summary in `data`; `source` names it in errors.

    Raises InputError when it is no run summary, one of a newer major version, or holds a value of the wrong type.
    """
    try:
        document = _DECODER.decode(data)
    except msgspec.DecodeError as error:
        # Another kind of document, or a newer one, often has other types, too: say the weightier thing.
        _check_head(data, source)
        raise InputError(f"{source}: no readable run summary: {error}") from error
    except RecursionError as error:
        raise InputError(f"{source}: no readable run summary: nested too deep") from error
    _check(document.kind, document.version, source)
    for number, attempt in enumerate(document.tasks):
        if attempt.outcome == "scored" and attempt.reward is None:
            raise InputError(f"{source}: no readable run summary: tasks.{number} is scored and states no reward")
    return document


def _check_head(data: bytes, source: str) -> None:
    try:
        head = _HEAD.decode(data)
    except (msgspec.DecodeError, RecursionError) as error:
        raise InputError(f"{source}: no readable run summary: {error}") from error
    _check(head.kind, head.version, source)


def _check(kind: Any, version: Any, source: str) -> None:
    if kind != KIND:
        raise InputError(f'{source}: no run summary: "kind" is {kind!r}, expected {KIND!r}')
    if type(version) is not int:
        raise InputError(f'{source}: no run summary: "version" is {version!r}, expected {VERSION}')
    if version > VERSION:
        raise InputError(
            f"summary-newer: {source}: a run summary of version {version}; this runaudit reads up to {VERSION}"
        )

"""An entry of the aggregate as a value: the few keys that are held against the rows, and why an entry cannot be.

Foreign content is looked at here and nowhere later. Nothing raises: what cannot be interpreted becomes a reason.
"""

from collections.abc import Mapping
from typing import Any, Literal

import msgspec
from msgspec import UNSET

from runaudit.read.values import Doubled

Key = tuple[int, int]
Masking = Literal["counted", "in", "out"]

MEAN = "mean/reward"
TASK, REPEAT = "_ng_task_index", "_ng_rollout_index"
_MASKED_COUNT = "coverage/masked_rollouts"
_RUBRIC = "rubric/aggregate_rows_included"
_TOKENS = frozenset({"input_tokens", "output_tokens", "total_tokens"})
_ERRORS = ("aggregation_error", "error")


class Info(msgspec.Struct, frozen=True, gc=False):
    """One row that entered the aggregate. `tokens`: it carries token counts, which nothing imputed does."""

    key: Key
    reward: Any
    tokens: bool


class TaskGroup(msgspec.Struct, frozen=True, gc=False):
    """The metrics of one task. `infos` is None in files that do not list the rows."""

    task_index: int | None
    mean: Any
    count: int | None
    tokens: bool
    infos: tuple[Info, ...] | None


class RepeatMean(msgspec.Struct, frozen=True):
    """The mean of one repeat over its tasks."""

    repeat: int
    mean: Any


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """One server's (up to 0.6: agent's) aggregate.

    `masking` says what the producer did with masked rows: left them out and counted them, took them in, or left them
    out without a count. `rubric`: rows without a usable judge response were left out, too. `infos` is None where the
    file does not list rows. `unread` is why the content cannot be held against rows; `failed` marks an error entry.
    """

    position: int
    server: str | None = None
    agent: str | None = None
    mean: Any = UNSET
    masking: Masking = "out"
    masked: Any = UNSET
    rubric: bool = False
    groups: tuple[TaskGroup, ...] = ()
    repeats: tuple[RepeatMean, ...] = ()
    infos: tuple[Info, ...] | None = None
    unread: str | None = None
    wrong_shape: bool = False
    failed: bool = False

    @property
    def label(self) -> str:
        """How findings name the entry."""
        name = self.server or self.agent
        return f"entry {self.position}" + (f" ({name})" if name else "")


class _UnreadableError(Exception):
    """Why an entry cannot be interpreted; `wrong_shape` where it has another shape than the producer writes."""

    def __init__(self, reason: str, *, wrong_shape: bool = True) -> None:
        super().__init__(reason)
        self.reason = reason
        self.wrong_shape = wrong_shape


def read_entry(value: Any, position: int) -> Entry:
    """The entry at `position` (from 1), whatever its shape."""
    if not isinstance(value, dict):
        return Entry(position=position, unread="it is no object", wrong_shape=True)
    server, agent = _name(value.get("_ng_environment_server")), _agent(value.get("agent_ref"))
    if any(value.get(key) is not None for key in _ERRORS):
        return Entry(position=position, server=server, agent=agent, failed=True)
    try:
        _stated_once(value, ("_ng_environment_server", "agent_ref", "agent_metrics", "group_level_metrics"))
        return _content(value, position, server, agent)
    except _UnreadableError as why:
        return Entry(position=position, server=server, agent=agent, unread=why.reason, wrong_shape=why.wrong_shape)


def _content(value: Mapping[str, Any], position: int, server: str | None, agent: str | None) -> Entry:
    metrics = _object(_or(value.get("agent_metrics"), {}), "agent_metrics")
    _stated_once(metrics, (MEAN, _MASKED_COUNT))
    groups = tuple(_group(item) for item in _list(_or(value.get("group_level_metrics"), []), "groups"))
    repeats = tuple(_repeat(item) for item in _list(_or(value.get("repeat_level_metrics"), []), "repeats"))
    if not metrics and not groups:
        raise _UnreadableError("it holds neither agent metrics nor groups", wrong_shape=False)
    return Entry(
        position=position,
        server=server,
        agent=agent,
        mean=metrics.get(MEAN, UNSET),
        masking=_masking(metrics),
        masked=metrics.get(_MASKED_COUNT, UNSET),
        rubric=_RUBRIC in metrics,
        groups=groups,
        repeats=repeats,
        infos=_all_infos(groups),
    )


def _masking(metrics: Mapping[str, Any]) -> Masking:
    if _MASKED_COUNT in metrics:
        return "counted"
    return "in" if "mean/mask_sample" in metrics else "out"


def _all_infos(groups: tuple[TaskGroup, ...]) -> tuple[Info, ...] | None:
    listed = [group.infos for group in groups if group.infos is not None]
    if not listed:
        return None
    if len(listed) < len(groups):
        raise _UnreadableError("only some of its groups list their rows")
    infos = tuple(info for group in listed for info in group)
    if len({info.key for info in infos}) < len(infos):
        raise _UnreadableError("it lists a task and repeat twice", wrong_shape=False)
    return infos


def _group(value: Any) -> TaskGroup:
    group = _object(value, "a group")
    _stated_once(group, (MEAN, TASK, "rollout_infos"))
    infos, count = group.get("rollout_infos"), group.get("num_rollouts")
    return TaskGroup(
        task_index=_index(group.get(TASK)),
        mean=group.get(MEAN, UNSET),
        count=_index(count),
        tokens=any(f"mean/{name}" in group for name in _TOKENS),
        infos=None if infos is None else tuple(_info(item) for item in _list(infos, "rollout_infos")),
    )


def _info(value: Any) -> Info:
    info = _object(value, "a row of rollout_infos")
    _stated_once(info, ("reward", TASK, REPEAT))
    task_index, repeat = _index(info.get(TASK)), _index(info.get(REPEAT))
    if task_index is None or repeat is None:
        raise _UnreadableError("it lists a row without task and repeat index", wrong_shape=False)
    return Info((task_index, repeat), info.get("reward", UNSET), not _TOKENS.isdisjoint(info))


def _repeat(value: Any) -> RepeatMean:
    entry = _object(value, "a repeat")
    _stated_once(entry, (MEAN, REPEAT))
    repeat = _index(entry.get(REPEAT))
    if repeat is None:
        raise _UnreadableError("it states a repeat without its index", wrong_shape=False)
    return RepeatMean(repeat, entry.get(MEAN, UNSET))


def _or(value: Any, absent: Any) -> Any:
    return absent if value is None else value


def _object(value: Any, what: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise _UnreadableError(f"{what} is no object")
    return value


def _list(value: Any, what: str) -> list[Any]:
    if not isinstance(value, list):
        raise _UnreadableError(f"{what} is no list")
    return value


def _stated_once(value: Mapping[str, Any], keys: tuple[str, ...]) -> None:
    if isinstance(value, Doubled) and (twice := [key for key in keys if key in value.values_of]):
        raise _UnreadableError(f"it states {twice[0]} twice", wrong_shape=False)


def _index(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _name(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None


def _agent(value: Any) -> str | None:
    return _name(value.get("name")) if isinstance(value, dict) else None

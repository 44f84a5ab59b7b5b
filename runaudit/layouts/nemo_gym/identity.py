"""Which run it was, as far as its rows, inputs and configuration say. Unknown stays null."""

from collections.abc import Iterable
from typing import Any

from runaudit.layouts.nemo_gym.own_files import OwnFiles
from runaudit.layouts.nemo_gym.prepared import Prepared, tasksets_of
from runaudit.layouts.nemo_gym.reading import Read
from runaudit.layouts.nemo_gym.slot import Slot
from runaudit.model.account import Dataset, Producer, RunIdentity
from runaudit.model.request import Request
from runaudit.model.task import TaskEntry

_DATASET_DIGESTS_SHOWN = 50


def identity_of(read: Read, prepared: Prepared, entries: list[TaskEntry], request: Request) -> RunIdentity:
    """The run's identity. Told values come first; the rest is what everything agrees on."""
    carried: dict[str, int] = {}
    for harvest in (read.rollouts, *(failures for _, _, failures in read.failures)):
        for label, count in (harvest.task_sources if harvest else {}).items():
            carried[label] = carried.get(label, 0) + count
    tasksets = sorted({entry.taskset for entry in entries if entry.taskset}) or tasksets_of(prepared.config)
    return RunIdentity(
        target=request.target,
        taskset=request.taskset or _only(tasksets),
        agents=tuple(sorted({entry.agent for entry in entries if entry.agent})) or _told(request.agent),
        models=tuple(sorted({entry.model for entry in entries if entry.model})),
        split=request.split,
        dataset=_dataset(prepared.dataset, request.dataset),
        task_source=_only(sorted(read.inputs.task_sources)),
        rows_task_source=_only(sorted(carried)),
        request=_parameters(read),
        resumed=request.resumed,
        selected_from=read.selected_from,
    )


def _only(values: list[str]) -> str | None:
    return values[0] if len(values) == 1 else None


def _told(value: str | None) -> tuple[str, ...]:
    return () if value is None else (value,)


def _dataset(found: Dataset | None, told: str | None) -> Dataset | None:
    if found is None:
        return None if told is None else Dataset(name=told)
    digests = dict(sorted((found.digests or {}).items())[:_DATASET_DIGESTS_SHOWN]) or None
    return Dataset(name=told or found.name, source=found.source, digests=digests)


def _parameters(read: Read) -> dict[str, Any] | None:
    """Request parameters by name: one value, or the list of distinct ones."""
    found: dict[str, Any] = {}
    if read.inputs.requests:
        stated: Iterable[tuple[str, list[Any]]] = read.inputs.requests.items()
    else:
        stated = (read.rollouts.requests if read.rollouts else {}).items()
    for name, values in sorted(stated):
        found[name] = values[0] if len(values) == 1 else sorted(values, key=str)
    return found or None


def producer_of(slots: list[Slot], own: OwnFiles) -> Producer:
    """What the rows betray of the writer's version: no release writes one."""
    servers = any(row.server for slot in slots for row in (*slot.rows, *slot.failures))
    if servers:
        return Producer("nemo-gym", None, "rows name their environment server: 0.7 or later")
    if "rollouts" in own.sights and any(slot.rows for slot in slots):
        return Producer("nemo-gym", None, "rows name no environment server: 0.6 or earlier, or hand-made")
    return Producer("nemo-gym")

"""Which tasks of two runs are the same: per (taskset, task id, agent, stage), over repeats.

Repeats are never paired: their order is no identity. Where a side knows no task ids at all, the task index takes
their place on both sides, if both have indices. Two names are not needed to tell one thing apart: when each side has a
single agent, these are compared whatever they are called (the name is a difference of the set-up), and a taskset that
one side does not know is no reason to call every task removed.
"""

from collections.abc import Iterable, Sequence

import msgspec

from runaudit.compare.document import Attempt, RunDocument


class TaskKey(msgspec.Struct, frozen=True, gc=False):
    """The identity of a task across two runs. `task` is the id, or `#` and the index where ids are unknown."""

    taskset: str | None
    task: str
    agent: str | None
    stage: int | str | None

    @property
    def name(self) -> str:
        """The task, with its agent where a run has several."""
        return self.task if self.agent is None else f"{self.task} [{self.agent}]"


class Pair(msgspec.Struct, frozen=True, gc=False):
    """One task and agent with its attempts on both sides; an empty side does not have the task."""

    key: TaskKey
    baseline: Sequence[Attempt]
    candidate: Sequence[Attempt]

    @property
    def first(self) -> Attempt:
        """An attempt that says what the task is called."""
        return (self.baseline or self.candidate)[0]


class Pairing(msgspec.Struct, frozen=True):
    """All tasks of both sides, the baseline's order first; what was done to find them, in words."""

    pairs: tuple[Pair, ...]
    by_index: bool
    remarks: tuple[str, ...]


_Short = tuple[str | None, str, str | None, int | str | None]


def pair(baseline: RunDocument, candidate: RunDocument) -> Pairing:
    """The tasks of both runs, paired."""
    sides = (baseline, candidate)
    by_index, remarks = _by_index(sides)
    drop_taskset = _taskset_says_nothing(*sides)
    with_model = _agents_with_several_models(sides)
    lanes = [{_lane(a, with_model) for a in side.tasks} for side in sides]
    one_lane = all(len(lane) <= 1 for lane in lanes)
    if one_lane and lanes[0] and lanes[1] and lanes[0] != lanes[1]:
        names = [next(iter(lane)) or "unknown" for lane in lanes]
        remarks.append(f"each side has one agent, and these are compared: {names[0]} and {names[1]}")
    left, right = (
        _grouped(side, by_index=by_index, drop_taskset=drop_taskset, with_model=with_model, one_lane=one_lane)
        for side in sides
    )
    pairs = [Pair(TaskKey(*key), attempts, right.get(key, ())) for key, attempts in left.items()]
    pairs += [Pair(TaskKey(*key), (), attempts) for key, attempts in right.items() if key not in left]
    return Pairing(pairs=tuple(pairs), by_index=by_index, remarks=tuple(remarks))


def _by_index(sides: Sequence[RunDocument]) -> tuple[bool, list[str]]:
    """Whether the index stands for the task on both sides, and what is to be said about that."""
    filled = [side.tasks for side in sides if side.tasks]
    if all(any(a.task_id for a in tasks) for tasks in filled):
        return False, []
    if all(any(a.task_index is not None for a in tasks) for tasks in filled):
        return True, ["tasks are paired by index: one side has no task ids"]
    return False, ["no tasks could be paired: one side has no task ids, the other no indices"]


def _grouped(
    side: RunDocument, *, by_index: bool, drop_taskset: bool, with_model: frozenset[str | None], one_lane: bool
) -> dict[_Short, list[Attempt]]:
    told = side.taskset
    groups: dict[_Short, list[Attempt]] = {}
    for attempt in side.tasks:
        task = _indexed(attempt) if by_index or not attempt.task_id else attempt.task_id
        taskset = None if drop_taskset else attempt.taskset or told
        key = (taskset, task, None if one_lane else _lane(attempt, with_model), attempt.stage)
        if key in groups:
            groups[key].append(attempt)
        else:
            groups[key] = [attempt]
    return groups


def _indexed(attempt: Attempt) -> str:
    if attempt.task_index is None:
        return attempt.task_id or "#unknown"
    # Shards that number on their own have the same indices.
    return f"#{attempt.task_index}" if attempt.shard is None else f"{attempt.shard}#{attempt.task_index}"


def _taskset_says_nothing(*sides: RunDocument) -> bool:
    known = [{a.taskset or side.taskset for a in side.tasks} for side in sides]
    return any(names == {None} for names in known) and all(len(names) <= 1 for names in known)


def _lane(attempt: Attempt, with_model: frozenset[str | None]) -> str | None:
    name = attempt.agent or attempt.server
    return f"{name} ({attempt.model})" if with_model and name in with_model and attempt.model else name


def _agents_with_several_models(sides: Iterable[RunDocument]) -> frozenset[str | None]:
    """Agents that one run used with several models: there, the model is part of the agent's name."""
    several: set[str | None] = set()
    for side in sides:
        seen = {(a.agent or a.server, a.model) for a in side.tasks if a.model}
        names = [name for name, _ in seen]
        several |= {name for name in names if names.count(name) > 1}
    return frozenset(several)

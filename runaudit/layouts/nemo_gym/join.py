"""Joins what was owed with the rows and failures that claim it, by key and never by line.

The key is (stage, task index, repeat) and the environment server, else the agent, where both sides state it. A row
states a server and an agent, a flat input only an agent: two statements contradict one another only when both exist.
Where shards number on their own, the task's id or prompt says which shard's task a merged row is.
"""

from collections import Counter
from collections.abc import Iterable

import msgspec

from runaudit.layouts.nemo_gym.row import Row
from runaudit.layouts.nemo_gym.slot import Owed, Slot
from runaudit.model.finding import Finding

_Spot = tuple[int | str | None, int, int]


class Joined(msgspec.Struct):
    """The slots in the order of the inputs, then those that only rows name; `strangers` where the inputs exclude them.

    `unplaced` counts rows without a place.
    """

    slots: list[Slot] = msgspec.field(default_factory=list)
    strangers: list[Slot] = msgspec.field(default_factory=list)
    findings: list[Finding] = msgspec.field(default_factory=list)
    unplaced: int = 0


class Joiner:
    """Gives every row its slot. `known` says that the inputs are known, so that other keys are unexpected."""

    def __init__(self, owed: Iterable[Owed], *, known: bool, own_numbering: bool) -> None:
        self.joined = Joined()
        self._known = known
        self._spots: dict[_Spot, tuple[Slot, ...]] = {}
        self._unexpected: set[int] = set()
        for row in owed:
            self._owe(row, own_numbering=own_numbering)

    def _owe(self, owed: Owed, *, own_numbering: bool) -> None:
        spot = (owed.stage, owed.task_index, owed.repeat)
        slots = self._spots.get(spot, ())
        for slot in slots:
            same_place = not own_numbering or slot.shard == owed.shard
            if same_place and _fits(slot, owed.server, owed.agent):
                return
        slot = Slot(
            task_index=owed.task_index,
            repeat=owed.repeat,
            stage=owed.stage,
            server=owed.server,
            agent=owed.agent,
            shard=owed.shard if own_numbering else None,
            owed=owed,
        )
        self._spots[spot] = (*slots, slot)
        self.joined.slots.append(slot)

    def add(self, rows: Iterable[Row], path: str, *, failures: bool = False, shard: str | None = None) -> None:
        """Gives the rows of one file their slots; those without indices go by their ids where these are unique."""
        homeless: list[Row] = []
        for row in rows:
            if row.task_index is None or row.repeat is None:
                homeless.append(row)
                continue
            self._slot_of(row, row.task_index, row.repeat, path, shard).add(row, failure=failures)
        if homeless and failures:
            self._count(homeless, path)
        elif homeless:
            self._place_by_id(homeless, path)

    def _slot_of(self, row: Row, task_index: int, repeat: int, path: str, shard: str | None) -> Slot:
        spot = (row.stage, task_index, repeat)
        slots = self._spots.get(spot, ())
        if len(slots) == 1 and shard is None and _fits(slots[0], row.server, row.agent):
            return _sharing_id(slots[0], row)
        fitting = [slot for slot in slots if _fits(slot, row.server, row.agent)]
        if shard is not None:
            fitting = [slot for slot in fitting if slot.shard in (None, shard)]
        if len(fitting) > 1 and row.task_id is not None:
            fitting = [slot for slot in fitting if slot.owed and slot.owed.task_id == row.task_id] or fitting
        if len(fitting) > 1 and row.prompt is not None:
            fitting = [slot for slot in fitting if slot.owed and slot.owed.prompt == row.prompt] or fitting
        if fitting:
            return fitting[0]
        slot = Slot(task_index=task_index, repeat=repeat, stage=row.stage, server=row.server, agent=row.agent)
        self._spots[spot] = (*slots, slot)
        if self._known:
            self.joined.strangers.append(slot)
            self.joined.findings.append(_unexpected(row, path))
        else:
            self.joined.slots.append(slot)
        return slot

    def _place_by_id(self, rows: list[Row], path: str) -> None:
        owed = Counter(slot.owed.task_id for slot in self.joined.slots if slot.owed)
        by_id = {slot.owed.task_id: slot for slot in self.joined.slots if slot.owed}
        claimed = Counter(row.task_id for row in rows)
        left = []
        for row in rows:
            unique = row.task_id is not None and claimed[row.task_id] == 1
            if unique and owed[row.task_id] == 1:
                by_id[row.task_id].add(row)
            elif unique and not self._known:
                self.joined.slots.append(
                    Slot(task_index=None, repeat=None, stage=row.stage, server=row.server, agent=row.agent, rows=(row,))
                )
            else:
                left.append(row)
        if left:
            self._count(left, path)

    def _count(self, rows: list[Row], path: str) -> None:
        self.joined.unplaced += len(rows)
        self.joined.findings.append(
            Finding(
                id="rows-without-index",
                message=f"{len(rows)} rows carry no task and repeat index that could place them",
                path=path,
                line=rows[0].line,
                offset=rows[0].offset,
            )
        )


def _sharing_id(slot: Slot, row: Row) -> Slot:
    """The slot; equal ids are one text from here on, which a large run has to hold only once for each task."""
    if slot.owed is not None and row.task_id is not None and row.task_id == slot.owed.task_id:
        row.task_id = slot.owed.task_id
    return slot


def _fits(slot: Slot, server: str | None, agent: str | None) -> bool:
    """Whether nothing that both sides state contradicts: the server first, the agent where a side has no server."""
    if slot.server is not None and server is not None:
        return slot.server == server
    return slot.agent is None or agent is None or slot.agent == agent


def _unexpected(row: Row, path: str) -> Finding:
    return Finding(
        id="unexpected-row",
        message=f"task {row.task_id or row.task_index} repeat {row.repeat} was not selected",
        path=path,
        line=row.line,
        offset=row.offset,
        task_index=row.task_index,
        repeat=row.repeat,
        task_id=row.task_id,
    )

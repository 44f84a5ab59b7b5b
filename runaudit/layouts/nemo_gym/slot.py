"""A slot: one task and repeat, what was owed there, and every row that claims it.

The key is (shard where shards number on their own, stage, task index, repeat, environment server or else agent).
"""

from collections.abc import Sequence
from typing import Any

import msgspec

from runaudit.layouts.nemo_gym.row import Row


class Owed(msgspec.Struct, kw_only=True, gc=False):
    """One row of the inputs: a task and repeat that the run was to produce."""

    task_index: int
    repeat: int
    stage: int | str | None = None
    server: str | None = None
    agent: str | None = None
    task_id: str | None = None
    taskset: str | None = None
    task_source: str | None = None
    shard: str | None = None
    input: dict[str, Any] | None = None
    prompt: int | None = None
    several_turns: bool = False


class Slot(msgspec.Struct, kw_only=True, gc=False):
    """`owed` is None for a key that only rows name. Rows and failures are in the order of their files.

    Indices are None where only a task's own id places a row.
    """

    task_index: int | None
    repeat: int | None
    stage: int | str | None = None
    server: str | None = None
    agent: str | None = None
    shard: str | None = None
    owed: Owed | None = None
    rows: Sequence[Row] = ()
    failures: Sequence[Row] = ()

    def add(self, row: Row, *, failure: bool = False) -> None:
        """Appends a row. Nearly every slot has just one: a list for each would be most of a large run's memory."""
        known = self.failures if failure else self.rows
        more: Sequence[Row] = (row,)
        if known:
            more = known if isinstance(known, list) else list(known)
            more.append(row)
        if failure:
            self.failures = more
        else:
            self.rows = more

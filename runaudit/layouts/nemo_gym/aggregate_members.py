"""Which keys an entry of the aggregate must hold, may hold and must not hold, from the slots that are its own."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

import msgspec
from msgspec import UNSET

from runaudit.layouts.nemo_gym.aggregate_numbers import number, same
from runaudit.layouts.nemo_gym.aggregate_shape import Entry, Key
from runaudit.layouts.nemo_gym.row import Row
from runaudit.layouts.nemo_gym.slot import Slot

NO_TRACE = "no trace"


class Ghost(msgspec.Struct, frozen=True, gc=False):
    """A key without a row that the producer can count: what it would count there, and as which kind.

    `kind` is the failure class, `NO_TRACE`, or None where the key need not be counted with its kind: its server is not
    known, or another server's row of the same task and repeat hid it.
    """

    kind: str | None
    reward: Any
    tokens: bool = False


class Members(msgspec.Struct, frozen=True, kw_only=True):
    """The keys of one entry, by what they may do in it.

    `kept` rows must be there. `free` rows may: nobody can tell whether they are masked, or their rewards conflict.
    `left_out` rows must not. `masked` counts those of them that the entry's own count of masked rows must name.
    `ghosts` have no row. `twice` is a key that several rows of the entry claim under different stages or shards.
    """

    kept: dict[Key, Row]
    free: dict[Key, tuple[Row, ...]]
    left_out: dict[Key, Row]
    ghosts: dict[Key, Ghost]
    masked: int
    masked_unknown: int
    twice: Key | None = None


def standing_row(rows: Sequence[Row]) -> Row | None:
    """The row that speaks for a key: the only one, one of equals, else the one with the highest attempt.

    None where rewards conflict, or a row states its own twice.
    """
    if len(rows) == 1:
        return None if rows[0].contradicts else rows[0]
    if any(row.contradicts for row in rows):
        return None
    if all(same(row_reward(row), row_reward(rows[0])) and row.masked == rows[0].masked for row in rows):
        return rows[0]
    attempts = Counter(row.attempt or 1 for row in rows)
    latest = max(attempts)
    return next(row for row in rows if (row.attempt or 1) == latest) if attempts[latest] == 1 else None


def row_reward(row: Row) -> Any:
    """What the producer saw as the row's reward: the number, else whatever the row said."""
    return row.recorded if row.reward is None else row.reward


def key_of(slot: Slot) -> Key:
    """The key under which an aggregate knows the slot: it has no stages and no shards.

    Slots that only a task's own id places are left out by the caller: no aggregate knows them.
    """
    return slot.task_index or 0, slot.repeat or 0


def members(entry: Entry, own: Sequence[Slot], loose: Iterable[Slot], keys_with_rows: Counter[Key]) -> Members:
    """What the entry's own slots and the `loose` ones, which have no row and no known server, allow it to hold."""
    kept: dict[Key, Row] = {}
    free: dict[Key, tuple[Row, ...]] = {}
    left_out: dict[Key, Row] = {}
    with_rows = [slot for slot in own if slot.rows]
    for slot in with_rows:
        row = standing_row(slot.rows)
        if row is None or (row.masked is None and entry.masking != "in"):
            free[key_of(slot)] = tuple(slot.rows)
        elif _is_left_out(row, entry):
            left_out[key_of(slot)] = row
        else:
            kept[key_of(slot)] = row
    ghosts = {key_of(slot): _ghost(slot, free=True) for slot in loose}
    ghosts |= {key_of(s): _ghost(s, free=key_of(s) in keys_with_rows) for s in own if not s.rows}
    counts = Counter(key_of(slot) for slot in with_rows)
    return Members(
        kept=kept,
        free=free,
        left_out=left_out,
        ghosts={key: ghost for key, ghost in ghosts.items() if key not in counts},
        masked=sum(row.masked is True and not (entry.rubric and row.invalid_judge) for row in left_out.values()),
        masked_unknown=len(free),
        twice=min((key for key, count in counts.items() if count > 1), default=None),
    )


def _is_left_out(row: Row, entry: Entry) -> bool:
    return (entry.rubric and row.invalid_judge) or (row.masked is True and entry.masking != "in")


def _ghost(slot: Slot, *, free: bool) -> Ghost:
    if not slot.failures:
        return Ghost(None if free else NO_TRACE, 0.0)
    last = slot.failures[-1]
    reward = row_reward(last)
    counted = (last.input_tokens, last.output_tokens, last.total_tokens) != (None, None, None)
    kind = None if free else f"class {last.failure_class}"
    return Ghost(kind, 0.0 if reward is UNSET else reward, tokens=counted)


def ghost_number(ghost: Ghost) -> float | None:
    """What the ghost adds to a sum; None where it is counted as a row without a reward."""
    return number(ghost.reward)

"""What came out of one slot: its outcome, the row that stands, and what its rows say about one another.

Success beats an earlier failure of the same key. Rows of one key with equal rewards are scored once; different rewards
contradict one another unless a higher attempt index says which row is later.
"""

import math
from collections.abc import Iterator, Sequence

import msgspec

from runaudit.layouts.nemo_gym.fields import shown
from runaudit.layouts.nemo_gym.row import Row
from runaudit.layouts.nemo_gym.slot import Slot
from runaudit.model.finding import Finding
from runaudit.model.task import Failure, Outcome


class Judged(msgspec.Struct, frozen=True, gc=False):
    """The outcome of a slot, the row that stands (None where no row does), and the failure to show."""

    outcome: Outcome
    row: Row | None = None
    failure: Failure | None = None


class Judgements(msgspec.Struct):
    """Slots and their outcomes, pair by pair. A tuple for each pair would cost a large run 60 bytes a row."""

    slots: list[Slot]
    judged: list[Judged]

    def __iter__(self) -> Iterator[tuple[Slot, Judged]]:
        """The pairs."""
        return zip(self.slots, self.judged, strict=True)

    def __len__(self) -> int:
        """How many there are."""
        return len(self.slots)

    def part(self, start: int, stop: int) -> list[tuple[Slot, Judged]]:
        """Some of the pairs."""
        return list(zip(self.slots[start:stop], self.judged[start:stop], strict=True))


def judge(slot: Slot, path: str, findings: list[Finding], *, unplaced: bool) -> Judged:
    """The outcome of a slot; appends what is wrong with its rows.

    `unplaced` says that rows of this file could not be placed: nothing is called missing then.
    """
    if not slot.rows:
        if slot.failures:
            return Judged("failed", None, _failure_of(slot.failures))
        return Judged("unscored" if unplaced else "missing")
    if len(slot.rows) == 1 and _other_task(slot, slot.rows[0]) is None and not slot.rows[0].contradicts:
        row = slot.rows[0]
        return Judged(_outcome_of(row), row, _kind_of_failure(row))
    wrong = [row for row in slot.rows if _other_task(slot, row) is not None]
    findings += [_mismatch(slot, row, path) for row in wrong]
    if wrong:
        return Judged("conflicted", wrong[-1])
    if any(row.contradicts for row in slot.rows):
        return Judged("conflicted", slot.rows[-1])
    standing = slot.rows[0] if len(slot.rows) == 1 else _standing(slot, path, findings)
    if standing is None:
        return Judged("conflicted", slot.rows[-1])
    return Judged(_outcome_of(standing), standing, _kind_of_failure(standing))


def _outcome_of(row: Row) -> Outcome:
    if row.masked:
        return "masked"
    return "unscored" if row.masked is None or row.reward is None else "scored"


def _standing(slot: Slot, path: str, findings: list[Finding]) -> Row | None:
    """The one row that counts of several with one key; None when they contradict one another."""
    rows = slot.rows
    lines = ", ".join(str(row.line) for row in rows[:10])
    if len({row.fingerprint for row in rows}) == 1:
        finding = _about(slot, rows[-1], path, "duplicate-row", f"identical rows on lines {lines}")
        findings.append(msgspec.structs.replace(finding, level="note"))
        return rows[0]
    latest = max(row.attempt or 0 for row in rows)
    last = [row for row in rows if (row.attempt or 0) == latest]
    if len(last) == 1:
        message = f"attempts on lines {lines}; attempt {latest} on line {last[0].line} stands"
        finding = _about(slot, last[0], path, "duplicate-row", message)
        findings.append(msgspec.structs.replace(finding, level="note"))
        return last[0]
    if all(_agree(last[0], row) for row in last[1:]):
        message = f"rows on lines {lines} agree on {_said(last[0])}; scored once"
        findings.append(_about(slot, last[-1], path, "duplicate-row", message))
        return last[0]
    told = "; ".join(f"line {row.line} says {_said(row)}" for row in last[:10])
    findings.append(_about(slot, last[-1], path, "conflicting-rows", told))
    return None


def _agree(one: Row, other: Row) -> bool:
    if one.masked != other.masked or (one.reward is None) != (other.reward is None):
        return False
    if one.reward is None or other.reward is None:
        return bool(one.recorded == other.recorded)
    return math.isclose(one.reward, other.reward, rel_tol=1e-9, abs_tol=1e-9)


def _said(row: Row) -> str:
    reward = "no reward" if row.recorded is msgspec.UNSET else f"reward {shown(row.recorded)}"
    return f"{reward}, masked" if row.masked else reward


def _other_task(slot: Slot, row: Row) -> str | None:
    """The name of the task that the row answers for, when it is not the one that is owed."""
    owed = slot.owed
    if owed is None:
        return None
    if row.task_id is not None and owed.task_id is not None:
        if row.task_id != owed.task_id:
            return row.task_id
        differ = row.taskset is not None and owed.taskset is not None and row.taskset != owed.taskset
        return f"{row.taskset}/{row.task_id}" if differ else None
    return row.answers


def _mismatch(slot: Slot, row: Row, path: str) -> Finding:
    other, owed = _other_task(slot, row), slot.owed
    name = (owed.task_id if owed else None) or f"index {slot.task_index}"
    found = msgspec.structs.replace(
        _about(slot, row, path, "identity-mismatch", f"the row answers for task {other}; the inputs say {name}"),
        expected=name,
        found=other,
    )
    return found if found.task_id else msgspec.structs.replace(found, task_id=name)


def _about(slot: Slot, row: Row, path: str, finding: str, message: str) -> Finding:
    return Finding(
        id=finding,
        message=message,
        path=path,
        line=row.line,
        offset=row.offset,
        task_index=slot.task_index,
        repeat=slot.repeat,
        task_id=slot.owed.task_id if slot.owed else row.task_id,
    )


def _kind_of_failure(row: Row) -> Failure | None:
    """Why a row that is not scored is not, as far as the row says."""
    if row.failure_kind is None or _outcome_of(row) == "scored":
        return None
    return Failure(kind=row.failure_kind, failure_class=row.failure_class)


def _failure_of(failures: Sequence[Row]) -> Failure:
    last = failures[-1]
    return Failure(
        failure_class=last.failure_class,
        kind=last.failure_kind,
        stage=last.failure_stage,
        attempts=len(failures),
        terminal=last.failure_terminal,
        message=last.failure_message,
    )

"""Which tasks have an entry: what was selected, less what was left out of validation and what did not load."""

import msgspec
import orjson

from runaudit.layouts.nemo_gym.join import Joined
from runaudit.layouts.nemo_gym.prepared import Prepared
from runaudit.layouts.nemo_gym.slot import Slot
from runaudit.layouts.nemo_gym.told import found_reasons, read_reasons, reasons_in
from runaudit.model.finding import Finding
from runaudit.model.request import Request
from runaudit.model.trouble import Trouble
from runaudit.read.documents import read_bytes
from runaudit.read.places import Places, Sight

NO_REFERENCE_SOLUTION = "no reference solution (the task has no solution/ folder)"
_NOT_LOADED = "did not load"


class Selection(msgspec.Struct, frozen=True):
    """The slots that get an entry, and the two lists of tasks that get none, id to reason."""

    slots: list[Slot]
    unvalidated: dict[str, str]
    skipped: dict[str, str]
    unplaced: int


def select(joined: Joined, prepared: Prepared, request: Request, places: Places, findings: list[Finding]) -> Selection:
    """Takes unvalidated and skipped tasks out of the slots; a result of one of them is a contradiction.

    Raises InputError for told lists that cannot be read.
    """
    unvalidated = reasons_in(request.unvalidated or {}, "unvalidated", NO_REFERENCE_SOLUTION)
    skipped = _skipped(prepared, request, places, findings)
    slots = []
    for slot in joined.slots:
        name = _name_of(slot)
        left_out = name in unvalidated or name in skipped
        if left_out and slot.rows:
            finding = "unvalidated-but-scored" if name in unvalidated else "skipped-but-scored"
            findings.append(_contradiction(finding, slot, name or ""))
        if not left_out or slot.rows:
            slots.append(slot)
    if unvalidated:
        findings += _never_selected(unvalidated, joined, prepared)
    return Selection(slots, unvalidated, skipped, joined.unplaced)


def _name_of(slot: Slot) -> str | None:
    if slot.owed is not None and slot.owed.task_id is not None:
        return slot.owed.task_id
    return next((row.task_id for row in (*slot.rows, *slot.failures) if row.task_id is not None), None)


def _skipped(prepared: Prepared, request: Request, places: Places, findings: list[Finding]) -> dict[str, str]:
    told = request.skipped
    if isinstance(told, str):
        return read_reasons(places.look(told), told, _NOT_LOADED)
    if told is not None:
        return reasons_in(told, "skipped", _NOT_LOADED)
    path = prepared.paths["skipped"]
    return {} if path is None else found_reasons(prepared.sights["skipped"], path, _NOT_LOADED, findings)


def _contradiction(finding: str, slot: Slot, name: str) -> Finding:
    return Finding(
        id=finding,
        message=f"task {name} is listed as left out, and a result of it is there",
        task_index=slot.task_index,
        repeat=slot.repeat,
        task_id=name,
    )


def _never_selected(unvalidated: dict[str, str], joined: Joined, prepared: Prepared) -> list[Finding]:
    """Unvalidated tasks that neither the inputs nor the prepared rows know; nothing where the rows are not there."""
    sight = prepared.sights.get("rows")
    known = _ids_in(sight) if sight is not None else None
    if known is None:
        return []
    known |= {_name_of(slot) or "" for slot in joined.slots}
    return [
        Finding(id="unvalidated-not-selected", message=f"task {name} was never selected", task_id=name)
        for name in unvalidated
        if name not in known
    ]


def _ids_in(sight: Sight) -> set[str] | None:
    data = read_bytes(sight)
    if isinstance(data, Trouble):
        return None
    found = set()
    for line in data.split(b"\n"):
        try:
            row = orjson.loads(line) if line.strip() else None
        except orjson.JSONDecodeError:
            continue
        task = row.get("_ng_task_id", row.get("task_id")) if isinstance(row, dict) else None
        name = task.get("task_id") if isinstance(task, dict) else task
        if isinstance(name, str):
            found.add(name)
    return found

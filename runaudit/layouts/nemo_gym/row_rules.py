"""Rules over all rows of a run: hollow rows, dataset labels, rewards by design absent or out of range."""

from collections import defaultdict

import msgspec

from runaudit.layouts.nemo_gym.entries import Passing, server_of
from runaudit.layouts.nemo_gym.outcome import Judgements
from runaudit.layouts.nemo_gym.row import Row
from runaudit.layouts.nemo_gym.slot import Slot
from runaudit.model.finding import Finding


def hollow_rows(judgements: Judgements, path: str) -> list[Finding]:
    """Rows without output and without output tokens, while other rows of their agent are not so."""
    hollow: dict[str | None, list[tuple[Slot, Row]]] = defaultdict(list)
    solid: set[str | None] = set()
    for slot, judged in judgements:
        row = judged.row
        if row is None or judged.outcome == "masked":
            continue
        agent = row.agent or server_of(slot, row)
        if _hollow(row):
            hollow[agent].append((slot, row))
        else:
            solid.add(agent)
    return [
        Finding(
            id="hollow-row",
            message="no output and no output tokens, unlike other rows of its agent",
            path=path,
            line=row.line,
            offset=row.offset,
            task_index=slot.task_index,
            repeat=slot.repeat,
            task_id=row.task_id,
        )
        for agent, rows in hollow.items()
        if agent in solid
        for slot, row in rows
    ]


def _hollow(row: Row) -> bool:
    return row.empty_output is True and row.output_tokens == 0


def label_findings(owed: dict[str, int], files: list[tuple[str, dict[str, int]]]) -> list[Finding]:
    """Rows that carry another dataset label than the inputs, or several where the inputs do not.

    `files` holds each file of results or failures with its labels and how many rows carry them.
    """
    foreign = [(path, label, n) for path, carried in files for label, n in sorted(carried.items()) if label not in owed]
    if owed and foreign:
        return [
            Finding(
                id="task-source-mismatch",
                message=f"{count} rows carry the label {label}; the inputs say {_told(owed)}",
                path=path,
                expected=_told(owed),
                found=label,
            )
            for path, label, count in foreign
        ]
    labels = {label: 0 for _, carried in files for label in carried}
    if len(labels) > 1 and len(owed) <= 1:
        paths = [path for path, carried in files if carried]
        message = f"rows carry the labels {_told(labels)}"
        return [Finding(id="task-source-mixed", message=message, path=paths[0])]
    return []


def _told(labels: dict[str, int]) -> str:
    return ", ".join(sorted(labels)[:10])


def out_of_range(rule: Passing) -> list[Finding]:
    """One note for each server whose rewards leave [0, 1] while no passing reward is told."""
    if rule.told is not None:
        return []
    return [
        Finding(id="reward-out-of-range", message=f"rewards of {server or 'this run'} leave [0, 1]: nothing passes")
        for server in sorted(rule.out_of_range, key=str)
    ]


def unscored(judgements: Judgements, path: str) -> list[Finding]:
    """Rows without a usable reward; only a note for a server none of whose rows has one."""
    servers: dict[str | None, bool] = defaultdict(bool)
    for slot, judged in judgements:
        if judged.row is not None:
            servers[server_of(slot, judged.row)] |= judged.row.recorded not in (None, msgspec.UNSET)
    found = []
    for server, any_reward in sorted(servers.items(), key=str):
        mine = [
            (slot, judged.row)
            for slot, judged in judgements
            if judged.outcome == "unscored" and judged.row is not None and server_of(slot, judged.row) == server
        ]
        if mine and not any_reward:
            message = f"no row of {server or 'this run'} has a reward ({len(mine)} rows)"
            found.append(Finding(id="tasks-unscored", message=message, path=path, level="note"))
        elif mine:
            found += [_unscored(slot, row, path) for slot, row in mine]
    return found


def _unscored(slot: Slot, row: Row, path: str) -> Finding:
    said = "states no reward" if row.recorded is msgspec.UNSET else f"recorded {row.recorded!r}"
    return Finding(
        id="tasks-unscored",
        message=f"the row {said}",
        path=path,
        line=row.line,
        offset=row.offset,
        task_index=slot.task_index,
        repeat=slot.repeat,
        task_id=row.task_id,
    )

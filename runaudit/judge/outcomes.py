"""What the entries of a run add up to, whoever the producer was: counts with their denominators, and findings."""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence

import msgspec

from runaudit.model.account import Account
from runaudit.model.finding import Finding
from runaudit.model.summary import Counts, Mean
from runaudit.model.task import OUTCOMES, TaskEntry


def count(account: Account) -> Counts:
    """How many entries in each outcome, and the two means; nothing but scored entries enters a mean."""
    entries = account.entries
    outcomes = Counter(entry.outcome for entry in entries)
    passed = [entry.passed for entry in entries if entry.passed is not None]
    return Counts(
        selected=len(entries),
        **{outcome: outcomes[outcome] for outcome in OUTCOMES},
        passed=sum(passed) if passed else None,
        degraded=sum(entry.degraded is not None for entry in entries),
        unvalidated=len(account.unvalidated),
        skipped=len(account.skipped),
        rows_unplaced=account.rows_unplaced,
        mean_reward=_mean([entry.reward for entry in entries if entry.reward is not None], len(entries)),
        mean_reward_over_tasks=_mean_over_tasks(entries),
    )


def _mean(values: list[float], selected: int) -> Mean:
    value = math.fsum(values) / len(values) if values else None
    return Mean(value=value, n=len(values), coverage=len(values) / selected if selected else None)


def _mean_over_tasks(entries: list[TaskEntry]) -> Mean:
    tasks: dict[tuple[object, ...], list[float]] = defaultdict(list)
    for entry, key in zip(entries, task_keys(entries), strict=True):
        rewards = tasks[key]
        if entry.reward is not None:
            rewards.append(entry.reward)
    means = [math.fsum(rewards) / len(rewards) for rewards in tasks.values() if rewards]
    return _mean(means, len(tasks))


def task_keys(entries: Sequence[TaskEntry]) -> list[tuple[object, ...]]:
    """For each entry what the repeats of its task have in common.

    An entry without a row often states no server: it belongs to the server of its other repeats, where they name one.
    """
    within = [_within_server(entry) for entry in entries]
    servers: dict[tuple[object, ...], set[str]] = defaultdict(set)
    for key, entry in zip(within, entries, strict=True):
        if entry.server is not None:
            servers[key].add(entry.server)
    return [
        (_only(servers, key) if entry.server is None else entry.server, *key)
        for key, entry in zip(within, entries, strict=True)
    ]


def _only(servers: Mapping[tuple[object, ...], set[str]], key: tuple[object, ...]) -> str | None:
    named = servers.get(key, set())
    return next(iter(named)) if len(named) == 1 else None


def _within_server(entry: TaskEntry) -> tuple[object, ...]:
    # a stage may be a number or a text: it is compared as it is written
    stage = entry.stage if entry.stage is msgspec.UNSET else str(entry.stage)
    return (entry.shard, entry.agent, stage, entry.taskset, entry.task_id, entry.task_index)


def outcome_findings(account: Account, *, require_complete: bool) -> list[Finding]:
    """Findings about entries without a score, and about a run in which nothing ran."""
    found: list[Finding] = []
    for entry in account.entries:
        found += _of_entry(entry, require_complete=require_complete)
    if not any(entry.outcome == "scored" for entry in account.entries) and not account.rows_unplaced:
        found.append(Finding(id="nothing-ran", message=_nothing(account)))
    return found


def _of_entry(entry: TaskEntry, *, require_complete: bool) -> Iterable[Finding]:
    owed_level = "error" if require_complete else None
    if entry.outcome == "missing":
        yield _about(entry, "tasks-missing", "selected, and no trace of it", owed_level)
    elif entry.outcome == "failed":
        failure = entry.failure
        told = (failure.failure_class or failure.kind or "unknown class") if failure else "unknown class"
        attempts = failure.attempts if failure else 0
        yield _about(entry, "tasks-failed", f"{told}, {attempts} attempts", owed_level)
    elif entry.outcome == "masked":
        kind = entry.failure.kind if entry.failure and entry.failure.kind else "no kind stated"
        yield _about(entry, "tasks-masked", kind, None)
    elif entry.degraded is not None:
        yield _about(entry, "tasks-degraded", entry.degraded, None)


def _about(entry: TaskEntry, finding: str, message: str, level: str | None) -> Finding:
    return Finding(
        id=finding,
        message=message,
        task_index=entry.task_index,
        repeat=entry.repeat,
        task_id=entry.task_id,
        level=level,  # type: ignore[arg-type]  # "error" or None
    )


def _nothing(account: Account) -> str:
    if account.entries:
        return f"none of {len(account.entries)} selected entries was scored"
    reasons = []
    if account.unvalidated:
        reasons.append(f"{len(account.unvalidated)} tasks have no reference solution to validate")
    if account.skipped:
        reasons.append(f"{len(account.skipped)} tasks did not load")
    return f"no task was selected: {'; '.join(reasons)}" if reasons else "no task was selected"

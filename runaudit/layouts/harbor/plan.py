"""The plan against the folders: which planned trials have one, which have none, and which folders nobody planned.

The lock plans trials by content, without names: folders are matched as a multiset. Without a lock the number of trials
is all that is known.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import Any

import msgspec

from runaudit.layouts.harbor.attempts import agents_findings, attempts_findings
from runaudit.layouts.harbor.job import Job, Planned, planned_groups
from runaudit.layouts.harbor.trial import Trial
from runaudit.model.finding import Finding
from runaudit.model.relative import shown

MOST_ABSENT = 100_000


class Match(msgspec.Struct, frozen=True):
    """`members` are the folders that stand for a planned trial; `absent` the planned ones without; `nameless` how many
    more there must be; `beyond` the folders that are more than the plan has."""

    members: tuple[Trial, ...]
    absent: tuple[Planned, ...] = ()
    nameless: int = 0
    beyond: tuple[Trial, ...] = ()


def group_of(trial: Trial) -> tuple[Any, ...]:
    """What the folder has in common with the planned trial that it came from."""
    return (trial.key, trial.agent_key, trial.model_key)


def match(job: Job, trials: list[Trial]) -> Match:
    """Matches folders and plan. A folder without a usable result gives way where there are more folders than plans."""
    total = job.total
    if total is None:
        return Match(tuple(trials))
    kept, beyond = (_by_lock if job.planned else _by_number)(job, trials)
    absent = _absent(job, kept)
    nameless = max(0, total - len(kept) - len(absent))
    return Match(tuple(kept), tuple(absent), min(nameless, MOST_ABSENT), tuple(beyond))


def _by_number(job: Job, trials: list[Trial]) -> tuple[list[Trial], list[Trial]]:
    excess = max(0, len(trials) - (job.total or 0))
    giving_way = [trial for trial in trials if not trial.finished_ok][:excess]
    names = {trial.name for trial in giving_way}
    return [trial for trial in trials if trial.name not in names], giving_way


def _by_lock(job: Job, trials: list[Trial]) -> tuple[list[Trial], list[Trial]]:
    room = planned_groups(job)
    held = Counter(group_of(trial) for trial in trials)
    kept, beyond = [], []
    for trial in trials:
        group = group_of(trial)
        if not trial.finished_ok and group in room and held[group] > room[group]:
            held[group] -= 1
            beyond.append(trial)
        else:
            kept.append(trial)
    return kept, beyond


def _absent(job: Job, kept: list[Trial]) -> list[Planned]:
    held, planned = Counter(group_of(trial) for trial in kept), planned_groups(job)
    unknown = sum(number for group, number in held.items() if group not in planned)
    waiting: dict[tuple[Any, ...], list[Planned]] = defaultdict(list)
    for plan in job.planned:
        waiting[plan.group].append(plan)
    absent = [plan for group, plans in waiting.items() for plan in plans[held[group] :]]
    # A folder that no plan fits (a damaged lock of its own) may be any of the absent ones.
    return absent[unknown:] if unknown else absent


def plan_findings(job: Job, found: Match) -> Iterator[Finding]:
    """Folders beyond the plan, and groups with another number of attempts than the job asks for."""
    for trial in found.beyond:
        yield Finding(
            "trial-superseded",
            f"{shown(trial.name)} has no usable result, and another trial was run in its place; it is no entry",
            path=shown(trial.name),
            task_id=trial.task or trial.task_name,
        )
    if job.total is not None and len(found.members) > job.total:
        yield Finding(
            "counts-differ",
            f"{len(found.members)} trials lie in the folder, {job.total} were planned",
            path=job.result.path,
            expected=str(job.total),
            found=str(len(found.members)),
        )
    if job.planned and job.total != len(job.planned):
        yield Finding(
            "counts-differ",
            f"n_total_trials: the job's result says {job.total}, its lock plans {len(job.planned)}",
            path=job.result.path,
            expected=str(len(job.planned)),
            found=str(job.total),
        )
    yield from agents_findings(job)
    yield from attempts_findings(job, found.members)
    yield from _attempts(job, found)


def _attempts(job: Job, found: Match) -> Iterator[Finding]:
    if not job.planned or len(found.members) > (job.total or 0):
        return
    groups = planned_groups(job)
    held = Counter(group_of(trial) for trial in found.members)
    for group, number in held.items():
        if group in groups and number > groups[group]:
            example = next(trial for trial in found.members if group_of(trial) == group)
            yield Finding(
                "counts-differ",
                f"{example.task or example.task_name}, {example.agent}: {number} trials, {groups[group]} were planned",
                path=job.lock.path,
                task_id=example.task,
                expected=str(groups[group]),
                found=str(number),
            )

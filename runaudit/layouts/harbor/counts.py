"""Counts: trial folders against the plan and against what the job's result counted; copies of a trial; wrong names."""

import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

from runaudit.layouts.harbor.job import Job, eval_stats
from runaudit.layouts.harbor.scoring import Group, valid
from runaudit.layouts.harbor.trial import Trial
from runaudit.layouts.harbor.versions import Writer
from runaudit.layouts.json_fields import count, mapping, sequence
from runaudit.model.check import Check
from runaudit.model.finding import Finding
from runaudit.model.relative import shown

CHECK = "counts follow from the trials"
NOT_HERE = "not in the folder"
CANCELLED = "CancelledError"
# Harbor draws a new one for each attempt; other writers put one constant into every result
_DRAWN = re.compile(r"(?!0{8}-0{4}-0{4}-)[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\Z")


def copies_of(trials: list[Trial]) -> dict[str, list[Trial]]:
    """The trials that share an id, by id: the one whose folder has the name that it states comes first."""
    by_id: dict[str, list[Trial]] = {}
    for trial in trials:
        if trial.id is not None and _DRAWN.match(trial.id):
            by_id.setdefault(trial.id, []).append(trial)
    return {
        name: sorted(members, key=lambda trial: (trial.stated_name != trial.name, trial.name))
        for name, members in by_id.items()
        if len(members) > 1
    }


def identity_findings(trials: list[Trial]) -> Iterator[Finding]:
    """Copies of one trial, and folders with another name than the trial inside."""
    for members in copies_of(trials).values():
        first = members[0]
        for other in members[1:]:
            yield Finding(
                "duplicate-trial",
                f"{shown(other.name)} has the id of {shown(first.name)}: one of the two is a copy",
                path=other.label,
                task_id=other.task,
                expected=first.id,
                found=first.id,
            )
    for trial in trials:
        if trial.stated_name is not None and trial.stated_name != trial.name:
            yield Finding(
                "trial-name-differs",
                f"the folder is {shown(trial.name)}, the trial inside calls itself {trial.stated_name}",
                path=trial.label,
                task_id=trial.task,
                expected=shown(trial.name),
                found=trial.stated_name,
            )


def unfinished_findings(job: Job, trials: list[Trial]) -> Iterator[Finding]:
    """Trials without a result, and a job that has not come to its end."""
    for trial in trials:
        if not trial.result.present:
            yield Finding(
                "trial-unfinished",
                "there is no result.json: the trial was still running, or it was killed",
                path=shown(trial.name),
                task_id=trial.task or trial.task_name,
            )
    if job.result.usable and not job.finished:
        yield Finding(
            "job-unfinished",
            "the job's result has no end time: all numbers are so far",
            path=job.result.path,
        )


def counts_findings(job: Job, trials: list[Trial], groups: list[Group], writer: Writer) -> Iterator[Finding | Check]:
    """What the job's result counts against what the trials give. Only a finished job's counts are final."""
    if not job.result.usable or not job.finished:
        reason = "the job is not finished: its counts are so far" if job.result.usable else "the job has no result.json"
        yield Check(CHECK, made=False, reason=reason)
        return
    done = [trial for trial in trials if trial.finished_ok]
    failed = [trial for trial in done if errors_that_count(trial, writer)]
    cancelled = sum(any(error.kind == CANCELLED for error in trial.errors) for trial in done)
    stats = job.stats
    pairs: list[tuple[str, Any, int]] = [
        ("n_completed_trials", stats.get("n_completed_trials", stats.get("n_trials")), len(done)),
        ("n_errored_trials", stats.get("n_errored_trials", stats.get("n_errors")), len(failed)),
    ]
    pairs += [(name, stats.get(name), 0) for name in ("n_running_trials", "n_pending_trials")]
    for name, stated, found in pairs:
        yield from _differs(job, name, stated, found)
    if (count(stats.get("n_cancelled_trials")) or 0) > cancelled:
        yield from _differs(job, "n_cancelled_trials", stats["n_cancelled_trials"], cancelled)
    for group in groups:
        yield from _group(job, group, writer)
    yield Check(CHECK, made=True, count=len(done))


def errors_that_count(trial: Trial, writer: Writer) -> list[str]:
    """The exceptions by which the writer calls a trial errored: of steps only from 0.26."""
    return [error.kind for error in trial.errors if error.step is None or writer.counts_step_errors]


def _group(job: Job, group: Group, writer: Writer) -> Iterator[Finding]:
    stats = eval_stats(job).get(group.key)
    if stats is None:
        yield Finding(
            "counts-differ",
            f"{group.key}: {len(group.trials)} trials lie in the folder, the job's result does not know them",
            path=job.result.path,
            expected=str(len(group.trials)),
            found="0",
        )
        return
    drops = writer.drops_invalid is True
    scored = [trial for trial in group.trials if (valid(trial) if drops else trial.whole.recorded is not None)]
    failed = [trial for trial in group.trials if errors_that_count(trial, writer)]
    yield from _differs(job, f"{group.key} n_trials", stats.get("n_trials"), len(scored))
    yield from _differs(job, f"{group.key} n_errors", stats.get("n_errors"), len(failed))
    here = {trial.called for trial in group.trials}
    errors = stats.get("exception_stats")
    yield from _names(job, f"{group.key} exception_stats", errors, {t.called for t in failed}, here, "exception")
    listed = mapping(stats.get("reward_stats"))
    recorded = {str(name) for trial in scored for name in mapping(trial.whole.recorded)}
    for name in sorted({*map(str, listed), *recorded}):
        having = {trial.called for trial in scored if name in mapping(trial.whole.recorded)}
        yield from _names(job, f"{group.key} reward_stats {name}", listed.get(name), having, here, "such reward")


def _names(job: Job, what: str, lists: Any, having: set[str], here: set[str], thing: str) -> Iterator[Finding]:
    """Trials that the result lists and that do not have the thing, the other way round, and those listed twice."""
    listed = Counter(name for names in mapping(lists).values() for name in sequence(names) if isinstance(name, str))
    for name in sorted(set(listed) ^ having):
        where = "not in the result" if name in having else f"here, with no {thing}" if name in here else NOT_HERE
        yield Finding(
            "counts-differ",
            f"{what}: {shown(name)} is {where}",
            path=job.result.path,
            expected="in both",
            found=where,
        )
    for name in sorted(name for name in having if listed[name] > 1 and thing != "exception"):
        yield Finding(
            "counts-differ",
            f"{what}: {shown(name)} is listed {listed[name]} times",
            path=job.result.path,
            expected="1",
            found=str(listed[name]),
        )


def _differs(job: Job, name: str, stated: Any, found: int) -> Iterator[Finding]:
    known = count(stated)
    if known is not None and known != found:
        yield Finding(
            "counts-differ",
            f"{name}: the job's result says {known}, the trials give {found}",
            path=job.result.path,
            expected=str(found),
            found=str(known),
        )

"""Traces of trials that were run again later: evidence, never a verdict.

A resume after an interruption leaves the same traces as a second throw of failed trials. Only a record kept from the
earlier state (the ledger) tells the two apart; what stands here is consistent with both.
"""

import posixpath
from collections import defaultdict
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

from runaudit.layouts.clock import instant
from runaudit.layouts.harbor.job import Job
from runaudit.layouts.harbor.names import JOB_LOG, NAMED_IN_LOG
from runaudit.layouts.harbor.plan import group_of
from runaudit.layouts.harbor.trial import Trial
from runaudit.layouts.json_fields import at, count, mapping, number, sequence
from runaudit.model.finding import Finding
from runaudit.model.relative import shown

_SCHEDULING = timedelta(seconds=5)
_INVERSION = timedelta(seconds=1)
_LONGEST_BACKOFF = 3600.0
Span = tuple[datetime, datetime, Trial]


def rerun_findings(job: Job, trials: list[Trial]) -> Iterator[Finding]:
    """Late starts, starts out of the planned order, names in the log without a folder, retries."""
    yield from _retries(job)
    spans = sorted(_spans(trials), key=lambda span: (span[0], span[2].name))
    yield from _after_a_pause(job, spans)
    yield from _out_of_order(job, spans)
    yield from _gone_from_disk(job, trials)
    yield from _roots(trials)


def _spans(trials: list[Trial]) -> Iterator[Span]:
    for trial in trials:
        started, finished = instant(trial.started), instant(trial.finished)
        if started is not None and finished is not None and started <= finished:
            yield started, finished, trial


def _retries(job: Job) -> Iterator[Finding]:
    retries = count(job.stats.get("n_retries"))
    if retries:
        yield Finding(
            "attempts-retried",
            f"{retries} attempt{'s' if retries > 1 else ''} failed and ran again under the same name; "
            "what the lost ones took is in no total",
            path=job.result.path,
            found=str(retries),
        )


def _after_a_pause(job: Job, spans: list[Span]) -> Iterator[Finding]:
    """Trials that started while none ran, longer after the last end than a retry waits."""
    patience = _SCHEDULING + timedelta(seconds=_backoff(job))
    latest: datetime | None = None
    for started, finished, trial in spans:
        if latest is not None and started - latest > patience:
            pause = (started - latest).total_seconds()
            yield _later(trial, f"started {pause:.0f} s after every earlier trial had ended")
        latest = finished if latest is None else max(latest, finished)


def _backoff(job: Job) -> float:
    retry = mapping(job.lock.value.get("retry")) or mapping(job.config.value.get("retry"))
    if not count(retry.get("max_retries")):
        return 0.0
    wait = number(retry.get("max_wait_sec"))
    return float(min(max(wait, 0), _LONGEST_BACKOFF)) if wait is not None else 60.0


def _out_of_order(job: Job, spans: list[Span]) -> Iterator[Finding]:
    """Trials that started after one that was planned behind them. Retries and limits per agent reorder by design."""
    limited = any(at(agent, "n_concurrent") for agent in sequence(job.config.value.get("agents")))
    if not job.planned or count(job.stats.get("n_retries")) or limited:
        return
    positions: dict[Any, list[int]] = defaultdict(list)
    for plan in reversed(job.planned):
        positions[plan.group].append(plan.position)
    furthest: tuple[int, datetime] | None = None
    for started, _, trial in spans:
        waiting = positions.get(group_of(trial))
        if not waiting:
            continue
        position = waiting.pop()
        if furthest is not None and position < furthest[0] and started - furthest[1] > _INVERSION:
            yield _later(trial, "started after trials that were planned behind it")
        elif furthest is None or position > furthest[0]:
            furthest = (position, started)


def _gone_from_disk(job: Job, trials: list[Trial]) -> Iterator[Finding]:
    there = {trial.name for trial in trials}
    named = dict.fromkeys(found["name"] for found in NAMED_IN_LOG.finditer(job.log))
    for name in named:
        if name not in there:
            yield Finding(
                "later-trials",
                f"job.log names the trial {shown(name)}, whose folder is gone; consistent with trials run again later",
                path=JOB_LOG,
            )


def _later(trial: Trial, what: str) -> Finding:
    return Finding(
        "later-trials",
        f"{shown(trial.name)} {what}; consistent with trials run again later, or with a resume",
        path=trial.label,
        task_id=trial.task,
    )


def _roots(trials: list[Trial]) -> Iterator[Finding]:
    """Recorded places are never followed; that they differ within one job says that it moved and went on."""
    roots = {
        posixpath.dirname(trial.uri.rstrip("/")): trial
        for trial in trials
        if trial.uri is not None and trial.uri.startswith("file:")
    }
    if len(roots) > 1:
        first, *others = sorted(roots)
        yield Finding(
            "mixed-roots",
            f"trials of one job were recorded below {len(roots)} folders: it was moved or copied, and went on there",
            path=roots[others[0]].label,
            expected=first,
            found=others[0],
        )

"""The headline that the job's result states against the one that its trials give, by the writer's own rule.

A finished job is checked; the numbers of a running one are live. A metric that is no mean of ours (`max`, a script, one
of the dataset) cannot be told, and is not.
"""

from collections.abc import Iterator
from typing import Any

from runaudit.layouts.harbor.job import Job, eval_stats
from runaudit.layouts.harbor.scoring import Group
from runaudit.layouts.harbor.versions import Writer
from runaudit.layouts.json_fields import at, mapping, number, same, sequence
from runaudit.model.check import Check
from runaudit.model.finding import Finding, Level

Values = dict[str, Any]
# metrics of Harbor's own whose values carry their name
_NAMED = {"max", "min", "sum"}
CHECK = "headline follows from the trials"


def headline_findings(job: Job, groups: list[Group], writer: Writer) -> Iterator[Finding | Check]:
    """What the stated headline and the trials disagree on, and what could not be compared and why."""
    if not job.result.usable:
        yield Check(CHECK, made=False, reason="the job has no result.json that can be read")
        return
    if not job.finished:
        yield Check(CHECK, made=False, reason="the job is not finished: its numbers are so far")
        return
    stated = eval_stats(job)
    for group in groups:
        if (stats := stated.get(group.key)) is not None:
            yield from _group(group, stats, job, writer)
    known = {group.key for group in groups}
    for key in sorted(stated.keys() - known):
        yield Finding(
            "headline-differs",
            f"{key}: the job's result scores trials that are not in the folder",
            path=job.result.path,
        )


def _group(group: Group, stats: Values, job: Job, writer: Writer) -> Iterator[Finding | Check]:
    if any(isinstance(trial.whole.recorded, dict) and trial.rewards is None for trial in group.trials):
        yield Check(CHECK, made=False, reason=f"{group.key}: a reward that is no number went into it")
        return
    metrics = [mapping(metric) for metric in sequence(stats.get("metrics"))]
    pass_at = mapping(stats.get("pass_at_k"))
    if not metrics and _owed(group, writer):
        yield _differs(group, metrics, pass_at, writer, job, level="warning")
    metrics, reason = _means(group, metrics, job)
    if reason is not None:
        yield Check(CHECK, made=False, reason=f"{group.key}: {reason}")
    rules = _rules(metrics, pass_at, group, stated_pass_at=writer.states_pass_at or bool(pass_at))
    wanted = writer.drops_invalid
    if wanted is None:
        holds = next((rule for rule in (False, True) if rules[rule]), None)
    else:
        holds = wanted if rules[wanted] else (not wanted if rules[not wanted] else None)
    if holds is None:
        yield _differs(group, metrics, pass_at, writer, job)
    elif wanted is not None and holds is not wanted:
        yield _other_rule(group, metrics, pass_at, writer, job)
    if reason is None or pass_at:
        yield Check(CHECK, made=True, count=len(group.trials))
    if group.rules_differ:
        yield _two_rules(group, metrics, job)


def _owed(group: Group, writer: Writer) -> bool:
    """Whether the result must state a metric: Harbor writes none for a dataset's name with two underscores, and from
    0.26 none where nothing is valid."""
    return "__" not in group.source and not (writer.drops_invalid is not False and not group.left_out.metric)


def _means(group: Group, metrics: list[Values], job: Job) -> tuple[list[Values], str | None]:
    """The metrics that are means, and why the others cannot be told. A script may call anything a mean."""
    kinds = {str(at(metric, "type")) for metric in sequence(job.config.value.get("metrics"))} - {"mean", "None"}
    several = len({key for trial in group.trials for key in trial.rewards or {}}) > 1
    if several:
        told = metrics if len(metrics) == 1 and not kinds else []
    else:
        told = [metric for metric in metrics if set(metric) == {"mean"}] if kinds <= _NAMED else []
    if not metrics:
        return [], "the result states no metrics"
    others = {key for metric in metrics if metric not in told for key in metric}
    return told, f"the metric ({', '.join(sorted(kinds | others))}) is no mean" if others else None


def _rules(metrics: list[Values], pass_at: Values, group: Group, *, stated_pass_at: bool) -> dict[bool, bool]:
    """For each of the two rules, whether it gives the stated numbers."""
    return {
        drops: all(_agrees(metric, group.by(drops).metric) for metric in metrics)
        and (not stated_pass_at or _agrees(pass_at, group.by(drops).pass_at_k))
        for drops in (False, True)
    }


def _agrees(stated: Values, computed: dict[str, float]) -> bool:
    return stated.keys() == computed.keys() and all(same(number(stated[key]), computed[key]) for key in computed)


def _differs(
    group: Group, metrics: list[Values], pass_at: Values, writer: Writer, job: Job, level: Level | None = None
) -> Finding:
    score = group.by(writer.drops_invalid is True)
    wrong = (metric for metric in metrics if not _agrees(metric, score.metric))
    stated = _words(next(wrong, metrics[0] if metrics else {}), pass_at)
    computed = _words(score.metric, score.pass_at_k)
    return Finding(
        "headline-differs",
        f"{group.key}: the result states {stated}, its {len(group.trials)} trials give {computed}",
        path=job.result.path,
        expected=computed,
        found=stated,
        level=level,
    )


def _other_rule(group: Group, metrics: list[Values], pass_at: Values, writer: Writer, job: Job) -> Finding:
    drops = writer.drops_invalid is True
    score = group.by(drops)
    return Finding(
        "headline-other-rule",
        f"{group.key}: harbor {writer.version or ''} {_rule(drops=drops)}; the stated numbers follow "
        f"from the rule that {_rule(drops=not drops)}",
        path=job.result.path,
        expected=_words(score.metric, score.pass_at_k),
        found=_words(metrics[0] if metrics else {}, pass_at),
    )


def _two_rules(group: Group, metrics: list[Values], job: Job) -> Finding:
    without = len(group.trials) - group.left_out.n
    return Finding(
        "scoring-rules-differ",
        f"{group.key}: {without} of {len(group.trials)} trials have no valid reward. Counted as 0 (harbor up to 0.25): "
        f"{_words(group.as_zero.metric, group.as_zero.pass_at_k)}. Left out (from 0.26): "
        f"{_words(group.left_out.metric, group.left_out.pass_at_k)}. "
        f"The result states {_words(metrics[0] if metrics else {}, {})}.",
        path=job.result.path,
    )


def _rule(*, drops: bool) -> str:
    return "leaves trials without a valid reward out" if drops else "counts trials without a valid reward as 0"


def _words(metric: Values, pass_at: Values) -> str:
    parts = [f"{key} {_plain(value)}" for key, value in metric.items()]
    parts += [f"pass@{k} {_plain(value)}" for k, value in pass_at.items()]
    return ", ".join(parts) or "no mean"


def _plain(value: Any) -> str:
    known = number(value)
    return str(value)[:40] if known is None else f"{known:.6g}"

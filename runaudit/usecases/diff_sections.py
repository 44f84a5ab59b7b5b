"""The sections of a diff report for a person: what flipped, the metrics, the set-up, the files, the rules.

Long lists are cut here and say so; the report's body is complete.
"""

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from runaudit.compare.change import CLASSES, Change
from runaudit.compare.comparison import Comparison
from runaudit.compare.files import FileChange
from runaudit.compare.gate import Judgement
from runaudit.compare.metrics import Metric
from runaudit.compare.paired_test import PairedTest
from runaudit.compare.policy import Policy
from runaudit.compare.ruling import verdict_of
from runaudit.compare.tally import Tally
from runaudit.render.columns import padded

MOST_LINES = 50
MOST_FILES = 10
_QUIET = ("same",)
Section = tuple[str, tuple[str, ...]]


def headline(policy: Policy, judgements: Iterable[Judgement] = ()) -> tuple[str, ...]:
    """The policy with its digest, and the rule about changes of tasks that is in force."""
    told = "no policy: the default rule" if policy.digest is None else f"policy {policy.source} ({policy.digest})"
    return (told, *dict.fromkeys(judgement.rule for judgement in judgements))


def sections(comparison: Comparison, judgement: Judgement, prefix: str) -> Iterable[Section]:
    """The titled blocks about one candidate; `prefix` names it where there are several."""
    yield f"{prefix}tasks", tuple(_tasks(comparison))
    yield f"{prefix}metrics", (*_metrics(_worth_showing(comparison.metrics)), *_test(comparison.test))
    if comparison.setup or comparison.remarks:
        yield f"{prefix}set-up", tuple(_setup(comparison))
    if comparison.files:
        yield f"{prefix}files", tuple(_files(comparison.files))
    weighty = [f for f in comparison.findings if f.level != "note"]
    if weighty:
        yield f"{prefix}findings of the candidate", tuple(f"{f.level} {f.id}: {f.count}" for f in weighty)
    # the reasons of the verdict stand beside it already
    word = verdict_of(judgement.rulings).word
    others = tuple(f"{r.word}: {r.detail} ({r.rule})" for r in judgement.rulings if r.word != word)
    if others:
        yield f"{prefix}other rules", others


def _tasks(comparison: Comparison) -> Iterable[str]:
    counts = comparison.counts
    yield ", ".join(f"{counts[name]} {name}" for name in CLASSES if name in counts) or "no tasks"
    changed = [c for c in comparison.changes if c.kind not in _QUIET]
    changed.sort(key=lambda c: CLASSES.index(c.kind))
    yield from map(task_line, changed[:MOST_LINES])
    yield from _left_out(len(changed))


def task_line(change: Change) -> str:
    """One task's change in one line."""
    where = f"{change.key.taskset}/{change.key.name}" if change.key.taskset else change.key.name
    notes: list[str] = [*change.classes[1:]]
    if change.other_name is not None:
        notes.append(f"same input as {change.other_name}")
    if change.quarantined:
        notes.append("quarantined")
    tail = f" ({', '.join(notes)})" if notes else ""
    return f"{change.kind}: {where}: {_side(change.baseline)} -> {_side(change.candidate)}{tail}"


def _side(tally: Tally | None) -> str:
    if tally is None:
        return "not there"
    if not tally.rewards:
        return " ".join(f"{tally.outcomes.count(o)} {o}" for o in dict.fromkeys(tally.outcomes))
    lost = tally.selected - tally.scored
    mean = f"reward {_number(tally.mean)}"
    passed = "" if tally.passes is None or tally.selected == 1 else f", {tally.passes}/{tally.scored} passed"
    return mean + passed + (f", {lost} not scored" if lost else "")


def _worth_showing(metrics: Sequence[Metric]) -> list[Metric]:
    return [m for m in metrics if m.baseline.value is not None or m.candidate.value is not None]


def _metrics(metrics: Sequence[Metric]) -> Iterable[str]:
    rows = [_metric(metric) for metric in metrics]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return ("  ".join(map(padded, row, widths)).rstrip() for row in rows)


def _metric(metric: Metric) -> tuple[str, str, str, str]:
    """Name, both values, the difference, and what they were taken over."""
    before, after = metric.baseline, metric.candidate
    values = f"{_number(before.value)} -> {_number(after.value)}" if before.value is not None else _number(after.value)
    delta = "" if metric.delta is None else f"{metric.delta:+.4g}"
    over = f"{after.n:,}" if before.n in (after.n, 0) else f"{before.n:,} -> {after.n:,}"
    return metric.name, values, delta, f"over {over} {metric.unit}"


def _test(test: PairedTest) -> Iterable[str]:
    if not test.n:
        return
    name = "McNemar's exact test" if test.name == "mcnemar" else "sign-flip permutation test"
    how = "" if test.name == "mcnemar" else ", exact" if test.exact else f", {test.draws} draws, seed {test.seed}"
    told = "" if test.adjusted == test.p_value else f", {test.adjusted:.4g} by Holm"
    yield f"{name}: p = {test.p_value:.4g}{told}{how}; {test.worse} tasks worse, {test.better} better of {test.n}"
    if test.interval is not None:
        low, high = test.interval.low, test.interval.high
        yield (
            f"mean difference over tasks {test.mean_difference:+.4g}, 95 % from {low:+.4g} to {high:+.4g} "
            f"({test.interval.resamples} resamples, seed {test.seed})"
        )


def _setup(comparison: Comparison) -> Iterable[str]:
    yield from comparison.remarks
    yield from _cut([_difference(d.field, d.baseline, d.candidate) for d in comparison.setup])


def _difference(field: str, before: Any, after: Any) -> str:
    return f"{field}: {_shown(before)} -> {_shown(after)}"


def _shown(value: Any) -> str:
    return "unknown" if value is None else value if isinstance(value, str) else json.dumps(value, sort_keys=True)


def _files(changes: Sequence[FileChange]) -> Iterable[str]:
    """How many files of each change, and the first of them."""
    counts = Counter(found.change for found in changes)
    yield ", ".join(f"{count:,} {change}" for change, count in sorted(counts.items()))
    for found in changes[:MOST_FILES]:
        yield f"{found.change}: {found.path}" + (f" (was {found.moved_from})" if found.moved_from else "")
    yield from _left_out(len(changes), MOST_FILES)


def _number(value: float | None) -> str:
    return "unknown" if value is None else f"{value:.4g}"


def _cut(lines: Sequence[str]) -> tuple[str, ...]:
    return (*lines[:MOST_LINES], *_left_out(len(lines)))


def _left_out(count: int, shown: int = MOST_LINES) -> Iterable[str]:
    if count > shown:
        yield f"and {count - shown:,} more: the JSON report lists all"

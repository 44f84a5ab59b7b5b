"""Run-level metrics of both sides: value, denominator and difference, over the tasks that can be compared.

The compared values are over tasks that both sides have with comparable inputs and scored on both, so that a task which
only one side could score moves neither mean. The values of the whole run stand beside them, for bounds that concern
the candidate alone. Quarantined tasks are in none of them. Differences are taken in decimal: 0.7 - 0.8 is -0.1.
"""

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from decimal import Decimal

import msgspec

from runaudit.compare.document import Attempt
from runaudit.compare.metric_names import Better, Unit, better_of, pass_metric, unit_of
from runaudit.compare.tally import Tally


class Value(msgspec.Struct, frozen=True):
    """A metric of one side: None where nothing can be said; `n` counts what it was taken over."""

    value: float | None
    n: int


class Metric(msgspec.Struct, frozen=True, kw_only=True):
    """A metric of both sides over the compared tasks, and over all tasks of each run.

    `delta` is candidate minus baseline; `unit` says what the `n` of each value counts.
    """

    name: str
    better: Better
    unit: Unit
    baseline: Value
    candidate: Value
    delta: float | None
    baseline_whole: Value
    candidate_whole: Value


class Measured(msgspec.Struct, frozen=True):
    """The tasks of one side that a metric is taken over: counted, and attempt by attempt."""

    tallies: Sequence[Tally]
    attempts: Sequence[Attempt]


def decimal_difference(after: float, before: float) -> Decimal:
    """`after` minus `before` as the decimal numbers that they are printed as."""
    return Decimal(repr(after)) - Decimal(repr(before))


def side_metrics(side: Measured, names: Iterable[str], repeats: int | None) -> dict[str, Value]:
    """The named metrics of one side; `repeats` is what `k` stands for."""
    shares = Counter([(len(t.rewards), t.passes) for t in side.tallies if t.rewards])
    return {name: _value(name, side, shares, repeats) for name in names}


def _value(name: str, side: Measured, shares: Counter[tuple[int, int | None]], repeats: int | None) -> Value:
    passing = pass_metric(name)
    if passing is not None:
        return _passing(shares, passing[0], passing[1] or repeats)
    match name:
        case "mean_reward":
            return _mean([reward for t in side.tallies for reward in t.rewards])
        case "mean_reward_over_tasks":
            return _mean([mean for t in side.tallies if (mean := t.mean) is not None])
        case "flip_rate":
            return _flips(shares)
        case "coverage":
            selected = sum(t.selected for t in side.tallies)
            scored = sum([len(t.rewards) for t in side.tallies])
            return Value(scored / selected if selected else None, selected)
        case _:
            return _mean(_recorded(side.attempts, name))


def _recorded(attempts: Sequence[Attempt], name: str) -> list[float]:
    """What the attempts recorded of a cost; those that recorded nothing are left out."""
    if name.endswith("_tokens"):
        usages = [a.usage for a in attempts if a.usage is not None]
        return [value for usage in usages if (value := getattr(usage, name)) is not None]
    return [value for attempt in attempts if (value := getattr(attempt, name)) is not None]


def _mean(values: Sequence[float]) -> Value:
    return Value(math.fsum(values) / len(values) if values else None, len(values))


def _passing(shares: Counter[tuple[int, int | None]], mark: str, k: int | None) -> Value:
    """pass@k and pass^k over the tasks with at least k scored attempts of known passes."""
    if k is None:
        return Value(None, 0)
    terms, tasks = [], 0
    for (n, passes), count in shares.items():
        if passes is not None and n >= k:
            ways = math.comb(n, k)
            hit = math.comb(passes, k) if mark == "^" else ways - math.comb(n - passes, k)
            terms.append(count * (hit / ways))
            tasks += count
    return Value(math.fsum(terms) / tasks if tasks else None, tasks)


def _flips(shares: Counter[tuple[int, int | None]]) -> Value:
    terms, tasks = [], 0
    for (n, passes), count in shares.items():
        if passes is not None and n > 1:
            terms.append(count * (2 * passes * (n - passes) / (n * (n - 1))))
            tasks += count
    return Value(math.fsum(terms) / tasks if tasks else None, tasks)


def flips_between(pairs: Iterable[tuple[Tally, Tally]]) -> Value:
    """The chance that an attempt of the baseline and one of the candidate disagree on passing, over tasks."""
    chances = []
    for before, after in pairs:
        if before.passes is not None and after.passes is not None and before.rewards and after.rewards:
            left, right = before.passes / before.scored, after.passes / after.scored
            chances.append(left * (1 - right) + right * (1 - left))
    return _mean(chances)


def metric(name: str, both: tuple[Value, Value], whole: tuple[Value, Value]) -> Metric:
    """A metric from its values over the compared tasks and over the whole runs."""
    before, after = both
    delta = None
    if before.value is not None and after.value is not None:
        delta = float(decimal_difference(after.value, before.value))
    return Metric(
        name=name,
        better=better_of(name),
        unit=unit_of(name),
        baseline=before,
        candidate=after,
        delta=delta,
        baseline_whole=whole[0],
        candidate_whole=whole[1],
    )

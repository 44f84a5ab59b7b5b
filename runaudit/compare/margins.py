"""Whether a metric stays within its bounds. Decimal: a drop of exactly the allowed margin passes.

Beyond a bound means by more than TOLERANCE, since the rewards themselves are doubles that somebody computed.
"""

from collections.abc import Iterable
from decimal import Decimal

from runaudit.compare.comparison import Comparison
from runaudit.compare.metrics import Metric, Value, decimal_difference
from runaudit.compare.policy import Margin, Policy
from runaudit.compare.ruling import Ruling
from runaudit.compare.run_metrics import real_name
from runaudit.compare.tally import TOLERANCE

_TOLERANCE = Decimal(repr(TOLERANCE))


def metric_rulings(comparison: Comparison, policy: Policy) -> Iterable[Ruling]:
    """What every `[metrics.*]` table of the policy says about a comparison."""
    k = min((r for r in comparison.repeats if r is not None), default=None)
    found = {metric.name: metric for metric in comparison.metrics}
    for name, margin in policy.metrics.items():
        metric = found[real_name(name, k)]
        yield from bound_rulings(name, margin, metric.candidate_whole)
        yield from _change_rulings(name, margin, metric)


def bounds_alone(comparison: Comparison, policy: Policy) -> Iterable[Ruling]:
    """What the bounds that need no baseline say about the candidate."""
    k = comparison.repeats[1]
    found = {metric.name: metric for metric in comparison.metrics}
    for name, margin in policy.metrics.items():
        yield from bound_rulings(name, margin, found[real_name(name, k)].candidate_whole)


def bound_rulings(name: str, margin: Margin, value: Value) -> Iterable[Ruling]:
    """What `min` and `max` say about one run's value."""
    for key, bound in (("min", margin.min), ("max", margin.max)):
        if bound is None:
            continue
        rule = f"metrics.{name}.{key}"
        if value.value is None:
            yield Ruling(rule, "inconclusive", f"{name} is unknown")
            continue
        number = Decimal(repr(value.value))
        beyond = bound - number if key == "min" else number - bound
        what = "at least" if key == "min" else "at most"
        yield Ruling(rule, "fail" if beyond > _TOLERANCE else "pass", f"{name} {_short(number, bound)}, {what} {bound}")


def _change_rulings(name: str, margin: Margin, metric: Metric) -> Iterable[Ruling]:
    for key, allowed in (("max_drop", margin.max_drop), ("max_rise", margin.max_rise)):
        if allowed is None:
            continue
        rule = f"metrics.{name}.{key}"
        if metric.baseline.value is None or metric.candidate.value is None:
            yield Ruling(rule, "inconclusive", f"{name} is unknown on one side")
            continue
        rise = decimal_difference(metric.candidate.value, metric.baseline.value)
        moved = -rise if key == "max_drop" else rise
        verb = "dropped" if key == "max_drop" else "rose"
        fails = moved > allowed + _TOLERANCE
        much = _short(max(moved, Decimal(0)), allowed)
        yield Ruling(rule, "fail" if fails else "pass", f"{name} {verb} by {much}, at most {allowed}")


def _short(number: Decimal, bound: Decimal) -> str:
    """Six digits; more where six would hide that the number is beyond the bound."""
    text = f"{float(number):.6g}"
    return f"{float(number):.12g}" if Decimal(text) == bound and abs(number - bound) > _TOLERANCE else text

"""The verdict: every rule that was applied, what it said, and the one word that follows from all of them.

A rule that fails outweighs one that cannot tell; a gate that judged nothing has not passed.
"""

from collections.abc import Iterable
from decimal import Decimal

import msgspec

from runaudit.compare.change import Change, Class
from runaudit.compare.comparison import Comparison
from runaudit.compare.margins import bounds_alone, metric_rulings
from runaudit.compare.paired_test import says_worse
from runaudit.compare.policy import ALWAYS, SIGNIFICANT, Policy
from runaudit.compare.ruling import Ruling
from runaudit.model.finding import LEVELS

_NAMED = 3


class Judgement(msgspec.Struct, frozen=True):
    """The rulings over one candidate, and the rule in force in words."""

    rule: str
    rulings: tuple[Ruling, ...]


def judge(comparison: Comparison, policy: Policy, *, allow_empty: bool = False) -> Judgement:
    """Applies the policy, or the rule that stands where there is none."""
    rulings = [*_evidence(comparison, allow_empty=allow_empty)]
    if all(r.word == "pass" for r in rulings):
        rulings += _required(comparison, policy)
        rulings += _changes(comparison, policy)
        rulings += _significance(comparison, policy)
        rulings += metric_rulings(comparison, policy)
        rulings += _findings(comparison, policy)
    return Judgement(rule=rule_in_force(policy, single=comparison.single), rulings=tuple(rulings))


def rule_in_force(policy: Policy, *, single: bool) -> str:
    """The rule about changes of tasks, in words."""
    if policy.fail_on is not None:
        classes = ", ".join(policy.fail_on) or "no change of a task"
        return f"policy: fails on {classes}"
    always = "or any task removed, failed, missing, masked, unscored or conflicted"
    what = "any task regressed" if single else f"the paired test saying worse (two-sided, {_level(policy)})"
    return f"{'one repeat' if single else 'several repeats'} a side: fails on {what}, {always}"


def failing_classes(policy: Policy, *, single: bool) -> tuple[Class, ...]:
    """The classes of a task that fail: the policy's, else the default rule's."""
    if policy.fail_on is not None:
        return policy.fail_on
    return ("regressed", *ALWAYS) if single else ALWAYS


def _evidence(comparison: Comparison, *, allow_empty: bool) -> Iterable[Ruling]:
    empty = [name for name, n in zip(("baseline", "candidate"), comparison.scored, strict=True) if not n]
    common = sum(c.baseline is not None and c.candidate is not None for c in comparison.changes)
    if allow_empty:
        yield Ruling("evidence", "pass", "an empty comparison is allowed (--allow-empty)")
    elif empty:
        yield Ruling("evidence", "inconclusive", f"nothing was scored in the {' and the '.join(empty)}")
    elif not common:
        yield Ruling("evidence", "inconclusive", "the two runs have no task in common")
    elif not any(c.compared or _counts(c) for c in comparison.changes):
        yield Ruling("evidence", "inconclusive", "no task of the two runs could be compared")
    else:
        yield Ruling("evidence", "pass", f"{common} tasks in common")


def _counts(change: Change) -> bool:
    return not change.quarantined and change.kind != "not-comparable"


def judge_alone(comparison: Comparison, policy: Policy, *, allow_empty: bool = False) -> Judgement:
    """What a policy says about one run: the candidate of a comparison with an empty baseline.

    Rules about a change need a baseline and are left out; `rule` names them.
    """
    scored = comparison.scored[1]
    judged = bool(scored) or allow_empty
    rulings = [Ruling("evidence", "pass" if judged else "inconclusive", f"{scored or 'no'} attempts scored")]
    if judged:
        rulings += _coverage(comparison, policy)
        rulings += _enough_repeats(comparison, policy)
        rulings += bounds_alone(comparison, policy)
        rulings += _findings(comparison, policy)
    rule = "one run alone: coverage, repeats, minimum and maximum of metrics, findings; changes need a baseline"
    return Judgement(rule=rule, rulings=tuple(rulings))


def _required(comparison: Comparison, policy: Policy) -> Iterable[Ruling]:
    require = policy.require
    if require.comparable:
        for inputs, what in (("changed", "have other inputs than before"), ("unknown", "have inputs without a digest")):
            names = [c for c in comparison.changes if c.inputs == inputs and not c.quarantined]
            if names:
                yield Ruling("require.comparable", "inconclusive", f"{len(names)} tasks {what}: {_some(names)}")
    yield from _coverage(comparison, policy)
    yield from _enough_repeats(comparison, policy)


def _coverage(comparison: Comparison, policy: Policy) -> Iterable[Ruling]:
    least = policy.require.coverage
    if least is not None:
        value = next(m.candidate_whole.value for m in comparison.metrics if m.name == "coverage")
        low = value is None or Decimal(repr(value)) < least
        yield Ruling(
            "require.coverage", "inconclusive" if low else "pass", f"coverage {_shown(value)}, at least {least}"
        )


def _enough_repeats(comparison: Comparison, policy: Policy) -> Iterable[Ruling]:
    least = policy.require.repeats
    if least is not None:
        few = [c for c in comparison.changes if _repeats(c) < least and not c.quarantined]
        if few:
            text = f"{len(few)} tasks with fewer than {least} repeats: {_some(few)}"
            yield Ruling("require.repeats", "inconclusive", text)
        else:
            yield Ruling("require.repeats", "pass", f"every task has at least {least} repeats")


def _repeats(change: Change) -> int:
    return min(t.selected for t in (change.baseline, change.candidate) if t is not None)


def _changes(comparison: Comparison, policy: Policy) -> Iterable[Ruling]:
    wanted = failing_classes(policy, single=comparison.single)
    for name in wanted:
        found = [c for c in comparison.changes if name in c.classes and not c.quarantined]
        if found:
            yield Ruling(f"fail.on {name}", "fail", f"{len(found)} {name}: {_some(found)}")
    if wanted and not any(set(wanted) & set(c.classes) and not c.quarantined for c in comparison.changes):
        yield Ruling("fail.on", "pass", f"no task is {' or '.join(wanted)}")


def _significance(comparison: Comparison, policy: Policy) -> Iterable[Ruling]:
    by_default = policy.fail_on is None and not comparison.single
    if policy.significant is None and not by_default:
        return
    test, level = comparison.test, _level(policy)
    worse = says_worse(test, float(level))
    text = f"{test.name} over {test.n} tasks: p = {test.adjusted:.4g}, {'worse' if worse else 'not worse'} at {level}"
    yield Ruling("fail.significant", "fail" if worse else "pass", text)


def _level(policy: Policy) -> Decimal:
    return SIGNIFICANT if policy.significant is None else policy.significant


def _findings(comparison: Comparison, policy: Policy) -> Iterable[Ruling]:
    if policy.fail_level is None:
        return
    failing = LEVELS[: LEVELS.index(policy.fail_level) + 1]
    found = [f for f in comparison.findings if f.level in failing]
    for finding in found:
        yield Ruling("findings", "fail", f"{finding.level} {finding.id} in the candidate, {finding.count} times")
    if not found:
        yield Ruling("findings", "pass", f"no finding of level {' or '.join(failing)} in the candidate")


def _some(changes: list[Change]) -> str:
    names = ", ".join(c.key.name for c in changes[:_NAMED])
    return names + (f" and {len(changes) - _NAMED} more" if len(changes) > _NAMED else "")


def _shown(value: float | None) -> str:
    return "unknown" if value is None else f"{value:.6g}"

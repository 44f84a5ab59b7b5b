"""The verdict: which rule applied, what it said, and which word outweighs which."""

from decimal import Decimal
from random import Random
from typing import Any

import pytest

from runaudit.compare.comparison import compare
from runaudit.compare.document import RunDocument
from runaudit.compare.gate import judge, judge_alone
from runaudit.compare.policy import DEFAULT, Policy
from runaudit.compare.policy_file import parse
from runaudit.compare.ruling import verdict_of
from runaudit.model.report import Verdict
from tests.unit.compare.build import Result, Tasks, compared, document, entry

PASSES: Tasks = {f"t{i}": [1.0, 1.0, 1.0] for i in range(12)}


def policy(text: str) -> Policy:
    return parse(text.encode(), "p.toml")


def verdict(before: Any, after: Any, rules: Policy = DEFAULT, *, allow_empty: bool = False) -> Verdict:
    return verdict_of(judge(compared(before, after, rules), rules, allow_empty=allow_empty).rulings)


@pytest.mark.parametrize(
    ("before", "after", "word", "rule"),
    [
        ({"a": [1.0], "b": [1.0]}, {"a": [0.0], "b": [1.0]}, "fail", "fail.on regressed"),
        ({"a": [0.0], "b": [1.0]}, {"a": [1.0], "b": [1.0]}, "pass", "fail.on"),
        ({"a": [1.0], "b": [1.0]}, {"b": [1.0]}, "fail", "fail.on removed"),
        ({"b": [1.0]}, {"a": [1.0], "b": [1.0]}, "pass", "fail.on"),
        ({"a": [1.0], "b": [1.0]}, {"a": ["masked"], "b": [1.0]}, "fail", "fail.on became-masked"),
        ({"a": [1.0] * 3, "b": [1.0] * 3}, {"a": [0.0] * 3, "b": [1.0] * 3}, "pass", "fail.significant"),
        ({"a": [1.0] * 3, "b": [1.0] * 3}, {"a": [1.0, 1.0, "missing"], "b": [1.0] * 3}, "fail", "became-missing"),
        (PASSES, {**PASSES, **{f"t{i}": [0.0, 1.0, 1.0] for i in range(6)}}, "fail", "fail.significant"),
        (PASSES, {**PASSES, **{f"t{i}": [0.0, 1.0, 1.0] for i in range(5)}}, "pass", "fail.significant"),
        ({"a": [1.0]}, {"b": [1.0]}, "inconclusive", "evidence"),
        ({}, {}, "inconclusive", "evidence"),
        ({"a": [1.0]}, {"a": ["failed"]}, "inconclusive", "evidence"),
        ({"a": ["failed"]}, {"a": [1.0]}, "inconclusive", "evidence"),
    ],
)
def test_without_a_policy(before: Tasks, after: Tasks, word: str, rule: str) -> None:
    found = verdict(before, after)
    assert found.word == word
    assert any(rule in reason for reason in found.reasons)


def test_the_default_rule_is_named() -> None:
    one = judge(compared({"a": [1.0]}, {"a": [1.0]}), DEFAULT)
    several = judge(compared(PASSES, PASSES), DEFAULT)
    assert one.rule.startswith("one repeat a side: fails on any task regressed")
    assert several.rule.startswith("several repeats a side: fails on the paired test saying worse (two-sided, 0.05)")


def test_nothing_compared_is_inconclusive_unless_it_is_allowed() -> None:
    other = [entry("a", 0, 1.0, input={"digest": "sha256:other"})]
    before = [entry("a", 0, 1.0, input={"digest": "sha256:one"})]
    assert verdict(before, other).word == "inconclusive"
    assert verdict(before, other, allow_empty=True).word == "pass"
    assert verdict({}, {}, allow_empty=True).word == "pass"
    assert verdict({"a": [1.0]}, {}, allow_empty=True).word == "fail"


@pytest.mark.parametrize(
    ("text", "word", "reason"),
    [
        ("[fail]\non = []", "pass", ""),
        ("[fail]\non = ['unstable']", "fail", "1 unstable: a (fail.on unstable)"),
        ("[fail]\non = []\nsignificant = 0.05", "pass", "not worse"),
        ("[fail]\non = []\n[require]\nrepeats = 3", "pass", ""),
        ("[fail]\non = []\n[require]\nrepeats = 4", "inconclusive", "2 tasks with fewer than 4 repeats: a, b"),
        ("[fail]\non = []\n[require]\ncoverage = 1", "pass", ""),
        ("[fail]\non = []\n[require]\ncomparable = true", "pass", ""),
        ("[fail]\non = []\n[metrics.mean_reward]\nmin = 0.83", "pass", ""),
        ("[fail]\non = []\n[metrics.mean_reward]\nmin = 0.84", "fail", "mean_reward 0.833333, at least 0.84"),
        ("[fail]\non = []\n[metrics.mean_reward]\nmax = 0.8", "fail", "at most 0.8"),
        ("[fail]\non = []\n[metrics.'pass@k']\nmin = 1", "pass", ""),
        ("[fail]\non = []\n[metrics.'pass^k']\nmin = 0.6", "fail", "pass^k 0.5, at least 0.6"),
        ("[fail]\non = []\n[metrics.'pass@5']\nmin = 0.1", "inconclusive", "pass@5 is unknown"),
        ("[fail]\non = []\n[metrics.cost_usd]\nmax_rise = 1", "inconclusive", "cost_usd is unknown on one side"),
        ("[metrics.mean_reward]\nmin = 1\n[require]\nrepeats = 9", "fail", "at least 1"),
    ],
)
def test_with_a_policy(text: str, word: str, reason: str) -> None:
    found = verdict({"a": [1.0] * 3, "b": [1.0] * 3}, {"a": [1.0, 1.0, 0.0], "b": [1.0] * 3}, policy(text))
    assert found.word == word
    assert any(reason in r for r in found.reasons)


@pytest.mark.parametrize(("allowed", "word"), [("0.1", "pass"), ("0.09", "fail"), ("0.11", "pass"), ("0", "fail")])
def test_a_drop_of_exactly_the_margin_passes(allowed: str, word: str) -> None:
    tasks = {f"t{i}": [float(i < 8)] for i in range(10)}
    rules = policy(f"[fail]\non = []\n[metrics.mean_reward]\nmax_drop = {allowed}")
    assert verdict(tasks, {**tasks, "t7": [0.0]}, rules).word == word


@pytest.mark.parametrize(("percent", "margin"), [(n, m) for n in range(1, 100, 7) for m in range(1, 1 + n, 9)])
def test_exact_margins_hold_for_any_percentage(percent: int, margin: int) -> None:
    before = {f"t{i}": [float(i < percent)] for i in range(100)}
    after = {f"t{i}": [float(i < percent - margin)] for i in range(100)}
    rules = policy(f"[fail]\non = []\n[metrics.mean_reward]\nmax_drop = {Decimal(margin) / 100}")
    assert verdict(before, after, rules).word == "pass"
    assert verdict({"x": [0.0], **before}, {"x": [0.0], **after}, rules).word == "pass"


def test_quarantined_tasks_are_listed_and_never_fail() -> None:
    rules = policy("[[tasks]]\nmatch = 'flaky-*'\nquarantine = true\n[metrics.mean_reward]\nmax_drop = 0")
    before: Tasks = {"flaky-1": [1.0], "flaky-2": [1.0], "firm": [1.0]}
    found = compared(before, {"flaky-1": [0.0], "firm": [1.0]}, rules)
    assert verdict_of(judge(found, rules).rulings).word == "pass"
    assert [(c.key.task, c.kind, c.quarantined) for c in found.changes] == [
        ("flaky-1", "regressed", True),
        ("flaky-2", "removed", True),
        ("firm", "same", False),
    ]
    assert verdict(before, {"flaky-1": [1.0], "flaky-2": [1.0], "firm": [0.0]}, rules).word == "fail"


def test_unknown_and_changed_inputs_are_inconclusive_when_comparable_is_required() -> None:
    rules = policy("[fail]\non = []\n[require]\ncomparable = true")
    known = [entry("a", 0, 1.0), entry("b", 0, 1.0)]
    for other in (None, {"digests": {"task": "other"}}):
        found = verdict(known, [entry("a", 0, 1.0), entry("b", 0, 1.0, input=other)], rules)
        assert found.word == "inconclusive"
        assert "1 tasks" in found.reasons[0]
    assert verdict(known, known, rules).word == "pass"


def test_findings_of_the_candidate_count_when_the_policy_says_so() -> None:
    broken = document({"a": [1.0]}, findings=[{"id": "corrupt-line", "level": "error", "title": "t", "count": 2}])
    clean = document({"a": [1.0]})
    rules = policy("[findings]\nfail_level = 'warning'")
    found = judge(compare(clean, broken, rules, Random(0), 0), rules)
    assert verdict_of(found.rulings) == Verdict("fail", ("error corrupt-line in the candidate, 2 times (findings)",))
    assert verdict_of(judge(compare(broken, clean, rules, Random(0), 0), rules).rulings).word == "pass"
    assert verdict_of(judge(compare(clean, broken, DEFAULT, Random(0), 0), DEFAULT).rulings).word == "pass"


def test_one_run_alone() -> None:
    rules = policy("[metrics.mean_reward]\nmin = 0.5\nmax_drop = 0.1\n[require]\ncoverage = 0.5\nrepeats = 1")
    examples: list[tuple[list[Result], str]] = [
        ([1.0, 0.0], "pass"),
        ([0.0, 0.0], "fail"),
        (["failed", "failed", 1.0], "inconclusive"),
    ]
    for results, word in examples:
        run = document({"a": results})
        found = judge_alone(compare(RunDocument(), run, rules, Random(0), 0), rules)
        assert verdict_of(found.rulings).word == word
    nothing = judge_alone(compare(RunDocument(), document({}), rules, Random(0), 0), rules)
    assert verdict_of(nothing.rulings).word == "inconclusive"


def test_a_number_just_beyond_its_bound_does_not_look_like_it() -> None:
    rules = policy("[fail]\non = []\n[metrics.mean_reward]\nmax_drop = 0.1\nmin = 0.7\n")
    rulings = judge(compared({"t": [0.8]}, {"t": [0.7 - 1e-8]}, rules), rules).rulings
    told = [ruling.detail for ruling in rulings if ruling.word == "fail"]
    assert sorted(told) == ["mean_reward 0.69999999, at least 0.7", "mean_reward dropped by 0.10000001, at most 0.1"]

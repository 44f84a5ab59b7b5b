"""A policy is read whole or refused, by place and with the nearest known name."""

from decimal import Decimal

import pytest

from runaudit.compare.policy import Margin, Policy, Require, TaskRule
from runaudit.compare.policy_file import parse
from runaudit.errors import UsageError

WHOLE = b"""
[require]
comparable = true
coverage = 0.98
repeats = 3
[fail]
on = ["regressed", "removed"]
significant = 0.05
[metrics.mean_reward]
max_drop = 0.02
[metrics."pass@1"]
min = 0.60
[metrics.seconds]
max_rise = 10
[findings]
fail_level = "error"
[[tasks]]
match = "flaky-*"
quarantine = true
[[tasks]]
max_drop = 0.5
"""


def test_a_whole_policy() -> None:
    assert parse(WHOLE, "p.toml") == Policy(
        require=Require(comparable=True, coverage=Decimal("0.98"), repeats=3),
        fail_on=("regressed", "removed"),
        significant=Decimal("0.05"),
        metrics={
            "mean_reward": Margin(max_drop=Decimal("0.02")),
            "pass@1": Margin(min=Decimal("0.60")),
            "seconds": Margin(max_rise=Decimal(10)),
        },
        fail_level="error",
        tasks=(TaskRule(match="flaky-*", quarantine=True), TaskRule(max_drop=Decimal("0.5"))),
        source="p.toml",
        digest="sha256:5540d9fb26340563ddf84d7b57e17591954e6790e43710181b72342f367d4323",
    )


def test_an_empty_policy_leaves_the_default_rule() -> None:
    found = parse(b"", "p.toml")
    assert found.fail_on is None
    assert found.digest == "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"


def test_one_table_of_tasks_is_one_rule_for_all() -> None:
    assert parse(b"[tasks]\nmax_drop = 0.1", "p").tasks == (TaskRule(max_drop=Decimal("0.1")),)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[metrics.mean_reward]\nmax_dorp = 0.1", ["p.toml", "metrics.mean_reward.max_dorp", "did you mean max_drop"]),
        ("[metrics.mean_rewrad]\nmin = 1", ["metrics.mean_rewrad", "did you mean mean_reward"]),
        ('[metrics."pass@0"]\nmin = 1', ["pass@0", "no such metric"]),
        ("[reqire]", ["reqire", "did you mean require"]),
        ("[require]\ncovrage = 1", ["require.covrage", "did you mean coverage"]),
        ("[require]\ncoverage = 98", ["require.coverage", "between 0 and 1", "98"]),
        ("[require]\ncoverage = nan", ["require.coverage", "expected a number"]),
        ("[require]\ncomparable = 1", ["require.comparable", "true or false"]),
        ("[require]\nrepeats = 0", ["require.repeats", "whole number"]),
        ("[require]\nrepeats = true", ["require.repeats", "whole number"]),
        ('[fail]\non = ["regresed"]', ["fail.on", "did you mean regressed"]),
        ('[fail]\non = "regressed"', ["fail.on", "expected a list"]),
        ("[fail]\nwhen = 1", ["fail.when", "unknown key"]),
        ("[fail]\nsignificant = true", ["fail.significant", "expected a number"]),
        ("[findings]\nfail_level = 'eror'", ["findings.fail_level", "did you mean error"]),
        ("[findings]\nlevel = 'error'", ["findings.level", "did you mean fail_level"]),
        ("[metrics]\nmean_reward = 1", ["metrics.mean_reward", "expected a table"]),
        ("[metrics.seconds]\nmax_drop = -1", ["metrics.seconds.max_drop", "a number from 0"]),
        ("[[tasks]]\nquarantined = true", ["tasks (1).quarantined", "did you mean quarantine"]),
        ("[[tasks]]\nmatch = 3", ["tasks (1).match", "shell pattern"]),
        ("tasks = 3", ["tasks", "[[tasks]]"]),
        ("require = 3", ["require", "expected a table"]),
        ("[require", ["no TOML", "at end of document"]),
        ("[require]\nrepeats = = 3", ["no TOML", "line 2"]),
        ("x = \ud83d", ["no TOML"]),
    ],
)
def test_what_is_refused(text: str, words: list[str]) -> None:
    with pytest.raises(UsageError) as refused:
        parse(text.encode("utf-8", "surrogatepass"), "p.toml")
    for word in words:
        assert word in str(refused.value)


def test_the_first_rule_that_says_something_counts() -> None:
    policy = Policy(tasks=(TaskRule(match="demo/a*", quarantine=False), TaskRule(match="a*", quarantine=True)))
    assert not policy.quarantined("demo", "a1")
    assert policy.quarantined("other", "a1")
    assert not policy.quarantined("other", "b1")
    assert policy.max_drop_of("demo", "a1") is None

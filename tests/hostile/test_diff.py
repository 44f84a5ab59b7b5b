"""Comparisons of arbitrary runs: swapping the sides mirrors every class; damaged summaries are refused by name."""

import contextlib
import json
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runaudit.compare.comparison import compare
from runaudit.compare.document import decode
from runaudit.compare.gate import judge
from runaudit.compare.policy import DEFAULT
from runaudit.errors import InputError
from tests.unit.compare.build import Tasks, classes, compared, summary

RESULTS = st.one_of(
    st.sampled_from([0.0, 1.0, 0.5]),
    st.floats(allow_nan=False, allow_infinity=False, width=32),
    st.sampled_from(["failed", "missing", "masked", "unscored", "conflicted"]),
)
RUNS = st.dictionaries(st.sampled_from("abcd"), st.lists(RESULTS, min_size=1, max_size=4), max_size=4)
MIRROR = {"removed": "added", "added": "removed", "regressed": "improved", "improved": "regressed"}
PLAIN = {"removed", "added", "regressed", "improved", "unstable", "same", "not-comparable"}


@settings(max_examples=60, deadline=None)
@given(before=RUNS, after=RUNS)
def test_swapping_the_sides_mirrors_the_classes(before: Tasks, after: Tasks) -> None:
    there, back = classes(compared(before, after)), classes(compared(after, before))
    assert set(there) == set(back)
    for task, names in there.items():
        mirrored = {MIRROR.get(name, name) for name in names if name in PLAIN}
        assert mirrored - {"same"} == {name for name in back[task] if name in PLAIN} - {"same"}


@settings(max_examples=60, deadline=None)
@given(before=RUNS, after=RUNS)
def test_every_comparison_is_judged(before: Tasks, after: Tasks) -> None:
    judgement = judge(compared(before, after), DEFAULT)
    assert judgement.rulings
    assert {r.word for r in judgement.rulings} <= {"pass", "fail", "inconclusive"}


@settings(max_examples=40, deadline=None)
@given(run=RUNS)
def test_a_run_against_itself_has_no_change(run: Tasks) -> None:
    assert all(names == ("same",) for names in classes(compared(run, run)).values())


@pytest.mark.parametrize("seed", range(40))
def test_damaged_summaries_are_compared_or_refused(seed: int) -> None:
    source = Random(seed)
    whole = json.dumps(summary({"a": [1.0, 0.0], "b": ["failed", 0.5]}, run={"models": ["m"]})).encode()
    damaged = bytearray(whole)
    for _ in range(source.randrange(1, 4)):
        damaged[source.randrange(len(damaged))] = source.choice(b'{}[]",:0x\xff\x00')
    data = bytes(damaged[: source.randrange(len(damaged) // 2, len(damaged) + 1)])
    document = None
    with contextlib.suppress(InputError):
        document = decode(data, "damaged")
    if document is not None:
        assert compare(decode(whole, "whole"), document, DEFAULT, Random(0), 0).changes


@pytest.mark.parametrize(
    "odd",
    [
        {"run": {"taskset": ["a"], "agents": "x", "timeouts": [1], "dataset": 3, "request": {"temperature": [0, 1]}}},
        {"producer": {"name": 3}, "options": {"pass_at": [1]}, "evidence": {"a": None, "b": [1], "c": {"digest": 3}}},
        {"files": 3, "counts": "none", "checks": None, "unknown": {"deep": [[[1]]]}},
    ],
)
def test_odd_values_in_fields_that_are_only_shown(odd: dict[str, object]) -> None:
    data = json.dumps({**summary({"a": [1.0]}), **odd}).encode()
    plain = json.dumps(summary({"a": [1.0]})).encode()
    found = compare(decode(plain, "plain"), decode(data, "odd"), DEFAULT, Random(0), 0)
    assert [c.kind for c in found.changes] == ["same"]

"""Every class of change from both sides: an example that is one, and the nearest one that is not."""

from decimal import Decimal
from typing import Any

import pytest

from runaudit.compare.change import CLASSES, LOST, classify
from runaudit.compare.policy import Policy, TaskRule
from runaudit.compare.tally import equal_rewards, tally
from tests.unit.compare.build import Result, Tasks, classes, compared, document, entry

NAN = float("nan")
INFINITY = float("inf")

TABLE: list[tuple[str, list[Result], list[Result], tuple[str, ...]]] = [
    ("one repeat, a drop", [1.0], [0.0], ("regressed",)),
    ("one repeat, a small drop", [0.5], [0.4], ("regressed",)),
    ("one repeat, a rise", [0.0], [1.0], ("improved",)),
    ("one repeat, equal", [0.3], [0.3], ("same",)),
    ("one repeat, within the tolerance", [0.3], [0.3 + 9e-10], ("same",)),
    ("one repeat, beyond the tolerance", [0.3], [0.3 - 2e-9], ("regressed",)),
    ("one repeat, relative tolerance", [3e9], [3e9 - 2], ("same",)),
    ("passed in all and then in none", [1.0, 1.0, 1.0], [0.0, 0.0, 0.0], ("regressed",)),
    ("passed in all and then in one", [1.0, 1.0, 1.0], [0.0, 1.0, 0.0], ("unstable",)),
    ("passed in none and then in all", [0.0, 0.0, 0.0], [1.0, 1.0, 1.0], ("improved",)),
    ("passed in none and then in two", [0.0, 0.0, 0.0], [1.0, 1.0, 0.0], ("unstable",)),
    ("repeats reordered", [1.0, 0.0, 0.0], [0.0, 0.0, 1.0], ("same",)),
    ("binary dust in a mean", [0.1, 0.2, 0.3], [0.3, 0.1, 0.2 + 1e-12], ("same",)),
    ("equal passes, another mean", [1.0, 0.5], [1.0, 0.1], ("same",)),
    ("no pass on either side, another mean", [0.5, 0.5], [0.1, 0.1], ("same",)),
    ("one pass fewer, the same mean", [1.0, 0.0], [0.5, 0.5], ("unstable",)),
    ("other numbers of repeats, all passed", [1.0, 1.0, 1.0], [1.0, 1.0, 1.0, 1.0, 1.0], ("same",)),
    ("other numbers of repeats, all to none", [1.0], [0.0, 0.0, 0.0], ("regressed",)),
    ("other numbers of repeats, all to some", [1.0], [1.0, 0.0, 1.0], ("unstable",)),
    ("one repeat lost", [1.0, 1.0, 1.0], [1.0, 1.0, "missing"], ("became-missing",)),
    ("one repeat lost, the others worse", [1.0, 1.0, 1.0], [0.0, 0.0, "failed"], ("regressed", "became-failed")),
    ("one repeat lost, the others better", [0.0, 0.0, 0.0], [1.0, 1.0, "failed"], ("became-failed", "improved")),
    ("one repeat fewer was asked for", [1.0, 1.0, 1.0], [1.0, 1.0], ("same",)),
    ("masked is no zero", [1.0], ["masked"], ("became-masked",)),
    ("zero is no mask", [1.0], [0.0], ("regressed",)),
    ("masked on both sides", ["masked"], ["masked"], ("same",)),
    ("an infrastructure failure is no regression", [1.0], ["failed"], ("became-failed",)),
    ("failed before and measured now", ["failed"], [0.0], ("recovered-failed",)),
    ("missing before and measured now", ["missing"], [1.0], ("recovered-missing",)),
    ("masked before and measured now", ["masked"], [1.0], ("recovered-masked",)),
    ("unscored before and measured now", ["unscored"], [1.0], ("recovered-unscored",)),
    ("conflicted before and measured now", ["conflicted"], [1.0], ("recovered-conflicted",)),
    ("missing", [1.0], ["missing"], ("became-missing",)),
    ("no usable reward, as a row that says NaN", [1.0], ["unscored"], ("became-unscored",)),
    ("NaN on both sides", ["unscored"], ["unscored"], ("same",)),
    ("rows that contradict one another", [1.0], ["conflicted"], ("became-conflicted",)),
    ("failed, and now without a trace", ["failed"], ["missing"], ("became-missing",)),
]


@pytest.mark.parametrize(("before", "after", "expected"), [row[1:] for row in TABLE], ids=[row[0] for row in TABLE])
def test_one_task(before: list[Result], after: list[Result], expected: tuple[str, ...]) -> None:
    assert classes(compared({"task": before}, {"task": after})) == {"task": expected}


def test_the_table_reaches_every_class() -> None:
    reached = {name for row in TABLE for name in row[3]}
    assert reached == set(CLASSES) - {"removed", "added", "not-comparable"}
    assert set(LOST) < reached


def one(task: str | None = "task", result: Result = 1.0, **fields: Any) -> dict[str, Any]:
    return entry(task, 0, result, **fields)


DIGEST = {"digest": None, "digests": {"task": "a"}}


def test_a_changed_task_is_not_comparable_and_in_no_delta() -> None:
    other = {"digest": None, "digests": {"task": "b"}}
    found = compared([one(input=DIGEST), one("kept")], [one(result=0.0, input=other), one("kept")])
    assert classes(found) == {"task": ("not-comparable",), "kept": ("same",)}
    mean = next(m for m in found.metrics if m.name == "mean_reward")
    assert (mean.baseline.value, mean.candidate.value, mean.delta) == (1.0, 1.0, 0.0)
    assert (mean.baseline_whole.value, mean.candidate_whole.value) == (1.0, 0.5)
    assert found.test.n == 1


def test_repeats_of_one_task_with_two_digests_are_not_comparable() -> None:
    mixed = [entry("task", n, 1.0, input={"digests": {"task": str(n)}}) for n in range(2)]
    assert classes(compared(mixed, mixed)) == {"task": ("not-comparable",)}


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ({"digests": {"task": "a"}}, {"digests": {"task": "a"}, "digest": "sha256:x"}, "equal"),
        ({"digests": {"task": "a"}, "digest": "sha256:x"}, {"digests": {"task": "b"}, "digest": "sha256:x"}, "changed"),
        ({"digest": "sha256:x"}, {"digests": {"task": "a"}, "digest": "sha256:x"}, "equal"),
        ({"digest": "sha256:x"}, {"digest": "sha256:y"}, "changed"),
        ({"digest": "sha256:x"}, {"digest": "xxh3:y"}, "unknown"),
        ({"digests": {"task": "sha256:a"}}, {"digests": {"task": "a"}}, "equal"),
        ({"digests": {"task": "a"}}, {"digests": {"row": "a"}}, "unknown"),
        (None, {"digest": "sha256:x"}, "unknown"),
        (None, None, "unknown"),
    ],
)
def test_which_digest_decides(before: Any, after: Any, expected: str) -> None:
    found = compared([one(input=before)], [one(input=after)])
    assert [c.inputs for c in found.changes] == [expected]


def test_a_renamed_task_is_removed_and_added_and_says_so() -> None:
    found = compared([one("old", input=DIGEST), one("kept")], [one("new", input=DIGEST), one("kept")])
    assert [(c.key.task, c.kind, c.other_name) for c in found.changes] == [
        ("old", "removed", "new"),
        ("kept", "same", None),
        ("new", "added", "old"),
    ]


def test_two_tasks_of_one_input_are_no_renaming() -> None:
    found = compared([one("old", input=DIGEST)], [one(name, input=DIGEST) for name in ("new", "other")])
    assert {c.other_name for c in found.changes} == {None}


def test_the_same_ids_in_another_taskset_are_other_tasks() -> None:
    found = compared([one(taskset="left")], [one(taskset="right")])
    assert [(c.key.taskset, c.kind) for c in found.changes] == [("left", "removed"), ("right", "added")]


def test_a_taskset_that_one_side_does_not_know_takes_no_task_away() -> None:
    assert classes(compared([one(taskset=None)], [one(taskset="right")])) == {"task": ("same",)}


def test_two_agents_under_one_task_are_two_tasks() -> None:
    before = [one(agent="a"), one(agent="b")]
    found = compared(before, [one(agent="b"), one(agent="a", result=0.0)])
    assert [(c.key.agent, c.kind) for c in found.changes] == [("a", "regressed"), ("b", "same")]


def test_one_agent_a_side_is_compared_whatever_it_is_called() -> None:
    found = compared([one(agent="old")], [one(agent="new")])
    assert classes(found) == {"task": ("same",)}
    assert found.remarks == ("each side has one agent, and these are compared: old and new",)


def test_one_agent_with_two_models_is_two_agents() -> None:
    before = [one(model="small"), one(model="large")]
    found = compared(before, [one(model="small", result=0.0), one(model="large")])
    assert [(c.key.agent, c.kind) for c in found.changes] == [("agent (small)", "regressed"), ("agent (large)", "same")]


def test_without_ids_the_index_stands_for_the_task() -> None:
    before = [one(None, index=3, input=None), one(None, index=4, input=None)]
    found = compared(before, [one("task", index=3, input=None)])
    assert [(c.key.task, c.kind) for c in found.changes] == [("#3", "same"), ("#4", "removed")]
    assert found.remarks[0] == "tasks are paired by index: one side has no task ids"


def test_shards_that_number_on_their_own_stay_apart() -> None:
    before = [one(None, index=0, input=None, shard=shard) for shard in ("a", "b")]
    found = compared(before, [one(None, index=0, input=None, shard="b", result=0.0)])
    assert [(c.key.task, c.kind) for c in found.changes] == [("a#0", "removed"), ("b#0", "regressed")]


def test_unknown_inputs_are_said() -> None:
    found = compared([one(input=None), one("b")], [one(), one("b")])
    assert found.remarks == ("whether 1 tasks had the same input is unknown: no digest that both sides have",)


def test_identical_sides_are_the_same() -> None:
    tasks: Tasks = {"a": [1.0, 0.0], "b": ["failed", 0.5], "c": ["missing", "missing"]}
    found = compared(tasks, tasks)
    assert set(classes(found).values()) == {("same",)}
    assert found.setup == ()


def test_empty_sides() -> None:
    assert compared({}, {}).changes == ()
    assert classes(compared({"a": [1.0]}, {})) == {"a": ("removed",)}
    assert classes(compared({}, {"a": [1.0]})) == {"a": ("added",)}


def test_a_mean_drop_beyond_what_the_task_may_lose_is_a_regression() -> None:
    sides = [document({"t": rewards}).tasks for rewards in ([0.8, 0.8], [0.7, 0.7], [0.9, 0.9])]
    base, lower, higher = (tally(side) for side in sides)
    assert classify(base, lower, 0.1) == ("same",)
    assert classify(base, lower, 0.0999) == ("regressed",)
    assert classify(base, higher, 0.0999) == ("improved",)
    assert classify(base, lower) == ("same",)


def test_where_no_pass_is_known_the_mean_decides() -> None:
    def side(*rewards: float) -> list[dict[str, Any]]:
        return [entry("task", n, reward, passed=None) for n, reward in enumerate(rewards)]

    assert classes(compared(side(7.0, 3.0), side(3.0, 7.0))) == {"task": ("same",)}
    assert classes(compared(side(7.0, 3.0), side(3.0, 7.0 - 1e-7))) == {"task": ("unstable",)}
    allowed = Policy(tasks=(TaskRule(max_drop=Decimal(1)),))
    assert classes(compared(side(7.0, 3.0), side(3.0, 5.0), allowed)) == {"task": ("unstable",)}
    assert classes(compared(side(7.0, 3.0), side(3.0, 4.9), allowed)) == {"task": ("regressed",)}


@pytest.mark.parametrize(
    ("max_drop", "expected"), [("0.1", "same"), ("0.3", "same"), ("0.0999999", "regressed"), ("0", "regressed")]
)
def test_equal_passes_hide_no_drop_beyond_the_stated_margin(max_drop: str, expected: str) -> None:
    policy = Policy(tasks=(TaskRule(max_drop=Decimal(max_drop)),))
    assert classes(compared({"task": [0.8, 0.8]}, {"task": [0.7, 0.7]}, policy)) == {"task": (expected,)}


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [
        (NAN, NAN, True),
        (NAN, 0.0, False),
        (0.0, INFINITY, False),
        (INFINITY, INFINITY, True),
        (INFINITY, -INFINITY, False),
        (0.1 + 0.2, 0.3, True),
        (1.0, 1.0 + 1e-8, False),
    ],
)
def test_equal_rewards(left: float, right: float, expected: bool) -> None:
    assert equal_rewards(left, right) is expected
    assert equal_rewards(right, left) is expected

"""Set-up differences, files, metrics, and what is refused as a run summary."""

import itertools
import json
from typing import Any

import pytest

from runaudit.compare.change import CLASSES
from runaudit.compare.document import decode
from runaudit.compare.files import FileChange, file_changes
from runaudit.compare.metric_names import is_metric
from runaudit.compare.metrics import Metric, decimal_difference
from runaudit.compare.pairing import pair
from runaudit.compare.policy_file import parse
from runaudit.compare.setup import SetupDifference, setup_differences
from runaudit.errors import InputError
from tests.unit.compare.build import compared, document, entry, summary


def differences(before: dict[str, Any], after: dict[str, Any]) -> list[SetupDifference]:
    left, right = document({"a": [1.0]}, run=before), document({"a": [1.0]}, run=after)
    return list(setup_differences(left, right, pair(left, right).pairs))


def test_only_the_temperature_changed() -> None:
    run = {"models": ["m"], "request": {"temperature": 0.0, "top_p": 1.0}}
    found = differences(run, {**run, "request": {"temperature": 0.7, "top_p": 1.0}})
    assert found == [SetupDifference("request.temperature", 0.0, 0.7, True)]


def test_the_dataset_digest_changed() -> None:
    found = differences({"dataset": {"digests": {"sha256": "a" * 64}}}, {"dataset": {"digests": {"sha256": "b" * 64}}})
    assert [(d.field, d.known) for d in found] == [("dataset.digests.sha256", True)]


def test_what_one_side_does_not_know_is_unknown_and_not_different() -> None:
    assert differences({"harness_version": None}, {"harness_version": "2"}) == [
        SetupDifference("harness_version", None, "2", False)
    ]
    assert differences({"models": ["a", "b"]}, {"models": ["b", "a"]}) == []
    assert differences({"timeouts": {"agent": 60, "verifier": 9}}, {"timeouts": {"agent": 90, "verifier": 9}}) == [
        SetupDifference("timeouts.agent", 60, 90, True)
    ]


def test_other_numbers_of_repeats_are_a_difference_of_the_set_up() -> None:
    found = compared({"a": [1.0] * 3, "b": [1.0] * 3}, {"a": [1.0] * 5, "b": [1.0] * 5})
    assert found.setup == (SetupDifference("repeats", 3, 5, True),)


def test_files_added_gone_changed_and_moved() -> None:
    def file(content: str, size: int = 1) -> dict[str, Any]:
        return {"size": size, "digest": f"xxh3:{content}"}

    before = {"same": file("s"), "edited": file("1"), "old": file("m"), "gone": file("g"), "grown": file("x")}
    after = {
        "same": file("s"),
        "edited": file("2"),
        "new": file("m"),
        "added": file("a"),
        "grown": {"size": 2, "digest": None},
    }
    assert file_changes(before, after) == (
        FileChange("added", "added"),
        FileChange("edited", "changed"),
        FileChange("gone", "gone"),
        FileChange("grown", "changed"),
        FileChange("new", "moved", "old"),
    )
    assert file_changes({"a": {"size": 1, "digest": "sha256:x"}}, {"a": file("y")}) == (FileChange("a", "unknown"),)
    assert file_changes(before, before) == ()


def test_metrics_name_their_denominators() -> None:
    usage = {"input_tokens": 10, "output_tokens": 4, "total_tokens": 14}
    before = [entry("a", n, r, usage=usage, seconds=2.0) for n, r in enumerate([1.0, 0.0, 0.0])]
    before += [entry("b", 0, 1.0), entry("b", 1, 1.0), entry("b", 2, "failed")]
    after = [entry("a", n, 1.0) for n in range(3)] + [entry("b", n, r) for n, r in enumerate([1.0, 0.0, 1.0])]
    found = {m.name: m for m in compared(before, after).metrics}
    assert values(found["mean_reward"]) == [0.6, 5, 5 / 6, 6]
    assert values(found["mean_reward_over_tasks"]) == pytest.approx([2 / 3, 2, 5 / 6, 2])
    assert values(found["pass@1"]) == pytest.approx([2 / 3, 2, 5 / 6, 2])
    assert values(found["pass@3"]) == [1.0, 1, 1.0, 2]
    assert values(found["pass^3"]) == [0.0, 1, 0.5, 2]
    assert values(found["flip_rate"]) == pytest.approx([1 / 3, 2, 1 / 3, 2])
    assert values(found["coverage"]) == pytest.approx([5 / 6, 6, 1.0, 6])
    assert values(found["output_tokens"]) == [4.0, 3, None, 0]
    assert values(found["seconds"]) == [2.0, 3, None, 0]
    assert values(found["flip_rate_between"]) == [None, 0, pytest.approx((2 / 3 + 1 / 3) / 2), 2]
    assert found["output_tokens"].delta is None
    assert found["mean_reward"].delta == pytest.approx(5 / 6 - 0.6)


def values(metric: Metric) -> list[float | None]:
    return [metric.baseline.value, metric.baseline.n, metric.candidate.value, metric.candidate.n]


@pytest.mark.parametrize("k", range(1, 6))
def test_pass_at_k_counts_all_choices(k: int) -> None:
    """Against the definition: of all ways to choose k of five attempts, those with a pass, or with passes only."""
    results = [1.0, 0.0, 1.0, 1.0, 0.0]
    rules = parse(f"[metrics.'pass@{k}']\n[metrics.'pass^{k}']".encode(), "p")
    found = {m.name: m.candidate.value for m in compared({"a": results}, {"a": results}, rules).metrics}
    choices = list(itertools.combinations(results, k))
    assert found[f"pass@{k}"] == pytest.approx(sum(any(c) for c in choices) / len(choices))
    assert found[f"pass^{k}"] == pytest.approx(sum(all(c) for c in choices) / len(choices))


def test_decimal_differences() -> None:
    assert float(decimal_difference(0.7, 0.8)) == -0.1
    assert [is_metric(n) for n in ("pass@3", "pass^k", "pass@", "pass@03", "mean")] == [True, True, False, False, False]


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", ["test", "no readable run summary"]),
        (b'{"kind": "run_summary", "ver', ["no readable run summary"]),
        (b"[]", ["no readable run summary"]),
        (b"{}", ['"kind" is None']),
        (b'{"kind": "manifest", "version": 1, "tasks": 3}', ["'manifest'", "'run_summary'"]),
        (b'{"kind": "run_summary"}', ['"version" is None']),
        (b'{"kind": "run_summary", "version": 2, "tasks": "new"}', ["summary-newer", "version 2"]),
        (b'{"kind": "run_summary", "version": 1, "tasks": [{"outcome": "lost"}]}', ["tasks[0].outcome"]),
        (b'{"kind": "run_summary", "version": 1, "tasks": [{}]}', ["outcome"]),
        (
            b'{"kind": "run_summary", "version": 1, "tasks": [{"outcome": "scored", "reward": "1"}]}',
            ["tasks[0].reward"],
        ),
        (b'{"kind": "run_summary", "version": 1, "tasks": [{"outcome": "scored", "reward": NaN}]}', ["no readable"]),
        (b'{"kind": "run_summary", "version": 1, "x": ' + b"[" * 100_000, ["no readable"]),
    ],
)
def test_what_is_no_run_summary(data: bytes, words: list[str]) -> None:
    with pytest.raises(InputError) as refused:
        decode(data, "test")
    for word in words:
        assert word in str(refused.value)


def test_unknown_keys_are_let_pass_and_missing_ones_are_unknown() -> None:
    told = summary([{"outcome": "scored", "reward": 1, "new_key": {"a": 1}}], another=[1])
    found = decode(json.dumps(told).encode(), "test")
    assert found.tasks[0].reward == 1.0
    assert found.tasks[0].passed is None


def test_classes_go_from_the_gravest_to_the_lightest() -> None:
    assert CLASSES[0] == "removed"
    assert CLASSES[-1] == "same"

"""How deep a value nests, told without recursion."""

import json
from pathlib import Path
from typing import Any

import pytest

from runaudit.cli.exits import guarded
from runaudit.read.values import MOST_DEPTH, is_deep
from tests.builders import Run, flat_input, flat_row


def nested(depth: int) -> Any:
    value: Any = 1
    for _ in range(depth):
        value = [value]
    return value


@pytest.mark.parametrize(("depth", "deep"), [(1, False), (MOST_DEPTH - 1, False), (MOST_DEPTH + 1, True), (900, True)])
def test_depth_is_told_at_its_limit(depth: int, deep: bool) -> None:
    value = nested(depth)
    assert is_deep(value, b"[" * depth) is deep


def test_many_brackets_side_by_side_are_not_deep() -> None:
    value: list[Any] = [[] for _ in range(5000)]
    assert not is_deep(value, json.dumps(value).encode())


def test_a_deep_input_row_is_a_finding_and_hides_no_other(tmp_path: Path) -> None:
    run = Run(tmp_path / "results")
    deep = flat_input(0)
    deep["responses_create_params"]["metadata"] = {"a": nested(900)}
    run.inputs(deep, flat_input(1))
    run.results(flat_row(0, reward=1.0), flat_row(1, reward=1.0))
    assert guarded(["summarize", str(run.rollouts)]) == 0
    document = json.loads(run.summary.read_bytes())
    assert "nested-too-deep" in {group["id"] for group in document["findings"]}
    assert document["counts"]["scored"] >= 1


def test_a_deep_row_that_only_the_explaining_parser_reads_is_a_finding(tmp_path: Path) -> None:
    run = Run(tmp_path / "results")
    run.inputs(flat_input(0), flat_input(1))
    deep = json.dumps({**flat_row(0, reward=1.0), "more": nested(800), "odd": float("nan")})
    run.put("rollouts.jsonl", f"{deep}\n{json.dumps(flat_row(1, reward=1.0))}\n")
    assert guarded(["summarize", str(run.rollouts)]) == 0
    document = json.loads(run.summary.read_bytes())
    assert "nested-too-deep" in {group["id"] for group in document["findings"]}
    assert document["counts"]["scored"] == 1

"""The example rollouts of the NeMo Gym wheel: no error on what was shipped, errors on what was edited."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.interop.command import ids, summarized
from tests.interop.wheel_examples import (
    EDITS,
    PLACEHOLDERS,
    Edit,
    aggregate_of,
    copied,
    examples,
    server_of,
    with_aggregate,
)
from tests.oracle.count_rows import compare, count

pytestmark = pytest.mark.interop


def test_the_wheel_holds_the_examples_that_were_counted() -> None:
    counted = [count(example) for example in examples()]
    assert (len(counted), len(with_aggregate())) == (149, 18)
    assert sum(result["counts"]["scored"] for result in counted) == 464
    assert sum(result["unplaced"] for result in counted) == 260
    assert {server_of(e) for e, result in zip(examples(), counted, strict=True) if result["lines"]["damaged"]} == (
        PLACEHOLDERS
    )


def test_every_shipped_aggregate_has_the_mean_of_its_rows() -> None:
    for example in with_aggregate():
        (entry,) = json.loads(aggregate_of(example).read_bytes())
        assert entry["agent_metrics"]["mean/reward"] == pytest.approx(count(example)["mean_reward"]["value"]), example


@pytest.mark.parametrize(
    ("edit", "applies"), list(zip(EDITS, (18, 13, 15, 18), strict=True)), ids=lambda p: str(getattr(p, "__name__", p))
)
def test_each_edit_changes_a_copy(edit: Edit, applies: int, tmp_path: Path) -> None:
    changed = 0
    for example in with_aggregate():
        rollouts = copied(example, tmp_path)
        before = rollouts.read_bytes(), aggregate_of(rollouts).read_bytes()
        if edit(rollouts):
            changed += 1
            assert (rollouts.read_bytes(), aggregate_of(rollouts).read_bytes()) != before, example
    assert changed == applies


def test_shipped_examples_have_no_error(tmp_path: Path) -> None:
    wrong: dict[str, Any] = {}
    for example in examples():
        rollouts = copied(example, tmp_path)
        summary = summarized(rollouts)
        told = [*compare(summary, count(rollouts)), *ids(summary, "error")]
        if bool(told) != (server_of(example) in PLACEHOLDERS):
            wrong[rollouts.parent.name] = told
    assert wrong == {}


@pytest.mark.parametrize("edit", EDITS, ids=lambda edit: str(edit.__name__))
def test_edited_examples_contradict_their_aggregate(edit: Edit, tmp_path: Path) -> None:
    quiet = []
    for example in with_aggregate():
        rollouts = copied(example, tmp_path)
        if edit(rollouts) and not any(name.startswith("aggregate-") for name in ids(summarized(rollouts), "error")):
            quiet.append(rollouts.parent.name)
    assert quiet == []

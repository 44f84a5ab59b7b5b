"""The files that the real NeMo Gym writes are what the oracle and the fixtures take them for."""

import json
import math
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.interop.gym_runs import CASES, Run, case_name
from tests.oracle.count_rows import OUTCOMES, count

pytestmark = pytest.mark.interop


@pytest.mark.parametrize(("release", "run"), CASES, ids=case_name)
def test_the_oracle_counts_what_the_story_tells(release: str, run: Run, written_by: Callable[[str], Path]) -> None:
    counted = count(written_by(release) / run.story / f"{run.stem}.jsonl")
    assert counted["counts"] == {**dict.fromkeys(OUTCOMES, 0), **run.outcomes}
    assert math.isclose(counted["mean_reward"]["value"], run.mean)
    assert (counted["unplaced"], counted["unexpected"], counted["lines"]["damaged"]) == (0, 0, 0)


@pytest.mark.parametrize("release", ["0.5.1", "0.6.0", "0.7.0"])
def test_an_entry_of_the_aggregate_stands_for_one_agent(release: str, written_by: Callable[[str], Path]) -> None:
    path = written_by(release) / "two_servers" / "rollouts_aggregate_metrics.json"
    means = {e["agent_ref"]["name"]: e["agent_metrics"]["mean/reward"] for e in json.loads(path.read_bytes())}
    assert means == {"adder_agent": 0.375, "speller_agent": 1.0}


def test_a_resumed_run_keeps_the_failure_of_its_first_pass(written_by: Callable[[str], Path]) -> None:
    folder = written_by("0.7.0") / "resumed"
    failures = [json.loads(line) for line in (folder / "rollouts_failures.jsonl").read_bytes().splitlines()]
    rows = [json.loads(line) for line in (folder / "rollouts.jsonl").read_bytes().splitlines()]
    assert [row["_ng_task_index"] for row in failures] == [3]
    assert [row.get("_ng_attempt_index") for row in rows if row["_ng_task_index"] == 3] == [1]


def test_imputed_zeros_lower_the_aggregate_and_not_the_rows(written_by: Callable[[str], Path]) -> None:
    folder = written_by("0.7.0") / "imputed"
    (entry,) = json.loads((folder / "counted_aggregate_metrics.json").read_bytes())
    assert math.isclose(entry["agent_metrics"]["mean/reward"], 2 / 6)
    assert count(folder / "counted.jsonl")["mean_reward"] == {"value": 0.5, "n": 4}

"""The clean fixture runs, which the real NeMo Gym 0.7.0 wrote, still hold what their stories say."""

import math
from pathlib import Path

import pytest

from tests.interop.gym_runs import RUNS, Run
from tests.oracle.count_rows import OUTCOMES, count

CLEAN = Path(__file__).parents[2] / "fixtures" / "runs" / "clean"
STORIES = {"fresh", "resumed", "two_servers", "second_stem", "masked_and_failed", "shards"}


@pytest.mark.parametrize(
    "run", [run for run in RUNS if run.story in STORIES], ids=lambda run: f"{run.story}-{run.stem}"
)
def test_a_clean_run_comes_to_its_numbers(run: Run) -> None:
    counted = count(CLEAN / run.story / f"{run.stem}.jsonl")
    assert counted["counts"] == {**dict.fromkeys(OUTCOMES, 0), **run.outcomes}
    assert math.isclose(counted["mean_reward"]["value"], run.mean)


def test_no_fixture_names_a_place_on_the_machine_that_wrote_it() -> None:
    named = [str(path) for path in CLEAN.rglob("*") if path.is_file() and b"/tmp/" in path.read_bytes()]
    assert named == []

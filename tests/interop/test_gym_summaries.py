"""`runaudit summarize` on runs that the real NeMo Gym wrote: the oracle's numbers, and no error."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.interop.command import ids, runaudit, summarized
from tests.interop.gym_runs import CASES, Run, case_name, tell
from tests.oracle.count_rows import compare, count

pytestmark = pytest.mark.interop


@pytest.fixture
def place(written_by: Callable[[str], Path], tmp_path: Path) -> Callable[[str, str], Path]:
    """A copy of a written story, with its times, that a test may change."""

    def copied(release: str, story: str) -> Path:
        shutil.copytree(written_by(release) / story, tmp_path / story)
        return tmp_path / story

    return copied


@pytest.mark.parametrize(("release", "run"), CASES, ids=case_name)
def test_a_real_run_is_counted_like_the_oracle(release: str, run: Run, place: Callable[[str, str], Path]) -> None:
    rollouts = place(release, run.story) / f"{run.stem}.jsonl"
    summary = summarized(rollouts)
    assert compare(summary, count(rollouts)) == []
    assert ids(summary, "error") == []


def test_signatures_from_before_the_run_call_nothing_stale(tmp_path: Path) -> None:
    rollouts = tmp_path / "fresh" / "rollouts.jsonl"
    rollouts.parent.mkdir()
    runaudit("signatures", str(rollouts))
    tell("0.7.0", tmp_path, "fresh")
    assert summarized(rollouts)["stale_files"] == []


def test_a_run_that_died_before_dispatch_leaves_stale_files(place: Callable[[str, str], Path]) -> None:
    rollouts = place("0.7.0", "fresh") / "rollouts.jsonl"
    runaudit("signatures", str(rollouts))
    stale = {entry["path"] for entry in summarized(rollouts)["stale_files"]}
    assert {"rollouts.jsonl", "rollouts_aggregate_metrics.json"} <= stale


def test_a_rerun_over_signed_files_is_this_runs(place: Callable[[str, str], Path]) -> None:
    folder = place("0.7.0", "masked_and_failed")
    rollouts = folder / "rollouts.jsonl"
    runaudit("signatures", str(rollouts))
    shutil.move(folder, folder.with_name("fresh"))
    tell("0.7.0", folder.parent, "fresh")
    rerun = folder.with_name("fresh") / "rollouts.jsonl"
    summary = summarized(rerun)
    assert compare(summary, count(rerun)) == []
    assert "rollouts.jsonl" not in {entry["path"] for entry in summary["stale_files"]}


@pytest.mark.parametrize("story", ["fresh", "two_servers"])
@pytest.mark.parametrize("release", ["0.5.1", "0.6.0", "0.7.0"])
def test_a_changed_reward_contradicts_the_real_aggregate(
    release: str, story: str, place: Callable[[str, str], Path]
) -> None:
    rollouts = place(release, story) / "rollouts.jsonl"
    rows = [json.loads(line) for line in rollouts.read_bytes().splitlines()]
    rows[0]["reward"] += 0.125
    rollouts.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    aggregate = rollouts.with_name("rollouts_aggregate_metrics.json")
    aggregate.touch()
    assert any(name.startswith("aggregate-") for name in ids(summarized(rollouts), "error"))

"""Somebody edits one value: in the rollouts, in a reward file, in any part of the summary."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.builders import Run
from tests.stories.damage import rewritten
from tests.stories.summaries import Document, stored
from tests.stories.whole_run import audit, copied, write_run, write_run_with_a_stale_file

Edit = Callable[[Document], object]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """The run that every test edits a copy of."""
    return write_run(tmp_path_factory.mktemp("whole"))


def edited(run: Run, place: Path, edit: Edit) -> Path:
    """A copy whose summary was edited."""
    copy = copied(run, place)
    document = stored(copy.summary)
    edit(document)
    copy.summary.write_text(json.dumps(document, indent=2) + "\n")
    return copy.folder


def test_three_edited_rewards_are_three_findings_with_both_values(whole: Run, tmp_path: Path) -> None:
    copy = copied(whole, tmp_path / "copy")
    rewritten(copy.rollouts, b'"reward":0.5', b'"reward":0.6')
    rewritten(copy.folder / "verifier/task2/reward.json", b"1.0", b"0.8")
    document = stored(copy.summary)
    document["tasks"][0]["reward"] = 0.7
    copy.summary.write_text(json.dumps(document))
    found = audit(copy.folder)
    assert found.code == 1
    both = [
        (place["task_index"], place["expected"], place["found"])
        for finding in ("reward-mismatch", "summary-outdated")
        for place in found.places(finding)
        if "task_index" in place and place["message"].startswith(("reward:", "the row says"))
    ]
    assert both == [(1, "0.5", "0.6"), (2, "0.8", "1.0"), (0, "0.0", "0.7"), (1, "0.6", "0.5")]
    changed = {place["path"] for place in found.places("file-changed")}
    assert changed == {"rollouts.jsonl", "verifier/task2/reward.json"}


def _set(*way: str | int, to: object) -> Edit:
    def edit(document: Document) -> None:
        place = document
        for step in way[:-1]:
            place = place[step]  # type: ignore[index]  # steps through lists are numbers
        place[way[-1]] = to  # type: ignore[index]  # as above

    return edit


EDITS: dict[str, tuple[Edit, str, str]] = {
    "a reward": (_set("tasks", 0, "reward", to=0.7), "0.0", "0.7"),
    "an outcome": (_set("tasks", 1, "outcome", to="failed"), '"scored"', '"failed"'),
    "a recorded reward": (_set("tasks", 1, "recorded_reward", to=1), "0.5", "1"),
    "a verdict": (_set("tasks", 0, "health", to="unhealthy"), '"healthy"', '"unhealthy"'),
    "a count": (_set("counts", "scored", to=4), "3", "4"),
    "the mean": (_set("counts", "mean_reward", "value", to=0.9), "0.5", "0.9"),
    "its denominator": (_set("counts", "mean_reward", "n", to=4), "3", "4"),
    "the means by server": (_set("means", to=[]), "sums_environment", "[]"),
    "a file": (_set("files", "run_config", to=None), '"run_config.yaml"', "null"),
    "the models": (_set("run", "models", to=["other"]), '["small-model"]', '["other"]'),
    "an unvalidated task": (_set("unvalidated", "sum-9", to="none"), "null", '"none"'),
    "the findings": (_set("findings", to=[]), "1 places", "0 places"),
    "the level of a finding": (_set("findings", 0, "level", to="note"), "1 places", "0 places"),
    "the checks": (_set("checks", to=[]), "aggregate against rows", "not there"),
    "evidence of a file": (lambda d: d["evidence"].pop("rollouts.jsonl"), "xxh3:", "null"),
    "the digest of a file": (_set("evidence", "rollouts.jsonl", "digest", to=None), "xxh3:", "none"),
    "evidence of a task": (_set("tasks", 0, "evidence", to=None), "xxh3:", "null"),
    "evidence of a reward": (lambda d: d["tasks"][0]["evidence"].pop("reward_file"), "xxh3:", "null"),
    "a missing path": (_set("missing_paths", to=[{"path": "/x"}]), "not there", '{"path": "/x"}'),
    "true for one": (_set("tasks", 0, "repeat", to=False), "", ""),
    "false for nothing": (_set("tasks", 0, "reward", to=False), "0.0", "false"),
    "true for a count": (_set("counts", "degraded", to=False), "0", "false"),
    "true for a verdict that is one": (_set("tasks", 0, "passed", to=0), "false", "0"),
    "an entry twice": (lambda d: d["tasks"].append(d["tasks"][0]), "no such task", "present"),
}


@pytest.mark.parametrize("what", EDITS)
def test_an_edited_summary_does_not_follow_from_the_evidence(whole: Run, tmp_path: Path, what: str) -> None:
    edit, expected, found = EDITS[what]
    seen = audit(edited(whole, tmp_path / "copy", edit))
    assert (seen.code, set(seen.ids("error"))) == (1, {"summary-outdated"})
    pairs = [(place.get("expected", ""), place.get("found", "")) for place in seen.places("summary-outdated")]
    assert [pair for pair in pairs if expected in pair[0] and found in pair[1]], pairs


def test_the_words_of_a_finding_are_compared(whole: Run, tmp_path: Path) -> None:
    seen = audit(edited(whole, tmp_path / "copy", _set("findings", 0, "places", 0, "message", to="all is well")))
    (place,) = seen.places("summary-outdated")
    assert "environment_server_failed" in place["expected"]
    assert "all is well" in place["found"]


def test_an_entry_that_was_taken_out_is_missed(whole: Run, tmp_path: Path) -> None:
    seen = audit(edited(whole, tmp_path / "copy", lambda document: document["tasks"].pop()))
    assert seen.code == 1
    assert [place["task_id"] for place in seen.places("summary-outdated")] == ["sum-3"]


def test_a_recorded_size_and_digest_are_held_against_the_file(whole: Run, tmp_path: Path) -> None:
    digest = "xxh3:" + "0" * 32
    seen = audit(edited(whole, tmp_path / "copy", _set("evidence", "tasks.jsonl", "digest", to=digest)))
    (place,) = seen.places("file-changed")
    assert (seen.code, place["path"], place["expected"]) == (1, "tasks.jsonl", digest)


def test_a_file_that_is_called_stale_afterwards_is_found(tmp_path: Path) -> None:
    run = write_run_with_a_stale_file(tmp_path)
    document = stored(run.summary)
    document["stale_files"] = []
    run.summary.write_text(json.dumps(document))
    seen = audit(run.folder)
    assert (seen.code, "summary-outdated" in seen.ids("error")) == (1, True)


def test_a_file_that_was_put_into_a_log_folder_is_found(whole: Run, tmp_path: Path) -> None:
    copy = copied(whole, tmp_path / "copy")
    copy.put("verifier/task1/reward.json", {"reward": 0.5})
    copy.put("verifier/task2/planted.txt", "")
    seen = audit(copy.folder)
    assert seen.code == 1
    assert {place["task_index"] for place in seen.places("summary-outdated") if "task_index" in place} == {1}
    assert [place["path"] for place in seen.places("file-changed")] == ["verifier/task2"]


def test_a_key_that_is_stated_twice_makes_a_summary_unreadable(whole: Run, tmp_path: Path) -> None:
    copy = copied(whole, tmp_path / "copy")
    rewritten(copy.summary, b'"outcome": "failed"', b'"outcome": "scored", "outcome": "failed"')
    seen = audit(copy.folder)
    (place,) = seen.places("summary-unreadable")
    assert (seen.code, "tasks.outcome" in place["message"]) == (1, True)

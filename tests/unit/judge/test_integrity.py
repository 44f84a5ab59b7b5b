"""What is wrong with one listed file, by table: what was recorded, and what is there now."""

from typing import Any

import pytest

from runaudit.judge.integrity import file_findings

DIGEST = "xxh3:" + "0" * 32
OTHER = "xxh3:" + "1" * 32


@pytest.mark.parametrize(
    ("now", "found"),
    [
        ({"size": 3, "digest": DIGEST}, []),
        ({"size": 4, "digest": DIGEST}, ["file-changed"]),
        ({"size": 3, "digest": OTHER}, ["file-changed"]),
        ({"size": 3, "digest": None}, ["file-unreadable"]),
        ({"size": 3}, []),
        (None, ["file-missing"]),
    ],
)
def test_a_listed_file_now(now: dict[str, Any] | None, found: list[str]) -> None:
    recorded = {"evidence": {"rollouts.jsonl": {"size": 3, "digest": DIGEST}}}
    assert [finding.id for finding in file_findings(recorded, {"rollouts.jsonl": now})] == found


def test_a_file_that_could_not_be_looked_at_is_not_judged() -> None:
    assert list(file_findings({"evidence": {"a": {"size": 1, "digest": DIGEST}}}, {})) == []

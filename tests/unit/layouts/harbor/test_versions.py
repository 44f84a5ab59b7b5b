"""Who wrote a job, and which of its rules follow from that."""

from typing import Any

import pytest

from runaudit.layouts.harbor.versions import parse, writer_of


@pytest.mark.parametrize(
    ("version", "parts"),
    [
        ("0.25.0", (0, 25, 0)),
        ("0.6", (0, 6, 0)),
        ("1.0.0rc1", (1, 0, 0)),
        ("0.26.0.dev3", (0, 26, 0)),
        ("x", None),
        ("", None),
    ],
)
def test_the_numbers_of_a_version(version: str, parts: tuple[int, int, int] | None) -> None:
    assert parse(version) == parts


@pytest.mark.parametrize(
    ("version", "drops", "json_wins"),
    [
        ("0.6.6", False, False),
        ("0.8.0", False, None),
        ("0.9.0", False, True),
        ("0.25.0", False, True),
        ("0.26.0", True, True),
    ],
)
def test_rules_follow_from_the_lock(version: str, drops: bool, json_wins: bool | None) -> None:
    writer = writer_of({}, {"harbor": {"version": version}}, {}, [])
    assert (writer.drops_invalid, writer.json_wins, writer.basis) == (drops, json_wins, "lock.json")


@pytest.mark.parametrize(
    ("config", "result", "trials", "drops", "full"),
    [
        ({}, {}, [{"reward_valid": True}], True, None),
        ({}, {"schema_version": 1}, [], True, None),
        ({"orchestrator": {}}, {}, [], False, False),
        ({}, {"stats": {"n_trials": 3}}, [], False, False),
        ({}, {"stats": {"n_trials": 3, "n_completed_trials": 3}}, [], None, None),
        (None, [], [{}], None, None),
    ],
)
def test_without_a_lock_the_shape_says_what_it_can(
    config: Any, result: Any, trials: list[dict[str, Any]], drops: bool | None, full: bool | None
) -> None:
    writer = writer_of(config, None, result, trials)
    assert (writer.drops_invalid, writer.full_rules, writer.version) == (drops, full, None)

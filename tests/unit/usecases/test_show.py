"""Which summary a path means, and what happens where there is none that can be shown."""

import json
from pathlib import Path

import pytest

from runaudit.errors import InputError, UsageError
from runaudit.usecases.show import find_summary
from tests.unit.render.stored_summaries import large

NAME = "rollouts_run_summary.json"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / NAME).write_text(json.dumps(large()), encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize("told", [NAME, "rollouts.jsonl", "rollouts.jsonl.gz", ""])
def test_a_summary_is_found_by_its_own_path_its_rollouts_or_its_folder(folder: Path, told: str) -> None:
    found = find_summary(str(folder / told))
    assert found.path == str(folder / NAME)
    assert found.document == large()
    assert found.summary.counts.selected == 300


def test_the_summary_beside_the_producers_own_is_found(folder: Path) -> None:
    (folder / NAME).rename(folder / "rollouts_runaudit_summary.json")
    (folder / NAME).write_text('{"kind": "theirs"}', encoding="utf-8")
    for told in ("rollouts.jsonl", ""):
        assert find_summary(str(folder / told)).path.endswith("rollouts_runaudit_summary.json")


def test_several_summaries_in_a_folder_are_named(folder: Path) -> None:
    (folder / "other_run_summary.json").write_text(json.dumps(large()), encoding="utf-8")
    with pytest.raises(UsageError, match=r"name one of: other_run_summary\.json, rollouts_run_summary\.json"):
        find_summary(str(folder))


@pytest.mark.parametrize("told", ["", "rollouts.jsonl"])
def test_where_there_is_none_the_command_that_writes_one_is_named(tmp_path: Path, told: str) -> None:
    with pytest.raises(InputError, match=r"runaudit summarize .*writes one"):
        find_summary(str(tmp_path / told))


def test_a_summary_that_is_not_there() -> None:
    with pytest.raises(InputError, match="there is no such file"):
        find_summary("gone.json")


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("{", "no JSON"),
        ("[]", "no JSON object"),
        ('{"kind": "theirs"}', "expected a document of kind run_summary"),
        ('{"kind": "run_summary", "version": 2}', "version 2 is not one that this runaudit reads"),
        ('{"kind": "run_summary", "version": 1}', "missing required field `layout`"),
        (json.dumps({**large(), "counts": {"selected": "many"}}), r"expected `int`, got `str`.*\$\.counts\.selected"),
    ],
)
@pytest.mark.parametrize("by", [NAME, "rollouts.jsonl", ""])
def test_a_summary_that_cannot_be_read_says_why(tmp_path: Path, content: str, told: str, by: str) -> None:
    (tmp_path / NAME).write_text(content, encoding="utf-8")
    with pytest.raises(InputError, match=f"(?i){NAME}.*{told}"):
        find_summary(str(tmp_path / by))


def test_keys_of_a_later_version_are_let_pass(folder: Path) -> None:
    later = {**large(), "later": 1, "run": {**large()["run"], "later": 2}}
    (folder / NAME).write_text(json.dumps(later), encoding="utf-8")
    assert find_summary(str(folder)).document == later

"""A summary that is written away from its run: its paths lead from where it stands."""

import json
import shutil
from pathlib import Path

import pytest

from runaudit.cli.exits import guarded

FRESH = Path(__file__).parents[2] / "fixtures" / "runs" / "clean" / "fresh"


@pytest.fixture
def run(tmp_path: Path) -> Path:
    return Path(shutil.copytree(FRESH, tmp_path / "results"))


def test_every_path_leads_from_the_summarys_own_folder(run: Path, tmp_path: Path) -> None:
    target = tmp_path / "reports" / "nightly.json"
    assert guarded(["summarize", str(run / "rollouts.jsonl"), "-o", str(target)]) == 0
    document = json.loads(target.read_text(encoding="utf-8"))
    listed = [path for path in document["files"].values() if isinstance(path, str)]
    assert "../results/rollouts.jsonl" in listed
    for path in [*listed, *document["evidence"]]:
        assert (target.parent / path).is_file(), path


def test_the_same_folder_under_another_name_keeps_plain_paths(run: Path) -> None:
    assert guarded(["summarize", str(run / "rollouts.jsonl"), "-o", str(run / "other.json")]) == 0
    document = json.loads((run / "other.json").read_text(encoding="utf-8"))
    assert document["files"]["rollouts"] == "rollouts.jsonl"


def test_verify_says_where_the_run_of_such_a_summary_lies(run: Path, tmp_path: Path) -> None:
    target = tmp_path / "reports" / "nightly_run_summary.json"
    assert guarded(["summarize", str(run / "rollouts.jsonl"), "-o", str(target)]) == 0
    assert guarded(["verify", str(target)]) == 3

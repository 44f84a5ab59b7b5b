"""Trajectories in verifier log folders: readable, and in agreement with themselves."""

import json
from pathlib import Path
from typing import Any

import pytest

from runaudit.layouts.nemo_gym.logs import LogFolder, read_log_folder
from runaudit.read.places import Places
from tests.builders import TRAJECTORY


def folder_with(root: Path, content: str) -> LogFolder:
    logs = root / "logs"
    logs.mkdir()
    (logs / "trajectory.json").write_text(content, encoding="utf-8")
    places = Places([str(root)])
    return read_log_folder(places.look("logs"), "logs", places, "xxh3")


def changed(**fields: Any) -> str:
    return json.dumps({**json.loads(TRAJECTORY), **fields})


def test_a_sound_trajectory_is_listed_digested_and_nothing_is_said(tmp_path: Path) -> None:
    folder = folder_with(tmp_path, TRAJECTORY)
    assert folder.trajectory == "logs/trajectory.json"
    assert folder.findings == []
    assert folder.evidence is not None
    assert folder.evidence.trajectory is not None
    assert folder.evidence.trajectory.size == len(TRAJECTORY)


@pytest.mark.parametrize("content", ["", "{", "[]", "{}", changed(steps=[]), changed(schema_version="ATIF-v9.0")])
def test_what_is_no_trajectory_is_a_warning_and_stays_listed(tmp_path: Path, content: str) -> None:
    folder = folder_with(tmp_path, content)
    assert folder.trajectory == "logs/trajectory.json"
    assert [(finding.id, finding.path) for finding in folder.findings] == [
        ("trajectory-unreadable", "logs/trajectory.json")
    ]


def test_totals_that_its_own_steps_contradict_are_told(tmp_path: Path) -> None:
    folder = folder_with(tmp_path, changed(final_metrics={"total_steps": 7}))
    assert [finding.id for finding in folder.findings] == ["trajectory-inconsistent"]
    assert "7 steps" in folder.findings[0].message

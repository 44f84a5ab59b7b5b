"""`verify --depth`: names and sizes only, opening nothing and saying what was left out."""

import json
import os
import resource
import shutil
from pathlib import Path
from typing import Any

import pytest

from runaudit.cli.exits import guarded
from runaudit.usecases import held_quickly
from tests.stories.whole_run import write_run

Report = dict[str, Any]


def verify(folder: Path, depth: str, capsys: pytest.CaptureFixture[str]) -> Report:
    capsys.readouterr()
    code = guarded(["verify", str(folder), "--depth", depth, "--format", "json"])
    report: Report = json.loads(capsys.readouterr().out)
    assert report["exit_code"] == code
    return report


def ids(report: Report) -> set[str]:
    return {finding["id"] for finding in report["findings"] if finding["level"] == "error"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return Path(write_run(tmp_path / "results").folder)


@pytest.mark.parametrize("depth", ["names", "sizes"])
def test_a_sound_folder_passes_and_the_report_says_what_was_left_out(
    folder: Path, depth: str, capsys: pytest.CaptureFixture[str]
) -> None:
    report = verify(folder, depth, capsys)
    assert report["verdict"] == "pass"
    made = {check["name"]: check["made"] for check in report["checks"]}
    assert made[f"integrity ({depth})"] is True
    assert made["agreement"] is False


@pytest.mark.parametrize("depth", ["names", "sizes", "content"])
def test_a_file_that_is_gone_is_found_at_every_depth(
    folder: Path, depth: str, capsys: pytest.CaptureFixture[str]
) -> None:
    next(folder.rglob("test-stdout.txt")).unlink()
    report = verify(folder, depth, capsys)
    assert "file-missing" in ids(report)
    assert report["exit_code"] == 1


def test_another_size_is_found_by_sizes_and_not_by_names(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with next(folder.rglob("test-stdout.txt")).open("ab") as file:
        file.write(b"more")
    assert ids(verify(folder, "names", capsys)) == set()
    assert ids(verify(folder, "sizes", capsys)) == {"file-changed"}


@pytest.mark.parametrize("step", ["a/", "../"])
@pytest.mark.parametrize("depth", ["names", "content"])
def test_a_path_of_a_hundred_thousand_steps_costs_nothing(
    folder: Path, depth: str, step: str, capsys: pytest.CaptureFixture[str]
) -> None:
    summary = folder / "rollouts_run_summary.json"
    document = json.loads(summary.read_bytes())
    for field in ("test_stdout", "verifier_logs"):
        document["tasks"][0][field] = step * 100_000 + "end"
    document["evidence"][step * 100_000] = {"size": 1, "digest": None}
    summary.write_text(json.dumps(document))
    began = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert verify(folder, depth, capsys)["exit_code"] in (0, 1)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - began < 100 << 10


@pytest.mark.parametrize("path", ["/test-stdout.txt", "/", "//x", "../x", "a/../../x", "."])
def test_a_path_that_is_not_below_the_folder_is_counted_and_not_looked_at(
    folder: Path, path: str, capsys: pytest.CaptureFixture[str]
) -> None:
    summary = folder / "rollouts_run_summary.json"
    document = json.loads(summary.read_bytes())
    (folder / "test-stdout.txt").write_bytes(b"in the folder, and not the one that is named")
    document["tasks"][0]["test_stdout"] = path
    summary.write_text(json.dumps(document))
    report = verify(folder, "names", capsys)
    outside = [check for check in report["checks"] if check["name"] == "files outside the folder"]
    assert bool(outside) == (path != ".")


@pytest.mark.parametrize("depth", ["names", "sizes"])
def test_many_processes_see_what_one_sees(
    folder: Path, depth: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    stdouts = sorted(folder.rglob("test-stdout.txt"))
    stdouts[0].write_bytes(b"of another size")
    stdouts[1].unlink()
    (stdouts[0].parent / "a.tmp").write_bytes(b"")
    (folder / "stray").mkdir()
    (folder / "stray" / "file").write_bytes(b"x")
    alone = verify(folder, depth, capsys)
    assert ids(alone) >= {"file-missing"}
    monkeypatch.setattr(held_quickly, "_TOGETHER_ABOVE", 0)
    monkeypatch.setattr("runaudit.cli.verify.workers", lambda: 3)
    assert verify(folder, depth, capsys) == alone


def test_a_folder_where_a_file_belongs_is_named(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = next(folder.rglob("test-stdout.txt"))
    path.unlink()
    path.mkdir()
    assert "wrong-kind" in ids(verify(folder, "names", capsys))


def test_a_log_folder_behind_a_link_out_of_the_folder_is_not_looked_into(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    logs = next(folder.rglob("test-stdout.txt")).parent
    moved = tmp_path / "elsewhere"
    shutil.move(logs, moved)
    os.symlink(moved, logs)
    assert "outside-root" in ids(verify(folder, "sizes", capsys))


def test_without_a_summary_the_folder_is_audited_as_ever(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    next(folder.glob("*_run_summary.json")).unlink()
    names = {check["name"]: check["made"] for check in verify(folder, "names", capsys)["checks"]}
    assert names["integrity"] is False

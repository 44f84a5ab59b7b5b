"""A results folder is moved in every usual way: its audit stays clean, its summary stays as it is.

Summarizing the moved folder again gives the same bytes where times survived; where they did not, only what age decides
comes out differently, and a finding says so.
"""

import os
import re
import shutil
import subprocess
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.builders import Run
from tests.stories.summaries import Document, command, places, stored
from tests.stories.whole_run import audit, write_run, write_run_with_a_stale_file

Move = Callable[[Path, Path], None]


def _ran(*words: str | Path) -> None:
    subprocess.run([str(word) for word in words], check=True, capture_output=True, timeout=60)


def rename(old: Path, new: Path) -> None:
    old.rename(new)


def tar(old: Path, new: Path) -> None:
    archive = new.with_suffix(".tar")
    with tarfile.open(archive, "w", format=tarfile.PAX_FORMAT) as packed:
        packed.add(old, arcname=new.name)
    with tarfile.open(archive) as packed:
        packed.extractall(new.parent, filter="data")


def old_tar(old: Path, new: Path) -> None:
    """The program's own format keeps times in whole seconds."""
    archive = new.with_suffix(".tar")
    with tarfile.open(archive, "w", format=tarfile.USTAR_FORMAT) as packed:
        packed.add(old, arcname=new.name)
    with tarfile.open(archive) as packed:
        packed.extractall(new.parent, filter="data")


def rsync(old: Path, new: Path) -> None:
    if shutil.which("rsync"):
        _ran("rsync", "-a", f"{old}/", new)
    else:
        shutil.copytree(old, new, symlinks=True)


def copy_with_times(old: Path, new: Path) -> None:
    _ran("cp", "-a", old, new)


def copy_without_times(old: Path, new: Path) -> None:
    _ran("cp", "-r", old, new)


def archive_zip(old: Path, new: Path) -> None:
    archive = new.with_suffix(".zip")
    with zipfile.ZipFile(archive, "w") as packed:
        for path in sorted(old.rglob("*")):
            packed.write(path, path.relative_to(old))
    shutil.unpack_archive(archive, new)


def git_clone(old: Path, new: Path) -> None:
    settings = ("-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false", "-c", "core.autocrlf=false")
    _ran("git", "init", "-q", old)
    _ran("git", "-C", old, "add", "-A")
    _ran("git", "-C", old, *settings, "commit", "-q", "-m", "results")
    _ran("git", "clone", "-q", old, new)
    shutil.rmtree(new / ".git")


KEEPING_TIMES: list[Move] = [rename, tar, old_tar, rsync, copy_with_times]
LOSING_TIMES: list[Move] = [copy_without_times, archive_zip, git_clone]
WRITERS = [write_run, write_run_with_a_stale_file]


def moved(tmp_path: Path, move: Move, write: Callable[[Path], Run] = write_run) -> tuple[Run, bytes]:
    """The run at its new place, its old one gone, and the summary as it was before."""
    old, new = tmp_path / "machine" / "results", tmp_path / "archive"
    old.mkdir(parents=True)
    summary = write(old).summary.read_bytes()
    move(old, new)
    shutil.rmtree(old, ignore_errors=True)
    return Run(new), summary


@pytest.mark.parametrize("write", WRITERS)
@pytest.mark.parametrize("move", [*KEEPING_TIMES, *LOSING_TIMES])
def test_a_moved_folder_is_clean(tmp_path: Path, move: Move, write: Callable[[Path], Run]) -> None:
    run, summary = moved(tmp_path, move, write)
    found = audit(run.folder)
    assert (found.code, found.ids("error"), found.unmade()) == (0, {}, {})
    assert set(found.ids("warning")) <= {"tasks-failed", "stale-file"}
    assert "unlisted-file" not in found.ids()
    assert run.summary.read_bytes() == summary


def hint(document: Document) -> list[str]:
    """The options that the finding about missing log folders prints."""
    told = {place["message"] for place in places(document, "missing-log-folder")}
    (option,) = {match[1] for text in told if (match := re.search(r"with (--map \S+) it resolves", text))}
    return str(option).split(" ", 1)


def summarized_again(run: Run) -> Document:
    """The summary with the map that a first try prints."""
    first = run.folder.parent / "first.json"
    assert command("summarize", run.rollouts, "-o", first) == 0
    assert command("summarize", run.rollouts, *hint(stored(first))) == 0
    return stored(run.summary)


@pytest.mark.parametrize("move", KEEPING_TIMES)
def test_a_folder_with_its_times_gives_the_same_summary(tmp_path: Path, move: Move) -> None:
    run, summary = moved(tmp_path, move)
    first = tmp_path / "first.json"
    assert command("summarize", run.rollouts, "-o", first) == 0
    told = [place["message"] for place in places(stored(first), "missing-log-folder")]
    assert len(told) == 3
    again = summarized_again(run)
    if move is old_tar:
        # whole seconds: the one thing that is said besides
        again["findings"] = [group for group in again["findings"] if group["id"] != "coarse-times"]
        assert again == stored_bytes(summary, tmp_path)
    else:
        assert run.summary.read_bytes() == summary


def stored_bytes(data: bytes, scratch: Path) -> Document:
    """The values of a summary's bytes."""
    path = scratch / "before.json"
    path.write_bytes(data)
    return stored(path)


@pytest.mark.parametrize("move", LOSING_TIMES)
def test_without_times_only_what_age_decides_differs(tmp_path: Path, move: Move) -> None:
    run, summary = moved(tmp_path, move)
    for path in run.folder.rglob("*"):
        # the order in which a copy happens to write: here the reports come before the rollouts
        run.date(path, 5 if path.name in ("quality_summary.json", "rollouts_aggregate_metrics.json") else 6)
    before, after = stored_bytes(summary, tmp_path), summarized_again(run)
    by_age = {"aggregate_metrics", "quality_summary", "rollout_verdicts"}
    assert {key for key in before["files"] if before["files"][key] != after["files"][key]} == by_age
    assert {aside["key"] for aside in after["set_aside"]} == by_age
    assert {"aggregate-older", "health-not-attributed"} <= {group["id"] for group in after["findings"]}
    assert {key for key in before if before[key] != after[key]} == {
        "checks",
        "evidence",
        "files",
        "findings",
        "means",
        "set_aside",
        "tasks",
    }
    for old, new in zip(before["tasks"], after["tasks"], strict=True):
        assert old | {"health": None} == new


def test_relocate_finds_the_moved_log_folders(tmp_path: Path) -> None:
    run, summary = moved(tmp_path, rename)
    assert command("summarize", run.rollouts, "--relocate") == 0
    assert run.summary.read_bytes() == summary


@pytest.mark.parametrize("options", [(), ("--relocate",), ("--map", "{old}=.")])
def test_without_a_summary_a_moved_folder_needs_a_map(tmp_path: Path, options: tuple[str, ...]) -> None:
    run, _ = moved(tmp_path, rename)
    run.summary.unlink()
    told = [option.format(old=os.path.realpath(tmp_path / "machine" / "results")) for option in options]
    found = audit(run.folder, *told)
    assert found.code == 0
    assert ("missing-log-folder" in found.ids()) is not bool(options)
    assert ("unlisted-file" in found.ids()) is not bool(options)

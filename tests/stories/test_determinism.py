"""Equal runs and options give equal bytes: at another path, in another order on disk, with any number of processes."""

import os
import random
import shutil
from pathlib import Path
from typing import Any

import pytest

from runaudit.layouts.nemo_gym import entries, logs_together, row_file
from runaudit.model.request import Request
from runaudit.read.workers import LostWorkerError, Workers
from runaudit.usecases.summarize import Options, build
from tests.builders import Run, failure, lines, native_input, row
from tests.stories.summaries import command

DAMAGED = (b"[1]\n", b"{\n", b"\0" * 40 + b"\n", b"\n\n", b'{"reward": NaN}\r\n', b"\xff\n")


def busy(run: Run) -> None:
    """A run with something of everything: damage, failures, log folders, duplicates, reports."""
    chance = random.Random(7)  # repeatable on purpose
    run.inputs(*(native_input(task, repeat) for task in range(40) for repeat in range(3)))
    content = []
    for task in range(0, 40, 2):
        for repeat in range(3):
            logs = f"verifier/v{task}-{repeat}"
            run.logs(
                f"v{task}-{repeat}", {"reward.txt": "1.0", "artifacts/b.txt": "b", "artifacts/a.txt": "a", "z": "z"}
            )
            whole = lines([row(task, repeat, verifier_logs_dir=logs, note="x" * chance.randrange(400))])
            content += [whole] * chance.choice((1, 1, 1, 2))
            content += [chance.choice(DAMAGED)] * chance.choice((0, 0, 1))
    chance.shuffle(content)
    run.put("rollouts.jsonl", b"".join(content) + lines([row(39)])[:-50], at=10)
    run.failures(*(failure(task) for task in (1, 3, 3, 5)))
    run.aggregate(at=5)
    run.health("rollouts.jsonl")


def written(run: Run, **request: Any) -> bytes:
    """The document's bytes."""
    return b"".join(build(str(run.rollouts), Options(request=Request(**request), signatures="none")).chunks())


def test_an_equal_folder_at_another_path_gives_equal_bytes(run: Run) -> None:
    busy(run)
    first = written(run)
    there = Run(run.folder.parent / "a much longer name" / "results")
    shutil.copytree(run.folder, there.folder)
    shutil.rmtree(run.folder)
    assert written(there) == first


def test_the_order_of_entries_on_disk_changes_nothing(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    busy(run)
    first = written(run)
    there = Run(run.folder.parent / "again")
    paths = [path for path in sorted(run.folder.rglob("*"), reverse=True) if path.is_file()]
    for path in paths:
        target = there.folder / path.relative_to(run.folder)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(path, target)
    assert written(there) == first
    scandir = os.scandir

    class Reversed:
        def __init__(self, path: str) -> None:
            with scandir(path) as entries:
                self._entries = sorted(entries, key=lambda entry: entry.name, reverse=True)

        def __enter__(self) -> list[os.DirEntry[str]]:
            return self._entries

        def __exit__(self, *_: object) -> None:
            pass

    monkeypatch.setattr(os, "scandir", Reversed)
    assert written(there) == first


@pytest.mark.parametrize("span", [1, 97, 701, 4096, 1 << 20])
def test_one_process_and_many_give_equal_bytes(run: Run, span: int, monkeypatch: pytest.MonkeyPatch) -> None:
    busy(run)
    if span == 1:
        run.put("rollouts.jsonl", lines([row(0)]) + b"[1]\n\n" + lines([row(2)])[:-30], at=10)
    first = written(run)
    monkeypatch.setattr(row_file, "_PARALLEL_ABOVE", 0)
    monkeypatch.setattr(row_file, "_RANGE", span)
    assert written(run, workers=3) == first


@pytest.mark.parametrize("part", [1, 2, 1000])
def test_log_folders_read_by_many_processes_give_equal_bytes(
    run: Run, part: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    busy(run)
    first = written(run)
    assert b'"verifier_logs": "' in first
    monkeypatch.setattr(logs_together, "_TOGETHER_ABOVE", 1)
    monkeypatch.setattr(logs_together, "_PART", part)
    monkeypatch.setattr(entries, "_ROUND", part)
    assert written(run, workers=3) == first

    def lost(*_: object) -> list[object]:
        raise LostWorkerError

    monkeypatch.setattr(Workers, "results", lost)
    assert written(run, workers=3) == first


@pytest.mark.parametrize("padding", [b"\0" * 300, b"\n" * 300, b"\n" + b"\0" * 300 + b"\n \n"])
def test_what_follows_a_cut_row_is_cut_anywhere(run: Run, padding: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    run.inputs(native_input(0), native_input(1))
    run.put("rollouts.jsonl", b"\xef\xbb\xbf" + lines([row(0)]) + lines([row(1)])[:-30] + padding, at=10)
    first = written(run)
    assert b"torn-last-line" in first
    monkeypatch.setattr(row_file, "_PARALLEL_ABOVE", 0)
    for span in (64, 100, 129, 1000):
        monkeypatch.setattr(row_file, "_RANGE", span)
        assert written(run, workers=2) == first


def test_the_command_line_writes_equal_bytes_twice(run: Run) -> None:
    busy(run)
    assert command("summarize", run.rollouts) == 0
    first = run.summary.read_bytes()
    assert command("summarize", run.rollouts) == 0
    assert run.summary.read_bytes() == first
    assert command("summarize", run.rollouts, "-o", Path(run.folder / "again.json")) == 0
    assert (run.folder / "again.json").read_bytes() == first

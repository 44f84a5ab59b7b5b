"""A writer killed at any moment leaves the old document or the new one, whole, and nothing that is taken for data."""

import json
import os
import random
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from runaudit.cli.exits import guarded
from runaudit.write import atomic
from tests.builders import Run, native_input, row
from tests.hostile.kill_rounds import big_run, in_child, kill_while_writing

# every call of the operating system that a write makes, in the order in which they come
CALLS = ("makedirs", "open", "fsync", "replace", "close", "unlink")


def killing(nth: int, *, before: bool) -> Iterator[tuple[str, Callable[..., Any]]]:
    """The calls, each of which counts; the nth one kills this process, before or after it is made."""
    made = 0

    def wrap(call: Callable[..., Any]) -> Callable[..., Any]:
        def counted(*args: Any, **more: Any) -> Any:
            nonlocal made
            made += 1
            if made == nth and before:
                os.kill(os.getpid(), signal.SIGKILL)
            result = call(*args, **more)
            if made == nth:
                os.kill(os.getpid(), signal.SIGKILL)
            return result

        return counted

    for name in CALLS:
        yield name, wrap(getattr(os, name))


def chunks(text: bytes, kill_at: int | None) -> Iterator[bytes]:
    """The new document in pieces; the writer is killed when it asks for one of them."""
    for position in range(10):
        if position == kill_at:
            os.kill(os.getpid(), signal.SIGKILL)
        yield text


def written(path: Path, nth: int, *, before: bool, kill_at: int | None = None) -> bool:
    """Writes in a child that is killed at the nth call; whether it came to its end all the same."""

    def work() -> None:
        for name, call in killing(nth, before=before):
            setattr(os, name, call)
        atomic.replace(str(path), chunks(b"new\n" * 50_000, kill_at))

    _, status = os.waitpid(in_child(work), 0)
    return not os.WIFSIGNALED(status)


@pytest.mark.parametrize("before", [True, False], ids=["before", "after"])
def test_killed_at_every_call_of_the_write(tmp_path: Path, before: bool) -> None:
    new, path, kills = b"new\n" * 500_000, tmp_path / "summary.json", 0
    for nth in range(1, 50):
        path.write_bytes(b"old\n")
        ended = written(path, nth, before=before)
        assert path.read_bytes() in (b"old\n", new)
        for name in os.listdir(tmp_path):
            assert name == path.name or atomic.is_own_leftover(name)
            if name != path.name:
                (tmp_path / name).unlink()
        if ended:
            assert path.read_bytes() == new
            break
        kills += 1
    assert kills >= 5


@pytest.mark.parametrize("piece", range(10))
def test_killed_between_any_two_pieces_of_the_document(tmp_path: Path, piece: int) -> None:
    path = tmp_path / "summary.json"
    path.write_bytes(b"old\n")
    assert not written(path, 0, before=True, kill_at=piece)
    assert path.read_bytes() == b"old\n"


def test_random_kills_leave_a_whole_document(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    told = kill_while_writing(big_run(tmp_path / "results", 3000), 25, random.Random(1))
    with capsys.disabled():
        print(f"\n{told.kills} kills, {told.hits} of them hit the write")  # noqa: T201  # how good the test was
    assert told.broken == 0
    assert told.hits > 0


def test_a_leftover_is_named_and_never_taken_for_the_summary(tmp_path: Path) -> None:
    run = Run(tmp_path / "results")
    run.inputs(native_input(0))
    run.results(row(0, reward=1.0))
    leftover = run.folder / ".rollouts_run_summary.json.0123456789ab.tmp"
    leftover.write_bytes(b'{"kind": "run_summary", "version": 1, "tasks": []}')
    assert guarded(["summarize", str(run.rollouts)]) == 0
    document = json.loads(run.summary.read_bytes())
    assert document["counts"]["scored"] == 1
    assert "leftover-file" in {group["id"] for group in document["findings"]}
    assert leftover.exists()
